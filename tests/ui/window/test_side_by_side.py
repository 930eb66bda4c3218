"""Two documents beside each other, stages in windows of their own, new models, and the tabs."""

import gc
import json
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from refusals import refuses

from explorer.core.graph import Cell
from explorer.document import storage
from explorer.document.commands import SetCells, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.lessons.schema import Predict
from explorer.ui.drawing.view import DrawingView
from explorer.ui.matrix.view import MatrixView
from explorer.ui.new_model import NewModel
from explorer.ui.widgets.inputs import take_typed
from explorer.ui.widgets.written import written_in
from tests.checkpoints.small import write
from tests.samples import long

Key, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
SELF = "encoder.1.self."

pytestmark = pytest.mark.usefixtures("kept", "page_rests")


def views(area):
    return {view.matrix.name: view for view in area.page().findChildren(MatrixView)}


def test_the_page_beside_begins_at_the_chosen_head_and_releases_a_cell_too(window, eye, hand, qtbot):
    eye.go_to(window, f"{SELF}attention")
    window.bench.selection.set_head(1)
    hand.key(Key.Key_E, CONTROL)
    here, there = window.bench.selection, window.sides.comparison.bench.selection
    qtbot.waitUntil(window.sides.comparison.isVisible)
    assert (here.head, there.head) == (1, 1)
    here.choose(Cell(f"{SELF}scores", (1, 0, 0)))
    assert there.cell == here.cell
    here.forget()
    assert there.cell is None


def test_beside_another_model_the_titles_of_boxes_are_whole(window, eye, hand, qtbot):
    """At 1440 pixels the right column took so much that one read "Self-attenti…" and "Feed-forw…"."""
    window.resize(1440, 900)
    eye.settle(window)
    assert not window.actions_.fold_right.isChecked()
    hand.key(Key.Key_E, CONTROL)
    qtbot.waitUntil(lambda: window.sides.comparison is not None and window.sides.comparison.isVisible())
    eye.go_to(window, "model")
    eye.settle(window)
    for area in (window.area, window.sides.comparison.area):
        picture = area.page().findChild(DrawingView)
        picture.grab()
        assert not [one.text for one in written_in(picture) if one.text.endswith("…")]
    hand.key(Key.Key_E, CONTROL)
    eye.settle(window)
    assert not window.actions_.fold_right.isChecked(), "it comes back with the whole width"


def test_another_setting_beside_this_one(window, eye, hand, qtbot):
    eye.go_to(window, f"{SELF}attention")
    hand.key(Key.Key_E, CONTROL)
    other = window.sides.comparison
    qtbot.waitUntil(lambda: other is not None and other.isVisible())
    assert other.bench.document.state.setting == "printed"
    assert other.bench.selection.stage == f"{SELF}attention"
    assert window.sides._said.textFormat() == Qt.TextFormat.PlainText  # a model may be made of words such as <s>
    # Both stand in line.
    eye.settle(window)
    places = [area.page().mapTo(window, QPoint(0, 0)).y() for area in (window.area, other.area)]
    assert places[0] == places[1]
    window.bench.selection.go_to(f"{SELF}heads")
    qtbot.waitUntil(lambda: other.bench.selection.stage == f"{SELF}heads")
    window.bench.selection.go_to(f"{SELF}attention")
    qtbot.waitUntil(lambda: other.bench.selection.stage == f"{SELF}attention")

    other.bench.selection.show("difference")
    eye.settle(window)
    name = f"{SELF}head.1.scores"
    apart = eye.value(other, name) - eye.value(window, name)
    np.testing.assert_array_equal(views(other.area)[name].matrix.array, apart)
    assert np.any(apart)
    window.bench.document.do(SetCells(f"{SELF}head.1.W_Q", {(0, 0): 3.0}))
    eye.settle(window)
    apart = eye.value(other, name) - eye.value(window, name)
    np.testing.assert_array_equal(views(other.area)[name].matrix.array, apart)

    hand.key(Key.Key_E, CONTROL)
    assert window.sides.comparison is None


def test_where_there_is_nothing_to_compare_with_that_is_said(window, eye, qtbot):
    eye.go_to(window, f"{SELF}attention")
    window.sides.compare(True)
    other, name = window.sides.comparison, f"{SELF}head.1.scores"
    other.bench.selection.show("difference")
    assert other._note.text() == ""
    window.bench.document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    eye.settle(window)
    assert "no matrix of this shape" in other._note.text()
    shown = views(other.area)[name].table
    assert eye.texts(views(other.area)[name]) == [["–"] * 3] * 3
    assert "no matrix of this name and shape" in shown.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    # The same in one model: a matrix that has grown has not changed by 0.
    window.bench.selection.show("change")
    assert eye.texts(views(window.area)[name]) == [["–"] * 4] * 4


@pytest.mark.parametrize("scale", [long(1.0), 2.0])
def test_beside_a_lesson_no_button_of_the_comparison_is_cut(open_window, eye, appearance, scale):
    appearance.set_scale(scale)
    window = open_window("start-here", size=(1280, 720))
    window.lessons.guide.go(3)
    window.sides.compare(True)
    eye.settle(window)
    bar = window.sides.comparison._bar
    buttons = bar.findChildren(QPushButton)
    assert {"✕", "Values", "Difference"} == {button.text() for button in buttons}
    for button in buttons:
        assert button.width() >= button.sizeHint().width()
        place = QRect(button.mapTo(window.sides.comparison, QPoint(0, 0)), button.size())
        assert window.sides.comparison.rect().contains(place), button.text()


def test_a_document_from_a_file_beside_this_one(window, eye, tmp_path, monkeypatch, said):
    document, file = window.bench.document, tmp_path / "edited.explorer"
    document.do(SetCells("source.table", {(0, 0): 9.0}))
    storage.save(document.state, "Edited", file)
    document.undo()
    eye.look_at(window, "source.embedding")
    window.sides.compare(True)
    other = window.sides.comparison
    monkeypatch.setattr(window.files.dialogs, "to_open", lambda folder: file)
    other._lessons.setCurrentIndex(other._lessons.findData(""))
    other._lessons.activated.emit(other._lessons.currentIndex())
    other.bench.selection.show("difference")
    assert views(other.area)["source.table"].matrix.array[0, 0] == 9 - eye.value(window, "source.table")[0, 0]
    file.write_bytes(b"no document")
    other._open_file()
    assert "edited.explorer: cannot be opened" in said()
    assert other._lessons.currentData() == "you-are-welcome"


def test_a_model_of_others_beside_this_one(open_window, tmp_path, monkeypatch, qtbot):
    """A folder cannot be chosen there, and its config.json was refused."""
    window, (folder, other) = open_window(), (tmp_path / name for name in ("one", "two"))
    for one in (folder, other):
        one.mkdir()
        write(one)
    window.files.open_path(folder)
    qtbot.waitUntil(lambda: window.bench.document.state.model.kind == "gpt")
    window.bench.bridge.flush()
    window.sides.compare(True)
    beside = window.sides.comparison
    for file in ("config.json", "model.safetensors"):
        monkeypatch.setattr(window.files.dialogs, "to_open", lambda start, file=file: other / file)
        first = beside.bench.lesson
        beside._open_file()
        qtbot.waitUntil(lambda first=first: beside.bench.lesson is not first)
        assert beside._lessons.currentText() == "two"
    beside._open_file()
    window.sides.compare(False)  # ended while it is read
    qtbot.waitUntil(lambda: not window.files.reader.at_work)


def test_a_model_of_others_beside_another_reads_the_same_sentence(open_window, tmp_path, monkeypatch, qtbot):
    """It stayed at “Once upon a time”, and no bar had its words: two models could be compared on no other text."""
    window, (folder, other) = open_window(), (tmp_path / name for name in ("one", "two"))
    for one in (folder, other):
        one.mkdir()
        write(one)
        (one / "tokenizer.json").write_text(json.dumps(words_of(("a", "b", "c") if one is folder else ("c", "b", "a"))))
    window.files.open_path(folder)
    qtbot.waitUntil(lambda: window.bench.document.state.model.kind == "gpt")
    window.bench.document.do(SetTokens("input", ["a", "b"]))
    window.bench.bridge.flush()
    window.sides.compare(True)
    beside = window.sides.comparison
    assert beside.bench.document.words("input") == ("a", "b"), "the model as it came reads it, too"
    monkeypatch.setattr(window.files.dialogs, "to_open", lambda start: other / "config.json")
    beside._open_file()
    qtbot.waitUntil(lambda: beside._lessons.currentText() == "two")
    assert beside.bench.document.words("input") == ("a", "b")
    window.bench.document.do(SetTokens("input", ["c", "c", "a"]))
    window.bench.bridge.flush()
    assert beside.bench.document.words("input") == ("c", "c", "a")
    assert beside.bench.document.state.inputs["input.tokens"].tolist() == [0, 0, 2], "by its own numbers"
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert beside.bench.document.words("input") == ("a", "b")


def test_a_masked_word_is_masked_in_both_models_by_the_mark_of_each(open_window, tmp_path, monkeypatch, qtbot):
    """BERT's [MASK] was read by a RoBERTa as letters, and its <mask> by a BERT as three signs and a word."""
    window, marks = open_window(), {"one": "[MASK]", "two": "<mask>"}
    for name, mark in marks.items():
        (tmp_path / name).mkdir()
        write(tmp_path / name)
        said = words_of(("a", mark, "c"))
        said["added_tokens"] = [{"id": 1, "content": mark, "special": True}]
        (tmp_path / name / "tokenizer.json").write_text(json.dumps(said))
    window.files.open_path(tmp_path / "one")
    qtbot.waitUntil(lambda: window.bench.document.state.model.kind == "gpt")
    window.bench.document.do(SetTokens("input", ["c", "[MASK]", "a"]))
    window.bench.bridge.flush()
    window.sides.compare(True)
    beside = window.sides.comparison
    monkeypatch.setattr(window.files.dialogs, "to_open", lambda start: tmp_path / "two" / "config.json")
    beside._open_file()
    qtbot.waitUntil(lambda: beside._lessons.currentText() == "two")
    assert beside.bench.document.words("input") == ("c", "<mask>", "a")


def words_of(pieces):
    """A tokenizer of whole words, with as many pieces as the small model has."""
    vocab = {piece: i for i, piece in enumerate((*pieces, *map(str, range(10 - len(pieces)))))}
    return {
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "0"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "added_tokens": [],
    }


def test_undo_takes_back_what_was_edited_where_the_keys_are(no_pictures, own_window, window, eye, hand, qtbot):
    own = window.bench.document
    own.do(SetCells("source.table", {(0, 0): 3.0}))
    window.actions_.compare.trigger()
    eye.go_to(window, f"{SELF}heads")
    other = window.sides.comparison
    before = other.bench.document.state
    qtbot.waitUntil(lambda: other.area.page().is_settled)  # it follows in turns of its own
    view = views(other.area)[f"{SELF}W_O"]
    hand.click(view, hand.cell(view, 1, 1))
    hand.type("7")
    hand.key(Key.Key_Return)
    edited = other.bench.document.state
    assert edited is not before
    for key, state in ((Key.Key_Z, before), (Key.Key_Y, edited), (Key.Key_Z, before)):
        hand.key(key, CONTROL)
        assert other.bench.document.state is state
        assert own.state.inputs["source.table"][0, 0] == 3.0
    eye.settle(window)
    view = views(window)[f"{SELF}W_O"]
    hand.click(view, hand.cell(view, 1, 1))
    hand.key(Key.Key_Z, CONTROL)
    assert own.state.inputs["source.table"][0, 0] == 0.1
    assert other.bench.document.state is before


def test_the_other_one_closed_is_let_go_of(window, eye, qtbot):
    eye.go_to(window, f"{SELF}attention")
    window.sides.compare(True)
    other = weakref.ref(window.sides.comparison.bench.document)
    with qtbot.waitSignal(window.sides.comparison.destroyed):
        window.sides.compare(False)
    window.bench.selection.point(Cell(f"{SELF}Q", (0, 1, 0)))  # nobody there any more
    window.bench.selection.set_head(1)
    eye.settle(window)
    gc.collect()
    assert other() is None


def test_in_a_narrow_window_two_pages_have_the_room_of_the_list_and_of_the_right_column(open_window, eye):
    window = open_window("xor")
    window.resize(1024, 640)
    eye.settle(window)
    wide = window.map.width()
    window.actions_.compare.trigger()
    eye.settle(window)
    assert not window.inspector.isVisible()
    assert window.map.width() < wide / 2
    assert window.page().width() > 450
    window.actions_.compare.trigger()
    eye.settle(window)
    assert window.inspector.isVisible()
    assert window.map.width() == wide


def test_a_stage_in_a_window_of_its_own_follows(window, eye, qtbot):
    eye.go_to(window, "source.embedding")
    dock = window.undock()
    qtbot.waitUntil(dock.isVisible)
    qtbot.waitUntil(lambda: bool(window.docks.pages))
    view = next(v for v in dock.findChildren(MatrixView) if v.matrix.name == "source.X")
    window.bench.document.do(SetCells("source.table", {(0, 0): 2.5}))
    qtbot.waitUntil(lambda: eye.texts(view)[0][0] == "2.5")
    dock.setFloating(True)
    with qtbot.waitExposed(dock):
        dock.show()
    window.bench.document.do(SetCells("source.table", {(0, 0): 3.5}))
    QTest.mouseClick(dock.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert eye.texts(view)[0][0] == "3.5"  # what one clicks on is what there is
    dock.close()
    qtbot.waitUntil(lambda: not window.docks.pages)


def test_what_is_being_typed_in_a_window_of_its_own_is_taken_before_the_document_is_saved(window, eye, hand, qtbot):
    eye.go_to(window, "source.embedding")
    dock = window.undock()
    qtbot.waitUntil(lambda: bool(window.docks.pages))
    eye.settle(window)
    view = next(v for v in dock.findChildren(MatrixView) if v.matrix.name == "source.table")
    dock.activateWindow()
    qtbot.waitUntil(dock.isActiveWindow)
    view.setFocus()
    view.setCurrentIndex(view.table.index(0, 0))
    hand.type("7")
    take_typed()
    assert eye.value(window, "source.table")[0, 0] == 7
    assert view.hasFocus()
    dock.close()


def test_a_window_of_a_stage_is_made_in_turns_also_for_another_size_of_text(window, eye, qtbot):
    eye.go_to(window, "encoder.1.self.attention")
    dock = window.undock()
    assert window.docks.pages == []  # nothing of it is made in the turn of the key
    qtbot.waitUntil(lambda: len(window.docks.pages) == 1)
    (page,) = window.docks.pages
    eye.go_to(window, "source.embedding")
    assert (page.isVisible(), page.stage.name) == (True, "encoder.1.self.attention")
    window.bench.appearance.set_scale(2.0)
    assert window.docks.pages == []
    qtbot.waitUntil(lambda: len(window.docks.pages) == 1)
    (larger,) = window.docks.pages
    assert larger.isVisible()
    assert larger.stage.name == "encoder.1.self.attention"
    here, room = window.undock().geometry(), window.screen().availableGeometry()
    assert here.size() == here.size().boundedTo(room.size())
    assert here.left() >= room.left(), "its left edge was off the screen"
    window.bench.open(load("cat-sat-on-the"))  # it has no encoder
    qtbot.waitUntil(lambda: not window.docks.pages)
    qtbot.waitUntil(lambda: not shiboken6.isValid(dock))


def test_the_page_as_a_picture(window, eye):
    eye.go_to(window, "source.embedding")
    window.actions_.copy_page.trigger()
    picture = QGuiApplication.clipboard().image()
    assert picture.width() > 300
    assert picture.pixelColor(1, 1).name() == window.bench.appearance.theme.page  # not black, nor see-through
    window.show_tab("Class")  # the tab in sight, and no longer the page of the stage
    window.actions_.copy_page.trigger()
    picture = QGuiApplication.clipboard().image()
    assert picture == window.tabs.currentWidget().grab().toImage().convertToFormat(picture.format())
    assert picture.pixelColor(1, 1).name() == window.bench.appearance.theme.page


def fill(dialog, **values):
    """Type numbers and words into fields."""
    for name, value in values.items():
        field = dialog.elements.widgets[name]
        if isinstance(value, int):
            field.box.setValue(value)
        else:
            field.edit.setText(value)
            field.edit.textEdited.emit(value)


def test_on_a_low_screen_the_buttons_of_a_new_model_stay_on_it_in_the_largest_text(window, qtbot, appearance):
    """They ended below a screen of 640 pixels."""
    appearance.set_scale(3.0)
    screen = SimpleNamespace(availableSize=lambda: QSize(1024, 640), availableGeometry=lambda: QRect(0, 0, 1024, 640))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NewModel, "screen", lambda self: screen)
        dialog = NewModel(window.bench, window)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.width() <= 1024
    assert dialog.minimumSizeHint().height() <= dialog.height() <= 600
    assert dialog.rect().contains(dialog.buttons.geometry())


def test_a_new_model_from_the_dialog(window, eye, qtbot):
    dialog = NewModel(window.bench, window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    fill(dialog, source="a b c", target="<start> x", heads=3)
    qtbot.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    assert "cannot be split over 3 heads; choose 1, 2, 4 or 8 heads." in dialog.elements.widgets["problem"].text()
    assert dialog.elements.widgets["source"].edit.text() == "a b c"
    assert dialog.elements.widgets["heads"].box.hasFocus()
    fill(dialog, heads=4)
    qtbot.keyClick(dialog.elements.widgets["source"].edit, Qt.Key.Key_Return)  # Enter still makes it
    window.bench.open(dialog.lesson)
    dialog.deleteLater()
    eye.settle(window)
    assert window.bench.document.engine.labels("source") == ("a", "b", "c")
    assert eye.value(window, f"{SELF}W_Q").shape == (4, 8, 2)
    window.bench.document.undo()
    eye.settle(window)
    assert window.bench.lesson.id == "you-are-welcome"


@pytest.fixture
def large(window, monkeypatch, qtbot):
    """The dialog, which takes each model for a large one."""
    monkeypatch.setattr("explorer.lessons.document_lesson.FLOAT32_FROM", 1)
    dialog = NewModel(window.bench, window)
    yield dialog
    dialog._background.stop()
    dialog.deleteLater()


def test_the_weights_of_a_large_model_are_drawn_beside_the_window(large, qtbot):
    make = large.make
    make.click()
    assert (make.text(), make.isEnabled(), large.area.isEnabled()) == ("Drawing the weights …", False, False)
    with qtbot.waitSignal(large.accepted):
        assert large.lesson is None
    assert large.lesson.inputs["encoder.1.self.W_Q"].dtype == "float32"


def test_drawing_can_be_left(large, qtbot):
    large.make.click()
    large.reject()
    assert large.lesson is None
    assert not large._background._timer.isActive()


def test_weights_that_there_is_no_memory_for(large, qtbot, monkeypatch):
    def refuse(lesson):
        raise MemoryError("Unable to allocate 1 TiB")

    monkeypatch.setattr("explorer.ui.new_model.drawn", refuse)
    large.make.click()
    qtbot.waitUntil(lambda: "Unable to allocate 1 TiB" in str(large.problem))
    assert large.lesson is None
    assert (large.make.text(), large.area.isEnabled()) == ("Make it", True)


def test_a_new_encoder_has_no_loss(window, eye):
    dialog = NewModel(window.bench, window)
    kinds = dialog.elements.widgets["kind"].control
    kinds.setCurrentText("Encoder alone")
    kinds.activated.emit(kinds.currentIndex())
    fill(dialog, source="a b c")
    assert "no loss" in dialog.elements.widgets["learns"].text()
    dialog.make.click()
    window.bench.open(dialog.lesson)
    dialog.deleteLater()
    eye.settle(window)
    assert "loss.value" not in window.bench.document.engine.graph.nodes
    assert eye.value(window, "encoder.1.ffn.norm").shape == (3, 8)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"kind": "attention"}, "kind"),
        ({"texts": [""]}, "at least one word"),
        ({"texts": ["w " * 600]}, "up to 512"),
        ({"d_model": 5, "heads": 2}, "cannot be split"),
        ({"d_model": 4096, "layers": 48}, "numbers"),
        ({"d_model": 128, "heads": 128, "layers": 48, "texts": ["w " * 512]}, "numbers"),
    ],
)
def test_a_model_that_cannot_be(changes, why):
    with refuses(why):
        new_lesson(**{"kind": "gpt", "texts": ["a b"], **changes})


@pytest.mark.parametrize("initialiser", ["xavier", "he", "uniform", "zeros"])
def test_how_weights_start(initialiser):
    state = new_lesson("gpt", ["a b c"], d_model=16, initialiser=initialiser).state()
    weights = state.inputs["decoder.1.ffn.W_1"]
    spread = {"xavier": np.sqrt(2 / 80), "he": np.sqrt(2 / 16), "uniform": np.sqrt(1 / 3), "zeros": 0.0}[initialiser]
    np.testing.assert_allclose(weights.std(), spread, rtol=0.1)


def test_words_and_pipeline(window, eye, hand, qtbot):
    hand.click(eye.by_name(window, "Words"))
    qtbot.waitUntil(lambda: window.tabs.words is not None and window.tabs.words.isVisible())
    hand.click(eye.by_name(window, "Pipeline"))
    assert window.tabs.currentIndex() == 0
    QApplication.processEvents()


def test_what_a_question_asks_for_is_covered_beside_too(open_window, eye):
    window = open_window("you-are-welcome")
    window.lessons.begin("you-are-welcome", False)
    window.lessons.guide.go(
        next(i for i, step in enumerate(window.bench.lesson.steps) if isinstance(step.question, Predict))
    )
    window.sides.compare(True)
    eye.settle(window)
    covered, other = window.bench.selection.looking.covered, window.sides.comparison.bench.selection
    assert covered
    assert other.looking.covered.values == covered.values
    beside = window.sides.comparison
    box = beside._lessons
    box.setCurrentIndex(box.findData("start-here"))  # another lesson, on the same example
    box.activated.emit(box.currentIndex())
    eye.settle(window)
    assert beside.bench.lesson.id == "start-here"
    assert set(other.looking.covered.values) <= set(covered.values)
    assert other.looking.covered
    window.lessons.guide.go(0)
    assert not other.looking.covered


@pytest.mark.parametrize(("width", "height", "scale"), [(1024, 640, 3.0), (1280, 720, 3.0), (1280, 720, 1.0)])
def test_in_the_largest_text_all_above_the_other_page_is_in_sight(
    open_window, eye, hand, appearance, width, height, scale
):
    """In letters of 300 % the buttons “Difference” and ✕ were beyond the right edge."""
    appearance.set_scale(scale)
    window = open_window("you-are-welcome", size=(width, height), stage=f"{SELF}attention")
    window.actions_.compare.trigger()
    eye.settle(window)
    other = window.sides.comparison
    parts = [one for one in (*other._choices[:3], other._close) if one.isVisible()]
    places = [QRect(one.mapTo(other, QPoint(0, 0)), one.size()) for one in parts]
    assert len(places) == 4
    for place in places:
        assert other.rect().contains(place)
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[:i])
    other._show(1)
    assert other.bench.selection.showing == "difference"
    hand.click(other._close)
    assert window.sides.comparison is None
