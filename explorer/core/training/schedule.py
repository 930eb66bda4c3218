"""How the learning rate changes from step to step."""

from math import cos, pi, sqrt

SCHEDULES = ("constant", "linear", "cosine", "inverse square root")


def rate_at(step: int, rate: float, schedule: str = "constant", warm_up: int = 0, steps: int = 1) -> float:
    """The learning rate of one step.

    During the warm-up it rises evenly to `rate`, and then goes on as the schedule says: "constant" stays; "linear"
    falls evenly to 0 at the end of the run; "cosine" falls along half a cosine (Loshchilov & Hutter 2017, equation 5);
    "inverse square root" falls with 1/√step.

    The last, with a warm-up, is the transformer's own (Vaswani et al. 2017, equation 3):
    d_model^−0.5 · min(step^−0.5, step · warm_up^−1.5), where `rate` is its highest value,
    1 / √(d_model · warm_up).

    Parameters
    ----------
    step : int
        Counted from 1.
    rate : float
        The highest rate.
    schedule : str
        One of `SCHEDULES`.
    warm_up : int
        How many steps it rises.
    steps : int
        Of the whole run, the warm-up among them. After them the rate stays at its last value.
    """
    if step < warm_up:
        return rate * step / warm_up
    # What is left of the way down: 1 at the end of the warm-up, and 0 would be the step behind the last one.
    left = min(max((steps - step + 1) / max(steps - warm_up + 1, 1), 0.0), 1.0)
    match schedule:
        case "linear":
            return rate * left
        case "cosine":
            return rate * (1 - cos(pi * left)) / 2
        case "inverse square root":
            return rate * sqrt(max(warm_up, 1) / step)
        case _:
            return rate
