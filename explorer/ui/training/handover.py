"""A run whose steps a process of its own takes: what it comes to is shown, and what is edited it goes on from."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.core.errors import ExplorerError
from explorer.core.training.records import Record

if TYPE_CHECKING:  # all of training, which the first page does not need
    from explorer.training.run import Run
    from explorer.training.stretch import Point
    from explorer.ui.training.descent import Descent
    from explorer.ui.training.process import TrainingProcess


class Handover(QObject):
    """Gives a run to a process, and takes it back."""

    def __init__(self, descent: Descent) -> None:
        super().__init__(descent)
        self._descent = descent
        self.process: TrainingProcess | None = None  # while it takes the steps
        self._point: Point | None = None  # where the process began, or what it has come to since
        self._then: Callable[[], None] | None = None  # what is to be done once the process has ended
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self, run: Run) -> None:
        """Let a process go on with a run.

        Raises `ExplorerError`: "not-written".
        """
        from explorer.ui.training.process import TrainingProcess

        point = run.hand_over()
        self.process = process = TrainingProcess(point, run.records, self._empty_folder(), self)
        self._point, self._then = point, None
        process.stepped.connect(partial(self._hear, run))
        process.kept.connect(partial(self._receive, run))
        process.failed.connect(self._descent.fail)
        process.ended.connect(partial(self._ended, run))

    def stop(self, then: Callable[[], None] | None = None) -> None:
        """End the process after its step, and then do something; what was to be done then before is overtaken."""
        if then is not None:
            self._then = then
        if self.process is not None:
            self.process.stop()

    def end(self) -> None:
        """Let go of the process at once; what it has come to since it was last shown is lost."""
        process, self.process, self._then = self.process, None, None
        if process is not None:
            process.close()

    def close(self) -> None:
        """Let go of the files, too."""
        if self._folder is not None:
            self._folder.cleanup()

    def follow(self) -> None:
        """The document has changed: the process goes on from there, or ends."""
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
        """Show the weights that the process has come to, unless somebody is editing them or has gone elsewhere."""
        if self.process is None or self._descent.run is not run or run.here is not self._point:
            return
        if self._then is not None or run.weights_edited:
            return
        try:
            run.receive(self.process.checkpoint)
            self._point = run.here
        except ExplorerError as error:  # its files are gone, or no longer what it wrote
            self._descent.fail(error)
            self._descent.stop()

    def _ended(self, run: Run) -> None:
        process, then, self.process, self._then = self.process, self._then, None, None
        if process is None:
            return
        if self._descent.run is run and run.here is self._point and run.same_example and process.checkpoint.exists():
            try:
                run.receive(process.checkpoint)
            except ExplorerError as error:
                self._descent.fail(error)
        run.forget_unseen()
        process.deleteLater()
        if then is not None:
            then()
        else:
            self._descent.stop()

    def _empty_folder(self) -> Path:
        """For the files of a process; they go with this object.

        Raises `ExplorerError`: "not-written".
        """
        parent = Path(tempfile.gettempdir())
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
            parent = Path(self._folder.name)
            parent.mkdir(parents=True, exist_ok=True)  # it may have been cleared away meanwhile, as temporary files are
            return Path(tempfile.mkdtemp(dir=parent))
        except OSError as error:
            raise ExplorerError("not-written", file=parent, reason=error.strerror or error) from None
