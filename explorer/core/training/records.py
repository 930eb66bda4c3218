"""The course of a training run, step by step: losses, learning rates, and norms of the gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import nan

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.ops import Array

MOST_ROWS = 2**16
"""The most recorded steps. A longer run records every second step, one twice as long every fourth, and so on: a curve
does not show more, and a run of ten million steps stays as quick to keep, save and read as one of a thousand."""
_COLUMNS = ("losses", "rates", "norms")


class Record(Frozen):
    """The results of one step."""

    step: int  # counted from 1; the weights are those after this many steps
    loss: float  # of the step's batch, before the step
    rate: float  # the learning rate of the step
    norm: float  # norm of the gradient of all moving weights together, before clipping
    norms: Mapping[str, float]  # the same block by block ("input", "decoder.1.self", …), in reading order
    validation: float | None = None  # loss on the validation examples after the step; None if none was due


class _Table:
    """Rows of numbers with spare room at the end, shared by all `Records` that read its first rows."""

    def __init__(self, cells: Array, used: int) -> None:
        self.cells, self.used = cells, used

    def with_row(self, n: int, row: Sequence[float]) -> "_Table":
        """The table with a row after its first n; a copy, if there is no room or another row already stands there."""
        table = self
        if self.used != n or n == len(self.cells):
            cells = np.empty((max(2 * n, 64), self.cells.shape[1]))
            cells[:n] = self.cells[:n]
            table = _Table(cells, n)
        table.cells[n] = row
        table.used = n + 1
        return table

    def column(self, n: int, place: int) -> Array:
        """The first n numbers of a column, closed against writing."""
        found = self.cells[:n, place]
        found.flags.writeable = False
        return found


def _empty(columns: int) -> _Table:
    return _Table(np.empty((0, columns)), 0)


class Records(Frozen, eq=False):
    """The records of a run up to one of its steps. A run that continues makes new ones, which share their memory."""

    at: int = 0  # how many steps were taken
    every: int = 1  # one record for each group of this many steps, for its first step (`MOST_ROWS`)
    names: tuple[str, ...] = ()  # the blocks whose gradients were measured
    _rows: _Table = field(default_factory=lambda: _empty(len(_COLUMNS)), repr=False)
    _n_judged: int = 0
    _judged: _Table = field(default_factory=lambda: _empty(2), repr=False)

    @property
    def _n(self) -> int:
        return -(-self.at // self.every)

    @property
    def steps(self) -> Array:
        """The numbers of the recorded steps, counted from 1, (n,)."""
        return 1 + self.every * np.arange(self._n)

    @property
    def losses(self) -> Array:
        """The loss of each recorded step's batch, before the step, (n,)."""
        return self._rows.column(self._n, 0)

    @property
    def rates(self) -> Array:
        """The learning rates, (n,)."""
        return self._rows.column(self._n, 1)

    @property
    def norms(self) -> Array:
        """Norms of the gradient of all moving weights together, (n,)."""
        return self._rows.column(self._n, 2)

    @property
    def blocks(self) -> dict[str, Array]:
        """The same for each block, (n,); NaN in steps in which no weight of the block moved."""
        return {name: self._rows.column(self._n, i) for i, name in enumerate(self.names, len(_COLUMNS))}

    @property
    def judged(self) -> Array:
        """The numbers of the steps after which there was a validation, (m,)."""
        return self._judged.column(self._n_judged, 0)

    @property
    def validations(self) -> Array:
        """The validation losses there, (m,)."""
        return self._judged.column(self._n_judged, 1)

    def with_record(self, record: Record) -> "Records":
        """These records and the record of the next step."""
        made = self
        if record.validation is not None:
            if self._n_judged == MOST_ROWS:
                half = self._judged.cells[:MOST_ROWS:2].copy()
                made = replace(made, _judged=_Table(half, len(half)), _n_judged=len(half))
            n = made._n_judged
            table = made._judged.with_row(n, (record.step, record.validation))
            made = replace(made, _judged=table, _n_judged=n + 1)
        if self.at % self.every:
            return replace(made, at=self.at + 1)
        rows, n, names, every = self._rows, self._n, self.names, self.every
        if n == MOST_ROWS:
            every *= 2
            rows = _Table(rows.cells[:n:2].copy(), n // 2)
            n //= 2
        if not record.norms.keys() <= set(names):  # a block that was frozen so far
            names = tuple(dict.fromkeys((*names, *record.norms)))
            cells = np.full((n, len(_COLUMNS) + len(names)), nan)
            cells[:, : rows.cells.shape[1]] = rows.cells[:n]
            rows = _Table(cells, n)
        row = (record.loss, record.rate, record.norm, *(record.norms.get(name, nan) for name in names))
        return replace(made, at=self.at + 1, every=every, names=names, _rows=rows.with_row(n, row))

    def up_to(self, step: int) -> "Records":
        """The records of the first `step` steps."""
        if step >= self.at:
            return self
        return replace(self, at=step, _n_judged=int(np.searchsorted(self.judged, step, side="right")))

    def arrays(self) -> dict[str, Array]:
        """The columns by name, as files store them.

        The names are ``at`` and ``every``, one number each, ``losses``, ``rates``, ``norms``, ``blocks.BLOCK``,
        ``judged`` and ``validations``.
        """
        found = {"at": np.array(self.at, np.int64), "every": np.array(self.every, np.int64)}
        found |= {name: np.ascontiguousarray(getattr(self, name)) for name in _COLUMNS}
        found |= {f"blocks.{name}": np.ascontiguousarray(norms) for name, norms in self.blocks.items()}
        found["judged"] = self.judged.astype(np.int64)
        found["validations"] = np.ascontiguousarray(self.validations)
        return found

    @staticmethod
    def of(arrays: Mapping[str, Array]) -> "Records":
        """The records from `arrays`; ``at`` and ``every`` may be missing if every step was recorded.

        Raises `ValueError` if columns are missing or differ in length.
        """
        names = tuple(name.removeprefix("blocks.") for name in arrays if name.startswith("blocks."))
        columns = [*_COLUMNS, *(f"blocks.{name}" for name in names)]
        if arrays.keys() - {"at", "every"} != {*columns, "judged", "validations"}:
            raise ValueError("records")
        judged, validations = arrays["judged"], arrays["validations"]
        (shape, *others) = {arrays[name].shape for name in columns}
        if judged.dtype.kind != "i" or judged.ndim != 1 or judged.shape != validations.shape:
            raise ValueError("records")
        if len(shape) != 1 or others or (shape[0] > MOST_ROWS and "every" in arrays):
            raise ValueError("records")
        at, every = (arrays.get(name, np.array(usual)) for name, usual in (("at", shape[0]), ("every", 1)))
        if at.shape or every.shape or at.dtype.kind != "i" or every.dtype.kind != "i":
            raise ValueError("records")
        if not 0 < every <= 2**40 or -(-int(at) // int(every)) != shape[0]:
            raise ValueError("records")
        rows = np.stack([arrays[name].astype(np.float64) for name in columns], axis=1)
        of_judged = np.stack([judged.astype(np.float64), validations.astype(np.float64)], axis=1)
        n = len(judged)
        found = Records(int(at), int(every), names, _Table(rows, len(rows)), n, _Table(of_judged, n))
        return found if len(rows) <= MOST_ROWS else found._thinned()

    def _thinned(self) -> "Records":
        """At most `MOST_ROWS` rows of records from a version that recorded every step of every run."""
        every = self.every
        while -(-self.at // every) > MOST_ROWS:
            every *= 2
        rows = self._rows.cells[:: every // self.every].copy()
        return replace(self, every=every, _rows=_Table(rows, len(rows)))
