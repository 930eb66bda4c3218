"""What a run was, step by step: losses, rates, and how long the gradients were."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan

import numpy as np

from explorer.core.ops import Array

_COLUMNS = ("losses", "rates", "norms")


@dataclass(frozen=True)
class Record:
    """What one step was.

    Parameters
    ----------
    step : int
        Counted from 1: the weights are those after so many steps.
    loss : float
        Of the step's batch, before the step.
    rate : float
        The learning rate of the step.
    norm : float
        Length of the gradient of all moving weights together, before clipping.
    norms : mapping of str to float
        The same block by block ("input", "decoder.1.self", …), in reading order.
    validation : float or None
        Loss on the validation examples after the step, where it was time to judge.
    """

    step: int
    loss: float
    rate: float
    norm: float
    norms: Mapping[str, float]
    validation: float | None = None


@dataclass
class History:
    """The records of a run as columns, one number a step.

    Parameters
    ----------
    losses, rates, norms : list of float
    blocks : dict of str to list of float
        The gradient's length in each block; NaN in steps in which nothing of the block moved.
    validations : list of (int, float)
        After how many steps, and the loss there.
    """

    losses: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    blocks: dict[str, list[float]] = field(default_factory=dict)
    validations: list[tuple[int, float]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Put one record behind the others."""
        self.losses.append(record.loss)
        self.rates.append(record.rate)
        self.norms.append(record.norm)
        before = len(self.losses) - 1
        for block in {**self.blocks, **record.norms}:  # a block that was frozen, or let go, in mid-run has gaps
            self.blocks.setdefault(block, [nan] * before).append(record.norms.get(block, nan))
        if record.validation is not None:
            self.validations.append((record.step, record.validation))

    def arrays(self) -> dict[str, Array]:
        """The columns by their names, as files keep them.

        They are ``losses``, ``rates``, ``norms``, ``blocks.BLOCK``, ``judged`` (after which steps) and ``validations``.
        """
        found = {name: np.array(getattr(self, name), dtype=np.float64) for name in _COLUMNS}
        found |= {f"blocks.{block}": np.array(norms, dtype=np.float64) for block, norms in self.blocks.items()}
        found["judged"] = np.array([step for step, _ in self.validations], dtype=np.int64)
        found["validations"] = np.array([loss for _, loss in self.validations], dtype=np.float64)
        return found

    @staticmethod
    def of(arrays: Mapping[str, Array]) -> "History":
        """The records of `arrays`.

        Raises
        ------
        ValueError
            Where columns are missing, or of different lengths.
        """
        blocks = {name.removeprefix("blocks."): array for name, array in arrays.items() if name.startswith("blocks.")}
        if arrays.keys() != {*_COLUMNS, "judged", "validations", *(f"blocks.{block}" for block in blocks)}:
            raise ValueError("history")
        judged, validations = arrays["judged"], arrays["validations"]
        columns = {name: arrays[name] for name in _COLUMNS}
        steps = {array.shape for array in (*columns.values(), *blocks.values())}
        if judged.dtype.kind != "i" or judged.ndim != 1 or judged.shape != validations.shape or len(steps) != 1:
            raise ValueError("history")
        if columns["losses"].ndim != 1:
            raise ValueError("history")
        return History(
            **{name: column.tolist() for name, column in columns.items()},
            blocks={block: norms.tolist() for block, norms in blocks.items()},
            validations=list(zip(judged.tolist(), validations.tolist(), strict=True)),
        )

    def cut(self, steps: int) -> None:
        """Keep the records of the first so many steps: a run goes on from there."""
        for column in (self.losses, self.rates, self.norms, *self.blocks.values()):
            del column[steps:]
        self.validations = [(step, loss) for step, loss in self.validations if step <= steps]
