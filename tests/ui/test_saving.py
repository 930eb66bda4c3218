"""Documents on the disk: one is saved in its file, also in the background; changed examples are kept."""

import os
import threading
from dataclasses import replace

import pytest

from explorer.core.errors import ExplorerError
from explorer.document import storage
from explorer.document.commands import SetCells
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.settings import Settings
from explorer.ui.saving import FOLDER, SETTING, Kept

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

CELL = "encoder.1.self.W_O"


@pytest.fixture
def go_on(monkeypatch):
    """Lets what is being written come to its end; every document is a large one."""
    event, save = threading.Event(), storage.save

    def wait(state, title, path, session, told):
        told(1, 4)
        event.wait()
        told(2, 4)
        save(state, title, path, session, told)

    monkeypatch.setattr(storage, "save", wait)
    monkeypatch.setattr("explorer.ui.saving.MOST_AT_ONCE", 0)
    yield event
    event.set()


def edit(window, value):
    window.bench.document.do(SetCells(CELL, {(0, 0): value}))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "large.explorer"


@pytest.fixture
def saving(window, file, monkeypatch):
    """The window while a document is written."""
    monkeypatch.setattr(window.files.dialogs, "to_save", lambda suggestion: file)
    edit(window, 3.0)
    return window


def in_file(file):
    return storage.load(file)[0].inputs[CELL][0, 0]


def test_it_is_saved_once_it_is_written_and_one_goes_on_meanwhile(saving, file, go_on, qtbot):
    window = saving
    assert window.files.save()
    assert window.files.modified, "a crash would lose it"
    edit(window, 4.0)
    assert not file.exists()
    go_on.set()
    qtbot.waitUntil(file.exists)
    qtbot.waitUntil(lambda: window.files.path == file)
    assert in_file(file) == 3.0
    assert window.files.modified
    window.bench.document.undo()
    assert not window.files.modified


def test_what_is_saved_meanwhile_is_written_next(saving, file, go_on, qtbot):
    window = saving
    window.files.save()
    for value in (4.0, 5.0):
        edit(window, value)
        assert window.files.save()
    go_on.set()
    qtbot.waitUntil(lambda: not window.files.modified)
    assert in_file(file) == 5.0


def test_a_window_that_is_closed_meanwhile_closes_once_all_is_written(
    own_window, saving, file, go_on, qtbot, monkeypatch
):
    window = saving
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "save")
    assert not window.close()
    assert window.isVisible()
    assert not window.close(), "nor the second time"
    go_on.set()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert in_file(file) == 3.0


def test_it_can_be_stopped_and_the_file_stays_what_it_was(own_window, saving, file, go_on, qtbot):
    window = saving
    file.write_bytes(b"before")
    window.saving._patience.setInterval(0)
    window.files.save()
    qtbot.waitUntil(lambda: window.saving.text == "Saving large.explorer: 25%")
    assert not window.close()
    window.saving.buttons["Stop"].click()
    assert window.saving.text == ""
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "background":
            thread.join()
    assert file.read_bytes() == b"before"
    assert window.files.modified
    assert window.files.path is None
    assert window.isVisible()


def test_what_cannot_be_written_is_said_and_the_window_stays(own_window, saving, go_on, qtbot, monkeypatch):
    window, told = saving, []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)

    def fail(*_):
        go_on.wait()
        raise ExplorerError("not-written", file="large.explorer", reason="the disk is full")

    monkeypatch.setattr(storage, "save", fail)
    window.files.save()
    assert not window.close()
    go_on.set()
    qtbot.waitUntil(lambda: bool(told))
    assert "the disk is full" in told[0]
    assert window.isVisible()
    assert window.files.modified


def test_another_example_can_be_opened_meanwhile(saving, file, go_on, qtbot):
    window = saving
    window.files.save()
    assert window.files.may_leave()
    go_on.set()
    qtbot.waitUntil(lambda: not window.files.modified)
    assert in_file(file) == 3.0


@pytest.mark.parametrize("ends", ["written", "stopped", "failed"])
def test_saves_of_other_files_wait_for_their_turn_however_the_first_one_ends(
    saving, file, go_on, qtbot, monkeypatch, ends
):
    """Two files asked for while one is written: the newer one took the place of the other, which was never written."""
    window, save = saving, storage.save
    monkeypatch.setattr(window.files.dialogs, "tell", lambda text: None)

    def fail(state, title, path, session, told):
        if path == file and ends == "failed":
            go_on.wait()
            raise ExplorerError("not-written", file=path.name, reason="the disk is full")
        save(state, title, path, session, told)

    monkeypatch.setattr(storage, "save", fail)
    window.files.save()
    others = file.with_name("second.explorer"), file.with_name("third.explorer")
    for value, path in zip((4.0, 5.0), others, strict=True):
        edit(window, value)
        window.files.saver.save(window.bench.document.wanted, "x", path, window.files.session())
    if ends == "stopped":
        window.files.saver.stop()
    go_on.set()
    qtbot.waitUntil(lambda: not window.files.saver.writes)
    assert [in_file(path) for path in others] == [4.0, 5.0]
    assert file.exists() == (ends == "written")


@pytest.fixture
def keep(tmp_path, qtbot):
    def it(id, value=0.5):
        lesson = load(id)
        document = Document(lesson.state())
        name = next(node for node in document.state.inputs if document.state.inputs[node].dtype.kind == "f")
        document.do(SetCells(name, {(0,) * document.state.inputs[name].ndim: value}))
        store = Kept(Settings(tmp_path))
        store.keep(lesson, document.state)
        qtbot.waitUntil(lambda: not store._writer.at_work)
        document.close()
        return document.state

    return it


def test_what_was_left_is_there_at_the_next_start_to_the_last_bit(keep, tmp_path):
    state = keep("emma", 0.123456789)
    again = Kept(Settings(tmp_path))
    assert again.titles == {"emma": load("emma").title}
    lesson, found = again.get("emma")
    assert (lesson.id, found.setting) == ("emma", state.setting)
    assert all(found.inputs[name].tobytes() == array.tobytes() for name, array in state.inputs.items())
    again.forget("emma")
    assert Kept(Settings(tmp_path)).titles == {}


def test_only_the_newest_few_are_kept(keep, tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.ui.saving.MOST", 2)
    for id in ("emma", "xor", "softmax", "xor"):
        keep(id)
    settings = Settings(tmp_path)
    assert list(Kept(settings).titles) == ["softmax", "xor"]
    settings.set(SETTING, {"softmax": 5, "xor": "XOR"})
    assert Kept(settings).titles == {"xor": "XOR"}, "a title typed by hand may be no text"
    assert len(list((tmp_path / FOLDER).iterdir())) == 2


def test_nothing_is_deleted_before_there_are_too_many(qapp, monkeypatch):
    monkeypatch.setattr("explorer.ui.saving.MOST", 4)
    store, lesson = Kept(Settings()), load("emma")
    for id in "abcde":
        store.keep(replace(lesson, id=id), lesson.state())
    assert list(store.titles) == ["b", "c", "d", "e"]
    store.keep(replace(lesson, id="b"), lesson.state())
    assert list(store.titles) == ["c", "d", "e", "b"]


def test_they_take_no_more_room_than_is_allowed(keep, tmp_path, monkeypatch):
    keep("emma")
    monkeypatch.setattr("explorer.ui.saving.MOST_BYTES", 1)
    keep("xor")
    assert Kept(Settings(tmp_path)).titles == {}


def test_a_damaged_one_is_told_and_no_longer_offered(keep, tmp_path, open_window, monkeypatch):
    keep("emma")
    (tmp_path / FOLDER / "emma.explorer").write_bytes(b"nothing")
    window = open_window(settings=Settings(tmp_path))
    told = []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    with pytest.raises(ExplorerError):
        window.files.kept.get("emma")
    window.files.open_kept("emma")
    assert len(told) == 1
    assert window.files.kept.titles == {}


def test_after_the_clock_was_set_back_what_was_just_left_stays(keep, tmp_path, monkeypatch):
    for id in ("xor", "emma"):
        keep(id)
    files = list((tmp_path / FOLDER).iterdir())
    for file in files:
        os.utime(file, (4e9, 4e9))  # of the year 2096
    monkeypatch.setattr("explorer.ui.saving.MOST_BYTES", max(file.stat().st_size for file in files) + 1000)
    keep("xor", 0.75)
    assert list(Kept(Settings(tmp_path)).titles) == ["xor"]
