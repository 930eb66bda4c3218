"""Pages that are kept out of sight, while another model takes the place of the one they are of."""

import gc
import itertools
import weakref

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.drawing import Box
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import CELL_HEIGHT
from explorer.ui.page.area import PREPARATIONS, StageArea
from explorer.ui.page.column import Elements
from explorer.ui.page.note import NoteLabel
from explorer.ui.page.overlays import Motion
from explorer.ui.page.page_view import PageView
from explorer.ui.window.notice import Computing
from tests.samples import long

pytestmark = pytest.mark.usefixtures("kept")

KEPT = 3


@pytest.fixture
def visited(anew, eye, monkeypatch):
    """The window after a visit to the first page of a lesson and as many of the last ones as are kept: here three."""
    monkeypatch.setattr("explorer.ui.page.area.KEPT", KEPT)

    def visit(lesson):
        window = anew(lesson=lesson)
        stops = window.bench.selection.stops
        for stage in dict.fromkeys((*stops[:1], *stops[-KEPT:])):
            eye.look_at(window, stage.name)
        return window

    return visit


def test_a_matrix_keeps_the_keys_in_another_theme_and_text_size(window, eye, hand, appearance, no_pictures):
    """Qt gave them to the way back above the page, and the arrow keys went nowhere."""
    elements = eye.go_to(window, "encoder.1.self.heads").page.elements
    name = "encoder.1.self.head.1.weights"
    view = eye.views(window)[name]
    hand.click(view, hand.cell(view, 1, 0))
    for _ in range(2):
        appearance.zoom(1)
        QApplication.processEvents()
    appearance.set_mode("dark")
    eye.settle(window)
    assert window.page().page.elements == elements  # crumbs may lead to another view of the whole
    assert QApplication.focusWidget() is eye.views(window)[name] is not view
    now = eye.views(window)[name]
    assert now.rowHeight(0) == appearance.px(CELL_HEIGHT * now.form.size)  # smaller where its line is too long
    hand.key(Qt.Key.Key_Right)
    assert window.bench.selection.cell.index == (0, 1, 1)
    hand.key(Qt.Key.Key_F2)
    hand.type("0.5")
    appearance.set_mode("light")
    eye.settle(window)
    assert eye.value(window, "encoder.1.self.weights")[0, 1, 1] == 0.5
    assert QApplication.focusWidget() is eye.views(window)[name]
    by_hand = eye.by_name(window.page(), "By hand")
    by_hand.setFocus()
    appearance.set_scale(1.0)
    eye.settle(window)
    assert QApplication.focusWidget() is eye.by_name(window.page(), "By hand") is not by_hand
    # Whoever has gone elsewhere meanwhile stays there.
    appearance.set_mode("dark")
    chip = window.tokens._strips["source"].chips[0]
    chip.setFocus()
    eye.settle(window)
    assert chip.hasFocus()


def test_the_choice_of_the_layer_keeps_the_keys(anew, eye, hand, no_pictures):
    window = anew("decoder.2.self.attention", lesson=new_lesson("gpt", ["a b c"], layers=4, d_model=4))
    eye.by_name(window.page().header, "Layer 3").setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Qt.Key.Key_Space)
    eye.settle(window)
    assert window.bench.selection.stage == "decoder.3.self.attention"
    assert QApplication.focusWidget() is eye.by_name(window.page().header, "Layer 3")


@pytest.mark.parametrize(("before", "after"), [("emma", "softmax"), long("i-love-ai", "xor"), ("xor", "i-love-ai")])
def test_what_is_looked_at_changes_before_the_pages_have_heard(visited, eye, no_pictures, before, after):
    """Both happen in one turn of the event loop; nobody looks for a node that is gone."""
    window = visited(before)
    bench = window.bench
    bench.open(load(after))
    bench.selection.set_head(1)
    bench.selection.set_head(None)
    for sequence in ("input", "source", "target"):
        bench.selection.choose_token((sequence, 1))
    bench.selection.show("change")
    bench.selection.show("values")
    bench.bridge.flush()
    eye.settle(window)
    assert window.page().page.stage == window.bench.selection.stage


def test_with_pictures(visited, eye):
    window = visited("translation-lookup")
    window.bench.open(load("xor"))
    window.bench.selection.set_head(1)
    window.bench.bridge.flush()
    eye.settle(window)
    assert window.page().page.stage == window.bench.selection.stage


def test_a_page_that_goes_shows_no_other_in_passing(visited, eye, watch, no_pictures):
    """The stack would show its neighbour, which may be of the graph that is gone."""
    window = visited("emma")
    shown = watch(window.area.findChildren(PageView), QEvent.Type.Show)
    window.bench.open(load("softmax"))
    window.bench.bridge.flush()
    assert sum(shown.values()) == 0
    page = window.page()
    assert window.area.currentWidget() is page


def test_a_page_that_stays_is_shown_on(window, eye, watch, no_pictures):
    panel = eye.look_at(window, "encoder.1.self.attention")
    shown = watch([panel], QEvent.Type.Show)
    window.bench.document.do(SetSwitch("encoder.1.self", "mask", "causal"))
    window.bench.bridge.flush()
    assert window.page() is panel
    assert shown == {}


def test_a_narrow_page_asks_for_no_negative_width(anew, no_pictures):
    window = anew(lesson="softmax")
    header = window.page().header
    header.fit(-20)  # a Qt warning would fail the test
    assert header.findChildren(QWidget)
    window.page().elements.findChild(NoteLabel)._wide = False
    window.page().elements.share_room(10)


def test_a_cell_that_is_being_edited_when_its_matrix_goes(bring, eye, no_pictures):
    window = bring("you-are-welcome", "encoder.1.self.attention", (1600, 1000))  # in less, what is editable is small
    view = next(v for v in eye.views(window).values() if v.matrix.editable)
    index = view.table.index(0, 0)
    view.edit(index)
    editor = view.viewport().findChild(QLineEdit)
    editor.setText("3")
    window.bench.open(load("xor"))
    view.itemDelegate().setModelData(editor, view.matrix, index)
    assert index.data(Qt.ItemDataRole.ToolTipRole) == index.data(Qt.ItemDataRole.EditRole) == index.data()
    assert window.bench.document.history.undo_label.startswith("Open")
    window.bench.bridge.flush()
    eye.settle(window)


def test_a_page_at_rest_is_not_laid_out_again_and_again(window, eye, monkeypatch):
    panel = eye.go_to(window, "encoder.1.self.attention")
    times = []
    monkeypatch.setattr(type(panel), "_share_room", lambda self: times.append(self))
    panel._settled.timeout.connect(lambda: times.append(panel))
    for _ in range(20):  # until the scroll bar has found its place
        QApplication.processEvents()
    times.clear()
    for _ in range(20):
        QApplication.processEvents()
    assert times == []


def test_a_page_that_is_made_while_its_model_goes(anew, eye, no_pictures):
    """Undo and the turn of a page come before the news of the undo."""
    window = anew(lesson="emma")
    for begun in (False, True):
        window.bench.open(load("you-are-welcome"))
        window.bench.bridge.flush()
        window.bench.selection.go_to("encoder.1.self.heads" if begun else "decoder.1.cross.attention")
        if begun:
            window.area._go_on()
        window.bench.document.undo()
        window.area._go_on()
        eye.settle(window)
        assert window.page().stage in window.bench.selection.places
        assert window.page().is_whole


def test_a_page_whose_sizes_ask_for_each_other(open_window, monkeypatch):
    """Lists that go on below where they are narrow did so at one size; Qt asked until its stack was full."""
    window = open_window("two-vectors")
    heights = itertools.count(2000)
    monkeypatch.setattr(Elements, "heightForWidth", lambda page, width: next(heights), raising=False)
    monkeypatch.setattr(Elements, "hasHeightForWidth", lambda page: True, raising=False)
    window.bench.selection.go_to(window.bench.selection.places[-1].name)
    window.page().resize(500, 300)
    assert next(heights) < 3000


def test_the_pages_last_seen_are_kept(visited, no_pictures, qtbot):
    window = visited("you-are-welcome")
    stages = [stage.name for stage in window.bench.selection.stops]
    qtbot.waitUntil(lambda: len(window.area.findChildren(PageView)) == KEPT < len(stages))
    kept = {page.stage.name: page for page in window.area.findChildren(PageView)}
    assert set(kept) == set(stages[-KEPT:])
    window.bench.selection.go_to(stages[-KEPT])  # the oldest is seen again, and stays
    assert window.page() is kept[stages[-KEPT]]
    window.bench.selection.go_to(stages[0])
    assert window.page().stage.name == stages[0]
    qtbot.waitUntil(lambda: len(window.area.findChildren(PageView)) == KEPT)
    assert {page.stage.name for page in window.area.findChildren(PageView)} == (
        set(stages[-KEPT:]) - {stages[1 - KEPT]} | {stages[0]}
    )


def test_pages_that_go_take_their_parts_along(window, eye, qtbot):
    """A thousand of them would hold the window when Python's collector comes."""
    for stage in window.bench.selection.stops[:4]:
        eye.look_at(window, stage.name)
    parts = [weakref.ref(box) for box in window.area.findChildren(MatrixBox)]
    assert len(parts) > 10
    assert not gc.isenabled()
    window.bench.open(load("two-vectors"))
    qtbot.waitUntil(lambda: all(part() is None for part in parts))


def test_a_page_that_one_comes_back_to_is_made_anew_in_turns_before_it_is_seen(slowly, window, eye, qtbot):
    """What has changed in it meanwhile may be all of it: half a second of a large model in one turn."""
    page = eye.go_to(window, "encoder.1.self.attention")
    eye.go_to(window, "source.embedding")
    window.bench.document.do(SetCells("source.table", {(1, 0): 5.0}))
    window.bench.bridge.flush()
    before = window.area.in_sight()
    window.bench.selection.go_to("encoder.1.self.attention")
    assert window.area.in_sight() is before
    assert window.area.makes
    qtbot.waitUntil(lambda: not window.area.makes)
    assert window.area.in_sight() is page
    assert not page.is_stale


@pytest.fixture
def slowly(monkeypatch):
    """Only the least is made in a turn."""
    monkeypatch.setattr("explorer.ui.page.area.AT_ONCE", 0.0)


@pytest.fixture
def quantised(anew, eye):
    """Has each weight of the model of a page in sight take 4 bits: it is still to be made of other elements."""

    def quantise():
        page = eye.look_at(anew(lesson="i-love-ai"), "decoder.1.self.attention")
        before = dict(page.elements.widgets)
        page.bench.document.do(SetSwitch("decoder.1.self", "quantised", "4 bits"))
        page.bench.bridge.flush()
        assert page.window().area.makes
        assert page.elements.widgets == before, "what one saw stays"
        return page, before

    return quantise


@pytest.fixture
def turns_as(monkeypatch):
    """Has pages made by another function than usual in each turn; gives the usual one."""
    areas = []

    def to(area, turn):
        areas.append((area, turn))
        area._next.timeout.disconnect()
        area._next.timeout.connect(turn)
        return area._go_on

    yield to
    for area, turn in areas:
        area._next.timeout.disconnect(turn)
        area._next.timeout.connect(area._go_on)


def test_a_page_that_nobody_sees_is_made_in_turns_that_nothing_else_takes(slowly, window, eye, qtbot, monkeypatch):
    """In a larger text the tab in sight and a part of the page behind it were made in one turn: 0.17 s."""
    eye.look_at(window, "encoder.1.self.attention")
    window.show_tab("References")
    turns, idle, make = window.bench.appearance.turns, [], PageView.make
    qtbot.waitUntil(lambda: turns.idle)
    monkeypatch.setattr(PageView, "make", lambda page, *given: idle.append(turns.idle) or make(page, *given))
    window.bench.appearance.set_scale(1.25)
    assert not turns.idle
    qtbot.waitUntil(lambda: bool(idle) and not window.area.makes)
    assert all(idle)


def test_a_page_in_sight_of_many_other_elements_is_made_in_turns_and_then_shown(
    slowly, quantised, qtbot, monkeypatch, turns_as
):
    """Four experts for one net: their elements were made in one turn of 0.3 s."""
    (page, before), made, turns, make = quantised(), [], [], MatrixBox.__init__
    area = page.window().area
    monkeypatch.setattr(MatrixBox, "__init__", lambda *given: made.append(given) or make(*given))
    go_on = turns_as(area, lambda: (made.clear(), go_on(), turns.append(len(made))))
    qtbot.waitUntil(lambda: not area.makes)
    assert area.in_sight() is page
    assert max(turns) == 1
    new = page.elements.widgets.keys() - before.keys()
    assert len(new) == sum(turns) > 6
    assert all(page.elements.widgets[id] is one for id, one in before.items() if id != "header")


def test_what_comes_while_a_page_in_sight_is_made_anew_is_on_it_as_well(quantised, qtbot):
    page, _ = quantised()
    window = page.window()
    window.bench.document.do(SetCells("decoder.1.self.W_Q", {(0, 0, 0): 5.0}))
    window.bench.bridge.flush()
    assert window.area.makes
    qtbot.waitUntil(lambda: not window.area.makes)
    assert page.elements.widgets["decoder.1.self.W_Q"].matrix.values[0, 0] == 5.0
    before = dict(page.elements.widgets)
    window.bench.document.undo()
    window.bench.document.undo()
    window.bench.bridge.flush()
    qtbot.waitUntil(lambda: not window.area.makes)
    assert page.elements.widgets.keys() < before.keys()


def test_what_a_hand_does_on_a_page_that_is_made_anew_means_the_new_one_and_elsewhere_does_not(quantised, turns_as):
    """A turn of the wheel, or a key, held the window until all of a page was made: for 240 ms."""
    page, before = quantised()
    window = page.window()
    turns_as(window.area, lambda: None)
    window.map.setFocus()
    handle, middle = window.windowHandle(), window.area.mapTo(window, window.area.rect().center())
    QTest.keyClick(handle, Qt.Key.Key_Shift)
    QTest.wheelEvent(handle, middle, QPoint(0, -120))
    QTest.mouseClick(handle, Qt.MouseButton.RightButton, pos=window.lesson_bar.mapTo(window, QPoint(4, 4)))
    assert window.area.makes
    page.elements.widgets["decoder.1.self.W_Q"].view.setFocus()
    QTest.keyClick(handle, Qt.Key.Key_Shift)
    assert not window.area.makes
    assert page.elements.widgets.keys() > before.keys()
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert window.area.page() is page
    window.bench.document.redo()
    window.bench.bridge.flush()
    assert window.area.makes
    QTest.mouseClick(handle, Qt.MouseButton.MiddleButton, pos=middle)
    assert not window.area.makes


def test_what_a_new_page_takes_before_it_is_seen_takes_turns_of_their_own(slowly, window, qtbot, monkeypatch, turns_as):
    """To compose it, its first widget, to share its room, and the picture of the page before."""
    window.area._drop([name for name in window.area._pages if name != window.bench.selection.stage])
    acts, turns = [], []

    def note(owner, name):
        was = getattr(owner, name)

        def noted(*given, **named):
            acts.append(name)
            return was(*given, **named)

        monkeypatch.setattr(owner, name, noted)

    def turn():
        acts.clear()
        go_on()
        turns.append(tuple(acts))

    for owner, name in (
        (PageView, "_begin"),
        (MatrixBox, "__init__"),
        (PageView, "_share_room"),
        (Motion, "remember"),
    ):
        note(owner, name)
    go_on = turns_as(window.area, turn)
    window.bench.selection.go_to("encoder.1.self.attention")
    qtbot.waitUntil(lambda: not window.area.makes)
    made = [turn for turn in turns if turn][:-1]  # the last one shows it
    assert [turn for turn in made if len(set(turn)) > 1 or turn.count("__init__") > 1] == []
    order = ["_begin", "__init__", "_share_room", "remember"]
    assert list(dict.fromkeys(act for turn in made for act in turn)) == order
    shared = [turn for turn in made if "_share_room" in turn]
    assert len(shared) == 1, "Qt tells of its place once more, which is no other: nothing is shared anew"


def test_a_page_that_is_made_anew_for_another_look_is_laid_out_before_it_is_seen(
    window, eye, qtbot, monkeypatch, no_pictures
):
    """It was laid out, shared and shown in one turn: 0.2 s of the attention of a large model."""
    eye.go_to(window, "encoder.1.self.attention")
    laid, lay_out, share_room, early = [], PageView.lay_out, PageView._share_room, []
    monkeypatch.setattr(PageView, "lay_out", lambda page, place: laid.append(page) or lay_out(page, place))
    monkeypatch.setattr(PageView, "_share_room", lambda page: early.extend([] if laid else [page]) or share_room(page))
    window.bench.appearance.set_scale(1.1)
    qtbot.waitUntil(lambda: window.bench.appearance.turns.idle and not window.area.makes)
    assert laid == [window.area.in_sight()]
    said = "its room was shared in the turn that made the last of it, and once more when it was laid out"
    assert laid[0] not in early, said
    window.bench.document.do(SetCells("source.table", {(1, 0): 5.0}))
    window.bench.bridge.flush()
    window.area.page()
    assert len(laid) == 1, "one that stands is not laid out anew"


def test_a_page_that_comes_as_the_window_gets_another_size_shares_its_room_before_it_is_shown(
    window, qtbot, monkeypatch
):
    """It was shared twice and shown in one turn: 0.15 s of the attention of a large model."""
    window.area._drop([page for page in window.area._pages if page != "source.embedding"])
    stages, shared = ("encoder.1.self.heads", "encoder.1.self.attention"), []
    share_room, show, prepare = PageView._share_room, StageArea._show, StageArea._prepare
    monkeypatch.setattr(PageView, "_share_room", lambda page: shared.append(page.stage.name) or share_room(page))

    def shown(area):
        before = list(shared)
        show(area)
        assert shared == before, "shared in the turn that shows it"

    left = list(stages)

    def prepared(area, page):
        prepare(area, page)
        if area._prepared == PREPARATIONS and page.stage.name in left:
            left.remove(page.stage.name)
            window.resize(window.width() - 60, window.height() - 40)

    monkeypatch.setattr(StageArea, "_show", shown)
    monkeypatch.setattr(StageArea, "_prepare", prepared)
    for stage in stages:
        window.bench.selection.go_to(stage)
        qtbot.waitUntil(lambda: not window.area.makes)
    assert left == []
    window.bench.selection.go_to(stages[0])  # it is whole, but for a window that was larger
    qtbot.waitUntil(lambda: not window.area.makes)
    assert window.area.in_sight().size() == window.area.contentsRect().size()
    assert set(shared) >= set(stages)


def test_formulas_of_a_picture_that_fills_its_page_are_typeset_in_turns_before_it_is_painted(
    slowly, window, qtbot, monkeypatch
):
    """Those of a block took 60 ms of the turn that first painted it."""
    done, turns, typesets = [], [], PageView.typeset
    monkeypatch.setattr("explorer.ui.page.page_view.typeset", done.append)

    def noted(page, seconds):
        before = len(done)
        every = typesets(page, seconds)
        turns.append(len(done) - before)
        return every

    monkeypatch.setattr(PageView, "typeset", noted)
    window.area._drop([name for name in window.area._pages if name != window.bench.selection.stage])
    done.clear(), turns.clear()
    window.bench.selection.go_to("model.encoder.1.self")
    qtbot.waitUntil(lambda: not window.area.makes)
    page = window.area.in_sight().page
    formulas = [mark.formula for mark in page.elements[-1].drawing.marks if isinstance(mark, Box) and mark.formula]
    assert done == formulas
    assert turns == [1] * len(formulas) + [0]


def read_at(page):
    """The first visible element of a page, and how much of it is above the visible part."""
    tops = ((id, one, one.mapTo(page.viewport(), QPoint()).y()) for id, one in page.elements.widgets.items())
    id, one, top = next(part for part in tops if part[1].isVisible() and part[2] + part[1].height() > 0)
    return id, pytest.approx(-top / one.height(), abs=0.02)


def test_another_look_shows_what_was_read(bring, eye, appearance, no_pictures):
    """The page was shown from its top, wherever one had scrolled."""
    window = bring("you-are-welcome", "encoder.1.self.attention", (1280, 720))
    page = window.page()
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum() // 2)
    before = read_at(page)
    for look in (lambda: appearance.set_mode("dark"), lambda: appearance.zoom(1)):
        look()
        eye.settle(window)
        assert window.page() is not page
        assert read_at(window.page()) == before


@pytest.mark.usefixtures("no_pictures")
def test_in_another_look_a_step_begins_where_it_did_unless_one_has_scrolled(window, eye, appearance, qtbot):
    appearance.set_scale(1.75)
    window.bench.open(load("cat-sat-on-the"))
    window.resize(1280, 640)
    window.lessons.guide.go(2)
    words = window.lessons.panel._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: words.maximum() > 0)

    def bar():
        qtbot.waitUntil(lambda: appearance.turns.idle and not window.area.makes)
        eye.settle(window)
        qtbot.waitUntil(lambda: not window.lessons._found.isActive())
        return window.page().verticalScrollBar()

    for scrolled in (None, 200):
        before = bar()
        began = before.value() if scrolled is None else scrolled
        before.setValue(began)
        words.setValue(words.maximum())
        appearance.set_mode("light" if appearance.theme.dark else "dark")
        after = bar()
        assert after is not before
        assert after.value() == began > 0
        assert words.value() == words.maximum() > 0


def test_a_page_that_takes_long_is_told_in_the_bar_until_it_is_there(open_window, eye, qtbot):
    """Under load the old page stayed for over a second after a click, and nothing said that another one comes."""
    window = open_window("you-are-welcome")
    word = window.findChild(Computing)
    eye.settle(window)
    assert word.text() == ""
    word._opens.setInterval(0)
    window.bench.selection.go_to("decoder.1.cross.attention")
    qtbot.waitUntil(lambda: word.text() == "Opening …")
    assert window.area.makes
    eye.settle(window)
    assert word.text() == ""
    word._opens.setInterval(60_000)
    window.bench.selection.go_to("encoder.1.self.attention")
    eye.settle(window)
    assert not word._opens.isActive()
