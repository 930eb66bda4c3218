"""Icons draw something, in the colours of the theme.

Labels whose place is laid out anew only when they need another height.
"""

import ast

import pytest
from pixels import colours, pixels
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidget

from explorer.paths import resources
from explorer.ui.theme import DARK, LIGHT
from explorer.ui.widgets import labels
from explorer.ui.widgets.labels import Ring, SteadyLabel, app_icon, as_tip, breakable, icon

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


@pytest.fixture
def label(qtbot, look):
    label = SteadyLabel("<a href='x'>x</a> · 1.0000<br><a href='y'>y</a> · 2.0000")
    qtbot.addWidget(label)
    label.resize(120, 50)
    with qtbot.waitExposed(label):
        label.show()
    return label


@pytest.fixture
def asked(monkeypatch):
    """The widths for which a label was asked how high it is."""
    widths, real = [], QLabel.heightForWidth
    monkeypatch.setattr(QLabel, "heightForWidth", lambda own, width: widths.append(width) or real(own, width))
    return widths


def test_it_is_as_high_as_its_words(label, qtbot):
    two = label.height()
    label.setText("<br>".join(["line"] * 4))
    assert label.height() == 2 * two
    assert label.label.height() == label.height()
    label.resize(40, label.height())
    label.setText("words that take more lines in a narrow place")
    assert label.height() == label.label.heightForWidth(40)


def test_with_other_numbers_it_is_as_high_as_before_and_is_not_asked(label, qtbot, asked):
    high = label.height()
    label.setText("<a href='x'>x</a> · 3.1415<br><a href='y'>y</a> · 7.0000")
    assert not asked
    assert label.height() == high == label.label.sizeHint().height()
    label.setText("<a href='x'>x</a> · 3.14159265358979<br><a href='y'>y</a> · 7.0000")
    assert asked


def test_with_another_font_it_is_asked(label, qtbot, asked):
    high, font = label.height(), label.label.font()
    font.setPointSizeF(2 * font.pointSizeF())
    label.label.setFont(font)
    qtbot.waitUntil(lambda: label.height() > high)
    assert asked


def test_other_rich_words_are_painted_once(label, qtbot, watch):
    label.setText("<b>row</b> 1")
    label.grab()
    QApplication.processEvents()
    paints = watch([label.label], QEvent.Type.Paint)
    label.setText("<b>row</b> 2")
    qtbot.waitUntil(lambda: paints.total() > 0)
    QApplication.processEvents()  # Qt asks for a second painting in the first
    QApplication.processEvents()
    assert paints.total() == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<s> → ␣Once\n0.53", "&lt;s&gt; → ␣Once<br>0.53"),
        ("the → cat\n0.53", "the → cat\n0.53"),
        ("R&D", "R&D"),
        ("<p>A long tip of ours.</p>", "<p>A long tip of ours.</p>"),
    ],
)
def test_a_word_in_a_tip_is_no_markup(text, shown):
    """Of "<s> → ␣Once" a tip showed " → ␣Once", struck out."""
    assert as_tip(text) == shown


def test_a_ring_is_filled_to_its_share(look, qtbot):
    ring = Ring(look, "How far", 40)
    qtbot.addWidget(ring)
    ring.show_share(0.5)
    picture = ring.grab().toImage()
    right, left = (picture.pixelColor(x, picture.height() // 2).name() for x in (picture.width() - 2, 1))
    assert right == look.theme.accent.lower()
    assert left == look.theme.line.lower()


@pytest.mark.parametrize("still", [False, True])
def test_it_fills_before_one_s_eyes_unless_little_should_move(appearance, qtbot, monkeypatch, still):
    monkeypatch.setattr(labels, "FILLS_MS", 100)
    appearance.set_still(still)
    ring = Ring(appearance, "How far")
    qtbot.addWidget(ring)
    ring.show_share(1.0, fills=True)
    assert (ring._shown == 1.0) == (still or not appearance.moves)
    qtbot.waitUntil(lambda: ring._shown == 1.0)


CODE = "S = (Q.reshape(*Q.shape[:-3], K.shape[-3], -1, *Q.shape[-2:]) @ K.mT).reshape(*Q.shape[:-1], K.shape[-2])"


def test_code_without_blanks_is_cut_nowhere_and_can_be_run_as_it_stands(qtbot, look):
    assert breakable(CODE, 100) == CODE
    for most in (12, 16, 24):
        parts = breakable(CODE, most)
        assert max(map(len, parts.split(" "))) <= most + 4, parts
        assert ast.dump(ast.parse(parts)) == ast.dump(ast.parse(CODE))
    assert breakable("f('ij,jk->ik(and much more)')", 8) == "f('ij,jk->ik(and much more)')", "no text is changed"
    label = SteadyLabel(CODE, role="code")
    qtbot.addWidget(label)
    with qtbot.waitExposed(label):
        label.show()
    for width, changed in ((900, False), (200, True), (900, False)):
        label.resize(width, label.height())
        assert label.label.minimumSizeHint().width() <= label.width()
        assert (label.label.text() != CODE) == changed
        assert label.text() == CODE
        asked = []
        label.label.setText, original = asked.append, label.label.setText
        for _ in range(5):  # it laid itself out for ever
            QApplication.processEvents()
        label.label.setText = original
        assert asked == []


def test_the_ring_around_words_with_the_focus_crosses_no_letter_and_goes_with_them(qtbot, look):
    """In the right column the ring ran through the first and the last letter of each line."""
    column = QWidget()
    qtbot.addWidget(column)
    words = SteadyLabel("Each <a href='0'>unit</a> adds up.", parent=column)
    words.label.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
    words.setGeometry(20, 20, 120, 10)
    column.show()
    qtbot.waitExposed(column)
    column.activateWindow()
    words.label.setFocus()
    qtbot.waitUntil(words.label.hasFocus)
    ring = column.findChild(QFrame, "ring")
    for _ in range(2):
        assert ring.isVisible()
        inside = ring.geometry().adjusted(2, 2, -2, -2)
        assert inside.contains(words.geometry())
        assert inside.left() < words.x()
        words.setGeometry(30, 40, 60, 10)
    words.label.clearFocus()
    assert not ring.isVisible()
