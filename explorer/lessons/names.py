"""Looks up the names of a lesson in a model: nodes, and rows and columns by label or by number, counted from 0."""

import re
from collections.abc import Iterable

from explorer.core.frozen import Frozen
from explorer.core.graph import Place
from explorer.core.model import SWITCHES
from explorer.document.state import State
from explorer.lessons.steps import Cell

_CELL = re.compile(r"(?P<name>[^\[\]{}\s]+)\s*(?:\[(?P<index>.*)\])?")
_SHOWN = 60
_FEW = 12


class UnknownNameError(Exception):
    """An unknown name: the kind of thing that was expected, the name, and a remedy."""

    def __init__(self, what: str, name: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.name, self.remedy = what, " ".join(name.split())[:_SHOWN], remedy


def one_of(what: str, name: str, known: Iterable[str]) -> str:
    """The name, if it is known.

    Raises `UnknownNameError`: with the most similar known name.
    """
    known = list(known)
    if name not in known:
        from difflib import get_close_matches  # not needed at the start

        near = get_close_matches(name, known, n=1)
        few = ", ".join(f"`{one}`" for one in known[:_FEW])
        more = ", …" if len(known) > _FEW else ""
        raise UnknownNameError(
            what, name, f"did you mean `{near[0]}`?" if near else f"there are {few or 'none'}{more}."
        )
    return name


class Names(Frozen, eq=False):
    """Looks up names in a state."""

    state: State

    def place(self, name: str) -> Place:
        """The place of a node, or of a head's slice of one.

        Raises `UnknownNameError`.
        """
        graph = self.state.graph
        return graph.find(name) or graph.place(one_of("node", name, graph.names()))

    def axes(self, name: str) -> tuple[str, ...]:
        """The axes of a node or slice."""
        return self.state.graph.axes_of(self.place(name))

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels along an axis; for a sequence, its words."""
        return self.state.graph.labels(axis, self.state.inputs)

    def number(self, axis: str, label: object, what: str) -> int:
        """The index of a label along an axis; a number counts as the index itself, from 0.

        Raises `UnknownNameError`.
        """
        labels = self.labels(axis)
        text = str(label).strip()
        if not isinstance(label, bool) and (isinstance(label, int) or text.isdecimal()) and len(text) < _FEW:
            number = int(text)
            if not 0 <= number < len(labels):
                raise UnknownNameError(what, text, f"they are counted from 0 to {len(labels) - 1}.")
            return number
        return labels.index(one_of(what, text, labels))

    def cell(self, name: str, labels: Iterable[object]) -> Cell:
        """A cell of a node or slice, from the labels or numbers along all its axes."""
        axes, labels = self.axes(name), list(labels)
        if len(axes) != len(labels):
            written = ", ".join(axis.rpartition(".")[-1] for axis in axes)
            shown = f"{name}[{', '.join(map(str, labels))}]"
            raise UnknownNameError(
                "cell", shown, f"write {name}[{written}]." if axes else f"`{name}` is a single number."
            )
        whats = {1: ["row"], 2: ["row", "column"], 3: ["head", "row", "column"]}.get(len(axes), [])
        return tuple(self.number(*one) for one in zip(axes, labels, whats, strict=True))

    def written_cell(self, text: str) -> tuple[str, Cell]:
        """The node and the cell of a text "NODE[row, column]", or of "NODE" for a single number."""
        name, labels = split_cell(text)
        return name, self.cell(name, labels)

    def switch(self, key: str) -> tuple[str, str]:
        """The block and the name of a switch, from a text "BLOCK.NAME"."""
        block, _, name = key.rpartition(".")
        blocks = self.state.model.blocks()
        return one_of("block", block, blocks), one_of("switch", name, SWITCHES[blocks[block]])


def split_cell(text: str) -> tuple[str, list[str]]:
    """The name and the labels in a text "NODE[row, column]".

    Raises `UnknownNameError` if the text has another form.
    """
    match = _CELL.fullmatch(text.strip())
    if match is None:
        raise UnknownNameError("cell", text, "write NODE[row, column].")
    index = match["index"]
    return match["name"], [part.strip() for part in index.split(",")] if index and index.strip() else []
