"""Ranges, the clipboard, filling, pins by hand, masks, and what a matrix shows besides its values."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from shiboken6 import isValid

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.export.matrix import FORMATS, LabelledMatrix, tsv
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.matrix import NEW, matrix, transposed
from explorer.pages.view import Covered
from explorer.ui.background import Background
from explorer.ui.dialogs import Dialogs
from explorer.ui.errors import Message
from explorer.ui.matrix import ranges as copying
from explorer.ui.matrix.menu import MatrixMenu, table_of
from explorer.ui.matrix.ranges import _as_text, parsed
from explorer.ui.matrix.view import MatrixView
from explorer.ui.window.command_palette import CommandPalette
from tests.refusals import refuses
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

Key, Modifier = Qt.Key, Qt.KeyboardModifier
SHIFT, CONTROL = Modifier.ShiftModifier, Modifier.ControlModifier
SELF = "encoder.1.self."


@pytest.fixture
def table(window, eye):
    eye.go_to(window, "source.embedding")
    return eye.views(window)["source.table"]


@pytest.fixture
def computed(window, eye, table):
    return eye.views(window)["source.X"]


@pytest.fixture
def clipboard(qapp):
    return lambda text: QGuiApplication.clipboard().setText(text)


def choose(view, words):
    """Choose an entry of the menu of a matrix."""
    menu = MatrixMenu(view)
    next(action for action in menu.findChildren(QAction) if action.text() == words).trigger()
    menu.deleteLater()


def test_a_range_is_copied_in_full(hand, table, window, eye):
    hand.click(table, hand.cell(table, 0, 1))
    hand.key(Key.Key_Right, SHIFT)
    hand.key(Key.Key_Down, SHIFT)
    hand.key(Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "0.2\t-0.1\n0.5\t0.1"


def test_many_numbers_are_written_beside_the_window(hand, table, window, clipboard, qtbot, monkeypatch):
    monkeypatch.setattr(copying, "AT_ONCE", 3)
    clipboard("before")
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_Right, SHIFT, times=3)
    hand.key(Key.Key_C, CONTROL)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "0.1\t0.2\t-0.1\t0.4")
    choose(table, "Copy as CSV")
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("source.table,1,2,3,4"))


def test_what_is_copied_last_is_on_the_clipboard(table, clipboard, qtbot, monkeypatch):
    monkeypatch.setattr(copying, "AT_ONCE", 3)
    goes_on, taken = Event(), []

    def many():
        goes_on.wait()
        return "many"

    copying.copy_numbers(4, many, table.viewport())
    copying.copy_numbers(1, lambda: "one", table.viewport())
    # behind the first
    copying.write_numbers(4, lambda: "file", lambda text: taken.append(text) or "", table.viewport())
    goes_on.set()
    qtbot.waitUntil(lambda: not any(one.at_work for one in table.window().findChildren(Background)))
    assert QGuiApplication.clipboard().text() == "one"
    assert taken == ["file"]
    goes_on.clear()
    copying.copy_numbers(4, many, table.viewport())
    copying.claim()  # a line of a list, or a page
    clipboard("a line")
    goes_on.set()
    qtbot.waitUntil(lambda: not any(one.at_work for one in table.window().findChildren(Background)))
    assert QGuiApplication.clipboard().text() == "a line"


def test_numbers_are_copied_although_their_page_is_left(open_window, eye, clipboard, qtbot, monkeypatch):
    monkeypatch.setattr(copying, "AT_ONCE", 3)
    window, goes_on = open_window(stage="source.embedding"), Event()
    table = eye.views(window)["source.table"]

    def many():
        goes_on.wait()
        return "many"

    clipboard("before")
    copying.copy_numbers(4, many, table.viewport(), "It is there")
    window.files.begin_lesson(load("two-vectors"))
    qtbot.waitUntil(lambda: not isValid(table))
    goes_on.set()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "many")


def test_a_column_of_words_is_copied_with_its_words(bench):
    """As the page of embeddings shows it; a row and a single number have no labels of rows."""
    row, single = matrix(bench.view, "source.tokens"), matrix(bench.view, "output.temperature")
    assert tsv(table_of(transposed(row))) == "source.tokens\t1\nYou\t0\nare\t1\nwelcome\t2\n"
    assert tsv(table_of(row)) == "source.tokens\tYou\tare\twelcome\n\t0\t1\t2\n"
    assert tsv(table_of(single)) == "output.temperature\t1\n\t1.0\n"


def test_where_there_is_no_change_to_show_none_is_copied(bench):
    """No 0, which would say that an edit has changed nothing."""
    new = replace(matrix(bench.view, "source.tokens"), nothing=NEW)
    assert _as_text(new, range(1), range(2)) == "–\t–"
    assert tsv(table_of(new)).splitlines()[1] == "\tnan\tnan\tnan"


def test_more_than_can_be_pasted_is_not_copied(hand, table, window, eye, clipboard, said, monkeypatch):
    """Of a large model's table of words that would take minutes, in which the window stood still."""
    monkeypatch.setattr(copying, "MOST_PASTED", 3)
    clipboard("before")
    values = eye.value(window, "source.table")
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_Right, SHIFT, times=3)
    for key in (Key.Key_C, Key.Key_X):
        hand.key(key, CONTROL)
        assert "Save a larger matrix as a .npy file" in said()
    choose(table, "Copy as CSV")
    assert QGuiApplication.clipboard().text() == "before"
    np.testing.assert_array_equal(eye.value(window, "source.table"), values)


def test_a_table_is_pasted_in_one_step(hand, table, window, eye, clipboard):
    clipboard("1\t2\n3,5\t−4\n")
    hand.click(table, hand.cell(table, 1, 2))
    hand.key(Key.Key_V, CONTROL)
    np.testing.assert_array_equal(eye.value(window, "source.table")[1:, 2:], [[1, 2], [3.5, -4]])
    hand.key(Key.Key_Z, CONTROL)
    np.testing.assert_array_equal(eye.value(window, "source.table")[1:, 2:], [[0.1, -0.2], [0.2, 0.1]])


@pytest.mark.parametrize(
    "text",
    [
        "source.table\t1\t2\nI\t1.5\t2.5\n7\t3.5\t4.5\n",
        '"a ""table"\tx\t7\n""""\t1.5\t2.5\n7\t3.5\t4.5\n',
        "name\t1\t2\n\t1.5\t2.5\n\t3.5\t4.5\n",
        "x\ty\n1.5\t2.5\n3.5\t4.5\n",
        "x\t1.5\t2.5\ny\t3.5\t4.5\n",
    ],
)
def test_labels_are_not_pasted(hand, table, window, eye, clipboard, text):
    clipboard(text)
    hand.click(table, hand.cell(table, 1, 2))
    hand.key(Key.Key_V, CONTROL)
    np.testing.assert_array_equal(eye.value(window, "source.table")[1:, 2:], [[1.5, 2.5], [3.5, 4.5]])


def test_one_number_fills_what_is_selected(hand, table, window, eye, clipboard):
    clipboard("7")
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_Down, SHIFT, times=2)
    hand.key(Key.Key_V, CONTROL)
    assert eye.value(window, "source.table")[:, 0].tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n2\n3", "does not fit"),
        *(long(text, "no numbers") for text in ("", " \r\n")),
        long("1\t2\n3", "equally long"),
        ("1\tx", "not a number"),
        ("1.O\t2\n3\t4", "not a number"),
        ("I", "not a number"),
    ],
)
def test_what_cannot_be_pasted_is_said_and_changes_nothing(hand, table, window, clipboard, said, text, why):
    state = window.bench.document.state
    clipboard(text)
    hand.click(table, hand.cell(table, 1, 0))
    hand.key(Key.Key_V, CONTROL)
    assert why in said()
    assert window.bench.document.state is state


def test_a_table_pasted_into_a_larger_selection_is_repeated(hand, table, window, eye, clipboard):
    clipboard("1\t2")
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_Down, SHIFT, times=2)
    hand.key(Key.Key_Right, SHIFT)
    hand.key(Key.Key_V, CONTROL)
    assert eye.value(window, "source.table")[:, :2].tolist() == [[1, 2]] * 3


def test_a_copied_range_pasted_back_changes_nothing(hand, table, window, eye):
    state = window.bench.document.state
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_A, CONTROL)
    hand.key(Key.Key_C, CONTROL)
    hand.key(Key.Key_V, CONTROL)
    assert window.bench.document.state is state
    before = eye.value(window, "source.table")
    QGuiApplication.clipboard().setText(tsv(table_of(table.matrix)))
    hand.key(Key.Key_Delete)
    assert not eye.value(window, "source.table").any()
    hand.key(Key.Key_V, CONTROL)
    np.testing.assert_array_equal(eye.value(window, "source.table"), before)


def test_cut_copies_and_sets_to_zero(hand, table, window, eye):
    hand.click(table, hand.cell(table, 1, 1))
    hand.key(Key.Key_X, CONTROL)
    assert QGuiApplication.clipboard().text() == "0.5"
    assert eye.value(window, "source.table")[1, 1] == 0


def test_what_is_shown_is_copied(window, eye, hand, table, qtbot):
    window.bench.document.do(SetCells("source.table", {(1, 0): 0.7}))
    hand.click(eye.by_name(window, "Matrices show: Δ last edit"))
    qtbot.waitUntil(lambda: eye.texts(table)[1][0] == "+1.00")
    hand.click(table, hand.cell(table, 1, 0))
    hand.key(Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "1.0"


def test_typing_with_ctrl_enter_fills_the_selection(hand, table, window, eye):
    hand.click(table, hand.cell(table, 1, 1))
    hand.key(Key.Key_Right, SHIFT)
    hand.type("5")
    hand.key(Key.Key_Return, CONTROL)
    assert eye.value(window, "source.table")[1].tolist() == [-0.3, 5, 5, -0.2]
    hand.key(Key.Key_Z, CONTROL)
    assert eye.value(window, "source.table")[1].tolist() == [-0.3, 0.5, 0.1, -0.2]


def test_ctrl_and_arrows_go_to_the_edge_and_select_up_to_it(hand, table):
    hand.click(table, hand.cell(table, 0, 1))
    hand.key(Key.Key_Right, CONTROL)
    assert table.currentIndex().column() == 3
    hand.key(Key.Key_Down, CONTROL | SHIFT)
    assert table.editing.ranges.selected() == (range(3), range(3, 4))


def test_a_label_clicked_selects_its_row_or_column(hand, table):
    hand.click(table, hand.label(table, Qt.Orientation.Horizontal, 2))
    assert table.editing.ranges.selected() == (range(3), range(2, 3))
    hand.click(table, hand.label(table, Qt.Orientation.Vertical, 1))
    assert table.editing.ranges.selected() == (range(1, 2), range(4))


def test_a_large_matrix_is_selected_and_emptied_without_looking_at_each_cell(open_window, eye, hand, monkeypatch):
    words = " ".join(f"w{i}" for i in range(300))
    window = open_window(new_lesson("gpt", ["a b"], vocabulary=words, d_model=64))
    eye.go_to(window, "input.embedding")
    table = eye.view(window, "input.table")
    monkeypatch.setattr(MatrixView, "selectedIndexes", None)
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_A, CONTROL)
    hand.key(Key.Key_Delete)
    table.grab()
    assert not eye.value(window, "input.table").any()


def test_fill_down_and_right(hand, table, window, eye):
    hand.click(table, hand.cell(table, 0, 0))
    hand.key(Key.Key_Down, SHIFT, times=2)
    hand.key(Key.Key_D, CONTROL)
    assert eye.value(window, "source.table")[:, 0].tolist() == [0.1, 0.1, 0.1]
    hand.click(table, hand.cell(table, 1, 1))
    hand.key(Key.Key_Right, SHIFT, times=2)
    hand.key(Key.Key_R, CONTROL)
    assert eye.value(window, "source.table")[1].tolist() == [0.1, 0.5, 0.5, 0.5]
    hand.click(table, hand.cell(table, 2, 3))
    hand.key(Key.Key_D, CONTROL)  # one cell: as the one above it
    assert eye.value(window, "source.table")[2, 3] == 0.5


def test_delete_sets_to_zero(hand, table, window, eye):
    hand.click(table, hand.cell(table, 0, 3))
    hand.key(Key.Key_Delete)
    assert eye.value(window, "source.table")[0, 3] == 0


def test_the_menu_acts_on_the_whole_matrix(window, eye, hand):
    eye.go_to(window, f"{SELF}attention")
    view = eye.views(window)[f"{SELF}head.1.W_Q"]
    hand.click(view, hand.cell(view, 0, 0))
    before, other = eye.value(window, view.matrix.name), eye.value(window, f"{SELF}head.2.W_Q")
    for words, expected in (("All zeros", np.zeros((4, 4))), ("Identity", np.eye(4)), ("The lesson's values", before)):
        choose(view, words)
        np.testing.assert_array_equal(eye.value(window, view.matrix.name), expected)
    choose(view, "Random numbers")
    assert len(np.unique(eye.value(window, view.matrix.name))) == 16
    np.testing.assert_array_equal(eye.value(window, f"{SELF}head.2.W_Q"), other)


def test_a_whole_matrix_is_copied_and_saved_by_its_menu_and_by_the_palette(
    window, eye, hand, table, tmp_path, monkeypatch, qtbot
):
    hand.click(table, hand.cell(table, 0, 1))
    menu = MatrixMenu(table)
    acts = {action.text(): action for action in menu.findChildren(QAction)}
    acts["Copy as TSV"].trigger()
    head, first, *_ = QGuiApplication.clipboard().text().splitlines()
    assert head.split("\t") == ["source.table", "1", "2", "3", "4"]
    assert first.split("\t") == ["You", "0.1", "0.2", "-0.1", "0.4"]
    acts["Copy as a picture"].trigger()  # for a slide of one's own
    picture = QGuiApplication.clipboard().pixmap()
    assert picture.width() >= 3 * table.viewport().width()
    assert picture.height() > 3 * table.viewport().height()  # with its heading
    image = picture.toImage()
    inked = {image.pixelColor(x, y).name() for x in range(0, picture.width(), 4) for y in range(0, picture.height(), 4)}
    assert len(inked) > 20
    left = range(0, 3 * 20, 2), range(picture.height() // 2, picture.height(), 2)
    assert len({image.pixelColor(x, y).name() for x in left[0] for y in left[1]}) > 3, "its rows have their names"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "E"), "NumPy (*.npy)"))
    acts["Save as a file …"].trigger()
    kept = []
    monkeypatch.setattr(Dialogs, "replace", lambda _, path: kept.append(path))  # the answer is no
    before = (tmp_path / "E.npy").stat().st_mtime_ns
    acts["Save as a file …"].trigger()
    assert kept == [tmp_path / "E.npy"]
    assert (tmp_path / "E.npy").stat().st_mtime_ns == before
    menu.deleteLater()
    np.testing.assert_array_equal(np.load(tmp_path / "E.npy"), eye.value(window, "source.table"))
    qtbot.waitUntil(lambda: any("E.npy" in said.text() for said in window.findChildren(Message)))
    window.show_palette()
    palette = window.findChild(CommandPalette)
    palette.field.setText("copy latex source.table")
    qtbot.keyClick(palette.field, Key.Key_Return)
    qtbot.waitUntil(lambda: r"\begin{pmatrix}" in QGuiApplication.clipboard().text())


def test_numbers_that_a_question_asks_for_are_not_copied(window, eye, hand, table, said):
    window.bench.selection.speak_of(None, Covered({"source.table": frozenset({(0, 0)})}))
    eye.settle(window)
    view = eye.views(window)["source.table"]
    hand.click(view, hand.cell(view, 0, 1))
    view.selectRow(0)
    hand.key(Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "?\t0.2\t-0.1\t0.4"
    choose(view, "Copy as CSV")
    assert QGuiApplication.clipboard().text().startswith("?"), "nothing else was copied"


def test_the_menu_goes_with_its_page(window, eye, hand, table, qtbot):
    """A long pass, or the system's theme, may make the page anew while the menu is open."""
    at = table.visualRect(table.table.index(0, 0)).center()
    spot = QContextMenuEvent.Reason.Mouse, at, table.viewport().mapToGlobal(at)
    QApplication.sendEvent(table.viewport(), QContextMenuEvent(*spot))
    (menu,) = table.findChildren(MatrixMenu)
    assert menu.isVisible()
    window.bench.appearance.set_mode("dark")
    eye.settle(window)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    view = eye.views(window)["source.table"]
    QApplication.sendEvent(view.viewport(), QContextMenuEvent(*spot))
    (menu,) = view.findChildren(MatrixMenu)
    hand.key(Key.Key_Down)
    hand.key(Key.Key_Return)
    assert QGuiApplication.clipboard().text() == "0.1"
    eye.settle(window)


def test_a_computed_cell_is_pinned_after_enter_and_let_go_by_its_corner(window, eye, hand, computed, said):
    hand.click(computed, hand.cell(computed, 1, 1))
    hand.type("9")
    assert "press Enter" in said()
    hand.key(Key.Key_Return)
    hand.enter("9")
    assert eye.value(window, "source.X")[1, 1] == 9
    assert computed.matrix.pinned(1, 1)
    corner = computed.visualRect(computed.table.index(1, 1)).topLeft() + QPoint(4, 4)
    pins = window.bench.document.state.pins
    QTest.mousePress(computed.viewport(), Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, corner)
    QTest.mouseRelease(computed.viewport(), Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, corner)
    assert window.bench.document.state.pins is pins
    hand.click(computed, computed.viewport().mapTo(computed, corner))
    assert eye.value(window, "source.X")[1, 1] == 0.5


def test_delete_lets_pinned_cells_go(window, eye, hand, computed):
    window.bench.document.do(PinCells("source.X", {(0, 0): 4.0}))
    eye.settle(window)
    hand.click(computed, hand.cell(computed, 0, 0))
    hand.key(Key.Key_Delete)
    assert eye.value(window, "source.X")[0, 0] == 0.1


def test_a_mask_drawn_by_hand_is_turned_over_by_clicks_and_space(window, eye, hand):
    window.bench.document.do(SetSwitch("encoder.1.self", "mask", "hand"))
    eye.go_to(window, f"{SELF}attention")
    mask = eye.views(window)[f"{SELF}mask"]
    hand.click(mask, hand.cell(mask, 0, 2))
    assert eye.value(window, f"{SELF}mask")[0].tolist() == [1, 1, 0]
    assert eye.value(window, f"{SELF}weights")[0, 0, 2] == 0
    hand.key(Key.Key_Space)
    assert eye.value(window, f"{SELF}mask")[0].tolist() == [1, 1, 1]


def test_what_the_last_edit_changed(window, eye, hand, table, computed, qtbot):
    window.bench.document.do(SetCells("source.table", {(1, 0): 0.7}))
    hand.click(eye.by_name(window, "Matrices show: Δ last edit"))
    qtbot.waitUntil(lambda: eye.texts(computed)[1] == ["+1.00", "·", "·", "·"])
    assert eye.texts(computed)[0] == ["·"] * 4
    hand.click(eye.by_name(window, "Matrices show: Values"))
    assert eye.texts(computed)[1][0] == "0.7"


def test_gradients_of_what_is_shown(window, eye, hand, table, qtbot):
    hand.click(eye.by_name(window, "Setting: Textbook"))
    hand.click(eye.by_name(window, "Matrices show: Gradient"))
    gradient = window.bench.document.engine.gradient(window.bench.document.engine.graph.place("source.table"))
    eye.settle(window)
    view = eye.views(window)["source.table"]
    np.testing.assert_array_equal(view.matrix.array, gradient)
    assert np.any(gradient)
    hand.hover(view, hand.cell(view, 0, 0))
    parts = window.inspector.elements.widgets
    assert "through" in parts["derivation 0"].accessibleDescription()
    hand.click(parts["check"])
    assert "the same to" in parts["checked"].text()


def test_a_table_is_read_from_text(monkeypatch):
    monkeypatch.setattr("explorer.ui.matrix.ranges.MOST_PASTED", 5)
    assert parsed("1\t2\r\n3\t4\n") == [[1, 2], [3, 4]]
    assert parsed("1\t2\r\n\r\n") == [[1, 2]]
    for text, said in (
        ("", "holds no numbers"),
        ("\r\n", "holds no numbers"),
        ("1\t2\n3", "not equally long"),
        ("[[1, 2], [3]]", "not equally long"),
        ("[[1.0 2.0 ... 3.0]]", "'...' is not a number"),
        ("1 000", "'1 000' is not a number"),
        ("1,234.5", "'1,234.5' is not a number"),
        ("1\n" * 6, "is too large"),
    ):
        with refuses(said):
            parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "[[1.0, -2.5], [3.0, 0.04]]",
        "[[ 1.   -2.5 ]\n [ 3.    0.04]]",
        "array([[ 1.  , -2.5 ],\n       [ 3.  ,  0.04]], dtype=float32)",
        "tensor([[ 1.0000, -2.5000],\n        [ 3.0000,  0.0400]], dtype=torch.float64, grad_fn=<MmBackward0>)",
        "W_1 = np.array([\n    [1.0, -2.5],\n    [3.0, 4e-2],\n])\n",
        "# rows: [a], b\n# columns: 1, 2\nW_1 = np.array([\n    [1.0, -2.5],\n    [3.0, 0.04],\n])\n",
        "1 -2.5\n3 0.04\n",
        "1,0 −2,5\n3,0 0,04",
        "1.0,-2.5\n3.0,0.04",
        "1, -2.5\n3, 0.04",
        "| W | a | b |\n| --- | ---: | ---: |\n| x | 1 | −2.5 |\n| y | 3 | 0.04 |\n",
        "x,a,b\ny,1.0,-2.5\nz,3.0,0.04",
        "W,1,2\n[CLS],1.0,-2.5\n[SEP],3.0,0.04",
    ],
)
def test_a_table_is_read_from_what_python_markdown_and_csv_write(text):
    """What was copied here as numpy or Markdown, or printed by PyTorch, could not be pasted."""
    assert parsed(text) == [[1, -2.5], [3, 0.04]]


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "LaTeX"])
def test_what_is_copied_in_any_format_can_be_pasted(name):
    value = np.array([[1.0, -2.5, 1 / 3], [-1e-9, 0.04, 1e20]])
    matrix = LabelledMatrix("source.X", "X", value, ("[CLS]", "a, b"), ("1", "2", "3"))
    np.testing.assert_allclose(parsed(FORMATS[name](matrix), "source.X"), value, rtol=1e-7)


def test_a_row_of_a_computed_matrix_is_copied_into_another_and_held_there(hand, computed, window, eye):
    X = eye.value(window, "source.X").copy()
    hand.click(computed, hand.cell(computed, 0, 0))
    hand.key(Key.Key_Right, SHIFT, times=X.shape[1] - 1)
    hand.key(Key.Key_C, CONTROL)
    hand.click(computed, hand.cell(computed, 1, 0))
    hand.key(Key.Key_V, CONTROL)
    after = eye.value(window, "source.X")
    np.testing.assert_array_equal(after[1], X[0])
    assert window.bench.document.state.pins["source.X"].cells[1].all()
    hand.key(Key.Key_Z, CONTROL)
    np.testing.assert_array_equal(eye.value(window, "source.X"), X)


def test_selected_numbers_are_dragged_onto_others_and_held_there(hand, computed, window, eye, monkeypatch):
    X = eye.value(window, "source.X").copy()
    drags = []
    monkeypatch.setattr("explorer.ui.matrix.ranges.QDrag.exec", lambda drag, action: drags.append(drag.mimeData()))
    hand.click(computed, hand.cell(computed, 0, 0))
    hand.key(Key.Key_Right, SHIFT)
    hand.press(computed, hand.cell(computed, 0, 1))
    hand.move(40)
    hand.release(40)
    (carried,) = drags
    here = QPointF(computed.visualRect(computed.table.index(1, 0)).center())
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Modifier.NoModifier
    QApplication.sendEvent(computed.viewport(), QDragEnterEvent(here.toPoint(), copy, carried, left, none))
    QApplication.sendEvent(computed.viewport(), QDropEvent(here, copy, carried, left, none))
    after = eye.value(window, "source.X")
    assert after[1, :2].tolist() == X[0, :2].tolist()
    assert after[1, 2:].tolist() == X[1, 2:].tolist()


def test_pressing_a_selected_cell_without_a_drag_is_a_click(hand, computed):
    hand.click(computed, hand.cell(computed, 0, 0))
    hand.key(Key.Key_Right, SHIFT, times=2)
    hand.click(computed, hand.cell(computed, 0, 1))
    assert [(i.row(), i.column()) for i in computed.selectedIndexes()] == [(0, 1)]


def test_a_cell_that_is_still_selected_is_chosen_by_a_click(hand, computed, table, window):
    for view, cell in ((computed, (0, 1)), (table, (1, 1)), (computed, (0, 1))):
        hand.click(view, hand.cell(view, *cell))
        assert window.bench.selection.kept == Cell(view.matrix.name, cell)
