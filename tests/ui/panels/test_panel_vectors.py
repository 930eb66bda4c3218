"""Two vectors: dragging their tips, and what is drawn and said of them."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from explorer.document.commands import SetCells


@pytest.fixture
def window(at):
    return at("two-vectors", "vectors")


@pytest.fixture
def plane(window, eye):
    from explorer.ui.widgets.vector_plane import VectorPlane

    return eye.plot(window, VectorPlane)


def tip(plane, x, y):
    """Where a point of the plane is on the screen."""
    return plane.mapFromScene(plane.getViewBox().mapViewToScene(QPointF(x, y)))


def test_every_node_stands_on_the_page(window, eye):
    assert eye.views(window).keys() == window.bench.document.engine.graph.nodes.keys()


def test_a_tip_is_dragged_and_the_drag_is_one_step(window, plane, eye):
    before = eye.value(window, "x")
    start = tip(plane, *before[0])
    QTest.mousePress(plane.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for k in range(1, 4):
        QTest.mouseMove(plane.viewport(), start + QPoint(10 * k, 20 * k))
    QTest.mouseRelease(plane.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(30, 60))
    eye.settle(window)
    x, y = eye.value(window, "x")[0], eye.value(window, "y")[0]
    assert x[0] > before[0, 0]
    assert x[1] < before[0, 1]
    cosine = x @ y / np.sqrt((x @ x) * (y @ y))
    assert plane.angle == pytest.approx(np.degrees(np.arccos(cosine)))
    assert f"angle {plane.angle:.1f}°" in plane.accessibleName()
    window.bench.document.undo()
    np.testing.assert_array_equal(eye.value(window, "x"), before)


@pytest.mark.parametrize("x", [(0.0, 0.0), (4.0, 2.0), (-4.0, -2.0), (-1.0, 2.0), (1e308, 0.0)])
def test_vectors_that_lie_on_each_other_or_nowhere_can_be_painted(window, plane, eye, x):
    window.bench.document.do(SetCells("x", dict(zip([(0, 0), (0, 1)], x, strict=True))))
    eye.settle(window)
    assert not plane.grab().isNull()
