"""The examples, each once: several lessons may lead through one, with its model, its settings and its numbers.

What goes through all of them goes through few that have all that matters between them; the others are long.
"""

import pytest

from explorer.lessons.loader import catalogue, load

EXAMPLES = tuple(
    {(repr(lesson.model), *lesson.settings): lesson for lesson in catalogue() if not lesson.errata}.values()
)
"""The last lesson on each example, which is that of its own name where there is one."""
SMALL = tuple(lesson for lesson in EXAMPLES if lesson.model.dtype == "float64")
"""Without those of a trained model, which have 130,000 numbers in each setting."""


def long(*of):
    """A case for `pytest -m long`."""
    return pytest.param(*of, marks=pytest.mark.long)


def few(cases, traits):
    """The cases of a parameter: those that have all traits between them, and the others as long ones."""
    of = {case: set(traits(case)) for case in cases}
    left, chosen = set().union(*of.values()), set()
    while left:
        best = max(of, key=lambda case: len(of[case] & left))
        chosen.add(best)
        left -= of[best]
    return [(pytest.param if case in chosen else long)(*(case if isinstance(case, tuple) else (case,))) for case in of]


def traits(name):
    """What the steps of a lesson do, look at and ask: of each one is enough."""
    lesson = load(name)
    for step in lesson.steps:
        look, question = step.look, step.question
        yield "showing", step.showing
        yield from (("edit", type(edit)) for edit in step.edits)
        yield from (("look", part) for part in ("element", "token", "word", "ticked", "beside") if getattr(look, part))
        yield from (("begins anew", part) for part in ("setting", "training") if getattr(step, part))
        if question is not None:
            yield "question", type(question), getattr(question, "of", None)
            parts = "at", "fresh", "fade", "covers", "extreme", "allowed", "edits"
            yield from (("question", part) for part in parts if getattr(question, part, None))
