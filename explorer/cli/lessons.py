"""Commands that list lessons, models, vectors and terms, and commands that check lessons."""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import shorten
from typing import Any

import numpy as np

from explorer import paths
from explorer.cli.output import shown
from explorer.cli.parser import UsageError, fields_of
from explorer.cli.words import listed, listing
from explorer.core.errors import ExplorerError
from explorer.core.numbers import quantity
from explorer.lessons.glossary import glossary, unknown
from explorer.lessons.loader import catalogue, courses, load, models
from explorer.lessons.printed_numbers import STATUSES, Result, SlipResult, check_figures, check_slips, printed_numbers
from explorer.lessons.replay import check_lesson
from explorer.lessons.replay import replay as replayed
from explorer.lessons.schema import Lesson
from explorer.library.matrix import columns, nested
from explorer.sentences import sentence
from explorer.training import recipes


def list_all(arguments: Namespace) -> int:
    """``explorer list``: lessons, models to train, vectors."""
    lessons, plans = catalogue(), {name: recipes.load(name) for name in recipes.names()}
    trained = models()
    if arguments.json:
        found = {
            "lessons": [
                {
                    **fields_of(lesson, "id", "title", "paragraph", "reference", "teaches", "minutes", "questions"),
                    "try": lesson.to_try,
                    "settings": list(lesson.settings),
                    "needs": list(lesson.needs),
                    "steps": len(lesson.steps),
                }
                for lesson in lessons
            ],
            "trained": [{"id": one.id, "title": one.title, "scores": dict(one.card)} for one in trained],
            "models": [{"name": name, "title": plan.title} for name, plan in plans.items()],
            "vectors": listed(),
            "courses": [{"id": one.id, "title": one.title, "lessons": list(one.lessons)} for one in courses()],
        }
        print(json.dumps(found))
        return 0
    rows = [(*_named(one), one.reference or "–", ", ".join(one.settings)) for one in lessons]
    print(*columns([("lesson", "title", "steps", "reference", "settings"), *rows], "<<><<"), "", sep="\n")
    ready = [(one.id, one.title, f'explorer generate {one.id} "TEXT"') for one in trained]
    print(*columns([("trained model", "title", "command"), *ready], "<"), "", sep="\n")
    to_train = [(name, plan.title, f"explorer train {name} --out FILE") for name, plan in plans.items()]
    print(*columns([("model to train", "title", "command"), *to_train], "<"), "", sep="\n")
    print(*listing(), sep="\n")
    return 0


def _named(lesson: Lesson) -> tuple[str, str, str]:
    return lesson.id, lesson.title, str(len(lesson.steps)) if lesson.steps else ""


def replay(arguments: Namespace) -> int:
    """``explorer replay``: go through lessons forward, backward and from every step, and answer all questions."""
    _model_of_one(arguments.lessons, arguments.model)
    lessons = [load(name, arguments.model) for name in arguments.lessons]
    lessons = lessons or [lesson for lesson in catalogue() if lesson.steps]
    for lesson in lessons:
        if not lesson.steps:
            raise ExplorerError("no-steps", lesson=lesson.id)
    wrong = 0
    for lesson in lessons:
        try:
            done = replayed(lesson)
        except ExplorerError as error:
            print(" ".join(sentence(error).splitlines()))
            wrong += 1
        else:
            print(
                f"{done.lesson}: {quantity(done.steps, 'step')} forward, backward and from each: the same to the last "
                f"bit; {quantity(done.questions, 'question')} answered rightly, and wrongly in "
                f"{quantity(done.mistakes, 'way')}"
            )
    return int(bool(wrong))


def check(arguments: Namespace) -> int:
    """``explorer check``; returns 1 if something disagrees."""
    _model_of_one(arguments.files, arguments.model)
    problems = {file: _problem(file, arguments.model) for file in arguments.files or _ids()}
    # Printed figures can be compared only if all lessons are valid.
    everything = not arguments.files and not any(problems.values())
    figures = check_figures() if everything else []
    slips = check_slips() if everything else []
    agree = [not problem for problem in problems.values()]
    numbers = printed_numbers() if everything else ()
    agree += [one.agrees for one in figures] + [one.agrees for one in slips]
    agree += [one.agrees for one in numbers if one.scene is None or one.scene.figure is None]  # words, and claims
    wrong = agree.count(False)
    if arguments.json:
        found = {
            "agrees": not wrong,
            "lessons": [{"lesson": file, "valid": not why, "problem": why or None} for file, why in problems.items()],
            "figures": [_figure(one) for one in figures],
            "slips": [_slip(one) for one in slips],
            "numbers": {status: sum(one.status == status for one in numbers) for status in STATUSES},
        }
        print(json.dumps(found, allow_nan=False))
    else:
        _print_check(problems, figures, slips)
        if numbers:
            counted = (f"{sum(one.status == status for one in numbers)} {status}" for status in STATUSES)
            print(f"Of {len(numbers)} printed numbers: {', '.join(counted)}.")
        print(f"{wrong} of these {'does' if wrong == 1 else 'do'} not agree." if wrong else "All of it agrees.")
    return int(bool(wrong))


def _ids() -> list[str]:
    """The ids of the lessons that come with the program, valid or not."""
    files = (file for folder in ("lessons", "models") for file in (paths.resources() / folder).glob("*.toml"))
    return sorted(file.stem for file in files)


def _model_of_one(lessons: Sequence[str], model: str | None) -> None:
    """Refuse a model for no lesson, or for several."""
    if model is not None and len(lessons) != 1:
        raise UsageError("--model is for one lesson; name the lesson that needs it.")


def _problem(file: str, model: str | None) -> str:
    """What is wrong with a lesson; "" if nothing is."""
    try:
        check_lesson(file, model)
    except ExplorerError as error:
        # A missing file is no fault of a lesson, nor is another model.
        if error.id in ("lesson-not-read", "unknown-lesson", "other-model", "no-model-needed", "checkpoint"):
            raise
        return " ".join(sentence(error).splitlines())
    return ""


def _print_check(problems: dict[str, str], figures: Sequence[Result], slips: Sequence[SlipResult]) -> None:
    for file, problem in problems.items():
        print(problem or f"{shown(file)}: a valid lesson")
    print()
    if figures:
        lines: list[tuple[str, ...]] = [("printed in", "node", "off by", "")]
        for one in figures:
            figure, off = one.figure, f"{one.worst:.1e}" if one.worst else "0"
            lines.append((f"{figure.reference} {figure.id}", f"{figure.node}, {figure.setting}", off, _verdict(one)))
        print(*columns(lines, "<<><"), "", sep="\n")
    if slips:
        lines = [("slip in", "what is right", "")]
        for found in slips:
            slip, verdict = found.slip, "agrees" if found.agrees else f"DISAGREES: {found.slip.right}"
            lines.append((f"{slip.reference} {slip.section}", shorten(slip.right, 60, placeholder=" …"), verdict))
        print(*columns(lines, "<"), "", sep="\n")


def _verdict(one: Result) -> str:
    if not one.agrees:
        return f"DISAGREES: printed {one.figure.values.tolist()}, computed {one.computed.tolist()}"
    return f"agrees within {one.figure.units} of the last digit: {one.figure.why}" if one.figure.units else "agrees"


def _figure(one: Result) -> dict[str, Any]:
    return {
        **fields_of(one.figure, "id", "title", "reference", "section", "lesson", "setting", "node", "cell"),
        "printed": nested(one.figure.values),
        "computed": nested(one.computed),
        "worst": nested(np.asarray(one.worst)),
        **fields_of(one.figure, "units", "why"),
        "agrees": one.agrees,
    }


def _slip(one: SlipResult) -> dict[str, Any]:
    return {**fields_of(one.slip, "reference", "section", "printed", "right", "how"), "agrees": one.agrees}


def define(arguments: Namespace) -> int:
    """``explorer glossary``: print the entry of a term, or the names of all terms."""
    term: str | None = arguments.term
    found = glossary().of(term) if term is not None else None
    if term is not None and found is None:
        near = ", ".join(one.name for one in glossary().near(term))
        raise UsageError(f"the glossary has no '{term}'; {f'there are: {near}' if near else unknown(term)}")
    if arguments.json:
        print(json.dumps([asdict(one) for one in ([found] if found else glossary().terms)]))
    elif found is None:
        print(*(one.name for one in glossary().terms), sep="\n")
    else:
        lines = [f"{found.name}: {found.says}", found.formula and f"formula: {found.formula}"]
        print(*filter(None, [*lines, f"explained in: {found.lesson}"]), sep="\n")
    return 0
