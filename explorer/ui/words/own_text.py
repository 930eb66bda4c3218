"""Training on a text of one's own: the counts, the falling loss, and a word's neighbours as they change."""

from collections.abc import Sequence
from html import escape
from time import perf_counter
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.ui.errors import show_error
from explorer.ui.theme import mark, qcolor
from explorer.ui.words.card import Card, column, label
from explorer.ui.words.neighbours import Near, NearList
from explorer.ui.words.store import Store
from explorer.ui.workbench import Workbench
from explorer.words import corpus, counts, similarity
from explorer.words.train import OWN_TEXT, Trainer
from explorer.words.vectors import Vectors

SLICE_S, SHOW_S, PACE_MS = 0.008, 0.1, 40
LONGEST = 300_000  # characters; counting them takes half a second
TABLE = 8
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


class LossCurve(QWidget):
    """The loss of each epoch as a line."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._losses: Sequence[float] = ()
        self._epochs = 1
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip("The mean loss of a pair, for each epoch")

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(300), px(130))

    def show_losses(self, losses: Sequence[float], epochs: int) -> None:
        """Draw what there is so far, of so many epochs."""
        self._losses, self._epochs = losses, epochs
        said = f"loss fell from {written(losses[0], 4)} to {written(losses[-1], 4)}" if losses else "no epoch yet"
        self.setAccessibleName(f"Loss by epoch: {said}")
        self.update()

    def paintEvent(self, event: Any) -> None:
        theme, fonts = self._bench.appearance.theme, self._bench.appearance.fonts
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.small)
        high = painter.fontMetrics().height()
        area = QRectF(2, 4, self.width() - 4, self.height() - high - 10)
        painter.setPen(QPen(qcolor(theme.line_strong), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        painter.setPen(qcolor(theme.muted))
        below = QRectF(2, area.bottom() + 4, area.width(), high)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "loss")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"epoch {self._epochs}")
        if self._losses:
            top = max(self._losses) or 1.0
            step = area.width() / max(self._epochs - 1, 1)
            points = [
                QPointF(area.left() + i * step, area.bottom() - loss / top * area.height())
                for i, loss in enumerate(self._losses)
            ]
            painter.setPen(QPen(qcolor(theme.series[2]), 2))
            painter.drawPolyline(points)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here))
            painter.drawEllipse(points[-1], 3.5, 3.5)
        painter.end()


class OwnTextCard(Card):
    """GloVe in the window, in slices of the event loop: the steps are too small for a thread of their own."""

    needs_vectors = False

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = (
            "GloVe counts which words stand near each other, and moves the vectors until their dot products match the "
            "logarithms of the counts. A few hundred lines are enough to see it happen."
        )
        super().__init__(bench, store, "Train on your own text", about)
        self.text = QPlainTextEdit(example())
        self.text.setAccessibleName("Text to train on")
        self.text.setToolTip("Paste or type plain text; a line is a sentence or a paragraph")
        self.text.setTabChangesFocus(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.page.addWidget(self.text)
        self.button = QPushButton("Train")
        mark(self.button, primary="true")
        self.button.setToolTip("Learn vectors from this text, from the beginning; press again to stop")
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
        self.curve = LossCurve(bench)
        self.near = Near("Words nearest to the watched one")
        self.list = NearList(bench, self.near, self.word.setText)
        self.table = label("")
        self.table.setTextFormat(Qt.TextFormat.RichText)
        self.outcome = self.row(
            self.list,
            column(label("Loss", "section"), self.curve),
            column(label("How often the most frequent words stand near each other", "section"), self.table),
        )
        self.outcome.hide()
        self.trainer: Trainer | None = None
        self._corpus: corpus.Corpus | None = None
        self._shown = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self.restyle()

    def restyle(self) -> None:
        super().restyle()
        self.text.setFixedHeight(self.bench.appearance.px(120))
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
            pairs = counts.count(self._corpus, OWN_TEXT.window)
            self.trainer = Trainer(pairs, OWN_TEXT)
        except ExplorerError as error:
            show_error(error, self.button)
            return
        if self.word.text().strip().lower() not in self._corpus.words:
            self.word.setText(self._corpus.words[0])
        self._tabulate(pairs)
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
        self.curve.show_losses(trainer.losses, epochs)
        word = self.word.text().strip()
        found = similarity.nearest(vectors, word, 10) if word in vectors or word.lower() in vectors else []
        self.list.show_words(found)

    def _tabulate(self, pairs: counts.Counts) -> None:
        assert self._corpus is not None
        words = [escape(word) for word in self._corpus.words[:TABLE]]
        table = pairs.table(range(len(words)))
        head = "".join(f"<td align='right'>{word}</td>" for word in words)
        rows = "".join(
            f"<tr><td>{word}</td>{''.join(f'<td align=right>{written(float(n), 1)}</td>' for n in row)}</tr>"
            for word, row in zip(words, np.round(table, 1), strict=True)
        )
        self.table.setText(f"<table cellpadding='4'><tr><td></td>{head}</tr>{rows}</table>")
        self.table.setToolTip("A pair counts 1 side by side, 1/2 two places apart, and so on up to five places")

    def _use(self) -> None:
        vectors = self.vectors_now()
        if vectors is not None:
            self.store.load(vectors)
