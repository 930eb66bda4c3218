"""The lessons on trained models: what their sentences say of parts and of texts that are not on the page is so."""

import pytest

from explorer.core.attribution import Ledger
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


def test_what_the_lecturer_is_told_of_shorter_texts_is_so(lesson, after):
    notes = {one.id: one.notes for one in lesson.steps}
    alone, cat = "<s> ␣I t ␣was ␣r", "<s> ␣Lily ␣had ␣a ␣c at . ␣Lily ␣play ed ␣with ␣her"
    assert f"with *un*, {after(alone, 'un')}, and *ed* has {after(alone, 'ed')}." in notes["blue"]
    assert f"*do* has {after(cat, '␣do')}, and *c* {after(cat, '␣c')}, even" in notes["pets"]


def test_the_storyteller_says_dog_whoever_has_it(after):
    """So a right answer shows nothing: the lesson ended with the wrong one, and called it forgetting."""
    for step in ("pets", "exchanged"):
        assert int(after(step, "␣do")[:-1]) > 5 * int(after(step, "␣c")[:-1])
    assert after("<s> ␣Lily ␣had ␣a ␣c at . ␣Tim ␣had ␣a ␣do g . ␣Lily ␣play ed ␣with ␣her ␣do", "g") == "97%"


def test_a_logit_as_a_sum_has_the_parts_that_the_lesson_speaks_of():
    lesson = load("where-the-answer-comes-from")
    at = next(at for at, step in enumerate(lesson.steps) if step.id == "why-bed")
    engine = states_of(lesson).engine(at)
    words = engine.labels(engine.graph.nodes["output.logits"].axes[-1])
    mat, bed = ([*Ledger(engine.graph, engine.values, 4, words.index(word)).parts()] for word in ("mat", "bed"))
    of = {(one.node, one.head): one.value - other.value for one, other in zip(mat, bed, strict=True)}
    nets = sum(of[f"decoder.{layer}.ffn.output", None] for layer in (1, 2))
    assert nets > 0.5 * sum(of.values()) > 0
    heads = [
        one.value for part in (mat, bed) for one in part if (one.node, one.head) == ("decoder.1.self.projected", 1)
    ]
    assert heads[1] < heads[0] < 0  # "Head 2 of layer 1 has a negative number"
    said = next(one for one in lesson.steps if one.id == "sum").question.choices[1].why
    assert f"it adds −{-heads[1]:.2f}, even less" in said


def test_the_rule_of_the_nearest_name_is_ruled_out_and_the_others_are_not():
    lesson = load("what-a-trained-head-does")
    engine = states_of(lesson).engine(1)
    words = engine.labels(engine.graph.nodes["decoder.2.self.weights"].axes[-1])
    names, row = ("Marcus", "Troy"), words.index("because")
    assert words.index("Marcus") < words.index("Troy") < row
    marcus, troy = (engine.values["decoder.2.self.weights"][2, row, words.index(name)] for name in names)
    assert marcus > 0.9
    assert troy < 0.05
