"""After a worked example the same comes again on fresh numbers: one step missing, then two, then all."""

import numpy as np
import pytest
from refusals import refuses

from explorer.document.commands import SetArray
from explorer.document.document import Document
from explorer.lessons.answers import values_of
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import catalogue, load
from explorer.lessons.practice import faded, fresh_numbers
from explorer.lessons.schema import StepStates
from explorer.lessons.steps import ALL, Predict
from explorer.lessons.walk import Walk

NOTHING_COMPUTED = {
    *("start-here", "sin", "jane", "words-as-vectors", "ten-questions-before", "ten-questions-after"),
    *("one-word-at-a-time", "what-a-trained-head-does", "what-the-cache-saves", "where-the-answer-comes-from"),
    *("changed-since-2017", "inside-a-storyteller", "inside-gpt2-small", "inside-pythia"),
}
"""Lessons that look around, compare, or test what was learned."""
PRACTICE = """
format = 2
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


@pytest.mark.parametrize(
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
