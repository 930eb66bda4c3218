"""What holds for every example, and what the first three say."""

import numpy as np
import pytest
from refusals import refuses

from explorer.core.engine import same_bytes
from explorer.core.ops import Input
from explorer.document.commands import PinCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load
from explorer.lessons.references import figures
from explorer.lessons.replay import check_lesson
from explorer.lessons.schema import WHOLE
from tests.samples import each

TINY_GPT = ["cat", "emma", "professor", "fruit", "phone", "names"]
SETTINGS = {
    "start-here": ["textbook", "printed"],
    "ten-questions-before": ["plain", "masked"],
    "two-vectors": ["alike", "right-angle", "apart"],
    "softmax": ["printed"],
    "apple-orange": ["printed", "printed-all", "phone", "words", "textbook"],
    "i-want-to-buy": ["likeness", "next-word", "textbook"],
    "translation-lookup": ["textbook", "printed"],
    "words-as-vectors": ["screen-rock", "remote-rock", "remote-screen"],
    "cat-sat-on-the": ["printed", "wrong", "script"],
    "emma": ["plain", "textbook", "printed"],
    "positions-cat-mat": ["off", "off-swapped", "textbook", "textbook-swapped"],
    "jane": ["heads", "one-head"],
    "jump": ["before", "after"],
    "xor-linear": ["start", "best", "sigmoid"],
    "xor": ["textbook", "random", "zeros", "nothing", "dead", "printed", "printed-relu"],
    "sin": ["printed", "linear", "nothing"],
    "you-are-welcome": ["textbook", "printed"],
    "i-love-ai": ["textbook", "printed"],
    "roses-are-red": ["two", "one", "textbook"],
    "one-word-at-a-time": TINY_GPT,
    "what-a-trained-head-does": TINY_GPT,
    "what-the-cache-saves": TINY_GPT,
    "where-the-answer-comes-from": TINY_GPT,
    "changed-since-2017": [
        *("paper", "first", "rms", "rotary", "gated", "llama", "mixtral", "deep", "deep-first"),
    ],
    "inside-a-storyteller": ["once", "ball", "she"],
    "inside-gpt2-small": ["mat"],
    "inside-pythia": ["twice", "other"],
    "ten-questions-after": ["plain", "masked"],
    "errata-000": ["printed", "textbook", "words"],
    "errata-001": ["two", "related", "all", "love"],
    "errata-003": ["printed", "plain", "textbook"],
    "errata-004": [
        *("welcome", "textbook", "places", "softmax", "before", "jump", "good", "wrong", "script"),
        *("xor", "xor-relu", "love"),
    ],
}
BY_CHANCE = {("changed-since-2017", "deep"), ("changed-since-2017", "deep-first")}
"""Settings whose steps show what training makes of random weights."""
IDS = list(SETTINGS)
each_setting = each(("id", "setting"), [(id, name) for id in IDS for name in SETTINGS[id]])


def document(lesson, setting=None):
    return Document(load(lesson).state(setting))


def values(lesson, setting=None):
    return document(lesson, setting).engine.values


def words(document, node, axis):
    return [document.engine.labels(axis)[i] for i in document.engine.values[node]]


def test_catalogue_goes_from_easy_to_hard():
    assert [lesson.id for lesson in catalogue()] == IDS, "SETTINGS above has another lesson, or another `order`"


@each("id", IDS)
def test_settings(id):
    lesson = load(id)
    assert list(lesson.settings) == SETTINGS[id]
    assert lesson.state().setting == SETTINGS[id][0]
    for name in SETTINGS[id]:
        assert lesson.state(name).setting == name
        assert lesson.start_stage in [WHOLE, *(stage.name for stage in lesson.state(name).graph.stages)]
    known = ", ".join(SETTINGS[id])
    with refuses("'%s' has no setting 'printd'; it has %s." % (id, known)):
        lesson.state("printd")


@pytest.mark.parametrize("id", IDS)
def test_is_valid_and_computes(id):
    assert check_lesson(id).id == id


@each_setting
def test_no_weight_is_left_to_chance(id, setting):
    lesson = load(id)
    state = lesson.state(setting)
    if setting == lesson.learns or (id, setting) in BY_CHANCE:  # it is there to begin so, the same each time
        again = load(id).state(setting)
        assert all(np.array_equal(array, again.inputs[name]) for name, array in state.inputs.items())
        return
    given = {**lesson.inputs, **lesson.settings[setting].inputs}
    for name in state.graph.names():
        place = state.graph.place(name)
        op = state.graph.nodes[place.node].op
        if (
            isinstance(op, Input)
            and op.initial == "weights"
            and not (place.head is None and state.graph.n_heads.get(name))
        ):
            assert name in given or place.node in given, name
            array = given[name] if name in given else given[place.node][place.index]
            whole = state.inputs[place.node]
            assert np.array_equal(whole if place.head is None else whole[place.head], array)


@each_setting
def test_what_a_setting_computes_has_no_surprises(id, setting):
    for name, value in values(id, setting).items():
        assert np.isfinite(value).all() or name.rpartition(".")[2] == "masked", name


@each_setting
def test_what_is_ours_is_there_and_not_printed(id, setting):
    lesson = load(id)
    names = set(lesson.state(setting).graph.names())
    ours = lesson.ours_in(setting)
    assert lesson.settings[setting].ours <= names
    plain = [figure for figure in figures() if figure.plain and (figure.lesson, figure.setting) == (id, setting)]
    assert not ours & {figure.node for figure in plain}


def test_states_are_closed_against_writing():
    for lesson in catalogue():
        for setting in lesson.settings:
            state = lesson.state(setting)
            assert not any(array.flags.writeable for array in state.inputs.values())
            assert not any(pin.values.flags.writeable for pin in state.pins.values())


class TestTranslation:
    @pytest.mark.parametrize("setting", ["printed", "textbook"])
    def test_names_the_french_words(self, setting):
        assert words(document("translation-lookup", setting), "chosen", "value") == ["avec", "ci-dessous"]


class TestEmma:
    def test_textbook_has_the_same_numbers_a_word_a_row(self):
        printed, textbook = load("emma").state("printed"), load("emma").state("textbook")
        for name in ("Q", "K"):
            assert np.array_equal(printed.inputs[name].T, textbook.inputs[name])

    @pytest.mark.parametrize(("setting", "layout"), [("printed", "(T, C)"), ("textbook", "(C, T)")])
    def test_layout_is_only_a_picture(self, setting, layout):
        emma = document("emma", setting)
        before = dict(emma.engine.values)
        emma.do(SetSwitch("attention", "layout", layout))
        for name in ("Q", "K"):
            assert np.array_equal(emma.engine.values[name], before[name].T)
        for name in ("scores", "weights"):
            np.testing.assert_allclose(emma.engine.values[name], before[name], rtol=1e-15, atol=1e-15)
        emma.undo()
        assert all(same_bytes(emma.engine.values[name], before[name]) for name in before)
        emma.redo()
        emma.do(SetSwitch("attention", "layout", "(C, T)" if layout == "(T, C)" else "(T, C)"))
        assert all(same_bytes(emma.engine.values[name], before[name]) for name in before)

    def test_layout_of_as_many_words_as_dimensions_is_only_a_picture_too(self):
        """A square matrix would fit untransposed, too."""
        lookup = document("translation-lookup")
        before = dict(lookup.engine.values)
        lookup.do(SetSwitch("attention", "layout", "(C, T)"))
        for name in ("scores", "weights", "output"):
            np.testing.assert_allclose(lookup.engine.values[name], before[name], rtol=1e-15, atol=1e-15)

    def test_friend_looks_most_at_emma(self):
        assert values("emma")["weights"][8].argmax() == 0

    def test_mask_hides_what_comes_later(self):
        assert np.array_equal(np.triu(values("emma", "textbook")["weights"], 1), np.zeros((9, 9)))


class TestYouAreWelcome:
    def test_textbook_says_de_nada(self):
        textbook = document("you-are-welcome", "textbook")
        assert words(textbook, "output.chosen", "output.words") == ["de", "nada", "<end>"]
        best = np.sort(textbook.engine.values["output.probabilities"], axis=-1)
        assert (best[:, -1] > 0.9).all()
        assert textbook.engine.values["loss.value"] < 0.1

    @pytest.mark.parametrize("so_far", [["<start>"], ["<start>", "de"], ["<start>", "de", "nada"]])
    def test_textbook_says_it_word_by_word_too(self, so_far):
        textbook = document("you-are-welcome", "textbook")
        textbook.do(SetTokens("target", so_far))
        said = words(textbook, "output.chosen", "output.words")
        assert said == ["de", "nada", "<end>"][: len(so_far)]

    def test_target_is_what_should_come_next(self):
        state = load("you-are-welcome").state()
        assert [state.model.axes["output.words"][i] for i in state.inputs["loss.target"]] == ["de", "nada", "<end>"]

    def test_as_printed_no_output_layer_can_say_it(self):
        printed = document("you-are-welcome", "printed")
        rows = printed.engine.values["decoder.1.cross.output"][0]
        assert np.abs(rows - rows[0]).max() < 1e-15
        probabilities = printed.engine.values["output.probabilities"]
        assert np.abs(probabilities - probabilities[0]).max() < 1e-15
        assert len(set(words(printed, "output.chosen", "output.words"))) == 1

    def test_decoder_weights_are_the_seeded_draws(self):
        random = np.random.RandomState(42)
        state = load("you-are-welcome").state()
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            assert np.array_equal(np.squeeze(state.inputs[f"decoder.1.self.{name}"]), random.rand(4, 4))

    def test_head_2_is_pinned_whole_and_head_1_is_not(self):
        state = load("you-are-welcome").state("printed")
        assert list(state.pins) == ["encoder.1.self.output"]
        held = state.pins["encoder.1.self.output"].cells
        assert held[1].all()
        assert not held[0].any()
        assert not load("you-are-welcome").state("textbook").pins

    def test_textbook_is_the_textbook(self):
        state = load("you-are-welcome").state("textbook")
        sizes = {"heads", "d_k", "d_v", "d_ff"}
        assert all(switch.rpartition(".")[-1] in sizes for switch in state.model.switches)
        assert state.model.switch("decoder.1.self", "mask") == "causal"

    def test_what_is_ours(self):
        lesson = load("you-are-welcome")
        assert "encoder.1.self.head.2.W_Q" in lesson.ours
        assert "encoder.1.self.head.1.W_Q" not in lesson.ours
        assert "output.W" in lesson.ours
        assert "decoder.1.self.W_O" not in lesson.ours

    def test_our_weights_come_back_with_their_switch(self):
        printed = document("you-are-welcome", "printed")
        printed.do(SetSwitch("decoder.1.cross", "W_O", True))
        given = load("you-are-welcome").inputs["decoder.1.cross.W_O"]
        assert np.array_equal(printed.engine.values["decoder.1.cross.W_O"], given)


class TestSwitching:
    def test_computed_positions_take_the_place_of_the_table(self):
        printed = document("you-are-welcome", "printed")
        printed.do(SetSwitch("source", "positions", "sinusoidal"))
        assert printed.engine.values["source.PE"][1, 1] == np.cos(1)
        printed.do(SetSwitch("source", "positions", "table"))
        assert printed.engine.values["source.PE"][1, 1] == 0.99995

    def test_the_scale_is_computed_once_it_is_not_free(self):
        printed = document("you-are-welcome", "printed")
        printed.do(SetSwitch("decoder.1.cross", "scale", "1/sqrt(d_k)"))
        assert printed.engine.values["decoder.1.cross.scale"] == 0.5

    def test_a_pin_ends_where_its_node_becomes_an_input(self):
        textbook = document("you-are-welcome", "textbook")
        textbook.do(PinCells("source.PE", {(0, 0): 7.0}))
        textbook.do(SetSwitch("source", "positions", "table"))
        assert not textbook.state.pins
        assert textbook.engine.values["source.PE"][0, 0] == 0

    def test_square_weights_stay_as_printed_and_are_applied_the_other_way(self):
        printed = document("you-are-welcome", "printed")
        before = dict(printed.engine.values)
        printed.do(SetSwitch("decoder.1.cross", "weights", "x W"))
        assert np.array_equal(printed.engine.values["decoder.1.cross.W_Q"], before["decoder.1.cross.W_Q"])
        assert not np.allclose(printed.engine.values["decoder.1.cross.output"], before["decoder.1.cross.output"])

    @pytest.mark.parametrize("block", ["encoder.1.self", "encoder.1.ffn"])
    def test_where_a_weight_is_not_square_all_are_transposed(self, block):
        printed = document("you-are-welcome", "printed")
        before = dict(printed.engine.values)
        printed.do(SetSwitch(block, "weights", "W x"))
        name = f"{block}.{'W_O' if block.endswith('self') else 'W_1'}"
        assert np.array_equal(printed.engine.values[name], before[name].T)
        result = f"{block}.norm"
        np.testing.assert_allclose(printed.engine.values[result], before[result], rtol=1e-13)
        printed.do(SetSwitch(block, "weights", "x W"))
        assert all(same_bytes(printed.engine.values[n], before[n]) for n in before)
