"""A page on the screen is what its data say, and widgets hear only of what is different."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.pages import compose
from explorer.pages.element import Arrangement, leaves
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.elements import WIDGETS
from explorer.ui.page.listing import ListingView
from explorer.ui.page.note import NoteLabel, PassageView
from explorer.ui.page.page_view import PageView
from explorer.ui.page.picture_place import PicturePlace
from tests.examples import SMALL
from tests.samples import long

pytestmark = pytest.mark.usefixtures("kept")

WITHOUT_PICTURES = pytest.mark.usefixtures("no_pictures")
ENCODER, DECODER = "encoder.1.self", "decoder.1.self"
ATTENTION = f"{ENCODER}.attention"
EDITS = [
    SetCells("source.table", {(0, 0): 2.5}),
    SetTokens("source", ("You", "are", "so", "very", "welcome")),
    SetSwitch(ENCODER, "heads", 3),
    SetSwitch(ENCODER, "scale", "none", everywhere=True),
    SetSwitch("source", "positions", "none"),
    SetSwitch(ENCODER, "norm", "pre"),
    PinCells(f"{ENCODER}.weights", {(0, 1, 2): 0.5}),
]


def wrong(window):
    """The ids of what stands on the page in sight and is not what its data would be now."""
    page = window.page()
    now = compose.page(window.bench.view, page.stage)
    assert page.page == now
    parts = [leaf for element in (now.header, *now.elements) for leaf in leaves(element)]
    elements = {leaf.id: leaf for leaf in parts if not isinstance(leaf, Arrangement)}
    assert page.elements.widgets.keys() == elements.keys()
    found = []
    for id, widget in page.elements.widgets.items():
        element = elements[id]
        match widget:
            case MatrixBox():
                same, table = widget.matrix == element, widget.view.table
                same &= (table.rowCount(), table.columnCount()) == element.array.shape
                same &= table.index(0, 0).data() == element.text(0, 0)
            case ListingView():
                same = widget.listing == element and widget.table.rowCount() == len(element.lines)
            case NoteLabel():
                same = widget.text().count("<b") == element.text.count("<b") + element.text.count("<mark")
            case _:
                same = True
        if not same:
            found.append(id)
    return found


@pytest.fixture
def told(monkeypatch):
    """The ids of the elements that widgets of pages were told since one last asked; passages stand beside pages."""
    ids = []
    for kind in {make for make in WIDGETS.values() if isinstance(make, type)} - {PassageView}:
        tell = kind.tell

        def counted(self, element, tell=tell):
            ids.append(element.id)
            tell(self, element)

        monkeypatch.setattr(kind, "tell", counted)

    def since():
        found = sorted(ids)
        ids.clear()
        return found

    return since


@pytest.mark.long
@pytest.mark.parametrize("lesson", [*(one.id for one in SMALL), "tiny-gpt"])
def test_every_stage_of_every_example_is_shown(open_window, eye, lesson):
    """One of each kind: `test_typed_names.py`. `tests/pages` composes all pages of all examples."""
    window = open_window(lesson)
    for stage in [stage.name for stage in window.bench.selection.stops]:
        assert eye.go_to(window, stage).isVisible()
        assert wrong(window) == []
    assert not window.grab().isNull()


@WITHOUT_PICTURES
def test_a_page_ends_where_its_last_element_ends(window, eye, qtbot):
    for stage in ("source.positions", f"{ENCODER}.after", "loss", "model.parameters"):
        page = eye.look_at(window, stage)
        qtbot.waitUntil(lambda page=page: page.elements.height() == end_of(page))


def end_of(page):
    return max(page.elements.heightForWidth(page.elements.width()), page.viewport().height())


@WITHOUT_PICTURES
@pytest.mark.parametrize(
    "stage", [long("source.embedding"), ATTENTION, long(f"{DECODER.replace('self', 'cross')}.heads"), "loss"]
)
def test_a_page_comes_to_rest(bring, monkeypatch, stage):
    """What is told of its sizes does not ask for a layout that asks for the same again."""
    assert_comes_to_rest(bring("you-are-welcome", stage, (1280, 720)).page(), monkeypatch)


@WITHOUT_PICTURES
def test_a_page_that_folds_its_first_row_comes_to_rest(bring, monkeypatch):
    page = bring("apple-orange", ATTENTION).page()
    assert page.elements.widgets[f"{ATTENTION.removesuffix('attention')}W_Q"].small
    assert_comes_to_rest(page, monkeypatch)


def assert_comes_to_rest(page, monkeypatch):
    for _ in range(100):
        page._rounds = 0
        QApplication.processEvents()
    while page._drags:
        QApplication.processEvents()
    shared = []
    monkeypatch.setattr(page.elements, "share_room", lambda *sizes: shared.append(sizes))
    for _ in range(20):
        QApplication.processEvents()
    assert shared == []


def test_a_new_page_shares_its_room_once_and_again_only_for_sizes_that_are_new(window, eye, monkeypatch):
    """Each layout makes Qt report sizes, one arrangement after the other: *Loss* was laid out 13 times."""
    seen, share = [], PageView._share_room
    monkeypatch.setattr(PageView, "_share_room", lambda page: (seen.append(page.stage.name), share(page)))
    window.area._drop([name for name in window.area._pages if name != window.bench.selection.stage])
    for stage in (ATTENTION, "encoder.1.ffn.layers", "loss"):
        page = eye.go_to(window, stage)
        pictures = len(page.findChildren(PicturePlace))  # another size may come with each
        assert 1 <= seen.count(stage) <= 1 + pictures, stage


@WITHOUT_PICTURES
def test_of_many_sizes_in_one_turn_the_first_and_the_last_are_laid_out(window, eye, monkeypatch):
    """Whoever draws at the corner of a window sends many: to lay out each held the window up for half a second."""
    page = eye.go_to(window, ATTENTION)
    shared, share = [], page.elements.share_room
    monkeypatch.setattr(page.elements, "share_room", lambda *sizes: (shared.append(sizes[:2]), share(*sizes)))
    for width in range(1000, 1300, 20):
        window.resize(width, 720)
    eye.settle(window)
    assert len(set(shared)) <= 2
    assert shared[-1] == (page.viewport().width(), page.viewport().height())


@WITHOUT_PICTURES
def test_a_page_shares_its_room_only_when_all_else_in_the_window_has_its_own(window, eye, monkeypatch):
    """In a narrow window the right column is narrower and the top bar has a second row: all of it is known before."""
    page = eye.go_to(window, ATTENTION)
    shared, share = set(), page.elements.share_room
    monkeypatch.setattr(page.elements, "share_room", lambda *sizes: (shared.add(sizes[:2]), share(*sizes)))
    for size in ((900, 742), (1368, 1032), (1434, 700), (900, 1000)):
        eye.settle(window)
        shared.clear()
        window.resize(*size)
        eye.settle(window)
        assert shared == {(page.viewport().width(), page.viewport().height())}, size


@WITHOUT_PICTURES
def test_each_line_of_two_narrow_heads_says_what_its_rows_are(bring):
    page = bring("you-are-welcome", f"{ENCODER}.heads", (1280, 720)).page()
    names = [f"{ENCODER}.head.{head}.{name}" for head in (1, 2) for name in ("weights", "output")]
    boxes = {box.matrix.name: box for box in page.elements.widgets.values() if isinstance(box, MatrixBox)}
    weights, output = boxes[names[0]], boxes[names[1]]
    assert output.mapTo(page, output.rect().topLeft()).y() > weights.mapTo(page, weights.rect().bottomLeft()).y()
    assert all(boxes[name].form.labelled for name in names)


@WITHOUT_PICTURES
@pytest.mark.parametrize(
    "stage", ["source.positions", ATTENTION, long(f"{ENCODER}.heads"), long(f"{ENCODER}.after"), long("output")]
)
def test_the_page_in_sight_follows_each_edit_and_its_undo(window, eye, stage):
    document = window.bench.document
    for edit in EDITS:
        eye.look_at(window, stage)  # an edit may have taken the stage away
        document.do(edit)
        window.bench.bridge.flush()
        assert wrong(window) == [], edit.label
        document.undo()
        window.bench.bridge.flush()
        assert wrong(window) == [], f"undo of {edit.label}"


@WITHOUT_PICTURES
def test_a_page_out_of_sight_is_told_once_when_it_is_shown(window, eye, told):
    for stage in (ATTENTION, f"{ENCODER}.heads"):
        eye.look_at(window, stage)
    for value in (1.0, 2.0, 3.0):
        window.bench.document.do(SetCells("source.table", {(0, 0): value}))
        window.bench.bridge.flush()
    told()
    eye.look_at(window, ATTENTION)
    shown = told()
    assert len(shown) == len(set(shown)) >= 7
    assert wrong(window) == []
    eye.look_at(window, f"{ENCODER}.heads")
    eye.look_at(window, ATTENTION)
    assert told() == []


@WITHOUT_PICTURES
def test_what_is_equal_is_not_told(window, eye, told):
    page = eye.look_at(window, ATTENTION)
    told()
    page.follow()
    window.bench.document.do(SetCells("decoder.1.self.W_O", {(0, 0): 5.0}))  # shown on another page
    window.bench.bridge.flush()
    assert told() == []


@WITHOUT_PICTURES
def test_a_number_is_told_to_the_elements_that_show_it(window, eye, told):
    page = eye.look_at(window, ATTENTION)
    told()
    window.bench.document.do(SetCells(f"{ENCODER}.head.1.W_V", {(0, 0): 5.0}))
    window.bench.bridge.flush()
    heard = told()
    matrices = {id for id, widget in page.elements.widgets.items() if isinstance(widget, MatrixBox)}
    assert set(heard) & matrices == {f"{ENCODER}.{short}" for short in ("V", "W_V", "output")}
    assert len(heard) == len(set(heard))


@WITHOUT_PICTURES
def test_what_stays_on_a_page_that_is_rearranged_keeps_its_widget_and_the_keys(window, eye, hand):
    page = eye.look_at(window, ATTENTION)
    before = dict(page.elements.widgets)
    view = before[f"{ENCODER}.W_Q"].view
    hand.click(view, hand.cell(view, 1, 1))
    assert QApplication.focusWidget() is view
    window.bench.document.do(SetSwitch(ENCODER, "scale", "none"))
    window.bench.bridge.flush()
    gone = {id for id in before if id not in page.elements.widgets}
    assert f"{ENCODER}.scaled" in gone
    assert all(page.elements.widgets[id] is widget for id, widget in before.items() if id not in {*gone, "header"})
    assert QApplication.focusWidget() is view
    assert view.currentIndex().row() == 1
    eye.settle(window)
    assert wrong(window) == []


@WITHOUT_PICTURES
def test_the_mean_over_the_heads_leaves_the_picture_where_it_is(window, eye, hand):
    page = eye.look_at(window, ATTENTION)
    heat = page.elements.widgets[f"{ENCODER}.heat map"]
    button = eye.by_name(page, "Head averaged", QPushButton)
    hand.click(button)
    assert f"{ENCODER}.average" in page.elements.widgets
    assert f"{ENCODER}.V" not in page.elements.widgets
    assert page.elements.widgets[f"{ENCODER}.heat map"] is heat
    assert eye.by_name(page, "Head averaged", QPushButton).isChecked()
    assert wrong(window) == []


@WITHOUT_PICTURES
def test_a_page_that_is_rearranged_leaves_nothing_of_the_old_one(window, eye, qtbot):
    page = eye.go_to(window, ATTENTION)
    count = len(window.findChildren(MatrixBox))
    for kind in ("none", "1/d_k") * 2:
        window.bench.document.do(SetSwitch(ENCODER, "scale", kind))
        window.bench.bridge.flush()
    boxes = sum(isinstance(widget, MatrixBox) for widget in page.elements.widgets.values())
    qtbot.waitUntil(lambda: len(page.findChildren(MatrixBox)) == boxes)
    assert len(window.findChildren(MatrixBox)) == count


@WITHOUT_PICTURES
def test_a_page_whose_stage_is_gone_goes(window, eye, qtbot):
    window.bench.document.do(SetSwitch("decoder.1.ffn", "on", True))
    window.bench.bridge.flush()
    page = eye.look_at(window, "decoder.1.ffn.layers")
    with qtbot.waitSignal(page.destroyed):
        window.bench.document.do(SetSwitch("decoder.1.ffn", "on", False))
    assert window.bench.selection.stage in {stage.name for stage in window.bench.selection.stops}
    assert wrong(window) == []


def test_painting_every_page_between_an_edit_and_its_news_does_no_harm(window, eye):
    for stage, edit in (
        ("source.embedding", SetTokens("target", ("<start>",))),
        (ATTENTION, EDITS[3]),
        (f"{ENCODER}.heads", EDITS[2]),
    ):
        page = eye.go_to(window, stage)
        for act in (lambda edit=edit: window.bench.document.do(edit), window.bench.document.undo):
            act()
            assert not page.grab().isNull()
            eye.settle(window)


def test_every_page_can_be_painted_with_numbers_that_cannot_be_drawn(window, eye):
    window.bench.open(window.bench.lesson, "printed")  # its positions are a table that can be edited
    for name in ("source.table", "source.PE", f"{ENCODER}.head.1.W_Q", "encoder.1.ffn.W_1", "output.W"):
        odd = {"source.table": np.inf, "source.PE": -1e300}.get(name, np.nan)
        window.bench.document.do(SetCells(name, {(0, 1): odd, (1, 0): 1e-300}))
    for stage in {stage.kind: stage.name for stage in window.bench.document.engine.graph.stages}.values():
        assert not eye.go_to(window, stage).grab().isNull()
        assert wrong(window) == []


# Settings


def setting_buttons(window):
    return {b.text(): b for b in window.findChildren(QPushButton) if b.accessibleName().startswith("Setting:")}


@WITHOUT_PICTURES
@pytest.mark.parametrize("lesson", ["you-are-welcome", *map(long, ("emma", "translation-lookup"))])
def test_a_click_on_a_setting_changes_the_numbers_and_undo_brings_them_back(anew, hand, eye, lesson):
    window = anew(lesson=lesson)
    window.bench.open(window.bench.lesson, "printed")
    eye.settle(window)
    printed = dict(window.bench.document.engine.values)
    buttons = setting_buttons(window)
    assert list(buttons) == [s.title for s in window.bench.lesson.settings.values()]
    assert buttons["As printed"].isChecked()
    hand.click(buttons["Textbook"])
    eye.settle(window)
    assert window.bench.document.state.setting == "textbook"
    assert setting_buttons(window)["Textbook"].isChecked()
    assert wrong(window) == []
    assert window.lesson_bar._title.text() == "Textbook"
    hand.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    eye.settle(window)
    assert setting_buttons(window)["As printed"].isChecked()
    assert wrong(window) == []
    values = window.bench.document.engine.values
    assert values.keys() == printed.keys()
    assert all(values[name].tobytes() == array.tobytes() for name, array in printed.items())


@WITHOUT_PICTURES
@pytest.mark.parametrize("width", [900, long(1280), 1600])
@pytest.mark.parametrize("stage", [long("source.embedding"), "encoder.1.ffn.layers"])
def test_a_line_begins_with_no_sign_but_equals_and_none_is_left_out(bring, width, stage):
    """Without the + at the end of its line, the next line would say b_1 = h."""
    window = bring("you-are-welcome", stage, (width, 900))
    boxes = [box for box in window.page().elements.findChildren(MatrixBox) if box.isVisible()]
    signs = [label for label in window.page().elements.findChildren(QLabel) if label.property("role") == "operator"]
    assert signs
    for sign in signs:
        at = sign.mapTo(window, sign.rect().center())
        beside = {box.mapTo(window, box.rect().topLeft()).x() < at.x() for box in boxes if in_line(box, at, window)}
        assert sign.text() in "×+=→"
        assert True in beside or sign.text() in "=→"


def in_line(box, at, window):
    """Whether a place is between the top and the bottom of a matrix."""
    top = box.mapTo(window, box.rect().topLeft()).y()
    return top <= at.y() <= top + box.height()


@WITHOUT_PICTURES
def test_what_stays_is_asked_again_how_high_it_is(anew, eye):
    """An item that a layout of Qt had let go of kept the height that it was told before."""
    window = anew(step=8, lesson="xor", size=(1280, 720))
    for step in (8, 10):
        window.lessons.guide.go(step)
        eye.settle(window)
    answers = window.page().elements.widgets["answers"]
    for one in (answers, window.page().elements):
        assert one.height() >= one.heightForWidth(one.width())
