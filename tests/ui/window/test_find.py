"""Ctrl+F: words are found wherever they are painted, marked there, and gone through one by one."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from explorer.document.commands import SetTokens
from explorer.ui.window.find import plain

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Key = Qt.Key
pytestmark = pytest.mark.usefixtures("no_pictures", "kept")


@pytest.fixture(scope="module")
def kept_lesson():
    return "emma"


@pytest.fixture
def find(kept, hand):
    """Opens the bar, puts words into it at once, or letter by letter, and returns it."""

    def do(window, text, by_letters=False):
        hand.key(Key.Key_F, CTRL)
        if by_letters:
            hand.type(text)
        else:
            window.found.field.setText(text)
        QApplication.processEvents()
        return window.found

    yield do
    if kept[0].found is not None:
        kept[0].found.close_down()


def is_over(bar, widget, rect):
    """Whether one of the marks lies on a place of a widget."""
    place = rect.translated(widget.mapTo(bar.parentWidget(), QPoint()))
    return any(hit.seen(bar._marks).intersects(place) for hit in bar.hits)


def test_labels_of_matrices_words_and_headings_are_found(anew, eye, find):
    window = anew("attention")
    bar = find(window, "FRIEND", by_letters=True)
    view = next(one for one in eye.views(window).values() if "friend" in one.matrix.rows)
    row = view.matrix.rows.index("friend")
    header = view.verticalHeader().viewport()
    at = view.rowViewportPosition(row)
    assert is_over(bar, header, header.rect().adjusted(header.width() // 2, at, 0, at + 20 - header.height()))
    strip = window.tokens
    assert is_over(bar, strip, strip.rect()), "the words that the model reads"
    assert bar.said.text() == f"{bar.at + 1} of {len(bar.hits)}"
    title = window.page().header
    bar.field.setText("attention")
    assert is_over(bar, title, title.rect())


def test_the_name_of_a_matrix_is_found_though_it_is_set_in_type(anew, find):
    window = anew("encoder.1.self.attention", lesson="you-are-welcome")
    assert find(window, "w_q").hits
    assert plain(r"W_{Q}^{\top}") == "W_Q^top"


def test_a_line_with_a_letter_that_has_no_capital_of_its_own_is_found(anew, eye, find):
    window = anew("source.embedding", lesson="you-are-welcome")
    window.bench.document.do(SetTokens("source", ("Große", "are")))
    eye.settle(window)
    for text in ("große", "GROß", "oße"):
        bar = find(window, text)
        assert is_over(bar, window.tokens, window.tokens.rect()), text


def test_enter_goes_from_place_to_place_and_round(anew, hand, find):
    window = anew("attention")
    bar = find(window, "hates")
    count = len(bar.hits)
    assert count > 2
    seen = []
    for _ in range(count):
        seen.append(bar.at)
        assert not bar.hits[bar.at].seen(bar._marks).isEmpty(), "it is brought into sight"
        hand.key(Key.Key_Return)
    assert seen == list(range(seen[0], count)) + list(range(seen[0]))
    assert bar.at == seen[0]
    hand.key(Key.Key_Return, SHIFT)
    assert bar.at == seen[-1]


def test_a_word_that_only_scrolling_a_matrix_brings_is_found(anew, eye, find):
    window = anew("input.embedding", lesson="tiny-gpt")
    view = eye.view(window, "input.table")
    label = view.matrix.rows[-1]
    assert not view.viewport().rect().contains(1, view.rowViewportPosition(len(view.matrix.rows) - 1))
    bar = find(window, label)
    row = view.matrix.rows.index(label)
    while not view.viewport().rect().contains(1, view.rowViewportPosition(row)):
        before = bar.at
        bar.go(1)
        assert bar.at > before


def test_it_says_so_where_the_words_are_nowhere(anew, find):
    bar = find(anew("attention"), "zebra")
    assert (len(bar.hits), bar.said.text()) == (0, "not on this page")


def test_esc_takes_the_bar_and_all_marks_away_and_gives_the_keys_back(anew, eye, hand, find):
    window = anew("attention")
    view = next(iter(eye.views(window).values()))
    view.setFocus()
    bar = find(window, "friend")
    hand.key(Key.Key_Escape)
    assert bar.isHidden()
    assert bar._marks.isHidden()
    assert view.hasFocus()


def test_another_page_is_looked_through_anew(anew, eye, find, qtbot):
    window = anew("source.embedding", lesson="you-are-welcome")
    bar = find(window, "softmax")
    before = [hit.within for hit in bar.hits]
    eye.go_to(window, "encoder.1.self.attention")
    qtbot.waitUntil(lambda: [hit.within for hit in bar.hits] != before)
    assert any(window.page().isAncestorOf(hit.within) for hit in bar.hits)


@pytest.mark.parametrize("tab", ["Train", "Words", "References", "Lessons"])
def test_it_finds_on_every_tab(anew, find, tab, qtbot):
    word = {"Train": "rate", "Words": "cosine", "References": "reference", "Lessons": "softmax"}[tab]
    window = anew(lesson="xor", tab=tab)

    def found():
        find(window, "")  # else the same words would not be searched again
        return bool(find(window, word).hits)

    qtbot.waitUntil(found)  # the parts of a tab are made in turns
