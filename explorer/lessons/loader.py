"""From a TOML file to a lesson, everything in it checked."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from explorer import paths
from explorer.core.errors import ExplorerError, nearest
from explorer.core.graph import Graph, Place
from explorer.core.model import KINDS, SEQUENCES, Model
from explorer.core.models import build
from explorer.core.models.size import count_labels
from explorer.core.ops import Array
from explorer.core.shapes import written_shape
from explorer.core.switches import SWITCHES, SwitchValue
from explorer.core.tokens import MOST_TOKENS
from explorer.document.commands.cells import last_number
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.document.state import frozen
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, read, recipe_in, written_key
from explorer.lessons.schema import WHOLE, Lesson, Setting
from explorer.lessons.step_tables import read_steps
from explorer.lessons.trained_weights import read_pieces, read_weights

MOST_CELLS = 2_000_000
MOST_LABELS = 200_000
MOST_SETTINGS = 20
FORMAT = 3
"""The newest format of a lesson's file. The first one has no steps; before the third the encoder that a decoder looks
at had no norm at its end."""


def load(name_or_path: str | Path) -> Lesson:
    """A lesson of the program by its id, or any lesson by the path of its file.

    Raises `ExplorerError`: "unknown-lesson", "lesson-not-read", "lesson-too-large", "lesson-syntax" or "lesson-key".
    """
    name = str(name_or_path)
    if isinstance(name_or_path, Path) or name.endswith(".toml") or "/" in name or "\\" in name:
        return lesson_from(read(Path(name)))
    files = lesson_files() | model_files()
    if name not in files:
        raise ExplorerError("unknown-lesson", name=name, near=nearest(name, list(files)))
    return _given(files[name])


def catalogue() -> list[Lesson]:
    """The lessons that come with the program, easier ones first."""
    return _in_order(lesson_files())


def models() -> list[Lesson]:
    """The models that were trained for the program and come with it, smaller ones first."""
    return _in_order(model_files())


def _in_order(files: Mapping[str, Path]) -> list[Lesson]:
    return sorted(map(_given, files.values()), key=lambda lesson: (lesson.order, lesson.title))


def _given(file: Path) -> Lesson:
    """A lesson of the program. All that are made from one file share their numbers: undo keeps those of each."""
    return copy(_read(file, file.stat().st_mtime_ns))


@cache
def _read(file: Path, changed: int) -> Lesson:
    return lesson_from(read(file))


def titles() -> dict[str, str]:
    """The titles of the lessons that come with the program by their ids, easier ones first; no model is made."""
    return _titles(lesson_files())


def model_titles() -> dict[str, str]:
    """The same of the models that were trained for the program."""
    return _titles(model_files())


def _titles(files: Mapping[str, Path]) -> dict[str, str]:
    named = sorted(map(_named, files.values()))
    return {head.id: head.title for head in named}


@cache
def errata() -> Mapping[str, str]:
    """The ids of the lessons that say what a printed example gets wrong, by the number of its text, such as "004".

    Looked for once: it is asked for each number that one points at, and all the files of the program would be listed.
    """
    return {head.errata: head.id for head in map(_named, lesson_files().values()) if head.errata}


def needs(file: Path) -> tuple[str, ...]:
    """The ids of the lessons that the one in a file needs."""
    return _named(file).needs


class _Head(NamedTuple):
    """Where a lesson stands in the list, its title, its id, what it needs, and the text whose errata it is."""

    order: int
    title: str
    id: str
    needs: tuple[str, ...]
    errata: str


def _named(file: Path) -> _Head:
    return _read_head(file, file.stat().st_mtime_ns)


@cache
def _read_head(file: Path, changed: int) -> _Head:
    """Read once: menus and lists ask often, and all lessons take 0.1 s."""
    top = read(file)
    needs = top.words("needs") if "needs" in top else ()
    return _Head(
        _order(top),
        top.text("title"),
        top.text("id"),
        needs,
        top.text("reference") if top.flag("errata", False) else "",
    )


def lesson_files() -> dict[str, Path]:
    """The files of the lessons that come with the program, by their ids."""
    return _files("lessons")


def model_files() -> dict[str, Path]:
    """Those of the models that were trained for the program and come with it."""
    return _files("models")


def _files(folder: str) -> dict[str, Path]:
    return {file.stem: file for file in sorted((paths.resources() / folder).glob("*.toml"))}


def lesson_from(top: TomlTable) -> Lesson:
    """The lesson that a file's table describes.

    Raises `ExplorerError`: "lesson-key", naming file, key, problem and remedy.
    """
    format = top.number("format", default=1, least=1, most=10**9)
    if format > FORMAT:
        raise ExplorerError("lesson-newer", file=top.file, version=format, known=FORMAT)
    if format == 1 and "step" in top:
        top.fail("step", "needs a format that knows steps", f"add format = {FORMAT} at the top of the file")
    top = _with_example(top)
    top.has_only(
        *("id", "title", "paragraph", "try", "reference", "start_stage", "start_head", "order", "ours"),
        *("model", "tokens", "switches", "inputs", "settings", "training", "weights", "card"),
        "tokenizer",
        *("format", "example", "teaches", "needs", "minutes", "step", "learns", "errata"),
    )
    id = top.text("id")
    if not set(id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
        top.fail("id", f"'{id}' is no id", "write lower-case letters, digits and hyphens, as in you-are-welcome")
    title, paragraph = top.text("title"), top.text("paragraph", most=MOST_TEXT)
    tables = top.table("settings")
    if not len(tables):
        top.fail("settings", "is missing", "add at least one, such as [settings.textbook]")
    if len(tables) > MOST_SETTINGS:
        top.fail("settings", f"holds {len(tables)} settings", f"write up to {MOST_SETTINGS}")
    ours: Collection[str] = ()
    if _takes_over(tables):
        for key in ("model", "tokens", "switches", "inputs", "weights", "ours", "start_stage"):
            if key in top:
                top.fail(key, "belongs to the examples that the settings are from", "leave it out")
        settings = {name: _from_example(tables.table(name), name, id) for name in tables}
        first = next(iter(settings.values()))
        assert first.model is not None
        model, inputs = first.model, dict[str, Array]()
        stage = WHOLE  # the only one that all models have
    else:
        model, inputs = _model(top)
        model = replace(model, switches=switches_in(top.table("switches"), model))
        inputs, settings, ours, stage = _own_numbers(top, model, inputs)
    order = _order(top)
    reference = top.text("reference", default="")
    training = recipe_in(top.table("training")) if "training" in top else None
    lesson = Lesson(
        *(id, title, paragraph, reference, stage, order, model, inputs, frozenset(ours), settings),
        training=training,
        learns=top.one_of("learns", settings) if "learns" in top else "",
        to_try=_to_try(top),
        teaches=top.text("teaches", default=""),
        needs=top.words("needs") if "needs" in top else (),
        minutes=top.real("minutes", default=0.0, least=0, most=1000),
        start_head=top.number("start_head", default=1, least=1, most=128),
        card=_card(top.table("card")),
        example=top.text("example", default=id),
        errata=top.flag("errata", False),
    )
    return replace(lesson, steps=read_steps(top, lesson)) if "step" in top else lesson


def _takes_over(settings: TomlTable) -> bool:
    """Whether a lesson's settings are those of other examples."""
    return any("from" in settings.table(name) for name in settings)


def _from_example(table: TomlTable, name: str, lesson: str) -> Setting:
    """A setting of another example, with its model and all its numbers: `from = "EXAMPLE/SETTING"`."""
    table.has_only("from", "title", "paragraph")
    id, _, setting = table.text("from").partition("/")
    files = lesson_files() | model_files()
    # A lesson that takes over settings itself could lead back here.
    own = [one for one, file in files.items() if one != lesson and not _takes_over(read(file).table("settings"))]
    if id not in own:
        table.fail("from", f"there is no example '{id}'", likeliest(id, own, "there are"))
    example = _given(files[id])
    if setting not in example.settings:
        table.fail("from", f"'{id}' has no setting '{setting}'", likeliest(setting, example.settings, "it has"))
    found = example.settings[setting]
    return replace(
        found,
        name=name,
        title=table.text("title", default=found.title),
        paragraph=table.text("paragraph", default=found.paragraph, most=MOST_TEXT),
        inputs={**example.inputs, **found.inputs},
        ours=(example.ours | found.ours).intersection(_inputs(example.state(setting).graph)),
        model=example.model,
        training=example.training_in(setting),
        source=(id, setting),
    )


def _own_numbers(
    top: TomlTable, model: Model, inputs: dict[str, Array]
) -> tuple[dict[str, Array], dict[str, Setting], set[str], str]:
    """The inputs, the settings, what no text prints, and the first stage, of a lesson with a model of its own."""
    tables = top.table("settings")
    switches: dict[str, dict[str, SwitchValue]] = {}
    words: dict[str, dict[str, Array]] = {}
    axes: dict[str, dict[str, tuple[str, ...]]] = {}
    graphs: dict[str, Graph] = {}
    for name in tables:
        table = tables.table(name)
        known = "title", "paragraph", "try", "ours", "printed", "tokens", "switches", "inputs", "pins"
        table.has_only(*known, "axes", "training")
        axes[name] = _units(table.table("axes"), model)
        switches[name] = switches_in(table.table("switches"), model)
        words[name] = _words(table, model.kind, model.axes)
        lengths = {**model.lengths, **_lengths(words[name])}
        whole = replace(model, lengths=lengths, axes={**model.axes, **axes[name]})
        graphs[name] = _graph(table, replace(whole, switches={**model.switches, **switches[name]}))

    inputs |= _arrays(top.table("inputs"), graphs, but=axes) | (read_weights(top, graphs) if "weights" in top else {})
    settings: dict[str, Setting] = {}
    for name, graph in graphs.items():
        table = tables.table(name)
        settings[name] = Setting(
            name,
            table.text("title"),
            table.text("paragraph", most=MOST_TEXT),
            switches[name],
            _arrays(table.table("inputs"), {name: graph}) | words[name],
            _arrays(table.table("pins"), {name: graph}, computed=True),
            _lengths(words[name]),
            frozenset(_ours(table, {name: graph}) | _drawn(graph, axes[name])),
            to_try=_to_try(table),
            axes=axes[name],
            training=recipe_in(table.table("training")) if "training" in table else None,
            printed=table.flag("printed", False),
        )
    ours = _ours(top, graphs) | _seeded({n: graph for n, graph in graphs.items() if not axes[n]}, inputs, settings)
    return inputs, settings, ours, _stage(top, graphs)


def _with_example(top: TomlTable) -> TomlTable:
    """The table of a lesson with what it takes over from the example that it leads through, numbers and all."""
    if "example" not in top:
        return _as_of_its_format(top)
    id = top.text("example")
    files = {name: file for name, file in (lesson_files() | model_files()).items() if name != top.data.get("id")}
    if id not in files:
        top.fail("example", f"there is no '{id}'", likeliest(id, files, "there are"))
    taken = {key: value for key, value in _with_example(read(files[id])).data.items() if key in _OF_EXAMPLE}
    if "weights" in taken:
        taken["weights"] = str(files[id].parent / taken["weights"])
    if "tokenizer" in taken:
        taken["tokenizer"] = str(files[id].parent / taken["tokenizer"])
    for key in taken.keys() & top.data.keys() & set(_NUMBERS):
        top.fail(key, "belongs to the example", "leave it out, and change it in a step")
    return TomlTable(top.file, {**taken, **top.data})


def _as_of_its_format(top: TomlTable) -> TomlTable:
    """The table with what its format meant and the newest one does not, written out."""
    if (
        top.number("format", default=1, least=1, most=10**9) >= 3
        or top.table("model").data.get("kind") != "encoder-decoder"
    ):
        return top
    return TomlTable(top.file, {**top.data, "switches": {"encoder.final.at_end": False, **top.table("switches").data}})


_NUMBERS = ("model", "tokens", "switches", "inputs", "settings")
_OF_EXAMPLE = (
    *_NUMBERS,
    "weights",
    "tokenizer",
    "ours",
    "training",
    "learns",
    "reference",
    "start_stage",
    "start_head",
)
"""What a lesson has from its example."""


def _to_try(table: TomlTable) -> str:
    return table.text("try", default="", most=MOST_TEXT)


def _card(table: TomlTable) -> dict[str, float]:
    """The measured scores of a trained model by their names."""
    return {name: table.real(name, 0.0, -1e12, 1e12) for name in table}


def _order(top: TomlTable) -> int:
    return top.number("order", default=1000, least=0, most=1000)


# The model


def _model(top: TomlTable) -> tuple[Model, dict[str, Array]]:
    """The model without its switches, and the numbers of its tokens."""
    table = top.table("model")
    kind = table.one_of("kind", KINDS)
    sequences = SEQUENCES.get(kind, ())
    sizes = ("layers", "seed", "axes") if kind == "mlp" else ("seed", "axes")
    table.has_only("kind", *(("d_model", "layers", "seed", "axes", "dtype") if sequences else sizes))
    dtype = table.one_of("dtype", ("float64", "float32"), default="float64")
    layers = table.number("layers", default=1, least=1, most=48)
    axes = _axes(table.table("axes"), kind, layers)
    if sequences:
        top.table("tokens").has_only(*sequences)
    if "tokenizer" in top:
        axes[f"{sequences[0]}.words" if sequences else ""] = read_pieces(top)
    for sequence in sequences:
        axes.setdefault(f"{sequence}.words", tuple(dict.fromkeys(_tokens(top.table("tokens"), sequence))))
    inputs = _words(top, kind, axes)
    d_model = table.number("d_model", default=len(axes["d_model"]) if "d_model" in axes else 4, least=1, most=4096)
    if "d_model" in axes and len(axes["d_model"]) != d_model:
        problem = f"is {d_model}, but {len(axes['d_model'])} dimensions are named"
        table.fail("d_model", problem, "leave it out, or name as many under model.axes.d_model")
    seed = table.number("seed", default=0, least=0, most=2**32 - 1)
    return Model(kind, _lengths(inputs), axes, d_model, layers, seed=seed, dtype=dtype), inputs


def _words(table: TomlTable, kind: str, axes: Mapping[str, tuple[str, ...]]) -> dict[str, Array]:
    """The numbers of the tokens that a table, the lesson's or a setting's, gives its sequences."""
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
        inputs[f"{sequence}.tokens"] = frozen(np.array([numbers[word] for word in words], dtype=np.int64))
    return inputs


def _lengths(tokens: Mapping[str, Array]) -> dict[str, int]:
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


def _units(table: TomlTable, model: Model) -> dict[str, tuple[str, ...]]:
    """The hidden layers that a setting gives other units."""
    table.has_only(*(f"layer.{k}" for k in range(1, model.layers if model.kind == "mlp" else 1)))
    return {name: table.words(name) for name in table}


def switches_in(table: TomlTable, model: Model) -> dict[str, SwitchValue]:
    """The switches in a table, each by its block and name; the common ones of the model are not repeated."""
    blocks = model.blocks()
    parsed: dict[str, SwitchValue] = {}
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
        # Python refuses to write out whole numbers of thousands of digits.
        choice = switch.parse(value) if right and not (isinstance(value, int) and abs(value) > 10**9) else None
        if choice is None:
            allowed = "true or false" if isinstance(switch.default, bool) else switch.allowed
            table.fail(key, f"{table.shown(key)} is not one of its values", f"choose {allowed}")
        parsed[key] = choice
    return parsed


def _graph(table: TomlTable, model: Model) -> Graph:
    """The graph of a setting, unless it is too large to be held."""
    labels = count_labels(model)
    if labels > MOST_LABELS:
        problem = f"with these sizes all matrices have {labels} rows and columns"
        table.fail("switches", problem, f"keep words, d_model, heads, d_k, d_v and d_ff below {MOST_LABELS} together")
    try:
        graph = build(model)
    except ExplorerError as error:
        table.fail("switches", error, "set the sizes and switches so that they fit together")
    cells = sum(map(graph.size, graph.nodes))
    if cells > MOST_CELLS:
        table.fail("", f"the model holds {cells} numbers", f"a lesson may hold {MOST_CELLS}")
    return graph


# The numbers

_NONE: Mapping[str, Collection[str]] = {}


def _arrays(
    table: TomlTable, graphs: Mapping[str, Graph], computed: bool = False, but: Mapping[str, Collection[str]] = _NONE
) -> dict[str, Array]:
    """The values in a table of inputs, or of pins, which hold computed nodes; each has to fit where its node exists.

    Pins may have gaps, NaN: cells that are not held. `but`: axes that settings have of their own, where the lesson's
    values do not count.
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
        arrays[key] = frozen(array)
    return arrays


def _fit(table: TomlTable, key: str, array: Array, graph: Graph, place: Place, where: str) -> Array:
    """The array, if the node or slice can hold it; `where` says for a message in which setting."""
    shape = tuple(len(graph.axes[axis]) for axis in graph.axes_of(place))
    if array.shape != shape:
        axes = " × ".join(axis.rpartition(".")[-1] for axis in graph.axes_of(place))
        problem = f"has shape {written_shape(array.shape)}, the node has {written_shape(shape)}{where}"
        table.fail(key, problem, f"write it as {axes}" if axes else "write one number without brackets")
    node = graph.nodes[place.node]
    if not node.op.whole:
        return array
    last = last_number(graph, place.node)
    for cell, number in np.ndenumerate(array):
        if not (np.isnan(number) or (number % 1 == 0 and 0 <= number <= last)):
            problem = f"{number:g} at [{', '.join(map(str, cell))}] is not a number that it can hold"
            table.fail(key, problem, f"choose whole numbers from 0 to {last}")
    return array.astype(np.int64) if node.is_input else array


def _ours(top: TomlTable, graphs: Mapping[str, Graph]) -> set[str]:
    names = top.words("ours") if "ours" in top else ()
    known = {name: None for graph in graphs.values() for name in _inputs(graph)}
    for name in names:
        if name not in known:
            top.fail("ours", f"there is no input '{name}'", likeliest(name, known, "this model has"))
    return set(names)


def _drawn(graph: Graph, axes: Collection[str]) -> set[str]:
    """The weights over axes that a setting has of its own: the lesson's do not fit, so they start as random numbers."""
    places = {name: graph.place(name) for name in _inputs(graph)}
    return {
        name
        for name, place in places.items()
        if graph.nodes[place.node].op.random and not set(graph.axes_of(place)).isdisjoint(axes)
    }


def _seeded(graphs: Mapping[str, Graph], inputs: Mapping[str, Array], settings: Mapping[str, Setting]) -> set[str]:
    """The weights that nobody gives, so that they start as random numbers: they are our choice too."""
    seeded: set[str] = set()
    for setting, graph in graphs.items():
        given = inputs.keys() | settings[setting].inputs.keys()
        for name in _inputs(graph):
            place = graph.place(name)
            random = graph.nodes[place.node].op.random
            # A node stacked over heads is named by its slices.
            stacked = place.head is None and graph.n_heads(name) is not None
            if random and not stacked and not {name, place.node} & given:
                seeded.add(name)
    return seeded


def _inputs(graph: Graph) -> Iterable[str]:
    return (name for name in graph.names() if graph.nodes[graph.place(name).node].is_input)


def _stage(top: TomlTable, graphs: Mapping[str, Graph]) -> str:
    first = next(iter(graphs.values()))
    common = [s.name for s in first.stages if all(s.name in (t.name for t in g.stages) for g in graphs.values())]
    return top.one_of("start_stage", [WHOLE, *common], default=common[0])
