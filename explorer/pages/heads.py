"""Heads: all of them side by side, their outputs joined, and W_O."""

from collections.abc import Iterable

from explorer.core.graph import Stage
from explorer.pages.attention import heat_maps, lights
from explorer.pages.drawing import series
from explorer.pages.element import Element
from explorer.pages.feed_forward import product
from explorer.pages.matrix import matrix
from explorer.pages.page import Button, Item, Row, Section, Stack
from explorer.pages.turned import is_off, turn
from explorer.pages.view import View
from explorer.pages.word_pictures import AttentionLines

MOST_WORDS = 9
SIDE = 232  # pixels of a head's picture: so that heads stand beside each other


def heads(view: View, stage: Stage) -> tuple[Element, ...]:
    """A column for each head; then the heads' outputs as one matrix, a band of columns for each head, times W_O.

    Of a long sentence a table of the weights shows nothing; a picture does, and pointing at it gives the number. Beside
    a single head stands where it looks, as lines.
    """
    block = view.block(stage)
    n = view.graph.n_heads(f"{block}output") or 1
    long = max(view.graph.shape(f"{block}weights")[-2:]) > MOST_WORDS
    columns: Iterable[tuple[Element, ...]]
    if long:
        columns = ((picture,) for picture in heat_maps(view, block, SIDE))
    else:
        columns = ((_numbers(view, block, head),) for head in range(n))
    mixed = f"{block}W_O" in view.nodes
    of_heads = [_head(view, block, head, shown) for head, shown in enumerate(columns)]
    lines = (_lines(view, block),) if n == 1 else ()
    elements: list[Element] = [Row("heads", tuple(Item("", one) for one in (*of_heads, *lines)))]
    if long:
        outputs = (_of(view, f"{block}output", head, f"head {head + 1}") for head in range(n))
        elements += [
            Section("outputs", "What each head puts out"),
            Row("outputs of heads", tuple(Item("", output) for output in outputs)),
        ]
    items = [Item("", matrix(view, f"{block}concat"))]
    if mixed:
        items = list(product(view, f"{block}projected"))
    title = "Side by side, then through W_O" if mixed else "Side by side"
    return (*elements, Section("joined", title), Row("joined heads", tuple(items)))


def heads_sentence(view: View, stage: Stage) -> str:
    """What happens there: there may be a single head, or no W_O."""
    block = view.block(stage)
    several = (view.graph.n_heads(f"{block}output") or 1) > 1
    mixed = f"{block}W_O" in view.nodes
    if not several:
        return f"There is one head here{', and W_O mixes its columns' * mixed}."
    return f"Several heads look at once; their answers are put side by side{', and W_O mixes them' * mixed}."


def _of(view: View, name: str, head: int, title: str = "") -> Element:
    """A matrix of a head, which stays when another head is looked at."""
    of_head = view.of_head(name, head)
    return matrix(view, of_head, title, id=of_head)


def _numbers(view: View, block: str, head: int) -> Row:
    """Where a head looks, and what it puts out."""
    parts = (Item("", _of(view, block + short, head)) for short in ("weights", "output"))
    return Row(f"numbers of head {head + 1}", tuple(parts))


def _lines(view: View, block: str) -> AttentionLines:
    weights = matrix(view, view.of_head(f"{block}weights", 0), id=f"{block}weights drawn")
    return AttentionLines("lines", weights, "Where it looks", lights=lights(view, block))


def _head(view: View, block: str, head: int, shown: tuple[Element, ...]) -> Stack:
    """What is shown of a head, below its name and its button."""
    button = _switch(view, view.of_head(f"{block}output", head), head)
    return Stack(f"head {head + 1}", f"Head {head + 1}", shown, ink=series(head), control=button)


def _switch(view: View, name: str, head: int) -> Button:
    """Takes a head out, by pinning its output to 0, or lets it work again."""
    if is_off(view, name):
        text, tip = "Switch on", "Let the head work again"
    else:
        text, tip = "Switch off", "Hold what the head puts out at 0 and see what is missed"
    act = turn(view, name)
    return Button(f"switch of head {head + 1}", text, act, tip, f"{text} head {head + 1}")
