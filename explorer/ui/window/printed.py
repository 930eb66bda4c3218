"""From a number to where a reference prints it, and from there back to what computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from explorer.lessons.loader import load
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.selection import Cell
from explorer.ui.turns import do_later
from explorer.ui.window.top_bar import PAGES

if TYPE_CHECKING:
    from explorer.lessons.printed import PrintedNumber
    from explorer.ui.window.main_window import MainWindow


def show_reference(window: MainWindow) -> None:
    """Show where a reference prints the cell pointed at, in the list of all printed numbers."""
    cell, state = window.bench.selection.cell, window.bench.document.state
    window.show_page(PAGES.index("References"))
    if cell is not None and window.references is not None:
        window.references.look_for(state.lesson, state.setting, cell)


def show_scene(window: MainWindow, number: PrintedNumber) -> None:
    """Show what computes a printed number: its model, the stage, the cell."""
    scene, bench = number.scene, window.bench
    if scene is None:
        return
    state = bench.document.state
    stands = state in bench.opened and (state.lesson, state.setting) == (scene.lesson, scene.setting)
    if not stands or not (scene.figure is None or scene.figure.plain):
        title = f"{number.title}, as printed"
        if not window.files.open_state(load(scene.lesson), scene.state(), title):
            return
        bench.beside_text = True
        bench.bridge.flush()
    bench.beside_text = True
    selection, graph = bench.selection, bench.document.engine.graph
    place = graph.place(scene.node)
    if place.head is not None:
        selection.set_head(place.head)
    gradient = scene.figure is not None and scene.figure.part == "gradient"
    window.top_bar.showing.show_in_matrices("gradient" if gradient else "values")
    window.go_to_stage(graph.nodes[place.node].stage)
    cell = scene.cell if place.head is None else (place.head, *scene.cell)
    selection.choose(Cell(place.node, cell), "arrow")
    if window.area.makes:
        once = Qt.ConnectionType.SingleShotConnection
        window.area.shown.connect(lambda: _bring_into_sight(window, scene.node), once)
    else:
        do_later(window, lambda: _bring_into_sight(window, scene.node))


def _bring_into_sight(window: MainWindow, name: str) -> None:
    """Scroll to the matrix of a node or slice."""
    page = window.page()
    shown = (box for box in page.findChildren(MatrixBox) if box.matrix.name == name and box.isVisible())
    if (box := next(shown, None)) is not None:
        page.ensureWidgetVisible(box)
