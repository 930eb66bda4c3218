"""The part of a page that a step of a lesson names: presenter mode and hand-outs show only this part.

Also which elements of a page a step, or a chosen cell, puts in the light (`Lit`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.cell import is_cell_of
from explorer.core.derivation import chain
from explorer.core.frozen import Frozen
from explorer.core.graph import Cell, Graph
from explorer.lessons.answers import right_places
from explorer.lessons.schema import ALL, WHOLE, Point, Predict, Question, Step
from explorer.pages import compose
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Choice, Controls, Field, Number, Player, Switches
from explorer.pages.drawing import AttentionLines, HeatMap, Sentences
from explorer.pages.element import Arrangement, Element, leaves, of_kind
from explorer.pages.levels import stops
from explorer.pages.matrix import Matrix, part_of
from explorer.pages.matrix import matrix as matrix_of_node
from explorer.pages.steps.covering import asked_cell
from explorer.pages.view import View

if TYPE_CHECKING:  # only the page Words reads vectors
    from explorer.words.vectors import Vectors

KINDS = {HeatMap: "heat map", AttentionLines: "lines", Sentences: "sentences"}
"""Names of elements without a title."""


def excerpt(page: el.Page, graph: Graph, node: str = "", title: str = "") -> tuple[Element, ...]:
    """The elements of a page that a step speaks of.

    Without a node and a title, or if neither is on the page: the first element of the page, or the picture in it.

    `node`: a node, or a head's slice of one, whose matrix is returned; used if `title` is empty or not on the page.
    `title`: the title of an element, such as "Heat map", or its `Element.id`.
    """
    if title:
        found = next((part for part in of_kind(page.elements, Element) if title.casefold() in names(part)), None)
        if isinstance(found, el.DescentPart):  # with the picture that its steps change
            there = of_kind(page.elements, el.Picture)[:1]
            return (*map(_as_large_as_it_fits, there), replace(found, width=0))  # as wide as its place, or it is cut
        if found is not None:
            return (_as_large_as_it_fits(found),)
    if node and (matrix := matrix_of(page, graph, node)) is not None:
        return (matrix,)
    fit = [part for part in page.elements if not isinstance(part, (Controls, Switches, el.Section, el.Note, Player))]
    first = fit[:1]
    if pictures := of_kind(first, el.Picture):
        return (_as_large_as_it_fits(pictures[0]),)
    # Of parts side by side, which are too small for a class, the first list.
    return tuple(of_kind(first, el.Listing)[:1] if of_kind(first, el.Stack) else ()) or tuple(first)


def _as_large_as_it_fits(element: Element) -> Element:
    """A picture, set to fill the room it gets; any other element unchanged."""
    return replace(element, fills=True) if isinstance(element, el.Picture) else element


def matrix_of(page: el.Page, graph: Graph, node: str) -> Matrix | None:
    """The first matrix of a node or slice on a page; if that slice is missing, of another slice of the node."""
    place = graph.find(node)
    if place is None:
        return None
    same = [matrix for matrix in of_kind(page.elements, Matrix) if matrix.place.node == place.node]
    exact = [matrix for matrix in same if matrix.place.head == place.head]
    return next(iter((*exact, *same)), None)


def names(element: Element) -> set[str]:
    """The names by which a lesson can mean an element, in lower case: its title, its id, and its kind (`KINDS`)."""
    title = getattr(element, "title", "") or getattr(element, "name", "")
    short = element.id.rpartition(".")[2]
    return {name.casefold() for name in (title, element.id, short, KINDS.get(type(element), "")) if name}


LINES, WHOLE_LIST, ALL_LINES = 7, 16, 15
"""Lines of a list: in sight at first; of the longest list shown whole; in sight if the list has all the room."""
MOST_COLUMNS = 8
"""The most columns of a list that a class can read side by side; a list with all the room shows all its columns."""
MANY = 60
"""The most numbers of a matrix that is shown beside its former values."""
MOST_IN_SIGHT, PART, LESS, ENOUGH = (16, 18), 8, 4, 4
"""The most rows and columns of a table that a class can read. Of a larger table only `PART` are shown, or `LESS` if it
is one of several: those that the step names, and if these are fewer than `ENOUGH`, neighbours of the first of them."""
FEW_WORDS, FEW_FROM_AFAR = 10, 5
"""The most words for which the lines of attention are drawn beside the weights; and on a slide, which both share."""
FEW = 28
"""The most numbers of parent matrices that are shown together with a question."""
ELSEWHERE = {"model": WHOLE, "train": "model.descent"}
"""The pages for places of a lesson that are no stages of the graph."""


def elements_of(
    view: View, step: Step, vectors: "Vectors | None" = None, has_all_room: bool = False, before: View | None = None
) -> tuple[Element, ...]:
    """The elements that a step names, of the page that it looks at; for the Words tab, the words near the named one.

    If the open model has no such node, they are the first element of the page: a switch removed the node, or the model
    of the next step arrives a moment before that step.

    `before`: the model without the changes of the step: then a changed matrix stands beside its former values.
    """
    look = step.look
    if look.stage == "words":
        from explorer.pages.words.neighbours import named

        listing = named(vectors, look.word) if vectors is not None and look.word else None
        return () if listing is None else (listing,)
    name = ELSEWHERE.get(look.stage, look.stage)
    stage = next((stage for stage in stops(view.graph) if stage.name == name), None)
    if stage is None:
        return ()
    page = compose.page(view, stage)
    shown = _with_heads(view, named_on(page, view, step, has_all_room))
    if len(shown) == 1 and isinstance(alone := shown[0], Matrix):
        was = None if before is None else _before(alone, before)
        lines = _lines(page, alone, view) if before is None else None
        if was is not None or lines is not None:
            pair = (alone, lines) if was is None else (was, alone)
            return (el.Row.of("named", [one for one in pair if one is not None]),)
    made = step.question is not None and step.question.made
    return shown if made else _in_parts(shown, asked_cells(view, step.question))


def named_on(page: el.Page, view: View, step: Step, has_all_room: bool = False) -> tuple[Element, ...]:
    """The elements that a step names, of the page that it looks at, which is given."""
    step = _without_missing(view, step)
    look = step.look
    if look.stage == "train":
        return excerpt(page, view.graph, title="curve")
    shown = excerpt(page, view.graph, look.node, look.element)
    if view.looking.large:  # the other lines and columns are shown on request
        shown = tuple(_in_sight(one, has_all_room, view.looking.head) for one in shown)
    if look.node and matrix_of(page, view.graph, look.node) is None:  # it is not on this page: show its parents
        shown = tuple(_parents(page, view, look.node)) or shown
    shown = (*shown, *_missing(_on(page, view, look.beside), shown))
    question = step.question
    if isinstance(question, Predict) or (isinstance(question, Point) and question.at == "cell"):  # show the asked node
        shown = (*shown, *_missing(_on(page, view, [question.node]), shown))
    only = all(isinstance(one, Matrix) for one in shown)
    if only and (derived := _derived(view, step)):
        shown = (*_operands(page, view, derived, shown), *shown)
    if only and isinstance(question, Predict) and question.fade == ALL:
        shown = (*_missing(_begun_with(page, view, question), shown), *shown)
    if only and question is not None and question.goals:
        shown = (*_to_change(page, view, question, shown), *shown)
        goal = _on(page, view, [question.goals[0][0]])  # so that a class sees the effect of an edit on it
        shown = (*shown, *_missing(goal, shown))
    matrices = [one for one in shown if isinstance(one, Matrix)]
    if len(matrices) < 2 or len(matrices) < len(shown):
        return shown
    if look.beside:  # in the order of the page, where the parts of a computation follow each other
        order = [part.id for part in of_kind(page.elements, Element)]
        matrices.sort(key=lambda one: order.index(one.id))
    return (el.Row.of("named", matrices),)  # side by side if there is room


def _without_missing(view: View, step: Step) -> Step:
    """The step without the nodes that the open model does not have."""
    look, question, find = step.look, step.question, view.graph.find
    if look.node and find(look.node) is None:
        look = replace(look, node="", rows=(), columns=())
    if isinstance(question, Predict | Point) and question.node and find(question.node) is None:
        question = None
    return replace(step, look=look, question=question)


class Lit(Frozen):
    """The ids of the elements of a page that stand in the light; the others are faint. Empty: the whole page is lit."""

    named: frozenset[str] = frozenset()  # elements that the step speaks of, at full strength
    beside: frozenset[str] = frozenset()  # elements that these are computed from: weaker, but still readable
    heads: frozenset[str] = frozenset()  # the header of the page, and the headings of both: still weaker
    # The named elements that the question asks for, else those named first: they are the largest if room is short.
    hero: frozenset[str] = frozenset()
    quiet: bool = False  # whether the header shows only where the page is

    def __bool__(self) -> bool:
        return bool(self.named)


def lit_by_step(page: el.Page, view: View, step: Step) -> Lit:
    """The elements that a step lights: those that it names or asks for and, weaker, those that these are computed from.

    Inputs that may be edited for its question are readable. Empty if it names the whole page, or the page has no more.
    `page`: the page that the step looks at.
    """
    step = _without_missing(view, step)
    look, question = step.look, step.question
    if not (look.node or look.element):
        return Lit()
    named = of_kind(named_on(page, view, step), Element)
    names, beside = [*filter(None, [look.node]), *look.beside], []  # `look.beside` also goes with a picture
    if question is not None and question.made:
        names += [*question.allowed, *(node for node, _ in question.goals)]
        beside = [] if question.allowed else [one for one in of_kind(page.elements, Matrix) if one.editable]
    elif isinstance(question, Predict | Point) and question.node:
        names.append(question.node)
    if isinstance(question, Predict) and question.fade:  # the student computes the answer by hand from these
        named += _begun_with(page, view, question)
    named += controls_named(page.elements, step)
    spoken = _spoken(step)
    made = [name for name in names if view.graph.find(name) is not None]
    named += _on(page, view, names)
    named += (one for one in of_kind(page.elements, Matrix) if one.name in names)  # some occur twice
    beside += [matrix for name in made for matrix in _parents(page, view, name)]
    beside += _on(page, view, [node for node, _ in step.shown.values()])  # the words say a number of it
    for one in of_kind(page.elements, Matrix):
        node = view.nodes.get(one.place.node)  # the page may still be that of the step before
        if node is not None and not spoken.isdisjoint((node.symbol, node.short, one.title)):
            beside.append(one)
    ids = ({one.id for one in some if not isinstance(one, Arrangement)} for some in (named, beside))
    lit = _with_headings(page, *ids)
    goals = () if question is None else question.goals
    asked = goals[0][0] if goals else getattr(question, "node", "") or look.node
    hero = frozenset(one.id for one in of_kind(page.elements, Matrix) if one.name == asked) & lit.named
    return replace(lit, hero=hero, quiet=bool(lit) and not goals)  # a goal may need the switches in the header


def controls_named(elements: Iterable[Element], step: Step) -> list[Element]:
    """The controls among some elements that the words of a step name in bold, because they are to be used."""
    spoken = _spoken(step)
    titles = ((one, getattr(one, _TITLE[type(one)])) for one in of_kind(elements, Element) if type(one) in _TITLE)
    return [one for one, title in titles if title in spoken]


_TITLE = {Choice: "title", Field: "title", Check: "text", Button: "text", Number: "before"}
"""For each kind of control, the attribute with the words by which it is named."""


@lru_cache(16)
def _spoken(step: Step) -> frozenset[str]:
    """What a step and its question name: what is bold, and each name in a formula."""
    text = step.words if step.question is None else f"{step.words} {step.question.ask}"
    formulas = " ".join(re.findall(r"\$(.+?)\$", text))
    return frozenset((*re.findall(r"\*\*(.+?)\*\*", text), *_NAME.findall(formulas)))


_NAME = re.compile(r"\\(?:text|mathrm)\{.*?\}|\\[A-Za-z]+|[A-Za-z](?:_(?:\w|\{\w+\}))?'*")
"""A part of LaTeX: words, a command, or a letter with its index and its strokes."""


def lit_by_cell(page: el.Page, view: View, cell: Cell) -> Lit:
    """The elements lit by a cell: matrices that it is computed from, its own, and those computed from it.

    Empty if no matrix of the page shows the cell's node, or if the page has nothing else.
    """
    graph = view.graph
    line = {cell.node, *graph.ancestors(cell.node)}
    matrices = of_kind(page.elements, Matrix)
    if all(one.place.node != cell.node for one in matrices):
        return Lit()
    lit = {one.id for one in matrices if one.place.node in line or cell.node in graph.ancestors(one.place.node)}
    return _with_headings(page, lit, set())


def _with_headings(page: el.Page, named: set[str], beside: set[str]) -> Lit:
    """The lit elements with the header and their headings; empty if no element of the page would be faint.

    A note right before a list that is named is readable, too.
    """
    heading: el.Section | None = None
    headings, dark, lit = set(), False, named | beside
    before: set[str] = set()  # notes right before an element
    said: set[str] = set()
    for element in page.elements:
        if isinstance(element, el.Section):
            heading, before = element, set()
            continue
        ids = {part.id for part in leaves(element) if not isinstance(part, Arrangement)}
        dark = dark or not ids <= lit
        if heading is not None and ids & lit:
            headings.add(heading.id)
        for part in leaves(element):
            if isinstance(part, el.Listing) and part.id in named:
                said |= before  # what the list shows now, and why it may be empty
            before = {*before, part.id} if isinstance(part, el.Note) else set()
    if not (named and dark):
        return Lit()
    return Lit(frozenset(named), frozenset((beside | said) - named), frozenset({page.header.id, *headings}))


def _before(matrix: Matrix, before: View) -> Matrix | None:
    """A matrix as it was before the changes of a step; None if it was the same, or had other rows or columns."""
    place = before.graph.find(matrix.name)
    if place is None or matrix.array.size > MANY:
        return None
    was = matrix_of_node(before, matrix.name, "before", f"{matrix.id} before")
    labels = (was.rows, was.columns) == (matrix.rows, matrix.columns)
    same = was.values == matrix.values if labels else np.empty(0)
    if not labels or bool(same.all()):
        return None
    covered = frozenset(cell for cell in matrix.covered if same[cell])  # their former numbers are those asked for
    return replace(was, editable=False, covered=covered, spot=matrix.spot)


def _lines(page: el.Page, matrix: Matrix, view: View) -> AttentionLines | None:
    """The lines of attention beside the weights of a few words; None while one of the weights is covered."""
    most = FEW_FROM_AFAR if view.looking.large else FEW_WORDS
    if matrix.covered or max(matrix.array.shape) > most or not view.nodes[matrix.place.node].op.shares:
        return None
    return next((one for one in of_kind(page.elements, AttentionLines) if one.matrix.place == matrix.place), None)


def asked_cells(view: View, question: Question | None) -> tuple[Cell, ...]:
    """The cells that a question asks for."""
    asked = asked_cell(view.graph, question) if isinstance(question, Predict) else None
    return right_cells(view, question) if asked is None else (asked,)


def _in_parts(shown: tuple[Element, ...], asked: tuple[Cell, ...]) -> tuple[Element, ...]:
    """The elements that a step names, each large table cut to a part: tables keep the same part of the same axis.

    `asked`: cells that must be in the part.
    """
    matrices = of_kind(shown, Matrix)
    most = PART if len(matrices) == 1 else LESS
    named: dict[str, list[int]] = {}
    for one in matrices:
        cells = [one.at(cell.index) for cell in asked if cell.node == one.place.node]
        for axis, labels in enumerate((one.rows, one.columns)):
            spot = () if one.spot is None or len(one.spot[axis]) == len(labels) else one.spot[axis]
            named.setdefault(one.axes[axis], []).extend((*spot, *(cell[axis] for cell in cells)))

    def part(one: Matrix) -> Matrix:
        whole = tuple(range(len(one.rows))), tuple(range(len(one.columns)))
        kept = tuple(
            every if len(every) <= least else _around(named[axis], len(every), most)
            for axis, every, least in zip(one.axes, whole, MOST_IN_SIGHT, strict=True)
        )
        return one if kept == whole else part_of(one, *kept)

    return _each_matrix(shown, part)


def _with_heads(view: View, shown: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, each matrix of one of several heads with the number of its head, which its page has at the top."""

    def called(one: Matrix) -> Matrix:
        head = one.place.head
        if head is None or view.graph.n_heads.get(one.place.node, 1) < 2:
            return one
        return replace(one, title=", ".join(filter(None, (one.title, f"head {head + 1}"))))

    return _each_matrix(shown, called)


def _each_matrix(shown: tuple[Element, ...], change: Callable[[Matrix], Matrix]) -> tuple[Element, ...]:
    """The elements, each matrix among them and in their rows changed."""

    def of(element: Element) -> Element:
        if isinstance(element, el.Row):
            return replace(element, items=tuple(replace(item, element=of(item.element)) for item in element.items))
        return change(element) if isinstance(element, Matrix) else element

    return tuple(map(of, shown))


def _around(named: list[int], size: int, most: int) -> tuple[int, ...]:
    """The named indices, in order; if they are few, the nearest neighbours of the first one as well, `most` in all."""
    some = list(dict.fromkeys(named))[:PART]
    if len(some) < ENOUGH:
        first = some[0] if some else 0
        some = sorted(range(size), key=lambda at: (at not in some, abs(at - first)))[:most]
    return tuple(sorted(some))


def _in_sight(shown: Element, has_all_room: bool, head: int) -> Element:
    """An element as a class can read it."""
    match shown:
        case el.Row():
            return _row_in_sight(shown, head)
        case el.Listing():
            return _list_in_sight(shown, has_all_room)
    return shown


def _row_in_sight(row: el.Row, head: int) -> Element:
    """A row without signs, which take room; of heads, which would be cut side by side, the chosen one."""
    matrices = of_kind((row,), Matrix)
    if all(isinstance(item.element, Matrix) for item in row.items):
        return replace(row, items=tuple(replace(item, sign="") for item in row.items))
    if not matrices or not isinstance(row.items[0].element, el.Stack):
        return row
    return next((one for one in matrices if one.place.head == head), matrices[0])


def _list_in_sight(listing: el.Listing, has_all_room: bool) -> el.Listing:
    """A list with as many lines and columns as a class can read."""
    few = ALL_LINES if has_all_room else LINES
    if len(listing.columns) > MOST_COLUMNS and not has_all_room:
        lines = tuple(replace(line, entries=line.entries[:MOST_COLUMNS]) for line in listing.lines)
        listing = replace(listing, columns=listing.columns[:MOST_COLUMNS], lines=lines)
    return replace(listing, most=few if len(listing.lines) > WHOLE_LIST else WHOLE_LIST, key="M")


def on_paper(shown: Element) -> Element:
    """An element for paper, which leads nowhere: a list has as many columns as stand side by side, without links.

    A drawing does not ask to be pointed at.
    """
    if isinstance(shown, el.Picture) and shown.drawing.probe is not None:
        return replace(shown, made=replace(shown.drawing, probe=None))
    if not isinstance(shown, el.Listing):
        return shown
    lines = el.Lines(len(shown.lines), _line_on_paper, (shown.lines,))
    return replace(shown, columns=shown.columns[:MOST_COLUMNS], lines=lines)


def _line_on_paper(lines: Sequence[el.Line], row: int) -> el.Line:
    line = lines[row]
    return replace(line, entries=tuple(replace(one, leads=None) for one in line.entries[:MOST_COLUMNS]))


def _derived(view: View, step: Step) -> str:
    """The node whose number the step explains or asks for; "" if there is none, or its parents need not be shown."""
    question, node, graph = step.question, step.look.node, view.graph
    if not isinstance(question, Predict):
        return node if question is None and first_cell(view, step) is not None else ""
    asked = question.node
    leads = bool(node) and node != asked and graph.place(node).node in graph.ancestors(graph.place(asked).node)
    return "" if question.fade or leads else asked


def _operands(page: el.Page, view: View, node: str, shown: tuple[Element, ...]) -> list[Matrix]:
    """The parent matrices of a node, if they are small together and not shown yet."""
    # For a row of equal numbers, such as a bias of 0, the derivation is enough.
    parents = _parents(page, view, node)
    return _few([one for one in parents if len(one.shape) > 1 or (one.values != one.values.flat[0]).any()], shown)


def _begun_with(page: el.Page, view: View, question: Predict) -> list[Matrix]:
    """The matrices that the derivation of an asked number begins with."""
    place, asked = view.graph.place(question.node), asked_cell(view.graph, question)
    found = None if asked is None else chain(view.engine, asked.node, asked.index)
    return _parents(page, view, view.of_head(found[0][0], place.head)) if found else []


def _parents(page: el.Page, view: View, node: str) -> list[Matrix]:
    """The matrices on a page of a node's parents, without a parent from which another is computed, except in a sum."""
    place, graph = view.graph.place(node), view.graph
    op, parents = view.nodes[place.node].op, view.nodes[place.node].parents
    earlier = {name for parent in parents if not op.adds for name in graph.ancestors(parent) if name != parent}
    return _on(page, view, (view.of_head(parent, place.head) for parent in parents if parent not in earlier))


def _to_change(page: el.Page, view: View, question: Question, shown: tuple[Element, ...]) -> list[Matrix]:
    """The smallest matrices that may be edited to reach a goal, as many as are small together."""
    matrices = _on(page, view, question.allowed)
    while sum(matrix.values.size for matrix in matrices) > FEW:
        matrices.remove(max(matrices, key=lambda one: one.values.size))
    return _few(matrices, shown)


def _on(page: el.Page, view: View, names: Iterable[str]) -> list[Matrix]:
    """The matrices on a page of the named nodes, each once."""
    found = [matrix for name in names if (matrix := matrix_of(page, view.graph, name)) is not None]
    return list({matrix.id: matrix for matrix in found}.values())


def _missing(matrices: list[Matrix], shown: tuple[Element, ...]) -> list[Matrix]:
    """The matrices that are not shown yet."""
    there = {part.id for part in of_kind(shown, Element)}
    return [matrix for matrix in matrices if matrix.id not in there]


def _few(matrices: list[Matrix], shown: tuple[Element, ...]) -> list[Matrix]:
    """The matrices that are not shown yet, or none if all together are not small (`FEW`)."""
    return _missing(matrices, shown) if sum(matrix.values.size for matrix in matrices) <= FEW else []


def first_cell(view: View, step: Step) -> Cell | None:
    """The first cell that a step names, or the only cell of its node; None if it names a whole row, column or list."""
    look = step.look
    listed = look.element and look.rows  # the step names a line of a list, and not the derivation of a number
    place = view.graph.find(look.node) if look.node and not listed else None
    if place is None:
        return None
    value = view.engine.value(place)
    named = (0,) * value.ndim if value.size == 1 else tuple(axis[0] for axis in (look.rows, look.columns) if axis)
    return Cell(place.node, place.index + named) if is_cell_of(named, value.shape) else None


def right_cells(view: View, question: Question | None) -> tuple[Cell, ...]:
    """The right cells of a question that asks to point at a cell; () if the open model has no such node."""
    if not isinstance(question, Point) or question.at != "cell" or (place := view.graph.find(question.node)) is None:
        return ()
    shape = view.engine.value(place).shape  # a shortened text no longer has all cells
    right = (cell for cell in right_places(question, view.engine) if is_cell_of(cell, shape))
    return tuple(Cell(place.node, place.index + cell) for cell in right)
