"""What the playgrounds of 004 say about training: XOR, XOR with one layer, and sin(x)."""

import numpy as np
import pytest

from explorer.core.training.data import cases
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.core.training.trainer import trainable as trainable_in
from explorer.document.commands import SetArray, SetInputs, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run

XOR = np.array([0, 1, 1, 0])


def document(lesson, setting=None):
    return Document(load(lesson).state(setting))


def trainable(document):
    return trainable_in(document.state.graph, document.state.model)


def trained(document, optimiser, rate, steps, until=lambda: False):
    """The run, after so many steps or as soon as something holds."""
    run = Run(document, RunSettings(Material("shown"), Recipe(optimiser, rate, batch=0, steps=steps)))
    while not run.finished and not until():
        run.take()
    return run


def answers(document):
    values = document.engine.values
    return values[f"layer.{document.state.model.layers}.activation"][:, 0]


def loss(document):
    return float(document.engine.values["loss.value"])


def solved(document):
    return lambda: ((answers(document) >= 0.5) == XOR).all()


class TestXor:
    @pytest.mark.parametrize(("optimiser", "steps"), [(("Adam", 0.1), 43), (("SGD", 1.0), 802)])
    def test_steps_from_the_random_start(self, optimiser, steps):
        xor = document("xor", "random")
        assert trained(xor, *optimiser, 2000, solved(xor)).at == steps

    def test_by_relu_it_gets_stuck_half_way(self):
        xor = document("xor", "random")
        xor.do(SetSwitch("layer.1", "activation", "ReLU"))
        trained(xor, "Adam", 0.1, 300)
        np.testing.assert_allclose(loss(xor), 0.125, atol=1e-3)
        assert np.isclose(answers(xor), 0.5, atol=0.01).sum() == 2

    def test_with_all_zeros_nothing_moves(self):
        xor = document("xor", "zeros")
        moved = [name for name, moves in trainable(xor).items() if moves]
        assert len(moved) == 4
        assert not any(gradient.any() for gradient in xor.engine.gradients().several(moved).values())

    def test_alike_units_stay_twins(self):
        xor = document("xor", "zeros")
        halves = {name: np.full_like(xor.state.inputs[name], 0.5) for name, moves in trainable(xor).items() if moves}
        xor.do(SetInputs(halves, "Set all to 0.5"))
        before = loss(xor)
        trained(xor, "Adam", 0.1, 200)
        assert loss(xor) < before
        units = xor.engine.values["layer.1.activation"]
        np.testing.assert_array_equal(units[:, 0], units[:, 1])
        assert not solved(xor)()


class TestOneLayer:
    @pytest.mark.parametrize("setting", ["start", "sigmoid"])
    def test_training_ends_at_one_half_everywhere(self, setting):
        xor = document("xor-linear", setting)
        trained(xor, "SGD", 0.5, 1000)
        np.testing.assert_allclose(answers(xor), 0.5, atol=1e-3)
        np.testing.assert_allclose(loss(xor), 0.25, atol=1e-6)
        best = document("xor-linear", "best").engine.values
        np.testing.assert_allclose(xor.engine.values["layer.1.W"], best["layer.1.W"], atol=5e-3)

    def test_it_is_there_within_50_steps(self):
        xor = document("xor-linear")
        trained(xor, "SGD", 0.5, 50)
        np.testing.assert_allclose(loss(xor), 0.25, atol=1e-4)

    def test_the_best_line_leaves_no_way_down(self):
        xor = document("xor-linear", "best")
        assert answers(xor).tolist() == [0.5] * 4
        assert loss(xor) == 0.25
        for gradient in xor.engine.gradients().several(["layer.1.W", "layer.1.b"]).values():
            assert not gradient.any()

    def test_the_answers_across_add_up_to_the_same(self):
        xor = document("xor-linear")
        random = np.random.default_rng(0)
        for _ in range(5):
            xor.do(SetArray("layer.1.W", random.normal(size=(2, 1))))
            y = answers(xor)
            np.testing.assert_allclose(y[0] + y[3], y[1] + y[2])


class TestSin:
    def test_the_points_are_those_of_the_script(self):
        values = document("sin").engine.values
        np.testing.assert_array_equal(values["input.X"][:, 0], np.linspace(-10, 10, 100))
        np.testing.assert_allclose(values["loss.target"], np.sin(values["input.X"]), rtol=1e-15)

    def test_the_line_and_what_it_misses(self):
        values = document("sin").engine.values
        x, y = values["input.X"][:, 0], values["loss.target"][:, 0]
        slope, start = np.polyfit(x, y, 1)
        np.testing.assert_allclose(
            [values["regression.W"][0, 0], values["regression.b"][0]], [slope, start], atol=1e-14
        )
        assert round(float(values["regression.loss"]), 3) == 0.460
        assert round(float(np.square(y).mean()), 3) == 0.476

    def test_weights_start_as_those_of_the_script(self):
        state = document("sin").state
        for name, moves in trainable(document("sin")).items():
            if moves and name.endswith("W"):
                assert np.abs(state.inputs[name]).max() <= np.sqrt(6 / sum(state.inputs[name].shape)) + 0.005
            elif moves:
                assert not state.inputs[name].any()

    def test_1000_steps_of_all_points(self):
        sin = document("sin")
        run = trained(sin, "Adam", 0.001, 1000)
        assert round(run.records.losses[0], 1) == 1.9
        assert round(loss(sin), 3) == 0.243
        assert loss(sin) < float(sin.engine.values["regression.loss"]) / 1.8

    def test_1000_epochs_of_32_points_a_step(self):
        lesson, sin = load("sin"), document("sin")
        state = sin.state
        trainer = Trainer(
            state.model, state.inputs, cases(state.inputs["input.X"], state.inputs["loss.target"]), lesson.training
        )
        while not trainer.finished:
            trainer.step()
        assert trainer.at == 4000
        sin.do(SetInputs({name: trainer.weights[name] for name in trainer.moving}, "Train"))
        assert round(loss(sin), 1) == 0.2

    def test_without_a_bend_the_net_becomes_the_line(self):
        sin = document("sin", "linear")
        trained(sin, "Adam", 0.001, 200)
        values = sin.engine.values
        np.testing.assert_allclose(values["layer.3.activation"], values["regression.output"], atol=1e-4)

    def test_the_line_follows_an_edited_point_at_once(self):
        sin = document("sin")
        moved = sin.state.inputs["loss.target"].copy()
        moved[99] = 50.0
        sin.do(SetArray("loss.target", moved))
        assert sin.engine.values["regression.W"][0, 0] > 0.1


@pytest.mark.parametrize(
    ("lesson", "descent"), [("xor", ("Adam", 0.1)), ("sin", ("Adam", 0.001)), ("jump", ("SGD", 0.1))]
)
def test_how_descent_begins(lesson, descent):
    assert load(lesson).descent_in() == descent
