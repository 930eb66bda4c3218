"""What a GPT costs, against the formulas that the papers give."""

import pytest

from explorer.core.cost import ATTENTION, EMBEDDING, NET, OUTPUT, PROJECTIONS, SHAPES, Shape, cost_of, timed_attention


@pytest.mark.parametrize("shape", SHAPES[:3], ids=lambda shape: shape.name)
@pytest.mark.parametrize("n", [64, 512])
def test_the_counts_are_those_of_the_formulas(shape, n):
    found = cost_of(shape, n)
    d, layers = shape.d_model, shape.layers
    assert found.multiplications == {
        PROJECTIONS: layers * 4 * n * d * d,
        ATTENTION: layers * 2 * n * n * d,
        NET: layers * 8 * n * d * d,
        OUTPUT: n * d * shape.words,
        EMBEDDING: 0,
    }
    assert found.cache == 2 * layers * n * d
    assert found.scores == shape.heads * n * n
    assert found.one_more == layers * (12 * d * d + 2 * (n + 1) * d) + d * shape.words


def test_the_shapes_have_as_many_parameters_as_their_papers_say():
    millions = {shape.name: cost_of(shape, shape.room).parameters / 1e6 for shape in SHAPES}
    assert millions["GPT-1"] == pytest.approx(117, rel=0.01)
    assert millions["GPT-2 small"] == pytest.approx(124, rel=0.01)
    assert millions["GPT-2 XL"] == pytest.approx(1558, rel=0.01)
    assert millions["GPT-3"] == pytest.approx(175_000, rel=0.01)


def test_attention_grows_with_the_square():
    shape = Shape("small", 2, 2, 8, 20, 64)
    once, twice = cost_of(shape, 16), cost_of(shape, 32)
    assert twice.multiplications[ATTENTION] == 4 * once.multiplications[ATTENTION]
    assert twice.multiplications[NET] == 2 * once.multiplications[NET]
    assert twice.cache == 2 * once.cache


def test_attention_can_be_timed():
    assert timed_attention(8, 2, 4, runs=1) > 0
