"""A derivation with one step done wrongly: a product left out, a root forgotten, a calculator in degrees."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import pi

import numpy as np

from explorer.core.cell import FUNCTIONS, Argument, Constant, Operand, Step, step, steps
from explorer.core.frozen import Frozen

Labels = Callable[[str, int], tuple[str, ...]]
MOST_TERMS = 16
PRODUCT = "product of the "
"""How the name of a product of two numbers of a kind begins."""


class WrongStep(Frozen, eq=False):
    """A derivation with a mistake: a short name, the words after "That is what comes out", and its last step."""

    name: str
    sentence: str
    last: Step


def wrong_steps(last: Step, labels: Labels) -> Iterator[WrongStep]:
    """A derivation with each possible mistake in each of its steps.

    `labels`: gives the labels along an axis of a node.
    """
    with np.errstate(all="ignore"):
        for one in steps(last):
            for name, sentence, wrong in _ways(one, labels):
                yield WrongStep(name, sentence, again(last, {id(one): replace(wrong, label=one.label)}))


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
        case "add" if all(one.value and not isinstance(one, Constant) for one in arguments):
            if any(one.value < 0 for one in arguments):
                signless = (step("absolute", one) if one.value < 0 else one for one in arguments)
                yield "minus sign", "if the minus sign is left out", step("add", *signless)
            for ordered in (arguments, reversed(arguments)):
                yield "subtracted", "if one subtracts instead of adding", step("subtract", *ordered)
        case "divide":
            yield "upside down", "if one divides the wrong way round", step("divide", *reversed(arguments))
            whole, by = arguments
            if isinstance(by, Step) and by.function == "multiply" and by.label.startswith(PRODUCT):
                for factor in by.arguments:
                    sentence = f"if one divides by only one of the {by.label.removeprefix(PRODUCT)}"
                    yield "one factor", sentence, step("divide", whole, factor)
        case "mean":
            total = step("sum", *arguments)
            yield "not divided by n", "if the sum is not divided by how many there are", total
            if isinstance(arguments[0], Step) and arguments[0].function == "square":
                fewer = np.size(arguments[0].value) - 1
                sentence = "if the sum of the squares is divided by n − 1, as for a sample, and not by n"
                yield "divided by n − 1", sentence, step("divide", total, Constant(fewer, str(fewer)))
        case "sum" if isinstance(arguments[0], Step) and arguments[0].function == "square":
            root = step("sqrt", step("sum", *arguments))
            yield "length", "with the length in place of its square", root
        case "norm":
            sizes = step("sum", replace(arguments[0], value=np.abs(arguments[0].value)))
            yield "sizes added", "if the sizes are added up, without squares and root", sizes


def _of_products(one: Step, labels: Labels) -> Iterator[tuple[str, str, Step]]:
    a, b = one.arguments
    if np.size(a.value) <= MOST_TERMS:
        for i, name in enumerate(_term_names(one, labels)):
            rest = np.array(a.value, copy=True)
            rest[i] = 0
            left_out = step("dot", replace(a, value=rest), b)
            yield "product left out", f"if the product for “{name}” is left out", left_out
    there = np.flatnonzero(a.value)
    if len(there) == 2:
        crossed = np.array(a.value, copy=True)
        crossed[there] = crossed[there[::-1]]
        one_name, other = (_term_names(one, labels)[i] for i in there)
        sentence = f"if the factors for “{one_name}” and “{other}” are exchanged"
        yield "exchanged", sentence, step("dot", replace(a, value=crossed), b)
    if len(there) > 1 and np.all(np.greater_equal(a.value, 0)) and np.isclose(np.sum(a.value), 1):
        ones = np.not_equal(a.value, 0).astype(float)  # `a` divides something into shares
        alike = step("dot", replace(a, value=ones / len(there)), b)
        yield "equal shares", "if all shares are taken to be equal", alike
        yield "no shares", "if nothing is multiplied by its share", step("dot", replace(a, value=ones), b)
    if np.any(np.less(a.value, 0)) or np.any(np.less(b.value, 0)):
        sizes = step("dot", *(replace(one, value=np.abs(one.value)) for one in (a, b)))
        yield "minus signs", "if the minus signs are left out", sizes
        for i in there.tolist() if np.size(a.value) <= MOST_TERMS else ():
            turned = np.array(a.value, copy=True)
            turned[i] *= -1
            sentence = f"if the product for “{_term_names(one, labels)[i]}” has the wrong sign"
            yield "wrong sign", sentence, step("dot", replace(a, value=turned), b)
    yield "added", "if the numbers are added, not multiplied", step("sum", step("add", a, b))


def _term_names(one: Step, labels: Labels) -> tuple[str, ...]:
    for argument in one.arguments:
        if isinstance(argument, Operand):
            axis, part = next((axis, part) for axis, part in enumerate(argument.index) if isinstance(part, slice))
            return tuple(labels(argument.node, axis)[part])
    return tuple(str(i + 1) for i in range(np.size(one.arguments[0].value)))


def again(last: Step, done: dict[int, Step], used: Callable[[Argument], Argument] = lambda one: one) -> Step:
    """The derivation with its values recomputed.

    `done`: the steps that are replaced, by the `id` of each. `used`: what is used in place of an argument.
    """
    if id(last) not in done:
        arguments = tuple(used(again(a, done, used) if isinstance(a, Step) else a) for a in last.arguments)
        value = FUNCTIONS[last.function](*(a.value for a in arguments))
        done[id(last)] = replace(last, arguments=arguments, value=value)
    return done[id(last)]
