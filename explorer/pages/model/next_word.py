"""The page of the next word: probabilities after temperature, top-k and top-p, and how the text is continued.

The key-value cache: which rows are computed for the next word, and which work is saved.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from html import escape

import numpy as np

from explorer.core.decoder import Beam, Decoder, Decoding, NextWordCost, next_word_cost, products, search, why_none_kept
from explorer.core.graph import LOGITS, PROBABILITIES, READ, Cell, Stage
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import Ranked, alone, as_share, exact, quantity, written
from explorer.core.ops import Array
from explorer.core.vocabulary import end_marks, typed, unit
from explorer.document.commands import SetTokens, WriteOn
from explorer.document.continuation import decoder_of, ends_of, ids_of, never_of, output_words, positions
from explorer.document.state import State
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Choice, Controls, Number, row_choice
from explorer.pages.drawing import HERE, MUTED, Box, FlowLine, Mark, zoomed
from explorer.pages.element import Data, Element
from explorer.pages.gestures import Do, Keep
from explorer.pages.model.why import BLOCKS
from explorer.pages.stages.output import SCALED, temperature_controls
from explorer.pages.view import Told, View

CACHED = "cache.on"
MOST_COLUMNS = 8
"""The most words that are shown side by side: the last ones."""
MOST_WORDS = 8
"""How many of the possible next words are in sight."""
MOST_WORK = 30_000_000
"""The most multiplications for which a reader may wait."""
COMPUTED, KEPT = 0.7, -0.35
"""The places on the scale of colours of computed rows and of kept rows."""


def cache(view: View, sequence: str, row: int) -> tuple[Element, ...]:
    """The section on the cache: which rows of each product are computed for the next word, and the costs of that."""
    none_kept = why_none_kept(view.state.model, row + 1)
    on = view.chosen(CACHED, True) and not none_kept
    tip = "Without the cache all rows are computed again for each word"
    if none_kept:
        tip = f"Nothing can be kept: {none_kept}"
    cost = next_word_cost(view.state.model, view.graph, row + 1)
    check = Check(CACHED, "Key-value cache", on, Keep(CACHED), tip, not none_kept)
    return (
        el.Section("cost", "What the next word costs, in multiplications"),
        Controls("cache", (check,)),
        el.Note("about the rows", _about(view, sequence, row, on, cost, none_kept)),
        _rows(view, sequence, row, on, cost),
        *_cost(view, row, cost, none_kept),
    )


def _about(view: View, sequence: str, row: int, on: bool, cost: NextWordCost, none_kept: str) -> str:
    n = row + 1
    if none_kept:
        said = (
            f"No keys and values can be kept here: {none_kept}. So a new word changes the rows of the words before it, "
            f"and each product is computed again for <b>{quantity(n, 'word')}</b>: <b>{cost.without:,}</b>."
        )
    elif not on:
        again = f"each product is computed again for <b>{quantity(n, 'word')}</b>"
        said = f"Without the cache {again}: <b>{cost.without:,}</b>."
    else:
        said = (
            f"With the cache only the row of the last word is computed: <b>{cost.with_cache:,}</b> in place of "
            f"{cost.without:,}. Grey cells: rows that are not needed; those of keys and values were kept."
        )
    if n > MOST_COLUMNS:
        said += f" Only the last {MOST_COLUMNS} of {n} words are shown."
    if none_kept or cost.without * n > MOST_WORK or view.state.pins:
        return said
    words = view.labels(sequence)[:n]
    ids = ids_of(words, view.graph.vocabulary(sequence))
    apart = _apart(view.state, tuple(ids))
    exactly = f": the largest difference, {written(apart, 2)}, is rounding" if apart else ", to the last bit"
    return f"{said} Both give the same logits{exactly}."


@lru_cache(1)  # the page is made anew also when only the way of looking at it changes
def _apart(state: State, ids: tuple[int, ...]) -> float:
    """The largest difference of the logits after a text read word by word with the cache, and all at once without."""

    def read(decoder: Decoder, parts: list[list[int]]) -> np.ndarray:
        return [decoder.read(part) for part in parts][-1]

    with np.errstate(all="ignore"):  # as in the engine
        with_cache = read(decoder_of(state, len(ids)), [[i] for i in ids])
        without = read(decoder_of(state, len(ids), cache=False), [list(ids)])
        return float(np.nanmax(np.abs(with_cache.astype(np.float64) - without), initial=0.0))


def _rows(view: View, sequence: str, row: int, on: bool, cost: NextWordCost) -> el.Listing:
    """A line for each product: for each row its multiplications if it is computed, or that it is kept or not needed."""
    n = row + 1
    there = view.labels(sequence)
    places = range(max(n - MOST_COLUMNS, 0), n)
    kept, lines = {*cost.kept, *(one.rpartition("_")[0] for one in cost.kept)}, []  # K counts as kept if K_rotated is
    spared = el.Entry("kept", KEPT, "Kept from the words before")
    unneeded = el.Entry("–", tip="Not needed for the next word", muted=True)
    for name, work, _ in products(view.state.model, view.graph):
        if not work.times:
            continue
        each = work.of(1, n)
        own = el.Entry(f"{each:,}", COMPUTED, f"Computed, with {each:,} multiplications")
        other = own if not on else spared if name in kept else unneeded
        entries = (own if place == row else other for place in places)
        lines.append(el.Line.of(_named(view, name), *entries, *(() if on else (f"{each * n:,}",))))
    together = () if on else (el.Column("together", el.NUMBER),)  # with the cache only one row is computed
    rows = (el.Column(f"“{there[place]}”", el.HEAT, signed=True) for place in places)
    columns = el.Column("rows of"), *rows, *together
    return el.Listing("computed rows", "Rows for the next word", columns, tuple(lines), most=24)


def _named(view: View, name: str) -> str:
    """The name of a node in words: its layer, its block and its short name."""
    stack, *path = name.split(".")
    short = view.nodes[name].short
    return f"layer {path[0]}, {BLOCKS.get(path[1], path[1])} {short}" if stack == "decoder" else short


def _kept_names(names: Sequence[str]) -> str:
    """What is kept, named as in the table above: "attention K and attention V of the layers 1 to 30"."""
    layers: dict[int, dict[str, None]] = {}
    for name in names:
        _, layer, block, short = name.split(".")
        named = f"<b>{escape(BLOCKS.get(block, block))} {escape(short.removesuffix('_rotated'))}</b>"
        layers.setdefault(int(layer), {})[named] = None
    alike: dict[tuple[str, ...], list[int]] = {}
    for number, kept in layers.items():
        alike.setdefault(tuple(kept), []).append(number)
    return "; ".join(f"{_and(kept)} of {_layers(numbers)}" for kept, numbers in alike.items()) or "<b>nothing</b>"


def _and(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _layers(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"layer {numbers[0]}"
    first, last = numbers[0], numbers[-1]
    run = len(numbers) > 2 and last - first == len(numbers) - 1
    return f"the layers {f'{first} to {last}' if run else _and([str(one) for one in numbers])}"


def _cost(view: View, row: int, cost: NextWordCost, none_kept: str) -> tuple[Element, ...]:
    n = row + 1
    lines = []
    for words in sorted({n, 2 * n, 4 * n, 8 * n}):
        one = cost if words == n else next_word_cost(view.state.model, view.graph, words)
        counts = f"{one.without:,}", f"{one.with_cache:,}", f"{one.without / max(one.with_cache, 1):,.1f} ×"
        lines.append(el.Line.of(f"{words:,}", *counts, f"{one.bytes:,}", here=words == n))
    columns = el.numeric("words so far", "without the cache", "with it", "saved", "bytes of the cache")
    listing = el.Listing("costs", "Multiplications and bytes, with the cache and without", columns, tuple(lines))
    if none_kept:
        return (listing,)
    own = {name for name, _, _ in products(view.state.model, view.graph)}
    of_source = [name for name in cost.kept if name not in own]
    note = (
        "The rows of the words so far stay the same whatever word follows, so the new word needs only its own row, and "
        f"of the earlier ones the keys and values. Kept are {_kept_names([n for n in cost.kept if n in own])}: the "
        "key-value cache."
    )
    if of_source:
        note += (
            f" Kept are also {_kept_names(of_source)}, a row for each word of the source: they are computed once, "
            "before the first word is written, so they have no line in the table above."
        )
    return el.Note("about the cache", note), listing


TOP_K, TOP_P, HOW, SEED, TREE = (f"next word.{name}" for name in ("top-k", "top-p", "how", "seed", "tree"))
RUN, BEAMS, DEEP = 20, 3, 6
BEAMED = "beams ahead"
"""The key of the work that computes the beams."""
MOST_SEED = 9999


NO_NUMBERS = (
    "The probabilities are no numbers (NaN), so no word can be chosen: a number of the model is not finite, or has "
    "become too large on the way. Go back through the stages to the first with NaN, and change what it reads."
)


def next_word(view: View, stage: Stage) -> tuple[Element, ...]:
    """The words so far, buttons to append words, bars, the choice of a word, the tree of beams, and a word's costs."""
    sequence = DECODER_READS[view.state.model.kind]
    row, most = view.row(sequence, last=True), positions(view.state, sequence)
    found = view.values[PROBABILITIES][row].astype(np.float64)
    finite, shares = bool(np.isfinite(found).all()), np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
    top_k = view.number(TOP_K, 0, 0, len(view.graph.axes["output.words"]))
    top_p, seed = view.number(TOP_P, 100, 1, 100) / 100, view.number(SEED, 0, 0, MOST_SEED)
    choice = Decoding(not view.chosen(HOW, 1), 1.0, top_k, top_p, seed, never_of(view.state))
    chances = choice.left(shares)
    chosen = choice.word(chances, row + 1)
    listing = _listing(view, sequence, row, shares, chances, chosen, choice.greedy, most)
    bars: tuple[Element, ...] = (
        el.Row.of("next", (listing, _controls(view, choice, chances, shares))),
        *_tree(view, sequence, row),
    )
    if not finite:
        bars = el.Note("no numbers", NO_NUMBERS), *temperature_controls(view)
    after = el.Section("bars", "What comes next"), *bars
    return (
        el.Note("text", _text(view, sequence, row)),
        *_buttons(view, sequence, row, choice, chosen if finite else None, most),
        el.beside((el.WIDE, after), (el.NARROW, cache(view, sequence, row))),
    )


def _text(view: View, sequence: str, row: int) -> str:
    words, known = view.labels(sequence), view.graph.vocabulary(sequence)
    before, behind = escape(typed(words[: row + 1], known)), escape(typed(words[row + 1 :], known))
    then = f" What comes after it now: <i>{behind}</i>." if behind else ""
    read = ", ".join(escape(" ".join(view.labels(other))) for other in view.graph.sequences if other != sequence)
    before = f"<mark>{read}</mark>, then <mark>{before}</mark>," if read else f"<mark>{before}</mark>"
    return f"The model has read {before} and says what may come next.{then}"


def _buttons(
    view: View, sequence: str, row: int, choice: Decoding, chosen: int | None, most: int
) -> tuple[Element, ...]:
    place = row_choice(view, sequence, "After", last=True)
    if chosen is None:
        return (Controls("go on", (place,)),)
    says = view.labels(view.nodes[PROBABILITIES].axes[1])[chosen]
    stops, known = "", view.graph.vocabulary(sequence)
    ends = end_marks(output_words(view.state))
    if says in ends:
        stops = f"The text is complete here: the model says {escape(says)}, so there is no word to append."
    elif says not in known:
        stops = f"The model says “{escape(says)}”, which is none of the words that it reads: nothing can follow it."
    elif row + 1 >= most:
        stops = f"The model has positions for {quantity(most, unit(known))} only: it can read none after this one."
    one, many = (Do(WriteOn(row + 1, count, choice)) for count in (1, RUN))
    tips = "Read this word, too", f"Write up to {RUN} words, until the model says {ends[0]}"
    append = Button("append", f"Append “{says}”", one, tips[0], "Append a word", not stops, True, wraps=True)
    run = Button("run", "Write on", many, tips[1], on=not stops)
    return Controls("go on", (place, append, run)), *([el.Note("stops", stops)] if stops else [])


class _Words(Data):
    """A line for each word, the most probable first: its probability, and its chance of being chosen."""

    words: tuple[str, ...]
    shares: Array
    chances: Array
    greedy: bool
    row: int
    chosen: int
    spoken: tuple[int, ...]  # the words that a step of a lesson speaks of
    sequence: str
    before: tuple[str, ...]
    actual: str
    reads: frozenset[str] | None  # the words that the model reads; None: all of these
    ends: tuple[str, ...]  # the marks at which a text is over
    room: bool  # whether the model has a position for one more word

    @cached_property
    def _order(self) -> Ranked:
        return Ranked(self.shares)

    @cached_property
    def _rank(self) -> int:
        share = self.shares[self.chosen]
        before = self.shares[: self.chosen]
        return int((self.shares > share).sum() + (before == share).sum())

    def _word(self, row: int) -> int:
        """The word of a line. A chosen word of lower rank takes the last line in sight."""
        last = MOST_WORDS - 1
        if row < last or self._rank <= last:
            return self._order[row]
        return self.chosen if row == last else self._order[row - (row <= self._rank)]

    def line(self, row: int) -> el.Line:
        word = self._word(row)
        name, share, chance = self.words[word], float(self.shares[word]), float(self.chances[word])
        off = chance == 0 < share
        tip = f"{name}: {exact(share)}" + ("; cut off" if off else f"; chosen with {exact(chance)}")
        mark = "likeliest" if self.greedy else "drawn"
        if self._rank >= MOST_WORDS:
            mark += f", number {self._rank + 1:,}"
        read = self.reads is None or name in self.reads
        said = [mark] * (word == self.chosen) + ["stands there"] * (name == self.actual)
        said += ["is never read"] * (not read and name not in self.ends)
        appends = self.room and read and name not in self.ends
        lead = Do(SetTokens(self.sequence, (*self.before, name))) if appends else None
        tip += "" if read else "; no word that the model reads"
        shown = name if any(map(str.isalnum, name)) else f"“{name}”"  # a comma alone is hardly seen
        entries = (
            el.Entry(shown, tip=f"{tip}. A click appends it." if lead else tip, muted=off, leads=lead),
            el.Entry(as_share(share, 3), tip=tip, muted=off),
            el.Entry(as_share(share, 3), share, tip, off=off),
            el.Entry("" if off else as_share(chance, 3), tip=tip),
            el.Entry("" if off else as_share(chance, 3), chance, tip),
            el.Entry(", ".join(said), tip=tip),
        )
        return el.Line(entries, Cell(PROBABILITIES, (self.row, word)), word in (self.spoken or (self.chosen,)))


def _listing(
    view: View, sequence: str, row: int, shares: Array, chances: Array, chosen: int, greedy: bool, most: int
) -> el.Listing:
    words = view.labels(view.nodes[PROBABILITIES].axes[1])
    there = view.labels(sequence)
    actual = there[row + 1] if row + 1 < len(there) else ""
    if greedy:
        chances = np.where(np.arange(len(shares)) == chosen, 1.0, 0.0)
    read = view.graph.vocabulary(sequence)
    reads = None if read is words else frozenset(read)
    room = row + 1 < most
    spot = view.looking.spot
    spoken = spot.columns if spot is not None and spot.node == PROBABILITIES and row in spot.rows else ()
    before, ends = there[: row + 1], end_marks(output_words(view.state))
    made = _Words(words, shares, chances, greedy, row, chosen, spoken, sequence, before, actual, reads, ends, room)
    lines = el.Lines(len(words), _Words.line, (made,))
    probability, chosen_with = el.numeric("probability", "chosen with")
    bars = (el.Column("", el.BAR, 120, el.reach_of(numbers)) for numbers in (shares, chances))
    columns = el.Column(unit(words)), probability, next(bars), chosen_with, next(bars), el.Column("")
    return el.Listing("next words", "Next words, the most probable first", columns, lines, MOST_WORDS, order=f"{row}")


def _controls(view: View, choice: Decoding, chances: Array, shares: Array) -> el.Stack:
    left, possible = chances > 0, shares > 0  # at a low temperature the share of a word may be 0 without any cut
    possible[list(choice.never)] = False
    n, last, what = int(left.sum()), len(left), unit(view.labels(view.nodes[PROBABILITIES].axes[1]))
    drawing, ways, asks = not choice.greedy, ("the likeliest", "by chance"), (Keep(HOW, 0), Keep(HOW, 1))
    how = Choice("how", "Choose", ways, int(drawing), asks, "Greedy, or a draw")
    every = f"Top-k: 0 is all {what}s"
    top_k = Number("top-k", "Top-k", choice.top_k, 0, last, Keep(TOP_K), every, on=drawing, drags=True)
    percent = round(choice.top_p * 100)
    top_p = Number("top-p", "Top-p", percent, 1, 100, Keep(TOP_P), "Top-p in per cent", "%", on=drawing, drags=True)
    others = f"Another seed draws other {what}s"
    seed = Number("seed", "Seed", choice.seed, 0, MOST_SEED, Keep(SEED), others, on=drawing)
    said = "Greedy: always the most probable word. So the same text is always continued in the same way."
    if drawing and n == possible.sum():
        said = f"Top-k and top-p cut nothing off: one of all <b>{last:,}</b> {what}s is drawn."
    elif drawing:
        together = alone(float(shares[left].sum()))
        of_all = f"Top-k and top-p leave <b>{n:,}</b> of {last:,} {what}s"
        said = f"{of_all}, with a probability of {together}: it is always drawn."
        if n > 1:
            said = f"{of_all}, with probabilities that add up to {'nearly ' * (together == '1')}{together}."
            said += " These are scaled so that they add up to 1, and one is drawn."
    parts = (
        Controls("how to choose", (how,)),
        Controls("cuts", (top_k, top_p, seed)),
        *temperature_controls(view),
        el.Note("what is left", said),
    )
    return el.Stack("choosing", "How the word is chosen", parts, width=360)


# Beam search


def _tree(view: View, sequence: str, row: int) -> tuple[Element, ...]:
    show = view.chosen(TREE, False)
    check = Check(TREE, "Show beam search", show, Keep(TREE), f"Follow the {BEAMS} likeliest ways to write on")
    head: tuple[Element, ...] = (
        el.Section("beams", "Several continuations at once"),
        Controls("beam search", (check,)),
    )
    if not show:
        return head
    if view.state.pins:
        said = "Cells of this sentence are pinned; release them to search for continuations."
        return *head, el.Note("pinned", said)
    if view.looking.covered.values.keys() & {PROBABILITIES, SCALED, LOGITS}:  # their scores would tell its number
        return (*head, el.Note("asked", "The continuations are shown when the question is answered."))
    words, state = view.labels(sequence)[: row + 1], view.state
    ids = ids_of(words, view.graph.vocabulary(sequence))
    cost = next_word_cost(state.model, view.graph, row + 1)

    def searched(told: Told) -> list[tuple[Beam, ...]]:
        return search(decoder_of(state, len(words), DEEP), ids, DEEP, BEAMS, ends_of(state), told, never_of(state))

    levels = view.awaited(BEAMED, cost.without + READ * cost.with_cache * BEAMS * DEEP, (state, row), searched)
    if levels is None:
        return (*head, el.waiting(view, BEAMED, f"Following the {BEAMS} likeliest ways"))
    says = view.labels(view.nodes[PROBABILITIES].axes[1])
    best = " ".join(says[i] for i in levels[-1][0].words)
    said = (
        f"After each word the {BEAMS} likeliest ways are followed; a number is the sum of the logs of its "
        f"probabilities. The best: <b>{escape(best)}</b>. The temperature is not used here."
    )
    return (*head, el.Note("about the beams", said), _drawn(levels, says, words[-1]))


def _drawn(levels: list[tuple[Beam, ...]], says: tuple[str, ...], first: str) -> el.Picture:
    """The tree of beams: a column for each word, a box for each beam, and lines from each beam to its continuations."""
    high, wide, gap = 44.0, 130.0, 40.0
    best = set()
    place = 0
    for depth in range(len(levels) - 1, -1, -1):
        best.add((depth, place))
        place = levels[depth][place].parent
    middle = high * (BEAMS - 1) / 2
    marks: list[Mark] = [Box((0.0, middle, wide - gap, high - 10), first, first)]
    for depth, level in enumerate(levels):
        x = (depth + 1) * wide
        for rank, beam in enumerate(level):
            on = (depth, rank) in best
            if len(beam.words) <= depth:  # the beam ended at an earlier depth
                continue
            y = rank * high
            from_y = (middle if depth == 0 else beam.parent * high) + (high - 10) / 2
            points = ((x - gap, from_y), (x, y + (high - 10) / 2))
            marks.append(FlowLine(points, HERE if on else MUTED, 2.5 if on else 1.2, False))
            word, score = says[beam.words[-1]], written(beam.score, 2)
            name = f"{' '.join(says[i] for i in beam.words)}: {score}"
            marks.append(Box((x, y, wide - gap, high - 10), name, word, score, name, share=float(np.exp(beam.score))))
    width = (len(levels) + 1) * wide - gap
    summary = "; ".join(f"{' '.join(says[i] for i in beam.words)} {written(beam.score, 2)}" for beam in levels[-1])
    # Boxes are painted only in a drawing with zoom.
    drawing = zoomed(marks, (-4.0, width + 4, BEAMS * high, -4.0), f"Beams: {summary}")
    return el.Picture("tree", drawing, round(width), round(BEAMS * high))
