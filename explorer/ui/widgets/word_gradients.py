"""P − y: what the model gave each word, what would have been right, and so where each logit is to go."""

from html import escape

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.numbers import decimals_of, written
from explorer.core.ops import Array, CrossEntropy, Softmax
from explorer.lessons.references import Slip, slips_at
from explorer.ui.selection import Cell
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.row_choice import RowChoice
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

LOSS, TARGET, LOGITS = "loss.value", "loss.target", "output.logits"


def softmaxed(bench: Workbench) -> str | None:
    """The node that a softmax makes the probabilities of the loss of; None where the loss is of another kind."""
    nodes = bench.document.engine.graph.nodes
    if LOSS not in nodes or not isinstance(nodes[LOSS].op, CrossEntropy):
        return None
    output = nodes[nodes[LOSS].parents[0]]
    return output.parents[0] if isinstance(output.op, Softmax) else None


def counted(bench: Workbench, row: int) -> bool:
    """Whether the loss counts a position: those whose right word is ``<pad>`` it does not."""
    engine = bench.document.engine
    op = engine.graph.nodes[LOSS].op
    return not isinstance(op, CrossEntropy) or int(engine.values[TARGET][row]) != op.pad


def n_counted(bench: Workbench) -> int:
    """How many positions the cross-entropy is the mean of."""
    engine = bench.document.engine
    op, target = engine.graph.nodes[LOSS].op, engine.values[TARGET]
    return op.count(target) if isinstance(op, CrossEntropy) else target.size


class WordGradients(Rows):
    """A row for each word at one position: y, P, and P − y, which is n times the gradient of the word's logit.

    Where the logits themselves are what moves, also what one step makes of P, and what the reference prints for it.

    Parameters
    ----------
    bench : Workbench
    choice : RowChoice
        The position.
    """

    name = "Probabilities minus what is right"

    def __init__(self, bench: Workbench, choice: RowChoice) -> None:
        super().__init__()
        self._bench, self._choice = bench, choice
        self._words: tuple[str, ...] = ()
        self._right = 0
        self._shares = self._apart = np.zeros(0)
        self._after: Array | None = None
        self._printed: Array | None = None
        self._decimals = 4
        self._way: tuple[str, float] = ("", 0.0)
        bench.descent.changed.connect(self._follow)

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """The reference's step stands beside the true one."""
        rate = f"{self._bench.descent.rate:g}"
        shown = [
            Column("Word"),
            Column("y", NUMBER),
            Column("P", NUMBER),
            Column("P − y", NUMBER),
            Column("", BAR, 110),
        ]
        if self._after is not None:
            shown.append(Column(f"P after a step at {rate}", NUMBER))
        if self._printed is not None:
            shown.append(Column("004 prints", NUMBER))
        return tuple(shown)

    def _follow(self) -> None:
        """Another rate makes another step."""
        listing = self.parent()
        if self._way == self._set() or not self._choice.there:
            return
        if isinstance(listing, Listing) and listing.isVisible():
            listing.refresh()

    def _set(self) -> tuple[str, float]:
        return self._bench.descent.kind, self._bench.descent.rate

    def read(self) -> None:
        self._way = self._set()
        engine, row = self._bench.document.engine, self._choice.row
        scores, output = softmaxed(self._bench), engine.graph.nodes[LOSS].parents[0]
        if scores is None:
            return
        self._words = engine.labels(engine.graph.nodes[output].axes[1])
        self._right = int(engine.values[TARGET][row]) if counted(self._bench, row) else -1
        self._shares = engine.values[output][row]
        gradient = engine.gradient(Place(scores))
        assert gradient is not None
        self._apart = gradient[row] * n_counted(self._bench)
        self._after = self._stepped(output)
        slip = slip_of(self._bench)
        wrong = None if slip is None else slip.wrong
        self._printed = wrong[row] if wrong is not None and wrong.shape == engine.values[output].shape else None
        self._decimals = max(decimals_of(self._shares), 4)

    def _stepped(self, output: str) -> Array | None:
        """What one step would make of the probabilities, where it moves the logits themselves."""
        engine = self._bench.document.engine
        if not engine.graph.nodes[LOGITS].is_input:
            return None
        try:
            after: Array = engine.what_if(self._bench.descent.ahead(), output)[self._choice.row]
        except ExplorerError:
            return None  # the gradient is no finite number
        return after

    def count(self) -> int:
        return len(self._words)

    def _number(self, row: int, column: int) -> float:
        numbers = [float(row == self._right), self._shares[row], self._apart[row], self._apart[row]]
        numbers += [more[row] for more in (self._after, self._printed) if more is not None]
        return float(numbers[column - 1])

    def text(self, row: int, column: int) -> str:
        if not column:
            return self._words[row]
        printed = self._printed is not None and column == len(self.columns) - 1
        decimals = 0 if column == 1 else 2 if printed else self._decimals
        return written(self._number(row, column), decimals)

    def tip(self, row: int, column: int) -> str:
        return str(self._number(row, column)).replace("-", "−") if column else self._words[row]

    def value(self, row: int, column: int) -> float:
        return float(self._apart[row])

    def reach(self, column: int) -> tuple[float, float]:
        return -1.0, 1.0

    def strong(self, row: int) -> bool:
        return row == self._right

    def cell(self, row: int) -> Cell | None:
        scores = softmaxed(self._bench)
        return Cell(scores, (self._choice.row, row)) if scores else None


def slip_of(bench: Workbench) -> Slip | None:
    """The step that the reference prints wrongly, where the document stands before it."""
    state = bench.document.state
    if state not in bench.opened:
        return None
    slips = slips_at(state.lesson, state.setting, {"output.probabilities"})
    steps = (slip for slip in slips if slip.wrong is not None and slip.figure and slip.figure.inputs.keys() == {LOGITS})
    return next(steps, None)


def said(bench: Workbench, choice: RowChoice) -> str:
    """What the list means, for the position that is looked at, and what is wrong with the print."""
    n = n_counted(bench)
    if not counted(bench, choice.row):
        return (
            f"After “{escape(choice.label)}” nothing is to be said: the right word is <i>&lt;pad&gt;</i>. The loss "
            "does not count it, and its gradient is 0."
        )
    many = f" Divided by the {n} positions, it is their gradient." if n > 1 else ""
    text = (
        f"After “{escape(choice.label)}”: y is 1 for the right word. P − y says how the loss changes with each logit, "
        f"so the step goes the other way: where it is negative the logit grows.{many}"
    )
    slip = slip_of(bench)
    if slip is None:
        return text
    words = f"{slip.printed} Right: {slip.right} {slip.how}"
    return f"{text}<br><b>What {slip.reference} prints, and the step it should have taken.</b> {escape(words)}"
