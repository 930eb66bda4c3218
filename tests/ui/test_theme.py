import dataclasses
import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QSpinBox

from explorer.paths import resources
from explorer.ui import colour
from explorer.ui.colour import contrast, luminance, qcolor, text_on
from explorer.ui.stylesheet import stylesheet
from explorer.ui.theme import DARK, LIGHT, SCALES, Appearance, Fonts, mark
from explorer.ui.widgets.icons import app_icon, icon

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
GROUNDS = ("page", "surface", "raised", "sunken")
WRITING = [
    *[(ink, ground) for ink in ("text", "muted", "accent_text", "link", "error", "here_text") for ground in GROUNDS],
    *[("text", ground) for ground in ("accent_soft", "here_soft", "error_soft", "selection")],
    *[("muted", ground) for ground in ("accent_soft", "here_soft")],
    ("accent_text", "accent_soft"),
    ("accent_text", "selection"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("cell_editable_text", "cell_editable_bg"),
    ("cell_computed_text", "cell_computed_bg"),
    ("here_text", "here_soft"),
    ("on_here", "here"),
    ("done_text", "done"),
    ("error", "error_soft"),
    ("on_error", "error"),
    ("on_selection", "selection"),
    ("on_tooltip", "tooltip"),
]


@pytest.fixture
def appearance(qapp):
    """A look put on for one test and taken off again."""
    before = qapp.font(), qapp.palette(), qapp.style().objectName()
    look = Appearance(qapp, "light")
    yield look
    look.set_mode("system")
    look.deleteLater()
    qapp.setStyleSheet("")
    qapp.setPalette(before[1])
    qapp.setFont(before[0])
    qapp.setStyle(before[2])


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert luminance((255, 255, 255)) == pytest.approx(1)


@THEMES
def test_all_writing_can_be_read(theme):
    pale = {
        f"{ink} on {ground}": round(contrast(getattr(theme, ink), getattr(theme, ground)), 2) for ink, ground in WRITING
    }
    assert {name: ratio for name, ratio in pale.items() if ratio < 4.5} == {}


@THEMES
def test_marks_that_are_not_writing_can_be_seen(theme):
    for mark_, ground in [
        *[("focus", ground) for ground in GROUNDS],
        *[("here", ground) for ground in (*GROUNDS, "cell_computed_bg", "cell_editable_bg")],
        ("accent_line", "surface"),
        ("accent_line", "page"),
    ]:
        assert contrast(getattr(theme, mark_), getattr(theme, ground)) >= 3, (mark_, ground)
    assert contrast(theme.here_line, theme.cell_computed_bg) >= 3
    assert all(contrast(color, theme.surface) >= 3 for color in theme.series)


@THEMES
def test_every_colour_is_written_out(theme):
    for field in dataclasses.fields(theme):
        value = getattr(theme, field.name)
        for color in (value,) if isinstance(value, str) else value:
            assert field.name == "name" or re.fullmatch("#[0-9a-f]{6}", color), field.name


@THEMES
@pytest.mark.parametrize("name", ["diverging_ramp", "sequential_ramp"])
def test_numbers_can_be_read_on_every_colour_of_a_map(theme, name):
    ramp = getattr(theme, name)
    assert len(ramp.colors) == len(ramp.text) == 257
    for ground, ink in zip(ramp.colors, ramp.text, strict=True):
        assert contrast(ground.name(), ink.name()) >= 4.5


def test_text_on_any_grey_and_any_primary():
    for level in range(256):
        for color in ((level, level, level), (level, 0, 0), (0, level, 0), (0, 0, level)):
            assert contrast(color, text_on(color)) >= 4.5


@THEMES
def test_small_values_fade_into_the_surface(theme):
    surface = np.array([qcolor(theme.surface).getRgb()])
    assert np.abs(theme.diverging_ramp.table[[127, 128]].astype(int) - surface).max() <= 3
    assert np.abs(theme.sequential_ramp.table[0].astype(int) - surface).max() <= 3
    for ramp in (theme.diverging_ramp.table[128:], theme.diverging_ramp.table[127::-1], theme.sequential_ramp.table):
        away = np.diff([abs(luminance(row) - luminance(theme.surface)) for row in ramp.tolist()])
        assert (away > -0.002).all()  # ever further from it, but for rounding


@THEMES
def test_the_ends_of_the_signed_map_weigh_the_same(theme):
    low, high = theme.diverging_ramp.table[[0, 255]]
    assert luminance(low) == pytest.approx(luminance(high), abs=0.03)
    assert low[2] > low[0]  # blue below zero
    assert high[0] > high[2]  # ochre above


@THEMES
def test_values_beyond_the_ends_and_not_numbers(theme):
    ramp = theme.diverging_ramp
    values = np.array([[-np.inf, -9.0, -1.0], [np.nan, 1.0, np.inf]])
    assert ramp.index(values, -1.0, 1.0).tolist() == [[0, 0, 0], [256, 255, 255]]
    assert (ramp.table[:, 3] == 255).all()
    assert ramp.colors[256].name() == theme.sequential_ramp.colors[256].name() == theme.error


@THEMES
def test_the_tables_fit_pyqtgraph_and_cannot_be_spoilt(theme):
    for ramp in (theme.diverging_ramp, theme.sequential_ramp):
        assert ramp.table.shape == (256, 4)
        with pytest.raises(ValueError, match="read-only"):
            ramp.table[0] = 0
    assert theme.diverging_ramp is theme.diverging_ramp


def test_the_maps_are_those_of_pyqtgraph():
    pyqtgraph = pytest.importorskip("pyqtgraph")
    signed = pyqtgraph.colormap.get("CET-CBD1").getLookupTable(0, 1, 9)
    assert tuple(QColor(*row).name() for row in signed.tolist()) == colour.CBD1
    blues = pyqtgraph.colormap.get("CET-CBL2").getLookupTable(0, 1, 256).tolist()
    for color in (colour.CBL2_BLUE, colour.CBL2_DEEP):
        assert min(np.abs(np.array(blues) - QColor(color).getRgb()[:3]).max(axis=1)) <= 1


def test_figures_are_equally_wide(qapp):
    for font in (Fonts.at_scale(1.0).ui, Fonts.at_scale(1.0).number):
        metrics = QFontMetricsF(font)
        assert len({metrics.horizontalAdvance(figure) for figure in "0123456789"}) == 1


def test_the_text_grows_with_the_scale(qapp):
    one, two = Fonts.at_scale(1.0), Fonts.at_scale(2.0)
    for field in dataclasses.fields(Fonts):
        small, large = getattr(one, field.name), getattr(two, field.name)
        assert large.pointSizeF() == pytest.approx(2 * small.pointSizeF(), rel=0.02)
    assert one.symbol.italic()


@THEMES
def test_the_style_sheet_is_filled_in(qapp, theme):
    sheet = stylesheet(theme, Fonts.at_scale(1.5), 1.5)
    assert "$" not in sheet
    assert not re.search(r"\d(u|em)\b", sheet)
    for used in re.findall(r'url\("([^"]+)"\)', sheet):
        with open(used, encoding="utf-8") as file:
            assert file.read().startswith("<svg")


def test_dressing_and_changing(appearance, qapp, qtbot):
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT.page
    assert (appearance.theme, appearance.mode) == (LIGHT, "light")
    with qtbot.waitSignal(appearance.changed):
        appearance.set_mode("dark")
    assert appearance.theme is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.page
    before = qapp.font().pointSizeF()
    with qtbot.waitSignal(appearance.changed):
        appearance.zoom(+1)
    assert appearance.scale == 1.1
    assert qapp.font().pointSizeF() == pytest.approx(1.1 * before, rel=0.02)
    assert appearance.px(100) == 110


def test_nothing_happens_when_nothing_changes(appearance, qtbot):
    with qtbot.assertNotEmitted(appearance.changed):
        appearance.set_mode("light")
        appearance.set_scale(1.0)
        appearance.zoom(0)


def test_the_scale_stays_within_its_ends(appearance):
    appearance.set_scale(99)
    appearance.zoom(+1)
    assert appearance.scale == SCALES[-1]
    appearance.set_scale(0.01)
    appearance.zoom(-1)
    assert appearance.scale == SCALES[0]


def test_the_system_decides_unless_told(appearance, qapp, monkeypatch):
    class Hints:
        def __init__(self):
            self.scheme = Qt.ColorScheme.Dark

        def colorScheme(self):
            return self.scheme

        def setColorScheme(self, scheme):
            pass

    hints = Hints()
    monkeypatch.setattr(appearance, "_app", type("App", (), {"styleHints": lambda self: hints})())
    for name in ("setFont", "setPalette", "setStyleSheet"):
        monkeypatch.setattr(type(appearance._app), name, lambda self, value: None, raising=False)
    appearance.set_mode("system")
    assert appearance.theme is DARK
    hints.scheme = Qt.ColorScheme.Light
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert appearance.theme is LIGHT
    appearance.set_mode("dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert appearance.theme is DARK


def test_marking_a_widget_restyles_it(appearance, qtbot):
    button = QPushButton("Next")
    qtbot.addWidget(button)
    button.show()
    plain = button.sizeHint()
    mark(button, chip="true")
    assert button.sizeHint() != plain
    assert button.palette().color(QPalette.ColorRole.ButtonText).name() == LIGHT.accent_text


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.1, 2.0, 3.0])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_styled_controls_paint_without_a_warning(appearance, qtbot, mode, scale):
    """conftest fails on Qt's complaints about a style sheet it cannot read."""
    appearance.set_mode(mode)
    appearance.set_scale(scale)
    bar = QFrame()
    qtbot.addWidget(bar)
    bar.setObjectName("topBar")
    row = QHBoxLayout(bar)
    for role in ("title", "section", "symbol", "code", "error"):
        row.addWidget(mark(QLabel(role), role=role))
    for kind in ("chip", "tab", "primary", "link"):
        row.addWidget(mark(QPushButton(kind), **{kind: "true"}))
    row.addWidget(QSpinBox())
    bar.show()
    QApplication.processEvents()
    image = bar.grab().toImage()
    assert image.pixelColor(2, 2).name() == appearance.theme.surface
    chip = next(b for b in bar.findChildren(QPushButton) if b.property("chip"))
    corner, inside = chip.geometry().topLeft() + QPoint(2, 2), chip.geometry().center() - QPoint(0, chip.height() // 3)
    assert (
        image.pixelColor(corner).name() == appearance.theme.surface
    )  # Qt draws square corners if the radius is too large
    assert image.pixelColor(inside).name() == appearance.theme.accent_soft


ICONS = sorted(path.stem for path in (resources() / "icons").glob("*.svg"))


def colours(image):
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_draws_something(qapp, name):
    image = icon(name, LIGHT).pixmap(QSize(48, 48)).toImage()
    assert image.size() == QSize(48, 48)
    assert colours(image)


def test_icons_take_the_colour_of_the_theme(qapp):
    for theme in (LIGHT, DARK):
        assert colours(icon("close", theme).pixmap(64).toImage()) == {theme.text}
        assert colours(icon("error", theme, "error").pixmap(64).toImage()) == {theme.error}
        disabled = icon("undo", theme).pixmap(QSize(64, 64), QIcon.Mode.Disabled)
        assert colours(disabled.toImage()) == {theme.disabled}


def test_the_program_has_its_own_colours(qapp):
    assert app_icon(LIGHT).pixmap(64).toImage() == app_icon(DARK).pixmap(64).toImage()


def test_no_icon_of_that_name(qapp):
    with pytest.raises(FileNotFoundError):
        icon("nonsense", LIGHT)
