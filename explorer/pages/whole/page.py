"""The page of the whole model in one picture: words enter at the left, blocks read the stream and add to it, and the
next word leaves at the right.

`joined` finds out which boxes of a drawing read from which: the arrow keys follow these edges.

`played` plays one pass step by step: marks that the pass has not reached are faint.

`Stacks` draws the whole in large letters: a column for each sequence, from top to bottom.

The page of one block, a level between the whole and the stages: its matrices as pictures with formula and shape.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.graph import LOGITS, LOSS, PROBABILITIES, Graph, Stage
from explorer.core.model import SUBLAYERS
from explorer.core.ops import Array
from explorer.pages.controls import Controls, Player
from explorer.pages.drawing import HERE, MUTED, TEXT, Box, Drawing, FlowLine, Mark, Words, zoomed
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.levels import LAYER, has_stream, is_small_net, layers_of, shown_layer, stages_of, to_whole
from explorer.pages.page import Picture
from explorer.pages.view import View
from explorer.pages.whole.chain import boxes, chain, counts, example_choice, neurons
from explorer.pages.whole.lane import Sheet, amount, from_to, net_marks, net_node, title_of
from explorer.pages.whole.lanes import answered, answers, answers_height, lanes, loss
from explorer.pages.whole.sublayers import box_of, exchange, raw_of

PLAYED = "whole.played"
"""The beginning of the key that keeps how many steps of a pass have been taken; without that key, all steps."""
Boxes: TypeAlias = tuple[tuple[int, str], ...]
"""The boxes of a drawing: for each its index among the marks, and the node that it shows."""


def joined(view: View, drawing: Drawing, due: Sequence[str]) -> Drawing:
    """The drawing with `Box.after` set: the boxes that each box reads from, also through nodes that are not drawn.

    `due`: for each mark, the node that it shows; "" if it shows none.
    """
    boxes = tuple((i, name) for i, name in enumerate(due) if name and isinstance(drawing.marks[i], Box))
    known = _FOUND.get(view.graph)
    if known is None or known[0] != boxes:
        _FOUND[view.graph] = known = boxes, _edges(view.graph, boxes)
    marks = list(drawing.marks)
    for i, after in known[1].items():
        box = marks[i]
        assert isinstance(box, Box)
        marks[i] = replace(box, after=after)
    return replace(drawing, marks=tuple(marks))


_FOUND: WeakKeyDictionary[Graph, tuple[Boxes, Mapping[int, tuple[int, ...]]]] = WeakKeyDictionary()
"""The edges of the last drawing of each graph, kept because an edit of numbers changes no edge."""


def _edges(graph: Graph, boxes: Boxes) -> dict[int, tuple[int, ...]]:
    """For each box the boxes that it reads from, all as indices among the marks."""
    numbers: dict[str, list[int]] = {}
    for i, name in boxes:
        numbers.setdefault(name, []).append(i)
    # The only box of a stage stands for all nodes of the stage.
    stages: dict[str, list[int]] = {}
    for name, some in numbers.items():
        stages.setdefault(graph.nodes[name].stage, []).extend(some)
    every = {node.name: some for node in graph.nodes.values() if len(some := stages.get(node.stage, [])) == 1} | numbers
    found: dict[int, tuple[int, ...]] = {}
    for name, some in numbers.items():
        # Several boxes of one node form a chain: each comes after the one before.
        for i, before in zip(some, ((), *((k,) for k in some)), strict=False):
            found[i] = before or _drawn_before(graph, name, every)
    return found


def _drawn_before(graph: Graph, name: str, numbers: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """The nearest boxes that a node depends on: on each path back through the graph, the first drawn node."""
    found: dict[int, None] = {}
    waiting, seen = list(reversed(graph.nodes[name].parents)), {name}
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        if parent in numbers and numbers[parent] != numbers[name]:
            found[numbers[parent][-1]] = None
        else:
            waiting.extend(reversed(graph.nodes[parent].parents))
    return tuple(found)


LEAST_WIDTH, LEAST_HEIGHT, LEAST_BELOW = 620, 300, 200


def block(view: View, stage: Stage) -> tuple[Element, ...]:
    """The matrices of a block as a diagram in reading order; a click on a matrix goes to its numbers."""
    names = {one.name for one in stages_of(view.graph, stage.name)}
    nodes = {node.name: node for node in view.nodes.values() if node.stage in names and counts(view, node)}
    read = dict.fromkeys(parent for node in nodes.values() for parent in node.parents if parent not in nodes)
    outside = [view.nodes[name] for name in read if counts(view, view.nodes[name])]
    said = f"{stage.where}, from {', '.join(one.short for one in outside) or 'its inputs'}"
    drawing, due = boxes(view, list(nodes.values()), outside, said)
    drawing = replace(joined(view, drawing, due), out=to_whole(view, stage))
    drawing, player = played(view, drawing, due, "Click a matrix to see its numbers; the wheel zooms.", stage.name)
    return player, Picture("model", drawing, LEAST_WIDTH, _readable(drawing, LEAST_HEIGHT), fills=True)


def _readable(drawing: Drawing, least: int) -> int:
    """The least height of a picture, so that titles are not cut: with less room the page scrolls."""
    _, _, top, bottom = drawing.window
    return max(least, round(READABLE * abs(bottom - top)))


def block_sentence(view: View, stage: Stage) -> str:
    """One sentence on how to read the diagram, or on what its colours mean."""
    return coloured(view) or "Each matrix is made from those at its left, by the formula above it. Teal ones are given."


READABLE = 0.68
"""The least scale, in pixels for each unit of the drawing's window, with which a block's title fits into its box."""
LARGE_WIDTH, LARGE_HEIGHT = 330, 240
"""The least size of the picture in large text; in pixels at text scale 1, so on the screen it is larger."""


def whole(view: View, stage: Stage) -> tuple[Element, ...]:
    """The model as blocks along a stream, each with a picture of its present contents."""
    drawing, due = _drawn(view)
    choices = () if has_stream(view) or not is_small_net(view.graph) else example_choice(view)
    word = ", a word to follow it" if has_stream(view) else ""
    invitation = f"Click a block to look into it{word}; the wheel zooms."
    drawing, player = played(view, joined(view, drawing, due), due, invitation)
    controls = (Controls("controls", choices),) if choices else ()
    wide, high = (LARGE_WIDTH, LARGE_HEIGHT) if view.looking.large else (LEAST_WIDTH, LEAST_HEIGHT)
    if not has_stream(view) if view.looking.large else view.state.model.called:
        high = _readable(drawing, high)
    return (*controls, player, Picture("model", drawing, wide, high, fills=True))


def whole_below(view: View) -> Picture:
    """The picture of the model at the end of a page about the model, if the page has room for it."""
    drawing, due = _drawn(view)
    high = _readable(drawing, LEAST_BELOW)
    return Picture("model", joined(view, drawing, due), LEAST_WIDTH, high, fills=True, spare=True)


def _drawn(view: View) -> tuple[Drawing, Sequence[str]]:
    """The drawing of the model, and for each mark the node that it shows."""
    if has_stream(view):
        return (Stacks(view) if view.looking.large else lanes(view)).drawing()
    return neurons(view) if is_small_net(view.graph) else chain(view)


def whole_sentence(view: View, stage: Stage) -> str:
    """One sentence on what goes in and what comes out, or on what the colours mean."""
    if said := coloured(view):
        return said
    kind = view.state.model.kind
    axis, place = view.looking.token or ("", 0)
    if has_stream(view) and axis in view.graph.sequences and place < len(view.labels(axis)):
        word = escape(view.labels(axis)[place])
        return f"The way of “{word}”. Orange lines: where it looks. Blue and dashed: who looks at it."
    into, out = ("at the top", "at the bottom") if view.looking.large else ("at the left", "at the right")
    if kind == "encoder" and LOGITS in view.nodes:
        return f"Words go in {into}; for each place, the words that may stand there come out {out}."
    if kind == "encoder":
        return f"Words go in {into}; each comes out {out} as a vector that knows the words around it."
    if has_stream(view):
        return f"Words go in {into}; what comes next comes out {out}."
    if kind == "mlp":
        return "Numbers go in at the left, from neuron to neuron, and the answer comes out at the right."
    return "Each picture is made from those at its left."


def played(
    view: View, drawing: Drawing, due: Sequence[str], invitation: str, block: str = ""
) -> tuple[Drawing, Player]:
    """A drawing with the marks that the pass has not reached made faint, and the player of the pass.

    Gradients are computed from the loss back to the inputs, so while they are shown the pass goes backward.

    `due`: for each mark, the node that it waits for; "" if it waits for none.
    `invitation`: the text that is shown while no pass is played.
    `block`: the block that is drawn, if it is not the whole: a block is played by itself.
    """
    key = f"{PLAYED}.{block}" if block else PLAYED
    wanted = set(due)
    steps = [name for name in view.nodes if name in wanted]
    backward = view.looking.showing == "gradient"
    if backward:
        steps.reverse()
    taken = view.number(key, len(steps), 0, len(steps))
    names = tuple(f"{view.stages[view.nodes[name].stage].where}, {view.nodes[name].short}" for name in steps)
    player = Player("player", taken, names, Keep(key), _said(names, taken, backward) or invitation)
    if taken == len(steps):
        return drawing, player
    missing = set(steps[taken:])
    marks = tuple(
        replace(mark, faint=1.0) if name in missing else mark for mark, name in zip(drawing.marks, due, strict=True)
    )
    return replace(drawing, marks=marks), player


def _said(steps: Sequence[str], taken: int, backward: bool) -> str:
    """A sentence on the step that a played pass has reached; "" at its end."""
    if taken == len(steps):
        return ""
    if not taken:
        return "One pass, from the loss back to the words" if backward else "One pass, from the beginning"
    return f"Step {taken} of {len(steps)}: <b>{escape(steps[taken - 1])}</b>"


def coloured(view: View) -> str:
    """A sentence on what the colours mean, unless values are shown."""
    match view.looking.showing:
        case "change" if not view.last.label:
            return "Nothing has changed yet. Edit a number, a word or a switch, and see which blocks change."
        case "change" | "step" as showing:
            act = "edit" if showing == "change" else "step"
            return f"What the last {act} changed: the stronger the colour of a block, the more its numbers changed."
        case "gradient":
            return (
                "How much the loss depends on each block: a stronger colour is a longer gradient. A pass goes backward."
            )
        case "difference":
            return "The stronger the colour of a block, the more it differs from the other model."
    return ""


# In large letters: a class sees this picture, and a reader with enlarged text. The decoder stands beside its encoder.
# Norms and sums are left to the pages of the blocks.


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
LOSS_WIDTH = 136.0


@dataclass
class Stream:
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
        self._source: Stream | None = None

    def drawing(self) -> tuple[Drawing, list[str]]:
        """The picture, with what each mark waits for, as `Lanes.drawing` makes it."""
        view, sheet = self._view, self._sheet
        left, width = 0.0, SINGLE if self._single else WIDTH
        column = None
        for sequence, stack in zip(view.graph.sequences, self._sizes, strict=True):
            self._source, column = column, Stream(sequence, stack, left, width, np.empty(0))
            self._draw(column)
            left += width + BETWEEN
        assert column is not None
        self._end(column)
        summary = f"{from_to(view)}, in large letters"
        window = (-PAD - 3.0, column.right + PAD + 3.0, -2.0, column.y + 3.0)
        return zoomed(sheet.marks, window, summary), sheet.due

    def _draw(self, column: Stream) -> None:
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
        if times > 1 and view.looking.showing != "values":
            self._layers(column, times)
        place = column.left - PAD, top, column.width + 2 * PAD, column.y - top
        leads = Keep(LAYER, k % times + 1) if times > 1 else None
        tip = f"Draw layer {k % times + 1}" if times > 1 else ""
        sheet.marks[at] = Box(place, title, title, "", tip, leads, folded=times > 1, around=True, letters=LETTERS)

    def _layers(self, column: Stream, times: int) -> None:
        """A box for each layer, in the colour of its block with the deepest one: of the others a class sees nothing."""
        sheet, view = self._sheet, self._view
        wide = column.width / times
        for k in range(1, times + 1):
            blocks = (f"{column.stack}.{k}.{part}" for part in SUBLAYERS)
            found = [amount(view, raw_of(view, block)) for block in blocks if f"{block}.output" in view.nodes]
            note, share = max(found, key=lambda one: one[1] or 0.0)
            place = column.left + (k - 1) * wide, column.y, wide, LOW
            name = f"{column.stack.capitalize()}: layer {k}, {note}"
            sheet.add(Box(place, name, str(k), "", f"Draw layer {k}: {note}", Keep(LAYER, k), share, letters=LOWER))
        column.y += LOW + PAD

    def _words_in(self, column: Stream) -> None:
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

    def _words(self, column: Stream) -> None:
        """The words side by side, or only the first and the last one if they do not fit."""
        sheet, words, y = self._sheet, self._view.labels(column.sequence), column.y + LINE / 2
        if column.fits:
            for i, word in enumerate(words):
                sheet.add(Words(float(column.across[i]), y, word, TEXT, True, 0.5, (column.sequence, i), SIZE))
        else:
            said = f"{words[0]} … {words[-1]}" if len(words) > 2 else " ".join(words)
            sheet.add(Words(column.middle, y, said, TEXT, True, size=SIZE, room=column.width))
        column.y += LINE

    def _flow(self, column: Stream, far: float) -> None:
        ends = np.stack([column.at(column.y), column.at(column.y + far)], axis=1)
        self._sheet.lines(column.sequence, ends)
        column.y += far

    def _vectors(self, column: Stream) -> None:
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

    def _block(self, column: Stream, block: str, flows: bool) -> None:
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

    def _bridge(self, column: Stream, y: float) -> None:
        """The line from the end of the encoder to a block of the decoder that looks at the source."""
        source = self._source
        assert source is not None
        x, low = source.right + PAD + (BETWEEN - 2 * PAD) / 2, source.y + GAP
        ways = (source.middle, source.y), (source.middle, low), (x, low), (x, y), (column.left, y)
        self._sheet.add(FlowLine(ways, TEXT, 2.0))

    def _end(self, column: Stream) -> None:
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
