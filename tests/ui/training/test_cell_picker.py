"""The choice of the two weights that the loss is drawn over."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from explorer.core.graph import Cell
from explorer.lessons.loader import load
from explorer.ui.training.cell_picker import CellPicker, chosen
from explorer.ui.training.loss_surface import SurfaceView


@pytest.mark.parametrize("moving", [(), ("layer.2.b",)])
def test_two_cells_are_chosen_also_where_fewer_than_two_move(moving, bench_of, qtbot):
    bench = bench_of(load("xor"))
    for name in bench.descent.moves():
        bench.descent.set_moves(name, name in moving)

    cells = chosen(bench)

    assert len(cells) == 2
    assert {cell.node for cell in cells} <= {*bench.descent.weights()}
    assert (cells[0] == Cell("layer.2.b", (0,))) is bool(moving)
    view = SurfaceView(bench)
    qtbot.addWidget(view)
    assert view.plot.cells == cells


def test_what_is_chosen_in_one_window_is_marked_in_the_other(bench_of, qtbot):
    """As on a slide and on the lecturer's screen: the surface followed, and the marks did not."""
    bench = bench_of(load("xor"))
    pickers = [CellPicker(bench) for _ in range(2)]
    for picker in pickers:
        qtbot.addWidget(picker)
        picker.show()
    cell = Cell("layer.2.b", (0,))
    pickers[0].choose(cell)
    assert pickers[1].cells == pickers[0].cells == bench.descent.looked_at
    assert cell in pickers[1].cells


def test_a_cell_is_chosen_with_the_keys_and_told_where_the_mouse_rests(bench_of, qtbot):
    bench = bench_of(load("xor"))
    picker = CellPicker(bench)
    qtbot.addWidget(picker)
    picker.show()
    weights = picker.pictures["layer.1.W"]  # (2, 2)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Down):
        QTest.keyClick(weights, key)
    QTest.keyClick(weights, Qt.Key.Key_Space)
    assert picker.cells[-1] == Cell("layer.1.W", (1, 0)), "beyond an edge a key goes nowhere"
    QTest.keyClick(weights, Qt.Key.Key_Right)
    QTest.keyClick(weights, Qt.Key.Key_Return)
    assert picker.cells == (Cell("layer.1.W", (1, 0)), Cell("layer.1.W", (1, 1)))
    corner = QPoint(weights.width() - 1, 1)
    QApplication.sendEvent(weights, QHelpEvent(QEvent.Type.ToolTip, corner, weights.mapToGlobal(corner)))
    qtbot.waitUntil(QToolTip.isVisible)
    assert QToolTip.text() == "Layer 1, W [x₁ → h₂]"
