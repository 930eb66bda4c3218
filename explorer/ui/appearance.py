"""The look of the program: theme, fonts, text scale and style sheet, and how the application gets a new look."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache, cached_property, lru_cache
from string import Template
from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QScrollArea, QStyle, QWidget
from shiboken6 import getCppPointer

from explorer.core.frozen import Frozen
from explorer.paths import resources
from explorer.ui.theme import DARK, LIGHT, Theme, qcolor
from explorer.ui.turns import Turns, later

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = get_args(Mode)
SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The steps of Ctrl+plus and Ctrl+minus, from a laptop to a lecture hall."""

GROWS = (1.2, 2350, 1250), (1.1, 1850, 960)
"""(factor, width, height): in a window of at least so many pixels everything, text too, is larger by the factor.
Without this, most pages filled only a small corner of a screen 2560 pixels wide.
"""
CLOSE = 1.5
"""Above this text scale, numbers in matrices stand close together."""
AT_ONCE = 100
"""How many hidden widgets are polished in one turn of the event loop."""
_old: set[int] = set()
"""Where the widgets are that still wear the look before. What is made anew at such a place is polished once too often,
which does no harm; a property of each took a fifth of the time of a new look.
"""


class Fonts(Frozen):
    """The fonts of the program at one text scale."""

    ui: QFont  # the system's sans serif, with figures of equal width; what every widget has unless it asks for another
    small: QFont  # labels of rows and columns, shapes
    number: QFont  # the figures in a matrix
    symbol: QFont  # a quantity's name, italic and upright like in print
    code: QFont  # the system's typewriter font

    @cached_property
    def bold(self) -> Fonts:
        """The same fonts, bold."""
        return Fonts(*map(_bold, (self.ui, self.small, self.number, self.symbol, self.code)))

    @classmethod
    def at_scale(cls, scale: float) -> Fonts:
        """The fonts at a text scale. Whoever wants another size copies one: these are kept."""
        return _fonts(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).toString(), scale)


@lru_cache(maxsize=64)  # a slide is tried in many sizes, and each asked for the families again
def _fonts(general: str, scale: float) -> Fonts:
    system = QFont()
    system.fromString(general)
    # A bare X server reports 9 points, which is too small to read in a lesson.
    points = max(system.pointSizeF(), 10.5) * scale
    ui = _tabular(QFont(system), points)
    serif = next(
        filter(
            QFontDatabase.hasFamily,
            ("STIX Two Text", "Times New Roman", "Liberation Serif", "Nimbus Roman", "DejaVu Serif"),
        ),
        system.family(),
    )
    symbol = QFont(serif)
    symbol.setStyleHint(QFont.StyleHint.Serif)
    symbol.setItalic(True)
    symbol.setPointSizeF(points * 1.35)
    code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    code.setPointSizeF(points * 0.9)
    return Fonts(ui, _tabular(QFont(ui), points * 0.85), _tabular(QFont(ui), points * 0.95), symbol, code)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _tabular(font: QFont, points: float) -> QFont:
    font.setPointSizeF(points)
    # In many system fonts (Segoe UI, San Francisco, Inter) figures differ in width unless "tnum" is on; a font without
    # this feature ignores it.
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def palette(theme: Theme) -> QPalette:
    """The theme as a palette, for everything that no style rule reaches: hand-painted widgets, item views, dialogs."""
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

    `scale`: text scale, 1.0 is the system's own size.
    `contrast`: whether a person wants more contrast than usual, also where the system does not ask for it.
    `still`: whether a person wants less motion than usual.
    """

    changing = Signal()  # before the application gets a new look, for which every widget is polished again
    changed = Signal()  # after the new look is applied; widgets that paint by hand read `theme` and `fonts` then
    switched = Signal()  # motion was switched off or on

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
        self.mode: Mode = mode
        self.chosen = scale
        """The text scale that a person has chosen."""
        self._grown = self._awaited = 1.0
        self.scale = self._grown_by(1.0)
        """The text scale in use: the chosen one, made larger in a large window."""
        self._dressed: tuple[bool, bool, float] | None = None
        self.contrast = contrast
        self.still = still
        self.turns = Turns(self)
        """The queue of work that a new look causes, one piece in a turn of the event loop."""
        self._others = later(self, self._dress_others)
        self.theme = LIGHT
        self.fonts = Fonts.at_scale(scale)
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._dress)
        # Both references are kept: PySide takes one object for deleted once the other has no reference. New in Qt 6.10.
        self._hints = app.styleHints()
        self._asked = self._hints.accessibility() if hasattr(self._hints, "accessibility") else None
        if self._asked is not None:
            self._asked.contrastPreferenceChanged.connect(self._dress)
        self.set_mode(mode)

    def _grown_by(self, times: float) -> float:
        """The text scale in a window that makes everything larger by the factor `times`."""
        return max(min(self.chosen * times, SCALES[-1]), self.chosen)

    def await_rest(self, width: int, height: int) -> None:
        """Note the size of a window that may still be changing; `grow_with` follows once its size is final."""
        large = (times for times, across, down in GROWS if width >= across and height >= down)
        self._awaited = next(large, 1.0)

    def grow_with(self, width: int, height: int) -> None:
        """Take the text scale for a window of this size in pixels."""
        self.await_rest(width, height)
        self._grown = self._awaited
        self.scale = self._grown_by(self._grown)
        self._dress()

    @property
    def lasts(self) -> bool:
        """Whether the text scale will stay once the window's size is final; if not, all pages are built again then."""
        return self._grown_by(self._awaited) == self.scale

    def px(self, pixels: float) -> int:
        """`pixels` at text scale 1, converted to the current text scale."""
        return round(pixels * self.scale)

    @property
    def close(self) -> bool:
        """Whether numbers stand close together: at a large text scale too few of them would fit otherwise."""
        return self.scale > CLOSE

    def set_mode(self, mode: Mode) -> None:
        self.mode = mode
        scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(mode, Qt.ColorScheme.Unknown)
        # This tells the platform too, so that title bars and native dialogs agree; Unknown lets the system choose.
        self._app.styleHints().setColorScheme(scheme)
        self._dress()

    def set_scale(self, scale: float) -> None:
        """Set the text scale, limited to the range of `SCALES`."""
        self.chosen = min(max(scale, SCALES[0]), SCALES[-1])
        self.scale = self._grown_by(self._grown)
        self._dress()

    def set_contrast(self, on: bool) -> None:
        """Turn on more contrast, or go back to what the system asks for."""
        self.contrast = on
        self._dress()

    def set_still(self, on: bool) -> None:
        """Turn on less motion, or go back to what the system allows."""
        self.still = on
        self.switched.emit()

    @property
    def moves(self) -> bool:
        """Whether something may move by itself: neither the person nor the system asks for less motion."""
        animation = self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        return not self.still and animation > 0

    def zoom(self, steps: int) -> None:
        """Go some steps up or down in `SCALES`."""
        nearest = min(range(len(SCALES)), key=lambda k: abs(SCALES[k] - self.chosen))
        self.set_scale(SCALES[min(max(nearest + steps, 0), len(SCALES) - 1)])

    def _dress(self) -> None:
        dark = self.mode == "dark" or (
            self.mode == "system" and self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        asked = self._asked
        high = Qt.ContrastPreference.HighContrast
        strong = self.contrast or (asked is not None and asked.contrastPreference() == high)
        wanted = (dark, strong, self.scale)
        # This polishes every widget again, so only for a real change (several signals may report the same one).
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
    """Set the application's style sheet and polish the visible widgets. Returns whether hidden widgets are left.

    `_wear_out_of_sight` polishes the hidden ones.

    Left to itself, Qt polishes a widget again for each of its ancestors: 0.9 s for 1,300 widgets, instead of 0.12 s.
    After `unpolish` its caches are empty, so it knows of no widget to polish.
    """
    app.style().unpolish(app)
    app.setStyleSheet(sheet)
    # A widget that was not polished yet is polished when it is first shown.
    worn = [widget for widget in app.allWidgets() if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)]
    others = [widget for widget in worn if not widget.isVisible()]
    _old.clear()
    _old.update(map(_place, others))
    _polish(app, [widget for widget in worn if widget.isVisible()], lays_out=False)
    return bool(others)


def _wear_out_of_sight(app: QApplication) -> bool:
    """Polish some hidden widgets; returns whether more are left. The list is made anew: some may be deleted."""
    old = [widget for widget in app.allWidgets() if _place(widget) in _old]
    _polish(app, old[:AT_ONCE])
    if len(old) > AT_ONCE:
        return True
    _old.clear()  # some have been deleted
    return False


def _place(widget: QWidget) -> int:
    """The address of a widget."""
    return getCppPointer(widget)[0]


def dress_now(whole: QWidget) -> None:
    """Polish what is hidden in a widget, and the widget itself: sizes are asked for before it is shown."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if _old:  # else all wear the new look: to look through all widgets takes 2 ms
        found = (widget for widget in app.allWidgets() if _place(widget) in _old)
        _polish(app, [widget for widget in found if widget is whole or whole.isAncestorOf(widget)])


def _polish(app: QApplication, widgets: list[QWidget], lays_out: bool = True) -> None:
    """Polish widgets.

    `lays_out`: whether a scroll area lays out at once what is in it; if not, it does so once all of it is polished.
    """
    style, event = app.style(), QEvent(QEvent.Type.StyleChange)
    for widget in widgets:
        _old.discard(_place(widget))
        style.polish(widget)
        if lays_out or not isinstance(widget, QScrollArea):
            QCoreApplication.sendEvent(widget, event)
        else:
            QCoreApplication.postEvent(widget, QEvent(QEvent.Type.StyleChange))


@contextmanager
def _no_widget_goes() -> Iterator[None]:
    """No widget is deleted inside this context: Qt walks through a list of all widgets, and would reach a deleted one.

    Widgets that wait to be deleted are deleted before; Python's collector, which may delete on any thread, is paused.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


FORMULA = 1.18
"""Size of a formula relative to other text that a class reads: its indices are smaller than its letters."""
_SIZE = re.compile(r"font-size: (\d+\.\d+)pt")


@cache
def _template() -> str:
    """Qt's language of style sheets with two units of ours.

    1u is one pixel at text scale 1 (1u+1, 1u-1: one more or less for a border that does not scale), and font sizes in
    em are multiples of the UI font. ``$name`` is a role of the theme. Borders stay in px: a hairline is a hairline at
    every scale. Controls keep a margin of 1px for the focus ring, so that nothing moves when the focus does. Controls
    in a line have one height; a spin box, to which Qt adds three pixels, needs a maximum.
    """
    return (resources() / "style.qss").read_text("utf-8")


def stylesheet(theme: Theme, fonts: Fonts, scale: float) -> str:
    """The style sheet of the whole program; paddings and radii follow `scale`, the text scale of `fonts`."""
    return _filled(theme, fonts.ui.pointSizeF(), fonts.code.family(), scale)


@lru_cache(maxsize=32)
def _filled(theme: Theme, points: float, code: str, scale: float) -> str:
    # Rounded down, always: a radius of more than half the height makes Qt draw square corners.
    text = re.sub(
        r"(-?\d+(?:\.\d+)?)u([+-]\d)?\b", lambda m: f"{int(float(m[1]) * scale) + int(m[2] or 0)}px", _template()
    )
    text = re.sub(r"(\d+(?:\.\d+)?)em\b", lambda m: f"{float(m[1]) * points:.2f}pt", text)
    roles = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return Template(text).substitute(
        roles,
        code_family=code,
        icons=(resources() / "icons").as_posix(),  # arrows and check marks: a style sheet cannot tint
        control=theme.muted,
    )


def fitted_stylesheet(points: float, heading: float) -> str:
    """The style sheet of one enlarged widget in such a window: sizes only; all else comes from the window's.

    `points`, `heading`: font sizes of its text, and of the words above a matrix.
    """
    return (
        f"QWidget, QHeaderView::section {{ font-size: {points:.2f}pt; }}"
        f'QLabel[role="small"] {{ font-size: {heading:.2f}pt; }}'
        f"Formula {{ font-size: {FORMULA * heading:.2f}pt; }}"
    )


def opening_stylesheet(points: float) -> str:
    """The style sheet of the first page where its text is larger than the program's: sizes only.

    `points`: font size of its plain words.
    """
    sizes = {"QLabel, QPushButton": 1.0, '[role="title"]': 1.8, '[role="lead"]': 1.2, '[large="true"]': 1.35}
    return "".join(f"{what} {{ font-size: {times * points:.2f}pt; }}" for what, times in sizes.items())


def window_stylesheet(theme: Theme, fonts: Fonts, scale: float, read_from_afar: bool) -> str:
    """The style sheet of a window with a look of its own, in addition to the program's.

    `read_from_afar`: whether no text may be smaller than the window's font: a class reads all of it.
    """
    points = fonts.ui.pointSizeF()
    # Under a style sheet, widgets inherit neither font nor colours from their parent.
    sheet = f"QWidget {{ font-size: {points:.2f}pt; color: {theme.text}; }}" + stylesheet(theme, fonts, scale)
    if read_from_afar:
        sheet = _SIZE.sub(lambda size: f"font-size: {max(float(size[1]), points):.2f}pt", sheet)
        sheet += f"Formula {{ font-size: {FORMULA * points:.2f}pt; }} QToolTip {{ font-size: {points:.2f}pt; }}"
        sheet += 'QPushButton[link="true"] { padding-top: 1px; padding-bottom: 1px; }'
    return sheet
