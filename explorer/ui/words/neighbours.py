"""The words nearest to a word, and the odd one out."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtWidgets import QPushButton

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.pages.gestures import Gesture
from explorer.pages.words import MOST, GoToWord, ShowCosine, near
from explorer.sentences import sentence
from explorer.ui.page.listing import ListingView
from explorer.ui.words.card import Card, Search, TabState, WordField, here, label
from explorer.ui.workbench import Workbench
from explorer.words import catalogue, similarity
from explorer.words.similarity import Neighbour

N = MOST


class NeighbourList(ListingView):
    """A list whose words and cosines can be followed, by mouse or with Enter.

    Parameters
    ----------
    name : str
        For a screen reader.
    follow : callable
        Given the word.
    explain : callable
        Given the word whose cosine is to be seen as arithmetic.
    looks : dict
        What else `near` is given.
    """

    def __init__(
        self, bench: Workbench, name: str, follow: Callable[[str], None], explain: Callable[[str], None], **looks: Any
    ) -> None:
        self._name, self._looks = name, looks
        self.found: Sequence[Neighbour] = ()

        def ask(gesture: Gesture) -> None:
            match gesture:
                case GoToWord(word):
                    follow(word)
                case ShowCosine(word):
                    explain(word)

        super().__init__(bench, near(name, (), **looks), ask)
        self.setToolTip("Click a word, or press Enter on it, to go there; click a cosine to see it as arithmetic")

    def show_words(self, found: Sequence[Neighbour], notes: Mapping[str, str] | None = None, note: str = "") -> None:
        """Show other words, with what stands behind some of them in a column called so."""
        self.found = tuple(found)
        self.tell(near(self._name, self.found, notes=notes, note=note, **self._looks))
        self.scrollToTop()


class NeighboursCard(Card):
    """A word's neighbours; following one makes it the word."""

    title = "Nearest words"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "The words whose vectors point most nearly in the same direction. Click a word to go there, a "
            "cosine to check it."
        )
        super().__init__(bench, state, about)
        self.search = Search(self)
        self.field = WordField(bench, state, "Word")
        self.field.entered.connect(self._ask)
        button = QPushButton("Find")
        button.setToolTip("Find the words nearest to this one")
        button.clicked.connect(self._ask)
        self.line("Nearest to", self.field, button)
        self.list = NeighbourList(bench, "Nearest words", state.go_to, self._explain)
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
            self.said.setText(sentence(ExplorerError("no-direction", word=word)))
            return
        self.search.search(
            vectors, lambda report: similarity.nearest(vectors, word, N) if word else [], partial(self._show, word)
        )

    def _show(self, word: str, found: Sequence[Neighbour]) -> None:
        notes: dict[str, str] = {}
        self.said.setText("")
        reference = catalogue.printed_words()
        if word == reference.word:
            same = [one.word for one in found[: len(reference.neighbours)]] == [
                other for other, _ in reference.neighbours
            ]
            if same:
                notes = {other: written(float(value), 4) for other, value in reference.neighbours}
                self.said.setText("The text 000 prints the same ten words in this order.")
            else:
                ten = ", ".join(f"{other} {written(float(value), 4)}" for other, value in reference.neighbours)
                self.said.setText(f"Other texts give other neighbours. From {reference.vectors}: {ten}.")
        self.list.show_words(found, notes, "printed")

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
        self.list = NeighbourList(bench, "Cosine with the mean of all", state.go_to, self._explain, last=True)
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
        if self.list.found:
            self.said.setText(f"The odd one out is {here(self.bench, self.list.found[-1].word)}.")

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
        mean = similarity.centre(self.vectors, [one.word for one in self.list.found])
        self.state.cosine_asked.emit((mean, self.vectors[word]), ("mean of all", word), self)
