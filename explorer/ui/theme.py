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

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from explorer.ui.colour import CALM, CBD1, CBL2_BLUE, CBL2_DEEP, Ramp, oklab, qcolor, srgb
from explorer.ui.stylesheet import stylesheet

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
        arm = np.array([oklab(c) for c in CBD1])
        t = np.linspace(-1.0, 1.0, 256)
        reach = np.abs(t)[:, None]
        surface = oklab(self.surface)
        neutral = arm[len(arm) // 2]
        # CBD1 keeps lightness nearly flat and fades into grey; here the middle must be the page, so the lightness runs
        # straight from the surface to the arms' own end, and the map gives the hue and the chroma on the way.
        lab = np.stack([np.interp(t, np.linspace(-1.0, 1.0, len(arm)), arm[:, k]) for k in range(3)], axis=1)
        lab[:, 1:] += (1 - reach) * (surface - neutral)[1:]
        lab[:, 0] = surface[0] + np.abs(t) * (arm[0, 0] - surface[0])
        lab[:, 1:] *= CALM
        return Ramp(srgb(lab), self.text, self.error)

    @cached_property
    def sequential_ramp(self) -> Ramp:
        """Shares of one: CET-CBL2's blue arm, from the surface to deep blue (light) or bright blue (dark)."""
        surface, blue = oklab(self.surface), oklab(CBL2_BLUE)
        end = blue + 0.45 * (oklab("#ffffff") - blue) if self.dark else oklab(CBL2_DEEP)
        # Passing through the arm's purest blue keeps the middle of the scale saturated; placing it where it falls on
        # the straight line of lightness keeps equal steps of probability looking equal.
        knee = (blue[0] - surface[0]) / (end[0] - surface[0])
        stops = np.stack([surface, blue, end])
        stops[1:, 1:] *= CALM
        p = np.linspace(0.0, 1.0, 256)
        return Ramp(
            srgb(np.stack([np.interp(p, [0.0, knee, 1.0], stops[:, k]) for k in range(3)], axis=1)),
            self.text,
            self.error,
        )


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


# --- style ----------------------------------------------------------------------------------------------------------


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
    changing : before the application gets a new look: every widget there is will be polished anew
    changed : after the application wears the new look; widgets that paint by hand take `theme` and `fonts` from here
    """

    changing = Signal()
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
        self.changing.emit()
        self._dressed = wanted
        self.theme = wanted[0]
        self.fonts = Fonts.at_scale(self._scale)
        self._app.setFont(self.fonts.ui)
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme, self.fonts, self._scale))
        self.changed.emit()
