"""Training an open document: a trainer does the steps, the document shows the weights that they give."""

from collections.abc import Mapping

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training.data import Examples
from explorer.core.training.recipe import Recipe
from explorer.core.training.text import END, PAD, START, pairs_of, vocabulary, words_of
from explorer.core.training.trainer import Record
from explorer.document.commands import AddWords, SetInputs
from explorer.document.document import Document
from explorer.lessons.plan import Material
from explorer.lessons.training import Beginning, begin_with, published

MOST_WORDS = 2000
"""Words of a text that get a row of their own in the vocabulary, the most frequent ones."""


def take_words(document: Document, material: Material, text: str) -> None:
    """Give the document's model the words of what it is to learn from, where it lacks them; one step to undo.

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
    axes = document.wanted.model.axes
    match material.kind:
        case "text":
            words = {"input.words": vocabulary(words_of(text, material.lower), MOST_WORDS)}
        case "pairs":
            read, written = zip(*pairs_of(text, lower=material.lower), strict=True)
            known = [vocabulary([word for words in side for word in words], MOST_WORDS) for side in (read, written)]
            words = {"source.words": (*known[0], PAD), "target.words": (START, *known[1], END, PAD)}
        case _:
            return
    if not words.keys() <= axes.keys():
        return  # another kind of model: that is said where the run begins
    if "output.words" in axes:
        words["output.words"] = next(reversed(words.values()))
    document.do(AddWords(words))


class Session:
    """A trainer at work on the weights of a document. All its steps are one step to undo.

    The trainer takes over what somebody edits in mid-run, and goes on from there.

    Parameters
    ----------
    document : Document
    material : Material
    recipe : Recipe

    Attributes
    ----------
    trainer : Trainer

    Raises
    ------
    ExplorerError
        Those of `begin_with` and of `Trainer`.
    """

    def __init__(self, document: Document, material: Material, recipe: Recipe) -> None:
        self._document = document
        self._stroke = object()
        document.settle()
        self.beginning: Beginning = begin_with(document.state, material, recipe)
        self.trainer = self.beginning.trainer()
        self._left = {name: document.state.inputs[name] for name in self.trainer.weights}

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
    def undone(self) -> bool:
        """Whether somebody has taken steps of the run back: going on would take that away again."""
        return self._document.history.redo_label is not None

    def advance(self, seconds: float) -> list[Record]:
        """Train for so long, at least one step, and show the document the weights.

        Raises
        ------
        ExplorerError
            "model-changed" where the document's model has other weights by now, or those of `Trainer.run`; the document
            then has the last good weights.
        """
        self._read_edits()
        try:
            return self.trainer.run(seconds)
        finally:
            self._publish()

    def _publish(self) -> None:
        """Put the trainer's weights into the document."""
        arrays = published(self._document.wanted, self.trainer)
        steps = f"{self.trainer.at} step{'s' * (self.trainer.at != 1)}"
        self._document.do(SetInputs(arrays, f"Train, {steps}", self._stroke))
        self._left = {**self._left, **arrays}

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
