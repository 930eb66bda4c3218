"""Products laid out for computing by hand: the right factor stands above the result, so its columns meet the rows."""

from collections.abc import Mapping
from dataclasses import replace

from explorer.core.graph import Node, Stage
from explorer.pages.controls import Check
from explorer.pages.element import Element, of_kind
from explorer.pages.gestures import Keep
from explorer.pages.matrix import Matrix, matrix, symbol_only, transposed
from explorer.pages.page import Item, Row, Scheme, Stack
from explorer.pages.view import View

LAYOUT = "products by hand"
"""The key under which the choice of layout is kept, one for all pages; also the id of its check box."""
LARGE = "These matrices are too large to multiply them by hand"
MOST = 12
"""The most rows and columns of a matrix that somebody would multiply by hand."""


def layout_choice(view: View, stage: Stage) -> tuple[Check, ...]:
    """The check box for this layout, at a stage with products; it is disabled where all products are large."""
    products = [node for node in view.stage(stage.name) if node.op.factors() is not None]
    if not products:
        return ()
    small = any(_is_small(view, node) for node in products)
    tip = "The right factor above the product: in each number a row and a column meet" if small else LARGE
    return (Check(LAYOUT, "By hand", small and view.chosen(LAYOUT, False), Keep(LAYOUT), tip, small),)


def by_hand(view: View, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, with each small product as a `Scheme` if the reader chose this layout.

    A factor that stands in a scheme is removed from its former place.
    """
    if not view.chosen(LAYOUT, False):
        return elements
    shown = of_kind(elements, Matrix)
    schemes = {one.id: scheme for one in shown if (scheme := _scheme(view, one)) is not None}
    within = {m.place.node for scheme in schemes.values() for m in (scheme.left, *scheme.above)}
    gone = frozenset(one.id for one in shown if one.place.node in within and one.id not in schemes)
    return _laid_out(elements, schemes, gone)


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
                left = [one.element for one in inside]
                if len(left) < len(items) and all(isinstance(one, Matrix) and one.array.size == 1 for one in left):
                    alone += inside
                else:
                    kept.append(Row(element.id, (*inside, *alone), element.folds))
                    alone = []
            case Stack(elements=within):
                kept.append(replace(element, elements=_laid_out(within, schemes, gone)))
            case Matrix(id=id) if id in gone or id in schemes:
                kept += [schemes[id]] if id in schemes else []
            case _:
                kept.append(element)
    return (*kept, Row("numbers", tuple(alone))) if alone else tuple(kept)


def _scheme(view: View, result: Matrix) -> Scheme | None:
    """The scheme of a small product; None for a matrix that is no product or is too large."""
    node = view.nodes[result.place.node]
    turned = node.op.factors()
    if turned is None or not _is_small(view, node):
        return None
    head, all_heads, factors = result.place.head, view.graph.n_heads.get(node.name, 1), []
    for name, part, turn in zip(node.parents, ("left", "above", "added"), (*turned, False), strict=False):
        # Several heads of queries may share one head of keys and values.
        of = None if head is None else head * view.graph.n_heads.get(name, 1) // all_heads
        shown, made = matrix(view, view.of_head(name, of), id=f"{result.id} {part}"), view.nodes[name]
        if turn or made.stage != node.stage or made.is_input or made.op.factors() is not None:
            shown = symbol_only(shown)  # its formula stands elsewhere
        factors.append(transposed(shown) if turn else shown)
    left, right, *added = factors
    return Scheme(f"{result.id} by hand", left, (right, *added), result)


def _is_small(view: View, product: Node) -> bool:
    return all(n <= MOST for name in (product.name, *product.parents) for n in view.graph.shape(name)[-2:])
