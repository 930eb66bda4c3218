"""``explorer train``: trains a model by a recipe, shows the progress, and keeps what is needed to continue later."""

import json
import os
import shutil
import sys
from argparse import Namespace
from dataclasses import replace
from math import isfinite
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from time import monotonic
from typing import Any

from explorer.cli.output import may_write, shown
from explorer.cli.parser import UsageError, stopped
from explorer.cli.status import EVERY, Status
from explorer.core.errors import ExplorerError
from explorer.core.numbers import percent, quantity
from explorer.core.training.records import Record, Records
from explorer.core.training.trainer import RUN_ENDING, Trainer, load_run, save_run
from explorer.document import storage
from explorer.sentences import sentence
from explorer.training import recipes
from explorer.training.preparation import Prepared, prepare, trained

_LEAST_BETWEEN = 0.05
_BAR = 20
_TRIAL = 4096  # bytes of a trial file: the disk may be full or read-only


def train(arguments: Namespace) -> int:
    """``explorer train``."""
    if not arguments.keep_every >= _LEAST_BETWEEN:
        raise UsageError(f"--keep-every may be {_LEAST_BETWEEN} or more; {arguments.keep_every} is not.")
    out = Path(arguments.out)
    progress = _Json(EVERY) if arguments.json else _Progress()
    try:
        _check(out)
        task = recipes.load(arguments.recipe, arguments.text)
        if arguments.text is not None:
            if task.material.kind != "text":
                raise UsageError("--text is for a recipe that learns from a text; this one learns from something else.")
            task = replace(task, material=replace(task.material, file=Path(arguments.text)))
        may_write(out, arguments.force, task.material.file, getattr(task.model, "name", None))
        prepared = prepare(task)
        return _run(prepared, out, progress, arguments.keep_every, arguments.attached)
    except ExplorerError as error:
        progress.failed(error)
        raise


def _check(out: Path) -> None:
    """Check, before anything is computed, that the document can be written."""
    if not out.name.lower().endswith(storage.ENDING):
        raise ExplorerError("not-a-document-name", file=out)
    if not os.path.isdir(out.parent):
        raise ExplorerError("not-written", file=out, reason="there is no such folder")
    try:
        with TemporaryFile(dir=out.parent) as trial:
            trial.write(bytes(_TRIAL))
    except OSError as error:
        raise ExplorerError("not-written", file=out, reason=error.strerror or error) from None


def _run(prepared: Prepared, out: Path, progress: "_Progress", every: float, attached: bool) -> int:
    trainer, records = prepared.trainer(), Records()
    kept = out.with_name(out.name + RUN_ENDING)
    if os.path.exists(kept):
        records = load_run(trainer, kept)
    progress.begin(prepared, trainer, kept)

    def keep() -> None:
        save_run(trainer, records, kept)
        progress.kept(trainer.at)

    def write() -> None:
        """Write the document as trained so far; a program that started this one needs only the saved run."""
        if attached:
            keep()
            return
        storage.save(trained(prepared.document, trainer, records), prepared.title, out)
        kept.unlink(missing_ok=True)

    with stopped() as stop:
        if attached:
            _listen(stop)
        last = monotonic()
        while not trainer.finished and not stop.is_set():
            try:
                record = trainer.step()
            except ExplorerError:  # it diverged; the last good weights are saved
                write()
                raise
            records = records.with_record(record)
            try:
                progress.step(record)
            except OSError:  # the reader of the progress, a terminal or a pipe, is gone
                save_run(trainer, records, kept)
                raise
            if monotonic() - last >= every and not trainer.finished:
                keep()
                last = monotonic()
    if not trainer.finished:
        keep()
        progress.end("stopped", trainer, kept)
        return 130
    write()
    progress.end("done", trainer, out)
    return 0


def _listen(stop: Event) -> None:
    """Let the program that started this one stop it by a line on standard input."""

    def listen() -> None:
        # Not through sys.stdin: a thread that waits while it holds the lock of that buffer would crash the exit.
        while b"stop" not in (heard := os.read(0, 1024)) and heard:
            pass
        stop.set()

    if hasattr(os, "nice"):  # not on Windows
        os.nice(5)  # the window has priority
    # A daemon thread, because it waits in a system call and must not keep a finished run alive.
    Thread(target=listen, daemon=True).start()


class _Progress:
    """Shows the progress of a run on standard error: a growing bar on a terminal, elsewhere a line now and then."""

    def __init__(self, every: float | None = None) -> None:
        self.status = Status(every=every)
        self.judged: float | None = None
        self.loss = float("nan")
        self.started, self.begun, self.steps = monotonic(), 0, 0

    def begin(self, prepared: Prepared, trainer: Trainer, kept: Path) -> None:
        """The run begins, or continues after some steps."""
        self.started, self.begun, self.steps = monotonic(), trainer.at, trainer.recipe.steps
        if trainer.at:
            print(f"{shown(kept)}: going on after {quantity(trainer.at, 'step')}", file=sys.stderr)

    def step(self, record: Record) -> None:
        """One step has been taken."""
        self.loss, self.judged = record.loss, self.judged if record.validation is None else record.validation
        if self.status.due():
            self._show(record)

    def kept(self, at: int) -> None:
        """The saved run, which is needed to continue, has been written."""

    def end(self, how: str, trainer: Trainer, file: Path) -> None:
        """The run has ended: `how` is "done" or "stopped"."""
        self.status.clear()
        if how == "stopped":
            print(f"stopped after {quantity(trainer.at, 'step')}; the same command goes on from there", file=sys.stderr)
            return
        print(", ".join([f"{shown(file)}: {quantity(trainer.at, 'step')}", *_losses(self.loss, self.judged)]))

    def failed(self, error: ExplorerError) -> None:
        """The run cannot begin or continue."""
        self.status.clear()

    def left(self, at: int) -> float:
        """The seconds that the run will still take."""
        return (self.steps - at) / max(self._pace(at), 1e-9)

    def _pace(self, at: int) -> float:
        """Steps per second."""
        return (at - self.begun) / max(monotonic() - self.started, 1e-9)

    def _show(self, record: Record) -> None:
        share = record.step / self.steps
        minutes, seconds = divmod(round(self.left(record.step)), 60)
        said = [
            f"{minutes}:{seconds:02} left",
            *_losses(record.loss, self.judged),
            f"{self._pace(record.step):.3g} steps/s",
            f"{record.step:,} of {self.steps:,}",
        ]
        if not self.status.terminal:
            self.status.say(", ".join([f"{percent(share):>4}", *said]))
            return
        full = round(_BAR * share)
        line = f"{'█' * full}{'░' * (_BAR - full)} {percent(share):>4}"
        for part in said:  # only complete parts that have room
            if len(line) + len(part) + 2 < shutil.get_terminal_size().columns:
                line += f"  {part}"
        self.status.say(line)


class _Json(_Progress):
    """Writes one JSON object per line on standard output instead."""

    def begin(self, prepared: Prepared, trainer: Trainer, kept: Path) -> None:
        self.started, self.begun, self.steps = monotonic(), trainer.at, trainer.recipe.steps
        examples = prepared.examples
        self._say(
            event="begin",
            step=trainer.at,
            steps=self.steps,
            title=prepared.title,
            weights=sum(trainer.weights[name].size for name in trainer.moving),
            examples=len(examples.training) or 1,
            judged=len(examples.validation),
            kept=str(kept),
        )

    def step(self, record: Record) -> None:
        seconds, left = monotonic() - self.started, self.left(record.step)
        judged = record.validation  # the loss of examples that were not learned from may be infinite or NaN
        said = {"validation": judged if judged is None or isfinite(judged) else str(judged)}
        line = {"event": "step", **vars(record), **said, "seconds": round(seconds, 3), "left": round(left, 1)}
        # Steps that follow each other quickly are flushed together.
        print(json.dumps(line, allow_nan=False), flush=self.status.due())

    def kept(self, at: int) -> None:
        self._say(event="kept", step=at)

    def end(self, how: str, trainer: Trainer, file: Path) -> None:
        self._say(event=how, step=trainer.at, file=str(file))

    def failed(self, error: ExplorerError) -> None:
        self._say(event="error", id=error.id, message=sentence(error))

    def _say(self, **said: Any) -> None:
        print(json.dumps(said, allow_nan=False), flush=True)


def _losses(loss: float, judged: float | None) -> list[str]:
    return [f"loss {loss:.4f}", *([] if judged is None else [f"validation {judged:.4f}"])]
