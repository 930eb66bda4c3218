"""A run: its steps are the reference's, it can be travelled, and one undo takes it all back."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.graph import Place
from explorer.core.training.optimisers import OPTIMISERS, Adam, Optimiser
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.document.step import Way
from explorer.document.training import BUDGET, Run, trainable
from explorer.lessons.loader import load
from explorer.lessons.new import new_lesson

LOGITS = "output.logits"


def chosen(document):
    return [name for name, moved in trainable(document).items() if moved]


def begun(document, optimiser, budget=BUDGET, steps=0):
    run = Run(document, optimiser, chosen(document), budget)
    for _ in range(steps):
        run.step()
    return run


@pytest.fixture
def script():
    return Document(load("cat-sat-on-the").state("script"))


def logits(document):
    return document.engine.values[LOGITS][0].tolist()


def test_the_references_two_thousand_steps(script):
    """004: iterations 0 and 1990, and the probabilities after 2,000 steps at 0.01."""
    run = begun(script, Optimiser(0.01), steps=1)
    np.testing.assert_allclose(logits(script), [0.10792622, 0.09792622, 0.09792622, 0.69622133], atol=5e-9)
    for _ in range(1990):
        run.step()
    np.testing.assert_allclose(logits(script), [3.41207767, -0.86673008, -0.86673008, -0.6786175], atol=5e-9)
    for _ in range(9):
        run.step()
    np.testing.assert_allclose(
        script.engine.values["output.probabilities"][0], [0.95765298, 0.01320591, 0.01320591, 0.0159352], atol=5e-9
    )


def test_a_run_is_one_step_to_undo(script):
    before = script.state
    run = begun(script, Optimiser(0.1), steps=5)
    assert run.losses[-1] < run.losses[0]
    script.undo()
    assert script.state is before
    script.redo()
    assert script.state is run.kept[5].state


def test_going_back_and_on_again_takes_the_same_way(script):
    run = begun(script, Adam(0.1), steps=6)
    end = logits(script)
    run.travel(2)
    assert script.state is run.kept[2].state
    for _ in range(4):
        run.step()
    assert logits(script) == end
    assert len(run.losses) == 7


def test_undo_and_redo_are_places_of_the_run(script):
    run = begun(script, Optimiser(0.1), steps=5)
    script.undo()
    assert run.follow()
    assert run.at == 0
    script.redo()
    assert run.follow()
    assert run.at == 5


def test_going_on_elsewhere_forgets_the_way_that_was_left(script):
    run = begun(script, Optimiser(0.1), steps=5)
    script.do(SetCells(LOGITS, {(0, 0): 5.0}))
    run.travel(2)
    run.step()
    assert list(run.kept) == [0, 1, 2, 3]
    script.undo()  # all of the run, with the edit
    assert run.follow()
    assert run.at == 0


def test_an_edit_in_mid_run_is_gone_on_from(script):
    before = script.state
    run = begun(script, Optimiser(0.1), steps=1)
    script.do(SetCells(LOGITS, {(0, 0): 5.0}))
    assert not run.follow()
    edited = script.state
    run.step()
    assert abs(logits(script)[0] - 5.0) < 0.1
    run.travel(1)
    assert script.state is edited
    script.undo()
    assert script.state is before
    assert run.follow()
    assert run.at == 0


def test_travelling_to_where_one_is_takes_an_edit_back(script):
    run = begun(script, Optimiser(0.1), steps=3)
    there = script.state
    script.do(SetCells(LOGITS, {(0, 0): 5.0}))
    run.travel(3)
    assert script.state is there


# Checkpoints


@pytest.fixture
def small():
    """A GPT in float32 with pinned cells: everything that could make two ways to a number differ."""
    lesson = new_lesson("gpt", ["a b c"], d_model=4)
    model = replace(lesson.model.with_switch("loss", "loss", "cross-entropy"), dtype="float32")
    document = Document(State.of(model, lesson.inputs))
    document.do(PinCells("decoder.1.self.weights", {(0, 1, 0): 0.5}))
    return document


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_state_that_was_let_go_is_computed_anew_to_the_same_bits(small, kind):
    whole = begun(small, OPTIMISERS[kind](0.01), steps=20)
    small.undo()
    thin = begun(small, OPTIMISERS[kind](0.01), budget=60_000, steps=20)
    assert len(whole.kept) == 21
    assert 2 <= len(thin.kept) < 15
    for step in (19, 3, 0, 11, 20):
        thin.travel(step)
        assert small.engine.values["loss.value"] == np.float32(whole.losses[step])
        for name in whole.way.weights:
            assert small.state.inputs[name].tobytes() == whole.kept[step].state.inputs[name].tobytes()


def test_checkpoints_know_of_other_rates_weights_optimisers_and_edits(small):
    def go(run):
        for at in range(24):
            if at == 5:
                run.way = Way(0.05, run.way.weights)
            if at == 9:
                run.way = Way(0.05, run.way.weights[:3])
            if at == 13:
                run.use(Adam(0.05))
            if at == 17:
                small.do(SetCells("output.W", {(0, 0): 1.5}))
            run.step()

    go(whole := begun(small, Optimiser(0.1)))
    small.undo()
    go(thin := begun(small, Optimiser(0.1), budget=1))
    assert set(thin.kept) == {0, 13, 17}
    assert thin.losses == whole.losses
    for step in (8, 12, 16, 23):
        thin.travel(step)
        for name in whole.way.weights:
            assert small.state.inputs[name].tobytes() == whole.kept[step].state.inputs[name].tobytes()
    for place in map(Place, ("output.W", "loss.value", "output.logits")):
        whole.travel(23)
        assert thin.change(place).tobytes() == whole.change(place).tobytes()


def test_travelling_rests_after_each_step_that_it_computes_anew(script):
    run = begun(script, Optimiser(0.1), budget=1, steps=6)
    assert set(run.kept) == {0}
    end = script.state
    way = run.travelling(4)
    for _ in range(4):
        next(way)
        assert script.state is end
    assert list(way) == []
    assert run.at == 4


# The last step


def test_the_change_at_the_last_step(script):
    run = begun(script, Optimiser(0.1))
    assert not run.change(Place(LOGITS)).any()
    values = []
    for _ in range(3):
        values.append(script.engine.values)
        run.step()
    values.append(script.engine.values)

    def check(step):
        for name in (LOGITS, "output.probabilities", "loss.value", "loss.target"):
            apart = values[step][name] - values[max(step - 1, 0)][name]
            np.testing.assert_array_equal(run.change(Place(name)), apart)

    check(3)
    script.do(SetCells(LOGITS, {(0, 0): 5.0}))
    check(3)
    for step in (2, 0, 1):
        run.travel(step)
        check(step)
    script.undo()
    run.follow()
    check(run.at)


def test_the_path_of_two_weights(script):
    run = begun(script, Optimiser(0.1), steps=10)
    steps, values = run.path([(LOGITS, (0, 0)), (LOGITS, (0, 3))])
    assert steps.tolist() == list(range(11))
    assert values[-1].tolist() == [logits(script)[0], logits(script)[3]]
    steps, values = run.path([(LOGITS, (0, 0))], most=4)
    assert len(steps) <= 5
    assert values[-1, 0] == logits(script)[0]


# What moves


def test_frozen_weights_stay():
    document = Document(load("you-are-welcome").state("textbook"))
    before = document.state.inputs
    Run(document, Adam(0.01), ["output.W"]).step()
    moved = {name for name, array in document.state.inputs.items() if array is not before[name]}
    assert moved == {"output.W"}


def test_what_moves_by_itself_are_the_weights():
    moved = trainable(Document(load("you-are-welcome").state("textbook")))
    assert moved["output.W"]
    assert moved["encoder.1.self.W_Q"]
    assert not moved["output.temperature"]
    assert "loss.target" not in moved
    assert "source.tokens" not in moved


def test_steps_too_large_end_with_a_plain_sentence(script):
    script.do(SetCells(LOGITS, {(0, 1): np.inf}))
    run = begun(script, Optimiser(0.1))
    before = script.state
    with pytest.raises(ExplorerError, match="too large"):
        run.step()
    assert script.state is before
    assert run.at == 0


def test_a_run_has_an_end(script, monkeypatch):
    monkeypatch.setattr("explorer.document.training.MOST_STEPS", 2)
    run = begun(script, Optimiser(0.1), steps=2)
    with pytest.raises(ExplorerError, match="up to 2 steps"):
        run.step()


def test_without_a_loss_there_is_no_run(script):
    script.do(SetSwitch("loss", "loss", "none"))
    with pytest.raises(ExplorerError, match="loss"):
        Run(script, Optimiser(0.1), [])


def test_a_run_fits_the_graph_that_it_began_with(script):
    run = begun(script, Optimiser(0.1), steps=1)
    script.do(SetSwitch("loss", "L_1", True))
    assert not run.fits
    script.undo()
    assert run.fits
