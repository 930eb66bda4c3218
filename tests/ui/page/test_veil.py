"""What is spoken of stands in the light, and the rest of the page is faint; it can be switched off."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from explorer.lessons.schema import MakeSo
from explorer.ui.errors import Message
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import CELL_HEIGHT
from explorer.ui.page import page_view
from explorer.ui.page.emphasis import Trials
from explorer.ui.render import laid_out
from tests.ui.conftest import lesson_of

pytestmark = pytest.mark.usefixtures("kept", "no_pictures")

Key = Qt.Key


@pytest.fixture(scope="module")
def kept_lesson():
    return "emma"


@pytest.fixture
def led(anew):
    """The window in a step of a lesson."""

    def lead(lesson, id, size=(1600, 900)):
        at = [step.id for step in lesson_of(lesson).steps].index(id)
        return anew(step=at, lesson=None if lesson == "emma" else lesson, size=size)

    return lead


def box(window, name):
    return next(one for one in window.page().findChildren(MatrixBox) if one.matrix.name == name)


def place(window, name):
    """Where the numbers of a matrix stand on its page."""
    view, elements = box(window, name).view, window.page().elements
    return QRect(view.viewport().mapTo(elements, QPoint()), view.viewport().size())


def ink(window, name):
    """How far the numbers of a matrix stand out from its ground at most, from 0 to 255."""
    image = window.page().elements.grab(place(window, name)).toImage().convertToFormat(window.grab().toImage().format())
    array = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[:, : image.width(), :3]
    return int(np.ptp(array.astype(int)))


def is_lit(window, name):
    veil = window.page().veil
    return not veil.isVisible() or veil.lit().contains(place(window, name))


def test_the_matrix_of_a_step_stands_out_and_another_has_a_fifth_of_its_ink_until_the_light_is_off(led, hand):
    window = led("emma", "key")
    assert (is_lit(window, "K"), is_lit(window, "Q")) == (True, False)
    strong, faint = ink(window, "K"), ink(window, "Q")
    assert strong > 150
    assert 0.15 < faint / strong < 0.25
    with laid_out(window.bench, window.page().stage.name) as (_, view):
        assert not view.veil.isVisible(), "on paper nothing is faint"
    hand.key(Key.Key_L)
    assert not window.page().veil.isVisible()
    assert not window.actions_.light.isChecked()
    assert ink(window, "Q") > 150
    assert ink(window, "K") == strong
    hand.key(Key.Key_L)
    assert not is_lit(window, "Q")
    assert window.actions_.light.isChecked()


def test_no_line_of_a_note_above_what_is_lit_is_lit(led):
    """The tails of its letters stood black under faint words."""
    window = led("where-the-answer-comes-from", "sum")
    note, elements = window.page().elements.widgets["about the ledger"], window.page().elements
    around = QRect(note.mapTo(elements, QPoint()), note.size())
    assert not window.page().veil.lit().intersects(around)


def test_no_sign_is_lit_in_part(led):
    """The arrow behind the sums of XOR began black and ended grey."""
    window = led("xor", "hidden")
    elements, lit = window.page().elements, window.page().veil.lit()
    assert window.page().veil.isVisible()
    signs = [sign for id in elements.widgets if (sign := elements.sign_before(id)) is not None]
    assert signs
    for sign in signs:
        area = QRect(sign.mapTo(elements, QPoint()), sign.size())
        assert lit.contains(area) or not lit.intersects(area)


def places(window):
    """Where each matrix stands on the page, and how much larger it is than usual."""
    elements = window.page().elements
    boxes = window.page().findChildren(MatrixBox)
    return {one.matrix.id: (QRect(one.mapTo(elements, QPoint()), one.size()), one.form.times) for one in boxes}


def in_sight(window, name):
    port = window.page().viewport()
    one = box(window, name)
    return port.rect().contains(QRect(one.mapTo(port, QPoint()), one.size()))


def test_what_a_step_names_is_larger_and_whole_and_in_sight_with_the_light_on(led, hand, eye):
    window = led("emma", "softmax")
    usual = window.bench.appearance.px(CELL_HEIGHT)
    lit = places(window)
    assert box(window, "weights").view.rowHeight(0) >= 1.4 * usual - 1
    assert box(window, "scores").view.rowHeight(0) == usual
    assert box(window, "weights").view.extent.whole
    assert in_sight(window, "weights")
    hand.key(Key.Key_L)
    eye.settle(window)
    assert box(window, "weights").form.times == 1
    assert box(window, "weights").view.rowHeight(0) <= usual, "they may shrink to stand on one line with the scores"
    hand.key(Key.Key_L)
    eye.settle(window)
    assert places(window) == lit


def test_an_edit_moves_nothing_of_a_page_with_something_larger(led, hand, eye):
    window = led("emma", "key")
    view = eye.view(window, "K")
    before = places(window)
    assert view.form.times > 1
    hand.click(view, hand.cell(view, 0, 0))
    hand.type("2.5")
    hand.key(Key.Key_Return)
    window.bench.bridge.flush()
    eye.settle(window)
    assert window.bench.document.engine.values["K"][0, 0] == 2.5
    assert places(window) == before


def test_an_equation_on_one_line_is_not_broken_to_be_larger(led, eye):
    window = led("softmax", "powers")
    guide = window.lessons.guide
    for id in ("powers", "equal"):
        guide.go([step.id for step in guide.steps].index(id))
        eye.settle(window)
        tops = {place(window, name).top() for name in ("output.scaled", "output.probabilities")}
        assert len(tops) == 1, id


def test_a_picture_and_the_number_that_a_step_names_beside_it_both_stand_out(led):
    window = led("two-vectors", "longer")
    assert window.lessons.guide.step.look.element
    assert is_lit(window, "dot")
    assert "plane" in window.page().veil._lit.named
    assert ink(window, "cosine") / ink(window, "dot") < 0.3  # below x and y, which stand beside the picture


def test_in_a_large_window_all_matrices_are_larger(open_window):
    window = open_window(stage="encoder.1.self.attention")
    before = {times for _, times in places(window).values()}
    window.resize(2560, 1440)
    window.page().refresh()
    QApplication.sendPostedEvents()
    assert before == {1.0}
    assert {times for _, times in places(window).values()} == {1.5}


def test_what_is_pointed_at_or_has_the_keys_is_lit_and_can_be_edited_until_the_next_step(led, hand, eye):
    window = led("emma", "key")
    view = eye.view(window, "Q")
    hand.hover(view, hand.cell(view, 0, 0))
    assert is_lit(window, "Q")
    hand.away(window)
    assert not is_lit(window, "Q")
    hand.click(view, hand.cell(view, 0, 0))
    hand.away(window)
    assert is_lit(window, "Q"), "it has the keys"
    hand.type("2.5")
    hand.key(Key.Key_Return)
    window.bench.bridge.flush()
    assert window.bench.document.engine.values["Q"][0, 0] == 2.5


def test_the_next_step_lights_something_else_wherever_one_points_and_without_steps_all_is_seen(led, hand, eye):
    """Where the pointer rested something else stood then, and a matrix far from it was lit."""
    window = led("emma", "key")
    guide = window.lessons.guide
    hand.hover(box(window, "Q").view.viewport())
    assert is_lit(window, "Q")
    guide.go([step.id for step in guide.steps].index("softmax"))
    eye.settle(window)
    assert not is_lit(window, "Q")
    hand.away(window)
    guide.go([step.id for step in guide.steps].index("key"))
    guide.next()
    eye.settle(window)
    assert (is_lit(window, "Q"), is_lit(window, "scores")) == (True, False)
    guide.leave()
    eye.settle(window)
    assert not window.page().veil.isVisible()


def test_a_page_that_comes_where_the_pointer_rests_is_lit_as_if_it_were_elsewhere(led, hand):
    """Qt tells a widget that comes under the pointer that the pointer has come: the matrix there was lit, too."""
    view = box(led("emma", "key"), "Q").view
    QCursor.setPos(view.mapToGlobal(view.rect().center()))
    window = led("emma", "key")
    QApplication.processEvents()
    assert (is_lit(window, "Q"), is_lit(window, "K")) == (False, True)
    hand.hover(view, view.rect().center() + QPoint(1, 0))
    assert is_lit(window, "Q")


def test_what_may_be_changed_stands_in_the_light(led):
    window = led("emma", "make")
    question = window.lessons.guide.question
    assert isinstance(question, MakeSo)
    for name in (*question.allowed, *(one.node for one in question.conditions)):
        assert is_lit(window, name), name


def test_without_a_lesson_a_chosen_cell_lights_its_line_of_descent_for_who_wants_it_and_nothing_is_larger(
    open_window, hand, eye
):
    window = open_window(stage="encoder.1.self.attention")
    view, head = eye.view(window, "encoder.1.self.head.1.Q"), "encoder.1.self.head.1."
    before = places(window)
    hand.click(view, hand.cell(view, 0, 0))
    assert not window.page().veil.isVisible(), "nobody has asked for it"
    hand.key(Key.Key_L)
    hand.away(window)
    eye.settle(window)
    assert window.page().veil.isVisible()
    assert places(window) == before
    for name, wanted in (("Q", True), ("W_Q", True), ("scores", True), ("K", False), ("V", False)):
        assert is_lit(window, f"{head}{name}") is wanted, name
    hand.key(Key.Key_Escape)
    assert not window.page().veil.isVisible(), "no cell is chosen any more"


def test_who_switches_the_light_on_where_no_cell_is_chosen_is_told_what_to_do(open_window, hand, qtbot):
    window = open_window(stage="model")
    hand.key(Key.Key_L)
    qtbot.waitUntil(lambda: any("Click a number" in one.text() for one in window.findChildren(Message)))
    assert not window.page().veil.isVisible()


def test_a_page_that_comes_back_at_once_has_what_the_new_step_names_larger(led, eye):
    window = led("roses-are-red", "exercises", (1366, 768))
    for step in range(3):
        window.lessons.guide.go(step)
        assert window.page().isVisible()  # at once: in turns, it would be laid out before
        eye.settle(window)
    assert box(window, "loss.target").form.times == 1
    assert box(window, "loss.L_1").form.times > 1


def test_what_comes_onto_a_page_in_sight_is_counted_when_its_room_is_shared(anew, eye):
    window = anew(step=5, lesson="changed-since-2017", size=(1366, 768))
    for step in (5, 6):  # the queries and keys of the second are turned: these matrices are new on the page
        window.lessons.guide.go(step)
        eye.settle(window)
    port, widgets = window.page().viewport(), window.page().elements.widgets
    together = [widgets[f"decoder.1.self.{name}"] for name in ("Q_rotated", "K_rotated", "scores")]
    assert all(port.rect().contains(QRect(one.mapTo(port, QPoint()), one.size())) for one in together)


def test_what_stands_in_a_stack_beside_a_picture_counts_as_large_as_it_would_be(led, eye):
    window = led("two-vectors", "length", (1366, 768))
    window.area._forget()  # out of sight, Qt tells nobody of a size in a later turn either
    window.area.show_stage("vectors")
    eye.settle(window)
    assert box(window, "length_y").form.times > 1
    first, last = place(window, "x"), place(window, "length_y")
    assert last.bottom() - first.top() < window.page().viewport().height()


def test_a_page_that_another_follows_stays_as_one_saw_it_until_that_comes(led, qtbot):
    window = led("start-here", "place")
    before = window.page()
    guide = window.lessons.guide
    assert before.veil.isVisible()
    (covered,) = [one.view.matrix for one in before.findChildren(MatrixBox) if one.view.matrix.covered]
    guide.go(guide.steps.index(guide.step) + 1)
    assert window.area.makes
    assert before.veil.isVisible()
    assert covered in [one.view.matrix for one in before.findChildren(MatrixBox)]
    qtbot.waitUntil(lambda: not window.area.makes)
    assert window.area.in_sight() is not before
    guide.go(guide.steps.index(guide.step) - 1)
    qtbot.waitUntil(lambda: window.area.in_sight() is before)
    assert before.veil.isVisible(), "it is lit anew for the step that it comes back with"
    guide.leave()
    window.bench.bridge.flush()
    assert not before.veil.isVisible()


def test_while_the_edge_of_the_window_is_dragged_nothing_is_decided_and_then_it_is_as_at_once(led, eye, monkeypatch):
    window, tried = led("emma", "key"), []
    before, stand = places(window), Trials.stand
    monkeypatch.setattr(Trials, "stand", lambda *how: tried.append(how) or stand(*how))
    rested = window.page()._rested
    monkeypatch.setattr(page_view, "REST", 3_600_000)
    rested.start(3_600_000)
    for width in (1560, 1500, 1400, 1300, 1280):
        window.resize(width, 720)
        QApplication.processEvents()
    assert window.page()._drags
    assert tried == []
    monkeypatch.setattr(page_view, "REST", 0)
    rested.start(0)
    eye.settle(window)
    assert tried
    at_once = places(window)
    window.resize(1600, 900)
    rested.start(0)
    eye.settle(window)
    assert places(window) == before
    rested.stop()
    window.resize(1280, 720)
    eye.settle(window)
    assert places(window) == at_once
    rested.stop()


def test_where_sharing_takes_long_the_edge_rests_later(led, eye, monkeypatch):
    """Else each size of a window that is dragged on a slow machine would be one that it comes to rest at."""
    window, now = led("emma", "key"), [0.0]
    page = window.page()
    share = page.elements.share_room
    monkeypatch.setattr(page_view.time, "perf_counter", lambda: now[0])
    for takes in (0.0, 0.3):

        def take(*sizes, takes=takes):
            now[0] += takes
            share(*sizes)

        monkeypatch.setattr(page.elements, "share_room", take)
        window.resize(window.width() - 20, window.height())
        eye.settle(window)
        assert page._rested.interval() == max(page_view.REST, 1000 * page_view.SLOWER * takes)
