"""Between matrices stand only signs that hold for what they show."""

import numpy as np
import pytest

from explorer.document.commands import SetCells, SetTokens
from explorer.pages.page import Row
from explorer.pages.signs import BLANK

EDIT = SetCells("source.table", {(0, 0): 2.0})


@pytest.fixture
def signs(desk):
    """The signs of a row after an edit, for what matrices show."""

    def of(stage, row, showing, edit=EDIT):
        found = desk()
        found.do(edit)
        found.look(showing=showing)
        (one,) = (part for part in found.page(stage).all(Row) if part.id == row)
        return [item.sign for item in one.items]

    return of


def test_values_have_all_signs(signs):
    assert signs("encoder.1.self.heads", "joined heads", "values") == ["", "×", "="]
    assert signs("source.positions", "sum", "values") == ["", "+", "="]


@pytest.mark.parametrize("showing", ["change", "step", "difference", "gradient"])
def test_no_product_of_changes_or_gradients_is_claimed(signs, showing):
    assert signs("encoder.1.self.heads", "joined heads", showing) == ["", BLANK, BLANK]
    assert signs("encoder.1.ffn.layers", "output row", showing) == [
        "",
        BLANK,
        BLANK,
        BLANK,
    ]  # nor the bias of a product


def test_the_changes_of_a_sum_are_a_sum_and_its_gradients_are_none(desk, signs):
    assert signs("source.positions", "sum", "change") == ["", "+", "="]
    assert signs("source.positions", "sum", "gradient") == ["", BLANK, BLANK]
    found = desk()
    found.do(EDIT)
    found.look(showing="change")
    x, pe, h = (item.element.array for item in found.page("source.positions").all(Row)[0].items)
    np.testing.assert_allclose(x + pe, h)


def test_a_sum_of_what_is_new_has_no_change_to_add(signs):
    longer = SetTokens("source", ("You", "are", "so", "welcome"))
    assert signs("source.positions", "sum", "change", edit=longer) == ["", BLANK, BLANK]


def test_arrows_stay(signs):
    assert "→" in signs("encoder.1.self.attention", "from scores to weights", "gradient")


def test_no_page_shows_a_false_sign(desk):
    for lesson in ("you-are-welcome", "translation-lookup", "xor"):
        found = desk(lesson)
        found.look(showing="gradient")
        for stage in found.document.engine.graph.stages:
            rows = found.page(stage.name).all(Row)
            assert not {item.sign for row in rows for item in row.items} & set("×+=")
