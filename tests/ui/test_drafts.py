"""Examples that were changed and left are there at the next start."""

import os
from dataclasses import replace

import pytest

from explorer.core.errors import ExplorerError
from explorer.document.commands import SetCells
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.settings import Settings
from explorer.ui import drafts
from explorer.ui.drafts import Kept


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
    monkeypatch.setattr(drafts, "MOST", 2)
    for id in ("emma", "xor", "softmax", "xor"):
        keep(id)
    settings = Settings(tmp_path)
    assert list(Kept(settings).titles) == ["softmax", "xor"]
    settings.set(drafts.SETTING, {"softmax": 5, "xor": "XOR"})
    assert Kept(settings).titles == {"xor": "XOR"}, "a title typed by hand may be no text"
    assert len(list((tmp_path / drafts.FOLDER).iterdir())) == 2


def test_nothing_is_deleted_before_there_are_too_many(qapp, monkeypatch):
    monkeypatch.setattr(drafts, "MOST", 4)
    store, lesson = Kept(Settings()), load("emma")
    for id in "abcde":
        store.keep(replace(lesson, id=id), lesson.state())
    assert list(store.titles) == ["b", "c", "d", "e"]
    store.keep(replace(lesson, id="b"), lesson.state())
    assert list(store.titles) == ["c", "d", "e", "b"]


def test_they_take_no_more_room_than_is_allowed(keep, tmp_path, monkeypatch):
    keep("emma")
    monkeypatch.setattr(drafts, "MOST_BYTES", 1)
    keep("xor")
    assert Kept(Settings(tmp_path)).titles == {}


def test_a_damaged_one_is_told_and_no_longer_offered(keep, tmp_path, open_window, monkeypatch):
    keep("emma")
    (tmp_path / drafts.FOLDER / "emma.explorer").write_bytes(b"nothing")
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
    files = list((tmp_path / drafts.FOLDER).iterdir())
    for file in files:
        os.utime(file, (4e9, 4e9))  # of the year 2096
    monkeypatch.setattr(drafts, "MOST_BYTES", max(file.stat().st_size for file in files) + 1000)
    keep("xor", 0.75)
    assert list(Kept(Settings(tmp_path)).titles) == ["xor"]
