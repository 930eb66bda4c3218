"""P − y: what the model gave each word, what would have been right, and so where each logit is to go."""

from dataclasses import dataclass
from html import escape

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.numbers import decimals_of, exact, written
from explorer.core.ops import Array
from explorer.lessons.references import Slip, slips_at
from explorer.pages.element import Element
from explorer.pages.page import BAR, NUMBER, Column, Controls, Entry, Item, Line, Lines, Listing, Note, Row, Section
from explorer.pages.rows import row_choice, where_said
from explorer.pages.view import Cell, View

LOSS, TARGET, LOGITS = "loss.value", "loss.target", "output.logits"
PRINTED_DECIMALS = 2


def word_gradients(view: View) -> tuple[Element, ...]:
    """A line for each word at one position: y, P, and P − y, which is n times the gradient of the word's logit.

    Where the logits themselves are what moves, also what one step makes of P, and what the reference prints for it.
    Nothing where the loss is not the cross-entropy of a softmax.
    """
    scores = _softmaxed(view)
    if scores is None:
        return ()
    output = view.nodes[LOSS].parents[0]
    axis = view.nodes[output].axes[0]
    row = view.row(axis)
    return (
        Section("gradients", "In which direction each logit should move"),
        Controls("which position", (row_choice(view, axis),)),
        Note("about the gradients", _words(view, axis, row)),
        *_slip_note(view),
        Row("gradients listed", (Item("", _listing(view, scores, output, row)),)),
    )


def _softmaxed(view: View) -> str | None:
    """The node that a softmax makes the probabilities of the loss of; None where the loss is of another kind."""
    node = view.nodes[LOSS]
    output = view.nodes[node.parents[0]]
    return output.parents[0] if node.op.of_words and output.op.softens else None


def _counted(view: View, row: int) -> bool:
    """Whether the loss counts a position: those whose right word is ``<pad>`` it does not."""
    return bool(view.nodes[LOSS].op.counted(view.values[TARGET])[row].all())


def _n(view: View) -> int:
    """How many positions the loss is the mean of."""
    op, target = view.nodes[LOSS].op, view.values[TARGET]
    return op.count(target)


@dataclass(frozen=True, eq=False)
class _Words(Lines):
    """The lines of one position."""

    scores: str  # the node of the logits behind the temperature
    words: tuple[str, ...]
    # `row`, `right`, `n`: the position, its right word (-1 where nothing is counted), and how many positions the loss
    # is the mean of.
    row: int
    right: int
    n: int
    # `shares`, `gradient`: of all positions.
    shares: Array
    gradient: Array
    more: tuple[Array, ...]  # further numbers of this position's words: P after a step, and as printed
    decimals: tuple[int, ...]  # of P and P − y, and of each of `more`

    def __len__(self) -> int:
        return len(self.words)

    def line(self, row: int) -> Line:
        y = float(row == self.right)
        p, apart = float(self.shares[self.row, row]), float(self.gradient[self.row, row]) * self.n
        decimals, *others = self.decimals
        said = written(apart, decimals)
        entries = (
            Entry(self.words[row], tip=self.words[row]),
            Entry(written(y, 0), tip=exact(y)),
            Entry(written(p, decimals), tip=exact(p)),
            Entry(said, tip=exact(apart)),
            Entry(said, apart, exact(apart)),
            *(
                Entry("–", tip="not printed")
                if np.isnan(numbers[row])
                else Entry(written(float(numbers[row]), d), tip=exact(float(numbers[row])))
                for numbers, d in zip(self.more, others, strict=True)
            ),
        )
        return Line(entries, Cell(self.scores, (self.row, row)), strong=row == self.right)


def _listing(view: View, scores: str, output: str, row: int) -> Listing:
    gradient = view.engine.gradient(Place(scores))
    assert gradient is not None
    shares = view.values[output]
    columns = [
        Column("Word"),
        Column("y", NUMBER),
        Column("P", NUMBER),
        Column("P − y", NUMBER),
        Column("", BAR, 110, (-1.0, 1.0)),
    ]
    decimals = [max(decimals_of(shares[row]), 4)]
    more = []
    after = _stepped(view, output)
    if after is not None and view.steps is not None:
        more.append(after[row])
        columns.append(Column(f"P after a step at {view.steps.rate:g}", NUMBER))
        decimals.append(decimals[0])
    slip = _slip(view)
    if slip is not None and slip.wrong is not None and slip.wrong.shape == shares.shape:
        more.append(slip.wrong[row])
        columns.append(Column("printed", NUMBER))
        decimals.append(PRINTED_DECIMALS)
    right = int(view.values[TARGET][row]) if _counted(view, row) else -1
    words = view.labels(view.nodes[output].axes[1])
    lines = _Words(scores, words, row, right, _n(view), shares, gradient, tuple(more), tuple(decimals))
    return Listing("word gradients", "Probabilities minus what is right", tuple(columns), lines, most=10)


def _stepped(view: View, output: str) -> Array | None:
    """What one step would make of the probabilities, where it moves the logits themselves."""
    if view.steps is None or not view.nodes[LOGITS].is_input:
        return None
    try:
        return view.engine.what_if(view.steps.ahead(), output)
    except ExplorerError:
        return None  # the gradient is no finite number


def _slip(view: View) -> Slip | None:
    """The step that the reference prints wrongly, where the model stands before it."""
    if not view.given or view.prints is None:
        return None
    there = slips_at(*view.prints, {"output.probabilities"})
    steps = (slip for slip in there if slip.wrong is not None and slip.figure and slip.figure.inputs.keys() == {LOGITS})
    return next(steps, None)


def _words(view: View, axis: str, row: int) -> str:
    """What the list means, for the position that is looked at."""
    label = escape(view.labels(axis)[row])
    if not _counted(view, row):
        return (
            f"{where_said(view, label)} nothing is to be said: the right word is <i>&lt;pad&gt;</i>. The loss does not "
            "count it, and its gradient is 0."
        )
    n = _n(view)
    many = f" Divided by the {n} positions, it is their gradient." if n > 1 else ""
    return (
        f"{where_said(view, label)}: y is 1 for the right word. P − y says how the loss changes with each logit, so "
        f"the step goes the other way: where it is negative the logit grows.{many}"
    )


def _slip_note(view: View) -> tuple[Note, ...]:
    """What is wrong with the print."""
    slip = _slip(view)
    if slip is None:
        return ()
    words = escape(f"{slip.printed} Right: {slip.right} {slip.how}")
    return (Note("what is printed", f"<b>What is printed, and the step that would be right.</b> {words}"),)
