"""How wrong an output is, as one number."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Argument, Constant, Index, Source, Step, step
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

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        probabilities, target = parents
        # −1 / (n p) at the right word of each position, 0 elsewhere; −∞ where it got nothing.
        right = np.take_along_axis(probabilities, target[..., None], axis=-1)
        of_probabilities = np.zeros_like(probabilities)
        np.put_along_axis(of_probabilities, target[..., None], -gradient / (target.size * right), axis=-1)
        return of_probabilities, None

    def through_softmax(self, gradient: Array, probabilities: Array, target: Array) -> Array:
        """The gradient of the numbers that softmax made the probabilities of: (P − y) / n, with y the target one-hot.

        This is what the two chain rules give when multiplied out (Goodfellow et al. 2016, §6.2.2.3: the log undoes the
        exp). It holds on where a probability is rounded to 0 and they would meet as 0 · ∞.
        """
        y = target[..., None] == np.arange(probabilities.shape[-1])
        of_logits: Array = gradient * (probabilities - y) / target.size
        return of_logits

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        probabilities, target = parents
        if target.value[cell[:-1]] != cell[-1]:
            return Constant(0, "0")
        n = Constant(target.value.size, str(target.value.size))
        return step("divide", Constant(-1, "−1"), step("multiply", n, probabilities[cell]))

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

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        probabilities, target = parents
        of_probabilities = np.zeros_like(probabilities)
        np.put_along_axis(of_probabilities, target[..., None], gradient[..., None], axis=-1)
        return of_probabilities, None

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

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (gradient / parents[0],)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return step("divide", Constant(1, "1"), parents[0][cell])

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

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        output, target = parents
        of_output = gradient * 2 * (output - target) / output.size
        return of_output, -of_output

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        own, other = parents[parent], parents[1 - parent]
        n = Constant(own.value.size, str(own.value.size))
        return step("divide", step("multiply", Constant(2, "2"), step("subtract", own[cell], other[cell])), n)

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
