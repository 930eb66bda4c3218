"""The list of the inputs that gradient descent changes or leaves frozen; many inputs are grouped by block."""

from collections.abc import Mapping, Sequence
from functools import partial

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.training.optimisers import length
from explorer.pages.gestures import Keep, Move
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing
from explorer.pages.view import View

MOST = 8
"""The most inputs that are listed one by one; if there are more, each block is a line that can be opened."""
OPENED = "opened weights"
"""The key that keeps the blocks whose weights are listed one by one."""
WIDE = 340
"""The width of the list with the lengths of gradients, in pixels at text scale 1."""


def moving(view: View, moves: Mapping[str, bool], measured: bool = False) -> Listing:
    """A list of inputs with check boxes; an input whose box is not checked is frozen.

    Parameters
    ----------
    moves : mapping of str to bool
        The inputs, in reading order, and whether gradient descent changes them.
    measured : bool
        Whether the list has the length of each input's gradient.
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
        title = f"    {names[0].rpartition('.')[2]}" if inside else names[0] if len(names) == 1 else block
        tip = "Clear the box to freeze it" if len(names) == 1 else f"Clear the box to freeze all of {block}"
        opens = Entry("")
        if len(names) > 1:
            said, how = ("hide", "Hide the weights") if block in opened else (f"show {len(names)}", "Show the weights")
            opens = Entry(said, tip=f"{how} of {block}", leads=Keep(OPENED, opened ^ {block}))
        box = Entry(title, tip=tip, leads=Move(tuple(names), share < 1), tick=share)
        return Line((box, *([Entry(lengths[place])] if measured else []), opens))

    lengths_of = (Column("Length of its gradient", NUMBER),) if measured else ()
    columns = Column("Weight" if measured else "", names=True), *lengths_of, Column("")
    return Listing("weights", "What moves", columns, tuple(line(*one) for one in enumerate(lines)), len(lines))


def _lengths(view: View, lines: list[list[str]]) -> list[str]:
    """The length of the gradient of each line's inputs; dots while the gradients are being computed."""
    if view.steps is not None and not view.steps.ready:
        return ["…"] * len(lines)
    gradients = view.engine.gradients().several({name for names in lines for name in names})
    found = [[gradients[name] for name in names if name in gradients] for names in lines]
    # Cached: for a large model this takes a moment, and the page is also made anew when only a block is opened.
    return [
        view.part(("length", *names), tuple(arrays), partial(_length, arrays))
        for names, arrays in zip(lines, found, strict=True)
    ]


def _length(gradients: Sequence[Array]) -> str:
    return written(length(gradients), 4)
