"""Puts the parts of the program together: the document, the appearance, the window."""

import explorer.ui.import_hook  # noqa: F401, I001 - the first: what is imported before it is slow

import gc
import os
import sys
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from explorer import PROGRAM
from explorer.checkpoints import is_checkpoint, size_of
from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.document_lesson import is_document, opened, opened_session
from explorer.lessons.loader import chapters, load
from explorer.lessons.own_lessons import is_bundle
from explorer.lessons.schema import MODEL_MISSING, Lesson
from explorer.settings import Settings, own_folder
from explorer.teaching import is_for_class
from explorer.ui.appearance import MODES, SCALES, Appearance
from explorer.ui.background import Background
from explorer.ui.page.picture_place import LOOK_MS, is_loaded
from explorer.ui.saving import MOST_AT_ONCE
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge, Collector, do_once_painted, later
from explorer.ui.widgets.inputs import message_box
from explorer.ui.window.main_window import MainWindow
from explorer.ui.workbench import Workbench
from explorer.words import is_vectors

FIRST_LESSON = "tiny-gpt"
"""The lesson at the first start: a trained model, which gives right answers."""


class Program(QApplication):
    """The application. On macOS Qt reports a double-clicked file as an event; elsewhere the command line names it."""

    file_opened = Signal(str)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            self.file_opened.emit(event.file())
            return True
        return super().event(event)


def make_window(
    lesson: Lesson,
    appearance: Appearance,
    state: State | None = None,
    settings: Settings | None = None,
    opening: bool = False,
    awaits: str = "",
) -> MainWindow:
    """The window for a lesson, or for a document of it, not shown yet. `opening`, `awaits`: see `MainWindow`."""
    background = Background()
    document = Document(state or lesson.state(), background)
    bridge = Bridge(document)
    selection = Selection(document)
    bench = Workbench(document, bridge, selection, appearance, lesson, background=background, settings=settings)
    window = MainWindow(bench, opening, awaits)
    for part in (background, bridge, selection):
        part.setParent(window)
    window.resize(1600, 900)
    return window


def open_window(
    file: str | None = None, remembers: bool = True, tokenizer: str | None = None, model: str | None = None
) -> tuple[QApplication, MainWindow]:
    """The application and its window, shown on the screen; the event loop does not run yet.

    `file`: a document, a lesson file, the name of a lesson, or a model that others trained.
    `remembers`: whether the person's settings are read and written.
    `tokenizer`: the tokenizer of such a model, see `explorer.checkpoints.opened`.
    `model`: the folder or file of the model that a lesson needs; None: the window asks for it.

    Raises `ExplorerError` if the file cannot be opened.
    """
    others = file is not None and is_checkpoint(file)
    document = file is not None and is_document(file)
    late = file is not None and (others or (document and os.path.isfile(file))) and size_of(file) > MOST_AT_ONCE
    # Files for a class, word vectors and lessons by others are opened later, in the window.
    path = Path(file or "")
    in_tab = file is not None and (is_for_class(path) or is_vectors(path) or (is_bundle(path) and not others))
    waiting: Lesson | None = None
    if file is not None and document and not late:
        lesson, state, session = opened_session(file)
    else:
        begins_with = FIRST_LESSON if file is None or late or in_tab else file
        session = None
        try:
            if model is not None and begins_with != file:
                raise ExplorerError("no-model-needed", name=file)
            lesson, state = opened(begins_with, tokenizer=tokenizer, model=model)
        except ExplorerError as error:
            if error.id not in MODEL_MISSING:
                raise
            waiting = load(begins_with)  # the window will ask where its model is
            lesson, state = opened(FIRST_LESSON)
    # Qt waits 5 ms to collect more repaints; the bridge has already collected them, so this would only cause a delay.
    os.environ.setdefault("QT_QPA_UPDATE_IDLE_TIME", "0")
    # A thread that writes a file gives way ten times as soon as by default, because a paint often needs Python's lock.
    sys.setswitchinterval(0.0005)
    app = QApplication.instance() or Program(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName(PROGRAM)
    settings = Settings(own_folder() if remembers else None)
    awaits = path.name if late else ""
    window = make_window(lesson, _appearance(app, settings), state, settings, file is None, awaits)
    if isinstance(app, Program):
        app.file_opened.connect(lambda name: window.complete().files.open_path(Path(name)))
    if file is not None and session is not None:
        window.files.belongs_to(path, session)
    own = path if path.is_file() else None
    if late or in_tab:
        do_once_painted(window, lambda: window.files.open_path(path))
    elif waiting is not None:
        do_once_painted(window, lambda: window.files.begin_lesson(waiting, file=own))
    elif others:
        window.files.begin_model(path, lesson, state)
    elif file is not None and not document:
        if lesson.folder is not None and (needed := load(file).needed) is not None:
            window.files.know(needed, lesson.folder)  # the lesson is read again whenever its file is saved
        window.files.list_lesson(own)
        window.lessons.go_on(own)
    window.show()
    window.activateWindow()  # without a window manager, only this gives it the keyboard focus
    do_once_painted(window, lambda: _get_ready(window))
    return app, window


def _get_ready(window: MainWindow) -> None:
    """Make what the first picture does without: parts of the window, the offer of unsaved work, pyqtgraph."""
    window.complete().recovery.offer()
    reader = Background(window)
    plots = later(window, lambda: None if is_loaded() else plots.start())
    plots.setInterval(LOOK_MS)
    reader.run(_load_ahead, plots.start)
    # All present objects stay, so Python's collector, which stops everything for 50 ms, need not look through them
    # again.
    gc.freeze()
    gc.enable()
    Collector(window)


def _load_ahead() -> None:
    """Read what tabs need when they are first shown: the heads of all lessons (0.2 s), and modules without Qt."""
    chapters()
    for name in ("lessons.printed_numbers", "lessons.step_tables", "training.run"):
        import_module(f"explorer.{name}")


def refuse(message: str) -> None:
    """Say in a dialog why the window cannot open: a person who double-clicked a file sees no terminal."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    app.setApplicationName(PROGRAM)
    message_box(message).exec()


def _appearance(app: QApplication, settings: Settings) -> Appearance:
    """The theme, text scale, contrast and motion of the last time."""
    mode, scale = settings.get("theme", "system"), settings.get("text scale", 1.0)
    contrast, still = settings.get("more contrast", False), settings.get("less motion", False)
    look = Appearance(app, mode if mode in MODES else "system", scale if scale in SCALES else 1.0, contrast, still)

    def remember() -> None:
        settings.set("theme", look.mode)
        settings.set("text scale", look.chosen)
        settings.set("more contrast", look.contrast)
        settings.set("less motion", look.still)

    look.switched.connect(remember)
    look.changed.connect(remember)
    return look


def run(file: str | None = None, smoke: bool = False, tokenizer: str | None = None, model: str | None = None) -> int:
    """Open the window, and return the exit status once it is closed; parameters and errors as of `open_window`.

    `smoke`: run the smoke test and end.
    """
    app, window = open_window(file, not smoke, tokenizer, model)
    if smoke:
        from explorer.ui.smoke_test import smoke_test

        QTimer.singleShot(0, lambda: app.exit(smoke_test(app, window.complete())))
    elif window.size().boundedTo(window.screen().availableSize()) != window.size():
        window.showMaximized()  # otherwise the lower bar would lie outside the screen
    if not smoke:
        from explorer.ui.errors import Unexpected

        Unexpected(window, window.bench.settings.folder).listen()
    status: int = app.exec()
    return status
