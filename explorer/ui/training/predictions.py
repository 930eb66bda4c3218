"""What the model says of what it reads, beside what is right."""

from collections.abc import Sequence
from html import escape

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.vocabulary import END
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
