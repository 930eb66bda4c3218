"""Products as one computes them by hand: rows at the left, columns above."""

import numpy as np
import pytest

from explorer.document.commands import SetSwitch, SetTokens
from explorer.pages.by_hand import LAYOUT, Scheme
from explorer.pages.page import Row

STAGE = "encoder.1.self.attention"


def schemes(page):
    return {scheme.result.name: scheme for scheme in page.all(Scheme)}


@pytest.fixture
def by_hand(desk):
    start = desk()
    start.look(choices={LAYOUT: True})
    return start


@pytest.mark.parametrize("stage", ["source.embedding", STAGE, "encoder.1.self.heads", "encoder.1.ffn.layers", "output"])
def test_in_each_cell_a_row_at_the_left_meets_a_column_above(by_hand, stage):
    found = schemes(by_hand.page(stage)).values()
    assert found
    for scheme in found:
        right, *added = scheme.above
        assert scheme.left.rows == scheme.result.rows
        assert scheme.left.columns == right.rows
        assert all(above.columns == scheme.result.columns for above in scheme.above)
        product = scheme.left.array @ right.array + sum(bias.array for bias in added)
        pins = scheme.result.pins
        assert np.allclose(product, scheme.result.array) or pins is not None


def test_keys_stand_as_columns_and_an_edit_of_one_is_an_edit_of_its_own_cell(by_hand):
    keys = schemes(by_hand.page(STAGE))["encoder.1.self.head.1.scores"].above[0]
    assert keys.columns == ("You", "are", "welcome")
    assert keys.formula == r"K^\top"
    assert keys.index(3, 1) == (0, 1, 3)
    assert keys.at((0, 1, 3)) == (3, 1)


def test_what_stands_in_a_scheme_stands_nowhere_else(by_hand):
    page = by_hand.page(STAGE)
    ids = [element.id for element in page.elements]
    assert len(ids) == len(set(ids))
    assert "encoder.1.self.W_Q" not in ids


def test_the_scale_does_not_stand_alone(by_hand):
    (row,) = [row for row in by_hand.page(STAGE).all(Row) if any(i.element.id.endswith("scale") for i in row.items)]
    assert len(row.items) > 1


def test_products_that_nobody_multiplies_by_hand_stay_in_a_row(by_hand):
    assert by_hand.page(STAGE).the(LAYOUT).value
    by_hand.do(SetTokens("source", tuple(f"word{i}" for i in range(20))))
    assert not schemes(by_hand.page(STAGE))
    assert not by_hand.page(STAGE).the(LAYOUT).on


def test_a_cosine_is_no_plain_product(by_hand):
    by_hand.do(SetSwitch("encoder.1.self", "similarity", "cosine"))
    assert "encoder.1.self.head.1.scores" not in schemes(by_hand.page(STAGE))


@pytest.mark.parametrize("head", [0, 1, 5, 7])
def test_heads_that_share_keys_and_values_are_multiplied_with_those(desk, head):
    """stories260K has eight heads and four of keys and values: the second head multiplies with the first keys."""
    own = desk("stories260k")
    own.look(choices={LAYOUT: True}, head=head)
    for stage in ("attention", "heads"):
        found = schemes(own.page(f"decoder.1.self.{stage}"))
        products = [name for name in found if name.rpartition(".")[2] in ("scores", "output")]
        assert len(products) == {"attention": 2, "heads": 8}[stage]
        for name in products:
            scheme = found[name]
            assert np.allclose(scheme.left.array @ scheme.above[0].array, scheme.result.array, atol=1e-5), name
