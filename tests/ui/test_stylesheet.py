"""One style sheet: nothing outside of its file writes rules, and nobody but a look puts one on.

One maker of words and one of buttons, whose roles and looks have rules in it.
"""

import re
from pathlib import Path
from typing import get_args

import explorer
from explorer.paths import resources
from explorer.ui.theme import Look, Role

FOLDER = Path(explorer.__file__).parent
_RULE = re.compile(r"\bQ[A-Z]\w+(\[\w+=|\s*\{)|\bQ[A-Z]\w+\s*\{\{|border-radius|min-height:|padding:")
LOOKS = {"ui/appearance.py", "ui/lesson/presenter_look.py", "ui/window/opening.py"}
MAKERS = {"ui/widgets/labels.py", "ui/widgets/inputs.py", "ui/stylesheet.py"}
"""Of words and of buttons, and of the rules about them."""
PRINTED = {"ui/lesson/handout.py", "export/matrix.py"}
"""A page of its own, in HTML."""


def files():
    return {str(file.relative_to(FOLDER)): file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py")}


def test_rules_stand_in_one_file():
    found = {name for name, text in files().items() if _RULE.search(text)}
    assert found - PRINTED == {"ui/stylesheet.py"}


def test_only_a_look_puts_a_style_sheet_on():
    assert {name for name, text in files().items() if "setStyleSheet(" in text} == LOOKS


def test_words_and_buttons_are_made_by_the_widgets():
    found = {name for name, text in files().items() if re.search(r"\bQ(Label|PushButton)\b", text)}
    assert found == MAKERS, (
        f"{found - MAKERS}: make words with Label or SteadyLabel (explorer/ui/widgets/labels.py) and buttons with "
        "PushButton (explorer/ui/widgets/inputs.py), and derive from these, not from QLabel and QPushButton"
    )


def test_each_role_and_each_look_has_a_rule():
    rules = (resources() / "style.qss").read_text("utf-8")
    assert set(re.findall(r'\[role="(\w+)"\]', rules)) == {*get_args(Role)} - {""}
    assert [look for look in get_args(Look) if look and f'QPushButton[{look}="true"]' not in rules] == []
