import numpy as np
import pytest

from explorer.words.projection import principal, tsne, without_top
from tests.samples import each


def cloud(n, dims=5):
    random = np.random.default_rng(2)
    return random.standard_normal((n, dims)) @ np.diag(np.arange(dims, 0, -1)) + 7


@each("n", [3, 5, 200])
@each("k", [1, 2, 5])
def test_components_are_orthogonal_and_hold_their_share_of_the_variance(n, k):
    vectors = cloud(n)
    found = principal(vectors, k)
    centred = vectors - vectors.mean(0)
    assert found.axes.T @ found.axes == pytest.approx(np.eye(k), abs=1e-12)
    assert found.points == pytest.approx(centred @ found.axes)
    assert found.shares == pytest.approx((found.points**2).sum(0) / (centred**2).sum(), abs=1e-12)
    lengths = np.linalg.svd(centred, compute_uv=False) ** 2
    wanted = np.zeros(k)
    wanted[: len(lengths[:k])] = lengths[:k] / lengths.sum()
    assert found.shares == pytest.approx(wanted, abs=1e-12)
    assert found.of(vectors) == pytest.approx(found.points)


def test_all_components_keep_everything():
    found = principal(cloud(50), 5)
    assert found.kept == pytest.approx(1)
    assert found.points @ found.axes.T + found.mean == pytest.approx(cloud(50))


def test_a_picture_does_not_flip():
    found = principal(cloud(50), 3)
    assert (found.axes[np.abs(found.axes).argmax(0), np.arange(3)] > 0).all()
    assert principal(cloud(50), 3).points.tobytes() == found.points.tobytes()


def test_equal_vectors_have_nothing_to_show():
    found = principal(np.ones((4, 3)), 2)
    assert not found.points.any()
    assert found.kept == 0


def test_more_dimensions_than_there_are():
    with pytest.raises(ValueError, match="6 of 5"):
        principal(cloud(9), 6)


def test_without_the_first_components():
    left = without_top(cloud(200), 2)
    assert left.dtype == np.float32
    assert left.mean(0) == pytest.approx(np.zeros(5), abs=1e-5)
    assert left @ principal(cloud(200), 2).axes == pytest.approx(np.zeros((200, 2)), abs=1e-5)
    assert np.linalg.matrix_rank(left, tol=1e-3) == 3


def groups():
    """Three bundles of directions, four vectors each, of different lengths."""
    random = np.random.default_rng(4)
    return np.repeat(np.eye(3, 5), 4, 0) * random.uniform(1, 3, (12, 1)) + random.normal(0, 0.05, (12, 5))


@pytest.fixture
def sklearn():
    pytest.importorskip("sklearn", reason="scikit-learn, the extra `maps`, is not there")


def test_words_that_point_the_same_way_lie_together_by_tsne(sklearn):
    points = tsne(groups())
    assert points.shape == (12, 2)
    middles = points.reshape(3, 4, 2).mean(1)
    nearest = np.linalg.norm(points[:, None] - middles, axis=2).argmin(1)
    assert nearest.tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_the_same_seed_gives_the_same_map(sklearn):
    assert tsne(groups(), 1).tobytes() == tsne(groups(), 1).tobytes()


@pytest.mark.parametrize(
    "vectors",
    [np.zeros((5, 3)), np.ones((4, 3)), np.arange(6.0)[:, None], np.vstack([np.zeros((2, 4)), np.eye(4)])],
    ids=["of zeros", "all equal", "of one number", "some of zeros"],
)
def test_a_map_of_vectors_that_are_hard_to_tell_apart(sklearn, vectors):
    assert np.isfinite(tsne(vectors)).all()


def test_a_map_of_three_points():
    with pytest.raises(ValueError, match="3 points"):
        tsne(np.eye(3))
