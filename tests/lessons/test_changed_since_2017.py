"""The lesson "What changed since 2017": its models are what its recipes make, and each figure in its words is so."""

import re
from dataclasses import replace
from math import log

import numpy as np
import pytest

from explorer.checkpoints.architectures import MEMBERS, own_switches
from explorer.core.decoder import next_word_cost
from explorer.core.engine import run
from explorer.core.graph import Place
from explorer.core.model import SWITCHES
from explorer.core.training.trainer import Trainer
from explorer.document.commands import SetSwitch
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.lessons.mistakes import derivation, mistakes_of
from explorer.lessons.schema import states_of
from explorer.lessons.walk import Walk
from explorer.training import recipes
from explorer.training.preparation import prepare
from explorer.training.recipes import kinds

LESSON = "changed-since-2017"
RECIPES = {
    "paper": "small-paper",
    "first": "small-norm-first",
    "rms": "small-rms-norm",
    "rotary": "small-rotary",
    "gated": "small-gated",
    "llama": "small-llama",
    "mixtral": "small-mixtral",
}
VERBS = """
sat slept lay runs sleeps eats plays hides jumps run sleep eat play hide jump likes like is are love hate enjoy know
loves hates enjoys knows was lost paints codes sings cooks writes swims dances counts draws skates met gave helps has
graduated grow tastes bought
"""


@pytest.fixture(scope="module")
def lesson():
    return load(LESSON)


def step(lesson, id):
    return next(i for i, one in enumerate(lesson.steps) if one.id == id)


def said(lesson, id):
    return " ".join(lesson.steps[step(lesson, id)].words.split())


@pytest.fixture(scope="module")
def made():
    """What all recipes judge by; of the sentences that are learned from only a few, as nothing is trained."""
    task = recipes.load("small-paper")
    return prepare(replace(task, material=replace(task.material, sentences=20)))


def among(state, made, switches=()):
    """The model and the weights of a state, with room for the sentences that are judged by."""
    model = replace(state.model, lengths=made.examples.lengths).with_switch("loss", "balance", 0.0)
    for block, name, value in switches:
        model = model.with_switch(block, name, value)
    return State.of(model, {name: array for name, array in state.inputs.items() if name != "input.tokens"})


def judged(state, made, switches=()):
    """The loss of held-out sentences, without the balance of experts."""
    state = among(state, made, switches)
    return Trainer(state.model, state.used, made.examples, made.recipe).validate()


@pytest.mark.parametrize("setting", RECIPES)
def test_each_setting_is_what_its_recipe_makes(lesson, made, setting):
    model, task = lesson.state(setting).model, recipes.load(RECIPES[setting])
    assert vars(task.material) == vars(recipes.load("small-paper").material)
    assert task.recipe == made.recipe
    assert model.axes["input.words"] == made.document.model.axes["input.words"]
    assert (model.layers, model.d_model, model.dtype) == (task.model.layers, task.model.d_model, task.model.dtype)
    looked_at = {"input.lookup": "index", "loss.targets": "next word"}
    assert dict(model.switches) == {**task.model.switches, **looked_at}


@pytest.mark.parametrize(("deep", "setting"), [("deep", "paper"), ("deep-first", "first")])
def test_the_deep_ones_differ_in_their_number_of_layers_alone(lesson, deep, setting):
    model, small = lesson.state(deep).model, lesson.state(setting).model
    assert (model.layers, small.layers) == (12, 2)
    for k in range(1, 13):
        for block in (f"decoder.{k}.self", f"decoder.{k}.ffn"):
            like = block.replace(f".{k}.", ".1.")
            names = SWITCHES[model.blocks()[block]]
            assert [model.switch(block, name) for name in names] == [small.switch(like, name) for name in names]


@pytest.mark.parametrize("setting", RECIPES)
def test_the_weights_that_come_along_are_those_that_were_measured(lesson, made, setting):
    (kind,) = [one for one in kinds() if one.recipe == RECIPES[setting]]
    assert judged(lesson.state(setting), made) == pytest.approx(kind.losses[0], abs=0.001)


def lengths_of_gradients(lesson, id):
    """How long the gradient of the stream is behind each of the twelve layers, after the steps of training."""
    engine = states_of(lesson).engine(step(lesson, id))
    last = "norm" if id == "behind" else "residual"
    found = [engine.gradient(Place(f"decoder.{k}.ffn.{last}")) for k in range(1, 13)]
    return engine, [float(np.linalg.norm(one.astype(np.float64))) for one in found]


def test_with_the_norm_behind_twelve_layers_hardly_learn_and_the_gradient_does_not_come_back(lesson):
    engine, lengths = lengths_of_gradients(lesson, "behind")
    assert log(9) < float(engine.values["loss.value"]) < log(9) + 0.2
    assert f"{log(9):.3f}" in said(lesson, "behind")
    assert np.ptp(engine.values["output.probabilities"].astype(np.float64), axis=0).max() < 1e-3  # each place alike
    assert lengths == sorted(lengths)
    assert lengths[11] > 500 * lengths[5]
    found = {name: engine.gradient(Place(name)) for name in engine.graph.inputs if name.startswith("decoder.")}
    sixth, last = (
        max(float(np.linalg.norm(one)) for name, one in found.items() if name.startswith(f"decoder.{k}."))
        for k in (6, 12)
    )
    assert last > 100 * sixth  # of weights, which is what the lesson asks about


def test_with_the_norm_first_the_same_steps_teach_them_and_all_layers_have_a_gradient(lesson):
    engine, lengths = lengths_of_gradients(lesson, "first")
    assert float(engine.values["loss.value"]) < 0.6 * log(9)
    assert max(lengths) < 3 * min(lengths)
    more = {name for name in engine.graph.inputs if name.startswith("final.")}
    assert sum(engine.values[name].size for name in more) == 64


def test_five_words_in_front_change_a_score_with_sines_and_none_with_rotary_positions(lesson):
    states, name = states_of(lesson), "decoder.1.self.scores"

    def pair(id):
        engine = states.engine(step(lesson, id))
        at = 5 if id.endswith("shifted") else 0
        return engine.values[name][:, at + 1, at]

    assert np.abs(pair("sines") - pair("sines-shifted")).max() > 1
    assert np.abs(pair("rotary") - pair("rotary-shifted")).max() < 1e-4


def test_the_losses_of_plain_and_gated_nets_are_those_of_the_table_and_nearer_than_their_spread(lesson):
    plain, gated = ({one.recipe: one for one in kinds()}[RECIPES[name]] for name in ("rotary", "gated"))
    words = said(lesson, "gate-loss")
    assert f"loss of {plain.mean:.3f}, and the gated net one of {gated.mean:.3f}" in words
    assert f"{plain.spread:.3f} for the plain one, and {gated.spread:.3f} for the gated one" in words
    assert abs(plain.mean - gated.mean) < min(plain.spread, gated.spread)
    assert {round(one.weights, -2) for one in (plain, gated)} == {41100}
    widths = [lesson.state(name).model.switch("decoder.1.ffn", "d_ff") for name in ("gated", "rotary")]
    assert f"d_ff is {widths[0]} here; before it was {widths[1]}" in said(lesson, "gate")


def test_the_cache_has_the_bytes_that_the_words_and_the_answers_say(lesson):
    def bytes_of(heads, words=9):
        state = lesson.state("gated")
        for k in (1, 2):
            state = SetSwitch(f"decoder.{k}.self", "key_heads", heads).apply(state)
        return next_word_cost(state.model, state.graph, words).bytes

    assert f"{bytes_of(8, 1)} bytes a word, and {bytes_of(8):,} for these nine words" in said(lesson, "cache")
    choices = lesson.steps[step(lesson, "cache")].question.choices
    assert [int(re.search(r"[\d,]+", one.text)[0].replace(",", "")) for one in choices] == [
        bytes_of(heads) for heads in (1, 2, 4, 8)
    ]
    llama = lesson.state("llama")
    assert next_word_cost(llama.model, llama.graph, 9).bytes == bytes_of(2)
    assert f"has {bytes_of(2):,} bytes. With a single one, as in Gemma 2B, it would have {bytes_of(1)}" in said(
        lesson, "llama"
    )


def test_four_heads_of_queries_meet_the_keys_of_their_group(lesson):
    engine = states_of(lesson).engine(step(lesson, "llama"))
    Q, K = (engine.values[f"decoder.1.self.{name}_rotated"].astype(np.float64) for name in "QK")
    scores = engine.values["decoder.1.self.scores"]
    for head in range(8):
        fits = [np.allclose(Q[head] @ K[group].T, scores[head], atol=1e-4) for group in (0, 1)]
        assert fits == [head < 4, head >= 4]


def test_what_few_bits_cost_is_what_the_words_say(lesson, made):
    state = states_of(lesson)[step(lesson, "bits")]
    blocks = [block for block, kind in state.model.blocks().items() if kind in ("attention", "ffn")]
    assert {state.model.switch(block, "quantised") for block in blocks} == {"4 bits"}
    losses = {
        bits: judged(lesson.state("llama"), made, [(block, "quantised", bits) for block in blocks])
        for bits in ("no", "8 bits", "4 bits")
    }
    full, eight, four = (f"{losses[bits]:.3f}" for bits in ("no", "8 bits", "4 bits"))
    assert f"its loss rises from {full} to {four}. With 8 bits it stays at {eight}." in said(lesson, "bits")
    assert full == eight
    graph = state.graph
    assert state.model.switch("decoder.1.ffn", "quantised_block") == 32
    codes = states_of(lesson).engine(step(lesson, "bits")).values["decoder.1.ffn.W_1_codes"]
    assert (codes.min(), codes.max()) == (-7, 7)
    assert round(7 / 20) == 0
    assert graph.shape("decoder.1.ffn.W_1_scale")[-2] * 32 == graph.shape("decoder.1.ffn.W_1")[-2]


def test_which_expert_takes_verbs_is_what_the_words_say(lesson, made):
    state = among(lesson.state("mixtral"), made)
    graph, words = state.graph, np.array(state.model.axes["input.words"])
    ids = made.examples.arrays["input.tokens"][made.examples.validation]
    assert len(ids) == 1000
    needed = {*graph.ancestors("decoder.1.ffn.routed"), "decoder.1.ffn.routed"}
    values = dict[str, np.ndarray]()
    nodes = [node for name, node in graph.nodes.items() if name in needed]
    run(nodes, {**state.used, "input.tokens": ids}, values, {}, needed)
    shares, read = values["decoder.1.ffn.routed"], words[ids]
    there = read != "<pad>"
    verbs = np.isin(read, VERBS.split()) & there
    of_verbs, of_others = (shares[which].sum(0) / shares[which].sum() for which in (verbs, there & ~verbs))
    text = said(lesson, "verbs")
    assert f"expert 1 has {of_verbs[0]:.0%}" in text
    assert f"other words it has {of_others[0]:.0%}" in text
    assert 1.9 < of_verbs[0] / of_others[0] < 2.3
    assert 0.6 < 1 - of_verbs[0] < 0.7
    for expert, some in ((2, ("a", "an", "the", "on")), (3, ("he", "she", "his", "her"))):
        assert shares[np.isin(read, some)].sum(0).argmax() == expert
    routed = states_of(lesson).engine(step(lesson, "experts")).values["decoder.1.ffn.routed"]
    assert routed[1].argmax() == 0


def test_the_table_of_known_models_answers_the_first_question(lesson):
    chosen = [own_switches(one) for one in MEMBERS]
    assert len(chosen) == 10
    assert "ten known models" in said(lesson, "paper")
    assert all(one["input.positions"] != "sinusoidal" for one in chosen)
    kept = {one.name: own_switches(one) for one in MEMBERS}
    assert kept["BERT base"]["self.norm"] == "post"
    assert kept["T5 small"]["ffn.activation"] == "ReLU"
    assert kept["Gemma 2B"]["self.key_heads"] == 1
    assert kept["Pythia 160M"]["ffn.reads"] == "beside attention"
    assert kept["Pythia 160M"]["input.rotary_width"] == 64 / 4
    llama = lesson.state("llama").model
    for key, value in kept["Llama 3 8B"].items():
        part, name = key.split(".")
        block = f"decoder.1.{part}" if part in ("self", "ffn") else part
        if name not in ("key_heads", "epsilon", "rotary_base"):  # of its size; the recipes say why
            assert llama.switch(block, name) == value, key
    published, words = kept["Llama 3 8B"], said(lesson, "llama")
    assert (published["self.epsilon"], llama.switch("decoder.1.self", "epsilon")) == (1e-5, 1e-6)
    assert "has an $\\epsilon$ of $10^{-5}$, here it is $10^{-6}$" in words
    assert (published["input.rotary_base"], llama.switch("input", "rotary_base")) == (500_000, 10_000)
    assert "is 500,000, for long texts, here 10,000" in words


def test_a_slide_has_no_figure_that_its_words_do_not_have(lesson):
    """What is checked above are the words."""
    for one in lesson.steps:
        figures = set(re.findall(r"\d[\d.,]*\d", re.sub(r"{.*?}", "", one.slide)))
        assert figures - {"2017"} <= set(re.findall(r"\d[\d.,]*\d", one.words)), one.id


def test_what_passes_a_gate_is_derived_from_the_two_numbers_beside_it_and_not_from_the_sum_below_the_gate(lesson):
    number = step(lesson, "gate")
    question, engine = lesson.steps[number].question, Walk(lesson).engine(number)
    ((_, rows),) = derivation(engine, question.node, question.cell)
    assert [row.expression for row in rows] == ["0.3725 × 0.1538"]
    named = {round(one.value, 3): one.name for one in reversed([*mistakes_of(engine, question)])}
    assert {0.526: "added", 0.373: "not multiplied", 0.154: "not multiplied"}.items() <= named.items()
    assert "no activation" in named.values()
