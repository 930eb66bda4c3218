"""One block, between the whole and the pages of its stages: its matrices as small pictures with formula and shape."""

from dataclasses import replace

from explorer.core.graph import Stage
from explorer.pages.chain import boxes, counts
from explorer.pages.edges import joined
from explorer.pages.element import Element
from explorer.pages.levels import stages_of, to_whole
from explorer.pages.page import Picture
from explorer.pages.played import coloured, played
from explorer.pages.view import View

LEAST_WIDTH, LEAST_HEIGHT = 620, 300


def block(view: View, stage: Stage) -> tuple[Element, ...]:
    """The matrices of a block in reading order, with the ways between them; a click goes to their numbers."""
    names = {one.name for one in stages_of(view.graph, stage.name)}
    nodes = {node.name: node for node in view.nodes.values() if node.stage in names and counts(view, node)}
    read = dict.fromkeys(parent for node in nodes.values() for parent in node.parents if parent not in nodes)
    outside = [view.nodes[name] for name in read if counts(view, view.nodes[name])]
    said = f"{stage.group}: {stage.title}, from {', '.join(one.short for one in outside) or 'its inputs'}"
    drawing, due = boxes(view, list(nodes.values()), outside, said)
    drawing = replace(joined(view, drawing, due), out=to_whole(view, stage))
    drawing, player = played(view, drawing, due, "Click a matrix to see its numbers; the wheel zooms.", stage.name)
    return player, Picture("model", drawing, LEAST_WIDTH, LEAST_HEIGHT, fills=True)


def block_sentence(view: View, stage: Stage) -> str:
    """How to read it, or what the colours say."""
    return coloured(view) or "Each matrix is made from those at its left, by the formula above it. Teal ones are given."
