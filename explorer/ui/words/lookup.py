"""Words beside each other: each word's vector as a strip of bars, with its length and its rank."""

import numpy as np

from explorer.core.numbers import written
from explorer.ui.words.card import Card, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.strips import VectorStrips
from explorer.ui.words.tab_state import MOST_WORDS, TabState
from explorer.ui.workbench import Workbench


class LookupCard(Card):
    """Words of one's choice beside each other."""

    title = "Look up words"
    short = "Look up"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "A word is a list of numbers. A single number has no meaning; all together say near which other "
            "words the word stands."
        )
        super().__init__(bench, state, about)
        self.field = WordField(bench, state, f"Up to {MOST_WORDS} words", 420)
        self.field.entered.connect(self._look_up)
        self.line("Words", self.field)
        self.strips = VectorStrips(bench)
        self.strips.clicked.connect(lambda row: state.go_to(self.strips.words[row]))
        self.strips.pointed.connect(self._say)
        self.page.addWidget(self.strips)
        self.said = label(" ", "small", wrap=True)
        self.page.addWidget(self.said)
        state.words_changed.connect(self.load)
        state.word_changed.connect(self.load)

    def load(self) -> None:
        vectors, words = self.vectors, self.state.words
        self.field.set(words)
        ranks = [vectors.rank(word) for word in words]
        array = np.asarray(vectors.array[ranks])
        notes = [f"norm {written(float(vectors.norms[r]), 2)} · rank {r + 1:,}" for r in ranks]
        self.strips.show_words(words, array, notes, self.state.word)
        self._say(self.strips.dimension)

    def _look_up(self) -> None:
        words = self.field.words(1, MOST_WORDS)
        if words is not None:
            self.state.look_up(words)

    def _say(self, dimension: int) -> None:
        if dimension < 0:
            self.said.setText(
                "Norm: the length of the vector. Rank: the place of the word in the table; most tables begin "
                "with frequent words."
            )
            return
        values = self.strips.array[:, dimension].tolist()
        each = ", ".join(f"{word} {written(value, 3)}" for word, value in zip(self.strips.words, values, strict=True))
        self.said.setText(f"Dimension {dimension + 1}: {each}")
