"""A matrix of a question as a picture, for learning platforms that show no tables of their own."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication

from explorer.export.colours import diverging, sequential, text_on
from explorer.export.matrix import cells_of, tone
from explorer.teaching.items import Table
from explorer.teaching.platforms import Picture
from explorer.ui.render import png_of

SHARP = 2
"""Pixels of the picture for each pixel that it takes on the page."""
PAPER, INK, HIGH, AROUND, LETTERS = "#ffffff", "#1b2430", 24, 10, 14
"""Colours; pixels: height of a row, room around a text, height of letters."""


def picture_of(table: Table) -> Picture:
    """A matrix with its labels as a PNG: blue and ochre for the sign and size of numbers, blue for shares."""
    if QGuiApplication.instance() is None:
        QApplication(["explorer"])  # fonts need it
    one = table.matrix
    values = cells_of(one, table.shares)
    font = QFont()
    font.setPixelSize(LETTERS)
    wide = QFontMetricsF(font).horizontalAdvance
    heads = list(one.columns) or [""] * len(values[0])
    labels = list(one.rows) or [""] * len(values)
    left = max(map(wide, labels)) + AROUND if any(labels) else 0.0
    cell = max(wide(text) for text in (*heads, *(text for row in values for text, _ in row))) + AROUND
    top = HIGH if any(heads) else 0
    size = round(left + cell * len(heads)), top + HIGH * len(values)
    image = QImage(size[0] * SHARP, size[1] * SHARP, QImage.Format.Format_RGB32)
    image.fill(QColor(PAPER))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(SHARP, SHARP)
    painter.setFont(font)
    painter.setPen(QColor(INK))
    right, middle = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignCenter
    for j, head in enumerate(heads):
        painter.drawText(QRectF(left + j * cell, 0, cell, top), middle, head)
    colours = sequential(PAPER) if table.shares else diverging(PAPER)
    for i, (label, row) in enumerate(zip(labels, values, strict=True)):
        y = top + i * HIGH
        painter.setPen(QColor(INK))
        painter.drawText(QRectF(0, y, left - AROUND / 2, HIGH), right, label)
        for j, (text, part) in enumerate(row):
            colour = colours[tone(part, table.shares)].tolist()
            place = QRectF(left + j * cell, y, cell - 1, HIGH - 1)
            painter.fillRect(place, QColor(*colour))
            painter.setPen(QColor(text_on(colour)))
            painter.drawText(place, middle, text)
    painter.end()
    return Picture(png_of(_with_few_colours(image), quality=0), *size)


def _with_few_colours(image: QImage) -> QImage:
    """A picture in its own 256 most frequent colours, those of all cells among them: two fifths of the bytes.

    The edges of letters get the nearest ones. In Qt's own palette 0.5 would be pink and 0.6 khaki.
    """
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    frequent = colours[np.argsort(-counts, kind="stable")][:256].tolist()
    return image.convertToFormat(QImage.Format.Format_Indexed8, frequent, Qt.ImageConversionFlag.ThresholdDither)
