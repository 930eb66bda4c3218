"""A walk through a lesson: progress that survives a crash, questions that come again, fresh numbers, gaps.

Where a choice stands tells nothing about whether it is right.

After a worked example the same comes again on fresh numbers: one step missing, then two, then all.
"""

import re
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.numbers import read_number
from explorer.document.commands import SetArray, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.answers import judge, values_of
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import catalogue, lesson_files, load
from explorer.lessons.mistakes import derivation
from explorer.lessons.progress import ComeBack, LessonProgress, ProgressFolder, outcome
from explorer.lessons.replay import check_lesson
from explorer.lessons.schema import ALL, Choose, Point, Predict, StepStates
from explorer.lessons.walk import MISSING, Walk, faded, fresh_numbers, ladder
from tests.lessons.conftest import THREE, three_steps
from tests.samples import each

DAY = date(2026, 1, 1)


@pytest.fixture
def folder(tmp_path):
    return ProgressFolder(tmp_path / "progress")


def fresh_lesson(tmp_path):
    file = tmp_path / "practice.toml"
    file.write_text(
        """
format = 4
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
    folder.save(LessonProgress(three.id, "there-was-this-step-once"))
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
    folder.save(LessonProgress("softmax", "guess"))
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
    steps = dict.fromkeys("abcd", ("q",))
    assert folder.due(DAY, steps) == []
    next_day = DAY + timedelta(1)
    assert folder.due(next_day, steps) == [("b", "q"), ("a", "q"), ("c", "q")]
    assert folder.due(next_day, dict.fromkeys("cd", ("q",))) == [("c", "q"), ("d", "q")], "b was removed since"
    for lesson in "abc":
        for right in (False, True):  # with two tries
            folder.save(folder.load(lesson).answered("q", right, opening=folder.opening, again=True))
    assert folder.due(next_day, steps) == [("d", "q")]
    assert folder.due(DAY + timedelta(5), steps) == [("b", "q"), ("a", "q"), ("c", "q")]
    assert folder.due(DAY + timedelta(6), steps) == []


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


@pytest.mark.parametrize(
    ("lesson", "setting", "node", "drawn"),
    [("two-vectors", "alike", "dot", ("x", "y")), ("xor", "textbook", "layer.2.hidden", ("layer.1.activation",))],
)
def test_no_fresh_number_is_0(lesson, setting, node, drawn):
    """Two exercises of three asked for a product with 0, where adding and multiplying may come to the same."""
    state = load(lesson).state(setting)
    question = Predict(ask="?", node=node, cell=(0, 0), fade=ALL)
    for seed in range(20):
        engine = values_of(fresh_numbers(question, state, seed))
        assert all((engine.values[name] != 0).all() for name in drawn), seed


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


def test_a_missing_number_is_not_read_in_a_row_that_writes_it_with_more_zeros():
    """The length of k, 5.0, was asked for, and the last row divided by 5.0000."""
    state = SetSwitch("attention", "similarity", "cosine").apply(load("emma").state("plain"))
    for name, row in ("Q", [1, 3, 0, 0]), ("K", [3, 4, 0, 0]):
        state = SetArray(name, np.array([row] * 9, dtype=float)).apply(state)
    gaps = faded(Predict(ask="?", node="scores", cell=(8, 0), fade=1), values_of(state))
    assert gaps.parts[-1][1][-1].expression == "15.0000 ÷ (3.1623 × “length of k”)"


def test_a_derivation_does_not_begin_with_a_sum_too_long_to_be_worked_out():
    """Half of a logit was told as 64 products, their sum, and its half."""
    lesson = load("one-word-at-a-time")
    number = next(i for i, step in enumerate(lesson.steps) if step.id == "temperature")
    question = lesson.steps[number].question
    ((_, rows),) = derivation(Walk(lesson).engine(number), question.node, question.cell)
    assert [row.expression for row in rows] == ["13.1956 ÷ 2.0000"]


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
    folder.save(LessonProgress("a").answered("q", False, opening=folder.opening))
    folder.open(date(2026, 11, 21))
    assert folder.due(date(2026, 11, 22), {"a": ("q",)}) == [("a", "q")]
    folder.save(folder.load("a").answered("q", True, opening=folder.opening, again=True))
    assert folder.due(date(2026, 11, 22), {"a": ("q",)}) == []


def test_after_the_clock_was_set_back_questions_come_again_as_they_would(folder):
    """Openings are counted, not days: one of a year that is to come does not stop the count."""
    folder.open(date(2096, 1, 1))
    folder.save(LessonProgress("a").answered("q", False, opening=folder.opening))
    assert folder.due(date(2096, 1, 1), {"a": ("q",)}) == []
    assert folder.due(date(2026, 11, 22), {"a": ("q",)}) == [("a", "q")]
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


@each("lesson", LESSONS, ids=lambda lesson: lesson.id)
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
    folder.save(LessonProgress(lesson.id, seed=5))
    first = orders(Walk(lesson, folder, 1))
    walk = Walk(lesson, folder, 1)
    walk.go(3)
    walk.go(0)
    assert orders(walk) == orders(walk) == first == orders(Walk(load(lesson.id), folder, 1))
    assert orders(Walk(lesson, folder, 2)) != first
    other = ProgressFolder(tmp_path / "another learner")
    other.save(LessonProgress(lesson.id, seed=6))
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


NOTHING_COMPUTED = {
    *("start-here", "sin", "jane", "words-as-vectors", "ten-questions-before", "ten-questions-after"),
    *("one-word-at-a-time", "what-a-trained-head-does", "what-the-cache-saves", "where-the-answer-comes-from"),
    *("changed-since-2017", "inside-a-storyteller", "inside-gpt2-small", "inside-pythia"),
}
"""Lessons that look around, compare, or test what was learned."""
PRACTICE = """
format = 4
id = "again"
title = "Again"
paragraph = "The same once more."
example = "translation-lookup"
[[step]]
id = "score"
title = "A score"
words = "It is {scores[below, below]}."
look.stage = "attention"
[step.practice]
ask = "What is it?"
node = "scores"
cell = ["below", "above"]
hints = ["Multiply."]
why = "A dot product."
[[step]]
id = "end"
title = "End"
words = "The score is {scores[below, below]:0} as before."
look.stage = "attention"
"""


@pytest.fixture
def lesson(tmp_path):
    file = tmp_path / "again.toml"
    file.write_text(PRACTICE)
    return load(file)


def test_three_steps_follow_with_more_and_more_left_out(lesson):
    assert [step.id for step in lesson.steps] == [
        *("score", "score-one-missing", "score-two-missing", "score-all-missing"),
        "end",
    ]
    asked = [step.question for step in lesson.steps[1:4]]
    assert [one.fade for one in asked] == [1, 2, ALL]
    assert all(one.fresh and one.hints == ("Multiply.",) for one in asked)
    assert [one.why for one in asked] == ["", "", "A dot product."]
    assert lesson.steps[2].look.rows == (1,)
    assert lesson.steps[2].look.columns == (0,)


def test_of_two_rows_of_one_table_that_are_multiplied_both_are_framed():
    """Of the positional encoding only the result was framed, below what is seen."""
    steps = {step.id: step for step in load("positions-cat-mat").steps}
    look = steps["distance-one-missing"].look
    assert (look.node, look.rows, look.columns) == ("input.PE", (3, 5), ())


def test_each_has_numbers_of_its_own_and_a_result_worth_computing(lesson):
    walk = Walk(lesson)
    results = [float(walk.engine(at).value(walk.engine(at).graph.place("scores"))[1, 0]) for at in (1, 2, 3)]
    assert all(abs(result) > 0.005 for result in results)  # 0 stands there without fresh numbers
    assert walk.state(4) is walk.states[4]  # the last step goes on from the numbers of the lesson


def test_what_is_no_key_of_practice_is_told(tmp_path):
    file = tmp_path / "again.toml"
    file.write_text(PRACTICE.replace("[step.practice]\n", "[step.practice]\nfade = 1\n"))
    with refuses("fade"):
        load(file)


def test_no_step_of_a_number_that_is_given_can_be_left_out(tmp_path):
    file = tmp_path / "again.toml"
    file.write_text(PRACTICE.replace('node = "scores"\ncell = ["below", "above"]', 'node = "Q"\ncell = ["below", 1]'))
    with refuses("`practice.node` is not computed, so no step can be left out"):
        load(file)


def test_of_a_learned_weight_the_step_of_descent_is_left_out():
    """The weight is an input: its own derivation is empty."""
    states = StepStates(load("cat-sat-on-the"))
    asked = [(step.question, states.engine(at)) for at, step in enumerate(states.lesson.steps)]
    question, engine = next(one for one in asked if isinstance(one[0], Predict) and one[0].learned is not None)
    gaps = faded(replace(question, fade=ALL), engine)
    assert [blank.value for blank in gaps.blanks][-1] == pytest.approx(float(question.learned.value), abs=1e-4)


@each(
    "lesson",
    [one for one in catalogue() if one.steps and not one.errata and one.id not in NOTHING_COMPUTED],
    ids=lambda lesson: lesson.id,
)
def test_a_lesson_that_teaches_a_computation_lets_it_be_done(lesson):
    faded = [step.question for step in lesson.steps if isinstance(step.question, Predict) and step.question.fade]
    # Of a logarithm and its sign no two steps can be left out.
    assert ({1, ALL} if lesson.id == "cat-sat-on-the" else {1, 2, ALL}) <= {question.fade for question in faded}
    assert sum(question.fresh for question in faded) >= 2
    assert any("rule" in step.id for step in lesson.steps)
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        if isinstance(question := step.question, Predict) and question.fade and question.fresh:
            drawn = (Document(fresh_numbers(question, states[at], seed)).engine for seed in range(5))
            found = [float(engine.value(engine.graph.place(question.node))[question.cell]) for engine in drawn]
            assert (question.digits == 0) == all(map(float.is_integer, found)), f"{step.id}: two decimals of 12"


@pytest.mark.parametrize("id", ["jump", "xor"])
def test_what_only_repeats_the_result_is_no_step(id):
    """The steps left out were times a γ of 1 and plus a β of 0; the number before them, the answer, stood there."""
    walk = Walk(load(id))
    (at,) = [i for i, step in enumerate(walk.lesson.steps) if step.id.endswith("-one-missing")]
    walk.at = at
    gaps = walk.gaps()
    told = [row.value for _, rows in gaps.parts for row in rows]
    assert gaps.whole[-1][1][-1].value not in told
    assert told.count("?") == 2


def test_a_step_whose_number_is_that_of_the_step_before_is_asked_for():
    """Of 1, −1, 1, −1 the variance, its root and the number divided by it are all 1."""
    state = SetArray("input.X", np.array([[1.0, 0], [-1, 0], [1, 0], [-1, 0]])).apply(load("jump").state())
    gaps = faded(Predict(ask="?", node="batch.norm", cell=(0, 0), fade=1), values_of(state))
    assert [gaps.whole[blank.part][1][blank.row].label for blank in gaps.blanks] == ["root", "with mean 0, variance 1"]


def test_no_fresh_number_is_what_rounding_leaves_of_0():
    lesson = load("emma")
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        if isinstance(step.question, Predict) and step.question.fresh:
            for seed in range(20):
                fresh = fresh_numbers(step.question, states[at], seed)
                scores = values_of(fresh).value(fresh.graph.place(step.question.node))
                assert not ((scores != 0) & (abs(scores) < 1e-12)).any()


def test_no_fresh_number_is_infinite():
    """A probability of 0 was drawn, whose log nobody can work out."""
    state = load("roses-are-red").state()
    question = Predict(ask="?", node="loss.L_1", cell=(), fresh=True)
    found = [values_of(fresh_numbers(question, state, seed)).values["loss.L_1"] for seed in range(50)]
    assert np.isfinite(found).all()


def test_shares_of_more_than_a_hundred_words_are_drawn_too():
    """There are not enough hundredths for them: the question, and the whole sheet with it, ended in a traceback."""
    state = new_lesson("gpt", [" ".join(f"w{i}" for i in range(120))], d_model=4, heads=1, layers=1).state()
    question = Predict(ask="What is it?", node="decoder.1.self.head.1.output", cell=(119, 0))
    shares = values_of(fresh_numbers(question, state, 1)).values["decoder.1.self.weights"][0, -1]
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1)
