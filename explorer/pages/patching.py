"""Patching on a page: each part of the model taken from its pass over another text, and how far the answer moves."""

from collections.abc import Mapping
from html import escape

import numpy as np

from explorer.core.attribution import LOGITS, Site, moved, patched, pin_of, sites
from explorer.core.byte_pairs import typed
from explorer.core.engine import fresh
from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.core.vocabulary import is_mark
from explorer.document.commands import PinCells
from explorer.pages.element import Element
from explorer.pages.gestures import Do, Edit, Keep
from explorer.pages.page import HEAT, Check, Choice, Column, Controls, Entry, Line, Listing, Note, Section
from explorer.pages.view import View

SHOW, PLACE, WORD = "patching.show", "patching.place", "patching.word"
NEAREST, TRIED, MOST_COLUMNS = 40, 3, 12
"""Words to choose from, those tried at each place to begin with, and places that are shown side by side."""
MOST_WORK = 3_000_000_000
"""Multiply-adds, weighed as in `Graph.work`, that somebody may wait for: about a second."""


def patching(view: View, sequence: str, row: int, word: int, names: Mapping[str, str]) -> tuple[Element, ...]:
    """Which other text, and how the answer moves for each part and each place: one picture, each cell of it an edit.

    Parameters
    ----------
    sequence : str
        Which the decoder reads.
    row, word : int
        The place of the word behind which the answer is, and the number of the word that is asked about.
    names : mapping of str to str
        What the nodes of the residual stream are called.
    """
    show = bool(view.chosen(SHOW, False))
    tip = "Give each part, one at a time, the numbers that it has for another text, and see how the answer moves"
    check = Check(SHOW, "Try all parts", show, Keep(SHOW), tip)
    head: tuple[Element, ...] = (Section("patching", "Patching: each part reads the other text"),)
    if not show:
        return (*head, Controls("patch", (check,)))
    if sum(view.graph.work.values()) * len(sites(view.graph)) * (row + 1) > MOST_WORK:
        return (
            *head,
            Controls("patch", (check,)),
            Note("too large to patch", "This model is too large to try all parts."),
        )
    asked, other, text = _other(view, sequence, row, word)
    says, there = view.labels(view.nodes[LOGITS].axes[1]), view.labels(sequence)
    logits = patched(view.graph, view.values, other, view.engine.pins, row)
    shares, rival = moved(logits, view.values[LOGITS][row], other[LOGITS][row], word)
    other_text = escape(typed(text, view.graph.axes[view.graph.sequences[sequence]]))
    note = (
        f"The other text is <i>{other_text}</i>. Each cell takes one part at one place from there and says "
        f"how far the answer then moves from <b>{escape(says[word])}</b> to <b>{escape(says[rival])}</b>: 0 not at "
        "all, 1 all the way, as their logits differ. A click puts that part in as a pin; undo takes it out."
    )
    if np.isnan(shares).all():
        note = (
            f"The other text is <i>{other_text}</i>. Both have the same answer, so there is no way between them: "
            "choose another word, or take a pin out by undo."
        )
    places = range(max(row + 1 - MOST_COLUMNS, 0), row + 1)
    lines = []
    for site, along in zip(sites(view.graph), shares, strict=True):
        whole = site.node == site.after
        entries = []
        for place in places:
            share = float(along[place])
            said = written(round(share, 2) + 0.0, 2) if np.isfinite(share) else "–"
            tip = f"{_named(site, names)} at “{there[place]}”: {said}. A click pins it"
            entries.append(Entry(said, share if np.isfinite(share) else 0.0, tip, leads=_put(site, place, other)))
        lines.append(Line(tuple(entries), strong=whole))
    columns = tuple(Column(f"“{there[place]}”", HEAT) for place in places)
    parts = tuple(_named(site, names) for site in sites(view.graph))
    title = "How far the answer moves, for each part and place"
    heat = Listing("patches", title, columns, tuple(lines), most=40, labels=parts)
    return (*head, Controls("patch", (check, *asked)), Note("about patching", note), heat)


def _named(site: Site, names: Mapping[str, str]) -> str:
    if site.head is not None:
        return f"{names[site.after].partition(',')[0]}, head {site.head + 1}"
    named = names[site.after].replace("feed-forward", "net")  # there is little room
    return f"after {named}" if site.node == site.after else named


def _put(site: Site, place: int, other: Mapping[str, Array]) -> Edit:
    """The edit that holds a part at what it was in the other pass."""
    values = other[site.node][pin_of(site, place, other).cells]
    return Do(PinCells(site.name, {(place, k): float(v) for k, v in enumerate(values)}))


# The other text


def _other(
    view: View, sequence: str, row: int, word: int
) -> tuple[tuple[Element, ...], Mapping[str, Array], tuple[str, ...]]:
    """How it is chosen, the values of its pass, and its words: the model beside, or this text with one other word."""
    beside, own = view.beside, view.labels(sequence)
    if beside is not None and all(
        site.node in beside.values and beside.values[site.node].shape == view.values[site.node].shape
        for site in sites(view.graph)
    ):
        return (), beside.values, beside.labels(sequence)
    place, number = _swap(view, sequence, row, word)
    words = view.graph.axes[view.graph.sequences[sequence]]
    near = _nearest(view, sequence, place)
    options = near if number in near else [number, *near]
    where = Choice(
        "patched place",
        "In place of",
        tuple(f"{own[i]} ({i})" for i in range(row + 1)),
        place,
        tuple(Keep(PLACE, i) for i in range(row + 1)),
        "Where the other text differs",
    )
    what = Choice(
        "other word",
        "stands",
        tuple(words[i] for i in options),
        options.index(number),
        tuple(Keep(WORD, i) for i in options),
        "The word of the other text, the most alike first",
    )
    there = tuple(words[number] if i == place else one for i, one in enumerate(own))
    return (where, what), _pass(view, sequence, place, number), there


def _swap(view: View, sequence: str, row: int, word: int) -> tuple[int, int]:
    """The place where the other text differs, and the number of its word: as chosen, or what moves the answer most."""
    n_words = len(view.graph.axes[view.graph.sequences[sequence]])
    place, number = view.chosen(PLACE, None), view.chosen(WORD, None)
    fits = number in range(n_words)
    if place in range(row + 1) and fits:
        return int(place), int(number)
    # Not the last word: that would be another question.
    places = range(max(row, 1)) if place not in range(row + 1) else (int(place),)
    here, best = view.values[LOGITS][row], (places[0], 0, -np.inf)
    for i in places:
        for one in [int(number)] if fits else _nearest(view, sequence, i)[:TRIED]:
            found = _pass(view, sequence, i, one)[LOGITS][row]
            change = float((here[word] - here.max()) - (found[word] - found.max()))
            best = max(best, (i, one, change), key=lambda tried: tried[2])
    return best[:2]


def _nearest(view: View, sequence: str, place: int) -> list[int]:
    """The words whose vectors are most like that of a word of the text, itself and marks left out."""
    table, ids = view.values[f"{sequence}.table"].astype(np.float64), view.values[f"{sequence}.tokens"]
    words, own = view.graph.axes[view.graph.sequences[sequence]], int(ids[place])
    lengths = np.sqrt((table * table).sum(-1)) + 1e-12
    alike = table @ table[own] / lengths
    order = np.argsort(-alike, kind="stable").tolist()
    return [i for i in order if i != own and not is_mark(words[i])][:NEAREST]


def _pass(view: View, sequence: str, place: int, number: int) -> Mapping[str, Array]:
    ids = view.values[f"{sequence}.tokens"].copy()
    ids[place] = number
    # Without pins: what the model makes of the other text by itself.
    return fresh(view.graph, {**view.state.used, f"{sequence}.tokens": ids}, {}).values
