import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.model import Model

MODEL = Model("vectors", axes={"feature": ("1", "2", "3")})
vector = st.tuples(*[st.floats(-10, 10).map(lambda x: round(x, 2))] * 3)


@given(vector, vector)
def test_what_001_says_of_two_vectors(compute, x, y):
    values = compute(MODEL, {"x": [x], "y": [y]}).values
    x, y = np.array(x), np.array(y)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(values["dot"], [[x @ y]], **close)
    np.testing.assert_allclose(values["scaled"], [[x @ y / np.sqrt(3)]], **close)
    # x_p = c y, <x_o, y> = 0, and together they are x.
    np.testing.assert_allclose(values["x_p"], values["c"] * y, **close)
    np.testing.assert_allclose(values["x_o_y"], 0, atol=1e-9)
    np.testing.assert_allclose(values["x_p"] + values["x_o"], [x], **close)
    # Pythagoras.
    squares = (values["x_p"] ** 2).sum() + (values["x_o"] ** 2).sum()
    np.testing.assert_allclose(squares, values["length_x"][0] ** 2, **close)
    # cos α is the dot product of the vectors brought to length 1.
    if x.any() and y.any():
        unit = x / np.linalg.norm(x) @ (y / np.linalg.norm(y))
        np.testing.assert_allclose(values["cosine"], [[unit]], **close)
        np.testing.assert_allclose(np.cos(np.radians(values["angle"])), values["cosine"], **close)


def test_half_a_right_angle(compute):
    model = Model("vectors", axes={"feature": ("across", "up")})
    values = compute(model, {"x": [[1, 3]], "y": [[4, 2]]}).values
    assert values["dot"] == 10
    assert values["c"] == 0.5
    assert values["x_p"].tolist() == [[2, 1]]
    assert values["x_o"].tolist() == [[-1, 2]]
    assert values["x_o_y"] == 0
    np.testing.assert_allclose(values["angle"], 45)


def test_a_vector_of_length_0_has_no_direction(compute):
    values = compute(MODEL, {"x": [[1, 2, 3]], "y": [[0, 0, 0]]}).values
    assert values["cosine"] == values["c"] == 0
    assert values["x_o"].tolist() == [[1, 2, 3]]
