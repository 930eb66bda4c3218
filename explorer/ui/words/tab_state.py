"""What the parts of the tab share: the vectors that are loaded, and the words that one is at."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from explorer.words.vectors import Vectors

MOST_WORDS = 8
MOST_FIRST = 50
FIRST = ("screen", "rock", "remote", "king", "queen", "man", "woman", "river")


class TabState(QObject):
    """The vectors, the words in the look-up, and the one word whose neighbours are shown."""

    changed = Signal()  # other vectors
    words_changed = Signal()  # other words in the look-up
    word_changed = Signal()  # another word
    # Pair of numpy.ndarray, pair of str, QWidget: two vectors whose cosine is to be seen as arithmetic, what they are
    # called, and the part that shows it.
    cosine_asked = Signal(object, object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.vectors: Vectors | None = None
        self.words: list[str] = []
        self.word = ""
        self._asked = False

    def load(self, vectors: Vectors) -> None:
        """Take other vectors; the words that they have stay."""
        self.vectors = vectors
        kept = [word for word in self.words if word in vectors]
        self.words = kept if self._asked and len(kept) > 1 else self.pick(FIRST, 5)
        self.word = self.word if self.word in self.words else self.words[0] if self.words else ""
        self.changed.emit()

    def pick(self, wanted: Sequence[str], n: int) -> list[str]:
        """Up to n of the wanted words that the vectors have; their most frequent ones, if they have too few."""
        assert self.vectors is not None
        found = [word for word in wanted if word in self.vectors]
        norms, names = self.vectors.norms[:MOST_FIRST], self.vectors.words[:MOST_FIRST]
        # A vector of zeros has no cosine, and a comma is no good example.
        others = [word for word, norm in zip(names, norms, strict=True) if norm > 0 and word[:1].isalnum()]
        found += [word for word in others if word not in found]
        return (found or names)[:n]

    def look_up(self, words: Sequence[str]) -> None:
        """Put other words beside each other."""
        self._asked = True
        self.words = list(dict.fromkeys(words))
        if self.words and self.word not in self.words:
            self.go_to(self.words[0])
        self.words_changed.emit()

    def go_to(self, word: str) -> None:
        """Ask for a word's neighbours; it joins the others in the look-up."""
        self._asked = True
        if word != self.word:
            self.word = word
            self.word_changed.emit()
        if word not in self.words:
            self.words = [*self.words, word][-MOST_WORDS:]
            self.words_changed.emit()
