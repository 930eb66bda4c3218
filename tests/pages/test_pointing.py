"""Which lines of attention are drawn, and which words are lit, follows from numbers and from what is pointed at."""

import numpy as np

from explorer.core.graph import Cell
from explorer.pages.pointing import MOST_OF_ONE, lines_between, lit_ends

N = 2 * MOST_OF_ONE
SHARES = np.linspace(0.0, 0.04, N * N).reshape(N, N)
LIGHTS = (("weights", ("words", "words")),)


def pairs(*given):
    return list(zip(*(places.tolist() for places in lines_between(*given)), strict=True))


def test_of_few_words_all_lines_are_drawn_but_those_of_next_to_nothing():
    assert pairs(np.array([[0.004, 0.996], [0.5, 0.5]]), False, 0, None) == [(0, 1), (1, 0), (1, 1)]


def test_of_many_words_each_has_its_strongest_line_and_the_one_pointed_at_its_strongest_ones():
    assert pairs(SHARES, True, None, None) == [(i, N - 1) for i in range(N)]
    assert pairs(SHARES, True, 1, None) == [(1, k) for k in range(N - 1, N - 1 - MOST_OF_ONE, -1)]
    assert pairs(SHARES, True, None, 1) == [(i, 1) for i in range(N - 1, N - 1 - MOST_OF_ONE, -1)]
    clear = np.full((N, 2), [0.95, 0.05])
    assert pairs(clear, True, None, 1) == [(i, 1) for i in range(N)], "each of these words clearly looks there"
    assert pairs(SHARES, True, 1, 0)[-1] == (1, 0), "the cell pointed at has its line, too"


def test_a_word_of_self_attention_is_lit_on_the_side_of_the_mouse():
    for at_right, lit in ((False, (2, None)), (True, (None, 2))):
        assert lit_ends(("words", 2), None, LIGHTS, ("words", "words"), (3, 3), at_right) == lit


def test_what_is_not_drawn_is_not_lit():
    assert lit_ends(("words", 3), None, LIGHTS, ("words", "words"), (3, 3)) == (None, None)
    assert lit_ends(None, Cell("weights", (0, 1, 3)), LIGHTS, ("words", "words"), (3, 3)) == (1, None)
