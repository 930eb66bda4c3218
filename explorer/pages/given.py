"""The numbers that are given: where a page has nothing else for a model, the way to what one can change in it."""

from explorer.core.errors import written_shape
from explorer.core.numbers import decimals_of, written
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo
from explorer.pages.page import NUMBER, Column, Entry, Line, Listing, Section
from explorer.pages.view import View

FIRST = 6
"""Numbers of a matrix that are shown: with more there would be no room for where it is."""
COLUMNS = (Column("Matrix"), Column("Where", width=260), Column("Shape", NUMBER), Column("its numbers", width=340))


def given(view: View) -> tuple[Element, ...]:
    """All inputs but the words, each with the way to its stage and its first numbers."""
    stages = {stage.name: stage for stage in view.graph.stages}
    lines = []
    for node in view.graph.nodes.values():
        values = view.values[node.name]
        if not node.is_input or values.dtype.kind != "f" or node.stage not in stages:
            continue
        stage = stages[node.stage]
        leads, tip = GoTo(stage.name), f"Go to {stage.title}"
        some = "  ".join(written(float(one), decimals_of(values)) for one in values.ravel()[:FIRST])
        where = f"{stage.group}: {stage.title}" if stage.group != stage.title else stage.title
        numbers = Entry(some + (" …" if values.size > FIRST else ""), muted=True)
        name, shape = Entry(node.short, tip=tip, leads=leads), written_shape(values.shape)
        lines.append(Line.of(name, Entry(where, muted=True), shape, numbers))
    if not lines:
        return ()
    return Section("given", "Numbers that are given"), Listing("given numbers", "Given numbers", COLUMNS, tuple(lines))
