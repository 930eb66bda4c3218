"""A document as a file: saved to the last bit, and opened only where everything in it fits together.

A ``.explorer`` file is a zip archive of ``document.json`` and one ``.npy`` for each array:

==================================  ==================================================================================
``document.json``                   version, title, lesson and setting, the model, and the form of each array
``inputs/NODE.npy``                 an input's value, also of a node that a switch has taken away
``pins/NODE.cells.npy``             which cells of a computed node are held
``pins/NODE.values.npy``            the values they are held at
``run/COLUMN.npy``                  the records of the training that the weights are from, if there was one
``beyond/NODE.npy``                 an input as it was when its sentence was longer, if it ever was
==================================  ==================================================================================
"""

import re
from collections.abc import Callable, Collection, Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.forward import Pin
from explorer.core.graph import Graph
from explorer.core.model import KINDS, Model
from explorer.core.models import build
from explorer.core.models.size import MOST_BYTES, MOST_LABELS, count_labels, most_numbers
from explorer.core.models.targets import with_next_words, with_tied_words
from explorer.core.ops import Array
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.training.recipe import BOUNDS
from explorer.core.training.records import Records
from explorer.document import archive
from explorer.document.archive import DOCUMENT, DTYPES, Archive, DamagedError, Form
from explorer.document.commands.cells import last_number
from explorer.document.json_table import MOST_LABEL, JsonTable, is_text, is_whole, shown
from explorer.document.state import State
from explorer.files import whole_file

FORMAT, VERSION = "Transformer Explorer document", 1
ENDING = ".explorer"
MOST_TITLE = 1000
MOST_STEPS = int(BOUNDS["steps"][1])
MOST_LAYERS = 100
MOST_WIDTH = 100_000
MOST_AXES = 4

_NODE = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*")
_PARTS = ("format", "version", "title", "lesson", "setting", "model", "inputs", "pins", "run", "beyond")
_MODEL = ("kind", "lengths", "axes", "d_model", "layers", "switches", "seed", "initialiser", "dtype")

Read = Callable[[str, Form], Array]


def save(state: State, title: str, path: str | Path) -> None:
    """Write a document to a file. The same document gives the same bytes.

    Parameters
    ----------
    state : State
    title : str
        As the window writes it.
    path : str or Path
        What stands there is replaced when the new file is whole.

    Raises
    ------
    ExplorerError
        "not-written".
    """
    with whole_file(path) as stream:
        write(state, title, stream, path)


def write(state: State, title: str, stream: BinaryIO, name: str | Path) -> None:
    """Write the bytes of a file; `name` is what an error names.

    Raises
    ------
    ExplorerError
        "not-written".
    """
    document, arrays = _taken_down(state, title)
    try:
        _state(document, lambda name, form: arrays[name], arrays.keys())  # nothing is saved that could not be opened
    except DamagedError as problem:
        raise ExplorerError("not-written", file=name, reason=problem.args[0]) from None
    archive.write(stream, document, arrays)


def load(path: str | Path) -> tuple[State, str]:
    """A document from a file, with its title.

    Raises
    ------
    ExplorerError
        "document-not-read", "document-wrong" or "document-newer". Nothing is opened by half.
    """
    file = Path(path)
    try:
        if not file.is_file():
            reason = "it is not a file" if file.exists() else "there is no such file"
            raise ExplorerError("document-not-read", file=path, reason=reason)
        with file.open("rb") as stream:
            return read(stream, path)
    except OSError as error:
        raise ExplorerError("document-not-read", file=path, reason=error.strerror or error) from None


def read(stream: BinaryIO, name: str | Path) -> tuple[State, str]:
    """A document and its title from the bytes of a file; `name` is what an error names.

    Raises
    ------
    ExplorerError
        "document-wrong" or "document-newer".
    """
    try:
        with Archive(stream) as parts:
            document = parts.document()
            version = _version(document)
            if version > VERSION:
                raise ExplorerError("document-newer", file=name, version=version, known=VERSION)
            state, title = _state(document, parts.array, parts.names)
            fresh(state.graph, state.used, state.pins)  # there may be too little memory for it
            return state, title
    except DamagedError as problem:
        raise ExplorerError("document-wrong", file=name, problem=problem.args[0]) from None
    except MemoryError:
        raise ExplorerError("document-wrong", file=name, problem="there is not enough memory for it") from None


# Taking down


def _taken_down(state: State, title: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a file says of a state, and its arrays by their names there."""
    model, blocks = state.model, state.model.blocks()
    arrays = {f"inputs/{name}": array for name, array in state.inputs.items()}
    for name, pin in state.pins.items():
        arrays |= {f"pins/{name}.cells": pin.cells, f"pins/{name}.values": pin.values}
    document = {
        "format": FORMAT,
        "version": VERSION,
        "title": title[:MOST_TITLE],
        "lesson": state.lesson,
        "setting": state.setting,
        "model": {
            "kind": model.kind,
            "lengths": {name: int(length) for name, length in model.lengths.items()},
            "axes": {axis: list(labels) for axis, labels in model.axes.items()},
            "d_model": model.d_model,
            "layers": model.layers,
            # Not those of a block that the model no longer has.
            "switches": {key: value for key, value in model.switches.items() if key.rpartition(".")[0] in blocks},
            "seed": model.seed,
            "initialiser": model.initialiser,
            "dtype": model.dtype,
        },
        "inputs": {name: _form(array) for name, array in state.inputs.items()},
        "pins": {name: _form(pin.values) for name, pin in state.pins.items()},
    }
    columns = state.records.arrays() if state.records is not None else {}
    for part, more in (("run", columns), ("beyond", state.beyond)):
        if more:
            document[part] = {name: _form(array) for name, array in more.items()}
            arrays |= {f"{part}/{name}": array for name, array in more.items()}
    return document, arrays


def _form(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


# Reading: what comes from outside is believed only where it has been checked


def _version(document: object) -> int:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DamagedError("it is not a document of this program")
    version = document.get("version")
    if not isinstance(version, int) or not is_whole(version, 1, 10**9):
        raise DamagedError(f"{shown(version)} is not a version that there is")
    return version


def _state(document: Mapping[str, Any], read: Read, names: Collection[str]) -> tuple[State, str]:
    """The state that a document describes, with its title; `read` is asked for arrays only once all sizes are known."""
    top = JsonTable({"run": {}, "beyond": {}, **document}, DOCUMENT, _PARTS)
    title, lesson, setting = top.text("title", MOST_TITLE), top.text("lesson"), top.text("setting")
    model = _model(top.table("model", _MODEL))
    graph = _graph(model)
    inputs, pins, columns, beyond = (_forms(top.table(part)) for part in ("inputs", "pins", "run", "beyond"))
    _check_forms(model, graph, inputs, pins, beyond)
    expected = {f"{part}/{name}" for part in ("inputs", "run", "beyond") for name in top.table(part).data}
    expected |= {f"pins/{name}.{part}" for name in pins for part in ("cells", "values")}
    if expected != set(names):
        odd = min(expected ^ set(names))
        raise DamagedError(f"it {'lacks' if odd in expected else 'holds'} {shown(odd)}; {DOCUMENT} says otherwise")

    arrays = {name: read(f"inputs/{name}", form) for name, form in inputs.items()}
    held = {}
    for name, form in pins.items():
        cells, values = read(f"pins/{name}.cells", Form("bool", form.shape)), read(f"pins/{name}.values", form)
        held[name] = Pin(cells, values)
        if graph.nodes[name].op.whole:
            _check_whole(graph, name, values[cells])
    for name, array in arrays.items():
        if _is_ids(graph, name):
            _check_whole(graph, name, array)
    _check_kept(model, graph, arrays)
    longer = {name: read(f"beyond/{name}", form) for name, form in beyond.items()}
    return State(model, graph, arrays, held, setting, lesson, _records(columns, read), longer), title


def _records(columns: Mapping[str, Form], read: Read) -> Records | None:
    """The records of the training that the weights are from, where the file has them."""
    if any(prod(form.shape) > MOST_STEPS for form in columns.values()):
        raise DamagedError("its run of training has more steps than there can be")
    arrays = {name: read(f"run/{name}", form) for name, form in columns.items()}
    try:
        return Records.of(arrays) if arrays else None
    except ValueError:
        raise DamagedError("the columns of its run of training do not fit together") from None


def _model(table: JsonTable) -> Model:
    """The model, each of its switches checked by itself."""
    lengths, axes = table.table("lengths"), table.table("axes")
    for part in (lengths, axes):
        for name in part.data:
            if not is_text(name, MOST_LABEL) or not name.isprintable():
                raise DamagedError(f"{shown(name)} is not a name that {part.way} could have")
    model = Model(
        table.one_of("kind", KINDS),
        {name: lengths.whole(name, 1, MOST_WIDTH) for name in lengths.data},
        {name: axes.labels(name) for name in axes.data},
        table.whole("d_model", 1, MOST_WIDTH),
        table.whole("layers", 1, MOST_LAYERS),
        seed=table.whole("seed", 0, 2**63 - 1),
        initialiser=table.one_of("initialiser", INITIALISERS),
        dtype=table.one_of("dtype", ("float32", "float64")),
    )
    for key, value in table.table("switches").data.items():
        block, _, name = key.rpartition(".")
        # What a message will repeat has to be short.
        plain = (
            isinstance(value, float) or is_text(value, MOST_LABEL) or (isinstance(value, int) and abs(value) < 10**12)
        )
        if not plain or not is_text(key, MOST_LABEL) or not f"{key}{value}".isprintable():
            raise DamagedError(f"{shown(key)}: {shown(value)} is not what a switch could be set to")
        try:
            model = model.with_switch(block, name, value)
        except ExplorerError as error:
            raise _as_damaged(error) from None
    return model


def _as_damaged(error: ExplorerError) -> DamagedError:
    return DamagedError(error)


def _graph(model: Model) -> Graph:
    """The graph of a model, unless it is too large to be held."""
    labels = count_labels(model)
    if labels > MOST_LABELS:
        raise DamagedError(f"its matrices have {labels:,} rows and columns; up to {MOST_LABELS:,} can be opened")
    try:
        graph = build(model)
    except ExplorerError as error:
        raise _as_damaged(error) from None
    _limit_cells(model, sum(map(graph.size, graph.nodes)))
    return graph


def _limit_cells(model: Model, cells: int) -> None:
    if cells > most_numbers(model):
        raise DamagedError(f"it holds {cells:,} numbers; up to {most_numbers(model):,} can be opened")


def _forms(table: JsonTable) -> dict[str, Form]:
    """The forms of arrays by the names of their nodes."""
    forms: dict[str, Form] = {}
    for name in table.data:
        if len(name) > MOST_LABEL or not _NODE.fullmatch(name):
            raise DamagedError(f"{shown(name)} is not a name that a node could have")
        form = table.table(name, ("dtype", "shape"))
        shape = form.data["shape"]
        if not isinstance(shape, list) or len(shape) > MOST_AXES or not all(is_whole(n, 0, MOST_BYTES) for n in shape):
            raise form.wrong("shape", f"a list of up to {MOST_AXES} whole numbers")
        forms[name] = Form(form.one_of("dtype", DTYPES), tuple(shape))
    return forms


def _check_forms(
    model: Model, graph: Graph, inputs: Mapping[str, Form], pins: Mapping[str, Form], beyond: Mapping[str, Form]
) -> None:
    """See that each array can be what it is said to be: the graph knows which shapes and types its nodes have."""
    for node in graph.nodes.values():
        if node.is_input:
            dtype = "int64" if _is_ids(graph, node.name) else model.dtype
            if inputs.get(node.name) != Form(dtype, graph.shape(node.name)):
                raise DamagedError(f"the values of '{node.name}' are missing, or not of that node's shape and type")
    for name, form in (*inputs.items(), *beyond.items()):
        if form.dtype == "bool":
            raise DamagedError(f"the values of '{name}' are not numbers")
    for name, form in pins.items():
        if name not in graph.nodes or graph.nodes[name].is_input:
            raise DamagedError(f"'{name}' is not a node that can be pinned")
        if form.shape != graph.shape(name) or form.dtype == "bool":
            raise DamagedError(f"the pinned values of '{name}' are not of that node's shape and type")
    _limit_cells(
        model, sum(prod(form.shape) for form in (*inputs.values(), *beyond.values(), *pins.values(), *pins.values()))
    )


def _is_ids(graph: Graph, name: str) -> bool:
    """Whether an input holds the numbers of words."""
    node = graph.nodes.get(name)
    return node is not None and node.is_input and node.op.whole


def _check_whole(graph: Graph, name: str, values: Array) -> None:
    """See that all values are whole numbers that the node may hold."""
    last = last_number(graph, name)
    if not ((values >= 0) & (values <= last) & (np.floor(values) == values)).all():
        raise DamagedError(f"'{name}' holds a number that is not one of 0 to {last}")


def _check_kept(model: Model, graph: Graph, arrays: Mapping[str, Array]) -> None:
    """See that word numbers kept for a node that is switched off can be used when it is switched on again."""
    if "loss" not in model.blocks():
        return
    try:
        on = build(with_tied_words(with_next_words(model.with_switch("loss", "loss", "cross-entropy"))))
    except ExplorerError:  # then it cannot be switched on
        return
    for name, array in arrays.items():
        if not _is_ids(graph, name) and _is_ids(on, name) and array.ndim == len(on.nodes[name].axes):
            if array.dtype != np.int64:
                raise DamagedError(f"'{name}' does not hold whole numbers")
            _check_whole(on, name, array)
