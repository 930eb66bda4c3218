"""The settings of a training run, apart from the model and its examples: optimisers, learning rates, bounds.

From a gradient to a step: SGD, momentum, RMSprop, Adam and AdamW, each in a few lines; and gradient clipping.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import asdict, dataclass, field
from math import cos, pi, sqrt
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.core.ops.weights import INITIALISERS

Arrays = Mapping[str, Array]


@dataclass
class Optimiser:
    """Plain gradient descent: each weight moves against its gradient (Goodfellow et al. 2016, algorithm 8.1)."""

    # The learning rate, the factor of the gradient. A schedule sets it again for each step.
    rate: float = 0.01
    # Weight decay: the share of itself that a weight loses in a step, times the rate. It does not use the gradient, so
    # it is the same for all optimisers (decoupled: Loshchilov & Hutter 2019, algorithms 1 and 2, with λ written as rate
    # · decay, as is usual). Biases, γ and β do not decay.
    decay: float = 0.0

    @property
    def memory(self) -> dict[str, dict[str, Any]]:
        """The memory of earlier steps: for each field and weight an array, or a tuple that contains arrays."""
        return {name: table for name, table in vars(self).items() if isinstance(table, dict)}

    def copy(self) -> "Optimiser":
        """The optimiser in its present state, with its memory.

        The copies share the arrays of the memory, because a step makes new arrays and never writes into old ones.
        """
        made = copy(self)
        for name, table in self.memory.items():
            setattr(made, name, dict(table))
        return made

    def arrays(self) -> dict[str, Array]:
        """The memory for a file: "FIELD/NODE" for an array, or "FIELD/NODE/0" and so on for a tuple."""
        found: dict[str, Array] = {}
        for field_name, table in self.memory.items():
            for name, value in table.items():
                if isinstance(value, tuple):
                    found |= {f"{field_name}/{name}/{i}": np.asarray(one) for i, one in enumerate(value)}
                else:
                    found[f"{field_name}/{name}"] = np.asarray(value)
        return found

    def remembered(self) -> Iterator[Array]:
        """The arrays of the memory."""
        for table in self.memory.values():
            for value in table.values():
                for one in value if isinstance(value, tuple) else (value,):
                    if isinstance(one, np.ndarray):
                        yield one

    def fits(self, *weights: Arrays) -> bool:
        """Whether the memory fits one of the given sets of weights in shapes and types."""
        for way, array in self.arrays().items():
            found = [some[name] for name in [way.split("/")[1]] for some in weights if name in some]
            # A 0-d array is a count of steps, which fits all.
            if array.shape and (array.shape, array.dtype) not in [(one.shape, one.dtype) for one in found]:
                return False
        return True

    def remembering(self, arrays: Arrays, weights: Arrays, at: int) -> "Optimiser":
        """The optimiser with the memory of a file. Values that no training steps could have left are refused.

        `arrays`: named as in `arrays`.
        `weights`: their shapes and types are those of the memory; their values do not matter.
        `at`: the most steps that can have been taken.
        Raises `ValueError`.
        """
        made, rest = self.copy(), set(arrays)
        for name, weight in weights.items():
            one = self.copy()
            one.change(name, np.zeros_like(weight))
            for field_name, table in one.memory.items():
                like, found = table[name], getattr(made, field_name)
                way = f"{field_name}/{name}"
                ways = [f"{way}/{i}" for i in range(len(like))] if isinstance(like, tuple) else [way]
                if not rest.issuperset(ways):
                    found.pop(name, None)
                    continue
                rest.difference_update(ways)
                likes = like if isinstance(like, tuple) else (like,)
                values = [_like(arrays[way], was, at) for way, was in zip(ways, likes, strict=True)]
                found[name] = tuple(values) if isinstance(like, tuple) else values[0]
        if rest:
            raise ValueError(f"memory {min(rest)[:80]}")
        return made

    def step(self, weights: Arrays, gradients: Arrays) -> dict[str, Array]:
        """The weights after one step; new arrays."""
        after = {name: weights[name] + self.change(name, gradients[name]) for name in weights}
        if self.decay:
            for name in filter(decays, after):
                after[name] = after[name] - self.rate * self.decay * weights[name]
        return after

    def change(self, name: str, gradient: Array) -> Array:
        """The change of one array of weights, before weight decay."""
        return -self.rate * gradient


def _like(array: Array, was: object, at: int) -> object:
    """A checked part of the memory; an integer is a count of steps."""
    if isinstance(was, int):
        if array.shape != () or array.dtype.kind != "i" or not 1 <= array <= at:
            raise ValueError("memory: a number of steps")
        return int(array)
    # numpy makes a plain number, `np.generic`, of a weight without axes, such as a temperature.
    if not isinstance(was, np.ndarray | np.generic) or array.shape != was.shape or array.dtype != was.dtype:
        raise ValueError("memory: an array of another shape or type")
    return array


def decays(name: str) -> bool:
    """Whether a weight decays: tables and matrices do, biases, sinks, γ, β, a scale and a temperature do not.

    Examples
    --------
    >>> decays("decoder.1.self.W_Q"), decays("decoder.1.self.b_Q"), decays("output.b")
    (True, False, False)
    """
    short = name.rpartition(".")[2]
    return short not in ("b", "sink", "scale", "temperature") and not short.startswith(("b_", "gamma", "beta"))


@dataclass
class Momentum(Optimiser):
    """Steps that keep a part of the last step's velocity (Goodfellow et al. 2016, algorithm 8.2)."""

    momentum: float = 0.9  # that part, α in the book
    _speed: dict[str, Array] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        self._speed[name] = self.momentum * self._speed.get(name, 0.0) - self.rate * gradient
        return self._speed[name]


@dataclass
class RMSprop(Optimiser):
    """Each gradient divided by its own usual size (Hinton 2012; Goodfellow et al. 2016, algorithm 8.5)."""

    rho: float = 0.9  # the decay rate of the mean square of the gradients
    epsilon: float = 1e-8  # avoids a division by 0 while all gradients are 0
    _square: dict[str, Array] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        square = self.rho * self._square.get(name, 0.0) + (1 - self.rho) * gradient * gradient
        self._square[name] = square
        return -self.rate * gradient / (np.sqrt(square) + self.epsilon)


@dataclass
class Adam(Optimiser):
    """Momentum and RMSprop combined, both corrected for their start at 0 (Kingma & Ba 2015, algorithm 1)."""

    # `beta_1`, `beta_2`: the decay rates of the means of the gradients and of their squares.
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8  # avoids a division by 0 while all gradients are 0
    _moments: dict[str, tuple[int, Array, Array]] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        t, first, second = self._moments.get(name) or (0, np.zeros_like(gradient), np.zeros_like(gradient))
        t += 1
        # New arrays, then in-place additions: that saves a fifth of the time.
        first = self.beta_1 * first
        first += (1 - self.beta_1) * gradient
        second = self.beta_2 * second
        second += (1 - self.beta_2) * gradient * gradient
        self._moments[name] = t, first, second
        # −rate · first / (1 − beta_1^t) / (√(second / c²) + ε) with c² = 1 − beta_2^t, above and below times c.
        c = sqrt(1 - self.beta_2**t)
        size = np.sqrt(second)
        size += c * self.epsilon
        change: Array = first / size
        change *= -self.rate * c / (1 - self.beta_1**t)
        return change


@dataclass
class AdamW(Adam):
    """Adam with weight decay (Loshchilov & Hutter 2019, algorithm 2)."""

    decay: float = 0.01


OPTIMISERS: dict[str, type[Optimiser]] = {
    "SGD": Optimiser,
    "momentum": Momentum,
    "RMSprop": RMSprop,
    "Adam": Adam,
    "AdamW": AdamW,
}


def length(arrays: Iterable[Array]) -> float:
    """The Euclidean norm of all arrays together, taken as one vector."""
    return sqrt(sum(float(np.vdot(array, array)) for array in arrays))


def clipped(gradients: Arrays, limit: float) -> tuple[dict[str, Array], float]:
    """Gradients scaled so that their norm, taken as one vector, is within a limit (Pascanu et al. 2013, algorithm 1).

    `limit`: the largest norm; 0: no limit.
    Returns the given arrays, or new ones if their norm was too large; and their norm before.
    """
    norm = length(gradients.values())
    if not limit or not norm > limit:
        return dict(gradients), norm
    return {name: gradient * (limit / norm) for name, gradient in gradients.items()}, norm


# The recipe

SCHEDULES = ("constant", "linear", "cosine", "inverse square root")


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
        """The learning rate of a step, counted from 1. After the last step it stays at its last value.

        During the warm-up it rises linearly to `rate`; then it follows the schedule: "constant" stays; "linear" falls
        linearly to 0 at the end of the run; "cosine" falls along half a cosine (Loshchilov & Hutter 2017, equation 5);
        "inverse square root" falls with 1/√step.

        The last one, with a warm-up, is the transformer's own (Vaswani et al. 2017, equation 3): d_model^−0.5 ·
        min(step^−0.5, step · warm_up^−1.5), where `rate` is its highest value, 1 / √(d_model · warm_up).
        """
        if step < self.warm_up:
            return self.rate * step / self.warm_up
        # The remaining share of the fall: 1 at the end of the warm-up; it would be 0 one step after the last.
        left = min(max((self.steps - step + 1) / max(self.steps - self.warm_up + 1, 1), 0.0), 1.0)
        match self.schedule:
            case "linear":
                return self.rate * left
            case "cosine":
                return self.rate * (1 - cos(pi * left)) / 2
            case "inverse square root":
                return self.rate * sqrt(max(self.warm_up, 1) / step)
            case _:
                return self.rate

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
