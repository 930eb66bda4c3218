"""Training an open document: a trainer does the steps, the document shows the weights that they give."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.core.tokens import END, PAD, START
from explorer.core.training.data import Examples
from explorer.core.training.history import Record
from explorer.core.training.recipe import Recipe
from explorer.core.training.text import pairs_of, vocabulary, words_of
from explorer.document.commands import AddWords, Replace, SetInputs, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.plan import Material
from explorer.lessons.training import Beginning, begin_with, of_other_lengths, published, shaped

MOST_WORDS = 2000
"""Words of a text that get a row of their own in the vocabulary, the most frequent ones."""


def take_words(document: Document, material: Material, text: str) -> None:
    """Give the document's model the words of what it is to learn from, where it lacks them; one step to undo.

    A document whose sentence has words that are not in there at all gets a sentence from there to read: one sees what
    the model has learned.

    Parameters
    ----------
    document : Document
    material : Material
        Of "text" or "pairs"; of other kinds nothing is taken.
    text : str
        What stands in its file.

    Raises
    ------
    ExplorerError
        "text-line" or "text-not-read" for what are no pairs of sentences.
    """
    state = document.wanted
    axes = state.model.axes
    match material.kind:
        case "text":
            said = words_of(text, material.lower)
            words = {"input.words": vocabulary(said, MOST_WORDS)}
            n = min(max(state.model.lengths.get("input", 0), 4), material.window)
            sentences = {"input": said[:n]}
        case "pairs":
            pairs = pairs_of(text, lower=material.lower)
            read, written = zip(*pairs, strict=True)
            known = [vocabulary([word for words in side for word in words], MOST_WORDS) for side in (read, written)]
            words = {"source.words": (*known[0], PAD), "target.words": (START, *known[1], END, PAD)}
            sentences = {"source": pairs[0][0], "target": [START, *pairs[0][1]]}
        case _:
            return
    if not words.keys() <= axes.keys():
        return  # another kind of model: that is said where the run begins
    if "output.words" in axes:
        words["output.words"] = next(reversed(words.values()))
    add = AddWords(words)
    state = add.apply(state)
    if not all(set(document.words(sequence)) <= set(words[f"{sequence}.words"]) for sequence in sentences):
        for sequence, sentence in sentences.items():
            state = SetTokens(sequence, sentence).apply(state)
    if state is not document.wanted:
        document.do(Replace(state, add.label))


class Session:
    """A trainer at work on the weights of a document. All its steps are one step to undo.

    The trainer takes over what somebody edits in mid-run, and goes on from there.

    Parameters
    ----------
    document : Document
    material : Material
    recipe : Recipe
    after : Session, optional
        One to go on from, with other settings or another example: its steps count, and are undone together with these.

    Attributes
    ----------
    trainer : Trainer
    first : State
        The document as it was before all steps.

    Raises
    ------
    ExplorerError
        Those of `begin_with` and of `Trainer`.
    """

    def __init__(self, document: Document, material: Material, recipe: Recipe, after: "Session | None" = None) -> None:
        self._document = document
        document.settle()
        state = document.state
        self.beginning: Beginning = begin_with(state, material, recipe)
        self.trainer = self.beginning.trainer()
        self._stroke: object = after._stroke if after else object()
        self.first: State = after.first if after else state
        if after:
            self.trainer.go_on_from(after.trainer)
        self._left = {name: state.inputs[name] for name in self.trainer.weights}
        self._shown = state
        self._around: tuple[Mapping[str, Array], ...] | None = None
        # A text has words of its own; the cases of a table are the document's, in the window.
        apart = self.examples.arrays if material.kind in ("text", "pairs") else {}
        self._given = {n: a for n, a in state.inputs.items() if n not in self.trainer.weights and n not in apart}

    @property
    def work(self) -> int:
        """About how many multiply-adds a step takes: the way there, and twice as much for the way back."""
        of_one = sum(self.trainer.graph.work.values())
        if not self.examples.lengths:
            return 3 * of_one  # its own example, or a table: the rows of the graph are its cases
        return 3 * of_one * min(self.trainer.recipe.batch or len(self.examples.training), len(self.examples.training))

    @property
    def examples(self) -> Examples:
        """What is learned from."""
        return self.beginning.examples

    @property
    def fits(self) -> bool:
        """Whether the document still has the model and the example that are learned; weights may be others."""
        state, begun = self._document.wanted, self.beginning.document
        now, then = (replace(m, lengths={**m.lengths, **self.examples.lengths}) for m in (state.model, begun.model))
        pins = begun.pins
        return (
            now == then
            and state.pins.keys() == pins.keys()
            and all(state.pins[name] is pin for name, pin in pins.items())
            and all(state.inputs.get(name) is array for name, array in self._given.items())
        )

    @property
    def same_weights(self) -> bool:
        """Whether the document still has the same weights, in the same shapes, whatever their values."""
        try:
            edited(self._document, self._left)
        except ExplorerError:
            return False
        return True

    @property
    def undone(self) -> bool:
        """Whether somebody has taken steps of the run back: going on would take that away again."""
        return self._document.history.redo_label is not None

    def advance(self, seconds: float, most: float = inf) -> list[Record]:
        """Train for so long, or so many steps, but one at least, and show the document the weights.

        Raises
        ------
        ExplorerError
            "model-changed" where the document's model has other weights by now, or those of `Trainer.run`; the document
            then has the last good weights.
        """
        self._read_edits()
        try:
            return self.trainer.run(seconds, most)
        finally:
            self._publish()

    @property
    def stepped(self) -> bool:
        """Whether the document is on the run, behind a step."""
        return self.trainer.at > 0 and self.fits and not self.undone

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice of the document: after it minus before."""
        if self._around is None:
            after = self._shown
            before = shaped(after, {name: self.trainer.previous[name] for name in self.trainer.moving})
            states = after.with_inputs(before), after
            self._around = tuple(Document(state).engine.values for state in states)
        was, now = (values.get(place.node) for values in self._around)
        if was is None or now is None:
            return np.zeros(self._document.engine.value(place).shape)
        with np.errstate(invalid="ignore"):
            change: Array = np.where(now[place.index] == was[place.index], 0.0, now[place.index] - was[place.index])
        return change

    def start_over(self) -> None:
        """Give the document the weights that it had before all steps."""
        state = self._document.wanted
        arrays = {name: self.first.inputs[name] for name in self.trainer.weights if name in self.first.inputs}
        others = {name: array for name, array in state.beyond.items() if name not in arrays}
        beyond = others | {name: array for name, array in self.first.beyond.items() if name in arrays}
        before = replace(state.with_inputs(arrays), beyond=beyond)
        if of_other_lengths(state, arrays):
            before = before.rebuilt(state.model)  # the sentence is another one than before all steps
        before = replace(before, run=self.first.run)
        self._document.do(Replace(before, "Start over"))

    def _publish(self) -> None:
        """Put the trainer's weights into the document."""
        arrays = published(self._document.wanted, self.trainer)
        steps = f"{self.trainer.at} step{'s' * (self.trainer.at != 1)}"
        beyond = of_other_lengths(self._document.wanted, self.trainer.weights)
        self._document.do(SetInputs(arrays, f"Train, {steps}", self._stroke, self.trainer.history, beyond))
        self._left = {**self._left, **arrays}
        self._shown, self._around = self._document.wanted, None

    def _read_edits(self) -> None:
        """Take over weights that are not as they were left.

        Raises
        ------
        ExplorerError
            "model-changed"
        """
        self.trainer.set(edited(self._document, self._left))


def edited(document: Document, left: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of a document that are other arrays than those that were left there.

    Raises
    ------
    ExplorerError
        "model-changed" where the document has other weights altogether, or of other shapes.
    """
    state = document.wanted
    learned = {name for name in left if name in state.graph.nodes and state.graph.nodes[name].is_input}
    if learned != left.keys():
        raise ExplorerError("model-changed")
    now = {name: state.inputs[name] for name in left if state.inputs[name] is not left[name]}
    for name, array in now.items():
        axes = state.graph.nodes[name].axes
        differing = {axis for axis, n, m in zip(axes, array.shape, left[name].shape, strict=True) if n != m}
        if not differing <= state.graph.sequences.keys():
            raise ExplorerError("model-changed")
    return now
