"""Every number that the references print, one by one: what is printed, what is computed, and how the two compare.

The first half computes and checks the figures, slips and claims of the references.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from explorer.core.cell import Argument, Step
from explorer.core.engine import fresh
from explorer.core.errors import require_shape
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons import references
from explorer.lessons.answers import holds, read_goal
from explorer.lessons.loader import load
from explorer.lessons.schema import Cell
from explorer.lessons.symbols import Names
from explorer.words.catalogue import load as load_vectors
from explorer.words.catalogue import printed_words
from explorer.words.similarity import cosine


class Result(Frozen, eq=False):
    """A printed figure beside what its node computes."""

    figure: references.Figure
    computed: Array  # in the shape of the figure's values
    worst: float  # the largest difference between a computed and a printed number
    agrees: bool  # whether all differences are rounding, or have the reason that the figure gives


class SlipResult(Frozen, eq=False):
    """A slip beside what the node computes."""

    slip: references.Slip
    agrees: bool  # whether the node computes what we call right, and does not compute what is printed
    computed: Array  # what the node computes, in the shape of the figure's values


@cache
def check_figures() -> tuple[Result, ...]:
    """Compare every printed figure of the references with its node."""
    return tuple(_result(figure) for figure in references.figures())


@cache
def check_slips() -> tuple[SlipResult, ...]:
    """Check every slip that a node can prove: the node computes what we call right, and not what is printed."""
    results = []
    for slip in references.slips():
        if slip.figure is not None:
            result = _result(slip.figure)
            wrong = slip.wrong is not None and replace(slip.figure, values=slip.wrong).agrees(result.computed)
            results.append(SlipResult(slip, result.agrees and not wrong, result.computed))
    return tuple(results)


@cache
def _given(lesson: str, setting: str) -> State:
    """The state of a lesson's setting, cached because many figures, slips and claims need the same one."""
    return load(lesson).state(setting)


def _result(figure: references.Figure) -> Result:
    computed = compute(figure, _given(figure.lesson, figure.setting))
    worst = float(np.max(np.abs(np.where(np.isnan(figure.values), 0, computed - figure.values))))
    return Result(figure, computed, worst, figure.agrees(computed))


def compute(figure: references.Figure, state: State) -> Array:
    """The numbers that a lesson's setting, with the figure's own switches and numbers, computes for the figure.

    Raises `ExplorerError` if the figure names something that the lesson does not have.
    """
    state = state_of(figure, state)
    engine = Document(state).engine
    place = state.graph.place(figure.node)
    if figure.worked is not None:
        computed = _worked(engine.explain(figure.node, figure.worked), figure.part)
    elif figure.part == "shape":
        computed = np.asarray(engine.value(place).shape)
    elif figure.part == "gradient":
        computed = np.asarray(engine.gradient(place))
    else:
        computed = engine.value(place)
    if figure.cell is not None:
        computed = np.asarray(computed[figure.cell])
    require_shape(figure.node, figure.values.shape, computed.shape)
    return computed


def state_of(figure: references.Figure, state: State) -> State:
    """The model that computes a figure: its lesson's setting, with its own switches and numbers, after its descent."""
    state = _switched(state, figure.switches)
    for node, array in figure.inputs.items():
        state = SetCells(node, _cells(state, node, array)).apply(state)
    for node, array in figure.pins.items():
        state = PinCells(node, _cells(state, node, array)).apply(state)
    return state if figure.descent is None else _descended(figure, state)


def _switched(state: State, switches: Mapping[str, Any]) -> State:
    for key, value in switches.items():
        block, _, name = key.rpartition(".")
        state = SetSwitch(block, name, value).apply(state)
    return state


def _descended(figure: references.Figure, state: State) -> State:
    """The state after the figure's steps of plain gradient descent."""
    moved, taken = figure.descent, _steps(figure.lesson, figure.setting)
    assert moved is not None
    return SetCells(moved.node, _cells(state, moved.node, taken[moved.steps])).apply(state)


@cache
def _steps(lesson: str, setting: str) -> list[Array]:
    """The moving input before each step and after the last, for the most steps of any figure of a setting."""
    descents = [
        one.descent for one in references.figures() if (one.lesson, one.setting) == (lesson, setting) and one.descent
    ]
    last = max(descents, key=lambda one: one.steps)
    state = _given(lesson, setting)
    engine, inputs = fresh(state.graph, state.inputs, state.pins), dict(state.inputs)
    taken = [inputs[last.node]]
    for _ in range(last.steps):
        gradient = engine.gradient(state.graph.place(last.node))
        assert gradient is not None
        inputs[last.node] = inputs[last.node] - last.rate * gradient
        engine.update(state.graph, inputs, state.pins)
        taken.append(inputs[last.node])
    return taken


def _worked(last: Argument | None, part: str) -> Array:
    """The terms that a cell is the sum of, or their factors, in reading order."""
    assert last is not None
    if not isinstance(last, Step) or last.function not in ("add", "dot"):
        return np.atleast_1d(last.value)
    if last.function == "add":
        return np.concatenate([_worked(argument, part) for argument in last.arguments])
    left, right = (argument.value for argument in last.arguments)
    return np.asarray(left * right if part == "terms" else np.stack([left, right], axis=-1).ravel())


def _cells(state: State, name: str, array: Array) -> dict[tuple[int, ...], float]:
    place = state.graph.place(name)
    shape = tuple(len(state.graph.axes[axis]) for axis in state.graph.axes_of(place))
    require_shape(name, array.shape, shape)
    return {cell: float(value) for cell, value in np.ndenumerate(array)}


REPRODUCES, RETYPED, DIFFERS, CITED = "reproduces", "reproduces from the retyped inputs", "differs", "cited"
STATUSES = (REPRODUCES, RETYPED, DIFFERS, CITED)
"""*Reproduces*: the model computes it, to every printed digit. *From the retyped inputs*: the reference typed in
rounded results of its own, and the number follows exactly from these. *Differs*: the print is an error; the right
number is shown beside it. *Cited*: the reference has it from elsewhere, or nothing here computes it."""


class Scene(Frozen, eq=False):
    """The place in a model where a number is computed."""

    lesson: str
    setting: str
    node: str
    cell: Cell  # of the node, or of the head's slice of one
    figure: references.Figure | None = None  # a figure that adds its own switches and numbers to the setting

    def state(self) -> State:
        """The model that computes the number, with the figure's own switches and numbers."""
        state = load(self.lesson).state(self.setting)
        return state if self.figure is None else state_of(self.figure, state)


class PrintedNumber(Frozen, eq=False):
    """A number in a reference."""

    # `reference`, `section`, `title`: where it is printed; the title names its table or line.
    reference: str
    section: str
    title: str
    cell: Cell | None  # its index in the table
    # `printed`, `ours`: as printed, and as computed, with the same decimals; both are in words if a sentence is wrong
    # and not a number.
    printed: str
    ours: str
    off: float | None  # computed minus printed, if both are numbers
    status: str  # one of `STATUSES`
    agrees: bool = True  # whether the model computes what the files of the references expect
    why: str = ""  # a remark: the cause of a difference, the source of a citation
    scene: Scene | None = None  # where it is computed
    times: int = 1  # how often it is printed


@cache
def printed_numbers() -> tuple[PrintedNumber, ...]:
    """All printed numbers, by reference: tables and worked lines, then slips and claims, then citations.

    Computed once: each window shows them, and ``explorer check`` needs them beside the figures.
    """
    by_id = {(one.figure.reference, one.figure.id): one for one in check_figures()}
    found: dict[str, list[PrintedNumber]] = {reference.id: [] for reference in references.all_references()}
    for (reference, name), result in by_id.items():
        if not (name.endswith("-retyped") or result.figure.second):
            found[reference].extend(_of_figure(result, by_id.get((reference, f"{name}-retyped"))))
    for row in _of_words():
        found[row.reference].append(row)
    told = {id(one.slip): one for one in check_slips()}
    for slip in references.slips():
        found[slip.reference].extend(_of_slip(slip, told.get(id(slip))))
    for text in references.all_references():
        found[text.id] += (_of_claim(claim) for claim in text.claims)
        found[text.id] += (row for one in text.cited for row in _of_cited(one))
    return tuple(row for rows in found.values() for row in rows)


def _of_figure(result: Result, retyped: Result | None) -> Iterator[PrintedNumber]:
    figure = result.figure
    place, times = (figure.reference, figure.section, figure.title), 1 + len(figure.again)
    for cell in figure.cells:
        value, decimals = float(figure.values[cell]), int(figure.decimals[cell])
        computed = float(result.computed[cell])
        exact = float(figure.off(result.computed)[cell]) <= references.SLACK
        shown, status, agrees = computed, REPRODUCES, result.agrees
        if not exact and retyped is not None:
            shown, status, agrees = float(retyped.computed[cell]), RETYPED, result.agrees and retyped.agrees
        why = figure.why if status == RETYPED else figure.note
        ours, scene = _rounded(shown, value, decimals), _scene(figure, cell)
        yield PrintedNumber(*place, cell, printed(value), ours, shown - value, status, agrees, why, scene, times)


def _of_slip(slip: references.Slip, result: SlipResult | None) -> Iterator[PrintedNumber]:
    figure, why = slip.figure, f"{slip.right} {slip.how}"
    place, times = (slip.reference, slip.section, slip.printed), 1 + len(slip.again)
    if figure is None or result is None or slip.wrong is None or slip.worded:
        scene = _scene(figure, _first_wrong(slip, result)) if figure is not None else None
        words = f"in words: {slip.printed}", f"in words: {slip.right}"
        yield PrintedNumber(*place, None, *words, None, DIFFERS, result is None or result.agrees, why, scene, 0)
        return
    for cell in slip.cells:
        value, right, decimals = float(slip.wrong[cell]), float(result.computed[cell]), int(figure.decimals[cell])
        status = REPRODUCES if abs(right - value) * 10.0**decimals <= 0.5 else DIFFERS
        ours, scene = printed(round(right, decimals)), _scene(figure, cell)
        yield PrintedNumber(*place, cell, printed(value), ours, right - value, status, result.agrees, why, scene, times)


def _first_wrong(slip: references.Slip, result: SlipResult | None) -> Cell:
    """The first cell where the number meant by a reference's words differs from the model's; else the first cell."""
    assert slip.figure is not None
    wrong = slip.wrong
    if wrong is None or result is None:
        return slip.figure.cells[0]
    return next((cell for cell in slip.cells if abs(wrong[cell] - result.computed[cell]) > 1e-6), slip.figure.cells[0])


def _of_claim(claim: references.Claim) -> PrintedNumber:
    state = _switched(_given(claim.lesson, claim.setting), claim.switches)
    engine, conditions = Document(state).engine, read_goal(claim.goal, Names(state))
    agrees = all(holds(condition, engine) for condition in conditions) is claim.holds
    ours = f"in words: {claim.why}" if claim.why else "in words: so it is"
    place, why = (claim.reference, claim.section, claim.says), f"{claim.why} Checked: {claim.goal}.".strip()
    scene = Scene(claim.lesson, claim.setting, conditions[0].node, conditions[0].compared)
    status = REPRODUCES if claim.holds else DIFFERS
    return PrintedNumber(*place, None, f"in words: {claim.says}", ours, None, status, agrees, why, scene, 0)


def _scene(figure: references.Figure, cell: Cell) -> Scene:
    return Scene(figure.lesson, figure.setting, figure.node, figure.in_node(cell), figure)


def _of_cited(one: references.Cited) -> Iterator[PrintedNumber]:
    place, times = (one.reference, one.section, one.title), 1 + len(one.again)
    for i, value in enumerate(one.values):
        yield PrintedNumber(*place, (i,), value, "", None, CITED, True, one.source, times=times)


def _of_words() -> Iterator[PrintedNumber]:
    """The numbers of words in reference 000: vectors, cosines, neighbours."""
    words, vectors = printed_words(), load_vectors("reference")
    place = words.reference, words.section
    for word in dict.fromkeys(word for pair in words.cosines for word in pair.words):
        for i, value in enumerate(vectors[word]):
            number = printed(float(str(value)))
            note = "The set “reference” on the page Words holds this vector as it is printed."
            yield PrintedNumber(*place, f"Vector of “{word}”", (i,), number, number, 0.0, REPRODUCES, True, note)
    for pair in words.cosines:
        computed = cosine(vectors, *pair.words).cosine
        digits = len(pair.value.partition(".")[2])
        off = float(computed) - float(pair.value)
        agrees = abs(off) * 10.0**digits <= _FLOAT32
        title = f"Cosine of “{pair.words[0]}” and “{pair.words[1]}”"
        ours = printed(round(float(computed), digits))
        note = "From the vectors as printed; computed in float32, as there: the last digit may be one off."
        yield PrintedNumber(*place, title, None, pair.value, ours, off, REPRODUCES, agrees, note)
    for i, (word, value) in enumerate(words.neighbours):
        title = f"Cosine of “{words.word}” and “{word}”"
        source = f"From all of {words.vectors}, which is no part of the program; the page Words can download it."
        yield PrintedNumber(*place, title, (i,), value, "", None, CITED, True, source)


_FLOAT32 = 2.0
"""How many units of its last digit a printed cosine may be off, because it was computed in float32."""


def _rounded(computed: float, value: float, decimals: int) -> str:
    """A computed number with the printed number of decimals, or with one more if it does not round to the print."""
    digits = decimals if round(computed, decimals) == round(value, decimals) else decimals + 1
    return printed(round(computed, digits))


def printed(value: float) -> str:
    """A number as references print it: only the digits that it needs, and a true minus sign."""
    value += 0.0  # no −0
    text = np.format_float_positional(value, trim="-") if abs(value) >= 1e-4 or not value else f"{value:.9g}"
    return text.replace("-", "−")
