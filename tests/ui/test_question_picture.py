"""A matrix of a question as a picture: its labels, its colours, numbers of any size."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from explorer.export.colours import diverging
from explorer.export.matrix import FULL, LabelledMatrix
from explorer.lessons.loader import load
from explorer.teaching.items import NumberItem, Table, items
from explorer.ui.question_picture import HIGH, SHARP, picture_of


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


def test_a_cell_has_the_very_colour_of_its_number(qapp):
    values = np.linspace(-1.2, 1.2, 96).reshape(12, 8)
    table = Table("A", LabelledMatrix("A", "A", values, tuple("abcdefghijkl"), tuple("mnopqrst")), shares=False)
    picture = picture_of(table)
    image, colours = QImage.fromData(picture.png, "PNG"), diverging("#ffffff")
    cell = (picture.width - 17) // 8  # 17 pixels at most for the labels of the rows
    for i, row in enumerate(values):
        for j, number in enumerate(row):
            at = image.pixelColor(SHARP * (picture.width - (8 - j) * cell + 4), SHARP * (HIGH * (i + 1) + 3))
            meant = QColor(*map(int, colours[round((number / 1.2 / FULL + 1) / 2 * 255)]))
            assert at == meant, (number, at.name(), meant.name())


@pytest.mark.parametrize("large", [1e308, 1.7e308, np.inf])
def test_numbers_of_any_size_have_a_colour(qapp, large):
    made = LabelledMatrix("A", "A", np.array([[large, -large, 0.0, np.nan]]), ("r",), tuple("abcd"))
    assert picture_of(Table("A", made, shares=False)).png
