"""A model that a lesson needs and that does not come with the program: what it is, and whether a folder contains it.

Without it, the lesson has a stand-in: a narrow model of the same architecture with random weights. The lesson is listed
and checked with the stand-in, but cannot be taken with it.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.core.errors import ExplorerError
from explorer.core.model import SEQUENCES, Model
from explorer.core.ops import Array
from explorer.document.state import State
from explorer.lessons.model_tables import lengths_of, read_words, to_try
from explorer.lessons.reading import MOST_TEXT, TomlTable
from explorer.lessons.schema import NeededModel, Setting

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told

WEIGHTS = "model.safetensors"
_HASH = frozenset("0123456789abcdef")
_SIZES = ("layers", "heads", "d_model", "d_ff", "words")
_BLOCK = 2**22
_NARROW = 8
"""Dimensions of a head of the stand-in: a quarter of them is still a whole pair, for rotary positions."""


def read_needed(top: TomlTable) -> NeededModel:
    """The model that the table ``[checkpoint]`` names.

    Raises `ExplorerError`: "lesson-key".
    """
    from explorer.checkpoints.architectures import MEMBERS  # few lessons need a model

    table = top.table("checkpoint")
    table.has_only("name", "kind", "published", "licence", "files", "bytes", "sha256", "checked", "sizes")
    sizes = table.table("sizes")
    sizes.has_only(*_SIZES)
    hash = table.text("sha256", default="")
    if hash and (len(hash) != 64 or not _HASH.issuperset(hash)):
        table.fail("sha256", "is no SHA-256", "write 64 digits and letters from a to f, or leave it out")
    return NeededModel(
        table.text("name"),
        table.one_of("kind", {one.kind: None for one in MEMBERS}),
        table.text("published"),
        table.text("licence"),
        table.words("files"),
        table.number("bytes", default=0, least=0, most=2**40),
        hash,
        table.flag("checked", False),
        {name: sizes.number(name, 1, 1, 2**24) for name in _SIZES},
    )


def stand_in(top: TomlTable, needed: NeededModel) -> tuple[Model, Mapping[str, Array]]:
    """A narrow model of the same architecture, with random weights and the words that the lesson names."""
    from explorer.checkpoints.architectures import MEMBERS, Sizes
    from explorer.checkpoints.checkpoint import model_of

    tables = [top, *(top.table("settings").table(name) for name in top.table("settings")), *top.tables("step")]
    said = [word for table in tables for one in table.table("tokens") for word in table.table("tokens").words(one)]
    words = tuple(dict.fromkeys(said))
    heads, layers = needed.sizes["heads"], needed.sizes["layers"]
    width = heads * _NARROW
    member = next(one for one in MEMBERS if one.kind == needed.kind)
    model = model_of(member.plan(Sizes(width, heads, _NARROW, 2 * width, layers, len(words))), "float32")
    model = replace(model, axes={f"{sequence}.words": words for sequence in SEQUENCES[model.kind]})
    drawn = State.of(model, {}).used
    return model, {name: array for name, array in drawn.items() if not name.endswith(".tokens")}


def read_on_needed(
    top: TomlTable, needed: NeededModel, found: "Checkpoint | None"
) -> tuple[Model, Mapping[str, Array], dict[str, Setting]]:
    """The model that was found or its stand-in, its inputs, and the settings, each with its own words."""
    model, inputs = stand_in(top, needed) if found is None else (found.model, found.inputs)
    settings = {}
    for name in top.table("settings"):
        table = top.table("settings").table(name)
        table.has_only("title", "paragraph", "try", "tokens")
        words = read_words(table, model.kind, model.axes)
        settings[name] = Setting(
            *(name, table.text("title"), table.text("paragraph", most=MOST_TEXT)),
            inputs=words,
            lengths=lengths_of(words),
            to_try=to_try(table),
        )
    return model, inputs, settings


def read_folder(top: TomlTable, folder: Path, told: "Told | None" = None) -> "Checkpoint":
    """The model in a folder, if it is the one that a lesson needs.

    `told`: called with how much has been read; it may raise to stop.
    Raises an `ExplorerError`: "other-model" if it is another model; "checkpoint" or "tokenizer" if it cannot be opened.
    """
    from explorer.checkpoints import hugging_face
    from explorer.checkpoints.plans import Config

    needed = read_needed(top)

    def other(problem: str) -> ExplorerError:
        return ExplorerError("other-model", folder=str(folder), name=needed.name, problem=problem)

    if not (folder / "config.json").is_file():
        raise other("it has no config.json")
    if not Config(folder / "config.json").is_one_of("model_type", {needed.kind: ""}):
        raise other(f"its config.json does not say that it is a {needed.kind}")
    weights = folder / WEIGHTS
    if needed.sha256 and weights.is_file() and not _is_published(weights, needed, told):
        raise other(f"its {WEIGHTS} is not the one that was published (another SHA-256)")
    found = hugging_face.opened(folder, told=told)
    sizes = sizes_of(found.model)
    for name, wanted in needed.sizes.items():
        if sizes[name] != wanted:
            what = "d_model" if name == "d_model" else "d_ff" if name == "d_ff" else f"the number of {name}"
            raise other(f"{what} is {sizes[name]:,}, not {wanted:,}")
    axis = f"{SEQUENCES[found.model.kind][0]}.words"
    lacking = [word for word in stand_in(top, needed)[0].axes[axis] if word not in set(found.model.axes[axis])]
    if lacking:
        raise other(f"“{lacking[0]}” is none of its words; its tokenizer.json may be missing")
    return found


def sizes_of(model: Model) -> dict[str, int]:
    """The sizes that identify a model, with heads and d_ff from its first layer."""
    blocks, words = model.blocks(), model.axes[f"{SEQUENCES[model.kind][0]}.words"]
    attention = next(block for block, kind in blocks.items() if kind == "attention")
    net = next(block for block, kind in blocks.items() if kind == "ffn")
    heads, d_ff = int(model.switch(attention, "heads")), int(model.switch(net, "d_ff"))
    own = model.layers, heads, model.d_model, d_ff or 4 * model.d_model, len(words)
    return dict(zip(_SIZES, own, strict=True))


def _is_published(file: Path, needed: NeededModel, told: "Told | None") -> bool:
    found, done, size = sha256(), 0, file.stat().st_size
    if needed.bytes and size != needed.bytes:
        return False
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            found.update(block)
            done += len(block)
            if told is not None:
                told(done, 2 * size)  # the file is read twice: for its hash, then for its numbers
    return found.hexdigest() == needed.sha256
