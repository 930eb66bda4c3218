"""A run: its steps are the reference's, it can be travelled, and one undo takes it all back."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.training.optimisers import Adam, Optimiser
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.training import Run, trainable
from explorer.lessons.loader import load


def chosen(document):
    return [name for name, moved in trainable(document).items() if moved]


@pytest.fixture
def script():
    return Document(load("cat-sat-on-the").state("script"))


def test_the_references_two_thousand_steps(script):
    """004: iterations 0 and 1990, and the probabilities after 2,000 steps at 0.01."""
    run = Run(script, Optimiser(0.01), chosen(script))
    run.step()
    np.testing.assert_allclose(
        script.engine.values["output.logits"][0], [0.10792622, 0.09792622, 0.09792622, 0.69622133], atol=5e-9
    )
    for _ in range(1990):
        run.step()
    np.testing.assert_allclose(
        script.engine.values["output.logits"][0], [3.41207767, -0.86673008, -0.86673008, -0.6786175], atol=5e-9
    )
    for _ in range(9):
        run.step()
    np.testing.assert_allclose(
        script.engine.values["output.probabilities"][0], [0.95765298, 0.01320591, 0.01320591, 0.0159352], atol=5e-9
    )


def test_a_run_is_one_step_to_undo(script):
    before = script.state
    run = Run(script, Optimiser(0.1), chosen(script))
    for _ in range(5):
        run.step()
    assert run.moments[-1].loss < run.moments[0].loss
    script.undo()
    assert script.state is before
    script.redo()
    assert script.state is run.moments[5].state


def test_going_back_and_on_again_takes_the_same_way(script):
    run = Run(script, Adam(0.1), chosen(script))
    for _ in range(6):
        run.step()
    end = script.engine.values["output.logits"]
    run.travel(2)
    assert script.state is run.moments[2].state
    for _ in range(4):
        run.step()
    np.testing.assert_array_equal(script.engine.values["output.logits"], end)
    assert len(run.moments) == 7


def test_an_edit_in_mid_run_is_gone_on_from(script):
    run = Run(script, Optimiser(0.1), chosen(script))
    run.step()
    script.do(SetCells("output.logits", {(0, 0): 5.0}))
    run.step()
    assert abs(script.engine.values["output.logits"][0, 0] - 5.0) < 0.1
    script.undo()
    assert script.engine.values["output.logits"][0, 0] == 5.0


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
    script.do(SetCells("output.logits", {(0, 1): np.inf}))
    run = Run(script, Optimiser(0.1), chosen(script))
    before = script.state
    with pytest.raises(ExplorerError, match="too large"):
        run.step()
    assert script.state is before


def test_without_a_loss_there_is_no_run(script):
    script.do(SetSwitch("loss", "loss", "none"))
    with pytest.raises(ExplorerError, match="loss"):
        Run(script, Optimiser(0.1), [])
