"""Every colour of the program by its role, and how a widget says which role it has.

Panels and widgets write no style sheet of their own. They take their look from four places:

* an **object name** for the fixed parts of the window (make them `QFrame`, a bare `QWidget` paints no background):
  ``topBar``, ``tokenBar``, ``sidebar``, ``inspector``, ``lessonBar`` and ``page``;
* a **dynamic property** for what stands in them, set before the widget is shown (`mark` does it, also later):
  on words ``role`` is a `Role`; on buttons a `Look` = "true", ``add`` beside ``chip``, or ``segment`` = first, middle,
  last or only; on `QFrame` ``card`` and ``rule``; ``role`` = code also on text edits;
* the `Theme`, for what a widget paints by hand, and `Fonts` (appearance.py), for what it writes by hand;
* the plain type, for all other controls.

`qcolor` gives a colour as Qt takes it. On the coloured squares of a picture numbers are written, as large as fits, or a
dash for a number below 0.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from functools import cached_property, lru_cache
from math import ceil, floor
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from explorer.core.frozen import Frozen
from explorer.core.numbers import NEARLY_ZERO, decimals_of, in_table, largest_of
from explorer.core.ops import Array
from explorer.export.colours import components, contrast, diverging, sequential, text_on

_Widget = TypeVar("_Widget", bound=QWidget)

Role = Literal[
    "", "aside", "asked", "bar", "code", "crumbs", "document", "done", "error", "group", "heading", "headline", "here",
    "hint", "lead", "message", "muted", "note", "operator", "section", "sheet", "small", "strong", "subtitle", "title",
    "why",
]  # fmt: skip
"""What words are for, which says how they look."""
Look = Literal["", "chip", "choice", "link", "primary", "tab"]
"""How a button looks, if not like most."""
NODE = "node"
"""The property that names the node of the graph a widget is about. A click asks the glossary for that node."""


def _shades(light: Any, dark: Any) -> Any:
    """What a role is in the light theme, and in the dark one."""
    return field(default=light, metadata={"dark": dark})


class Theme(Frozen):
    """Every colour by its role, as ``"#rrggbb"``.

    Names that end in ``text`` and names that begin with ``on_`` are for writing and keep 4.5 : 1 on the grounds they
    belong to; ``line`` roles are for outlines. Teal (``accent``, ``cell_editable``) says "you may change this", orange
    (``here``) says "this is the place", red says "this is wrong". Nothing else is coloured.
    """

    name: Literal["light", "dark"] = "light"
    page: str = _shades("#f7f6f3", "#0f141c")  # behind everything
    surface: str = _shades("#ffffff", "#171d27")  # bars, inspector, computed cells, inputs
    raised: str = _shades("#eef3f2", "#222b38")  # under the pointer
    sunken: str = _shades("#f2f0eb", "#10151d")  # code, grooves
    line: str = _shades("#e3e0da", "#2a3341")  # between regions
    line_strong: str = _shades("#cbc7bf", "#3c4758")  # around buttons, which have words
    field: str = _shades("#8c8880", "#6b7788")  # around fields: an empty one is seen by its edge alone, 3 : 1
    text: str = _shades("#1b2430", "#e8ebf0")
    muted: str = _shades("#5b6472", "#a3adbb")
    disabled: str = _shades("#a3a8b0", "#5d6775")

    accent: str = _shades("#0f766e", "#0f766e")  # primary buttons, chosen chips
    accent_hover: str = _shades("#0b5f58", "#0c6a63")
    accent_text: str = _shades("#0b5f58", "#7fdccb")  # teal words
    accent_soft: str = _shades("#e8f5f2", "#12302f")  # chips
    accent_line: str = _shades("#0f766e", "#1f8f83")  # outline of chips
    on_accent: str = _shades("#ffffff", "#ffffff")

    cell_editable_bg: str = _shades("#e8f5f2", "#12302f")
    cell_editable_border: str = _shades("#a9d8cf", "#235650")
    cell_editable_text: str = _shades("#0b5f58", "#9be5d7")
    cell_computed_bg: str = _shades("#ffffff", "#1b232e")
    cell_computed_border: str = _shades("#e3e0da", "#2a3341")
    cell_computed_text: str = _shades("#1b2430", "#e8ebf0")
    hatch: str = _shades("#cbc7bf", "#3c4758")  # strokes across a masked cell

    here: str = _shades("#bd4f12", "#f08a48")  # cell that is pointed at, number of the active step
    here_text: str = _shades("#b0470c", "#f59a5e")
    here_soft: str = _shades("#fdeee0", "#33251a")  # ground of the active step
    here_line: str = _shades("#d47c45", "#a7622f")  # the row and the column that made a cell
    on_here: str = _shades("#ffffff", "#1a0f07")

    error: str = _shades("#b3261e", "#ff8a80")
    error_soft: str = _shades("#fbe9e7", "#3a1d1f")
    link: str = _shades("#1d5fbf", "#82b4ff")
    focus: str = _shades("#1d5fbf", "#82b4ff")  # keyboard focus ring
    focus_on_accent: str = _shades("#10161f", "#e8ebf0")  # the same around `accent`, on which blue is not seen
    selection: str = _shades("#d6ebe7", "#1d4744")
    on_selection: str = _shades("#1b2430", "#e8ebf0")
    tooltip: str = _shades("#1b2430", "#e8ebf0")
    on_tooltip: str = _shades("#f7f6f3", "#171d27")
    # Curves and heads, in order: neither teal nor orange, and told apart by lightness too.
    series: tuple[str, ...] = _shades(
        ("#1d5fbf", "#8a6d0b", "#9a4d94", "#1b2430", "#477a1c", "#5b6472"),
        ("#82b4ff", "#d3b545", "#d59ad0", "#e8ebf0", "#9acb6a", "#a3adbb"),
    )

    @property
    def strong(self) -> Theme:
        """The same theme with more contrast: nothing is muted, and every line is as dark as those around controls."""
        return replace(
            self,
            muted=self.text,
            line=self.line_strong,
            line_strong=self.muted,
            field=self.muted,
            cell_editable_border=self.cell_editable_text,
            cell_computed_border=self.muted,
            hatch=self.muted,
        )

    def head(self, k: int) -> tuple[str, bool]:
        """The colour of head `k`, from 0, and whether its mark is hollow: colours repeat beyond their number."""
        return self.series[k % len(self.series)], k // len(self.series) % 2 == 1

    @property
    def dark(self) -> bool:
        return self.name == "dark"

    @cached_property
    def on_surface(self) -> Theme:
        """The theme of what is drawn on a card or on paper, where a plot with the ground of a page would be a patch."""
        return replace(self, page=self.surface)

    @cached_property
    def diverging_ramp(self) -> Ramp:
        """Colours for signed values."""
        return Ramp(diverging(self.surface), self.text, self.error, self.hatch)

    @cached_property
    def sequential_ramp(self) -> Ramp:
        """Colours for shares of one."""
        return Ramp(sequential(self.surface, self.dark), self.text, self.error, self.hatch)


LIGHT = Theme()
DARK = Theme("dark", **{one.name: one.metadata["dark"] for one in fields(Theme) if one.metadata})


def mark(widget: _Widget, *, role: Role = "", **properties: str) -> _Widget:
    """Set the dynamic properties the style sheet knows, also on a widget already on the screen, and return the widget.

    >>> mark(QLineEdit(), large="true")  # doctest: +SKIP
    """
    if role:
        properties["role"] = role
    changed = [name for name, value in properties.items() if widget.property(name) != value]
    for name in changed:
        widget.setProperty(name, properties[name])
    if changed and widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        # Qt matches properties only when it polishes.
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


@lru_cache(maxsize=256)
def qcolor(value: str, opacity: float = 1.0) -> QColor:
    """The `QColor` of ``"#rrggbb"``, as opaque as 0 to 1 says. Shared: copy before changing it."""
    color = QColor(value)
    color.setAlphaF(opacity)
    return color


def shares_of(array: NDArray[Any], low: float = 0.0) -> NDArray[Any]:
    """Numbers clipped to `low` … 1, for a ramp of colours; NaN becomes 0."""
    shares = np.minimum(np.maximum(array, low), 1.0)
    shares[np.isnan(shares)] = 0.0
    return shares


NO_NUMBER, MASKED = 256, 257
"""The steps of NaN on a ramp, and of −∞: a score that a mask has hidden, which is no strong number."""


class Ramp:
    """256 colours, each with a readable text colour: for the lookup table of an image, and for cells."""

    def __init__(self, rgb: NDArray[np.uint8], text: str, error: str, masked: str) -> None:
        beyond = [tuple(components(colour)) for colour in (error, masked)]
        rows = np.vstack([rgb, np.array(beyond, dtype=np.uint8)])
        rgba = np.hstack([rows, np.full((len(rows), 1), 255, dtype=np.uint8)])
        rgba.setflags(write=False)
        # As Qt has the pixels of a screen, 0xffRRGGBB: one number to look up, and not four, takes a tenth.
        self._pixels = rows.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32) | np.uint32(0xFF << 24)
        self.table = rgba[:256]  # uint8, (256, 4), read-only: for ``ImageItem.setLookupTable``
        self.all = rgba  # the same with the colours of NaN and `MASKED`
        # `colors`, `text`: background and text colours as `QColor`, 258 of each: the last are for NaN and `MASKED`.
        self.colors = [QColor(*map(int, row)) for row in rows]
        # The theme's own ink where it is dark or light enough; in the middle of the scale black or white.
        self.text = [QColor(text if contrast(text, row) >= 4.5 else text_on(row)) for row in rows.tolist()]

    def index(self, values: ArrayLike, low: float, high: float) -> NDArray[np.intp]:
        """The index of each value's colour: 0 to 255 from `low` to `high`, clipped, and `NO_NUMBER` for NaN."""
        values = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.minimum(np.maximum(np.rint((values - low) / (high - low) * 255), 0), 255)
        return np.where(np.isnan(values), NO_NUMBER, place).astype(np.intp)

    def shade(self, share: float, low: float = 0.0) -> tuple[QColor, QColor]:
        """The colour of one number from `low` to 1, and that of what is written on it."""
        at = int(self.index(share, low, 1.0))
        return self.colors[at], self.text[at]

    def image(self, places: NDArray[np.intp]) -> QImage:
        """An image of the colours at `places`, (rows, columns) as `index` gives them, one pixel for each."""
        rows, columns = places.shape
        pixels = self._pixels.take(places)
        return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32).copy()


LEAST, MANY = 7, 4096
"""The least side, in pixels, of a square with a dash; the most squares that get dashes."""
INKS = (0.4, 0.6), (0.15, 0.35), (0.0, 0.15)
"""From which share of the strongest number a dash has which opacity. With one for all, a picture of many small numbers
showed dashes and hardly any colours: numbers near 0 had the same as the strong ones.
"""
SMALLEST, LARGEST, PART = 9, 19, 0.6
"""The least and the greatest height of a number's letters, in pixels, and their share of a square's height."""
BESIDE, MOST = 5.0, 3000
"""Pixels left free beside a number; the most visible squares whose numbers are written."""


def letters_for(font: QFont, array: Array, across: float, down: float, scale: float = 1.0) -> QFont | None:
    """The font for the numbers of an array, which grows with squares of `across` by `down` pixels.

    None if the longest number does not fit into a square, or would be too small beside the text around the picture,
    which has the text scale `scale`.
    """
    smallest = round(SMALLEST * max(scale, 1.0))
    if across < 2 * smallest or down < smallest + BESIDE:
        return None
    longest = max(_texts(array, decimals_of(array)), key=len)
    letters = QFont(font)
    letters.setPixelSize(int(min(max(PART * down, smallest), LARGEST * max(scale, 1.0))))
    wide = QFontMetricsF(letters).horizontalAdvance(longest)
    if wide + BESIDE > across:
        letters.setPixelSize(max(int(letters.pixelSize() * (across - BESIDE) / wide), 1))
    return letters if letters.pixelSize() >= smallest else None


def paint_numbers(
    painter: QPainter,
    font: QFont,
    array: Array,
    steps: Array,
    ramp: Ramp,
    rect: QRectF,
    scale: float = 1.0,
    letters: QFont | None = None,
) -> bool:
    """Write the number of each visible square, if all of them fit; returns whether they were written.

    `painter`: in pixel coordinates.
    `font`, `scale`: as for `letters_for`.
    `array`: (rows, columns): the numbers.
    `steps`, `ramp`: (rows, columns): the step of each number on its colour map; and the map, which has a readable ink
    for each colour.
    `rect`: where the picture is.
    `letters`: the font at the size of the numbers; if left out, that of `letters_for`.
    """
    rows, columns = array.shape
    if not array.size:
        return False
    across, down = rect.width() / columns, rect.height() / rows
    seen = QRectF(painter.window()) & rect
    if seen.isEmpty():
        return False
    first, last = floor((seen.top() - rect.top()) / down), min(ceil((seen.bottom() - rect.top()) / down), rows)
    left, right = floor((seen.left() - rect.left()) / across), min(ceil((seen.right() - rect.left()) / across), columns)
    if (last - first) * (right - left) > MOST:
        return False
    part = array[first:last, left:right]
    letters = letters or letters_for(font, part, across, down, scale)
    if letters is None:
        return False
    painter.setFont(letters)
    texts = iter(_texts(part, decimals_of(array)))
    for i in range(first, last):
        for j in range(left, right):
            painter.setPen(ramp.text[int(steps[i, j])])
            square = QRectF(rect.left() + j * across, rect.top() + i * down, across, down)
            painter.drawText(square, Qt.AlignmentFlag.AlignCenter, next(texts))
    return True


def _texts(array: Array, decimals: int) -> list[str]:
    """The numbers of an array in reading order, as they are written on its squares."""
    least = 0.5 * 10.0**-decimals
    numbers = map(float, array.flat)
    return [NEARLY_ZERO if 0 < abs(one) < least else in_table(one, decimals) for one in numbers]


def paint_signs(painter: QPainter, theme: Theme, array: Array, rect: QRectF) -> None:
    """Put a dash on each square of a picture, (rows, columns) in the pixels `rect`, whose number is below 0."""
    rows, columns = array.shape
    if not 0 < array.size <= MANY or min(rect.width() / columns, rect.height() / rows) < LEAST:
        return
    across, down = rect.width() / columns, rect.height() / rows
    half = max(min(across, down) / 4, 1.0)
    below = ((array < 0) & (array > -np.inf)).nonzero()
    strengths = (-array[below] / (largest_of(array) or 1.0)).tolist()
    left, top = rect.left() + 0.5 * across, rect.top() + 0.5 * down
    dashes: dict[float, list[QLineF]] = {}
    for row, column, strength in zip(*(places.tolist() for places in below), strengths, strict=True):
        x, y = left + column * across, top + row * down
        ink = next(ink for least, ink in INKS if strength >= least)
        dashes.setdefault(ink, []).append(QLineF(x - half, y, x + half, y))
    for ink, lines in dashes.items():
        painter.setPen(QPen(qcolor(theme.text, ink), 1.0))
        painter.drawLines(lines)
