"""The lesson "Inside a storyteller": what its sentences say of texts that are not on the page is so."""

import pytest

from explorer.document.commands import SetTokens
from explorer.lessons.answers import values_of
from explorer.lessons.loader import load
from explorer.lessons.schema import states_of


@pytest.fixture(scope="module")
def lesson():
    return load("inside-a-storyteller")


def said(lesson, id):
    step = next(one for one in lesson.steps if one.id == id)
    return step.words, *(choice.why for choice in getattr(step.question, "choices", ()))


@pytest.fixture(scope="module")
def after(lesson):
    """The per cent of a piece after a text, whose pieces stand between blanks; or after that of a step."""
    states, places = states_of(lesson), {one.id: at for at, one in enumerate(lesson.steps)}

    def percent(text, piece):
        state = states[places.get(text, 0)]
        if text not in places:
            state = SetTokens("input", tuple(text.split())).apply(states[places["she"]])
        engine = values_of(state)
        probabilities = engine.values["output.probabilities"]
        labels = engine.labels(engine.graph.nodes["output.probabilities"].axes[-1])
        return f"{probabilities[-1][labels.index(piece)]:.0%}"

    return percent


def test_the_shares_of_texts_before_or_beside_are_those_of_the_model(lesson, after):
    assert f"falls from {after('play', '␣b')} to" in said(lesson, "cut")[0]
    assert f"ball it was {after('red', 'ed')}" in " ".join(said(lesson, "blue")[0].split())
    dog = after("<s> ␣One ␣day , ␣Lily ␣saw ␣a ␣do g . ␣I t ␣was ␣r", "ed")
    assert f"a colour gives *ed* {dog}" in " ".join(said(lesson, "blue")[0].split())
    boy = "<s> ␣{} ␣was ␣a ␣little ␣b o y . ␣One ␣day ,"
    right = f"it gives *␣he* {after(boy.format('Tim'), '␣he')}. With *Lily* and *boy* it hesitates: "
    right += f"{after(boy.format('Lily'), '␣she')} for *␣she*, {after(boy.format('Lily'), '␣he')} for *␣he*."
    assert any(right in one for one in said(lesson, "tim"))


def test_the_storyteller_says_dog_whoever_has_it(after):
    """So a right answer shows nothing: the lesson ended with the wrong one, and called it forgetting."""
    for step in ("pets", "exchanged"):
        assert int(after(step, "␣do")[:-1]) > 5 * int(after(step, "␣c")[:-1])
    assert after("<s> ␣Lily ␣had ␣a ␣c at . ␣Tim ␣had ␣a ␣do g . ␣Lily ␣play ed ␣with ␣her ␣do", "g") == "97%"
