"""The goal of a "make it so": a tiny language over the cells of a model, read here and never evaluated as code.

``argmax(weights[friend]) == she`` and ``scores[friend, Emma] > 2`` (also ``<``, ``>=``, ``<=``, and ``~ 2 ± 0.1``),
joined by ``and``.
"""

import re

import numpy as np

from explorer.core.engine import Engine
from explorer.core.graph import Place
from explorer.lessons.names import Names, UnknownNameError, split_cell
from explorer.lessons.steps import Condition

_LARGEST = re.compile(r"argmax\((?P<row>.+)\)\s*==\s*(?P<label>.+)")
_COMPARED = re.compile(r"(?P<cell>.+?)\s*(?P<sign>>=|<=|>|<|~)\s*(?P<number>[^±]+?)\s*(?:±\s*(?P<tolerance>.+))?")
_TOLERANCE = 0.005


def read_goal(text: str, names: Names) -> tuple[Condition, ...]:
    """The conditions that a goal is made of.

    Raises `UnknownNameError` where it names what there is not, or is no goal.
    """
    return tuple(_condition(" ".join(part.split()), names) for part in re.split(r"\sand\s", text))


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
    """Whether a condition is met; it is not where the node, or the cell, is not there any more."""
    place = engine.graph.find(condition.node)
    if place is None or not _inside(condition, engine, place):
        return False
    value = engine.value(place)[condition.cell]
    number = condition.number
    match condition.sign:
        case "argmax":
            return bool(value[int(number)] == value.max()) and np.count_nonzero(value == value.max()) == 1
        case ">":
            return bool(value > number)
        case ">=":
            return bool(value >= number)
        case "<":
            return bool(value < number)
        case "<=":
            return bool(value <= number)
        case _:
            return bool(abs(value - number) <= condition.tolerance)


def _inside(condition: Condition, engine: Engine, place: Place) -> bool:
    cell = (*condition.cell, int(condition.number)) if condition.sign == "argmax" else condition.cell
    shape = engine.value(place).shape
    return len(cell) == len(shape) and all(i < n for i, n in zip(cell, shape, strict=True))
