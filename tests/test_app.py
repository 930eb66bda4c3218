"""What the window remembers from one start to the next, in a program of its own each time."""

import json
import subprocess
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

PROGRAM = """
import sys
from explorer.app import open_window
for remembers in sys.argv[1:]:
    app, window = open_window(remembers=remembers == "remembers")
    look = window.bench.appearance
    print(look.mode, look.scale)
look.set_mode("dark")
look.zoom(1)
app.processEvents()
"""

SERVES = """
import json, os, sys
from explorer import app
from explorer.app import open_window
from explorer.ui.dialogs import Dialogs
changed, windows = [], []
def change(owner, name, value):
    changed.append((owner, name, getattr(owner, name)))
    setattr(owner, name, value)
for line in sys.stdin:
    code, sys.argv[1:], os.environ["EXPLORER_SETTINGS"] = json.loads(line)
    exec(code)
    while changed:
        setattr(*changed.pop())
    windows.append(window)  # a window lasts as long as the program
    window.hide()
    print("done", flush=True)
"""

SEVERAL = """
for folder in sys.argv[1:]:
    os.environ["EXPLORER_SETTINGS"] = folder
    application, window = open_window()
    windows.append(window)
    print(window.bench.appearance.mode, window.bench.appearance.scale)
"""

READS = """
import threading
on, read = [], app.chapters
change(app, "chapters", lambda: on.append(threading.current_thread() is threading.main_thread()) or read())
application, window = open_window(remembers=False)
print(*on)
while not on:
    application.processEvents()
print(*on)
"""


def start(*arguments):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def program():
    """A program that opens its window anew for each of what follows: to start takes most of the time."""
    command = [sys.executable, "-c", SERVES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        yield running
    assert running.returncode == 0


@pytest.fixture
def opens(program, tmp_path):
    """Has a window opened, as a piece of code says, with settings of its own: the words that it prints."""

    def opens(code, *arguments):
        program.stdin.write(json.dumps((code, arguments, str(tmp_path / "settings"))) + "\n")
        program.stdin.flush()
        said = []
        for line in iter(program.stdout.readline, "done\n"):
            assert line, "the program has ended"
            said += line.split()
        return said

    return opens


def test_theme_and_text_size_are_those_of_last_time(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path))
    assert start("remembers") == ["system", "1.0"]
    assert start("remembers", "does not") == ["dark", "1.1", "system", "1.0"]


def test_the_heads_of_lessons_are_read_beside_the_window_once_it_is_there(opens):
    assert opens(READS) == ["False"]


def test_settings_that_cannot_be_are_not_followed(opens, tmp_path):
    scales = (7, 1e300, "NaN", "large")
    for scale in scales:
        (tmp_path / str(scale)).mkdir()
        text = json.dumps({"theme": "blue", "text scale": scale}).replace('"NaN"', "NaN")
        (tmp_path / str(scale) / FILE).write_text(text)
    folders = [str(tmp_path / str(scale)) for scale in scales]
    assert opens(SEVERAL, *folders) == ["system", "1.0"] * len(scales)


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
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFileOpenEvent
application, window = open_window("softmax", remembers=False)
QCoreApplication.sendEvent(application, QFileOpenEvent(sys.argv[1]))
print(window.bench.lesson.id)
"""


LISTED = """
application, window = open_window(sys.argv[1])
print(*window.files.recent.paths, *window.files.lesson_files.paths)
"""


def test_a_lesson_with_which_the_program_starts_is_listed(opens, tmp_path):
    """A double-click on the file of a lesson is a start: it was neither in Lessons nor in "Open recent"."""
    file, text = tmp_path / "mine.lesson.toml", lesson_files()["two-vectors"].read_text("utf-8")
    file.write_text(text.replace('id = "two-vectors"', 'id = "mine"', 1), "utf-8")
    assert opens(LISTED, str(file)) == [str(file), str(file)]


def test_a_file_that_macos_tells_of_is_opened(opens, tmp_path):
    file, text = tmp_path / "mine.lesson.toml", lesson_files()["two-vectors"].read_text("utf-8")
    file.write_text(text.replace('id = "two-vectors"', 'id = "mine"', 1), "utf-8")
    assert opens(OPENED, str(file)) == ["mine"]


NEEDS = """
change(Dialogs, "to_find", lambda self, text, file: print("asked", file or "folder"))
application, window = open_window(sys.argv[1], model=sys.argv[2] or None)
for _ in range(20):
    application.processEvents()
print(window.bench.lesson.id)
"""


def test_a_recorded_lesson_asks_for_its_model_in_the_window_unless_it_is_given(opens, tmp_path):
    """A double-click on it said that the window asks for the model, and there was no window."""
    (tmp_path / "model").mkdir()
    write(tmp_path / "model")
    file = test_gguf.file_of(tmp_path / "small.gguf", test_gguf.FACTS, test_gguf.own_names(weights()))
    for model, asked in ((tmp_path / "model", "folder"), (file, "small.gguf")):
        recording, mine = Recording(opened(model)[0]), tmp_path / f"{asked}.lesson.toml"
        recording.add(recording._begin(), Look("model"))
        recording.save(mine)
        assert opens(NEEDS, str(mine), "") == ["asked", asked, FIRST_LESSON]
        if model is not file:  # below, a file is given
            assert opens(NEEDS, str(mine), str(model)) == [asked]
    assert main(["--model", str(file)]) == 2


LATE = """
change(app, "MOST_AT_ONCE", 0)
application, window = open_window(sys.argv[1], remembers=False)
print(type(window.tabs.opening).__name__)
while window.tabs.opening is not None:
    application.processEvents()
print(window.bench.lesson.title, window.bench.document.history.undo_label)
"""


def test_a_large_file_is_read_while_a_page_says_so(opens, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    assert opens(LATE, str(write(folder))) == ["AwaitingPage", folder.name, "(llama)", "None"]
