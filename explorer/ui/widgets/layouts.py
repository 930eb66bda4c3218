"""Layouts without margins, and areas that scroll, made in one line."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget


def column_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QVBoxLayout:
    """Lay out a widget's parts below each other.

    `spacing`: pixels between them; -1: as many as the style takes.
    """
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(spacing)
    for part in parts:
        column.addWidget(part)
    return column


def row_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QHBoxLayout:
    """Lay out a widget's parts side by side, as `column_in` does below each other."""
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(spacing)
    for part in parts:
        row.addWidget(part)
    return row


def scroll_area(parent: QWidget | None = None, sideways: bool = True) -> QScrollArea:
    """An area that scrolls, without a frame; the keys pass it by.

    `sideways`: whether it may have a bar at its bottom.
    """
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
