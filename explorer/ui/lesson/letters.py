"""Looks for the words of a step on the screen: text that can be read from the last row of a class."""

from copy import copy
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QWidget

from explorer.ui.appearance import Appearance, Fonts, fitted_stylesheet, palette, window_stylesheet
from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

READ = 24
"""The least height of letters that the last row can read, in pixels on a screen of `WIDTH` by `HEIGHT`."""
HEADING = 0.8
"""The least size of the heading of a matrix, relative to the letters of the matrix and to those of the slide."""
WIDTH, HEIGHT = 1280, 720
"""The screen, in pixels, for which `SCALE` is made; on another screen all sizes scale with it."""
SCALE = 1.74
"""The text scale for that screen: the system's letters of 14 pixels become a little larger than 24."""


class Enlarged(Appearance):
    """A look larger than that of the program, `of`, for a widget and all widgets in it, in the program's theme.

    `theme`: one to use instead, as paper is always light.
    """

    def __init__(self, of: Appearance, window: QWidget, scale: float, theme: Theme | None = None) -> None:
        QObject.__init__(self, window)
        self._of, self._window, self._own = of, window, theme
        self._grown = self._awaited = 1.0
        self.turns = of.turns
        self.dress(scale)

    @property
    def moves(self) -> bool:
        """Whether things move, as in the program's look."""
        return self._of.moves

    @property
    def afar(self) -> bool:
        """Whether it is read from the last row; labels are then as large as other text."""
        return self.scale > 1

    def dress(self, scale: float) -> None:
        """Apply the program's present theme, at a text scale."""
        self.chosen = self.scale = scale
        self.mode = self._of.mode
        self.theme = self._own or self._of.theme
        fonts = Fonts.at_scale(scale)
        points = fonts.ui.pointSizeF()
        large = self.afar
        if large:  # small text becomes as large as the rest, because a class reads all of it
            code = QFont(fonts.code)
            code.setPointSizeF(points)
            fonts = replace(fonts, small=fonts.ui, number=fonts.ui, code=code)
        self.fonts = fonts
        self._window.setFont(fonts.ui)
        self._window.setPalette(palette(self.theme))
        self._window.setStyleSheet(window_stylesheet(self.theme, fonts, scale, read_from_afar=large))

    def undress(self) -> None:
        """Give the window the program's look again."""
        self._window.setStyleSheet("")
        self._window.setFont(QFont())
        self._window.setPalette(QPalette())


class Fitted(Enlarged):
    """The look of the matrices of a slide, which fill their place: all their numbers grow and shrink together.

    Headings do not grow with the numbers: a long equation above a small matrix would keep the matrix small.
    """

    @property
    def afar(self) -> bool:
        """True at any scale: labels are as large as numbers."""
        return True

    @property
    def close(self) -> bool:
        """True at any scale: numbers stand close together; the gaps grow only if there is room."""
        return True

    def dress(self, scale: float) -> None:
        """Apply the slide's theme at a text scale; the window's own style sheet only replaces the slide's sizes."""
        self.chosen = self.scale = scale
        self.mode, self.theme = self._of.mode, self._of.theme
        ui = Fonts.at_scale(scale).ui
        self.fonts = replace(Fonts.at_scale(scale), small=ui, number=ui)
        least, most = (times * self._of.scale for times in (HEADING, 1.1))
        heading = min(scale, max(HEADING * scale, least), most) / scale * ui.pointSizeF()
        self._window.setFont(ui)
        self._window.setStyleSheet(fitted_stylesheet(ui.pointSizeF(), heading))


def least_letters(look: Appearance) -> int:
    """The least height of letters in a look, in pixels; 0 if the program's own rules hold."""
    return round(READ * look.scale / SCALE) if isinstance(look, Enlarged) and look.afar else 0


def scale_for(width: int, height: int) -> float:
    """The text scale for a screen of this size in pixels."""
    return SCALE * min(width / WIDTH, height / HEIGHT)


def in_look(bench: Workbench, look: Appearance) -> Workbench:
    """The same model and selection, in another look."""
    other = copy(bench)
    other.appearance = look
    return other
