"""Gradient descent by hand: a step, many steps, or left to run; and back."""

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.graph import Stage
from explorer.pages.element import Element
from explorer.pages.gestures import GoTo
from explorer.pages.given import given
from explorer.pages.net_answers import net_picture
from explorer.pages.page import Button, Controls, Descent, Item, Note, Row, Stack
from explorer.pages.view import View

SLOW = (
    "A step takes some time in a model of this size, and the loss over two weights takes longer; you can go on "
    "working. The page “Train” trains the model in a process of its own."
)
FIRST = "The gradients are being computed."
SWITCHED_OFF = "The loss of this model is switched off, so there is no loss to make smaller."
NONE = (
    "This model has no loss to make smaller: it computes, but learns nothing. To see a model learn, open “XOR” "
    "on the page “Lessons”."
)


def descent(view: View, stage: Stage) -> tuple[Element, ...]:
    """The controls, the loss on the way, the surface that it goes down, what a net answers, and what moves."""
    if LOSS.node not in view.nodes:
        return _nothing(view)
    steps = view.steps
    moves = tuple(steps.moves) if steps is not None else ()
    quick, ready = (steps.quick, steps.ready) if steps is not None else (True, True)
    example = view.state.lesson
    slow = () if quick else (Note("slow", SLOW if ready else f"{SLOW} {FIRST}"),)
    pictures: list[Element] = [Stack("loss", "Loss", (Descent("curve", "curve", (example,), 340, 260),))]
    if ready and sum(np.size(view.values[name]) for name in moves) > 1:
        shapes = tuple((name, view.values[name].shape) for name in moves)
        surface = Descent("surface", "surface", (example, shapes), 330, 440)
        pictures.append(Stack("loss over two weights", "Loss over two weights", (surface,)))
    if (picture := net_picture(view)) is not None:
        pictures.append(picture)
    weights = Stack("what moves", "What moves", (Descent("weights", "weights", (example, moves), 340),))
    return (
        Descent("steps", "steps"),
        *slow,
        Row("pictures", tuple(Item("", picture) for picture in (*pictures, weights))),
    )


def _nothing(view: View) -> tuple[Element, ...]:
    """Why there is nothing to go down, and the way to where there is."""
    if "loss" not in view.state.model.blocks():
        return Note("no loss", NONE), *given(view)
    button = Button("to the switches", "All switches", GoTo("model.switches"), "Choose a loss there")
    return Note("no loss", SWITCHED_OFF), Controls("way to a loss", (button,)), *given(view)
