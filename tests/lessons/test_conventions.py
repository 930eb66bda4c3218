"""The conventions of a text are found from its digits."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.model import SWITCHES, Model
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.conventions import (
    TRIED,
    Convention,
    Print,
    conventions,
    of_matrix,
    read_matrix,
    switched,
    value_of,
    with_rounding,
)
from explorer.lessons.loader import load
from explorer.lessons.references import figures
from tests.refusals import refuses
from tests.samples import each, few, long

LONG = 1e6  # a test says what is found, a benchmark how soon; on a busy machine a minute was too little


def examples():
    """All settings of lessons that a text prints results for, with these."""
    found, states = defaultdict(list), {}
    for one in figures():
        key = one.lesson, one.setting
        state = states[key] = states.get(key) or load(one.lesson).state(one.setting)
        if one.plain and not state.graph.nodes[state.graph.place(one.node).node].is_input:
            found[one.reference, one.lesson, one.setting].append(one)
    return found


EXAMPLES = examples()


def printed(state, node, decimals=4):
    """What a text would print of a node."""
    values = np.round(value_of(state, node), decimals)
    return Print(node, values, np.full(values.shape, decimals))


def without_choices(state):
    """A state as somebody types it from a text that does not say its choices: those of textbooks."""
    for block, kind in state.model.blocks().items():
        for name in filter(TRIED.__contains__, SWITCHES[kind]):
            usual = Model.switch(replace(state.model, switches={}), block, name)
            if state.model.switch(block, name) != usual:
                hidden = switched(state, block, name, usual)
                state = state if hidden is None else hidden
    return state


def agrees(one, state):
    value = value_of(state, one.node)
    off = None if value is None else one.off(value)
    return off is not None and bool(np.all(off <= 1e-3))


def kinds(example):
    """Each text, and each kind of model."""
    reference, lesson, _ = example
    yield from (reference, load(lesson).model.kind)


def test_there_are_examples_of_all_four_texts():
    assert {reference for reference, _, _ in EXAMPLES} == {"000", "001", "003", "004"}
    assert len(EXAMPLES) > 12


@pytest.mark.parametrize(("reference", "lesson", "setting"), few(EXAMPLES, kinds))
def test_the_settings_of_the_texts_are_found_when_they_are_hidden(reference, lesson, setting):
    real = load(lesson).state(setting)
    prints = [Print(f.node, f.values, f.decimals, f.cell, f.units) for f in EXAMPLES[reference, lesson, setting]]
    hidden = without_choices(real)
    answer = conventions(hidden, prints, LONG)
    assert answer.unexplained == ()
    best = answer.found[0].state
    engine = Document(best).engine  # as it opens
    for one in prints:
        assert one.off(engine.value(best.graph.place(one.node))).max() <= 1e-3
    # Each choice of the text is found, or the digits do not tell it from what was found.
    for block, kind in real.model.blocks().items():
        for name in SWITCHES[kind]:
            choice = real.model.switch(block, name)
            if name in TRIED and choice != best.model.switch(block, name):
                other = switched(best, block, name, choice)
                assert other is not None
                assert all(agrees(one, other) for one in prints), (block, name)


def test_what_is_hidden_is_the_choices_and_not_the_numbers():
    real = load("emma").state("printed")
    hidden = without_choices(real)
    assert hidden.model.switch("attention", "layout") == "(T, C)"
    np.testing.assert_array_equal(hidden.inputs["Q"], real.inputs["Q"])
    assert hidden.graph.shape("scores") == (4, 4)  # read so, four words of nine numbers
    answer = conventions(hidden, [printed(real, "scores")], LONG)
    assert answer.found[0].changed == {"attention.layout": "(C, T)"}


def test_several_choices_at_once_and_the_likeliest_first():
    state = load("you-are-welcome").state("textbook")
    changed = {"encoder.1.self.scale": "none", "encoder.1.self.similarity": "cosine", "source.positions": "none"}
    other = state
    for name, value in changed.items():
        block, _, short = name.rpartition(".")
        other = SetSwitch(block, short, value).apply(other)
    answer = conventions(state, [printed(other, "encoder.1.self.head.1.weights")], LONG)
    assert dict(answer.found[0].changed) == changed
    assert [one.cost for one in answer.found] == sorted(one.cost for one in answer.found)
    assert answer.nearest is answer.found[0]


def test_what_is_tried_are_choices_that_there_are():
    """GELU in its tanh form was tried by another name, so that it was never found."""
    for name, values in TRIED.items():
        known = [switches[name] for switches in SWITCHES.values() if name in switches]
        assert all(any(not one.choices or value in one.choices for one in known) for value in values), name


def test_gelu_in_its_tanh_form_is_found():
    state = load("xor").state("textbook")
    other = SetSwitch("layer.1", "activation", "GELU tanh").apply(state)
    answer = conventions(state, [printed(other, "layer.1.activation", 6)], LONG)
    assert answer.found[0].changed == {"layer.1.activation": "GELU tanh"}


def test_digits_that_do_not_decide_are_told():
    state = load("jump").state("before")
    answer = conventions(state, [printed(state, "layer.norm", 2)], LONG)
    assert answer.found[0].changed == {}
    assert str(answer.found[0]) == "as it stands"
    assert 1e-6 in answer.undecided["layer.epsilon"]
    assert answer.undecided["layer.epsilon_in"] == ("sigma",)


@pytest.mark.parametrize("inside", ["root", "sigma"])
def test_where_epsilon_stands(inside):
    state = load("jump").state("before")
    other = SetSwitch("layer", "epsilon", 1e-3).apply(SetSwitch("layer", "epsilon_in", inside).apply(state))
    found = conventions(state, [printed(other, "layer.norm", 6)], LONG).found[0].state.model
    assert (found.switch("layer", "epsilon"), found.switch("layer", "epsilon_in")) == (1e-3, inside)


@pytest.mark.parametrize(("figure", "formula"), [("PE-input-computed", "004"), ("Q-script", "004-script")])
def test_which_formula_of_positions(figure, formula):
    (one,) = (one for one in figures() if one.id == figure)
    hidden = without_choices(load(one.lesson).state(one.setting))
    answer = conventions(hidden, [Print(one.node, one.values, one.decimals, one.cell, one.units)], LONG)
    assert answer.found[0].changed == {"source.positions": formula}


@pytest.mark.parametrize("base", [2, 10])
def test_the_base_of_a_logarithm(base):
    state = load("cat-sat-on-the").state("printed")
    loss = value_of(state, "loss.value") / np.log(base)
    answer = conventions(state, [Print("loss.value", np.round(loss, 4), np.array(4))], LONG)
    assert f"{base}" in answer.found[0].slip
    assert "log" in answer.found[0].slip
    np.testing.assert_allclose(Document(answer.found[0].state).engine.values["loss.value"], loss)


def test_softmax_down_the_columns():
    state = load("emma").state("plain")
    z = np.exp(value_of(state, "scores"))
    values = np.round(z / z.sum(0), 4)
    answer = conventions(state, [Print("weights", values, np.full(values.shape, 4))], LONG)
    assert "columns" in answer.found[0].slip
    assert answer.found[0].changed == {}


def test_numbers_rounded_on_the_way():
    state, node = load("emma").state("plain"), "weights"
    rounded = with_rounding(Convention(state), node, 1)
    assert np.abs(value_of(rounded.state, node) - value_of(state, node)).max() > 1e-3
    answer = conventions(state, [printed(rounded.state, node, 6)], LONG)
    assert answer.found[0].rounded == 1
    assert "rounded to 1 decimals" in str(answer.found[0])


def test_numbers_that_nothing_gives_are_said_to_be_so_with_what_is_nearest():
    state = load("emma").state("plain")
    wrong = printed(state, "weights")
    wrong.values[0, 0] += 0.2
    answer = conventions(state, [printed(state, "scores"), wrong], LONG)
    assert answer.found == ()
    assert answer.unexplained == ("weights",)
    assert answer.nearest is not None


def test_it_stops_when_it_should():
    state = load("you-are-welcome").state("textbook")
    wrong = printed(state, "decoder.1.ffn.norm")
    wrong.values[0, 0] += 0.2
    assert conventions(state, [wrong], 0.0).tried < 10


def test_what_cannot_be_asked():
    state = load("emma").state("plain")
    with refuses("no numbers to look for"):
        conventions(state, [])
    with refuses("no node 'weigths'"):
        conventions(state, [Print("weigths", np.zeros((9, 9)), np.zeros((9, 9)))])
    other = SetCells("Q", {(0, 0): np.inf}).apply(state)
    assert conventions(other, [printed(other, "scores")], LONG).found[0].changed == {}


X = np.array([[1.0, 0, 2], [0.5, 1, 0], [0, 3, 1]])


ANGLES = np.arange(3)[:, None] / 1e4 ** (np.array([0, 0, 2]) / 3)
PLACES = np.where([True, False, True], np.sin(ANGLES), np.cos(ANGLES))


def shares(z, axis=-1):
    return np.exp(z) / np.exp(z).sum(axis, keepdims=True)


@pytest.mark.parametrize(
    ("made", "node", "said"),
    [
        (shares(X), "output.probabilities", "as it stands"),
        long(shares(X, 0), "output.probabilities", "columns"),
        ((X - X.mean(1, keepdims=True)) / X.std(1, ddof=1, keepdims=True), "layer.norm", "n − 1"),
        long((X - X.mean(0)) / X.std(0), "batch.norm", "as it stands"),
        (shares(X @ X.T) @ X, "output", "attention.scale = none"),
        long(shares(X @ X.T / np.sqrt(3)), "weights", "as it stands"),
        (X + PLACES, "input.H", "as it stands"),
    ],
)
def test_a_matrix_alone(made, node, said):
    values, decimals = read_matrix(np.round(made, 4))
    (name, one), *_ = of_matrix(X, values, decimals, LONG)
    assert name == node
    assert said in str(one)


def test_a_matrix_that_nothing_makes():
    assert of_matrix(X, *read_matrix(X**2 + 0.123), LONG) == []


@each(
    ("text", "values", "decimals"),
    [
        ("–0.53 2e–1", [[-0.53, 0.2]], [[2, 1]]),  # dashes, as from a text processor
        ("0.50 1; -2 3e-2", [[0.5, 1], [-2, 0.03]], [[2, 0], [0, 2]]),
        ("[[0.5, 1.25],\n [−2., 3.]]", [[0.5, 1.25], [-2, 3]], [[1, 2], [0, 0]]),
        (r"0.1 & 0.20 \\ 1 & 2 \\", [[0.1, 0.2], [1, 2]], [[1, 2], [0, 0]]),
        ("0,53\t1,2\n2\t3", [[0.53, 1.2], [2, 3]], [[2, 1], [0, 0]]),
        ("1 ? 2.5", [[1, np.nan, 2.5]], [[0, 0, 1]]),
        ("1.50e2", [[150]], [[0]]),
        (f"1e-{'9' * 5000}", [[0]], [[0]]),
    ],
)
def test_numbers_as_they_are_copied(text, values, decimals):
    found, places = read_matrix(text)
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(places, decimals)


def test_numbers_that_are_no_text_count_the_decimals_that_they_need():
    _, decimals = read_matrix([[0.25, 1.0], [-3, 1e-05]])
    assert decimals.tolist() == [[2, 0], [0, 5]]
    assert read_matrix(0.5)[1] == 1
    assert read_matrix([[10, 200.0, 0]])[1].tolist() == [[0, 0, 0]], "a 10 of an array is not 5 to 15"
    assert read_matrix("1e1 2e3")[1].tolist() == [[-1, -3]]
    values, decimals = read_matrix(np.array([[0.1234, 2, 1e-5, np.nan]], np.float32))
    assert decimals[0, :3].tolist() == [4, 0, 5]
    assert np.isnan(values[0, 3])


@pytest.mark.parametrize(
    ("text", "said"), [("", "no numbers to look for"), ("1 2; 3", "equally long"), ("a b", "is not a number")]
)
def test_text_that_is_no_matrix(text, said):
    with refuses(said):
        read_matrix(text)


@pytest.mark.parametrize("given", [[[1, 2], [3]], [["1", "?"]]])
def test_lists_that_are_no_matrix(given):
    with refuses("is not a number"):
        read_matrix(given)


def test_a_node_that_the_model_does_not_have_is_not_explained():
    """Such as the second of heads that were one since somebody asked for it."""
    document = Document(load("you-are-welcome").state())
    document.do(SetSwitch("encoder.1.self", "heads", 1))
    node = "encoder.1.self.head.2.weights"
    given = Print(node, np.array([[0.1, 0.2, 0.7]]), np.ones((1, 3), int))
    answer = conventions(document.state, [given], LONG)
    assert not answer.found
    assert answer.unexplained == (node,)
