"""What stands beside a gap is written for people, in all generated questions of all lessons."""

import re
from itertools import islice

import pytest

from explorer.core.numbers import in_full
from explorer.document.commands import SetCells
from explorer.lessons.answers import judge, values_of
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.mistakes import derivation, mistakes
from explorer.lessons.practice import MISSING, faded
from explorer.lessons.steps import ALL, Predict
from explorer.lessons.walk import Walk

LESSONS = [lesson for lesson in map(load, lesson_files()) if lesson.questions]
OF_A_PROGRAM = re.compile(
    r"\bentry\b|\b(mean|sum) of it\b|\(\?\)|\bNone\b|\bnan\b|[_\[\]]|\be-\d|\d\.\d{7,}|(?<!\w)-\d",
    re.IGNORECASE,
)
"""Signs of a text that a program writes for itself: names with underscores, places in brackets, digits of rounding."""


def asked(lesson):
    """The questions for a number, each with the values that it is about."""
    walk = Walk(lesson)
    for at, step in enumerate(lesson.steps):
        if isinstance(step.question, Predict):
            yield step.question, walk.engine(at)


def with_gaps(lesson):
    return [(question, faded(question, engine)) for question, engine in asked(lesson) if question.fade]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_nothing_that_is_made_for_a_question_reads_as_a_program_writes(lesson):
    for question, engine in asked(lesson):
        parts = list(derivation(engine, question.node, question.cell, question.of))
        said = []
        for mistake in islice(mistakes(engine, question.node, question.cell, question.digits, question.of), 12):
            said.append(mistake.sentence)
            parts += mistake.derivation
        for wrong in (1000.5, -1000.5, float("inf")):
            verdict = judge(question, wrong, None, engine)
            said += [verdict.said(True), verdict.said(False)]
        said += [text for _, rows in parts for row in rows for text in (row.label, row.expression, row.value)]
        assert not [text for text in said if OF_A_PROGRAM.search(text)]


def fades(lesson):
    return any(isinstance(step.question, Predict) and step.question.fade for step in lesson.steps)


@pytest.mark.parametrize("lesson", list(filter(fades, LESSONS)), ids=lambda lesson: lesson.id)
def test_each_gap_has_a_name_and_says_what_it_needs_by_name(lesson):
    for question, gaps in with_gaps(lesson):
        assert gaps.blanks
        for blank in gaps.blanks:
            row = gaps.parts[blank.part][1][blank.row]
            assert row.value == MISSING
            assert re.search(r"[^\W\d]", row.label), row  # letters, not the number of a column alone
        for (_, rows), (_, whole) in zip(gaps.parts, gaps.whole, strict=True):
            for row, full in zip(rows, whole, strict=True):
                assert MISSING not in row.expression
                if full.value and row.kind != "heading":
                    assert MISSING not in full.value
        shown = [row.expression for _, rows in gaps.parts for row in rows]
        assert not any(shown) if question.fade == ALL else any(shown)


def test_only_what_rounding_leaves_is_not_written():
    assert in_full(-0.2500000000000001) == "−0.25"
    assert in_full(3.0000000000000004) == "3.0"
    assert in_full(1 / 3) == "0.333333333333333"


def test_the_row_that_needs_a_gap_names_the_nearest_of_equal_ones():
    moved = SetCells("batch.beta", {(0,): 0.5}).apply(load("jump").state())
    two = faded(Predict(ask="?", node="batch.norm", cell=(0, 0), fade=2), values_of(moved))
    rows = two.parts[-1][1]
    assert [row.expression for row in rows[-2:]] == ["“with mean 0, variance 1” × 1.0000", "“times γ” + 0.5000"]


def test_a_cross_entropy_of_several_words_names_them_and_one_of_a_single_word_has_no_mean():
    lesson = next(lesson for lesson in LESSONS if lesson.id == "roses-are-red")
    gaps = next(gaps for question, gaps in with_gaps(lesson) if question.fade == 1)
    assert [row.label for row in gaps.parts[-1][1]] == [
        *("are", "red", "violets", "are", "blue", "mean of the logs", "cross-entropy"),
    ]
    assert gaps.parts[-1][1][-1].expression == "−“mean of the logs”"
    lesson = next(lesson for lesson in LESSONS if lesson.id == "cat-sat-on-the")
    gaps = next(gaps for question, gaps in with_gaps(lesson) if question.fade == 1)
    assert [(row.label, row.expression[:3]) for row in gaps.parts[-1][1]] == [
        ("log of the share", "ln "),
        ("minus the log", "−“l"),
    ]
