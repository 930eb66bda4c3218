"""A matrix of a question as a picture."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from explorer.export.matrix import LabelledMatrix
from explorer.lessons.loader import load
from explorer.teaching.items import NumberItem, Table, items
from explorer.ui.classroom.picture import HIGH, SHARP, picture_of


def test_a_matrix_is_drawn_with_its_labels_and_colours(qapp):
    item = next(one for one in items(load("emma"), 3) if isinstance(one, NumberItem))
    table = next(part for part in item.parts if isinstance(part, Table))
    picture = picture_of(table)
    image = QImage.fromData(picture.png, "PNG")
    assert (image.width(), image.height()) == (SHARP * picture.width, SHARP * picture.height)
    rows, columns = table.matrix.value.shape
    assert picture.height == HIGH * (rows + 1)
    cell = (picture.width - picture.width / (columns + 2)) / columns
    assert cell > 20
    corner = SHARP * (picture.width - 3), SHARP * (picture.height - 3)
    assert image.pixelColor(0, 0) == QColor("#ffffff")
    assert (image.pixelColor(*corner) == QColor("#ffffff")) == (table.matrix.value[-1, -1] == 0)
    assert picture_of(table) == picture


@pytest.mark.parametrize("large", [1e308, 1.7e308, np.inf])
def test_numbers_of_any_size_have_a_colour(qapp, large):
    made = LabelledMatrix("A", "A", np.array([[large, -large, 0.0, np.nan]]), ("r",), tuple("abcd"))
    assert picture_of(Table("A", made, shares=False)).png
