"""Derivations with one step done wrongly: a product left out, a root forgotten, a calculator set to degrees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from explorer.core.cell import FUNCTIONS, Argument, Constant, Operand, Step, step, steps

Labels = Callable[[str, int], tuple[str, ...]]
MOST_TERMS = 16


@dataclass(frozen=True, eq=False)
class WrongStep:
    """A derivation with a mistake: a short name, a sentence behind "That is what comes out", and its last step."""

    name: str
    sentence: str
    last: Step


def wrong_steps(last: Step, labels: Labels) -> Iterator[WrongStep]:
    """The ways to do one step of a derivation wrongly.

    `labels`: the labels along an axis of a node.
    """
    with np.errstate(all="ignore"):
        for one in steps(last):
            for name, sentence, wrong in _ways(one, labels):
                yield WrongStep(name, sentence, _with(last, one, replace(wrong, label=one.label)))


def _ways(one: Step, labels: Labels) -> Iterator[tuple[str, str, Step]]:
    arguments = one.arguments
    match one.function:
        case "dot":
            yield from _of_products(one, labels)
        case "sin" | "cos":
            other = "cos" if one.function == "sin" else "sin"
            said = {"sin": "sine", "cos": "cosine"}
            yield other, f"with the {said[other]}, not the {said[one.function]}", step(other, *arguments)
            degrees = step("multiply", arguments[0], Constant(pi / 180, "π/180"))
            yield "degrees", "if the calculator is set to degrees, not to radians", step(one.function, degrees)
        case "sqrt":
            yield "no root", "without the root", step("value", *arguments)
        case "square":
            yield "not squared", "if nothing is squared", step("value", *arguments)
        case "divide":
            yield "upside down", "if one divides the wrong way round", step("divide", *reversed(arguments))
        case "mean":
            yield "not divided by n", "if the sum is not divided by how many there are", step("sum", *arguments)
        case "norm":
            of_sizes = step("sum", replace_value(arguments[0], np.abs(arguments[0].value)))
            yield "sizes added", "if the sizes are added up, without squares and root", of_sizes


def _of_products(one: Step, labels: Labels) -> Iterator[tuple[str, str, Step]]:
    a, b = one.arguments
    if np.size(a.value) <= MOST_TERMS:
        for i, name in enumerate(_term_names(one, labels)):
            rest = np.array(a.value, copy=True)
            rest[i] = 0
            yield "product left out", f"if the product for “{name}” is left out", step("dot", replace_value(a, rest), b)
    if np.any(np.less(a.value, 0)) or np.any(np.less(b.value, 0)):
        sizes = step("dot", replace_value(a, np.abs(a.value)), replace_value(b, np.abs(b.value)))
        yield "minus signs", "if the minus signs are left out", sizes
    yield "added", "if the numbers are added, not multiplied", step("sum", step("add", a, b))


def _term_names(one: Step, labels: Labels) -> tuple[str, ...]:
    for argument in one.arguments:
        if isinstance(argument, Operand):
            axis = next(axis for axis, part in enumerate(argument.index) if isinstance(part, slice))
            return labels(argument.node, axis)
    return tuple(str(i + 1) for i in range(np.size(one.arguments[0].value)))


def replace_value(argument: Argument, value: object) -> Argument:
    """The argument with other numbers."""
    return replace(argument, value=value)


def _with(last: Step, old: Step, new: Step) -> Step:
    """The derivation with one step in place of another, carried out anew."""
    done: dict[int, Step] = {id(old): new}

    def again(one: Step) -> Step:
        if id(one) not in done:
            arguments = tuple(again(a) if isinstance(a, Step) else a for a in one.arguments)
            done[id(one)] = replace(
                one, arguments=arguments, value=FUNCTIONS[one.function](*(a.value for a in arguments))
            )
        return done[id(one)]

    return again(last)
