import ast
from pathlib import Path
from string import Formatter

import pytest

import explorer
from explorer.core.errors import MESSAGES, ExplorerError, nearest, sentence

SOURCES = sorted(Path(explorer.__file__).parent.rglob("*.py"))


def raised():
    """Every `ExplorerError("id", field=…)` that is written in the program: place, id, names of the fields given."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ExplorerError" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield f"{path.name}:{node.lineno}", first.value, [keyword.arg for keyword in node.keywords]


def fields_of(message):
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}


def test_every_error_that_is_raised_has_a_message_and_gives_its_fields():
    found = list(raised())
    assert len(found) > 15
    for place, id, given in found:
        assert id in MESSAGES, place
        assert fields_of(MESSAGES[id]) == set(given), place  # **fields could not be checked


def test_every_message_is_one_line():
    for id, message in MESSAGES.items():
        # "{message}": the sentence of another process is handed on.
        assert message.endswith((".", "?")) or message == "{message}", id
        assert "\n" not in message, id


def test_an_error_is_its_sentence():
    error = ExplorerError("bad-number", text="two")
    assert str(error) == "'two' is not a number; write one such as 0.5, -2 or 1e-3."
    assert error.fields == {"text": "two"}


def test_an_error_is_put_into_words_where_it_is_shown_not_where_it_is_raised():
    written = []

    class Number:
        def __format__(self, spec):
            written.append(spec)
            return "two"

    error = ExplorerError("bad-number", text=Number())
    assert not written
    assert sentence(error, {"bad-number": "« {text} » n'est pas un nombre."}) == "« two » n'est pas un nombre."


@pytest.mark.parametrize(
    ("name", "answer"), [("scoers", " (did you mean 'scores'?)"), ("xyz", ""), ("weight", " (did you mean 'weights'?)")]
)
def test_nearest(name, answer):
    assert nearest(name, ["scaled", "scores", "weights"]) == answer
