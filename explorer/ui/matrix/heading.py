"""The heading of a matrix: what it says beside or above the formula, and how large that is."""

import re
from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetrics, QTextDocument

from explorer.core.errors import written_shape
from explorer.pages.matrix import Matrix
from explorer.ui.theme import Theme

NUMBERS, PICTURE, THUMB = "of numbers", "of a small picture", "of a small picture in an equation"
"""The kinds of headings."""
NOT_PRINTED = "Chosen for this program: the text prints none"
_TAG = re.compile("<[^>]*>")


def words_of(matrix: Matrix, kind: str, theme: Theme, folds: bool) -> list[str]:
    """Beside the formula of values. A small picture in an equation has no room for more than what it leads to.

    `folds`: whether somebody may want its small picture back.
    """
    shape = _shape(matrix) if matrix.shape or not matrix.title else ""
    words = [shape] if kind == THUMB else [matrix.title, shape]
    if matrix.editable and kind != THUMB:
        words.append(f"<span style='color:{theme.accent_text}'>editable</span>")
    if matrix.ours and kind != THUMB:
        words.append(f"<span style='color:{theme.accent_text}' title='{NOT_PRINTED}'>not printed</span>")
    if matrix.pins is not None:
        words.append(f"<a href='release' style='color:{theme.link}'>given, release</a>")
    if kind != NUMBERS:
        words.append(f"<a href='numbers' style='color:{theme.link}'>numbers</a>")
    if folds:
        words.append(f"<a href='small' style='color:{theme.link}'>small</a>")
    return list(filter(None, words))


def words_of_change(matrix: Matrix) -> str:
    """Beside the formula of a change or gradient; its numbers are as long as the values, so some have a power."""
    return f"<b>× 10{_raised(matrix.power)}</b>" if matrix.power else _shape(matrix) * (matrix.array.size > 1)


def in_lines(words: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """The words on one line, or on two where that is wider than the room."""
    line = " · ".join(words)
    if len(words) < 2 or metrics.horizontalAdvance(_TAG.sub("", line)) <= room:
        return line
    first = min(2, len(words) - 1)
    return " · ".join(words[:first]) + "<br>" + " · ".join(words[first:])


def widest_line(words: str, metrics: QFontMetrics) -> int:
    """Pixels across of words on one line or more."""
    return max(metrics.horizontalAdvance(_TAG.sub("", line)) for line in words.split("<br>"))


def size_of_words(words: str, font: QFont) -> QSize:
    """What a label of a font takes for words with tags."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    document.setHtml(words)
    size = document.size()
    return QSize(ceil(size.width()), ceil(size.height()))


def _shape(matrix: Matrix) -> str:
    """Without spaces: a heading should not be wider than its numbers."""
    shape = matrix.shape[::-1] if matrix.turned else matrix.shape
    return written_shape(shape).replace(" ", "") if shape else "one number"


def _raised(power: int) -> str:
    """A whole number as an exponent."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
