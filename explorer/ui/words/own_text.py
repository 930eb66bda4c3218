"""Training on a text of one's own: the counts, the falling loss, and a word's neighbours as they change."""

from html import escape
from time import perf_counter
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.words.card import Card, TabState, column, here, label
from explorer.ui.words.neighbours import NeighbourList
from explorer.ui.workbench import Workbench
from explorer.words import similarity
from explorer.words.training import corpus, counts
from explorer.words.training.glove import OWN_TEXT, GloveTrainer
from explorer.words.vectors import Vectors

SLICE_S, SHOW_S, PACE_MS = 0.008, 0.1, 40
LONGEST = 300_000  # characters; counting them takes less than a tenth of a second
TABLE, LIKE = 8, 5  # columns of the table of counts; words in it that are like the watched one
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
BEASTS = ("cat", "dog", "horse", "cow", "goat")
FOODS = ("bread", "soup", "rice", "cheese", "fish")


def example() -> str:
    """A text in which days, animals and foods each keep the same company."""
    lines = []
    for i in range(60):
        day, beast, food = DAYS[i % 5], BEASTS[(i * 3 + i // 5) % 5], FOODS[(i * 2 + i // 7) % 5]
        lines += [
            f"On {day} we met in the town, and on {DAYS[(i + 1) % 5]} we went home.",
            f"The {beast} ran over the field, and the {BEASTS[(i + 2) % 5]} ran behind it.",
            f"We ate {food} for supper with a little {FOODS[(i + 3) % 5]}.",
        ]
    return "\n".join(lines)


class OwnTextCard(Card):
    """GloVe in the window, in slices of the event loop: the steps are too small for a thread of their own."""

    needs_vectors = False

    title = "Train on your own text"
    short = "Train"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "GloVe counts which words stand near each other, and moves the vectors until their dot products match the "
            "logarithms of the counts. A few hundred lines are enough to see it happen."
        )
        super().__init__(bench, state, about)
        self.text = QPlainTextEdit(example())
        self.text.setAccessibleName("Text to train on")
        self.text.setToolTip("Paste or type plain text; a line is a sentence or a paragraph")
        self.text.setTabChangesFocus(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.page.addWidget(self.text)
        self.button = mark(QPushButton("Train"), primary="true")
        self.button.setToolTip("Learn vectors from this text; press again to stop")
        self.button.clicked.connect(self._press)
        self.word = QLineEdit("monday")
        self.word.setAccessibleName("Word to watch")
        self.word.setToolTip("Whose neighbours are shown while it learns")
        self.word.textChanged.connect(self._show)
        self.use = QPushButton("Use these vectors")
        self.use.setToolTip("Look at them with everything on this page")
        self.use.setEnabled(False)
        self.use.clicked.connect(self._use)
        self.said = label("", "muted")
        self.line(self.button, "watch", self.word, self.use, self.said)
        self.curve: Any = None
        self._curve_place = QWidget()
        QVBoxLayout(self._curve_place).setContentsMargins(0, 0, 0, 0)
        self.list = NeighbourList(bench, "Words nearest to the watched one", self.word.setText, self._explain, bar=130)
        self.table = label("")
        self.table.setTextFormat(Qt.TextFormat.RichText)
        self.table.setToolTip(
            "A pair of words counts 1 if they stand side by side, 1/2 if they are two places "
            "apart, and so on up to five places"
        )
        self.outcome = self.row(
            column(label("Co-occurrence: how often each stands near the most frequent words", "section"), self.table),
            column(label("Nearest to the watched word", "section"), self.list),
            column(label("Mean loss of a pair", "section"), self._curve_place),
        )
        self.outcome.hide()
        self.trainer: GloveTrainer | None = None
        self._corpus: corpus.Corpus | None = None
        self._counts: counts.Counts | None = None
        self._shown = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self.restyle()

    def restyle(self) -> None:
        super().restyle()
        self.text.setFixedHeight(self.bench.appearance.px(120))
        self._curve_place.setFixedSize(self.bench.appearance.px(320), self.bench.appearance.px(190))
        self.word.setFixedWidth(self.bench.appearance.px(140))

    def hideEvent(self, event: Any) -> None:
        """Nobody sees it learn: stop."""
        super().hideEvent(event)
        self._stop()

    def _press(self) -> None:
        if self._timer.isActive():
            self._stop()
            return
        text = self.text.toPlainText()
        try:
            if len(text) > LONGEST:
                raise ExplorerError("text-too-long", limit=f"{LONGEST:,}", given=f"{len(text):,}")
            self._corpus = corpus.from_text(text, OWN_TEXT.words, OWN_TEXT.least)
            self._counts = counts.count(self._corpus, OWN_TEXT.window)
            self.trainer = GloveTrainer(self._counts, OWN_TEXT)
        except ExplorerError as error:
            show_error(error, self.button)
            return
        if self.word.text().strip().lower() not in self._corpus.words:
            self.word.setText(self._corpus.words[0])
        self.button.setText("Stop")
        self.use.setEnabled(False)
        self.outcome.show()
        self._timer.start()

    def _stop(self) -> None:
        self._timer.stop()
        self.button.setText("Train")
        self.use.setEnabled(self.trainer is not None)
        self._show()

    def _slice(self) -> None:
        """Learn for about half a frame."""
        trainer = self.trainer
        assert trainer is not None
        start = now = perf_counter()
        epochs = len(trainer.losses)
        while len(trainer.losses) == epochs and now - start < SLICE_S:
            trainer.step()
            now = perf_counter()
        # A short text would be learnt before one has seen anything of it.
        self._timer.setInterval(0 if len(trainer.losses) == epochs else PACE_MS)
        if trainer.finished:
            self._stop()
        elif now - self._shown > SHOW_S:
            self._shown = now
            self._show()

    def vectors_now(self) -> Vectors | None:
        """What has been learnt so far."""
        if self.trainer is None or self._corpus is None:
            return None
        return Vectors.of("your text", self._corpus.words, self.trainer.vectors())

    def _show(self) -> None:
        trainer, vectors = self.trainer, self.vectors_now()
        if trainer is None or vectors is None:
            return
        epochs = trainer.settings.epochs
        loss = f", loss {written(trainer.losses[-1], 4)}" if trainer.losses else ""
        known = f"{len(vectors):,} words, {trainer.n_pairs:,} pairs"
        self.said.setText(f"epoch {int(trainer.epochs_done)} of {epochs}{loss}  ·  {known}")
        self._draw(np.array(trainer.losses), epochs)
        word = self.word.text().strip()
        found = similarity.nearest(vectors, word, 10) if word in vectors or word.lower() in vectors else []
        self.list.show_words(found)
        watched = [vectors.spelt(word)] if found else []
        self._tabulate([*watched, *(one.word for one in found[:LIKE])] or list(vectors.words[: LIKE + 1]))

    def _explain(self, other: str) -> None:
        vectors = self.vectors_now()
        assert vectors is not None
        word = vectors.spelt(self.word.text().strip())
        self.state.cosine_asked.emit((vectors[word], vectors[other]), (word, other), self)

    def _draw(self, losses: Array, epochs: int) -> None:
        """The loss of each epoch so far, of so many."""
        from explorer.ui.training.loss_curve import Curve, LossCurve

        if self.curve is None:
            self.curve = LossCurve(self.bench, "epochs", "loss")
            layout = self._curve_place.layout()
            assert layout is not None
            layout.addWidget(self.curve)
        done = np.arange(1, len(losses) + 1)
        here = (float(done[-1]), float(losses[-1])) if len(losses) else None
        self.curve.show_lines([Curve("loss", losses, done)], here, until=epochs)

    def _tabulate(self, words: list[str]) -> None:
        """How often some words stand near the most frequent ones, the first of them being watched."""
        assert self._corpus is not None
        assert self._counts is not None
        places = [self._corpus.words.index(word) for word in words]
        often = range(min(TABLE, len(self._corpus.words)))
        every = list(dict.fromkeys([*often, *places]))
        table = self._counts.table(every)
        head = "".join(f"<td align='right'>{escape(self._corpus.words[i])}</td>" for i in often)
        rows = "".join(
            f"<tr><td>{here(self.bench, word) if i == 0 else escape(word)}</td>"
            + "".join(f"<td align='right'>{table[every.index(place), j]:.1f}</td>" for j in often)
            + "</tr>"
            for i, (word, place) in enumerate(zip(words, places, strict=True))
        )
        self.table.setText(f"<table cellpadding='4'><tr><td></td>{head}</tr>{rows}</table>")

    def _use(self) -> None:
        vectors = self.vectors_now()
        if vectors is not None:
            self.state.load(vectors)
