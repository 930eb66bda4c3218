"""A matrix that does not fit comes first as a small picture with a lens for its numbers."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.document.commands import SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.matrix import CALM
from explorer.pages.view import Covered
from explorer.ui.matrix import heading
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.widgets import formula

pytestmark = pytest.mark.usefixtures("kept", "no_pictures", "page_rests")

N = 20
ATTENTION, SCORES = "decoder.1.self.attention", "decoder.1.self.head.1.scores"


@pytest.fixture(scope="module")
def kept_lesson():
    return new_lesson("gpt", [" ".join(f"word{i}" for i in range(N))], d_model=8, heads=2)


@pytest.fixture
def box(anew):
    """A matrix of twenty words on a page that no other test has seen."""
    window = anew(ATTENTION)
    yield next(box for box in window.page().findChildren(MatrixBox) if box.matrix.name == SCORES)
    window.area._drop([ATTENTION])


def test_frames_of_a_row_or_a_column_of_tiny_cells_are_one():
    """A row of 245 words that softmax reads was an orange bar."""
    row, column, other = [(4, i) for i in range(9)], [(i, 2) for i in range(5)], [(0, 0), (2, 7)]
    for cells, frames in ((row, [(0, 4, 9, 1)]), (column, [(2, 0, 1, 5)]), (other, [(0, 0, 1, 1), (7, 2, 1, 1)])):
        found = heading.joined(QRect(x, y, 1, 1) for y, x in cells)
        assert [one.getRect() for one in found] == frames


class Watch(QObject):
    """Whether a widget has been painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.painted = False
        widget.installEventFilter(self)

    def eventFilter(self, widget, event):
        self.painted |= event.type() == QEvent.Type.Paint
        return False


def at(picture, row, column):
    return QPoint(int((column + 0.5) * picture.width() / N), int((row + 0.5) * picture.height() / N))


def test_small_pictures_are_in_sight_at_once_made_once_and_lead_to_their_numbers_and_back(box, qtbot, monkeypatch):
    """All steps from the scores to the weights."""
    squares = [one for one in box.window().page().findChildren(MatrixBox) if one.matrix.shape == (N, N)]
    boxes = [one for one in squares if not one.matrix.place.node.endswith(".mask")]  # it stands with what is given
    assert len(boxes) == 4
    seen = box.window().page().viewport()
    for one in boxes:
        assert seen.rect().contains(one.mapTo(seen, one.rect().bottomRight())), one.matrix.name
    assert box.small
    assert not box.view.isVisible()
    looked = []
    with monkeypatch.context() as patch:
        patch.setattr("explorer.ui.matrix.heading.strongest_in", lambda array, most: looked.append(1) or array)
        box._small._image = None
        for _ in range(2):
            box._small.grab()
    assert looked == [1]
    QTest.mouseMove(box._small, at(box._small, 5, 3))
    assert box.view.bench.selection.cell.index == (0, 5, 3), "a cell that one points at is explained"
    QTest.mouseClick(box._small, Qt.MouseButton.LeftButton, pos=at(box._small, 15, 1))
    qtbot.waitUntil(lambda: box.view.isVisible() and box.view.rowAt(0) > 8)
    assert box.view.rowAt(0) <= 15 <= box.view.rowAt(box.view.viewport().height() - 1)
    box._heading.caption.linkActivated.emit("small")
    qtbot.waitUntil(lambda: box.small)


def test_of_covered_numbers_not_even_the_sign_is_seen(box, eye):
    window, picture = box.window(), box._small
    negative = np.argwhere(box.matrix.array < 0).tolist()
    assert negative

    window.bench.selection.speak_of(None, Covered({box.matrix.place.node: frozenset((0, *cell) for cell in negative)}))
    eye.settle(window)
    assert len(box.matrix.covered) == len(negative)
    picture.setFixedSize(10 * N, 10 * N)  # so that a dash fits
    image = picture.grab().toImage()
    seen = {image.pixelColor(at(picture, *cell)).name() for cell in negative}
    assert seen == {window.bench.appearance.theme.here_soft}


def test_the_numbers_have_the_keys_that_the_picture_had(open_window, eye, hand, qtbot):
    window = open_window("you-are-welcome", stage="encoder.1.self.attention", size=(1280, 720))
    page = window.page()
    box = page.elements.widgets["encoder.1.self.W_Q"]
    box._small.setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(box.view.isVisible)
    eye.settle(window)
    assert QApplication.focusWidget() is box.view


WIDE = 64


@pytest.fixture
def wide(open_window, eye, qtbot):
    """A matrix with more columns than fit, opened at a click in its middle."""
    window = open_window(
        new_lesson("gpt", ["one two three"], d_model=WIDE, heads=2), stage="input.positions", size=(1280, 720)
    )
    page = window.page()
    box = next(box for box in page.findChildren(MatrixBox) if box.matrix.array.shape[1] == WIDE)
    picture = box._small
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=QPoint(picture.width() * 50 // 99, 5))
    qtbot.waitUntil(lambda: box.view.isVisible() and box.view.columnAt(0) > 4)
    return box


def test_what_is_typed_after_a_click_into_a_picture_goes_to_the_cell_that_was_clicked(wide):
    """The current cell was the first one, out of sight: a number typed there changed it, and the table jumped."""
    view = wide.view
    assert view.hasFocus()
    index = view.currentIndex()
    assert (index.row(), abs(index.column() - WIDE // 2) < 4) == (0, True)
    assert view.viewport().rect().contains(view.visualRect(index).center())


def test_an_edit_that_makes_numbers_wider_leaves_its_cell_in_sight(open_window, hand, eye, qtbot):
    """Qt kept the pixels by which the table was scrolled: with wider columns others stood in their place."""
    lesson = new_lesson("gpt", ["one two three"], d_model=WIDE, heads=2)
    window = open_window(lesson, stage="input.embedding", size=(1280, 720))
    boxes = [box for box in window.page().findChildren(MatrixBox) if box.matrix.array.shape[1] == WIDE]
    box = next(box for box in boxes if box.matrix.editable)
    QTest.mouseClick(box._small, Qt.MouseButton.LeftButton, pos=QPoint(box._small.width() // 2, 5))
    qtbot.waitUntil(lambda: box.view.isVisible() and box.view.columnAt(0) > 4)
    view = box.view
    before, column, across = view.columnAt(0), view.currentIndex().column(), view.columnWidth(0)
    hand.type("-2000.25")
    hand.key(Qt.Key.Key_Return)
    eye.settle(window)
    assert view.columnWidth(0) > across
    assert view.columnAt(0) == before
    assert view.columnViewportPosition(column) + view.columnWidth(column) <= view.viewport().width()


def test_no_number_is_cut_at_an_edge_and_a_swipe_sideways_brings_other_columns(wide):
    view, page, plain = wide.view, wide.window().page(), Qt.KeyboardModifier.NoModifier
    bar, before = view.horizontalScrollBar(), view.horizontalScrollBar().value()
    for down, moves in ((QPoint(0, -120), False), (QPoint(-120, 0), True)):
        middle = QPointF(view.viewport().rect().center())
        where = QPointF(view.viewport().mapToGlobal(middle.toPoint()))
        none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
        turned = QWheelEvent(middle, where, QPoint(), down, none, plain, phase, False)
        QApplication.sendEvent(view.viewport(), turned)
        assert (bar.value() > before) == moves
    assert page.horizontalScrollBar().maximum() == 0
    for across in (0.21, 0.5, 0.83, 1.0):
        wide._small.look_at(QPointF(across, 0.5))
        assert view.columnViewportPosition(view.columnAt(0)) == 0
        last = view.columnAt(view.viewport().width() - 1)
        assert view.columnViewportPosition(last) + view.columnWidth(last) == view.viewport().width()
    assert last == WIDE - 1


def test_a_heading_takes_the_room_of_its_formula_once_that_can_be_typeset(open_window, eye, qtbot, monkeypatch):
    """Before, its room is a guess: the bracket behind *pad* was cut for good."""
    with monkeypatch.context() as before:
        before.setattr(formula, "is_loaded", lambda: False)
        for module in (heading, formula):
            before.setattr(module, "can_typeset_now", lambda: False)
        window = open_window("tiny-translator")
        page = eye.go_to(window, "decoder.2.cross.attention")
        masks = (one for one in page.findChildren(MatrixBox) if one.matrix.name == "decoder.2.cross.mask")
        mask = next(masks)
        assert mask.small
        guessed = mask._heading.formula.width()
    formula._load()
    for one in page.findChildren(formula.Formula):
        one._load()
    assert mask._heading.formula.sizeHint().width() > guessed
    qtbot.waitUntil(lambda: mask._heading.formula.width() == mask._heading.formula.sizeHint().width())
    assert mask.rect().contains(mask._heading.formula.geometry())


def test_words_beside_a_formula_appear_with_it(open_window, qtbot, monkeypatch):
    """On a busy machine "9×4" stood for seconds above a matrix without a name."""

    def ink(widget):
        image = widget.grab().toImage()
        return len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}) > 1

    with monkeypatch.context() as before:
        before.setattr(formula, "is_loaded", lambda: False)
        for module in (heading, formula):
            before.setattr(module, "can_typeset_now", lambda: False)
        page = open_window("emma", stage="attention").page()
        head = next(box._heading for box in page.findChildren(MatrixBox) if box._heading.caption.isVisible())
        assert not ink(head.caption)
    head.formula._load()
    watch = Watch(head.caption)
    qtbot.waitUntil(lambda: watch.painted)
    assert ink(head.caption)


def test_pictures_of_a_sum_stand_below_each_other_in_one_width_with_their_words(open_window, eye):
    window = open_window(new_lesson("gpt", ["a b c"], d_model=64, heads=2), stage="decoder.1.self.after")
    page = window.page()
    rows = [box for box in page.findChildren(MatrixBox) if box.matrix.array.shape == (3, 64)]
    places = [box.place_of(1, 5).translated(box.mapTo(page, QPoint())) for box in rows]
    assert all(box.small for box in rows)
    assert len({(place.left(), place.width()) for place in places}) == 1
    assert [place.top() for place in places] == sorted({place.top() for place in places})
    # A click on a cell is one on the numbers, not on the word before them.
    picture, cell = rows[0]._small, rows[0].place_of(1, 5)
    QTest.mouseMove(picture, picture.mapFrom(rows[0], cell.center()))
    assert window.bench.selection.cell.index == (1, 5)
    assert picture.cells().left() > 0


def test_the_word_of_the_last_row_is_not_cut_at_the_bottom(open_window):
    """Of the sign for a blank, which reaches below the line, two dots were left."""
    window = open_window(new_lesson("gpt", ["␣go ␣go ␣go ␣go"], d_model=64, heads=2), stage="decoder.1.self.after")
    pictures = (box._small for box in window.page().findChildren(MatrixBox) if box.small and len(box.matrix.rows) == 4)
    picture = next(one for one in pictures if one.cells().left() > 0)
    image, left = picture.grab().toImage(), int(picture.cells().left()) - 4
    ink = sum(image.pixel(x, y) != image.pixel(0, 0) for x in range(left) for y in range(image.height()))
    assert ink
    assert ink % 4 == 0, "each of the four equal words has as many dots"


def test_a_picture_alone_on_its_line_names_its_rows(open_window, eye):
    """X of tiny-gpt showed five rows, and nobody saw whose."""
    page = open_window(load("tiny-gpt"), stage="input.embedding").page()
    boxes = {box.matrix.name: box for box in page.findChildren(MatrixBox)}
    X, table = boxes["input.X"], boxes["input.table"]
    assert X.small
    assert X.shape.names >= max(map(X.fontMetrics().horizontalAdvance, X.matrix.rows)) / 2
    assert X._small.cells().left() == X.shape.names
    assert table.small
    assert table.shape.names == 0, "of so many words none could be read"


def test_pictures_of_a_sum_stand_side_by_side_where_they_would_take_the_page(open_window, eye):
    window = open_window(load("changed-since-2017"), stage="decoder.1.self.after", size=(1280, 720))
    page = window.page()
    sum_of = [box for box in page.findChildren(MatrixBox) if box.matrix.array.shape == (9, 32)][:3]
    assert all(box.small and box.shape.names for box in sum_of)
    assert len({box.y() for box in sum_of}) <= 2, "headings may be of one line or two"
    assert sum_of[0].geometry().right() < sum_of[1].x() < sum_of[2].x()


def test_cells_of_a_long_thin_matrix_are_wide_enough_to_be_seen(open_window, eye):
    page = open_window(load("sin"), stage="layer.1").page()
    boxes = {box.matrix.name: box for box in page.findChildren(MatrixBox)}
    x, hidden = boxes["input.X"], boxes["layer.1.hidden"]
    assert x._small.width() >= 20
    assert hidden._small.width() >= 100


def test_a_small_picture_has_the_scale_of_the_sum_it_stands_in(box):
    picture, ramp = box._small, box._bench.appearance.theme.diverging_ramp.colors
    row, column = np.unravel_index(np.argmax(box.matrix.array), box.matrix.array.shape)
    number = float(box.matrix.array[row, column])
    for times in (1.0, 3.0):
        box.tell(replace(box.matrix, full=times * number))
        shown = picture.grab().toImage().pixelColor(at(picture, row, column))
        assert shown == QColor(ramp[int((1 / (CALM * times) + 1) * 127.5)])
    zeros = replace(box.matrix, array=np.zeros_like(box.matrix.array), showing="difference")
    box.tell(zeros)
    white = picture.grab().toImage()
    box.tell(replace(zeros, nothing="The other model has no such matrix."))
    assert picture.grab().toImage() != white, "it looked as if nothing differed"


def test_of_one_word_that_becomes_many_no_number_is_left_over_the_picture(box, eye):
    document = box.view.bench.document
    (sequence,) = document.wanted.graph.sequences
    document.do(SetTokens(sequence, ("word3",)))
    eye.settle(box.window())
    document.undo()
    eye.settle(box.window())
    boxes = box.window().area.page().findChildren(MatrixBox)
    assert any(one.small for one in boxes)
    assert [one.matrix.name for one in boxes if one.small and one.view.isVisible()] == []


def test_the_symbol_of_a_gradient_is_not_cut(open_window, eye):
    """A step shows its matrix larger than usual: the W of ∂L/∂W ended in the room that the words left."""
    window = open_window(load("xor"))
    window.resize(1440, 900)
    steps = window.lessons.guide.steps
    window.lessons.guide.go(next(at for at, step in enumerate(steps) if step.id == "zeros"))
    eye.settle(window)
    (box,) = (box for box in window.page().findChildren(MatrixBox) if box.matrix.name == "layer.1.W")
    formula, caption = box._heading.formula, box._heading.caption
    head = QRect(QPoint(), box.shape.head(box.shape.form.above))
    assert formula.latex().startswith(r"\partial")
    assert caption.width() >= caption.sizeHint().width()
    assert formula.size() == formula.size_of(formula.latex(), box.form.times, formula.width())
    assert formula.geometry().right() < caption.x()
    assert head.contains(formula.geometry())
    assert head.contains(caption.geometry())
