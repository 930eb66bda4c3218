"""From a view to the page of a stage: one table from the kind of a stage to what stands on its page."""

from collections.abc import Callable
from dataclasses import dataclass

from explorer.core.node import Stage
from explorer.pages.attention import attention
from explorer.pages.element import Element
from explorer.pages.feed_forward import feed_forward, layer
from explorer.pages.header import header
from explorer.pages.page import Page
from explorer.pages.view import View


@dataclass(frozen=True)
class Kind:
    """What stands on the pages of one kind of stage.

    Parameters
    ----------
    elements : callable
        From a view and a stage to what stands below the header.
    sentence : str
        What happens there.
    switches, more : tuple of str
        The block's switches that belong there, and those that are shown on request.
    """

    elements: Callable[[View, Stage], tuple[Element, ...]]
    sentence: str
    switches: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


_ATTENTION = (
    ("scale", "mask", "similarity", "layout"),
    ("normalise", "V", "nearest", "heads", "d_k", "d_v", "window", "bias", "weights"),
)
KINDS: dict[str, Kind] = {
    "attention": Kind(
        attention,
        "Each word asks (Q), all words answer (K): that decides how much of each value (V) it takes.",
        *_ATTENTION,
    ),
    "ffn": Kind(
        feed_forward,
        "Each word's vector by itself goes through a small net: out to d_ff hidden units, and back.",
        ("on", "activation", "d_ff"),
        ("bias", "weights"),
    ),
    "layer": Kind(layer, "Weights, bias, activation.", ("activation", "bias", "weights")),
}


def _wip(view, stage):  # type: ignore
    from explorer.pages.matrix import matrix
    from explorer.pages.page import Item, Row

    return (Row("all", tuple(Item("", matrix(view, n.name)) for n in view.stage(stage.name))),)


def page(view: View, stage: Stage) -> Page:
    """The page of a stage, all of it computed from the view."""
    kind = KINDS.get(stage.kind) or Kind(_wip, "")
    top = header(view, stage, kind.sentence, kind.switches, kind.more)
    return Page(stage.name, top, kind.elements(view, stage))
