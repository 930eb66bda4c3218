"""A linear regression that learns beside a net ends on the line that is known without learning."""

import pytest

from explorer.core.engine import same_bytes
from explorer.core.training.recipe import Recipe
from explorer.lessons.loader import load
from explorer.training.recipes import Material
from explorer.training.stretch import Settings
from explorer.training.trained_line import TrainedLine, line_beside


@pytest.fixture
def sin():
    return load("sin").state()


def material(state):
    return Material("cases", X=state.inputs["input.X"], target=state.inputs["loss.target"])


def test_it_comes_to_the_best_line(sin):
    line = TrainedLine(sin, Settings(material(sin), Recipe("Adam", rate=0.02, batch=0, steps=600)))
    first = float(line.document.engine.values["loss.value"])
    line.follow(600, 60.0)
    assert line.run.at == 600
    best = 0.4605  # as the lesson has it, and the test of the regression in closed form
    assert float(line.document.engine.values["loss.value"]) == pytest.approx(best, abs=1e-4)
    assert first > 2 * best


def test_it_takes_as_many_steps_as_it_is_told_and_goes_on_with_other_examples(sin):
    line = TrainedLine(sin, Settings(material(sin), Recipe(steps=100, seed=3)))
    line.follow(7, 60.0)
    assert line.run.at == 7
    moved = sin.inputs["loss.target"] + 5
    other = sin.with_inputs({"loss.target": moved})
    of_net = Recipe(rate=0.5, steps=100, frozen=("layer.2.W",), dropout=0.5, initialiser="xavier")
    line.use(other, Settings(material(other), of_net))
    line.follow(9, 60.0)
    assert line.run.settings.recipe == Recipe(rate=0.5, steps=100, initialiser="")
    assert line.run.at == 9
    assert same_bytes(line.document.engine.values["loss.target"], moved)
    line.follow(3, 60.0)  # back, as the net has gone
    assert line.run.at == 3


def test_steps_that_are_too_large_for_it_leave_it_where_it_was(sin):
    line = TrainedLine(sin, Settings(material(sin), Recipe("SGD", rate=1000.0, batch=0, steps=1000)))
    line.follow(1000, 60.0)
    assert line.failed
    at = line.run.at
    line.follow(1000, 60.0)
    assert line.run.at == at < 1000


def test_it_stands_beside_nets_with_a_regression_alone(sin):
    settings = Settings(material(sin), Recipe(steps=100))
    line = line_beside(sin, settings, None)
    assert line is not None
    assert line_beside(sin, settings, line) is line
    assert line_beside(load("xor").state(), settings, line) is None
