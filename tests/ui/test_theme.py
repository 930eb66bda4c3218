"""Colours that can be read and told apart, and maps that say what the numbers say."""

import dataclasses
import re

import numpy as np
import pytest
from pixels import colours as colours_of
from pixels import pixels
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QPushButton, QSpinBox

from explorer.export import colours
from explorer.export.colours import contrast, luminance, text_on
from explorer.ui.theme import DARK, LARGEST, LIGHT, SMALLEST, letters_for, mark, paint_signs, qcolor
from explorer.ui.widgets.inputs import PushButton, Segments

KINDS = {"light": LIGHT, "dark": DARK, "strong light": LIGHT.strong, "strong dark": DARK.strong}
THEMES = pytest.mark.parametrize("theme", KINDS.values(), ids=KINDS)
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
    ("error", "error_soft"),
    ("on_selection", "selection"),
    ("on_tooltip", "tooltip"),
]


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
        *[("focus_on_accent", ground) for ground in (*GROUNDS, "accent")],
        ("accent_line", "surface"),
        ("accent_line", "page"),
        *[("field", ground) for ground in GROUNDS],
    ]:
        assert contrast(getattr(theme, mark_), getattr(theme, ground)) >= 3, (mark_, ground)
    assert contrast(theme.here_line, theme.cell_computed_bg) >= 3
    # Names of curves are written in their colours.
    assert all(contrast(color, ground) >= 4.5 for color in theme.series for ground in (theme.surface, theme.page))


def test_twelve_heads_have_marks_of_their_own():
    """Heads 7 and 8 had those of 1 and 2."""
    for theme in (LIGHT, DARK):
        assert len({theme.head(k) for k in range(12)}) == 12


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_with_more_contrast_writing_and_the_edges_of_controls_and_cells_stand_out(theme):
    """WCAG 1.4.6 and 1.4.11."""
    strong = theme.strong
    for ink in ("text", "muted", "cell_computed_text"):
        assert min(contrast(getattr(strong, ink), getattr(strong, ground)) for ground in GROUNDS) >= 7, ink
    for edge in ("line_strong", "cell_editable_border", "cell_computed_border", "hatch"):
        assert min(contrast(getattr(strong, edge), getattr(strong, ground)) for ground in GROUNDS) >= 3, edge


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_an_empty_field_and_its_button_say_can_be_read(qapp, appearance, mode):
    """Qt writes it in half of the text's colour: 3.2 to 1 for "2 decimals" below a question."""
    appearance.set_mode({"light": "dark", "dark": "light"}[mode])  # a render before may have dressed the application
    appearance.set_mode(mode)
    field = QLineEdit()
    field.setPlaceholderText("2 decimals")
    field.ensurePolished()
    ink, ground = field.palette().placeholderText().color(), appearance.theme.surface
    assert ink.alpha() == 255
    assert contrast(ink.name(), ground) > 4.5
    button = mark(QPushButton("Lock in"), primary="true")
    button.setEnabled(False)  # as long as nothing is typed: it was written in 2.1 to 1
    button.resize(button.sizeHint())
    image = button.grab().toImage()
    inks = {image.pixelColor(x, y).name() for x in range(8, image.width() - 8) for y in range(8, image.height() - 8)}
    assert max(contrast(one, appearance.theme.raised) for one in inks) > 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("kind", [QLineEdit, QComboBox, QSpinBox, QPlainTextEdit])
def test_an_empty_field_is_seen_by_its_edge(qtbot, appearance, mode, kind):
    """White on nearly white within a line of 1.6 to 1: where to type was to be guessed (WCAG 1.4.11)."""
    appearance.set_mode(mode)
    field = kind()
    qtbot.addWidget(field)
    field.ensurePolished()
    field.resize(120, 60 if kind is QPlainTextEdit else field.sizeHint().height())
    image = field.grab().toImage()
    edge, within = (image.pixelColor(1, image.height() // 2).name(), appearance.theme.surface)
    assert edge == appearance.theme.field
    assert min(contrast(edge, ground) for ground in (within, appearance.theme.page)) >= 3


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_is_chosen_of_a_few_is_seen_without_colours(qapp, appearance, mode):
    appearance.set_mode(mode)
    choice = Segments(["a", "b"], "Letter")
    choice.choose(1)
    choice.resize(choice.sizeHint())
    image, low = choice.grab().toImage(), choice.height() - 2  # the last row is margin
    other, chosen = (
        [image.pixelColor(button.geometry().center().x(), y).name() for y in range(low - 2, low + 1)]
        for button in choice.group.buttons()
    )
    ground = image.pixelColor(choice.width() - 8, low - 4).name()
    assert max(contrast(color, ground) for color in chosen) > 3
    assert max(contrast(color, other[0]) for color in other) < 2


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_cannot_be_pressed_is_seen_and_whether_it_is_chosen(qapp, appearance, mode):
    """A ticked box that could not be changed looked like an empty one; a link that did nothing like one that did."""
    appearance.set_mode(mode)
    theme = appearance.theme
    box, link, tab = QCheckBox("Bias"), PushButton("× 1", look="link"), PushButton("Train", look="tab")
    box.setChecked(True)
    for one in (box, link, tab):
        one.setEnabled(False)
        one.resize(one.sizeHint())
    assert colours_of(pixels(box.grab().toImage())).get(theme.disabled, 0) > 80, "the ground of the tick"
    for one in (link, tab):
        assert theme.disabled in colours_of(pixels(one.grab().toImage()))
    tab.setEnabled(True)
    tab.setCheckable(True)
    tab.setChecked(True)
    assert theme.accent_text in colours_of(pixels(tab.grab().toImage())), "a line below, not only a pale ground"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_ring_around_a_main_button_is_seen(qtbot, appearance, mode):
    """Blue around teal is as dark as the teal: nobody saw that *Next* or *Begin* had the keys."""
    appearance.set_mode(mode)
    button = PushButton("Begin", look="primary")
    qtbot.addWidget(button)
    with qtbot.waitActive(button):
        button.show()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    button.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)  # as Qt does at the key Tab
    qtbot.waitUntil(button.hasFocus)
    image, across = button.grab().toImage(), button.width() // 2
    ring, ground = (image.pixelColor(across, y).name() for y in (1, 4))
    assert contrast(ring, ground) >= 3
    # The style drew a second, pale frame within it.
    button.clearFocus()
    letters = button.grab().toImage()
    inner = [(x, y) for x in range(4, image.width() - 4) for y in range(4, image.height() - 4)]
    assert all(image.pixel(x, y) == letters.pixel(x, y) for x, y in inner)


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
    assert len(ramp.colors) == len(ramp.text) == 258
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
    assert tuple(QColor(*row).name() for row in signed.tolist()) == colours.CBD1
    blues = pyqtgraph.colormap.get("CET-CBL2").getLookupTable(0, 1, 256).tolist()
    for color in (colours.CBL2_BLUE, colours.CBL2_DEEP):
        assert min(np.abs(np.array(blues) - QColor(color).getRgb()[:3]).max(axis=1)) <= 1


@pytest.mark.parametrize(("wide", "dashed"), [(10, [False, True, False, False]), (6, [False] * 4)])
def test_a_square_below_0_has_a_dash_where_one_fits(qapp, wide, dashed):
    image = QImage(4 * wide, wide, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_signs(painter, LIGHT, np.array([[1.0, -0.001, np.nan, -np.inf]]), QRectF(image.rect()))
    painter.end()
    middles = [image.pixelColor(wide * k + wide // 2, wide // 2) for k in range(4)]
    assert [one != QColor("white") for one in middles] == dashed


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_dash_is_as_strong_as_its_number(qapp, theme):
    """Of 860 numbers near 0 one saw the dashes, which were all alike, and not the colours."""
    image = QImage(50, 10, QImage.Format.Format_RGB32)
    image.fill(qcolor(theme.surface))
    painter = QPainter(image)
    paint_signs(painter, theme, np.array([[1.0, -0.05, -0.2, -0.5, -1.0]]), QRectF(image.rect()))
    painter.end()
    seen = [contrast(theme.surface, image.pixelColor(10 * k + 5, 5).getRgb()[:3]) for k in range(5)]
    assert seen[0] == 1 < seen[1] < seen[2] < seen[3] == seen[4]
    assert seen[1] < 1.7
    assert seen[4] > 3


def test_numbers_grow_with_their_squares_until_they_fit_no_more(qapp):
    numbers, font = np.array([[-1.0, 0.25], [0.5, 1.0]]), QFont()
    sizes = [letters_for(font, numbers, 90, down).pixelSize() for down in (20, 25, 38)]
    assert sizes == [12, 15, 19]
    assert letters_for(font, numbers, 400, 400).pixelSize() == LARGEST
    narrow = letters_for(font, numbers, 44, 38)
    assert SMALLEST <= narrow.pixelSize() < 19
    assert letters_for(font, numbers, 20, 38) is None
    assert letters_for(font, numbers, 90, 12) is None
    tiny = np.array([[-1.0, 5e-7], [0.5, 1.0]])  # 5×10⁻⁷ would leave no square its number
    assert letters_for(font, tiny, 44, 38).pixelSize() == letters_for(font, numbers, 44, 38).pixelSize()
