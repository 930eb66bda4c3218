"""The page of the loss: the right word of each position, the probability that the model gives it, and −ln of that.

The list of P − y: for each word its probability, what would be right, and so how its logit should move.
"""

from functools import cached_property
from html import escape

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.graph import LOGITS, LOSS, PROBABILITIES, TARGET, Cell, Place, Stage
from explorer.core.models.ends import TEMPERATURE
from explorer.core.numbers import Ranked, alone, as_share, decimals_of, exact, in_table, largest_of, written
from explorer.core.ops import Array, CrossEntropy
from explorer.core.vocabulary import PAD, end_mark
from explorer.lessons.references import Slip, slips_at
from explorer.pages import page as el
from explorer.pages.controls import Controls, row_choice
from explorer.pages.drawing import Axis, Curve, Dot, Drawing, drawable, series
from explorer.pages.element import Data, Element
from explorer.pages.gestures import SetNumber
from explorer.pages.matrix import matrix
from explorer.pages.view import View, where, where_said

PRINTED_DECIMALS = 2


def word_gradients(view: View) -> tuple[Element, ...]:
    """A line for each word at one position: y, P, and P − y, which is n times the gradient of the word's logit.

    Where the logits are inputs, so that a step moves the logits themselves, each line also has P after one step and the
    P that the reference prints for it. Empty where the loss is not the cross-entropy of a softmax.
    """
    scores = _softmaxed(view)
    if scores is None:
        return ()
    output = view.nodes[LOSS].parents[0]
    axis = view.nodes[output].axes[0]
    row, printed = view.row(axis), tuple[Element, ...]()
    if (slip := _slip(view)) is not None:
        words = escape(f"{slip.printed} Right: {slip.right} {slip.how}")
        printed = (el.Note("what is printed", f"<b>What is printed, and the step that would be right.</b> {words}"),)
    return (
        Controls("which position", (row_choice(view, axis),)),
        el.Note("about the gradients", _words(view, axis, row)),
        *printed,
        _listing(view, scores, output, row),
    )


def _softmaxed(view: View) -> str | None:
    """The node that goes into the softmax of the cross-entropy; None if the loss is of another kind."""
    node = view.nodes[LOSS]
    output = view.nodes[node.parents[0]]
    return output.parents[0] if node.op.of_words and output.op.softens else None


def _counted(view: View, row: int) -> bool:
    """Whether the loss counts a position: it skips positions whose right word is ``<pad>``."""
    return bool(view.nodes[LOSS].op.counted(view.values[TARGET])[row].all())


def _n(view: View) -> int:
    """The number of positions whose mean is the loss."""
    return view.nodes[LOSS].op.count(view.values[TARGET])


IN_SIGHT = 10
"""Lines in sight of the list of P − y."""


class _Words(Data):
    """The lines of one position."""

    scores: str  # the node of the logits after the temperature
    words: tuple[str, ...]
    # `row`, `right`, `n`: the position, its right word (-1 if the loss does not count it), and how many positions the
    # loss counts.
    row: int
    right: int
    n: int
    # `shares`, `gradient`: P and the gradient of `scores`, (positions, words).
    shares: Array
    gradient: Array
    more: tuple[Array, ...]  # further columns for this position's words: P after a step, and P as printed
    decimals: tuple[int, ...]  # of P and P − y, and of each of `more`

    @property
    def ranked(self) -> bool:
        """Whether the right word comes first, then the others by |P − y|: else it is hard to find among many words."""
        return len(self.words) > IN_SIGHT

    @cached_property
    def _order(self) -> Ranked:
        sizes = np.abs(self.gradient[self.row])
        if self.right >= 0:
            sizes[self.right] = np.inf
        return Ranked(sizes)

    def line(self, row: int) -> el.Line:
        row = self._order[row] if self.ranked else row
        y = float(row == self.right)
        p, apart = float(self.shares[self.row, row]), float(self.gradient[self.row, row]) * self.n
        decimals, *others = self.decimals
        said = in_table(apart, decimals)
        entries = (
            el.Entry(self.words[row], tip=self.words[row]),
            el.Entry(written(y, 0), tip=exact(y)),
            el.Entry(in_table(p, decimals), tip=exact(p)),
            el.Entry(said, tip=exact(apart)),
            el.Entry(said, apart, exact(apart)),
            *(
                el.Entry("–", tip="not printed")
                if np.isnan(numbers[row])
                else el.Entry(in_table(float(numbers[row]), d), tip=exact(float(numbers[row])))
                for numbers, d in zip(self.more, others, strict=True)
            ),
        )
        return el.Line(entries, Cell(self.scores, (self.row, row)), strong=row == self.right)


def _held(view: View, row: int) -> str:
    """What is pinned between the logits of a position and the loss, which then depends on no logit; "" if nothing."""
    pinned = view.engine.pins.get(PROBABILITIES)
    if pinned is not None and pinned.cells[row].any():
        return "probabilities are"
    return "loss is" if LOSS in view.engine.pins else ""


def _listing(view: View, scores: str, output: str, row: int) -> el.Listing:
    gradient = view.engine.gradient(Place(scores))
    assert gradient is not None
    shares = view.values[output]
    apart = gradient[row] * _n(view)
    widest = largest_of(apart) or 1.0
    bar = el.Column("", el.BAR, 110, (-widest, widest), signed=True)
    columns = [el.Column("word"), *el.numeric("y", "P", "gradient" if _held(view, row) else "P − y"), bar]
    decimals = [max(decimals_of(shares[row]), 4)]
    more = []
    after = _stepped(view, output)
    if after is not None and view.steps is not None:
        more.append(after[row])
        columns.append(el.Column(f"P after a step at {view.steps.rate:g}", el.NUMBER))
        decimals.append(decimals[0])
    slip = _slip(view)
    if slip is not None and slip.wrong is not None and slip.wrong.shape == shares.shape:
        more.append(slip.wrong[row])
        columns.append(el.Column("printed", el.NUMBER))
        decimals.append(PRINTED_DECIMALS)
    right = int(view.values[TARGET][row]) if _counted(view, row) else -1
    words = view.labels(view.nodes[output].axes[1])
    lines = _Words(scores, words, row, right, _n(view), shares, gradient, tuple(more), tuple(decimals))
    order, shown = "P − y" if lines.ranked else "", el.Lines(len(words), _Words.line, (lines,))
    return el.Listing(
        "word gradients", "Probabilities minus what is right", tuple(columns), shown, IN_SIGHT, order=order
    )


def _stepped(view: View, output: str) -> Array | None:
    """The probabilities after one step, if the step moves the logits themselves; else None."""
    if view.steps is None or not view.nodes[LOGITS].is_input:
        return None
    try:
        return view.engine.what_if(view.steps.ahead(), output)
    except ExplorerError:
        return None  # the gradient is no finite number


def _slip(view: View) -> Slip | None:
    """The step that the reference prints wrongly, if the model has the numbers from before that step."""
    if not view.given or view.prints is None:
        return None
    there = (one for one in slips_at(*view.prints, {PROBABILITIES}) if one.wrong is not None)
    return next((slip for slip in there if slip.figure and slip.figure.inputs.keys() == {LOGITS}), None)


def _words(view: View, axis: str, row: int) -> str:
    label = escape(view.labels(axis)[row])
    if not _counted(view, row):
        return (
            f"{where_said(view, label)} nothing is to be said: the right word is <i>&lt;pad&gt;</i>. The loss does "
            "not count it, and its gradient is 0."
        )
    if held := _held(view, row):
        return f"{where_said(view, label)}: the {held} held at a typed value, so no logit changes the loss."
    n, temperature = _n(view), view.values.get(TEMPERATURE)
    divisors = [f"the {n} positions"] * (n > 1)
    if temperature is not None and temperature != 1:
        divisors.append(f"the temperature {alone(float(temperature))}")
    many = f" Divided by {' and '.join(divisors)}, it is their gradient." if divisors else ""
    return (
        f"{where_said(view, label)}: y is 1 for the right word. P − y says how the loss changes with each logit, so "
        f"the step goes the other way: where it is negative the logit grows.{many}"
    )


SEER = "decoder.1.self"
OTHERS = {"loss.likelihood": "the probability of each right word", "loss.L_1": "the sum of the logs: −n times the loss"}
TERMS, DIFFERENCES, CURVE, GRADIENTS, STEPS = 400, 410, 300, 570, 340
"""Widths in pixels at text scale 1: of the list of right words, of the list of differences (both have the curve beside
them in a window of 1280), of that curve, of the list of P − y, and of the controls of gradient descent."""
MOST_CONTEXT = 5
"""The most words before a right word; of more, the last ones are shown, behind a sign that takes the place of one."""
DECIMALS = 3
MOST_DOTS = 512
NAMED = 12  # terms that the summary lists; a net with at most this many terms has their names on the curve
HIGHEST = 40.0  # the largest −ln p that is drawn
FOLLOW = (
    " The right words are the next ones of the sentence, and <i>{}</i> after the last; another word that you choose is "
    "pinned there, and the others still follow."
)
OVER = " Where the right word is <i>&lt;pad&gt;</i>, there is no word to say, and nothing is counted."


def loss(view: View, stage: Stage) -> tuple[Element, ...]:
    """The terms of the loss, one on each line; how the logits should move; gradient descent; the mean of the terms."""
    output, words = view.nodes[LOSS].parents[0], _of_words(view)
    title = "The loss of each probability" if words else "The loss of each difference"
    listing, curve, text = _word_terms(view, output) if words else _squares(view, output)
    costs = el.Stack("costs", title, (el.Picture("cost curve", curve, CURVE, 270),))
    right = matrix(view, TARGET, "numbers of the right words" if words else "what would be right")
    shown = (el.Item("", matrix(view, output)), el.Item("", right), el.Item("→", matrix(view, LOSS, "the loss")))
    mine = [node.name for node in view.stage(stage.name) if node.name not in (LOSS, TARGET)]
    titles = OTHERS | ({"loss.L_1": "the sum of the logs"} if _balanced(view) else {})
    others = [matrix(view, name, titles.get(name, "")) for name in mine]
    what = "One term for each position" if words else "One term for each number"
    parts = [
        el.Stack("terms", what, (el.Note("about the terms", text), listing), TERMS if words else DIFFERENCES),
        costs,
    ]
    if gradients := word_gradients(view):
        parts.append(el.Stack("gradients", "In which direction each logit should move", gradients, GRADIENTS))
    parts.append(el.Stack("down", "Down the gradient", (el.DescentPart("steps", "steps"),), STEPS))
    mean = "The mean of the terms, and the balance" if _balanced(view) else "The mean of the terms is the loss"
    return (
        el.Row.of("terms listed", parts),
        el.Section("mean", mean),
        el.Row("loss row", shown),
        *((el.Row.of("others", others),) if others else ()),
    )


def loss_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage, which depends on the kind of loss."""
    if _of_words(view):
        return "How improbable the right words are for the model, as one number."
    return "How far the answers are from the right answers, as one number."


def _of_words(view: View) -> bool:
    """Whether the loss is the cross-entropy, with a term for each right word."""
    return view.nodes[LOSS].op.of_words


def _balanced(view: View) -> int:
    """How many balances of experts the loss adds to the cross-entropy."""
    return view.nodes[LOSS].op.balances


def _parents(view: View) -> tuple[list[Array], list[Array]]:
    """What the cross-entropy is computed from, and the balances of experts that are added to it."""
    parents = [view.values[name] for name in view.nodes[LOSS].parents]
    terms = len(parents) - _balanced(view)
    return parents[:terms], parents[terms:]


def _mean(view: View) -> str:
    loss, (_, balances) = float(view.values[LOSS]), _parents(view)
    if LOSS in view.engine.pins:
        return f"Their mean would be the loss, but that is held at <b>{alone(loss)}</b>."
    if not balances:
        return f"Their mean is the loss: <b>{alone(loss)}</b>."
    weight = float(view.state.model.switch("loss", "balance"))
    mean = loss - weight * float(sum(balances))
    balance = f"{weight:g} times the balance of the experts"
    return f"Their mean, {alone(mean)}, and {balance} are the loss: <b>{alone(loss)}</b>."


# Cross-entropy


class _WordTerms(Data):
    """A line for each position: the right word, its probability, −ln of it."""

    output: str  # the node of the probabilities
    after: tuple[str, ...]  # for each position, the words that the model has read there
    vocabulary: tuple[str, ...]
    target: Array
    # `given`, `cost`: (n,).
    given: Array
    cost: Array
    pad: int  # the index of ``<pad>``, the right word that is not counted
    pinned: bool  # whether a chosen right word is pinned, because the targets are computed; else it is an edit

    @cached_property
    def decimals(self) -> int:
        """How many decimals the costs have."""
        return decimals_of(self.cost)

    def line(self, row: int) -> el.Line:
        right, given, cost = int(self.target[row]), float(self.given[row]), float(self.cost[row])
        counted = right != self.pad
        choose = SetNumber(TARGET, (row,), pinned=self.pinned)
        p, tip = (as_share(given, DECIMALS), exact(given)) if counted else ("", _NOTHING)
        said = in_table(cost, self.decimals) if counted else "not counted"
        entries = (
            el.Entry(f"{row}  {self.after[row]}", tip=self.after[row], muted=not counted),
            el.Entry(self.vocabulary[right] if counted else PAD, tip=_CHOOSE, muted=not counted, choose=choose),
            el.Entry(p, tip=tip, muted=not counted),
            el.Entry(p, given if counted else 0.0, tip),
            el.Entry(said, tip=exact(cost) if counted else _NOTHING, muted=not counted),
        )
        return el.Line(entries, Cell(self.output, (row, right)) if counted else None)


_CHOOSE = "Enter, or a double click, to choose another word"
_NOTHING = "The right word is <pad>: there is no word to say here"


def _word_terms(view: View, output: str) -> tuple[el.Listing, Drawing, str]:
    """The list of the terms, the curve with the terms as dots, and the note about them."""
    op, target, p = view.nodes[LOSS].op, view.values[TARGET], view.values[output]
    assert isinstance(op, CrossEntropy)
    rows, columns = view.nodes[output].axes
    names, vocabulary = view.labels(rows), view.labels(columns)
    given = p[np.arange(len(p)), target]
    with np.errstate(all="ignore"):  # as in the engine
        cost = -op.logs(*_parents(view)[0]) + 0.0
    typed = view.nodes[TARGET].is_input
    terms = _WordTerms(output, _contexts(view, names), vocabulary, target, given, cost, op.pad, not typed)
    lines = el.Lines(len(names), _WordTerms.line, (terms,))
    p_of, loss_of = el.numeric("p", "−ln p")
    titles = el.Column(where(view).lower()), el.Column("right word"), p_of, el.Column("", el.BAR, 90), loss_of
    listing = el.Listing("term list", "Right words and their loss", titles, lines, vocabulary=vocabulary)
    counted = target != op.pad
    follow = "" if typed else FOLLOW.format(escape(end_mark(view.graph.axes[columns])))
    sure = "With probability 1 it is 0; the smaller the probability, the larger it is."
    text = f"−ln p of the right word. {sure} {_mean(view)}{follow}{'' if counted.all() else OVER}"
    foretold = [(i, int(target[i])) for i in np.flatnonzero(counted).tolist()]
    places = [(i, vocabulary[right], Cell(output, (i, right))) for i, right in foretold]
    return listing, _costs(places, given, cost), text


def _contexts(view: View, names: tuple[str, ...]) -> tuple[str, ...]:
    """For each position, the words that its prediction is made from: its own and the earlier ones that the mask allows.

    Each of these contexts with its right word is one training pair of the text (Radford et al. 2018, equation 1).
    """
    model = view.state.model
    mask = view.values.get(f"{SEER}.mask")
    # A second layer reads the results of the first, so with several layers a position sees farther than its mask.
    reaches_farther = model.decoder_layers > 1 and model.blocks().get(SEER) and model.switch(SEER, "window")
    if mask is None or mask.shape != (len(names), len(names)) or reaches_farther:
        return names
    contexts = []
    for row in mask:
        seen = np.flatnonzero(row)
        cut = len(seen) > MOST_CONTEXT
        words = [names[i] for i in seen[cut - MOST_CONTEXT :].tolist()]
        contexts.append(" ".join(["…", *words] if cut else words))
    return tuple(contexts)


def _costs(places: list[tuple[int, str, Cell]], given: Array, cost: Array) -> Drawing:
    """−ln p as a curve, with a dot for each position."""
    dots = [
        Dot(float(given[i]), float(cost[i]), name, series(0), cell=cell)
        for i, name, cell in places[:MOST_DOTS]
        if drawable(float(given[i]), float(cost[i]))
    ]
    high = max(4.0, min(max((dot.y for dot in dots), default=0.0), HIGHEST)) * 1.15
    # Even steps of −ln p: even steps of p would leave out the steep end of the curve.
    y = np.linspace(0.0, high, 400)
    told = "; ".join(f"{name} {written(float(cost[i]), 3)}" for i, name, _ in places[:NAMED])
    axes = Axis("p of the right word", grid=True), Axis("−ln p", grid=True)
    return Drawing((Curve(np.exp(-y), y), *dots), (-0.03, 1.14, -0.12 * high, high), f"Costs: {told}", *axes)


# Squares


class _Squares(Data):
    """A line for each number of the output: the number, its target, and the square of the difference."""

    output: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    values: Array
    target: Array

    @cached_property
    def decimals(self) -> list[int]:
        """How many decimals the numbers of each column have."""
        with np.errstate(all="ignore"):
            off = np.asarray(self.values - self.target, dtype=float)
            columns = self.values, self.target, off, off, off**2
        return [decimals_of(np.asarray(column, dtype=float)) for column in columns]

    def name(self, row: int) -> str:
        """The name of a line: the case, and the column if there are several."""
        case, column = divmod(row, len(self.columns))
        return self.names[case] if len(self.columns) == 1 else f"{self.names[case]} · {self.columns[column]}"

    def line(self, row: int) -> el.Line:
        index = divmod(row, len(self.columns))
        value, target = self.values[index], self.target[index]
        with np.errstate(all="ignore"):
            off = float(value - target)
            numbers = float(value), float(target), off, off, float((value - target) ** 2)
        entries = (
            el.Entry(self.name(row)),
            *(el.Entry(in_table(n, d), n, exact(n)) for n, d in zip(numbers, self.decimals, strict=True)),
        )
        return el.Line(entries, Cell(self.output, index))


def _squares(view: View, output: str) -> tuple[el.Listing, Drawing, str]:
    """The list of the terms, the curve with the terms as dots, and the note about them."""
    rows, columns = (view.labels(axis) for axis in view.nodes[output].axes)
    squares = _Squares(output, rows, columns, view.values[output], view.values[TARGET])
    lines = el.Lines(squares.values.size, _Squares.line, (squares,))
    with np.errstate(all="ignore"):  # as in the engine
        off = (squares.values - squares.target).ravel()
        costs = off * off
    widest = largest_of(off) or 1.0
    bar = el.Column("", el.BAR, 80, (-widest, widest), signed=True)
    titles = el.Column("number"), *el.numeric("output", "target", "difference"), bar, *el.numeric("squared")
    few = len(lines) <= NAMED  # with more, the names would cover the curve
    dots = [
        Dot(x, y, squares.name(i) * few, series(0), cell=Cell(output, divmod(i, len(columns))))
        for i, (x, y) in enumerate(zip(off[:MOST_DOTS].tolist(), costs[:MOST_DOTS].tolist(), strict=True))
        if drawable(x, y)
    ]
    far = max((abs(dot.x) for dot in dots), default=0.0) * 1.15 or 1.0
    x = np.linspace(-far, far, 200)
    told = "; ".join(f"{squares.name(i)} {written(float(costs[i]), 3)}" for i in range(min(len(lines), NAMED)))
    window = (-far, far, -0.12 * far**2, 1.2 * far**2)
    axes = Axis("output − target", grid=True), Axis("squared", grid=True)
    drawing = Drawing((Curve(x, x * x), *dots), window, f"Squares: {told}", *axes)
    text = f"The difference between output and target, squared. {_mean(view)}"
    return el.Listing("term list", "Differences and their squares", titles, lines), drawing, text
