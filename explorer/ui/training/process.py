"""A process of its own that takes the steps of a run: ``explorer train``, asked by the window.

A thread would starve the window (DESIGN §3); another process has an interpreter to itself. It gets a document, a recipe
and a checkpoint to go on from, and writes checkpoints.
"""

import json
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal

from explorer.core.errors import ExplorerError
from explorer.core.training import checkpoint
from explorer.core.training.records import Record, Records
from explorer.document import storage
from explorer.training import recipes
from explorer.training.recipes import ExistingModel, Task
from explorer.training.stretch import Point

KEEP_S = 0.5
"""Seconds between two checkpoints."""
PATIENCE_MS = 3000
_AS_ASKED = (0, 130)
"""How it ends when it is done, or was asked to stop."""


class TrainingProcess(QObject):
    """A process that goes on from a point of a run.

    Parameters
    ----------
    records : Records
        Of the steps before.
    folder : Path
        An empty one, for the files that the two share.

    Raises
    ------
    ExplorerError
        "not-written"
    """

    stepped = Signal(object)  # list of Record: it has taken steps
    kept = Signal()  # there is a newer checkpoint
    failed = Signal(object)  # ExplorerError: why it cannot go on
    ended = Signal()  # it is over: finished, stopped or failed

    def __init__(self, point: Point, records: Records, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        model, recipe, out = folder / "model.explorer", folder / "run.toml", folder / "out.explorer"
        self.checkpoint = out.with_name(out.name + checkpoint.ENDING)  # where it keeps what is needed to go on
        material = point.stretch.settings.material
        if material.content is not None:
            material = replace(material, file=folder / "text.txt", content=None)
            _write(folder / "text.txt", point.stretch.settings.material.text)
        storage.save(point.stretch.prepared.document, "", model)
        recipes.save(Task("", "", ExistingModel(str(model)), material, point.trainer.recipe), recipe)
        if point.trainer.at:
            checkpoint.save(point.trainer, records.up_to(point.trainer.at), self.checkpoint)
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
        """Whether it is at work."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def stop(self) -> None:
        """Ask it to stop; it keeps what is needed to go on."""
        if self.running and not self._stopping:
            self._stopping = True
            self._process.write(b"stop\n")

    def close(self) -> None:
        """End it and wait for that: nobody will look at it any more."""
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
                    judged = record.validation  # "inf" and "nan" come as words
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
    """An object that the process has written; an empty one for a line that something else in it has written."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
