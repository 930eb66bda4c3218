"""What a block of the picture of the whole holds: hidden units, a gate, experts; and positions in attention."""

from explorer.core.switches import READS
from explorer.pages.drawing import MUTED, Mark, Words
from explorer.pages.lane import image_of
from explorer.pages.view import View

BETWEEN, SIGN = 13.0, 11.0
"""The room between a gate and what it lets through, and how high the sign there is."""
IN_ATTENTION = {"rotary": "rotary", "ALiBi": "ALiBi", "relative": "distances"}
"""Kinds of positions that are a part of attention, as the picture calls them."""
Place = tuple[float, float, float, float]


def net_node(view: View, block: str) -> str:
    """The node that stands for a net: the shares of its experts where it has some, else its hidden units."""
    routed = f"{block}.routed"
    return routed if routed in view.nodes else f"{block}.activation"


def net_marks(view: View, block: str, place: Place) -> list[Mark]:
    """Pictures of what a net computes, within a place: hidden units; gate ⊙ units; or words by experts."""
    if f"{block}.gated" not in view.nodes or f"{block}.routed" in view.nodes:
        return [image_of(view, net_node(view, block), place)]
    left, top, width, height = place
    wide = (width - BETWEEN) / 2
    middle = left + width / 2, top + height / 2
    return [
        image_of(view, f"{block}.activation", (left, top, wide, height)),
        Words(*middle, "⊙", MUTED, True, size=SIGN),
        image_of(view, f"{block}.hidden", (left + wide + BETWEEN, top, wide, height)),
    ]


def net_note(view: View, block: str) -> str:
    """The widths of a net, or how many of its experts a word gets."""
    routed = f"{block}.routed"
    if routed in view.nodes:
        model, experts = view.state.model, view.graph.shape(routed)[-1]
        shared = " + 1 shared" if model.switch(block, "shared") else ""
        return f"{model.switch(block, 'chosen')} of {experts} experts{shared}"
    out, hidden = (view.graph.shape(f"{block}.{short}")[-1] for short in ("output", "hidden"))
    twice = "2 × " if f"{block}.gated" in view.nodes else ""
    return f"{out} → {twice}{hidden} → {out}"


def net_title(view: View, block: str, title: str) -> str:
    """What a net is called: experts, or gated."""
    if f"{block}.routed" in view.nodes:
        return "Experts"
    return f"Gated {title.lower()}" if f"{block}.gated" in view.nodes else title


def beside(view: View, block: str) -> bool:
    """Whether a net reads what the attention in front of it reads."""
    return block.endswith(".ffn") and view.state.model.switch(block, "reads") != READS[0]


def places_in(view: View, block: str) -> str:
    """The kind of positions that this attention has in it; empty where it has none."""
    if not any(f"{block}.{short}" in view.nodes for short in ("Q_rotated", "biased")):
        return ""
    sequence = view.nodes[f"{block}.scores"].axes[-2]
    return IN_ATTENTION.get(str(view.state.model.switch(sequence, "positions")), "")


def sharing(view: View, block: str) -> int:
    """How many heads share one head of keys and values; 1 where each has its own."""
    heads = view.graph.n_heads(f"{block}.weights") or 1
    return heads // (view.graph.n_heads(f"{block}.K") or heads)
