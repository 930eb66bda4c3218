"""A number is wished for: what may change, and the way on which gradient descent came to it."""

from dataclasses import dataclass, replace
from html import escape
from math import isfinite

import numpy as np

from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.gradients import Root
from explorer.core.numbers import formatted, read_number
from explorer.document.state import State
from explorer.pages.element import Element
from explorer.pages.gestures import ForSeek
from explorer.pages.page import (
    BAR,
    NUMBER,
    Button,
    Check,
    Column,
    Controls,
    Entry,
    Field,
    Header,
    Line,
    Listing,
    Note,
    Section,
)
from explorer.training.goal_seek import Sought

MOST_INPUTS, MOST_DIGITS, LINES = 24, 40, 8
"""Inputs to choose among, letters of a number, and steps of the way in sight."""


@dataclass(frozen=True)
class Search:
    """A wish for a number, and what came of it."""

    state: State  # what it is sought in
    root: Root  # the number
    name: str  # as undo and messages name it: "encoder.1.self.scores[0,1,2]"
    where: str  # in words: "row friend, column Emma"
    value: float  # as it is now
    inputs: tuple[str, ...]  # those that may be chosen, the nearest last
    left_out: int  # how many more there are, further away
    chosen: frozenset[str]  # those that may change
    typed: str = ""  # the wished number, as it is typed
    busy: bool = False
    found: Sought | None = None

    @property
    def wished(self) -> float:
        """The number that is typed.

        Raises `ExplorerError`: "bad-number" or "number-too-large".
        """
        value = read_number(self.typed)
        if not isfinite(value):
            raise ExplorerError("bad-number", text=self.typed.strip())
        return value

    def do(self, act: str, value: object) -> "Search":
        """What a control asks for; what was found before is no longer shown."""
        if act == "wish":
            return replace(self, typed=str(value), found=None)
        name = act.removeprefix("change ")
        return replace(self, chosen=self.chosen | {name} if value else self.chosen - {name}, found=None)


def search_for(state: State, engine: Engine, root: Root, where: str) -> Search:
    """A search for one number; at first the inputs that are nearest to it may change."""
    graph = state.graph
    whole = [one for one in graph.inputs_of(root.node) if graph.nodes[one].op.whole]
    inputs = [one for one in graph.inputs_of(root.node) if one not in whole]
    if graph.nodes[root.node].is_input:
        inputs = [root.node]
    near = inputs[-MOST_INPUTS:]
    parents = set(graph.nodes[root.node].parents)
    first = [one for one in near if one in parents] or near[-1:]
    index = ",".join(map(str, root.cell))
    value = float(np.asarray(engine.values[root.node])[root.cell])
    name = f"{root.node}[{index}]" if index else root.node
    return Search(state, root, name, where, value, tuple(near), len(inputs) - len(near), frozenset(first))


def seek_page(search: Search) -> tuple[Element, ...]:
    """What is asked, and the way."""
    now = formatted(search.value, ".6g")
    header = Header("header", "Find inputs for a value", f"{search.name}, {search.where}: now {now}")
    field = Field(
        "wish", "It shall be", search.typed, ForSeek("wish"), ForSeek("find"), MOST_DIGITS, on=not search.busy
    )
    ready = bool(search.typed.strip() and search.chosen) and not search.busy
    checks = tuple(Check(f"change {one}", one, one in search.chosen, ForSeek(f"change {one}")) for one in search.inputs)
    more = f" {search.left_out} more, further away, stay as they are." if search.left_out else ""
    said = "All else stays as it is." if search.inputs else "It comes from no number that may change."
    return (
        header,
        Controls("wished", (field, Button("find", "Find", ForSeek("find"), on=ready))),
        Section("changes", "What may change"),
        Controls("inputs", checks),
        Note("else", said + more),
        *_outcome(search),
    )


def _outcome(search: Search) -> list[Element]:
    if search.busy:
        return [Note("outcome", "Gradient descent is looking for it …")]
    found = search.found
    if found is None:
        return []
    count = len(found.moves)
    steps = f"{count} step{'s' * (count != 1)}"
    wished = formatted(found.wished, ".6g")
    if found.reached:
        said = f"<b>{wished} is reached in {steps}.</b> Use it, and undo brings back what was."
    else:
        said = f"<b>{wished} is not reached: {escape(found.reason)}.</b> Let other inputs change, or wish for less."
    away = max((abs(found.wished - value) for value in _values(found)), default=0.0) or 1.0
    lines = tuple(
        Line.of(
            str(number), formatted(value, ".6g"), Entry("", abs(found.wished - value) / away), _moved(found, number)
        )
        for number, value in enumerate(_values(found))
    )
    columns = (
        Column("step", NUMBER),
        Column("value", NUMBER),
        Column("still away", BAR),
        Column("inputs moved by", NUMBER),
    )
    way = Listing("way", "The way", columns, lines, LINES, scrolls=True)
    use = Controls("ways", (Button("use", "Use it", ForSeek("use"), on=found.reached and bool(found.moves)),))
    return [Note("outcome", said), way, use]


def _values(found: Sought) -> tuple[float, ...]:
    return (found.began, *(move.value for move in found.moves))


def _moved(found: Sought, number: int) -> str:
    return formatted(found.moves[number - 1].length, ".3g") if number else ""
