"""A walk through a lesson: progress that survives a crash, questions that come again, fresh numbers, gaps.

Where a choice stands tells nothing about whether it is right.
"""

import re
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.numbers import read_number
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.answers import judge, values_of
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.mistakes import derivation
from explorer.lessons.practice import MISSING, faded, fresh_numbers
from explorer.lessons.progress import ComeBack, Progress, ProgressFolder, outcome
from explorer.lessons.replay import check_lesson
from explorer.lessons.steps import ALL, Choose, Point, Predict
from explorer.lessons.walk import Walk, ladder
from tests.lessons.conftest import THREE, three_steps

DAY = date(2026, 1, 1)


@pytest.fixture
def folder(tmp_path):
    return ProgressFolder(tmp_path / "progress")


def fresh_lesson(tmp_path):
    file = tmp_path / "practice.toml"
    file.write_text(
        """
format = 2
id = "practice"
title = "Practice"
paragraph = "Once more."
example = "emma"
[[step]]
id = "again"
title = "Again"
words = "The first score is {scores[Emma, Emma]}."
setting = "textbook"
look.stage = "attention"
[step.question]
kind = "predict"
ask = "What is it?"
node = "scaled"
cell = ["friend", "Emma"]
fade = 1
fresh = true
hints = ["Multiply."]
[[step]]
id = "end"
title = "End"
words = "Done."
setting = "textbook"
look.stage = "attention"
"""
    )
    return load(file)


def test_a_walk_goes_on_where_it_stopped(folder, three):
    lesson = three
    walk = Walk(lesson, folder)
    assert walk.at == 0
    document = Document(walk.state(0))
    document.do(walk.go(1))
    assert document.state is walk.state(1)
    assert not walk.answer(0).right
    assert walk.answer(1, hints=1).right
    later = Walk(lesson, ProgressFolder(folder.folder))
    assert later.at == 1
    assert later.progress == walk.progress
    answered = later.progress.answers["differences"]
    assert (answered.right, answered.first, answered.tries, answered.hints) == (True, False, 2, 1)
    assert later.progress.seen == ("differences",)
    assert outcome(lesson, later.progress).of["differences"] == "hint"
    walk.go(0)
    assert walk.answer(0.65).right
    assert outcome(lesson, walk.progress).of["guess"] == "at once"


@given(st.lists(st.one_of(st.integers(0, 2), st.sampled_from(["edit", "temperature", "switch", "undo", "redo"]))))
def test_whatever_is_done_in_between_a_step_is_what_it_is(acts):
    lesson = three_steps()
    walk, untouched = Walk(lesson), Walk(lesson)
    document = Document(lesson.state())
    for number, act in enumerate(acts):
        match act:
            case "edit":
                document.do(SetCells("output.logits", {(0, 0): float(number)}))
            case "temperature":
                document.do(SetCells("output.temperature", {(): 1.5 + number}))
            case "switch":
                document.do(SetSwitch("output", "activation", "sigmoid"))
            case "undo":
                document.undo()
            case "redo":
                document.redo()
            case _:
                document.do(walk.go(act))
                assert document.state is walk.state(act)
                wanted = untouched.engine(act).values
                assert {name: array.tobytes() for name, array in document.engine.values.items()} == {
                    name: array.tobytes() for name, array in wanted.items()
                }


def test_a_walk_without_a_folder_writes_nothing(tmp_path, three):
    before = list(tmp_path.iterdir())
    walk = Walk(three)
    walk.go(1)
    walk.answer(1)
    assert walk.progress.answers["differences"].right
    assert list(tmp_path.iterdir()) == before


def test_a_step_that_the_lesson_lost_is_begun_at_the_first(folder, three):
    folder.save(Progress(three.id, "there-was-this-step-once"))
    assert Walk(three, folder).at == 0


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{", '{"answers": 3}', '{"answers": {"a": {"right": "x"}}}', "[" * 9999),
        '{"step": "a", "seen": [], "answers": {}, "seed": 1e999}',
        '{"step": "a", "seen": [], "answers": {"a": {"right": 1, "first": 1, "tries": -1}}, "seed": 1}',
        '{"step": "a", "seen": "abc", "answers": {}, "seed": 1}',
        '{"step": ["a"], "seen": [], "answers": {}, "seed": 1}',
    ],
)
def test_a_damaged_file_is_set_aside(folder, content):
    folder.folder.mkdir()
    (folder.folder / "softmax.json").write_text(content)
    assert folder.load("softmax").answers == {}
    assert (folder.folder / "softmax.damaged").read_text() == content
    folder.save(Progress("softmax", "guess"))
    assert folder.load("softmax").step == "guess"


@pytest.mark.parametrize("count", ["-7", "9" * 4300, "1.5", '"x"'])
def test_openings_that_nobody_could_have_counted_begin_anew(folder, count):
    folder.folder.mkdir()
    (folder.folder / "_openings.json").write_text(f'{{"count": {count}, "day": "x"}}')
    assert folder.open(date(2026, 1, 1)) == 1


def test_where_nothing_can_be_written_one_sentence_says_so(tmp_path, three):
    (tmp_path / "file").write_text("no folder")
    with refuses("cannot be written"):
        Walk(three, ProgressFolder(tmp_path / "file")).go(0)


# Again on other days


def test_questions_come_again_at_the_next_two_openings_three_at_a_time(folder):
    assert folder.open(DAY) == 1
    assert folder.open(DAY) == 1  # the same day
    for lesson, right in (("a", True), ("b", False), ("c", True), ("d", True)):
        folder.save(folder.load(lesson).answered("q", right, opening=folder.opening))
    assert folder.due(DAY) == []
    next_day = DAY + timedelta(1)
    assert folder.due(next_day) == [("b", "q"), ("a", "q"), ("c", "q")]
    for lesson in "abc":
        for right in (False, True):  # with two tries
            folder.save(folder.load(lesson).answered("q", right, opening=folder.opening, again=True))
    assert folder.due(next_day) == [("d", "q")]
    assert folder.due(DAY + timedelta(5)) == [("b", "q"), ("a", "q"), ("c", "q")]
    assert folder.due(DAY + timedelta(6)) == []


def test_a_quiet_list_says_what_to_come_back_to(folder):
    progress = folder.load("softmax").answered("guess", False).answered("differences", False, hints=2)
    folder.save(progress.answered("differences", True).at("before").at("differences"))
    folder.save(folder.load("gone").answered("x", False))
    steps = {"softmax": ("before", "guess", "differences", "temperature")}
    assert folder.come_back(steps) == [
        ComeBack("softmax", "before", "skipped"),
        ComeBack("softmax", "guess", "wrong"),
        ComeBack("softmax", "differences", "hints"),
        ComeBack("softmax", "differences", "left"),
    ]


# Fresh numbers


def test_each_student_has_numbers_of_his_own_and_always_the_same(tmp_path, folder):
    lesson = fresh_lesson(tmp_path)
    walk, again = Walk(lesson, folder), None
    walk.go(0)
    again = Walk(lesson, folder)
    other = Walk(lesson, ProgressFolder(tmp_path / "other"))
    numbers = [one.engine(0).values["Q"] for one in (walk, again, other)]
    assert np.array_equal(numbers[0], numbers[1])
    assert not np.array_equal(numbers[0], numbers[2])
    assert not np.array_equal(numbers[0], walk.states.engine(0).values["Q"])
    assert np.array_equal(walk.engine(1).values["Q"], walk.states.engine(1).values["Q"])
    right = float(walk.engine(0).values["scaled"][8, 0])
    assert walk.answer(right).right
    assert walk.hints()[0] == "Multiply."
    assert walk.hints()[-1] == derivation(walk.engine(0), "scaled", (8, 0))


@pytest.mark.parametrize(
    ("lesson", "setting", "node"),
    [
        ("emma", "textbook", "weights"),
        ("you-are-welcome", "textbook", "encoder.1.self.head.1.output"),
        ("you-are-welcome", "textbook", "encoder.1.self.norm"),
        ("you-are-welcome", "textbook", "loss.value"),
        ("xor", "printed", "layer.1.hidden"),
        ("two-vectors", "alike", "cosine"),
        ("cat-sat-on-the", "printed", "output.probabilities"),
    ],
)
def test_fresh_numbers_are_easy_and_of_the_same_kind(lesson, setting, node):
    state = load(lesson).state(setting)
    before, place = values_of(state), state.graph.place(node)
    cell = (0,) * before.value(place).ndim
    question = Predict(ask="?", node=node, cell=cell, fade=ALL)
    engine = values_of(fresh_numbers(question, state, 7))
    again = values_of(fresh_numbers(question, state, 7))
    assert again.values[place.node].tobytes() == engine.values[place.node].tobytes()
    assert not np.array_equal(engine.value(place), before.value(place))
    for parent in state.graph.nodes[place.node].parents:
        now, was = engine.values[parent], before.values[parent]
        assert np.array_equal(np.isfinite(now), np.isfinite(was))
        if now.ndim and np.allclose(was.sum(-1), 1) and was.min() >= 0:
            assert np.allclose(now.sum(-1), 1)
    assert np.isfinite(engine.value(place)[cell])
    filled = faded(question, engine)
    assert all(blank.judge(blank.value).right for blank in filled.blanks)
    assert not filled.blanks[-1].judge(filled.blanks[-1].value + 1).right
    assert judge(question, filled.blanks[-1].value, state, engine).right


def test_only_what_the_derivation_reads_is_drawn_anew():
    state = load("cat-sat-on-the").state("printed")
    question = Predict(ask="?", node="loss.value", cell=())
    assert set(fresh_numbers(question, state, 1).pins) == {"output.probabilities"}
    assert fresh_numbers(Predict(ask="?", node="output.logits", cell=(0, 0)), state, 1) is state


# Gaps


def test_steps_are_left_out_from_the_end():
    engine = values_of(load("emma").state("textbook"))
    how = derivation(engine, "scaled", (8, 0))  # four products, their sum 2.42, and half of it
    for fade, missing in ((1, 2), (2, 3), (ALL, 6)):
        gaps = faded(Predict(ask="?", node="scaled", cell=(8, 0), fade=fade), engine)
        values = [row.value for _, rows in gaps.parts for row in rows]
        assert values.count(MISSING) == len(gaps.blanks) == missing
        assert [row.value for _, rows in how for row in rows][: 6 - missing] == values[: 6 - missing]
        shown = gaps.parts[1][1][0].expression
        assert shown == ("" if fade == ALL else "“sum of the products” × 0.50")
    assert gaps.whole == how


def test_the_ladder_ends_in_the_derivation(three):
    state = load("emma").state("textbook")
    engine = values_of(state)
    point = Point(ask="?", hints=("Look.",), at="token", node="weights", axis="query", extreme="largest", row=8)
    assert ladder(point, engine) == ("Look.", derivation(engine, "weights", (8, 0)))
    hints = ladder(three.steps[2].question, values_of(three.state()))
    assert hints[-1] == derivation(values_of(three.state()), "output.probabilities", (0, 0))
    assert ladder(three.steps[1].question, engine) == (three.steps[1].question.why,)


def test_who_skipped_an_opening_is_asked_once_at_the_next(folder):
    folder.open(date(2026, 11, 20))
    folder.save(Progress("a").answered("q", False, opening=folder.opening))
    folder.open(date(2026, 11, 21))
    assert folder.due(date(2026, 11, 22)) == [("a", "q")]
    folder.save(folder.load("a").answered("q", True, opening=folder.opening, again=True))
    assert folder.due(date(2026, 11, 22)) == []


def test_after_the_clock_was_set_back_questions_come_again_as_they_would(folder):
    """Openings are counted, not days: one of a year that is to come does not stop the count."""
    folder.open(date(2096, 1, 1))
    folder.save(Progress("a").answered("q", False, opening=folder.opening))
    assert folder.due(date(2096, 1, 1)) == []
    assert folder.due(date(2026, 11, 22)) == [("a", "q")]
    assert folder.open(date(2026, 11, 22)) == folder.opening == 2


LESSONS = [lesson for lesson in map(load, lesson_files()) if lesson.questions]


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "lesson.toml"
        path.write_text(text)
        return path

    return write


def chosen(lesson):
    """The places of the steps of a lesson whose question has choices, and these questions."""
    return [(at, step.question) for at, step in enumerate(lesson.steps) if isinstance(step.question, Choose)]


def right_at(walk):
    """For each such question how many choices it has and at which place the right one is shown."""
    for at, question in chosen(walk.lesson):
        yield len(question.choices), next(p for p, i in enumerate(walk.order(at)) if question.choices[i].right)


def orders(walk):
    return [walk.order(at) for at, _ in chosen(walk.lesson)]


def test_the_right_one_stands_at_each_place_as_often_in_all_lessons_together():
    """In one sitting: with 120 questions of three choices a place has 40, give or take 5."""
    assert sum(len(chosen(lesson)) for lesson in LESSONS) > 100
    for sitting in range(25):
        found = Counter(one for lesson in LESSONS for one in right_at(Walk(lesson, None, sitting)))
        of_three = [found[3, place] for place in range(3)]
        assert min(of_three) > sum(of_three) / 6, of_three
        assert max(of_three) < sum(of_three) / 2, of_three


def test_over_many_sittings_each_place_of_a_mixed_question_is_as_likely():
    for lesson in LESSONS:
        for at, question in chosen(lesson):
            if question.mixed:
                places = Counter(Walk(lesson, None, sitting).order(at).index(0) for sitting in range(150))
                n = len(question.choices)
                assert len(places) == n
                assert min(places.values()) > 100 / n  # 150 / n are to be expected


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_what_is_written_in_its_own_order_stays_so_and_where_its_numbers_stand_they_rise(lesson):
    for at, question in chosen(lesson):
        order = Walk(lesson, None, 7).order(at)
        assert sorted(order) == [*range(len(question.choices))]
        numbers = [found for found in map(first_number, question.choices) if found is not None]
        if not question.mixed:
            assert order == tuple(sorted(order))
            assert numbers == sorted(numbers)
        else:
            assert len(numbers) < len(question.choices), f"{lesson.steps[at].id}: numbers are to rise"


def first_number(choice):
    """The number that a choice begins with, if it does."""
    found = re.match(r"(?:About )?([−-]?\d[\d.,]*)(?: (million|billion))?(?!\S*[“”])", choice.text)
    times = {None: 1, "million": 1e6, "billion": 1e9}
    return None if found is None else read_number(found[1].replace(",", "")) * times[found[2]]


def test_the_order_is_the_same_in_a_sitting_and_another_one_the_next_time(tmp_path):
    lesson, folder = load("you-are-welcome"), ProgressFolder(tmp_path)
    folder.save(Progress(lesson.id, seed=5))
    first = orders(Walk(lesson, folder, 1))
    walk = Walk(lesson, folder, 1)
    walk.go(3)
    walk.go(0)
    assert orders(walk) == orders(walk) == first == orders(Walk(load(lesson.id), folder, 1))
    assert orders(Walk(lesson, folder, 2)) != first
    other = ProgressFolder(tmp_path / "another learner")
    other.save(Progress(lesson.id, seed=6))
    assert orders(Walk(lesson, other, 1)) != first


def test_the_order_as_written_is_kept_and_nothing_else_may_be_written(write):
    text = THREE.replace("choices = [", 'order = "as written"\nchoices = [')
    lesson = load(write(text))
    ((at, question),) = chosen(lesson)
    assert not question.mixed
    assert all(Walk(lesson, None, sitting).order(at) == (0, 1) for sitting in range(20))
    with refuses(r"step `differences` of .*`question.order` .*rising"):
        load(write(text.replace("as written", "rising")))


@pytest.mark.parametrize("said", ["The first answer is wrong.", "All of the above.", "Compare it with choice B."])
def test_words_that_mean_a_choice_by_its_place_are_found(write, said):
    text = THREE.replace("Multiplying does not cancel.", said)
    with refuses(r"step `differences` .*another order each time.* write order = \"as written\""):
        check_lesson(write(text))
    assert check_lesson(write(text.replace("choices = [", 'order = "as written"\nchoices = [')))
