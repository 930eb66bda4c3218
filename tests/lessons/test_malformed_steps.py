"""A lesson with steps that is not as it should be gives one line, whatever is wrong with it."""

import copy
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import lesson_from
from explorer.lessons.reading import TomlTable
from explorer.lessons.replay import check_steps
from explorer.paths import resources
from explorer.sentences import sentence

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
(BLOCK,) = re.findall(r"^## Lead through.*?^```toml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
WHOLE = tomllib.loads(BLOCK)

NAMES = st.sampled_from(
    ["Q", "scores", "Qq", "weights", "attention", "friend", "she", "all", "K[friend, Pers]", "K[0]"]
)
LEAVES = st.one_of(
    NAMES,
    st.sampled_from(
        ["", "$\\frac{a}", "$}$", "{scores}", "{weights[0, 0]:%}", "{[", "{gradient K[0, 0]}", "- a\n\n1. b"]
    ),
    st.sampled_from(["argmax(K) == K", "weights[friend] > 1", "scores[0, 0] ~ 1 ± x", "a and b", "Q[0, 0] > 1e999"]),
    st.integers(-3, 10**19),
    st.floats(),
    st.booleans(),
    st.text(max_size=8),
    st.lists(st.one_of(NAMES, st.integers(-1, 9), st.floats()), max_size=3),
    st.dictionaries(NAMES, st.one_of(NAMES, st.integers(-1, 5), st.floats(-2, 2)), max_size=2),
)


def places(value, way=()):
    """All places in nested tables and lists."""
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*way, key))


PLACES = [way for way in places(WHOLE) if way and way[0] == "step"]


def test_the_whole_one_is_valid():
    assert check_steps(lesson_from(TomlTable("mine.toml", WHOLE)), "mine.toml") is None


@given(st.sampled_from(PLACES), st.one_of(LEAVES, st.just(...)), st.booleans())
def test_one_line_names_what_is_wrong(way, leaf, beside):
    data = copy.deepcopy(WHOLE)
    table = data
    for key in way[:-1]:
        table = table[key]
    if leaf is ...:
        del table[way[-1]]
    elif beside and isinstance(table, dict):
        table[f"{way[-1]}s"] = leaf
    else:
        table[way[-1]] = leaf
    try:
        check_steps(lesson_from(TomlTable("mine.toml", data)), "mine.toml")
    except ExplorerError as error:
        said = sentence(error)
        assert "mine.toml" in said
        assert "\n" not in said.strip()
        assert len(said) < 1500


def test_a_step_is_named_by_its_number_until_it_has_an_id():
    data = copy.deepcopy(WHOLE)
    del data["step"][2]["id"]
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable("mine.toml", data))
    assert sentence(caught.value) == 'step `3` of mine.toml: `id` is missing; add id = "…".'


def test_a_slide_has_three_sentences_at_most():
    data = copy.deepcopy(WHOLE)
    data["step"][0]["slide"] = "One. Two. Three. Four."
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable("mine.toml", data))
    assert "has 4 sentences" in sentence(caught.value)


def test_a_piece_that_the_model_has_not_is_refused_and_gets_no_row_of_its_own():
    """A storyteller read "a big, bl ball": its blue had a piece with a vector drawn at random."""
    file = resources() / "lessons/inside-a-storyteller.toml"
    data = tomllib.loads(file.read_text("utf-8").replace('"l", "u", "e"', '"l", "ue"'))
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable(file, data))
    assert "`tokens.input` 'ue' is no piece of the model; write the pieces of its tokenizer" in sentence(caught.value)
