"""The content of a document's manifest, and the document's arrays.

The keys of the manifest:

===============  =======================================================================================================
``format``       marks the file as a document, with ``version`` and ``title``
``states``       the oldest state that undo can reach, and for each later state its differences from the one before it,
                 as a JSON Merge Patch (RFC 7386). A state names its lesson, setting and model, and its arrays:
                 ``inputs``, ``pins`` (pinned cells and their values), ``run`` (records of the training that gave its
                 weights), ``beyond`` (inputs from when a sentence was longer), ``optimiser`` (its kind and memory)
                 A model names its kind, sizes, words and switches. If its words are the pieces of a tokenizer, it has
                 ``tokenizers``: for each such axis the tokenizer.json, compressed, as base64; if it was read from a
                 checkpoint, it has ``called``: the name of the tensor of each input, its shape, the place of the
                 input's first number in it, and how far apart the next ones along each axis are. If the checkpoint says
                 how many words a text has that it was made for, it has ``room``
``labels``       the act that led to each state
``now``          the number of the present state
``session``      what the window saves besides the numbers
===============  =======================================================================================================

It also has the checks for values of a JSON document from outside: each is read with its expected type and bounds.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from explorer.container import DamagedError, form_of
from explorer.core.cost import MOST_LABELS
from explorer.core.frozen import Frozen
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.training.recipe import OPTIMISERS, Optimiser
from explorer.core.training.records import Records
from explorer.core.vocabulary import Vocabulary
from explorer.document.state import State, unread

MOST_LABEL = 120
TOP = "what it says of itself"
"""The name of the outermost table in messages."""


class JsonTable:
    """A JSON object of the document, whose values are checked when they are read.

    `data`: refused if it is not a JSON object.
    `way`: the name of the table in messages.
    `keys`: the exact keys that it must have.
    Raises `DamagedError`, also from each method, for a value of the wrong type or out of bounds.
    """

    def __init__(self, data: object, way: str, keys: Collection[str] | None = None) -> None:
        if not isinstance(data, dict):
            raise DamagedError(f"{way} is not a table")
        if keys is not None and data.keys() != set(keys):
            odd = min(data.keys() ^ set(keys))
            raise DamagedError(f"{way} {'holds' if odd in data else 'lacks'} {shown(odd)}")
        self.data: dict[str, Any] = data
        self.way = way

    def wrong(self, key: str, what: str) -> DamagedError:
        """The error for a value that is not what it must be."""
        return DamagedError(f"{shown(self.data[key])} is not {what}, as {key} of {self.way} has to be")

    def text(self, key: str, most: int = MOST_LABEL) -> str:
        """A text of limited length; it may be empty."""
        text = self.data[key]
        if not is_text(text, most):
            raise self.wrong(key, f"a text of up to {most} characters")
        return str(text)

    def whole(self, key: str, least: int, most: int) -> int:
        """A whole number within two bounds."""
        number = self.data[key]
        if not is_whole(number, least, most):
            raise self.wrong(key, f"a whole number from {least} to {most}")
        return int(number)

    def one_of(self, key: str, known: Collection[str]) -> str:
        """One of the known texts."""
        if not isinstance(self.data[key], str) or self.data[key] not in known:
            raise self.wrong(key, f"one of {', '.join(known)}")
        return str(self.data[key])

    def table(self, key: str, keys: Collection[str] | None = None) -> "JsonTable":
        """A table inside this one."""
        return JsonTable(self.data[key], key if self.way == TOP else f"{key} of {self.way}", keys)

    def labels(self, key: str) -> tuple[str, ...]:
        """A list of texts, none of them empty."""
        labels = self.data[key]
        if not isinstance(labels, list) or not 1 <= len(labels) <= MOST_LABELS:
            raise self.wrong(key, f"a list of 1 to {MOST_LABELS:,} texts")
        for label in labels:
            if not label or not is_text(label, MOST_LABEL):
                raise DamagedError(f"{shown(label)} in {key} of {self.way} is not a text of up to {MOST_LABEL} letters")
        return tuple(labels)


def is_text(value: object, most: int) -> bool:
    """Whether it is a text of at most `most` characters."""
    # A text with half a surrogate pair cannot be written again.
    return isinstance(value, str) and len(value) <= most and not re.search("[\ud800-\udfff]", value)


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether it is a whole number within two bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def shown(value: object) -> str:
    """A value from a file, short and on one line."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > 10**MOST_LABEL:
        return "a very large number"  # Python refuses to write numbers of thousands of digits
    text = value if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else "�" for c in text[:MOST_LABEL]) + "…" * (len(text) > MOST_LABEL)
    return f"'{text}'"


# The manifest

FORMAT, VERSION = "Transformer Explorer document", 3
MOST_TITLE = 1000
SMALL = 65_536
"""Arrays of at most so many bytes are compared, and saved once if they are alike."""


class Session(Frozen, eq=False):
    """What a window saves together with a document."""

    # The states that undo and redo lead to, each with the name of the act before it; empty if they are not known.
    steps: tuple[tuple[State, str], ...] = ()
    now: int = 0  # the place of the document's own state among them
    # All other values, such as what is selected, as JSON. A reader must check them: they come from a file.
    beside: Mapping[str, Any] = field(default_factory=dict)


NO_SESSION = Session()


class Written:
    """The manifest and the arrays of a document to be saved.

    An array is there once, however many states share it, or, if it is small, have one with the same bytes: whoever
    opens an example again and again has states that share none.
    """

    def __init__(self, state: State, title: str, session: Session) -> None:
        steps, now = (session.steps, session.now) if session.steps else (((state, ""),), 0)
        self.arrays: dict[str, Array] = {}
        self._names: dict[object, str] = {}  # by the id of an array, and by what it is for and its bytes
        self._said: dict[int, dict[str, Any]] = {}
        self._kept: list[object] = []  # objects known by their id, kept alive so that no id is used again
        present = self._state(state)  # first, so that its arrays get the names without a number
        whole = [present if k == now else self._state(one) for k, (one, _) in enumerate(steps)]
        patches = [_patch(before, after) for before, after in pairwise(whole)]
        self.manifest: Any = {
            "format": FORMAT,
            "version": VERSION,
            "title": title[:MOST_TITLE],
            "states": [whole[0], *patches],
            "labels": [label[:MOST_TITLE] for _, label in steps],
            "now": now,
            "session": dict(session.beside),
        }
        self.forms = {name: form_of(array) for name, array in self.arrays.items()}

    def array(self, name: str) -> Array:
        """An array, as an open file would return it."""
        return self.arrays[name]

    def _state(self, state: State) -> dict[str, Any]:
        pins = {
            name: [self._name(f"pins/{name}.cells", pin.cells), self._name(f"pins/{name}.values", pin.values)]
            for name, pin in state.pins.items()
        }
        optimiser = state.optimiser
        steps = state.records.at if state.records is not None else 0
        if optimiser is not None and not (steps and optimiser.fits(unread(state.inputs), state.beyond)):
            optimiser = None  # the sizes have changed since, or the number of steps is unknown
        return {
            "lesson": state.lesson,
            "setting": state.setting,
            "model": self._once(state.model, _model_said),
            "inputs": {name: self._name(f"inputs/{name}", array) for name, array in state.inputs.items()},
            "pins": pins,
            "run": self._once(state.records, self._run) if state.records is not None else {},
            "beyond": {name: self._name(f"beyond/{name}", array) for name, array in state.beyond.items()},
            "optimiser": {} if optimiser is None else self._once(optimiser, self._optimiser),
        }

    def _run(self, records: Records) -> dict[str, str]:
        return {column: self._name(f"run/{column}", array) for column, array in records.arrays().items()}

    def _optimiser(self, optimiser: Optimiser) -> dict[str, Any]:
        kind = next(name for name, one in OPTIMISERS.items() if type(optimiser) is one)
        memory = {way: self._name(f"memory/{way}", array) for way, array in optimiser.arrays().items()}
        return {"kind": kind, "memory": memory}

    def _once(self, thing: Any, say: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The description of a thing, made once, so that equal parts of two states are the same object."""
        if id(thing) not in self._said:
            self._kept.append(thing)
            self._said[id(thing)] = say(thing)
        return self._said[id(thing)]

    def _name(self, way: str, array: Array) -> str:
        """The name of an array in the file."""
        name = self._names.get(id(array))
        if name is None:
            self._kept.append(array)
            content = (way, array.dtype, array.shape, array.tobytes()) if array.nbytes <= SMALL else id(array)
            name = self._names.get(content)
            if name is None:
                name = way if way not in self.arrays else f"{way} {len(self.arrays)}"
                self._names[content], self.arrays[name] = name, array
            self._names[id(array)] = name
        return name


def _model_said(model: Model) -> dict[str, Any]:
    blocks = model.blocks()
    tokenizers = {axis: packed(words) for axis, words in model.axes.items() if isinstance(words, Vocabulary)}
    called = {node: [one.tensor, list(one.shape), one.first, list(one.steps)] for node, one in model.called.items()}
    return (
        {
            "kind": model.kind,
            "lengths": {name: int(length) for name, length in model.lengths.items()},
            "axes": {axis: list(labels) for axis, labels in model.axes.items()},
            "d_model": model.d_model,
            "layers": model.layers,
            # Without those of blocks that the model no longer has.
            "switches": {key: value for key, value in model.switches.items() if key.rpartition(".")[0] in blocks},
            "seed": model.seed,
            "initialiser": model.initialiser,
            "dtype": model.dtype,
        }
        | ({"tokenizers": tokenizers} if tokenizers else {})
        | ({"behind": model.behind} if model.behind else {})
        | ({"room": model.room} if model.room else {})
        | ({"called": called} if called else {})
    )


def packed(words: Vocabulary) -> str:
    """The tokenizer of these pieces as text: compressed, because a manifest may have only few commas and brackets."""
    return _packed(words.tokenizer.source)


@lru_cache(4)  # by the tokenizer, not by the pieces: two may have the same pieces
def _packed(source: str) -> str:
    return b64encode(zlib.compress(source.encode())).decode()


def _patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Merge Patch that turns one table into the other; None deletes a key."""
    found: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        was = before.get(key)
        if was is value or was == value:
            continue
        found[key] = _patch(was, value) if isinstance(was, dict) and isinstance(value, dict) else value
    return found


def patched(before: Mapping[str, Any], patch: Mapping[str, Any], depth: int = 3) -> dict[str, Any]:
    """The table after a patch: the inverse of `_patch`."""
    made = dict(before)
    for key, value in patch.items():
        was = made.get(key)
        if value is None:
            made.pop(key, None)
        elif depth and isinstance(was, dict) and isinstance(value, dict):
            made[key] = patched(was, value, depth - 1)
        else:
            made[key] = value
    return made
