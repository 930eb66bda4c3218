"""What the examples about words say: how alike they are, how a sentence moves them, what heads find."""

import numpy as np
import pytest

from explorer.core.engine import same_bytes
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load


def document(lesson, setting=None):
    return Document(load(lesson).state(setting))


def values(lesson, setting=None):
    return document(lesson, setting).engine.values


class TestTwoVectors:
    @pytest.mark.parametrize(
        ("setting", "angle", "c"), [("alike", 45, 0.5), ("right-angle", 90, 0), ("apart", 135, -0.5)]
    )
    def test_settings_say_what_their_paragraphs_say(self, setting, angle, c):
        found = values("two-vectors", setting)
        np.testing.assert_allclose(found["angle"], angle, rtol=1e-15)
        assert found["c"] == c
        assert found["x_o_y"] == 0


TECH, FRUIT = 0, 1


class TestAppleOrange:
    WEIGHTS = "encoder.1.self.weights"

    def test_apple_follows_its_sentence(self):
        beside_orange = values("apple-orange", "printed")["encoder.1.self.concat"][1]
        beside_phone = values("apple-orange", "phone")["encoder.1.self.concat"][1]
        np.testing.assert_allclose(beside_orange, [1.14, 2.43, 0], atol=0.01)
        np.testing.assert_allclose(beside_phone, [2.86, 1.14, 0], atol=0.01)

    @pytest.mark.parametrize("setting", ["printed", "printed-all", "textbook"])
    def test_in_every_setting(self, setting):
        apple = document("apple-orange", setting)
        assert np.subtract(*apple.engine.values["encoder.1.self.concat"][1][:2]) < 0
        apple.do(SetTokens("input", ["Phone", "Apple", "An"]))
        assert np.subtract(*apple.engine.values["encoder.1.self.concat"][1][:2]) > 0

    def test_the_two_softmaxes_differ_by_the_mask_only(self):
        related = document("apple-orange", "printed")
        related.do(SetSwitch("encoder.1.self", "mask", "none"))
        assert same_bytes(related.engine.values[self.WEIGHTS], values("apple-orange", "printed-all")[self.WEIGHTS])

    def test_a_word_made_like_the_others_is_no_longer_masked(self):
        apple = document("apple-orange", "printed")
        assert apple.engine.values[self.WEIGHTS][0, 0, 3] == 0
        apple.do(SetCells("input.table", {(4, FRUIT): 1.0}))
        assert apple.engine.values["encoder.1.self.mask"][0, 0, 3] == 1
        assert apple.engine.values[self.WEIGHTS][0, 0, 3] > 0

    def test_the_printed_row_of_and_adds_up_to_more_than_all(self):
        assert sum([0.15, 0.15, 0.5, 0.5]) > 1.29
        np.testing.assert_allclose(values("apple-orange", "printed-all")[self.WEIGHTS].sum(-1), 1)

    def test_as_printed_queries_keys_and_values_are_the_words_themselves(self):
        for setting in ("printed", "printed-all", "phone", "words"):
            found = values("apple-orange", setting)
            for letter in "QKV":
                assert np.array_equal(found[f"encoder.1.self.{letter}"][0], found["input.X"])

    def test_the_new_words_stand_in_the_same_dimensions(self):
        apple = document("apple-orange")
        assert apple.engine.labels("encoder.1.self.d_v") == ("Tech", "Fruitness", "Other")


class TestIWantToBuy:
    APPLE, ORANGE, PHONE, CAR, RED = range(5)

    def test_an_apple_is_like_an_orange_and_unlike_a_phone(self):
        cosines = values("i-want-to-buy", "likeness")["encoder.1.self.scores"][0]
        assert cosines[self.APPLE, self.ORANGE] > 0.9
        assert cosines[self.APPLE, self.PHONE] < 0.1
        assert 0 < cosines[self.APPLE, self.RED] < 0.6

    def test_for_the_next_word_apple_phone_and_car_are_alike(self):
        cosines = values("i-want-to-buy", "next-word")["encoder.1.self.scores"][0]
        np.testing.assert_allclose(cosines[:4, :4], 1)
        assert (cosines[self.RED, :4] < 0.4).all()

    def test_all_settings_hand_on_the_same_values(self):
        handed = [values("i-want-to-buy", s)["encoder.1.self.V"] for s in ("likeness", "next-word", "textbook")]
        assert same_bytes(handed[0], handed[1])
        assert same_bytes(handed[0], handed[2])
        assert not handed[0][0, :, :4].any()


class TestPositions:
    SWAPPED = (0, 5, 2, 3, 4, 1)

    def per_word(self, setting):
        """Nodes with a row for each word, from the embeddings to the end."""
        engine = document("positions-cat-mat", setting).engine
        return {n: engine.values[n] for n, node in engine.graph.nodes.items() if node.axes[-2:] == ("input", "d_model")}

    def test_without_positions_the_rows_only_change_places(self):
        one, other = self.per_word("off"), self.per_word("off-swapped")
        assert {"input.X", "encoder.1.self.norm", "encoder.1.ffn.norm"} <= one.keys()
        for name in one:
            np.testing.assert_allclose(other[name], one[name][[*self.SWAPPED]], rtol=1e-9, atol=1e-12, err_msg=name)

    def test_without_positions_both_the_are_one(self):
        last = self.per_word("off")["encoder.1.ffn.norm"]
        np.testing.assert_allclose(last[0], last[4], rtol=1e-12)

    def test_with_positions_every_word_differs(self):
        one, other = (self.per_word(s)["encoder.1.ffn.norm"] for s in ("textbook", "textbook-swapped"))
        assert (np.abs(other - one[[*self.SWAPPED]]).max(-1) > 0.01).all()
        assert np.abs(one[0] - one[4]).max() > 0.01

    @pytest.mark.parametrize("setting", ["off", "textbook"])
    def test_the_settings_are_the_same_but_for_the_sentence(self, setting):
        typed = document("positions-cat-mat", setting)
        typed.do(SetTokens("input", ["the", "mat", "sat", "on", "the", "cat"]))
        swapped = values("positions-cat-mat", f"{setting}-swapped")
        assert all(same_bytes(typed.engine.values[name], swapped[name]) for name in swapped)


class TestJane:
    def looks_at(self, setting, head, word):
        """Words that get more than a tenth of a head's attention from a word."""
        engine = document("jane", setting).engine
        words = engine.labels("input")
        shares = engine.values["encoder.1.self.weights"][head - 1][words.index(word)]
        return {words[i]: round(float(shares[i]), 2) for i in np.flatnonzero(shares > 0.1)}

    def test_each_head_does_what_the_reference_says(self):
        assert self.looks_at("heads", 1, "Jane") == {"job": 0.95}
        assert self.looks_at("heads", 1, "job") == {"Jane": 0.95}
        assert self.looks_at("heads", 2, "Harvard") == {"Google": 0.95}
        assert self.looks_at("heads", 2, "Google") == {"Harvard": 0.95}
        assert self.looks_at("heads", 3, "starting") == {"recently": 0.49, "graduated": 0.49}
        assert self.looks_at("heads", 3, "graduated") == {"starting": 0.95}

    def test_a_head_leaves_the_words_of_the_others_alone(self):
        assert self.looks_at("heads", 1, "Harvard") == {}
        assert self.looks_at("heads", 2, "Jane") == {}

    def test_one_head_takes_harvard_for_google(self):
        assert self.looks_at("one-head", 1, "job") == {"Harvard": 0.49, "Google": 0.49}
        engine = document("jane", "one-head").engine
        job = engine.values["encoder.1.self.concat"][engine.labels("input").index("job")]
        school, company = (engine.graph.axes["d_model"].index(name) for name in ("school", "company"))
        assert job[school] == job[company] > 0.9
