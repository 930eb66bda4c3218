"""Draws a block in the picture of the whole: attention with its heads, or a feed-forward net, above its stream."""

from collections import Counter
from math import inf

import numpy as np

from explorer.core.graph import Stage
from explorer.core.ops import Array
from explorer.pages.drawing import ERROR, HERE, LINE, MUTED, TEXT, Box, FlowLine, Rect, Segments, Words, series
from explorer.pages.gestures import Gesture, Switch, hold, is_held
from explorer.pages.view import View
from explorer.pages.whole.lane import (
    LETTER,
    PAD,
    RISE,
    SMALL,
    Lane,
    Sheet,
    amount,
    beside,
    image_of,
    looks,
    net_marks,
    net_node,
    net_note,
    net_title,
    places_in,
    sharing,
)

MOST_HEADS, MOST_OFFERED = 27, 12
AROUND, HEAD, PILL = 44.0, 20.0, 16.0
"""The height of a block without its image; the top of the image in the block; the height of the box W_O, the "pill"."""
NORM, NORM_WIDTH, NORM_BELOW = 15.0, 52.0, 4.0
"""The height and width of the box of a norm below a block, and its distance from the block."""
LEAST_BLOCK, LEAST_CROSS, TITLE, WIDTHS = 128.0, 171.0, 8.6, 12.5
"""The least width of a block, and of cross-attention; the width of a letter of a title, and of a net's widths."""
SIDES = 2.5
"""The padding at both sides of a pill's words, in letters."""
PLACES_TIP = "Positions are not added to the vectors: they are used where queries and keys are compared."
APART, EDGE, COMPACT = 4.0, 1.8, 300.0
"""The gap between heads; how far the frame of heads that share keys extends around them; and the width of all heads
that is worth it only if the heads become twice as large."""
LEVELS, OF_PITCH = 6, 0.6
"""The number of thicknesses of the lines between words, and the most of the distance of two words that they fill."""
LEAST_SHARE, FEW_WORDS, EVEN, MORE_THAN_EVEN, MANY_WORDS = 0.04, 6, 1.01, 1.6, 24
"""Which shares have lines: of few words, those of at least `LEAST_SHARE`; of more, those of `MORE_THAN_EVEN` times an
even share; of many, only the largest of each word. If that is at most `EVEN` times an even share, all are even."""
READABLE = 11.0
"""The least height of the source's rows with which their words are written at the lines of cross-attention."""
BELOW = {
    "attention": "all look at all",
    "mask": "as the mask lets them",
    "masked": "words look back",
    "window": "words look back a little",
    "cross": "look at the source",
    "ffn": "each word alone",
}
BESIDE = "beside attention"
BRIDGE = "the source, as keys and values"


class Sublayers:
    """Draws the blocks of the layers.

    `image`, `heads`: the height of the images in a block, and the most width of all its heads.
    """

    def __init__(self, sheet: Sheet, image: float, heads: float) -> None:
        self._sheet, self._view = sheet, sheet.view
        self.image, self._heads = image, heads
        self._box = image + AROUND
        self.above = self._box + RISE
        """How far above the stream a block extends."""
        self._reading: float | None = None
        """The x at which the self-attention before reads the stream."""
        self.source: Lane | None = None
        """The lane of the encoder, once it has been drawn."""
        self._bridged = False
        """Whether the line from its end has its words."""
        self.bends: tuple[float, float] | None = None
        """In a further row of a lane: the x of the encoder's line left of the row, and its y above the row."""

    def draw(self, lane: Lane, block: str, stream: str) -> str:
        """Draw a block above the stream that it reads; returns the node that the stream carries after it."""
        sheet, nodes = self._sheet, self._view.nodes
        attention = f"{block}.attention" in sheet.stages
        stage = sheet.stages[f"{block}.attention" if attention else f"{block}.layers"]
        raw = raw_of(self._view, block)
        shown = f"{block}.weights" if attention else net_node(self._view, block)
        residual = f"{block}.residual" in nodes
        width = self._width(block, stage)
        left, bottom = lane.x, lane.top - RISE
        up, down = left + 14.0, left + width - 14.0
        sheet.tracks(lane, left, down + 12.0 if residual else up)
        sheet.wait_for(shown)
        if not residual:
            sheet.tracks(lane, down, down + 12.0)
        if stage.kind == "cross":
            self._look_across(lane, block, up + 6.0, down - 10.0 if residual else down)
        elif attention:
            end = down - 10.0 if residual else down
            exchange(sheet, (lane.sequence, lane.sequence), block, lane.at(up + 2.0), lane.at(end))
        place = left, bottom - self._box, width, self._box
        if before := f"{block}.norm" in sheet.stages:  # its norm is at its input (pre-norm)
            sheet.wait_for(f"{block}.norm")
        if beside(self._view, block) and self._reading is not None:
            self._reads_beside(lane, block, up, bottom)
        else:
            sheet.gather(lane, up)
            sheet.add(FlowLine(((up, lane.row(0)), (up, bottom)), TEXT, 1.5))
        if before:
            self._norm(block, "norm", "before", up, bottom)
        if stage.kind != "cross":  # a net beside attention reads what self-attention reads
            self._reading = up
        sheet.wait_for(shown)
        sheet.add(box_of(sheet, stage, block, place))
        self._hold(stage, block, place)
        if stage.kind == "cross":
            self._bridge_to(place)
        if residual:
            after = sheet.stages[nodes[f"{block}.residual"].stage]
            said = f"{stage.group}: what {stage.title.lower()} made is added to the stream"
            sheet.plus(lane, down, bottom, after, f"{block}.residual", said)
            if f"{block}.output_norm" in nodes:  # on the line down to the stream
                sheet.wait_for(f"{block}.output_norm")
                self._norm(block, "output_norm", "behind", down - NORM_WIDTH + 32.0, bottom)
        else:
            sheet.gather(lane, down)
            sheet.add(FlowLine(((down, bottom), (down, lane.row(0))), TEXT, 1.5, head=False))
        sheet.wait_for(raw)
        added = nodes[f"{block}.residual"].parents[1] if residual else raw  # a norm or dropout may follow
        below = sheet.added(lane, added, stream if residual else "", left, width)
        kind = looks(self._view, f"{block}.") if stage.kind in ("attention", "masked") else stage.kind
        below = below or (BESIDE if beside(self._view, block) else BELOW.get(kind, ""))
        sheet.caption(left + width / 2, lane.bottom + 13.0, below)
        lane.x = down + 12.0
        last = *(() if before else ("norm",)), "residual", "output_norm", "dropped"
        result = next((name for short in last if (name := f"{block}.{short}") in nodes), raw)
        if result.endswith(".norm"):
            said = f"norm after {stage.title.lower()}"
            sheet.strip(lane, sheet.stages[nodes[result].stage], result, "norm", before=6.0, said=said)
        sheet.go_on(lane)
        return result

    def _reads_beside(self, lane: Lane, block: str, x: float, bottom: float) -> None:
        """The line into a net that is parallel to attention: from where attention reads, before it adds its output."""
        sheet, start, level = self._sheet, self._reading, lane.top - 2.0
        assert start is not None
        own = f"{block}.norm" in self._view.nodes
        # A net without a norm of its own reads the output of the attention's norm.
        begin = (start, level) if own else (start - 13.0 + NORM_WIDTH, bottom + NORM_BELOW + NORM / 2)
        ways: tuple[tuple[float, float], ...] = (begin, (x, begin[1]))
        if not own and f"{block.rpartition('.')[0]}.cross.output" in self._view.nodes:  # below the norm of that block
            aside = begin[0] + 6.0
            ways = begin, (aside, begin[1]), (aside, level), (x, level)
        sheet.add(FlowLine((*ways, (x, bottom)), TEXT, 1.5))

    def _norm(self, block: str, short: str, where: str, x: float, bottom: float) -> None:
        sheet, name = self._sheet, f"{block}.{short}"
        stage = sheet.stages[name]
        place = x - 13.0, bottom + NORM_BELOW, NORM_WIDTH, NORM
        _, share = amount(self._view, name)
        said = f"{stage.group}: norm {where} {block.rpartition('.')[2]}"
        sheet.add(Box(place, said, "norm", "", sheet.tip(stage, name), sheet.into(stage), share))

    # The block itself

    def _width(self, block: str, stage: Stage) -> float:
        title = net_title(self._view, block, stage.title) if stage.kind == "ffn" else stage.title
        least = max(LEAST_CROSS if stage.kind == "cross" else LEAST_BLOCK, TITLE * len(title) + 12.0)
        if stage.kind == "ffn":
            return max(least, WIDTHS * len(net_note(self._view, block)) + 3.0)
        across, side, _ = self._grid(block)
        return max(across * (side + APART) - APART + 2 * PAD, least)

    def _grid(self, block: str) -> tuple[int, float, int]:
        """How many heads stand side by side, the side of each, and how many are drawn."""
        heads = min(self._view.graph.n_heads.get(f"{block}.weights", 1), MOST_HEADS)
        group = sharing(self._view, block)

        def whole(down: int) -> bool:
            across = -(-heads // down)
            return across % group == 0 or group % across == 0

        def laid(down: int) -> tuple[int, float]:
            across = -(-heads // down)
            return across, min((self._heads + APART) / across, (self.image + APART) / down) - APART

        def worth(one: tuple[int, float]) -> float:
            across, side = one
            return side / (1.0 + across * side / COMPACT)

        # Heads that share their keys stand side by side.
        return *max(map(laid, filter(whole, range(1, heads + 1))), key=worth), heads

    def _hold(self, stage: Stage, block: str, place: Rect) -> None:
        """Draw the contents of a block: the weights of each head, or the hidden units."""
        sheet, view = self._sheet, self._view
        left, top, width, height = place
        raw = raw_of(view, block)
        if stage.kind == "ffn":
            inside = left + PAD, top + HEAD, width - 2 * PAD, self.image
            sheet.add(*net_marks(view, block, inside, amount(view, raw)[1]))
            return
        across, side, drawn = self._grid(block)
        start = left + (width - across * (side + APART) + APART) / 2
        above = top + HEAD + (self.image - -(-drawn // across) * (side + APART) + APART) / 2
        if (group := sharing(view, block)) > 1:
            self._frames(stage, (start, above), side, (across, drawn, group))
        for head in range(drawn):
            row, column = divmod(head, across)
            at = start + column * (side + APART), above + row * (side + APART), side, side
            sheet.add(image_of(view, view.of_head(f"{block}.weights", head), at))
            if not is_held(view, raw) and is_held(view, view.of_head(f"{block}.output", head)):
                sheet.add(Words(at[0] + side / 2, at[1] + side / 2, "✕", ERROR, True, size=0.6 * side, strong=True))
        heads_stage = sheet.stages.get(f"{block}.heads")
        if heads_stage is not None and view.looking.showing == "values":
            within, wide = places_in(view, block), width - 2 * PAD
            parts = ("concat", "W_O") if f"{block}.W_O" in view.nodes else ("concat",)
            mixed = parts[-1] if within else " · ".join(parts)  # beside the pill of positions there is room for one
            if within:
                share = (len(within) + SIDES) / (len(within) + len(mixed) + 2 * SIDES)
                positions = left + PAD, top + height - PILL - 4.0, share * (wide - APART), PILL
                said = f"{stage.group}: positions in {stage.title.lower()}, {within}"
                brief = BRIEFLY.get(within, "")
                sheet.add(Box(positions, said, within, "", PLACES_TIP, sheet.into(stage), briefly=brief))
                left, wide = left + share * (wide - APART) + APART, (1 - share) * (wide - APART)
            out = 0.0 if within else PAD - 3.0
            pill = left + PAD - out, top + height - PILL - 4.0, wide + 2 * out, PILL
            said = f"{heads_stage.title} of {stage.where}"
            sheet.wait_for(raw)
            sheet.add(Box(pill, said, mixed, "", sheet.tip(heads_stage, raw), sheet.into(heads_stage)))

    def _frames(self, stage: Stage, at: tuple[float, float], side: float, laid: tuple[int, int, int]) -> None:
        """Frames around heads that share a head of keys and values: one frame in each row of heads."""
        across, drawn, group = laid
        for first in range(0, drawn, group):
            heads = range(first, min(first + group, drawn))
            rows = sorted({head // across for head in heads})
            for row in rows:
                columns = [head % across for head in heads if head // across == row]
                x, y = at[0] + columns[0] * (side + APART), at[1] + row * (side + APART)
                wide = len(columns) * (side + APART) - APART
                place = x - EDGE, y - EDGE, wide + 2 * EDGE, side + 2 * EDGE
                here = f", row {row + 1}" if len(rows) > 1 else ""
                whose = f"heads {first + 1} to {first + group} share keys and values{here}"
                tip = f"Heads {first + 1} to {first + group} have their own queries, and one head of keys and values."
                self._sheet.add(Box(place, f"{stage.where}, {whose}", tip=tip, around=True))

    # Words that look at words

    def _look_across(self, lane: Lane, block: str, start: float, end: float) -> None:
        """Lines from the words of the source, written if there is room, to the target's words that look at them."""
        source = self.source
        assert source is not None
        keys = Lane(source.sequence, "", source.words, lane.spine, max(lane.height, min(source.height, 60.0)), 0.0)
        wide = LETTER * max(map(len, keys.words)) + 9.0
        readable = keys.pitch >= READABLE and wide < 0.6 * (end - start)
        place = start, keys.top, wide if readable else 6.0, keys.height
        tip = "The words of the source: each word of the target looks at them."
        self._sheet.add(Box(place, "The source, to look at", "", "", tip, around=True))
        for i, word in enumerate(keys.words) if readable else ():
            token = (keys.sequence, i)
            x, room = start + wide - 4.0, wide - 7.0
            self._sheet.add(Words(x, keys.row(i), word, MUTED, True, 1.0, token, SMALL, room=room))
        exchange(self._sheet, (lane.sequence, keys.sequence), block, keys.at(start + place[2]), lane.at(end))

    def _bridge_to(self, place: Rect) -> None:
        """The line from the end of the encoder down to a block that looks at the source."""
        sheet, source = self._sheet, self.source
        assert source is not None
        x, y, bend = source.x, source.spine, source.bottom + 43.0
        middle, top = place[0] + place[2] * (0.5 if sheet.large == 1.0 else 0.9), place[1]
        begins = (x, y), (x + 12.0, y), (x + 12.0, bend)
        if self.bends is not None:
            beside, along = self.bends
            sheet.add(FlowLine((*begins, (beside, bend), (beside, along), (middle, along), (middle, top)), TEXT, 2.0))
            return
        sheet.add(FlowLine((*begins, (middle, bend), (middle, top)), TEXT, 2.0))
        if not self._bridged:
            sheet.add(Words(x + 2.0, bend - 9.0, BRIDGE, MUTED, True, 1.0, size=SMALL))
        self._bridged = True
        sheet.right = max(sheet.right, x + 20.0)


def raw_of(view: View, block: str) -> str:
    """The output node of a block, before it is added to the stream."""
    shorts = "projected", "concat", "together", "output"  # "together": experts, and the one that all words use
    return next(f"{block}.{short}" for short in shorts if f"{block}.{short}" in view.nodes)


def box_of(sheet: Sheet, stage: Stage, block: str, place: Rect) -> Box:
    """The box of attention or of a feed-forward net, without its contents."""
    view, raw = sheet.view, raw_of(sheet.view, block)
    attention, values = stage.kind != "ffn", view.looking.showing == "values"
    note, share = amount(view, raw)
    title = named = stage.title
    if attention:
        heads = view.graph.n_heads.get(f"{block}.weights", 1)
        named = f"{title}, {heads} heads" if heads > 1 else title
        if (group := sharing(view, block)) > 1:
            named += f" that share {heads // group} of keys and values"
    else:
        title = named = net_title(view, block, title)
        note = net_note(view, block) if values else note
    brief, menu = BRIEFLY.get(title, ""), _menu(view, block, raw, stage.title.lower(), attention)
    if off := is_held(view, raw):
        title, named, brief = f"✕ {title}", f"{named}, switched off", brief and f"✕ {brief}"
    said, note = f"{stage.group}: {named}", "" if attention and values else note
    tip = f"{sheet.tip(stage, raw)}\nA right click turns parts of it off."
    return Box(place, said, title, note, tip, sheet.into(stage), share, menu=menu, off=off, briefly=brief)


BRIEFLY = {"Masked attention": "Attention", "Gated feed-forward": "Feed-forward", "distances": "bias"}
"""What is written where the whole words have no room."""


def exchange(
    sheet: Sheet, sequences: tuple[str, str], block: str, keys: Array, queries: Array, thick: float = 1.0
) -> None:
    """Lines from each word to the words that look at it, as thick as the mean of the heads' weights.

    `sequences`: the sequence of the queries, and that of the keys.
    `keys`, `queries`: (n_words, 2): the points at which the lines begin (keys) and end (queries).
    `thick`: the thickness of the lines, as a multiple of the usual one.
    """
    weights = np.nan_to_num(sheet.view.values[f"{block}.weights"])
    mean: Array = weights.mean(0) if weights.ndim == 3 else weights
    seen = np.count_nonzero(mean, axis=-1, keepdims=True)
    least = LEAST_SHARE if len(mean) <= FEW_WORDS else np.minimum(MORE_THAN_EVEN / np.maximum(seen, 1), 0.5)
    wanted = mean >= least
    most = (mean > 0) & (mean >= mean.max(-1, keepdims=True))
    wanted = most if len(mean) > MANY_WORDS else wanted | most
    looking, looked = np.nonzero(wanted)
    query, key = (sheet.chosen(sequence) for sequence in sequences)
    inks = LINE if sheet.follows else series(0), series(0), HERE, LINE
    levels = np.ceil(np.clip(mean[looking, looked], 0, 1) * LEVELS).astype(int)
    # On top lie the lines from the followed word to those it looks at, below these the lines of those looking at it.
    kinds = np.where(looking == (-1 if query is None else query), 2, looked == (-1 if key is None else key))
    # The lines of a word that looks at many words alike say nothing: they are faint, and lie below all others.
    even = (mean.max(-1) <= EVEN / np.maximum(seen[:, 0], 1)) & (seen[:, 0] > FEW_WORDS)
    kinds[even[looking] & (kinds == 0)] = -1
    # Where words stand close together, thick lines would be one blue area.
    apart = min((float(np.abs(one[1] - one[0]).max()) for one in (keys, queries) if len(one) > 1), default=inf)
    most = max(OF_PITCH * apart, 0.5)
    # Each level of the usual lines is a mark, if need be an empty one: were the number of marks another after an edit,
    # all that is drawn behind them would be painted again.
    usual = {(0, level) for level in range(1, LEVELS + 1)}
    for kind, level in sorted(usual | set(zip(kinds.tolist(), levels.tolist(), strict=True))):
        drawn = np.flatnonzero((kinds == kind) & (levels == level))
        ends = np.stack([keys[looked[drawn]], queries[looking[drawn]]], axis=1)
        width = min(thick * (0.5 + 3.0 * level / LEVELS), most)
        dashed = kind == 1  # so that colour is not the only difference
        sheet.add(Segments(ends, inks[kind], width, dashed, token=sequences[0], whose=looking[drawn]))


def _menu(view: View, block: str, raw: str, title: str, attention: bool) -> tuple[tuple[str, Gesture], ...]:
    """The context menu of a block: what can be turned off and on in it."""
    offers = [(title, raw)]
    heads = view.graph.n_heads.get(f"{block}.output", 1) if attention else 1
    if 1 < heads <= MOST_OFFERED:
        offers += [(f"head {k + 1}", view.of_head(f"{block}.output", k)) for k in range(heads)]
    residual, norm = (view.state.model.switch(block, switch) for switch in ("residual", "norm"))
    way, where = ("on", _norm_of_others(view)) if norm == "none" else ("off", "none")
    return (
        *((f"Turn {what} {'on' if is_held(view, name) else 'off'}", hold(view, name)) for what, name in offers),
        (f"Turn the residual {'off' if residual else 'on'}", Switch(block, "residual", not residual)),
        (f"Turn the norm {way}", Switch(block, "norm", where)),
    )


def _norm_of_others(view: View) -> str:
    """Where most other blocks have their norm: a norm that is turned on stands there, too."""
    model = view.state.model
    kinds = [str(model.switch(block, "norm")) for block, of in model.blocks().items() if of in ("attention", "ffn")]
    there = Counter(kind for kind in kinds if kind != "none").most_common(1)
    return there[0][0] if there else "post"
