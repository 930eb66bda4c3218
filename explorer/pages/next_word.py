"""The next word: what temperature, top-k and top-p leave of the probabilities, and writing on."""

from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np

from explorer.core.byte_pairs import typed, unit
from explorer.core.decoder import next_word_cost
from explorer.core.generation import Beam, Choice, search
from explorer.core.graph import Stage
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import alone, as_share, exact, written
from explorer.core.ops import Array
from explorer.core.vocabulary import END
from explorer.document.commands import SetTokens, WriteOn
from explorer.document.continuation import decoder_of, end_of, ids_of
from explorer.pages.cache import MOST_WORK, cache
from explorer.pages.drawing import ACCENT, MUTED, Axis, Box, Drawing, FlowLine, Mark
from explorer.pages.element import Element
from explorer.pages.gestures import Do, Keep, SetNumber
from explorer.pages.matrix import matrix
from explorer.pages.page import (
    BAR,
    NUMBER,
    Button,
    Check,
    Column,
    Controls,
    Entry,
    Item,
    Line,
    Lines,
    Listing,
    Note,
    Number,
    Picture,
    Row,
    Section,
    Slider,
    Stack,
)
from explorer.pages.page import Choice as Options
from explorer.pages.rows import row_choice
from explorer.pages.stops import PROBABILITIES
from explorer.pages.view import Cell, View

TEMPERATURE = "output.temperature"
TOP_K, TOP_P, HOW, SEED, TREE = (f"next word.{name}" for name in ("top-k", "top-p", "how", "seed", "tree"))
RUN, BEAMS, DEEP = 20, 3, 6
MOST_SEED = 9999


def next_word(view: View, stage: Stage) -> tuple[Element, ...]:
    """The words so far, the bars, how a word is chosen, appending, the tree of beams, and what a word costs."""
    sequence = DECODER_READS[view.state.model.kind]
    row = view.row(sequence, last=True)
    shares, choice = _shares(view, row), _choice(view)
    chances = choice.left(shares)
    left = chances > 0
    chosen = choice.word(chances, row + 1) if not choice.greedy else int(np.argmax(shares))
    return (
        Note("text", _text(view, sequence, row)),
        *_buttons(view, sequence, row, choice, chosen),
        Section("bars", "What comes next"),
        Row(
            "next",
            (
                Item("", _listing(view, sequence, row, shares, chances, chosen, choice.greedy)),
                Item("", _controls(view, choice, left, shares)),
            ),
        ),
        *_tree(view, sequence, row),
        *cache(view, sequence, row),
    )


def next_word_sentence(view: View, stage: Stage) -> str:
    """What happens there."""
    return "A model says one word at a time, and then reads the word that it has said."


def _shares(view: View, row: int) -> Array:
    """The probabilities behind a word; 0 for what is no number."""
    shares = view.values[PROBABILITIES][row].astype(np.float64)
    return np.where(np.isfinite(shares), shares, 0.0)


def _choice(view: View) -> Choice:
    top_k = view.number(TOP_K, 0, 0, len(view.graph.axes["output.words"]))
    top_p = view.number(TOP_P, 100, 1, 100) / 100
    return Choice(not view.chosen(HOW, 1), 1.0, top_k, top_p, view.number(SEED, 0, 0, MOST_SEED))


def _text(view: View, sequence: str, row: int) -> str:
    words, known = view.labels(sequence), view.graph.axes[view.graph.sequences[sequence]]
    before, behind = escape(typed(words[: row + 1], known)), escape(typed(words[row + 1 :], known))
    then = f" What comes after it now: <i>{behind}</i>." if behind else ""
    read = ", ".join(escape(" ".join(view.labels(other))) for other in view.graph.sequences if other != sequence)
    before = f"<mark>{read}</mark>, then <mark>{before}</mark>," if read else f"<mark>{before}</mark>"
    return f"The model has read {before} and says what may come next.{then}"


def _buttons(view: View, sequence: str, row: int, choice: Choice, chosen: int) -> tuple[Element, ...]:
    says = view.labels(view.nodes[PROBABILITIES].axes[1])[chosen]
    place = row_choice(view, sequence, "After", last=True)
    stops, known = "", view.graph.axes[view.graph.sequences[sequence]]
    if says == END:
        stops = f"The text is complete here: the model says {escape(END)}, so there is no word to append."
    elif says not in known:
        stops = f"The model says “{escape(says)}”, which is none of the words that it reads: nothing can follow it."
    append = Button(
        "append", f"Append “{says}”", Do(WriteOn(row + 1, 1, choice)), "Read this word, too", "Append a word", not stops
    )
    tip = f"Write up to {RUN} words, until the model says {END}"
    run = Button("run", "Write on", Do(WriteOn(row + 1, RUN, choice)), tip, on=not stops)
    return Controls("go on", (place, append, run)), *([Note("stops", stops)] if stops else [])


@dataclass(frozen=True, eq=False)
class _Words(Lines):
    """A line for each word, the likeliest first: its probability, and that of being chosen."""

    words: tuple[str, ...]
    shares: Array
    chances: Array
    greedy: bool
    row: int
    chosen: int
    sequence: str
    before: tuple[str, ...]
    actual: str
    reads: frozenset[str]

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _order(self) -> Array:
        return np.argsort(-self.shares, kind="stable")

    def line(self, row: int) -> Line:
        word = int(self._order[row])
        name, share, chance = self.words[word], float(self.shares[word]), float(self.chances[word])
        off = chance == 0
        tip = f"{name}: {exact(share)}" + ("; cut off" if off else f"; chosen with {exact(chance)}")
        mark = "likeliest" if self.greedy else "drawn"
        said = [mark] * (word == self.chosen) + ["stands there"] * (name == self.actual)
        read = name in self.reads
        lead = Do(SetTokens(self.sequence, (*self.before, name))) if read and name != END else None
        tip += "" if read else "; no word that the model reads"
        entries = (
            Entry(name, tip=f"{tip}. A click appends it." if lead else tip, muted=off, leads=lead),
            Entry(as_share(share, 3), tip=tip, muted=off),
            Entry(as_share(share, 3), share, tip, off=off),
            Entry("" if off else as_share(chance, 3), tip=tip),
            Entry("" if off else as_share(chance, 3), chance, tip),
            Entry(", ".join(said), tip=tip),
        )
        return Line(entries, Cell(PROBABILITIES, (self.row, word)), word == self.chosen)


def _listing(view: View, sequence: str, row: int, shares: Array, chances: Array, chosen: int, greedy: bool) -> Listing:
    words = view.labels(view.nodes[PROBABILITIES].axes[1])
    there = view.labels(sequence)
    actual = there[row + 1] if row + 1 < len(there) else ""
    if greedy:
        chances = np.where(np.arange(len(shares)) == chosen, 1.0, 0.0)
    reads = frozenset(view.graph.axes[view.graph.sequences[sequence]])
    lines = _Words(words, shares, chances, greedy, row, chosen, sequence, there[: row + 1], actual, reads)
    columns = (
        Column(unit(words).capitalize()),
        Column("probability", NUMBER),
        Column("", BAR, 120),
        Column("chosen with", NUMBER),
        Column("", BAR, 120),
        Column(""),
    )
    return Listing("next words", "Next words, the most probable first", columns, lines, most=8, order=f"{row}")


def _controls(view: View, choice: Choice, left: Array, shares: Array) -> Stack:
    n, last, what = int(left.sum()), len(left), unit(view.labels(view.nodes[PROBABILITIES].axes[1]))
    asks_how = (Keep(HOW, 0), Keep(HOW, 1))
    how = Options(
        "how", "Choose", ("the likeliest", "by chance"), int(not choice.greedy), asks_how, "Greedy, or a draw"
    )
    drawing = not choice.greedy
    every = f"Top-k: 0 is all {what}s"
    top_k = Number("top-k", "Top-k", choice.top_k, 0, last, Keep(TOP_K), every, on=drawing, drags=True)
    percent = round(choice.top_p * 100)
    top_p = Number("top-p", "Top-p", percent, 1, 100, Keep(TOP_P), "Top-p in per cent", "%", on=drawing, drags=True)
    others = f"Another seed draws other {what}s"
    seed = Number("seed", "Seed", choice.seed, 0, MOST_SEED, Keep(SEED), others, on=drawing)
    value = float(view.values[TEMPERATURE])
    slider = Slider("temperature slider", "Temperature", value, SetNumber(TEMPERATURE, ()))
    cut = f"Top-k and top-p leave <b>{n:,}</b> of {last:,} {what}s, which have {alone(float(shares[left].sum()))}."
    said = "Greedy: always the most probable word. So the same text is always continued in the same way."
    if drawing:
        said = f"{cut} These are weighed anew, so that they add up to 1, and one is drawn."
    parts = (
        Controls("how to choose", (how,)),
        Controls("cuts", (top_k, top_p, seed)),
        matrix(view, TEMPERATURE, "divides all logits"),
        slider,
        Note("what is left", said),
    )
    return Stack("choosing", "How the word is chosen", parts, width=360)


# Beam search


def _tree(view: View, sequence: str, row: int) -> tuple[Element, ...]:
    show = bool(view.chosen(TREE, False))
    check = Check(TREE, "Show beam search", show, Keep(TREE), f"Follow the {BEAMS} likeliest ways to write on")
    head: tuple[Element, ...] = (Section("beams", "Several continuations at once"), Controls("beam search", (check,)))
    if not show:
        return head
    cost = next_word_cost(view.state.model, view.graph, row + 1)
    if cost.without * BEAMS * DEEP > MOST_WORK:
        return (*head, Note("too large", "This model is too large: a search would take too long."))
    if view.state.pins:
        return (*head, Note("pinned", "Cells of this sentence are pinned; release them to search for continuations."))
    words = view.labels(sequence)[: row + 1]
    decoder = decoder_of(view.state, len(words) + DEEP)
    ids = ids_of(words, view.graph.axes[view.graph.sequences[sequence]])
    levels = search(decoder, ids, DEEP, BEAMS, end_of(view.state))
    says = view.labels(view.nodes[PROBABILITIES].axes[1])
    best = " ".join(says[i] for i in levels[-1][0].words)
    said = (
        f"After each word the {BEAMS} likeliest ways are followed; a number is the sum of the logs of its "
        f"probabilities. The best: <b>{escape(best)}</b>. The temperature is not used here."
    )
    return (*head, Note("about the beams", said), _drawn(levels, says, words[-1]))


def _drawn(levels: list[tuple[Beam, ...]], says: tuple[str, ...], first: str) -> Picture:
    """The tree: a column for each word, a box for each beam, ways from each to those that go on from it."""
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
            if len(beam.words) <= depth:  # it was done before
                continue
            y = rank * high
            from_y = (middle if depth == 0 else beam.parent * high) + (high - 10) / 2
            points = ((x - gap, from_y), (x, y + (high - 10) / 2))
            marks.append(FlowLine(points, ACCENT if on else MUTED, 2.5 if on else 1.2, False))
            word, score = says[beam.words[-1]], written(beam.score, 2)
            name = f"{' '.join(says[i] for i in beam.words)}: {score}"
            marks.append(Box((x, y, wide - gap, high - 10), name, word, score, name, share=float(np.exp(beam.score))))
    width = (len(levels) + 1) * wide - gap
    summary = "; ".join(f"{' '.join(says[i] for i in beam.words)} {written(beam.score, 2)}" for beam in levels[-1])
    window, none = (-4.0, width + 4, BEAMS * high, -4.0), Axis(labels=())
    # Boxes are painted only in a drawing with zoom.
    drawing = Drawing(tuple(marks), window, f"Beams: {summary}", none, none, down=True, square=True, zoom=True)
    return Picture("tree", drawing, round(width), round(BEAMS * high))
