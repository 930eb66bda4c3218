"""Colours, colour maps, fonts and the style sheet: what the program looks like, said once.

Panels and widgets write no style sheet of their own. They take their look from four places:

* an **object name** for the fixed parts of the window (make them `QFrame`, a bare `QWidget` paints no background):
  ``topBar``, ``tokenBar``, ``sidebar``, ``inspector``, ``lessonBar`` and ``page``;
* a **dynamic property** for what stands in them, set before the widget is shown (`mark` does it, also later):
  on `QLabel` ``role`` = title, subtitle, section, document, strong, muted, small, symbol, operator, number, here, error
  or code; on `QPushButton` one of ``chip``, ``add`` (beside ``chip``), ``tab``, ``primary``, ``link`` = "true", or
  ``segment`` = first, middle, last or only; on `QFrame` ``card`` and ``rule``; ``role`` = code also on text edits;
* the `Theme`, for what a widget paints by hand, and `Fonts`, for what it writes by hand;
* the plain type, for all other controls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from string import Template
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from explorer.paths import resources

Mode = Literal["system", "light", "dark"]
SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The steps of Ctrl+plus and Ctrl+minus, from a laptop to a lecture hall."""


# --- colours ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Theme:
    """Every colour by its role, as ``"#rrggbb"``.

    Names that end in ``text`` and names that begin with ``on_`` are for writing and keep 4.5 : 1 on the grounds they
    belong to; ``line`` roles are for outlines. Teal (``accent``, ``cell_editable``) says "you may change this", orange
    (``here``) says "this is the place", red says "this is wrong". Nothing else is coloured.
    """

    name: Literal["light", "dark"]
    page: str  # behind everything
    surface: str  # bars, inspector, computed cells, inputs
    raised: str  # under the pointer
    sunken: str  # code, grooves
    line: str  # between regions
    line_strong: str  # around controls
    text: str
    muted: str
    disabled: str

    accent: str  # primary buttons, chosen chips
    accent_hover: str
    accent_text: str  # teal words
    accent_soft: str  # chips
    accent_line: str  # outline of chips
    on_accent: str

    cell_editable_bg: str
    cell_editable_border: str
    cell_editable_text: str
    cell_computed_bg: str
    cell_computed_border: str
    cell_computed_text: str
    hatch: str  # strokes across a masked cell

    here: str  # pointed-at cell, number of the active step
    here_text: str
    here_soft: str  # ground of the active step
    here_line: str  # the row and the column that made a cell
    on_here: str
    done: str  # number of a step already seen
    done_text: str

    error: str
    error_soft: str
    on_error: str
    link: str
    focus: str  # keyboard focus ring
    selection: str
    on_selection: str
    tooltip: str
    on_tooltip: str
    series: tuple[str, ...]  # curves, in order; told apart by lightness too

    @property
    def dark(self) -> bool:
        return self.name == "dark"

    @cached_property
    def diverging_ramp(self) -> Ramp:
        """Signed values: CET-CBD1's two arms, from the surface outwards."""
        arm = np.array([_oklab(c) for c in _CBD1])
        t = np.linspace(-1.0, 1.0, 256)
        reach = np.abs(t)[:, None]
        surface = _oklab(self.surface)
        neutral = arm[len(arm) // 2]
        # CBD1 keeps lightness nearly flat and fades into grey; here the middle must be the page, so the lightness runs
        # straight from the surface to the arms' own end, and the map gives the hue and the chroma on the way.
        lab = np.stack([np.interp(t, np.linspace(-1.0, 1.0, len(arm)), arm[:, k]) for k in range(3)], axis=1)
        lab[:, 1:] += (1 - reach) * (surface - neutral)[1:]
        lab[:, 0] = surface[0] + np.abs(t) * (arm[0, 0] - surface[0])
        lab[:, 1:] *= _CALM
        return Ramp(_srgb(lab), self)

    @cached_property
    def sequential_ramp(self) -> Ramp:
        """Shares of one: CET-CBL2's blue arm, from the surface to deep blue (light) or bright blue (dark)."""
        surface, blue = _oklab(self.surface), _oklab(_CBL2_BLUE)
        end = blue + 0.45 * (_oklab("#ffffff") - blue) if self.dark else _oklab(_CBL2_DEEP)
        # Passing through the arm's purest blue keeps the middle of the scale saturated; placing it where it falls on
        # the straight line of lightness keeps equal steps of probability looking equal.
        knee = (blue[0] - surface[0]) / (end[0] - surface[0])
        stops = np.stack([surface, blue, end])
        stops[1:, 1:] *= _CALM
        p = np.linspace(0.0, 1.0, 256)
        return Ramp(_srgb(np.stack([np.interp(p, [0.0, knee, 1.0], stops[:, k]) for k in range(3)], axis=1)), self)

    def diverging(self, values: ArrayLike, limit: float) -> NDArray[np.uint8]:
        """Colours of signed values, centred on zero and full at ±`limit`.

        Parameters
        ----------
        values : array of any shape
        limit : the magnitude shown at full strength; larger ones are shown like it

        Returns
        -------
        uint8 array of shape ``values.shape + (4,)``: red, green, blue, alpha. NaN gets the error colour.
        """
        limit = limit if limit > 0 and np.isfinite(limit) else 1.0
        return self.diverging_ramp.rgba(values, -limit, limit)

    def sequential(self, values: ArrayLike) -> NDArray[np.uint8]:
        """Colours of probabilities from 0 to 1, as `diverging` gives them."""
        return self.sequential_ramp.rgba(values, 0.0, 1.0)


LIGHT = Theme(
    name="light",
    page="#f7f6f3",
    surface="#ffffff",
    raised="#eef3f2",
    sunken="#f2f0eb",
    line="#e3e0da",
    line_strong="#cbc7bf",
    text="#1b2430",
    muted="#5b6472",
    disabled="#a3a8b0",
    accent="#0f766e",
    accent_hover="#0b5f58",
    accent_text="#0b5f58",
    accent_soft="#e8f5f2",
    accent_line="#0f766e",
    on_accent="#ffffff",
    cell_editable_bg="#e8f5f2",
    cell_editable_border="#a9d8cf",
    cell_editable_text="#0b5f58",
    cell_computed_bg="#ffffff",
    cell_computed_border="#e3e0da",
    cell_computed_text="#1b2430",
    hatch="#cbc7bf",
    here="#bd4f12",
    here_text="#b0470c",
    here_soft="#fdeee0",
    here_line="#d47c45",
    on_here="#ffffff",
    done="#e3e9f0",
    done_text="#33445a",
    error="#b3261e",
    error_soft="#fbe9e7",
    on_error="#ffffff",
    link="#1d5fbf",
    focus="#1d5fbf",
    selection="#d6ebe7",
    on_selection="#1b2430",
    tooltip="#1b2430",
    on_tooltip="#f7f6f3",
    series=("#0f766e", "#bd4f12", "#1d5fbf", "#9a4d94", "#8a6d0b", "#5b6472"),
)

DARK = Theme(
    name="dark",
    page="#0f141c",
    surface="#171d27",
    raised="#222b38",
    sunken="#10151d",
    line="#2a3341",
    line_strong="#3c4758",
    text="#e8ebf0",
    muted="#a3adbb",
    disabled="#5d6775",
    accent="#0f766e",
    accent_hover="#0c6a63",
    accent_text="#7fdccb",
    accent_soft="#12302f",
    accent_line="#1f8f83",
    on_accent="#ffffff",
    cell_editable_bg="#12302f",
    cell_editable_border="#235650",
    cell_editable_text="#9be5d7",
    cell_computed_bg="#1b232e",
    cell_computed_border="#2a3341",
    cell_computed_text="#e8ebf0",
    hatch="#3c4758",
    here="#f08a48",
    here_text="#f59a5e",
    here_soft="#33251a",
    here_line="#a7622f",
    on_here="#1a0f07",
    done="#2b3a4e",
    done_text="#cfd9e6",
    error="#ff8a80",
    error_soft="#3a1d1f",
    on_error="#1f0b0a",
    link="#82b4ff",
    focus="#82b4ff",
    selection="#1d4744",
    on_selection="#e8ebf0",
    tooltip="#e8ebf0",
    on_tooltip="#171d27",
    series=("#4fc4b3", "#f08a48", "#82b4ff", "#d59ad0", "#d3b545", "#a3adbb"),
)


@lru_cache(maxsize=256)
def qcolor(value: str) -> QColor:
    """The `QColor` of ``"#rrggbb"``. Shared: copy before changing it."""
    return QColor(value)


def luminance(color: str | Sequence[int]) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    r, g, b = _linear(color)
    return float(0.2126 * r + 0.7152 * g + 0.0722 * b)


def contrast(a: str | Sequence[int], b: str | Sequence[int]) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def text_on(rgb: str | Sequence[int]) -> str:
    """Black or white, whichever can be read better on `rgb`: 4.5 : 1 or more on any colour."""
    # The worst ground is the one where both are equally far, and there the ratio is sqrt(21) = 4.58.
    return "#000000" if contrast(rgb, "#000000") >= contrast(rgb, "#ffffff") else "#ffffff"


# --- colour maps ------------------------------------------------------------------------------------------------------

# Nine equidistant colours of CET-CBD1 and two of CET-CBL2 (its purest blue in the middle, and one on its dark side), by
# Peter Kovesi, CC BY 4.0, as pyqtgraph ships them; a test compares. Written out because importing pyqtgraph takes
# 0.4 s, which the first paint should not wait for.
_CBD1 = ("#3a90fe", "#7ca6fc", "#a8bef9", "#cdd6f5", "#ededec", "#e2d6b9", "#d1bd84", "#bda64f", "#a89008")
_CBL2_BLUE, _CBL2_DEEP = "#017ae4", "#10396b"
_CALM = 0.85
"""Part of the maps' chroma that is kept: on a quiet page the pure colours are louder than the accent."""


class Ramp:
    """256 colours, with the colour of the writing on each: for an image's lookup table and for a cell delegate alike.

    Attributes
    ----------
    table : read-only uint8 array (256, 4), for ``ImageItem.setLookupTable``
    colors, text : the ground and the writing on it as `QColor`, 257 of each: the last is for NaN
    """

    def __init__(self, rgb: NDArray[np.uint8], theme: Theme) -> None:
        error = tuple(_bytes(theme.error))
        rows = np.vstack([rgb, np.array([error], dtype=np.uint8)])
        self._rgba = np.hstack([rows, np.full((len(rows), 1), 255, dtype=np.uint8)])
        self._rgba.setflags(write=False)
        self.table = self._rgba[:256]
        self.colors = [QColor(*map(int, row)) for row in rows]
        # The theme's own ink where it is dark or light enough; in the middle of the scale black or white.
        self.text = [QColor(theme.text if contrast(theme.text, row) >= 4.5 else text_on(row)) for row in rows.tolist()]

    def index(self, values: ArrayLike, low: float, high: float) -> NDArray[np.intp]:
        """Where each value falls between `low` and `high`: 0 to 255, held at the ends, and 256 for NaN."""
        values = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.clip(np.rint((values - low) / (high - low) * 255), 0, 255)
        return np.where(np.isnan(values), 256, place).astype(np.intp)

    def rgba(self, values: ArrayLike, low: float, high: float) -> NDArray[np.uint8]:
        return self._rgba[self.index(values, low, high)]


def _bytes(color: str | Sequence[int]) -> list[int]:
    if isinstance(color, str):
        return [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return [int(c) for c in color[:3]]


def _linear(color: str | Sequence[int]) -> NDArray[np.float64]:
    c = np.array(_bytes(color)) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


# OKLab (Björn Ottosson, 2020): equal distances in it look equal, so a straight line in it is an even ramp.
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(color: str) -> NDArray[np.float64]:
    return _LAB @ np.cbrt(_LMS @ _linear(color))


def _srgb(lab: NDArray[np.float64]) -> NDArray[np.uint8]:
    linear = np.clip((np.linalg.solve(_LMS, np.linalg.solve(_LAB, lab.T) ** 3)).T, 0, 1)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(srgb * 255).astype(np.uint8)


# --- fonts ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fonts:
    """The fonts of the program at one text scale.

    Attributes
    ----------
    ui : the system's sans serif, with figures of equal width; what every widget has unless it asks for another
    small : labels of rows and columns, shapes
    number : the figures in a matrix
    symbol : a quantity's name, italic and upright like in print
    code : the system's typewriter font
    """

    ui: QFont
    small: QFont
    number: QFont
    symbol: QFont
    code: QFont

    @classmethod
    def at_scale(cls, scale: float) -> Fonts:
        system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        # A bare X server answers 9 points, which nobody reads in a lesson.
        points = max(system.pointSizeF(), 10.5) * scale
        ui = _tabular(QFont(system), points)
        serif = next(
            filter(
                QFontDatabase.hasFamily,
                ("STIX Two Text", "Times New Roman", "Liberation Serif", "Nimbus Roman", "DejaVu Serif"),
            ),
            QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family(),
        )
        symbol = QFont(serif)
        symbol.setStyleHint(QFont.StyleHint.Serif)
        symbol.setItalic(True)
        symbol.setPointSizeF(points * 1.35)
        code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        code.setPointSizeF(points * 0.9)
        return cls(ui, _tabular(QFont(ui), points * 0.85), _tabular(QFont(ui), points * 0.95), symbol, code)


def _tabular(font: QFont, points: float) -> QFont:
    font.setPointSizeF(points)
    # Many system fonts (Segoe UI, San Francisco, Inter) have narrow ones unless asked; a font without the feature
    # ignores it.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


# --- style sheet ------------------------------------------------------------------------------------------------------

# Qt's dialect with two units of ours: 1u is one pixel at text scale 1 (1u+1: and one for a border that does not scale),
# and font sizes in em are multiples of the UI font.
# ``$name`` is a role of the theme. Borders stay in px: a hairline is a hairline at every scale. Controls keep 1px of
# margin which the focus ring takes, so that nothing moves when the focus does.
_STYLESHEET = """
QFrame#topBar, QFrame#inspector, QFrame#lessonBar { background: $surface; border: 0px solid $line; }
QFrame#topBar { border-bottom-width: 1px; }
QFrame#inspector { border-left-width: 1px; }
QFrame#lessonBar { border-top-width: 1px; }
QFrame#tokenBar { background: $page; border: none; border-bottom: 1px solid $line; }
QFrame#sidebar { background: $page; border: none; border-right: 1px solid $line; }
QFrame#page { background: $page; border: none; }
QFrame[card="true"] { background: $surface; border: 1px solid $line; border-radius: 8u; }
QFrame[rule="true"] { background: $line; border: none; max-height: 1px; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $line_strong; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QStatusBar { background: $surface; color: $muted; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }

QLabel[role="document"] { font-size: 1.1em; font-weight: 700; }
QLabel[role="title"] { font-size: 1.5em; font-weight: 700; }
QLabel[role="subtitle"], QLabel[role="muted"] { color: $muted; }
QLabel[role="strong"] { font-weight: 700; }
QLabel[role="small"] { color: $muted; font-size: 0.85em; }
QLabel[role="section"] {
    color: $muted; font-size: 0.78em; font-weight: 700; letter-spacing: 1.2u; text-transform: uppercase;
    padding: 10u 0 2u 0; qproperty-indent: 0;
}
QLabel[role="symbol"] { font-family: "$symbol_family"; font-style: italic; font-size: 1.35em; }
QLabel[role="operator"] { color: $muted; font-size: 1.6em; padding: 0 4u; }
QLabel[role="here"] { color: $here_text; font-weight: 700; }
QLabel[role="error"] { color: $error; }
QLabel[role="code"], QPlainTextEdit[role="code"], QTextEdit[role="code"], QTextBrowser[role="code"] {
    background: $sunken; color: $text; border: 1px solid $sunken; border-radius: 6u; padding: 9u 11u; margin: 1px;
    font-family: "$code_family"; font-size: 0.9em;
}

QPushButton, QToolButton, QComboBox, QAbstractSpinBox, QLineEdit {
    background: $surface; color: $text; border: 1px solid $line_strong; border-radius: 6u; margin: 1px;
}
QPushButton { padding: 5u 13u; icon-size: 12u; }
QToolButton { padding: 4u; icon-size: 16u; }
QComboBox, QLineEdit { padding: 4u 8u; }
QAbstractSpinBox { padding: 4u 6u; qproperty-alignment: 'AlignRight | AlignVCenter'; }
QPushButton:hover, QToolButton:hover, QComboBox:hover { background: $raised; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: $selection; color: $on_selection; }
QPushButton:disabled, QToolButton:disabled, QComboBox:disabled, QAbstractSpinBox:disabled, QLineEdit:disabled {
    color: $disabled; border-color: $line;
}
QToolButton[autoRaise="true"] { background: transparent; border-color: transparent; }
QToolButton[autoRaise="true"]:hover { background: $raised; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

QPushButton[primary="true"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[primary="true"]:hover, QPushButton[primary="true"]:pressed { background: $accent_hover; }
QPushButton[primary="true"]:disabled { background: $raised; color: $disabled; border-color: $line; }

QPushButton[tab="true"], QPushButton[link="true"] { background: transparent; color: $muted; border-color: transparent; }
QPushButton[tab="true"] { padding: 6u 13u; }
QPushButton[tab="true"][document="true"] { color: $text; font-size: 1.1em; font-weight: 700; }
QPushButton[tab="true"]:hover, QPushButton[link="true"]:hover { color: $text; background: $raised; }
QPushButton[tab="true"]:checked { color: $text; background: $raised; }
QPushButton[link="true"] { padding: 4u 6u; }
QPushButton[link="true"]:checked { color: $accent_text; background: $accent_soft; }

QPushButton[chip="true"] {
    background: $accent_soft; color: $accent_text; border-color: $accent_line; border-radius: 14u+1; padding: 0 13u;
    min-height: 28u; max-height: 28u;
}
QPushButton[chip="true"]:hover { background: $selection; }
QPushButton[chip="true"]:checked { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[chip="true"]:disabled { background: $raised; color: $disabled; border-color: $line; }
QPushButton[chip="true"][add="true"] { background: transparent; border-style: dashed; }
QPushButton[chip="true"][add="true"]:hover { background: $accent_soft; }

QPushButton[segment] { border-radius: 0; margin: 1px 0; padding: 4u 11u; color: $muted; }
QPushButton[segment="middle"], QPushButton[segment="last"] { border-left-width: 0; }
QPushButton[segment="first"], QPushButton[segment="only"] {
    border-top-left-radius: 6u; border-bottom-left-radius: 6u; margin-left: 1px;
}
QPushButton[segment="last"], QPushButton[segment="only"] {
    border-top-right-radius: 6u; border-bottom-right-radius: 6u; margin-right: 1px;
}
QPushButton[segment]:hover { color: $text; }
QPushButton[segment]:checked { background: $accent_soft; color: $accent_text; }
QPushButton[segment]:disabled { color: $disabled; }

QComboBox { combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 20u; }
QComboBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 10u; height: 10u; }
QComboBox QAbstractItemView {
    background: $surface; border: 1px solid $line_strong; padding: 3u; outline: 0;
    selection-background-color: $selection; selection-color: $on_selection;
}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 18u; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $raised; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up.svg"); width: 8u; height: 8u; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 8u; height: 8u; }

QCheckBox, QRadioButton { spacing: 8u; margin: 1px; border: 1px solid transparent; border-radius: 4u; padding: 2u; }
QCheckBox::indicator, QRadioButton::indicator {
    width: 14u; height: 14u; background: $surface; border: 1px solid $control; border-radius: 4u;
}
QRadioButton::indicator { border-radius: 7u+1; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent_line; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/check-white.svg"); }
QCheckBox::indicator:indeterminate { background: $accent_soft; border-color: $accent_line; }
QRadioButton::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/dot-white.svg"); }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: $raised; border-color: $line; }

QSlider { margin: 1px; border: 1px solid transparent; border-radius: 4u; min-height: 20u; }
QSlider::groove:horizontal { height: 4u; background: $line_strong; border-radius: 2u; }
QSlider::sub-page:horizontal { background: $accent_line; border-radius: 2u; }
QSlider::handle:horizontal {
    width: 14u; height: 14u; margin: -5u 0; border-radius: 7u; background: $accent; border: 1px solid $surface;
}
QSlider::handle:horizontal:hover { background: $accent_hover; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $disabled; }
QProgressBar { background: $line; border: none; border-radius: 2u; min-height: 4u; max-height: 4u; color: transparent; }
QProgressBar::chunk { background: $accent_line; border-radius: 2u; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10u; }
QScrollBar:horizontal { height: 10u; }
QScrollBar::handle { background: $line_strong; border-radius: 3u; margin: 2u; }
QScrollBar::handle:vertical { min-height: 28u; }
QScrollBar::handle:horizontal { min-width: 28u; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; background: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: none; }

QAbstractScrollArea::corner { background: transparent; border: none; }
QTableView { background: transparent; border: none; gridline-color: transparent; outline: 0; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: transparent; border: none; color: $muted; padding: 2u 4u; font-size: 0.85em; }
QTableCornerButton::section { background: transparent; border: none; }
QListView, QTreeView, QTextBrowser, QPlainTextEdit, QTextEdit {
    background: $surface; color: $text; border: 1px solid $line; border-radius: 6u; margin: 1px; outline: 0;
    selection-background-color: $selection; selection-color: $on_selection;
}
QListView::item, QTreeView::item { padding: 4u 6u; border-radius: 4u; }
QListView::item:hover, QTreeView::item:hover { background: $raised; }
QListView::item:selected, QTreeView::item:selected { background: $selection; color: $on_selection; }
QFrame#sidebar QListView, QFrame#sidebar QTreeView { background: transparent; border-color: transparent; }
QFrame#inspector QTextBrowser { background: transparent; border-color: transparent; }

QMenuBar { background: $surface; }
QMenuBar::item { padding: 4u 9u; background: transparent; border-radius: 4u; }
QMenuBar::item:selected { background: $raised; }
QMenu { background: $surface; border: 1px solid $line_strong; padding: 4u; }
QMenu::item { padding: 5u 24u 5u 10u; border-radius: 4u; }
QMenu::item:selected { background: $selection; color: $on_selection; }
QMenu::item:disabled { color: $disabled; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 4u 6u; }
QMenu::icon { padding-left: 6u; }
QToolTip { background: $tooltip; color: $on_tooltip; border: 1px solid $tooltip; padding: 4u 6u; }

QPushButton:focus, QToolButton:focus, QComboBox:focus, QAbstractSpinBox:focus, QLineEdit:focus, QCheckBox:focus,
QRadioButton:focus, QSlider:focus, QListView:focus, QTreeView:focus, QTextBrowser:focus, QPlainTextEdit:focus,
QTextEdit:focus, QLabel:focus, QScrollArea:focus, QPushButton[chip="true"]:checked:focus,
QPushButton[chip="true"][add="true"]:focus, QFrame#sidebar QListView:focus, QFrame#sidebar QTreeView:focus,
QFrame#inspector QTextBrowser:focus { border: 2px solid $focus; margin: 0px; }
QComboBox QListView:focus { margin: 0; border: 1px solid $line_strong; }
QTableView QLineEdit, QTableView QAbstractSpinBox {
    background: $surface; border: 2px solid $focus; border-radius: 3u; margin: 0; padding: 0 2u;
}
"""


def stylesheet(theme: Theme, fonts: Fonts, scale: float) -> str:
    """The style sheet of the whole program.

    Parameters
    ----------
    theme, fonts : what to fill in
    scale : text scale that `fonts` was made with; paddings and radii follow it
    """
    points = fonts.ui.pointSizeF()
    # Rounded down, always: a radius of more than half the height makes Qt draw square corners.
    text = re.sub(
        r"(-?\d+(?:\.\d+)?)u(\+\d)?\b", lambda m: f"{int(float(m[1]) * scale) + int(m[2] or 0)}px", _STYLESHEET
    )
    text = re.sub(r"(\d+(?:\.\d+)?)em\b", lambda m: f"{float(m[1]) * points:.2f}pt", text)
    roles = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return Template(text).substitute(
        roles,
        symbol_family=fonts.symbol.family(),
        code_family=fonts.code.family(),
        icons=(resources() / "icons").as_posix(),  # arrows and check marks: a style sheet cannot tint
        control=theme.muted,
    )


def palette(theme: Theme) -> QPalette:
    """The theme for everything that no style rule reaches: hand-painted widgets, item views, dialogs."""
    role = QPalette.ColorRole
    result = QPalette()
    for colour, roles in (
        (theme.page, (role.Window,)),
        (theme.surface, (role.Base, role.Button)),
        (theme.raised, (role.AlternateBase, role.Midlight)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.BrightText)),
        (theme.muted, (role.PlaceholderText,)),
        (theme.line, (role.Light, role.Mid)),
        (theme.line_strong, (role.Dark, role.Shadow)),
        (theme.selection, (role.Highlight,)),
        (theme.on_selection, (role.HighlightedText,)),
        (theme.accent, (role.Accent,)),
        (theme.link, (role.Link, role.LinkVisited)),
        (theme.tooltip, (role.ToolTipBase,)),
        (theme.on_tooltip, (role.ToolTipText,)),
    ):
        for which in roles:
            result.setColor(which, qcolor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, which, qcolor(theme.disabled))
    return result


def mark(widget: QWidget, **properties: str) -> QWidget:
    """Set the dynamic properties the style sheet knows, also on a widget already on the screen, and return the widget.

    >>> mark(QPushButton("Next"), primary="true")  # doctest: +SKIP
    """
    changed = [name for name, value in properties.items() if widget.property(name) != value]
    for name in changed:
        widget.setProperty(name, properties[name])
    if changed and widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        # Qt matches properties only when it polishes.
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


# --- the program's look -----------------------------------------------------------------------------------------------


class Appearance(QObject):
    """Keeps the application's look: theme and text scale, following the system unless told otherwise.

    Parameters
    ----------
    app : the application to dress
    mode : "system", "light" or "dark"
    scale : text scale, 1.0 is the system's own size

    Signals
    -------
    changed : after the application wears the new look; widgets that paint by hand take `theme` and `fonts` from here
    """

    changed = Signal()

    def __init__(self, app: QApplication, mode: Mode = "system", scale: float = 1.0) -> None:
        super().__init__(app)
        self._app = app
        self._mode: Mode = mode
        self._scale = scale
        self._dressed: tuple[Theme, float] | None = None
        self.theme = LIGHT
        self.fonts = Fonts.at_scale(scale)
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._dress)
        self.set_mode(mode)

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def scale(self) -> float:
        return self._scale

    def px(self, pixels: float) -> int:
        """`pixels` at text scale 1, at the scale of now."""
        return round(pixels * self._scale)

    def set_mode(self, mode: Mode) -> None:
        self._mode = mode
        scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(mode, Qt.ColorScheme.Unknown)
        # Tells the platform too, so that title bars and native dialogs agree; Unknown gives the choice back.
        self._app.styleHints().setColorScheme(scheme)
        self._dress()

    def set_scale(self, scale: float) -> None:
        """Set the text scale, held between the ends of `SCALES`."""
        self._scale = min(max(scale, SCALES[0]), SCALES[-1])
        self._dress()

    def zoom(self, steps: int) -> None:
        """Go up or down `SCALES`."""
        nearest = min(range(len(SCALES)), key=lambda k: abs(SCALES[k] - self._scale))
        self.set_scale(SCALES[min(max(nearest + steps, 0), len(SCALES) - 1)])

    def _dress(self) -> None:
        dark = self._mode == "dark" or (
            self._mode == "system" and self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        wanted = (DARK if dark else LIGHT, self._scale)
        # Every widget is polished anew by this, so it happens on a real change only (several signals may announce one).
        if wanted == self._dressed:
            return
        self._dressed = wanted
        self.theme = wanted[0]
        self.fonts = Fonts.at_scale(self._scale)
        self._app.setFont(self.fonts.ui)
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme, self.fonts, self._scale))
        self.changed.emit()
