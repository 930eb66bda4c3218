"""Ctrl+K: finds stages, matrices, words, technical terms, examples and actions by name, and goes there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell, cell_of, stage_of, written_cell
from explorer.core.model import SEQUENCES
from explorer.core.stored import cell_of_tensor
from explorer.lessons.glossary import glossary
from explorer.lessons.loader import model_titles, titles
from explorer.pages.gestures import ForGlossary
from explorer.pages.levels import block_around
from explorer.pages.matrix import matrix
from explorer.ui.actions import ALSO
from explorer.ui.matrix.menu import ways
from explorer.ui.page.gestures import perform
from explorer.ui.theme import qcolor
from explorer.ui.widgets.names import NamedItems
from explorer.ui.window.division import Window, palette_in
from explorer.ui.window.top_bar import IN_BAR

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

MOST_ROWS = 200
"""The most rows that are listed; typing more letters finds the others."""
ALIKE, LEAST_ALIKE = 0.75, 4
"""How alike two words are that may be one with a slip, from 0 to 1; and the least letters of such a word."""
_PARTED = str.maketrans(".-", "  ")
"""A word also begins after these, so that "attention" finds "Self-attention" before a lesson about attention."""
_TO_THE_LIST = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Entry(NamedTuple):
    """A place to go to, or an act."""

    words: str  # the first column, which is searched first
    about: str  # the second column: the kind of entry, or its place; searched as well
    act: Callable[[], object]
    also: tuple[str, ...] = ()  # other names, shown only if one of them was typed

    def shown(self, text: str) -> str:
        """The first column: the name, and the first other name that has what was typed, if the name has it not."""
        missing = [word for word in _typed(text) if word not in _parted(self.words)]
        return ", ".join((self.words, *[one for one in self.also if any(word in _parted(one) for word in missing)][:1]))


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
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.list.setAccessibleName("What fits")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys stay in the field
        down = QVBoxLayout(self)
        down.addWidget(self.field)
        down.addWidget(self.list)
        self._entries = list(self._all())
        self._found: Sequence[Entry] = ()
        self._above = 0
        """How many rows stand above the entries: that nothing was found."""
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._choose)
        self.list.ensurePolished()  # its rows have no height before
        self._search("")

    def open_over(self) -> None:
        """Show the palette at the top of the window, horizontally centred."""
        self._stand()
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    # The entries

    def _all(self) -> Iterator[Entry]:
        """All entries, in the order in which they are listed before anything is typed."""
        bench = self._bench
        for tab in IN_BAR:  # the others have an action
            yield Entry(tab, "Tab", partial(self._show_tab, tab))
        stops = bench.selection.stops
        named = Counter((stage.group, stage.title) for stage in stops)
        for stage in stops:
            # In a decoder layer with two attentions "Heads & concat" stands twice.
            block = block_around(bench.view, stage) if named[stage.group, stage.title] > 1 else None
            where = block.where.removesuffix(" block") if block else stage.group
            yield Entry(stage.title, f"Stage · {where}", partial(self._go, stage.name))
        for action in self._window.actions():
            if action.isEnabled() and action.text():
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                also = tuple(filter(None, str(action.property(ALSO) or "").split(", ")))
                yield Entry(action.text(), f"Action {keys}".strip(), action.trigger, also)
        graph, cell = bench.document.engine.graph, bench.selection.cell
        if cell is not None:
            shown = matrix(bench.view, bench.view.of_head(cell.node, (*cell.index, None)[0]))
            for words, act in ways(shown, self._window, self._window.bench):
                yield Entry(words, f"Matrix {shown.name}", act)
        for sequence in SEQUENCES.get(bench.document.state.model.kind, ()):
            for place, word in enumerate(bench.view.labels(sequence)):
                token = sequence, place
                yield Entry(word, f"Word {place + 1} of {sequence}", partial(bench.selection.choose_token, token))
        for id, title in (titles() | model_titles()).items():
            yield Entry(title, "Example", partial(self._files.open_lesson, id))
        stages, model = {stage.name: stage for stage in graph.stages}, bench.document.state.model
        called: dict[str, list[str]] = {}
        for hook, name in graph.hooks.items() if model.called else ():
            called.setdefault(name, []).append(hook)
        for node in graph.nodes.values():
            stage, in_file = stages[node.stage], model.in_file(node.name) if node.is_input else ""
            also = (in_file,) if in_file else tuple(called.get(node.name, ()))
            yield Entry(node.name, f"Matrix · {stage.where}", partial(self._point, node.name), also)
        for term in glossary().terms:
            explain = partial(perform, bench, ForGlossary("define", term.name), self._window)
            yield Entry(term.name, "Term", explain, (*term.also, *term.labels))

    def _go(self, stage: str) -> None:
        self._show_tab("Pipeline")
        self._bench.selection.go_to(stage)

    def _point(self, name: str) -> None:
        """Show a node's stage, and point at its first cell."""
        graph, view = self._bench.document.engine.graph, self._bench.view
        shown = graph.place(view.of_head(name))
        self._point_at(Cell(name, (*shown.index, *(0,) * (len(graph.shape(name)) - len(shown.index)))))

    def _point_at(self, cell: Cell) -> None:
        """Show the stage of a cell, with the head that has it, and point at it."""
        bench, graph = self._bench, self._bench.document.engine.graph
        named = bench.view.of_head(cell.node, (*cell.index, None)[0])
        if (heads := graph.n_heads.get(cell.node)) and named != bench.view.of_head(cell.node):
            # The first head of queries that uses it, where several share one head of keys.
            shared = len(graph.axes.get(f"{cell.node.rpartition('.')[0]}.heads", ())) // heads
            bench.selection.set_head(cell.index[0] * max(shared, 1))
        self._go(graph.nodes[cell.node].stage)
        bench.bridge.flush()
        bench.selection.choose(cell, "arrow")
        self._window.area.bring_into_sight(named, cell.index)

    def _cell(self, text: str) -> Iterator[Entry]:
        """The cell, or a head's slice, that was typed whole, also by its name in the file of a checkpoint."""
        state = self._bench.document.state
        graph, typed = state.graph, written_cell(text)
        name, at = typed or ("", ())
        found, place = None, graph.find(name)
        with suppress(ExplorerError):
            found = cell_of_tensor(state.model, graph, name, at)
        if place is not None and (at or place.index):
            shape = graph.shape(place.node)[len(place.index) :]
            at = at or (0,) * len(shape)
            if len(at) == len(shape) and all(i < n for i, n in zip(at, shape, strict=True)):
                found = place.node, place.index + at
        if found is not None:
            stage = stage_of(graph, graph.nodes[found[0]])
            yield Entry(cell_of(graph, *found), f"Cell · {stage}", partial(self._point_at, Cell(*found)))

    # The search

    def _search(self, text: str) -> None:
        self._found = [*self._cell(text), *found(self._entries, text)][:MOST_ROWS]
        muted, self._above = qcolor(self._bench.appearance.theme.muted), 0
        self.list.clear()
        if not self._found:
            self._found = alike(self._entries, text)[:MOST_ROWS]
            but = ". Similar names:" if self._found else "."
            nothing = QTreeWidgetItem(self.list, [f"Nothing here has “{text}” in its name{but}"])
            nothing.setDisabled(True)
            nothing.setForeground(0, muted)
            self._above = 1
        rows = [QTreeWidgetItem([entry.shown(text), entry.about]) for entry in self._found]
        for row in rows:
            row.setForeground(1, muted)
        self.list.addTopLevelItems(rows)
        self.list.setCurrentIndex(self.list.model().index(self._above, 0))
        self._stand()

    def _stand(self) -> None:
        """Stand over the window, as high as the found entries."""
        look, window = self._bench.appearance, self._window
        around = self.sizeHint().height() - self.list.sizeHint().height() + 2 * self.list.frameWidth() + look.px(6)
        rows = self.list.topLevelItemCount() * max(self.list.sizeHintForRow(0), 1)
        wide = QFontMetrics(look.fonts.ui).horizontalAdvance
        about = max((wide(entry.about) for entry in self._found), default=0) + look.px(24)
        room = Window(window.width(), window.height(), look.scale)
        rect, column = palette_in(room, around, rows, about)
        self.setGeometry(QRect(*rect).translated(window.mapToGlobal(QPoint())))
        self.list.setColumnWidth(1, column)

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
        row = self.list.currentIndex().row() - self._above
        if 0 <= row < len(self._found):
            act = self._found[row].act
            self.close()  # before the act, which may open a dialog
            act()


@lru_cache(maxsize=8192)  # each key that is typed asks for those of all entries
def _parted(text: str) -> str:
    """A text in small letters, with a blank before each of its words."""
    return f" {text}".casefold().translate(_PARTED)


def _typed(text: str) -> list[str]:
    """The typed words; links are written like "Source: Positions"."""
    return [word.translate(_PARTED) for word in text.casefold().replace(": ", " ").split()]


def found(entries: Sequence[Entry], text: str) -> list[Entry]:
    """The entries with all typed words; first those whose names have words that begin so, then those with any."""
    typed = _typed(text)

    def begins(text: str) -> bool:
        return all(f" {word}" in text for word in typed)

    ranked = []
    for entry in entries:
        names = ", ".join((entry.words, *entry.also))
        own, whole = _parted(names), _parted(f"{names} {entry.about}")
        if all(word in whole for word in typed):
            ranked.append((not begins(own), not begins(whole), entry))
    ranked.sort(key=lambda one: one[:2])
    return [entry for *_, entry in ranked]


def alike(entries: Sequence[Entry], text: str) -> list[Entry]:
    """The entries with words that are written like the typed ones, such as "softmax" for "softmx"."""
    from difflib import get_close_matches  # here, because most people type what there is

    known = {word for entry in entries for name in (entry.words, *entry.also) for word in _parted(name).split()}
    words = [get_close_matches(word, known, 1, ALIKE) if len(word) >= LEAST_ALIKE else [word] for word in _typed(text)]
    return found(entries, " ".join(word for found_ in words for word in found_)) if words and all(words) else []
