"""The choice of the next word, writing on, and beam search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.errors import ExplorerError
from explorer.core.generation import Choice, drawn, kept, search, write

LOGITS = np.log(np.array([0.5, 0.3, 0.15, 0.05]))


class Chain:
    """A decoder whose next word depends on the last one alone: rows of probabilities."""

    room = 10

    def __init__(self, rows, n=0, reads=range(9)):
        self.rows, self.n, self.reads = np.asarray(rows, np.float64), n, reads

    def read(self, ids):
        self.n += len(ids)
        with np.errstate(divide="ignore"):
            return np.log(self.rows[ids[-1]])

    def fork(self):
        return Chain(self.rows, self.n, self.reads)


def test_the_temperature_divides_the_logits():
    np.testing.assert_allclose(Choice().probabilities(LOGITS), [0.5, 0.3, 0.15, 0.05])
    squared = np.array([0.5, 0.3, 0.15, 0.05]) ** 2
    np.testing.assert_allclose(Choice(temperature=0.5).probabilities(LOGITS), squared / squared.sum())


def test_top_k_and_top_p_cut_and_weigh_anew():
    np.testing.assert_allclose(Choice(top_k=2).probabilities(LOGITS), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(Choice(top_p=0.8).probabilities(LOGITS), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(Choice(top_p=0.81).probabilities(LOGITS), np.array([0.5, 0.3, 0.15, 0]) / 0.95)
    np.testing.assert_allclose(Choice(top_p=0.0).probabilities(LOGITS), [1, 0, 0, 0])
    np.testing.assert_allclose(Choice(greedy=True).probabilities(LOGITS), [0.5, 0.3, 0.15, 0.05])
    assert Choice(greedy=True).word(np.array([0.2, 0.5, 0.3]), 0) == 1


@given(
    st.lists(st.floats(-30, 30), min_size=1, max_size=30),
    st.floats(0.01, 100),
    st.integers(0, 40),
    st.floats(0, 1),
)
def test_what_is_left_is_the_likeliest_and_sums_to_1(logits, temperature, top_k, top_p):
    shares = Choice(False, temperature, top_k, top_p).probabilities(np.array(logits))
    assert shares.sum() == pytest.approx(1)
    left = shares > 0
    assert left.any()
    assert not top_k or left.sum() <= top_k
    if not left.all():
        assert np.array(logits)[left].min() >= np.array(logits)[~left].max() - 1e-9 or shares.min() == 0


def test_of_equal_words_the_earlier_stays():
    assert kept(np.full(4, 0.25), 2, 1.0).tolist() == [True, True, False, False]


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"top_p": 1.1}, {"top_k": -1}, {"temperature": float("nan")}])
def test_numbers_out_of_their_bounds(bad):
    with pytest.raises(ExplorerError, check=lambda error: error.id == "bad-training-setting"):
        Choice(**bad)


def test_a_number_falls_on_a_word():
    shares = np.array([0.2, 0.0, 0.5, 0.3])
    assert [drawn(shares, x) for x in (0.0, 0.19, 0.2, 0.69, 0.71, 1.0)] == [0, 0, 2, 2, 3, 3]


def test_what_is_never_written_gives_its_probability_to_the_others():
    np.testing.assert_allclose(Choice(never=(0,)).probabilities(LOGITS), [0, 0.6, 0.3, 0.1])
    chain = Chain([[0.9, 0.1], [0.8, 0.2]])
    assert [step.chosen for step in write(chain, [0], 2, Choice(greedy=True, never=(0,)), ends=())] == [1, 1]
    assert search(Chain(chain.rows), [0], 2, 2, ends=(), never=(0,))[-1][0].words == (1, 1)


def test_writing_stops_behind_end():
    chain = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert [step.chosen for step in write(Chain(chain), [0], 9, Choice(greedy=True), ends={3})] == [1, 2, 3]
    assert [step.chosen for step in write(Chain(chain), [0], 2, Choice(greedy=True), ends={3})] == [1, 2]
    assert [step.chosen for step in write(Chain(chain), [0], 9, Choice(greedy=True), ends={2, 3})] == [1, 2]


# Says the words b, c, a by the numbers 0, 1, 2, and reads a, b, c by these: behind a comes b, then c, then a.
RING, READS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 2, 0]


def test_a_word_that_is_said_is_read_by_its_own_number():
    steps = write(Chain(RING, reads=READS), [0], 5, Choice(greedy=True), ends=())
    assert [step.chosen for step in steps] == [0, 1, 2, 0, 1]
    assert search(Chain(RING, reads=READS), [0], 5, 1, ends=())[-1][0].words == (0, 1, 2, 0, 1)


def test_nothing_is_written_behind_a_word_that_is_not_read():
    reads = [1, 2, -1]
    steps = write(Chain(RING, reads=reads), [0], 5, Choice(greedy=True), ends=())
    assert [step.chosen for step in steps] == [0, 1, 2]
    best = search(Chain(RING, reads=reads), [0], 5, 1, ends=())[-1][0]
    assert (best.words, best.done) == ((0, 1, 2), True)


def test_writing_stops_where_there_is_no_room():
    steps = list(write(Chain([[1.0]]), [0] * 8, 9, Choice(), ends=()))
    assert len(steps) == 3  # behind 8, 9 and 10 words


def test_the_same_seed_draws_the_same_words():
    rows = np.full((5, 5), 0.2)

    def words(seed):
        return [step.chosen for step in write(Chain(rows), [0], 9, Choice(seed=seed), ends=())]

    assert words(1) == words(1)
    assert words(1) != words(2)


def test_words_come_as_often_as_their_probabilities_say():
    counts = np.bincount(
        [next(write(Chain([[0.7, 0.2, 0.1]]), [0], 1, Choice(seed=s), -1)).chosen for s in range(2000)]
    )
    np.testing.assert_allclose(counts / 2000, [0.7, 0.2, 0.1], atol=0.03)


def test_candidates_hold_the_chosen_word():
    steps = [next(write(Chain([[0.9, 0.06, 0.04]]), [0], 1, Choice(seed=seed), -1)) for seed in range(300)]
    rare = next(step for step in steps if step.chosen == 2)
    assert rare.candidates(2) == [(0, pytest.approx(0.9)), (2, pytest.approx(0.04))]
    assert [i for i, _ in rare.candidates(9)] == [0, 1, 2]


GARDEN = [
    [0.0, 0.6, 0.4, 0.0],  # 1 is likelier at first …
    [0.35, 0.35, 0.0, 0.3],
    [0.0, 0.0, 0.1, 0.9],  # … but 2 then ends almost surely
    [1.0, 0.0, 0.0, 0.0],
]


def test_beam_search_finds_what_greedy_misses():
    greedy = [step.chosen for step in write(Chain(GARDEN), [0], 2, Choice(greedy=True), ends={3})]
    assert greedy[0] == 1
    levels = search(Chain(GARDEN), [0], 2, 2, ends={3})
    best = levels[-1][0]
    assert best.words == (2, 3)
    assert best.done
    assert best.score == pytest.approx(np.log(0.4 * 0.9))
    assert [step.chosen for step in best.steps] == [2, 3]
    assert levels[0][best.parent].words == (2,)


def test_one_beam_is_greedy():
    levels = search(Chain(GARDEN), [0], 4, 1, ends={3})
    greedy = [step.chosen for step in write(Chain(GARDEN), [0], 4, Choice(greedy=True), ends={3})]
    assert list(levels[-1][0].words) == greedy


@pytest.mark.parametrize("prompt", [1, 5, 9])
def test_beams_fill_the_room_behind_a_prompt_of_any_length(prompt):
    rows, ids = np.full((2, 2), 0.5), [0] * prompt
    levels = search(Chain(rows), ids, 20, 2, ends=())
    written = list(write(Chain(rows), ids, 20, Choice(greedy=True), ends=()))
    assert len(levels[-1][0].words) == len(written) == len(levels) == Chain.room - prompt + 1


def test_with_enough_beams_the_best_of_all_is_found():
    """Against all texts of up to three words."""
    rng = np.random.default_rng(4)
    rows = rng.dirichlet(np.ones(4), 4)
    best = -np.inf
    stack = [((0,), 0.0)]
    while stack:
        words, score = stack.pop()
        if len(words) == 4 or (len(words) > 1 and words[-1] == 3):
            best = max(best, score)
            continue
        stack += [((*words, i), score + np.log(rows[words[-1], i])) for i in range(4)]
    assert search(Chain(rows), [0], 3, 64, ends={3})[-1][0].score == pytest.approx(best)


@pytest.mark.parametrize("beams", [0, 65])
def test_too_few_or_too_many_beams(beams):
    with pytest.raises(ExplorerError, check=lambda error: error.fields["name"] == "beams"):
        search(Chain(GARDEN), [0], 2, beams, ends={3})


@pytest.mark.parametrize("probabilities", [np.zeros(3), np.full(3, np.nan)])
def test_where_no_word_has_a_probability_the_first_is_drawn(probabilities):
    assert drawn(probabilities, 0.5) == 0
