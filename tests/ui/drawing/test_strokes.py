"""Many discs in a line, reckoned as one picture, look as if each had been painted."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from explorer.pages.drawing import Drawing, Words
from explorer.ui.drawing.strokes import kept, paint_discs, shade

WIDE, HIGH, SIZE, UP = 300, 20, 6.0, 9.3


def ink(paint):
    """How dark each pixel is, from 0 to 1, of black on white."""
    image = QImage(WIDE, HIGH, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint(painter)
    painter.end()
    return 1 - np.frombuffer(image.constBits(), np.uint8).reshape(HIGH, image.bytesPerLine())[:, :WIDE] / 255


def test_they_look_as_one_by_one(qapp):
    middles = np.random.default_rng(0).normal(WIDE / 2, WIDE / 8, 200)
    color = QColor(0, 0, 0)
    color.setAlphaF(0.45)

    def one_by_one(painter):
        painter.setPen(QPen(color, SIZE, c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([QPointF(x, UP) for x in middles]))

    wanted, found = ink(one_by_one), ink(lambda painter: paint_discs(painter, middles, UP, SIZE, color))
    assert wanted.max() > 0.9
    assert np.abs(wanted - found).mean() < 0.02
    assert abs(found.sum() / wanted.sum() - 1) < 0.05
    lines = np.flatnonzero(wanted.max(1) > 0.2)
    assert np.flatnonzero(found.max(1) > 0.2).tolist() == lines.tolist()


def test_over_each_other_they_are_darker_and_what_lies_outside_is_not_seen():
    one, two = (shade(np.full(n, 10.5), 4.0, 21, 8, 6.0, 0.45)[4, 10] for n in (1, 2))
    assert (round(one, 6), round(two, 6)) == (0.45, 0.6975)
    assert not shade(np.array([-40.0, 90.0]), 4.0, 21, 8, 6.0, 0.45).any()


def test_what_stands_still_keeps_its_very_marks():
    def drawing(*marks, summary="a"):
        return Drawing(marks, (0.0, 1.0, 0.0, 1.0), summary)

    def words(text):
        return Words(0.5, 0.5, text)

    before = drawing(words("a"), words("b"))
    assert kept(before, drawing(words("a"), words("b"))) is before
    assert kept(before, drawing(words("a"), words("b"), summary="other")).summary == "other"
    after = kept(before, drawing(words("a"), words("c"), words("d")))
    assert after == drawing(words("a"), words("c"), words("d"))
    assert after.marks[0] is before.marks[0]
    assert kept(before, drawing(words("a"))) == drawing(words("a"))
