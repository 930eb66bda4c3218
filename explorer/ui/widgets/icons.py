"""The program's icons: drawn in one colour, tinted to the theme."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from explorer.paths import resources
from explorer.ui.theme import Theme

SIZES = (16, 24, 32, 48, 64)
"""Pixels an icon is drawn at; Qt takes the next larger one, so it is sharp on high-density screens too."""


@lru_cache(maxsize=64)
def _source(name: str) -> bytes:
    return (resources() / "icons" / f"{name}.svg").read_bytes()


@lru_cache(maxsize=64)
def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """The icon ``resources/icons/NAME.svg`` in a colour of the theme.

    Parameters
    ----------
    name : file name without ending: undo, redo, sun, moon, plus, close, pin, error, search, back, next, ...
    theme : where the colours are from
    role : which of its colours: "text", "muted", "on_accent", "error", ...
    """
    result = QIcon()
    for mode, color in ((QIcon.Mode.Normal, getattr(theme, role)), (QIcon.Mode.Disabled, theme.disabled)):
        renderer = QSvgRenderer(QByteArray(_source(name).replace(b"currentColor", color.encode())))
        for size in SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter)
            painter.end()
            result.addPixmap(pixmap, mode)
    return result


def app_icon(theme: Theme) -> QIcon:
    """The icon of the program; it has its own colours, the same in both themes."""
    return icon("app", theme)
