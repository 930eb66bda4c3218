"""The page of the inspector: what the stage is for or, once a cell is pointed at, everything about its number."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, Stage
from explorer.core.numbers import alone, quantity, written
from explorer.lessons.glossary import linked
from explorer.lessons.loader import errata
from explorer.lessons.schema import Lesson
from explorer.pages.about import Answer, answers
from explorer.pages.element import Element
from explorer.pages.gestures import ForInspector, GoTo, Keep, OpenLesson
from explorer.pages.levels import block_title, matrix_title
from explorer.pages.page import Button, Derivation, Maths, Passage, Player, lead, paragraphs
from explorer.pages.surfaces.inspection import PLAYED, Fed, Inspected, Printed
from explorer.pages.view import Cell

if TYPE_CHECKING:  # only who checks a gradient needs it
    from explorer.core.engine import Check

NUDGED = 10
"""Decimals of the losses beside a nudged cell: only late decimals differ."""
CHECK_TIP = "Change the cell a little in both directions, and compare the slope of the loss with the gradient"
CHECKING = "The loss is being computed on both sides …"
MISTAKES = "What the printed example gets wrong"
HINTS = (
    "Point at a number to see how it is computed. <b>Teal</b> numbers (“editable”) can be changed: type, drag, "
    "or turn the wheel.",
    "Enter on a computed number holds it at a value of yours; Delete computes it again. A right click fills a matrix.",
    "F6 goes to the next part of the window, Ctrl+Page Down to the next stage. Esc shows these words again.",
)
EMPTY = (("", ()),) * 3
"""As many parts as nearly all derivations have at most: another number of elements would have to be laid out anew."""
NOTHING = Inspected(Cell("", ()), "", "", "")


class Told(Frozen):
    """What the inspector tells of."""

    about: Inspected | None = None  # the cell; None: the stage is explained
    printed: Printed | None = None  # what a text prints at the stage
    met: bool = False  # whether any cell has been pointed at; before, no element is made that only tells of cells
    notes: bool = False  # whether the errors of the print are told, not only counted
    checked: str = ""  # what came of checking the gradient of the cell
    linked: bool = False  # whether terms lead to their entries: for that the glossary is read from a file


def inspector_page(graph: Graph, stage: Stage | None, told: Told, lesson: Lesson) -> tuple[Element, ...]:
    """What the inspector shows at a stage. Most elements stay the same; what there is nothing to say in is empty."""
    of_stage = "" if told.about or stage is None else _explained(answers(stage, graph), told.linked)
    return (
        Passage("stage", of_stage),
        *(_of_cell(graph, told.about or NOTHING, told.checked) if told.met else ()),
        *_printed(told, lesson),
        Passage("hint", "" if told.about else paragraphs(HINTS), "muted"),
    )


def _of_cell(graph: Graph, about: Inspected, checked: str) -> tuple[Element, ...]:
    """What is said of a cell; of `NOTHING`, the same elements without words."""
    title = f"<b>{about.name}</b> <muted>[{escape(about.where)}]</muted>" if about.name else ""
    value = about.value.replace(".", ".\u200b", about.cell.node.count("."))  # in large letters the name takes two lines
    derived: list[Element] = []
    for i, (name, rows) in enumerate((*about.parts, *EMPTY[len(about.parts) :])):
        title_of = name and matrix_title(graph, name)
        derived += Passage(f"node {i}", title_of, "small"), Derivation(f"derivation {i}", rows)
    return (
        Passage("title", title, node=about.cell.node),
        Passage("value", value, "small", plain=True),
        Maths("formula", about.formula, about.cell.node),
        Button("check", "Check this cell" if about.checkable else "", ForInspector("check"), CHECK_TIP),
        Passage("checked", checked),
        Passage("heading", about.heading, "section"),
        Passage("how", about.how, "small"),
        about.player or Player("cell", 0, (), Keep(PLAYED)),
        *derived,
        Passage("numpy", "numpy" if about.code else "", "section"),
        Passage("code", about.code, "code"),
        Passage("feeds", "Feeds" if about.feeds else "", "section"),
        _fed(graph, about.feeds),
    )


@lru_cache(maxsize=8)
def _explained(told: tuple[Answer, ...], links: bool) -> str:
    """Kept, because the terms in it are looked for again at each edit."""
    said = paragraphs(f"<b>{one.question}</b><br>{one.text}" for one in told)
    return linked(said) if links else said


def _fed(graph: Graph, feeds: Sequence[Fed]) -> Passage:
    """Links to what a cell feeds."""
    lines = []
    for i, fed in enumerate(feeds):
        path, _, short = fed.node.rpartition(".")
        lines.append(f"{lead(i, short)} <muted>{escape(block_title(graph, path))} · {fed.what}</muted>")
    return Passage("fed", "<br>".join(lines), leads=tuple(GoTo(fed.stage, cell=fed.cell) for fed in feeds))


def _printed(told: Told, lesson: Lesson) -> tuple[Element, ...]:
    """What a text prints of the cell or at the stage, and what it gets wrong there."""
    printed = (told.printed or NOTHING.printed) if told.about is None else told.about.printed
    count, heading, wrong = len(printed.slips), "", ""
    if printed.said or count:
        heading, wrong = f"In the printed text ({lesson.reference})", errata().get(lesson.reference, "")
    notes = f"{'▾' if told.notes else '▸'} {quantity(count, 'note')} on the printed text"
    return (
        Passage(
            "printed", lead(0, heading) if heading and told.about else heading, "section", (ForInspector("source"),)
        ),
        Passage("said", paragraphs(printed.said)),
        Passage("notes", lead(0, notes) if count else "", "small", (ForInspector("notes"),)),
        Passage("slips", paragraphs(printed.slips) if told.notes else ""),
        Passage("errata", lead(0, MISTAKES) if wrong not in ("", lesson.id) else "", leads=(OpenLesson(wrong),)),
    )


def check_said(check: "Check", value: float) -> str:
    """What came of nudging a cell of this value both ways."""
    here = alone(value, 5)
    lines = (
        ("this cell", "loss"),
        (f"{here} − h", written(check.below, NUDGED)),
        (f"{here} + h", written(check.above, NUDGED)),
        ("difference ÷ 2h", written(check.slope, NUDGED)),
        ("gradient", f"<b>{written(check.gradient, NUDGED)}</b>"),
    )
    cells = "".join(f"<tr><td>{left}&nbsp;&nbsp;</td><td align='right'>{right}</td></tr>" for left, right in lines)
    agrees = f"<good>✓ {check.agreement()}</good>" if check.agrees else f"{check.agreement()}."
    return f"<table>{cells}</table>h is {written(check.h, 2)}. {agrees}"
