"""What the window remembers from one start to the next, in a program of its own each time."""

import json
import sys
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from explorer.app import FIRST_LESSON
from explorer.cli import main
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import lesson_files
from explorer.lessons.recording import Recording
from explorer.lessons.schema import Look
from explorer.library import page
from explorer.settings import FILE
from tests.checkpoints import test_gguf
from tests.checkpoints.small import weights, write
from tests.started import started

PROGRAM = """
import sys
from explorer.app import open_window
app, window = open_window(remembers=sys.argv[1] == "remembers")
look = window.bench.appearance
print(look.mode, look.scale)
look.set_mode("dark")
look.zoom(1)
app.processEvents()
"""
SEVERAL = """
import os, sys
from explorer.app import open_window
for folder in sys.argv[1:]:
    os.environ["EXPLORER_SETTINGS"] = folder
    app, window = open_window()
    print(window.bench.appearance.mode, window.bench.appearance.scale)
"""

READS = """
import threading
from explorer import app
on, read = [], app.chapters
app.chapters = lambda: on.append(threading.current_thread() is threading.main_thread()) or read()
application, window = app.open_window(remembers=False)
print(*on)
while not on:
    application.processEvents()
print(*on)
"""


def start(*arguments, program=PROGRAM):
    done = started(program, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_theme_and_text_size_are_those_of_last_time(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path))
    assert start("remembers") == ["system", "1.0"]
    assert start("remembers") == ["dark", "1.1"]
    assert start("does not") == ["system", "1.0"]


def test_the_heads_of_lessons_are_read_beside_the_window_once_it_is_there():
    assert start(program=READS) == ["False"]


def test_settings_that_cannot_be_are_not_followed(tmp_path):
    scales = (7, 1e300, "NaN", "large")
    for scale in scales:
        (tmp_path / str(scale)).mkdir()
        text = json.dumps({"theme": "blue", "text scale": scale}).replace('"NaN"', "NaN")
        (tmp_path / str(scale) / FILE).write_text(text)
    folders = [str(tmp_path / str(scale)) for scale in scales]
    assert start(*folders, program=SEVERAL) == ["system", "1.0"] * len(scales)


@pytest.mark.parametrize("text", ["format = 4\nid = 'mine'", None])
def test_whoever_double_clicks_a_file_that_cannot_be_opened_reads_why(monkeypatch, tmp_path, capsys, qtbot, text):
    monkeypatch.setattr(page, "was_double_clicked", lambda: True)
    file, said = tmp_path / "mine.lesson.toml", []
    if text is not None:
        file.write_text(text)

    def read():
        box = QApplication.activeModalWidget()
        said.append(box.text())
        box.accept()

    QTimer.singleShot(0, read)
    assert main([str(file)]) == 2
    assert capsys.readouterr().err == f"explorer: {said[0]}\n"
    assert "mine.lesson.toml" in said[0]


def test_with_a_terminal_or_without_a_screen_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(page, "_wayland", lambda: False)
    for platform, on_screen, terminal, shown in (
        ("", True, False, True),
        ("xcb", True, False, True),
        ("", True, True, False),
        ("", False, False, False),
        ("offscreen", True, False, False),
    ):
        monkeypatch.setenv("QT_QPA_PLATFORM", platform)
        monkeypatch.setattr(page, "_x11", lambda on_screen=on_screen: on_screen)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda terminal=terminal: terminal))
        assert page.was_double_clicked() is shown


OPENED = """
import sys
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFileOpenEvent
from explorer.app import open_window
app, window = open_window("softmax", remembers=False)
QCoreApplication.sendEvent(app, QFileOpenEvent(sys.argv[1]))
print(window.bench.lesson.id)
window.close()
"""


LISTED = """
import sys
from explorer.app import open_window
app, window = open_window(sys.argv[1])
print(*window.files.recent.paths, *window.files.lesson_files.paths)
window.close()
"""


def test_a_lesson_with_which_the_program_starts_is_listed(tmp_path, monkeypatch):
    """A double-click on the file of a lesson is a start: it was neither in Lessons nor in "Open recent"."""
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path / "settings"))  # other tests open files, too
    file, text = tmp_path / "mine.lesson.toml", lesson_files()["two-vectors"].read_text("utf-8")
    file.write_text(text.replace('id = "two-vectors"', 'id = "mine"', 1), "utf-8")
    assert start(str(file), program=LISTED) == [str(file), str(file)]


def test_a_file_that_macos_tells_of_is_opened(tmp_path):
    file, text = tmp_path / "mine.lesson.toml", lesson_files()["two-vectors"].read_text("utf-8")
    file.write_text(text.replace('id = "two-vectors"', 'id = "mine"', 1), "utf-8")
    assert start(str(file), program=OPENED) == ["mine"]


NEEDS = """
import sys
from explorer.app import open_window
from explorer.ui.dialogs import Dialogs
asked = []
Dialogs.to_find = lambda self, text, file: asked.extend(["asked", file or "folder"])
app, window = open_window(sys.argv[1], model=sys.argv[2] or None)
for _ in range(20):
    if not asked:
        app.processEvents()
print(*asked, window.bench.lesson.id)
"""


def test_a_recorded_lesson_asks_for_its_model_in_the_window_unless_it_is_given(monkeypatch, tmp_path):
    """A double-click on it said that the window asks for the model, and there was no window."""
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path / "settings"))
    (tmp_path / "model").mkdir()
    write(tmp_path / "model")
    file = test_gguf.file_of(tmp_path / "small.gguf", test_gguf.FACTS, test_gguf.own_names(weights()))
    for model, asked in ((tmp_path / "model", "folder"), (file, "small.gguf")):
        recording, mine = Recording(opened(model)[0]), tmp_path / "mine.lesson.toml"
        recording.add(recording._begin(), Look("model"))
        recording.save(mine)
        assert start(str(mine), "", program=NEEDS) == ["asked", asked, FIRST_LESSON]
        if model is not file:  # below, a file is given
            assert start(str(mine), str(model), program=NEEDS) == ["mine"]
        mine.unlink()
    assert main(["--model", str(file)]) == 2


LATE = """
import sys
from explorer import app
app.MOST_AT_ONCE = 0
application, window = app.open_window(sys.argv[1], remembers=False)
print(type(window.tabs.opening).__name__)
while window.tabs.opening is not None:
    application.processEvents()
print(window.bench.lesson.title, window.bench.document.history.undo_label)
"""


def test_a_large_file_is_read_while_a_page_says_so(tmp_path):
    assert start(str(write(tmp_path)), program=LATE) == ["AwaitingPage", tmp_path.name, "(llama)", "None"]
