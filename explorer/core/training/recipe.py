"""The settings of a training run, apart from the model and its examples; and how the learning rate changes."""

from dataclasses import asdict
from math import cos, pi, sqrt
from typing import Any

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.ops.weights import INITIALISERS
from explorer.core.training.optimisers import OPTIMISERS

SCHEDULES = ("constant", "linear", "cosine", "inverse square root")


def rate_at(step: int, rate: float, schedule: str = "constant", warm_up: int = 0, steps: int = 1) -> float:
    """The learning rate of one step.

    During the warm-up it rises linearly to `rate`; then it follows the schedule: "constant" stays; "linear" falls
    linearly to 0 at the end of the run; "cosine" falls along half a cosine (Loshchilov & Hutter 2017, equation 5);
    "inverse square root" falls with 1/√step.

    The last one, with a warm-up, is the transformer's own (Vaswani et al. 2017, equation 3): d_model^−0.5 ·
    min(step^−0.5, step · warm_up^−1.5), where `rate` is its highest value, 1 / √(d_model · warm_up).

    Parameters
    ----------
    step : int
        Counted from 1.
    rate : float
        The highest rate.
    schedule : str
        One of `SCHEDULES`.
    warm_up : int
        How many steps the warm-up takes.
    steps : int
        The steps of the whole run, including the warm-up. After them the rate stays at its last value.
    """
    if step < warm_up:
        return rate * step / warm_up
    # The remaining share of the fall: 1 at the end of the warm-up; it would be 0 one step after the last.
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


class Recipe(Frozen):
    """The settings of one training run. Numbers have bounds (`BOUNDS`), words are chosen from a few (`CHOICES`).

    Raises `ExplorerError`: "bad-training-setting" or "bad-training-choice".
    """

    optimiser: str = "Adam"  # one of `OPTIMISERS`
    rate: float = 0.01  # the learning rate; the highest one of a schedule
    schedule: str = "constant"  # one of `SCHEDULES`; see `rate_at`
    warm_up: int = 0  # steps in which the rate rises to `rate`
    # The share of itself that a table or matrix loses in a step, times the rate (Loshchilov & Hutter 2019). Biases, γ
    # and β do not decay.
    weight_decay: float = 0.0
    # The share of the numbers that are dropped at random in each step (see `with_dropout`); 0: as the model's own
    # switches say.
    dropout: float = 0.0
    clip: float = 0.0  # the largest norm of the gradient of all weights together; 0: no limit
    batch: int = 32  # examples in a step; 0: all
    steps: int = 1000  # of the whole run
    validation: float = 0.0  # share of the examples kept for validation, never learned from
    validate_every: int = 50  # steps between two validations
    # Of everything random: the order of the examples, the split, dropout, and newly drawn weights.
    seed: int = 0
    # Weights that do not move: names of nodes, or of blocks ("decoder.1.self" means all nodes below it).
    frozen: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # inputs that are not weights but are trained, too, such as a temperature
    # How the weights are drawn before the first step, one of `INITIALISERS`; empty: the present weights are used.
    initialiser: str = ""

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            # Written so that NaN fails, too.
            if not low <= value <= high:
                raise ExplorerError("bad-training-setting", name=name, value=value, low=low, high=high)
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                shown = ", ".join(filter(None, known))
                raise ExplorerError("bad-training-choice", name=name, value=value, known=shown)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 1."""
        return rate_at(step, self.rate, self.schedule, self.warm_up, self.steps)

    def as_dict(self) -> dict[str, Any]:
        """All settings as JSON and TOML write them."""
        return {**asdict(self), "frozen": list(self.frozen), "also": list(self.also)}


MOST_STEPS = 10_000_000
BOUNDS: dict[str, tuple[float, float]] = {
    "rate": (1e-9, 1000.0),
    "warm_up": (0, 1_000_000),
    "weight_decay": (0.0, 10.0),
    "dropout": (0.0, 0.9),
    "clip": (0.0, 1e6),
    "batch": (0, 4096),
    "steps": (1, MOST_STEPS),
    "validation": (0.0, 0.9),
    "validate_every": (1, 1_000_000),
    "seed": (0, 2**32 - 1),
}
"""The smallest and largest value of each number of a recipe."""

CHOICES: dict[str, tuple[str, ...]] = {
    "optimiser": tuple(OPTIMISERS),
    "schedule": SCHEDULES,
    "initialiser": ("", *INITIALISERS),
}
"""The allowed words of each choice of a recipe."""

FIRST = Recipe(rate=0.003, batch=8, warm_up=20, validate_every=20)
"""The recipe for a model without its own: every kind of model learns with it, with one to six layers."""
