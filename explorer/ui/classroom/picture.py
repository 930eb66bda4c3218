"""A matrix of a question as a picture, for learning platforms that show no tables of their own."""

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication

from explorer.core.numbers import decimals_of, in_table, largest_of
from explorer.export.colours import diverging, sequential, text_on
from explorer.teaching.items import Table
from explorer.teaching.platforms import Picture

SHARP = 2
"""Pixels of the picture for each pixel that it takes on the page."""
PAPER, INK, HIGH, AROUND, LETTERS = "#ffffff", "#1b2430", 24, 10, 14
"""Colours; pixels: height of a row, room around a text, height of letters."""
FULL = 1.3
"""A colour is full at this many times the largest number, so that writing on it can be read."""


def picture_of(table: Table) -> Picture:
    """A matrix with its labels as a PNG: blue and ochre for the sign and size of numbers, blue for shares."""
    if QGuiApplication.instance() is None:
        QApplication(["explorer"])  # fonts need it
    one = table.matrix
    decimals, values = decimals_of(one.value), one.value.tolist()
    texts = [[in_table(number, decimals) for number in row] for row in values]
    font = QFont()
    font.setPixelSize(LETTERS)
    wide = QFontMetricsF(font).horizontalAdvance
    heads = list(one.columns) or [""] * len(texts[0])
    labels = list(one.rows) or [""] * len(texts)
    left = max(map(wide, labels)) + AROUND if any(labels) else 0.0
    cell = max(wide(text) for text in (*heads, *(text for row in texts for text in row))) + AROUND
    top = HIGH if any(heads) else 0
    size = round(left + cell * len(heads)), top + HIGH * len(texts)
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
    largest = largest_of(one.value) or 1.0
    colours = sequential(PAPER) if table.shares else diverging(PAPER)
    for i, (label, row) in enumerate(zip(labels, texts, strict=True)):
        y = top + i * HIGH
        painter.setPen(QColor(INK))
        painter.drawText(QRectF(0, y, left - AROUND / 2, HIGH), right, label)
        for j, text in enumerate(row):
            number = values[i][j]
            share = number if table.shares else (number / largest / FULL + 1) / 2
            share = min(max(share, 0.0), 1.0) if share == share else 0.0
            colour = [int(part) for part in colours[round(share * 255)]]
            place = QRectF(left + j * cell, y, cell - 1, HIGH - 1)
            painter.fillRect(place, QColor(*colour))
            painter.setPen(QColor(text_on(colour)))
            painter.drawText(place, middle, text)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    _with_few_colours(image).save(buffer, "PNG", 0)  # type: ignore[call-overload]
    return Picture(bytes(buffer.data().data()), *size)


def _with_few_colours(image: QImage) -> QImage:
    """A picture in its own 256 most frequent colours, those of all cells among them: two fifths of the bytes.

    The edges of letters get the nearest ones. In Qt's own palette 0.5 would be pink and 0.6 khaki.
    """
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32)
    colours, counts = np.unique(pixels, return_counts=True)
    frequent = colours[np.argsort(-counts, kind="stable")][:256].tolist()
    return image.convertToFormat(QImage.Format.Format_Indexed8, frequent, Qt.ImageConversionFlag.ThresholdDither)
