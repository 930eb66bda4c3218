"""What the program looks like now: theme, fonts and text scale, and how the application is dressed in them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from explorer.ui.stylesheet import stylesheet
from explorer.ui.theme import DARK, LIGHT, Theme, qcolor
from explorer.ui.turns import Turns, later

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = get_args(Mode)
SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The steps of Ctrl+plus and Ctrl+minus, from a laptop to a lecture hall."""

GROWS = (1.2, 2350, 1250), (1.1, 1850, 960)
"""In a large window all is so many times larger, words too: where it has so many pixels across and down. On a screen of
2560 pixels most pages were a small corner of print.
"""
CLOSE = 1.5
"""The text scale from which numbers stand close."""
AT_ONCE = 100
"""So many widgets out of sight are polished in one turn of the event loop."""
_OLD = "wears the look before"


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

    @cached_property
    def bold(self) -> Fonts:
        """The same fonts, bold."""
        return Fonts(*map(_bold, (self.ui, self.small, self.number, self.symbol, self.code)))

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


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _tabular(font: QFont, points: float) -> QFont:
    font.setPointSizeF(points)
    # Many system fonts (Segoe UI, San Francisco, Inter) have narrow ones unless asked; a font without the feature
    # ignores it.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


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


class Appearance(QObject):
    """Keeps the application's look: theme and text scale, following the system unless told otherwise.

    Parameters
    ----------
    app : the application to dress
    mode : "system", "light" or "dark"
    scale : text scale, 1.0 is the system's own size
    contrast : whether a person wants more contrast than usual, also where the system does not ask for it
    still : whether a person wants less motion than usual

    Attributes
    ----------
    turns : where what is made anew for a new look waits for a turn of its own

    Signals
    -------
    changing : before the application gets a new look: every widget there is will be polished anew
    switched : motion was switched off or on
    changed : after the application wears the new look; widgets that paint by hand take `theme` and `fonts` from here
    """

    changing = Signal()
    changed = Signal()
    switched = Signal()

    def __init__(
        self,
        app: QApplication,
        mode: Mode = "system",
        scale: float = 1.0,
        contrast: bool = False,
        still: bool = False,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._mode: Mode = mode
        self._scale = scale
        self._grown = self._awaited = 1.0
        self.scale = self._grown_by(1.0)
        """The text scale of now: as chosen, and larger in a large window."""
        self._dressed: tuple[bool, bool, float] | None = None
        self.contrast = contrast
        self.still = still
        self.turns = Turns(self)
        self._others = later(self, self._dress_others)
        self.theme = LIGHT
        self.fonts = Fonts.at_scale(scale)
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._dress)
        # Both are kept: PySide takes the one for deleted as soon as nobody holds the other. Qt has it since 6.10.
        self._hints = app.styleHints()
        self._asked = self._hints.accessibility() if hasattr(self._hints, "accessibility") else None
        if self._asked is not None:
            self._asked.contrastPreferenceChanged.connect(self._dress)
        self.set_mode(mode)

    @property
    def mode(self) -> Mode:
        return self._mode

    def _grown_by(self, times: float) -> float:
        """The text scale in a window in which all is so many times larger."""
        return max(min(self._scale * times, SCALES[-1]), self._scale)

    @property
    def chosen(self) -> float:
        """The text scale that a person has chosen."""
        return self._scale

    def await_rest(self, width: int, height: int) -> None:
        """A window of so many pixels may soon have another size: `grow_with` follows when it has come to rest."""
        large = (times for times, across, down in GROWS if width >= across and height >= down)
        self._awaited = next(large, 1.0)

    def grow_with(self, width: int, height: int) -> None:
        """Be as large as a window of so many pixels asks for."""
        self.await_rest(width, height)
        self._grown = self._awaited
        self.scale = self._grown_by(self._grown)
        self._dress()

    @property
    def lasts(self) -> bool:
        """Whether letters keep their size when the window has come to rest: else all pages are made anew then."""
        return self._grown_by(self._awaited) == self.scale

    def px(self, pixels: float) -> int:
        """`pixels` at text scale 1, at the scale of now."""
        return round(pixels * self.scale)

    @property
    def close(self) -> bool:
        """Whether numbers stand close: in large letters there would else be few of them."""
        return self.scale > CLOSE

    def set_mode(self, mode: Mode) -> None:
        self._mode = mode
        scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(mode, Qt.ColorScheme.Unknown)
        # Tells the platform too, so that title bars and native dialogs agree; Unknown gives the choice back.
        self._app.styleHints().setColorScheme(scheme)
        self._dress()

    def set_scale(self, scale: float) -> None:
        """Set the text scale, held between the ends of `SCALES`."""
        self._scale = min(max(scale, SCALES[0]), SCALES[-1])
        self.scale = self._grown_by(self._grown)
        self._dress()

    def set_contrast(self, on: bool) -> None:
        """Have more contrast, or as much as the system asks for."""
        self.contrast = on
        self._dress()

    def set_still(self, on: bool) -> None:
        """Have less motion, or as much as the system lets there be."""
        self.still = on
        self.switched.emit()

    @property
    def moves(self) -> bool:
        """Whether something may move by itself: neither the person nor the system asks for less motion."""
        animation = self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        return not self.still and animation > 0

    def zoom(self, steps: int) -> None:
        """Go up or down `SCALES`."""
        nearest = min(range(len(SCALES)), key=lambda k: abs(SCALES[k] - self._scale))
        self.set_scale(SCALES[min(max(nearest + steps, 0), len(SCALES) - 1)])

    def _dress(self) -> None:
        dark = self._mode == "dark" or (
            self._mode == "system" and self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        asked = self._asked
        high = Qt.ContrastPreference.HighContrast
        strong = self.contrast or (asked is not None and asked.contrastPreference() == high)
        wanted = (dark, strong, self.scale)
        # Every widget is polished anew by this, so it happens on a real change only (several signals may announce one).
        if wanted == self._dressed:
            return
        self.changing.emit()
        self._dressed = wanted
        self.theme = DARK if dark else LIGHT
        if strong:
            self.theme = self.theme.strong
        self.fonts = Fonts.at_scale(self.scale)
        with _no_widget_goes():
            self._app.setFont(self.fonts.ui)
            self._app.setPalette(palette(self.theme))
            others = _wear(self._app, stylesheet(self.theme, self.fonts, self.scale))
        self.changed.emit()
        if others:
            self.turns.add(self._others)

    def _dress_others(self) -> None:
        with _no_widget_goes():
            more = _wear_out_of_sight(self._app)
        if more:
            self.turns.add(self._others)


def _wear(app: QApplication, sheet: str) -> bool:
    """Set the style sheet of the application, and polish what is in sight; returns whether there is more.

    `_wear_out_of_sight` does the rest.

    Qt, left to itself, polishes a widget again for each of those that it stands in: 0.9 s for 1,300 widgets, and 0.12 s
    so. With its caches empty it knows of no widget to polish.
    """
    app.style().unpolish(app)
    app.setStyleSheet(sheet)
    # What was not polished yet is when it is shown.
    worn = [widget for widget in app.allWidgets() if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)]
    others = [widget for widget in worn if not widget.isVisible()]
    for widget in others:
        widget.setProperty(_OLD, True)
    _polish(app, [widget for widget in worn if widget.isVisible()])
    return bool(others)


def _wear_out_of_sight(app: QApplication) -> bool:
    """Polish some of the others; returns whether there are more. They are looked for anew: some may be gone."""
    old = [widget for widget in app.allWidgets() if widget.property(_OLD)]
    _polish(app, old[:AT_ONCE])
    return len(old) > AT_ONCE


def _polish(app: QApplication, widgets: list[QWidget]) -> None:
    style, event = app.style(), QEvent(QEvent.Type.StyleChange)
    for widget in widgets:
        widget.setProperty(_OLD, None)
        style.polish(widget)
        QCoreApplication.sendEvent(widget, event)


@contextmanager
def _no_widget_goes() -> Iterator[None]:
    """Meanwhile no widget is deleted: Qt goes through a list of all that there are, and would meet one that is gone.

    What waits to be deleted goes before; Python's collector, which may delete on any thread, waits until it is over.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
