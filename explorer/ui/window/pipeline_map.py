"""The pipeline map: the stages of the graph in reading order, under their headings."""

import re
from functools import partial

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QWidget

from explorer.core.graph import Stage
from explorer.pages.gestures import what_is_off
from explorer.pages.levels import stages_of
from explorer.ui.theme import mark, qcolor
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in, scroll_area
from explorer.ui.window.bar import Size
from explorer.ui.window.division import rows_of_stages
from explorer.ui.workbench import Workbench

OPEN_LAYERS, MANY_LAYERS, NEAR = 2, 16, 2
"""With more than `OPEN_LAYERS` layers only the present one shows its stages; with `MANY_LAYERS` or more, only the
first, the last and those at most `NEAR` away from the present one have their own headings."""
HEADING, GAP = 1.25, 0.4
"""The height of a heading, in rows; and that of one without words, as most are beside numbers only. The first one is a
whole one all the same: the button that folds the list stands there.
"""
CIRCLE, INDENT, BESIDE = 22, 42, 28


class StageButton(QAbstractButton):
    """The button of a stage: its number in a circle, and its title; orange if it is the present stage."""

    moved = Signal(int)

    def __init__(self, bench: Workbench, number: int, stage: Stage) -> None:
        super().__init__()
        self._bench = bench
        self._number, self.stage = number, stage
        self.active = False
        self.titled = True
        self._off = ""
        self._under = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tell_off("")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def tell_off(self, off: str) -> None:
        """Show what of the stage is switched off: "off", "2 heads off", or "" for nothing."""
        self._off = off
        said = f"{self.stage.where}, {off}" if off else self.stage.where
        self.setAccessibleName(said)
        self.setToolTip(said)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        appearance = self._bench.appearance
        theme, px = appearance.theme, appearance.px
        box = self.rect().adjusted(1, 0, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.active or self._under:
            ground = theme.selection if self.isDown() else theme.here_soft if self.active else theme.raised
            painter.setBrush(qcolor(ground))
            painter.drawRoundedRect(box, 6, 6)
        size = min(px(CIRCLE), box.height() - 2)
        left = px(10) + (px(CIRCLE) - size) // 2 if self.titled else (box.width() - size) // 2
        circle = QRect(box.left() + left, box.top() + (box.height() - size) // 2, size, size)
        painter.setBrush(qcolor(theme.here if self.active else theme.surface))
        painter.setPen(qcolor(theme.here if self.active else theme.line_strong))
        painter.setFont(appearance.fonts.small)
        over = max(painter.fontMetrics().horizontalAdvance(str(self._number)) + 6 - size, 0)
        if self.active or (size >= px(CIRCLE) and not over):  # without a circle if the number does not fit into it
            painter.drawRoundedRect(QRectF(circle).adjusted(-over / 2, 0, over / 2, 0), size / 2, size / 2)
        painter.setPen(qcolor(theme.on_here if self.active else theme.text))
        beside = size // 2  # room for a number of three digits, which is wider than the circle
        painter.drawText(circle.adjusted(-beside, 0, beside, 0), Qt.AlignmentFlag.AlignCenter, str(self._number))
        if self.titled:
            painter.setFont(appearance.fonts.bold.ui if self.active else appearance.fonts.ui)
            painter.setPen(qcolor(theme.here_text if self.active else theme.text))
            text = QRect(box.left() + px(INDENT), box.top(), self.room(), box.height())
            if self._off:
                self._paint_off(painter, text)
                close = QFont(appearance.fonts.ui)
                close.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 96)
                if painter.fontMetrics().horizontalAdvance(self.stage.title) > text.width():
                    painter.setFont(close)  # letters that are thinner and closer are whole beside these words
            title = painter.fontMetrics().elidedText(self.stage.title, Qt.TextElideMode.ElideRight, text.width())
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRoundedRect(QRectF(box).adjusted(1, 1, -1, -1), 6, 6)

    def _paint_off(self, painter: QPainter, text: QRect) -> None:
        """Write at the right that all is off, or how many heads are, and leave the rest to the title."""
        theme, font, pen = self._bench.appearance.theme, painter.font(), painter.pen()
        painter.setFont(self._bench.appearance.fonts.small)
        painter.setPen(qcolor(theme.here_text if self.active else theme.muted))
        wide = painter.fontMetrics().horizontalAdvance
        words = re.sub(" heads?", "", self._off)
        text.setRight(self.width() - 3)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
        text.setWidth(text.width() - wide(words) - 3)
        painter.setFont(font)
        painter.setPen(pen)

    def room(self) -> int:
        """The width in pixels that the title may take."""
        return self.width() - self._bench.appearance.px(INDENT) - 4

    def enterEvent(self, event: QEnterEvent) -> None:
        self._under = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._under = False
        self.update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
            case _:
                super().keyPressEvent(event)


class PipelineMap(QFrame):
    """The map at the left, made from the graph. Of many layers, only the present one is open.

    Its rows are as low as needed to show the whole map; in large text, or on request, only numbers are shown.

    `fold`: the action that is checked if only numbers are wanted.
    """

    def __init__(self, bench: Workbench, fold: QAction) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self._bench = bench
        self.buttons: list[StageButton] = []
        """The buttons of the stages that are shown."""
        self.stops: tuple[Stage, ...] = ()
        self._open = ""
        self._headings: list[Label | PushButton] = []
        self._rows: list[tuple[QWidget, float]] = []
        """Headings and buttons, each with its height in rows."""
        self._folding: set[str] = set()
        self._titled = True
        self._pins: object = None  # those that the buttons were told of
        self._scroll = scroll_area(sideways=False)
        self._scroll.setWidgetResizable(False)
        column_in(self, self._scroll)
        self._fold = fold
        # The button is beside the first heading; a line of its own would push the last stage out of sight.
        self._folds = PushButton("", fold.toggle, parent=self, look="link")
        self._folds.raise_()
        bench.selection.stage_changed.connect(self._mark)
        bench.appearance.changed.connect(self.rebuild)
        self._again = later(self, self._draw)
        self.stops = bench.selection.stops

    def showEvent(self, event: QShowEvent) -> None:
        if not self.buttons:  # the opening page may come before it
            self._draw()
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        px = self._bench.appearance.px
        self._folds.setGeometry(self.width() - px(34), 2, px(28), px(22))
        self._mark()

    def have_titles(self, may: bool) -> None:
        """Show titles, or numbers only if these are wanted, or if there `may` be no titles for lack of room."""
        titled = may and not self._fold.isChecked()
        self._folds.setVisible(may)
        self._folds.setText("«" if titled else "»")
        said = "Numbers only (Ctrl+B)" if titled else "Numbers and titles (Ctrl+B)"
        self._folds.setToolTip(said)
        self._folds.setAccessibleName(f"List of stages: {said.partition(' (')[0].lower()}")
        if titled != self._titled:
            self._titled = titled
            self.rebuild()

    @property
    def titles_width(self) -> int:
        """The width that its longest title needs; 0: only numbers are shown."""
        px, fonts = self._bench.appearance.px, self._bench.appearance.fonts
        wide = QFontMetrics(fonts.bold.ui).horizontalAdvance  # bold, as for the present stage
        longest = max((wide(stage.title) for stage in self.stops), default=0)
        return (longest + px(INDENT + BESIDE)) * self._titled

    def rebuild(self) -> None:
        """Draw the map of the present graph, in a turn of its own."""
        self.stops = self._bench.selection.stops
        self._again.start()

    def _draw(self) -> None:
        self._again.stop()
        focus = QApplication.focusWidget()
        name = focus.accessibleName() if focus is not None and self._scroll.isAncestorOf(focus) else ""
        content = QWidget()
        self.buttons, self._headings, self._rows = [], [], []
        self.stops = self._bench.selection.stops
        layers = {stage.group for stage in self.stops if re.search(r"\d$", stage.group)}
        model = self._bench.document.state.model
        self._folding = layers if max(model.layers, model.decoder_layers) > OPEN_LAYERS else set()
        self._open, group = self._open_group(), ""
        left_out = self._left_out()
        for number, stage in enumerate(self.stops, 1):
            if stage.group != group:
                group = stage.group
                if left_out.get(group, group):
                    heading = self._heading(stage, left_out.get(group, ""))
                    self._rows.append((heading, HEADING if heading.text() or not self._headings else GAP))
                    self._headings.append(heading)
            if group in self._folding and group != self._open:
                continue  # made when its layer is opened, because the buttons of many layers take long
            button = StageButton(self._bench, number, stage)
            button.titled = self._titled
            button.clicked.connect(lambda _=False, name=stage.name: self._bench.selection.go_to(name))
            button.moved.connect(lambda by, at=number - 1: self._step(at + by))
            self._rows.append((button, 1))
            self.buttons.append(button)
        for row, _ in self._rows:
            row.setParent(content)
        self.tell_off()
        self._scroll.setWidget(content)
        self._mark()
        if name:  # give the focus back
            again = [one for one in (*self._headings, *self.buttons) if one.accessibleName() == name]
            there = again or [one for one in self.buttons if one.active]
            for one in there[:1]:
                one.setFocus(Qt.FocusReason.OtherFocusReason)

    def tell_off(self) -> None:
        """Say at each stage what of it is switched off."""
        view, self._pins = self._bench.view, self._bench.document.engine.pins
        for button in self.buttons:
            button.tell_off(what_is_off(view, button.stage) if self._pins else "")

    def follow(self) -> None:
        """Follow the pins of the document."""
        if self._bench.document.engine.pins is not self._pins:
            self.tell_off()

    def _left_out(self) -> dict[str, str]:
        """Of very many layers, those far from the present one: the heading for a run of them, at its first, else ""."""
        found: dict[str, str] = {}
        stacks: dict[str, list[str]] = {}
        for group in dict.fromkeys(stage.group for stage in self.stops if stage.group in self._folding):
            stacks.setdefault(group.rpartition(" ")[0], []).append(group)
        for stack, groups in stacks.items():
            if len(groups) < MANY_LAYERS:
                continue
            here = groups.index(self._open) if self._open in groups else 0
            near = {0, len(groups) - 1, *range(here - NEAR, here + NEAR + 1)}
            far = [k for k in range(len(groups)) if k not in near]
            far = [k for k in far if k - 1 in far or k + 1 in far]  # a single layer keeps its own heading
            for k in far:
                last = next((i for i in range(k, len(groups)) if i + 1 not in far), k)
                found[groups[k]] = "" if k - 1 in far else f"{stack} {k + 1} to {last + 1}"
        return found

    def _heading(self, first: Stage, several: str = "") -> Label | PushButton:
        """The heading of a group; a click on the heading of a foldable layer, or of several, opens the layer."""
        indent = self._bench.appearance.px(10)
        numbered = re.fullmatch(r"(\w).*?(\d+)", first.group)
        short = "⋯" if several else "".join(numbered.groups()) if numbered else ""
        words = (several or first.group) if self._titled else short
        if first.group not in self._folding:
            label = Label(words, "group", align=Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
            label.setContentsMargins(indent if self._titled else 2, 0, 0, 0)
            return label
        if self._titled:  # else it looked like the headings that do nothing
            words += "  ▾" if first.group == self._open else "  ▸"
        act, name = partial(self._bench.selection.go_to, first.name), several or first.group
        return mark(PushButton(words, act, f"Open {first.where}", name=name), role="group")

    def _step(self, at: int) -> None:
        if self._again.isActive():
            self._draw()
        if 0 <= at < len(self.stops):
            # First open the layer: a folded layer has no button that could get the focus.
            self._bench.selection.go_to(self.stops[at].name)
            button = next(button for button in self.buttons if button.stage == self.stops[at])
            button.setFocus(Qt.FocusReason.TabFocusReason)

    def _here(self) -> set[str]:
        """The names of the present stages: on the page of a block, those of all its stages."""
        stage = self._bench.selection.stage
        return {stage, *(one.name for one in stages_of(self._bench.document.engine.graph, stage))}

    def _open_group(self) -> str:
        here = self._here()
        return next((stage.group for stage in self.stops if stage.name in here), "")

    def _mark(self) -> None:
        here, group = self._here(), self._open_group()
        if group != self._open and {group, self._open} & self._folding:
            self._draw()
            return
        self._open = group
        for button in self.buttons:
            active = button.stage.name in here
            if active != button.active:
                button.active = active
                button.update()
        self._stand()
        first = next((button for button in self.buttons if button.active), None)
        if first is not None:
            self._scroll.ensureWidgetVisible(first, 0, 40)

    def _stand(self) -> None:
        """Let each row stand in its place."""
        if (content := self._scroll.widget()) is None:
            return
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        size, highs = Size(self._scroll.width(), self._scroll.height()), [high for _, high in self._rows]
        whole, rects = rows_of_stages(size, highs, self._bench.appearance.px, self._titled, bar)
        content.resize(*whole)
        for (row, _), rect in zip(self._rows, rects, strict=True):
            row.setGeometry(*rect)
