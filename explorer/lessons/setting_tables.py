"""From the ``[settings]`` tables of a file to settings with the numbers of each, everything in them checked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.graph import Graph, Place
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.switches import SwitchValue
from explorer.document.commands.cells import last_number
from explorer.document.state import frozen
from explorer.lessons.model_tables import MOST_LAYERS, graph_of, lengths_of, read_words, switches_in, units_in
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, recipe_in
from explorer.lessons.schema import WHOLE, Setting
from explorer.lessons.trained_weights import read_weights


def read_settings(
    top: TomlTable, model: Model, inputs: dict[str, Array]
) -> tuple[dict[str, Array], dict[str, Setting], set[str], str]:
    """The inputs, the settings, what no text prints, and the first stage, of a lesson with a model of its own."""
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
    """What a lesson or a setting says to do first, or nothing."""
    return table.text("try", default="", most=MOST_TEXT)


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
    known = {name: None for graph in graphs.values() for name in inputs_of(graph)}
    for name in names:
        if name not in known:
            top.fail("ours", f"there is no input '{name}'", likeliest(name, known, "this model has"))
    return set(names)


def _drawn(graph: Graph, axes: Collection[str]) -> set[str]:
    """The weights over axes that a setting has of its own: the lesson's do not fit, so they start as random numbers."""
    places = {name: graph.place(name) for name in inputs_of(graph)}
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
        for name in inputs_of(graph):
            place = graph.place(name)
            random = graph.nodes[place.node].op.random
            # A node stacked over heads is named by its slices.
            stacked = place.head is None and graph.n_heads(name) is not None
            if random and not stacked and not {name, place.node} & given:
                seeded.add(name)
    return seeded


def inputs_of(graph: Graph) -> Iterable[str]:
    """The names of the inputs of a graph, of heads' slices of them, too."""
    return (name for name in graph.names() if graph.nodes[graph.place(name).node].is_input)


def _stage(top: TomlTable, graphs: Mapping[str, Graph]) -> str:
    first = next(iter(graphs.values()))
    common = [s.name for s in first.stages if all(s.name in (t.name for t in g.stages) for g in graphs.values())]
    return top.one_of("start_stage", [WHOLE, *common], default=common[0])
