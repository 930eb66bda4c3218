"""The picture of what a net answers, wherever it stands: a surface over two inputs, a curve over one."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.engine import Engine
from explorer.core.numbers import written
from explorer.ui.theme import mark
from explorer.ui.widgets.net_answers import NetAnswers
from explorer.ui.workbench import Workbench


@dataclass(frozen=True)
class NetPicture:
    """A picture that a page may give a place, with `Panel.later`.

    Parameters
    ----------
    title : str
    make : callable
        Makes it; only then pyqtgraph is imported.
    width, height : int
        Pixels at text scale 1.
    """

    title: str
    make: Callable[[], QWidget]
    width: int
    height: int


def net_picture(bench: Workbench) -> NetPicture | None:
    """The picture for the model as it is; None where it is no net with a single output over one or two inputs."""
    match NetAnswers(bench).features:
        case 2:
            return NetPicture("What the net answers in the plane", lambda: Surface(bench), 370, 430)
        case 1:
            return NetPicture("What the net answers, over the examples", lambda: Fit(bench), 640, 310)
    return None


class _Framed(QWidget):
    """A plot, and below it what it shows in words."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.bench = bench
        self.net = NetAnswers(bench)
        self._words = mark(QLabel(), role="small")
        assert isinstance(self._words, QLabel)
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(True)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(bench.appearance.px(3))

    def words(self) -> str:
        """What the picture shows, as rich text."""
        raise NotImplementedError(type(self).__name__)

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return self.net.reads()

    def show_line(self, line: Engine | None) -> None:
        """Draw the line that a regression has learned, too, where the picture has a place for one."""

    def _loss(self) -> str:
        loss = self.bench.document.engine.values.get("loss.value")
        ink = self.bench.appearance.theme.text
        return "" if loss is None else f"Loss <b style='color:{ink}'>{written(float(loss), 4)}</b>."

    def _straight(self, what: str) -> str:
        return "" if self.net.bends() else f" Nothing here bends: whatever the weights, {what}."


class Surface(_Framed):
    """The decision surface, the scale of its colours, and how many cases are on the right side."""

    def __init__(self, bench: Workbench) -> None:
        from explorer.ui.widgets.decision_surface import DecisionSurface

        super().__init__(bench)
        self.plot = DecisionSurface(bench)
        self._scale = _Scale(bench, self.plot.net)
        self._asked = mark(QLabel("Point anywhere to ask the net."), role="small")
        assert isinstance(self._asked, QLabel)
        self.plot.asked.connect(self._asked.setText)
        self._legend = mark(QLabel(), role="small")
        assert isinstance(self._legend, QLabel)
        self._legend.setWordWrap(True)
        self._legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.column.addWidget(self._words)
        self.column.addWidget(self.plot, 1)
        for widget in (self._scale, self._asked, self._legend):
            self.column.addWidget(widget)
        self.refresh()

    def refresh(self) -> None:
        """Ask the net anew."""
        if self.net.features != 2:
            return
        self.plot.refresh()
        self._scale.refresh()
        assert isinstance(self._words, QLabel)
        assert isinstance(self._legend, QLabel)
        self._words.setText(self.words())
        dashed = " Dashed: a hidden unit’s sum is 0, with a foot where it is above." if self.plot.lines else ""
        self._legend.setText(f"Thick: the answer is {self.net.threshold():g}.{dashed}")

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.plot.restyle()
        self.refresh()

    def words(self) -> str:
        right, threshold = self.net.right(), f"{self.net.threshold():g}"
        found = f"<b>{int(right.sum())} of {len(right)}</b> cases are on the right side of {threshold}."
        return found + self._straight("the border is one straight line")


class Fit(_Framed):
    """The net's curve beside the line of the regression, and how far both are from the examples."""

    def __init__(self, bench: Workbench) -> None:
        from explorer.ui.widgets.fit_curves import FitCurves

        super().__init__(bench)
        self.plot = FitCurves(bench)
        self.column.addWidget(self._words)
        self.column.addWidget(self.plot, 1)
        self.refresh()

    def refresh(self) -> None:
        """Ask the net anew."""
        if self.net.features != 1:
            return
        self.plot.refresh()
        assert isinstance(self._words, QLabel)
        self._words.setText(self.words())

    def show_line(self, line: Engine | None) -> None:
        self.plot.trained = line

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.plot.restyle()
        self.refresh()

    def words(self) -> str:
        values = self.bench.document.engine.values
        said = f"The net: {self._loss().lower()}" if self._loss() else ""
        if self.net.regression:
            W, b = (float(np.ravel(values[f"regression.{name}"])[0]) for name in "Wb")
            loss = written(float(values["regression.loss"]), 4)
            x, y = (escape(self.net.names(node, 1)[0]) for node in ("input.X", self.net.output))
            # What rounding leaves of 0 says nothing to a reader.
            start = "" if abs(b) < 1e-12 else f" {'−' if b < 0 else '+'} {written(abs(b), 4)}"
            line = f"{y} = {written(W, 4)} · {x}{start}"
            if self.plot.trained is not None:
                learned = written(float(self.plot.trained.values["loss.value"]), 4)
                said += f" The line, trained in the same steps: loss <b>{learned}</b>."
            said += f" The best line, {line}: loss <b>{loss}</b>; it is known without training."
        return said + self._straight("the curve is one straight line")


class _Scale(QWidget):
    """The colours from the least target to the largest, with the threshold marked."""

    def __init__(self, bench: Workbench, net: NetAnswers) -> None:
        super().__init__()
        self._bench, self._net = bench, net
        self._shown: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def refresh(self) -> None:
        """Follow the targets and the threshold."""
        now = (*self._net.levels(), self._net.threshold())
        if now != self._shown:
            self._shown = now
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, self._bench.appearance.px(30))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._shown:
            return
        appearance = self._bench.appearance
        theme, px = appearance.theme, appearance.px
        low, high, threshold = self._shown
        painter = QPainter(self)
        painter.setFont(appearance.fonts.small)
        left, width, height = px(46), self.width() - px(60), px(10)
        ramp = theme.sequential_ramp
        for i in range(width):
            painter.fillRect(left + i, 0, 1, height, ramp.colors[i * 255 // max(width - 1, 1)])
        painter.setPen(theme.line_strong)
        painter.drawRect(left, 0, width, height)
        place = left + round((min(max(threshold, low), high) - low) / (high - low) * width)
        painter.fillRect(place - 1, -1, 3, height + 3, theme.here)
        painter.setPen(theme.muted)
        for at, text in ((left, f"{low:g}"), (place, f"{threshold:g}"), (left + width, f"{high:g}")):
            painter.drawText(at - px(40), height + 1, px(80), px(19), Qt.AlignmentFlag.AlignCenter, text)
