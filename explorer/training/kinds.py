"""What came of training a small model of each kind on the same sentences (`packaging/measure_kinds.py`)."""

import tomllib
from dataclasses import dataclass
from functools import cache

import numpy as np

from explorer import paths
from explorer.training import recipes

PREFIX = "small-"


@dataclass(frozen=True)
class Kind:
    """One kind, trained with several seeds."""

    recipe: str
    title: str
    weights: int  # how many it learned
    losses: tuple[float, ...]  # on held-out sentences, in nats a word, one for each seed

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return float(np.mean(self.losses))

    @property
    def spread(self) -> float:
        """The standard deviation over the seeds, of a sample."""
        return float(np.std(self.losses, ddof=1))


@cache
def kinds() -> tuple[Kind, ...]:
    """All of them, the smallest loss first."""
    scores = tomllib.loads((paths.resources() / "kinds" / "scores.toml").read_text("utf-8"))
    found = [
        Kind(name, recipes.load(name).title.removesuffix(", small"), score["weights"], tuple(score["losses"]))
        for name, score in scores.items()
    ]
    return tuple(sorted(found, key=lambda kind: kind.mean))


@cache
def steps() -> int:
    """How many steps each took, which is the same for all."""
    (found,) = {recipes.load(kind.recipe).recipe.steps for kind in kinds()}
    return found
