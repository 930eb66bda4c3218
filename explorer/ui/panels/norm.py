"""Add & norm: the residual sum, and each row brought to mean 0 and variance 1, then stretched and moved."""

from typing import Any

import numpy as np
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array, BatchNorm, LayerNorm
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.selection import Cell
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.rows import NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

DECIMALS = 4
AFTER, ZERO = 4, "≈ 0"


class NormPanel(Panel):
    """x + sublayer = R; R, γ and β make N; the numbers of each row before and after."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        mine = [node for node in graph.nodes.values() if node.stage == self.stage.name]
        residual = next((node for node in mine if node.short == "residual"), None)
        norm = next((node for node in mine if isinstance(node.op, LayerNorm | BatchNorm)), None)
        if residual is not None:
            before, added = residual.parents
            self.section("Add: what came in, and what the block made of it")
            self.row(
                [
                    ("", self.box(before, f"came in: {_short(before)}")),
                    ("+", self.box(added, f"made of it: {_short(added)}")),
                    ("=", self.box(residual.name)),
                ]
            )
        if norm is None:
            return
        x, gamma, beta = norm.parents
        self.section("Norm: the same measure for all")
        given = [] if residual is not None and x == residual.name else [("", self.box(x, f"came in: {_short(x)}"))]
        weights = [("", self.box(gamma, "stretches")), ("", self.box(beta, "moves"))]
        self.row([*given, *weights, ("→" if given else "", self.box(norm.name))])
        reads = [*norm.parents, norm.name]
        words = Note(lambda: self._words(norm.name), [norm.name])
        self.page.addWidget(words)

        measured = Measured(self.bench, norm.name)
        px = self.bench.appearance.px
        pictures = [
            Later(lambda after=after: self._strips(measured, after), px(330), px(150)) for after in (False, True)
        ]
        self.section("Before and after")
        self.row([("", self.titled(title, p)) for title, p in zip(("Before", "After"), pictures, strict=True)])
        self.later(*pictures)
        legend = Note(lambda: self._legend(measured), [norm.name])
        self.page.addWidget(legend)
        listing = Listing(self.bench, MomentRows(measured), reads)
        self.page.addWidget(listing)
        self.follows(words, legend, listing)

    def structure(self) -> tuple[object, ...]:
        graph = self.bench.document.engine.graph
        mine = [node for node in graph.nodes.values() if node.stage == self.stage.name]
        return super().structure(), *(type(node.op) for node in mine)

    def _strips(self, measured: "Measured", after: bool) -> QWidget:
        from explorer.ui.widgets.strips import Strip, Strips

        def read() -> Strip:
            array, moments = measured.after() if after else measured.before()
            node = measured.name if after else measured.x
            numbers = array if measured.axis == 0 else array.T
            mean, sigma = np.ravel(moments.mean), np.sqrt(np.ravel(moments.variance))
            return Strip(node, numbers, mean, sigma, measured.labels(), measured.axis)

        return Strips(self.bench, read, measured.reads())

    def _words(self, name: str) -> str:
        op: Any = self.bench.document.engine.graph.nodes[name].op
        epsilon = f"{op.epsilon:g}".replace("e-0", "e−")
        divisor = f"√(σ² + {epsilon})" if op.inside else f"σ + {epsilon}"
        which = "row" if isinstance(op, LayerNorm) else "column"
        place = "inside the root" if op.inside else "added to σ"
        return (
            f"Each {which}: minus its mean μ, divided by {divisor}, times γ, plus β. "
            f"ε = {epsilon}, {place}, keeps a {which} of equal numbers from a division by 0; where σ is small, it "
            "leaves the variance a little below 1."
        )

    def _legend(self, measured: "Measured") -> str:
        what = "row" if measured.axis == 0 else "column"
        zero = f" {ZERO}: what rounding leaves of a mean of 0." if measured.rounded().any() else ""
        return (
            f"Dots: the numbers of a {what}. Line: their mean. Band: the mean ± σ. "
            f"Each picture has its own scale.{zero}"
        )


class Measured:
    """What a norm measures, read from the engine and its op.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of the norm's node.
    """

    def __init__(self, bench: Workbench, name: str) -> None:
        self._bench = bench
        self.name = name
        node = bench.document.engine.graph.nodes[name]
        self.x = node.parents[0]
        self.axis = 1 if isinstance(node.op, BatchNorm) else 0
        self._axis = node.axes[self.axis]

    @property
    def op(self) -> Any:
        """The norm, as it is now."""
        return self._bench.document.engine.graph.nodes[self.name].op

    def labels(self) -> tuple[str, ...]:
        """Their names."""
        return self._bench.document.engine.labels(self._axis)

    def before(self) -> tuple[Array, Any]:
        """What comes in, and what the op measures of it."""
        array = self._bench.document.engine.values[self.x]
        return array, self._of(array)

    def after(self) -> tuple[Array, Any]:
        """What comes out, measured in the same way."""
        array = self._bench.document.engine.values[self.name]
        return array, self._of(array)

    def rounded(self) -> Array:
        """For each row or column, whether its mean after is so small that it is 0 but for rounding.

        The mean before is known to its last digit only, and the numbers are divided by σ and stretched after it is
        taken away.
        """
        along = 1 - self.axis
        (x, before), (array, after) = self.before(), self.after()
        engine = self._bench.document.engine
        gamma = np.abs(engine.values[engine.graph.nodes[self.name].parents[1]]).max(initial=0)
        with np.errstate(all="ignore"):
            sizes = np.abs(x).max(along, initial=0) / np.ravel(before.sigma) * gamma + np.abs(array).max(
                along, initial=0
            )
        mean = np.ravel(after.mean)
        small: Array = (mean != 0) & (np.abs(mean) <= array.shape[along] * np.finfo(array.dtype).eps * sizes)
        return small

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return {self.x, self.name}

    def _of(self, array: Array) -> Any:
        with np.errstate(all="ignore"):  # as in the engine
            return self.op.moments(array)


class MomentRows(Rows):
    """Mean and variance of each row, before and after."""

    name = "Mean and variance before and after"

    def __init__(self, measured: Measured) -> None:
        super().__init__()
        self._measured = measured
        self._inside = True
        self._numbers = np.zeros((0, 5))
        self._rounded: Array = np.zeros(0, dtype=bool)
        self._labels: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """ε stands where the switch puts it."""
        divisor = "divided by √(σ² + ε)" if self._inside else "divided by σ + ε"
        titles = ("mean μ before", "σ² before", divisor, "mean after", "σ² after")
        which = "Row" if self._measured.axis == 0 else "Column"
        return Column(which), *(Column(title, NUMBER) for title in titles)

    def read(self) -> None:
        measured = self._measured
        (_, before), (_, after) = measured.before(), measured.after()
        parts = (before.mean, before.variance, before.sigma, after.mean, after.variance)
        self._numbers = np.stack([np.ravel(part) for part in parts], axis=-1)
        self._labels = measured.labels()
        self._rounded = measured.rounded()
        self._inside = measured.op.inside

    def count(self) -> int:
        return len(self._labels)

    def text(self, row: int, column: int) -> str:
        if not column:
            return self._labels[row]
        if column == AFTER and self._rounded[row]:
            return ZERO
        return written(float(self._numbers[row, column - 1]), DECIMALS)

    def tip(self, row: int, column: int) -> str:
        return self._labels[row] if not column else str(self._numbers[row, column - 1]).replace("-", "−")

    def cell(self, row: int) -> Cell | None:
        return Cell(self._measured.name, (row, 0) if self._measured.axis == 0 else (0, row))


def _short(name: str) -> str:
    return name.rpartition(".")[2]
