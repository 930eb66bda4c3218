"""A process of its own that takes the steps of a run: ``explorer train``, started by the window.

A thread would hold the lock of Python's interpreter, and so the window; another process has its own. It gets a
document, a recipe and a saved run to continue from, and saves it now and then. The window shows the weights of each
saved run; after an edit of weights, a new process continues from the edited weights.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QProcess, Signal

from explorer.core.errors import ExplorerError
from explorer.core.training.records import Record, Records
from explorer.core.training.trainer import RUN_ENDING, save_run
from explorer.document import storage

if TYPE_CHECKING:
    from explorer.training.preparation import Point
    from explorer.training.run import Run
    from explorer.ui.training.descent import Descent


KEEP_S = 0.5
"""Seconds between two saved runs."""
PATIENCE_MS = 3000
_AS_ASKED = (0, 130)
"""Exit codes of a process that is done, or was asked to stop."""


class TrainingProcess(QObject):
    """A process that continues a run from one of its points; it raises `ExplorerError`: "not-written".

    `records`: those of the steps before.
    `folder`: an empty one, for the files that the window and the process share.
    """

    stepped = Signal(object)  # list of Record: the steps that it has taken
    kept = Signal()  # there is a newer saved run
    failed = Signal(object)  # ExplorerError: why it cannot continue
    ended = Signal()  # it has finished, stopped or failed

    def __init__(self, point: Point, records: Records, folder: Path, parent: QObject | None = None) -> None:
        from explorer.training import recipes  # imported here because the window can start without it
        from explorer.training.recipes import ExistingModel, Task

        super().__init__(parent)
        model, recipe, out = folder / "model.explorer", folder / "run.toml", folder / "out.explorer"
        self.saved = out.with_name(out.name + RUN_ENDING)  # the file that it continues from and writes
        material = point.stretch.settings.material
        if material.content is not None:
            material = replace(material, file=folder / "text.txt", content=None)
            _write(folder / "text.txt", point.stretch.settings.material.text)
        storage.save(point.stretch.prepared.document, "", model)
        recipes.save(Task("", "", ExistingModel(str(model)), material, point.trainer.recipe), recipe)
        if point.trainer.at:
            save_run(point.trainer, records.up_to(point.trainer.at), self.saved)
        self._rest = b""
        self._stopping = self._told = False
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._over)
        self._process.errorOccurred.connect(self._broken)
        arguments = ["train", str(recipe), "--out", str(out), "--json", "--attached", "--keep-every", str(KEEP_S)]
        # A bundle is its own interpreter.
        program = [] if getattr(sys, "frozen", False) else ["-m", "explorer"]
        self._process.start(sys.executable, [*program, *arguments])

    @property
    def running(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def stop(self) -> None:
        """Ask the process to stop; it saves the run once more."""
        if self.running and not self._stopping:
            self._stopping = True
            self._process.write(b"stop\n")

    def close(self) -> None:
        """End the process, wait for its end, and emit no more signals."""
        self.blockSignals(True)
        if self.running:
            self._process.closeWriteChannel()
            if not self._process.waitForFinished(PATIENCE_MS):
                self._process.kill()
                self._process.waitForFinished(PATIENCE_MS)
        self.deleteLater()

    def _read(self) -> None:
        records, lines = list[Record](), (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            said = _said(line)
            match said.get("event"):
                case "step":
                    record = Record(**{one.name: said[one.name] for one in fields(Record)})
                    judged = record.validation  # "inf" and "nan" arrive as strings
                    records.append(replace(record, validation=None if judged is None else float(judged)))
                case "kept":
                    self.kept.emit()
                case "error":
                    self._fail(ExplorerError("process-failed", message=said["message"]))
        if records:
            self.stepped.emit(records)

    def _fail(self, error: ExplorerError) -> None:
        self._told = True
        self.failed.emit(error)

    def _over(self, code: int) -> None:
        self._read()
        if code not in _AS_ASKED and not self._told:
            self._fail(ExplorerError("process-ended"))
        self.ended.emit()

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._fail(ExplorerError("process-not-started"))
            self.ended.emit()


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise ExplorerError("not-written", file=file, reason=error.strerror or error) from None


def _said(line: bytes) -> dict[str, Any]:
    """The JSON object in a line of the process's output; an empty one if the line has none."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


class Handover(QObject):
    """Gives a run to a process, and takes it back."""

    def __init__(self, descent: Descent) -> None:
        super().__init__(descent)
        self._descent = descent
        self.process: TrainingProcess | None = None  # the process that takes the steps now
        self._point: Point | None = None  # the point that the process began at, or its latest saved run
        self._then: Callable[[], None] | None = None  # called once the process has ended
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self, run: Run) -> None:
        """Let a process continue a run.

        Raises `ExplorerError`: "not-written".
        """
        point = run.hand_over()
        self.process = process = TrainingProcess(point, run.records, self._empty_folder(), self)
        self._point, self._then = point, None
        process.stepped.connect(partial(self._hear, run))
        process.kept.connect(partial(self._receive, run))
        process.failed.connect(self._descent.fail)
        process.ended.connect(partial(self._ended, run))

    def stop(self, then: Callable[[], None] | None = None) -> None:
        """End the process after its current step, then call `then`, which replaces that of an earlier call."""
        if then is not None:
            self._then = then
        if self.process is not None:
            self.process.stop()

    def end(self) -> None:
        """End the process at once; its steps since the last saved run shown are lost."""
        process, self.process, self._then = self.process, None, None
        if process is not None:
            process.close()

    def close(self) -> None:
        """Delete the files."""
        if self._folder is not None:
            self._folder.cleanup()

    def follow(self) -> None:
        """React to a change of the document: let the process continue, stop, or start again from the edited weights."""
        descent = self._descent
        run = descent.run
        if run is None:
            descent.end()
        elif run.here is not self._point:  # undone
            descent.stop()
        elif not run.same_example and descent.going:
            descent.fail(ExplorerError("example-changed"))
            descent.stop()
        elif run.weights_edited and descent.going and self._then is None:
            self.stop(descent.go_on)

    def _hear(self, run: Run, records: Sequence[Record]) -> None:
        for record in records:
            run.hear(record)
        self._descent.after_steps(run)
        self._descent.changed.emit()

    def _receive(self, run: Run) -> None:
        """Show the weights of the latest saved run, unless weights were edited or the document has left that point."""
        if self.process is None or self._descent.run is not run or run.here is not self._point:
            return
        if self._then is not None or run.weights_edited:
            return
        try:
            run.receive(self.process.saved)
            self._point = run.here
        except ExplorerError as error:  # the files of the process are missing or damaged
            self._descent.fail(error)
            self._descent.stop()

    def _ended(self, run: Run) -> None:
        process, then, self.process, self._then = self.process, self._then, None, None
        if process is None:
            return
        if self._descent.run is run and run.here is self._point and run.same_example and process.saved.exists():
            try:
                run.receive(process.saved)
            except ExplorerError as error:
                self._descent.fail(error)
        run.forget_unseen()
        process.deleteLater()
        if then is not None:
            then()
        else:
            self._descent.stop()

    def _empty_folder(self) -> Path:
        """An empty temporary folder for the files of a process; `close` deletes it.

        Raises `ExplorerError`: "not-written".
        """
        parent = Path(tempfile.gettempdir())
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
            parent = Path(self._folder.name)
            parent.mkdir(parents=True, exist_ok=True)  # the system may have deleted it, as it does with temporary files
            return Path(tempfile.mkdtemp(dir=parent))
        except OSError as error:
            raise ExplorerError("not-written", file=parent, reason=error.strerror or error) from None
