"""What the last edit changed: every node, by how much, and the way there."""

from html import escape

from explorer.core.numbers import written
from explorer.core.shapes import written_shape
from explorer.document.document import Document
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Panel
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.rows import NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

DIGITS = 4


class ChangesPanel(Panel):
    """A row for each node that the last edit changed, in the order in which the change spread, and for those taken."""

    def build(self) -> None:
        nodes = self.bench.document.engine.graph.nodes
        note = Note(self._words, nodes)
        self.page.addWidget(note)
        self.follows(note)
        if _anything(self.bench.document):
            rows = ChangedRows(self.bench)
            listing = Listing(self.bench, rows, nodes, most=20)
            listing.followed.connect(lambda row: self.bench.selection.go_to(rows.stage(row)))
            self.page.addWidget(listing)
            self.follows(listing)

    def structure(self) -> tuple[object, ...]:
        return self.bench.document.engine.graph, _anything(self.bench.document)

    def _words(self) -> str:
        if not _anything(self.bench.document):
            return "Nothing has changed yet. Change a number, a word or a switch."
        done = self.bench.document.history.undo_label or "Undone"
        return f"<b>{escape(done)}</b>. Click a node to go there."


def _anything(document: Document) -> bool:
    """Whether the last edit changed a number, or which nodes there are."""
    return bool(document.before or document.added or document.removed)


class ChangedRows(Rows):
    """How many cells of a node changed, and by how much the one that changed most; else what became of the node."""

    name = "What the last edit changed"
    columns = (Column("Node"), Column("Cells changed", NUMBER), Column("Largest change", NUMBER))

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._rows: list[tuple[str, str, str]] = []

    def read(self) -> None:
        document = self._bench.document
        self._rows = []
        for name, value in document.engine.values.items():
            count, largest = document.changed(name)
            before = document.before.get(name)
            if count:
                self._rows.append((name, f"{count:,} of {value.size:,}", written(largest, DIGITS)))
            elif document.is_new(name):
                was = "new, " if before is None else f"{written_shape(before.shape)} → "
                self._rows.append((name, f"{was}{written_shape(value.shape)}", ""))
        self._rows += [(name, "gone", "") for name in sorted(document.removed)]

    def count(self) -> int:
        return len(self._rows)

    def stage(self, row: int) -> str:
        """Where the node is shown."""
        return self._bench.document.engine.graph.nodes[self._rows[row][0]].stage

    def text(self, row: int, column: int) -> str:
        return self._rows[row][column]

    def link(self, row: int, column: int) -> bool:
        return column == 0 and self._rows[row][0] in self._bench.document.engine.graph.nodes

    def tip(self, row: int, column: int) -> str:
        return f"Go to {self._rows[row][0]}" if self.link(row, column) else self.text(row, column)
