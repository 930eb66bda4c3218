"""How a model is trained: everything but the model and what it learns from; and how the learning rate changes."""

from dataclasses import asdict, dataclass
from math import cos, pi, sqrt
from typing import Any

from explorer.core.errors import ExplorerError
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.training.optimisers import OPTIMISERS

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


@dataclass(frozen=True)
class Recipe:
    """The settings of one training run. Numbers have bounds (`BOUNDS`), words are chosen from a few (`CHOICES`).

    Raises `ExplorerError`: "bad-training-setting" or "bad-training-choice".
    """

    optimiser: str = "Adam"  # one of `OPTIMISERS`
    rate: float = 0.01  # the learning rate; the highest one of a schedule
    schedule: str = "constant"  # one of `SCHEDULES`; see `rate_at`
    warm_up: int = 0  # steps in which the rate rises to `rate`
    # How much of itself a table or a matrix loses in a step, times the rate (Loshchilov & Hutter 2019). Biases, γ and β
    # have none.
    weight_decay: float = 0.0
    # Share of the numbers that are left out by chance in each step (see `with_dropout`); 0: what the model's own
    # switches say.
    dropout: float = 0.0
    clip: float = 0.0  # the longest that the gradient of all weights together may be; 0: as long as it is
    batch: int = 32  # examples in a step; 0: all
    steps: int = 1000  # of the whole run
    validation: float = 0.0  # share of the examples that are kept for judging, and never learned from
    validate_every: int = 50  # steps between two judgements
    # Of all that is random: the order of the examples, the split, dropout, and weights that are drawn anew.
    seed: int = 0
    # Weights that do not move: names of nodes, or of blocks ("decoder.1.self" means all below it).
    frozen: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # inputs that are no weights and move all the same, such as a temperature
    # How the weights are drawn anew before the first step, one of `INITIALISERS`; empty: they are gone on from.
    initialiser: str = ""

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            # Written so that NaN is none of the allowed.
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


BOUNDS: dict[str, tuple[float, float]] = {
    "rate": (1e-9, 1000.0),
    "warm_up": (0, 1_000_000),
    "weight_decay": (0.0, 10.0),
    "dropout": (0.0, 0.9),
    "clip": (0.0, 1e6),
    "batch": (0, 4096),
    "steps": (1, 10_000_000),
    "validation": (0.0, 0.9),
    "validate_every": (1, 1_000_000),
    "seed": (0, 2**32 - 1),
}
"""The least and the most of each number of a recipe."""

CHOICES: dict[str, tuple[str, ...]] = {
    "optimiser": tuple(OPTIMISERS),
    "schedule": SCHEDULES,
    "initialiser": ("", *INITIALISERS),
}
"""The words that each choice of a recipe is from."""

FIRST = Recipe(rate=0.003, batch=8, warm_up=20, validate_every=20)
"""For a model that has no recipe of its own: of each kind, with one to six layers, it learns with it."""
