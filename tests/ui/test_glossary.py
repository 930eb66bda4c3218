"""The glossary in the right column, by mouse and by keys."""

import re

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QScrollArea, QWidget

from explorer.lessons.glossary import LINK, glossary
from explorer.lessons.loader import titles
from explorer.pages.levels import WHOLE
from explorer.ui.glossary import letter_at, term_at, terms_in_sight
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.note import SectionLabel
from explorer.ui.theme import NODE
from explorer.ui.turns import later
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.labels import Label, SteadyLabel
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")
Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window, eye):
    return eye.go_to(window, "encoder.1.self.attention")


def box_of(page, name):
    (found,) = [box for box in page.findChildren(MatrixBox) if box.matrix.name == name]
    return found


def entry(window):
    return window.terms.term.name if window.terms.isVisible() else None


def listed(window):
    """The words of the links to other terms."""
    return re.findall(r"<a [^>]*>([^<]*)</a>", window.terms.elements.widgets["listed"].text())


def follow(window, part, words):
    """Follow the link with these words."""
    passage = window.terms.elements.widgets[part]
    passage.label.linkActivated.emit(re.search(rf"""href=['"]([^'"]*)['"]>{re.escape(words)}<""", passage.text())[1])


def test_a_click_on_a_symbol_opens_its_entry_and_covers_nothing(window, page, hand):
    box = box_of(page, "encoder.1.self.head.1.W_Q")
    before = page.size()
    hand.click(box.findChild(Formula))
    assert entry(window) == "W_Q, W_K, W_V"
    assert page.size() == before
    assert window.inspector.isVisible()
    assert not window.terms.geometry().intersects(window.inspector.geometry())
    caption = next(
        one for one in box_of(page, "encoder.1.self.head.1.weights").findChildren(Label) if "weights" in one.text()
    )
    hand.click(caption, QPoint(12, caption.height() // 2))
    assert entry(window) == "attention weights"


def test_the_word_under_the_pointer_counts(window, page, hand):
    (sentence,) = [label for label in page.header.findChildren(Label) if label.text().startswith("Each word asks")]
    metrics = QFontMetrics(sentence.font())
    sentence.ensurePolished()
    place = metrics.horizontalAdvance(sentence.text()[: sentence.text().index("value")]) + 6
    hand.click(sentence, QPoint(place, metrics.height() // 2))
    assert entry(window) == "value"


def test_a_click_on_a_heading_means_its_first_term(window, eye, hand):
    page = eye.go_to(window, "encoder.1.ffn.layers")
    heading = next(one for one in page.findChildren(SectionLabel) if one.isVisible() and "hidden units" in one.text())
    hand.click(heading, heading.rect().bottomRight() - QPoint(3, 3))
    assert entry(window) is not None


@pytest.fixture
def say(qtbot, appearance):
    """Shows words in a window of their own; says which term is under a pixel of their line."""
    holder = QWidget()
    qtbot.addWidget(holder)

    def show(words, width=900):
        label = Label(words, parent=holder)
        label.resize(width or label.sizeHint().width(), 30)
        holder.resize(label.size())
        with qtbot.waitExposed(holder):
            holder.show()
        return label, lambda x: term_at(holder, QPoint(x, 15))

    return show


def test_a_click_beside_the_words_of_a_sentence_means_nothing(say):
    label, term = say("<b>Softmax</b> makes shares of scores, whatever numbers they were before it came along.")
    under = letter_at(label, QPoint(3, 15))
    assert under.text[under.at] == "S"
    assert letter_at(label, QPoint(890, 15)).at == -1
    assert term(890) is None
    assert term(3).name == "softmax"


def test_a_short_question_is_no_heading(say):
    _, term = say("What is the second number of the row “are” in X?")
    assert {term(x) for x in range(3, 890, 40)} == {None}, "nowhere is its “row” an example of a data set"


def test_a_link_stays_a_link(say):
    label, term = say("<a href='x'>softmax</a> and softmax", width=0)
    assert term(5) is None
    assert term(label.width() - 5).name == "softmax"
    label.setProperty(NODE, "encoder.1.self.weights")
    assert term(5) is None, "“numbers” above a matrix opened the glossary, too"


def test_all_by_keys(window, page, hand, eye):
    view = eye.views(window)["encoder.1.self.head.1.Q"]
    hand.click(view, hand.cell(view, 0, 0))
    hand.key(Key.Key_G, CONTROL)
    assert entry(window) == "query"
    assert window.terms.elements.widgets["find"].edit.hasFocus()
    assert {"mask", "scale", "key", "score", "cosine"} <= set(listed(window))
    hand.key(Key.Key_F6)
    assert not window.terms.elements.widgets["find"].edit.hasFocus()
    hand.key(Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.terms.elements.widgets["find"].edit.hasFocus()
    for letter in "warm":
        hand.key(getattr(Key, f"Key_{letter.upper()}"))
    hand.key(Key.Key_Return)
    assert entry(window) == "warm-up"
    hand.key(Key.Key_Escape)
    assert entry(window) is None
    assert view.hasFocus()


def test_the_list_is_that_of_the_page(window, page, hand, eye, qtbot):
    hand.key(Key.Key_G, CONTROL)
    assert "residual" not in listed(window)
    eye.go_to(window, "encoder.1.self.after")
    qtbot.waitUntil(lambda: "residual" in listed(window))
    late = Label("Temperature", parent=window.area.in_sight())
    window.bench.appearance.turns.add(later(window, late.show, once=True))  # as a picture comes
    window.terms.follow()
    assert "temperature" not in listed(window)
    qtbot.waitUntil(lambda: "temperature" in listed(window))


def test_the_list_begins_with_a_word_not_with_the_number_of_a_text(window, hand, eye):
    eye.go_to(window, "source.positions")
    hand.key(Key.Key_G, CONTROL)
    found = listed(window)
    assert "004, 004-script" in found[-3:]
    assert found[0][0].isalpha()


def test_the_blocks_of_the_picture_of_the_whole_are_listed(window, eye, hand):
    """Of all words in the picture of the model the list had none."""
    eye.go_to(window, WHOLE.name)
    hand.key(Key.Key_G, CONTROL)
    assert {"attention", "concat", "feed-forward", "layer norm", "position"} <= set(listed(window))


def test_links_lead_on_to_stages_and_to_examples(window, page, hand, eye):
    window.terms.define(glossary().of("softmax"))
    follow(window, "says", "scores")
    assert entry(window) == "score"
    follow(window, "where", "Encoder 1: Self-attention")
    assert window.bench.selection.stage == "encoder.1.self.attention"
    window.terms.define(glossary().of("temperature"))
    follow(window, "where", titles()["softmax"])
    assert window.bench.lesson.id == "softmax"
    assert window.bench.selection.stage == "output"
    window.terms.define(glossary().of("ReLU"))  # the first kind of its stages is one of a transformer
    follow(window, "where", titles()["xor"])
    assert window.bench.lesson.id == "xor"
    assert window.bench.selection.stage == "layer.1"


def test_what_is_said_of_a_stage_leads_to_entries(window, page, qtbot):
    qtbot.waitUntil(lambda: f"{LINK}query" in window.inspector.elements.widgets["stage"].text())
    window.inspector.elements.widgets["stage"].label.linkActivated.emit(f"{LINK}query")
    assert entry(window) == "query"


def test_on_pages_without_an_inspector_it_stands_beside_them(window, hand):
    window.show_tab("Train")
    hand.key(Key.Key_G, CONTROL)
    assert window.terms.isVisible()
    assert not window.terms.parentWidget().geometry().intersects(window.tabs.geometry())
    assert listed(window)
    window.show_tab("Pipeline")
    assert window.terms.parentWidget() is window.inspector.parentWidget()
    assert window.terms.isVisible()


def test_it_follows_theme_and_text_scale(window, hand):
    hand.key(Key.Key_G, CONTROL)
    window.terms.define(glossary().of("d_model"))
    window.bench.appearance.zoom(3)
    window.bench.appearance.set_mode("dark")
    assert entry(window) == "d_model"
    assert window.terms.width() == window.inspector.width()


@pytest.mark.parametrize("scale", [long(1.0), 2.0])
def test_no_entry_is_wider_than_the_column(window, appearance, qtbot, monkeypatch, scale):
    appearance.set_scale(scale)
    window.terms.open()
    in_sight = terms_in_sight(window, window.terms)  # the same beside each entry: to look takes most of the time
    monkeypatch.setattr("explorer.ui.glossary.terms_in_sight", lambda *_: in_sight)
    panel = window.terms
    assert panel.parentWidget() is window.aside  # it stood over the menu until a tab was chosen
    (scroll,) = panel.findChildren(QScrollArea)
    for term in glossary().terms:
        panel.define(term)
        across = {*scroll.widget().findChildren(Formula), *scroll.widget().findChildren(SteadyLabel)}
        ends = [one.mapTo(scroll.viewport(), one.rect().topRight()).x() for one in across if one.isVisible()]
        assert 0 < max(ends) < scroll.viewport().width(), term.name
    qtbot.waitUntil(lambda: scroll.widget().width() == scroll.viewport().width())


@pytest.mark.parametrize("size", [long((1600, 900)), (1280, 720)])
def test_the_step_of_a_lesson_below_it_keeps_its_buttons_in_large_text(window, appearance, eye, size):
    """It stood over the row with the step's number and Reset."""
    window.resize(*size)
    window.lessons.begin("you-are-welcome", False)
    appearance.zoom(5)
    eye.settle(window)
    window.terms.define(glossary().of("softmax"))
    eye.settle(window)
    panel, column = window.lessons.panel, window.inspector.parentWidget()
    assert window.terms.geometry().bottom() < panel.geometry().top()
    assert panel.geometry().bottom() < column.height()
    assert panel.height() >= panel.minimumSizeHint().height()


def test_beside_a_step_the_inspector_has_what_room_is_left(window, eye):
    """It was hidden, above an empty column; and shown where a person had folded it, once the glossary was closed."""
    window.resize(1366, 768)
    window.lessons.begin("cat-sat-on-the", False)
    window.terms.define(None)
    eye.settle(window)
    panel, column = window.lessons.panel, window.inspector.parentWidget()
    assert window.inspector.height() >= column.height() - window.terms.height() - panel.height() - 5 > 80
    window.terms.define(glossary().of("softmax"))  # so long that the question would be out of sight
    eye.settle(window)
    assert window.inspector.height() == 0
    window.actions_.fold_right.trigger()
    window.terms.close_down()
    eye.settle(window)
    assert not window.inspector.isVisible()


def test_in_a_low_window_with_the_largest_letters_its_field_stays_in_sight(window, appearance, eye):
    """What the step below needs was more than the whole column: its height was to be below 0."""
    window.resize(1024, 640)
    window.lessons.begin("you-are-welcome", False)
    appearance.set_scale(3.0)
    eye.settle(window)
    window.terms.define(glossary().of("softmax"))
    eye.settle(window)
    column = window.inspector.parentWidget()
    assert 0 < window.terms.height() <= column.height() // 2


def test_where_the_inspector_is_folded_it_has_all_of_the_column(window, appearance, eye):
    """In large text it was half as high, and stood in the middle of an empty column."""
    window.resize(1280, 720)
    appearance.set_scale(2.0)
    eye.settle(window)
    window.terms.define(glossary().of("softmax"))
    eye.settle(window)
    column = window.inspector.parentWidget()
    assert window.inspector.isHidden()
    assert window.lessons.panel.isHidden()
    assert (window.terms.y(), window.terms.height()) == (0, column.height())
    window.actions_.fold_right.trigger()
    eye.settle(window)
    assert window.terms.height() <= column.height() // 2 <= window.inspector.height()


def test_the_button_that_closes_it_covers_no_word_of_its_heading(window, appearance, eye):
    window.resize(1024, 640)
    for scale in (1.0, 3.0):
        appearance.set_scale(scale)
        window.terms.define(None)
        eye.settle(window)
        title, corner = window.terms.elements.widgets["title"], window.terms._corner
        words = QRect(
            title.mapTo(window.terms, QPoint()), QSize(window.terms.elements.ask("title").likes, title.height())
        )
        assert not words.intersects(corner.geometry()), scale


def test_it_scrolls_no_farther_than_to_its_end(window, appearance, eye):
    """By one pixel where all is in sight; and past its end where it was opened again after a longer entry."""
    window.resize(1600, 900)
    bar = window.terms.area.verticalScrollBar()
    window.terms.define(None)
    eye.settle(window)
    assert bar.maximum() == 0
    appearance.set_scale(2.0)
    for term in (glossary().of("softmax"), None):
        window.terms.define(term)
        eye.settle(window)
        high = window.terms.elements.sizeHint().height()
        assert bar.maximum() == high - window.terms.area.viewport().height() > 0
        window.terms.close_down()
