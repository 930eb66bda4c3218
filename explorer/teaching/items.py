"""Questions of lessons as independent items: with the numbers that they need, and the results of known mistakes."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from html import escape
from itertools import islice
from typing import TypeAlias
from zlib import crc32

import numpy as np

from explorer.core.cell import operands
from explorer.core.derivation import chain
from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, Place
from explorer.core.numbers import alone, quantity
from explorer.document.state import State
from explorer.export.matrix import MOST_COLUMNS, MOST_ROWS, LabelledMatrix, html_table
from explorer.lessons.answers import (
    is_whole_of,
    judge,
    place_named,
    right_or_mistake,
    right_places,
    right_so_far,
    values_of,
)
from explorer.lessons.glossary import glossary
from explorer.lessons.mistakes import Mistake, array_of, leeway, mistakes_of, names_apart
from explorer.lessons.prose import html, numbers_of
from explorer.lessons.schema import Cell, Choose, Lesson, Point, Predict, Question, Step, states_of
from explorer.lessons.symbols import UnknownNameError, formula_html
from explorer.lessons.walk import fresh_numbers

MOST_MISTAKES = 12
LONGEST_ROW = 14
"""The most letters of a row before its right word."""
MOST_PLACES = 16
"""The most places to choose among; with more places, a list would be no fair replacement for pointing."""
LIKELIEST = 8
"""How many places a class chooses among where there are more than that: the right ones and the likeliest others."""
_OF_ANY_LAYER = ".hidden"
"""The end of the names of units in a net, also of those at its end, which are not what the glossary calls hidden."""
_LOOKED_AT = 200
"""How many mistakes are computed; most of them are numbers of other cells."""


class Wrong(Frozen):
    """The result of a known mistake."""

    value: float
    name: str  # such as "not scaled"
    sentence: str  # what was done wrong


class Option(Frozen):
    """One of the answers to choose from."""

    text: str  # HTML
    right: bool
    feedback: str = ""  # HTML; it does not tell the right answer
    told: str = ""  # HTML: of a wrong place, the same with the right answer


class Table(Frozen):
    """A matrix that belongs to a question."""

    heading: str  # HTML: its symbol
    matrix: LabelledMatrix
    shares: bool  # whether its numbers are shares of 1

    @property
    def html(self) -> str:
        return f"<p>{self.heading}</p>{html_table(self.matrix, self.shares)}"


class _Item(Frozen, kw_only=True):
    """A question that can be asked on its own. Its texts are made when they are first read."""

    id: str  # of its lesson and step: "emma/score"
    step: Step  # the step that it was made from
    question: Question
    state: State  # the state whose numbers it asks about
    ours: bool = True  # whether the lesson's texts about its numbers hold, because no number was drawn

    @property
    def title(self) -> str:
        """What a student reads above it: the title of its step. A lecturer chooses and finds it by that."""
        return self.step.title

    @cached_property
    def engine(self) -> Engine:
        """The values of its state."""
        return values_of(self.state)

    @cached_property
    def parts(self) -> tuple[str | Table, ...]:
        """The text of the question in order: HTML, and matrices."""
        raise NotImplementedError(type(self).__name__)

    @cached_property
    def text(self) -> str:
        """The text of the question, as HTML."""
        return "".join(part if isinstance(part, str) else part.html for part in self.parts)

    @cached_property
    def why(self) -> str:
        """The principle, shown after the answer, as HTML; "" for none."""
        return html(self.question.why, numbers_of(self.step, self.engine)) if self.ours else ""

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """The hints, smallest first, as HTML; none if they would be about other numbers."""
        if not self.ours and not getattr(self.question, "fresh", False):
            return ()
        return tuple(html(hint, numbers_of(self.step, self.engine)) for hint in self.question.hints)


class NumberItem(_Item, kw_only=True):
    """A question that is answered by typing a number."""

    question: Predict
    value: float
    digits: int  # decimals

    @property
    def title(self) -> str:
        """The title of its step; where other numbers are drawn, which may be no right angle, what is asked for."""
        place = self.engine.graph.place(self.question.node)
        term = glossary().of_node(place.node)
        if self.ours or self.question.fresh or term is None or place.node.endswith(_OF_ANY_LAYER):
            return self.step.title
        return f"{term.name[:1].upper()}{term.name[1:]}"

    @cached_property
    def parts(self) -> tuple[str | Table, ...]:
        said = html(self.question.paper or self.question.ask, numbers_of(self.step, self.engine)) if self.ours else ""
        shown = _given(self.engine, self.question) or ()
        return (said, *shown, f"<p>{_asked(self.engine, self.question)}</p>")

    @cached_property
    def wrong(self) -> tuple[Wrong, ...]:
        """The results of known mistakes, likely ones first."""
        return tuple(_wrong(self.engine, self.question, self.value))

    @property
    def tolerance(self) -> float:
        """How far off an answer may be."""
        return leeway(self.value, self.digits)


class ChoiceItem(_Item, kw_only=True):
    """A question that is answered by choosing."""

    options: tuple[Option, ...]
    mixed: bool = True  # whether they may be shown in another order

    @cached_property
    def parts(self) -> tuple[str | Table, ...]:
        return _told(self.step, self.question, self.engine)


Item: TypeAlias = NumberItem | ChoiceItem


def item_ids(lesson: Lesson) -> list[str]:
    """The ids of a lesson's questions that can be asked on their own, which excludes those that change the model.

    There are none if the lesson needs a model that must be downloaded first.
    """
    return [
        f"{lesson.id}/{step.id}"
        for step in (lesson.steps if lesson.needed is None else ())
        if isinstance(step.question, Predict | Choose | Point)
        and step.look.stage not in ("words", "train")
        # Of a question that is asked in several stages, only the one without any help.
        and not (isinstance(step.question, Predict) and step.question.fade > 0)
    ]


def items(lesson: Lesson, seed: int | None = None, only: str = "") -> Iterator[Item]:
    """The questions of a lesson; with a seed, those about a number have numbers drawn from it, and not the lesson's.

    `only`: the id of a single wanted question; "" for all questions except those that need their page. An older sheet
    may name one of these by its id.
    """
    wanted = item_ids(lesson)
    for number, step in enumerate(lesson.steps):
        id = f"{lesson.id}/{step.id}"
        if id not in wanted or (only and id != only):
            continue
        if not only and step.question is not None and not step.question.alone:
            continue
        item = _number(lesson, number, seed) if isinstance(step.question, Predict) else _unseeded(lesson, number)
        if item is not None:
            yield item


def left_out(lesson: Lesson, ids: Collection[str]) -> list[str]:
    """The titles of a lesson's questions that are not among these ids, without those that help towards another."""
    asked = (step for step in lesson.steps if step.question is not None and getattr(step.question, "fade", 0) <= 0)
    return [step.title for step in asked if f"{lesson.id}/{step.id}" not in ids]


def item_at(lesson: Lesson, number: int, question: Question, state: State) -> Item | None:
    """The question of a step, counted from 0, in the form for a class; None if the question is to change the model.

    `question`, `state`: from the walk through the lesson.
    """
    if not isinstance(question, Predict):
        return _unseeded(lesson, number, in_class=True) if isinstance(question, Choose | Point) else None
    right = float(array_of(values_of(state), question.node, question.of)[question.cell])
    step, id = lesson.steps[number], f"{lesson.id}/{lesson.steps[number].id}"
    return NumberItem(id=id, step=step, question=question, state=state, value=right, digits=question.digits)


@lru_cache(1024)
def _unseeded(lesson: Lesson, number: int, in_class: bool = False) -> Item | None:
    """The question of a step, counted from 0, which is the same for all students.

    `in_class`: whether a class that sees the page votes; of very many places it is offered the likeliest ones.
    """
    step, state = lesson.steps[number], states_of(lesson)[number]
    id = f"{lesson.id}/{step.id}"
    if isinstance(step.question, Point):
        return _place(id, step, step.question, state, in_class)
    assert isinstance(step.question, Choose)
    return _choice(id, step, step.question, state)


# A number


def _number(lesson: Lesson, number: int, seed: int | None) -> NumberItem | None:
    step = lesson.steps[number]
    assert isinstance(step.question, Predict)
    id, question = f"{lesson.id}/{step.id}", replace(step.question, fade=0)
    drawn = question.of == "value" and seed is not None
    if not _is_shown(lesson, number, drawn):
        return None
    state = states_of(lesson)[number]
    if drawn:
        state = fresh_numbers(question, state, crc32(f"{seed} {id}".encode()))
    engine = values_of(state)
    right = float(array_of(engine, question.node, question.of)[question.cell])
    if not np.isfinite(right):
        return None
    # With other numbers, the lesson's texts about its own numbers may be wrong. There are none for what is computed
    # from places alone, or from equal numbers.
    ours = state is states_of(lesson)[number] and not question.fresh
    item = NumberItem(id=id, step=step, question=question, state=state, ours=ours, value=right, digits=question.digits)
    vars(item)["engine"] = engine  # it has been computed already
    return item


@lru_cache(1024)
def _is_shown(lesson: Lesson, number: int, drawn: bool) -> bool:
    """Whether the matrices behind a number are small enough to show, which is the same for all seeds."""
    question, state = lesson.steps[number].question, states_of(lesson)[number]
    assert isinstance(question, Predict)
    if drawn:
        state = fresh_numbers(question, state, 0)
    return _given(values_of(state), question) is not None


def _given(engine: Engine, question: Predict) -> list[str | Table] | None:
    """The formulas and matrices from which the number is computed; None if a matrix is too large to show."""
    graph = engine.graph
    place = graph.place(question.node)
    found = chain(engine, place.node, (*place.index, *question.cell))
    if question.of != "value" or not found:
        return None
    first, _, last = found[0]
    read = {operand.node for operand in operands(last)}
    shown = [parent for parent in dict.fromkeys(graph.nodes[first].parents) if parent in read]
    for name, _, step in found[1:]:
        more = {operand.node for operand in operands(step)} - {one for one, *_ in found}
        shown += [parent for parent in dict.fromkeys(graph.nodes[name].parents) if parent in more]
    tables = [_table(engine, name, _head_of(graph, name, place)) for name in dict.fromkeys(shown)]
    words = [engine.labels(graph.nodes[one].axes[-1]) for one in graph.nodes[first].parents[:1]]
    tables = [None if one is None else _with_words(one, words[0]) for one in tables]
    formulas = [f"<p>{_formula(engine, name)}</p>" for name, *_ in found]
    return None if None in tables else [*formulas, *(_on_a_line(one, engine) for one in tables if one is not None)]


def _with_words(table: Table, words: Sequence[str]) -> Table:
    """A table of numbers of right words, which count from 0, with these words: columns of a table count from 1."""
    matrix = table.matrix
    numbers = matrix.value
    if numbers.dtype.kind not in "iu" or (numbers.shape[0] != 1 and numbers.shape[1] != 1) or not matrix.rows:
        return table
    called = (row if len(row) <= LONGEST_ROW else "…" for row in matrix.rows)  # a list would cut the word behind it
    rows = tuple(f"{row} → {words[i]}" for row, i in zip(called, numbers.ravel().tolist(), strict=True))
    return replace(table, matrix=replace(matrix, rows=rows))


def _on_a_line(table: Table, engine: Engine) -> str | Table:
    """A single number on a line with six digits: a result computed with 1/√3 as 0.577 would be wrong."""
    value = engine.values[table.matrix.name]
    return table if value.ndim else f"<p>{table.heading} = {alone(value.item(), 6)}</p>"


def _head_of(graph: Graph, name: str, asked: Place) -> int | None:
    """The head of a parent that the asked slice is made of: heads of queries may share one of keys and values."""
    if asked.head is None:
        return None
    return asked.head * graph.n_heads.get(name, 1) // graph.n_heads.get(asked.node, 1)


def _table(engine: Engine, name: str, head: int | None) -> Table | None:
    """A matrix, or a head's slice of it, with its symbol; None if it is too large."""
    node, value = engine.graph.nodes[name], engine.values[name]
    labels = [names_apart(engine.labels(axis)) for axis in node.axes]
    if head is not None and name in engine.graph.n_heads:
        value, labels = value[head], labels[1:]
    if value.ndim > 2:
        return None
    rows, columns = labels[-2:][0] if labels else (), labels[-1] if len(labels) > 1 else ()
    flat = value.reshape(len(rows) or 1, -1)
    if flat.shape[0] > MOST_ROWS or flat.shape[1] > MOST_COLUMNS:
        return None
    matrix = LabelledMatrix(name, node.symbol, flat, tuple(rows), tuple(columns))
    return Table(_symbol(node.symbol, node.short), matrix, node.op.shares)


def _symbol(latex: str, otherwise: str) -> str:
    try:
        return formula_html(latex)
    except UnknownNameError:
        return f"<code>{escape(otherwise)}</code>"


def _formula(engine: Engine, name: str) -> str:
    nodes = engine.graph.nodes
    code = nodes[name].op.code(*(nodes[parent].short for parent in nodes[name].parents))
    return _symbol(engine.graph.equation(name), f"{nodes[name].short} = {code}")


def _asked(engine: Engine, question: Predict) -> str:
    graph = engine.graph
    place = graph.place(question.node)
    axes = (names_apart(engine.labels(axis)) for axis in graph.axes_of(place))
    names = [along[i] for along, i in zip(axes, question.cell, strict=True)]
    quoted = (name if name.isdigit() else f"“{escape(name)}”" for name in names[-2:])
    where = [*map(escape, names[:-2]), *map(" ".join, zip(("row", "column"), quoted, strict=False))]
    symbol = _symbol(graph.nodes[place.node].symbol, graph.nodes[place.node].short)
    several = place.head is not None and graph.n_heads.get(place.node, 1) > 1
    head = f" of head {(place.head or 0) + 1}" if several else ""
    form = quantity(question.digits, "decimal") if question.digits else "a whole number"
    return f"What is the number of {symbol}{head}{' in ' * bool(where)}{', '.join(where)}? Give {form}."


def _wrong(engine: Engine, question: Predict, right: float) -> Iterator[Wrong]:
    """The results of known mistakes; if several give the same number, the likeliest one."""
    seen = {round(right, question.digits)}
    found = 0
    before: list[Mistake] = []
    for mistake in islice(mistakes_of(engine, question), _LOOKED_AT):
        before.append(mistake)
        value = round(mistake.value, question.digits)
        near = abs(value - right) <= 2 * leeway(right, question.digits)
        nearly = right_so_far(value, right, question.digits) or is_whole_of(value, right, question.digits)
        if value in seen or near or nearly or not mistake.is_near(value):
            continue
        seen.add(value)
        # As `likely` finds it; half a unit of a large number is not exact, so that the mistake may not give its own.
        likeliest = next((one for one in before if one.gives(value, question.digits)), mistake)
        yield Wrong(value, likeliest.name, f"{likeliest.sentence}.")
        found += 1
        if found == MOST_MISTAKES:
            return


# A choice


def _choice(id: str, step: Step, question: Choose, state: State) -> ChoiceItem:
    engine = values_of(state)
    numbers = numbers_of(step, engine)
    options = tuple(Option(html(one.text, numbers), one.right, html(one.why, numbers)) for one in question.choices)
    return ChoiceItem(id=id, step=step, question=question, state=state, options=options, mixed=question.mixed)


def _place(id: str, step: Step, question: Point, state: State, in_class: bool) -> ChoiceItem | None:
    engine = values_of(state)
    right = right_places(question, engine)
    places: Sequence[Cell]
    if question.at == "head":
        n = engine.graph.n_heads.get(engine.graph.place(question.node).node) if question.node else None
        places = [(head,) for head in range(n or 0)]
    elif question.at == "token":
        places = [(i,) for i in range(len(engine.labels(question.axis)))]
    else:
        shape = engine.value(engine.graph.place(question.node)).shape
        rows = [question.row] if question.row is not None and len(shape) == 2 else None
        places = [cell for cell in np.ndindex(shape) if rows is None or cell[-2] in rows]
    if in_class and len(places) > MOST_PLACES:
        places = _likeliest(question, places, set(right), engine)
    if not set(right) <= set(places) or not 1 < len(places) <= MOST_PLACES:
        return None
    options = []
    for place in places:
        verdict = judge(question, place, state, engine)
        why, told = escape(verdict.said(over=False)), "" if verdict.right else escape(verdict.sentence)
        options.append(Option(escape(place_named(question, place, engine)), verdict.right, why, told))
    # Places are found where they stand: mixed, those of one row would stand apart.
    return ChoiceItem(id=id, step=step, question=question, state=state, options=tuple(options), mixed=False)


def _likeliest(question: Point, places: Sequence[Cell], right: Collection[Cell], engine: Engine) -> Sequence[Cell]:
    """The right places and the likeliest others, in reading order.

    These are the next largest or smallest numbers. Where the right ones are named directly, they are the largest
    numbers of their rows and columns.
    """
    if question.at != "cell":
        return places
    sign = 1 if question.extreme == "smallest" else -1
    values = engine.value(engine.graph.place(question.node))

    def unlikely(place: Cell) -> tuple[bool, bool, float]:
        apart = not question.extreme and not any(np.equal(place, one).any() for one in right)
        return place not in right, apart, sign * float(values[place])

    return sorted(sorted(places, key=unlikely)[: max(LIKELIEST, len(right))])


def _told(step: Step, question: Question, engine: Engine) -> tuple[str | Table, ...]:
    """The words of a step, the matrices that it shows, and its question."""
    numbers = numbers_of(step, engine)
    looked_at = ((question.node if isinstance(question, Point) else "") or step.look.node, *step.look.beside)
    places = (engine.graph.find(node) for node in dict.fromkeys(looked_at) if node and node not in question.covers)
    tables = (_table(engine, place.node, place.head) for place in places if place is not None)
    shown = (_on_a_line(one, engine) for one in tables if one is not None)
    said, asked = step.paper or step.words, question.paper or question.ask
    return (html(said, numbers), *shown, html(asked, numbers))


def bare(html: str) -> str:
    """A text of one paragraph, without the paragraph."""
    return html.removeprefix("<p>").removesuffix("</p>")


def strong(html: str) -> str:
    """Paragraphs in bold."""
    return html.replace("<p>", "<p><b>").replace("</p>", "</b></p>")


def letter_of(place: int) -> str:
    """The letter of an answer."""
    return chr(ord("A") + place)


def done_wrong(item: NumberItem, answer: float) -> str:
    """A sentence about a wrong number, which does not tell the right one: what was done wrong, or what is off."""
    said = judge(item.question, float(answer), item.state, item.engine).meanwhile
    return said if said.startswith(("No", "Right")) else f"No. {said}"


def answered(item: Item, answer: float | int) -> tuple[bool, str]:
    """Whether an answer is right, and the name of the mistake that gives it; "" if none is known."""
    if isinstance(item, NumberItem):
        right, mistake = right_or_mistake(item.question, float(answer), item.engine)
        return right, mistake.name if mistake else ""
    option = item.options[int(answer)]
    return option.right, "" if option.right else f"chose {letter_of(int(answer))}"
