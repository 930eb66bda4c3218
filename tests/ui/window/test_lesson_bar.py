"""What is said below the stage."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument

from explorer.document.commands import SetCells
from explorer.lessons.loader import catalogue, load
from explorer.lessons.prose import each_sentence
from explorer.lessons.schema import Setting
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.widgets.labels import SHORT, line_of
from explorer.ui.window.lesson_bar import bar_page

pytestmark = pytest.mark.usefixtures("no_pictures", "at_least_page", "page_rests")


def read(label):
    """The words of a label as somebody reads or copies them; names in them are set."""
    if "</" not in label.text():
        return label.text()
    document = QTextDocument()
    document.setHtml(label.text())
    return document.toPlainText()


def test_every_example_says_what_to_try():
    for lesson in catalogue():
        for setting in lesson.settings.values():
            assert setting.to_try or lesson.to_try or lesson.steps, (lesson.id, setting.name)


def test_whole_sentences_as_far_as_they_fit_and_what_to_try(window, eye):
    bar = window.lesson_bar
    window.resize(1600, 900)
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    whole = " ".join(window.bench.lesson.setting("textbook").paragraph.split())
    shown = read(bar._line)
    assert whole.startswith(shown) or shown.endswith("…")
    assert read(bar.words.widgets["try"]) == f"Try: {window.bench.lesson.to_try}"
    bar._more.click()
    assert read(bar.words.widgets["about"]).startswith(whole)
    assert not bar._line.text()


def test_the_line_is_not_cut_and_in_a_small_window_a_sentence_goes_on_in_a_second_one(open_window, eye):
    window = open_window("you-are-welcome")
    line = window.lesson_bar._line
    for lesson in ("apple-orange", "positions-cat-mat"):
        window.bench.open(load(lesson))
        eye.settle(window)
        assert line.text(), lesson
        assert line.sizeHint().width() <= line.width(), lesson
    window.resize(1024, 640)
    for lesson in ("tiny-gpt", "xor", "jump"):
        window.bench.open(load(lesson))
        eye.settle(window)
        assert read(line).startswith("Try: "), lesson
        assert "…" not in read(line), lesson
        assert line.height() >= line.sizeHint().height(), lesson
        assert line.sizeHint().width() <= line.width(), lesson


def test_behind_an_example_with_nothing_to_try_all_has_its_room(open_window, eye):
    window = open_window("what-the-cache-saves")
    window.resize(1600, 900)
    eye.settle(window)
    bar = window.lesson_bar
    assert not bar.words.isVisible()
    window.bench.open(load("positions-cat-mat"))
    eye.settle(window)
    assert bar._title.width() >= bar._title.sizeHint().width()
    tries = bar.words.widgets["try"]
    assert tries.height() >= tries.height_at(tries.width()) > 0


def test_what_to_try_is_data_not_how_a_paragraph_begins(window, eye):
    setting = Setting("a", "A", "Try: this is a paragraph.", to_try="essayez ceci.")
    lesson = replace(window.bench.lesson, id="other", settings={"a": setting})
    window.bench.open(lesson)
    eye.settle(window)
    bar = window.lesson_bar
    assert bar._line.text() == "Try: this is a paragraph."
    assert read(bar.words.widgets["try"]) == "Try: essayez ceci."
    bar._more.click()
    assert read(bar.words.widgets["try"]).splitlines() == ["Try: essayez ceci.", f"Try: {lesson.to_try}"]


def test_after_an_edit_it_says_that_the_words_are_about_the_start(window, eye):
    window.resize(1600, 900)
    eye.settle(window)
    bar = window.lesson_bar
    assert not bar._line.text().startswith("Before your changes: ")
    window.bench.document.do(SetCells("encoder.1.self.W_O", {(0, 0): 0.5}))
    eye.settle(window)
    assert bar._line.text().startswith("Before your changes: ")
    window.bench.document.undo()
    eye.settle(window)
    assert not bar._line.text().startswith("Before your changes: ")


def test_a_low_window_has_one_line_with_what_to_try(window, eye):
    window.resize(1280, 720)
    eye.settle(window)
    bar = window.lesson_bar
    assert bar._line.text().startswith("Try: ")
    assert not bar.words.isVisible()
    assert bar.height() < 3 * bar._line.height()


@pytest.mark.usefixtures("page_in_sight")
def test_large_text_in_a_low_window_leaves_the_stage_its_room(window, eye):
    window.resize(1280, 720)
    window.bench.appearance.set_scale(2.0)
    eye.settle(window)
    parts = window.lesson_bar, window.inspector
    assert not any(part.isVisible() for part in parts)
    for fold in (window.actions_.fold_bottom, window.actions_.fold_right):
        fold.trigger()
    assert all(part.isVisible() for part in parts), "until they are asked for"
    window.bench.appearance.set_scale(1.0)
    eye.settle(window)
    assert all(part.isVisible() for part in parts)
    assert not window.bench.settings.get("bottom bar folded", False), "what large text does is not remembered"


@pytest.mark.usefixtures("page_in_sight")
def test_in_large_text_the_first_two_matrices_are_whole(window, eye):
    window.resize(1280, 720)
    window.bench.appearance.set_scale(2.0)
    for stage in ("source.embedding", "encoder.1.self.attention"):
        page = eye.go_to(window, stage)
        eye.settle(window)
        # Numbers, or small pictures of them, of all that is more than a single number.
        boxes = [box for box in page.findChildren(MatrixBox) if box.isVisible() and box.matrix.array.size > 1]
        places = [box.mapTo(page.viewport(), box.rect().bottomRight()) for box in boxes[:2]]
        assert all(page.viewport().rect().contains(place) for place in places), stage


def test_the_parts_fold_away_by_keys_and_it_is_remembered(window, hand, eye):
    control = Qt.KeyboardModifier.ControlModifier
    for key, part, name in (
        (Qt.Key.Key_I, window.inspector, "right column folded"),
        (Qt.Key.Key_J, window.lesson_bar, "bottom bar folded"),
    ):
        hand.key(key, control)
        assert not part.isVisible()
        assert window.bench.settings.get(name, False)
        hand.key(key, control)
        assert part.isVisible()
        assert not window.bench.settings.get(name, True)


def test_what_stands_below_the_line_is_data():
    about, tries = bar_page(["Between <s> and </s>.", "Two."], ["Try: one."])
    assert (about.text, about.role) == ("Between &lt;s&gt; and &lt;/s&gt;.<br><br>Two.", "")
    assert (tries.text, tries.role) == ("Try: one.", "muted")
    assert bar_page([], []) == ()


def test_sentences_end_at_full_stops_but_not_within():
    assert each_sentence("One is 0.5. “Two” is right! Three?") == ["One is 0.5.", "“Two” is right!", "Three?"]


def test_all_that_there_is_to_say_stands_in_lines_that_are_read_with_ease(open_window, eye):
    """Opened, the words ran on across the window: some 230 letters a line at 2560 pixels."""
    window = open_window("xor")
    window.resize(2560, 1440)
    bar = window.lesson_bar
    bar._more.setChecked(True)
    eye.settle(window)
    text = bar.words.widgets["about"]
    assert len(text.text()) > SHORT
    assert text.width() <= line_of(text) < bar.words.width()
    assert text.height() >= text.height_at(text.width()), "its last line is cut"
    assert text.height() > 3 * text.fontMetrics().lineSpacing()
