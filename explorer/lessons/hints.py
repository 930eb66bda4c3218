"""The ladder of hints: those of the question, and at its end how the answer comes about."""

from explorer.core.engine import Engine
from explorer.lessons.answers import right_places
from explorer.lessons.mistakes import Part, derivation
from explorer.lessons.steps import Choose, MakeSo, Point, Predict, Question

Hint = str | tuple[Part, ...]
"""Markdown, or a derivation."""


def ladder(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """All hints in the order in which they are given; the last is a derivation where a number answers the question."""
    match question:
        case Predict():
            return (*question.hints, derivation(engine, question.node, question.cell, question.of))
        case MakeSo():
            first = question.conditions[0]
            cell = (*first.cell, int(first.number)) if first.sign == "argmax" else first.cell
            return (*question.hints, derivation(engine, first.node, cell))
        case Point() if question.extreme and question.at == "cell":
            return (*question.hints, derivation(engine, question.node, right_places(question, engine)[0]))
        case Point() if question.extreme and question.at == "token" and question.row is not None:
            ((column,), *_) = right_places(question, engine)
            return (*question.hints, derivation(engine, question.node, (question.row, column)))
        case Choose():
            return (*question.hints, *([question.why] if question.why else []))
        case _:
            return question.hints


def told(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """What is shown to somebody who gave no answer: why a choice is right, or how a number comes about."""
    if isinstance(question, Choose):
        return tuple(choice.why for choice in question.choices if choice.right and choice.why)
    return tuple(hint for hint in ladder(question, engine)[-1:] if not isinstance(hint, str))
