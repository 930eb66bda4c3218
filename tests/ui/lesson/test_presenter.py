"""Presenter mode in a real window, driven by the keys that a clicker and a lecturer press."""

from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextBrowser, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetTokens
from explorer.lessons.loader import catalogue, load
from explorer.lessons.schema import MakeSo, Predict
from explorer.sentences import sentence
from explorer.ui.drawing.weights import AttentionLinesView
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.hero import Hero
from explorer.ui.lesson.lecturer import Pictures, Speaker
from explorer.ui.lesson.letters import HEIGHT, READ, WIDTH
from explorer.ui.lesson.presenter import FEW_KEYS, Presenter
from explorer.ui.lesson.sheet import GAP, ROUNDS, StepSheet
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.answers import OptionView
from explorer.ui.page.listing import ListingView
from explorer.ui.page.overlays import Motion
from explorer.ui.page.page_view import PageView
from explorer.ui.window.top_bar import SHOWING
from explorer.words.catalogue import load as load_vectors

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")
Key = Qt.Key
LOGITS, SHARES = "output.logits", "output.probabilities"


@pytest.fixture
def presenter(window, screen, hand, qtbot):
    """The window that the class sees, on the first step."""
    hand.key(Key.Key_F5)
    presenter = window.lessons.presenter
    assert presenter._begun.interval() == 3000
    presenter._begun.setInterval(3_600_000)  # a slide may take longer than that on a busy machine
    qtbot.waitUntil(lambda: presenter.isVisible() and QApplication.activeWindow() is presenter)
    QApplication.processEvents()
    yield presenter
    if window.lessons.presenter is not None:
        presenter.leave()


ONWARD = Key.Key_Right, Key.Key_Down, Key.Key_PageDown, Key.Key_Space, Key.Key_Enter, Key.Key_Return, Key.Key_N
BACK = Key.Key_Left, Key.Key_Up, Key.Key_PageUp, Key.Key_Backspace, Key.Key_P


def test_each_key_is_exactly_one_step_and_home_and_end_go_to_the_first_and_the_last(
    presenter, guide, hand, monkeypatch
):
    view = presenter.findChild(MatrixView)
    hand.click(view.viewport(), view.visualRect(view.table.index(0, 0)).center())
    assert view.hasFocus()
    hand.key(Key.Key_Down)
    assert guide.at == 1, "a matrix that has the keys does not keep them"
    hand.key(Key.Key_End)
    assert guide.at == len(guide.steps) - 1
    hand.key(Key.Key_Home)
    assert guide.at == 0
    guide.go(1)
    for keys, at in ((ONWARD, 2), (BACK, 0)):  # each slide that comes would take most of the time
        for key in keys:
            for in_a_matrix in (True, False):
                (presenter.findChild(MatrixView) if in_a_matrix else presenter).setFocus()
                asked = []
                with monkeypatch.context() as patch:
                    patch.setattr(guide, "go", asked.append)
                    hand.key(key)
                assert asked == [at], key


def test_a_choice_that_tab_has_led_to_is_given_and_the_next_key_goes_on(presenter, guide, go, hand):
    go(2)
    while not isinstance(presenter.focusWidget(), OptionView):
        hand.key(Key.Key_Tab)
    hand.key(Key.Key_Space)
    assert guide.at == 2
    assert len(guide.attempt.tried) == 1
    hand.key(Key.Key_Space)
    assert guide.at == 3


def test_a_class_is_asked_what_the_lecturer_has_answered_before(window, guide, go, hand, qtbot):
    guide._presented.clear()  # the window is kept from test to test
    go(2)
    guide.answer(1)
    assert guide.is_answered(guide.step)
    hand.key(Key.Key_F5)
    assert window.lessons.presenter.isFullScreen()
    assert guide.question is guide.steps[2].question
    guide.answer(1)
    window.lessons.presenter.leave()
    qtbot.waitUntil(window.isActiveWindow)
    hand.key(Key.Key_F5)
    assert guide.is_answered(guide.step), "the class has answered it"
    window.lessons.presenter.leave()


def test_a_clicker_sends_f5_and_esc_in_turn(window, guide, hand, qtbot, presenter):
    hand.key(Key.Key_PageDown)
    hand.key(Key.Key_F5)
    assert presenter.isVisible()
    assert guide.at == 1
    hand.key(Key.Key_Escape)
    assert window.lessons.presenter is None
    assert guide.at == 1  # the step is kept
    qtbot.waitUntil(window.isActiveWindow)
    hand.key(Key.Key_F5)
    assert window.lessons.presenter.sheet.step is guide.steps[1]
    window.lessons.presenter.leave()


def test_an_edit_is_live_and_undo_takes_it_back(window, presenter, guide, hand, said):
    view = presenter.findChild(MatrixView)
    hand.key(Key.Key_C)
    assert said() == "⚠ Nothing was changed yet; after an edit, C shows by how much each number has changed."
    assert view.matrix.text(0, 0) == "2.0", "not dots, which say that nothing has changed by it"
    hand.click(view.viewport(), view.visualRect(view.table.index(0, 0)).center())
    hand.type("5")
    hand.key(Key.Key_Return)  # ends the typing and is no step
    assert guide.at == 0
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 5
    window.bench.bridge.flush()
    assert presenter.sheet.elements.widgets[LOGITS].matrix.values[0, 0] == 5
    for showing, text in (("change", "+3.00"), ("values", "5.0")):
        hand.key(Key.Key_C)
        assert presenter.sheet.elements.widgets[LOGITS].matrix.text(0, 0) == text
        assert window.bench.selection.showing == showing
        said = window.top_bar.showing.group.checkedButton().accessibleName()
        assert said == f"Matrices show: {SHOWING[showing]}", "it is said in the window, too"
    control = Qt.KeyboardModifier.ControlModifier
    hand.key(Key.Key_Z, control)
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 2
    hand.key(Key.Key_Y, control)
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 5
    hand.key(Key.Key_Z, control)
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 2


def test_a_step_changes_what_the_lesson_changes_whatever_was_edited_before(window, presenter, guide, hand, said):
    edit = SetCells(LOGITS, {(0, 0): 5.0})
    window.bench.document.do(edit)
    hand.key(Key.Key_Right)
    hand.key(Key.Key_C)
    assert "Nothing was changed yet" in said(), "it takes the edit back; that is no change of the lesson"
    window.bench.document.do(edit)
    hand.key(Key.Key_Right)
    view = window.bench.view
    assert view.change(view.graph.find(LOGITS)).tolist() == [[0, 2, 0]], "B is 3 now"
    window.bench.document.do(edit)
    guide.reset()
    assert window.bench.view.change(view.graph.find(LOGITS))[0, 0] == -3, "to begin a step again takes edits back"


def test_undo_with_nothing_changed_leaves_neither_the_step_nor_the_presentation(window, presenter, guide, hand):
    hand.key(Key.Key_N)
    hand.key(Key.Key_N)
    for key in (Key.Key_Z, Key.Key_Z, Key.Key_Y):
        hand.key(key, Qt.KeyboardModifier.ControlModifier)
        assert window.lessons.presenter is presenter
        assert guide.at == 2
    hand.key(Key.Key_P)
    hand.key(Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert guide.at == 1


def test_a_mouse_that_rests_points_at_nothing_until_it_is_moved(presenter, window, guide, go, hand):
    go(2)
    guide.answer(1)
    view, handle = presenter.sheet.findChild(MatrixView), presenter.windowHandle()
    first, last = (
        view.viewport().mapTo(presenter, view.visualRect(view.table.index(0, column)).center()) for column in (0, 2)
    )
    QTest.mouseMove(handle, last)
    assert window.bench.selection.cell.index == (0, 2)
    presenter._rested = handle.mapToGlobal(first)  # it was there when the step came
    window.bench.selection.forget()
    for away, pointed in ((QPoint(1, 1), False), (QPoint(-12, 0), True)):
        QTest.mouseMove(handle, first + away)
        assert (window.bench.selection.cell is not None) is pointed


def test_what_the_mouse_passed_over_before_is_not_framed_on_the_wall(window, screen, guide, go):
    """Whoever pressed F5 with the mouse over the page showed a class some number in a frame."""
    go(2)
    guide.answer(1)
    window.bench.selection.forget()
    window.bench.selection.point(Cell(LOGITS, (0, 1)))
    assert window.bench.selection.cell is not None
    window.lessons.open_presenter()
    assert window.bench.selection.cell is None
    window.lessons.presenter.leave()


def test_black_and_white_and_a_step_shows_the_screen_again(presenter, guide, hand):
    middle = QPoint(WIDTH // 2, HEIGHT // 2)
    for key, colour in ((Key.Key_B, "#000000"), (Key.Key_W, "#ffffff")):
        hand.key(key)
        assert presenter.grab().toImage().pixelColor(middle).name() == colour
        hand.key(key)
        assert presenter._cover.isHidden()
    hand.key(Key.Key_Period)
    hand.key(Key.Key_N)
    assert presenter._cover.isHidden()
    assert guide.at == 1


def test_g_and_a_number_go_to_a_step_and_so_does_a_number_alone_where_none_is_asked_for(presenter, guide, hand):
    """As with slides elsewhere; “5, Enter” went to the next step."""
    hand.key(Key.Key_G)
    hand.type("4")
    assert "Go to step 4 of 5" in presenter._bar.text()
    hand.key(Key.Key_Return)
    assert guide.at == 3
    hand.key(Key.Key_G)
    hand.type("2")
    hand.key(Key.Key_Escape)
    assert presenter.isVisible()
    assert guide.at == 3
    hand.key(Key.Key_G)
    hand.type("99")
    assert "Go to step … of 5" in presenter._bar.text()
    hand.type("29")
    assert "Go to step 2 of 5" in presenter._bar.text()
    hand.key(Key.Key_Escape)
    assert guide.at == 3
    asks = [isinstance(step.question, Predict) for step in guide.steps]
    guide.go(asks.index(False))
    hand.type("4")
    assert "Go to step 4 of 5" in presenter._bar.text()
    hand.key(Key.Key_Return)
    assert guide.at == 3
    guide.go(asks.index(True))
    hand.type("4")
    assert presenter._typed is None
    assert presenter._question.fields[-1].text() == "4"


def test_all_steps_as_small_pictures_in_the_theme_that_ctrl_t_asks_for(
    presenter, guide, hand, qtbot, appearance, monkeypatch
):
    drawn, overview = Pictures.step, presenter._overview

    def step(self, number):
        if number == 2:
            raise ExplorerError("model-changed")
        return drawn(self, number)

    def corner():
        qtbot.waitUntil(lambda: not overview._timer.isActive())
        picture = overview.item(1).icon().pixmap(overview.iconSize()).toImage()
        return picture.pixelColor(2, 2).lightnessF()

    def other(theme):
        hand.key(Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: presenter.bench.appearance.theme is appearance.theme)
        assert appearance.theme.name == theme

    monkeypatch.setattr(Pictures, "step", step)
    hand.key(Key.Key_D)
    assert overview.isVisible()
    assert corner() > 0.5
    assert overview.item(2).toolTip() == sentence(ExplorerError("model-changed")), "blank, and says why"
    assert not overview.item(0).toolTip()
    assert overview.count() == 5
    assert overview.item(1).icon().availableSizes()[0].width() >= 300
    first, third = (overview.visualItemRect(overview.item(i)) for i in (0, 2))
    assert third.top() == first.top()
    assert overview.viewport().width() - third.right() < 24  # nothing beside them is free
    title = first.adjusted(4, overview.iconSize().height() + 4, -4, 0)
    for step in (step for lesson in catalogue() for step in lesson.steps):
        needed = overview.fontMetrics().boundingRect(title, Qt.TextFlag.TextWordWrap, f"88  {step.title}")
        assert needed.height() <= title.height(), step.title
    appearance.set_mode("dark")
    assert corner() < 0.5
    hand.key(Key.Key_D)
    other("light")  # while they are out of sight
    hand.key(Key.Key_D)
    assert corner() > 0.5
    overview.setCurrentRow(3)
    hand.key(Key.Key_Return)
    assert overview.isHidden()
    assert guide.at == 3
    other("dark")


def test_the_pointer_the_clock_and_the_zoom(presenter, guide, hand):
    hand.key(Key.Key_L)
    assert QApplication.overrideCursor() is not None
    hand.key(Key.Key_L)
    assert QApplication.overrideCursor() is None
    hand.key(Key.Key_T)
    assert presenter.clock.runs
    presenter.clock._marked -= 5
    assert presenter.clock.used_in(guide.step.id) >= 5, "the step with which one begins has its time, too"
    presenter.sheet._lesson = "Q & A"
    presenter.sheet._say_where()
    assert presenter.sheet._number.text().startswith("Q & A · ")
    assert presenter.sheet._number.text().endswith("0:00")
    sheet = presenter.sheet
    free = sheet._middle.width() - sheet._title.fontMetrics().horizontalAdvance(sheet._title.text())
    while "&" in sheet._number.text():
        left = free - sheet._number.sizeHint().width()
        sheet._lesson += "i"
        sheet._say_where()
    assert left > presenter.bench.appearance.px(2 * GAP), "the title of a step and the lesson's read as one sentence"
    hand.key(Key.Key_T)
    assert not presenter.clock.runs
    wide = presenter.findChild(MatrixView).width()
    hand.key(Key.Key_Z)
    assert presenter.sheet.alone
    assert presenter.sheet.findChild(MatrixView).width() > wide
    hand.key(Key.Key_Z)
    assert not presenter.sheet.alone
    assert presenter.sheet.findChild(MatrixView).width() == wide


def test_m_gives_a_long_sum_the_room_of_the_words_and_a_drag_zooms(presenter, guide, hand):
    hand.key(Key.Key_M)
    assert presenter.sheet.alone
    assert presenter.sheet._needs().longest == 0  # no term is left out
    hand.key(Key.Key_M)
    assert not presenter.sheet.alone
    hand.key(Key.Key_M)
    hand.key(Key.Key_N)
    assert not presenter.sheet.alone  # another step has words of its own
    handle = presenter.windowHandle()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(40, 420))
    QTest.mouseMove(handle, QPoint(300, 640))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(300, 640))
    assert presenter.sheet.alone


def test_a_large_matrix_is_not_cut_and_shows_the_number_that_is_asked_for(anew, screen, qtbot):
    window = anew(step=0, lesson="jane")
    guide = window.lessons.guide
    window.lessons.open_presenter()
    presenter = window.lessons.presenter

    def is_in_sight():
        (view,) = presenter.sheet.findChildren(MatrixView)
        cell = view.visualRect(view.table.index(*guide.step.question.cell))
        return not view.extent.cut and view.viewport().rect().contains(cell.center())

    qtbot.waitUntil(is_in_sight)
    guide.tell()
    qtbot.waitUntil(lambda: presenter.sheet._leads and is_in_sight())
    presenter.leave()


def test_a_list_that_comes_later_than_its_slide_is_whole(bench_of, qtbot):
    """It had the size of the one number of the slide before, and list and scroll bar drove each other for ever."""
    bench = bench_of(load("words-as-vectors"))
    guide = Guide(bench)
    guide.go(0)
    presenter = Presenter(bench, guide)
    qtbot.addWidget(presenter)
    presenter.resize(1280, 720)
    presenter.show()
    at = [step.id for step in guide.steps].index("neighbours")
    for step in (at - 1, at):
        guide.go(step)
        qtbot.waitUntil(lambda: presenter.sheet is not None and presenter.sheet.is_settled)
    sheet = presenter.sheet
    assert not sheet.findChildren(ListingView)
    sheet.vectors = load_vectors()
    sheet.refresh()
    qtbot.waitUntil(lambda: bool(sheet.findChildren(ListingView)) and sheet.is_settled)
    assert sheet.scrolls == ()
    presenter.leave()


def test_a_list_is_whole_as_soon_as_its_slide_is_laid_out(bench_of, qtbot):
    """Its last lines were cut until the next turn, which a busy machine begins late, and the motion showed it so."""
    bench = bench_of(load("cat-sat-on-the"))
    guide = Guide(bench)
    at = [step.id for step in guide.steps].index("one-hot")
    guide.go(at - 1)
    presenter = Presenter(bench, guide)
    qtbot.addWidget(presenter)
    presenter.resize(1280, 720)
    presenter.show()
    qtbot.waitUntil(lambda: presenter.sheet is not None and presenter.sheet.is_settled)
    guide.go(at)
    (listing,) = presenter.sheet.findChildren(ListingView)
    assert presenter.sheet.elements.rect().contains(listing.geometry())
    presenter.leave()


def test_a_slide_with_lines_between_words_comes_to_rest(open_window, screen, qtbot, monkeypatch, pictures):
    screen(1280, 720)
    window, fill, fills = open_window("start-here"), Hero.fill, []
    monkeypatch.setattr(Hero, "fill", lambda hero, place: fills.append(place) or fill(hero, place))
    guide = window.lessons.guide
    guide.go([step.id for step in guide.steps].index("shares"))
    window.lessons.open_presenter()
    presenter = window.lessons.presenter

    def rests():
        before = len(fills)
        for _ in range(10):
            QApplication.processEvents()
        return len(fills) == before and all(one.isVisible() for one in presenter.findChildren(AttentionLinesView))

    qtbot.waitUntil(rests)
    (lines,) = presenter.findChildren(AttentionLinesView)
    assert lines.parentWidget().rect().contains(lines.geometry())
    window.bench.document.do(SetTokens("source", ("You", "are", "welcome") * 5))
    sheet, look = presenter.sheet, replace(guide.step.look, node="", element="lines")
    alone = replace(guide.lesson, steps=(replace(guide.step, look=look, question=None),))
    sheet.tell(alone, 0, {})
    qtbot.waitUntil(lambda: sheet.is_settled and rests())
    (lines,) = presenter.findChildren(AttentionLinesView)
    assert lines.width() > 0.9 * sheet._shown.width(), "alone they take what is free"
    presenter.leave()


def test_frozen_the_class_sees_what_it_saw_and_a_single_screen_says_so(presenter, guide, hand):
    live = presenter.grab().toImage()
    hand.key(Key.Key_F)
    before = presenter.grab().toImage()
    assert before != live
    guide.next()
    QApplication.processEvents()
    assert presenter.grab().toImage() == before
    hand.key(Key.Key_B)
    assert presenter.grab().toImage() != before
    hand.key(Key.Key_B)
    assert presenter.grab().toImage() == before, "black and back it showed the live slide"
    for key in (Key.Key_D, Key.Key_V):
        hand.key(key)
        assert presenter.grab().toImage() == before
    hand.key(Key.Key_F)
    live = presenter.grab().toImage()
    assert live != before
    hand.key(Key.Key_F)
    before = presenter.grab().toImage()
    for key in (Key.Key_F, Key.Key_B, Key.Key_F):
        hand.key(key)
    assert presenter.grab().toImage() == before, "the picture was of the black screen"


def test_reveal_covers_the_numbers_and_shows_one_after_the_other(presenter, guide, go, hand, window, eye):
    go(2)
    guide.answer(1)
    hand.key(Key.Key_P)
    hand.key(Key.Key_P)

    def texts():
        matrix = presenter.sheet.elements.widgets[LOGITS].matrix
        return [matrix.text(0, i) for i in range(3)]

    assert texts() == ["2.0", "1.0", "0.0"]
    hand.key(Key.Key_R)
    assert texts() == ["?", "1.0", "0.0"]  # the step names the first alone
    hand.key(Key.Key_R)
    assert texts() == ["2.0", "1.0", "0.0"]
    for uncover in (window.bench.document.undo, presenter.leave):
        guide.go(0)
        hand.key(Key.Key_R)
        assert LOGITS in guide.covered.where("values")
        uncover()
        eye.settle(window)
        assert LOGITS not in guide.covered.where("values"), "in the window no key uncovers them"


def test_reveal_tells_the_answer_that_nobody_gave_and_a_way_to_make_it_so(presenter, guide, go, hand):
    go(1)
    assert presenter.sheet.elements.widgets[SHARES].matrix.text(0, 0) == "?"
    hand.key(Key.Key_R)
    assert presenter.sheet.elements.widgets[SHARES].matrix.text(0, 0) != "?"
    assert guide.attempt.tried == []
    assert guide.walk.progress.answers == {}
    go([isinstance(step.question, MakeSo) for step in guide.steps].index(True))
    hand.key(Key.Key_R)
    said = [one.text() for id, one in presenter._question.widgets.items() if id.startswith("hint ")]
    assert len(said) == 1
    assert "Any change is right that leads to this" in said[0]
    assert "For example," in said[0]
    assert not guide.changed, "it is told, and not done"


def test_nothing_is_too_small_to_read(presenter, guide, hand, text_sizes):
    for _ in guide.steps:
        sizes = text_sizes(presenter)
        assert len(sizes) > 5
        assert min(sizes.values()) >= READ, sizes
        hand.key(Key.Key_N)


def test_digits_go_to_the_number_that_is_asked_for_and_behind_the_answer_keys_mean_steps_again(
    presenter, guide, go, hand
):
    go(1)
    presenter.setFocus()
    hand.type("0.67")  # the point would blank the screen
    assert presenter._cover.isHidden()
    hand.key(Key.Key_W)  # which is no part of a number
    assert not presenter._cover.isHidden()
    hand.key(Key.Key_W)
    hand.key(Key.Key_Return)
    assert guide.attempt.verdict.right
    hand.key(Key.Key_Space)
    assert guide.at == 2


def test_what_is_typed_stays_on_a_slide_of_another_size_and_a_clicker_goes_on_meanwhile(
    window, presenter, guide, go, hand
):
    go(1)
    hand.type("0.5")
    small = presenter._look.scale
    presenter.resize(1920, 1080)
    QApplication.processEvents()
    assert presenter._look.scale == pytest.approx(1.5 * small)
    (field,) = presenter._question.fields
    assert field.text() == "0.5"
    hand.click(field)
    hand.key(Key.Key_PageDown)
    assert guide.at == 2
    hand.key(Key.Key_PageUp)
    hand.type("0.56")
    hand.key(Key.Key_Return)
    assert guide.attempt.tried == [0.56]
    assert window.lessons.panel._page.fields[-1].text() == "0.56", "it is shown beside the page"


def test_as_it_begins_the_keys_stand_below_the_words_for_three_seconds_and_cover_nothing(
    presenter, hand, guide, go, qtbot, monkeypatch
):
    bar, sheet = presenter._bar, presenter.sheet
    qtbot.waitUntil(lambda: sheet.is_settled)
    assert bar.isVisible()
    assert all(f"{key} " in bar.text() for key in ("R", "D", "Z", "F", "F1"))
    assert sheet.free.contains(bar.geometry())
    for part in (sheet._asked, sheet._shown, sheet._way, sheet._words.widgets["words"], sheet._title):
        if part.isVisible():
            assert not bar.geometry().intersects(QRect(part.mapTo(presenter, QPoint()), part.size()))
    presenter._begun.start(0)
    qtbot.waitUntil(bar.isHidden)
    with monkeypatch.context() as patch:  # at the upper right, before all that is there
        patch.setattr(StepSheet, "free", QRect())
        presenter._say_keys()
        assert (bar.text(), bar.x()) == (FEW_KEYS, sheet._number.x()), "they do not cut the name of the lesson"
    go(1)  # F1 says them all, also in a field
    hand.type("0.5")
    hand.key(Key.Key_F1)
    qtbot.waitUntil(lambda: QApplication.activeWindow() is not presenter)
    keys = QApplication.activeWindow()
    assert "Freeze what the class sees" in keys.findChild(QTextBrowser).toPlainText()
    hand.key(Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activeWindow() is not keys)
    assert presenter.isVisible()
    assert guide.at == 1


def test_a_step_whose_model_lacks_what_the_step_beside_it_names_is_come_to_from_there(anew, qtbot):
    """Codes of weights in few bits, then the router of another model: the model changes a moment before the step."""
    window = anew(step=0, lesson="changed-since-2017")
    guide = window.lessons.guide
    ids = [step.id for step in guide.steps]
    guide.go(ids.index("bits"))
    window.lessons.open_presenter()
    presenter = window.lessons.presenter
    for id, node in (("experts", "decoder.1.ffn.routed"), ("bits", "decoder.1.ffn.W_1_codes")):
        guide.go(ids.index(id))
        views = partial(presenter.sheet.findChildren, MatrixView)
        qtbot.waitUntil(lambda node=node, views=views: node in {one.matrix.name for one in views()})
    presenter.leave()


def test_a_slide_becomes_the_next_and_a_second_key_is_not_made_to_wait(presenter, guide, go, qtbot, monkeypatch):
    go(1)
    monkeypatch.setattr(Motion, "held", False)
    monkeypatch.setattr("explorer.ui.page.overlays.TIME", 10**6)  # on a busy machine it could be over before it is seen
    begun, start = [], Motion._start

    def note(motion):
        if motion is presenter._motion:  # and not that of the page behind it
            begun.append(guide.at)
        start(motion)

    monkeypatch.setattr(Motion, "_start", note)
    QTest.keyClick(presenter.windowHandle(), Key.Key_PageDown)
    assert guide.at == 2, "at once"
    motion = presenter._motion
    qtbot.waitUntil(lambda: begun == [2])
    motion.show_at(0.0)
    QTest.keyClick(presenter.windowHandle(), Key.Key_PageDown)
    assert guide.at == 3
    qtbot.waitUntil(lambda: begun == [2, 3])
    motion.show_at(1.0)
    assert not motion.moves
    assert motion.geometry().isEmpty()


def test_a_part_that_wants_another_size_each_time_that_the_room_is_shared_does_not_hold_the_slide_for_ever(
    presenter, guide, qtbot
):
    sheet = presenter.sheet
    qtbot.waitUntil(lambda: sheet.is_settled)
    shared = []
    restless = QWidget()

    def want_more():
        shared.append(None)
        restless.setMinimumHeight(1 + len(shared) % 2)

    sheet.shared.connect(want_more)
    sheet._hero.layout().insertWidget(0, restless)
    restless.show()
    want_more()
    qtbot.waitUntil(lambda: len(shared) > ROUNDS // 2)
    qtbot.waitUntil(lambda: sheet.is_settled and not sheet._rested.isActive())
    assert len(shared) < 3 * ROUNDS
    sheet.shared.disconnect(want_more)
    before = len(shared)
    guide.next()
    qtbot.waitUntil(lambda: sheet.step is guide.steps[guide.at] and sheet.is_settled)
    assert len(shared) == before


@pytest.mark.usefixtures("page_in_sight")
def test_the_page_behind_the_class_s_window_rests_until_it_is_seen_again(window, guide, hand, qtbot):
    hand.key(Key.Key_F5)
    presenter = window.lessons.presenter
    qtbot.waitUntil(lambda: presenter.isFullScreen() and QApplication.activeWindow() is presenter)
    page, made = window.area.in_sight(), []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_begin", "_share_room"):
            act = getattr(PageView, name)
            patch.setattr(PageView, name, lambda view, name=name, act=act: made.append(name) or act(view))
        hand.key(Key.Key_PageDown)
        window.bench.document.do(SetCells(LOGITS, {(0, 0): 4.0}))
        for _ in range(20):
            QApplication.processEvents()
        assert guide.at == 1
        assert not made, "nobody sees it"
        window.activateWindow()
        qtbot.waitUntil(lambda: not window.area.makes and not page.leaves)
        assert made
        assert page.elements.widgets[LOGITS].matrix.values[0, 0] == 4
        made.clear()
        presenter.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is presenter)
        hand.key(Key.Key_PageDown)
        for _ in range(20):
            QApplication.processEvents()
        assert guide.at == 2
        assert not made
        presenter.leave()
        qtbot.waitUntil(lambda: bool(made) and not window.area.makes)
    assert window.area.in_sight().page.stage == guide.stage


def test_who_closes_the_notes_ends_the_mode_whose_messages_would_come_to_nobody(window, presenter, guide):
    notes = window.lessons.speaker = presenter.beside = Speaker(window.bench, guide, presenter)
    notes.show()
    notes.close()
    assert window.lessons.presenter is None
    assert window.lessons.speaker is None
    assert not presenter.isVisible()
