"""The inspector: what a stage is for or, once a cell is pointed at, how its number is computed and what it feeds.

Also what a text prints there.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from explorer import paths
from explorer.core import ops
from explorer.core.cell import Index, Step, cells_of
from explorer.core.derivation import Row, chain, only_rounding, rows
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS, Cell, Graph, Place, Stage
from explorer.core.numbers import alone, in_full, quantity, written
from explorer.lessons.glossary import linked
from explorer.lessons.loader import errata
from explorer.lessons.references import Slip, figure_for, prints_in, slips_at
from explorer.lessons.schema import Lesson
from explorer.lessons.symbols import name_of
from explorer.pages.controls import Button, Player
from explorer.pages.element import Data, Element
from explorer.pages.gestures import ForInspector, GoTo, Keep, OpenLesson
from explorer.pages.levels import block_title, hides_earlier, is_small_net, matrix_title
from explorer.pages.matrix import COVERED, ROUNDING
from explorer.pages.page import Derivation, Maths, Passage, lead, paragraphs
from explorer.pages.steps.covering import altered
from explorer.pages.view import View

if TYPE_CHECKING:  # only who checks a gradient needs it
    from explorer.core.engine import Check


CHAIN_RULE = "Gradient of each cell that it feeds × how much that cell changes with this one:"
NO_GRADIENT = "It is a whole number and cannot change a little, so it has no gradient."
WAITS = "How this number is computed is shown when the question is answered."
STAGE_WAITS = "<muted>What this page is for is told when the question is answered.</muted>"
IN_FILE = "in its file: "
PLAYED = "cell.played"
"""The beginning of the keys that keep how far the derivation of a cell has been played."""
SLOW = 2.0
"""How many times slower than other steps rows are played: the reader has to find the numbers in their matrices."""
MOST_CHILDREN = 2
"""The most terms of the chain rule that are written out; more are written as a sum over C."""


class Fed(Data):
    """A node that reads the cell."""

    node: str
    stage: str
    what: str  # the number of the only fed cell, or how many cells are fed
    # While gradients are shown: the fed cell with the largest gradient, so that the reader can follow it to the loss.
    cell: Cell | None = None


class Printed(Data):
    """Texts about the numbers that a reference prints, with the marks of a `Note`."""

    said: tuple[str, ...] = ()  # printed numbers beside computed ones
    slips: tuple[str, ...] = ()  # errors of the print, with what is right


class Inspected(Data):
    """All texts and formulas about one cell."""

    cell: Cell
    # `name`, `where`: the node's short name, and the labels of the cell.
    name: str
    where: str
    value: str  # the node's name and the number in full; further lines with remarks
    formula: str = ""  # LaTeX; empty for an input
    # `heading`, `how`: the heading and a sentence above the derivation.
    heading: str = ""
    how: str = ""
    parts: tuple[tuple[str, tuple[Row, ...]], ...] = ()  # (a node, "" for the cell's own; rows of the derivation)
    code: str = ""  # numpy code of the node
    feeds: tuple[Fed, ...] = ()
    printed: Printed = field(default_factory=Printed)
    checkable: bool = False  # whether its gradient can be compared with the slope of the loss
    player: Player | None = None  # plays the derivation; None if that has fewer than two rows


def inspected(view: View, cell: Cell, fed: Mapping[str, Sequence[Index]], explained: Step | None = None) -> Inspected:
    """The texts about a cell, without those that would show a covered number.

    `fed`: the nodes that it feeds, with the indices of their cells (see `Engine.feeds`).
    `explained`: the result of `derivation` for the cell, if it is known.
    """
    about = _inspected(view, cell, fed, explained)
    if not view.looking.covered:
        return _played(view, about)
    with np.errstate(all="ignore"):
        other = _inspected(altered(view), cell, fed)
    feeds = tuple(
        one if one == another else replace(one, what=COVERED)
        for one, another in zip(about.feeds, other.feeds, strict=True)
    )
    if about.parts == other.parts:
        return _played(view, replace(about, feeds=feeds))
    return replace(about, how=WAITS, parts=(), feeds=feeds)


def played_key(cell: Cell) -> str:
    """The key that keeps how many rows of the derivation of a cell have been played."""
    return ".".join(map(str, (PLAYED, cell.node, *cell.index)))


def _played(view: View, about: Inspected) -> Inspected:
    """The texts about a cell as far as its derivation has been played: the number of the cell appears at the end."""
    steps = [row for _, some in about.parts for row in some if row.value]
    if len(steps) < 2:
        return about
    key = played_key(about.cell)
    taken = view.number(key, len(steps), 0, len(steps))
    names = tuple([row.label or row.expression for row in steps])
    player = Player("cell", taken, names, Keep(key), plays="the arithmetic of this cell", key="P", slow=SLOW)
    if taken == len(steps):
        return replace(about, player=player)
    # A row that has not been played yet: its label without its arithmetic and its number.
    coming = {id(row): replace(row, expression="", value=COVERED, of=None) for row in steps[taken:]}
    parts = tuple((name, tuple(coming.get(id(row), row) for row in some)) for name, some in about.parts)
    said = about.value.split("\n")
    line = -1 if view.looking.showing == "gradient" else 0
    said[line] = f"{said[line].rpartition(' = ')[0]} = {COVERED}"
    printed = replace(about.printed, said=())
    # What only copies the cell, as a concatenation does, has its number.
    feeds = tuple([one if one.what.endswith("cells") else replace(one, what=COVERED) for one in about.feeds])
    return replace(about, player=player, parts=parts, value="\n".join(said), printed=printed, feeds=feeds)


def played(view: View, cell: Cell, explained: Step) -> tuple[Row | None, bool]:
    """The row that has been played last in the derivation of a cell, and whether more rows follow.

    `explained`: the result of `derivation` for the cell.
    Returns None before the first row, and once all rows have been played.
    """
    taken = view.looking.choices.get(played_key(cell))
    gradient = view.looking.showing == "gradient"
    pieces = [explained] if gradient else [last for *_, last in chain(view.engine, cell.node, cell.index, explained)]
    steps = [row for last in pieces for row in rows(last, view.labels_along) if row.value]
    if not isinstance(taken, int) or not 0 <= taken < len(steps):
        return None, False
    return (steps[taken - 1] if taken else None), True


def _inspected(view: View, cell: Cell, fed: Mapping[str, Sequence[Index]], explained: Step | None = None) -> Inspected:
    """The texts about a cell, without regard to covered numbers."""
    node, number = view.nodes[cell.node], view.values[cell.node][cell.index]
    value = f"{cell.node} = {in_full(number)}"
    if only_rounding(view.engine, cell.node, cell.index):
        value += f"\n{ROUNDING}"
    if node.is_input and (name := view.state.model.in_file(cell.node, cell.index)):
        value += f"\n{IN_FILE}{name}"
    feeds = tuple([_fed(view, child, index) for child, (index,) in fed.items()])
    labels = [view.labels(axis)[i] for axis, i in zip(node.axes, cell.index, strict=True)]
    head = f"{labels.pop(0)}, " if len(labels) == 3 and view.graph.n_heads.get(cell.node) != 1 else ""
    where = head + " → ".join(labels[-2:]) if labels else "one number"
    about = Inspected(cell, "loss" if cell.node == LOSS else node.short, where, value, feeds=feeds)
    if view.looking.showing == "gradient":
        step = explained or derivation(view.engine, cell, view.looking.showing)
        if step is None:
            return replace(about, heading="It has no gradient", how=NO_GRADIENT)
        return replace(
            about,
            value=f"{value}\nits gradient = {in_full(step.value)}",
            formula=_chain_rule(view, cell.node),
            heading="How the loss changes with it",
            how="" if cell.node == LOSS else CHAIN_RULE,
            parts=(("", tuple(rows(step, view.labels_along))),),
            checkable=True,
        )
    pieces = chain(view.engine, cell.node, cell.index, explained)
    parts = tuple([(name * (name != cell.node), tuple(rows(last, view.labels_along))) for name, _, last in pieces])
    if node.is_input:
        heading = "An input: type a number, drag it, or turn the mouse wheel on it"
    else:
        code = f"{node.short} = {node.op.code(*(parent.rpartition('.')[2] for parent in node.parents))}"
        heading = "This cell" if parts else "Given: held at a value that was typed"
        about = replace(about, formula=view.graph.equation(node.name), code=code)
    return replace(about, heading=heading, parts=parts, printed=_printed(view, cell, float(number)))


def derivation(engine: Engine, cell: Cell, showing: str) -> Step | None:
    """The derivation of the number shown in a cell, a value or a gradient; None if nothing computes it.

    `showing`: see `Looking.showing`.
    """
    if showing != "gradient":
        return engine.explain(cell.node, cell.index)
    try:
        return engine.explain_gradient(cell.node, cell.index)
    except ExplorerError:
        return None  # no gradient: the cell is a whole number, or the model has no loss


def printed_at(view: View, stage: str) -> Printed:
    """The numbers of a stage that the reference prints, and its errors there."""
    if (at := view.prints) is None:
        return Printed()
    nodes = [node.name for node in view.stage(stage)]
    heads = (view.of_head(name, head) for name in nodes for head in range(view.graph.n_heads.get(name, 0)))
    names = {*nodes, *heads}
    short = ("loss" if n == LOSS else name_of(n) for n in prints_in(*at).figures if n in names)
    prints = ", ".join(dict.fromkeys(f"<b>{name}</b>" for name in short))
    parts = [f"Prints {prints}: point at a number to compare it."] if prints else []
    return Printed(tuple(parts), tuple(map(_said, slips_at(*at, names - _asked(view)))))


def _printed(view: View, cell: Cell, value: float) -> Printed:
    """The printed number of a cell beside the computed one, if the reference prints it, and its errors there."""
    if view.prints is None:
        return Printed()
    lesson, setting = view.prints
    name, index, shape = cell.node, cell.index, view.values[cell.node].shape
    figure = figure_for(lesson, setting, name, shape)
    if figure is None and view.graph.n_heads.get(name):
        name, index = view.of_head(name, index[0]), index[1:]
        figure = figure_for(lesson, setting, name, shape[1:])
    printed = figure.printed(index) if figure else None
    parts = []
    if figure is not None and printed is not None:
        same = figure.agrees_at(index, value)
        sign = "✓" if same else "≠"
        said = f"Printed {printed} · computed {figure.rounded(index, value)} {sign}".replace("-", "−")
        why = figure.note or figure.why
        parts.append(f"{said}<br>{why}" if same and why else said)
    return Printed(tuple(parts), tuple(map(_said, slips_at(lesson, setting, {cell.node, name} - _asked(view)))))


def _asked(view: View) -> set[str]:
    """Nodes and slices of nodes with covered numbers: a correction of a printed error would give these away."""
    covered = view.looking.covered
    nodes = {*covered.values, *covered.gradients} & view.nodes.keys()
    heads = {view.of_head(node, head) for node in nodes for head in range(view.graph.n_heads.get(node, 0))}
    return nodes | heads


def _said(slip: Slip) -> str:
    return f"<b>A slip</b> in “{escape(slip.section)}”: {escape(slip.printed)} <b>Right:</b> {escape(slip.right)}"


def _chain_rule(view: View, name: str) -> str:
    """The chain rule for a node: a term for each node that it feeds and that the loss depends on."""
    own = view.nodes[name].symbol
    children = dict.fromkeys(child for child, _ in view.graph.towards(LOSS).get(name, ()))
    fed = [view.nodes[child].symbol for child in children]
    left = rf"\frac{{\partial L}}{{\partial {own}}}"
    each = rf"\frac{{\partial L}}{{\partial {{%s}}}} \frac{{\partial {{%s}}}}{{\partial {own}}}"
    if not fed:
        return left
    if len(fed) > MOST_CHILDREN:
        return rf"{left} = \sum_{{C \in \{{ {', '.join(fed)} \}}}} {each % ('C', 'C')}"
    return f"{left} = {' + '.join(each % (child, child) for child in fed)}"


def _fed(view: View, child: str, index: Index) -> Fed:
    values = np.ravel(view.values[child][index])
    first = values[0].item()
    what = f"{len(values)} cells" if len(values) > 1 else alone(first, 5)
    steepest = None
    if view.looking.showing == "gradient" and LOSS in view.nodes:
        gradient = view.engine.gradient(Place(child))
        if gradient is not None:
            steepest = Cell(child, max(cells_of(index, gradient.shape), key=lambda one: abs(gradient[one])))
    return Fed(child, view.nodes[child].stage, what, steepest)


class Answer(NamedTuple):
    """A question that a beginner asks about a stage, and its answer."""

    question: str
    text: str
    about: type[ops.Op]  # shown only where a node of the stage has this op: switches choose other ops
    symbol: str = ""  # or only where a node's symbol matches this pattern
    window: bool = False  # whether it is shown only where a mask hides earlier words
    picture: str = ""  # "neurons" or "tables": only where the whole model is drawn so; "": in any case


@cache
def about() -> dict[str, tuple[Answer, ...]]:
    """The answers for each kind of stage, from their file."""
    said = tomllib.loads((paths.resources() / "about.toml").read_text("utf-8"))

    def answer(one: dict[str, Any]) -> Answer:
        op = getattr(ops, one.pop("op", "Op"))
        return Answer(one.pop("question"), " ".join(one.pop("text").split()), op, **one)

    return {kind: tuple(map(answer, some)) for kind, some in said.items()}


def answers(stage: Stage, graph: Graph) -> tuple[Answer, ...]:
    """The answers that are true of a stage with its present switches."""
    there = [node for node in graph.nodes.values() if node.stage == stage.name]
    looks_back = any(node.op.reach is not None for node in there)
    window = any(hides_earlier(graph, node) for node in there)
    told = about()["attention" if stage.kind == "masked" and not looks_back else stage.kind]
    return tuple(
        one
        for one in told
        if one.picture in ("", "neurons" if is_small_net(graph) else "tables") and (window or not one.window)
        if (one.about is ops.Op and not one.symbol)
        or any(isinstance(node.op, one.about) and re.fullmatch(one.symbol or ".*", node.symbol) for node in there)
    )


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
    asked: bool = False  # whether a question is open that what is said of the stage may answer


def inspector_page(graph: Graph, stage: Stage | None, told: Told, lesson: Lesson) -> tuple[Element, ...]:
    """What the inspector shows at a stage. Most elements stay the same; what there is nothing to say in is empty."""
    of_stage = ""
    if told.about is None and stage is not None:
        of_stage = STAGE_WAITS if told.asked else _explained(answers(stage, graph), told.linked)
    return (
        Passage("stage", of_stage),
        *(_of_cell(graph, told.about or NOTHING, told.checked) if told.met else ()),
        *_on_the_print(told, lesson),
        Passage("hint", "" if told.about else paragraphs(HINTS), "aside"),
    )


def _of_cell(graph: Graph, about: Inspected, checked: str) -> tuple[Element, ...]:
    """What is said of a cell; of `NOTHING`, the same elements without words."""
    title = f"<b>{about.name}</b> <muted>[{escape(about.where)}]</muted>" if about.name else ""
    first, *more = about.value.split("\n")
    # Names take two lines in large letters, and those in files in any; an index stays together.
    first = first.replace(".", ".\u200b", about.cell.node.count("."))
    more = [one.replace(".", ".\u200b").replace(", ", ",\xa0") if one.startswith(IN_FILE) else one for one in more]
    value = "\n".join([first, *more])
    derived: list[Element] = []
    for i, (name, some) in enumerate((*about.parts, *EMPTY[len(about.parts) :])):
        derived.append(Passage(f"node {i}", name and matrix_title(graph, name), "small"))
        derived.append(Derivation(f"derivation {i}", some))
    links = []
    for i, fed in enumerate(about.feeds):
        path, _, short = fed.node.rpartition(".")
        links.append(f"{lead(i, short)} <muted>{escape(block_title(graph, path))} · {fed.what}</muted>")
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
        Passage("fed", "<br>".join(links), leads=tuple(GoTo(fed.stage, cell=fed.cell) for fed in about.feeds)),
    )


@lru_cache(maxsize=8)
def _explained(told: tuple[Answer, ...], links: bool) -> str:
    """Kept, because the terms in it are looked for again at each edit."""
    said = paragraphs(f"<b>{one.question}</b><br>{one.text}" for one in told)
    return linked(said) if links else said


def _on_the_print(told: Told, lesson: Lesson) -> tuple[Element, ...]:
    """What a text prints of the cell or at the stage, and what it gets wrong there."""
    printed = (told.printed or NOTHING.printed) if told.about is None else told.about.printed
    count, heading, wrong = len(printed.slips), "", ""
    if printed.said or count:
        heading, wrong = f"In the printed text ({lesson.reference})", errata().get(lesson.reference, "")
    notes = f"{'▾' if told.notes else '▸'} {quantity(count, 'note')} on the printed text"
    heading = lead(0, heading) if heading and told.about else heading
    return (
        Passage("printed", heading, "section", (ForInspector("source"),)),
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
