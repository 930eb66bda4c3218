import ast
from pathlib import Path
from string import Formatter

import pytest

import explorer
from explorer.core.errors import ExplorerError
from explorer.sentences import english, sentence

SENTENCES = english()
SOURCES = sorted(Path(explorer.__file__).parent.rglob("*.py"))


@pytest.fixture(scope="module")
def written():
    """What the program does with errors.

    Every `ExplorerError("id", field=…)` (place, id, names of the fields given), and where one that was caught is made
    text of by `str` or in an f-string.
    """
    raised, spoken = [], []
    texts = ((path, path.read_text("utf-8")) for path in SOURCES)
    for path, text in ((path, text) for path, text in texts if "ExplorerError" in text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ExplorerError" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    raised.append((f"{path.name}:{node.lineno}", first.value, [one.arg for one in node.keywords]))
            if isinstance(node, ast.ExceptHandler) and getattr(node.type, "id", "") == "ExplorerError":
                spoken += [f"{path}:{line}" for line in spoken_in(node)]
    return raised, spoken


def spoken_in(handler):
    for node in ast.walk(handler):
        said = node.args if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" else ()
        said = [node.value] if isinstance(node, ast.FormattedValue) else said
        yield from (node.lineno for one in said if getattr(one, "id", "") == handler.name)


def fields_of(message):
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}


def test_every_error_that_is_raised_has_a_sentence_and_gives_its_fields(written):
    found, _ = written
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
    assert sentence(error) == "'two' is not a number; write it in digits, with a point for decimals."
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


def test_who_shows_an_error_puts_it_into_words(written):
    _, spoken = written
    assert spoken == []
