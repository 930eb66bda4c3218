"""The page of the glossary: the entry of a term, and links to those that are in sight or were looked for."""

from collections.abc import Sequence
from html import escape

from explorer.core.graph import Stage
from explorer.lessons.glossary import Term, glossary, linked
from explorer.lessons.loader import titles
from explorer.pages.element import Element
from explorer.pages.gestures import ForGlossary
from explorer.pages.levels import full_title
from explorer.pages.page import Field, Maths, Passage, lead

MOST = 80
"""The most letters of a term that is looked for."""


def glossary_page(
    term: Term | None, typed: str, in_sight: Sequence[Term], stops: Sequence[Stage]
) -> tuple[Element, ...]:
    """What the glossary shows.

    Parameters
    ----------
    term : Term, optional
        The entry that was asked for.
    typed : str
        What is looked for.
    in_sight : sequence of Term
        The terms that stand anywhere in the window.
    stops : sequence of Stage
        The stages of the open model.
    """
    name, says, formula = ("", "", "") if term is None else (term.name, term.says, term.formula)
    asks, enters = ForGlossary("find"), ForGlossary("take")
    return (
        Passage("title", "Glossary", "group"),
        Field("find", "Find a term in the glossary", typed, asks, enters, MOST, width=0, hint="Find a term"),
        Passage("name", escape(name, quote=False), "strong"),
        Passage("says", linked(escape(says, quote=False), {name})),
        Maths("formula", formula),
        Passage("where", "", "small") if term is None else _where(term, stops),
        _listed(typed.strip(), in_sight),
    )


def _where(term: Term, stops: Sequence[Stage]) -> Passage:
    """Where to see a term in the open model, and what explains it."""
    found = (next((one for one in stops if one.kind == kind), None) for kind in term.stages)
    seen = [one for one in found if one is not None]
    here = ", ".join(lead(i, full_title(one)) for i, one in enumerate(seen))
    lines = [f"See it here: {here}"] if seen else []
    leads = [ForGlossary("stage", one.name) for one in seen]
    if term.lesson:
        lines.append(f"Explained in: {lead(len(seen), titles()[term.lesson])}")
        leads.append(ForGlossary("lesson", (term.lesson, term.stages)))
    if also := ", ".join(escape(one) for one in term.also if one not in term.name):
        lines.append(f"Also written: {also}")
    return Passage("where", "<br>".join(lines), "small", tuple(leads))


def _listed(typed: str, in_sight: Sequence[Term]) -> Passage:
    """Links to the terms that were looked for, or else to those in sight."""
    terms = glossary().near(typed) if typed else in_sight
    links = " · ".join(lead(i, one.name) for i, one in enumerate(terms))
    if typed:
        text = f"<b>With “{escape(typed)}”</b>: {links or 'nothing. Try another word.'}"
    else:
        text = f"<b>On this page</b>: {links}" if links else ""
    return Passage("listed", text, "small", tuple(ForGlossary("define", one.name) for one in terms))
