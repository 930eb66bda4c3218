"""A run in a process of its own: ``explorer train``, asked by the window; its weights are shown as it goes on.

A thread would starve the window (DESIGN §3); another process has an interpreter to itself.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training import checkpoint
from explorer.core.training.history import History, Record
from explorer.core.training.trainer import fitted
from explorer.document import storage
from explorer.document.commands import SetInputs
from explorer.document.document import Document
from explorer.lessons import recipes
from explorer.lessons.plan import Material, Opened, Plan
from explorer.lessons.saved import opened
from explorer.lessons.session import Session, edited
from explorer.lessons.training import of_other_lengths, shaped

KEEP_S = 0.5
"""Seconds between two looks at the weights."""
PATIENCE_MS = 3000
_AS_ASKED = (0, 130)
"""How it ends when it is done, or was asked to stop."""


class ProcessRun(QObject):
    """A run of another process, shown in a document. All its steps are one step to undo.

    Somebody who edits a weight in mid-run stops the process; it goes on from the edited weights.

    Parameters
    ----------
    document : Document
    session : Session
        The run as it would go on in the window, before its first step.
    material : Material
        Its file, if it has one, must stay where it is.
    folder : Path
        An empty one, for the files that the two share.

    Signals
    -------
    stepped
        There are new records, or weights.
    failed : str
        Why it cannot go on.
    ended
        The process is over: finished, stopped or failed.

    Attributes
    ----------
    history : History

    Raises
    ------
    ExplorerError
        "not-written"
    """

    stepped = Signal()
    failed = Signal(str)
    ended = Signal()

    def __init__(
        self, document: Document, session: Session, material: Material, folder: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._session = document, session
        self._stroke = object()
        model, self._recipe, self._out = folder / "model.explorer", folder / "run.toml", folder / "out.explorer"
        self._kept = self._out.with_name(self._out.name + checkpoint.ENDING)
        state, trainer = session.beginning.document, session.trainer
        storage.save(state, "", model)
        recipes.save(Plan("", "", Opened(str(model)), material, trainer.recipe), self._recipe)
        self._left = {name: state.inputs[name] for name in trainer.weights}
        self._moving = frozenset(trainer.moving)
        self.history = History()
        self._rest = b""
        self._stopping = self._again = self._told = False
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._over)
        self._process.errorOccurred.connect(self._broken)

    @property
    def running(self) -> bool:
        """Whether the process is at work."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    @property
    def at(self) -> int:
        """Steps taken."""
        return len(self.history.losses)

    @property
    def finished(self) -> bool:
        """Whether all steps have been taken."""
        return self.at >= self._session.trainer.recipe.steps

    def start(self) -> None:
        """Begin, or go on where it was stopped; with the weights as they are in the document.

        Raises
        ------
        ExplorerError
            "model-changed"
        """
        if self.running or self.finished:
            return
        edits = edited(self._document, self._left)
        if self._kept.exists() and edits:
            graph, kept = self._session.beginning.state.graph, checkpoint.weights(self._kept)[1]
            checkpoint.edit(self._kept, {name: fitted(graph, name, array, kept[name]) for name, array in edits.items()})
            self._left |= edits
        self._stopping = self._again = self._told = False
        self._rest = b""  # a process that was killed may have left half a line
        arguments = ["train", str(self._recipe), "--out", str(self._out), "--json", "--attached"]
        arguments += ["--keep-every", str(KEEP_S)]
        # A bundle is its own interpreter.
        program = [] if getattr(sys, "frozen", False) else ["-m", "explorer"]
        self._process.start(sys.executable, [*program, *arguments])

    def stop(self) -> None:
        """Ask the process to stop; it keeps what is needed to go on."""
        if self.running and not self._stopping:
            self._stopping = True
            self._process.write(b"stop\n")

    def follow(self) -> None:
        """The document has changed. Where somebody has edited a weight, the process goes on from there.

        Raises
        ------
        ExplorerError
            "model-changed"
        """
        if self.running and not self._stopping and edited(self._document, self._left):
            self._again = self._document.history.redo_label is None  # after an undo one wants it to stop
            self.stop()

    def close(self) -> None:
        """End the process and wait for it: nobody will look at it any more."""
        self.blockSignals(True)
        self._stopping, self._again = True, False
        if self.running:
            self._process.closeWriteChannel()
            if not self._process.waitForFinished(PATIENCE_MS):
                self._process.kill()
                self._process.waitForFinished(PATIENCE_MS)

    def _read(self) -> None:
        lines = (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            try:
                self._hear(_said(line))
            except ExplorerError as error:  # its files are gone, or no of_other_lengths what it wrote
                self._told = True
                self.failed.emit(str(error))
                self.stop()
        if lines:
            self.stepped.emit()

    def _hear(self, said: dict[str, Any]) -> None:
        match said.get("event"):
            case "begin":
                # One that was ended from outside goes on from what it kept last.
                self.history.cut(said["step"])
            case "step":
                record = Record(**{one.name: said[one.name] for one in fields(Record)})
                judged = record.validation  # "inf" and "nan" come as words
                self.history.add(replace(record, validation=None if judged is None else float(judged)))
            case "kept":
                self._show(checkpoint.weights(self._kept)[1])
            case "done":
                state = opened(str(self._out))[1]
                self._show({**state.inputs, **state.beyond})
            case "error":
                self._told = True
                self.failed.emit(said["message"])

    def _show(self, weights: Mapping[str, Array]) -> None:
        """Put the weights that the process has come to into the document, unless somebody is editing it."""
        if self._stopping or edited(self._document, self._left):
            return
        moved = {name: weights[name] for name in self._moving}
        arrays, beyond = shaped(self._document.wanted, moved), of_other_lengths(self._document.wanted, moved)
        self._document.do(SetInputs(arrays, f"Train, {self.at:,} steps", self._stroke, self.history, beyond))
        self._left |= arrays

    def _over(self, code: int) -> None:
        self._read()
        try:
            if self._again:
                self.start()
                return
        except ExplorerError as error:
            self._told = True
            self.failed.emit(str(error))
        if code not in _AS_ASKED and not self._told:
            self.failed.emit("The process that trains was ended from outside; Train goes on from what it kept last.")
        self.ended.emit()

    def _broken(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.failed.emit("The process for training could not be started.")
            self.ended.emit()


def _said(line: bytes) -> dict[str, Any]:
    """An object that the process has written; an empty one for a line that something else in it has written."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
