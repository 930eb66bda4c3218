"""Two vectors: dragging their tips, and what is drawn and said of them."""

import numpy as np
import pytest

from explorer.document.commands import SetCells
from explorer.pages.drawing import Arc, Arrow, Segments, Words


@pytest.fixture
def two(desk):
    return desk("two-vectors")


def arrows(page):
    return {arrow.name: arrow for arrow in page.marks("plane", Arrow)}


def test_every_node_stands_on_the_page(two):
    assert set(two.page("vectors").names) == two.view.nodes.keys()


def test_a_tip_is_dragged_and_the_drag_is_one_step(two):
    before = two.value("x")
    arrow, stroke = arrows(two.page("vectors"))["x"], object()
    for place in ((1.0, 2.0), (1.5, -2.123)):
        two.do(arrow.drag.at(place).command(stroke))
    assert two.value("x")[0].tolist() == [1.5, -2.12], "hundredths can be read"
    x, y = two.value("x")[0], two.value("y")[0]
    cosine = x @ y / np.sqrt((x @ x) * (y @ y))
    page = two.page("vectors")
    angle = float(two.value("angle").item())
    assert angle == pytest.approx(np.degrees(np.arccos(cosine)))
    assert page.marks("plane", Arc)[0].text == f"α {angle:.1f}°"
    assert f"angle {angle:.1f}°" in page.drawing("plane").summary
    assert arrows(page)["x"].tip == (1.5, -2.12)
    two.document.undo()
    np.testing.assert_array_equal(two.value("x"), before)


def test_the_shadow_lies_on_y_and_cannot_be_dragged(two):
    found = arrows(two.page("vectors"))
    assert found["xₚ"].tip == tuple(two.value("x_p")[0])
    assert found["xₚ"].width == 0, "its shaft would hide y"
    assert found["xₚ"].drag is None
    along, rest = two.page("vectors").marks("plane", Segments)
    assert along.ends[0].tolist() == [[0, 0], list(found["xₚ"].tip)]
    assert rest.ends[0].tolist() == [list(found["xₚ"].tip), list(found["x"].tip)]


def test_the_arc_goes_from_y_to_x(two):
    two.do(SetCells("x", {(0, 0): 0.0, (0, 1): 2.0}), SetCells("y", {(0, 0): 3.0, (0, 1): 0.0}))
    (arc,) = two.page("vectors").marks("plane", Arc)
    assert (arc.start, arc.turn) == (0, 90)
    assert "xₚ" not in arrows(two.page("vectors")), "there is no shadow"


@pytest.mark.parametrize("x", [(0.0, 0.0), (4.0, 2.0), (-4.0, -2.0), (-1.0, 2.0), (1e308, 0.0), (np.nan, 1.0)])
def test_vectors_that_lie_on_each_other_or_nowhere(two, x):
    two.do(SetCells("x", dict(zip([(0, 0), (0, 1)], x, strict=True))))
    page = two.page("vectors")
    assert np.isfinite(page.drawing("plane").window).all()
    assert bool(page.marks("plane", Arc)) == (0 < np.abs(x).max() < 1e30)
    assert ("angle" in page.names) == any(number != 0 for number in x), "nothing has an angle to a point"
    # Where the rest is nothing, its name would lie on the others.
    assert bool(page.marks("plane", Words)) == (x == (-1.0, 2.0))
