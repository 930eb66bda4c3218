"""Questions about a gradient: the number, its derivation, the mistakes, and the words that show it."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.document.state import State
from explorer.lessons.answers import judge, values_of
from explorer.lessons.loader import load
from explorer.lessons.mistakes import mistakes
from explorer.lessons.prose import numbers_of
from explorer.lessons.replay import check_lesson
from explorer.lessons.schema import StepStates
from explorer.sentences import sentence

LESSON = """
format = 2
id = "gradients"
title = "Gradients"
paragraph = "P minus y."
example = "cat-sat-on-the"
[[step]]
id = "logit"
title = "At a logit"
words = "At “rat” it is {gradient output.logits[0, rat]:3}, its share is {output.probabilities[0, rat]}."
setting = "printed"
showing = "gradient"
look.stage = "output"
[step.question]
kind = "predict"
ask = "What is the gradient at “mat”?"
node = "output.logits"
cell = [0, "mat"]
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
    assert numbers_of(lesson.steps[0], states.engine(0))["gradient output.logits[0, rat]:3"] == f"{other:.3f}"
    assert check_lesson(write(LESSON)).questions == 1


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("{gradient output.logits[0, rat]:3}", "{gradient output.logits[0, mat]:3}", "the words show the number"),
        (
            "{gradient output.logits[0, rat]:3}",
            "{gradient loss.target[0]}",
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
