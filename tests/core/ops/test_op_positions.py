from math import cos, sin

import numpy as np
import pytest

from explorer.core.ops import Sinusoidal


def test_position_encoding_of_the_paper():
    # Position 3, d_model 4: dimensions 0 and 1 share 10000^0, 2 and 3 share 10000^(2/4) = 100.
    np.testing.assert_allclose(Sinusoidal(4, 4).forward()[3], [sin(3), cos(3), sin(0.03), cos(0.03)], rtol=1e-14)


@pytest.mark.parametrize(
    ("exponents", "powers"), [("004", [0, 0.5, 1, 1.5]), ("004-script", [0, 0.5, 2, 2.5]), ("paper", [0, 0, 0.5, 0.5])]
)
def test_exponents_as_documented(exponents, powers):
    expected = [f(3 / 10000**p) for f, p in zip((sin, cos, sin, cos), powers, strict=True)]
    np.testing.assert_allclose(Sinusoidal(4, 4, exponents).forward()[3], expected, rtol=1e-14)
