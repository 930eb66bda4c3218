"""Names are set, and still are what one types for whoever copies them or hears them."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QAccessible, QFont, QFontMetricsF, Qt
from PySide6.QtWidgets import QCheckBox, QLabel

from explorer.lessons import prose
from explorer.lessons.symbols import SERIF, names_html
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.names import NamedBox, broken, document_of, set_names
from explorer.ui.widgets.written import written_in


def shown(html):
    """What a label shows: its letters, and for each whether it is below the line."""
    document = document_of(html, QFont("DejaVu Sans", 10))
    found, block = [], document.begin()
    iterator = block.begin()
    while not iterator.atEnd():
        piece = iterator.fragment()
        form = piece.charFormat()
        below = form.verticalAlignment() == form.VerticalAlignment.AlignSubScript
        found.append((piece.text(), below, form.fontItalic(), form.foreground().color().alpha() > 0))
        iterator += 1
    return document.toPlainText(), found


@pytest.mark.parametrize("name", ["W_Q", "d_model", "d_ff"])
def test_a_name_is_set_with_an_index_and_copied_as_it_is_typed(name):
    text, found = shown(set_names(f"Then {name} follows."))
    letter, _, index = name.partition("_")
    assert text == f"Then {name} follows."
    assert [piece for piece in found if piece[2]] == [(letter, False, True, True), (index, True, True, True)]
    assert ("_", False, False, False) in found, "the sign between them is not seen"


@pytest.mark.parametrize("name", ["b_1", "X_1", "γ_1"])
def test_a_digit_in_an_index_is_upright_as_a_one_in_italics_is_read_as_an_i(name):
    text, found = shown(set_names(f"Then {name} follows."))
    assert text == f"Then {name} follows."
    assert [piece[:3] for piece in found[1:4]] == [(name[0], False, True), ("_", False, False), ("1", True, False)]


def test_a_formula_in_prose_is_set_in_the_same_way():
    text, found = shown(set_names(prose.html(r"With $W_Q$ and $d_{model}$.")))
    assert text == "With W_Q and d_model."
    assert [piece[0] for piece in found if piece[1]] == ["Q", "model"]


@pytest.mark.parametrize(
    "typed",
    [
        "encoder.1.self.W_Q",
        "snake_case",
        "the word “a_b”",
        "<mark>a_b</mark>",
        "<code>W_Q</code>",
        "x_1(y)",
        "<a href='term:W_O'>it</a>",
    ],
)
def test_what_is_no_name_stays_as_it_is_typed(typed):
    assert names_html(typed) == typed


def test_words_without_names_stay_plain_words():
    assert set_names("1 < 2 & 3") == "1 < 2 & 3"
    assert shown(set_names("1 < 2 & W_O"))[0] == "1 < 2 & W_O"
    assert shown(set_names("W_O\nd_ff"))[0].split() == ["W_O", "d_ff"]


@given(st.text(st.characters(codec="ascii", exclude_characters="\x00<&\r\n"), max_size=40))
def test_whatever_is_typed_reads_the_same(text):
    words = " ".join(f"{text} W_O".split())
    assert shown(set_names(words))[0] == words


def test_a_screen_reader_says_what_one_types(qtbot):
    label, box = QLabel(set_names("Through W_O.")), NamedBox("W_O")
    for widget, said in ((label, "Through W_O."), (box, "W_O")):
        qtbot.addWidget(widget)
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name) == said


def test_a_name_is_found_on_the_page_as_one_types_it(qtbot):
    label = QLabel(set_names("Through W_O and d_model."))
    qtbot.addWidget(label)
    label.show()
    found = {one.text.strip(): one.place for one in written_in(label)}
    assert {"W_O", "d_model"} < set(found)
    assert found["W_O"].right() < found["d_model"].left()


def test_code_and_plain_words_are_not_set(qtbot):
    words, code = SteadyLabel("W_O"), SteadyLabel("W_O", role="code")
    for label in (words, code):
        qtbot.addWidget(label)
        assert label.text() == "W_O"
    assert "<sub>" in words.label.text()
    assert code.label.text() == "W_O"
    words.setText(escape("Q & A"))
    assert Qt.mightBeRichText(words.label.text()), "Qt would write Q &amp; A"


def test_a_box_with_a_name_is_as_high_as_others_and_shows_an_index(qtbot):
    named, typed, plain = NamedBox("Through W_O"), QCheckBox("Through W_O"), NamedBox("Through")
    for box in (named, typed, plain):
        qtbot.addWidget(box)
        box.resize(box.sizeHint())
        box.show()
    assert named.sizeHint().height() == typed.sizeHint().height() == plain.sizeHint().height()
    assert named.sizeHint().width() < typed.sizeHint().width(), "the index is small, and has no sign before it"
    assert named.grab().toImage() != typed.grab().toImage()
    assert plain.grab().toImage() != named.grab().toImage()


@pytest.mark.parametrize("words", ["R&D", "Through W_O & W_V"])
def test_an_ampersand_on_a_box_is_seen(qtbot, words):
    """It was left out, and the next letter underlined."""
    box, label = NamedBox(words), QLabel(set_names(words))
    other = NamedBox(words.replace("&", "and"))
    for one in (box, label, other):
        qtbot.addWidget(one)
    assert QAccessible.queryAccessibleInterface(box).text(QAccessible.Text.Name) == words
    gap = other.sizeHint().width() - QLabel(set_names(words.replace("&", "and"))).sizeHint().width()
    assert box.sizeHint().width() - label.sizeHint().width() == pytest.approx(gap, abs=2)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("▁to▁play▁with", ["▁to", "▁play", "▁with"]),
        ("<0xE2><0x96>", ["<0xE2>", "<0x96>"]),
        ("a▁b <0x41> c", ["a▁b", "<0x41>", "c"]),
    ],
)
def test_a_text_of_pieces_breaks_before_each_blank_and_each_byte(text, lines):
    assert broken(text, 6, len) == lines


def test_an_index_and_a_power_are_large_enough_to_be_read(appearance):
    """Qt makes two thirds of the letters beside it: 8.7 pixels."""
    names = ("d_mmm", "d_m", "<i>e</i><sup><i>m</i><i>m</i><i>m</i></sup>", "<i>e</i><sup><i>m</i></sup>")
    index, one, power, first = (document_of(set_names(name), appearance.fonts.ui).idealWidth() for name in names)
    letters = QFont([family.strip("'") for family in SERIF.split(",")])
    letters.setPixelSize(10)
    letters.setItalic(True)
    wide = QFontMetricsF(letters).horizontalAdvance("mm")
    assert index - one >= wide
    assert power - first >= wide
