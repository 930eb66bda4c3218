"""Ctrl+K: type some letters of a stage, a matrix, a word, a technical term, an example or an action, and go there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from explorer.core.model import SEQUENCES
from explorer.lessons.glossary import glossary
from explorer.lessons.loader import load, model_titles, titles
from explorer.pages.gestures import ForGlossary
from explorer.pages.matrix import matrix
from explorer.pages.view import Cell
from explorer.ui.matrix.menu import ways
from explorer.ui.page.gestures import perform
from explorer.ui.theme import qcolor
from explorer.ui.widgets.names import NamedItems
from explorer.ui.window.top_bar import TABS

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

MOST = 200
"""The most rows that are listed; typing more letters finds the others."""
WIDTH, HEIGHT, TOP = 560, 420, 56
_PARTED = str.maketrans(".-", "  ")
"""A word also begins after these, so that "attention" finds "Self-attention" before a lesson about attention."""
_TO_THE_LIST = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Entry(NamedTuple):
    """A place to go to, or an act."""

    words: str  # the first column, which is searched first
    about: str  # the second column: the kind of entry, or its place; searched as well
    act: Callable[[], object]


class CommandPalette(QDialog):
    """A field to type into, and below it the entries that match."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self._bench, self._files, self._show_tab, self._window = window.bench, window.files, window.show_tab, window
        self.setObjectName("commandPalette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Go to")
        self.field = QLineEdit()
        self.field.setPlaceholderText("A stage, a matrix, a word, a term, an example, or a command")
        self.field.setAccessibleName("Where to go, or what to do")
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setItemDelegate(NamedItems(self.list))
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setAccessibleName("What fits")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys stay in the field
        down = QVBoxLayout(self)
        down.addWidget(self.field)
        down.addWidget(self.list)
        self._entries = list(self._all())
        self._found: Sequence[Entry] = ()
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._choose)
        self.list.ensurePolished()  # its rows have no height before
        self._search("")

    def open_over(self) -> None:
        """Show the palette at the top of the window, horizontally centred."""
        px, window = self._bench.appearance.px, self._window
        self._fit()
        self.move(window.mapToGlobal(QPoint((window.width() - self.width()) // 2, px(TOP))))
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    # The entries

    def _all(self) -> Iterator[Entry]:
        """All entries, in the order in which they are listed before anything is typed."""
        bench = self._bench
        for tab in TABS:
            yield Entry(tab, "Tab", partial(self._show_tab, tab))
        for stage in bench.selection.stops:
            yield Entry(stage.title, f"Stage · {stage.group}", partial(self._go, stage.name))
        for action in self._window.actions():
            if action.isEnabled() and action.text():
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                yield Entry(action.text(), f"Action {keys}".strip(), action.trigger)
        graph, cell = bench.document.engine.graph, bench.selection.cell
        if cell is not None:
            shown = matrix(bench.view, bench.view.of_head(cell.node, (*cell.index, None)[0]))
            for words, act in ways(shown, self._window):
                yield Entry(words, f"Matrix {shown.name}", act)
        for sequence in SEQUENCES.get(bench.document.state.model.kind, ()):
            for place, word in enumerate(bench.view.labels(sequence)):
                token = sequence, place
                yield Entry(word, f"Word {place + 1} of {sequence}", partial(bench.selection.choose_token, token))
        for id, title in (titles() | model_titles()).items():
            yield Entry(title, "Example", partial(self._open, id))
        stages = {stage.name: stage for stage in graph.stages}
        for node in graph.nodes.values():
            stage = stages[node.stage]
            yield Entry(node.name, f"Matrix · {stage.where}", partial(self._point, node.name))
        for term in glossary().terms:
            names = ", ".join((term.name, *term.also))
            yield Entry(names, "Term", partial(perform, bench, ForGlossary("define", term.name), self._window))

    def _go(self, stage: str) -> None:
        self._show_tab("Pipeline")
        self._bench.selection.go_to(stage)

    def _point(self, name: str) -> None:
        """Show a node's stage, and point at its first cell."""
        graph, view = self._bench.document.engine.graph, self._bench.view
        self._go(graph.nodes[name].stage)
        self._bench.bridge.flush()
        shown = graph.place(view.of_head(name))
        cell = *shown.index, *(0,) * (len(graph.shape(name)) - len(shown.index))
        self._bench.selection.choose(Cell(name, cell), "arrow")
        self._window.area.bring_into_sight(view.of_head(name), keys=True)

    def _open(self, id: str) -> None:
        self._files.open_lesson(load(id))

    # The search

    def _search(self, text: str) -> None:
        self._found = found(self._entries, text)[:MOST]
        muted = qcolor(self._bench.appearance.theme.muted)
        self.list.clear()
        for entry in self._found:
            row = QTreeWidgetItem(self.list, [entry.words, entry.about])
            row.setForeground(1, muted)
        if not self._found:
            nothing = QTreeWidgetItem(self.list, [f"Nothing here has “{text}” in its name."])
            nothing.setDisabled(True)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self._fit()

    def _fit(self) -> None:
        """Take the height of the found entries, as far as the window has room."""
        px, window = self._bench.appearance.px, self._window
        around = self.sizeHint().height() - self.list.sizeHint().height() + 2 * self.list.frameWidth() + px(6)
        rows = self.list.topLevelItemCount() * max(self.list.sizeHintForRow(0), 1)
        most = min(px(HEIGHT), window.height() - px(TOP) - 24)
        self.resize(min(px(WIDTH), window.width() - 40), min(around + rows, most))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in _TO_THE_LIST:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
        return False

    def _choose(self) -> None:
        row = self.list.currentIndex().row()
        if 0 <= row < len(self._found):
            act = self._found[row].act
            self.close()  # before the act, which may open a dialog
            act()


def found(entries: Sequence[Entry], text: str) -> list[Entry]:
    """The entries with all typed words; first those whose `words` have words that begin so, then those with any."""
    words = text.casefold().replace(": ", " ").split()  # links are written like "Source: Positions"
    typed = [word.translate(_PARTED) for word in words]

    def begins(text: str) -> bool:
        return all(f" {word}" in text for word in typed)

    ranked = []
    for entry in entries:
        own, whole = (
            f" {text}".casefold().translate(_PARTED) for text in (entry.words, f"{entry.words} {entry.about}")
        )
        if all(word in whole for word in typed):
            ranked.append((not begins(own), not begins(whole), entry))
    ranked.sort(key=lambda one: one[:2])
    return [entry for *_, entry in ranked]
