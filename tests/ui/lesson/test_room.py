"""The room that a lesson takes: the list of stages gives way in a narrow window, and a wide picture is seen whole."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from explorer.lessons.loader import load
from explorer.lessons.schema import WHOLE
from explorer.ui.lesson.overview import Pictures
from explorer.ui.lesson.presenter_look import HEIGHT, READ, WIDTH
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.window.main_window import GUIDED


def test_among_all_steps_the_picture_of_the_whole_is_there(open_window):
    window = open_window(load("start-here"))
    window.lessons.guide.go(0)
    picture = Pictures(window.bench.appearance, window.lessons.guide.walk).step(0).toImage()
    colours = {picture.pixel(x, y) for x in range(WIDTH // 2, WIDTH, 7) for y in range(HEIGHT // 4, HEIGHT, 7)}
    assert len(colours) > 5


def test_in_a_narrow_window_the_list_gives_way_while_a_lesson_leads(open_window, qtbot):
    window = open_window("emma")
    window.resize(GUIDED - 100, 720)
    wide = window.map.width()
    window.lessons.begin("start-here", False)
    qtbot.waitUntil(lambda: window.map.width() < wide)
    assert not window.bench.settings.get("list folded", False), "what a lesson does is not remembered"
    window.resize(GUIDED + 100, 720)
    qtbot.waitUntil(lambda: window.map.width() == wide)
    window.resize(GUIDED - 100, 720)
    qtbot.waitUntil(lambda: window.map.width() < wide)
    window.lessons.guide.leave()
    qtbot.waitUntil(lambda: window.map.width() == wide)


def test_in_large_text_the_question_of_a_step_is_in_sight(open_window, appearance, eye):
    """The step had a quarter of the window's width, three words a line, beside a page half empty."""
    window = open_window("cat-sat-on-the")
    window.resize(1280, 720)
    appearance.set_scale(1.5)
    panel, guide = window.lessons.panel, window.lessons.guide
    for at in (1, 2, 4, 5, 6):
        guide.go(at)
        eye.settle(window)
        assert panel._scroll.verticalScrollBar().maximum() == 0, at
    alone = panel.width()
    guide.leave()
    eye.settle(window)
    assert window.inspector.width() < alone


def test_presented_the_picture_of_the_whole_is_seen_whole(open_window, hand, qtbot):
    window = open_window("emma")
    window.lessons.begin("start-here", False)
    hand.key(Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.lessons.presenter is not None and window.lessons.presenter.sheet is not None)
    presenter = window.lessons.presenter
    presenter.resize(1280, 720)
    sheet = presenter.findChild(StepSheet)
    qtbot.waitUntil(lambda: not sheet._turns)
    (picture,) = [widget for widget in sheet.elements.widgets.values() if getattr(widget, "fills", False)]
    qtbot.waitUntil(lambda: picture.width() > 600 and picture.height() > 250)
    corner = picture.mapTo(presenter, picture.rect().bottomRight())
    assert presenter.rect().contains(corner)
    presenter.leave()


@pytest.mark.parametrize("name", ["start-here", "i-love-ai"])
def test_a_class_can_read_the_picture_of_the_whole(open_window, eye, qtbot, text_sizes, name):
    window = open_window(load(name))
    guide = window.lessons.guide
    guide.go(max(at for at, step in enumerate(guide.steps) if step.look.stage == WHOLE))
    eye.settle(window)
    window.lessons.open_presenter()
    presenter = window.lessons.presenter
    qtbot.waitUntil(lambda: QApplication.activeWindow() is presenter)
    presenter.showNormal()  # a full screen has the size of the screen
    presenter.resize(WIDTH, HEIGHT)
    qtbot.waitUntil(lambda: text_sizes(presenter).get("Feed-forward", 0) >= 0.9 * READ)
    sizes = text_sizes(presenter)
    presenter.leave()
    assert {"Feed-forward", "Embeddings", "Positions"} <= sizes.keys()
    assert min(sizes.values()) >= 0.9 * READ, sizes  # the question has its room along the bottom
