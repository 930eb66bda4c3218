import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build

WORDS = Model("attention", axes={"query": ("a", "b", "c"), "feature": ("f1", "f2"), "value feature": ("v",)})
Q = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
K = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 4.0]])
GIVEN = {"Q": Q, "K": K, "V": [[1], [2], [4]]}


def with_switches(**switches):
    model = WORDS
    for name, value in switches.items():
        model = model.with_switch("attention", name, value)
    return model


def test_either_layout_of_the_matrices_gives_the_same(compute):
    by_rows = compute(WORDS, GIVEN).values
    by_columns = compute(with_switches(layout="(C, T)"), {**GIVEN, "Q": Q.T, "K": K.T}).values
    assert by_columns["Q"].shape == (2, 3)
    for name in ("scores", "scaled", "weights", "output"):
        np.testing.assert_allclose(by_columns[name], by_rows[name], rtol=1e-14)


def test_one_list_of_words_is_self_attention_and_can_be_causal(compute):
    weights = compute(with_switches(mask="causal"), GIVEN).values["weights"]
    assert (weights[np.triu_indices(3, 1)] == 0).all()
    assert weights[0, 0] == 1
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_keys_of_their_own_cannot_be_causal():
    model = Model("attention", axes={**WORDS.axes, "key": ("d", "e", "f")})
    with pytest.raises(ExplorerError) as caught:
        build(model.with_switch("attention", "mask", "causal"))
    assert caught.value.id == "causal-needs-one-sequence"


def test_steps_that_are_switched_off_are_not_there():
    bare = build(with_switches(scale="none", mask="none", V=False))
    assert list(bare.nodes) == ["Q", "K", "scores", "weights"]
    full = build(with_switches(scale="free", mask="hand", nearest=True))
    assert list(full.nodes) == (
        ["Q", "K", "scores", "scale", "scaled", "mask", "masked", "weights", "V", "output", "match", "chosen"]
    )
    assert [name for name, node in full.nodes.items() if node.is_input] == ["Q", "K", "scale", "mask", "V"]


def test_the_scale_is_that_of_the_width_of_a_key(compute):
    assert compute(WORDS).values["scale"] == 1 / np.sqrt(2)
    assert compute(with_switches(scale="1/d_k")).values["scale"] == 1 / 2


def test_the_nearest_row_of_v_is_chosen_by_direction(compute):
    model = Model(
        "attention", axes={"query": ("q",), "key": ("k1", "k2"), "feature": ("f",), "value feature": ("1", "2")}
    )
    given = {"Q": [[1]], "K": [[5], [-5]], "V": [[1, 0], [0, 9]]}
    values = compute(model.with_switch("attention", "nearest", True), given).values
    # The output leans to the first row, though the second is longer.
    assert values["chosen"].tolist() == [0]
