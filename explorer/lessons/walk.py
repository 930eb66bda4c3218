"""A student's walk through a lesson: the present step, the answers, and the numbers drawn for this student.

`ladder`: the hints of a question, and at the end the derivation of the answer.

Practice questions are about the same computation on fresh numbers, with some steps of the derivation left out. After a
worked example, the last step is missing, then the last two, then all steps (backward fading: Renkl & Atkinson 2003,
Educational Psychologist 38).
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from zlib import crc32

import numpy as np

from explorer.core.cell import Operand, operands
from explorer.core.derivation import Row, chain
from explorer.core.engine import Engine, Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.numbers import read_number, written
from explorer.core.ops import Array
from explorer.document.commands import Replace, SetArray
from explorer.document.state import State, read_only
from explorer.lessons.answers import TRIES, Answer, Verdict, judge, right_places, values_of
from explorer.lessons.mistakes import DECIMALS, Part, derivation, half_unit, leeway
from explorer.lessons.progress import LessonProgress, ProgressFolder
from explorer.lessons.schema import ALL, Choose, Lesson, MakeSo, Point, Predict, Question, Step, states_of

MISSING = "?"
"""The text in place of a number to fill in, as in covered cells of a page."""
_SEVERAL = 4
_ROUNDING = 1e-12
"""A number nearer to 0 than this is 0 but for rounding."""
_STATES = 16
_DRAWS = 20
"""How often numbers are drawn to get a result worth computing; if none is, the last numbers are used."""


class Blank(Frozen):
    """A number of a derivation that the student fills in."""

    # `part`, `row`: the indices of its part and its row.
    part: int
    row: int
    value: float  # the number as the derivation writes it
    digits: int  # the decimals to type

    def judge(self, typed: float) -> Verdict:
        """Whether the number fits, with a tolerance for the rounding of the numbers that it is computed from."""
        right = abs(typed - self.value) <= leeway(self.value, self.digits) + half_unit(DECIMALS)
        shown = written(self.value, self.digits)
        return Verdict(right, f"Right: {shown}." if right else f"No: it is {shown}.")


class Faded(Frozen):
    """A derivation with gaps."""

    # `parts`, `whole`: (name of a node or "", rows), with gaps and without. In `parts` a missing number is `MISSING`,
    # and a row that needs it has its name instead; if all are missing, rows do not show how they are computed.
    parts: tuple[Part, ...]
    whole: tuple[Part, ...]
    blanks: tuple[Blank, ...]  # in reading order; the last is the asked number


def faded(question: Predict, engine: Engine) -> Faded:
    """The derivation that a question is about, without its result and its last steps.

    `question`: its `fade` says how many steps are left out in addition to the result. There are no gaps in a number
    that nothing computes: an input, or a pinned cell.
    """
    derived = derivation(engine, question.node, question.cell, question.of, question.learned)
    if not derived:
        return Faded((), (), ())
    *before, (node, last) = derived
    while len(last) > 1 and _repeats(*last[-2:]):
        last = last[:-1]  # the number before it would be the answer
    parts = (*before, (node, last))
    found = [
        Blank(p, r, value, question.digits)
        for p, (_, rows) in enumerate(parts)
        for r, row in enumerate(rows)
        if (value := _number(row)) is not None
    ]
    alone = question.fade == ALL
    wanted = len(found) if alone else question.fade + 1
    blanks = tuple(found[len(found) - wanted :]) if wanted < len(found) else tuple(found)
    hidden = {(blank.part, blank.row): parts[blank.part][1][blank.row] for blank in blanks}

    def without(row: Row, place: tuple[int, int]) -> Row:
        expression = "" if alone else row.expression
        if row.kind != "term":  # a missing number must not be readable in a row that needs it
            for before, one in reversed(hidden.items()):  # equal numbers: replace the nearest one, once
                if before < place and one.kind != "term":
                    written = re.escape(_bare(one.value)) + "0*" * ("." in one.value)
                    number = rf"(?<![\d.])(?:\({written}\)|{written})(?!\d)"
                    expression = re.sub(number, f"“{one.label}”" if one.label else MISSING, expression, count=1)
        value = MISSING if place in hidden else row.value
        return replace(row, label=_label(row, alone), expression=expression, value=value)

    gaps = [(name, tuple(without(row, (p, r)) for r, row in enumerate(rows))) for p, (name, rows) in enumerate(parts)]
    return Faded(tuple(gaps), parts, blanks)


def _repeats(before: Row, row: Row) -> bool:
    """Whether a row only repeats the one before it: times a γ of 1, plus a bias of 0."""
    if _bare(row.value) != _bare(before.value) or row.of is None or "term" in (before.kind, row.kind):
        return False
    last, _ = row.of
    idle = {"multiply": 1.0, "add": 0.0}.get(last.function, np.nan)
    return any(isinstance(one, Operand) and np.array_equal(one.value, idle) for one in last.arguments)


def _bare(number: str) -> str:
    """A number as it stands in any row: rows differ in how many zeros they write behind its decimals."""
    return number.rstrip("0") if "." in number else number


def _label(row: Row, alone: bool) -> str:
    """The label of a row in a derivation with gaps; `alone`: the row does not show how it is computed."""
    if row.kind != "term":
        return row.label or "result"
    if row.label.isdecimal():  # the axis has numbers as labels
        return f"{row.noun or 'number'} {row.label}"
    if not alone or not row.noun:
        return row.label
    return f"{row.noun} for “{row.label}”" if row.label else row.noun


def _number(row: Row) -> float | None:
    """The value of a row; None if it is no finite number."""
    if not row.value or row.kind == "heading":
        return None
    try:
        value = read_number(row.value)
    except ExplorerError:
        return None
    return value if np.isfinite(value) else None


def fresh_numbers(question: Predict, state: State, seed: int) -> State:
    """The state with other numbers in the nodes that the asked number is computed from; the same for the same seed.

    Inputs are set and computed nodes are pinned, so that the derivation begins with numbers that are easy to read.
    Nodes of whole numbers, of equal numbers (γ, a scale) or of only 0 and 1, and masked cells, stay as they are; shares
    stay shares. Numbers are drawn again if the result is 0 or the same as before, which would need no computing, if it
    is infinite, such as the log of a probability of 0, or if a sum that should be 0 is only nearly 0, such as −1.3e−17.

    `seed`: the seed of this student and this step.
    """
    place, (engine, parents) = state.graph.place(question.node), _read(question.node, question.cell, state)
    if not parents:
        return state
    known = (0.0, float(engine.value(place)[question.cell]))
    needed = state.graph.towards(place.node)
    above = [node for node in state.graph.nodes.values() if node.name in needed]
    random, fresh = np.random.default_rng(seed), state
    for _ in range(_DRAWS):
        fresh = state
        for parent in parents:
            drawn = _drawn(engine.values[parent], random)
            if drawn is not None:
                fresh = _given(parent, drawn, fresh)
        # Recompute only the values that the asked one depends on.
        computed = dict(engine.values)
        run(above, fresh.used, computed, fresh.pins, parents)
        values = computed[place.node][place.index]
        is_other = all(abs(values[question.cell] - number) > half_unit(question.digits) for number in known)
        if is_other and np.isfinite(values[question.cell]) and not ((values != 0) & (abs(values) < _ROUNDING)).any():
            break
    return fresh


@lru_cache(_STATES)
def _read(node: str, cell: tuple[int, ...], state: State) -> tuple[Engine, tuple[str, ...]]:
    """The values of a state, and the nodes that a number is computed from. Cached: many students share one state."""
    engine, graph = values_of(state), state.graph
    place = graph.place(node)
    found = chain(engine, place.node, (*place.index, *cell))
    if not found:
        return engine, ()
    name, _, last = found[0]
    read = {operand.node for operand in operands(last)}
    return engine, tuple(dict.fromkeys(one for one in graph.nodes[name].parents if one in read))


def _given(name: str, drawn: Array, state: State) -> State:
    """The state with other numbers in a node: an input is set, a computed node is pinned."""
    if state.graph.nodes[name].is_input:
        return SetArray(name, drawn).apply(state)
    held = np.isfinite(drawn)
    values = np.where(held, drawn, 0).astype(drawn.dtype)
    if (before := state.pins.get(name)) is not None:
        held, values = held | before.cells, np.where(held, values, before.values)
    return replace(state, pins={**state.pins, name: Pin(read_only(held), read_only(values))})


def _drawn(array: Array, random: "np.random.Generator") -> Array | None:
    """Other numbers of a similar size, with at most one decimal; None if the numbers should stay."""
    known = np.isfinite(array)
    numbers = array[known]
    if array.dtype.kind != "f" or not array.ndim or not numbers.size or ((numbers == 0) | (numbers == 1)).all():
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        return None
    if low >= 0 and np.allclose(np.where(known, array, 0).sum(-1), 1):
        return np.apply_along_axis(_shares, -1, array, random)
    step = 1.0 if np.array_equal(numbers, np.rint(numbers)) else 0.1
    most = min(max(abs(low), abs(high), _SEVERAL * step), 20 * step * _SEVERAL)
    first, last = (0 if low >= 0 else -round(most / step)), round(most / step)
    steps = random.integers(first, last, array.shape)
    steps += steps >= 0  # no 0: a product with it is no exercise, and 0 × 0 hides which numbers were taken
    drawn = np.where(known, np.round(steps * step, 1), array)
    return drawn.astype(array.dtype)


def _shares(row: Array, random: "np.random.Generator") -> Array:
    """Random shares that add up to 1, in tenths, or in hundredths or less if there are many; shares of 0 stay 0."""
    open_ = np.flatnonzero(row > 0)
    if len(open_) < 2:
        return row
    unit = 10 if len(open_) <= _SEVERAL + 1 else 100
    while unit < len(open_):  # each share is at least one unit
        unit *= 10
    cuts = np.sort(random.choice(np.arange(1, unit), len(open_) - 1, replace=False))
    drawn = np.zeros_like(row)
    drawn[open_] = np.diff([0, *cuts, unit]) / unit
    return drawn


Hint = str | tuple[Part, ...]
"""Markdown, or a derivation."""


# The walk


def ladder(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """All hints in the order in which they are given; the last one is a derivation if the answer has one."""
    match question:
        case Point() if question.extreme and question.at == "cell":
            return (*question.hints, derivation(engine, question.node, right_places(question, engine)[0]))
        case Point() if question.extreme and question.at == "token" and question.row is not None:
            ((column,), *_) = right_places(question, engine)
            return (*question.hints, derivation(engine, question.node, (question.row, column)))
        case Choose():
            return (*question.hints, *([question.why] if question.why else []))
    learned = question.learned if isinstance(question, Predict) else None
    last = () if question.derived is None else (derivation(engine, *question.derived, learned),)
    return (*question.hints, *last)


@dataclass
class Attempt:
    """The tries at a question since the start of the program."""

    tried: list[Answer] = field(default_factory=list)  # the answers given, in order, each once
    verdict: Verdict | None = None  # the verdict on the last answer
    hints: int = 0  # how many hints were taken
    again: bool = False  # whether the question is asked again, whatever was answered before
    done: bool = False  # whether the question is over
    told: bool = False  # whether the answer was shown to a student who gave none
    typed: dict[int, str] = field(default_factory=dict)  # what is typed, by the place of its field among the fields
    # The last wrong number whose mistake was recognised, and its derivation.
    known: tuple[float, tuple[Part, ...]] | None = None

    @property
    def tries_left(self) -> int:
        """How many tries are left."""
        return 0 if self.done else TRIES - len(self.tried)

    @property
    def compared(self) -> tuple[float, tuple[Part, ...]] | None:
        """A wrong number and its derivation, to show beside the right one after the question is over."""
        wrong = self.verdict is not None and not self.verdict.right
        return self.known if self.done and wrong else None


class Walk:
    """A walk through a lesson with steps. The progress is saved after each change, if there is a folder for it.

    `sitting`: the number of this run of the program; in each run, choices are shown in another order.
    """

    def __init__(self, lesson: Lesson, folder: ProgressFolder | None = None, sitting: int = 0) -> None:
        # `states`: without the fresh numbers.
        self.lesson, self.states, self._folder, self._sitting = lesson, states_of(lesson), folder, sitting
        self.progress = folder.load(lesson.id) if folder is not None else LessonProgress(lesson.id)
        ids = [step.id for step in lesson.steps]
        # The index of the present step: at first the step where the student stopped last time.
        stopped = self.progress.step
        if stopped not in ids:  # a newer version of the lesson may lack that step: then the last visited one it has
            stopped = next((step for step in reversed(self.progress.seen) if step in ids), "")
        self.at = ids.index(stopped) if stopped in ids else 0
        self._drawn: dict[int, tuple[State, Engine]] = {}

    @property
    def step(self) -> Step:
        """The present step."""
        return self.lesson.steps[self.at]

    def state(self, at: int) -> State:
        """The state of a step, with this student's own numbers if its question draws fresh ones."""
        return self._of_student(at)[0] if self._is_fresh(at) else self.states[at]

    def engine(self, at: int) -> Engine:
        """The values of the state of a step."""
        return self._of_student(at)[1] if self._is_fresh(at) else self.states.engine(at)

    def take(self, at: int, engine: Engine) -> None:
        """Keep the values of a step's state that were computed elsewhere."""
        if not self._is_fresh(at):
            self.states.take(at, engine)

    def before(self, at: int) -> State | None:
        """The state of a step without its changes; None if it has no changes, or draws fresh numbers."""
        step = self.lesson.steps[at]
        if self._is_fresh(at) or not (step.edits or step.training):
            return None
        if step.setting or not at:
            return self.lesson.state(step.setting or None)
        return self.states[at - 1]

    def go(self, at: int) -> Replace:
        """Go to a step; returns the command that brings a document there. For the present step, that is a reset.

        Raises `ExplorerError`: "not-written" if the progress cannot be saved.
        """
        command = Replace(self.state(at), f"Step: {self.lesson.steps[at].title}")
        self.at = at
        self._keep(self.progress.at(self.step.id))
        return command

    def resume(self, at: int, progress: LessonProgress) -> None:
        """Go to a step, and join the progress that was made elsewhere.

        Raises `ExplorerError`: "not-written" if the progress cannot be saved.
        """
        self.at = at
        self._keep(self.progress.joined(progress).at(self.step.id))

    def order(self, at: int) -> tuple[int, ...]:
        """The indices in the file of a question's choices, in the order in which they are shown.

        It is random, so that nobody learns the right place: another one for each student, sitting and step.
        """
        step = self.lesson.steps[at]
        assert isinstance(step.question, Choose)
        places = np.arange(len(step.question.choices))
        if step.question.mixed:
            about = f"{self.progress.seed} {self._sitting} {self.lesson.id} {step.id}"
            np.random.default_rng(crc32(about.encode())).shuffle(places)
        return tuple(places.tolist())

    # The question of the present step

    def answer(self, answer: Answer, hints: int = 0, again: bool = False) -> Verdict:
        """Judge an answer, given after so many hints, and save the result.

        `again`: whether the question is repeated from an earlier lesson.
        Raises `ExplorerError`: "not-written" if the progress cannot be saved.
        """
        question = self.step.question
        assert question is not None
        verdict = judge(question, answer, self.state(self.at), self.engine(self.at))
        opening = self._folder.open(date.today()) if self._folder is not None else 0
        self._keep(self.progress.answered(self.step.id, verdict.right, hints, opening, again))
        return verdict

    def hints(self) -> tuple[Hint, ...]:
        """All hints for the question, in their order."""
        assert self.step.question is not None
        return ladder(self.step.question, self.engine(self.at))

    def told(self) -> tuple[Hint, ...]:
        """What is shown to a student who gives no answer: why a choice is right, a way to a goal, or a derivation."""
        question = self.step.question
        if isinstance(question, MakeSo):
            from explorer.lessons.replay import way_named

            return (way_named(question, self.state(self.at), self.engine(self.at)),)
        if isinstance(question, Choose):
            return tuple(choice.why for choice in question.choices if choice.right and choice.why)
        return tuple(hint for hint in self.hints()[-1:] if not isinstance(hint, str))

    def gaps(self) -> Faded | None:
        """The derivation with gaps; None if the question has none."""
        question = self.step.question
        if not isinstance(question, Predict) or not question.fade:
            return None
        return faded(question, self.engine(self.at))

    def _is_fresh(self, at: int) -> bool:
        question = self.lesson.steps[at].question
        return isinstance(question, Predict) and question.fresh

    def _of_student(self, at: int) -> tuple[State, Engine]:
        if at not in self._drawn:
            step = self.lesson.steps[at]
            assert isinstance(step.question, Predict)
            seed = crc32(f"{self.progress.seed} {self.lesson.id} {step.id}".encode())
            state = fresh_numbers(step.question, self.states[at], seed)
            self._drawn[at] = state, values_of(state)
        return self._drawn[at]

    def _keep(self, progress: LessonProgress) -> None:
        self.progress = progress
        if self._folder is not None:
            self._folder.save(progress)
