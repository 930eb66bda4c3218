"""The same stage of another example or setting beside that of the open one, with the difference of both."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QSizePolicy, QWidget
from shiboken6 import isValid

from explorer.checkpoints import is_checkpoint
from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.core.vocabulary import Vocabulary, tokens_of, typed
from explorer.document.commands import SetTokens
from explorer.document.continuation import as_read, room_of
from explorer.document.document import Change, Document
from explorer.document.state import State
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import ready, titles
from explorer.lessons.schema import Lesson
from explorer.ui.background import Background
from explorer.ui.errors import show_error
from explorer.ui.files import Files, model_of
from explorer.ui.page.area import StageArea
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge, later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.window.notice import Computing
from explorer.ui.window.top_bar import Foldable
from explorer.ui.workbench import Workbench

BEGIN, END = 18, 4
"""Pixels at the left and right of the bar: they do not grow with the letters, which need the room."""
GAP, LEAST_LIST = 8, 110
"""Pixels at text scale 1 between neighbours in the bar; the least width of a list, where there is room."""


class Comparison(QFrame):
    """A second document at the same stage. A cell that is pointed at in one document is pointed at in the other, too.

    `bench`, `files`: those of the window, because the other document may come from a file.
    """

    closed = Signal()  # the button that ends the comparison was pressed
    bar_height = Signal(int)  # the height of the bar above the page, in pixels

    def __init__(self, bench: Workbench, files: Files) -> None:
        super().__init__()
        self.setObjectName("page")
        self._first, self._files = bench, files
        lesson, setting = self._suggestion()
        background, first = Background(self), bench.document
        document = Document(first.state, background, first.engine)
        bridge, selection = Bridge(document, self), Selection(document, self)
        self.bench = Workbench(document, bridge, selection, bench.appearance, lesson, first, background)
        computing = Computing(background)
        computing.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.bench.open(lesson, setting)
        self.area = StageArea(self.bench, waits=True)
        self._along = later(self, lambda: self.go_to(self._first.selection.stage))
        self._lessons = QComboBox()
        self._lessons.setAccessibleName("Example to compare with")
        self._lessons.setToolTip("Example to compare with")
        self._settings = QComboBox()
        self._settings.setAccessibleName("Setting to compare with")
        self._settings.setToolTip("Setting to compare with")
        self._settings.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._known = {lesson.id: lesson}
        for id, title in ({lesson.id: lesson.title} | titles()).items():
            self._lessons.addItem(title, id)
        self._lessons.addItem("A file, or a model of others …", "")
        self._list_settings()
        self._lessons.activated.connect(lambda: self._open(None) if self._lessons.currentData() else self._open_file())
        self._settings.activated.connect(lambda: self._open(self._settings.currentData()))
        self._showing = Foldable(["Values", "Difference"], "Show here:", "What to show here", len("Difference") - 2)
        self._showing.choose(0)
        self._showing.asked.connect(self._show)
        self.bench.selection.showing_changed.connect(self._say)
        self._note = Label(role="small")
        self._close = PushButton("✕", self.closed.emit, "End the comparison (Ctrl+E)", look="link", keys=True)
        self._bar, px = QWidget(), bench.appearance.px
        self._row = QHBoxLayout(self._bar)
        self._row.setContentsMargins(BEGIN, px(8), END, 0)
        self._row.setSpacing(px(4))
        self._flow = FlowLayout(horizontal=px(GAP), vertical=px(4))
        self._row.addLayout(self._flow, 1)
        self._row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._choices = self._lessons, self._settings, self._showing, self._note, computing
        for widget in self._choices:
            self._flow.addWidget(widget)
        self._is_narrow = False
        self._bar.installEventFilter(self)
        layout = column_in(self, self._bar, spacing=0)
        layout.addWidget(self.area, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self._connect()
        self.go_to(bench.selection.stage)
        self._read_along()

    def _suggestion(self) -> tuple[Lesson, str]:
        """The lesson and setting to begin with: the first other setting of the open example."""
        lesson, now = self._first.lesson, self._first.document.state.setting
        others = [name for name in lesson.settings if name != now]
        return lesson, (others or list(lesson.settings))[0]

    def _connect(self) -> None:
        here, there = self.bench.selection, self._first.selection
        self.bench.bridge.changed.connect(self.follow)
        self.bench.background.failed.connect(self._say_failed)
        here.set_head(None if there.averaged else there.head)
        here.pointed.connect(self._point_there)
        self._of_first = (
            (self._first.bridge.changed, self._follow_first),
            (there.stage_changed, self._go_along),
            (there.head_changed, here.set_head),
            (there.pointed, self._point_here),
            (there.looked, self._cover),
        )
        for signal, act in self._of_first:
            signal.connect(act)
        self._cover()

    def _cover(self) -> None:
        """Cover what a question covers in the first document: another setting of the same example would show it."""
        covered = self._first.selection.looking.covered
        here, there = (one.example or one.id for one in (self.bench.lesson, self._first.lesson))
        same = here == there  # also in another lesson on the same example
        self.bench.selection.speak_of(None, covered.inside(self.bench.document.engine.values) if same else None)

    def _show(self, place: int) -> None:
        self._showing.choose(place)
        self.bench.selection.show(("values", "difference")[place])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep all of the bar in sight: where it is narrow, its first line ends with the button that closes it."""
        super().resizeEvent(event)
        px, room = self.bench.appearance.px, self.width() - BEGIN - END
        beside = max(room - self._close.sizeHint().width() - px(GAP), 0)
        narrow = beside < self._showing.sizes.buttons.width
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._showing.fold(narrow)
            while self._flow.count():
                self._flow.takeAt(0)
            self._row.removeWidget(self._close)
            first, *others = self._choices
            for widget in (first, self._close, *others) if narrow else self._choices:
                self._flow.addWidget(widget)
            if not narrow:
                self._row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._lessons.setMinimumWidth(min(px(LEAST_LIST), beside))  # a long title is cut
        self._lessons.setMaximumWidth(beside)
        self._settings.setMinimumWidth(min(px(LEAST_LIST), max(room, 0)))

    def _point_here(self, cell: Cell | None) -> None:
        here = self.bench.selection
        if cell is not None:
            here.point(cell)  # each selection points in the other; this ends at a cell that is already pointed at
        elif here.cell is not None:  # the cell was released in the first document
            here.forget()

    def _point_there(self, cell: Cell | None) -> None:
        if cell is not None:
            self._first.selection.point(cell)

    def _go_along(self, _: str) -> None:
        """Follow the first document to a stage in a later turn: its own page is shown first."""
        self._along.start()

    def go_to(self, stage: str) -> None:
        """Show the same stage, if this model has it."""
        same = stage in [stop.name for stop in self.bench.selection.places]
        if same or not self.bench.selection.stage:
            self.bench.selection.go_to(stage if same else self.bench.selection.places[0].name)
        self._say()

    def _say(self) -> None:
        """Show a sentence if the stage or a matrix cannot be compared."""
        here, stage, text = self.bench.selection, self._first.selection.stage, ""
        own, others = self.bench.document.engine, self._first.document.engine.values
        if here.stage != stage:
            text = "This model has no such stage."
        elif here.showing == "difference":
            nodes = [node.name for node in own.graph.nodes.values() if node.stage == stage]
            if any(n not in others or others[n].shape != own.values[n].shape for n in nodes):
                text = "–: the other model has no matrix of this shape."
        self._note.setText(text)
        self._note.setVisible(bool(text))  # empty, it would take a line

    def _open(self, setting: str | None) -> None:
        id = self._lessons.currentData()
        try:
            lesson = self._known[id] if id in self._known else self._known.setdefault(id, ready(id))
        except ExplorerError as error:  # its model has to be downloaded first
            self._list_settings()
            show_error(error, self._lessons)
            return
        self.bench.open(lesson, setting)
        self.bench.bridge.flush()
        self._read_along()

    def _open_file(self) -> None:
        path = self._files.dialogs.to_open(self._first.folder)
        try:
            if path is not None and is_checkpoint(path := model_of(path)):
                self._files.read_model(path, partial(self._take, path))
            elif path is not None:
                self._take(path, opened(path))
        except ExplorerError as error:
            show_error(error, self._lessons)
        self._list_settings()

    def _take(self, path: Path, found: tuple[Lesson, State]) -> None:
        """Show what was read from a file, or from the folder of a model."""
        if not isValid(self):
            return  # the comparison has ended meanwhile
        lesson, state = found
        if lesson.id not in self._known:
            self._known[lesson.id] = lesson
            self._lessons.insertItem(self._lessons.count() - 1, path.name, lesson.id)
        self.bench.open_state(lesson, state)
        self.bench.bridge.flush()
        self._list_settings()
        self._read_along()

    def _say_failed(self, error: ExplorerError) -> None:
        self._list_settings()
        show_error(error, self._lessons)

    def _list_settings(self) -> None:
        lesson, now = self.bench.lesson, self.bench.document.state.setting
        self._listed = lesson, now
        self._settings.clear()
        for name, setting in lesson.settings.items():
            self._settings.addItem(setting.title, name)
        self._settings.setCurrentIndex(self._settings.findData(now))
        self._lessons.setCurrentIndex(self._lessons.findData(lesson.id))

    def follow(self, change: Change) -> None:
        """Show a change of the document here."""
        self._cover()
        self.area.follow(change)
        self.bench.selection.refresh()
        if self._listed != (self.bench.lesson, self.bench.document.state.setting):
            self._list_settings()
            self.go_to(self._first.selection.stage)
        self._say()

    def _read_along(self) -> None:
        """Let a model that others trained read the sentence of the first document, in pieces of its own.

        The sentence of an example belongs to its setting, and stays.
        """
        if self.bench.lesson.folder is None:
            return
        first, state = self._first.document.state, self.bench.document.wanted
        (theirs, *_), (own, *_) = first.graph.sequences or ("",), state.graph.sequences or ("",)
        if not theirs or not own or not isinstance(known := state.graph.vocabulary(own), Vocabulary):
            return
        text = typed(first.graph.labels(theirs, first.inputs), first.graph.vocabulary(theirs))
        words = as_read(state, own, tokens_of(known.with_own_mask(text), known))[: room_of(state.model, own) or None]
        if words and tuple(words) != self.bench.document.words(own):
            try:
                self.bench.document.do(SetTokens(own, tuple(words)))
            except ExplorerError as error:
                show_error(error, self._lessons)

    def _follow_first(self, change: Change) -> None:
        tokens = {f"{sequence}.tokens" for sequence in self._first.document.state.graph.sequences}
        if change.structure or not tokens.isdisjoint(change.changed):
            self._read_along()
        if self.bench.selection.showing == "difference":
            self.area.follow(change)
            self._say()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # So that the page beside this one begins at the same height.
        if event.type() == QEvent.Type.Resize and watched is self._bar:
            self.bar_height.emit(self._bar.height())
        return bool(super().eventFilter(watched, event))

    def event(self, event: QEvent) -> bool:
        """With the focus here, let the keys of undo and redo act on this document, not on the window's."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._meant(event):
            event.accept()
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        act = self._meant(event)
        if act is None:
            super().keyPressEvent(event)
        else:
            act()

    def _meant(self, event: QKeyEvent) -> Callable[[], object] | None:
        """The method for undo or redo, if a key means one of them."""
        keys = QKeySequence(event.keyCombination())
        if event.matches(QKeySequence.StandardKey.Undo):
            return self.bench.document.undo
        return self.bench.document.redo if keys in (QKeySequence("Ctrl+Y"), QKeySequence("Ctrl+Shift+Z")) else None

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.bench.bridge.goes_before(self.window())

    def close_down(self) -> None:
        """Disconnect from both documents."""
        self.area.close_down()
        self.bench.bridge.close()
        self.bench.document.close()
        for signal, act in self._of_first:
            signal.disconnect(act)
