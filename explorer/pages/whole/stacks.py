"""The picture of a whole model with a residual stream in large letters: a column for each sequence, from top to bottom.

A class sees this picture, and a reader with enlarged text. The decoder stands beside its encoder. Norms and sums are
left to the pages of the blocks.
"""

from dataclasses import dataclass, replace

import numpy as np

from explorer.core.graph import LOSS, PROBABILITIES
from explorer.core.model import SUBLAYERS
from explorer.core.ops import Array
from explorer.pages.drawing import HERE, MUTED, TEXT, Box, Drawing, FlowLine, Mark, Words, zoomed
from explorer.pages.levels import layers_of, shown_layer
from explorer.pages.view import View
from explorer.pages.whole.lane import Sheet, amount, from_to, net_marks, net_node, title_of
from explorer.pages.whole.lanes import answered, answers, answers_height, loss
from explorer.pages.whole.sublayers import box_of, exchange

LETTERS, LOWER, SIZE, LETTER = 1.12, 1.05, 13.1, 8.4
"""Factors of the letters, compared with a lane, in general and in a low box; the height of words; a letter's width."""
WIDTH, SINGLE, BETWEEN = 168.0, 310.0, 22.0
"""The width of a column, of a single column, and of the gap between two columns."""
LINE, LOW, GAP, PAD = 16.0, 19.0, 5.4, 5.0
"""The heights of a line of words and of a box with a single line; the gap between boxes; the padding in a layer."""
BAND, TALL = 20.0, 30.0
"""The height of the contents of a block, with two columns and with a single one."""
EMBEDDINGS, PLUS = 0.57, 11.0
"""The part of a line that the embeddings take, and the room for the plus sign between them and the positions."""
TITLE, HEAD, THICK, SHEETS = 21.0, 20.0, 1.6, 8.0
"""The room for the title of a layer, including descenders, and for that of a block; the thickness of lines between
words, as a multiple of the usual one; and the room above a layer for the edges of the layers behind it."""
MOST_ANSWERS, MORE_ANSWERS = 2, 3
"""The most next words that are shown, with two columns and with a single one."""
LOSS_WIDTH = 122.0


@dataclass
class Column:
    """The stream of one sequence: the x of each word's line, whether the words fit, and how far down it is drawn."""

    sequence: str
    stack: str
    left: float
    width: float
    across: Array
    fits: bool = True
    y: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def at(self, y: float) -> Array:
        """The points of all lines at a height, (n_words, 2)."""
        return np.stack([self.across, np.full(len(self.across), y)], axis=-1)


class Stacks:
    """Draws all columns."""

    def __init__(self, view: View) -> None:
        self._view, self._sheet = view, Sheet(view, LETTERS)
        self._sizes = layers_of(view)
        self._single = len(view.graph.sequences) == 1
        self._band = TALL if self._single else BAND
        self._source: Column | None = None

    def drawing(self) -> tuple[Drawing, list[str]]:
        """The picture, with what each mark waits for, as `Lanes.drawing` makes it."""
        view, sheet = self._view, self._sheet
        left, width = 0.0, SINGLE if self._single else WIDTH
        column = None
        for sequence, stack in zip(view.graph.sequences, self._sizes, strict=True):
            self._source, column = column, Column(sequence, stack, left, width, np.empty(0))
            self._draw(column)
            left += width + BETWEEN
        assert column is not None
        self._end(column)
        summary = f"{from_to(view)}, in large letters"
        window = (-PAD - 3.0, column.right + PAD + 3.0, -2.0, column.y + 3.0)
        return zoomed(sheet.marks, window, summary), sheet.due

    def _draw(self, column: Column) -> None:
        view, sheet = self._view, self._sheet
        self._words_in(column)
        self._flow(column, GAP)
        self._vectors(column)
        if not (times := self._sizes.get(column.stack, 0)):
            return
        k = min(shown_layer(view), times)
        name = "Layer" if self._single else column.stack.capitalize()
        title = f"{name} {k}" + (f" of {times}" if times > 1 else "")
        self._flow(column, GAP + SHEETS * (times > 1))
        sheet.wait_for("")
        at, top = len(sheet.marks), column.y
        sheet.add(Mark())  # holds the place of the frame, whose height is known only after its blocks
        column.y += TITLE
        for i, block in enumerate(f"{column.stack}.{k}.{part}" for part in SUBLAYERS):
            if f"{block}.output" in view.nodes:
                self._block(column, block, flows=i > 0)
        column.y += PAD
        place = column.left - PAD, top, column.width + 2 * PAD, column.y - top
        sheet.marks[at] = Box(place, title, title, folded=times > 1, around=True, letters=LETTERS)

    def _words_in(self, column: Column) -> None:
        """The words at the top, and the place of each word's line."""
        sheet, words = self._sheet, self._view.labels(column.sequence)
        sheet.wait_for(f"{column.sequence}.tokens")
        sheet.add(Words(column.middle, LINE / 2, title_of(column.sequence, words), MUTED, True, size=SIZE, strong=True))
        wide = np.array([LETTER * len(word) + 8.0 for word in words])
        column.fits = bool(wide.sum() <= column.width)
        if not column.fits:
            wide[:] = 1.0
        wide *= column.width / wide.sum()
        column.across = column.left + np.cumsum(wide) - wide / 2
        column.y = LINE
        self._words(column)

    def _words(self, column: Column) -> None:
        """The words side by side, or only the first and the last one if they do not fit."""
        sheet, words, y = self._sheet, self._view.labels(column.sequence), column.y + LINE / 2
        if column.fits:
            for i, word in enumerate(words):
                sheet.add(Words(float(column.across[i]), y, word, TEXT, True, 0.5, (column.sequence, i), SIZE))
        else:
            said = f"{words[0]} … {words[-1]}" if len(words) > 2 else " ".join(words)
            sheet.add(Words(column.middle, y, said, TEXT, True, size=SIZE, room=column.width))
        column.y += LINE

    def _flow(self, column: Column, far: float) -> None:
        """Continue the stream down by `far`, with a line for each word."""
        ends = np.stack([column.at(column.y), column.at(column.y + far)], axis=1)
        self._sheet.lines(column.sequence, ends)
        column.y += far

    def _vectors(self, column: Column) -> None:
        """Embeddings, and positions beside them."""
        sheet, sequence, added = self._sheet, column.sequence, f"{column.sequence}.positions" in self._sheet.stages
        left, width = column.left, column.width
        for part, short in (("embedding", "X"), ("positions", "PE"))[: 1 + added]:
            stage, name = sheet.stages[f"{sequence}.{part}"], f"{sequence}.{short}"
            wide = width if not added else (EMBEDDINGS if part == "embedding" else 1.0 - EMBEDDINGS) * (width - PLUS)
            sheet.wait_for(name)
            place, share = (left, column.y, wide, LOW), amount(self._view, name)[1]
            said, tip = stage.where, sheet.tip(stage, name)
            sheet.add(Box(place, said, stage.title, "", tip, sheet.into(stage), share, letters=LOWER))
            left += wide + PLUS
            if added and part == "positions":
                sheet.wait_for(f"{sequence}.H")
                x, y = left - wide - 1.5 * PLUS, column.y + LOW / 2
                sheet.add(Words(x, y, "+", TEXT, True, size=SIZE, strong=True))
        column.y += LOW

    def _block(self, column: Column, block: str, flows: bool) -> None:
        """Attention, with lines between the words that look at each other; or the hidden units of a net."""
        sheet, view = self._sheet, self._view
        attention = f"{block}.attention" in sheet.stages
        stage = sheet.stages[f"{block}.attention" if attention else f"{block}.layers"]
        sheet.wait_for(f"{block}.weights" if attention else net_node(view, block))
        if flows:
            self._flow(column, GAP)
        place = column.left, column.y, column.width, HEAD + self._band + 3.0
        box = box_of(sheet, stage, block, place)
        values = box.share is None
        sheet.add(replace(box, note="" if values else box.note, letters=LETTERS))
        top, bottom = column.y + HEAD, column.y + HEAD + self._band
        column.y += place[3]
        if not values:
            return
        if not attention:
            hidden = column.left + PAD, top, column.width - 2 * PAD, self._band
            sheet.add(*net_marks(view, block, hidden))
            return
        keys, whose = column.at(top), column.sequence
        if stage.kind == "cross" and self._source is not None:
            source = self._source
            whose = source.sequence
            keys = source.at(top) + np.array([column.left - source.left, 0.0])
            self._bridge(column, top - HEAD / 2)
        exchange(sheet, (column.sequence, whose), block, keys, column.at(bottom), THICK)

    def _bridge(self, column: Column, y: float) -> None:
        """The line from the end of the encoder to a block of the decoder that looks at the source."""
        source = self._source
        assert source is not None
        x, low = source.right + PAD + (BETWEEN - 2 * PAD) / 2, source.y + GAP
        ways = (source.middle, source.y), (source.middle, low), (x, low), (x, y), (column.left, y)
        self._sheet.add(FlowLine(ways, TEXT, 2.0))

    def _end(self, column: Column) -> None:
        """Draw the output at the bottom: the most probable next words and the loss, or each word in its context."""
        sheet = self._sheet
        if "output" not in sheet.stages:
            self._flow(column, GAP)
            said = "Each word in its context"
            sheet.add(Words(column.middle, column.y + LINE / 2, said, MUTED, True, size=SIZE, strong=True))
            column.y += LINE
            self._words(column)
            return
        sheet.wait_for(PROBABILITIES)
        ink = HERE if sheet.chosen(column.sequence) is not None else TEXT
        x = float(column.across[min(answered(self._view), len(column.across) - 1)])
        sheet.add(FlowLine(((x, column.y), (x, column.y + 8.0)), ink, 2.0))
        column.y += 8.0
        most = MORE_ANSWERS if self._single else MOST_ANSWERS
        high = answers_height(sheet, most)
        left, y = column.left, column.y + high / 2
        if LOSS in self._view.nodes:  # the loss stands below the encoder if there is one
            left += LOSS_WIDTH + 2 * GAP if self._source is None else 0.0
            begin, wide = (column.left, LOSS_WIDTH) if self._source is None else (self._source.left, self._source.width)
            loss(sheet, (begin, y - LOW / 2, wide, LOW), ((left, y), (begin + wide, y)))
        answers(sheet, left, column.y, column.right - left, most)
        column.y += high
