"""Icons draw something, in the colours of the theme."""

import pytest
from pixels import colours, pixels
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon

from explorer.paths import resources
from explorer.ui.theme import DARK, LIGHT
from explorer.ui.widgets.icons import app_icon, icon

ICONS = sorted(path.stem for path in (resources() / "icons").glob("*.svg"))


def inks(image):
    """The colours of what is not see-through."""
    seen = pixels(image)
    return set(colours(seen[seen >> 24 == 255]))


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_draws_something(qapp, name):
    image = icon(name, LIGHT).pixmap(QSize(48, 48)).toImage()
    assert image.size() == QSize(48, 48)
    assert inks(image)


def test_icons_take_the_colour_of_the_theme(qapp):
    for theme in (LIGHT, DARK):
        assert inks(icon("close", theme).pixmap(64).toImage()) == {theme.text}
        assert inks(icon("error", theme, "error").pixmap(64).toImage()) == {theme.error}
        disabled = icon("undo", theme).pixmap(QSize(64, 64), QIcon.Mode.Disabled)
        assert inks(disabled.toImage()) == {theme.disabled}


def test_the_program_has_its_own_colours(qapp):
    assert app_icon(LIGHT).pixmap(64).toImage() == app_icon(DARK).pixmap(64).toImage()


def test_no_icon_of_that_name(qapp):
    with pytest.raises(FileNotFoundError):
        icon("nonsense", LIGHT)
