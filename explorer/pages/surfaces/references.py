"""Two pages to look things up: each number that a text prints, beside the one that is computed here; and the glossary.

The glossary shows the entry of a term, and links to the terms that are in sight or were looked for.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast

from explorer.core.graph import Stage
from explorer.core.numbers import alone
from explorer.lessons.glossary import Term, glossary, linked
from explorer.lessons.loader import errata, titles
from explorer.lessons.printed_numbers import CITED, DIFFERS, REPRODUCES, RETYPED, STATUSES, PrintedNumber
from explorer.lessons.references import all_references
from explorer.pages import page as el
from explorer.pages.controls import Button, Choice, Controls, Field
from explorer.pages.element import Element
from explorer.pages.gestures import ForGlossary, Keep, OpenLesson, ShowPrinted
from explorer.pages.levels import full_title

REFERENCE, STATUS, ROW = "references.reference", "references.status", "references.row"
"""The keys that keep the reader's choices: see `Keep`."""
ALL = "all"
SIGNS = {REPRODUCES: "✓", RETYPED: "✓ retyped", DIFFERS: "≠ differs", CITED: "cited"}
VERBS = {REPRODUCES: "reproduce", RETYPED: "reproduce from the retyped inputs", DIFFERS: "differ", CITED: "are cited"}
"""What several numbers of a status do."""
WHAT = 1
"""The index of the column "what", whose entries lead to the computed number."""
COLUMNS = (
    *(el.Column("in"), el.Column("what", names=True), el.Column("at")),
    *(*el.numeric("printed", "computed", "difference"), el.Column("status")),
)
"""The columns before the last one, "cause", whose width depends on the room."""


def printed_line(rows: Sequence[PrintedNumber], places: Sequence[int], chosen: int, row: int) -> el.Line:
    """The line of a printed number that passes the filter.

    `places`: the indices of `rows` in `printed_numbers`.
    `chosen`: which of these the reader chose last.
    """
    one, place = rows[row], places[row]
    leads = None if one.scene is None else ShowPrinted(place)
    at = "" if one.cell is None else ", ".join(str(i + 1) for i in one.cell)
    off = "" if one.off is None else alone(one.off)
    times = f" (printed {one.times} times)" if one.times > 1 else ""
    texts = (
        (f"{one.reference} {one.section}", f"{one.reference}, {one.section}"),
        (one.title, f"{one.title}{times}"),
        (at, f"Row and column, counted from 1: {at}" if at else ""),
        (_short(one.printed), one.printed),
        (_short(one.ours), one.ours),
        ("0" if one.status == REPRODUCES and abs(one.off or 0) < 1e-12 else off, off),
        (SIGNS[one.status], one.status),
        (one.why, one.why),
    )
    tips = [f"<p>{escape(tip)}</p>" if len(tip) > 60 else tip for _, tip in texts]  # Qt breaks HTML into lines
    entries = (
        el.Entry(text, tip=tips[i], leads=leads if i == WHAT else None, muted=i in (0, len(texts) - 1))
        for i, (text, _) in enumerate(texts)
    )
    return el.Line(tuple(entries), here=place == chosen)


def places_in(listing: el.Listing) -> tuple[int, ...]:
    """The places, in `printed_numbers`, of the numbers that the list shows."""
    assert isinstance(listing.lines, el.Lines)
    _, places, _ = listing.lines.reads
    return cast(tuple[int, ...], places)


def references_page(
    rows: Sequence[PrintedNumber], choices: Mapping[str, Any], most: int, wide: int = 0
) -> tuple[Element, ...]:
    """The page of the printed numbers.

    `rows`: all printed numbers; empty while they are still being compared.
    `choices`: the reader's choices, by the keys `REFERENCE`, `STATUS` and `ROW`.
    `most`: lines in sight at once.
    `wide`: the most width of the column "cause", in pixels at text scale 1.
    """
    what = "Each number that the four texts print, beside the one that is computed here."
    header = el.Header("header", "References", what)
    if not rows:
        return header, el.Note("waiting", "Every printed number is being compared …")
    lessons = errata()
    names = (ALL, *dict.fromkeys(one.reference for one in rows))
    reference, status = _known(choices.get(REFERENCE), names), _known(choices.get(STATUS), (ALL, *STATUSES))
    of_reference = [i for i, one in enumerate(rows) if reference in (ALL, one.reference)]
    places = tuple(i for i in of_reference if status in (ALL, rows[i].status))
    counts = {one: sum(rows[i].status == one for i in of_reference) for one in STATUSES}
    filters = (
        _choice("reference", "Reference", names, reference, REFERENCE),
        _choice("status", "Status", (ALL, *STATUSES), status, STATUS),
    )
    titles = [f"<b>{one.id}</b> {escape(one.title)}" for one in all_references() if reference in (ALL, one.id)]
    verbs = {one: (VERBS[one] if count > 1 else "is cited" if one == CITED else one) for one, count in counts.items()}
    said = ", ".join(f"<b>{count:,}</b> {escape(verbs[one])}" for one, count in counts.items() if count)
    wrong = sum(not one.agrees for one in rows)
    note = f"{said}. A click on “what” opens the model that computes it; this tab leads back."
    if wrong:
        note += f" <mark>{wrong} do not come out as the program's own list says.</mark>"
    chosen, columns = choices.get(ROW, -1), (*COLUMNS, el.Column("cause", width=wide, names=True))
    lines = el.Lines(len(places), printed_line, (tuple(rows[i] for i in places), places, chosen))
    list_ = el.Listing("numbers", "Printed numbers", columns, lines, most, order=f"{reference} {status}", scrolls=True)
    detail = el.Note("detail", _detail(rows[chosen]) if chosen in places else "Choose a line to read all about it.")
    buttons = tuple(
        Button(f"errata {one.id}", f"What {one.id} gets wrong", OpenLesson(lessons[one.id]), f"A lesson on {one.title}")
        for one in all_references()
        if reference in (ALL, one.id) and one.id in lessons
    )
    ways = (Controls("ways to lessons", buttons),) if buttons else ()
    return (
        header,
        Controls("filters", filters),
        *ways,
        el.Note("titles", " · ".join(titles)),
        el.Note("counts", note),
        list_,
        detail,
    )


def _detail(one: PrintedNumber) -> str:
    times = f", {one.times} times in all" if one.times > 1 else ""
    parts = [f"<b>{escape(one.title)}</b> Reference {one.reference}, {escape(one.section)}{times}."]
    if not one.printed.startswith("in words"):
        ours = f" · computed {escape(one.ours)}" if one.ours else ""
        parts.append(f"Printed {escape(one.printed)}{ours} · {one.status}.")
    return " ".join([*parts, escape(one.why)])


def _known(chosen: object, values: Sequence[str]) -> str:
    """The choice, or `ALL` if a file holds a value that does not exist."""
    return chosen if isinstance(chosen, str) and chosen in values else ALL


def _choice(id: str, title: str, values: Sequence[str], chosen: str, key: str) -> Choice:
    asks = tuple(Keep(key, value) for value in values)
    return Choice(id, title, tuple(values), list(values).index(chosen), asks, f"Show those of one {title.lower()}")


def _short(text: str) -> str:
    """A number as text; of words only their beginning, because the tip has them all."""
    return text.partition(":")[0] if text.startswith("in words") else text


# The glossary


MOST = 80
"""The most letters of a term that is looked for."""


def glossary_page(
    term: Term | None, typed: str, in_sight: Sequence[Term], stops: Sequence[Stage]
) -> tuple[Element, ...]:
    """What the glossary shows.

    `term`: the entry that was asked for.
    `typed`: what is looked for.
    `in_sight`: the terms that stand anywhere in the window.
    `stops`: the stages of the open model.
    """
    name, says, formula = ("", "", "") if term is None else (term.name, term.says, term.formula)
    asks, enters = ForGlossary("find"), ForGlossary("take")
    return (
        el.Passage("title", "Glossary", "group"),
        Field("find", "Find a term in the glossary", typed, asks, enters, MOST, width=0, hint="Find a term"),
        el.Passage("name", escape(name, quote=False), "strong"),
        el.Passage("says", linked(escape(says, quote=False), {name})),
        el.Maths("formula", formula),
        el.Passage("where", "", "small") if term is None else _where(term, stops),
        _listed(typed.strip(), in_sight),
    )


def _where(term: Term, stops: Sequence[Stage]) -> el.Passage:
    """Where to see a term in the open model, and what explains it."""
    found = (next((one for one in stops if one.kind == kind), None) for kind in term.stages)
    seen = [one for one in found if one is not None]
    here = ", ".join(el.lead(i, full_title(one)) for i, one in enumerate(seen))
    lines = [f"See it here: {here}"] if seen else []
    leads = [ForGlossary("stage", one.name) for one in seen]
    if term.lesson:
        lines.append(f"Explained in: {el.lead(len(seen), titles()[term.lesson])}")
        leads.append(ForGlossary("lesson", (term.lesson, term.stages)))
    if also := ", ".join(escape(one) for one in term.also if one not in term.name):
        lines.append(f"Also written: {also}")
    return el.Passage("where", "<br>".join(lines), "small", tuple(leads))


def _listed(typed: str, in_sight: Sequence[Term]) -> el.Passage:
    """Links to the terms that were looked for, or else to those in sight."""
    terms = glossary().near(typed) if typed else in_sight
    links = "\u00a0· ".join(el.lead(i, one.name) for i, one in enumerate(terms))
    if typed:
        text = f"<b>With “{escape(typed)}”</b>: {links or 'nothing. Try another word.'}"
    else:
        text = f"<b>On this page</b>: {links}" if links else ""
    return el.Passage("listed", text, "small", tuple(ForGlossary("define", one.name) for one in terms))
