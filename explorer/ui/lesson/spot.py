"""Where on the screen the cells are that a step names."""

from PySide6.QtCore import QRect

from explorer.core.graph import Graph
from explorer.lessons.steps import Predict, Question
from explorer.pages.covering import asked_cell
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements


def spot_box(elements: Elements) -> MatrixBox | None:
    """The matrix that is spoken of."""
    boxes = [widget for widget in elements.widgets.values() if isinstance(widget, MatrixBox)]
    return next((box for box in boxes if box.matrix.spot is not None), None)


def asked_box(elements: Elements, graph: Graph, question: Question | None) -> MatrixBox | None:
    """The matrix in which a number is asked for."""
    asked = asked_cell(graph, question) if isinstance(question, Predict) else None
    if asked is None:
        return None
    boxes = (widget for widget in elements.widgets.values() if isinstance(widget, MatrixBox))
    places = ((box, box.matrix.place) for box in boxes if box.matrix.place.node == asked.node)
    return next((box for box, at in places if asked.index[: len(at.index)] == at.index), None)


def spot_rect(box: MatrixBox) -> QRect:
    """Where in the box of a matrix the cells are that are spoken of, scrolled into sight; with its heading."""
    rows, columns = box.matrix.spot or ((0,), (0,))
    view = box.view
    first, last = view.table.index(rows[0], columns[0]), view.table.index(rows[-1], columns[-1])
    view.scrollTo(last)
    view.scrollTo(first)
    whole = view.visualRect(first).united(view.visualRect(last)).intersected(view.viewport().rect())
    rect = QRect(view.viewport().mapTo(box, whole.topLeft()), whole.size())
    return rect.united(QRect(rect.left(), 0, 1, 1))
