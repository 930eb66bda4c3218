"""Two vectors: dragging their tips, and what is drawn and said of them.

The planes before and behind W_Q, W_K and W_V, and where the words are moved.
"""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.pages.controls import Number
from explorer.pages.drawing import Arc, Arrow, Dot, Segments, Words
from explorer.pages.page import Picture


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
    two.do(SetCells("x", {(0, 0): 1.0, (0, 1): 2.0}), SetCells("y", {(0, 0): 2.0, (0, 1): 4.0}))
    assert two.page("vectors").marks("plane", Arc)[0].text == "α 0.0°", "the cosine of parallel vectors is rounded"


def test_a_tip_of_small_vectors_is_dragged_as_finely_as_it_is_drawn(two):
    two.do(SetCells("x", {(0, 0): 0.001, (0, 1): 0.002}), SetCells("y", {(0, 0): 0.001, (0, 1): 0.0}))
    two.do(arrows(two.page("vectors"))["x"].drag.at((0.00312, -0.00146)).command(object()))
    assert two.value("x")[0].tolist() == [0.0031, -0.0015], "in hundredths it was 0"


def test_the_shadow_lies_on_y_and_cannot_be_dragged(two):
    found = arrows(two.page("vectors"))
    assert found["xₚ"].tip == tuple(two.value("x_p")[0])
    assert found["xₚ"].width == 0, "its shaft would hide y"
    assert found["xₚ"].drag is None
    along, rest = two.page("vectors").marks("plane", Segments)
    assert along.ends[0].tolist() == [[0, 0], list(found["xₚ"].tip)]
    assert rest.ends[0].tolist() == [list(found["xₚ"].tip), list(found["x"].tip)]


def test_of_more_than_two_dimensions_no_angle_is_drawn_and_it_says_why(desk):
    words = desk("words-as-vectors").page("vectors")
    assert not words.marks("plane", Arc), "that between the two arrows is another one"
    assert "2 of 25 dimensions" in words.notes


def test_vectors_of_one_number_lie_on_one_line(two):
    two.document = Document(State.of(Model("vectors", {}, {"feature": ("across",)}), {}))
    two.do(SetCells("x", {(0, 0): 3.0}), SetCells("y", {(0, 0): -2.0}))
    page = two.page("vectors")
    assert page.notes == ""
    assert page.marks("plane", Arc)[0].text == "α 180.0°"
    two.do(arrows(page)["x"].drag.at((1.5, 2.0)).command())
    assert two.value("x").tolist() == [[1.5]]
    assert arrows(two.page("vectors"))["x"].tip == (1.5, 0.0)


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


BLOCK = "encoder.1.self"
STAGE, HEAD = f"{BLOCK}.attention", f"{BLOCK}.head.1"


@pytest.fixture
def start(desk):
    return desk()


def plane(short, block=BLOCK):
    return f"plane of {block}.{short}"


def points(page, id):
    return [(dot.x, dot.y) for dot in page.marks(id, Dot)]


def laid(page, id):
    """The ends of the two axes that run to the right and upwards: the rows of the matrix, times the span."""
    thick = [mark for mark in page.marks(id, Segments) if mark.width == 2]
    return np.array([mark.ends[0, 1] for mark in thick])


def test_a_grid_is_laid_as_the_matrix_lays_it(start):
    page = start.page(STAGE)
    H, Q, W = (start.value(name) for name in ("source.H", f"{HEAD}.Q", f"{HEAD}.W_Q"))
    before, behind = laid(page, plane("source.H")), laid(page, plane("Q"))
    for id in (plane("source.H"), plane("Q")):
        assert [mark.dashed for mark in page.marks(id, Segments)] == [False, True] * 2  # not told by colour alone
    span = before[0, 0]
    np.testing.assert_allclose(before, span * np.eye(2))
    np.testing.assert_allclose(behind, span * W[:2, :2])
    assert points(page, plane("source.H")) == [tuple(row) for row in H[:, :2].tolist()]
    assert points(page, plane("Q")) == [tuple(row) for row in Q[:, :2].tolist()]
    start.do(SetCells(f"{HEAD}.W_Q", {(0, 1): 3.0}), SetSwitch(BLOCK, "weights", "W x"))
    page, W = start.page(STAGE), start.value(f"{HEAD}.W_Q")
    np.testing.assert_allclose(laid(page, plane("Q")), laid(page, plane("source.H"))[0, 0] * W.T[:2, :2])
    start.do(SetSwitch(BLOCK, "quantised", "4 bits"))
    page, left = start.page(STAGE), start.value(f"{HEAD}.W_Q_left")
    assert (left != W).any()
    np.testing.assert_allclose(laid(page, plane("Q")), laid(page, plane("source.H"))[0, 0] * left.T[:2, :2])


def test_other_dimensions_are_chosen(start):
    page = start.page(STAGE)
    boxes = {box.tip: box for box in page.all(Number)}
    start.choose(boxes["Before: dimension across"].asks.key, 2)
    start.choose(boxes["After W_Q: dimension up"].asks.key, 3)
    page, W = start.page(STAGE), start.value(f"{HEAD}.W_Q")
    assert points(page, plane("source.H")) == [(y, y) for y in start.value("source.H")[:, 1].tolist()]
    span = laid(page, plane("source.H"))[0, 0]
    np.testing.assert_allclose(laid(page, plane("Q")), span * W[np.ix_([1, 1], [0, 2])])
    assert W[1, [0, 2]].any()


@pytest.mark.parametrize("head", [1, 2])
def test_words_go_from_their_value_to_the_output(start, head):
    start.look(head=head - 1)
    page = start.page(STAGE)
    arrows = page.marks(plane("moved"), Arrow)
    values, output = (start.value(f"{BLOCK}.head.{head}.{short}")[:, :2].tolist() for short in ("V", "output"))
    assert [arrow.start for arrow in arrows] == [tuple(row) for row in values]
    assert [arrow.tip for arrow in arrows] == [tuple(row) for row in output]
    assert "You from (" in page.drawing(plane("moved")).summary


def test_dimensions_in_which_all_words_are_alike_are_not_the_first_to_be_drawn(desk):
    page = desk("i-want-to-buy").page(STAGE)
    assert [box.value for box in page.the(f"dimensions of {BLOCK}.V").controls] == [5, 6]
    assert [box.value for box in page.the(f"dimensions of {BLOCK}.Q").controls] == [1, 2]


def test_between_two_sentences_each_has_its_own_plane(start):
    page, cross = start.page("decoder.1.cross.attention"), "decoder.1.cross"
    queries, keys = (start.view.nodes[f"{cross}.{letter}"].parents[0] for letter in "QK")
    pictures = [part.id for part in page.all(Picture)]
    assert pictures == [plane(short, cross) for short in (queries, keys, "Q", "K", "V")]
    assert [dot.name for dot in page.marks(plane(queries, cross), Dot)] == ["<start>", "de", "nada"]
    assert [dot.name for dot in page.marks(plane(keys, cross), Dot)] == ["You", "are", "welcome"]


@pytest.mark.parametrize("value", [1e308, float("nan"), float("-inf")])
def test_numbers_that_cannot_be_drawn_stop_nothing(start, value):
    start.do(SetCells(f"{HEAD}.W_V", {(0, 0): value}))
    page = start.page(STAGE)
    assert all(np.isfinite(part.drawing.window).all() for part in page.all(Picture))


def test_a_plane_is_made_when_it_is_asked_for_and_the_same_as_long_as_it_reads_the_same(start):
    def pictures():
        return {one.id: one for one in start.page(STAGE).all(Picture)}

    before, again = pictures(), pictures()
    assert all("drawing" not in vars(one) for one in again.values())
    assert before == again
    start.do(SetCells(f"{HEAD}.W_Q", {(0, 0): 0.25}))
    after = pictures()
    assert before[plane("Q")] != after[plane("Q")]
    assert before[plane("K")] == after[plane("K")]
    assert before[plane("Q")].drawing.marks != after[plane("Q")].drawing.marks
