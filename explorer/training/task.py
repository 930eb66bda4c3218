"""What training is asked for: which model, what it learns from, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.core.training.data import read_text
from explorer.core.training.recipe import Recipe

KINDS = ("gpt", "encoder-decoder", "encoder", "mlp")
SETS = ("xor", "sine")
MOST_WORDS = 50_000
MOST_MERGES = 10_000
MOST_WINDOW = 512
MOST_LAYERS = 24
MOST_D_MODEL = 2048
MOST_UNITS = 4096
MOST_CASES = 10_000
MOST_SENTENCES = 200_000
LEARNS_FROM = {
    "gpt": ("text", "grammar"),
    "encoder-decoder": ("pairs", "grammar"),
    "encoder": ("grammar",),  # to say the words that are masked
    "mlp": ("set", "cases"),
}
"""What a model of each kind can learn from, beside its own example."""


@dataclass(frozen=True)
class ExistingModel:
    """An example, or a document. Training goes on from its weights."""

    name: str  # the example's id, or the path of the document's file
    setting: str | None = None  # of an example; None for its first


@dataclass(frozen=True)
class NewModel:
    """A new model of chosen sizes. What is not said here (words, lengths, features) follows from the examples."""

    kind: str  # one of `KINDS`
    # `d_model`, `layers`: of a transformer.
    d_model: int = 32
    layers: int = 2
    units: tuple[int, ...] = (8,)  # of an MLP: the widths of its hidden layers
    dtype: str = "float32"
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)  # "BLOCK.NAME" to the choice made


@dataclass(frozen=True, eq=False)
class Material:
    """What is learned from."""

    # "own" (the model's own example), "shown" (the same, with dropout's inputs as they are), "text", "pairs",
    # "grammar", "set" or "cases".
    kind: str = "own"
    file: Path | None = None  # of "text", "pairs" and "grammar"
    content: str | None = None  # what would stand in the file, where there is none
    set: str = ""  # one of `SETS`
    # `window`, `words`: words in a window of the text, and in the vocabulary of a new model.
    window: int = 16
    words: int = 400
    # Of a new model that reads pieces of words: how many merges the text teaches; 0 for one that reads words.
    merges: int = 0
    lower: bool = True  # whether capitals count as small letters
    sentences: int = 20_000  # how many are drawn from a grammar
    # `X`, `target`: of "cases": (n_cases, n_features) and (n_cases, n_outputs).
    X: Array | None = None
    target: Array | None = None

    @property
    def text(self) -> str:
        """The text or the pairs of sentences, as they are written.

        Raises `ExplorerError`: "text-not-given" where a recipe leaves the file to whoever trains; those of `read_text`.
        """
        if self.content is not None:
            return self.content
        if self.file is None:
            raise ExplorerError("text-not-given")
        return read_text(self.file)


@dataclass(frozen=True, eq=False)
class Task:
    """A whole training."""

    title: str
    paragraph: str
    model: ExistingModel | NewModel
    material: Material
    recipe: Recipe
