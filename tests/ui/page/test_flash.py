"""What an edit has changed flashes for a moment, and never in the way of the hand."""

from math import inf

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from explorer.document.commands import SetCells
from explorer.export.colours import contrast
from explorer.pages.by_hand import LAYOUT
from explorer.ui.appearance import Appearance
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page import overlays

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")
LONG = 10**6
"""Milliseconds that a flash lasts here: on a busy machine it could be over before it is looked at."""


@pytest.fixture(scope="module")
def kept_lesson():
    return "emma"


@pytest.fixture
def window(anew, monkeypatch):
    window = anew("attention")
    flash = window.page().flash
    monkeypatch.setattr(Appearance, "moves", True)
    flash.stop()
    flash._fades.setDuration(LONG)
    yield window
    flash.stop()


def edit(window, value):
    window.bench.document.do(SetCells("Q", {(0, 0): value}))
    window.bench.bridge.flush()


def names(flash):
    return [box.matrix.name for box, *_ in flash._found]


def test_what_changed_flashes_once_nothing_more_does_and_fades(window, qtbot):
    flash = window.page().flash
    edit(window, 3.0)
    assert not flash._found, "the edit itself is shown first"
    qtbot.waitUntil(lambda: bool(flash._found))
    assert names(flash) == ["Q", "scores", "weights"], "as numbers or as small pictures"
    assert "K" not in names(flash)
    flash._fades.setCurrentTime(LONG // 2)
    assert flash.left == 0.5
    flash._fades.setCurrentTime(LONG)
    assert flash._found == []


def test_the_next_edit_ends_it_and_a_drag_has_none(window, qtbot):
    flash = window.page().flash
    edit(window, 3.0)
    qtbot.waitUntil(lambda: bool(flash._found))
    edit(window, 3.1)
    assert not flash._found
    for k in range(5):  # as a drag does, faster than anything could rest
        edit(window, 4.0 + k)
        assert flash._rests.isActive()  # however long the edit has taken
        assert not flash._found


@pytest.mark.parametrize(("pace", "flashes"), [(inf, False), (1.0, True)])
def test_a_run_that_does_not_wait_has_none_though_a_step_takes_long(window, monkeypatch, pace, flashes):
    """Each frame painted the whole page again on a slow machine, which made it slower."""
    descent, flash = window.bench.descent, window.page().flash
    monkeypatch.setattr(type(descent), "playing", True)
    descent.set_pace(pace)
    edit(window, 3.0)
    flash.begin()
    assert bool(flash._found) is flashes


def test_it_covers_the_changed_cell_alone_and_takes_no_click(window, hand, qtbot, eye):
    flash, view = window.page().flash, eye.view(window, "Q")
    changed, same = hand.cell(view, 0, 0), hand.cell(view, 4, 1)
    edit(window, 3.0)
    flash._rests.stop()

    def colours():
        image = window.page().elements.grab().toImage()
        return [
            image.pixelColor(view.mapTo(window.page().elements, at) - view.rect().topLeft()).getRgb()
            for at in (changed, same)
        ]

    before = colours()
    flash.begin()
    flash._fades.pause()
    lit = colours()
    assert lit[0] != before[0]
    assert lit[1] == before[1]
    hand.click(view, same)
    assert isinstance(window.focusWidget(), MatrixView)
    assert window.bench.selection.cell.index == (4, 1)


def test_its_frame_is_seen_on_gold_and_blue_while_the_number_can_be_read(window, eye, monkeypatch):
    """A wash alone hid the numbers on blue, and on gold it was not seen."""
    flash, view = window.page().flash, eye.view(window, "scores")
    edit(window, 3.0)
    flash._rests.stop()
    monkeypatch.setattr(overlays, "strengths", lambda *_, **__: np.ones(view.matrix.array.shape))
    flash.begin()
    flash._fades.pause()
    image = window.page().elements.grab().toImage()
    box = next(one for one in window.page().elements.findChildren(MatrixBox) if one.view is view)
    cell = box.place_of(0, 0).translated(box.mapTo(window.page().elements, QPoint()))
    here = window.bench.appearance.theme.here
    assert image.pixelColor(cell.left() + 1, cell.center().y()).name() == here
    assert contrast(here, image.pixelColor(cell.left() + 5, cell.top() + 4).name()) > 1.5


def test_a_small_picture_flashes_where_its_cells_changed(window, eye):
    page, flash = window.page(), window.page().flash
    box = next(one for one in page.elements.findChildren(MatrixBox) if one.matrix.name == "Q")
    if not box.small:
        box.be(tight=True)
        box.be(small=80)
        box.stand()
    assert box.small
    edit(window, 3.0)
    flash._rests.stop()

    def colour(row, column):
        at = box.mapTo(page.elements, box.place_of(row, column).center())
        return page.elements.grab().toImage().pixelColor(at).getRgb()

    before = [colour(0, 0), colour(4, 2)]
    flash.begin()
    flash._fades.pause()
    assert colour(0, 0) != before[0]
    assert colour(4, 2) == before[1]


def test_with_less_motion_nothing_flashes(window, monkeypatch):
    monkeypatch.setattr(Appearance, "moves", False)
    edit(window, 3.0)
    assert not window.page().flash._rests.isActive()
    assert not window.page().flash._found


def test_a_page_that_goes_takes_its_flash_along(window, eye, qtbot):
    flash = window.page().flash
    edit(window, 3.0)
    qtbot.waitUntil(lambda: bool(flash._found))
    eye.go_to(window, "model.changes")
    assert not flash._found


def test_nothing_is_laid_out_for_it(window, qtbot, monkeypatch):
    flash, page = window.page().flash, window.page()
    edit(window, 3.0)
    shared = []
    share = page.elements.share_room
    monkeypatch.setattr(page.elements, "share_room", lambda *given: shared.append(given) or share(*given))
    qtbot.waitUntil(lambda: bool(flash._found))
    for at in (LONG // 2, LONG):
        flash._fades.setCurrentTime(at)
        qtbot.wait(1)
    assert flash.left == 0
    assert shared == []


def test_it_ends_where_other_matrices_come(window, qtbot, eye):
    """A matrix that is gone has no place any more."""
    flash = window.page().flash
    edit(window, 3.0)
    qtbot.waitUntil(lambda: bool(flash._found))
    before = window.page().elements.widgets
    window.bench.selection.keep(LAYOUT, True)  # "By hand": another choice, and no edit
    assert window.page().elements.widgets is not before
    assert not flash._found
