"""Models that others trained, opened in the window."""

import re
from threading import Event

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from explorer.checkpoints import hugging_face, opened
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.document.commands import SetCells, SetTokens
from explorer.document.storage import load
from explorer.sentences import sentence
from explorer.ui.dialogs import Dialogs
from explorer.ui.window import notice
from tests.checkpoints.small import write
from tests.lessons.needed import narrow, written
from tests.ui.conftest import PATIENCE_S
from tests.ui.test_files import answer, event_of  # noqa: F401  (a fixture)

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small").mkdir()
    return write(tmp_path / "small")


def open_it(window, path, qtbot):
    window.files.open_path(path)
    qtbot.waitUntil(lambda: not window.files.reader.at_work and not window.bench.document.computing)
    window.bench.bridge.flush()


def logits(state):
    return fresh(state.graph, state.inputs, {}).values["output.logits"]


def test_a_folder_opens_with_the_numbers_of_its_weights(window, folder, qtbot):
    open_it(window, folder, qtbot)
    assert window.windowTitle().startswith("small (llama)[*]")
    assert window.bench.selection.stage == "model"
    window.bench.document.do(SetTokens("input", ("5", "7", "3")))
    found = hugging_face.opened(folder)
    table = found.inputs["input.table"]
    np.testing.assert_array_equal(window.bench.document.engine.values["input.X"], table[[5, 7, 3]])
    assert window.files.recent.paths == [folder]


def test_without_a_tokenizer_numbers_are_typed_and_nothing_else(window, folder, qtbot):
    open_it(window, folder, qtbot)
    state = window.bench.document.state
    with pytest.raises(ExplorerError) as error:
        window.bench.document.do(SetTokens("input", ("5", "ball")))
    assert "“ball” is not the number of a word" in sentence(error.value)
    assert "from 0 to 9" in sentence(error.value)
    assert window.bench.document.state is state


@pytest.mark.parametrize("what", ["folder", "config.json", "model.safetensors"])
def test_a_folder_or_a_file_in_it_is_dropped_on_the_window(window, folder, qtbot, what):
    from PySide6.QtGui import QDragEnterEvent, QDropEvent

    for kind in (QDragEnterEvent, QDropEvent):
        event, _data = event_of(kind, folder if what == "folder" else folder / what)
        QApplication.sendEvent(window, event)
        assert event.isAccepted()
    qtbot.waitUntil(lambda: window.bench.lesson.title == "small (llama)")


def test_the_menu_asks_for_a_file_of_a_model(window, folder, qtbot, monkeypatch):
    """It asked for a folder, so that no .gguf could be chosen."""
    asked = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: asked.append(a) or (str(folder / "config.json"), ""))
    assert isinstance(window.files.dialogs, Dialogs)
    window.actions_.open_model.trigger()
    assert {"*config.json", "*.safetensors", "*.gguf"} <= set(asked[0][-1].strip(")").split("(")[1].split())
    qtbot.waitUntil(lambda: window.bench.lesson.title == "small (llama)")


def test_what_cannot_be_opened_is_said_as_in_the_terminal_and_changes_nothing(window, folder, qtbot, answer):  # noqa: F811
    (folder / "model.safetensors").write_bytes(b"0123456")
    asked, state = answer(window).asked, window.bench.document.state
    open_it(window, folder, qtbot)
    with pytest.raises(ExplorerError) as error:
        opened(folder)
    assert asked == [("tell", sentence(error.value))]
    assert window.bench.document.state is state
    assert window.files.recent.paths == []


def test_what_takes_long_says_how_far_it_is_and_can_be_stopped(window, folder, qtbot, monkeypatch):
    begun, ended = Event(), Event()

    def slow(path, dtype, told):
        try:
            while True:
                told(1_500_000, 3_000_000)
                begun.set()
        finally:
            ended.set()

    monkeypatch.setattr(notice, "READING_MS", 0)
    monkeypatch.setattr(hugging_face, "opened", slow)
    window.reading._patience.setInterval(0)
    state = window.bench.document.state
    window.files.open_path(folder)
    qtbot.waitUntil(lambda: window.reading.text == "Reading small: 2 of 3 million numbers")
    window.reading.buttons["Stop"].click()
    assert ended.wait(PATIENCE_S)
    assert begun.is_set()
    assert window.reading.text == ""
    assert window.bench.document.state is state


def test_it_is_saved_as_a_document_and_opens_again(window, folder, qtbot, answer, tmp_path):  # noqa: F811
    open_it(window, folder, qtbot)
    window.bench.document.do(SetTokens("input", ("5", "7")))
    window.bench.document.do(SetCells("decoder.1.self.W_Q", {(0, 0, 0): 0.25}))
    answer(window, to_save=tmp_path / "mine.explorer")
    assert window.files.save_as()
    saved, title = load(tmp_path / "mine.explorer")
    assert title == "small (llama)"
    np.testing.assert_array_equal(logits(saved), window.bench.document.engine.values["output.logits"])


@pytest.fixture
def needing(tmp_path):
    """The file of a lesson that needs a model, and the folder that has it."""
    file = narrow("inside-pythia", tmp_path)
    return file, written(file, tmp_path / "pythia")


def asked_for(window, monkeypatch, *folders):
    """What is said of the models that lessons need; the folders that are chosen, one after the other."""
    said, chosen = [], list(folders)
    monkeypatch.setattr(window.files.dialogs, "to_find", lambda text, file: said.append(text) or bool(chosen))
    monkeypatch.setattr(window.files.dialogs, "to_open_model", lambda folder: chosen.pop(0))
    return said


def read(window, qtbot):
    qtbot.waitUntil(lambda: not window.files.reader.at_work and not window.bench.document.computing)
    window.bench.bridge.flush()


def test_a_lesson_on_a_model_that_is_not_there_says_where_it_is(window, qtbot, monkeypatch):
    said, before = asked_for(window, monkeypatch), window.bench.lesson
    window.lessons.begin("inside-gpt2-small", False)
    assert len(said) == 1
    assert "https://huggingface.co/openai-community/gpt2" in said[0]
    assert window.bench.lesson is before


def test_with_its_folder_the_lesson_is_walked_and_the_folder_is_remembered(window, needing, qtbot, monkeypatch):
    file, folder = needing
    said = asked_for(window, monkeypatch, folder)
    window.files.open_path(file)
    read(window, qtbot)
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)
    guide = window.lessons.guide
    assert guide.lesson.needed is None
    for step in range(1, len(guide.steps)):
        guide.go(step)
        window.bench.bridge.flush()
        assert guide.at == step
    # Its author saves the file: it was not watched.
    file.write_text(
        re.sub(r'^words = ([\'"]{3})', r"words = \1Other words. ", file.read_text("utf-8"), flags=re.M), "utf-8"
    )
    qtbot.waitUntil(lambda: "Other words." in window.lessons.panel._page.widgets["words"].text())
    read(window, qtbot)
    assert guide.lesson.needed is None
    assert guide.at == len(guide.steps) - 1
    window.lessons.begin("two-vectors", False)
    window.files.open_path(file)
    read(window, qtbot)
    assert window.bench.lesson.id == "inside-pythia"
    assert len(said) == 1  # it is known now


def test_another_folder_is_refused_and_asked_for_anew(window, needing, folder, qtbot, monkeypatch):
    file, right = needing
    told, before = [], window.bench.lesson
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    said = asked_for(window, monkeypatch, folder, right)
    window.files.open_path(file)
    read(window, qtbot)
    assert [one.partition(" is not ")[2] for one in told] == [
        "Pythia-70m: its config.json does not say that it is a gpt_neox; choose another."
    ]
    assert window.bench.lesson is before
    window.files.open_path(file)
    read(window, qtbot)
    assert len(said) == 2
    assert window.bench.lesson.id == "inside-pythia"


def test_the_box_of_a_missing_model_leads_to_its_folder(window, monkeypatch):
    texts = []

    def press(box):
        texts.append(box.text())
        next(
            button for button in box.buttons() if button.text() in ("Choose its config.json …", "Choose its file …")
        ).click()

    monkeypatch.setattr(QMessageBox, "exec", press)
    assert window.files.dialogs.to_find("Get it there.")
    assert window.files.dialogs.to_find("Get the file there.", "small.gguf")
    assert texts == ["Get it there.", "Get the file there."]


def test_a_large_document_is_read_beside_the_window(window, folder, qtbot, answer, tmp_path, monkeypatch):  # noqa: F811
    open_it(window, folder, qtbot)
    window.bench.document.do(SetCells("decoder.1.self.W_Q", {(0, 0, 0): 0.25}))
    edited = window.bench.document.engine.values["output.logits"]
    answer(window, to_save=tmp_path / "mine.explorer")
    assert window.files.save_as()
    open_it(window, folder, qtbot)
    monkeypatch.setattr("explorer.ui.files.MOST_AT_ONCE", 1)
    window.files.open_path(tmp_path / "mine.explorer")
    assert window.files.reader.at_work
    qtbot.waitUntil(lambda: window.files.path == tmp_path / "mine.explorer" and not window.bench.document.computing)
    window.bench.bridge.flush()
    np.testing.assert_array_equal(window.bench.document.engine.values["output.logits"], edited)
    assert not window.files.modified
    assert window.files.recent.paths[0] == tmp_path / "mine.explorer"


def test_a_large_document_that_cannot_be_read_is_told_of(window, qtbot, answer, tmp_path, monkeypatch):  # noqa: F811
    (tmp_path / "mine.explorer").write_bytes(b"nothing of ours")
    monkeypatch.setattr("explorer.ui.files.MOST_AT_ONCE", 1)
    asked, state = answer(window).asked, window.bench.document.state
    open_it(window, tmp_path / "mine.explorer", qtbot)
    assert [what for what, _ in asked] == ["tell"]
    assert window.bench.document.state is state


def test_a_lesson_is_recorded_on_a_model_of_others_and_opened_by_another_person(
    open_window, folder, tmp_path, qtbot, monkeypatch
):
    """It was refused: one had to copy a lesson of the program by hand."""
    path = tmp_path / "mine.lesson.toml"
    window = open_window()
    open_it(window, folder, qtbot)
    monkeypatch.setattr(Dialogs, "to_save_lesson", lambda self, suggestion: path)
    monkeypatch.setattr(Dialogs, "to_open_model", lambda self, folder: pytest.fail("it knows where the model is"))
    window.lessons.record()
    window.bench.document.do(SetTokens("input", ["7", "1"]))
    window.bench.bridge.flush()
    wanted = logits(window.bench.document.state)
    window.lessons.record()
    qtbot.waitUntil(lambda: not window.files.reader.at_work)
    window.bench.bridge.flush()
    assert window.lessons.guide.lesson.id == "mine"
    theirs, asked = open_window(), []
    monkeypatch.setattr(Dialogs, "to_find", lambda self, said, file: asked.append(said) or True)
    monkeypatch.setattr(Dialogs, "to_open_model", lambda self, start: folder)
    open_it(theirs, path, qtbot)
    assert "needs a model that does not come along: small" in asked[0]
    theirs.lessons.guide.go(1)
    np.testing.assert_array_equal(logits(theirs.bench.document.state), wanted)
