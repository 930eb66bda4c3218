"""The page of a question, for a student and for a class, before an answer and after each."""

import re
from dataclasses import replace

import pytest

from explorer.lessons.loader import load
from explorer.lessons.prose import numbers_of
from explorer.lessons.walk import Attempt, Walk
from explorer.pages.controls import Button
from explorer.pages.element import leaves
from explorer.pages.gestures import ForQuestion
from explorer.pages.page import Derivation, DescentPart, Passage
from explorer.pages.steps.question import (
    ADDED,
    EDITED,
    Asking,
    Blank,
    Figure,
    Grid,
    Option,
    Options,
    gaps_of,
    question_page,
    was_there,
    words,
)

READ = 24
"""Pixels of the letters that a class reads."""


def asked(lesson, step, letters=0):
    """The question of a step, as nobody has answered it; `step` counts from 0."""
    walk = Walk(load(lesson))
    walk.at = step
    return Asking(walk, Attempt(), numbers_of(walk.step, walk.engine(walk.at)), letters)


def answer(asking, *answers):
    """Give answers, as the guide does."""
    for one in answers:
        asking.attempt.tried.append(one)
        asking.attempt.verdict = asking.walk.answer(one)
    asking.done = asking.attempt.done = asking.attempt.verdict.right or len(asking.attempt.tried) == 3


def shown(asking):
    """What can be seen, by id."""
    parts = {part.id: part for one in question_page(asking) for part in leaves(one)}
    empty = (part for part in parts.values() if getattr(part, "text", "x") == "" or getattr(part, "rows", "x") == ())
    for one in list(empty):
        del parts[one.id]
    return parts


def test_an_open_question_has_its_field_its_button_and_a_hint_to_ask_for():
    page = shown(asked("start-here", 1))
    assert list(page) == ["ask", "answer", "number", "lock", "more"]
    assert page["number"].hint == "1 decimal"
    assert (page["lock"].on, page["lock"].primary) == (False, True)
    assert page["more"].text == "Give me a hint"


def test_a_number_can_be_locked_in_once_it_is_typed_and_not_the_same_twice():
    asking = asked("start-here", 1)
    for typed, on in (("", False), (" ", False), ("9", True), ("abc", True)):  # whoever locks words in is told why not
        asking.attempt.typed[0] = typed
        assert shown(asking)["lock"].on is on
    asking.attempt.typed[0] = "9"
    answer(asking, 9.0)
    page = shown(asking)
    assert not page["lock"].on
    assert page["verdict"].text.startswith("<mark>✗</mark> No: your number is too large. Two more tries.")
    assert page["verdict"].spoken == "No: your number is too large. Two more tries."


def test_hints_come_one_by_one_and_the_last_one_is_how_it_is_computed():
    asking = asked("start-here", 1)
    told = []
    for hints in range(4):
        asking.attempt.hints = hints
        page = shown(asking)
        told.append((page["more"].text if "more" in page else "", sum(id.startswith("hint ") for id in page)))
    assert told == [("Give me a hint", 0), ("Another hint", 1), ("Show how it is computed", 2), ("", 2)]
    assert page["derivation"].rows


def test_on_a_slide_a_hint_takes_the_place_of_the_one_before_and_r_shows_how_it_is_computed():
    """All of them beside the whole derivation left no room for the table that they were about."""
    asking = asked("start-here", 1, letters=READ)
    told = []
    for hints in range(4):
        asking.attempt.hints = hints
        page = shown(asking)
        said = [one.text for id, one in page.items() if id.startswith("hint ")]
        assert len(said) == min(hints, 1)
        assert not page.get("derivation") or not page["derivation"].rows
        told += said
    assert told[0] != told[1] == told[2]


def test_a_class_is_told_how_a_learned_number_is_computed():
    """The number itself is an input, without a derivation beside it."""
    step = [one.id for one in load("cat-sat-on-the").steps].index("step")
    asking = asked("cat-sat-on-the", step, letters=READ)
    asking.attempt.told = asking.done = asking.attempt.done = True
    (derived,) = (one for one in question_page(asking) if one.id == "derivation")
    assert [row.value for row in derived.rows] == ["−0.09", "−2.2126"]


def test_behind_three_wrong_numbers_stands_how_it_is_computed_and_one_may_answer_again():
    asking = asked("start-here", 1)
    answer(asking, 9.0, 8.0, 7.0)
    page = shown(asking)
    assert page["side"].text == "How it is computed"
    assert isinstance(page["side rows"], Derivation)
    assert page["why"].role == "why"
    assert page["again"].asks == ForQuestion("ask again")
    assert not {"lock", "more"} & set(page)


def test_choices_stand_in_the_order_of_the_walk_and_a_wrong_one_is_marked():
    asking = asked("start-here", 3)
    choices = [page for page in shown(asking).values() if isinstance(page, Option)]
    assert [one.id for one in choices] == [f"choice {i}" for i in asking.walk.order(3)]
    right = next(i for i, one in enumerate(asking.question.choices) if one.right)
    wrong = next(i for i, one in enumerate(asking.question.choices) if not one.right)
    answer(asking, wrong)
    page = shown(asking)
    assert (page[f"choice {wrong}"].outcome, page[f"choice {wrong}"].on) == ("wrong", False)
    assert page[f"choice {wrong}"].spoken.startswith("✗ ")
    assert (page[f"choice {right}"].outcome, page[f"choice {right}"].on) == ("", True)
    answer(asking, right)
    assert shown(asking)[f"choice {right}"].outcome == "right"


def test_a_class_sees_what_was_settled_leave_room_and_the_hint_beside_the_question():
    asking = asked("start-here", 3, READ)
    grid, options = (next(one for one in question_page(asking) if isinstance(one, kind)) for kind in (Grid, Options))
    assert [one.id for one in grid.inside] == ["ask", "more"]
    assert options.abreast
    assert len(options.options) == 3
    answer(asking, next(i for i, one in enumerate(asking.question.choices) if one.right))
    assert sum(isinstance(one, Option) for one in shown(asking).values()) == 1


def test_gaps_are_filled_in_and_told_right_or_wrong_once_anything_was_answered():
    asking = asked("two-vectors", 3)
    (grid,) = gaps_of(asking)
    assert grid in question_page(asking)
    blanks = [one for one in grid.inside if isinstance(one, Blank)]
    assert [one.id for one in blanks] == ["blank 0", "blank 1"]
    assert len({one.name for one in blanks}) == 2
    right = asking.gaps.blanks[0].value
    asking.attempt.typed.update({0: f"{right:g}", 1: "7777", 2: "1"})
    answer(asking, 123.0)
    told = {one.id: one.text for one in gaps_of(asking)[0].inside if isinstance(one, Figure)}
    assert (told["outcome of blank 0"], told["outcome of blank 1"]) == ("<good>✓</good>", "<wrong>✗ </wrong>")
    said = [one.said for one in gaps_of(asking)[0].inside if isinstance(one, Blank)]
    assert said == ["right", "wrong"]
    answer(asking, 124.0, 125.0)
    wanted = asking.gaps.blanks[1].value
    said = [one.said for one in gaps_of(asking)[0].inside if isinstance(one, Blank)]
    assert said == ["right", f"wrong, it is {wanted:.0f}".replace("-", "−")]


def test_arithmetic_that_has_no_room_behind_its_name_gets_a_line_of_its_own():
    """It broke within its brackets."""
    told = [one.text for one in gaps_of(asked("jump", 3))[0].inside if isinstance(one, Passage)]
    assert any(re.fullmatch(r"example 1:<br>\([\d.]+ − [\d.]+\)²", text) for text in told), told
    (grid,) = gaps_of(asked("xor", 3))
    assert not any("<br>" in one.text for one in grid.inside if isinstance(one, Passage)), "there is room"
    (grid,) = gaps_of(asked("jump", 3, READ))
    assert not any("<br>" in one.text for one in grid.inside if isinstance(one, Passage)), "a slide is wide"


def test_a_class_fills_gaps_in_elsewhere_and_ones_that_nobody_filled_in_go_when_it_is_over():
    asking = asked("two-vectors", 3, READ)
    (grid,) = gaps_of(asking)
    assert grid.close
    assert grid not in question_page(asking)
    asking.done = asking.attempt.done = asking.attempt.told = True
    assert gaps_of(asking) == ()
    assert "number" not in shown(asking)
    asking.attempt.typed[0] = "5"
    assert len(gaps_of(asking)) == 1


def test_a_place_that_keys_have_reached_is_offered_and_one_that_was_added_is_none():
    asking = asked("start-here", 7)
    assert shown(asking)["where"].text == "Click a number in the matrix."
    asking.reached = (0, 2)
    assert shown(asking)["take"].text == "Answer: <start> → welcome"
    assert shown(asking)["take"].asks == ForQuestion("give", (0, 2))
    assert was_there(asking, (0, 2))
    assert not was_there(asking, (0, 3))
    asking.missed = ADDED
    assert shown(asking)["where"].text == ADDED


def test_who_has_changed_the_model_is_told_which_numbers_are_asked_about():
    asking = replace(asked("start-here", 1), edited=True)
    assert shown(asking)["edited"].text == EDITED


def test_a_run_is_followed_beside_the_question_with_the_loss_to_reach():
    (curve,) = [one for one in question_page(asked("xor", 10)) if isinstance(one, DescentPart)]
    assert curve.goal is not None
    assert curve.height > 0


def test_indices_in_words_for_a_class_are_no_smaller_than_its_letters():
    small, large = (words("w", "Look at $x_1$.", {}, letters=letters) for letters in (0, READ))
    assert "font-size" not in small.text
    assert f"<sub><span style='font-size: {round(1.5 * READ)}px'>" in large.text
    assert small.spoken == large.spoken


@pytest.mark.parametrize("letters", [0, READ])
def test_each_part_has_a_name_of_its_own_and_each_button_words_of_several_lines(letters):
    for lesson in ("start-here", "two-vectors", "xor"):
        for at, step in enumerate(load(lesson).steps):
            if step.question is not None:
                asking = asked(lesson, at, letters)
                page = (*question_page(asking), *(gaps_of(asking) if letters else ()))
                parts = [part for one in page for part in leaves(one)]
                assert len({one.id for one in parts}) == len(parts), (lesson, step.id)
                assert all(one.wraps for one in parts if isinstance(one, Button)), (lesson, step.id)
