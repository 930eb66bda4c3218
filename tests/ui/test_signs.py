"""The sign of a number is seen without colours."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from explorer.ui.signs import LARGEST, SMALLEST, letters_for, paint_signs
from explorer.ui.theme import LIGHT


@pytest.mark.parametrize(("wide", "dashed"), [(10, [False, True, False, False]), (3, [False] * 4)])
def test_a_square_below_0_has_a_dash_where_one_fits(qapp, wide, dashed):
    image = QImage(4 * wide, wide, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_signs(painter, LIGHT, np.array([[1.0, -0.001, np.nan, -np.inf]]), QRectF(image.rect()))
    painter.end()
    middles = [image.pixelColor(wide * k + wide // 2, wide // 2) for k in range(4)]
    assert [one != QColor("white") for one in middles] == dashed


def test_numbers_grow_with_their_squares_until_they_fit_no_more(qapp):
    numbers, font = np.array([[-1.0, 0.25], [0.5, 1.0]]), QFont()
    sizes = [letters_for(font, numbers, 90, down).pixelSize() for down in (20, 30, 38)]
    assert sizes == [10, 15, 19]
    assert letters_for(font, numbers, 400, 400).pixelSize() == LARGEST
    narrow = letters_for(font, numbers, 44, 38)
    assert SMALLEST <= narrow.pixelSize() < 19
    assert letters_for(font, numbers, 20, 38) is None
    assert letters_for(font, numbers, 90, 12) is None
    tiny = np.array([[-1.0, 5e-7], [0.5, 1.0]])  # 5×10⁻⁷ would leave no square its number
    assert letters_for(font, tiny, 44, 38).pixelSize() == letters_for(font, numbers, 44, 38).pixelSize()
