"""What every stage panel is: a page of matrices, drawn from the graph, that follows the document."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.node import Stage
from explorer.document.document import Change
from explorer.ui.later import do_later, later
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.stage_header import Heading, StageHeader
from explorer.ui.workbench import Workbench

SIGN = 48
"""Pixels at text scale 1 that the operator before a matrix takes."""
MOST = 16777215
"""Pixels; Qt's word for "as large as it likes"."""


class Panel(QScrollArea):
    """A stage on the screen. Subclasses say in `build` what stands on the page.

    Parameters
    ----------
    bench : Workbench
    stage : Stage
    heading : Heading
        What stands above it.
    """

    def __init__(self, bench: Workbench, stage: Stage, heading: Heading, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.stage = stage
        self._heading = heading
        self.boxes: list[MatrixBox] = []
        self.plots: list[Any] = []
        self._pending: Change | None = None
        self._settled = later(self, self._follow_room)
        self._shown_structure: tuple[object, ...] = ()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bench.selection.head_changed.connect(self._show_head)
        self._construct()

    # For subclasses

    def build(self) -> None:
        """Put the stage's matrices and pictures on the page."""
        raise NotImplementedError(type(self).__name__)

    @property
    def block(self) -> str:
        """The path before the nodes' short names, with its dot: "encoder.1.self." or nothing."""
        nodes = self.bench.document.engine.graph.nodes.values()
        first = next(node.name for node in nodes if node.stage == self.stage.name)
        path = first.rpartition(".")[0]
        return f"{path}." if path else ""

    def of_head(self, short: str, head: int | None = None) -> str:
        """The name of a node of this block, or of the looked-at head's slice of it."""
        name = self.block + short
        graph = self.bench.document.engine.graph
        heads = graph.n_heads(name) if name in graph.nodes else None
        if not heads:
            return name
        head = min(self.bench.selection.head, heads - 1) if head is None else head
        return f"{self.block}head.{head + 1}.{short}"

    def has(self, short: str) -> bool:
        """Whether the block has such a node now."""
        return self.block + short in self.bench.document.engine.graph.nodes

    def box(self, name: str, title: str = "") -> MatrixBox:
        """A matrix for this page."""
        box = MatrixBox(self.bench, name, title)
        self.boxes.append(box)
        return box

    def section(self, text: str) -> None:
        """A heading on the page."""
        label = mark(QLabel(text), role="heading")
        assert isinstance(label, QLabel)
        label.setWordWrap(True)
        self.page.addWidget(label)

    def row(self, items: Iterable[tuple[str, QWidget]]) -> None:
        """Widgets side by side, each behind its operator sign, on as many lines as it takes."""
        holder = QWidget()
        flow = FlowLayout(holder, horizontal=self.bench.appearance.px(14), vertical=self.bench.appearance.px(14))
        for sign, widget in items:
            item = _Signed(sign, widget, self.bench.appearance.px(8)) if sign else widget
            flow.addWidget(item)
            if widget.property("at_top"):
                flow.setAlignment(item, Qt.AlignmentFlag.AlignTop)
            elif isinstance(widget, MatrixBox):
                flow.setAlignment(item, Qt.AlignmentFlag.AlignBaseline)
        self.page.addWidget(holder)

    def titled(self, title: str, *widgets: QWidget) -> QWidget:
        """Widgets below each other under a small heading: a picture and what belongs to it."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.bench.appearance.px(6))
        column.addWidget(mark(QLabel(title), role="section"))
        for widget in widgets:
            column.addWidget(widget)
        column.addStretch()
        holder.setProperty("at_top", True)
        return holder

    def follows(self, *pictures: Any) -> None:
        """Keep pictures up to date that are there already: whatever has `reads`, `refresh` and `restyle`."""
        self.plots += pictures

    def later(self, *places: "Later") -> None:
        """Make pictures after the first paint: importing pyqtgraph takes longer than showing the page."""
        for place in places:
            do_later(place, partial(self._fill, place))

    def _fill(self, place: "Later") -> None:
        # Between the page and its pictures a quick hand may have made another graph: then the page is made anew.
        if self.fits:
            self.plots.append(place.fill())
        else:
            self._shown_structure = ()

    # Following

    def structure(self) -> tuple[object, ...]:
        """What the page's make-up depends on; when it changes the page is built anew."""
        graph = self.bench.document.engine.graph
        nodes = [node for node in graph.nodes.values() if node.stage == self.stage.name]
        model = self.bench.document.state.model
        # Another kind of model has other switches, where its nodes have the same names.
        return model.kind, model.layers, *((node.name, node.parents, graph.n_heads(node.name)) for node in nodes)

    @property
    def fits(self) -> bool:
        """Whether the page is one of the present graph: hidden, or before it has been told, it may be of another."""
        return self.stage in self.bench.selection.stops and self.structure() == self._shown_structure

    def redraw(self, *pictures: Any) -> None:
        """Draw pictures anew because something other than the model has changed: a choice on the page, or the token."""
        if self.fits:
            for picture in pictures:
                picture.refresh()

    def follow(self, change: Change) -> None:
        """Show a change, now or as soon as the panel is visible."""
        self._pending = change if self._pending is None else self._pending.followed_by(change)
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self._shown_structure:  # Qt sends one while the page is made
            self._follow_room()

    def _follow_room(self) -> None:
        """Share the room there is; a page of another graph than the present one is built anew when it is shown."""
        if self.fits:
            self._share_room()
        else:
            self._shown_structure = ()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What stands on the page has another size.
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._settled.start()
        return bool(super().eventFilter(watched, event))

    def _share_room(self) -> None:
        """Let matrices be as wide as what is in sight; where something is wider, words and switches stay in sight."""
        room = self.viewport().width() - self.bench.appearance.px(24 + 16)
        for box in self.boxes:
            box.view.give_room(room - self.bench.appearance.px(SIGN))
        items = (self.page.itemAt(i) for i in range(self.page.count()))
        parts = [item.widget() for item in items if item is not None]
        words = [part for part in parts if isinstance(part, (QLabel, StageHeader))]
        others = [part.minimumSizeHint().width() for part in parts if part is not None and part not in words]
        beyond = max([room, *others]) - room
        for part in words:
            margins = part.contentsMargins()
            if margins.right() != beyond:
                margins.setRight(beyond)
                part.setContentsMargins(margins)
        self.header.fit(room)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        if not self.fits:
            self._shown_structure = ()  # hidden: it is built anew when it is shown
            return
        for widget in (*self.boxes, *self.plots):
            widget.restyle()

    def _refresh(self) -> None:
        change, self._pending = self._pending, None
        if change is None:
            return
        if self.structure() != self._shown_structure:
            self._construct()
            return
        self.header.refresh()
        for box in self.boxes:
            box.follow(change)
        for plot in self.plots:
            if change.structure or not plot.reads().isdisjoint(change.changed):
                plot.refresh()

    def _construct(self) -> None:
        self.boxes, self.plots = [], []
        focused = self._focused()
        content = QWidget()
        self.page = QVBoxLayout(content)
        px = self.bench.appearance.px
        self.page.setContentsMargins(px(24), px(16), px(16), px(20))
        self.page.setSpacing(px(12))
        more = self._more_switches()
        self.header = StageHeader(self.bench, self.stage, self._heading)
        if self.header.switches is not None:
            self.header.switches.more.setChecked(more)
        self.page.addWidget(self.header)
        self._shown_structure = self.structure()
        self.build()
        self.page.addStretch()
        self.setWidget(content)
        if self.isVisible():
            self._share_room()
        if focused:
            again = next((w for w in content.findChildren(QWidget) if w.accessibleName() == focused), None)
            if again is not None:
                again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focused(self) -> str:
        """The name of the control on this page that has the keys: a switch that makes the page anew keeps them."""
        widget = QApplication.focusWidget()
        return widget.accessibleName() if widget is not None and self.isAncestorOf(widget) else ""

    def _more_switches(self) -> bool:
        """Whether the reader has asked for all switches."""
        switches = self.header.switches if self._shown_structure else None
        return switches is not None and switches.more.isChecked()

    def _show_head(self) -> None:
        """Turn the boxes to the head that is looked at."""
        if not self.fits:
            return  # hidden, and built anew, at this head, when it is shown
        for box in self.boxes:
            place = box.view.matrix.place
            if place.head is not None and box.property("fixed_head") is None:
                box.show_node(self.of_head(place.node.rpartition(".")[2]))
        for plot in self.plots:
            if hasattr(plot, "show_head"):
                plot.show_head(self.of_head)


class _Signed(QWidget):
    """A widget behind its operator sign."""

    def __init__(self, sign: str, widget: QWidget, spacing: int) -> None:
        super().__init__()
        self._widget = widget
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(spacing)
        layout.addWidget(mark(QLabel(sign), role="operator"), 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def baseline(self) -> int:
        """Where the first row of the matrix is."""
        return self._widget.baseline() if isinstance(self._widget, MatrixBox) else 0


class Later(QWidget):
    """The place of a picture that is made after the first paint.

    Parameters
    ----------
    make : callable
        Makes the picture.
    width, height : int
        Pixels.
    """

    def __init__(self, make: Any, width: int, height: int) -> None:
        super().__init__()
        self._make = make
        self.setFixedSize(width, height)
        QVBoxLayout(self).setContentsMargins(0, 0, 0, 0)

    def fill(self) -> QWidget:
        """Put the picture in its place."""
        picture: QWidget = self._make()
        layout = self.layout()
        assert layout is not None
        layout.addWidget(picture)
        if picture.minimumHeight() != picture.maximumHeight():
            picture.setFixedHeight(self.height())
        # From now on the picture says how high it is, and perhaps how wide: more words make it larger.
        wide = picture.minimumWidth() == picture.maximumWidth()
        self.setMinimumSize(0 if wide else self.width(), 0)
        self.setMaximumSize(MOST if wide else self.width(), MOST)
        return picture
