"""What goes through all lessons, examples or settings goes through few that have all kinds between them.

The others are long.
"""

import pytest

from explorer.lessons.loader import load


def long(*of):
    """A case for `pytest -m long`."""
    return pytest.param(*of, marks=pytest.mark.long)


def few(cases, traits, cost=lambda case: 1):
    """The cases of a parameter: cheap ones that have all traits between them, and the others as long ones."""
    of = {case: set(traits(case)) for case in cases}
    left, chosen = set().union(*of.values()), set()
    while left:
        best = max(of, key=lambda case: len(of[case] & left) / cost(case))
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


def steps(name):
    """How many steps a lesson has."""
    return len(load(name).steps)
