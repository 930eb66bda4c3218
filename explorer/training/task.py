"""What training is asked for: which model, what it learns from, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.core.training.recipe import Recipe
from explorer.core.training.text import read_text

KINDS = ("gpt", "encoder-decoder", "mlp")
SETS = ("xor", "sine")
MOST_WORDS = 50_000
MOST_MERGES = 10_000
MOST_WINDOW = 512
MOST_LAYERS = 24
MOST_D_MODEL = 2048
MOST_UNITS = 4096
MOST_CASES = 10_000
MOST_SENTENCES = 200_000
LEARNS_FROM = {"gpt": ("text", "grammar"), "encoder-decoder": ("pairs", "grammar"), "mlp": ("set", "cases")}
"""What a model of each kind can learn from, beside its own example."""


@dataclass(frozen=True)
class ExistingModel:
    """An example, or a document. Training goes on from its weights.

    Parameters
    ----------
    name : str
        The example's id, or the path of the document's file.
    setting : str or None
        Of an example; None for its first.
    """

    name: str
    setting: str | None = None


@dataclass(frozen=True)
class NewModel:
    """A new model of chosen sizes. What is not said here (words, lengths, features) follows from the examples.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    d_model, layers : int
        Of a transformer.
    units : tuple of int
        Of an MLP: the widths of its hidden layers.
    dtype : str
    switches : mapping of str to value
        "BLOCK.NAME" to the choice made.
    """

    kind: str
    d_model: int = 32
    layers: int = 2
    units: tuple[int, ...] = (8,)
    dtype: str = "float32"
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Material:
    """What is learned from.

    Parameters
    ----------
    kind : str
        "own" (the model's own example), "shown" (the same, with dropout's inputs as they are), "text", "pairs",
        "grammar", "set" or "cases".
    file : Path or None
        Of "text", "pairs" and "grammar".
    content : str or None
        What would stand in the file, where there is none.
    set : str
        One of `SETS`.
    window, words : int
        Words in a window of the text, and in the vocabulary of a new model.
    merges : int
        Of a new model that reads pieces of words: how many merges the text teaches; 0 for one that reads words.
    lower : bool
        Whether capitals count as small letters.
    sentences : int
        How many are drawn from a grammar.
    X, target : numpy.ndarray or None
        Of "cases": (n_cases, n_features) and (n_cases, n_outputs).
    """

    kind: str = "own"
    file: Path | None = None
    content: str | None = None
    set: str = ""
    window: int = 16
    words: int = 400
    merges: int = 0
    lower: bool = True
    sentences: int = 20_000
    X: Array | None = None
    target: Array | None = None

    @property
    def text(self) -> str:
        """The text or the pairs of sentences, as they are written.

        Raises
        ------
        ExplorerError
            "text-not-given" where a recipe leaves the file to whoever trains; those of `read_text`.
        """
        if self.content is not None:
            return self.content
        if self.file is None:
            raise ExplorerError("text-not-given")
        return read_text(self.file)


@dataclass(frozen=True, eq=False)
class Task:
    """A whole training.

    Parameters
    ----------
    title, paragraph : str
    model : ExistingModel or NewModel
    material : Material
    recipe : Recipe
    """

    title: str
    paragraph: str
    model: ExistingModel | NewModel
    material: Material
    recipe: Recipe
