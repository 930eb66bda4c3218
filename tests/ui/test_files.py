"""Opening and saving in the window, with the dialogs answered by the tests."""

import gc
import os
import shutil
import sys
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMenu, QMessageBox, QPushButton, QTreeView

from explorer.core.engine import same_bytes
from explorer.document import document as documents
from explorer.document.commands import PinCells, SetCells
from explorer.document.storage import load, save
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load as load_lesson
from explorer.pages.model.costs import WIDTH
from explorer.settings import Settings
from explorer.ui.classroom import ClassDialogs
from explorer.ui.dialogs import Dialogs
from explorer.ui.export import KINDS
from explorer.ui.matrix.menu import ways
from explorer.ui.matrix.view import MatrixView
from explorer.ui.new_model import NewModel
from explorer.ui.widgets.tree import inside
from tests.ui.conftest import one_of_each_kind

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
CELL = "encoder.1.self.W_O"


class Answers:
    """Dialogs that answer at once, and remember what was asked."""

    def __init__(self, **answers):
        self.answers = {"to_open": None, "to_save": None, "keep": "cancel", "replace": False, **answers}
        self.asked = []

    def _ask(self, kind, about):
        self.asked.append((kind, about))
        return self.answers.get(kind)

    def __getattr__(self, kind):
        return lambda about: self._ask(kind, about)


@pytest.fixture
def answer():
    """Sets what the dialogs of a window answer."""

    def set_answers(window, **answers):
        window.files.dialogs = given = Answers(**answers)
        return given

    return set_answers


@pytest.fixture
def file(tmp_path):
    """A document of a new model that is edited and has pins."""
    from explorer.document.document import Document

    document = Document(new_lesson("gpt", ["a b c"], d_model=4).state())
    document.do(SetCells("output.W", {(0, 0): np.nan}))
    document.do(PinCells("output.probabilities", {(0, 1): 1}))
    save(document.state, "Mine", tmp_path / "mine.explorer")
    return tmp_path / "mine.explorer"


def edit(window, value=0.5):
    window.bench.document.do(SetCells(CELL, {(0, 0): value}))
    window.bench.bridge.flush()


def title(window):
    """The title as the system is told to show it."""
    return window.windowTitle().replace("[*]", "*" if window.isWindowModified() else "")


# The title


def test_the_title_says_what_is_open_and_whether_there_are_changes(window, tmp_path, answer):
    assert title(window) == f"{window.bench.lesson.title} – Transformer Explorer"
    edit(window)
    assert title(window) == f"{window.bench.lesson.title}* – Transformer Explorer"
    answer(window, to_save=tmp_path / "greeting.explorer")
    assert window.files.save()
    assert title(window) == "greeting.explorer – Transformer Explorer"
    edit(window, 0.25)
    assert title(window) == "greeting.explorer* – Transformer Explorer"
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert title(window) == "greeting.explorer – Transformer Explorer"
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert title(window) == "greeting.explorer* – Transformer Explorer"


def test_a_lesson_as_it_is_given_is_nothing_to_save(window, answer):
    asked = answer(window).asked
    for setting in ("textbook", "printed"):
        window.bench.open(window.bench.lesson, setting)
        window.bench.bridge.flush()
        assert not window.files.modified
    window.files.open_lesson(load_lesson("emma"))
    window.bench.bridge.flush()
    assert window.files.may_leave()
    assert not asked
    assert title(window).startswith(window.bench.lesson.title)


def test_a_name_with_qts_mark_in_it(window, tmp_path, answer):
    answer(window, to_save=tmp_path / "a[*]b.explorer")
    window.files.save_as()
    assert window.windowTitle() == "a[*][*]b.explorer[*] – Transformer Explorer"
    assert not window.isWindowModified()


# Saving


def test_save_asks_for_a_file_once(window, tmp_path, answer, hand):
    edit(window)
    asked = answer(window, to_save=tmp_path / "a.explorer").asked
    hand.key(Qt.Key.Key_S, CTRL)
    (question,) = asked
    assert question[0] == "to_save"
    assert question[1].suffix == ".explorer"
    edit(window, 0.25)
    hand.key(Qt.Key.Key_S, CTRL)
    assert len(asked) == 1
    assert not window.files.modified
    state, said = load(tmp_path / "a.explorer")
    assert said == window.bench.lesson.title
    assert state.inputs[CELL][0, 0] == 0.25


def test_save_as_asks_each_time(window, tmp_path, answer, hand):
    answer(window, to_save=tmp_path / "a.explorer")
    hand.key(Qt.Key.Key_S, CTRL | SHIFT)
    asked = answer(window, to_save=tmp_path / "b.explorer").asked
    hand.key(Qt.Key.Key_S, CTRL | SHIFT)
    assert asked == [("to_save", tmp_path / "a.explorer")]
    assert window.files.path == tmp_path / "b.explorer"
    assert {path.name for path in tmp_path.iterdir()} == {"a.explorer", "b.explorer"}


def test_undo_does_not_lead_away_from_the_file(window, tmp_path, answer):
    edit(window)
    answer(window, to_save=tmp_path / "a.explorer")
    window.files.save()
    window.bench.document.undo()
    assert window.files.path == tmp_path / "a.explorer"
    assert window.files.modified


def test_a_state_that_no_undo_leads_back_to_goes(pictures, window, monkeypatch):
    monkeypatch.setattr(documents, "MOST_UNDO_STEPS", 1)
    opened = []
    for id in ("emma", "xor", "jane", "words-as-vectors"):
        lesson = load_lesson(id)
        window.files.open_state(lesson, lesson.state(), "another")
        window.bench.bridge.flush()
        opened.append(ref(window.bench.document.state))
    gc.collect()
    assert opened[0]() is None
    assert opened[-1]() is not None


def test_a_save_that_is_called_off(window, answer):
    edit(window)
    answer(window, to_save=None)
    assert not window.files.save()
    assert window.files.path is None
    assert window.files.modified


def test_the_ending_is_added(window, tmp_path, monkeypatch):
    asked, answers = [], iter([False, True])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lesson.toml"), ""))
    monkeypatch.setattr(Dialogs, "replace", lambda _, path: asked.append(path) or next(answers))
    assert window.files.save()
    assert window.files.path == tmp_path / "lesson.toml.explorer"
    assert asked == []
    # Another file that has that name already is not written over without a word.
    before = window.files.path.read_bytes()
    edit(window)
    assert not window.files.save_as()
    assert asked == [tmp_path / "lesson.toml.explorer"]
    assert window.files.path.read_bytes() == before
    assert window.files.save_as()
    assert window.files.path.read_bytes() != before


def test_the_suggested_name_is_one_that_every_system_takes(open_window, answer):
    window = open_window(new_lesson("gpt", ['<b>"a/b\\c" [d]:*?'], d_model=4))
    asked = answer(window).asked
    window.files.save()
    assert asked[0][1].name == "b a b c d.explorer"
    window = open_window(new_lesson("gpt", ["Qwen2.5-0.5B (others). .."], d_model=4))
    asked = answer(window).asked
    window.files.save()
    assert asked[0][1].name == "Qwen2.5-0.5B others.explorer", "the dots of a name stay, that of a sentence does not"
    window = open_window(new_lesson("gpt", ["???"], d_model=4))
    asked = answer(window).asked
    window.files.save()
    assert asked[0][1].name == "document.explorer"


def test_what_cannot_be_saved_is_said(window, tmp_path, answer):
    edit(window)
    asked = answer(window, to_save=tmp_path / "nowhere" / "a.explorer").asked
    assert not window.files.save()
    assert asked[-1][0] == "tell"
    assert "cannot be written" in asked[-1][1]
    assert window.files.path is None
    assert window.files.modified


def test_a_document_whose_folder_is_gone_is_not_saved(window, tmp_path, answer):
    """After its folder was deleted the window closed without a question, and nothing of the document was left."""
    folder = tmp_path / "folder"
    folder.mkdir()
    answer(window, to_save=folder / "a.explorer")
    assert window.files.save()
    assert not window.files.modified
    shutil.rmtree(folder)
    assert not window.files.save()
    assert window.files.modified
    asked = answer(window, keep="cancel").asked
    assert not window.files.may_close()
    assert [kind for kind, _ in asked] == ["keep"]


# Opening


def test_open(pictures, window, eye, hand, file, answer):
    asked = answer(window, to_open=file).asked
    hand.key(Qt.Key.Key_O, CTRL)
    eye.settle(window)
    assert [kind for kind, _ in asked] == ["to_open"]
    assert title(window) == "mine.explorer – Transformer Explorer"
    state, bench = load(file)[0], window.bench
    assert bench.lesson.title == "Mine"
    assert bench.document.state.model == state.model
    assert all(same_bytes(array, bench.document.state.inputs[name]) for name, array in state.inputs.items())
    assert bench.document.state.pins.keys() == {"output.probabilities"}
    for stage in list(one_of_each_kind(window))[:4]:
        eye.go_to(window, stage)
    bench.document.do(SetCells("output.W", {(0, 0): 1}))
    bench.open(bench.lesson, "saved")
    eye.settle(window)
    assert not window.files.modified
    assert np.isnan(bench.document.state.inputs["output.W"][0, 0])


def test_undo_goes_back_to_the_document_before_and_its_file(window, tmp_path, eye, file, answer):
    answer(window, to_save=tmp_path / "first.explorer")
    edit(window)
    window.files.save()
    answer(window)
    window.files.open_path(file)
    eye.settle(window)
    edited = SetCells("output.W", {(0, 0): 1})
    window.bench.document.do(edited)
    window.bench.document.undo()
    window.bench.document.undo()
    eye.settle(window)
    assert title(window) == "first.explorer – Transformer Explorer"
    window.bench.document.redo()
    eye.settle(window)
    assert title(window) == "mine.explorer – Transformer Explorer"


def test_a_document_made_from_a_lesson_keeps_its_settings(window, tmp_path, eye, answer):
    edit(window)
    answer(window, to_save=tmp_path / "a.explorer")
    window.files.save()
    own = load_lesson("you-are-welcome")
    window.files.open_lesson(load_lesson("emma"))
    eye.settle(window)
    assert window.files.path is None
    window.files.open_path(tmp_path / "a.explorer")
    eye.settle(window)
    assert list(window.bench.lesson.settings) == list(own.settings)
    assert window.bench.document.state.inputs[CELL][0, 0] == 0.5
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    assert window.files.path == tmp_path / "a.explorer"
    assert window.files.modified


def test_a_lesson_file_is_opened_and_never_saved_over(window, tmp_path, eye, answer):
    from explorer import paths

    lesson = tmp_path / "own.toml"
    lesson.write_bytes((paths.resources() / "lessons" / "emma.toml").read_bytes())
    before = lesson.read_bytes()
    asked = answer(window, to_open=lesson).asked
    window.files.open()
    eye.settle(window)
    assert window.bench.lesson.id == "emma"
    assert window.files.path is None
    window.files.save()
    assert asked[-1][0] == "to_save"
    assert lesson.read_bytes() == before


def test_what_cannot_be_opened_is_said_and_changes_nothing(window, tmp_path, answer):
    state = window.bench.document.state
    for name in ("broken.explorer", "broken.toml", "gone.explorer", "gone.toml"):
        if name.startswith("broken"):
            (tmp_path / name).write_bytes(b"PK\x03\x04 nothing")
        asked = answer(window, to_open=tmp_path / name).asked
        window.files.open()
        assert asked[-1][0] == "tell"
        assert name in asked[-1][1]
        assert window.bench.document.state is state
        assert window.files.path is None
        assert not window.files.modified


def test_the_folder_is_remembered(window, tmp_path, eye, file, answer):
    asked = answer(window, to_open=file).asked
    window.files.open()
    eye.settle(window)
    window.files.open()
    assert asked[-1] == ("to_open", tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    answer(window, to_save=other / "a.explorer")
    window.files.save_as()
    asked = answer(window).asked
    window.files.open()
    assert asked == [("to_open", other)]


def test_a_new_model_is_another_document(window, tmp_path, eye, answer, monkeypatch):
    answer(window, to_save=tmp_path / "a.explorer")
    window.files.save()

    def make(dialog):
        dialog.lesson = new_lesson("gpt", ["a b"], d_model=4)
        return 1

    monkeypatch.setattr(NewModel, "exec", make)
    window.new_model()
    eye.settle(window)
    assert window.files.path is None
    assert not window.files.modified


# The question


def test_a_number_that_is_being_typed_is_saved_and_asked_about(window, tmp_path, eye, hand, answer):
    answer(window, to_save=tmp_path / "a.explorer")
    window.files.save_as()
    asked = answer(window).asked
    eye.go_to(window, "source.embedding")
    view = eye.views(window)["source.table"]
    hand.click(view, hand.cell(view, 0, 0))
    hand.type("7")
    hand.key(Qt.Key.Key_S, CTRL)
    assert load(tmp_path / "a.explorer")[0].inputs["source.table"][0, 0] == 7
    assert view.hasFocus()
    hand.type("8")
    assert not window.close()
    assert asked == [("keep", "a.explorer")]


@pytest.mark.parametrize("last", ["discard", "save"])
def test_changes_are_not_lost_without_a_question_when_the_window_is_closed(own_window, window, tmp_path, answer, last):
    edit(window)
    places = {"save": tmp_path / "a.explorer", "save, fails": tmp_path / "no" / "a.explorer"}
    for said in ("cancel", "save, called off", "save, fails", last) if last == "discard" else (last,):
        asked = answer(window, keep=said.partition(",")[0], to_save=places.get(said)).asked
        left = window.close()
        assert asked[0] == ("keep", window.bench.lesson.title)
        assert left is (said == last)
        assert window.isVisible() is not left
        assert [kind for kind, _ in asked].count("keep") == 1
        assert left or window.files.modified
    assert last == "discard" or load(places["save"])[0].inputs[CELL][0, 0] == 0.5


@pytest.mark.parametrize("last", ["discard", "save"])
def test_a_file_with_changes_is_not_left_without_a_question(window, tmp_path, eye, answer, last):
    place = tmp_path / "a.explorer"
    answer(window, to_save=place)
    window.files.save_as()
    edit(window)
    for said in ("cancel", last):
        asked = answer(window, keep=said).asked
        window.files.open_lesson(load_lesson("emma"))
        eye.settle(window)
        assert asked == [("keep", place.name)]
        assert (window.bench.lesson.id == "emma") is (said != "cancel")
        assert bool(load(place)[0].inputs[CELL][0, 0] == 0.5) is (said == "save")


def test_a_file_with_changes_is_asked_about_once_before_another_is_opened(window, tmp_path, file, answer):
    """Whoever discarded them was asked twice."""
    answer(window, to_save=tmp_path / "a.explorer")
    window.files.save_as()
    edit(window)
    asked = answer(window, keep="discard", to_open=file).asked
    window.files.open()
    assert [kind for kind, _ in asked].count("keep") == 1
    assert window.files.path == file


@pytest.mark.parametrize("way", ["open", "lesson"])
def test_an_example_that_was_changed_is_kept_when_it_is_left(window, eye, file, answer, way):
    edit(window)
    state, id = window.bench.document.state, window.bench.lesson.id
    asked = answer(window, to_open=file).asked
    match way:
        case "open":
            window.files.open()
        case "lesson":
            window.files.open_lesson(load_lesson("emma"))
    eye.settle(window)
    assert "keep" not in [kind for kind, _ in asked]
    assert window.bench.document.state is not state
    menu = window.top_bar.title.menu()
    menu.aboutToShow.emit()
    (changed,) = [one.menu() for one in menu.actions() if one.text() == "Examples that you changed"]
    (yours,) = changed.actions()
    yours.trigger()
    eye.settle(window)
    assert (window.bench.lesson.id, window.bench.document.state) == (id, state)
    assert window.files.modified
    window.bench.document.undo()
    eye.settle(window)
    assert window.bench.lesson.id != id, "and what was open before comes back"


def test_nothing_is_asked_where_nothing_would_be_lost(own_window, window, answer, eye, file):
    asked = answer(window).asked
    window.files.open_path(file)
    eye.settle(window)
    window.bench.document.do(SetCells("output.W", {(0, 0): 1}))
    window.bench.document.undo()
    assert window.close()
    assert not asked


# Dropping


def event_of(kind, *files, text=None):
    data = QMimeData()
    if files:
        data.setUrls([QUrl.fromLocalFile(str(f)) if not isinstance(f, QUrl) else f for f in files])
    if text is not None:
        data.setText(text)
    where = QPoint(50, 50) if kind is QDragEnterEvent else QPointF(50, 50)
    actions = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    made = kind(where, actions, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    made.setAccepted(False)
    return made, data


def test_a_file_dropped_on_the_window_is_opened(window, eye, file, answer, qtbot):
    answer(window)
    assert window.acceptDrops()
    enter, _data = event_of(QDragEnterEvent, file)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    assert enter.dropAction() == Qt.DropAction.CopyAction
    drop, _data = event_of(QDropEvent, file)
    QApplication.sendEvent(window, drop)
    assert drop.isAccepted()
    assert window.files.path is None
    qtbot.waitUntil(lambda: window.files.path == file)
    eye.settle(window)
    assert window.bench.lesson.title == "Mine"


def test_words_that_are_dragged_are_not_taken(window):
    for kind in (QDragEnterEvent, QDropEvent):
        event, _data = event_of(kind, text="words")
        QApplication.sendEvent(window, event)
        assert not event.isAccepted()


def test_what_cannot_be_opened_is_refused_in_a_sentence_that_says_what_can_be_dropped(
    window, tmp_path, file, answer, qtbot
):
    of_a_model = (tmp_path,)  # for all one knows
    address = (QUrl("https://example.org/a.explorer"),)
    pickled = (tmp_path / "model.pt",)
    pickled[0].write_bytes(b"PK")
    for files in ((tmp_path / "a.txt",), (tmp_path / "a.png",), (file, file), of_a_model, pickled, address):
        asked = answer(window).asked
        for kind in (QDragEnterEvent, QDropEvent):
            event, _data = event_of(kind, *files)
            QApplication.sendEvent(window, event)
            assert event.isAccepted(), "else a person drops it and hears nothing"
        qtbot.waitUntil(lambda asked=asked: bool(asked))
        ((kind, sentence),) = asked
        assert kind == "tell"
        known = {id(of_a_model): ("has no config.json",), id(pickled): ("is a pickle", "save_pretrained")}
        for said in known.get(id(files), (".explorer", ".toml")):
            assert said in sentence
        assert window.files.path is None


def test_a_file_dropped_on_a_matrix_is_opened(window, eye, file, answer, qtbot):
    """It also has a text, its address, which is no number."""
    asked = answer(window).asked
    eye.go_to(window, "source.embedding")
    port = eye.views(window)["source.table"].viewport()
    for kind in (QDragEnterEvent, QDropEvent):
        event, _data = event_of(kind, file)
        QApplication.sendEvent(port, event)
        assert event.isAccepted()
    qtbot.waitUntil(lambda: window.files.path == file)
    assert asked == []


# The dialogs themselves


@pytest.fixture
def dialogs(window):
    """The true ones."""
    return window.files.dialogs


def press(text, seen):
    """Press a button of the box that will be open."""

    def act():
        box = QApplication.activeModalWidget()
        seen.append((box.text(), box.textFormat()))
        (button,) = [b for b in box.findChildren(QPushButton) if b.text().replace("&", "") == text]
        button.click()

    QTimer.singleShot(0, act)


def test_the_question_whether_to_keep(window, monkeypatch):
    monkeypatch.undo()
    box = QMessageBox(QMessageBox.Icon.Question, "", "", QMessageBox.StandardButton.Discard)
    discard = box.button(QMessageBox.StandardButton.Discard).text().replace("&", "")  # each system has its own words
    box.deleteLater()
    for button, answer in (("Save", "save"), (discard, "discard"), ("Cancel", "cancel")):
        seen = []
        press(button, seen)
        assert Dialogs(window).keep("<b>name</b>") == answer
        assert seen == [("Keep your changes to “<b>name</b>”?", Qt.TextFormat.PlainText)]


def test_escape_leaves_everything_as_it_is(window, monkeypatch):
    monkeypatch.undo()
    QTimer.singleShot(0, lambda: QApplication.activeModalWidget().reject())
    assert Dialogs(window).keep("name") == "cancel"


def test_what_is_told_and_what_would_be_replaced(dialogs, tmp_path):
    seen = []
    press("OK", seen)
    dialogs.tell("It cannot be done.")
    press("Replace", seen)
    assert dialogs.replace(tmp_path / "a.explorer")
    press("Cancel", seen)
    assert not dialogs.replace(tmp_path / "a.explorer")
    assert [text for text, _ in seen] == ["It cannot be done.", *[f"Replace {tmp_path / 'a.explorer'}?"] * 2]


def test_a_long_name_is_whole_in_large_text(window, appearance):
    appearance.set_scale(2.0)
    whole, names = [], []

    def look():
        box = QApplication.activeModalWidget()
        label = next(one for one in box.findChildren(QLabel) if one.text() == box.text())
        metrics, wide = label.fontMetrics(), Qt.TextFlag.TextWordWrap
        needed = metrics.boundingRect(label.contentsRect(), wide, label.text())
        whole.append(needed.width() <= label.width() and needed.height() <= label.height())
        assert box.text().replace("\u200b", "").endswith(f"{names[-1]} cannot be written.")
        box.reject()

    for name in ("a-name_" * 12, "x" * 90):
        names.append(name)
        QTimer.singleShot(0, look)
        window.files.dialogs.tell(f"/home/somebody/Documents/{name} cannot be written.")
    assert whole == [True, True]


@pytest.mark.parametrize("scale", [1.0, 2.0])  # in 300 % Qt's own buttons alone are wider than the screen of the tests
def test_a_dialog_of_files_that_is_qts_own_has_room_for_its_text(window, monkeypatch, tmp_path, scale):
    """It had the same size at 200 %: of the folder and of each type of file only the first and last letter was read."""
    seen = []

    def look():
        dialog = QApplication.activeModalWidget()
        letter, (tree,) = dialog.fontMetrics().averageCharWidth(), inside(dialog, QTreeView)
        columns = [tree.columnWidth(column) / tree.fontMetrics().averageCharWidth() for column in (1, 2)]
        seen.append((dialog.geometry(), dialog.screen().availableGeometry(), letter, columns))
        dialog.reject()

    window.bench.appearance.set_scale(scale)
    QTimer.singleShot(300, look)
    assert window.files.dialogs.to_open(tmp_path) is None
    ((place, screen, letter, columns),) = seen
    assert place.width() >= min(100 * letter, screen.width() - 40)
    assert screen.contains(place)
    assert columns[0] > len("128.88 GB")
    assert columns[1] > len("safetensors File")


def test_the_systems_own_file_dialogs(dialogs, tmp_path, monkeypatch):
    asked = []
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *given: (asked.append(given), (str(tmp_path / "x"), ""))[1])
    assert dialogs.to_open(tmp_path) == tmp_path / "x"
    assert dialogs.to_save(tmp_path / "y") == tmp_path / "x.explorer"
    assert [given[2] for given in asked] == [str(tmp_path), str(tmp_path / "y")]
    assert "*.explorer *.toml" in asked[0][3]
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    assert dialogs.to_open(tmp_path) is None
    assert dialogs.to_save(tmp_path) is None


# From the command line


def test_the_window_can_begin_with_a_document(open_window, file, monkeypatch):
    from explorer import app

    made = []
    monkeypatch.setattr(app, "Appearance", lambda *_: made[0])
    first = open_window()
    made.append(first.bench.appearance)
    monkeypatch.setattr(gc, "freeze", lambda: None)  # the program keeps its window to its end; a test does not
    _, window = app.open_window(str(file))
    try:
        assert title(window) == "mine.explorer – Transformer Explorer"
        assert window.bench.lesson.title == "Mine"
        assert not window.files.modified
        assert window.bench.folder == file.parent
        window.bench.document.do(SetCells("output.W", {(0, 0): 1}))
        assert window.files.modified
        assert window.files.save()
        assert load(file)[0].inputs["output.W"][0, 0] == 1
    finally:
        window.close()
        window.deleteLater()


# As text


def test_a_document_is_copied_as_text_and_opened_from_it(window, hand, qtbot, answer):
    edit(window, 0.625)
    with qtbot.waitSignal(window.files.done) as told:
        hand.key(Qt.Key.Key_C, CTRL | Qt.KeyboardModifier.AltModifier)
    assert "clipboard" in told.args[0]
    assert QApplication.clipboard().text().startswith("----- Transformer Explorer document")
    window.bench.document.undo()
    hand.key(Qt.Key.Key_V, CTRL | Qt.KeyboardModifier.AltModifier)
    assert window.bench.document.state.inputs[CELL][0, 0] == 0.625


def test_other_text_is_refused_in_one_sentence(window, answer):
    told = answer(window)
    QApplication.clipboard().setText("hello")
    before = window.bench.document.state
    window.files.open_text()
    assert told.asked == [
        ("tell", "The clipboard holds no document as text; copy all lines from the first mark to the last.")
    ]
    assert window.bench.document.state is before


# What is kept beside the numbers


def restarted(open_window, window, path, answer, settings=None):
    """Another window, in which a file is opened."""
    other = open_window(settings=settings)
    answer(other)
    other.files.open_path(path)
    other.bench.bridge.flush()
    look_again(other)
    return other


def look_again(window):
    """Let it look where the file says."""
    while not window.bench.appearance.turns.idle:
        QApplication.processEvents()


def test_a_file_opens_where_it_was_left_with_its_undo_history(open_window, window, tmp_path, answer):
    path, bench = tmp_path / "a.explorer", window.bench
    answer(window, to_save=path)
    edit(window, 2.0)
    edit(window, 3.0)
    edit(window, 4.0)
    bench.document.undo()
    bench.bridge.flush()
    bench.selection.go_to("source.embedding")
    bench.selection.keep("scores in order", True)
    bench.selection.keep(f"{WIDTH}.0", 12_288)  # as GPT-3 has it
    bench.descent.set_kind("Adam")
    bench.descent.set_rate(0.25)
    window.files.save()
    other = restarted(open_window, window, path, answer)
    document, selection = other.bench.document, other.bench.selection
    assert (selection.stage, selection.looking.choices["scores in order"]) == ("source.embedding", True)
    assert selection.looking.choices[f"{WIDTH}.0"] == 12_288
    assert (other.bench.descent.kind, other.bench.descent.rate) == ("Adam", 0.25)
    assert not other.files.modified
    for travel, value in ((None, 3.0), (document.redo, 4.0), (document.undo, 3.0), (document.undo, 2.0)):
        if travel is not None:
            travel()
        assert document.state.inputs[CELL][0, 0] == value
    document.redo()
    assert not other.files.modified
    assert other.files.path == path


def test_a_file_saved_within_a_lesson_opens_at_its_step(open_window, answer, tmp_path):
    window = open_window("start-here")
    window.lessons.go_on()
    guide = window.lessons.guide
    guide.go(2)
    path = tmp_path / "a.explorer"
    answer(window, to_save=path)
    window.files.save_as()
    other = restarted(open_window, window, path, answer)
    assert other.lessons.guide.at == 2
    assert other.lessons.guide.walk.progress.seen == guide.walk.progress.seen
    assert_same_inputs(other, window)


def assert_same_inputs(one, other):
    for name, array in one.bench.document.state.inputs.items():
        assert same_bytes(array, other.bench.document.state.inputs[name]), name


BESIDE = [
    *(
        dict.fromkeys(("page", "stage", "head", "showing", "choices", "cell", "lesson", "training"), said)
        for said in (None, 5, -1, "x", [], {}, [[]], {"step": 99, "kind": "x", "rate": "fast", "frozen": {}}, True)
    ),
    *({"cell": ["source.table", 99, 0]}, {"cell": ["source.table", 0]}),
    *({"training": {"rate": float("inf")}}, {"training": {"rate": 10**400}}),
    *({"showing": "difference"}, {"showing": "step"}),  # there is no other model, and no step was taken yet
]


def test_what_a_file_says_beside_its_numbers_is_not_believed(window):
    before = window.bench.selection.stage
    for beside in BESIDE:
        window.files.session_opened.emit(beside)
        look_again(window)
        assert (window.bench.selection.stage, window.bench.selection.showing) == (before, "values"), beside


def test_a_second_window_on_a_file_is_told(open_window, tmp_path, file, answer):
    settings = Settings(tmp_path)
    window = restarted(open_window, None, file, answer, settings)
    assert not window.notice.text
    other = restarted(open_window, None, file, answer, settings)
    assert other.notice.text == (
        "“mine.explorer” is open in another window, too. Whoever saves last replaces what the other has saved."
    )
    other.notice.buttons["Go on"].click()
    window.close()
    third = restarted(open_window, None, file, answer, Settings(tmp_path))
    assert not third.notice.text


def test_a_file_that_somebody_else_has_written_is_not_replaced_without_a_question(window, tmp_path, file, answer):
    given = answer(window, replace_changed=False)
    window.files.open_path(file)
    window.bench.document.do(SetCells("output.W", {(0, 0): 7.0}))
    file.write_bytes(b"something else")
    assert not window.files.save()
    assert given.asked[-1] == ("replace_changed", file)
    assert file.read_bytes() == b"something else"
    answer(window, replace_changed=True)
    assert window.files.save()
    assert load(file)[0].inputs["output.W"][0, 0] == 7.0
    file.unlink()  # under the window: what is open is written anew
    window.bench.document.do(SetCells("output.W", {(0, 0): 8.0}))
    assert window.files.save()
    assert load(file)[0].inputs["output.W"][0, 0] == 8.0


def test_what_was_opened_last_is_offered_and_a_missing_file_is_said(open_window, tmp_path, file, answer):
    settings = Settings(tmp_path / "settings")
    window = restarted(open_window, None, file, answer, settings)
    other = file.with_name("a&b.explorer")
    answer(window, to_save=other)
    window.files.save_as()
    assert Settings(tmp_path / "settings").get("recent documents", []) == [str(other), str(file)]
    menu = next(one for one in window.top_bar.title.menu().findChildren(QMenu) if one.title() == "Open recent")
    menu.aboutToShow.emit()
    assert [action.text().split()[0] for action in menu.actions()] == ["a&&b.explorer", "mine.explorer"]
    file.unlink()
    given = answer(window)
    menu.actions()[1].trigger()
    remedy = "Check its name and place, or choose another file."
    assert given.asked == [("tell", f"{file}: cannot be read: there is no such file. {remedy}")]
    assert window.files.recent.paths == [other]
    assert window.files.path == other


def test_a_model_that_is_gone_leaves_the_list(window, tmp_path, answer):
    gone = tmp_path / "smollm"
    window.files.recent.add(gone)
    given = answer(window)
    window.files.open_path(gone)
    assert [kind for kind, _ in given.asked] == ["tell"]
    assert window.files.recent.paths == []


def test_what_cannot_be_looked_for_is_said_and_stays_in_the_list(window, tmp_path, answer):
    nowhere = tmp_path / f"{'n' * 300}.explorer"  # no system looks for such a name, as for one in a closed folder
    window.bench.settings.set("recent documents", [str(nowhere)])
    given = answer(window)
    window.files.open_path(nowhere)
    assert [kind for kind, _ in given.asked] == ["tell"]
    assert window.files.recent.paths == [nowhere]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_file_whose_name_is_of_another_encoding(open_window, tmp_path, file, answer):
    odd = file.rename(Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.explorer")))
    settings = Settings(tmp_path / "settings")
    window = restarted(open_window, None, odd, answer, settings)
    assert window.files.path == odd
    window.bench.document.do(SetCells("output.W", {(0, 0): 7.0}))
    assert window.files.save()
    assert Settings(tmp_path / "settings").get("recent documents", []) == [str(odd)]
    assert restarted(open_window, None, odd, answer, settings).notice.text.startswith("“caf")


def test_the_kind_that_is_chosen_counts_where_the_offered_name_was_left(window, tmp_path, monkeypatch):
    """GTK's dialog leaves the ending: whoever chose a picture got a spreadsheet."""
    chosen = {name: f"{KINDS[f'.{name}']} (*.{name})" for name in ("png", "xlsx")}
    for typed, kind, there in (
        ("The model.xlsx", "png", "The model.png"),
        ("The model.xlsx", "xlsx", "The model.xlsx"),
        ("mine.xlsx", "png", "mine.xlsx"),  # an ending that was typed
    ):
        answer = str(tmp_path / typed), chosen[kind]
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, answer=answer: answer)
        assert window.files.dialogs.to_export(tmp_path / "The model.xlsx", KINDS) == tmp_path / there


def test_a_dialog_begins_where_the_last_file_was_also_after_a_new_start(open_window, tmp_path, monkeypatch):
    """A hand-out, a sheet and a matrix were each time looked for in another folder."""
    settings, begun = Settings(tmp_path / "settings"), []
    window = open_window("two-vectors", settings)
    there = tmp_path / "week 3"
    there.mkdir()

    def answer(parent, title, suggestion, *_):
        begun.append(Path(suggestion).parent)
        return str(there / "x.tsv"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    matrix = window.page().findChild(MatrixView).matrix
    for _ in range(2):
        dict(ways(matrix, window, window.bench))["Save as a file …"]()
        (there / "x.tsv").unlink()
    assert begun[1] == there != begun[0]
    assert open_window("two-vectors", Settings(tmp_path / "settings")).bench.folder == there
    there.rmdir()
    assert window.bench.folder.is_dir(), "not one that is gone"


@pytest.mark.parametrize(
    ("ask", "typed", "there"),
    [
        (lambda dialogs, path: dialogs.to_save_lesson(path), "mine", "mine.lesson.toml"),
        (lambda dialogs, path: dialogs.to_hand_out(path), "mine", "mine.pdf"),
        (lambda dialogs, path: dialogs.to_export(path, KINDS), "mine", "mine.xlsx"),
        (lambda dialogs, path: dialogs.to_write(path, "Table", ".csv"), "class", "class.csv"),
    ],
)
def test_no_file_is_replaced_unasked_whose_ending_was_not_typed(window, tmp_path, monkeypatch, ask, typed, there):
    dialogs, asked = ClassDialogs(window), []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / typed), ""))
    monkeypatch.setattr(dialogs, "replace", lambda path: asked.append(path) or len(asked) > 1)
    assert ask(dialogs, tmp_path / "suggested") == tmp_path / there
    assert asked == []
    (tmp_path / there).write_text("somebody's work")
    assert ask(dialogs, tmp_path / "suggested") is None
    assert ask(dialogs, tmp_path / "suggested") == tmp_path / there
    assert asked == [tmp_path / there] * 2
