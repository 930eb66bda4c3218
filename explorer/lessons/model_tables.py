"""Reads and checks the tables of a lesson's file that describe its model: ``[model]``, ``[tokens]``, ``[switches]``.

Also the files beside a lesson, its weights and its tokenizer, and the ``[settings]`` tables, which become settings with
the numbers of each.

``[checkpoint]`` names a model that does not come with the program. Without it, the lesson has a stand-in: a narrow
model of the same architecture with random weights, with which it is listed and checked, but cannot be taken.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.container import Container, DamagedError
from explorer.core.cost import count_labels
from explorer.core.errors import ExplorerError, written_shape
from explorer.core.graph import Graph, Place
from explorer.core.model import ENDS, KINDS, SEQUENCES, SWITCHES, Model, SwitchValue
from explorer.core.models import build
from explorer.core.ops import Array
from explorer.core.vocabulary import MOST_TOKENS, Vocabulary
from explorer.document.commands.model import first_number, last_number
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.document.state import State, read_only
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, recipe_in, written_key
from explorer.lessons.schema import WHOLE, Lesson, NeededModel, Setting
from explorer.lessons.symbols import is_word

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told


MOST_BYTES = 50_000_000


def read_weights(top: TomlTable, graphs: Mapping[str, Graph]) -> dict[str, Array]:
    """The arrays in the file that a lesson names under ``weights``, each the whole value of an input.

    `graphs`: the graphs of the lesson's settings.

    Raises `ExplorerError`: "lesson-key".
    """
    file = Path(top.file).parent / top.text("weights", most=MOST_PATH)
    try:
        if file.stat().st_size > MOST_BYTES:
            top.fail("weights", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller model")
        with file.open("rb") as stream:
            parts = Container(stream)
            arrays = {name: parts.array(name) for name in parts.forms}
    except OSError as error:
        top.fail("weights", f"{file.name} cannot be read: {error.strerror}", "put the file beside this one")
    except DamagedError as error:
        top.fail(
            "weights", f"{file.name} cannot be read ({error})", "put the file there again, or train the model again"
        )
    for name, array in arrays.items():
        for graph in graphs.values():
            if name not in graph.inputs or array.dtype.kind != "f":
                top.fail("weights", f"{file.name} holds '{name}', which this model does not learn", "train it again")
            if array.shape != graph.shape(name):
                was, wanted = written_shape(array.shape), written_shape(graph.shape(name))
                top.fail("weights", f"'{name}' has shape {was} in {file.name}, not {wanted}", "train the model again")
    return arrays


def read_pieces(top: TomlTable) -> Vocabulary:
    """The pieces of the tokenizer.json that a lesson names under ``tokenizer``.

    Raises `ExplorerError`: "lesson-key".
    """
    from explorer.checkpoints.tokenizers.tokenizer import from_json, named  # few models have one

    file = Path(top.file).parent / top.text("tokenizer", most=MOST_PATH)
    try:
        large = file.stat().st_size > MOST_BYTES
        text = "" if large else file.read_text(encoding="utf-8")
    except OSError as error:
        top.fail("tokenizer", f"{file.name} cannot be read: {error.strerror}", "put the file beside this one")
    except ValueError:
        top.fail("tokenizer", f"{file.name} is no text", "put the file there again")
    if large:
        top.fail("tokenizer", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller one")
    try:
        tokenizer = from_json(text)
    except ExplorerError as error:
        top.fail("tokenizer", f"{file.name} {error.fields.get('problem')}", "put the file there again")
    return named(tokenizer, len(tokenizer.pieces))


MOST_PATH = 4000


MOST_CELLS = 2_000_000
MOST_LABELS = 200_000
MOST_LAYERS = 48


def read_model(top: TomlTable) -> tuple[Model, dict[str, Array]]:
    """The model without its switches, and the numbers of its tokens."""
    table = top.table("model")
    kind = table.one_of("kind", KINDS)
    sequences = SEQUENCES.get(kind, ())
    sizes = ("layers", "seed", "axes") if kind == "mlp" else ("seed", "axes")
    table.has_only("kind", *(("d_model", "layers", "seed", "axes", "dtype") if sequences else sizes))
    dtype = table.one_of("dtype", ("float64", "float32"), default="float64")
    layers = table.number("layers", default=1, least=1, most=MOST_LAYERS)
    axes = _axes(table.table("axes"), kind, layers)
    if sequences:
        top.table("tokens").has_only(*sequences)
    if "tokenizer" in top:
        axes[f"{sequences[0]}.words" if sequences else ""] = read_pieces(top)
    for sequence in sequences:
        axes.setdefault(f"{sequence}.words", tuple(dict.fromkeys(_tokens(top.table("tokens"), sequence))))
    inputs = read_words(top, kind, axes)
    d_model = table.number("d_model", default=len(axes["d_model"]) if "d_model" in axes else 4, least=1, most=4096)
    if "d_model" in axes and len(axes["d_model"]) != d_model:
        problem = f"is {d_model}, but {len(axes['d_model'])} dimensions are named"
        table.fail("d_model", problem, "leave it out, or name as many under model.axes.d_model")
    seed = table.number("seed", default=0, least=0, most=2**32 - 1)
    return Model(kind, lengths_of(inputs), axes, d_model, layers, seed=seed, dtype=dtype), inputs


def read_words(table: TomlTable, kind: str, axes: Mapping[str, tuple[str, ...]]) -> dict[str, Array]:
    """The token numbers of each sequence in the table of a lesson or of a setting."""
    tokens = table.table("tokens")
    sequences = SEQUENCES.get(kind, ())
    if not sequences and len(tokens):
        table.fail("tokens", f"a model of kind '{kind}' has no tokens", "name its rows under model.axes")
    tokens.has_only(*sequences)
    inputs: dict[str, Array] = {}
    for sequence in tokens:
        words, numbers = _tokens(tokens, sequence), {word: i for i, word in enumerate(axes[f"{sequence}.words"])}
        for word in words:
            if word not in numbers:
                remedy = f"add it to model.axes.{written_key((f'{sequence}.words',))}"
                tokens.fail(sequence, f"'{word}' is not in the vocabulary", remedy)
        inputs[f"{sequence}.tokens"] = read_only(np.array([numbers[word] for word in words], dtype=np.int64))
    return inputs


def lengths_of(tokens: Mapping[str, Array]) -> dict[str, int]:
    """The number of tokens of each sequence."""
    return {name.removesuffix(".tokens"): len(ids) for name, ids in tokens.items()}


def _tokens(table: TomlTable, sequence: str) -> tuple[str, ...]:
    words = table.words(sequence)
    if len(words) > MOST_TOKENS:
        table.fail(sequence, f"has {len(words)} tokens", f"write up to {MOST_TOKENS}")
    for word in words:
        if len(word) > MOST_TOKEN_LENGTH or any(c.isspace() for c in word):
            remedy = f"write a token without spaces, up to {MOST_TOKEN_LENGTH} characters"
            table.fail(sequence, f"'{word}' is not one token", remedy)
    return words


def _axes(table: TomlTable, kind: str, layers: int) -> dict[str, tuple[str, ...]]:
    needed: tuple[str, ...] = ()
    known: tuple[str, ...]
    match kind:
        case "attention":
            needed, known = ("query", "feature"), ("query", "feature", "key", "value", "value feature")
        case "mlp":
            needed = known = ("input", *(f"layer.{k}" for k in range(layers + 1)))
        case "norm":
            needed = known = ("input", "feature")
        case "output":
            needed = known = ("input", "output.words")
        case "vectors":
            needed = known = ("feature",)
        case "encoder":
            known = ("input.words", "d_model")
        case _:
            known = (*(f"{sequence}.words" for sequence in SEQUENCES[kind]), "output.words", "d_model")
    table.has_only(*known)
    axes = {name: table.words(name) for name in known if name in table or name in needed}
    for name, labels in axes.items():
        if name.endswith(".words"):
            seen: set[str] = set()
            for word in labels:
                if word in seen:
                    table.fail(name, f"'{word}' stands in it twice", "a vocabulary holds each word once")
                seen.add(word)
    keys = axes.get("key", axes.get("query", ()))
    if "value" in axes and len(axes["value"]) != len(keys):
        table.fail("value", f"has {len(axes['value'])} rows", f"there are {len(keys)} keys; write one value for each")
    return axes


def units_in(table: TomlTable, model: Model) -> dict[str, tuple[str, ...]]:
    """The axes of the hidden layers for which a setting names its own units."""
    table.has_only(*(f"layer.{k}" for k in range(1, model.layers if model.kind == "mlp" else 1)))
    return {name: table.words(name) for name in table}


def switches_in(table: TomlTable, model: Model) -> dict[str, SwitchValue]:
    """The switches in a table, each by block and name, without the common switches of the model.

    A name without a block means all blocks of the layers that have this switch.
    """
    blocks = model.blocks()
    parsed: dict[str, SwitchValue] = {}
    table = _spread(table, blocks)
    for key in table:
        block, _, name = key.rpartition(".")
        if block not in blocks:
            remedy = likeliest(block, blocks, "this model has")
            table.fail(key, f"there is no block '{block}'", remedy if block else 'write "BLOCK.NAME" in quotes')
        known = SWITCHES[blocks[block]]
        if name not in known:
            table.fail(key, f"'{block}' has no switch '{name}'", likeliest(name, known, "it has"))
        switch, value = known[name], table.data[key]
        kinds = {bool: (bool,), str: (str,), int: (int,), float: (int, float)}[type(switch.default)]
        right = isinstance(value, kinds) and isinstance(value, bool) == isinstance(switch.default, bool)
        # Python refuses to convert whole numbers with thousands of digits to text.
        choice = switch.parse(value) if right and not (isinstance(value, int) and abs(value) > 10**9) else None
        if choice is None:
            allowed = "true or false" if isinstance(switch.default, bool) else switch.allowed
            table.fail(key, f"{table.shown(key)} is not one of its values", f"choose {allowed}")
        parsed[key] = choice
    return parsed


def _spread(table: TomlTable, blocks: Mapping[str, str]) -> TomlTable:
    """The table with each name without a block replaced by one key for every block that has this switch."""
    layers = {block: kind for block, kind in blocks.items() if kind not in ENDS}
    every = {name for kind in layers.values() for name in SWITCHES[kind]}
    short = [key for key in table if "." not in key and not isinstance(table.data[key], Mapping)]
    spread: dict[str, Any] = {}
    for key in short:
        if key not in every:
            table.fail(key, "there is no such switch", likeliest(key, every, "this model has"))
        spread |= {f"{block}.{key}": table.data[key] for block, kind in layers.items() if key in SWITCHES[kind]}
    single = {key: table.data[key] for key in table if key not in short}
    return TomlTable(table.file, {**spread, **single}, table.way)


def gathered(switches: Mapping[str, SwitchValue], model: Model) -> dict[str, SwitchValue]:
    """The same switches in fewer lines: a name without a block for those that are the same in all blocks of layers."""
    found = dict(switches)
    for name in {key.rpartition(".")[2] for key in switches}:
        layers = {block: kind for block, kind in model.blocks().items() if kind not in ENDS}
        keys = [f"{block}.{name}" for block, kind in layers.items() if name in SWITCHES[kind]]
        values = {switches.get(key) for key in keys}
        if len(values) == 1 and None not in values:
            found = {name: switches[keys[0]]} | {key: value for key, value in found.items() if key not in keys}
    return found


def graph_of(table: TomlTable, model: Model) -> Graph:
    """The graph of a setting; an error if it is too large."""
    labels = count_labels(model)
    if labels > MOST_LABELS:
        problem = f"with these sizes all matrices have {labels:,} rows and columns"
        table.fail("switches", problem, f"keep words, d_model, heads, d_k, d_v and d_ff below {MOST_LABELS:,} together")
    try:
        graph = build(model)
    except ExplorerError as error:
        table.fail("switches", error, "set the sizes and switches so that they fit together")
    cells = sum(map(graph.size, graph.nodes))
    if cells > MOST_CELLS:
        table.fail("", f"the model holds {cells:,} numbers", f"a lesson may hold {MOST_CELLS:,}")
    return graph


def read_settings(
    top: TomlTable, model: Model, inputs: dict[str, Array]
) -> tuple[dict[str, Array], dict[str, Setting], set[str], str]:
    """For a lesson with a model of its own: the inputs, the settings, the names of our own inputs, the first stage."""
    tables = top.table("settings")
    switches: dict[str, dict[str, SwitchValue]] = {}
    words: dict[str, dict[str, Array]] = {}
    axes: dict[str, dict[str, tuple[str, ...]]] = {}
    layers: dict[str, int] = {}
    graphs: dict[str, Graph] = {}
    for name in tables:
        table = tables.table(name)
        known = "title", "paragraph", "try", "ours", "printed", "tokens", "switches", "inputs", "pins"
        table.has_only(*known, "axes", "training", "weights", "layers")
        layers[name] = table.number("layers", model.layers, 1, MOST_LAYERS)
        deep = replace(model, layers=layers[name])
        axes[name] = units_in(table.table("axes"), model)
        switches[name] = switches_in(table.table("switches"), deep)
        words[name] = read_words(table, model.kind, model.axes)
        lengths = {**model.lengths, **lengths_of(words[name])}
        whole = replace(deep, lengths=lengths, axes={**model.axes, **axes[name]})
        graphs[name] = graph_of(table, replace(whole, switches={**model.switches, **switches[name]}))

    inputs |= _arrays(top.table("inputs"), graphs, but=axes) | (read_weights(top, graphs) if "weights" in top else {})
    settings: dict[str, Setting] = {}
    for name, graph in graphs.items():
        table = tables.table(name)
        learned = read_weights(table, {name: graph}) if "weights" in table else {}
        settings[name] = Setting(
            name,
            table.text("title"),
            table.text("paragraph", most=MOST_TEXT),
            switches[name],
            learned | _arrays(table.table("inputs"), {name: graph}) | words[name],
            _arrays(table.table("pins"), {name: graph}, computed=True),
            lengths_of(words[name]),
            frozenset(_ours(table, {name: graph}) | _drawn(graph, axes[name])),
            to_try=to_try(table),
            axes=axes[name],
            layers=layers[name] if layers[name] != model.layers else None,
            training=recipe_in(table.table("training")) if "training" in table else None,
            printed=table.flag("printed", False),
        )
    ours = _ours(top, graphs) | _seeded({n: graph for n, graph in graphs.items() if not axes[n]}, inputs, settings)
    return inputs, settings, ours, _stage(top, graphs)


def to_try(table: TomlTable) -> str:
    """The suggestion of a lesson or a setting on what to try first; "" if there is none."""
    return table.text("try", default="", most=MOST_TEXT)


_NONE: Mapping[str, Collection[str]] = {}


def _arrays(
    table: TomlTable, graphs: Mapping[str, Graph], computed: bool = False, but: Mapping[str, Collection[str]] = _NONE
) -> dict[str, Array]:
    """The arrays in a table of inputs or, with `computed`, of pins; each must fit in every setting that has its node.

    Pins may have gaps, NaN, for cells that are not pinned. `but`: the axes that a setting changes; the lesson's arrays
    do not apply to nodes with these axes.
    """
    arrays: dict[str, Array] = {}
    for key in table:
        array = table.array(key, gaps=computed)
        places = {setting: place for setting, graph in graphs.items() if (place := graph.find(key))}
        if not places:
            names = {name: None for graph in graphs.values() for name in graph.names()}
            table.fail(key, "there is no such node", likeliest(key, names, "this model has"))
        fitting = {s: p for s, p in places.items() if graphs[s].nodes[p.node].is_input != computed}
        if not fitting and computed:
            table.fail(key, "is an input: there is nothing to pin", "move it to the inputs")
        if not fitting:
            setting, place = next(iter(places.items()))
            inputs = ", ".join(graphs[setting].inputs_of(place.node)) or "none"
            remedy = f"pin it in a setting, or give what it is computed from: {inputs}"
            table.fail(key, "is computed, not an input", remedy)
        if key.endswith(".tokens"):
            table.fail(key, "is set by the words", "write them under [tokens]")
        for setting, place in fitting.items():
            if not set(graphs[setting].axes_of(place)).isdisjoint(but.get(setting, ())):
                continue
            where = f" in setting '{setting}'" if len(graphs) > 1 else ""
            array = _fit(table, key, array, graphs[setting], place, where)
        arrays[key] = read_only(array)
    return arrays


def _fit(table: TomlTable, key: str, array: Array, graph: Graph, place: Place, where: str) -> Array:
    """The array, if it fits the node or slice; `where` names the setting in messages."""
    shape = tuple(len(graph.axes[axis]) for axis in graph.axes_of(place))
    if array.shape != shape:
        axes = " × ".join(axis.rpartition(".")[-1] for axis in graph.axes_of(place))
        problem = f"has shape {written_shape(array.shape)}, the node has {written_shape(shape)}{where}"
        table.fail(key, problem, f"write it as {axes}" if axes else "write one number without brackets")
    node = graph.nodes[place.node]
    if not node.op.whole:
        return array
    first, last = first_number(graph, place.node), last_number(graph, place.node)
    for cell, number in np.ndenumerate(array):
        if not (np.isnan(number) or (number % 1 == 0 and first <= number <= last)):
            problem = f"{number:g} at [{', '.join(map(str, cell))}] is not a number that it can hold"
            table.fail(key, problem, f"choose whole numbers from {first} to {last}")
    return array.astype(np.int64) if node.is_input else array


def _ours(top: TomlTable, graphs: Mapping[str, Graph]) -> set[str]:
    names = top.words("ours", ())
    known = {name: None for graph in graphs.values() for name in inputs_of(graph)}
    for name in names:
        if name not in known:
            top.fail("ours", f"there is no input '{name}'", likeliest(name, known, "this model has"))
    return set(names)


def _drawn(graph: Graph, axes: Collection[str]) -> set[str]:
    """The weights over axes that a setting changes: the lesson's weights do not fit, so these start as random ones."""
    places = {name: graph.place(name) for name in inputs_of(graph)}
    return {
        name
        for name, place in places.items()
        if graph.nodes[place.node].op.random and not set(graph.axes_of(place)).isdisjoint(axes)
    }


def _seeded(graphs: Mapping[str, Graph], inputs: Mapping[str, Array], settings: Mapping[str, Setting]) -> set[str]:
    """The weights that the lesson does not give: they start as random numbers, which are also ours."""
    seeded: set[str] = set()
    for setting, graph in graphs.items():
        given = inputs.keys() | settings[setting].inputs.keys()
        for name in inputs_of(graph):
            place = graph.place(name)
            random = graph.nodes[place.node].op.random
            # For a node stacked over heads, the names of its slices count.
            stacked = place.head is None and name in graph.n_heads
            if random and not stacked and not {name, place.node} & given:
                seeded.add(name)
    return seeded


def inputs_of(graph: Graph) -> Iterable[str]:
    """The names of the inputs of a graph, and of heads' slices of them."""
    return (name for node in graph.nodes.values() if node.is_input for name in graph.names_of(node))


def _stage(top: TomlTable, graphs: Mapping[str, Graph]) -> str:
    first = next(iter(graphs.values()))
    common = [s.name for s in first.stages if all(s.name in (t.name for t in g.stages) for g in graphs.values())]
    return top.one_of("start_stage", [WHOLE, *common], default=common[0])


# A model that does not come with the program

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
