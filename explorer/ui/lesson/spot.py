"""Where on a page is what a step names, asks for, lets one change, and wants to be made so."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect

from explorer.core.graph import Graph
from explorer.lessons.steps import MakeSo, Predict, Question, Step
from explorer.pages.covering import asked_cell
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements


def spot_box(elements: Elements) -> MatrixBox | None:
    """The matrix that is spoken of."""
    return next((box for box in _boxes(elements) if box.matrix.spot is not None), None)


def asked_box(elements: Elements, graph: Graph, question: Question | None) -> MatrixBox | None:
    """The matrix in which a number is asked for."""
    asked = asked_cell(graph, question) if isinstance(question, Predict) else None
    return None if asked is None else _box_of(elements, asked.node, asked.index)


def spot_rect(box: MatrixBox) -> QRect:
    """Where in the box of a matrix the cells are that are spoken of, scrolled into sight; with its heading."""
    return _cells_rect(box, *(box.matrix.spot or ((0,), (0,))))


def wanted_rects(elements: Elements, graph: Graph, step: Step) -> list[list[QRect]]:
    """What is to be in sight together on the page of a step, in the page's pixels; the most that one wishes for first.

    What the step names, the number that it asks for, what one may change and what that is to change: all of their
    matrices, or their cells at least; else what it names and asks for; else what it names.
    """
    named: list[tuple[QRect, QRect]] = []  # (all of it, its cells at least)
    spot, element = spot_box(elements), step.look.element and elements.named(step.look.element)
    if spot is not None:
        named.append(_both(elements, spot, spot_rect(spot)))
    if element:
        place = QRect(element.mapTo(elements, QPoint()), element.size())
        named.append((place, place))
    asked, question = asked_box(elements, graph, step.question), step.question
    if asked is not None and asked is not spot:
        named.append(_both(elements, asked, asked.rect()))
    others = list(_of_making(elements, graph, question)) if isinstance(question, MakeSo) else []
    groups = [[*named, *others], named, named[:1]]
    return [[pair[k] for pair in group] for group in groups for k in (0, 1)]


def _of_making(elements: Elements, graph: Graph, question: MakeSo) -> Iterator[tuple[QRect, QRect]]:
    """The matrices that may be changed, and the cells of those that are to become something."""
    for name in question.allowed:
        place = graph.find(name)
        if place is not None and (box := _box_of(elements, place.node, place.index)) is not None:
            yield _both(elements, box, box.rect())
    for condition in question.conditions:
        place = graph.find(condition.node)
        index = (*condition.cell, int(condition.number)) if condition.sign == "argmax" else condition.cell
        if place is not None and (box := _box_of(elements, place.node, place.index)) is not None:
            row, column = box.matrix.at(place.index + index)
            yield _both(elements, box, _cells_rect(box, (row,), (column,)))


def _both(elements: Elements, box: MatrixBox, cells: QRect) -> tuple[QRect, QRect]:
    """All of a matrix and some of it, in the pixels of the page."""
    at = box.mapTo(elements, QPoint())
    return QRect(at, box.size()), cells.translated(at)


def _cells_rect(box: MatrixBox, rows: tuple[int, ...], columns: tuple[int, ...]) -> QRect:
    """Where in the box of a matrix some cells are, scrolled into sight; with its heading."""
    view = box.view
    if not view.isVisibleTo(box):  # a small picture stands for them
        return box.rect()
    first, last = view.table.index(rows[0], columns[0]), view.table.index(rows[-1], columns[-1])
    view.scrollTo(last)
    view.scrollTo(first)
    whole = view.visualRect(first).united(view.visualRect(last)).intersected(view.viewport().rect())
    rect = QRect(view.viewport().mapTo(box, whole.topLeft()), whole.size())
    return rect.united(QRect(rect.left(), 0, 1, 1))


def _boxes(elements: Elements) -> Iterator[MatrixBox]:
    return (widget for widget in elements.widgets.values() if isinstance(widget, MatrixBox))


def _box_of(elements: Elements, node: str, index: tuple[int, ...]) -> MatrixBox | None:
    """The matrix of a node, or the slice of it that has a cell."""
    places = ((box, box.matrix.place) for box in _boxes(elements) if box.matrix.place.node == node)
    return next((box for box, at in places if index[: len(at.index)] == at.index), None)
