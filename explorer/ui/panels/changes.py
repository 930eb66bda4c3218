"""What the last edit changed: every node, by how much, and the way there."""

from html import escape

from explorer.core.numbers import written
from explorer.ui.panels.panel import Panel
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.rows import NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

DIGITS = 4


class ChangesPanel(Panel):
    """A row for each node that the last edit changed, in the order in which the change spread."""

    def build(self) -> None:
        nodes = self.bench.document.engine.graph.nodes
        note = Note(self._words, nodes)
        self.page.addWidget(note)
        self.follows(note)
        if self.bench.document.before:
            rows = ChangedRows(self.bench)
            listing = Listing(self.bench, rows, nodes, most=20)
            listing.followed.connect(lambda row: self.bench.selection.go_to(rows.stage(row)))
            self.page.addWidget(listing)
            self.follows(listing)

    def structure(self) -> tuple[object, ...]:
        return self.bench.document.engine.graph, bool(self.bench.document.before)

    def _words(self) -> str:
        if not self.bench.document.before:
            return "Nothing has changed yet. Change a number, a word or a switch."
        done = self.bench.document.history.undo_label or "Undone"
        return f"<b>{escape(done)}</b>. Click a node to go there."


class ChangedRows(Rows):
    """How many cells of a node changed, and by how much the one that changed most."""

    name = "What the last edit changed"
    columns = (Column("Node"), Column("Cells changed", NUMBER), Column("Largest change", NUMBER))

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._rows: list[tuple[str, int, int, float]] = []

    def read(self) -> None:
        document = self._bench.document
        self._rows = []
        for name in document.engine.graph.nodes:
            count, largest = document.changed(name)
            if count:
                self._rows.append((name, count, document.engine.values[name].size, largest))

    def count(self) -> int:
        return len(self._rows)

    def stage(self, row: int) -> str:
        """Where the node is shown."""
        return self._bench.document.engine.graph.nodes[self._rows[row][0]].stage

    def text(self, row: int, column: int) -> str:
        name, count, size, largest = self._rows[row]
        return (name, f"{count:,} of {size:,}", written(largest, DIGITS))[column]

    def link(self, row: int, column: int) -> bool:
        return column == 0

    def tip(self, row: int, column: int) -> str:
        return self.text(row, column) if column else f"Go to {self._rows[row][0]}"
