"""Polls: their answers, how they are counted from files, and what stands beside each other."""

from dataclasses import replace

import pytest

from explorer.lessons.loader import load
from explorer.lessons.mistakes import ROUNDED
from explorer.lessons.schema import MakeSo, Predict, states_of
from explorer.lessons.walk import MISSING
from explorer.pages.page import Row
from explorer.teaching.gradebook import Gradebook, gradebook
from explorer.teaching.items import LIKELIEST, item_at, items
from explorer.teaching.poll import CHOICES, FIRST, LAST, MOST_VOTES, SHOWS, poll_of, poll_page
from explorer.teaching.sheet import Answered, Answers, Try
from tests.teaching.test_class import sat


def poll(name):
    lesson, _, step = name.partition("/")
    lesson = load(lesson)
    at = [one.id for one in lesson.steps].index(step)
    return poll_of(item_at(lesson, at, lesson.steps[at].question, states_of(lesson)[at]))


def test_of_a_calculation_with_gaps_a_class_sees_the_steps_that_are_given():
    asked = poll("you-are-welcome/query-one")
    shown = [str(poll_page(replace(asked, show=show), 300)) for show in SHOWS]
    assert ["0.1 × 0.0 = 0.0<br>" in page and f" = {MISSING}<br>" in page for page in shown] == [True, False, False]


def test_a_row_that_only_repeats_the_number_before_it_is_left_out():
    """Below “sum of the products = −0.3” stood “−0.3 = −0.3”."""
    asked = poll("you-are-welcome/sum")
    place = next(i for i, one in enumerate(asked.ballots) if one.text == "−0.30")
    page = str(poll_page(replace(asked.vote(place), show=SHOWS[-1]), 300))
    assert "sum of the products = <b>−0.3</b>" in page
    assert "−0.3 = <b>" not in page


@pytest.mark.parametrize("lesson", ["softmax", "emma"])
def test_each_question_that_needs_no_edit_can_be_voted_on(lesson):
    lesson = load(lesson)
    for at, step in enumerate(lesson.steps):
        if isinstance(step.question, MakeSo):
            assert item_at(lesson, at, step.question, states_of(lesson)[at]) is None
        elif step.question is not None:
            found = poll_of(item_at(lesson, at, step.question, states_of(lesson)[at]))
            assert found is not None
            assert any(one.right for one in found.ballots)
            if isinstance(step.question, Predict):
                assert len(found.ballots) <= CHOICES
                assert all(one.derivation for one in found.ballots if one.right)
                texts = [one.text for one in found.ballots]
                assert len(set(texts)) == len(texts)


def test_of_a_share_the_other_answers_may_be_shares():
    """A class was to choose among 0.65, 3.00 and 20.09."""
    assert [one.text for one in poll("softmax/powers").ballots] == ["0.06", "0.11", "0.20", "0.65"]
    assert [one.text for one in poll("softmax/shift").ballots] == ["0.24", "0.48", "0.65", "20.09"]  # there is no other


@pytest.mark.parametrize("question", ["changed-since-2017/gate", "you-are-welcome/collect", "softmax/powers"])
def test_where_there_are_other_mistakes_a_class_need_not_tell_a_number_from_one_that_was_rounded(question):
    """A class was to choose between 0.057 and 0.056."""
    ballots = poll(question).ballots
    assert len(ballots) == CHOICES
    assert not {one.mistake for one in ballots} & set(ROUNDED)


def test_of_very_many_places_a_class_is_offered_the_likeliest():
    """No vote was possible where a question is about a whole table, or a row of 21 pieces."""
    largest = [one.text for one in poll("emma/softmax").ballots]
    assert len(largest) == LIKELIEST
    assert {"Emma → Emma", "friend → Emma", "she → she"} <= set(largest)
    named = poll("emma/key").ballots
    assert [one.text for one in named if one.right] == ["great → Adj"]
    assert all("great" in one.text or "Adj" in one.text for one in named)
    assert len(poll("inside-a-storyteller/back").ballots) == LIKELIEST
    assert not [item for item in items(load("emma")) if item.id == "emma/key"], "on a sheet a list would tell too much"


def test_many_answers_stand_in_two_columns():
    """Of nine words the class saw seven; the others lay below the screen."""
    page = poll_page(poll("what-a-trained-head-does/who"), 400)
    (row,) = (one for one in page if one.id == "columns")
    assert [len(stack.inside) for stack in row.inside] == [5, 4]
    assert all(one.id != "columns" for one in poll_page(poll("softmax/powers"), 400))


def test_it_is_counted_from_the_files_of_a_class_though_each_had_other_numbers(tmp_path):
    for name, wrong in (("Ada", ()), ("Bob", ["emma/all-missing"]), ("Cy", ["emma/all-missing"])):
        sat(name, wrong).save(tmp_path / f"{name}.answers.json")
    book = gradebook([tmp_path])
    asked = poll("emma/all-missing")
    counted = asked.counted(book)
    right = next(i for i, one in enumerate(asked.ballots) if one.right)
    assert counted.counts[right] == 1
    names = book.mistakes("emma/all-missing")
    for count, one in zip(counted.counts, counted.ballots, strict=True):
        assert count == (1 if one.right else names[one.mistake])


def test_each_student_counts_once():
    """Two products could be left out, each an answer of its own, and whoever left one out counted for both."""
    id = "apple-orange/phone"
    given = Answered(id, (Try(1.0, False, "product left out"),))
    book = Gradebook("A sheet", (id,), (Answers("Ada", "A sheet", "", (given,)),))
    counted = poll(id).counted(book)
    assert sum(counted.counts) == 1
    assert counted.commonest.mistake == "product left out"


def test_where_several_places_are_right_each_has_its_own_votes():
    """Whoever chose one of three right places counted for all three."""
    id = "errata-004/print-mask"
    asked = poll(id)
    rights = [one.choice for one in asked.ballots if one.right]
    assert len(rights) == 3
    wrong = next(one for one in asked.ballots if not one.right)
    assert wrong.why.startswith("No: it is ")
    assert all(one.why != "Right." for one in asked.ballots)
    given = [Try(float(rights[1]), True), Try(float(wrong.choice), False, wrong.mistake)]
    students = tuple(Answers(str(i), "A sheet", "", (Answered(id, (one,)),)) for i, one in enumerate(given))
    counted = asked.counted(Gradebook("A sheet", (id,), students))
    votes = {one.choice: count for one, count in zip(counted.ballots, counted.counts, strict=True) if count}
    assert votes == {rights[1]: 1, wrong.choice: 1}


def test_it_is_turned_forward_and_backward_and_counts_stay_in_bounds():
    asked = poll("softmax/powers")
    shown = [asked]
    while (later := shown[-1].turn(1)) is not None:
        shown.append(later)
    assert [one.show for one in shown] == list(SHOWS)
    assert shown[0].turn(-1) is None
    assert asked.commonest is None
    assert asked.count(0, -5).counts[0] == 0
    assert asked.count(0, 10**9).counts[0] == MOST_VOTES
    assert replace(asked, counts=(0, 3, 2, 1)).commonest in asked.ballots


def test_of_a_long_derivation_a_class_sees_the_beginning_and_the_end_behind_what_went_wrong():
    asked = replace(poll("emma/nothing"), show=SHOWS[-1])
    right = next(one for one in asked.ballots if one.right)
    (side,) = next(one for one in poll_page(asked, 300) if isinstance(one, Row)).items
    _, why, rows = side.element.elements
    assert why.text == right.why
    lines = rows.text.split("<br>")
    assert len(lines) == FIRST + 1 + LAST
    assert lines[FIRST] == f"… {sum(len(part) for _, part in right.derivation) - FIRST - LAST} more"
    assert "share" in lines[-1]
