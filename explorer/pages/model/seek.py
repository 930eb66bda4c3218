"""The page that searches for inputs that give a cell a wished number: what may change, and the steps of the search."""

from dataclasses import replace
from html import escape
from math import isfinite

from explorer.core.cell import is_cell_of
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError, require_cell
from explorer.core.frozen import Frozen
from explorer.core.graph import NamedCell, Root, parse_cell
from explorer.core.numbers import formatted, quantity, read_number
from explorer.document.commands.model import input_place
from explorer.document.state import State
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Controls, Field
from explorer.pages.element import Element
from explorer.pages.gestures import ForSeek
from explorer.training.goal_seek import MOST_STEPS, Sought

MOST_INPUTS, MOST_DIGITS, MOST_NAME, LINES = 24, 40, 100, 8
"""The most inputs to choose among, letters of a number, and letters of a name; the steps of the search in sight."""


class Search(Frozen):
    """A search for inputs that give one cell a wished number, and its result."""

    state: State  # the state of the model that is searched
    root: Root  # the cell whose number is wished
    name: str  # the name of the cell in undo and messages: "encoder.1.self.scores[0,1,2]"
    where: str  # the place of the cell in words: "row friend, column Emma"
    value: float  # the present number of the cell
    inputs: tuple[str, ...]  # inputs that may be chosen, the nearest last; after them the parts that the reader added
    left_out: int  # how many more inputs there are, further away
    chosen: frozenset[str]  # the inputs that may change
    typed: str = ""  # the wished number, as typed
    part: str = ""  # a head's slice or a cell of an input, as typed
    busy: bool = False
    steps: int = 0  # the steps that the search has taken so far
    stopped: bool = False  # whether it was stopped before it had a result
    found: Sought | None = None

    @property
    def wished(self) -> float:
        """The typed number.

        Raises `ExplorerError`: "bad-number" or "number-too-large".
        """
        value = read_number(self.typed)
        if not isfinite(value):
            raise ExplorerError("bad-number", text=self.typed.strip())
        return value

    def do(self, act: str, value: object) -> "Search":
        """The search after an act of a control; except for typing a part, its earlier result is removed."""
        if act == "part":
            return replace(self, part=str(value))
        now = replace(self, found=None, stopped=False)
        if act == "wish":
            return replace(now, typed=str(value))
        if act == "add":
            return now._with_part()
        name = act.removeprefix("change ")
        return replace(now, chosen=self.chosen | {name} if value else self.chosen - {name})

    def _with_part(self) -> "Search":
        """The search with the typed part among the inputs that may change, instead of the whole input.

        Raises `ExplorerError`: "bad-cell-syntax", "unknown-node", "not-editable", "bad-cell"; "no-gradient" for whole
        numbers.
        """
        name, cell = parse_cell(self.part)
        place, graph = input_place(self.state, name), self.state.graph
        if graph.nodes[place.node].op.whole:
            raise ExplorerError("no-gradient", name=name)
        if cell:
            require_cell(name, cell, graph.shape(place.node)[len(place.index) :])
        written = f"{name}[{','.join(map(str, cell))}]" if cell else name
        inputs = self.inputs if written in self.inputs else (*self.inputs, written)
        return replace(self, part="", inputs=inputs, chosen=self.chosen - {place.node} | {written})

    def now(self, engine: Engine) -> "Search":
        """The search with the present number of the cell, if there still is such a cell."""
        value = engine.values.get(self.root.node)
        if value is None or not is_cell_of(self.root.cell, value.shape):
            return self
        return replace(self, value=float(value[self.root.cell]))

    @property
    def changes(self) -> list[NamedCell]:
        """The cells and inputs that may change, as `explorer.training.goal_seek.seek` takes them."""
        return [parse_cell(name) for name in self.inputs if name in self.chosen]


def search_for(state: State, engine: Engine, root: Root, where: str) -> Search:
    """A new search for one number; at first its nearest inputs may change."""
    graph = state.graph
    whole = [one for one in graph.inputs_of(root.node) if graph.nodes[one].op.whole]
    inputs = [one for one in graph.inputs_of(root.node) if one not in whole]
    if graph.nodes[root.node].is_input:
        inputs = [root.node]
    near = inputs[-MOST_INPUTS:]
    parents = set(graph.nodes[root.node].parents)
    tables = [one for one in near if graph.size(one) > 1]  # a temperature, alone, reaches few values
    first = [one for one in near if one in parents] or (tables or near)[-1:]
    index = ",".join(map(str, root.cell))
    name = f"{root.node}[{index}]" if index else root.node
    return Search(state, root, name, where, 0.0, tuple(near), len(inputs) - len(near), frozenset(first)).now(engine)


def _is_usable(search: Search) -> bool:
    """Whether the search found inputs that the reader can use."""
    return search.found is not None and search.found.reached and bool(search.found.moves)


def seek_page(search: Search) -> tuple[Element, ...]:
    """The page: the wish, what may change, and the steps of the search."""
    now = formatted(search.value, ".6g")
    header = el.Header("header", "Find inputs for a value", f"{search.name}, {search.where}: now {now}")
    field = Field(
        "wish", "It should be", search.typed, ForSeek("wish"), ForSeek("find"), MOST_DIGITS, on=not search.busy
    )
    ready = bool(search.typed.strip() and search.chosen)
    begin = Button("find", "Find", ForSeek("find"), on=ready, primary=not _is_usable(search))
    find = Button("stop", "Stop", ForSeek("stop")) if search.busy else begin
    add = ForSeek("add")
    example = _example(search)
    such = el.Note("such", f"Or only a part of one, such as {escape(example)}:")  # it may break
    part = (
        Field("part", "A part", search.part, ForSeek("part"), add, MOST_NAME, on=not search.busy),
        Button("add", "Add", add, "A cell, or a head's slice, of what stands above", on=bool(search.part.strip())),
    )
    checks = tuple(
        Check(f"change {one}", one, one in search.chosen, ForSeek(f"change {one}"), on=not search.busy)
        for one in search.inputs
    )
    more = f" {search.left_out} more, further away, stay as they are." if search.left_out else ""
    said = "Everything else stays as it is." if search.inputs else "It comes from no number that may change."
    return (
        header,
        Controls("wished", (field, find)),
        el.Section("changes", "What may change"),
        Controls("inputs", checks),
        *([such, Controls("parts", part)] if example else []),
        el.Note("else", said + more),
        *_outcome(search),
    )


def _example(search: Search) -> str:
    """The first cell of the nearest input that has several, as somebody would type it; "" if none has."""
    for name in (one.partition("[")[0] for one in reversed(search.inputs)):
        place = search.state.graph.find(name)
        if place is not None and (shape := search.state.graph.shape(place.node)[len(place.index) :]):
            return f"{name}[{','.join('0' * len(shape))}]"
    return ""


def _outcome(search: Search) -> list[Element]:
    step, found = search.steps + 1, search.found
    if search.busy:
        return [el.Note("outcome", f"Gradient descent is looking for it: step {step} of at most {MOST_STEPS}.")]
    if search.stopped:
        return [el.Note("outcome", f"Stopped at step {step}; nothing is changed.")]
    if found is None:
        return []
    steps, wished = quantity(len(found.moves), "step"), formatted(found.wished, ".6g")
    if found.reached:
        said = f"<b>{wished} is reached in {steps}.</b> Use it; undo brings the old values back."
    else:
        said = f"<b>{wished} is not reached: {escape(found.reason)}.</b> Free other inputs, or choose a nearer value."
    values = (found.began, ""), *((move.value, formatted(move.length, ".3g")) for move in found.moves)
    away = max(abs(found.wished - value) for value, _ in values) or 1.0
    lines = tuple(
        el.Line.of(str(number), formatted(value, ".6g"), el.Entry("", abs(found.wished - value) / away), moved)
        for number, (value, moved) in enumerate(values)
    )
    columns = *el.numeric("step", "value"), el.Column("still away", el.BAR), *el.numeric("inputs moved by")
    way = el.Listing("way", "The way", columns, lines, LINES, scrolls=True)
    usable = _is_usable(search)
    use = Controls("ways", (Button("use", "Use it", ForSeek("use"), on=usable, primary=usable),))
    return [el.Note("outcome", said), use, way]
