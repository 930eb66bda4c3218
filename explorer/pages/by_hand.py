"""Products laid out for computing by hand: the right factor stands above the result, so its columns meet the rows."""

from collections.abc import Mapping
from dataclasses import replace

from explorer.core.graph import Node, Stage
from explorer.pages.element import Arrangement, Element, leaves
from explorer.pages.gestures import Keep
from explorer.pages.matrix import Matrix, matrix, symbol_only, transposed
from explorer.pages.page import Check, Item, Row, Stack
from explorer.pages.view import View

LAYOUT = "products by hand"
"""The key under which the choice of layout is kept, one for all pages; also the id of its check box."""
LARGE = "These matrices are too large to multiply them by hand"
MOST = 12
"""The most rows and columns of a matrix that somebody would multiply by hand."""


class Scheme(Arrangement):
    """A product in Falk's scheme, for computing by hand: in each cell a row at the left meets a column above."""

    left: Matrix  # the left factor, beside the result
    above: tuple[Matrix, ...]  # above the result: the right factor, and below that a bias added to each row
    result: Matrix

    @property
    def inside(self) -> tuple[Element, ...]:
        return (self.left, *self.above, self.result)


def layout_choice(view: View, stage: Stage) -> tuple[Check, ...]:
    """The check box for this layout, at a stage with products; it is disabled where all products are large."""
    products = [node for node in view.stage(stage.name) if _turned(node) is not None]
    if not products:
        return ()
    small = any(_is_small(view, node) for node in products)
    tip = "The right factor above the product: in each number a row and a column meet" if small else LARGE
    return (Check(LAYOUT, "By hand", small and _wanted(view), Keep(LAYOUT), tip, small),)


def by_hand(view: View, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, with each small product as a `Scheme` if the reader chose this layout.

    A factor that stands in a scheme is removed from its former place.
    """
    if not _wanted(view):
        return elements
    shown = _matrices(elements)
    schemes = {one.id: scheme for one in shown if (scheme := _scheme(view, one)) is not None}
    within = {m.place.node for scheme in schemes.values() for m in (scheme.left, *scheme.above)}
    gone = frozenset(one.id for one in shown if one.place.node in within and one.id not in schemes)
    return _laid_out(elements, schemes, gone)


def _wanted(view: View) -> bool:
    return bool(view.chosen(LAYOUT, False))


def _matrices(elements: tuple[Element, ...]) -> list[Matrix]:
    return [part for element in elements for part in leaves(element) if isinstance(part, Matrix)]


def _laid_out(
    elements: tuple[Element, ...], schemes: Mapping[str, Scheme], gone: frozenset[str]
) -> tuple[Element, ...]:
    kept: list[Element] = []
    alone: list[Item] = []  # single numbers that are all that is left of a row: they move to the next row
    for element in elements:
        match element:
            case Row(items=items):
                inside: list[Item] = []
                for item in items:
                    for part in _laid_out((item.element,), schemes, gone):
                        arrow = item.sign == "→" and inside and not isinstance(part, Scheme)
                        inside.append(replace(item, sign="→" if arrow else "", element=part))
                if len(inside) < len(items) and all(_is_number(item.element) for item in inside):
                    alone += inside
                else:
                    kept.append(Row(element.id, (*inside, *alone), element.folds))
                    alone = []
            case Stack(elements=within):
                left = _laid_out(within, schemes, gone)
                kept.append(replace(element, elements=left))
            case Matrix(id=id):
                if id not in gone:
                    kept.append(schemes.get(id, element))
            case _:
                kept.append(element)
    return (*kept, Row("numbers", tuple(alone))) if alone else tuple(kept)


def _is_number(element: Element) -> bool:
    return isinstance(element, Matrix) and element.array.size == 1


def _scheme(view: View, result: Matrix) -> Scheme | None:
    """The scheme of a small product; None for a matrix that is no product or is too large."""
    node = view.nodes[result.place.node]
    turned = _turned(node)
    if turned is None or not _is_small(view, node):
        return None
    names = [_slice(view, parent, result) for parent in node.parents]
    left, right, *added = (
        _factor(view, name, f"{result.id} {part}", node, turn)
        for name, part, turn in zip(names, ("left", "above", "added"), (*turned, False), strict=False)
    )
    return Scheme(f"{result.id} by hand", left, (right, *added), result)


def _slice(view: View, parent: str, result: Matrix) -> str:
    """What a head's slice of a product is made of: several heads of queries may share one head of keys and values."""
    head, all_heads = result.place.head, view.graph.n_heads.get(result.place.node, 1)
    return view.of_head(parent, None if head is None else head * view.graph.n_heads.get(parent, 1) // all_heads)


def _is_small(view: View, product: Node) -> bool:
    shapes = (view.graph.shape(name)[-2:] for name in (product.name, *product.parents))
    return all(n <= MOST for shape in shapes for n in shape)


def _turned(node: Node) -> tuple[bool, bool] | None:
    """For each of the two factors, whether the product transposes it; None where a node is no plain product."""
    return node.op.factors()


def _factor(view: View, name: str, id: str, product: Node, turned: bool) -> Matrix:
    shown = matrix(view, name, id=id)
    made = view.nodes[shown.place.node]
    if made.stage != product.stage or made.is_input or _turned(made) is not None or turned:
        shown = symbol_only(shown)  # its formula stands elsewhere
    return transposed(shown) if turned else shown
