"""One page becomes the next before one's eyes, and is never in the way of the hand."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.schema import WHOLE
from explorer.pages.gestures import Keep
from explorer.pages.levels import ALL, LAYER
from explorer.ui.appearance import Appearance
from explorer.ui.page.gestures import perform
from explorer.ui.page.overlays import Motion
from tests.samples import long

pytestmark = pytest.mark.usefixtures("kept", "motion")

ATTENTION, HEADS = "encoder.1.self.attention", "encoder.1.self.heads"


@pytest.fixture
def motion(window, monkeypatch):
    """Pages become each other, as for a person."""
    monkeypatch.setattr(Motion, "held", False)
    yield
    window.area.motion.stop()  # it would take minutes


@pytest.fixture
def moving(motion, window, eye, qtbot, monkeypatch):
    """The window between two stages: it has begun, and stands still at the moment that is asked for."""
    monkeypatch.setattr(Appearance, "moves", False)
    for stage in (HEADS, ATTENTION):  # both pages have been made
        eye.go_to(window, stage)
    eye.settle(window)
    monkeypatch.setattr(Appearance, "moves", True)
    monkeypatch.setattr("explorer.ui.page.overlays.TIME", 10**6)  # on a busy machine it could be over before it is seen
    window.bench.selection.go_to(HEADS)
    motion = window.area.motion
    qtbot.waitUntil(lambda: motion.begun)
    motion.show_at(0.0)
    return motion


def picture(window):
    return window.area.grab().toImage()


def test_at_its_ends_it_looks_like_each_of_the_two_pages_and_half_way_like_none(window, eye, moving, qtbot):
    old, new = (one[1].toImage() for one in (moving._before, moving._after))
    seen = []
    for at in (0.0, 0.5, 0.99):
        moving.show_at(at)
        seen.append(picture(window))
    assert seen[0] == old
    assert seen[1] not in (old, new)
    assert {"encoder.1.self.head.1.weights"} <= moving._before[0].matrices.keys() & moving._after[0].matrices.keys()
    moving.show_at(1.0)
    assert not moving.moves
    assert moving.geometry().isEmpty()
    assert picture(window) == new, "the page itself"


@pytest.mark.parametrize("act", ["key", *map(long, ["click", "wheel", "edit"]), "shortcut"])
def test_what_a_hand_does_ends_it_and_is_done_at_once(window, moving, hand, act):
    assert moving.moves
    if act == "key":
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Down)
    elif act == "click":
        QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=window.rect().center())
    elif act == "wheel":
        QTest.wheelEvent(window.windowHandle(), window.rect().center(), window.rect().center())
    elif act == "edit":
        window.bench.document.do(SetCells("encoder.1.self.W_O", {(0, 0): 0.125}))
        window.bench.bridge.flush()
    else:
        hand.key(Qt.Key.Key_L)
        assert window.bench.light.on
    assert not moving.moves
    assert moving.geometry().isEmpty()


def test_the_next_stage_ends_it_and_another_begins(window, moving, qtbot):
    window.bench.selection.go_to(ATTENTION)
    qtbot.waitUntil(lambda: moving.begun)
    assert "encoder.1.self.concat" in moving._before[0].matrices


def test_another_layer_is_drawn_with_a_motion_and_on_another_page_nothing_waits_for_it(anew, motion, eye, qtbot):
    """Everything else on the screen glided to its new place; the picture of the whole jumped to another layer."""
    window = anew(WHOLE, lesson="tiny-gpt")
    eye.settle(window)
    perform(window.bench, Keep(LAYER, ALL), window)
    qtbot.waitUntil(lambda: window.area.motion.begun)
    before, after = (one[1].toImage() for one in (window.area.motion._before, window.area.motion._after))
    assert before != after
    window.area.motion.stop()
    assert picture(window) == after
    eye.go_to(window, "output")
    window.area.motion.stop()
    perform(window.bench, Keep(LAYER, 2), window)
    assert not window.area.motion.moves
    assert window.area.motion._before is None


def test_with_less_motion_the_next_page_is_there_at_once(window, eye, monkeypatch):
    monkeypatch.setattr(Appearance, "moves", False)
    eye.go_to(window, ATTENTION)
    window.bench.selection.go_to(HEADS)
    window.page()
    assert not window.area.motion.moves
    assert window.area.motion.geometry().isEmpty()


def test_a_page_that_is_made_anew_comes_at_once(window, eye, appearance, qtbot):
    """For another look, or after an edit of what the model consists of."""
    eye.go_to(window, ATTENTION)
    before = window.page()
    appearance.set_mode("dark")
    qtbot.waitUntil(lambda: window.area.in_sight() not in (None, before))
    assert not window.area.motion.moves
    window.bench.document.do(SetSwitch("encoder.1.self", "mask", "causal"))
    window.bench.bridge.flush()
    window.page()
    assert not window.area.motion.moves


def test_a_window_that_is_made_smaller_has_its_page_at_once(window, moving):
    window.resize(window.width() - 40, window.height())
    assert not moving.moves


def test_where_a_page_has_no_room_it_has_none_to_remember(window, eye, qtbot):
    """Bars and large letters had taken all of a low window; the picture of nothing could not be painted on."""
    area = window.area
    eye.go_to(window, "encoder.1.self.attention")
    area.resize(area.width(), 0)
    area.motion.stop()
    area.motion.remember()
    area.motion.begin()
    assert not area.motion.moves


def test_it_ends_also_where_the_window_of_the_system_has_gone_before(moving):
    moving._window = QWindow()
    shiboken6.delete(moving._window)
    moving.stop()
    assert not moving.moves
