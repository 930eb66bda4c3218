"""A matrix that does not fit comes first as a small picture with a lens for its numbers."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from explorer.lessons.new import new_lesson
from explorer.ui.matrix.box import MatrixBox

N = 20
SCORES = "decoder.1.self.head.1.scores"


@pytest.fixture
def box(open_window, eye):
    words = " ".join(f"word{i}" for i in range(N))
    window = open_window(new_lesson("gpt", [words], d_model=8, heads=2))
    page = eye.go_to(window, "decoder.1.self.attention")
    return next(box for box in page.findChildren(MatrixBox) if box.matrix.name == SCORES)


def at(picture, row, column):
    return QPoint(int((column + 0.5) * picture.width() / N), int((row + 0.5) * picture.height() / N))


def test_pointing_at_the_picture_explains_a_cell(box):
    assert box.small
    assert not box.view.isVisible()
    QTest.mouseMove(box._small, at(box._small, 5, 3))
    assert box.view.bench.selection.cell.index == (0, 5, 3)


def test_a_click_brings_the_numbers_around_it_and_a_link_the_picture(box, eye, qtbot):
    QTest.mouseClick(box._small, Qt.MouseButton.LeftButton, pos=at(box._small, 15, 1))
    qtbot.waitUntil(lambda: box.view.isVisible() and box.view.rowAt(0) > 8)
    assert box.view.rowAt(0) <= 15 <= box.view.rowAt(box.view.viewport().height() - 1)
    box._caption.linkActivated.emit("small")
    qtbot.waitUntil(lambda: box.small)


def test_all_steps_from_the_scores_to_the_weights_are_in_sight_at_once(box):
    boxes = [one for one in box.parentWidget().parentWidget().findChildren(MatrixBox) if one.matrix.shape == (N, N)]
    assert len(boxes) == 4  # the mask stands with what is given
    seen = box.window().page().viewport()
    for one in boxes:
        assert seen.rect().contains(one.mapTo(seen, one.rect().bottomRight())), one.matrix.name
