"""The whole model on the page: it fills the room, it is played, and one comes back to it from everywhere."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel

from explorer.pages.levels import WHOLE
from explorer.pages.whole.page import PLAYED
from explorer.ui.appearance import Appearance
from explorer.ui.drawing import blocks
from explorer.ui.page.page_view import PageView
from explorer.ui.page.player import EACH, PlayerView
from explorer.ui.widgets.written import written_in

pytestmark = pytest.mark.usefixtures("kept")

Key = Qt.Key
FFN = "encoder.1.ffn.layers"


@pytest.fixture
def whole(anew):
    return anew(WHOLE.name)


@pytest.fixture
def player(whole):
    (found,) = whole.page().findChildren(PlayerView)
    yield found
    if found.playing:
        found.button.click()


def taken(window):
    return window.bench.selection.looking.choices.get(PLAYED)


def motion(monkeypatch, milliseconds):
    """As if the system asked for so much motion."""
    monkeypatch.setattr(Appearance, "moves", milliseconds > 0)


def test_in_a_window_of_1024_by_640_each_word_is_written_and_none_is_cut(anew, eye):
    window = anew(WHOLE.name, size=(1024, 640))
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    written = [one.text for one in written_in(window.page().widget())]
    for word in ("You", "are", "welcome"):
        assert written.count(word) == 2, "before the encoder, and in cross-attention"
    assert {"<start>", "de", "nada", "Positions", "Self-attention", "Feed-forward", "Cross-attention"} <= set(written)
    assert [text for text in written if "…" in text] == []


@pytest.mark.parametrize(
    ("lesson", "showing"), [("you-are-welcome", "values"), ("i-love-ai", "gradient"), ("emma", "values")]
)
def test_no_word_of_it_is_cut_in_the_smallest_usual_window(anew, eye, monkeypatch, lesson, showing):
    window = anew(WHOLE.name, lesson=lesson, size=(1280, 720))
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    assert window.map.buttons[0].titled
    cut = []

    class Metrics(QFontMetricsF):
        def elidedText(self, text, *rest):
            cut.append(text)
            return super().elidedText(text, *rest)

    monkeypatch.setattr(blocks, "QFontMetricsF", Metrics)
    window.bench.selection.show(showing)
    eye.settle(window)
    window.grab()
    assert cut == []


def test_the_picture_fills_the_page_and_nothing_scrolls(whole, eye):
    for size in ((1280, 720), (1600, 900), (1840, 950)):
        whole.resize(*size)
        eye.settle(whole)
        page = whole.page()
        assert page.verticalScrollBar().maximum() == page.horizontalScrollBar().maximum() == 0, size
        picture = page.elements.widgets["model"]
        low = picture.mapTo(page.viewport(), picture.rect().bottomLeft()).y()
        assert 0 < page.viewport().height() - low <= 36, size  # the margin
        assert picture.width() > 0.9 * page.viewport().width(), size


def test_space_plays_a_pass_to_its_end(whole, player, hand, monkeypatch, qtbot):
    motion(monkeypatch, 200)
    monkeypatch.setattr("explorer.ui.page.player.EACH", 8)
    whole.setFocus()
    hand.key(Key.Key_Space)
    assert player.playing
    assert player.button.text() == "Pause"
    last = player.slider.maximum()
    seen = set()
    player.slider.valueChanged.connect(seen.add)
    qtbot.waitUntil(lambda: not player.playing)
    assert taken(whole) == player.slider.value() == last
    assert player.button.text() == "Play"


def test_a_pass_can_be_paused_and_gone_through(whole, player, hand, monkeypatch):
    motion(monkeypatch, 200)
    hand.click(player.button)
    hand.click(player.button)
    assert not player.playing
    player.slider.setValue(3)
    assert taken(whole) == 3
    marks = whole.page().elements.widgets["model"].data.drawing.marks
    assert any(mark.faint for mark in marks)
    assert not all(mark.faint for mark in marks)
    assert "Step 3 of" in player.words.text()


def test_a_pass_goes_to_where_one_presses_and_space_plays_on_after_a_click_on_the_speed(whole, player, hand):
    slider, left = player.slider, player.slider.x()
    hand.click(slider, QPoint(slider.width() // 2, slider.height() // 2))
    assert abs(slider.value() - slider.maximum() / 2) <= 1
    hand.click(player.speed)
    hand.key(Key.Key_Space)
    assert player.speed.text() == "× 2"
    assert player.playing
    assert player._timer.interval() == EACH / 2  # from the first step on
    QApplication.processEvents()
    assert slider.x() == left


def test_where_less_motion_is_asked_for_each_press_goes_one_step_and_from_the_end_to_the_beginning(
    whole, player, hand, qtbot
):
    hand.click(player.button)
    assert player.playing
    whole.actions_.still.trigger()
    assert not player.playing
    assert player.button.text() == "Next"
    player.slider.setValue(2)
    hand.click(player.button)
    assert taken(whole) == 3
    whole.setFocus()
    hand.key(Key.Key_Space)
    assert taken(whole) == 4
    player.slider.setValue(player.slider.maximum())
    hand.click(player.button)
    assert taken(whole) == 0
    assert not player.playing
    whole.actions_.still.trigger()
    assert player.button.text() == "Play"


def test_a_page_that_is_left_does_not_go_on_and_is_whole_again(whole, player, hand, eye, monkeypatch, qtbot):
    motion(monkeypatch, 200)
    monkeypatch.setattr("explorer.ui.page.player.EACH", 8)
    hand.click(player.button)
    qtbot.waitUntil(lambda: player.slider.value() > 1)
    eye.go_to(whole, FFN)
    assert not player.playing
    eye.go_to(whole, WHOLE.name)
    assert player.button.text() == "Play", "nothing moves, so there is nothing to pause"
    assert player.slider.value() == player.slider.maximum(), "the picture is whole again"
    hand.click(player.button)
    # Any step but the last: on a busy machine the first is over before somebody looks.
    qtbot.waitUntil(lambda: player.slider.value() < player.slider.maximum())


def test_a_pass_that_is_paused_waits_where_it_is(whole, player, hand, eye, monkeypatch):
    motion(monkeypatch, 200)
    player.slider.setValue(3)
    eye.go_to(whole, FFN)
    eye.go_to(whole, WHOLE.name)
    assert (player.button.text(), player.slider.value()) == ("Play", 3)


def test_keys_and_crumbs_lead_back_to_the_whole(anew, hand):
    window = anew(FFN)
    for key, modifier in ((Key.Key_Home, "AltModifier"), (Key.Key_Backspace, "NoModifier")):
        window.bench.selection.go_to(FFN)
        window.setFocus()
        hand.key(key, Qt.KeyboardModifier[modifier])
        assert window.bench.selection.stage == WHOLE.name
    window.bench.selection.go_to(FFN)
    page = window.page()
    assert isinstance(page, PageView)
    (crumbs,) = [label for label in page.header.findChildren(QLabel) if "href" in label.text()]
    assert crumbs.accessibleName() == "Back to The model or Encoder 1: Feed-forward block"
    crumbs.linkActivated.emit("1")
    assert window.bench.selection.stage == "model.encoder.1.ffn"
    crumbs.linkActivated.emit("0")
    assert window.bench.selection.stage == WHOLE.name


def test_the_list_is_folded_to_numbers_and_opened_again(whole, eye, hand):
    wide, room = whole.map.width(), whole.page().width()
    hand.key(Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    eye.settle(whole)
    assert whole.map.width() < wide / 2
    assert whole.page().width() > room
    eye.go_to(whole, FFN)
    assert whole.map.width() < wide / 2
    hand.key(Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    eye.settle(whole)
    assert whole.map.width() == wide


@pytest.mark.parametrize("step", [0, 9])
def test_a_step_of_start_here_shows_all_of_the_model_and_play_moves(anew, eye, hand, monkeypatch, qtbot, step):
    """A pass that was going on, or was paused half-way, stood there half faint, and said "Pause"."""
    motion(monkeypatch, 200)
    monkeypatch.setattr("explorer.ui.page.player.EACH", 8)
    window = anew(step=0, lesson="start-here")
    guide = window.lessons.guide

    def player():
        (found,) = window.page().findChildren(PlayerView)
        return found

    hand.click(player().button)
    qtbot.waitUntil(lambda: player().slider.value() > 2)
    if step:
        hand.click(player().button)
        guide.go(1)
        eye.settle(window)
    guide.go(step)
    eye.settle(window)
    found = player()
    assert not found.playing
    assert found.button.text() == "Play"
    assert found.slider.value() == found.slider.maximum()
    assert not any(mark.faint for mark in window.page().elements.widgets["model"].data.drawing.marks)
    hand.click(found.button)
    assert found.button.text() == "Pause"
    assert found.slider.value() < found.slider.maximum(), "it begins anew"
    qtbot.waitUntil(lambda: not found.playing)
    assert found.slider.value() == found.slider.maximum()
