"""What is said below the stage."""

import pytest
from PySide6.QtWidgets import QApplication

from explorer.lessons.loader import catalogue
from explorer.ui.widgets.lesson_bar import TRY, sentences

pytestmark = pytest.mark.usefixtures("no_pictures")


def test_every_example_says_what_to_try():
    for lesson in catalogue():
        for setting in lesson.settings.values():
            said = f"{setting.paragraph}\n\n{lesson.paragraph}".split("\n\n")
            assert any(paragraph.strip().startswith(TRY) for paragraph in said), (lesson.id, setting.name)


def test_whole_sentences_as_far_as_they_fit_and_what_to_try(window):
    bar = window.lesson_bar
    window.resize(1600, 900)
    window.bench.open(window.bench.lesson, "textbook")
    window.bench.bridge.flush()
    whole = " ".join(window.bench.lesson.setting("textbook").paragraph.split())
    shown = bar._text.text()
    assert whole.startswith(shown) or shown.endswith("…")
    assert bar._try.isVisible()
    assert bar._try.text().startswith(TRY)
    bar._more.click()
    assert not bar._try.isVisible()
    assert TRY in bar._text.text()


def test_large_text_in_a_low_window_leaves_the_stage_its_room(window):
    window.resize(1280, 720)
    window.bench.appearance.set_scale(2.0)
    QApplication.processEvents()
    bar = window.lesson_bar
    assert not bar._text.isVisible()
    bar._more.click()
    assert bar._text.isVisible()
    bar._more.click()
    window.bench.appearance.set_scale(1.0)
    QApplication.processEvents()
    assert bar._text.isVisible()


def test_sentences_end_at_full_stops_but_not_within():
    assert sentences("One is 0.5. “Two” is right! Three?") == ["One is 0.5.", "“Two” is right!", "Three?"]
