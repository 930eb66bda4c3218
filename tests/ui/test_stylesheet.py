"""One style sheet: nothing outside of its file writes rules, and nobody but a look puts one on."""

import re
from pathlib import Path

import explorer

FOLDER = Path(explorer.__file__).parent
_RULE = re.compile(r"\bQ[A-Z]\w+(\[\w+=|\s*\{)|\bQ[A-Z]\w+\s*\{\{|border-radius|min-height:|padding:")
LOOKS = {"ui/appearance.py", "ui/lesson/presenter_look.py", "ui/window/opening.py"}
PRINTED = {"ui/lesson/handout.py", "export/matrix.py"}
"""A page of its own, in HTML."""


def files():
    return {str(file.relative_to(FOLDER)): file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py")}


def test_rules_stand_in_one_file():
    found = {name for name, text in files().items() if _RULE.search(text)}
    assert found - PRINTED == {"ui/stylesheet.py"}


def test_only_a_look_puts_a_style_sheet_on():
    assert {name for name, text in files().items() if "setStyleSheet(" in text} == LOOKS
