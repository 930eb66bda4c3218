"""Examples as points, and where each norm takes them."""

import pytest

from explorer.document.commands import SetCells
from explorer.pages.drawing import Dot
from explorer.pages.page import Picture


@pytest.fixture
def jump(desk):
    return desk("jump")


def points(page):
    """The coordinates of the dots of each plane."""
    drawn = {picture.id: picture.drawing.marks for picture in page.all(Picture)}
    return {id: [(dot.x, dot.y) for dot in marks if isinstance(dot, Dot)] for id, marks in drawn.items()}


def test_the_examples_and_what_each_norm_makes_of_them(jump):
    jump.do(SetCells("input.X", {(2, 0): 0.9}))
    found = points(jump.page("input"))
    names = ("input.X", "layer.norm", "batch.norm")
    assert found == {f"points of {name}": [tuple(row) for row in jump.value(name).tolist()] for name in names}


def test_a_point_is_dragged_to_other_numbers(jump):
    (plane,) = [one for one in jump.page("input").all(Picture) if one.id == "points of input.X"]
    jump.do(plane.drawing.marks[1].drag.at((0.25, 0.75)).command())
    assert jump.value("input.X")[1].tolist() == [0.25, 0.75]
    assert all(dot.drag is None for dot in jump.page("input").the("points of layer.norm").drawing.marks)
