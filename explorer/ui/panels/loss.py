"""Loss: the right word of each position, what the model gave it, and how surprised it is."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from explorer.core.explain import Operand, Source, Step, steps
from explorer.core.numbers import written
from explorer.core.ops import Array, CrossEntropy
from explorer.core.tokens import PAD
from explorer.document.commands import PinCells, SetCells
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.selection import Cell
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.row_choice import RowChoice
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.widgets.stepper import Stepper
from explorer.ui.widgets.word_choice import WordChooser
from explorer.ui.widgets.word_gradients import WordGradients, said, softmaxed
from explorer.ui.workbench import Workbench

VALUE, TARGET = "loss.value", "loss.target"
SEER = "decoder.1.self"
MASK = f"{SEER}.mask"
OTHERS = {"loss.likelihood": "what each right word got", "loss.L_1": "the sum of the logs: −n times the loss"}
MOST_CONTEXT = 5
DECIMALS = 4
MOST_DOTS = 512
_FOLLOW = (
    " The right words are the next ones of the sentence, and <i>&lt;end&gt;</i> after the last; another word that you "
    "choose is pinned there, and the others still follow."
)


_OVER = " Where it is <i>&lt;pad&gt;</i>, nothing is to be said, and nothing is counted."


class LossPanel(Panel):
    """The terms of the loss, one a row, what its gradient asks of the logits, steps down it, and the terms' mean."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        output = graph.nodes[VALUE].parents[0]
        words = isinstance(graph.nodes[VALUE].op, CrossEntropy)
        terms = Terms(self.bench)
        reads = [VALUE, TARGET, output, MASK, *(f"{axis}.tokens" for axis in graph.nodes[output].axes)]
        rows: Rows = WordTerms(terms) if words else SquareTerms(terms)
        listing = Listing(self.bench, rows, reads)
        if words:
            listing.setItemDelegate(WordChooser(listing, terms.vocabulary, self._choose))
        note = Note(lambda: self._words(terms, words), reads)
        px = self.bench.appearance.px
        curve = Later(lambda: self._curve(terms, reads, words), px(360), px(280))
        self.section("One term for each position" if words else "One term for each number")
        self.page.addWidget(note)
        title = "What a probability costs" if words else "What a difference costs"
        self.row([("", listing)])
        self._gradients()
        self.section("Down the gradient")
        self.page.addWidget(Stepper(self.bench))
        self.row([("", self.titled(title, curve))])
        self.section("The mean of the terms is the loss")
        self.row(
            [
                ("", self.box(output)),
                ("", self.box(TARGET, "numbers of the right words" if words else "what would be right")),
                ("→", self.box(VALUE, "the loss")),
            ]
        )
        shown = {VALUE, TARGET}
        others = [n.name for n in graph.nodes.values() if n.stage == self.stage.name and n.name not in shown]
        if others:
            self.row([("", self.box(name, OTHERS.get(name, ""))) for name in others])
        self.later(curve)
        self.follows(note, listing)

    def structure(self) -> tuple[object, ...]:
        nodes = self.bench.document.engine.graph.nodes
        if VALUE not in nodes:
            return (super().structure(),)
        return super().structure(), type(nodes[VALUE].op), nodes[nodes[VALUE].parents[0]].axes, softmaxed(self.bench)

    def _gradients(self) -> None:
        """P − y, where the loss is the cross-entropy of a softmax."""
        if (scores := softmaxed(self.bench)) is None:
            return
        output = self.bench.document.engine.graph.nodes[VALUE].parents[0]
        choice = RowChoice(self.bench, self.bench.document.engine.graph.nodes[output].axes[0], "Position")
        reads = [scores, output, TARGET, VALUE]
        listing = Listing(self.bench, WordGradients(self.bench, choice), reads, most=10)
        words = Note(lambda: said(self.bench, choice), reads)
        self.section("Where each logit is to go")
        for widget in (choice, words):
            self.page.addWidget(widget)
        self.row([("", listing)])
        choice.changed.connect(lambda: self.redraw(words, listing))
        self.follows(choice, words, listing)

    def _choose(self, row: int, word: int) -> None:
        """Set a right word; where they follow the sentence, hold this one at another word, and the others go on."""
        typed = self.bench.document.engine.graph.nodes[TARGET].is_input
        self.bench.document.do((SetCells if typed else PinCells)(TARGET, {(row,): word}))

    def _words(self, terms: "Terms", words: bool) -> str:
        loss = float(self.bench.document.engine.values[VALUE])
        ink = self.bench.appearance.theme.text
        mean = f"Their mean is the loss: <b style='color:{ink}'>{written(loss, DECIMALS)}</b>."
        if not words:
            return f"The difference between output and target, squared. {mean}"
        sure = "A right word with probability 1 costs nothing; the less it had, the more it costs."
        follow = "" if self.bench.document.engine.graph.nodes[TARGET].is_input else _FOLLOW
        over = _OVER if None in terms.read() else ""
        return f"−ln p of the right word. {sure} {mean}{follow}{over}"

    def _curve(self, terms: "Terms", reads: Sequence[str], words: bool) -> QWidget:
        from explorer.ui.widgets.curves import Curve, Curves, Dot, Drawing, within

        def draw() -> Drawing:
            found = [(name, term) for name, term in zip(terms.names(), terms.read(), strict=True) if term is not None]
            cell = self.bench.selection.cell
            dots = [
                Dot(t.given, t.cost, name, 0, here=cell is not None and terms.cell(t) == cell)
                for name, t in found[:MOST_DOTS]
                if within(t.given, t.cost)
            ]
            tallest = max((dot.y for dot in dots), default=0.0)
            summary = "; ".join(f"{name} {written(t.cost, 3)}" for name, t in found[:12])
            if words:
                high = max(4.0, min(tallest, 40.0)) * 1.15
                cost = np.linspace(0.0, high, 400)  # even steps of −ln p: those of p would leave out its steep end
                curve, titles = Curve(np.exp(-cost), cost), ("p of the right word", "−ln p")
                return Drawing([curve], dots, titles, (-0.03, 1.14, -0.12 * high, high), f"Costs: {summary}")
            reach = max((abs(dot.x) for dot in dots), default=0.0) * 1.15 or 1.0
            x = np.linspace(-reach, reach, 200)
            window = (-reach, reach, -0.12 * reach**2, 1.2 * reach**2)
            return Drawing([Curve(x, x * x)], dots, ("output − target", "squared"), window, f"Squares: {summary}")

        return Curves(self.bench, draw, reads)


class Term:
    """One term of a loss, taken from its derivation.

    Parameters
    ----------
    output : Operand
        The cell of the output.
    given : float
        What the term is made of: the probability of the right word, or the difference to the target.
    cost : float
        −ln p, or the square.
    target : float
        The number of the right word, or what would be right.
    """

    def __init__(self, output: Operand, given: float, cost: float, target: float) -> None:
        self.output = output
        self.given, self.cost, self.target = given, cost, target


class Terms:
    """The terms of the loss, read from the derivation of its value, which is the arithmetic of the model itself."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def read(self) -> list[Term | None]:
        """All terms in reading order, each at the place of its name; None where nothing is counted: at ``<pad>``."""
        engine = self._bench.document.engine
        node = engine.graph.nodes[VALUE]
        output, target = Source(node.parents[0], engine.values[node.parents[0]]), engine.values[TARGET]
        with np.errstate(all="ignore"):  # as in the engine
            if isinstance(node.op, CrossEntropy):
                costs = -node.op.logs(*(engine.values[name] for name in node.parents)) + 0.0
                right = [(i, int(word)) for i, word in enumerate(target)]
                return [
                    None if at[1] == node.op.pad else Term(cell := output[at], float(cell.value), float(cost), at[1])
                    for at, cost in zip(right, costs, strict=True)
                ]
            last = node.op.explain((), output, Source(TARGET, target))
        return [term for term in map(_term, steps(last)) if term is not None]

    def names(self) -> tuple[str, ...]:
        """What the terms are called: the words after which the positions stand, or case and column."""
        engine = self._bench.document.engine
        rows, columns = (engine.labels(axis) for axis in self._axes())
        if isinstance(engine.graph.nodes[VALUE].op, CrossEntropy):
            return rows
        return rows if len(columns) == 1 else tuple(f"{row} · {column}" for row in rows for column in columns)

    def contexts(self) -> tuple[str, ...]:
        """The words that each position is foretold from: its own and those before it that the mask lets it see.

        These, each with the right word, are the pairs that a text gives (Radford et al. 2018, equation 1).
        """
        names, engine = self.names(), self._bench.document.engine
        model = self._bench.document.state.model
        mask = engine.values.get(MASK)
        # A second layer reads what the first has gathered: what it sees reaches farther than its mask.
        reaches_farther = model.layers > 1 and model.blocks().get(SEER) and model.switch(SEER, "window")
        if mask is None or mask.shape != (len(names), len(names)) or reaches_farther:
            return names
        seen = [[name for name, sees in zip(names, row, strict=True) if sees] for row in mask]
        return tuple(" ".join(words if len(words) <= MOST_CONTEXT else ["…", *words[-MOST_CONTEXT:]]) for words in seen)

    def vocabulary(self) -> tuple[str, ...]:
        """The words of the output."""
        return self._bench.document.engine.labels(self._axes()[1])

    def cell(self, term: Term) -> Cell:
        """The cell of the output that a term reads."""
        return Cell(term.output.node, tuple(i for i in term.output.index if isinstance(i, int)))

    def _axes(self) -> tuple[str, str]:
        graph = self._bench.document.engine.graph
        rows, columns = graph.nodes[graph.nodes[VALUE].parents[0]].axes
        return rows, columns


def _term(one: Step) -> Term | None:
    """The term that a step of the loss's derivation is, if it is one."""
    inner = one.arguments[0] if one.arguments else None
    if not isinstance(inner, Step) or len(inner.arguments) != 2:
        return None
    first, second = inner.arguments
    if one.function == "square" and isinstance(first, Operand):
        return Term(first, float(inner.value), float(one.value), float(second.value))
    return None


class _TermRows(Rows):
    """What both kinds of loss share."""

    def __init__(self, terms: Terms) -> None:
        super().__init__()
        self._terms = terms
        self._found: list[Term | None] = []
        self._names: tuple[str, ...] = ()

    def read(self) -> None:
        self._found, self._names = self._terms.read(), self._terms.names()

    def count(self) -> int:
        return len(self._found)

    def cell(self, row: int) -> Cell | None:
        term = self._found[row]
        return self._terms.cell(term) if term is not None else None


class WordTerms(_TermRows):
    """A row for each position: the right word, its probability, −ln of it."""

    name = "Right words and what they cost"
    columns = (
        Column("After"),
        Column("right word"),
        Column("its probability p", NUMBER),
        Column("", BAR, 120),
        Column("−ln p", NUMBER),
    )

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self._words: tuple[str, ...] = ()
        self._contexts: tuple[str, ...] = ()

    def read(self) -> None:
        super().read()
        self._words, self._contexts = self._terms.vocabulary(), self._terms.contexts()

    def text(self, row: int, column: int) -> str:
        term = self._found[row]
        match column:
            case 0:
                return f"{row}  {self._contexts[row]}"
            case 1:
                return PAD if term is None else self._words[int(term.target)]
            case 4:
                return "not counted" if term is None else written(term.cost, DECIMALS)
            case _:
                return "" if term is None else written(term.given, DECIMALS)

    def tip(self, row: int, column: int) -> str:
        term = self._found[row]
        if column == 1:
            return "Enter, or a double click, to choose another word"
        if term is None:
            return "The right word is <pad>: here nothing is to be said"
        return str(term.cost if column == 4 else term.given).replace("-", "−")

    def value(self, row: int, column: int) -> float:
        term = self._found[row]
        return term.given if term is not None else 0.0

    def muted(self, row: int, column: int) -> bool:
        return self._found[row] is None

    def editable(self, row: int, column: int) -> bool:
        return column == 1


class SquareTerms(_TermRows):
    """A row for each number of the output: what it is, what it should be, the square of the difference."""

    name = "Differences and their squares"
    columns = (
        Column("Number"),
        Column("output", NUMBER),
        Column("target", NUMBER),
        Column("difference", NUMBER),
        Column("", BAR, 120),
        Column("squared", NUMBER),
    )

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self._reach = 1.0

    def read(self) -> None:
        super().read()
        given: Array = np.array([self._term(row).given for row in range(len(self._found))])
        self._reach = float(np.abs(given[np.isfinite(given)]).max(initial=0)) or 1.0

    def text(self, row: int, column: int) -> str:
        term = self._term(row)
        numbers = (float(term.output.value), term.target, term.given, term.given, term.cost)
        return self._names[row] if not column else written(numbers[column - 1], DECIMALS)

    def value(self, row: int, column: int) -> float:
        return self._term(row).given

    def _term(self, row: int) -> Term:
        """The term of a row: here every one is counted."""
        term = self._found[row]
        assert term is not None
        return term

    def reach(self, column: int) -> tuple[float, float]:
        return -self._reach, self._reach
