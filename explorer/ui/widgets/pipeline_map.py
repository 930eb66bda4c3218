"""The pipeline map: the stages of the graph in reading order, under their headings."""

import re

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from explorer.core.node import Stage
from explorer.ui.colour import qcolor
from explorer.ui.theme import mark
from explorer.ui.workbench import Workbench

OPEN_LAYERS = 2
"""Of more layers than these only the one that one is in shows its stages."""


class StageButton(QAbstractButton):
    """One stop: its number in a circle, its title; orange where one is."""

    moved = Signal(int)

    def __init__(self, bench: Workbench, number: int, stage: Stage) -> None:
        super().__init__()
        self._bench = bench
        self._number, self.stage = number, stage
        self.active = False
        self._under = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{stage.group}: {stage.title}")
        self.setToolTip(f"{stage.group}: {stage.title}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(60) + self.fontMetrics().horizontalAdvance(self.stage.title), px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        appearance = self._bench.appearance
        theme, px = appearance.theme, appearance.px
        box = self.rect().adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.active or self._under:
            painter.setBrush(qcolor(theme.here_soft if self.active else theme.raised))
            painter.drawRoundedRect(box, 6, 6)
        size = px(22)
        circle = QRect(box.left() + px(10), box.center().y() - size // 2 + 1, size, size)
        painter.setBrush(qcolor(theme.here if self.active else theme.surface))
        painter.setPen(qcolor(theme.here if self.active else theme.line_strong))
        painter.drawEllipse(circle)
        painter.setFont(appearance.fonts.small)
        painter.setPen(qcolor(theme.on_here if self.active else theme.text))
        painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(self._number))
        font = QFont(appearance.fonts.ui)
        font.setBold(self.active)
        painter.setFont(font)
        painter.setPen(qcolor(theme.here_text if self.active else theme.text))
        text = QRect(circle.right() + px(10), box.top(), box.right() - circle.right() - px(12), box.height())
        title = painter.fontMetrics().elidedText(self.stage.title, Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(qcolor(theme.focus))
            painter.drawRoundedRect(box, 6, 6)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._under = event.type() == QEvent.Type.Enter
            self.update()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
            case _:
                super().keyPressEvent(event)


class PipelineMap(QFrame):
    """The map at the left, drawn from the graph itself. Of many layers, the one that one is in is open.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._bench = bench
        self.buttons: list[StageButton] = []
        self._folding: set[str] = set()
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._scroll)
        bench.selection.stage_changed.connect(self._mark)
        self.rebuild()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._mark()

    def rebuild(self) -> None:
        """Draw the map of the graph that there is now."""
        px = self._bench.appearance.px
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(px(9), px(10), px(5), px(12))
        layout.setSpacing(px(1))
        self.buttons = []
        stops = self._bench.selection.stops
        layers = {stage.group for stage in stops if re.search(r"\d$", stage.group)}
        self._folding = layers if self._bench.document.state.model.layers > OPEN_LAYERS else set()
        group = ""
        for number, stage in enumerate(stops, 1):
            if stage.group != group:
                group = stage.group
                layout.addWidget(self._heading(stage))
            button = StageButton(self._bench, number, stage)
            button.clicked.connect(lambda _=False, name=stage.name: self._bench.selection.go_to(name))
            button.moved.connect(lambda by, at=number - 1: self._step(at + by))
            layout.addWidget(button)
            self.buttons.append(button)
        layout.addStretch()
        self._scroll.setWidget(content)
        self._mark()

    def _heading(self, first: Stage) -> QWidget:
        """What stands above a group; a layer that can be folded is opened by it."""
        indent = self._bench.appearance.px(10)
        if first.group not in self._folding:
            label = mark(QLabel(first.group), role="section")
            label.setContentsMargins(indent, 0, 0, 0)
            return label
        button = QPushButton(first.group)
        mark(button, role="section")
        button.setToolTip(f"Open {first.group}: {first.title}")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._bench.selection.go_to(first.name))
        return button

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.rebuild()

    def _step(self, at: int) -> None:
        if 0 <= at < len(self.buttons):
            # In this order: one cannot have the focus in a layer that is folded.
            self._bench.selection.go_to(self.buttons[at].stage.name)
            self.buttons[at].setFocus(Qt.FocusReason.TabFocusReason)

    def _mark(self) -> None:
        open_group = next((b.stage.group for b in self.buttons if b.stage.name == self._bench.selection.stage), "")
        for button in self.buttons:
            button.setVisible(button.stage.group == open_group or button.stage.group not in self._folding)
            active = button.stage.name == self._bench.selection.stage
            if active != button.active:
                button.active = active
                button.update()
            if active:
                self._scroll.ensureWidgetVisible(button, 0, 40)
