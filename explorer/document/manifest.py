"""What the manifest of a document says, and its arrays.

It says

===============  =======================================================================================================
``format``       that it is a document, with ``version`` and ``title``; before version 3 an encoder that a decoder
                 looks at had no norm at its end
``states``       the first state that undo leads to, and of each one behind it what differs from the one before it, as a
                 JSON Merge Patch (RFC 7386). A state names its lesson, setting and model, and its arrays: ``inputs``,
                 ``pins`` (which cells are held, and at what), ``run`` (records of the training that its weights are
                 from), ``beyond`` (inputs as they were when a sentence was longer), ``optimiser`` (its kind, and what
                 it remembers)
                 A model names its kind, sizes, words and switches, and where its words are the pieces of a tokenizer,
                 ``tokenizers``: for each such axis the tokenizer.json, compressed, as base64
``labels``       what was done before each state
``now``          which of them is the present one
``session``      what the window keeps beside the numbers
===============  =======================================================================================================

What a JSON document from outside says, each value asked for with what it has to be.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from explorer.container import DamagedError, Form
from explorer.core.cost import MOST_LABELS
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.training.optimisers import OPTIMISERS, Optimiser
from explorer.core.training.records import Records
from explorer.core.vocabulary import Vocabulary
from explorer.document.deferred import unread
from explorer.document.state import State

MOST_LABEL = 120
TOP = "what it says of itself"
"""How messages name the table that all others are in."""


class JsonTable:
    """A table of the document.

    Parameters
    ----------
    data : object
        Refused, if it is not a table.
    way : str
        As messages name it.
    keys : collection of str, optional
        The keys it has to have, no more and no fewer.

    Raises
    ------
    DamagedError
        As each method does where a value is not what it has to be.
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
        """What to raise where a value is not what it has to be."""
        return DamagedError(f"{shown(self.data[key])} is not {what}, as {key} of {self.way} has to be")

    def text(self, key: str, most: int = MOST_LABEL) -> str:
        """A text up to a length; it may be empty."""
        text = self.data[key]
        if not is_text(text, most):
            raise self.wrong(key, f"a text of up to {most} characters")
        return str(text)

    def whole(self, key: str, least: int, most: int) -> int:
        """A whole number between two bounds."""
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
        """A table below this one."""
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
    """Whether it is a text of up to so many characters."""
    # Half a surrogate pair is no text that could be written again.
    return isinstance(value, str) and len(value) <= most and not re.search("[\ud800-\udfff]", value)


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether it is a whole number between two bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def shown(value: object) -> str:
    """A value from a file, short and on one line."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > 10**MOST_LABEL:
        return "a very large number"  # Python refuses to write out numbers of thousands of digits
    text = value if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else "�" for c in text[:MOST_LABEL]) + "…" * (len(text) > MOST_LABEL)
    return f"'{text}'"


FORMAT, VERSION = "Transformer Explorer document", 3
MOST_TITLE = 1000


@dataclass(frozen=True, eq=False)
class Session:
    """What a window keeps with a document."""

    # The states that undo and redo lead to, each with what was done before it; none, where nothing is known of them.
    steps: tuple[tuple[State, str], ...] = ()
    now: int = 0  # which of them is the document's
    # What else there is, such as where one looks, as JSON has it. Who reads it from a file believes none of it.
    beside: Mapping[str, Any] = field(default_factory=dict)


NO_SESSION = Session()


class Written:
    """What a file says of a document, and its arrays: each once, however many states have it."""

    def __init__(self, state: State, title: str, session: Session) -> None:
        steps, now = (session.steps, session.now) if session.steps else (((state, ""),), 0)
        self.arrays: dict[str, Array] = {}
        self._names: dict[int, str] = {}
        self._said: dict[int, dict[str, Any]] = {}
        self._kept: list[object] = []  # what is known by its id has to stay
        present = self._state(state)  # first: its arrays have the plain names
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
        self.forms = {name: Form(array.dtype.name, array.shape) for name, array in self.arrays.items()}

    def array(self, name: str) -> Array:
        """An array, as a file that is open would give it."""
        return self.arrays[name]

    def _state(self, state: State) -> dict[str, Any]:
        pins = {
            name: [self._name(f"pins/{name}.cells", pin.cells), self._name(f"pins/{name}.values", pin.values)]
            for name, pin in state.pins.items()
        }
        optimiser = state.optimiser
        steps = state.records.at if state.records is not None else 0
        if optimiser is not None and not (steps and optimiser.fits(unread(state.inputs), state.beyond)):
            optimiser = None  # the sizes were changed since, or nothing says how many steps were taken
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
        """What is said of a thing, written once, so that it is quickly seen to be the same as before."""
        if id(thing) not in self._said:
            self._kept.append(thing)
            self._said[id(thing)] = say(thing)
        return self._said[id(thing)]

    def _name(self, way: str, array: Array) -> str:
        """The name of an array in the file."""
        name = self._names.get(id(array))
        if name is None:
            self._kept.append(array)
            name = way if way not in self.arrays else f"{way} {len(self.arrays)}"
            self._names[id(array)], self.arrays[name] = name, array
        return name


def _model_said(model: Model) -> dict[str, Any]:
    blocks = model.blocks()
    tokenizers = {axis: packed(words) for axis, words in model.axes.items() if isinstance(words, Vocabulary)}
    return (
        {
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
        }
        | ({"tokenizers": tokenizers} if tokenizers else {})
        | ({"behind": model.behind} if model.behind else {})
        | ({"called": dict(model.called)} if model.called else {})
    )


@lru_cache(4)
def packed(words: Vocabulary) -> str:
    """The tokenizer of these pieces as a document keeps it: a manifest may have only so many commas and brackets."""
    return b64encode(zlib.compress(words.tokenizer.source.encode())).decode()


def _patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the one table of the other; None takes away."""
    found: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        was = before.get(key)
        if was is value or was == value:
            continue
        found[key] = _patch(was, value) if isinstance(was, dict) and isinstance(value, dict) else value
    return found


def patched(before: Mapping[str, Any], patch: Mapping[str, Any], depth: int = 3) -> dict[str, Any]:
    """The other way round."""
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
