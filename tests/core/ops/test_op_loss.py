import numpy as np
import pytest

from explorer.core.cell import Source
from explorer.core.ops import CrossEntropy, Likelihood, LogLikelihood, MeanSquaredError, Softmax
from explorer.core.ops.base import Surroundings


def test_cross_entropy_of_a_word_that_got_nothing_is_infinite():
    probabilities = np.array([[0.5, 0.5], [0.0, 1.0]])
    with np.errstate(divide="ignore"):
        assert CrossEntropy().forward(probabilities, np.array([0, 0])) == np.inf
    assert CrossEntropy().forward(probabilities, np.array([0, 1])) == np.log(2) / 2


def test_cross_entropy_is_the_mean_over_the_positions():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    assert CrossEntropy().forward(probabilities, np.array([1, 0])) == (np.log(4) + np.log(8)) / 2


def test_padding_is_not_counted():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    assert CrossEntropy(pad=2).forward(probabilities, np.array([1, 2])) == np.log(4)
    gradient, _ = CrossEntropy(pad=2).backward(np.array(1.0), np.array(0.0), probabilities, np.array([1, 2]))
    np.testing.assert_array_equal(gradient, [[0, -4, 0], [0, 0, 0]])
    assert CrossEntropy(pad=2).forward(probabilities, np.array([2, 2])) == 0


def test_mean_squared_error_is_the_mean_over_all_numbers():
    output, target = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 7.0]])
    assert MeanSquaredError().forward(output, target) == (1 + 9) / 4


def test_l_1_is_minus_n_times_the_cross_entropy():
    probabilities, target = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]), np.array([1, 0])
    right = Likelihood().forward(probabilities, target)
    np.testing.assert_array_equal(right, [0.25, 0.125])
    L_1 = LogLikelihood().forward(right)
    np.testing.assert_allclose(L_1, -2 * CrossEntropy().forward(probabilities, target), rtol=1e-15)


@pytest.mark.parametrize("lead", [(), (2,)], ids=str)
@pytest.mark.parametrize("pad", [-1, 1])
def test_through_softmax_in_one_step_is_through_both(pad, lead):
    random = np.random.default_rng(0)
    logits, target = random.normal(size=(*lead, 4, 3)), random.integers(0, 3, (*lead, 4))
    assert (target == 1).any()
    softmax, loss = Softmax(), CrossEntropy(pad)
    P = softmax.forward(logits)
    of_P, _ = loss.backward(np.array(0.7), loss.forward(P, target), P, target)
    (both,) = softmax.backward(of_P, P, logits)
    one = loss.through_softmax(np.array(0.7), P, target)
    np.testing.assert_allclose(one, both, rtol=1e-12, atol=1e-15)
    assert (one[target == pad] == 0).all()


def scored(*rows, dtype="float32"):
    """Scores, and what softmax makes of them."""
    z = np.array(rows, dtype=dtype)
    return Softmax().forward(z), z


def test_a_share_that_is_rounded_away_costs_what_its_scores_say():
    """In float32 exp(−104) is 0, and a mean with −log 0 in it would be no finite number."""
    P, z = scored([0.0, 104.0, 0.0], [0.0, 90.0, 1.0], [1.0, 2.0, 3.0])
    target = np.array([0, 2, 1])
    assert P[0, 0] == 0
    loss = CrossEntropy()
    with np.errstate(divide="ignore"):  # as in the engine
        costs, value = -loss.logs(P, target, z), loss.forward(P, target, z)
        derived = loss.explain((), Source("P", P), Source("y", target), Source("z", z))
        again = eval(loss.code("P", "y", "z"), {"np": np, "P": P, "y": target, "z": z})
        assert loss.forward(P, target) == np.inf
    np.testing.assert_allclose(costs, [104, 89, 1.40760596], rtol=1e-6)
    assert value == costs.mean() == again
    np.testing.assert_allclose(derived.value, value, rtol=1e-6)


def test_a_share_with_all_its_digits_is_never_taken_from_the_scores():
    P, z = scored([1.0, 2.0, 3.0], [0.0, 80.0, -0.5])
    target = np.array([2, 0])
    assert CrossEntropy().forward(P, target, z) == CrossEntropy().forward(P, target)


def test_a_probability_pinned_at_0_costs_infinity_whatever_the_scores_say():
    P, z = scored([1.0, 2.0, 3.0])
    with np.errstate(divide="ignore"):
        assert CrossEntropy().forward(np.where(P == P.max(), 0, P), np.array([2]), z) == np.inf


def test_the_sum_that_is_not_divided_leaves_out_pad_too():
    """The mean over two words was multiplied by all three positions, which nobody would do."""
    P, y = np.array([[0.5, 0.25, 0.25], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]), np.array([0, 1, 2])
    slips = {one.name: one.op for one in CrossEntropy(pad=2).slips(Surroundings("value", (), (P.shape, y.shape)))}
    assert slips["not averaged"].forward(P, y) == pytest.approx(-np.log(0.5) - np.log(0.7))
    found = slips["not averaged"].explain((), Source("P", P), Source("y", y))
    assert found.value == pytest.approx(-np.log(0.5) - np.log(0.7))
