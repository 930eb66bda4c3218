"""The pages of the switches and of the last edit, the list of all given numbers, and that of the inputs that learn.

The page of the switches has all switches of all blocks, also of blocks whose stage another switch has removed.

The page of the last edit has every node that changed, by how much, and a link to its stage.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

from explorer.core.errors import written_shape
from explorer.core.graph import READ, Stage
from explorer.core.model import SWITCHES
from explorer.core.numbers import decimals_of, exact, in_table, in_tables, percent, written
from explorer.core.ops import Array
from explorer.core.training.recipe import length
from explorer.lessons.symbols import name_of
from explorer.pages.compose import switch_bar
from explorer.pages.element import Data, Element
from explorer.pages.gestures import GoTo, Keep, Move
from explorer.pages.levels import ALL, act_title, block_title, has_stream, listed_layer, matrix_title
from explorer.pages.matrix import SURVEYED
from explorer.pages.page import BAR, NUMBER, Column, Entry, Line, Lines, Listing, Note, Section, Stack, numeric, waiting
from explorer.pages.view import View, largest_change
from explorer.pages.whole.page import whole_below

FIRST = 7
"""How many numbers of a matrix are shown, less one for each decimal: the column of its stage needs the room."""
OF_GIVEN = (
    Column("matrix", names=True),
    Column("where", width=260),
    Column("shape", NUMBER),
    Column("its numbers", width=340),
)


def given(view: View) -> tuple[Element, ...]:
    """All inputs with real numbers (not the words), each with a link to its stage and its first numbers."""
    lines = []
    for node in view.nodes.values():
        values, stage = view.values[node.name], view.stages.get(node.stage)
        if not node.is_input or values.dtype.kind != "f" or stage is None:
            continue
        decimals = decimals_of(values.flat[:SURVEYED])  # only the first are shown
        first = FIRST - max(decimals, 1)
        some = "  ".join(in_tables(map(float, values.flat[:first]), decimals))
        numbers = Entry(some + (" …" if values.size > first else ""), muted=True)
        name = Entry(name_of(node.name), tip=f"Go to {stage.title}", leads=GoTo(stage.name))
        lines.append(Line.of(name, Entry(stage.where, muted=True), written_shape(values.shape), numbers))
    if not lines:
        return ()
    listing = Listing("given numbers", "Given numbers", OF_GIVEN, tuple(lines), most=40)
    return Section("given", "Numbers that are given"), listing


def switches(view: View, stage: Stage) -> tuple[Element, ...]:
    """A row of switches for each block, in reading order; with many layers, one layer and how the others differ."""
    blocks = view.state.model.blocks()
    if not blocks:
        said = "This model has no switches: its numbers follow from what is given."
        return Note("no switches", said), *given(view), whole_below(view)
    layer = listed_layer(view) if has_stream(view) else ALL
    listed = {block: kind for block, kind in blocks.items() if layer == ALL or _layer_of(block) in (layer, None)}
    bars = (
        Stack(f"part {block}", block_title(view.graph, block), (switch_bar(view, block, tuple(SWITCHES[kind])),))
        for block, kind in listed.items()
    )
    return *(_others(view, layer) if layer != ALL else ()), *bars, whole_below(view)


def _layer_of(block: str) -> int | None:
    """The layer that a block is in, counted from 1; None for a block outside the layers."""
    number = block.split(".")[1:2]
    return int(number[0]) if number and number[0].isdigit() else None


def _others(view: View, layer: int) -> tuple[Note, ...]:
    """A note on which switches of other layers differ from those of the listed layer."""
    model = view.state.model
    otherwise: dict[str, list[str]] = {}
    for block, kind in model.blocks().items():
        if _layer_of(block) is None:
            continue
        stack, _, part = block.split(".")
        here = f"{stack}.{layer}.{part}"
        for name, switch in SWITCHES[kind].items():
            if here in model.blocks() and model.switch(block, name) != model.switch(here, name):
                otherwise.setdefault(switch.title, []).append(block_title(view.graph, block))
    if not otherwise:
        return (Note("other layers", f"All layers have the switches of layer {layer}."),)
    said = "; ".join(f"{escape(title)} in {', '.join(blocks)}" for title, blocks in otherwise.items())
    return (Note("other layers", f"Other layers differ from layer {layer} in: {said}."),)


DIGITS = 4
TO_COMPARE = "comparing"
MANY = 2**20
"""A matrix with at least this many numbers is compared once, and not each time its line comes into sight."""
_CELLS, _LARGEST = numeric("cells changed", "largest change")
OF_CHANGES = Column("stage and matrix", names=True), _CELLS, Column("share of its cells", BAR, 320), _LARGEST


def changes(view: View, stage: Stage) -> tuple[Element, ...]:
    """The stages that the last edit reached, in the order in which the change spread, each with its matrices."""
    last = view.last
    if not (last.before or last.added or last.removed):
        said = "Nothing has changed yet. Change a number, a word or a switch."
        if last.label and not view.given:  # such as a switch of a kind of positions that the model does not have
            said = f"<b>{escape(act_title(view.state, last.label))}</b>. It changed no number."
        return Note("done", said), *given(view), whole_below(view)
    done = escape(act_title(view.state, last.label))
    note = Note("done", f"<b>{done}</b>. It changed these stages. Click a stage to go there.")
    size = 2 * READ * sum(was.size for was in last.before.values())
    reached = view.awaited(TO_COMPARE, size, (view.values, last.before), lambda told: _reached(view))
    if reached is None:
        return note, waiting(view, TO_COMPARE, "Comparing with what was there before")
    lines = Lines(len(reached), _line, (reached,))
    return note, Listing("changed", "What the last edit changed", OF_CHANGES, lines, most=60)


class _Stage(Data):
    """The line of a stage that a change reached, and how many matrices stand below it; None: nodes that are gone."""

    stage: Stage | None
    matrices: int

    def line(self) -> Line:
        of, count = self.stage, f"{self.matrices} matri{'ces' if self.matrices > 1 else 'x'}"
        title = of.where if of is not None else "No longer there"
        said = Entry(title) if of is None else Entry(title, tip=f"Go to {title}", leads=GoTo(of.name))
        return Line.of(said, count, "", "", strong=True)


class _Matrix(Data):
    """The line of a node that a change reached: its values now (None if the node is gone) and before."""

    name: str
    stage: Stage | None
    now: Array | None
    was: Array | None
    compared: tuple[int, float] | None = None
    """How many cells changed, and the largest change; None for a small matrix, which `line` compares itself."""

    def line(self) -> Line:
        if self.now is None or self.stage is None:
            return Line.of(f"    {self.name}", "gone", "", "")
        count, largest = self.compared or largest_change(self.now, self.was)
        if count:
            texts = f"{count:,} of {self.now.size:,}", in_table(largest, DIGITS), exact(largest)
        else:
            before = "new, " if self.was is None else f"{written_shape(self.was.shape)} → "
            texts = f"{before}{written_shape(self.now.shape)}", "", ""
        share = count / self.now.size
        said = Entry(f"    {name_of(self.name)}", tip=f"Go to {self.stage.where}", leads=GoTo(self.stage.name))
        return Line.of(said, texts[0], Entry(percent(share), share), Entry(texts[1], tip=texts[2]))


def _line(reached: Sequence[_Stage | _Matrix], row: int) -> Line:
    """A line of what an edit changed, made on demand: thirty layers have a thousand, of which few are in sight."""
    return reached[row].line()


def _reached(view: View) -> tuple[_Stage | _Matrix, ...]:
    """Each stage that the change reached, followed by its changed matrices."""
    of_stage: dict[str, list[_Matrix]] = {}
    for name, node in view.nodes.items():
        now, was = view.values[name], view.last.before.get(name)
        compared = largest_change(now, was) if was is not None and was.size >= MANY else None
        differs = compared[0] > 0 if compared is not None else view.is_changed(name)
        if differs or view.is_new(name):
            of_stage.setdefault(node.stage, []).append(_Matrix(name, view.stages[node.stage], now, was, compared))
    found: list[_Stage | _Matrix] = []
    for stage in view.graph.stages:
        if reached := of_stage.get(stage.name):
            found += [_Stage(stage, len(reached)), *reached]
    if removed := sorted(view.last.removed):
        found.append(_Stage(None, len(removed)))
        found += [_Matrix(matrix_title(view.graph, name), None, None, None) for name in removed]
    return tuple(found)


MOST = 8
"""The most inputs that are listed one by one; if there are more, each block is a line that can be opened."""
OPENED = "opened weights"
"""The key that keeps the blocks whose weights are listed one by one."""
WIDE = 364
"""The width of the list with the lengths of gradients, in pixels at text scale 1."""


def moving(view: View, moves: Mapping[str, bool], measured: bool = False) -> Listing:
    """A list of inputs with check boxes; an input whose box is not checked is frozen.

    `moves`: the inputs, in reading order, and whether gradient descent changes them.
    `measured`: whether the list has the length of each input's gradient.
    """
    blocks: dict[str, list[str]] = {}
    for name in moves:
        blocks.setdefault(name.rpartition(".")[0] if len(moves) > MOST else name, []).append(name)
    opened = view.chosen(OPENED, frozenset())
    lines: list[list[str]] = []  # the inputs that each line is about
    for block, names in blocks.items():
        lines += [names, *([name] for name in names if len(names) > 1 and block in opened)]
    lengths = _lengths(view, lines) if measured else []

    def line(place: int, names: list[str]) -> Line:
        block = names[0].rpartition(".")[0]
        share = sum(moves[name] for name in names) / len(names)
        inside = block in blocks and len(blocks[block]) > 1 and len(names) == 1
        of_block = block_title(view.graph, block)
        title = of_block if block in blocks else matrix_title(view.graph, names[0])
        title = f"    {name_of(names[0])}" if inside else title
        tip = "Clear the box to freeze it" if len(names) == 1 else f"Clear the box to freeze all of {of_block}"
        opens = Entry("")
        if len(names) > 1:
            said, how = ("hide", "Hide the weights") if block in opened else (f"show {len(names)}", "Show the weights")
            opens = Entry(said, tip=f"{how} of {of_block}", leads=Keep(OPENED, opened ^ {block}))
        box = Entry(title, tip=tip, leads=Move(tuple(names), share < 1), tick=share)
        return Line((box, *([Entry(lengths[place])] if measured else []), opens))

    lengths_of = (Column("length of its gradient", NUMBER),) if measured else ()
    columns = Column("weight" if measured else "", names=True), *lengths_of, Column("")
    return Listing("weights", "What moves", columns, tuple(line(*one) for one in enumerate(lines)), len(lines))


def _lengths(view: View, lines: list[list[str]]) -> list[str]:
    """The length of the gradient of each line's inputs; dots while the gradients are being computed."""
    if view.steps is not None and not view.steps.ready:
        return ["…"] * len(lines)
    gradients = view.engine.gradients().several({name for names in lines for name in names})
    found = [[gradients[name] for name in names if name in gradients] for names in lines]
    # Cached: for a large model this takes a moment, and the page is also made anew when only a block is opened.
    return [
        view.part(("length", *names), tuple(arrays), partial(lambda some: written(length(some), 4), arrays))
        for names, arrays in zip(lines, found, strict=True)
    ]
