"""What the examples about nets say: softmax and loss, XOR, norms, and two GPTs of a few words."""

import numpy as np
import pytest

from explorer.core.engine import same_bytes
from explorer.document.commands import Release, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load


def document(lesson, setting=None):
    return Document(load(lesson).state(setting))


def values(lesson, setting=None):
    return document(lesson, setting).engine.values


def said(document):
    return [document.engine.labels("output.words")[i] for i in document.engine.values["output.chosen"]]


class TestSoftmax:
    def test_only_differences_count(self):
        softmax = document("softmax")
        before = softmax.engine.values["output.probabilities"]
        softmax.do(SetCells("output.logits", {(0, 0): 7.0, (0, 1): 6.0, (0, 2): 5.2}))
        np.testing.assert_allclose(softmax.engine.values["output.probabilities"], before)

    def test_temperature_brings_the_shares_together(self):
        softmax = document("softmax")
        before = np.ptp(softmax.engine.values["output.probabilities"])
        softmax.do(SetCells("output.temperature", {(): 3.0}))
        assert np.ptp(softmax.engine.values["output.probabilities"]) < before


class TestCatSatOnThe:
    def test_the_logs_of_the_probabilities_give_them_back(self):
        np.testing.assert_allclose(values("cat-sat-on-the")["output.probabilities"], [[0.7, 0.1, 0.1, 0.1]], rtol=1e-14)
        np.testing.assert_allclose(values("cat-sat-on-the")["loss.value"], -np.log(0.7), rtol=1e-14)
        np.testing.assert_allclose(values("cat-sat-on-the", "wrong")["loss.value"], -np.log(0.1), rtol=1e-14)

    def test_what_is_ours(self):
        lesson = load("cat-sat-on-the")
        assert "output.logits" in lesson.ours_in("printed")
        assert "output.logits" not in lesson.ours_in("script")

    def test_the_printed_probabilities_after_a_step_add_up_already(self):
        P, y = np.array([0.1, 0.1, 0.1, 0.7]), np.array([1, 0, 0, 0])
        np.testing.assert_allclose(P - 0.1 * (P - y), [0.19, 0.09, 0.09, 0.63])
        np.testing.assert_allclose([0.19 + 0.09 + 0.09 + 0.63], 1)


class TestXor:
    @pytest.mark.parametrize("setting", ["printed", "printed-relu", "textbook"])
    def test_tells_one_from_both(self, setting):
        y = values("xor", setting)["layer.2.activation"]
        assert (y >= 0.5).astype(int).tolist() == [[0], [1], [1], [0]]

    def test_the_textbook_needs_no_threshold(self):
        assert values("xor", "textbook")["layer.2.activation"].tolist() == [[0], [1], [1], [0]]
        assert values("xor", "textbook")["loss.value"] == 0

    def test_the_reference_means_w_x(self):
        """With x W the sigmoid net of the reference would not be XOR."""
        xor = document("xor", "printed")
        xor.do(SetSwitch("layer.1", "weights", "x W"))
        assert (xor.engine.values["layer.2.activation"] >= 0.5).astype(int).tolist() != [[0], [1], [1], [0]]

    def test_one_layer_cannot(self):
        """Without a bend in the hidden units, the best is the mean."""
        xor = document("xor", "textbook")
        xor.do(SetSwitch("layer.1", "activation", "identity"))
        y = xor.engine.values["layer.2.activation"][:, 0]
        np.testing.assert_allclose(y[0] + y[3], y[1] + y[2])


class TestJump:
    def test_batch_norm_stays_and_layer_norm_forgets(self):
        before, after = values("jump", "before"), values("jump", "after")
        assert np.array_equal(after["input.X"], before["input.X"] * [1000, 1])
        np.testing.assert_allclose(after["batch.norm"], before["batch.norm"], atol=2e-4)
        assert np.ptp(before["layer.norm"][:, 0]) > 1.9
        np.testing.assert_allclose(after["layer.norm"], [[1, -1]] * 4, atol=1e-9)


class TestILoveAI:
    def test_textbook_says_ai_after_i_love(self):
        textbook = document("i-love-ai", "textbook")
        assert said(textbook) == ["love", "AI", "<end>"]
        assert textbook.engine.values["output.probabilities"].max(-1).min() > 0.9
        textbook.do(SetTokens("input", ["I", "love"]))
        assert said(textbook)[-1] == "AI"

    def test_as_printed_by_hand(self):
        found = values("i-love-ai", "printed")
        h_0 = found["input.H"]
        h_1 = 0.1 * h_0[0] + 0.9 * h_0[1]
        np.testing.assert_allclose(found["decoder.1.self.concat"][1], h_1)
        np.testing.assert_allclose(found["decoder.1.ffn.output"][1], h_1 @ [[0.2, 0.3], [0.4, 0.5]])

    def test_only_the_given_row_is_pinned_and_our_weights_nearly_give_it(self):
        printed = document("i-love-ai", "printed")
        (pin,) = printed.state.pins.values()
        assert pin.cells[0].tolist() == [[False] * 3, [True] * 3, [False] * 3]
        printed.do(Release("decoder.1.self.weights"))
        np.testing.assert_allclose(printed.engine.values["decoder.1.self.weights"][0, 1], [0.1, 0.9, 0], atol=2e-3)

    def test_no_h_1_of_three_decimals_gives_the_printed_h_2(self):
        """In thousandths: with x W, 2a + 4b = 1753 and 3a + 5b = 3090; with W x, 2a + 3b = 1753 and 4a + 5b = 3090."""
        a, b = np.meshgrid(np.arange(1000), np.arange(1000))
        assert not ((2 * a + 4 * b == 1753) & (3 * a + 5 * b == 3090)).any()
        assert not ((2 * a + 3 * b == 1753) & (4 * a + 5 * b == 3090)).any()

    def test_with_shares_exchanged_h_1_is_one_digit_off_in_each(self):
        h_0 = values("i-love-ai")["input.H"]
        np.testing.assert_allclose(0.9 * h_0[0] + 0.1 * h_0[1], [0.185, 0.858])

    def test_a_norm_over_two_numbers_leaves_two_points(self):
        textbook = document("i-love-ai", "textbook")
        textbook.do(SetSwitch("decoder.1.ffn", "norm", "post"))
        np.testing.assert_allclose(np.abs(textbook.engine.values["decoder.1.ffn.norm"]), 1, atol=1e-3)

    def test_what_is_ours(self):
        lesson = load("i-love-ai")
        assert "decoder.1.ffn.W_1" not in lesson.ours_in("printed")
        assert "decoder.1.ffn.W_1" in lesson.ours_in("textbook")
        assert not {"input.table", "input.PE"} & lesson.ours_in("textbook")


class TestRosesAreRed:
    TEXT = ("roses", "are", "red", "violets", "are", "blue")

    def test_input_and_target_are_the_text_and_its_continuation(self):
        state = load("roses-are-red").state()
        words = state.graph.axes["output.words"]
        assert [words[i] for i in state.inputs["input.tokens"]] == list(self.TEXT[:-1])
        assert [words[i] for i in state.inputs["loss.target"]] == list(self.TEXT[1:])

    @pytest.mark.parametrize(("setting", "k"), [("two", 2), ("one", 1), ("textbook", 9)])
    def test_each_position_sees_the_context_of_its_pair(self, setting, k):
        mask = values("roses-are-red", setting)["decoder.1.self.mask"]
        shown = [tuple(self.TEXT[j] for j in np.flatnonzero(row)) for row in mask]
        assert shown == [self.TEXT[max(i + 1 - k, 0) : i + 1] for i in range(len(self.TEXT) - 1)]

    @pytest.mark.parametrize("setting", ["two", "textbook"])
    def test_says_the_text(self, setting):
        roses = document("roses-are-red", setting)
        assert said(roses) == list(self.TEXT[1:])
        assert roses.engine.values["loss.likelihood"].min() > 0.99

    def test_l_1_is_the_sum_of_the_logs(self):
        found = values("roses-are-red")
        np.testing.assert_allclose(found["loss.L_1"], np.log(found["loss.likelihood"]).sum())
        np.testing.assert_allclose(found["loss.L_1"], -5 * found["loss.value"])
        assert found["loss.L_1"] > -0.05

    def test_one_word_cannot_tell_red_from_blue(self):
        found = values("roses-are-red", "one")
        assert same_bytes(found["output.probabilities"][1], found["output.probabilities"][4])
        np.testing.assert_allclose(found["loss.L_1"], 2 * np.log(0.5), atol=0.02)
        # Shares p and 1 − p − … of the same row: no weights could do better.
        assert found["loss.L_1"] < 2 * np.log(0.5)
