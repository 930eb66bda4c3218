"""The model that a lesson needs and that does not come with the program: its table ``[checkpoint]``.

Until it is there, the lesson has a stand-in: a narrow model of the same architecture with random weights, with which it
is listed and checked, but cannot be taken. A folder or a file is the needed model if its hash and its sizes agree.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.core.errors import ExplorerError
from explorer.core.model import SEQUENCES, SWITCHES, Model, SwitchValue
from explorer.core.ops import Array
from explorer.document.state import State
from explorer.lessons.model_tables import MOST_LAYERS, lengths_of, read_words, switches_in, to_try
from explorer.lessons.reading import MOST_TEXT, TomlTable
from explorer.lessons.schema import Lesson, NeededModel, Setting
from explorer.lessons.symbols import is_word

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told

WEIGHTS = "model.safetensors"
_HASH = frozenset("0123456789abcdef")
_SIZES = ("layers", "heads", "d_model", "d_ff", "words")
_BLOCK = 2**22
_FILES = (".json", ".safetensors", ".txt", ".spm", ".model")
_NARROWED = frozenset(("heads", "key_heads", "d_k", "d_v", "d_ff", "room", "table_width", "shared", "segments"))
_NARROWED |= {"scale_width", "rotary_width", "rotary_room"}
"""Switches that are sizes, which the stand-in has smaller."""
_NARROW = 8
"""Dimensions of a head of the stand-in: a quarter of them is still a whole pair, for rotary positions."""


def read_needed(top: TomlTable) -> NeededModel:
    """The model that the table ``[checkpoint]`` names.

    Raises `ExplorerError`: "lesson-key".
    """
    from explorer.checkpoints.architectures import ARCHITECTURES  # few lessons need a model

    table = top.table("checkpoint")
    known = "name", "kind", "published", "licence", "files", "bytes", "sha256", "checked", "sizes"
    table.has_only(*known, "key_heads", "decoder_layers", "switches")
    sizes = table.table("sizes")
    sizes.has_only(*_SIZES)
    hash = table.text("sha256", default="")
    if hash and (len(hash) != 64 or not _HASH.issuperset(hash)):
        table.fail("sha256", "is no SHA-256", "write 64 digits and letters from a to f, or leave it out")
    needed = NeededModel(
        table.text("name"),
        table.one_of("kind", ARCHITECTURES),
        table.text("published", default=""),
        table.text("licence", default=""),
        table.words("files"),
        table.number("bytes", default=0, least=0, most=2**40),
        hash,
        table.flag("checked", False),
        {name: sizes.number(name, 1, 1, 2**24) for name in _SIZES},
        table.number("key_heads", default=0, least=0, most=sizes.number("heads", 1, 1, 2**24)),
        table.number("decoder_layers", default=0, least=0, most=MOST_LAYERS),
    )
    return replace(needed, switches=switches_in(table.table("switches"), _narrow(needed, 1)))


def needed_of(lesson: Lesson) -> NeededModel | None:
    """The model of a lesson, as another lesson on it names it; None if it is no model that others trained."""
    path, kind, model = lesson.folder, lesson.architecture, lesson.model
    if path is None:
        return None
    if path.is_dir():
        files = tuple(sorted(file.name for file in path.iterdir() if file.suffix in _FILES))
    else:
        files = path.name, *sorted(file.name for file in path.parent.glob("tok*.bin") if path.suffix == ".bin")
    attention = next(block for block, part in model.blocks().items() if part == "attention")
    sizes = sizes_of(model)
    key_heads = int(model.switch(attention, "key_heads")) or sizes["heads"]
    needed = NeededModel(path.resolve().name, kind, "", "", files, 0, "", True, sizes, key_heads, model.behind)
    return replace(needed, switches=_unusual(model, _narrow(needed, 1)))


def weights_in(path: Path) -> dict[str, int | str]:
    """The entries ``bytes`` and ``sha256`` of the table ``[checkpoint]``, if one file has all weights of a model."""
    if not (weights := path / WEIGHTS if path.is_dir() else path).is_file():
        return {}
    with weights.open("rb") as stream:
        return {"bytes": weights.stat().st_size, "sha256": file_digest(stream, "sha256").hexdigest()}


def _narrow(needed: NeededModel, words: int) -> Model:
    """A narrow model of the same architecture, with so many words."""
    from explorer.checkpoints.architectures import Sizes, plan_of
    from explorer.checkpoints.checkpoint import model_of

    heads, layers = needed.sizes["heads"], needed.sizes["layers"]
    width = heads * _NARROW
    plan = plan_of(needed.kind, Sizes(width, heads, _NARROW, 2 * width, layers, words))
    model = model_of(replace(plan, decoder_layers=needed.decoder_layers), "float32")
    for block, part in model.blocks().items() if needed.key_heads else ():
        model = model.with_switch(block, "key_heads", needed.key_heads) if part == "attention" else model
    return replace(model, switches={**model.switches, **needed.switches})


def _unusual(model: Model, usual: Model) -> dict[str, SwitchValue]:
    """The switches by which a model has other nodes than is usual for its kind; no sizes, which its stand-in lacks."""
    found: dict[str, SwitchValue] = {}
    for block, kind in model.blocks().items():
        for name, switch in SWITCHES[kind].items():
            own, other = model.switch(block, name), usual.switch(block, name)
            counts = isinstance(switch.default, bool | str) or name == "experts"
            if name not in _NARROWED and (own != other if counts else bool(own) != bool(other)):
                found[f"{block}.{name}"] = own
    return found


def stand_in(top: TomlTable, needed: NeededModel) -> tuple[Model, Mapping[str, Array]]:
    """A narrow model of the same architecture, with random weights and the words that the lesson names."""
    tables = [top, *(top.table("settings").table(name) for name in top.table("settings")), *top.tables("step")]
    said = [word for table in tables for one in table.table("tokens") for word in table.table("tokens").words(one)]
    looks = [step.table("look").data for step in top.tables("step") if "look" in step]
    places = [look[at] for look in looks for at in ("rows", "columns") if isinstance(look.get(at), list)]
    cells = [key for step in top.tables("step") for at in ("inputs", "pins") for key in step.table(at)]
    places += [cell.partition("[")[2].removesuffix("]").split(", ") for cell in cells if "[" in cell]
    said += [one for called in places for one in called if is_word(one)]
    words = tuple(dict.fromkeys(said))
    model = _narrow(needed, len(words))
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


def read_given(top: TomlTable, given: Path, told: "Told | None" = None) -> "Checkpoint":
    """The model in a folder or a file, if it is the one that a lesson needs.

    `told`: called with how much has been read; it may raise to stop.
    Raises an `ExplorerError`: "other-model" if it is another model; "checkpoint" or "tokenizer" if it cannot be opened.
    """
    from explorer import checkpoints
    from explorer.checkpoints.plans import Config

    needed = read_needed(top)

    def other(problem: str) -> ExplorerError:
        name = needed.name if needed.published else f"the {needed.name} that the lesson needs"
        return ExplorerError("other-model", folder=str(given), name=name, problem=problem)

    path = checkpoints.model_in(given)
    if needed.file:
        path = path / needed.file if path.is_dir() else path
        if not path.is_file():
            raise other(f"it has no {needed.file}" if path.parent == given else "there is no such file")
        weights, tokenizer = path, ", ".join(needed.files[1:])
    else:
        if not (path / "config.json").is_file():
            raise other("it has no config.json")
        if not Config(path / "config.json").is_one_of("model_type", {needed.kind: ""}):
            raise other(f"its config.json does not say that it is a {needed.kind}")
        weights, tokenizer = path / WEIGHTS, "tokenizer.json"
    whose = "was published" if needed.published else "the lesson was recorded with"
    if needed.sha256 and weights.is_file() and not _is_published(weights, needed, told):
        its = "it" if needed.file else f"its {WEIGHTS}"
        raise other(f"{its} is not the one that {whose} (another SHA-256)")
    found = checkpoints.opened(path, told=told)
    if found.architecture != needed.kind:
        raise other(f"it is a {found.architecture}, not a {needed.kind}")
    sizes = sizes_of(found.model) | {"decoder_layers": found.model.behind}
    for name, wanted in {**needed.sizes, "decoder_layers": needed.decoder_layers}.items():
        if sizes[name] != wanted:
            what = name if name in ("d_model", "d_ff") else f"the number of {name.replace('_', ' ')}"
            raise other(f"{what} is {sizes[name]:,}, not {wanted:,}")
    axis = f"{SEQUENCES[found.model.kind][0]}.words"
    lacking = [word for word in stand_in(top, needed)[0].axes[axis] if word not in set(found.model.axes[axis])]
    if lacking:
        missing = f"; its {tokenizer} may be missing" if tokenizer else ""
        raise other(f"“{lacking[0]}” is none of its words{missing}")
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
