"""Training word vectors on the reader's own text: the counts, the loss, and a word's neighbours as they change."""

from html import escape
from time import perf_counter
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError, cut
from explorer.core.numbers import quantity, written
from explorer.pages.controls import Button, Field, TextBox
from explorer.pages.drawing import HERE, Axis, Curve, Dot, Drawing, series
from explorer.pages.element import Element
from explorer.pages.page import NUMBER, Column, Line, Listing, Note, Picture, Row, Stack
from explorer.pages.words.card import Pair, Shared, WordsCard
from explorer.pages.words.neighbours import near
from explorer.words import corpus, similarity
from explorer.words.glove import OWN_TEXT, GloveTrainer
from explorer.words.similarity import Neighbour
from explorer.words.vectors import Vectors

SLICE_S, SHOW_S, PACE_MS = 0.008, 0.1, 40
LONGEST = 300_000  # characters; counting them takes less than a tenth of a second
TABLE, LIKE = 8, 5  # columns of the table of counts; its rows besides that of the watched word
UNKNOWN_WIDE = 260
"""The width of the sentence in the place of the neighbours of a word without a vector, in pixels at text scale 1."""
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
BEASTS = ("cat", "dog", "horse", "cow", "goat")
FOODS = ("bread", "soup", "rice", "cheese", "fish")
ABOUT = (
    "GloVe counts which words stand near each other, and moves the vectors until their dot products match the "
    "logarithms of the counts. Paste or type plain text; a line is a sentence or a paragraph. A few hundred lines are "
    "enough to see it happen."
)
COUNTED = (
    "A pair of words counts 1 if they stand side by side, 1/2 if they are two places apart, and so on up to five "
    "places."
)


def example() -> str:
    """A text in which all days have the same words around them, and so have all animals and all foods."""
    lines = []
    for i in range(60):
        day, beast, food = DAYS[i % 5], BEASTS[(i * 3 + i // 5) % 5], FOODS[(i * 2 + i // 7) % 5]
        lines += [
            f"On {day} we met in the town, and on {DAYS[(i + 1) % 5]} we went home.",
            f"The {beast} ran over the field, and the {BEASTS[(i + 2) % 5]} ran behind it.",
            f"We ate {food} for supper with a little {FOODS[(i + 3) % 5]}.",
        ]
    return "\n".join(lines)


class OwnTextCard(WordsCard):
    """GloVe, trained in slices of the event loop: the steps are too small for a thread of their own."""

    name, title, short, beside = "own text", "Train on your own text", "Train", 1800
    needs_vectors = False

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.text, self.watched = example(), "monday"
        self.learns = False
        self.pace = 0  # milliseconds until the next slice
        self.trainer: GloveTrainer | None = None
        self.found: list[Neighbour] = []
        self._corpus: corpus.Corpus | None = None
        self._counts: corpus.Counts | None = None
        self._shown = 0.0

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        match act:
            case "go to":
                self.watched = value
                self._look()
            case "train" if self.learns:
                self.stop()
            case "train":
                self._begin()
            case "use" if (vectors := self.vectors_now()) is not None:
                self.state.load(vectors)
            case _:
                super().do(act, value, field)

    def be_set(self) -> None:
        self._look()

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        vectors = self.vectors_now()
        assert vectors is not None
        word = vectors.spelt(self.watched.strip())
        return (vectors[word], vectors[which]), (word, which)

    def _begin(self) -> None:
        if len(self.text) > LONGEST:
            raise ExplorerError("text-too-long", limit=f"{LONGEST:,}", given=f"{len(self.text):,}")
        read = corpus.from_text(self.text, OWN_TEXT.words, OWN_TEXT.least)
        counted = corpus.count(read, OWN_TEXT.window)
        self.trainer = GloveTrainer(counted, OWN_TEXT)
        self._corpus, self._counts = read, counted
        if self.watched.strip().lower() not in read.words:
            self.watched = read.words[0]
        self.learns = True
        self._look()

    def stop(self) -> None:
        self.learns = False
        self._look()

    def learn(self) -> bool:
        """Train for `SLICE_S` seconds or to the end of an epoch; returns whether there is something new to show."""
        trainer = self.trainer
        assert trainer is not None
        start = now = perf_counter()
        epochs = len(trainer.losses)
        while len(trainer.losses) == epochs and now - start < SLICE_S:
            trainer.step()
            now = perf_counter()
        # Without a pause after each epoch, the training on a short text would be over before one sees it.
        self.pace = 0 if len(trainer.losses) == epochs else PACE_MS
        if trainer.finished:
            self.stop()
        elif now - self._shown > SHOW_S:
            self._shown = now
            self._look()
        else:
            return False
        return True

    def vectors_now(self) -> Vectors | None:
        """The vectors as trained so far."""
        if self.trainer is None or self._corpus is None:
            return None
        return Vectors.of("your text", self._corpus.words, self.trainer.vectors())

    def _look(self) -> None:
        """Find the words nearest to the watched word in the current vectors."""
        vectors, word = self.vectors_now(), self.watched.strip()
        if vectors is not None:
            self.found = similarity.nearest(vectors, word, 10) if word in vectors or word.lower() in vectors else []

    def page(self) -> tuple[Element, ...]:
        watch, learnt = self.asks("set", field="watched"), self.trainer is not None and not self.learns
        tips = (
            "Learn vectors from this text; press again to stop",
            "Whose neighbours are shown while it learns",
            "Look at them with everything on this page",
        )
        word, enters = self.watched, watch.at(self.watched)
        controls = (
            Button("train", "Stop" if self.learns else "Train", self.asks("train"), tips[0], primary=True),
            Field("watched", "watch", word, watch, enters, tip=tips[1], width=140),
            Button("use", "Use these vectors", self.asks("use"), tips[2], on=learnt),
        )
        box = TextBox("text", "Text to train on", self.text, self.asks("set", field="text"), LONGEST + 1, 120)
        if self.trainer is None or self._corpus is None or self._counts is None:
            return Note("about", ABOUT), box, *self.line(*controls)
        trainer, title = self.trainer, "Words nearest to the watched one"
        near_ = (near(title, self.found, bar=130, card=self.name) if self.found else Note("unknown", self._unknown()),)
        loss = f", loss {written(trainer.losses[-1], 4)}" if trainer.losses else ""
        known = f"{quantity(len(self._corpus.words), 'word')}, {quantity(trainer.n_pairs, 'pair')}"
        said = f"epoch {int(trainer.epochs_done)} of {trainer.settings.epochs}{loss}  ·  {known}"
        often = "Co-occurrence: how often each stands near the most frequent words"
        stacks = (
            Stack("counted", often, (self._table(self._corpus, self._counts), Note("how", COUNTED))),
            Stack("near", "Nearest to the watched word", near_, 0 if self.found else UNKNOWN_WIDE),
            Stack("loss", "Mean loss of a pair", (Picture("curve", _losses(trainer), 320, 190, card=True),)),
        )
        return (
            Note("about", ABOUT),
            box,
            *self.line(*controls, said),
            Row.of("outcome", stacks),
        )

    def _unknown(self) -> str:
        """Why there are no neighbours of the watched word."""
        if not (word := self.watched.strip()):
            return "Type a word to watch."
        known = f"the {OWN_TEXT.words:,} most frequent words of this text that occur {OWN_TEXT.least} times or more"
        return f"“{escape(cut(word))}” has no vector: only {known} have one."

    def _table(self, read: corpus.Corpus, counted: corpus.Counts) -> Listing:
        """How often words stand near the most frequent words; the first row is the watched word."""
        watched = [self.watched.strip().lower()] if self.found else []
        words = [*watched, *(one.word for one in self.found[:LIKE])] or list(read.words[: LIKE + 1])
        places, often = [read.words.index(word) for word in words], range(min(TABLE, len(read.words)))
        every = list(dict.fromkeys([*often, *places]))
        table = counted.table(every)
        lines = tuple(
            Line.of(word, *(f"{table[every.index(place), j]:.1f}" for j in often), here=i == 0 and bool(watched))
            for i, (word, place) in enumerate(zip(words, places, strict=True))
        )
        columns = (Column(""), *(Column(read.words[j], NUMBER) for j in often))
        return Listing("counts", "How often words stand near each other", columns, lines)


def _losses(trainer: GloveTrainer) -> Drawing:
    losses, epochs = np.array(trainer.losses), trainer.settings.epochs
    done = np.arange(1, len(losses) + 1)
    said = f"The loss after {quantity(len(losses), 'epoch')}"
    now = (Dot(float(done[-1]), float(losses[-1]), ink=HERE),) if len(losses) else ()
    if now:
        said += f" is {written(float(losses[-1]), 4)}"
    top = 1.05 * float(losses.max(initial=0.01))
    # With a margin, so that the dot is whole at the edges.
    window = (0, 1.02 * epochs, -0.02 * top, top)
    return Drawing((Curve(done, losses, ink=series(0)), *now), window, said, Axis("epochs"), Axis("loss"))
