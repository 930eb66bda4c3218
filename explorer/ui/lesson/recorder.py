"""Records visited places and edits in an example as the steps of a lesson file.

It also watches the file of a lesson that is being written in a text editor.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell, name_of_head
from explorer.document.state import State
from explorer.lessons.schema import FAMILY, WHOLE, WRITING, Look
from explorer.pages.levels import act_title
from explorer.pages.steps.of_step import ELSEWHERE
from explorer.sentences import sentence
from explorer.ui.dialogs import LESSON_ENDING
from explorer.ui.files import Files
from explorer.ui.selection import Coming
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.lessons.recording import Recording
    from explorer.ui.window.notice import Notice

SAVED = (
    "Saved as {}. Each step still needs its words: write them into this file with a text editor. "
    "Its end says how, and how to ask questions. What you save there is shown here at once."
)


class Recorder(QObject):
    """Records the places that the reader visits and his edits, while it is switched on.

    `notice`: shows on every page that a recording is running, and how to end it.
    """

    changed = Signal()  # it was switched on or off, or a step was added

    def __init__(self, bench: Workbench, files: Files, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._files, self._notice = bench, files, notice
        self.recording: Recording | None = None  # None: it is switched off
        self._lesson = bench.lesson
        self._state: State | None = None
        """The document's state at the last recorded step."""
        self._cell: Cell | None = None
        """The last cell that the reader chose on the present page."""
        self._head = bench.selection.head
        self.changed.connect(self._say)
        bench.bridge.changed.connect(self._take_down)
        bench.selection.stage_changed.connect(self._leave)
        bench.selection.chosen.connect(self._stop_at)
        bench.selection.showing_changed.connect(self._take_down)
        bench.selection.head_changed.connect(self._turn)

    @property
    def is_on(self) -> bool:
        """Whether it is recording."""
        return self.recording is not None

    def start(self) -> None:
        """Begin a recording with the present place; if that is impossible, show the error."""
        from explorer.lessons.recording import Recording  # rarely used

        try:
            self.recording = recording = Recording(self._bench.lesson)
            self._lesson, self._state = self._bench.lesson, self._bench.document.state
            self._take_down()
            recording.toml("my-lesson", "My lesson", draft=True)  # to tell now, and not when it is to be saved
        except ExplorerError as error:
            self.drop()
            self._files.dialogs.tell(sentence(error))

    def stop(self) -> None:
        """Ask where to save the lesson, write it and open it; if cancelled, the recording goes on."""
        recording, lesson = self.recording, self._lesson
        path = self._saved()
        if path is None:
            self._say()  # the pressed button has hidden the notice
            return
        if recording is not None and recording.needed is not None and lesson.folder is not None:
            self._files.know(recording.needed, lesson.folder)
        self._files.open_path(path)
        folder = QUrl.fromLocalFile(str(path.absolute().parent))
        answers = {"Open its folder": lambda: QDesktopServices.openUrl(folder), "Close": lambda: None}
        self._notice.ask(SAVED.format(path.name), answers)

    def may_close(self) -> bool:
        """Whether the window may be closed; if more than the first page was recorded, asks whether to save it."""
        answer = self._kept()
        if answer == "discard":
            self.drop()
        return answer == "discard" or (answer == "save" and self._saved() is not None)

    @property
    def _waits(self) -> bool:
        return self._bench.lesson.id != self._lesson.id

    def _kept(self) -> str:
        """Ask whether to "save" or to "discard" what was recorded, if that is more than the first page."""
        more = self.recording is not None and len(self.recording) > 1
        return self._files.dialogs.keep("this recording") if more else "discard"

    def _saved(self) -> Path | None:
        """Ask where to save the lesson, write it, and end the recording; returns the file, or None if it continues."""
        if self.recording is None:
            return None
        path = self._files.dialogs.to_save_lesson(self._bench.folder / f"my-lesson{LESSON_ENDING}")
        if path is None or not self._write(self.recording, path):
            return None
        self.drop()
        return path

    def _write(self, recording: Recording, path: Path) -> bool:
        """Write the lesson; returns whether it was written, and shows an error if not."""
        with self._files.telling():
            recording.save(path)
            self._bench.folder = path.parent
            return True
        return False

    def _ask_to_drop(self) -> None:
        """Discard the recording; if it has more than its first page, ask before."""
        match self._kept():
            case "save":
                self.stop()
            case "discard":
                self.drop()
            case _:
                self._say()

    def _say(self) -> None:
        if self.recording is None:
            self._notice.hide()
            return
        steps = len(self.recording)
        what = "● Recording: each page that you go to and each edit becomes a step."
        if self._waits:
            what = f"● Recording waits until “{self._lesson.title}” is open again."
        elif self._bench.selection.stage not in self._known:
            what = "● Recording: no step can show this page, so it is left out; an edit here counts."
        text = f"{what} {steps} step{'s' * (steps != 1)}."
        if text != self._notice.text:
            self._notice.ask(text, {"Stop and save …": self.stop, "Discard": self._ask_to_drop})

    def drop(self) -> None:
        """Stop recording, and discard what was recorded."""
        self.recording = None
        self.changed.emit()

    def _leave(self) -> None:
        self._cell = None
        self._take_down()

    def _stop_at(self, cell: Cell, by: Coming) -> None:
        if by != "tab":
            self._cell = cell
            self._take_down()

    def _turn(self, head: int | None) -> None:
        """Follow the choice of another head: the cell is that of this head now."""
        cell, before, self._head = self._cell, self._head, self._bench.selection.head
        if cell is not None and cell.node in self._bench.document.engine.graph.n_heads and cell.index[0] == before:
            self._cell = Cell(cell.node, (self._head, *cell.index[1:]))
        self._take_down()

    def _take_down(self, *_: object) -> None:
        document, selection = self._bench.document, self._bench.selection
        if self.recording is None or document.computing:
            return
        if self._waits:
            self._say()
            return
        look, edited, undone = self._look(), None, document.history.undone
        self.recording.forget(undone)
        if document.state is not self._state and document.state not in self._bench.opened and not undone:
            edited = act_title(document.state, document.history.undo_label or "")
        self._state = document.state
        if edited is None and len(self.recording) and selection.stage not in self._known:
            self._say()
            return
        where = next((one.where for one in selection.places if one.name == selection.stage), "")
        self.recording.add(document.state, look, selection.showing, edited or where, selection.head)
        self.changed.emit()

    @property
    def _known(self) -> dict[str, str]:
        """The pages that a step can show, each with its name in the look of a step."""
        stages = self._bench.document.engine.graph.stages
        known = {stage.name: stage.name for stage in stages} | {page: look for look, page in ELSEWHERE.items()}
        if self._bench.document.state.model.kind == "gpt":
            known |= {name: name for name in (*WRITING, FAMILY)}
        return known

    def _look(self) -> Look:
        """The present place in the form in which a step of a lesson names it."""
        graph, selection = self._bench.document.engine.graph, self._bench.selection
        stage = self._known.get(selection.stage, WHOLE)  # for a page that no step can show, that of the whole model
        cell = None if selection.kept is None else self._cell  # None after Esc, which releases the cell
        if cell is None or cell.node not in graph.nodes or graph.nodes[cell.node].stage != stage:
            return Look(stage, token=selection.chosen_token)
        name, index = cell.node, cell.index
        if name in graph.n_heads:
            name, index = name_of_head(name, index[0]), index[1:]
        return Look(stage, name, index[:1], index[1:2], token=selection.chosen_token)


SETTLED_MS = 150
"""Milliseconds to wait: an editor writes a file in several parts, or replaces it by another one."""


class LessonWatcher(QObject):
    """Reports when the file of the open lesson was saved."""

    saved = Signal(object)  # Path

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._file: Path | None = None
        self._was: bytes | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._look)

    def watch(self, file: Path | None) -> None:
        """Watch this file from now on, and no other; None: no file."""
        if self._watcher is not None:
            self._watcher.deleteLater()
            self._watcher = None
        self._timer.stop()
        self._file = file
        if file is not None:
            self._was = self._read()
            # The folder, too: many editors replace the old file by a new one.
            self._watcher = QFileSystemWatcher([str(file), str(file.absolute().parent)], self)
            self._watcher.fileChanged.connect(self._timer.start)
            self._watcher.directoryChanged.connect(self._timer.start)

    def _look(self) -> None:
        now = self._read()
        if self._file is None or now is None:
            return
        if self._watcher is not None and str(self._file) not in self._watcher.files():  # it was replaced
            self._watcher.addPath(str(self._file))
        if now == self._was:
            return
        self._was = now
        self.saved.emit(self._file)

    def _read(self) -> bytes | None:
        try:
            return None if self._file is None else self._file.read_bytes()
        except OSError:
            return None
