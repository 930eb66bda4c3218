"""How wrong an output is, as one number."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Index, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class CrossEntropy(Op):
    """Mean over the positions of −log of the probability of the right word (Goodfellow et al. 2016, §6.2.2).

    A probability of 0 for the right word costs +∞, visibly.
    """

    def forward(self, *parents: Array) -> Array:
        probabilities, target = parents
        right = np.take_along_axis(probabilities, target[..., None], axis=-1)
        return np.asarray(-np.log(right).mean())

    def formula(self, *symbols: str) -> str:
        return r"- \frac{1}{n} \sum_i \log {%s}_{i, {%s}_i}" % symbols

    def code(self, *names: str) -> str:
        return "np.asarray(-np.log(np.take_along_axis({0}, {1}[..., None], axis=-1)).mean())".format(*names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target = parents
        logs = [
            step("log", step("pick", target[i], probabilities[(*i, int(target.value[i]))]))
            for i in np.ndindex(target.value.shape)
        ]
        return step("negate", step("mean_of", *logs, label="mean of the logs"), label="cross-entropy")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return ()


@dataclass(frozen=True)
class Likelihood(Op):
    """The probability that each position gives to the right word."""

    subscripts = "ik,i->i"
    alters = True

    def forward(self, *parents: Array) -> Array:
        probabilities, target = parents
        right: Array = np.take_along_axis(probabilities, target[..., None], axis=-1)[..., 0]
        return right

    def formula(self, *symbols: str) -> str:
        return r"{%s}_{i, {%s}_i}" % symbols

    def code(self, *names: str) -> str:
        return "np.take_along_axis({0}, {1}[..., None], axis=-1)[..., 0]".format(*names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target = parents
        right = target[cell]
        return step("pick", right, probabilities[(*cell, int(right.value))])


@dataclass(frozen=True)
class LogLikelihood(Op):
    """L₁: the sum of the logs of the probabilities of the right words (Radford et al. 2018, equation 1).

    At best it is 0; −L₁ / n is the cross-entropy.
    """

    def forward(self, *parents: Array) -> Array:
        return np.asarray(np.log(parents[0]).sum())

    def formula(self, *symbols: str) -> str:
        return r"\sum_i \log {%s}_i" % symbols[0]

    def code(self, *names: str) -> str:
        return f"np.asarray(np.log({names[0]}).sum())"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (right,) = parents
        logs = [step("log", right[i]) for i in np.ndindex(right.value.shape)]
        return step("sum_of", *logs, label="sum of the logs")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return ()


@dataclass(frozen=True)
class MeanSquaredError(Op):
    """Mean over all numbers of the squared difference to the target."""

    def forward(self, *parents: Array) -> Array:
        output, target = parents
        difference = output - target
        return np.asarray((difference * difference).mean())

    def formula(self, *symbols: str) -> str:
        return r"\frac{1}{n} \sum (%s - %s)^2" % symbols

    def code(self, *names: str) -> str:
        return "np.asarray(((d := {0} - {1}) * d).mean())".format(*names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        output, target = parents
        squares = [step("square", step("subtract", output[i], target[i])) for i in np.ndindex(output.value.shape)]
        return step("mean_of", *squares, label="mean of the squares")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return ()
