"""The look of presenter mode: the same theme, with text that can be read from the last row."""

from copy import copy
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QWidget

from explorer.ui.appearance import Appearance, Fonts, palette
from explorer.ui.stylesheet import fitted_stylesheet, window_stylesheet
from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

READ = 24
"""Height of letters on that screen that the last row can read, in pixels."""
HEADING = 0.8
"""Least size of the words above a matrix, relative to the letters of the matrix and to those of the slide."""
WIDTH, HEIGHT = 1280, 720
"""The screen, in pixels, for which `SCALE` is made; on another screen all sizes scale with it."""
SCALE = 1.74
"""The text scale for that screen: the system's 14 pixels become a little more than 24, and nothing is smaller."""


class Enlarged(Appearance):
    """A look of one window, larger than that of the program, in the program's theme.

    Parameters
    ----------
    of : Appearance
        The program's look.
    window : QWidget
        The widget that gets the look, with everything in it.
    scale : float
        Text scale.
    theme : Theme, optional
        Another theme than the program's: on paper it is always light.
    """

    def __init__(self, of: Appearance, window: QWidget, scale: float, theme: Theme | None = None) -> None:
        QObject.__init__(self, window)
        self._of, self._window, self._own = of, window, theme
        self._grown = self._awaited = 1.0
        self.turns = of.turns
        self.dress(scale)

    @property
    def moves(self) -> bool:
        """As in the program's look."""
        return self._of.moves

    @property
    def afar(self) -> bool:
        """Whether it is read from the last row: then labels are as large as the rest."""
        return self.scale > 1

    def dress(self, scale: float) -> None:
        """Apply the program's present theme, at a text scale."""
        self._scale = self.scale = scale
        self._mode = self._of.mode
        self.theme = self._own or self._of.theme
        fonts = Fonts.at_scale(scale)
        points = fonts.ui.pointSizeF()
        large = self.afar
        if large:  # small text becomes as large as the rest: a class reads all of it
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
    """The look of what a slide is about, which fills its place: all its numbers grow and shrink together.

    Headings do not grow with them: else a long equation would keep a small matrix small.

    Parameters
    ----------
    of : Enlarged
        The look of the slide.
    """

    @property
    def afar(self) -> bool:
        """True at any scale: labels are as large as numbers."""
        return True

    @property
    def close(self) -> bool:
        """True at any scale: numbers stand close together, and the room between them grows if there is some."""
        return True

    def dress(self, scale: float) -> None:
        """Apply the slide's theme, at a text scale; of its style sheet only the sizes are replaced."""
        self._scale = self.scale = scale
        self._mode, self.theme = self._of.mode, self._of.theme
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
