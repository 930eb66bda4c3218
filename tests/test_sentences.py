import ast
from pathlib import Path
from string import Formatter

import explorer
from explorer.core.errors import ExplorerError
from explorer.sentences import SENTENCES, sentence

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


def test_every_error_that_is_raised_has_a_sentence_and_gives_its_fields():
    found = list(raised())
    assert len(found) > 15
    for place, id, given in found:
        assert id in SENTENCES, place
        assert fields_of(SENTENCES[id]) == set(given), place  # **fields could not be checked


def test_every_sentence_is_one_line():
    for id, message in SENTENCES.items():
        # "{message}": the sentence of another process is handed on; a remedy may be a question.
        assert message.endswith((".", "?", "{remedy}")) or message == "{message}", id
        assert "\n" not in message, id


def test_an_error_is_put_into_words_where_it_is_shown_not_where_it_is_raised():
    error = ExplorerError("bad-number", text="two")
    assert sentence(error) == "'two' is not a number; write one such as 0.5, -2 or 1e-3."
    assert sentence(error, {"bad-number": "« {text} » n'est pas un nombre."}) == "« two » n'est pas un nombre."


def test_a_near_name_is_asked_for():
    assert sentence(ExplorerError("unknown-node", name="scoers", near="scores")) == (
        "There is no node 'scoers' (did you mean 'scores'?)."
    )
    assert sentence(ExplorerError("unknown-node", name="xyz", near="")) == "There is no node 'xyz'."


def test_an_error_that_is_the_reason_of_another_is_told_within_its_sentence():
    inner = ExplorerError("no-loss")
    words = {"no-loss": "Il n'y a pas de perte.", "document-wrong": "{file} : {problem}."}
    assert sentence(ExplorerError("document-wrong", file="a", problem=inner), words) == "a : Il n'y a pas de perte."
    assert sentence(ExplorerError("document-wrong", file="a", problem=MemoryError()), words) == "a : MemoryError."


def test_who_shows_an_error_puts_it_into_words():
    caught = []
    for path in SOURCES:
        for handler in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(handler, ast.ExceptHandler) and getattr(handler.type, "id", "") == "ExplorerError":
                for node in ast.walk(handler):
                    spoken = node.args if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" else ()
                    spoken = [node.value] if isinstance(node, ast.FormattedValue) else spoken
                    caught += [f"{path}:{node.lineno}" for one in spoken if getattr(one, "id", "") == handler.name]
    assert caught == []
