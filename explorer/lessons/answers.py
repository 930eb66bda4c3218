"""Judges answers: whether an answer is right, and which mistake explains a wrong one.

The goal of a `MakeSo` is written in a tiny language over the cells of a model, parsed here and never run as code:

``argmax(weights[friend]) == she`` and ``scores[friend, Emma] > 2`` (also ``<``, ``>=``, ``<=``, and ``~ 2 ± 0.1``),
joined by ``and``.
"""

import re
from math import isfinite, log10
from operator import ge, gt, le, lt

import numpy as np

from explorer.core.cell import is_cell_of
from explorer.core.engine import Engine, fresh, same_bytes
from explorer.core.frozen import Frozen
from explorer.core.numbers import decimals_of, formatted, in_table, quantity, written
from explorer.core.ops import Array
from explorer.document.state import State
from explorer.lessons.mistakes import (
    ROUNDED,
    Mistake,
    Part,
    array_of,
    decimals_typed,
    derivation,
    half_unit,
    leeway,
    likely,
    names_apart,
)
from explorer.lessons.schema import Cell, Choose, Condition, MakeSo, Point, Predict, Question
from explorer.lessons.symbols import Names, UnknownNameError, formula_text, split_cell

_LARGEST = re.compile(r"argmax\((?P<row>.+)\)\s*==\s*(?P<label>.+)")
_COMPARED = re.compile(
    r"(?P<cell>[^\[<>~]+?(?:\[.*\])?)\s*(?P<sign>>=|<=|>|<|~)\s*(?P<number>[^±]+?)\s*(?:±\s*(?P<tolerance>.+))?"
)
_TOLERANCE = 0.005


def read_goal(text: str, names: Names) -> tuple[Condition, ...]:
    """The conditions that a goal consists of.

    Raises `UnknownNameError` if it contains an unknown name, or is no goal.
    """
    return tuple(_condition(" ".join(part.split()), names) for part in re.split(r"\sand\s(?!and\s)", text))


def _condition(text: str, names: Names) -> Condition:
    if match := _LARGEST.fullmatch(text):
        name, labels = split_cell(match["row"])
        axes = names.axes(name)
        if not axes or len(labels) != len(axes) - 1:
            raise UnknownNameError("row", match["row"], "name one row, as in argmax(weights[friend]) == she.")
        found = names.cell(name, [*labels, match["label"]])
        return Condition(name, found[:-1], "argmax", found[-1])
    if match := _COMPARED.fullmatch(text):
        name, cell = names.written_cell(match["cell"])
        tolerance = _number(match["tolerance"]) if match["tolerance"] else _TOLERANCE
        if tolerance < 0:
            raise UnknownNameError("tolerance", match["tolerance"], "write one such as 0.1.")
        return Condition(name, cell, match["sign"], _number(match["number"]), tolerance)
    raise UnknownNameError("goal", text, "write argmax(NODE[row]) == label, or NODE[row, column] > number.")


def _number(text: str) -> float:
    try:
        number = float(text.replace("−", "-"))
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise UnknownNameError("number", text, "write one such as 0.5.")
    return number


def holds(condition: Condition, engine: Engine) -> bool:
    """Whether a condition is met; False if its node or cell no longer exists."""
    place = engine.graph.find(condition.node)
    if place is None or not is_cell_of(condition.compared, engine.value(place).shape):
        return False
    value = engine.value(place)[condition.cell]
    number = condition.number
    if condition.sign == "argmax":
        return bool(value[int(number)] == value.max()) and np.count_nonzero(value == value.max()) == 1
    if condition.sign in _SIGNS:
        return bool(_SIGNS[condition.sign][0](value, number))
    return bool(abs(value - number) <= condition.tolerance)


_SIGNS = {">": (gt, "more than"), ">=": (ge, "at least"), "<": (lt, "less than"), "<=": (le, "at most")}
"""For each sign of a condition, when it holds, and its words."""


FEWER = "too few decimals"
"""The name of the mistake of a number that is right to fewer decimals than are asked for."""
TRIES = 3
"""After this many wrong answers the right one is told."""
Answer = float | int | Cell | State
"""A typed number; the index of a choice; a place as in `Point.right`; or, for `MakeSo`, the state that was made."""


class Verdict(Frozen):
    """The judgement of an answer."""

    right: bool
    sentence: str  # plain text, or Markdown if a choice has a sentence of its own
    mistake: Mistake | None = None  # the mistake that gives the typed number
    derivation: tuple[Part, ...] = ()  # (name of a node or "", rows): the derivation of the right number
    places: tuple[Cell, ...] = ()  # for a question to point at a place: the right places
    meanwhile: str = ""  # replaces `sentence`, which tells the right answer, while the student may try again

    def said(self, over: bool) -> str:
        """The sentence to show; `over`: whether the student may no longer try, and so the right answer is told."""
        return self.sentence if over or not self.meanwhile else self.meanwhile


def is_over(question: Question, verdict: Verdict, tries: int) -> bool:
    """Whether the question is over: the last of `tries` answers was right, or there were enough tries."""
    return verdict.right or (not question.made and tries >= TRIES)


def judge(question: Question, answer: Answer, state: State, engine: Engine | None = None) -> Verdict:
    """Judge an answer of the kind that the question asks for.

    `state`: the state that the question is about, for a `MakeSo` that at the start of the step; `engine`: one with its
    values, if there is one.
    """
    match question:
        case Predict():
            assert isinstance(answer, int | float)
            return _predicted(question, float(answer), engine or values_of(state))
        case Choose():
            assert isinstance(answer, int)
            choice = question.choices[answer]
            return Verdict(choice.right, choice.why or "Right." * choice.right)
        case Point():
            assert isinstance(answer, tuple)
            return _pointed(question, answer, engine or values_of(state))
        case MakeSo():
            assert isinstance(answer, State)
            return _made(question, answer, state)
        case _:
            raise TypeError(type(question).__name__)


def values_of(state: State) -> Engine:
    """A new engine with all values of a state."""
    return fresh(state.graph, state.used, state.pins)


# A number


def right_or_mistake(question: Predict, typed: float, engine: Engine) -> tuple[bool, Mistake | None]:
    """Whether a typed number is right; if not, the mistake that gives it, if one is known."""
    right = float(array_of(engine, question.node, question.of)[question.cell])
    digits = question.digits
    if typed == right or (isfinite(typed) and isfinite(right) and abs(typed - right) <= leeway(right, digits)):
        return True, None
    if not isfinite(typed) or not isfinite(right):
        return False, likely(engine, question, typed) if isfinite(typed) else None
    if so_far := right_so_far(typed, right, digits):
        return False, Mistake(FEWER, f"Right to {quantity(so_far, 'decimal')}, but {digits} are asked for", typed)
    mistake = likely(engine, question, typed)
    if mistake is None or (mistake.name in ROUNDED and is_whole_of(typed, right, digits)):
        mistake = _in_digits(typed, right, digits)
    return False, mistake


def _in_digits(typed: float, right: float, digits: int) -> Mistake | None:
    """What a wrong number that no known mistake gives has of the right one; None for nothing."""
    if is_whole_of(typed, right, digits):
        asked = f"{digits} decimal{'s are' if digits > 1 else ' is'} asked for"
        return Mistake(FEWER, f"Right to the whole number, but {asked}", typed)
    if is_whole_of(-typed, right, digits) or right_so_far(-typed, right, digits):
        return Mistake("sign", "That has the wrong sign, and fewer decimals than are asked for", typed)
    one_off = Mistake("last decimal", "That is off by one in the last decimal", typed)
    if digits and abs(typed - round(right, digits)) <= 2 * half_unit(digits) and one_off.is_near(right):
        return one_off
    figures = len(f"{abs(typed):.12g}".replace(".", "").strip("0"))
    for power, times in _TIMES.items():
        if figures > 1 and f"{typed:.{figures - 1}e}" == f"{right * 10.0**power:.{figures - 1}e}":
            return Mistake("decimal point", f"That is {times} the right number", typed)
    return None


_TIMES = {1: "10 times", -1: "a tenth of", 2: "100 times", -2: "a hundredth of", 3: "1000 times", -3: "a thousandth of"}
"""In words, by how much a number is too large for each place by which the decimal point is off."""


def _predicted(question: Predict, typed: float, engine: Engine) -> Verdict:
    node, cell, digits = question.node, question.cell, question.digits
    right = float(array_of(engine, node, question.of)[cell])
    how = derivation(engine, node, cell, question.of, question.learned)
    difference = typed - right if isfinite(typed) and isfinite(right) else None
    is_right, mistake = right_or_mistake(question, typed, engine)
    if is_right:
        return Verdict(True, f"Right: {written(right, digits)}.", None, how)
    expected = f"the number is {written(right, max(digits, _needed(right, digits)))}"
    if mistake is not None:
        meanwhile = mistake.sentence
        sentence = f"{meanwhile}; {expected}."
    elif difference is not None and not (typed in (0, 1) and _is_yes_or_no(array_of(engine, node, question.of))):
        way = "large" if difference > 0 else "small"
        meanwhile = f"No: your number is too {way}"
        apart = written(abs(difference), digits or decimals_typed(typed))  # 0.33 is not 1 too small for 1
        sentence = f"No: {expected}. Yours is {apart} too {way}."
    else:
        meanwhile, sentence = "No", f"No: {expected}."
    return Verdict(False, sentence, mistake, how, meanwhile=f"{meanwhile}.")


def _is_yes_or_no(array: Array) -> bool:
    """Whether a table has only numbers 0 and 1; a single 0, such as a dot product, is a number like others."""
    return array.size > 1 and bool(np.isin(array, (0, 1)).all())


def right_so_far(typed: float, right: float, digits: int) -> int:
    """To how many decimals a number typed with fewer than asked for (or zeros behind them) is right; 0 if to none.

    A typed 0 has no digit of the right number: more likely something was forgotten.
    """
    fewer = range(1, digits) if typed else ()
    return next((d for d in fewer if abs(typed - right) <= half_unit(d) and round(typed, d) == typed), 0)


def is_whole_of(typed: float, right: float, digits: int) -> bool:
    """Whether decimals are asked for, and what was typed is the right number, rounded to a whole one other than 0."""
    return digits > 0 and isfinite(right) and abs(right) >= 1 and typed == round(right)


def _needed(value: float, digits: int) -> int:
    """The decimals to write a number with: `digits`, or more if a small number would else be written as 0."""
    return digits if not value or not isfinite(value) or abs(value) >= 10.0**-digits else int(-log10(abs(value))) + 2


# A place


def right_places(question: Point, engine: Engine) -> tuple[Cell, ...]:
    """The right answers of a question to point at a place; none if an edit took away the row or all numbers."""
    if not question.extreme:
        return question.right
    value = np.array(engine.value(engine.graph.place(question.node)), dtype=np.float64)
    lead: Cell = ()
    if question.row is not None:
        if question.row >= value.shape[-2]:
            return ()
        value, lead = value[..., question.row, :], (question.row,)
    if np.isnan(value).all():
        return ()
    masked = np.isneginf(value)
    if not masked.all():
        value[masked] = np.nan  # masked cells do not count as the smallest
    wanted = np.nanmax(value) if question.extreme == "largest" else np.nanmin(value)
    found = [tuple(map(int, cell)) for cell in np.argwhere(value == wanted)]
    if question.at == "cell":
        return tuple((*cell[: len(cell) - 1], *lead, cell[-1]) for cell in found)
    return tuple(dict.fromkeys((cell[-1 if question.at == "token" else 0],) for cell in found))


def _pointed(question: Point, answer: Cell, engine: Engine) -> Verdict:
    places = right_places(question, engine)
    if answer in places:
        return Verdict(True, "Right.", places=places)
    shown = " or ".join(place_named(question, place, engine) for place in places[:3])
    pointed = place_named(question, answer, engine)
    if not question.extreme:
        elsewhere = _in_another_line(question, answer, places, engine)
        return Verdict(False, f"No: it is {shown}.", places=places, meanwhile=elsewhere or f"No, not {pointed}.")
    numbers = engine.value(engine.graph.place(question.node))
    sentence = f"No: the {question.extreme} number is at {shown}"
    own = _cell_of(question, answer, numbers.ndim)
    theirs = _cell_of(question, places[0], numbers.ndim)
    if own is None or theirs is None:
        return Verdict(False, f"{sentence}.", places=places, meanwhile=f"No, not {pointed}.")
    sentence += f", {_shown(numbers, theirs)}; at {pointed} it is {_shown(numbers, own)}."
    comparative = "larger" if question.extreme == "largest" else "smaller"
    if question.row is not None and numbers.ndim > 1 and own[-2] != question.row:
        meanwhile = _look_along(question, own[-2], question.row, engine)
    else:
        meanwhile = f"No: {_shown(numbers, own)} at {pointed}. There is a {comparative} number."
    return Verdict(False, sentence, places=places, meanwhile=meanwhile)


def _shown(numbers: Array, cell: Cell) -> str:
    """A number of a node as the page shows it, in the matrix to which it belongs."""
    return in_table(float(numbers[cell]), decimals_of(numbers[cell[:-2]]))


def _look_along(question: Point, row: int, asked: int, engine: Engine) -> str:
    axes = engine.graph.axes_of(engine.graph.place(question.node))
    names = names_apart(engine.labels(axes[-2]))
    return f"No: that is in the row of “{names[row]}”. Look along the row of “{names[asked]}”."


def _in_another_line(question: Point, answer: Cell, places: tuple[Cell, ...], engine: Engine) -> str:
    """What is said of a cell in another row than the one that the question names, or in a wrong row and column."""
    rows, columns = ({place[axis] for place in places if len(place) > 1} for axis in (-2, -1))
    if question.at != "cell" or answer[-2] in rows:
        return ""
    axes = engine.graph.axes_of(engine.graph.place(question.node))
    if len(rows) == 1:
        (asked,) = rows
        if re.search(rf"(?<!\w){re.escape(engine.labels(axes[-2])[asked])}(?!\w)", question.ask):
            return _look_along(question, answer[-2], asked, engine)
    if len(columns) == 1 and answer[-1] not in columns:
        name = names_apart(engine.labels(axes[-1]))[answer[-1]]
        return f"No: that is in the column “{name}”. Look in another column."
    return ""


def _cell_of(question: Point, place: Cell, ndim: int) -> Cell | None:
    """The cell that a place means; None if the place is no single cell."""
    if question.at == "cell":
        return place
    if question.at == "token" and question.row is not None and ndim == 2:
        return (question.row, *place)
    return None


def place_named(question: Point, place: Cell, engine: Engine) -> str:
    """A place in words: "head 2", "friend → Emma", "the (2 of 2) → cat", "“,” → cat"."""
    if question.at == "head":
        return f"head {place[0] + 1}"
    axes = (question.axis,) if question.at == "token" else engine.graph.axes_of(engine.graph.place(question.node))
    names = (names_apart(engine.labels(axis)) for axis in axes)
    called = [along[i] if i < len(along) else str(i) for along, i in zip(names, place, strict=False)]
    return " → ".join(one if any(map(str.isalnum, one)) else f"“{one}”" for one in called)


# A goal


def _made(question: MakeSo, made: State, began: State) -> Verdict:
    if made.model != began.model:
        return Verdict(False, "Here only numbers may be changed; undo takes back the words and switches.")
    if made.pins.keys() != began.pins.keys() or any(made.pins[name] is not pin for name, pin in began.pins.items()):
        told = "A number that is held by hand does not count; release it, and change what it comes from."
        return Verdict(False, told)
    changed = _changed_cells(made, began)
    for name, cells in changed.items():
        if question.allowed and not all(_is_allowed(question, made, name, cell) for cell in cells):
            graph = made.graph
            symbols = dict.fromkeys(graph.nodes[graph.place(one).node].symbol for one in question.allowed)
            another, here = ("Another ", " of this step") if graph.nodes[name].symbol in symbols else ("", "")
            allowed = " and ".join(map(formula_text, symbols))
            one = formula_text(graph.nodes[name].symbol)
            return Verdict(False, f"{another}{one} was changed; change only {allowed}{here}.")
    count = sum(map(len, changed.values()))
    if question.edits and count > question.edits:
        few = "one number" if question.edits == 1 else f"{question.edits} numbers"
        return Verdict(False, f"{count} numbers were changed; change only {few}.")
    engine = values_of(made)
    missing = [_told(condition, engine) for condition in question.conditions if not holds(condition, engine)]
    if missing:
        return Verdict(False, f"Not yet: {'. '.join(missing)}.")
    numbers = [one for one in question.conditions if one.sign != "argmax"]
    reached = ", ".join(f"{cell_named(one.node, one.cell, engine)} became {_now(one, engine)}" for one in numbers)
    return Verdict(True, f"Right: {reached or 'it is so'}.")


def _changed_cells(made: State, began: State) -> dict[str, list[Cell]]:
    now, was = made.used, began.used
    changed = {}
    for name in was:
        if now[name] is not was[name] and not same_bytes(now[name], was[name]):
            cells = np.argwhere(np.atleast_1d(now[name] != was[name])).tolist()
            changed[name] = [tuple(cell[: now[name].ndim]) for cell in cells]
    return {name: cells for name, cells in changed.items() if cells}


def _is_allowed(question: MakeSo, state: State, name: str, cell: Cell) -> bool:
    places = filter(None, map(state.graph.find, question.allowed))
    return any(place.node == name and place.head in (None, *cell[:1]) for place in places)


def _told(condition: Condition, engine: Engine) -> str:
    """A text on why a condition does not hold."""
    place = engine.graph.find(condition.node)
    if place is None:
        return f"{condition.node} is not there any more"
    value = engine.value(place)
    if condition.sign == "argmax":
        row, labels = value[condition.cell], engine.labels(engine.graph.axes_of(place)[-1])
        largest = [f"“{labels[i]}”" for i in np.flatnonzero(row == np.fmax.reduce(row))]
        now = f"{' and '.join(largest[:3])}{', equally large' * (len(largest) > 1)}"
    else:
        now = _now(condition, engine)
    return f"{goal_named(condition, engine)}; {f'it is {now}' if now else 'there is none'}"


def _now(condition: Condition, engine: Engine) -> str:
    return written(float(engine.value(engine.graph.place(condition.node))[condition.cell]), 3)


def cell_named(node: str, cell: Cell, engine: Engine) -> str:
    """A cell of a node, or of a head's slice of one: "P [x → mat]"."""
    place = engine.graph.place(node)
    axes, name = engine.graph.axes_of(place), formula_text(engine.graph.nodes[place.node].symbol)
    labels = [engine.labels(axis)[i] for axis, i in zip(axes, cell, strict=False)]
    return f"{name} [{' → '.join(labels)}]" if any(labels) else name


def goal_named(condition: Condition, engine: Engine) -> str:
    """A condition in words: "the largest number in the row “friend” of A should be that of “she”"."""
    graph = engine.graph
    place = graph.place(condition.node)
    axes, name = graph.axes_of(place), formula_text(graph.nodes[place.node].symbol)
    labels = [engine.labels(axis)[i] for axis, i in zip(axes, condition.cell, strict=False)]
    if condition.sign == "argmax":
        row = f"the row “{labels[0]}” of {name}" if labels else name
        wanted = engine.labels(axes[-1])[int(condition.number)]
        return f"the largest number in {row} should be that of “{wanted}”"
    number = formatted(condition.number, "g")
    if condition.sign in _SIGNS:
        wanted = f"{_SIGNS[condition.sign][1]} {number}"
    else:
        wanted = f"{number}, give or take {condition.tolerance:g}"
    return f"{cell_named(condition.node, condition.cell, engine)} should be {wanted}"
