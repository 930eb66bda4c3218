"""Documents as files: saved to the last bit, and opened only if everything in them fits together; and as text.

A ``.explorer`` file is a `container`. The module `manifest` describes its content. As plain text, a person can post a
document into a chat or a forum; text around it is ignored.
"""

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from explorer import container
from explorer.container import FOREIGN, Container, DamagedError, Form, Told
from explorer.core.cost import MOST_LABELS, count_labels, most_numbers
from explorer.core.engine import Pin, fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import KINDS, Model
from explorer.core.models import build
from explorer.core.models.ends import with_next_words, with_tied_words
from explorer.core.ops import Array
from explorer.core.ops.weights import INITIALISERS
from explorer.core.stored import Stored
from explorer.core.training.recipe import MOST_STEPS, OPTIMISERS, Optimiser
from explorer.core.training.records import Records
from explorer.core.vocabulary import Tokenizer, Vocabulary
from explorer.document.commands.model import first_number, last_number
from explorer.document.document import MOST_UNDO_STEPS
from explorer.document.manifest import (
    FORMAT,
    MOST_LABEL,
    MOST_TITLE,
    NO_SESSION,
    TOP,
    VERSION,
    JsonTable,
    Session,
    Written,
    is_text,
    is_whole,
    patched,
    shown,
)
from explorer.document.state import State
from explorer.files import open_file, whole_file
from explorer.memory import available

T = TypeVar("T")
ENDING = ".explorer"
MOST_LAYERS = 100
MOST_WIDTH = 100_000
MOST_AXES = 4
MOST_TOKENIZER = 30_000_000
_MOST_PLACES = 2**48
DTYPES = ("bool", "int64", "float32", "float64")

_NODE = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*")
_PARTS = ("format", "version", "title", "states", "labels", "now", "session")
_STATE = ("lesson", "setting", "model", "inputs", "pins", "run", "beyond", "optimiser")
_MODEL = (
    *("kind", "lengths", "axes", "d_model", "layers", "switches"),
    *("seed", "initialiser", "dtype", "behind", "called", "room", "tokenizers"),
)


def save(
    state: State, title: str, path: str | Path, session: Session = NO_SESSION, told: Told = lambda done, total: None
) -> None:
    """Write a document to a file. The same document gives the same bytes.

    `title`: as in the window.
    `path`: an existing file is replaced when the new one is complete.
    `told`: called with the bytes done and the total; it may raise to stop, and an existing file then stays.
    Raises `ExplorerError`: "not-written" or "not-saved".
    """
    with whole_file(path) as stream:
        write(state, title, stream, path, session, told)


def write(
    state: State,
    title: str,
    stream: BinaryIO,
    name: str | Path,
    session: Session = NO_SESSION,
    told: Told = lambda done, total: None,
) -> None:
    """Write the bytes of a file; `name` is its name in errors.

    Raises `ExplorerError`: "not-saved".
    """
    try:
        parts = Written(state, title, session)
        try:
            _read(parts)  # only files that can be opened are saved
        except DamagedError:
            parts = Written(state, title, replace(session, steps=()))  # perhaps the undo steps are wrong
            _read(parts)
    except DamagedError as problem:
        raise ExplorerError("not-saved", file=name, reason=problem.args[0]) from None
    container.write(stream, parts.manifest, parts.arrays, told)


def load(path: str | Path) -> tuple[State, str]:
    """A document from a file, with its title.

    Raises `ExplorerError`: "document-not-read", "document-wrong", "document-newer" or "document-older". A file is never
    opened in part.
    """
    return load_session(path)[:2]


def title_of(path: str | Path) -> str:
    """The title of the document in a file, without its numbers; "" if it cannot be read."""
    with suppress(OSError, DamagedError), open_file(path) as stream:
        return JsonTable(Container(stream).manifest, TOP).text("title", MOST_TITLE)
    return ""


def load_session(path: str | Path) -> tuple[State, str, Session]:
    """A document from a file, with its title and what a window saved with it.

    Raises `ExplorerError`: as `load`.
    """
    try:
        with open_file(path) as stream:
            return read(stream, path)
    except OSError as error:
        raise ExplorerError("document-not-read", file=path, reason=error.strerror or error) from None


def read(stream: BinaryIO, name: str | Path) -> tuple[State, str, Session]:
    """A document, its title and its session from the bytes of a file; `name` is its name in errors.

    Raises `ExplorerError`: "document-wrong", "document-newer" or "document-older".
    """
    try:
        parts = Container(stream)
        version = _version(parts.manifest)
        if version != VERSION:
            id = "document-newer" if version > VERSION else "document-older"
            raise ExplorerError(id, file=name, version=version, known=VERSION)
        state, title, session = _read(parts)
        fresh(state.graph, state.used, state.pins)  # to find out whether memory is enough
        return state, title, session
    except DamagedError as problem:
        raise ExplorerError("document-wrong", file=name, problem=problem.args[0]) from None
    except MemoryError:
        raise ExplorerError("document-wrong", file=name, problem="there is not enough memory for it") from None


# Reading: values from outside are used only after they have been checked


def _version(manifest: object) -> int:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DamagedError(FOREIGN)
    version = manifest.get("version")
    if not isinstance(version, int) or not is_whole(version, 1, 10**9):
        raise DamagedError(f"{shown(version)} is not a version that there is")
    return version


def _read(parts: Container | Written) -> tuple[State, str, Session]:
    """The document in a file, its title and session."""
    top = JsonTable(parts.manifest, TOP, _PARTS)
    said, labels = top.data["states"], top.data["labels"]
    if (
        not isinstance(said, list)
        or not isinstance(labels, list)
        or not 0 < len(said) == len(labels) <= MOST_UNDO_STEPS
    ):
        raise DamagedError(f"it does not have 1 to {MOST_UNDO_STEPS} states with as many labels")
    if not all(is_text(label, MOST_TITLE) for label in labels):
        raise DamagedError("what was done before one of its states is not a text")
    now, title = top.whole("now", 0, len(said) - 1), top.text("title", MOST_TITLE)
    reader = _Reader(parts)
    states: list[State] = []
    table: dict[str, Any] = {}
    for patch in said:
        patch = JsonTable(patch, "a state").data
        table = patched(table, patch) if states else patch
        states.append(reader.state(table))
    session = Session(tuple(zip(states, labels, strict=True)), now, top.table("session").data)
    return states[now], title, session


class _Reader:
    """Reads states one after another; what they have in common becomes the same object."""

    def __init__(self, parts: Container | Written) -> None:
        self._parts = parts
        self._made: dict[object, Any] = {}
        self._models: list[tuple[object, Model, Graph, Graph | None]] = []
        self._free = available()  # read once: a file may have a thousand states

    def state(self, said: Mapping[str, Any]) -> State:
        """The state that a table describes. Arrays are read only after all sizes have been checked."""
        table = JsonTable(said, TOP, _STATE)
        lesson, setting = table.text("lesson"), table.text("setting")
        model, graph, on = self._model(table)
        inputs, run, beyond = (self._names(table.table(part)) for part in ("inputs", "run", "beyond"))
        pins = self._pins(table.table("pins"))
        forms = self._parts.forms
        pinned = {name: forms[values] for name, (_, values) in pins.items()}
        longer = {name: forms[array] for name, array in beyond.items()}
        _check_forms(model, graph, {name: forms[array] for name, array in inputs.items()}, pinned, longer, self._free)
        if any(prod(forms[array].shape) > MOST_STEPS for array in run.values()):
            raise DamagedError("its run of training has more steps than there can be")
        said_optimiser = table.table("optimiser", ("kind", "memory") if table.data["optimiser"] else None)
        memory = self._memory(said_optimiser, inputs, beyond)
        arrays = {name: self._array(array) for name, array in inputs.items()}
        held = {name: self._pin(*names) for name, names in pins.items()}
        for name, pin in held.items():
            if graph.nodes[name].op.whole:
                _check_whole(graph, name, pin.values[pin.cells])
        for name, array in arrays.items():
            if _is_ids(graph, name):
                _check_whole(graph, name, array)
            elif on is not None and _is_ids(on, name) and array.ndim == len(on.nodes[name].axes):
                # Word numbers kept for a node that is switched off now: it may be switched on again.
                if array.dtype != np.int64:
                    raise DamagedError(f"'{name}' does not hold whole numbers")
                _check_whole(on, name, array)
        kept = {name: self._array(array) for name, array in beyond.items()}
        records = self._records(run)
        optimiser = self._optimiser(said_optimiser, memory, records)
        return State(model, graph, arrays, held, setting, lesson, records, kept, optimiser)

    def _model(self, table: JsonTable) -> tuple[Model, Graph, Graph | None]:
        """The model, its graph, and the graph that it would have with a loss."""
        said = table.data["model"]
        for known, model, graph, on in self._models:
            if known is said:
                return model, graph, on
        whole = {"tokenizers": {}, "behind": 0, "called": {}, "room": 0, **table.table("model").data}
        model = _model(JsonTable(whole, "model", _MODEL))
        self._models = [(said, model, _graph(model), _with_loss(model))]
        return self._models[0][1:]

    def _names(self, table: JsonTable) -> dict[str, str]:
        """Names of the file's arrays, by node name."""
        for node, array in table.data.items():
            if len(node) > MOST_LABEL or not _NODE.fullmatch(node):
                raise DamagedError(f"{shown(node)} is not a name that a node could have")
            self._check(node, array)
        return table.data

    def _pins(self, table: JsonTable) -> dict[str, list[str]]:
        for node, names in table.data.items():
            if not isinstance(names, list) or len(names) != 2:
                raise table.wrong(node, "the names of two arrays")
            for array in names:
                self._check(node, array)
            cells, values = (self._parts.forms[array] for array in names)
            if cells != Form("bool", values.shape):
                raise DamagedError(f"the pinned cells of '{shown(node)}' are not of the shape of their values")
        return table.data

    def _check(self, node: str, array: object) -> None:
        form = self._parts.forms.get(array) if isinstance(array, str) else None
        if form is None:
            raise DamagedError(f"it lacks {shown(array)}")
        if form.dtype not in DTYPES or len(form.shape) > MOST_AXES:
            raise DamagedError(f"{shown(node)} cannot be an array of {form.dtype} with {len(form.shape)} axes")

    def _array(self, name: str) -> Array:
        return self._once(name, lambda: self._parts.array(name))

    def _pin(self, cells: str, values: str) -> Pin:
        return self._once((cells, values), lambda: Pin(self._array(cells), self._array(values)))

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """What is made at the first call with this key."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def _memory(self, said: JsonTable, inputs: Mapping[str, str], beyond: Mapping[str, str]) -> dict[str, str]:
        """Names of the arrays of an optimiser's memory: each a single number, or of the form of an input."""
        if not said.data:
            return {}
        forms, found = self._parts.forms, said.table("memory").data
        for way, array in found.items():
            name = way.split("/")[1] if way.count("/") in (1, 2) else ""
            self._check(way, array)
            likes = [forms[arrays[name]] for arrays in (inputs, beyond) if name in arrays]
            if not likes or (forms[array] not in likes and forms[array] != Form("int64", ())):
                raise DamagedError(f"{shown(way)} is not what an optimiser could remember")
        return found

    def _optimiser(self, said: JsonTable, memory: Mapping[str, str], records: Records | None) -> Optimiser | None:
        """The optimiser of the training that gave the weights, if the file has it."""
        if not said.data:
            return None
        kind = said.one_of("kind", OPTIMISERS)
        arrays = {way: self._array(array) for way, array in memory.items()}
        likes = {way.split("/")[1]: array for way, array in arrays.items() if array.dtype.kind == "f"}
        at = 0 if records is None else records.at
        try:
            key = kind, frozenset(memory.items())
            return self._once(key, lambda: OPTIMISERS[kind]().remembering(arrays, likes, at))
        except ValueError:
            raise DamagedError("what its optimiser remembers does not fit together") from None

    def _records(self, columns: Mapping[str, str]) -> Records | None:
        """The records of the training that gave the weights, if the file has them."""
        if not columns:
            return None
        arrays = {name: self._array(array) for name, array in columns.items()}
        try:
            return self._once(frozenset(columns.items()), lambda: Records.of(arrays))
        except ValueError:
            raise DamagedError("the columns of its run of training do not fit together") from None


def _stored(table: JsonTable, node: str) -> Stored:
    """Where an input stands in its checkpoint; a text is the name of its tensor alone."""
    said = table.data[node]
    if isinstance(said, str):
        return Stored(table.text(node))
    if not isinstance(said, list) or len(said) != 4:
        raise table.wrong(node, "a tensor, its shape, and the places of the numbers in it")
    name, shape, first, steps = said
    for sizes in (shape, steps):
        if not isinstance(sizes, list) or len(sizes) > MOST_AXES:
            raise table.wrong(node, f"a tensor with lists of up to {MOST_AXES} sizes")
    if not is_text(name, MOST_LABEL) or not all(is_whole(size, 0, _MOST_PLACES) for size in (first, *shape, *steps)):
        raise table.wrong(node, "a tensor with whole numbers as sizes")
    return Stored(name, tuple(shape), first, tuple(steps))


def _model(table: JsonTable) -> Model:
    """The model; each of its switches is checked."""
    lengths, axes, called = table.table("lengths"), table.table("axes"), table.table("called")
    for part in (lengths, axes, called):
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
        behind=table.whole("behind", 0, MOST_LAYERS),
        called={name: _stored(called, name) for name in called.data},
        room=table.whole("room", 0, 2**32),
    )
    tokenizers = table.table("tokenizers")
    for axis in tokenizers.data:
        if axis not in model.axes:
            raise DamagedError(f"{shown(axis)} is not an axis that could have a tokenizer")
        words = Vocabulary(model.axes[axis], _tokenizer(tokenizers.text(axis, MOST_TOKENIZER)))
        model = replace(model, axes={**model.axes, axis: words})
    for key, value in table.table("switches").data.items():
        block, _, name = key.rpartition(".")
        # Values that an error message repeats must be short.
        plain = (
            isinstance(value, float) or is_text(value, MOST_LABEL) or (isinstance(value, int) and abs(value) < 10**12)
        )
        if not plain or not is_text(key, MOST_LABEL) or not f"{key}{value}".isprintable():
            raise DamagedError(f"{shown(key)}: {shown(value)} is not what a switch could be set to")
        try:
            model = model.with_switch(block, name, value)
        except ExplorerError as error:
            raise DamagedError(error) from None
    return model


@lru_cache(4)
def _tokenizer(text: str) -> Tokenizer:
    """The tokenizer in a document, see `explorer.document.manifest.packed`."""
    from explorer.checkpoints.tokenizers import tokenizer  # few documents have one

    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(b64decode(text, validate=True), tokenizer.MOST_SOURCE)
        if not reader.eof:
            raise DamagedError("its tokenizer is cut short, or too large")
        return tokenizer.from_json(raw.decode())
    except (ValueError, zlib.error):
        raise DamagedError("its tokenizer is not what the program writes") from None
    except ExplorerError as error:
        raise DamagedError(error) from None


def _graph(model: Model) -> Graph:
    """The graph of a model, unless it needs too much memory."""
    labels = count_labels(model)
    if labels > MOST_LABELS:
        raise DamagedError(f"its matrices have {labels:,} rows and columns; up to {MOST_LABELS:,} can be opened")
    try:
        graph = build(model)
    except ExplorerError as error:
        raise DamagedError(error) from None
    _limit_cells(model, sum(graph.size(name) for name, node in graph.nodes.items() if not node.is_input))
    return graph


def _limit_cells(model: Model, cells: int) -> None:
    if cells > most_numbers(model):
        raise DamagedError(f"it holds {cells:,} numbers; up to {most_numbers(model):,} can be opened")


def _check_forms(
    model: Model,
    graph: Graph,
    inputs: Mapping[str, Form],
    pins: Mapping[str, Form],
    beyond: Mapping[str, Form],
    free: float,
) -> None:
    """Check that each array has the shape and type that the graph demands, and that all fit into the `free` bytes."""
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
    _limit_cells(model, sum(prod(form.shape) for form in (*beyond.values(), *pins.values(), *pins.values())))
    # The inputs are as large as the file at most, so only memory limits them: Qwen 3 has more than `most_numbers`.
    needed = sum(prod(form.shape) * np.dtype(form.dtype).itemsize for form in inputs.values())
    if needed > free:
        raise DamagedError(f"it needs {needed / 1e9:.1f} GB of memory; {free / 1e9:.1f} GB are free here")


def _is_ids(graph: Graph, name: str) -> bool:
    """Whether an input holds word numbers."""
    node = graph.nodes.get(name)
    return node is not None and node.is_input and node.op.whole


def _check_whole(graph: Graph, name: str, values: Array) -> None:
    """Check that all values are whole numbers that the node may hold."""
    first, last = first_number(graph, name), last_number(graph, name)
    if not ((values >= first) & (values <= last) & (np.floor(values) == values)).all():
        raise DamagedError(f"'{name}' holds a number that is not one of {first} to {last}")


def _with_loss(model: Model) -> Graph | None:
    """The graph of a model with its loss switched on; None if there is no such graph."""
    if "loss" not in model.blocks():
        return None
    try:
        return build(with_tied_words(with_next_words(model.with_switch("loss", "loss", "cross-entropy"))))
    except ExplorerError:
        return None


# A document as text

TEXT_BEGIN, TEXT_END = "----- Transformer Explorer document -----", "----- end of the document -----"
MOST_TEXT, MOST_UNPACKED, TEXT_WIDTH = 200_000, 20_000_000, 100
"""The most characters of a document as text, the most bytes that they may unpack to, and the width of a line."""
TEXT_NAME = "The text"
_AT_ONCE = 2**16
"""Bytes that are compressed before the length is checked again."""


def as_text(state: State, title: str) -> str:
    """A document as lines of plain text between two marks: the bytes of its file, compressed.

    Raises `ExplorerError`: "too-large-for-text" or "not-saved".
    """
    if sum(array.nbytes for array in state.inputs.values()) > MOST_UNPACKED:
        raise _too_large()
    stream = _Packed()
    write(replace(state, optimiser=None), title, stream, TEXT_NAME)  # whose memory is twice as large as the weights
    text = b64encode(stream.whole()).decode()
    if len(text) > MOST_TEXT:
        raise _too_large()
    return "\n".join((TEXT_BEGIN, *(text[i : i + TEXT_WIDTH] for i in range(0, len(text), TEXT_WIDTH)), TEXT_END, ""))


class _Packed(BytesIO):
    """Compresses what is written to it, and stops at the longest allowed text: a large model would take minutes."""

    def __init__(self) -> None:
        super().__init__()
        self._packing = zlib.compressobj(9)

    def write(self, data: Any, /) -> int:
        parts = memoryview(data).cast("B")
        for begin in range(0, len(parts), _AT_ONCE):
            super().write(self._packing.compress(parts[begin : begin + _AT_ONCE]))
            if self.tell() > MOST_TEXT:
                raise _too_large()
        return len(parts)

    def whole(self) -> bytes:
        """All that was written, compressed."""
        super().write(self._packing.flush())
        return self.getvalue()


def _too_large() -> ExplorerError:
    return ExplorerError("too-large-for-text", limit=f"{MOST_TEXT:,}")


def from_text(text: str) -> tuple[State, str]:
    """The document in a text, with its title; a chat may have added words around it, or quotation marks to its lines.

    Raises `ExplorerError`: "no-document-in-text", or those of `storage.read`.
    """
    _, begin, rest = text.partition(TEXT_BEGIN)
    packed, end, _ = rest.partition(TEXT_END)
    if not begin or not end:
        raise ExplorerError("no-document-in-text")
    if len(packed) > 2 * MOST_TEXT:
        raise ExplorerError("document-wrong", file=TEXT_NAME, problem="it is too long")
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(b64decode(re.sub(r"[\s>|]+", "", packed), validate=True), MOST_UNPACKED)
    except (ValueError, zlib.error):
        raise ExplorerError("document-wrong", file=TEXT_NAME, problem="it is damaged") from None
    if not unpacking.eof:
        raise ExplorerError("document-wrong", file=TEXT_NAME, problem="it is not whole, or too large")
    return read(BytesIO(data), TEXT_NAME)[:2]
