"""All heads side by side, joined, and W_O."""

import numpy as np
import pytest

from explorer.document.commands import SetSwitch
from explorer.lessons.new import new_lesson
from explorer.pages.drawing import series
from explorer.pages.page import Stack
from explorer.pages.word_pictures import AttentionLines, HeatMap

ENCODER = "encoder.1.self"
STAGE = f"{ENCODER}.heads"


@pytest.fixture
def two(desk):
    return desk()


def test_a_column_for_each_head_then_concat_and_W_O(two):
    page = two.page(STAGE)
    assert page.names == [
        *(f"{ENCODER}.head.{head}.{short}" for head in (1, 2) for short in ("weights", "output")),
        *(f"{ENCODER}.{short}" for short in ("concat", "W_O", "projected")),
    ]
    outputs = [two.value(f"{ENCODER}.head.{head}.output") for head in (1, 2)]
    np.testing.assert_array_equal(page.the(f"{ENCODER}.concat").array, np.hstack(outputs))
    assert page.the(f"{ENCODER}.concat").bands == (0, 2)
    assert page.the(f"{ENCODER}.W_O").bands == (2, 0)


def test_headings_have_the_colours_of_the_bands(two):
    assert [(stack.title, stack.ink) for stack in two.page(STAGE).all(Stack)] == [
        ("Head 1", series(0)),
        ("Head 2", series(1)),
    ]


def test_it_shows_all_heads_whatever_head_is_looked_at(two):
    before = two.page(STAGE).page.elements
    two.look(head=1)
    assert two.page(STAGE).page.elements == before


@pytest.mark.parametrize("heads", [3, 1, 2])
def test_another_number_of_heads(two, heads):
    two.do(SetSwitch(ENCODER, "heads", heads))
    page = two.page(STAGE)
    assert {n for n in page.names if ".head." in n} == {
        f"{ENCODER}.head.{k + 1}.{short}" for k in range(heads) for short in ("weights", "output")
    }
    assert len(page.the(f"{ENCODER}.concat").columns) == 4 * heads
    assert len(page.all(Stack)) == heads
    # Beside a single head there is room for where it looks.
    assert [lines.matrix.name for lines in page.all(AttentionLines)] == [f"{ENCODER}.head.1.weights"] * (heads == 1)


def test_without_W_O_it_ends_side_by_side(two):
    cross = "decoder.1.cross"
    two.do(SetSwitch(cross, "W_O", False))
    page = two.page(f"{cross}.heads")
    assert not [name for name in page.names if name.endswith(("W_O", "projected"))]
    assert "Side by side" in page.sections
    two.do(SetSwitch(cross, "W_O", True))
    assert {f"{cross}.W_O", f"{cross}.projected"} <= set(two.page(f"{cross}.heads").names)


def test_a_head_is_switched_off_and_on(two):
    before = two.value(f"{ENCODER}.concat")
    button = two.page(STAGE).the("switch of head 1")
    assert (button.text, button.name) == ("Switch off", "Switch off head 1")
    two.do(button.asks.command())
    assert not two.value(f"{ENCODER}.concat")[:, :4].any()
    np.testing.assert_array_equal(two.value(f"{ENCODER}.concat")[:, 4:], before[:, 4:])
    page = two.page(STAGE)
    assert [page.the(f"switch of head {k}").text for k in (1, 2)] == ["Switch on", "Switch off"]
    two.do(page.the("switch of head 1").asks.command())
    np.testing.assert_array_equal(two.value(f"{ENCODER}.concat"), before)


def test_of_a_long_sentence_each_head_is_a_picture_that_stays(desk):
    jane = desk("jane")
    names = [f"{ENCODER}.head.{head}.weights" for head in (1, 2, 3)]
    for looking in ({"head": 0}, {"head": 2}, {"averaged": True}):
        jane.look(**looking)
        maps = jane.page(STAGE).all(HeatMap)
        assert [picture.matrix.name for picture in maps] == names
        for name, picture in zip(names, maps, strict=True):
            np.testing.assert_array_equal(picture.matrix.array, jane.value(name))
    # Jane and her job, Harvard and Google, graduated and starting.
    words = jane.view.labels("input")
    for name, query, key in zip(names, ("Jane", "Harvard", "graduated"), ("job", "Google", "starting"), strict=True):
        assert words[int(jane.value(name)[words.index(query)].argmax())] == key


def test_of_a_long_sentence_what_each_head_puts_out_stands_below(two):
    lesson = new_lesson("gpt", [" ".join(f"word{i}" for i in range(40))], d_model=32, heads=8)
    two.document = type(two.document)(lesson.state())
    page = two.page("decoder.1.self.heads")
    assert len(page.all(HeatMap)) == 8
    assert [name for name in page.names if name.endswith(".output")] == [
        f"decoder.1.self.head.{k + 1}.output" for k in range(8)
    ]
