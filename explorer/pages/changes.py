"""What the last edit changed: every node, by how much, and the way there."""

from html import escape

from explorer.core.node import Stage
from explorer.core.numbers import exact, written
from explorer.core.shapes import written_shape
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Note
from explorer.pages.view import View

DIGITS = 4
COLUMNS = Column("Node"), Column("Stage"), Column("Cells changed", NUMBER), Column("Largest change", NUMBER)


def changes(view: View, stage: Stage) -> tuple[Element, ...]:
    """A line for each node that the last edit changed, in the order in which the change spread, and for those taken."""
    last = view.last
    if not (last.before or last.added or last.removed):
        return (Note("done", "Nothing has changed yet. Change a number, a word or a switch."),)
    done = escape(last.label)
    note = Note("done", f"<b>{done}</b>. Click a node to go there.")
    return note, Listing("changed", "What the last edit changed", COLUMNS, _lines(view), most=20)


def _lines(view: View) -> tuple[Line, ...]:
    stages = {stage.name: f"{stage.group}: {stage.title}" for stage in view.graph.stages}
    lines = []
    for name, value in view.values.items():
        was = view.last.before.get(name)
        count, largest = view.changed(name)
        if count:
            texts = f"{count:,} of {value.size:,}", written(largest, DIGITS), exact(largest)
        elif view.is_new(name):
            before = "new, " if was is None else f"{written_shape(was.shape)} → "
            texts = f"{before}{written_shape(value.shape)}", "", ""
        else:
            continue
        at = view.nodes[name].stage
        node = Entry(name, tip=f"Go to {name}", leads=GoTo(at))
        lines.append(Line((node, Entry(stages[at], muted=True), Entry(texts[0]), Entry(texts[1], tip=texts[2]))))
    gone = (Line((Entry(name), Entry(""), Entry("gone"), Entry(""))) for name in sorted(view.last.removed))
    return (*lines, *gone)
