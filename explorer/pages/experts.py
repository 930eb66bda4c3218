"""A mixture of experts: what the router says of each word, which experts work on it, and one of them looked into."""

from html import escape

import numpy as np

from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.matrix import matrix
from explorer.pages.page import Controls, Item, Note, Number, Row, Section
from explorer.pages.view import View


def experts(view: View, block: str) -> tuple[Element, ...]:
    """The router's shares and those that are chosen; one expert's net; what all chosen ones say together."""
    n = view.graph.n_heads(f"{block}hidden") or 1
    key = f"{block}expert"
    which = view.number(key, 1, 1, n)
    router = (
        Item("", matrix(view, view.nodes[f"{block}router"].parents[0], "what it reads")),
        Item("×", matrix(view, f"{block}W_r", "the router")),
        Item("=", matrix(view, f"{block}router", "a number for each expert")),
        Item("→", matrix(view, f"{block}router_shares", "as shares")),
        Item("→", matrix(view, f"{block}routed", "the largest")),
    )
    shorts = ("W_1", "b_1", "hidden", "W_g", "b_g", "gate", "activation", "gated", "W_2", "b_2", "said")
    own = tuple(
        Item("", matrix(view, view.of_head(block + short, which - 1), id=block + short))
        for short in shorts
        if block + short in view.nodes
    )
    mixed = (
        Item("", matrix(view, f"{block}routed", "shares of the chosen", id=f"{block}routed again")),
        Item("→", matrix(view, f"{block}output", "what they say together")),
        Item("", matrix(view, f"{block}balance", "balance: the smaller, the more evenly used")),
    )
    return (
        Section("router", "The router: which experts work on which word"),
        Row("router row", router),
        Note("load", _load(view, block, n)),
        Section("one expert", f"Expert {which}: a net of its own"),
        Controls("which expert", (Number(key, "Expert", which, 1, n, Keep(key), "Which expert is shown"),)),
        Row("expert row", own),
        Section("together", "Together: what the chosen experts say, each in its share"),
        Row("mixed row", mixed),
    )


def _load(view: View, block: str, n: int) -> str:
    """Which words go to which expert."""
    routed = view.values[f"{block}routed"]
    words = view.labels(view.nodes[f"{block}routed"].axes[0])
    parts = []
    for expert in range(n):
        mine = [escape(words[i]) for i in np.flatnonzero(routed[:, expert])]
        parts.append(f"expert {expert + 1}: {', '.join(mine) if mine else 'no word'}")
    return f"Who works on which word: {'; '.join(parts)}."
