"""Parameters: how many numbers each block learns, and why so many."""

from explorer.core.parameters import Block, Growth, Size, growth, parameters, scores, total
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Panel
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

WHY = {
    "table": "a vector for each word",
    "PE": "a vector for each position",
    "W_Q": "what heads ask",
    "W_K": "what heads answer",
    "W_V": "what heads give",
    "b_Q": "added to the queries",
    "b_K": "added to the keys",
    "b_V": "added to the values",
    "W_O": "mixes the heads",
    "W_1": "out to the hidden units",
    "b_1": "one for each unit",
    "W_2": "and back",
    "b_2": "one for each dimension",
    "gamma": "stretches dimensions",
    "beta": "moves dimensions",
    "W": "a column for each result",
    "b": "one for each result",
}
SYMBOLS = {"gamma": "γ", "beta": "β"}
GROWTH = {
    "layer": "one layer more",
    "d_model": "d_model twice as wide",
    "d_ff": "d_ff twice as wide",
    "heads": "twice as many heads",
    "words": "a vocabulary twice as large",
    "tokens": "a text twice as long",
}
_LONGER = (
    "A longer text needs no new number, but for positions that are learned. It takes time: attention has a score for "
    "each pair of words, in each head of each layer, so twice the words have four times the scores."
)


class ParametersPanel(Panel):
    """The whole in one number, a row for each block and each of its matrices, and how it grows."""

    def build(self) -> None:
        self._count = Counted(self.bench)
        note = Note(self._words)
        self.page.addWidget(note)
        self.follows(note)
        if not self._count.blocks:
            return
        self.section("Block by block")
        listing = Listing(self.bench, BlockRows(self._count), most=60)
        self.page.addWidget(listing)
        self.follows(listing)
        if self._count.growth:
            self.section("How it grows")
            grown = Listing(self.bench, GrowthRows(self._count))
            self.page.addWidget(grown)
            said = Note(lambda: _LONGER)
            self.page.addWidget(said)
            self.follows(grown, said)

    def structure(self) -> tuple[object, ...]:
        # Sizes and switches are the model; numbers that are edited change no count.
        return (self.bench.document.state.model,)

    def _words(self) -> str:
        ink = self.bench.appearance.theme.text
        if not self._count.blocks:
            return "This model learns nothing: its numbers are given."
        return (
            f"<b style='color:{ink}'>{self._count.total:,}</b> numbers that training would change. "
            "Not counted is what is given: words, masks, the temperature, targets."
        )


class Counted:
    """The counts of the model as it is."""

    def __init__(self, bench: Workbench) -> None:
        state = bench.document.state
        self.blocks: tuple[Block, ...] = parameters(state.graph, state.model)
        self.total = total(self.blocks)
        self.scores = scores(state.graph)
        self.growth: tuple[Growth, ...] = growth(state.model)


class BlockRows(Rows):
    """A bold row for each block with its sum, and a row for each of its matrices."""

    name = "Parameters of each block"
    columns = (
        Column("Block"),
        Column("what for"),
        Column("sizes"),
        Column("numbers", NUMBER),
        Column("share of all", BAR, 60),
    )

    def __init__(self, counted: Counted) -> None:
        super().__init__()
        self._all = max(counted.total, 1)
        self._rows: list[tuple[str, str, str, int, bool]] = []
        for block in counted.blocks:
            self._rows.append((block.name, "", "", block.count, True))
            for weights in block.weights:
                short = weights.name.rpartition(".")[2]
                symbol = f"    {SYMBOLS.get(short, short)}"
                self._rows.append((symbol, WHY.get(short, ""), product(weights.sizes), weights.count, False))
        self._rows.append(("All", "", "", counted.total, True))

    def count(self) -> int:
        return len(self._rows)

    def text(self, row: int, column: int) -> str:
        if column < 3:
            return str(self._rows[row][column])
        count = self._rows[row][3]
        return f"{count:,}" if column == 3 else f"{count / self._all:.1%}"

    def value(self, row: int, column: int) -> float:
        return self._rows[row][3] / self._all

    def strong(self, row: int) -> bool:
        return self._rows[row][4]

    def muted(self, row: int, column: int) -> bool:
        return column == 1


class GrowthRows(Rows):
    """A row for each way to make the model larger."""

    name = "How the number of parameters, and that of scores, grows"
    columns = (
        Column("If there were"),
        Column("numbers", NUMBER),
        Column("times", NUMBER),
        Column("", BAR, 130),
        Column("scores", NUMBER),
        Column("times", NUMBER),
    )

    def __init__(self, counted: Counted) -> None:
        super().__init__()
        self._rows = [("the model as it is", counted.total, counted.scores)]
        self._rows += [(GROWTH[grown.what], grown.count, grown.scores) for grown in counted.growth]
        self._now, self._scores = max(counted.total, 1), max(counted.scores, 1)
        self._most = max(count for _, count, _ in self._rows)

    def count(self) -> int:
        return len(self._rows)

    def text(self, row: int, column: int) -> str:
        words, count, n = self._rows[row]
        times, more = f"{count / self._now:.2f}", f"{n / self._scores:.2f}"
        return (words, f"{count:,}", times, f"{count:,}", f"{n:,}", more)[column]

    def value(self, row: int, column: int) -> float:
        return self._rows[row][1] / self._most

    def strong(self, row: int) -> bool:
        return not row


def product(sizes: tuple[Size, ...]) -> str:
    """The factors, each with what it counts, but for a single head: "4 d_model × 6 d_ff"."""
    counted = [size for size in sizes if (size.what, size.length) != ("heads", 1)]
    return " × ".join(f"{size.length} {size.what}" for size in counted)
