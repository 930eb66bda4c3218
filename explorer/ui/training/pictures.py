"""What one watches while a model learns: losses, gradients, a weight, and what the model says."""

from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.training.trainer import History
from explorer.ui.widgets.loss_curve import Line
from explorer.ui.widgets.signed_map import Sheet, SignedMap
from explorer.ui.workbench import Workbench

MOST_PLACES = 8
LIKELIEST = 3


def loss_lines(history: History) -> list[Line]:
    """The loss of each step's batch, and of what is put aside to judge by."""
    judged = np.array(history.validations, dtype=float).reshape(-1, 2)
    lines = [Line("training", np.array(history.losses), np.arange(1, len(history.losses) + 1))]
    return [*lines, Line("validation", judged[:, 1], judged[:, 0])] if len(judged) else lines


def norm_lines(history: History) -> list[Line]:
    """How long the gradient of each block is, step by step."""
    steps = np.arange(1, len(history.losses) + 1)
    return [Line(block, np.array(lengths), steps) for block, lengths in history.blocks.items()]


def weight_map(bench: Workbench, name: Callable[[], str]) -> SignedMap:
    """A weight of the document as colours; of stacked heads, the heads below each other."""

    def read() -> Sheet:
        engine = bench.document.engine
        node = name()
        if node not in engine.graph.nodes:
            return Sheet("", np.zeros((1, 1)), ("",), ("",), (0, 0), ("", ""), "no weight")
        array = engine.values[node]
        flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
        axes = engine.graph.nodes[node].axes
        rows = engine.labels(axes[0]) if array.ndim == 2 else [str(i + 1) for i in range(len(flat))]
        own = flat.shape if array.ndim == 2 else (0, 0)
        limit = float(np.abs(flat).max(initial=0.0))
        summary = f"{node}, {' × '.join(map(str, array.shape))}, largest {written(limit, 3)}"
        return Sheet(node, flat, rows, engine.labels(axes[-1]), own, ("", ""), summary)

    return SignedMap(bench, read, ())


class Predictions(QLabel):
    """What the model says of the document's own words, or cases, beside what is right.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.refresh()

    def refresh(self) -> None:
        """Read the numbers anew."""
        values = self._bench.document.engine.values
        if "output.probabilities" in values:
            head, rows = self._of_words()
        elif "loss.target" in values:
            head, rows = self._of_cases()
        else:
            head, rows = (), []
        theme = self._bench.appearance.theme
        cells = "".join(f"<td style='color:{theme.muted}'>{escape(text)}</td>" for text in head)
        lines = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
        self.setText(f"<table cellpadding='3'><tr>{cells}</tr>{lines}</table>")

    def restyle(self) -> None:
        """Follow the theme."""
        self.refresh()

    def _of_words(self) -> tuple[Sequence[str], list[list[str]]]:
        engine = self._bench.document.engine
        shares = engine.values["output.probabilities"]
        rows, columns = engine.graph.nodes["output.probabilities"].axes
        read, words = engine.labels(rows), engine.labels(columns)
        target = engine.values.get("loss.target")
        lines = []
        for i in range(max(len(read) - MOST_PLACES, 0), len(read)):
            best = np.argsort(-shares[i], kind="stable")[:LIKELIEST]
            right = int(target[i]) if target is not None and target.ndim == 1 else -1
            said = [self._said(words[k], float(shares[i, k]), k == right) for k in best]
            if right >= 0 and right not in best:
                said[-1] += f", right: {escape(words[right])} {written(float(shares[i, right]), 3)}"
            lines.append([escape(read[i]), *said])
        return ("after", "it says", "", ""), lines

    def _said(self, word: str, share: float, right: bool) -> str:
        text = f"{escape(word)} {written(share, 3)}"
        return f"<b style='color:{self._bench.appearance.theme.accent_text}'>{text} ✓</b>" if right else text

    def _of_cases(self) -> tuple[Sequence[str], list[list[str]]]:
        engine = self._bench.document.engine
        node = engine.graph.nodes["loss.value"].parents[0]
        said, right = engine.values[node], engine.values["loss.target"]
        labels = engine.labels(engine.graph.nodes[node].axes[0])
        chosen = np.unique(np.linspace(0, len(labels) - 1, MOST_PLACES).astype(int))
        lines = [[escape(labels[i]), *(_numbers(array[i]) for array in (said, right))] for i in chosen]
        return ("case", "it says", "right"), lines


def _numbers(row: Array) -> str:
    return ", ".join(written(float(x), 3) for x in np.ravel(row)[:6])
