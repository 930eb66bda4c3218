"""From a gradient to a step: SGD, momentum, RMSprop and Adam, each a few lines."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from explorer.core.ops import Array

Arrays = Mapping[str, Array]


@dataclass
class Optimiser:
    """Plain gradient descent: each weight moves against its gradient (Goodfellow et al. 2016, algorithm 8.1).

    Parameters
    ----------
    rate : float
        The learning rate: what the gradient is multiplied by.
    """

    rate: float = 0.01

    def copy(self) -> "Optimiser":
        """The optimiser as it is now, its memory included. Arrays are never written to, so they are shared."""
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict):
                setattr(made, name, dict(value))
        return made

    def step(self, weights: Arrays, gradients: Arrays) -> dict[str, Array]:
        """The weights after one step; new arrays."""
        return {name: weights[name] + self.change(name, gradients[name]) for name in weights}

    def change(self, name: str, gradient: Array) -> Array:
        """What is added to one array of weights."""
        return -self.rate * gradient


@dataclass
class Momentum(Optimiser):
    """Steps that keep a part of the last one's speed (Goodfellow et al. 2016, algorithm 8.2)."""

    keep: float = 0.9
    _speed: dict[str, Array] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        self._speed[name] = self.keep * self._speed.get(name, 0.0) - self.rate * gradient
        return self._speed[name]


@dataclass
class RMSprop(Optimiser):
    """Each weight's gradient by its own usual size (Hinton 2012; Goodfellow et al. 2016, algorithm 8.5)."""

    keep: float = 0.9
    epsilon: float = 1e-8
    _square: dict[str, Array] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        square = self.keep * self._square.get(name, 0.0) + (1 - self.keep) * gradient * gradient
        self._square[name] = square
        result: Array = -self.rate * gradient / (np.sqrt(square) + self.epsilon)
        return result


@dataclass
class Adam(Optimiser):
    """Momentum and RMSprop together, both corrected for starting at 0 (Kingma & Ba 2015, algorithm 1)."""

    keep: float = 0.9
    keep_square: float = 0.999
    epsilon: float = 1e-8
    _moments: dict[str, tuple[int, Array, Array]] = field(default_factory=dict)

    def change(self, name: str, gradient: Array) -> Array:
        zero = np.zeros_like(gradient)
        t, first, second = self._moments.get(name, (0, zero, zero))
        t += 1
        first = self.keep * first + (1 - self.keep) * gradient
        second = self.keep_square * second + (1 - self.keep_square) * gradient * gradient
        self._moments[name] = t, first, second
        mean = first / (1 - self.keep**t)
        size = np.sqrt(second / (1 - self.keep_square**t))
        result: Array = -self.rate * mean / (size + self.epsilon)
        return result


OPTIMISERS: dict[str, type[Optimiser]] = {"SGD": Optimiser, "momentum": Momentum, "RMSprop": RMSprop, "Adam": Adam}
