"""The page of a feed-forward block: to the hidden units, through the activation, and back; and of a layer of a net.

With a mixture of experts: the router's shares for each word, the chosen experts, and the net of one expert.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from explorer.core.graph import Cell, Stage
from explorer.core.numbers import decimals_of, exact, quantity, written
from explorer.core.ops import Array, Op
from explorer.lessons.symbols import formula_text
from explorer.pages import page as el
from explorer.pages.controls import Controls, Number, row_choice
from explorer.pages.drawing import Axis, Curve, Dot, Drawing, reach, series
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.matrix import matrix
from explorer.pages.view import View


def feed_forward_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage: through one net, or through a few of several."""
    if f"{view.block(stage)}routed" in view.nodes:
        return "The vector of each word goes through a few of several small nets; what they say is added up by shares."
    once = "The vector of each word goes through a small net by itself"
    return f"{once}: first d_ff hidden units, then d_model numbers again."


def experts(view: View, block: str) -> tuple[Element, ...]:
    """The router's shares and the chosen experts; the net of one expert; the output of all chosen experts together."""
    n = view.graph.n_heads.get(f"{block}hidden", 1)
    key = f"{block}expert"
    which = view.number(key, 1, 1, n)
    router = (
        el.Item("", matrix(view, view.nodes[f"{block}router"].parents[0], "what it reads")),
        el.Item("×", matrix(view, f"{block}W_r", "the router")),
        el.Item("=", matrix(view, f"{block}router", "a number for each expert")),
        el.Item("→", matrix(view, f"{block}router_shares", "as shares")),
        el.Item("→", matrix(view, f"{block}routed", "the largest")),
    )
    shorts = ("W_1", "b_1", "hidden", "W_g", "b_g", "gate", "activation", "gated", "W_2", "b_2", "said")
    names = [block + short for short in shorts if block + short in view.nodes]
    own = [matrix(view, view.of_head(name, which - 1), id=name) for name in names]
    mixed = (
        el.Item("", matrix(view, f"{block}routed", "shares of the chosen", id=f"{block}routed again")),
        el.Item("→", matrix(view, f"{block}output", "what they say together")),
        el.Item("", matrix(view, f"{block}balance", "balance: the smaller, the more evenly used")),
    )
    return (
        el.Section("router", "The router: which experts work on which word"),
        el.Row("router row", router),
        el.Note("load", _load(view, block, n)),
        el.Section("one expert", f"Expert {which}: a net of its own"),
        Controls("which expert", (Number(key, "Expert", which, 1, n, Keep(key), "Which expert is shown"),)),
        el.Row.of("expert row", own),
        el.Section("together", "Together: what the chosen experts say, each in its share"),
        el.Row("mixed row", mixed),
    )


def _load(view: View, block: str, n: int) -> str:
    """A sentence on which words go to which expert."""
    routed = view.values[f"{block}routed"]
    words = view.labels(view.nodes[f"{block}routed"].axes[0])
    parts = []
    for expert in range(n):
        mine = [escape(words[i]) for i in np.flatnonzero(routed[:, expert])]
        parts.append(f"expert {expert + 1}: {', '.join(mine) if mine else 'no word'}")
    return f"Who works on which word: {'; '.join(parts)}."


CURVE_POINTS = 241
MOST_DOTS = 512
NAMED = 12  # units that a sentence lists
SIGMOID_MIDDLE = 0.5
UNITS, BACK = 640, 680
"""The widths of the section with the units of a word, and of the section beside it, in pixels at text scale 1."""


def feed_forward(view: View, stage: Stage) -> tuple[Element, ...]:
    """The page of a block: x W₁ + b₁ = hidden → activation; activation W₂ + b₂ = output."""
    block = view.block(stage)
    hidden, activation, output = (f"{block}{short}" for short in ("hidden", "activation", "output"))
    if f"{block}routed" in view.nodes:
        return experts(view, block)
    if f"{block}gated" in view.nodes:
        return _gated(view, block)
    off = "numbers below 0 are switched off" if view.nodes[activation].op.cuts else "each by itself"
    return (
        el.Section("out", "First: d_ff hidden units"),
        el.Row("hidden row", (*product(view, hidden), el.Item("→", matrix(view, activation, "after the activation")))),
        el.Note("width", _width(view, hidden, output)),
        el.beside(
            (UNITS, (el.Section("activation", f"Activation: {off}"), *_units(view, hidden, activation, "Position"))),
            (BACK, _back(view, output, activation)),
        ),
    )


def _back(view: View, output: str, passed: str) -> tuple[Element, ...]:
    """The second product: the node `passed` × W₂."""
    row = el.Row("output row", product(view, output, again=passed))
    lines = "columns" if view.nodes[output].op.factors() == (False, True) else "rows"
    return el.Section("back", f"Then: the units that are on add their {lines} of W_2"), row


def _gated(view: View, block: str) -> tuple[Element, ...]:
    """The page of a gated block: x W₁ = h; activation(x W_g) = a; a ⊙ h lets some of h pass; that × W₂."""
    hidden, gate, activation, gated, output = (
        f"{block}{short}" for short in ("hidden", "gate", "activation", "gated", "output")
    )
    opened = (
        el.Item("", matrix(view, activation, "how far each gate is open", id=f"{activation} again")),
        el.Item("⊙", matrix(view, hidden, "what stands behind it", id=f"{hidden} again")),
        el.Item("=", matrix(view, gated, "what passes")),
    )
    through = el.Section("through", "Through the gate: number by number"), el.Row("gated row", opened)
    of_gate = *product(view, gate, again=view.nodes[gate].parents[0]), el.Item("→", matrix(view, activation))
    return (
        el.Section("out", "First: d_ff hidden units"),
        el.Row("hidden row", product(view, hidden)),
        el.Note("width", _width(view, hidden, output)),
        el.Section("gate", "Gate: a second layer, through the activation"),
        el.Row("gate row", of_gate),
        el.beside((UNITS, _units(view, gate, activation, "Position")), (BACK, (*through, *_back(view, output, gated)))),
    )


def layer(view: View, stage: Stage) -> tuple[Element, ...]:
    """A layer of a net: x W + b = hidden → activation."""
    block = view.block(stage)
    hidden, activation = f"{block}hidden", f"{block}activation"
    after = el.Item("→", matrix(view, activation, "after the activation"))
    return (
        el.Row("hidden row", (*product(view, hidden, "each case"), after)),
        el.Section("activation", "Activation"),
        *_units(view, hidden, activation, "Case"),
    )


def layer_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage: a bias may be missing."""
    bias = ", plus a bias" * (f"{view.block(stage)}b" in view.nodes)
    return f"Each case times the weights{bias}, then through the activation."


def product(view: View, result: str, title: str = "", again: str = "") -> tuple[el.Item, ...]:
    """The parents of a product with the signs between them, and the product.

    `result`: node of the product.
    `title`: the title of its first factor.
    `again`: a node that the page already shows: here it gets an id of its own.
    """
    node = view.nodes[result]
    turned = "transposed in the product" if node.op.factors() == (False, True) else ""
    items = []
    for sign, name in zip(("", "×", "+"), node.parents, strict=False):
        said = title if not sign else turned * (sign == "×")
        items.append(el.Item(sign, matrix(view, name, said, id=f"{name} again" if name == again else "")))
    return (*items, el.Item("=", matrix(view, result)))


def _width(view: View, hidden: str, output: str) -> str:
    d_ff, d_model = (view.graph.shape(name)[-1] for name in (hidden, output))
    usual, said = 4 * d_model, f"usual are 4 × {d_model} = {4 * d_model}"
    if f"{hidden.removesuffix('hidden')}gate" in view.nodes:  # with ⅔ of the units its three matrices are as large
        usual = round(8 * d_model / 3)
        said = f"usual with a gate are ⅔ of 4 × {d_model}, {usual}"
    same = "as usual" if d_ff == usual else said
    ends = quantity(d_model, "number")
    return f"Each word by itself: {ends} → {quantity(d_ff, 'hidden unit')} ({same}) → {ends}."


def _units(view: View, hidden: str, activation: str, what: str) -> tuple[Element, ...]:
    """The units of one row as bars before and after the activation, and as dots on the activation's curve."""
    axis, units = view.nodes[hidden].axes[0], view.labels(view.nodes[hidden].axes[-1])
    row, op = view.row(axis), view.nodes[activation].op
    before, after = view.values[hidden][row], view.values[activation][row]
    last = not any(activation in node.parents for node in view.nodes.values() if node.op.projects)
    who, pin = f"“<mark>{escape(view.labels(axis)[row])}</mark>”", view.engine.pins.get(activation)
    words = f"For {who}: units are held at typed values."
    if pin is None or not pin.cells[row].any():
        words = _words(op, after, units, who, last)
    symbols = [formula_text(view.nodes[name].symbol) for name in (hidden, activation)]
    listing = _listing(op, before, after, units, symbols, activation, row)
    drawing = _curve(op, before, after, units, symbols, (hidden, activation), row, words)
    curve: list[Element] = [el.Picture("curve", drawing, 310, 250)]
    if len(units) > MOST_DOTS:
        said = f"Of {len(units):,} units the first {MOST_DOTS} are drawn."
        curve.append(el.Note("which are drawn", said, wide=False))
    listed = el.Stack("units listed", "The units one by one", (listing,))
    drawn = el.Stack("units on the curve", "The activation, and the units on it", tuple(curve))
    return (
        Controls("which row", (row_choice(view, axis, what),)),
        el.Note("which are off", words),
        el.Row.of("unit pictures", (listed, drawn)),
    )


def _words(op: Op, after: Array, units: Sequence[str], who: str, last: bool) -> str:
    """A sentence on which units are off; `last`: no layer follows, so the sentence does not speak of the next layer."""
    off = np.flatnonzero(_off(op, after))
    name = op.title or "The activation"
    if not op.bends:
        so = "the sums are the answer" if last else "so this layer and the next are no more than one"
        return f"For {who}: the identity changes nothing{':' if last else ','} {so}."
    if op.within:
        middle = np.isclose(after, SIGMOID_MIDDLE, rtol=0, atol=1e-9)
        above, below = (~middle & side for side in (after > SIGMOID_MIDDLE, after < SIGMOID_MIDDLE))
        near = {"nearer to 1": above, "nearer to 0": below, "in the middle": middle}
        sides = (f"{where}: {_listed(units, np.flatnonzero(which))}" for where, which in near.items() if which.any())
        return f"For {who}: sigmoid turns each sum into a number between 0 and 1; {'; '.join(sides)}."
    if not len(off):
        left = "no sum is below zero" if op.cuts else f"{name} makes no sum exactly 0"
        few = {1: "the only unit is", 2: "both units are"}
        every = few.get(len(units), f"all {len(units)} units are")
        return f"For {who}: {every} on; {left}."
    listed = _listed(units, off)
    which = f"unit {listed} is" if len(off) == 1 else f"units {listed} are"
    others = "Every other sum stays as it is." if op.cuts else f"{name} changes every other sum."
    rest = others if len(off) < len(units) else "Nothing passes."
    return f"For {who}: {len(off)} of {len(units)} off: {which} 0 after {name}. {rest}"


def _off(op: Op, after: Array) -> Array:
    """Which units an activation has switched off; the identity switches off none."""
    return (after == 0) & op.bends


def _listed(names: Sequence[str], which: Array) -> str:
    return ", ".join(escape(names[i]) for i in which[:NAMED]) + (" …" if len(which) > NAMED else "")


def _listing(
    op: Op, before: Array, after: Array, units: Sequence[str], symbols: Sequence[str], activation: str, row: int
) -> el.Listing:
    both = np.concatenate((before, after))
    decimals, reach = decimals_of(both), el.signed_reach(both)
    first, then = el.numeric(f"before {symbols[0]}", f"after {symbols[1]}")
    bar = el.Column("", el.BAR, 90, reach, signed=True)
    # The output of a sigmoid is too small for the scale of its input.
    bar_after = el.Column("", el.BAR, 90, op.within or reach, signed=op.within is None)
    columns = el.Column("unit"), first, bar, then, bar_after, el.Column("")
    lines = el.Lines(len(units), _line, (before, after, _off(op, after), tuple(units), decimals, activation, row))
    return el.Listing("units", "Hidden units before and after the activation", columns, lines)


def _line(
    before: Array, after: Array, offs: Array, units: Sequence[str], decimals: int, activation: str, at: int, row: int
) -> el.Line:
    name, h, a, off = units[row], float(before[row]), float(after[row]), bool(offs[row])
    tip = f"unit {name}: {exact(h)} → {exact(a)}"
    h_said, a_said = written(h, decimals), written(a, decimals)
    entries = (
        el.Entry(name, tip=tip, muted=off),
        el.Entry(h_said, tip=tip, muted=off),
        el.Entry(h_said, h, tip, off=off),
        el.Entry(a_said, tip=tip, muted=off),
        el.Entry(a_said, a, tip, off=off),
        el.Entry("off" if off else "", tip=tip, muted=off),
    )
    return el.Line(entries, Cell(activation, (at, row)))


def _curve(
    op: Op,
    before: Array,
    after: Array,
    units: Sequence[str],
    symbols: Sequence[str],
    nodes: tuple[str, str],
    row: int,
    words: str,
) -> Drawing:
    width = max(reach(before, 0.0) * 1.1, 3.0)
    x = np.linspace(-width, width, CURVE_POINTS, dtype=before.dtype)
    with np.errstate(all="ignore"):
        y = op.forward(x)
    some = zip(before[:MOST_DOTS].tolist(), after[:MOST_DOTS].tolist(), _off(op, after).tolist(), units, strict=False)
    dots = [
        Dot(h, a, name, series(0), hollow=off, cell=Cell(nodes[1], (row, j)), also=(Cell(nodes[0], (row, j)),))
        for j, (h, a, off, name) in enumerate(some)
    ]
    low, high = min(float(y.min()), 0.0), max(float(y.max()), 0.5)
    room = (high - low) * 0.15
    window = (-width, width, low - room, high + room)
    grid = Axis(f"before: {symbols[0]}", grid=True), Axis(f"after: {symbols[1]}", grid=True)
    return Drawing((Curve(x, y), *dots), window, f"Activation. {el.said(words)}", *grid)
