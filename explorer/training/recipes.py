"""Training tasks as TOML files: which model, the material that it learns from, and the settings.

::

    title = "…"                 and, as in a lesson, paragraph

    [model]                     an example or a document, whose training continues …
    example = "xor"             its id; or: document = "mine.explorer"
    setting = "textbook"        of an example; default: its first

    [model]                     … or a new model, of chosen sizes
    kind = "gpt"                or encoder-decoder, or encoder (to say masked words), or mlp
    d_model = 32
    layers = 2
    units = [8, 8]              of an mlp: the hidden layers
    dtype = "float32"           or float64
    [model.switches]            as in a lesson
    heads = 4

    [data]                      if missing: the example's or document's own sentence
    text = "verses.txt"         next-word examples; a file in the recipe's folder
    window = 16                 words in a window
    words = 400                 size of the vocabulary; other words are <unk>
    merges = 512                or: pieces of words, by this many merges; then `--text` may give the text
    lower = true                capitals are read as small letters
    pairs = "pairs.tsv"         or: two sentences in each line, a tab between them
    grammar = "mine.toml"       or: sentences drawn from a grammar; see `explorer.training.grammar`
    sentences = 20000           how many sentences
    set = "xor"                 or: a table of cases that comes with the program
    X = [[0, 1], …]             or: a table of cases written out,
    target = [[1], …]           and the outputs that it should have

    [training]                  every setting of `Recipe`

This file also defines the task as data (`Task`), and reads the results of training a small model of each kind on the
same sentences (`packaging/shipped.py`).
"""

import tomllib
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from explorer import paths
from explorer.core.errors import ExplorerError, nearest
from explorer.core.frozen import Frozen
from explorer.core.model import Model, SwitchValue
from explorer.core.ops import Array
from explorer.core.training.data import read_text
from explorer.core.training.recipe import Recipe
from explorer.document.storage import ENDING
from explorer.files import write_file
from explorer.lessons.document_lesson import is_document
from explorer.lessons.model_tables import switches_in
from explorer.lessons.reading import MOST_TEXT, TomlTable, read, recipe_in, written_key, written_value

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
    "encoder": ("grammar",),  # it learns to predict masked words
    "mlp": ("set", "cases"),
}
"""The material that each kind of model can learn from, besides its own example."""


class ExistingModel(Frozen):
    """An example, or a document. Training continues from its weights."""

    name: str  # the example's id, or the path of the document's file
    setting: str | None = None  # the setting of an example; None for its first


class NewModel(Frozen):
    """A new model of chosen sizes. Its words, lengths and features follow from the examples."""

    kind: str  # one of `KINDS`
    # `d_model`, `layers`: for a transformer.
    d_model: int = 32
    layers: int = 2
    units: tuple[int, ...] = (8,)  # for an MLP: the widths of its hidden layers
    dtype: str = "float32"
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)  # "BLOCK.NAME" to the chosen value


class Material(Frozen, eq=False):
    """What a model learns from."""

    # "own" (the model's own example), "shown" (the same, without drawing dropout), "text", "pairs", "grammar", "set" or
    # "cases".
    kind: str = "own"
    file: Path | None = None  # for "text", "pairs" and "grammar"
    content: str | None = None  # the text itself, if there is no file
    set: str = ""  # one of `SETS`
    # `window`, `words`: words in a window of the text, and in the vocabulary of a new model.
    window: int = 16
    words: int = 400
    # For a new model that reads pieces of words: how many merges it learns from the text; 0 for one that reads words.
    merges: int = 0
    lower: bool = True  # whether capitals are read as small letters
    sentences: int = 20_000  # how many are drawn from a grammar
    # `X`, `target`: for "cases": (n_cases, n_features) and (n_cases, n_outputs).
    X: Array | None = None
    target: Array | None = None

    @property
    def text(self) -> str:
        """The text or the pairs of sentences, unchanged.

        Raises `ExplorerError`: "text-not-given" if the recipe names no file; the errors of `read_text`.
        """
        if self.content is not None:
            return self.content
        if self.file is None:
            raise ExplorerError("text-not-given")
        return read_text(self.file)


class Task(Frozen, eq=False):
    """A complete training task."""

    title: str
    paragraph: str
    model: ExistingModel | NewModel
    material: Material
    recipe: Recipe


def load(name_or_path: str | Path, text: str | None = None) -> Task:
    """A recipe of the program by name, or any recipe by the path of its file.

    `text`: the file to learn from if the recipe names nothing.
    Raises `ExplorerError`: "unknown-recipe", "lesson-not-read", "lesson-too-large", "lesson-syntax" or "lesson-key".
    """
    name = str(name_or_path)
    if isinstance(name_or_path, str) and not name.endswith(".toml") and "/" not in name and "\\" not in name:
        if name not in names():
            raise ExplorerError("unknown-recipe", name=name, near=nearest(name, names()), known=", ".join(names()))
        name_or_path = paths.resources() / "recipes" / f"{name}.toml"
    path = Path(name_or_path)
    top = read(path)
    if text is not None and "data" not in top:
        top = TomlTable(top.file, {**top.data, "data": {"text": str(Path(text).resolve())}})
    return _task(top, path.parent)


def names() -> list[str]:
    """The names of the recipes that come with the program."""
    return sorted(file.stem for file in (paths.resources() / "recipes").glob("*.toml"))


def _task(top: TomlTable, folder: Path) -> Task:
    top.has_only("title", "paragraph", "model", "data", "training")
    title = top.text("title", default="")
    paragraph = top.text("paragraph", default="", most=MOST_TEXT)
    if not len(top.table("model")):
        top.fail("model", "is missing", 'add [model], with example = "…", document = "…" or kind = "…"')
    model = _model(top.table("model"), folder)
    material = _material(top.table("data"), folder)
    if isinstance(model, NewModel) and material.kind not in LEARNS_FROM[model.kind]:
        given = "nothing" if material.kind == "own" else f"'{material.kind}'"
        problem = f"a model of kind '{model.kind}' cannot learn from {given}"
        top.table("data").fail("", problem, f"give it one of {', '.join(LEARNS_FROM[model.kind])}")
    return Task(title, paragraph, model, material, recipe_in(top.table("training")))


def _model(table: TomlTable, folder: Path) -> ExistingModel | NewModel:
    if sum(key in table for key in ("example", "document", "kind")) != 1:
        table.fail("", "does not say which model", 'write one of example = "…", document = "…" and kind = "…"')
    if "example" in table:
        table.has_only("example", "setting")
        return ExistingModel(table.text("example"), table.text("setting") if "setting" in table else None)
    if "document" in table:
        table.has_only("document")
        file = _file(table, "document", folder)
        if not is_document(file):
            table.fail("document", f"'{file.name}' is no document", f"name a file that ends in {ENDING}")
        return ExistingModel(str(file))
    kind = table.one_of("kind", KINDS)
    sizes = ("units",) if kind == "mlp" else ("d_model", "layers")
    table.has_only("kind", "dtype", "switches", *sizes)
    dtype = table.one_of("dtype", ("float32", "float64"), default=NewModel.dtype)
    units = _units(table) if "units" in table else NewModel.units
    layers = table.number("layers", NewModel.layers, 1, MOST_LAYERS) if kind != "mlp" else len(units) + 1
    d_model = table.number("d_model", NewModel.d_model, 1, MOST_D_MODEL)
    switches = switches_in(table.table("switches"), Model(kind, layers=layers))
    return NewModel(kind, d_model, layers, units, dtype, switches)


def _units(table: TomlTable) -> tuple[int, ...]:
    units = table.array("units")
    fits = (units >= 1) & (units <= MOST_UNITS) & (units % 1 == 0)
    if units.ndim != 1 or len(units) > MOST_LAYERS or not fits.all():
        remedy = f"write up to {MOST_LAYERS} whole numbers from 1 to {MOST_UNITS}, as in [8, 8]"
        table.fail("units", "is no list of widths", remedy)
    return tuple(map(int, units))


def _material(table: TomlTable, folder: Path) -> Material:
    keys = {"text": "text", "pairs": "pairs", "grammar": "grammar", "set": "set", "X": "cases"}
    kinds = [kind for key, kind in keys.items() if key in table]
    if len(kinds) > 1:
        table.fail("", f"says twice what is learned from: {' and '.join(kinds)}", "leave one out")
    if not kinds and "merges" in table:
        kinds = ["text"]  # the caller of the training says which text
    match kinds:
        case []:
            if len(table):
                table.has_only(*keys, "target", "window", "words", "lower", "sentences")
                remedy = "write one of text, pairs, grammar, set, and X with target"
                table.fail("", "does not say what is learned from", remedy)
            return Material()
        case ["set"]:
            table.has_only("set")
            return Material("set", set=table.one_of("set", SETS))
        case ["cases"]:
            table.has_only("X", "target")
            return Material("cases", X=_table_of(table, "X"), target=_table_of(table, "target"))
        case ["grammar"]:
            table.has_only("grammar", "sentences")
            n = table.number("sentences", Material.sentences, 2, MOST_SENTENCES)
            return Material("grammar", _file(table, "grammar", folder), sentences=n)
        case [kind]:
            if "words" in table and "merges" in table:
                table.fail("", "has words and merges", "leave out words for pieces of words, or else merges")
            table.has_only(kind, "words", "lower", *(("window", "merges") if kind == "text" else ()))
            return Material(
                kind,
                _file(table, kind, folder) if kind in table else None,
                window=table.number("window", Material.window, 1, MOST_WINDOW),
                words=table.number("words", Material.words, 8, MOST_WORDS),
                merges=table.number("merges", Material.merges, 0, MOST_MERGES),
                lower=table.flag("lower", Material.lower),
            )
    raise AssertionError(kinds)


def _table_of(table: TomlTable, key: str) -> Array:
    numbers = table.array(key)
    if numbers.ndim != 2 or len(numbers) > MOST_CASES:
        table.fail(key, "is no table of cases", f"write up to {MOST_CASES:,} rows of numbers: [[0, 1], [1, 1]]")
    if key == "target" and len(numbers) != len(table.array("X")):
        table.fail(key, f"has {len(numbers)} rows", f"write {len(table.array('X'))}, one for each row of X")
    return numbers


def _file(table: TomlTable, key: str, folder: Path) -> Path:
    """A file named in a recipe: a path relative to the recipe's folder, or a full path."""
    table.text(key, most=MOST_TEXT)  # checks the type; it also merges blanks, so it is not used as the path
    return folder / str(table.data[key])


# Writing


def save(task: Task, path: Path) -> None:
    """Write a recipe that `load` can read. Files have full paths, so the recipe may be moved.

    Raises `ExplorerError`: "not-written".
    """
    write_file(path, written(task).encode())


def written(task: Task) -> str:
    """A recipe as TOML."""
    model, material = task.model, task.material
    top = {"title": task.title, "paragraph": task.paragraph}
    tables: dict[str, Mapping[str, Any]] = {}
    if isinstance(model, ExistingModel):
        if is_document(model.name):
            tables["model"] = {"document": str(Path(model.name).absolute())}
        else:
            tables["model"] = {"example": model.name, "setting": model.setting}
    else:
        sizes: dict[str, Any] = {"units": list(model.units)}
        if model.kind != "mlp":
            sizes = {"d_model": model.d_model, "layers": model.layers}
        tables["model"] = {"kind": model.kind, **sizes, "dtype": model.dtype}
        tables["model.switches"] = model.switches
    match material.kind:
        case "set":
            tables["data"] = {"set": material.set}
        case "cases":
            assert material.X is not None
            assert material.target is not None
            tables["data"] = {"X": material.X.tolist(), "target": material.target.tolist()}
        case "grammar":
            assert material.file is not None
            tables["data"] = {"grammar": str(material.file.absolute()), "sentences": material.sentences}
        case "text" | "pairs":
            file: dict[str, Any] = {material.kind: str(material.file.absolute())} if material.file else {}
            window = {"window": material.window} if material.kind == "text" else {}
            chosen = {"merges": material.merges} if material.merges else {"words": material.words}
            tables["data"] = {**file, **window, **chosen, "lower": material.lower}
    tables["training"] = task.recipe.as_dict()
    lines = [f"{key} = {written_value(value)}" for key, value in top.items() if value]
    for way, values in tables.items():
        said = {key: value for key, value in values.items() if value not in (None, "", [])}
        if said:
            entries = (f"{written_key((key,))} = {written_value(value)}" for key, value in said.items())
            lines += ["", f"[{way}]", *entries]
    return "\n".join(lines) + "\n"


class Kind(Frozen):
    """One kind, trained with several seeds."""

    recipe: str
    title: str
    weights: int  # number of learned weights
    losses: tuple[float, ...]  # on held-out sentences, in nats per word, one for each seed

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return float(np.mean(self.losses))

    @property
    def spread(self) -> float:
        """The sample standard deviation over the seeds."""
        return float(np.std(self.losses, ddof=1))


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, smallest loss first."""
    scores = tomllib.loads((paths.resources() / "kinds" / "scores.toml").read_text("utf-8"))
    found = [
        Kind(name, load(name).title.removesuffix(", small"), score["weights"], tuple(score["losses"]))
        for name, score in scores.items()
    ]
    return tuple(sorted(found, key=lambda kind: kind.mean))


@cache
def steps() -> int:
    """The number of training steps, the same for all kinds."""
    (found,) = {load(kind.recipe).recipe.steps for kind in kinds()}
    return found
