"""With the settings that it opens with, every example with a loss goes down it."""

import numpy as np
import pytest

from explorer.core.graph import LOSS
from explorer.core.training.recipe import OPTIMISERS, Recipe
from explorer.core.training.trainer import trainable
from explorer.document.document import Document
from explorer.lessons.loader import catalogue
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import MOST_STEPS, Run

STEPS = 20
NO_WAY_DOWN = {
    ("xor", "zeros"): "no gradient, as its text says",
    ("xor", "textbook"): "all answers are right, the loss is 0",
    ("xor-linear", "best"): "the best line",
}


def examples():
    for lesson in catalogue():
        if lesson.model.dtype == "float32":  # it has learned already
            continue
        for setting in lesson.settings:
            state = lesson.state(setting)
            if LOSS in state.graph.nodes and any(trainable(state.graph, state.model).values()):
                yield pytest.param(lesson, setting, id=f"{lesson.id} {setting}")


def losses(lesson, setting, recipe):
    document = Document(lesson.state(setting))
    before = float(document.engine.values[LOSS])
    run = Run(document, RunSettings(Material("shown"), recipe))
    found = [before]
    for _ in range(STEPS):
        run.take()
        found.append(float(document.engine.values[LOSS]))
    return found


def goes_down(found):
    """Whether the first step lowers the loss, and the steps behind it do not bring it up again."""
    return found[1] < found[0] and min(found[-5:]) < found[0] and np.isfinite(found).all()


@pytest.mark.parametrize(("lesson", "setting"), list(examples()))
def test_the_first_steps_by_hand_lower_the_loss(lesson, setting):
    optimiser, rate = lesson.descent_in(setting)
    decay = OPTIMISERS[optimiser].decay
    found = losses(lesson, setting, Recipe(optimiser, rate, weight_decay=decay, batch=0, steps=MOST_STEPS))
    assert goes_down(found) != ((lesson.id, setting) in NO_WAY_DOWN), found
