"""What a measurement is, and timing two ways of doing one thing fairly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

FEWEST = 9
LONGEST_S = 30
UNSTEADY = 0.25


@dataclass(frozen=True)
class Measurement:
    """One figure of speed.

    Parameters
    ----------
    name : str
        What was measured.
    value : float
    unit : str
        "ms", "s", "×", …
    limit : float or None
        What the value is to stay at or below; None where there is no such promise.
    against : str
        What the value and its limit stand against.
    detail : str
        How it came about: the numbers behind it, and their spread.
    """

    name: str
    value: float
    unit: str
    limit: float | None
    against: str
    detail: str

    @property
    def met(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.value <= self.limit


def timed(action: Callable[[], object]) -> float:
    """Seconds that an action takes, once."""
    start = perf_counter()
    action()
    return perf_counter() - start


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return float(low), float(middle), float(high)


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
    """The time of an action as a multiple of a baseline's: the ratio of the medians of interleaved runs.

    Parameters
    ----------
    name, limit, against
        See `Measurement`.
    action, baseline : callable
    pairs : int
        How often each is run, if that takes no longer than half a minute; which goes first changes from pair to pair.
    warm_up : int
        How often before that, without being counted.
    each : str
        What one run is, such as "step": then it is also said how many there are in a second.
    """
    for _ in range(warm_up):
        action()
        baseline()
    ours: list[float] = []
    theirs: list[float] = []
    start = perf_counter()
    for i in range(pairs):
        if i >= FEWEST and perf_counter() - start > LONGEST_S:
            break
        both = [(ours, action), (theirs, baseline)]
        for times, run in both if i % 2 else reversed(both):
            times.append(timed(run))
    low, _, high = quartiles([a / b for a, b in zip(ours, theirs, strict=True)])
    mine, base = float(np.median(ours)), float(np.median(theirs))
    detail = f"{mine * 1e3:.3g} ms against {base * 1e3:.3g} ms; "
    if each:
        detail += f"{1 / mine:.0f} against {1 / base:.0f} {each}s a second; "
    detail += f"half of {len(ours)} pairs between {low:.2f} and {high:.2f}"
    if high - low > UNSTEADY:
        detail += ": the machine is busy, measure again"
    return Measurement(name, mine / base, "×", limit, against, detail)
