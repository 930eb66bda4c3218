"""What one watches while a model learns: losses, gradients, a weight, and what the model says.

What the model says of what it reads, beside what is right.
"""

from collections.abc import Sequence
from html import escape
from itertools import cycle
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from explorer.core.byte_pairs import tokens_of, typed
from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.training.optimisers import length
from explorer.core.training.records import Records
from explorer.core.vocabulary import END
from explorer.document.commands import SetTokens
from explorer.pages.net import full, weight_map
from explorer.pages.net_answers import net_picture
from explorer.pages.page import Stack
from explorer.ui.drawing.view import DrawingView
from explorer.ui.errors import show_error
from explorer.ui.page.column import Elements
from explorer.ui.theme import mark
from explorer.ui.training.loss_curve import Curve, LossCurve
from explorer.ui.widgets.inputs import ComboBox
from explorer.ui.widgets.layouts import column_in, row_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

TARGET = DECODER_READS["encoder-decoder"]
MOST_PLACES = 8
LIKELIEST = 3


class Predictions(QLabel):
    """What the model says of the document's own words, or cases, beside what is right."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.unpaired = False  # whether what stands in a translator's decoder is no translation of what it reads
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.refresh()

    def refresh(self) -> None:
        """Read the numbers anew."""
        values = self._bench.document.engine.values
        alone = self._alone()
        head: Sequence[str] = ()
        rows: list[list[str]] = []
        if alone and self.unpaired:
            pass  # nothing to compare it with
        elif "output.probabilities" in values:
            head, rows = self._of_words()
        elif "loss.target" in values:
            head, rows = self._of_cases()
        theme = self._bench.appearance.theme
        cells = "".join(f"<td style='color:{theme.muted}'>{escape(text)}</td>" for text in head)
        lines = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
        self.setText(f"{alone}<table cellpadding='3'><tr>{cells}</tr>{lines}</table>")

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
            best = list(np.argsort(-shares[i], kind="stable")[:LIKELIEST])
            right = int(target[i]) if target is not None and target.ndim == 1 else -1
            beyond = right >= 0 and right not in best
            best = best[: LIKELIEST - beyond]
            said = [self._said(words[k], float(shares[i, k]), k == right) for k in best]
            if beyond:
                said.append(f"right: {escape(words[right])} {written(float(shares[i, right]), 3)}")
            lines.append([escape(read[i]), *said])
        return ("after", "it says next", "", ""), lines

    def _alone(self) -> str:
        """The sentence that a translator says when each of its words is what it reads next; as long as there is room.

        Only where each place sees no later one: what stands there is not yet said.
        """
        document, descent = self._bench.document, self._bench.descent
        model, engine = document.state.model, document.engine
        decoders = [f"decoder.{i + 1}.self" for i in range(model.decoder_layers)]
        if model.kind != "encoder-decoder" or not descent.quick or "output.probabilities" not in engine.graph.nodes:
            return ""
        if not all("causal" in str(model.switch(block, "mask")) for block in decoders):
            return ""
        read, words = engine.graph.axes[f"{TARGET}.words"], engine.graph.axes["output.words"]
        tokens = engine.values[f"{TARGET}.tokens"].copy()
        said: list[str] = []
        for place in range(len(tokens)):
            shares = engine.what_if({f"{TARGET}.tokens": tokens}, "output.probabilities")
            said.append(words[int(shares[place].argmax())])
            if said[-1] == END or said[-1] not in read:
                break
            if place + 1 < len(tokens):
                tokens[place + 1] = read.index(said[-1])
        source = escape(" ".join(engine.labels("source")))
        return f"<p>{source} → <b>{escape(' '.join(word for word in said if word != END))}</b></p>"

    def _said(self, word: str, share: float, right: bool) -> str:
        text = f"{escape(word)} {written(share, 3)}"
        return f"<b style='color:{self._bench.appearance.theme.accent_text}'>{text} ✓</b>" if right else text

    def _of_cases(self) -> tuple[Sequence[str], list[list[str]]]:
        engine = self._bench.document.engine
        node = engine.graph.nodes["loss.value"].parents[0]
        said, right = engine.values[node], engine.values["loss.target"]
        labels = self._bench.view.labels(engine.graph.nodes[node].axes[0])
        chosen = np.unique(np.linspace(0, len(labels) - 1, MOST_PLACES).astype(int))
        lines = [[escape(labels[i]), *(_numbers(array[i]) for array in (said, right))] for i in chosen]
        return ("case", "it says", "right"), lines


def _numbers(row: Array) -> str:
    return ", ".join(written(float(x), 3) for x in np.ravel(row)[:6])


CALM = 150
"""So many points at least has a line that is drawn as means."""
BETWEEN, BELOW, NARROWEST, WIDEST = 28, 12, 400, 1000
"""Pixels at text scale 1: between two columns, between two pictures in one, and how wide one is."""
LOW, HIGH, BESIDES = 220, 430, 360
"""Pixels at text scale 1: how high a curve is at most in a low window and in a high one, where two of them and what
stands around them are in sight."""
MAP_ROW, MAP_HEAD = 36, 28
"""Pixels at text scale 1 that a row of a weight has at most, and the names of its columns."""


class Pictures(QWidget):
    """Pictures of a run, side by side."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self._descent, self._gone = bench, bench.descent, Gone(self)
        self.losses = LossCurve(bench)
        self.norms = LossCurve(bench, beside="length")
        self.norms.set_log(True)
        self.log = QCheckBox("Logarithmic scale")
        self.log.setToolTip("Shows a loss that falls over many steps to its end")
        self.log.toggled.connect(self.losses.set_log)
        self.weight = ComboBox()
        self.weight.setAccessibleName("Weight to watch")
        self.weight.setToolTip("Which weight is drawn")
        self.weight.currentTextChanged.connect(self._draw_weight)
        self.tried = QLineEdit()
        self.tried.setAccessibleName("Words to try")
        self.tried.setToolTip("Type other words for the model to read, then press Enter")
        self.tried.returnPressed.connect(self._try)
        self.predictions = Predictions(bench)
        self._scale = mark(QLabel(), role="small")
        self._columns = row_in(self)
        self._left, self._right = QVBoxLayout(), QVBoxLayout()
        for column in (self._left, self._right):
            self._columns.addLayout(column)
        self._columns.addStretch()
        self._parts = {
            "loss": _part("Loss", self.losses, self.log),
            "norms": _part("Length of the gradient, block by block", self.norms),
            "says": _part("What it says", self.tried, self.predictions),
        }
        self._make_map()
        self._parts["loss"].setToolTip(
            "How wrong the answers are at each step; validation: on examples that are not learned from"
        )
        self._parts["norms"].setToolTip(
            "The length of the gradient of each block’s weights; near 0 the weights hardly change"
        )
        self._room, self._sight, self._high = bench.appearance.px(2 * NARROWEST + BETWEEN), 0, bench.appearance.px(LOW)
        self._pair: tuple[str, tuple[str, ...]] = "", ()
        """The example, and what it read before somebody tried other words."""
        self.elsewhere = False  # whether something else than the model's own example is to be learned from
        self._net: Any = None
        self._net_part: QWidget | None = None
        self._net_is_old = True
        self._draws = (self._draw_losses, self._draw_norms, self._draw_weight, self._draw_answers)
        self._turns = cycle(self._draws)

    def _make_map(self) -> None:
        """The picture of a weight, in the look of now."""
        old = self._parts.get("weight")
        self.map = DrawingView(self._bench, weight_map(self._bench.view, self.weight.currentText()))
        self._parts["weight"] = _part("A weight as it changes", self.weight, self.map, self._scale)
        if old is not None:
            old.hide()
            self._gone.delete(old)

    def follow_structure(self, weights: Sequence[str]) -> None:
        """The model is another one: offer its weights to watch, and draw its net, if it is a small one."""
        chosen = self.weight.currentText()
        with QSignalBlocker(self.weight):
            self.weight.clear()
            self.weight.addItems(weights)
            self.weight.setCurrentText(chosen if chosen in weights else next(iter(weights), ""))
        self._net_is_old = True

    def draw(self) -> None:
        """Draw everything as it is now."""
        self._make_net()
        for draw in self._draws:
            draw()

    def draw_next(self) -> None:
        """Draw one of the pictures anew, by turns: all at once would take longer than a frame."""
        self._make_net()
        next(self._turns)()

    def _make_net(self) -> None:
        """What a small net answers, where the model is one; made when it is first seen."""
        if not self._net_is_old:
            return
        self._net_is_old = False
        if self._net_part is not None:
            self._net_part.hide()
            self._gone.delete(self._net_part)
        found = self._found_net()
        self._net = self._net_part = None
        if found is not None:
            self._net = self._net_part = Elements(self._bench, 0)
            self._net.tell((found,))
        self.share(self._room, self._sight)

    def _found_net(self) -> Stack | None:
        """What the net answers now, beside the line that learns by the same steps."""
        line = self._descent.line
        trained = line.document.engine if line is not None else None
        return net_picture(self._bench.view, trained, round(self._width() / self._bench.appearance.scale))

    def _draw_weight(self) -> None:
        """The weight, and what its colours mean."""
        view, name = self._bench.view, self.weight.currentText()
        self.map.tell(weight_map(view, name))
        self._fit_map()
        self._scale.setText(f"Blue with a dash: below 0. Ochre: above. Full colour at ±{written(full(view, name), 3)}")

    def _fit_map(self) -> None:
        """Of few rows the picture is less high: it would be large patches of one colour each."""
        px, array = self._bench.appearance.px, self._bench.view.values.get(self.weight.currentText())
        rows = 1 if array is None or array.ndim < 2 else array.size // array.shape[-1]
        row = MAP_ROW * max(self._high / px(LOW), 1.0)
        high = min(round(self._width() * 0.5), max(px(260), self._high), px(row * rows + MAP_HEAD))
        if self.map.height() != high:
            self.map.setFixedHeight(high)

    def _draw_losses(self) -> None:
        records, run, line = self.records, self._descent.run, self._descent.line
        lines = _loss_lines(records) if records else []
        here = None
        if (start := self._start) is not None:
            lines, here = [Curve("training", np.array([start]), np.zeros(1))], (0.0, start)
        if run is not None and records is not None:
            steps, losses = run.curve()
            lines[0] = Curve("training", losses, steps)
            here = (run.at, float(np.interp(run.at, steps, losses))) if run.at < records.at else None
            if line is not None:
                calm, names = _stretch(records), ("net", "line")
                pair = (records, line.run.records)
                lines[:1] = [_calm(name, one.losses, one, calm) for name, one in zip(names, pair, strict=True)]
        self.losses.show_lines(lines, here, until=self._until(records))

    @property
    def _start(self) -> float | None:
        """Before the first step, the loss that is to fall; None behind it, or where another text is learned from."""
        records, loss = self.records, self._bench.document.engine.values.get(LOSS.node)
        if loss is None or self.elsewhere or (records is not None and records.at):
            return None
        return float(loss)

    @property
    def records(self) -> Records | None:
        """Those of the run that there is; else of the one that the document's weights are from."""
        run = self._descent.run
        return run.records if run is not None else self._bench.document.state.records

    def _until(self, records: Records | None) -> float:
        """Where the axis of steps ends: with the run, once that is in sight."""
        steps = self._descent.steps
        return float(steps) if records and 2 * records.at >= steps else 0.0

    def _norm_lines(self, records: Records) -> list[Curve]:
        """How long the gradient of each block is; of a long run the means of stretches: ragged ones hide each other."""
        blocks = [self.weight.itemText(i).rpartition(".")[0] for i in range(self.weight.count())]
        measured = records.blocks
        inside = {block: measured[block] for block in (*blocks, *measured) if block in measured}
        return [_calm(block, lengths, records, _stretch(records)) for block, lengths in inside.items()]

    def _draw_norms(self) -> None:
        records = self.records
        lines = self._norm_lines(records) if records else []
        if self._start is not None and self._descent.quick:
            lines = self._norms_at_first()
        self.norms.show_lines(lines, until=self._until(records))
        mean = _stretch(records) * records.every if records else 1
        self.norms.set_beside(f"mean of {mean:,} steps" if mean > 1 else "length")

    def _norms_at_first(self) -> list[Curve]:
        """How long the gradient of each block is before the first step."""
        of_block: dict[str, list[Array]] = {}
        engine = self._bench.document.engine
        names = [name for i in range(self.weight.count()) if (name := self.weight.itemText(i)) in engine.values]
        for name, gradient in engine.gradients().several(names).items():
            of_block.setdefault(name.rpartition(".")[0], []).append(gradient)
        return [Curve(block, np.array([length(found)]), np.zeros(1)) for block, found in of_block.items()]

    def _draw_answers(self) -> None:
        """What the model says, and to what."""
        self.predictions.unpaired = self._unpaired
        self.predictions.refresh()
        found = self._found_net()
        if self._net is not None and found is not None:
            self._net.tell((found,))
        sequence = self._sequence()
        self.tried.setVisible(sequence is not None)
        if sequence is not None and not self.tried.hasFocus():
            graph = self._bench.document.engine.graph
            labels = self._bench.document.engine.labels(sequence)
            self.tried.setText(typed(labels, graph.axes[graph.sequences[sequence]]))

    def _sequence(self) -> str | None:
        """What the model reads first."""
        return next(iter(self._bench.document.engine.graph.sequences), None)

    def _try(self) -> None:
        sequence = self._sequence()
        if sequence is None:
            return
        before = self._bench.lesson.id, self._bench.document.engine.labels(sequence)
        try:
            graph = self._bench.document.engine.graph
            words = tokens_of(self.tried.text(), graph.axes[graph.sequences[sequence]])
            self._bench.document.do(SetTokens(sequence, words))
        except ExplorerError as error:
            show_error(error, self.tried)
            return
        if not self._unpaired:
            self._pair = before
        if self._bench.document.engine.labels(sequence) == self._pair[1]:
            self._pair = "", ()

    @property
    def _unpaired(self) -> bool:
        """Whether somebody tries words: then the translation in the document is not the one of what is read."""
        lesson, source = self._pair
        return lesson == self._bench.lesson.id and source != self._bench.document.engine.labels(self._sequence() or "")

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        for picture in (self.losses, self.norms, self.predictions):
            picture.restyle()
        self._make_map()
        self._net_is_old = True
        if self.isVisible():
            self._make_net()

    def _two_columns(self) -> bool:
        px = self._bench.appearance.px
        return (self._room - px(BETWEEN)) // 2 >= px(NARROWEST)

    def _width(self) -> int:
        """Pixels that one picture takes."""
        px = self._bench.appearance.px
        return min((self._room - px(BETWEEN)) // 2 if self._two_columns() else self._room, px(WIDEST))

    def share(self, room: int, height: int) -> None:
        """Two columns of pictures, as wide and high as so many pixels in sight allow; where they are too few, one."""
        px = self._bench.appearance.px
        self._room, self._sight = room, height
        self._high = min(max((height - px(BESIDES)) // 2, px(LOW)), px(HIGH))
        two, width = self._two_columns(), self._width()
        self._columns.setSpacing(px(BETWEEN) if two else 0)
        for widget in (self.losses, self.norms, self.weight, self.map, self.tried, self.predictions, self._net):
            if widget is not None:
                widget.setFixedWidth(width)
        if self._net is not None:
            self._net.share_room(width)
        for picture in (self.losses, self.norms):
            picture.setFixedHeight(min(round(width * 0.5), self._high))
        self._fit_map()
        parts = self._parts
        left, right = [parts["loss"], parts["weight"]], [parts["norms"], parts["says"]]
        if self._net_part is not None:
            left, right = [self._net_part, parts["weight"]], [parts["loss"], parts["norms"], parts["says"]]
        for column, inside in ((self._left, left if two else [*left, *right]), (self._right, right if two else [])):
            _fill(column, inside, px(BELOW))


def _part(title: str, *widgets: QWidget) -> QWidget:
    """Widgets below their title."""
    part = QWidget()
    column_in(part, mark(QLabel(title), role="section"), *widgets, spacing=2)
    return part


def _fill(column: QVBoxLayout, inside: Sequence[QWidget], spacing: int) -> None:
    """Put widgets into a column, unless they are there already."""
    if [column.indexOf(widget) for widget in inside] == list(range(column.count() - 1)):
        return
    for widget in inside:
        column.removeWidget(widget)  # and its item, which Qt would else ask no more how high it is
    while column.takeAt(0) is not None:
        pass
    for widget in inside:
        column.addWidget(widget)
    column.addStretch()
    column.setSpacing(spacing)


def _loss_lines(records: Records) -> list[Curve]:
    """The loss of each step's batch, and of what is put aside to judge by."""
    lines = [Curve("training", records.losses, records.steps - 1)]
    return [*lines, Curve("validation", records.validations, records.judged)] if len(records.judged) else lines


def _calm(name: str, numbers: Array, records: Records, n: int) -> Curve:
    """The means of each n recorded numbers."""
    whole = len(numbers) // n * n
    return Curve(name, numbers[:whole].reshape(-1, n).mean(1), records.steps[n - 1 : whole : n])


def _stretch(records: Records) -> int:
    """How many recorded steps of a long run make one point of a calm line."""
    return max(len(records.losses) // CALM, 1)
