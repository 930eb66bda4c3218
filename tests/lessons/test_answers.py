"""Answers are judged by the graph, and a wrong number is named by the mistake that gives it.

Also questions about a gradient: the number, its derivation, the mistakes, and the words that show it.
"""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.model import Model
from explorer.core.numbers import read_number
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.lessons.answers import holds, judge, read_goal, right_places, values_of
from explorer.lessons.loader import load
from explorer.lessons.mistakes import MOST_FAR_CELLS, derivation, half_unit, mistakes
from explorer.lessons.prose import numbers_of
from explorer.lessons.replay import check_lesson
from explorer.lessons.schema import Choice, Choose, MakeSo, Point, Predict, StepStates
from explorer.lessons.symbols import Names, UnknownNameError
from explorer.sentences import sentence
from tests.samples import each

EMMA = load("emma")
TEXTBOOK = EMMA.state("textbook")
SHARE = Predict(ask="?", node="weights", cell=(8, 0))

# setting of which lesson, node, cell, decimals: which mistakes there are, each with the number worked out by itself
Q, K = (TEXTBOOK.inputs[name] for name in "QK")
SCORES = Q[8] @ K.T


def softmax(z):
    return np.exp(z) / np.exp(z).sum()


COMPUTED = {
    "not scaled": softmax(SCORES)[0],
    "other scale": softmax(SCORES / 4)[0],
    "no softmax": SCORES[0] / 2,
    "not divided": np.exp(SCORES[0] / 2),
    "no powers": SCORES[0] / SCORES.sum(),
    "per cent": 100 * softmax(SCORES / 2)[0],
    "cosine": softmax(SCORES / (np.linalg.norm(Q[8]) * np.where((n := np.linalg.norm(K, axis=1)) > 0, n, np.inf)) / 2)[
        0
    ],
}


@pytest.mark.parametrize("name", COMPUTED)
def test_the_mistake_that_gives_the_typed_number_is_named(name):
    verdict = judge(SHARE, round(float(COMPUTED[name]), 2), TEXTBOOK)
    assert not verdict.right
    assert verdict.mistake is not None
    assert verdict.mistake.name == name
    assert verdict.sentence.startswith("That is")
    assert verdict.sentence.endswith("; the number is 0.30.")
    assert verdict.mistake.value == pytest.approx(float(COMPUTED[name]))


def test_another_cell_at_an_equal_word_has_a_name_of_its_own():
    """It had the name of the asked cell."""
    engine = values_of(load("positions-cat-mat").state())
    node = "encoder.1.self.head.1.weights"
    said = [one.sentence for one in mistakes(engine, node, (4, 1), 6) if one.name == "another cell"]
    assert len(set(said)) == len(said)
    assert "That is the number of another cell: row “the (2 of 2)”, column “on”" in said
    assert "That is the number of another cell: row “the (2 of 2)”, column “cat”" not in said


def judged(lesson, step, typed):
    """The judgement of a number that is typed at a step of a lesson."""
    at, states = step_at(lesson, step), StepStates(lesson)
    return judge(lesson.steps[at].question, typed, states[at], states.engine(at))


def step_at(lesson, id):
    return next(at for at, step in enumerate(lesson.steps) if step.id == id)


STEPPED = {
    "uphill": -2.303 + 0.1 * -0.9,
    "no rate": -2.303 + 0.9,
    "step alone": 0.09,
    "number before": -2.303,
    "gradient": -0.9,
}


@pytest.mark.parametrize("name", STEPPED)
def test_a_mistake_in_a_step_of_gradient_descent_is_named(name):
    """Whoever went up the gradient was told only that the number is too small, and saw no derivation."""
    verdict = judged(load("cat-sat-on-the"), "step", round(STEPPED[name], 3))
    assert verdict.mistake is not None
    assert verdict.mistake.name == name
    assert [row.value for _, rows in verdict.derivation for row in rows][-1] == "−2.2126"


def test_a_probability_without_its_target_is_no_gradient():
    """It was the number of another cell, because “hat” has the gradient 0.1."""
    verdict = judged(load("cat-sat-on-the"), "gradient", 0.1)
    assert verdict.mistake is not None
    assert verdict.mistake.name == "no target"


def test_a_variance_as_of_a_sample_is_named():
    lesson = load("jump")
    x = lesson.state("before").inputs["input.X"][:, 0]
    question = Predict(ask="?", node="batch.norm", cell=(0, 0))
    verdict = judge(question, round(float((x[0] - x.mean()) / x.std(ddof=1)), 2), lesson.state("before"))
    assert verdict.mistake is not None
    assert verdict.mistake.name == "divided by n − 1"


def test_another_cell_is_named_by_row_and_column():
    """“The number of another cell: 0, 0, y” reads as three labels."""
    verdict = judged(load("xor-linear"), "line", 0.2)
    assert verdict.meanwhile == "That is the number of another cell: row “0, 0”, column “y”."


def test_a_layer_norm_in_place_of_an_rms_norm_is_named():
    lesson = load("you-are-welcome")
    state = SetSwitch("encoder.1.ffn", "norm_by", "RMS norm").apply(lesson.state("textbook"))
    x = values_of(state).value(state.graph.place("encoder.1.ffn.residual"))[0]
    typed = (x[1] - x.mean()) / np.sqrt(x.var() + 1e-5)
    verdict = judge(Predict(ask="?", node="encoder.1.ffn.norm", cell=(0, 1)), round(float(typed), 2), state)
    assert verdict.mistake is not None
    assert verdict.mistake.name == "mean subtracted"


def test_a_right_number_is_right_within_half_a_unit_of_the_last_digit():
    right = float(softmax(SCORES / 2)[0])
    for typed in (0.30, right, right + 0.0049):
        verdict = judge(SHARE, typed, TEXTBOOK)
        assert verdict.right
        assert verdict.derivation
    assert judge(SHARE, 0.3, TEXTBOOK).right
    assert not judge(SHARE, 0.29, TEXTBOOK).right


@pytest.mark.parametrize(("typed", "right"), [(1.0, True), (0.98, True), (0.5, False), (1.4, False), (1.1, False)])
def test_a_whole_number_is_exact(typed, right):
    """0.5 was right for 1, and for the 0 of XOR, where 0.5 is what a net without hidden units answers."""
    lesson = load("xor")
    for id, value in (("hidden", 1), ("answer", 0)):
        number = next(i for i, step in enumerate(lesson.steps) if step.id == id)
        question, state = lesson.steps[number].question, StepStates(lesson)[number]
        assert judge(question, value + typed - 1, state).right is right
        assert judge(question, value - typed + 1, state).right is right


def test_in_a_large_table_a_wrong_number_is_not_that_of_a_far_cell():
    """Of 801 numbers some cell has nearly any: a product that was doubled was told to be that of “she”."""
    lesson = load("changed-since-2017")
    number = next(i for i, step in enumerate(lesson.steps) if step.id == "gate")
    question, state = lesson.steps[number].question, StepStates(lesson)[number]
    value = values_of(state).values[question.node]
    assert value.size > MOST_FAR_CELLS
    for cell, named in (((0, 5), True), ((4, 0), True), ((4, 5), False)):
        verdict = judge(question, round(float(value[cell]), 3), state)
        assert ("another cell" in verdict.meanwhile) is named


def test_a_number_that_no_mistake_gives_is_told_apart_by_its_difference():
    verdict = judge(SHARE, 17.0, TEXTBOOK)
    assert verdict.mistake is None
    assert verdict.sentence == "No: the number is 0.30. Yours is 16.70 too large."


def test_a_mask_where_there_is_none_is_named():
    state = EMMA.state("printed")
    values = values_of(state).values["scores"]
    typed = softmax(values[3, :4])[0]
    verdict = judge(Predict(ask="?", node="weights", cell=(3, 0)), round(float(typed), 2), state)
    assert verdict.mistake.name == "masked"
    assert verdict.mistake.derivation[-1][1][-1].value == f"{typed:.4f}".rstrip("0")


@pytest.mark.parametrize(
    ("name", "id", "typed", "mistake"),
    [
        ("jump", "before", -0.35, "not divided"),
        ("jump", "batch-one-missing", None, "by variance"),
        ("cat-sat-on-the", "wrong", 0.1, "no log"),
        ("cat-sat-on-the", "wrong", 0.9, "from one"),
        ("cat-sat-on-the", "wrong", 0.36, "likeliest word"),
    ],
)
def test_the_mistakes_that_students_make_at_a_norm_and_a_loss_have_names(name, id, typed, mistake):
    """Of the numbers that one gets who stops half way it was only said how far off they were."""
    states = StepStates(load(name))
    at = [step.id for step in states.lesson.steps].index(id)
    question = states.lesson.steps[at].question
    if typed is None:
        x = states.engine(at).value(Place("input.X"))[:, 0]
        typed = round(float((x[0] - x.mean()) / (x.var() + 1e-5)), 2)
    found = judge(question, typed, states[at]).mistake
    assert found.name == mistake
    assert read_number(found.derivation[-1][1][-1].value) == pytest.approx(typed, abs=6e-3)


def test_a_difference_is_no_whole_number_that_is_asked_for():
    """0.2 − 0.9 was taken for the −1 of a norm, which is −0.99996 for its ε."""
    states = StepStates(load("jump"))
    question = replace(states.lesson.steps[0].question, digits=0)
    assert judge(question, -1, states[0]).right
    assert not judge(question, -0.7, states[0]).right


def test_digits_beyond_those_asked_for_count_too():
    """Where a whole number is asked for, 0.33 is not the 0.21 of softmax over the wrong axis."""
    lesson = load("you-are-welcome")
    at = [step.id for step in lesson.steps].index("mask")
    state, question = StepStates(lesson)[at], lesson.steps[at].question
    assert question.digits == 0
    assert judge(question, 0.33, state).mistake is None
    assert judge(question, 0.207, state).mistake.name == "wrong axis"
    mistake = judge(question, 0.20, state).mistake
    assert mistake.name == "wrong axis"  # cut off, not rounded
    labels = [row.label for _, rows in mistake.derivation for row in rows]
    assert [one for one in labels if " the " in one][::2] == ["largest in the column", "sum over the column"]


def test_a_share_in_per_cent_is_named_without_its_decimals():
    assert judge(SHARE, 30, TEXTBOOK).mistake.name == "per cent"


def test_a_number_that_is_cut_off_is_named():
    share = Predict(ask="?", node="weights", cell=(8, 8), digits=3)  # 0.11508
    assert judge(share, 0.115, TEXTBOOK).right
    assert judge(Predict(ask="?", node="weights", cell=(8, 8)), 0.11, TEXTBOOK).mistake.name == "cut off"
    welcome = load("you-are-welcome").state("textbook")
    query = Predict(ask="?", node="encoder.1.self.head.1.Q", cell=(0, 2), digits=1)  # 2.5999999999999996
    assert judge(query, 2.5, welcome).mistake.name == "last decimal"


@pytest.mark.parametrize(
    ("typed", "name", "said"),
    [  # the share is 0.3005
        (0.3, "too few decimals", "Right to 1 decimal, but 4 are asked for."),
        (0.3006, "last decimal", "That is off by one in the last decimal."),
        (0.3094, None, "No: your number is too large."),
        (-0.3, "sign", "That has the wrong sign, and fewer decimals than are asked for."),
        (3.005, "decimal point", "That is 10 times the right number."),
        (0.03, None, "No: your number is too small."),  # one figure may be there by chance
        (0.03005, "decimal point", "That is a tenth of the right number."),
        (300.5, "decimal point", "That is 1000 times the right number."),
    ],
)
def test_a_number_that_no_mistake_gives_is_told_what_it_has_of_the_right_one(typed, name, said):
    """Most slips of the pen got only "too large" in a lesson, and "No." on a sheet."""
    verdict = judge(Predict(ask="?", node="weights", cell=(8, 0), digits=4), typed, TEXTBOOK)
    assert (verdict.mistake.name if verdict.mistake else None, verdict.meanwhile) == (name, said)


def test_a_0_is_not_right_so_far():
    """0.04 is the bias alone: whoever had forgotten it typed 0, and was told that this is right to 1 decimal.

    Nor is it a number that was rounded on the way; another mistake that gives 0 is named.
    """
    lesson = load("you-are-welcome")
    states, said = StepStates(lesson), {}
    for at, step in enumerate(lesson.steps):
        if step.id in ("relu", "slow-wave"):
            said[step.id] = judge(step.question, 0.0, states[at]).meanwhile
    first = "That is the number of another cell: row “You”, column 3."
    assert said == {"relu": "That is what comes out without the bias.", "slow-wave": first}


def test_fewer_digits_than_are_asked_for_are_right_so_far():
    verdict = judge(Predict(ask="?", node="weights", cell=(8, 0), digits=4), 0.3, TEXTBOOK)
    assert not verdict.right
    assert verdict.sentence == "Right to 1 decimal, but 4 are asked for; the number is 0.3005."


def test_a_whole_number_where_decimals_are_asked_for_is_told_so():
    """A 7 for 7.07 was called a number that was rounded on the way, and a 4 for 4.47 one that is cut off."""
    lesson = load("two-vectors")
    said = []
    for id, typed in (("scaled", 7), ("length", 4), ("length", 20)):
        at = [step.id for step in lesson.steps].index(id)
        said.append(judge(lesson.steps[at].question, typed, StepStates(lesson)[at]).meanwhile)
    told = "Right to the whole number, but 2 decimals are asked for."
    assert said == [told, told, "That is what comes out without the root."]


def test_a_number_that_was_rounded_away_names_no_mistake():
    """A 1 typed for a dot product of 10 was explained by the cosine, 0.71; a 0 for 0.5 by 0.04."""
    lesson = load("two-vectors")
    at = [step.id for step in lesson.steps].index("dot")
    state = StepStates(lesson)[at]
    assert judge(Predict(ask="?", node="dot", cell=(0, 0), digits=0), 1, state).mistake is None
    assert judge(Predict(ask="?", node="c", cell=(0, 0), digits=1), 0, state).mistake is None


def test_a_relu_that_drops_the_minus_sign_is_named():
    lesson = load("start-here")
    at = [step.id for step in lesson.steps].index("alone")
    said = [judge(lesson.steps[at].question, typed, StepStates(lesson)[at]).meanwhile for typed in (0.896, 1, -0.896)]
    left_out = "That is what comes out if the minus sign is left out."
    assert said == [left_out, left_out, "That is what comes out if negative numbers are kept."]


def test_both_derivations_end_in_their_numbers():
    verdict = judge(SHARE, 0.58, TEXTBOOK)
    assert verdict.derivation[-1][1][-1].value == "0.3005"
    assert verdict.mistake.derivation[-1][1][-1].value == "0.5831"
    assert [name for name, _ in verdict.mistake.derivation] == ["scaled", ""]  # where it was made stands in front


def test_rows_for_columns_and_a_bias_left_out():
    state = load("xor").state("textbook")
    values = values_of(state).values
    W, x, b = values["layer.1.W"], values["input.X"][2], values["layer.1.b"]
    state = SetCells("layer.1.W", {(0, 1): 3.0}).apply(state)
    W = state.inputs["layer.1.W"]
    for cell, number, name in (((2, 1), (x @ W.T + b)[1], "row for column"), ((3, 1), (W[0] + W[1])[1], "no bias")):
        question = Predict(ask="?", node="layer.1.hidden", cell=cell)
        assert judge(question, float(number), state).mistake.name == name


STEPS = {
    ("emma", "scores", (8, 0), 2.42 - 0.72): ("product left out", "the product for “Anim” is left out"),
    ("emma", "scores", (8, 0), 6.4): ("added", "added, not multiplied"),
    ("emma", "scaled", (8, 0), 1.21 - 0.36): ("product left out", "the product for “Anim”"),
    ("you-are-welcome", "source.PE", (1, 0), np.cos(1)): ("cos", "with the cosine, not the sine"),
    ("you-are-welcome", "source.PE", (1, 0), np.sin(np.pi / 180)): ("degrees", "set to degrees"),
    ("two-vectors", "length_x", (0,), 4.0): ("sizes added", "without squares and root"),
    ("two-vectors", "c", (0, 0), 10.0): ("not divided", "not divided by the square of the length"),
    ("two-vectors", "c", (0, 0), 10 / np.sqrt(20)): ("length", "with the length in place of its square"),
}


@each(("lesson", "node", "cell", "typed"), list(STEPS))
def test_a_step_done_wrongly_is_named(lesson, node, cell, typed):
    name, sentence = STEPS[lesson, node, cell, typed]
    setting = {"two-vectors": "alike"}.get(lesson, "textbook")
    state = load(lesson).state(setting)
    verdict = judge(Predict(ask="?", node=node, cell=cell), round(float(typed), 2), state)
    assert verdict.mistake is not None
    assert verdict.mistake.name == name
    assert sentence in verdict.sentence


def test_a_whole_number_is_missed_by_what_one_sees_and_may_be_typed_in_per_cent():
    """0.33 was said to be 1 too small for 1; and 100 was only too large."""
    question = Predict(ask="?", node="decoder.1.self.head.1.weights", cell=(0, 0), digits=0)
    state = load("you-are-welcome").state("textbook")
    assert judge(question, 0.33, state).sentence == "No: the number is 1. Yours is 0.67 too small."
    assert judge(question, 100.0, state).mistake.name == "per cent"
    lesson = load("two-vectors")
    at = [step.id for step in lesson.steps].index("right-angle")
    said = judge(lesson.steps[at].question, 5.0, StepStates(lesson)[at]).meanwhile
    assert said == "No: your number is too large.", "a single 0 is no answer to yes or no"
    lesson = load("xor")
    at = [step.id for step in lesson.steps].index("answer")
    said = [judge(lesson.steps[at].question, typed, StepStates(lesson)[at]).meanwhile for typed in (1.0, 3.0)]
    assert said == ["No.", "No: your number is too large."], "3 is neither yes nor no"


def test_minus_the_target_is_no_gradient_of_a_logit():
    """It was said to be off by one in the last decimal."""
    lesson = load("cat-sat-on-the")
    at = [step.id for step in lesson.steps].index("gradient")
    verdict = judge(lesson.steps[at].question, -1.0, StepStates(lesson)[at])
    assert verdict.meanwhile == "That is minus the target, without the probability."


def test_a_product_with_the_wrong_sign_is_named():
    """Of −3 × 4 + 1 × 2 it was said that −14 is too small."""
    lesson = load("two-vectors")
    at = [step.id for step in lesson.steps].index("apart")
    verdict = judge(lesson.steps[at].question, -14, StepStates(lesson)[at])
    assert "if the product for “up” has the wrong sign" in verdict.sentence


def test_the_two_shares_exchanged_are_named():
    """Typed to one decimal, it was taken for a K that is not transposed, though the shares are given."""
    lesson = load("apple-orange")
    at = [step.id for step in lesson.steps].index("phone")
    for typed in (3.1, 3.15):  # 0.57 × 4 + 0.43 × 2, where 0.57 × 2 + 0.43 × 4 is right
        verdict = judge(lesson.steps[at].question, typed, StepStates(lesson)[at])
        assert verdict.mistake.name == "exchanged"
        assert "the factors for “Phone” and “Apple” are exchanged" in verdict.sentence


def test_a_mean_without_the_shares_is_named():
    """The plain mean and the plain sum of two rows were only too large, in the first questions that people answer."""
    lesson = load("ten-questions-before")
    at = [step.id for step in lesson.steps].index("mean")  # 0.27 × 4 + 0.73 × 0
    names = [judge(lesson.steps[at].question, typed, StepStates(lesson)[at]).mistake.name for typed in (2.0, 4.0)]
    assert names == ["equal shares", "no shares"]


def test_a_step_done_wrongly_is_named_behind_several_that_only_alter():
    """Of a masked score, which is a scaled sum of products, only the last two nodes were looked at."""
    engine, node = values_of(load("i-love-ai").state("textbook")), "decoder.1.self.head.1.{}"
    masked, scaled = (
        {one.name: one.value for one in mistakes(engine, node.format(x), (2, 1), 3)} for x in ("masked", "scaled")
    )
    for name in ("product left out", "added"):
        assert masked[name] == scaled[name]


def test_of_a_single_row_nobody_takes_the_softmax_down_its_columns():
    state = load("softmax").state("printed")
    verdict = judge(Predict(ask="?", node="output.probabilities", cell=(0, 0)), 1.0, state)
    assert verdict.mistake is None or verdict.mistake.name != "wrong axis"
    two = {one.name for one in mistakes(values_of(TEXTBOOK), "weights", (1, 0), 2)}
    assert "wrong axis" in two


def test_norms_with_epsilon_left_out_or_over_the_columns():
    state = load("you-are-welcome").state("textbook")
    engine = values_of(state)
    x = engine.values["encoder.1.self.residual"]
    question = Predict(ask="?", node="encoder.1.self.norm", cell=(0, 1), digits=3)
    found = {one.name: one.value for one in reversed(list(mistakes(engine, question.node, question.cell, 5)))}
    centred = x[0] - x[0].mean()
    assert found["no ε"] == pytest.approx(centred[1] / x[0].std(), abs=1e-12)
    assert found["n − 1"] == pytest.approx(centred[1] / np.sqrt(x[0].var(ddof=1) + 1e-5), abs=1e-12)
    assert found["wrong axis"] == pytest.approx(((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5))[0, 1], abs=1e-12)
    assert "no residual" in found


def test_one_rounding_too_early_is_named():
    state = load("you-are-welcome").state("textbook")
    x = values_of(state).values["encoder.1.self.residual"][0]
    mean = np.round(x.mean(), 2)
    variance = np.round(np.round(np.round(x - mean, 2) ** 2, 2).mean(), 2)
    root = np.round(np.sqrt(variance), 2)
    typed = np.round(np.round(x[1] - mean, 2) / root, 2)
    question = Predict(ask="?", node="encoder.1.self.norm", cell=(0, 1), digits=3)
    verdict = judge(question, float(typed), state)
    assert verdict.mistake.name == "rounded too early"
    assert "to 2 decimals" in verdict.sentence


@pytest.mark.parametrize(
    ("lesson", "setting", "node"),
    [
        ("emma", "printed", "scores"),
        ("emma", "textbook", "weights"),
        ("two-vectors", "alike", "cosine"),
        ("xor", "printed", "layer.2.activation"),
        ("xor", "printed", "loss.value"),
        ("you-are-welcome", "textbook", "encoder.1.self.head.1.scores"),
        ("you-are-welcome", "textbook", "encoder.1.ffn.norm"),
        ("you-are-welcome", "textbook", "loss.value"),
        ("you-are-welcome", "printed", "source.H"),
        ("jump", "before", "batch.norm"),
        ("cat-sat-on-the", "printed", "loss.value"),
        ("sin", "printed", "loss.value"),
        ("i-love-ai", "textbook", "decoder.1.self.head.1.masked"),
        ("apple-orange", "printed", "encoder.1.self.head.1.weights"),
    ],
)
def test_every_mistake_has_a_number_and_a_derivation_that_arrives_there(lesson, setting, node):
    engine = values_of(load(lesson).state(setting))
    value = engine.value(engine.graph.place(node))
    for cell in list(np.ndindex(value.shape))[:2][-1:]:
        right = float(value[cell])
        said = Counter()
        for mistake in mistakes(engine, node, cell, 2):
            said[mistake.sentence] += 1
            if said[mistake.sentence] > 4:
                continue  # to square nothing can be forgotten in each of 43 terms, and to judge each takes 0.1 s
            assert abs(mistake.value - right) > half_unit(2)
            verdict = judge(Predict(ask="?", node=node, cell=cell), mistake.value, None, engine)
            assert not verdict.right
            assert verdict.mistake is not None
            if mistake.derivation:
                shown = mistake.derivation[-1][1][-1].value
                assert read_number(shown) == pytest.approx(mistake.value, abs=1e-4)


def test_a_derivation_goes_back_through_what_only_alters():
    assert [name for name, _ in derivation(values_of(TEXTBOOK), "scaled", (8, 0))] == ["scores", ""]


# Choices and places


def test_a_wrong_choice_says_what_is_wrong():
    question = Choose(ask="?", choices=(Choice("a", right=True), Choice("b", why="That is not so.")))
    assert judge(question, 0, TEXTBOOK).sentence == "Right."
    assert judge(question, 1, TEXTBOOK) == type(judge(question, 1, TEXTBOOK))(False, "That is not so.")


def test_pointing_at_the_largest_of_a_row():
    state = EMMA.state("printed")
    question = Point(ask="?", at="token", node="weights", axis="query", extreme="largest", row=8)
    assert judge(question, (0,), state).right
    verdict = judge(question, (2,), state)
    assert verdict.places == ((0,),)
    assert verdict.sentence == "No: the largest number is at Emma, 0.583; at games it is 0.031."
    cells = Point(ask="?", at="cell", node="weights", extreme="smallest", row=0)
    weights = values_of(state).values["weights"]
    assert weights[right_places(cells, values_of(state))[0]] == weights[0].min()
    assert judge(cells, right_places(cells, values_of(state))[0], state).right


def test_a_cell_in_another_row_than_the_one_that_is_named_is_told_so():
    """“No, not Emma → games” did not say that the question was about another word."""
    state, where = EMMA.state("printed"), {"at": "cell", "node": "weights", "right": ((8, 0),)}
    named = Point(ask="At which word does *friend* look most?", **where)
    told = judge(named, (0, 2), state).meanwhile
    assert told == "No: that is in the row of “Emma”. Look along the row of “friend”."
    assert judge(named, (8, 2), state).meanwhile == "No, not friend → games."
    assert judge(Point(ask="Where?", **where), (0, 0), state).meanwhile == "No, not Emma → Emma."


def test_a_cell_in_a_wrong_column_is_told_so():
    """Whoever looked for the adjective in the column of the nouns heard only “No, not Emma → Noun”."""
    question = next(step.question for step in EMMA.steps if step.id == "key")
    state = EMMA.state("plain")
    assert judge(question, (0, 2), state).meanwhile == "No: that is in the column “Noun”. Look in another column."
    assert judge(question, (2, 3), state).meanwhile == "No, not games → Adj."


@pytest.mark.parametrize(
    ("lesson", "step", "typed", "said"),
    [
        ("two-vectors", "cosine-apart", -2.24, "That is what comes out if one divides by only one of the lengths."),
        ("two-vectors", "cosine-apart", 135, "That is α, not cos α."),
        ("two-vectors", "length", 3.16, "That is ‖x‖, not ‖y‖."),
        ("two-vectors", "rest", 10, "That is ⟨x,y⟩, not ⟨xₒ,y⟩."),
        ("roses-are-red", "loss", -0.0114, "That is L₁, not L."),
        # A yes is neither the number of another cell nor too large.
        ("roses-are-red", "mask", 1, "No."),
        # c is 0.5 with another sign, but has nothing to do with the cosine.
        ("two-vectors", "cosine-apart", -0.5, "No: your number is too large."),
    ],
)
def test_another_number_of_the_page_is_named(lesson, step, typed, said):
    assert judged(load(lesson), step, typed).meanwhile == said


@pytest.mark.parametrize(
    ("lesson", "step", "typed", "said"),
    [
        ("you-are-welcome", "residual", 2.65, "if one subtracts instead of adding"),
        ("you-are-welcome", "sum", -1.14, "if one subtracts instead of adding"),
        ("you-are-welcome", "sum", 1.14, "if the minus sign is left out"),
        ("xor-linear", "line", 0.3, "if one subtracts instead of adding"),
        ("softmax", "temperature", 4, "if one multiplies by the temperature instead of dividing"),
        ("translation-lookup", "scale", 43.3, "if one multiplies by √dₖ instead of dividing"),
        # Two things are called length: how many numbers a vector has, and how long its arrow is.
        ("two-vectors", "scaled", 3.16, "if one divides by ‖x‖"),
        ("two-vectors", "scaled", 2.24, "if one divides by ‖y‖"),
        # It has nothing to do with the β that is added, which is 0.
        ("jump", "before", 1, "the right number with the wrong sign"),
    ],
)
def test_an_opposite_step_and_another_divisor_are_named(lesson, step, typed, said):
    """A difference in place of a sum was taken for a mistake elsewhere: "if one multiplies by it"."""
    assert said in judged(load(lesson), step, typed).meanwhile


def test_in_a_row_that_is_masked_whole_each_cell_is_the_largest():
    """It had no largest cell, and the question ended in an error."""
    state = SetSwitch("attention", "mask", "hand").apply(EMMA.state("printed"))
    words = len(state.graph.labels("query", state.inputs))
    state = SetCells("mask", {(0, i): 0.0 for i in range(words)}).apply(state)
    places = right_places(Point(ask="?", at="cell", node="masked", extreme="largest", row=0), values_of(state))
    assert places == tuple((0, i) for i in range(words))


def test_a_model_whose_edit_took_the_row_or_all_numbers_away_has_no_right_place():
    state = load("you-are-welcome").state("printed")
    question = Point(ask="?", at="cell", node="encoder.1.self.head.1.weights", extreme="largest", row=2)
    assert right_places(question, values_of(state))
    shorter = SetTokens("source", ("you",)).apply(state)
    assert right_places(question, values_of(shorter)) == ()
    without = SetCells("source.table", {(0, 0): np.nan}).apply(state)
    assert right_places(question, values_of(without)) == ()


def test_pointing_at_what_is_named_and_at_a_head():
    state = load("you-are-welcome").state("printed")
    named = Point(ask="?", at="head", right=((1,),))
    assert judge(named, (1,), state).right
    assert judge(named, (0,), state).sentence == "No: it is head 2."
    found = Point(ask="?", at="head", node="encoder.1.self.weights", extreme="largest", row=0)
    weights = values_of(state).values["encoder.1.self.weights"][:, 0]
    assert right_places(found, values_of(state)) == ((int(weights.max(1).argmax()),),)


def test_a_wrong_place_has_its_number_as_the_page_shows_it():
    """The page said 0.005, and whoever clicked there read: "No: 4.5×10⁻³ at love → I"."""
    lesson = load("i-love-ai")
    question = next(step.question for step in lesson.steps if isinstance(step.question, Point))
    verdict = judge(question, (1, 0), lesson.state())
    assert verdict.meanwhile == "No: 0.005 at love → I. There is a larger number."
    assert verdict.sentence == "No: the largest number is at love → AI, 0.985; at love → I it is 0.005."


def test_a_sign_that_is_a_word_stands_between_quotes_where_a_place_is_named():
    """Read as "No: 0.223 at , → <s>.", with a comma that seemed to belong to the sentence."""
    lesson = load("inside-a-storyteller")
    at = next(at for at, step in enumerate(lesson.steps) if step.id == "she")
    states, question = StepStates(lesson), lesson.steps[at].question
    assert judge(question, (11, 0), states[at]).meanwhile == "No: 0.223 at “,” → <s>. There is a larger number."
    row = "No: that is in the row of “␣day”. Look along the row of “,”."
    assert judge(question, (10, 0), states[at]).meanwhile == row


# Make it so


def made(goal, edits=0, allowed=()):
    return MakeSo(ask="?", goal=goal, conditions=read_goal(goal, Names(TEXTBOOK)), edits=edits, allowed=allowed)


def test_a_goal_is_reached_by_any_solution():
    question = made("argmax(weights[friend]) == she and scores[friend, she] > 1.5", edits=2, allowed=["Q", "K"])
    assert judge(question, TEXTBOOK, TEXTBOOK).sentence == (
        "Not yet: the largest number in the row “friend” of A should be that of “she”; it is “Emma”. "
        "S [friend → she] should be more than 1.5; it is 0.000."
    )
    for cells in ({(4, 0): 9.0}, {(4, 1): 9.0, (4, 0): 2.0}):
        found = judge(question, SetCells("K", cells).apply(TEXTBOOK), TEXTBOOK)
        assert found.right
        assert found.sentence.startswith("Right: S [friend → she] became ")


def test_the_solutions_that_a_question_names_reach_its_goal():
    lesson = load("two-vectors")
    at = [step.id for step in lesson.steps].index("make")
    began, question = StepStates(lesson)[at], lesson.steps[at].question
    named = re.findall(r"\((.+?), (.+?)\)", question.why)
    assert len(named) == 2
    for across, up in named:
        cells = {(0, 0): float(across.replace("−", "-")), (0, 1): float(up.replace("−", "-"))}
        assert judge(question, SetCells("x", cells).apply(began), began).right


def test_two_that_are_equally_large_are_both_named():
    """The sentence named the first of them alone, which may be the wanted one: it should be “Emma”; it is “Emma”."""
    state = SetCells("K", {(4, i): float(TEXTBOOK.inputs["K"][0, i]) for i in range(4)}).apply(TEXTBOOK)
    said = judge(made("argmax(weights[friend]) == Emma"), state, TEXTBOOK).sentence
    assert said.endswith("should be that of “Emma”; it is “Emma” and “she”, equally large.")


def test_a_row_without_numbers_has_no_largest():
    state = SetCells("K", {(0, i): 1e308 for i in range(4)}).apply(TEXTBOOK)
    assert np.isnan(values_of(state).values["weights"][8]).all()
    said = judge(made("argmax(weights[friend]) == Emma"), state, TEXTBOOK).sentence
    assert said.endswith("should be that of “Emma”; there is none.")


def test_what_does_not_count():
    question = made("weights[friend, she] > 0.5", edits=1, allowed=["K"])
    other = SetCells("Q", {(8, 3): -9.0}).apply(TEXTBOOK)
    assert judge(question, other, TEXTBOOK).sentence == "Q was changed; change only K."
    lesson = load("you-are-welcome")  # what a page calls γ has the name encoder.1.self.gamma
    at = [step.id for step in lesson.steps].index("gamma")
    began, gamma = StepStates(lesson)[at], lesson.steps[at].question
    for name, said in (
        ("self.beta", "β was changed; change only γ."),
        ("ffn.gamma", "Another γ was changed; change only γ of this step."),
    ):
        assert judge(gamma, SetCells(f"encoder.1.{name}", {(0,): 9.0}).apply(began), began).sentence == said
    many = SetCells("K", {(4, 0): 9.0, (4, 1): 9.0}).apply(TEXTBOOK)
    assert judge(question, many, TEXTBOOK).sentence == "2 numbers were changed; change only one number."
    pinned = PinCells("weights", {(8, 4): 0.9}).apply(TEXTBOOK)
    assert "held by hand" in judge(question, pinned, TEXTBOOK).sentence
    switched = SetSwitch("attention", "scale", "none").apply(TEXTBOOK)
    assert "only numbers" in judge(question, switched, TEXTBOOK).sentence


@pytest.mark.parametrize(
    ("goal", "true"),
    [
        ("scores[friend, Emma] >= 2.42", True),
        ("scores[friend, Emma] <= 2.42", True),
        ("scores[friend, Emma] < 2.42", False),
        ("scores[8, 0] ~ 2.4 ± 0.1", True),
        ("scores[8, 0] ~ 2.4", False),
        ("scores[8, 0] > −1", True),
        ("argmax(weights[friend]) == 0", True),
    ],
)
def test_goals(goal, true):
    engine = values_of(TEXTBOOK)
    assert all(holds(one, engine) for one in read_goal(goal, Names(TEXTBOOK))) is true


@each(
    "goal",
    [
        *("", "scores", "scores[friend, Emma] = 2", "__import__('os')", "argmax(scores) == she", "scores[a b] > 1"),
        *("scores[friend, Emma] > two", "scores[friend, Emma] > nan", "argmax(weights[friend]) == shee"),
        "scores[8, 0] ~ 2.4 ± −0.1",
    ],
)
def test_what_is_no_goal_is_refused(goal):
    with pytest.raises(UnknownNameError):
        read_goal(goal, Names(TEXTBOOK))


def test_a_goal_may_name_any_word():
    """The < of <start> passed for the sign between a cell and its number, and the word "and" for what joins goals."""
    words = ("<start>", "je", "and", ">")
    model = Model("gpt", {"input": 4}, {"input.words": words}, 4, 1)
    names = Names(State.of(model, {"input.tokens": np.arange(4)}))
    row = "decoder.1.self.head.1.weights"
    assert [one.cell for one in read_goal(f"{row}[je, <start>] > 0.5 and {row}[>, je] <1", names)] == [(1, 0), (3, 1)]
    first, second = read_goal(f"argmax({row}[and]) == and and {row}[je, je] > 0.5", names)
    assert (first.compared, second.cell) == ((2, 2), (1, 1))


def test_the_questions_of_a_lesson_take_their_right_answers(three):
    states = StepStates(three)
    guess, choose, make = (step.question for step in three.steps)
    assert judge(guess, 0.65, states[0]).right
    assert judge(guess, 0.63, states[0]).mistake.name == "no powers"
    assert judge(choose, 1, states[1]).right
    assert not judge(make, states[2], states[2]).right
    assert judge(make, SetCells("output.temperature", {(): 3.0}).apply(states[2]), states[2]).right
    with pytest.raises(ExplorerError):
        states.go(2).apply(states[0]).graph.place("nothing")


LESSON = """
format = 4
id = "gradients"
title = "Gradients"
paragraph = "P minus y."
example = "cat-sat-on-the"
[[step]]
id = "logit"
title = "At a logit"
words = "At “rat” it is {gradient output.logits[1, rat]:3}, its share is {output.probabilities[1, rat]}."
setting = "printed"
showing = "gradient"
look.stage = "output"
[step.question]
kind = "predict"
ask = "What is the gradient at “mat”?"
node = "output.logits"
cell = [1, "mat"]
of = "gradient"
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "gradients.toml").write_text(text)
        return tmp_path / "gradients.toml"

    return write


def test_a_gradient_is_asked_for(write):
    lesson = load(write(LESSON))
    states = StepStates(lesson)
    shares = states.engine(0).values["output.probabilities"][0]
    column = states[0].graph.axes["output.words"].index("mat")
    right = shares[column] - 1
    question = lesson.steps[0].question
    verdict = judge(question, right, states[0])
    assert verdict.right
    assert verdict.derivation[0][1][-1].kind == "result"
    assert judge(question, -right, states[0]).mistake.name == "sign"
    other = shares[states[0].graph.axes["output.words"].index("rat")]
    assert numbers_of(lesson.steps[0], states.engine(0))["gradient output.logits[1, rat]:3"] == f"{other:.3f}"
    assert check_lesson(write(LESSON)).questions == 1


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("{gradient output.logits[1, rat]:3}", "{gradient output.logits[1, mat]:3}", "the words show the number"),
        (
            "{gradient output.logits[1, rat]:3}",
            "{gradient loss.target[1]}",
            "`words` asks for a gradient that `loss.target` has not",
        ),
        ('of = "gradient"', 'of = "gradient"\nfresh = true', "`question.fresh` draws no numbers for a gradient"),
        ('of = "gradient"', 'of = "slope"', "'slope' is not one of its values"),
    ],
)
def test_what_has_no_gradient_is_refused(write, right, wrong, message):
    with pytest.raises(ExplorerError) as caught:
        check_lesson(write(LESSON.replace(right, wrong)))
    assert message in sentence(caught.value)


@pytest.mark.parametrize(("pairs", "names"), [("neighbours", {"3", "4"}), ("halves", {"2", "4"})])
def test_a_product_left_out_has_the_name_of_its_own_column(pairs, names):
    """The names were those of the first columns, and where the columns are apart, the answer ended in an error."""
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "c")}, 4, 1)
    model = model.with_switch("input", "positions", "rotary").with_switch("input", "rotary_pairs", pairs)
    model = model.with_switch("input", "rotary_base", 1.0)  # all pairs turn alike
    engine = values_of(State.of(model, {"input.tokens": np.arange(3)}))
    said = {one.sentence for one in mistakes(engine, "decoder.1.self.Q", (0, 1, 3), 8, "gradient")}
    left_out = "That is what comes out if the product for “{}” is left out"
    assert {left_out.format(name) for name in names} <= said
    assert left_out.format(1) not in said
