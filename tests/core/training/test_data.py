import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.ops import CausalMask
from explorer.core.training.data import context_pairs

ROSES = ["roses", "are", "red", "violets", "are", "blue"]


def test_roses_are_red_in_a_window_of_two_words():
    assert context_pairs(ROSES, 2) == [
        (("roses",), "are"),
        (("roses", "are"), "red"),
        (("are", "red"), "violets"),
        (("red", "violets"), "are"),
        (("violets", "are"), "blue"),
    ]


def test_i_love_ai():
    """004: "the model would be given “I love” and would try to predict “AI.”"."""
    assert (("I", "love"), "AI") in context_pairs(["I", "love", "AI"], 2)


@given(st.lists(st.sampled_from("abc"), max_size=8), st.integers(1, 9))
def test_each_word_but_the_first_is_a_target_once(tokens, k):
    pairs = context_pairs(tokens, k)
    assert [target for _, target in pairs] == tokens[1:]
    for i, (context, _) in enumerate(pairs):
        assert list(context) == tokens[: i + 1][-k:]


@given(st.integers(1, 8), st.integers(1, 9))
def test_a_window_of_the_causal_mask_shows_the_context(n, k):
    tokens = [f"word {i}" for i in range(n + 1)]
    rows = CausalMask(n, k).forward()
    shown = [tuple(tokens[j] for j in np.flatnonzero(row)) for row in rows]
    assert shown == [context for context, _ in context_pairs(tokens, k)]


def test_a_window_of_no_words_is_none():
    with pytest.raises(ValueError, match="0 words"):
        context_pairs(ROSES, 0)
