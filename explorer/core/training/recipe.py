"""How a model is trained: everything but the model and what it learns from."""

from dataclasses import asdict, dataclass
from typing import Any

from explorer.core.errors import ExplorerError
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.schedule import SCHEDULES, rate_at


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
