"""The key-value cache: which rows the next word needs, and what is saved."""

from functools import lru_cache
from html import escape

import numpy as np

from explorer.core.decoder import Cost, Decoder, next_word_cost, products
from explorer.core.numbers import written
from explorer.document.continuation import decoder_of, ids_of
from explorer.document.state import State
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.page import HEAT, NUMBER, Check, Column, Controls, Entry, Line, Listing, Note, Section
from explorer.pages.view import View

CACHED = "cache.on"
MOST_COLUMNS = 10
"""Words that are shown side by side, the last ones."""
MOST_WORK = 30_000_000
"""Multiplications that somebody may wait for."""
COMPUTED, KEPT = 0.7, -0.35
"""Where on the scale of colours the rows stand that are computed, and those that are kept."""


def cache(view: View, sequence: str, row: int) -> tuple[Element, ...]:
    """Which rows of each product are computed for the next word, with the cache or without, and what that costs."""
    on = bool(view.chosen(CACHED, True))
    tip = "Without the cache all rows are computed again for each word"
    cost = next_word_cost(view.state.model, view.graph, row + 1)
    check = Check(CACHED, "Key-value cache", on, Keep(CACHED), tip)
    return (
        Section("cost", "What the next word costs, in multiplications"),
        Controls("cache", (check,)),
        Note("about the rows", _about(view, sequence, row, on, cost)),
        _rows(view, sequence, row, on, cost),
        *_cost(view, row, cost),
    )


def _about(view: View, sequence: str, row: int, on: bool, cost: Cost) -> str:
    n = row + 1
    if not on:
        said = f"Without the cache all <b>{n}</b> rows of each product are computed again: <b>{cost.without:,}</b>."
    else:
        said = (
            f"With the cache only the row of the last word is computed: <b>{cost.with_cache:,}</b> in place of "
            f"{cost.without:,}. Grey cells: rows that are not needed; those of keys and values were kept."
        )
    if cost.without * n > MOST_WORK or view.state.pins:
        return said
    words = view.labels(sequence)[:n]
    ids = ids_of(words, view.graph.axes[view.graph.sequences[sequence]])
    apart = _apart(view.state, tuple(ids))
    return f"{said} Both give the same logits: the largest difference is {written(apart, 2)}, which is rounding."


@lru_cache(1)  # the page is made for each other way to look at it, too
def _apart(state: State, ids: tuple[int, ...]) -> float:
    """How far the logits behind a text differ, read word by word with the cache, and all at once without."""

    def read(decoder: Decoder, parts: list[list[int]]) -> np.ndarray:
        return [decoder.read(part) for part in parts][-1]

    with_cache = read(decoder_of(state, len(ids)), [[i] for i in ids])
    without = read(decoder_of(state, len(ids), cache=False), [list(ids)])
    with np.errstate(invalid="ignore"):
        return float(np.nanmax(np.abs(with_cache.astype(np.float64) - without), initial=0.0))


def _rows(view: View, sequence: str, row: int, on: bool, cost: Cost) -> Listing:
    """A line for each product: what each of its rows costs, whether it is computed, kept, or not needed."""
    n = row + 1
    there = view.labels(sequence)
    places = range(max(n - MOST_COLUMNS, 0), n)
    lines = []
    for name, work, _ in products(view.state.model, view.graph):
        if not work.times:
            continue
        each = work.of(1, n)
        entries = []
        for place in places:
            if not on or place == row:
                entries.append(Entry(f"{each:,}", COMPUTED, f"Computed, with {each:,} multiplications"))
            elif name in cost.kept:
                entries.append(Entry("kept", KEPT, "Kept from the words before"))
            else:
                entries.append(Entry("–", tip="Not needed for the next word", muted=True))
        lines.append(Line.of(_named(view, name), *entries, f"{each * (1 if on else n):,}"))
    columns = Column("rows of"), *(Column(f"“{there[place]}”", HEAT) for place in places), Column("together", NUMBER)
    return Listing("computed rows", "Rows for the next word", columns, tuple(lines), most=24)


def _named(view: View, name: str) -> str:
    """A node by its layer, its block there and its short name."""
    path = name.split(".")
    return f"layer {path[1]}, {path[2]} {view.nodes[name].short}" if path[0] == "decoder" else view.nodes[name].short


def _cost(view: View, row: int, cost: Cost) -> tuple[Element, ...]:
    n = row + 1
    lines = []
    for words in sorted({n, 2 * n, 4 * n, 8 * n}):
        one = cost if words == n else next_word_cost(view.state.model, view.graph, words)
        counts = f"{one.without:,}", f"{one.with_cache:,}", f"{one.without / max(one.with_cache, 1):,.1f} ×"
        lines.append(Line.of(f"{words:,}", *counts, f"{one.bytes:,}", here=words == n))
    columns = (
        Column("words so far", NUMBER),
        Column("without the cache", NUMBER),
        Column("with it", NUMBER),
        Column("saved", NUMBER),
        Column("bytes of the cache", NUMBER),
    )
    kept_names = ", ".join(cost.kept) or "nothing"
    note = (
        "The rows of the words so far stay the same whatever word follows, so the new word needs only its own "
        f"row, and of the earlier ones the keys and values. Kept are <b>{escape(kept_names)}</b>: the key-value cache."
    )
    return (
        Note("about the cache", note),
        Listing("costs", "Multiplications and bytes, with the cache and without", columns, tuple(lines)),
    )
