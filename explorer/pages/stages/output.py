"""The page of the output: logits, the temperature, the probabilities of all words, and the chosen word."""

from functools import cached_property
from html import escape

import numpy as np

from explorer.core.graph import CHOSEN, LOGITS, PROBABILITIES, Cell, Stage
from explorer.core.models.ends import TEMPERATURE
from explorer.core.numbers import Ranked, as_share, decimals_of, exact, in_table, written
from explorer.core.ops import Array
from explorer.core.vocabulary import unit
from explorer.pages import page as el
from explorer.pages.controls import Check, Controls, Slider, row_choice
from explorer.pages.element import Data, Element
from explorer.pages.gestures import Keep, SetNumber
from explorer.pages.matrix import matrix
from explorer.pages.view import View, where_said

SCALED = "output.scaled"
SORTED = "output.largest first"
IN_SIGHT = 14
"""How many words of the list are in sight."""


def output(view: View, stage: Stage) -> tuple[Element, ...]:
    """The bars of what comes next, then the logits x W + b, ÷ T, softmax; given logits stand before the bars."""
    to_words = (
        el.Item("→" if _given(view) else "", matrix(view, SCALED)),
        el.Item("→", matrix(view, PROBABILITIES)),
        el.Item("→", matrix(view, CHOSEN, f"the one with the largest {_what(view)}")),
    )
    if _given(view):
        row = el.Row("logits row", (el.Item("", matrix(view, LOGITS, "given")), *to_words))
        return el.Section("logits", "From logits to what is chosen"), row, *_bars(view)
    return *_bars(view), *_logits(view), el.Section("all", "All positions"), el.Row("from logits to words", to_words)


def output_sentence(view: View, stage: Stage) -> str:
    """One sentence on the stage, which depends on the activation."""
    each = f"A number for each {'class' if _given(view) else _unit(view)}"
    if not _softmax(view):
        return f"{each}; the largest one is chosen."
    return f"{each}, then shares that add up to 1."


def _given(view: View) -> bool:
    """Whether the logits are an input: then rows need not be positions of a text, nor columns words."""
    return view.nodes[LOGITS].is_input


def _unit(view: View) -> str:
    """What a column stands for: "word", "piece" or the like."""
    return unit(view.labels(view.nodes[LOGITS].axes[1]))


def _softmax(view: View) -> bool:
    return view.nodes[PROBABILITIES].op.softens


def _what(view: View) -> str:
    """What the numbers after the activation are called."""
    return "share" if _softmax(view) else "output"


def _logits(view: View) -> tuple[Element, ...]:
    """The section with the product that gives the logits."""
    # With a soft cap, the product is the parent of the logits.
    product = LOGITS if view.nodes[LOGITS].op.projects else view.nodes[LOGITS].parents[0]
    x, W, *b = view.nodes[product].parents
    title = f"a column for each {_unit(view)}" if W.startswith("output.") else f"{W}, transposed: tied"
    items = (
        el.Item("", matrix(view, x, "each position's vector")),
        el.Item("×", matrix(view, W, title)),
        *(el.Item("+", matrix(view, name)) for name in b),
        el.Item("=", matrix(view, product)),
        *(() if product == LOGITS else (el.Item("→", matrix(view, LOGITS, "softly capped")),)),
    )
    return el.Section("logits", f"A number for each {_unit(view)}"), el.Row("logits row", items, folds=True)


def _sorted(view: View) -> bool:
    """Whether the largest number stands first; by default if the vocabulary is longer than the list in sight."""
    return bool(view.chosen(SORTED, len(view.labels(view.nodes[PROBABILITIES].axes[1])) > IN_SIGHT))


def _bars(view: View) -> tuple[Element, ...]:
    """The section with the numbers of one row as bars, and the temperature."""
    given, axis = _given(view), view.nodes[PROBABILITIES].axes[0]
    goes_on = "stands at this position" if view.state.model.kind == "encoder" else "comes next, after this position"
    title = "One row as bars" if given else f"What {goes_on}"
    choice = row_choice(view, axis, "Row" if given else "Position", last=True)
    tip = f"Sort by {_what(view)}; else they stand as {'given' if given else 'in the vocabulary'}"
    order = Check(SORTED, "Largest first", _sorted(view), Keep(SORTED), tip)
    row, about = view.row(axis, last=True), el.Note("about the temperature", _said(view))
    temperature = el.Stack("temperature", "Temperature", (*temperature_controls(view), about), width=340)
    return (
        el.Section("one row", title),
        Controls("which row", (choice, order)),
        el.Note("chosen", _words(view, axis, row)),
        el.Row.of("bars", (_listing(view, row), temperature)),
    )


def _words(view: View, axis: str, row: int) -> str:
    words = view.labels(view.nodes[PROBABILITIES].axes[1])
    chosen = int(view.values[CHOSEN][row])
    share = written(float(view.values[PROBABILITIES][row, chosen]), 3)
    word = f"“<mark>{escape(words[chosen])}</mark>”"
    label = escape(view.labels(axis)[row])
    if _given(view):
        return f"For “{label}” the largest of {len(words):,} is that of {word}: {share}."
    with_ = f"with a share of {share}" if _softmax(view) else f"with {share}"
    return f"{where_said(view, label)} the model chooses {word}, {with_}, out of {len(words):,} {_unit(view)}s."


class _Words(Data):
    """A line for each word of the vocabulary: logit, share and bar at one position."""

    words: tuple[str, ...]
    logits: Array
    shares: Array
    row: int
    chosen: int
    largest_first: bool
    decimals: tuple[int, int]
    softmax: bool  # whether the shares add up to 1

    @cached_property
    def _order(self) -> Ranked:
        return Ranked(self.shares[self.row])

    def line(self, row: int) -> el.Line:
        word = self._order[row] if self.largest_first else row
        share = float(self.shares[self.row, word])
        write = as_share if self.softmax else in_table
        text, tip = write(share, self.decimals[1]), f"{self.words[word]}: {exact(share)}"
        logit = in_table(float(self.logits[self.row, word]), self.decimals[0])
        here = word == self.chosen
        entries = (
            el.Entry(self.words[word], tip=tip),
            el.Entry(logit, tip=tip),
            el.Entry(text, tip=tip),
            el.Entry(text, share, tip),
            el.Entry("chosen" if here else "", tip=tip),
        )
        return el.Line(entries, Cell(PROBABILITIES, (self.row, word)), here)


def _listing(view: View, row: int) -> el.Listing:
    logits, shares = view.values[LOGITS], view.values[PROBABILITIES]
    softmax = _softmax(view)
    decimals = decimals_of(logits[row]), 3 if softmax else decimals_of(shares[row])
    reach = (el.reach_of if softmax else el.signed_reach)(shares[row])
    numbers = el.numeric("logit", "probability" if softmax else "output")
    bar = el.Column("", el.BAR, 260, reach, signed=not softmax)
    columns = el.Column("" if _given(view) else _unit(view)), *numbers, bar, el.Column("")
    words = view.labels(view.nodes[PROBABILITIES].axes[1])
    chosen = int(view.values[CHOSEN][row])
    lines = _Words(words, logits, shares, row, chosen, _sorted(view), decimals, softmax)
    order = SORTED if lines.largest_first else ""
    name = "Classes and their outputs" if _given(view) else f"{_unit(view).capitalize()}s and their probabilities"
    return el.Listing("words", name, columns, el.Lines(len(words), _Words.line, (lines,)), IN_SIGHT, order=order)


def temperature_controls(view: View) -> tuple[Element, Element]:
    """The editable cell of the temperature, and a slider that edits the same cell."""
    value = float(view.values[TEMPERATURE])
    slider = Slider("temperature slider", "Temperature", value, SetNumber(TEMPERATURE, ()))
    return matrix(view, TEMPERATURE, "divides all logits"), slider


def _said(view: View) -> str:
    """A note on the effect of the present temperature."""
    value = float(view.values[TEMPERATURE])
    if not 0 < value < np.inf:
        return "A temperature is above 0."
    both = "The order stays the same."
    if _softmax(view):
        both = f"Below 1 the largest grows; above 1 all become more alike. {both}"
    return f"1 changes nothing. {both}" if value == 1 else both
