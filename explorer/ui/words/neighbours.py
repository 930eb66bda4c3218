"""The words nearest to a word, and the odd one out."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QPushButton

from explorer.core.errors import ExplorerError
from explorer.core.numbers import exact, written
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.words.card import Card, here, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.search import Search
from explorer.ui.words.tab_state import TabState
from explorer.ui.workbench import Workbench
from explorer.words import printed, similarity
from explorer.words.similarity import Neighbour

N = 12
WORD, COSINE = 1, 2
"""The columns that lead somewhere."""


class NeighbourRows(Rows):
    """Words with a cosine each, as number and bar.

    Parameters
    ----------
    name : str
        For a screen reader.
    last : bool
        Whether the last row stands out, rather than none.
    bar : int
        Pixels of a bar at text scale 1.
    """

    def __init__(self, name: str, last: bool = False, bar: int = 280) -> None:
        super().__init__()
        self.name, self._bar = name, bar
        self.found: Sequence[Neighbour] = ()
        self.notes: dict[str, str] = {}
        self.note = ""
        self._last = last

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """A note for each word where there are any."""
        notes = (Column(self.note, NUMBER),) if self.notes else ()
        return Column("", NUMBER), Column("word"), Column("cosine", NUMBER), Column("", BAR, self._bar), *notes

    def count(self) -> int:
        return len(self.found)

    def text(self, row: int, column: int) -> str:
        one = self.found[row]
        match column:
            case 0:
                return str(row + 1)
            case 1:
                return one.word
            case 4:
                return self.notes.get(one.word, "")
            case _:
                return written(one.cosine, 4)

    def tip(self, row: int, column: int) -> str:
        one = self.found[row]
        return f"{one.word}: {exact(one.cosine)}" + (". Click to see it as arithmetic" if column == COSINE else "")

    def muted(self, row: int, column: int) -> bool:
        return column in (0, 4)

    def link(self, row: int, column: int) -> bool:
        return column in (WORD, COSINE)

    def value(self, row: int, column: int) -> float:
        return self.found[row].cosine

    def reach(self, column: int) -> tuple[float, float]:
        return (-1.0 if any(one.cosine < 0 for one in self.found) else 0.0), 1.0

    def here(self, row: int) -> bool:
        return self._last and row == len(self.found) - 1


class NeighbourList(Listing):
    """A list whose words and cosines can be followed, by mouse or with Enter.

    Parameters
    ----------
    bench : Workbench
    rows : NeighbourRows
    follow : callable
        Given the word.
    explain : callable
        Given the word whose cosine is to be seen as arithmetic.
    """

    def __init__(
        self, bench: Workbench, rows: NeighbourRows, follow: Callable[[str], None], explain: Callable[[str], None]
    ) -> None:
        super().__init__(bench, rows, most=N)
        self._near, self._explain = rows, explain
        self.followed.connect(lambda row: follow(rows.found[row].word))
        self.setToolTip("Click a word, or press Enter on it, to go there; click a cosine to see it as arithmetic")

    def _follow(self, row: int, *columns: int) -> None:
        """Enter stands for the whole row, but in the column of cosines for the cosine."""
        if columns == (COSINE,) or (len(columns) > 1 and self.currentIndex().column() == COSINE):
            self._explain(self._near.found[row].word)
        else:
            super()._follow(row, *columns)

    def show_words(self, found: Sequence[Neighbour]) -> None:
        """Show other words."""
        self._near.found = tuple(found)
        self.refresh()
        self.scrollToTop()


class NeighboursCard(Card):
    """A word's neighbours; following one makes it the word."""

    title = "Nearest words"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "The words whose vectors point most nearly the same way. Click a word to go there, a cosine to check it."
        )
        super().__init__(bench, state, about)
        self.search = Search(self)
        self.field = WordField(bench, state, "Word")
        self.field.entered.connect(self._ask)
        button = QPushButton("Find")
        button.setToolTip("Find the words nearest to this one")
        button.clicked.connect(self._ask)
        self.line("Nearest to", self.field, button)
        self.rows = NeighbourRows("Nearest words")
        self.list = NeighbourList(bench, self.rows, state.go_to, self._explain)
        self.page.addWidget(self.list)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)
        self.page.addStretch()
        state.word_changed.connect(self.load)

    def load(self) -> None:
        vectors, word = self.vectors, self.state.word
        self.field.set([word])
        if word and not vectors.norm(word):
            self.search.stop()
            self._show(word, [])
            self.said.setText(str(ExplorerError("no-direction", word=word)))
            return
        self.search.search(
            vectors, lambda report: similarity.nearest(vectors, word, N) if word else [], partial(self._show, word)
        )

    def _show(self, word: str, found: Sequence[Neighbour]) -> None:
        self.rows.notes, self.rows.note = {}, ""
        self.said.setText("")
        reference = printed.load()
        if word == reference.word:
            same = [one.word for one in found[: len(reference.neighbours)]] == [
                other for other, _ in reference.neighbours
            ]
            if same:
                self.rows.notes, self.rows.note = (
                    {other: written(float(value), 4) for other, value in reference.neighbours},
                    "printed",
                )
                self.said.setText("The reference prints the same ten words in this order.")
            else:
                ten = ", ".join(f"{other} {written(float(value), 4)}" for other, value in reference.neighbours)
                self.said.setText(f"The reference prints, from {reference.vectors}: {ten}. Other texts, other company.")
        self.list.show_words(found)

    def _ask(self) -> None:
        words = self.field.words(1, 1)
        if words is not None:
            self.state.go_to(words[0])

    def _explain(self, other: str) -> None:
        word = self.state.word
        self.state.cosine_asked.emit((self.vectors[word], self.vectors[other]), (word, other), self)


class OddCard(Card):
    """Of several words, the one that is farthest from the mean of all."""

    title = "Odd one out"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = "The word that is farthest from the mean of all."
        super().__init__(bench, state, about)
        self.field = WordField(bench, state, "Three words or more", 330)
        self.field.entered.connect(self.compute)
        button = QPushButton("Find")
        button.setToolTip("Find the odd one out")
        button.clicked.connect(self.compute)
        self.line(self.field, button)
        self.rows = NeighbourRows("Cosine with the mean of all", last=True)
        self.list = NeighbourList(bench, self.rows, state.go_to, self._explain)
        self.said = label("", "", wrap=True)
        self.page.addWidget(self.said)
        self.page.addWidget(self.list)
        self.page.addStretch()

    def load(self) -> None:
        if not self.field.keeps():
            self.field.set(self.state.pick(("father", "mother", "brother", "ship", "sister"), 4))
        # What was found in other vectors does not hold in these.
        self.list.show_words([])
        self.said.setText("" if len(self.vectors) > 2 else "There are too few words for an odd one out.")
        if len(self.vectors) > 2:
            self.compute()

    def resay(self) -> None:
        if self.rows.found:
            self.said.setText(f"The odd one out is {here(self.bench, self.rows.found[-1].word)}.")

    def compute(self) -> None:
        """Work out which it is."""
        words = self.field.words(1)
        if words is None:
            return
        try:
            found = similarity.centrality(self.vectors, words)
        except ExplorerError as error:
            self.field.fail(error)
            return
        self.list.show_words(found)
        self.resay()

    def _explain(self, word: str) -> None:
        mean = similarity.centre(self.vectors, [one.word for one in self.rows.found])
        self.state.cosine_asked.emit((mean, self.vectors[word]), ("mean of all", word), self)
