"""What goes through all lessons, examples or settings goes through few that have all kinds between them.

The others are long.
"""

import inspect

import pytest

from explorer.lessons.loader import load


def long(*of):
    """A case for `pytest -m long`."""
    return pytest.param(*of, marks=pytest.mark.long)


def each(argument, cases, ids=None):
    """As `parametrize`, in one test: for many small cases, of which each would cost more to report than to try.

    What fails says in which case. A fixture is the same one for all cases, so none may be left otherwise than it was.
    """
    names = [one.strip() for one in argument.split(",")] if isinstance(argument, str) else list(argument)
    cases = list(cases)
    assert cases, "nothing would be tried"
    assert not any(isinstance(case, type(pytest.param())) for case in cases), "a case of its own has marks"
    called = list(map(ids, cases)) if callable(ids) else list(ids or range(len(cases)))

    def of(test):
        def run(*own, **fixtures):
            for name, case in zip(called, cases, strict=True):
                try:
                    test(*own, **fixtures, **dict(zip(names, case if len(names) > 1 else (case,), strict=True)))
                except BaseException as error:
                    error.add_note(f"In the case {name}: {', '.join(names)} = {case!r:.500}")
                    raise

        signature = inspect.signature(test)
        left = [one for one in signature.parameters.values() if one.name not in names]
        run.__signature__ = signature.replace(parameters=left)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(run, name, getattr(test, name))
        run.pytestmark = list(getattr(test, "pytestmark", ()))
        return run

    return of


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
    return {trait for step in load(name).steps for trait in traits_of(step)}


def traits_of(step):
    """What a step does, looks at and asks."""
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
