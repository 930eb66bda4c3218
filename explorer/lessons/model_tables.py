"""Reads and checks the tables of a lesson's file that describe its model: ``[model]``, ``[tokens]``, ``[switches]``.

Also the files beside a lesson, its weights and its tokenizer, and the ``[settings]`` tables, which become settings with
the numbers of each. For the table ``[checkpoint]`` see `needed_model`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from explorer.document.state import read_only
from explorer.files import open_file
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, recipe_in, written_key
from explorer.lessons.schema import WHOLE, Setting

MOST_BYTES = 50_000_000
MOST_PATH = 4000
MOST_CELLS = 2_000_000
MOST_LABELS = 200_000
MOST_LAYERS = 48


def read_weights(top: TomlTable, graphs: Mapping[str, Graph]) -> dict[str, Array]:
    """The arrays in the file that a lesson names under ``weights``, each the whole value of an input.

    `graphs`: the graphs of the lesson's settings.

    Raises `ExplorerError`: "lesson-key".
    """
    file = Path(top.file).parent / top.text("weights", most=MOST_PATH)
    try:
        with open_file(file) as stream:
            if file.stat().st_size > MOST_BYTES:
                top.fail("weights", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller model")
            parts = Container(stream)
            arrays = {name: parts.array(name) for name in parts.forms}
    except OSError as error:
        top.fail("weights", f"{file.name} cannot be read: {error.strerror or error}", "put the file beside this one")
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
        with open_file(file) as stream:
            content = stream.read(MOST_BYTES + 1)
        large = len(content) > MOST_BYTES
        text = "" if large else content.decode()
    except OSError as error:
        top.fail("tokenizer", f"{file.name} cannot be read: {error.strerror or error}", "put the file beside this one")
    except ValueError:
        top.fail("tokenizer", f"{file.name} is no text", "put the file there again")
    if large:
        top.fail("tokenizer", f"{file.name} has more than {MOST_BYTES:,} bytes", "choose a smaller one")
    try:
        tokenizer = from_json(text)
    except ExplorerError as error:
        top.fail("tokenizer", f"{file.name} {error.fields.get('problem')}", "put the file there again")
    return named(tokenizer, len(tokenizer.pieces))


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
    settings: dict[str, Setting] = {}
    graphs: dict[str, Graph] = {}
    for name in tables:
        table = tables.table(name)
        known = "title", "paragraph", "try", "ours", "printed", "tokens", "switches", "inputs", "pins"
        table.has_only(*known, "axes", "training", "weights", "layers")
        deep = replace(model, layers=table.number("layers", model.layers, 1, MOST_LAYERS))
        words = read_words(table, model.kind, model.axes)
        one = settings[name] = Setting(
            name,
            table.text("title"),
            table.text("paragraph", most=MOST_TEXT),
            switches_in(table.table("switches"), deep),
            words,
            lengths=lengths_of(words),
            to_try=to_try(table),
            axes=units_in(table.table("axes"), model),
            layers=deep.layers if deep.layers != model.layers else None,
            training=recipe_in(table.table("training")) if "training" in table else None,
            printed=table.flag("printed", False),
        )
        lengths, axes = {**model.lengths, **one.lengths}, {**model.axes, **one.axes}
        switches = {**model.switches, **one.switches}
        graphs[name] = graph_of(table, replace(deep, lengths=lengths, axes=axes, switches=switches))

    changed = {name: one.axes for name, one in settings.items()}
    inputs |= _arrays(top.table("inputs"), graphs, but=changed)
    inputs |= read_weights(top, graphs) if "weights" in top else {}
    for name, one in settings.items():
        table, graph = tables.table(name), {name: graphs[name]}
        learned = read_weights(table, graph) if "weights" in table else {}
        settings[name] = replace(
            one,
            inputs={**learned, **_arrays(table.table("inputs"), graph), **one.inputs},
            pins=_arrays(table.table("pins"), graph, computed=True),
            ours=frozenset(_ours(table, graph) | _drawn(graphs[name], one.axes)),
        )
    ours = _ours(top, graphs) | _seeded({n: graph for n, graph in graphs.items() if not changed[n]}, inputs, settings)
    return inputs, settings, ours, _stage(top, graphs)


def to_try(table: TomlTable) -> str:
    """The suggestion of a lesson or a setting on what to try first; "" if there is none."""
    return table.text("try", default="", most=MOST_TEXT)


def _arrays(
    table: TomlTable, graphs: Mapping[str, Graph], computed: bool = False, but: Mapping[str, Collection[str]] = {}
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
    known = {name: None for graph in graphs.values() for name in inputs_of(graph)} if names else {}
    for name in names:
        if name not in known:
            top.fail("ours", f"there is no input '{name}'", likeliest(name, known, "this model has"))
    return set(names)


def _drawn(graph: Graph, axes: Collection[str]) -> set[str]:
    """The weights over axes that a setting changes: the lesson's weights do not fit, so these start as random ones."""
    places = {name: graph.place(name) for name in inputs_of(graph)} if axes else {}
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
