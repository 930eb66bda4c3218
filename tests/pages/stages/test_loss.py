"""Loss: its terms, right words to choose, and P − y."""

import re
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.cell import steps
from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell, Place
from explorer.core.numbers import exact
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.drawing import Curve, Dot
from explorer.pages.view import Steps, row_of

TERMS, WORDS, COSTS = "term list", "word gradients", "cost curve"


@pytest.fixture
def start(desk):
    return desk()


def dots(page):
    return page.marks(COSTS, Dot)


def right(start):
    return start.value("output.probabilities")[np.arange(3), start.value("loss.target")]


def test_the_balance_of_experts_stands_beside_the_mean_of_the_terms(desk, number):
    """With the balance in it, the loss is more than the mean of the listed terms."""
    own = desk("changed-since-2017", "mixtral")
    own.do(
        SetSwitch("loss", "loss", "cross-entropy"), SetSwitch("loss", "balance", 0.5), SetSwitch("loss", "L_1", True)
    )
    page = own.page("loss")
    mean = np.mean([number(row[4]) for row in page.texts(TERMS)])
    said, value = page.the("about the terms").text, float(own.value("loss.value"))
    assert "Their mean is the loss" not in said
    balance = sum(float(own.value(f"decoder.{layer}.ffn.balance")) for layer in (1, 2))
    found = re.search(r"Their mean, (\S+), and 0.5 times the balance of the experts are the loss: <b>(\S+)</b>", said)
    assert [number(one) for one in found.groups()] == pytest.approx([value - 0.5 * balance, value], abs=0.01)
    assert mean == pytest.approx(value - 0.5 * balance, abs=0.01)
    assert page.the("loss.L_1").title == "the sum of the logs"


def test_a_second_layer_of_a_decoder_sees_farther_than_its_window(start):
    state = start.document.state
    start.document = type(start.document)(state.rebuilt(replace(state.model, behind=2)))
    start.do(SetSwitch("decoder.1.self", "window", 2))
    assert [row[0] for row in start.page("loss").texts(TERMS)] == ["0  <start>", "1  de", "2  nada"]


def test_a_term_for_each_position(start, number):
    page, p = start.page("loss"), right(start)
    words = start.view.labels("output.words")
    for i, row in enumerate(page.texts(TERMS)):
        assert row[1] == words[start.value("loss.target")[i]]
        assert number(row[2]) == pytest.approx(p[i], abs=6e-4)
        assert number(row[4]) == pytest.approx(-np.log(p[i]), abs=6e-3)
    assert [(dot.x, dot.y) for dot in dots(page)] == [(x, -np.log(x)) for x in p]
    assert [dot.name for dot in dots(page)] == [row[1] for row in page.texts(TERMS)]
    assert f"{start.value('loss.value'):.4f}" in page.notes
    assert page.page.header.sentence == "How improbable the right words are for the model, as one number."


def test_the_mean_of_the_terms_is_the_loss(start):
    found = [dot.y for dot in dots(start.page("loss"))]
    assert np.mean(found) == pytest.approx(float(start.value("loss.value")), rel=1e-12)


def test_the_dots_lie_on_the_curve(start):
    page = start.page("loss")
    (curve,) = page.marks(COSTS, Curve)
    for dot in dots(page):
        assert np.interp(dot.y, curve.y, curve.x) == pytest.approx(dot.x, abs=1e-3)


def test_an_edit_is_followed(start):
    start.do(SetCells("output.b", {(1,): 3.0}))
    assert [dot.x for dot in dots(start.page("loss"))] == right(start).tolist()


def chosen(page, row):
    """What choosing another right word asks for."""
    return page.the(TERMS).lines[row].entries[1].choose


def test_a_right_word_is_chosen(start):
    page = start.page("loss")
    assert page.the(TERMS).vocabulary == start.view.labels("output.words")
    start.do(chosen(page, 1).at(7).command())
    assert start.value("loss.target")[1] == 7
    page = start.page("loss")
    assert page.texts(TERMS)[1][1] == "hola"
    assert [dot.x for dot in dots(page)] == right(start).tolist()
    start.document.undo()
    assert start.page("loss").texts(TERMS)[1][1] != "hola"


def test_a_right_word_that_follows_is_held_and_the_others_still_follow(start):
    def words():
        return [row[1] for row in start.page("loss").texts(TERMS)]

    start.do(SetSwitch("loss", "targets", "next word"))
    start.do(chosen(start.page("loss"), 1).at(7).command())
    assert start.document.engine.pinned("loss.target", (1,))
    assert words() == ["de", "hola", "<end>"]
    start.do(SetTokens("target", ("<start>", "por", "favor")))
    assert words() == ["por", "hola", "<end>"]
    assert "next ones of the sentence" in start.page("loss").notes
    start.document.undo()
    start.document.undo()
    assert words() == ["de", "nada", "<end>"]


def test_the_same_word_again_is_no_edit(start):
    page, before = start.page("loss"), start.document.state
    start.do(chosen(page, 0).at(int(start.value("loss.target")[0])).command())
    assert start.document.state is before


def test_a_probability_of_zero_costs_infinity(start):
    start.do(PinCells("output.probabilities", {(0, int(start.value("loss.target")[0])): 0.0}))
    page = start.page("loss")
    assert page.texts(TERMS)[0][4] == "∞"
    assert len(dots(page)) == 2


def test_squared_error(start):
    start.do(SetSwitch("loss", "loss", "mean squared error"))
    page = start.page("loss")
    P, y = start.value("output.probabilities"), start.value("loss.target")
    assert len(page.the(TERMS).lines) == P.size
    np.testing.assert_allclose([dot.x for dot in dots(page)], (P - y).ravel())
    np.testing.assert_allclose([dot.y for dot in dots(page)], ((P - y) ** 2).ravel())
    assert page.the(TERMS).lines[9].cell == Cell("output.probabilities", (1, 1))
    assert page.texts(TERMS)[9][0] == "de · de"
    assert not page.has(WORDS)
    assert "words" not in page.page.header.sentence
    start.do(SetSwitch("loss", "loss", "cross-entropy"))
    assert len(start.page("loss").the(TERMS).lines) == 3


def test_of_a_net_with_one_output_the_terms_are_called_like_the_cases(desk):
    page = desk("xor").page("loss")
    assert [row[0] for row in page.texts(TERMS)] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert "word" not in page.notes + page.page.header.sentence


def test_what_a_lesson_adds_to_the_loss_is_shown(desk):
    assert {"loss.likelihood", "loss.L_1", "loss.value"} <= set(desk("roses-are-red").page("loss").names)


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(start, count):
    start.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    page = start.page("loss")
    assert len(page.the(TERMS).lines) == len(dots(page)) == count


def test_which_words_lead_to_which(desk):
    """The pairs of a text, by the context window that the mask leaves."""
    roses = desk("roses-are-red")

    def pairs():
        return [(row[0], row[1]) for row in roses.page("loss").texts(TERMS)]

    assert pairs() == [
        ("0  roses", "are"),
        ("1  roses are", "red"),
        ("2  are red", "violets"),
        ("3  red violets", "are"),
        ("4  violets are", "blue"),
    ]
    roses.do(SetSwitch("decoder.1.self", "window", 1))
    assert [after for after, _ in pairs()] == ["0  roses", "1  are", "2  red", "3  violets", "4  are"]
    roses.do(SetSwitch("decoder.1.self", "window", 0))
    assert pairs()[-1] == ("4  roses are red violets are", "blue")


def test_of_a_long_context_the_end_is_shown(desk):
    """With one word more than the whole contexts above it, each of forty lines took two."""
    roses = desk("roses-are-red")
    roses.do(SetSwitch("decoder.1.self", "window", 0))
    roses.do(SetTokens("input", tuple("abcdefgh")))
    assert roses.page("loss").texts(TERMS)[-1][0] == "7  … e f g h"


def test_where_nothing_is_to_be_said_nothing_is_counted(start, number):
    start.do(SetTokens("target", ("<start>", "de", "<pad>", "<pad>")))
    page = start.page("loss")
    rows = page.texts(TERMS)
    assert [row[1] for row in rows] == ["de", "<end>", "<pad>", "<pad>"]
    assert [row[4] for row in rows[2:]] == ["not counted"] * 2
    assert page.the(TERMS).lines[3].cell is None
    assert start.value("loss.value") == pytest.approx(sum(number(row[4]) for row in rows[:2]) / 2, abs=6e-3)
    assert [dot.name for dot in dots(page)] == ["de", "<end>"]
    assert "nothing is counted" in page.notes
    start.choose(row_of("target"), 3)
    page = start.page("loss")
    assert "its gradient is 0" in page.notes
    assert {row[3] for row in page.texts(WORDS)} == {"0.0000"}
    start.choose(row_of("target"), 1)
    P = start.value("output.probabilities")[1]
    assert number(start.page("loss").texts(WORDS)[1][3]) == pytest.approx(P[1], abs=1e-4)


# P − y


def test_among_many_words_the_right_one_comes_first_and_then_those_that_it_was_taken_for(desk):
    reader = desk("tiny-reader")
    page, target = reader.page("loss"), reader.value("loss.target")
    position = reader.view.row(reader.view.nodes["output.probabilities"].axes[0])
    lines = page.the(WORDS).lines
    right, *others = [lines[rank].cell.index[1] for rank in range(8)]
    assert right == target[position]
    P = reader.value("output.probabilities")[position]
    assert others == [int(word) for word in np.argsort(-P, kind="stable") if word != right][:7]
    assert sorted(line.cell.index[1] for line in lines) == list(range(len(P)))
    assert page.the(TERMS).columns[0].title == "after"


def test_the_right_words_of_an_encoder_stand_at_a_place(start):
    start.document = Document(new_lesson("encoder", ["one two three"], d_model=4).state())
    start.do(SetSwitch("output", "on", True))
    assert start.page("loss").the(TERMS).columns[0].title == "at"


@pytest.mark.parametrize("position", [0, 2])
def test_p_minus_y_is_n_times_the_gradient_of_the_logits(start, number, position):
    P, target = start.value("output.probabilities"), start.value("loss.target")
    gradient = start.document.engine.gradients().of("output.scaled")
    start.choose(row_of("target"), position)
    page = start.page("loss")
    for word, row in enumerate(page.texts(WORDS)):
        y = word == target[position]
        assert row[1] == str(int(y))
        assert number(row[2]) == pytest.approx(P[position, word], abs=1e-4)
        assert number(row[3]) == pytest.approx(P[position, word] - y, abs=1e-4)
        assert number(row[3]) == pytest.approx(3 * gradient[position, word], abs=1e-4)
        assert page.the(WORDS).lines[word].strong == y
    assert len(page.the(WORDS).columns) == 5


def test_the_bars_of_p_minus_y_are_as_long_as_the_largest_of_a_position(start):
    """On a scale to 1 those of a model that is sure could not be seen."""
    page = start.page("loss")
    column, lines = page.the("word gradients").columns[4], page.the("word gradients").lines
    assert column.reach[0] == -column.reach[1] == -max(abs(line.entries[4].value) for line in lines)


def test_pinned_probabilities_pass_nothing_on(start):
    start.do(PinCells("output.probabilities", {(0, word): 0.125 for word in range(8)}))
    page = start.page("loss")
    assert {row[3] for row in page.texts(WORDS)} == {"0.0000"}
    assert page.the(WORDS).columns[3].title == "gradient", "0 is no P − y"
    assert "the probabilities are held at a typed value, so no logit changes the loss" in page.notes
    start.choose(row_of("target"), 1)
    assert start.page("loss").the(WORDS).columns[3].title == "P − y"
    start.do(PinCells("loss.value", {(): 3.0}))
    page = start.page("loss")
    assert "the loss is held at a typed value" in page.notes
    assert "Their mean would be the loss, but that is held at <b>3</b>." in page.notes


@pytest.fixture
def bad_guess(desk):
    """Before the step that the reference takes, at a rate."""
    guess = desk("cat-sat-on-the", "wrong")

    def at(rate, given=True):
        def ahead():
            return {"output.logits": guess.value("output.logits") - rate * gradient()}

        def gradient():
            return guess.document.engine.gradients().of("output.logits")

        steps = Steps(rate, {"output.logits": True}, True, True, ahead)
        guess.others = {"steps": steps, "given": given, "prints": ("cat-sat-on-the", "wrong")}
        return guess

    return at


def test_the_step_that_the_reference_takes_stands_beside_the_true_one(bad_guess):
    page = bad_guess(0.1).page("loss")
    rows = page.texts(WORDS)
    assert [row[3] for row in rows] == ["−0.9000", "0.1000", "0.1000", "0.7000"]
    assert [row[5] for row in rows] == ["0.1140", "0.1031", "0.1031", "0.6798"]
    assert [row[6] for row in rows] == ["0.19", "0.09", "–", "0.63"]
    assert page.the(WORDS).columns[6].title == "printed"
    assert "the print moves the probabilities" in page.notes


def test_another_rate_makes_another_step_and_the_print_is_of_the_first(bad_guess):
    guess = bad_guess(0.2, given=False)
    page = guess.page("loss")
    assert page.the(WORDS).columns[5].title == "P after a step at 0.2"
    assert len(page.the(WORDS).columns) == 6
    assert "the print moves" not in page.notes
    after = page.texts(WORDS)
    moved = guess.others["steps"].ahead()["output.logits"]
    guess.do(SetCells("output.logits", {index: moved[index] for index in np.ndindex(moved.shape)}))
    assert [row[2] for row in guess.page("loss").texts(WORDS)] == [row[5] for row in after]


def test_a_step_that_cannot_be_taken_is_not_foretold(bad_guess):
    guess = bad_guess(0.1)

    def fails():
        raise ExplorerError("diverged", step=0)

    guess.others = {"steps": Steps(0.1, {}, True, True, fails)}
    assert len(guess.page("loss").the(WORDS).columns) == 5


@pytest.mark.parametrize(("lesson", "function"), [("you-are-welcome", "log"), ("xor", "square")])
def test_the_terms_are_those_of_the_derivation(desk, lesson, function):
    """What the page computes is what the op adds up."""
    found = desk(lesson)
    last = found.view.engine.explain("loss.value", ())
    costs = [abs(float(step.value)) for step in steps(last) if step.function == function]
    said = [line.entries[-1].tip for line in found.page("loss").the(TERMS).lines]
    assert said == [exact(cost) for cost in costs]


def test_under_a_temperature_the_gradient_of_a_logit_is_divided_by_it(start):
    assert "Divided by the 3 positions, it is their gradient." in start.page("loss").the("about the gradients").text
    start.do(SetCells("output.temperature", {(): 2.0}))
    page = start.page("loss")
    assert "Divided by the 3 positions and the temperature 2, it" in page.the("about the gradients").text
    line = page.the(WORDS).lines[0]
    apart = float(exact(line.entries[4].value).replace("−", "-"))
    gradient = start.view.engine.gradient(Place("output.logits"))[0, 0]
    assert apart / 3 / 2 == pytest.approx(gradient)
