"""Signs that tell the truth: of changes and gradients another rule holds than of the values."""

from dataclasses import replace

from explorer.pages.element import Element
from explorer.pages.matrix import Matrix
from explorer.pages.page import Item, Row, Stack

BLANK = " "
"""The place of a sign that would be false: the matrices stay where they are."""
ARITHMETIC = frozenset("×+=")


def true_signs(elements: tuple[Element, ...], showing: str) -> tuple[Element, ...]:
    """The elements without the signs that do not hold for what the matrices show.

    The changes of a sum are a sum; those of a product are no product (ΔA × ΔV is not ΔO), and of gradients neither
    holds. An arrow only says what is made of what, which is true of all.

    `showing`: see `Looking.showing`.
    """
    if showing == "values":
        return elements
    return tuple(_true(element, showing) for element in elements)


def _true(element: Element, showing: str) -> Element:
    match element:
        case Row(items=items):
            keep = showing != "gradient" and _is_sum(items)
            said = (item.sign if keep or item.sign not in ARITHMETIC else BLANK for item in items)
            inside = (_true(item.element, showing) for item in items)
            return replace(element, items=tuple(map(Item, said, inside)))
        case Stack(elements=inside):
            return replace(element, elements=true_signs(inside, showing))
    return element


def _is_sum(items: tuple[Item, ...]) -> bool:
    """Whether nothing but sums stands there, and each term has a change to show."""
    nothing = any(isinstance(item.element, Matrix) and item.element.nothing for item in items)
    return not nothing and {item.sign for item in items} <= {"", "+", "="}
