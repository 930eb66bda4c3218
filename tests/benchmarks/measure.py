"""What a measurement is, and timing two ways of doing one thing fairly."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter, process_time

import numpy as np

FEWEST = 9
LONGEST_S = 30
UNSTEADY = 0.25
TRIES = 3


@dataclass(frozen=True)
class Measurement:
    """One figure of speed.

    Parameters
    ----------
    name : str
        What was measured.
    value : float
    unit : str
        "×", "ms", "MB", …
    limit : float or None
        What the value is to stay at or below; None where there is no such promise.
    against : str
        What the value and its limit stand against.
    detail : str
        How it came about: the numbers behind it, and their spread.
    unrest : float
        How busy the machine was with other things, from 0: see `InTurns.unrest`.
    """

    name: str
    value: float
    unit: str
    limit: float | None
    against: str
    detail: str
    unrest: float = 0.0

    @property
    def met(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.value <= self.limit

    @property
    def busy(self) -> bool:
        """Whether the machine was too busy with other things for the value to say much."""
        return self.unrest > UNSTEADY


def steady(measure: Callable[[], Measurement]) -> Measurement:
    """A figure taken on a quiet machine: again while that is busy, three times at most, and then it is said."""
    found = [measure()]
    while found[-1].busy and len(found) < TRIES:
        found.append(measure())
    best = min(found, key=lambda one: one.unrest)
    if not best.busy:
        return best
    busy = f"the machine was busy with other things in all of {TRIES} tries, by {best.unrest:.0%} in this one"
    return replace(best, detail=f"{best.detail}; {busy}")


def timed(action: Callable[[], object]) -> float:
    """Seconds that an action takes, once."""
    start = perf_counter()
    action()
    return perf_counter() - start


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return float(low), float(middle), float(high)


@dataclass(frozen=True)
class InTurns:
    """The seconds of something and of its yardstick, taken turn by turn.

    Parameters
    ----------
    ours, theirs : sequence of float
    idle : float
        The share of the time in which this process had work to do and was not let; of several processes, how much more
        wanted to run than there are processors.
    """

    ours: Sequence[float]
    theirs: Sequence[float]
    idle: float = 0.0

    @property
    def unrest(self) -> float:
        """How much the machine did besides: what it kept from us, or how far the yardstick's quartiles are apart."""
        low, middle, high = quartiles(self.theirs)
        return max(self.idle, (high - low) / middle)

    def measured(
        self, name: str, limit: float | None, against: str, percent: float = 50, each: str = ""
    ) -> Measurement:
        """Ours as a multiple of the yardstick's.

        The median is that of the pairs: the pace of a machine changes, and the two of a pair stand side by side. Of
        times that are no pairs, and of another percentile, it is the ratio of the two percentiles.

        Parameters
        ----------
        name, limit, against
            See `Measurement`.
        percent : float
        each : str
            What one run is, such as "step": then it is also said how many there are in a second.
        """
        mine, base = (float(np.percentile(times, percent)) for times in (self.ours, self.theirs))
        detail = f"{mine * 1e3:.3g} ms against {base * 1e3:.3g} ms"
        if each:
            detail += f"; {1 / mine:.0f} against {1 / base:.0f} {each}s a second"
        value = mine / base
        if len(self.ours) == len(self.theirs):
            low, middle, high = quartiles([a / b for a, b in zip(self.ours, self.theirs, strict=True)])
            detail += f"; half of {len(self.ours)} pairs between {low:.2f} and {high:.2f}"
            value = middle if percent == 50 else value
        return Measurement(name, value, "×", limit, against, detail, self.unrest)


def in_turns(
    ours: Callable[[], float], theirs: Callable[[], float], pairs: int, warm_up: int, alone: bool = True
) -> InTurns:
    """Take something and its yardstick equally often; which goes first changes from pair to pair.

    Parameters
    ----------
    ours, theirs : callable
        Each does its thing once and returns the seconds that this took.
    pairs : int
        How often each is run, if that takes no longer than half a minute.
    warm_up : int
        How often before that, without being counted.
    alone : bool
        Whether this process does all the work itself and waits for nothing: else it may be idle on a quiet machine.
    """
    for _ in range(warm_up):
        ours()
        theirs()
    mine: list[float] = []
    base: list[float] = []
    start, busy = perf_counter(), process_time()
    for i in range(pairs):
        if i >= FEWEST and perf_counter() - start > LONGEST_S:
            break
        both = [(mine, ours), (base, theirs)]
        for times, run in both if i % 2 else reversed(both):
            times.append(run())
    return InTurns(mine, base, kept_waiting(start, busy) if alone else overload())


def kept_waiting(start: float, busy: float) -> float:
    """The share of the time since `start` (`perf_counter`) that this process, `busy` (`process_time`), was kept off."""
    return max(1 - (process_time() - busy) / (perf_counter() - start), 0.0)


def overload() -> float:
    """How much more wanted to run in the last minute than there are processors, as a share of these; 0 on Windows."""
    return max(os.getloadavg()[0] / (os.cpu_count() or 1) - 1, 0.0) if hasattr(os, "getloadavg") else 0.0


def compared(
    name: str,
    action: Callable[[], object],
    baseline: Callable[[], object],
    limit: float,
    against: str,
    pairs: int,
    warm_up: int,
    each: str = "",
) -> Measurement:
    """The time of an action as a multiple of a baseline's: see `InTurns.measured`; parameters as above."""
    both = in_turns(lambda: timed(action), lambda: timed(baseline), pairs, warm_up)
    return both.measured(name, limit, against, each=each)
