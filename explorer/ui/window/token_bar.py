"""The token bar: the words of each sequence, which the user can type, add, remove and move."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from explorer.core.graph import Graph
from explorer.document.continuation import nearest_words
from explorer.document.document import Change
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.area import StageArea
from explorer.ui.turns import do_later
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.layouts import FlowLayout
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.window.token_strip import TokenStrip
from explorer.ui.workbench import Workbench

MOST_NAMED = 3
APART = 30
"""The most pixels beside a sequence: large letters need the room."""


class TokenBar(QFrame):
    """The sequences of the model, side by side if there is room. It stores no words, but reads them from the graph.

    Models that read no words have no bar, because the rows of their tables are cases.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("tokenBar")
        self._bench = bench
        self._strips: dict[str, TokenStrip] = {}
        self._new: tuple[str, tuple[str, ...]] = ("", ())
        self._new_to = ""
        """The example to whose vocabulary these words are new."""
        layout = QHBoxLayout(self)
        holder = QWidget()
        self._flow = FlowLayout(holder)
        layout.addWidget(holder, 1)
        self._row = PushButton("", self._go_to_row, parent=self, look="link", keys=True)
        self._row.hide()
        bench.selection.token_changed.connect(self._light)
        bench.selection.token_chosen.connect(self._reveal)
        self._space()
        self.rebuild()

    def _space(self) -> None:
        px, layout = self._bench.appearance.px, self.layout()
        assert layout is not None
        apart = min(px(20), APART)
        self._flow.set_spacing(apart, px(6))
        layout.setContentsMargins(apart, px(4), apart, px(4))

    def follow(self, change: Change) -> None:
        """Show other words, if the change has any."""
        tokens = {f"{sequence}.tokens" for sequence in self._bench.document.engine.graph.sequences}
        if change.structure or not tokens.isdisjoint(change.changed):
            self.rebuild()

    def fit(self, width: int, low: bool) -> None:
        """In a low window, let all sequences share one line of this width in pixels, so that their words scroll."""
        apart, n = min(self._bench.appearance.px(20), APART), max(len(self._strips), 1)
        most = (width - (n + 1) * apart) // n if low else UNBOUNDED
        for strip in self._strips.values():
            strip.be_at_most(most, low)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space()
        for strip in self._strips.values():
            strip.restyle()

    def rebuild(self) -> None:
        """Show the words of the present graph."""
        engine = self._bench.document.engine
        wanted = axes_of_words(engine.graph)
        editable = bool(engine.graph.sequences)
        if wanted != {axis: strip.title for axis, strip in self._strips.items()} or any(
            strip.editable != editable for strip in self._strips.values()
        ):
            self._make_strips(wanted, editable)
        for axis, strip in self._strips.items():
            strip.show_words(engine.labels(axis))
        self._say_new()
        if not self._strips:
            self.hide()
        elif self.parentWidget() is not None:  # without a parent, `show` would make it a window
            self.show()
        self._light()

    def _make_strips(self, wanted: dict[str, str], editable: bool) -> None:
        for strip in self._strips.values():
            strip.stop_typing()  # the typed text was for the old words
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget is not self._row:
                widget.hide()
                widget.deleteLater()
        self._strips = {axis: TokenStrip(self._bench, axis, title, editable) for axis, title in wanted.items()}
        for strip in self._strips.values():
            strip.news.connect(self._note_new)
            self._flow.addWidget(strip)
            strip.show()  # now: otherwise the bar would be low for one turn, and everything below it would jump
        self._flow.addWidget(self._row)

    def _light(self) -> None:
        for strip in self._strips.values():
            strip.light(self._bench.selection.token)

    def _reveal(self) -> None:
        """Scroll to a word that was chosen elsewhere."""
        token = self._bench.selection.chosen_token
        if token is not None and token[0] in self._strips:
            self._strips[token[0]].reveal(token[1])

    # Words that were new to the vocabulary

    def _note_new(self, axis: str, words: tuple[str, ...]) -> None:
        self._new, self._new_to = (axis, words), self._bench.document.wanted.lesson
        self._say_new()

    def _say_new(self) -> None:
        """Show in which rows of the table the new words are, as long as they are in the vocabulary."""
        axis, words = self._new
        graph = self._bench.document.engine.graph
        known = graph.axes[graph.sequences[axis]] if axis in graph.sequences else ()
        there = [word for word in words if word in known and self._new_to == self._bench.document.state.lesson]
        self._row.setVisible(bool(there))
        if not there:
            return
        first = known.index(there[0])
        named = ", ".join(f"“{word}”" for word in there[:MOST_NAMED]) + ", …" * (len(there) > MOST_NAMED)
        rows = f"row {first + 1}" if len(there) == 1 else f"rows {first + 1} to {first + len(there)}"
        said = f"New: {named} → {rows} of the table, random numbers"
        if self._bench.lesson.card or self._bench.document.state.records:  # a trained model cannot use a random row
            near = nearest_words(there[0], [word for word in known if word not in there])
            said = f"Unknown to the model: {named}; similar spelling: {near}"
        self._row.setText(with_ampersands(said))
        where = f"New words start with random numbers, in {rows} of {axis}.table. Click to go there and type others"
        self._row.setToolTip(where)
        self._row.setAccessibleName(f"Go to {rows} of {axis}.table")

    def _go_to_row(self) -> None:
        axis, words = self._new
        graph = self._bench.document.engine.graph
        row = next(i for i, word in enumerate(graph.axes[graph.sequences[axis]]) if word in words)
        self._note_new("", ())
        self._bench.selection.go_to(graph.nodes[f"{axis}.table"].stage)
        for area in self.window().findChildren(StageArea):
            area.page()  # completes the page at once, so that its matrix exists
        # Only matrices of this document: another one may be beside it.
        views = [v for v in self.window().findChildren(MatrixView) if v.bench is self._bench and v.isVisible()]
        view = next((v for v in views if v.matrix.name == f"{axis}.table"), None)
        if view is not None:
            view.setCurrentIndex(view.table.index(row, 0))
            view.setFocus()
            # Later, after the layout of the page, which may be new.
            do_later(view, lambda: _into_sight(view))


def _into_sight(view: MatrixView) -> None:
    """Scroll the page to the current cell of a matrix."""
    spot = view.viewport().mapTo(view, view.visualRect(view.currentIndex()).center())
    page = view.parentWidget()
    while page is not None and not isinstance(page, QScrollArea):
        page = page.parentWidget()
    content = page.widget() if page is not None else None
    if page is not None and content is not None:
        at = view.mapTo(content, spot)
        page.ensureVisible(at.x(), at.y(), view.width(), 2 * view.rowHeight(0))


def axes_of_words(graph: Graph) -> dict[str, str]:
    """The axes of words, and their titles."""
    if graph.sequences:
        return {axis: axis.capitalize() for axis in graph.sequences}
    if "query" not in graph.axes:
        return {}
    return {"query": "Query", "key": "Key"} if "key" in graph.axes else {"query": "Words"}
