"""The part of a page that a step of a lesson names, which presenter mode shows instead of the whole page."""

from dataclasses import replace

from explorer.core.graph import Graph
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Controls, Descent, Note, Page, Picture, Player, Section, Switches
from explorer.pages.word_pictures import AttentionLines, HeatMap, Sentences

KINDS = {HeatMap: "heat map", AttentionLines: "lines", Sentences: "sentences"}
"""What elements without a title are called."""


def excerpt(page: Page, graph: Graph, node: str = "", title: str = "") -> tuple[Element, ...]:
    """What a step speaks of.

    Parameters
    ----------
    node : str
        A node, or a head's slice of one: its matrix is shown. Empty: the element of that title.
    title : str
        Of an element that is no matrix, such as "Heat map". Its `Element.id` does as well.

    Returns
    -------
    tuple of Element
        Without a node and a title, or where neither is on the page: what the page shows first, or the picture in it.
    """
    parts = [part for element in page.elements for part in leaves(element)]
    if title:
        found = next((part for part in parts if title.casefold() in names(part)), None)
        if isinstance(found, Descent):  # and what its steps change
            return (*map(_as_large_as_it_fits, [one for one in parts if isinstance(one, Picture)][:1]), found)
        if found is not None:
            return (_as_large_as_it_fits(found),)
    if node and (matrix := matrix_of(page, graph, node)) is not None:
        return (matrix,)
    fit = [part for part in page.elements if not isinstance(part, (Controls, Switches, Section, Note, Player))]
    picture = next((part for one in fit[:1] for part in leaves(one) if isinstance(part, Picture)), None)
    return tuple(fit[:1]) if picture is None else (_as_large_as_it_fits(picture),)


def _as_large_as_it_fits(element: Element) -> Element:
    """A picture that takes all the room it is given; others are as they are."""
    return replace(element, fills=True) if isinstance(element, Picture) else element


def matrix_of(page: Page, graph: Graph, node: str) -> Matrix | None:
    """The first matrix of a node or slice on a page."""
    place = graph.find(node)
    if place is None:
        return None
    matrices = [part for one in page.elements for part in leaves(one) if isinstance(part, Matrix)]
    same = [matrix for matrix in matrices if matrix.place.node == place.node]
    exact = [matrix for matrix in same if matrix.place.head == place.head]
    return next(iter((*exact, *same)), None)


def names(element: Element) -> set[str]:
    """What an element can be called, in small letters: its title, its id, and its kind where it is a picture."""
    title = getattr(element, "title", "") or getattr(element, "name", "")
    short = element.id.rpartition(".")[2]
    return {name.casefold() for name in (title, element.id, short, KINDS.get(type(element), "")) if name}
