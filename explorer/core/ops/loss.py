"""How wrong an output is, as one number."""

from collections.abc import Iterator
from dataclasses import replace
from math import prod

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Fewer, Op, Slip, Surroundings, Then


class CrossEntropy(Op):
    """Mean over the positions of −log of the probability of the right word (Goodfellow et al. 2016, §6.2.2).

    Parents are the probabilities, (n, n_words), and the numbers of the right words, (n,). A right word with probability
    0 makes the loss +∞.

    If the probabilities are a softmax, its input scores, (n, n_words), are a third parent. A share too small for a
    normal number of its type (in float32 from scores 87 apart) has lost digits; its log is then computed from the
    scores, as z − log Σ exp z. This op passes no gradient to the scores: it flows through the softmax, see
    `through_softmax`.
    """

    # Number of ``<pad>``: positions with this target are not counted. -1 if the vocabulary has none.
    pad: int = -1
    of_words = True
    picked = 1

    def logs(self, *parents: Array) -> Array:
        """The log of the probability of the right word at each position, counted or not: (n,)."""
        probabilities, target, *scores = parents
        rows, places = _rows_and_right(probabilities, target)
        right = rows[places].reshape(target.shape)
        logs: Array = np.log(right)
        tiny = np.finfo(right.dtype).tiny
        if not scores or not (right < tiny).any():
            return logs
        z = scores[0] - scores[0].max(-1, keepdims=True)
        of_scores = np.take_along_axis(z, target[..., None], axis=-1)[..., 0] - np.log(np.exp(z).sum(-1))
        # A probability that a person pinned to 0 does not follow from the scores.
        return np.where((right < tiny) & (of_scores < np.log(tiny)), of_scores, logs)

    def forward(self, *parents: Array) -> Array:
        logs, target = self.logs(*parents), parents[1]
        if self.pad < 0:
            return np.asarray(0 - logs.sum() / logs.size)
        return np.asarray(0 - logs.sum(where=target != self.pad) / self.count(target))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        probabilities, target, *scores = parents
        rows, right = _rows_and_right(probabilities, target)
        # −1 / (n p) at the right word of each position, 0 elsewhere; −∞ if its probability is 0.
        of_rows = np.zeros_like(rows)
        of_rows[right] = -gradient / (self.count(target) * rows[right])
        return self._counted(of_rows, target).reshape(probabilities.shape), None, *(None for _ in scores)

    def _counted(self, rows: Array, target: Array) -> Array:
        """The rows, with those of positions that are not counted set to 0."""
        if self.pad >= 0:
            rows[target.ravel() == self.pad] = 0
        return rows

    def counted(self, target: Array) -> Array:
        """The counted positions: those whose right word is not ``<pad>``."""
        return np.asarray(target != self.pad) if self.pad >= 0 else super().counted(target)

    def count(self, target: Array) -> int:
        """n, the number of counted positions; at least 1, so that it can be a divisor."""
        return target.size if self.pad < 0 else max(int(np.count_nonzero(target != self.pad)), 1)

    def through_softmax(self, gradient: Array, probabilities: Array, target: Array) -> Array:
        """The gradient of the scores that softmax reads: (P − y) / n, with y the one-hot target.

        It is the product of the two chain rules (Goodfellow et al. 2016, §6.2.2.3: the log undoes the exp). It is right
        even if a probability is rounded to 0, where the two factors would be 0 · ∞.
        """
        rows, right = _rows_and_right(probabilities, target)
        share = gradient / self.count(target)
        of_rows = rows * share
        of_rows[right] = (rows[right] - 1) * share
        return self._counted(of_rows, target).reshape(probabilities.shape)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        probabilities, target = parents[:2]
        if target.value[cell[:-1]] != cell[-1] or cell[-1] == self.pad:
            return Constant(0, "0")
        count = self.count(target.value)
        n = Constant(count, str(count))
        return step("divide", Constant(-1, "−1"), step("multiply", n, probabilities[cell]))

    def formula(self, *symbols: str) -> str:
        sum_over = "i" if self.pad < 0 else r"i : {%s}_i \neq pad" % symbols[1]
        return r"- \frac{1}{n} \sum_{%s} \log {%s}_{i, {%s}_i}" % (sum_over, *symbols[:2])

    def code(self, *names: str) -> str:
        right = f"np.take_along_axis({{}}, {names[1]}[..., None], axis=-1)[..., 0]"
        logs = f"np.log({right.format(names[0])})"
        if len(names) > 2:
            z, tiny = names[2], "(tiny := np.finfo(p.dtype).tiny)"
            apart = f"(z := {z} - {z}.max(-1, keepdims=True))"
            of_scores = f"{right.format(apart)} - np.log(np.exp(z).sum(-1))"
            lost = f"((p := {right.format(names[0])}) < {tiny}) & ((logs := {of_scores}) < np.log(tiny))"
            logs = f"np.where({lost}, logs, np.log(p))"
        if self.pad < 0:
            return f"np.asarray(0 - {logs}.mean())"
        counted = f"{names[1]} != {self.pad}"
        return f"np.asarray(0 - {logs}.sum(where={counted}) / max(int(np.count_nonzero({counted})), 1))"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        probabilities, target = parents[:2]
        logs = []
        for i in np.ndindex(target.shape):
            right = f"INDEX({probabilities[(*i, slice(None))]},{target[i]}+1)"
            logs.append(_log(right, target[i], self.pad))
        total, n, every = f"-({'+'.join(logs)})", prod(target.shape), target[(slice(None),) * target.ndim]
        return f"{total}/{n}" if self.pad < 0 else f"{total}/MAX(1,{n}-COUNTIF({every},{self.pad}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target, *scores = parents
        values = self.logs(*(parent.value for parent in parents))
        logs = []
        for i in np.ndindex(target.value.shape):
            if target.value[i] == self.pad:
                continue
            picked = step("pick", target[i], probabilities[(*i, int(target.value[i]))])
            log = step("log", picked)
            if scores and values[i] != log.value and not np.isnan(values[i]):
                row = scores[0][(*i, slice(None))]
                top = step("max", row, label="largest in the row")
                own = step("subtract", step("pick", target[i], scores[0][(*i, int(target.value[i]))]), top)
                powers = step("exp", step("subtract", row, top), label="e to the power of the difference")
                label = "log of a share too small for its digits, from the scores"
                log = step("subtract", own, step("log", step("sum", powers, label="sum over the row")), label=label)
            logs.append(log)
        if not logs:
            return step("value", Constant(0.0, "0"), label="every position is <pad>")
        if len(logs) == 1:
            return step("negate", replace(logs[0], label=logs[0].label or "log of the share"), label="minus the log")
        return step("negate", step("mean_of", *logs, label="mean of the logs"), label="cross-entropy")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        for base in (10, 2):
            sentence = f"with the logarithm to base {base}, not the natural one"
            yield Slip(f"log base {base}", sentence, Then(self, "divide", float(np.log(base)), f"ln {base}"))
        if prod(around.shapes[1]) > 1:
            yield Slip("not averaged", "if the sum is not divided by n", NotAveraged(self.pad))
            return
        yield Slip("no log", "if one takes the probability itself, without the logarithm", Unlogged(self.pad))
        yield Slip("from one", "if the probability is subtracted from 1", FromOne(self.pad))
        yield Slip("likeliest word", "with the word that is most probable, not with the right one", Likeliest(self.pad))


class Unlogged(CrossEntropy):
    """The probability of the one right word itself: a slip."""

    def forward(self, *parents: Array) -> Array:
        rows, right = _rows_and_right(*parents[:2])
        return np.asarray(rows[right][0])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target = parents[:2]
        at = next(iter(np.ndindex(target.value.shape)))
        return step("pick", target[at], probabilities[(*at, int(target.value[at]))])


class FromOne(Unlogged):
    """1 minus the probability of the one right word: a slip."""

    def forward(self, *parents: Array) -> Array:
        return np.asarray(1 - super().forward(*parents))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("subtract", Constant(1.0, "1"), super().explain(cell, *parents))


class Likeliest(CrossEntropy):
    """The loss that it would be if the most probable word were the right one: a slip."""

    def forward(self, *parents: Array) -> Array:
        probabilities, _, *scores = parents
        return super().forward(probabilities, probabilities.argmax(-1), *scores)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target, *scores = parents
        return super().explain(cell, probabilities, Source(target.name, probabilities.value.argmax(-1)), *scores)


class NotAveraged(CrossEntropy):
    """The cross-entropy times the number of counted positions, which is their sum: a slip."""

    def forward(self, *parents: Array) -> Array:
        return np.asarray(super().forward(*parents) * self.count(parents[1]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        n = self.count(parents[1].value)
        return step("multiply", super().explain(cell, *parents), Constant(float(n), str(n)))


class WithBalance(CrossEntropy):
    """The cross-entropy plus the weighted balances of the experts, the cost of uneven use (Fedus et al. 2022).

    The last `layers` parents are the balances of the layers with experts, one number each; those before them are the
    parents of `CrossEntropy`. The result is L + weight · Σ L_b.
    """

    weight: float = 0.01
    layers: int = 1

    @property
    def balances(self) -> int:
        return self.layers

    def forward(self, *parents: Array) -> Array:
        own, balances = parents[: -self.layers], parents[-self.layers :]
        loss = super().forward(*own)
        return np.asarray(loss + loss.dtype.type(self.weight) * sum(balances[1:], balances[0]))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        each = np.asarray(gradient * gradient.dtype.type(self.weight))
        return *super().backward(gradient, value, *parents[: -self.layers]), *(each for _ in range(self.layers))

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        if parent >= len(parents) - self.layers:
            return Constant(self.weight, f"{self.weight:g}")
        return super().derivative(parent, cell, at, value, *parents[: -self.layers])

    def formula(self, *symbols: str) -> str:
        own, balances = symbols[: -self.layers], symbols[-self.layers :]
        together = balances[0] if self.layers == 1 else f"({' + '.join(balances)})"
        return f"{super().formula(*own)} + {self.weight:g} \\cdot {together}"

    def code(self, *names: str) -> str:
        own, balances = names[: -self.layers], names[-self.layers :]
        together = " + ".join(balances)
        return f"np.asarray((loss := {super().code(*own)}) + loss.dtype.type({self.weight!r}) * ({together}))"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        balances = "+".join(one[()] for one in parents[-self.layers :])
        return f"{super().sheet(cell, *parents[: -self.layers])}+{self.weight!r}*({balances})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        own, balances = parents[: -self.layers], parents[-self.layers :]
        weight = Constant(self.weight, f"{self.weight:g}")
        each = [step("multiply", weight, one[()], label="balance") for one in balances]
        return step("sum_of", super().explain(cell, *own), *each, label="cross-entropy and balance")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        alone = Fewer(CrossEntropy(self.pad), self.layers)
        yield Slip("without balance", "without the balance of the experts", alone)


def _log(right: str, target: str, pad: int) -> str:
    """The log of a probability in a spreadsheet; 0 if its position is not counted."""
    return f"LN({right})" if pad < 0 else f"IF({target}={pad},0,LN({right}))"


def _rows_and_right(probabilities: Array, target: Array) -> tuple[Array, tuple[Array, Array]]:
    """The positions of all sentences as rows of one matrix, and the index of the right words in it."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    return rows, (np.arange(len(rows)), target.ravel())


class Likelihood(Op):
    """The probability that each position gives to the right word: (n, n_words) and (n,) make (n,)."""

    subscripts = "ik,i->i"
    alters = True
    latex = r"{%s}_{i, {%s}_i}"
    expression = "np.take_along_axis({0}, {1}[..., None], axis=-1)[..., 0]"
    picked = 1

    def forward(self, *parents: Array) -> Array:
        probabilities, target = parents
        return np.take_along_axis(probabilities, target[..., None], axis=-1)[..., 0]

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        probabilities, target = parents
        of_probabilities = np.zeros_like(probabilities)
        np.put_along_axis(of_probabilities, target[..., None], gradient[..., None], axis=-1)
        return of_probabilities, None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return step("equal", parents[1][at], Constant(cell[-1], f"word {cell[-1]}"))

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        probabilities, target = parents
        return f"INDEX({probabilities[(*cell, slice(None))]},{target[cell]}+1)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        probabilities, target = parents
        right = target[cell]
        return step("pick", right, probabilities[(*cell, int(right.value))])


class LogLikelihood(Op):
    """L₁: the sum of the logs of the probabilities of the right words (Radford et al. 2018, equation 1).

    At best it is 0; −L₁ / n is the cross-entropy. Its parents are these probabilities and, if some positions are not
    counted, the numbers of the right words.
    """

    # Number of ``<pad>``: positions with this target are not counted. -1 if the vocabulary has none.
    pad: int = -1

    def forward(self, *parents: Array) -> Array:
        return np.asarray(np.log(parents[0]).sum(where=self._counted(*parents)))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        of_right = np.where(self._counted(*parents), gradient / parents[0], 0)
        return of_right, *(None for _ in parents[1:])

    def _counted(self, right: Array, *target: Array) -> Array | bool:
        """The counted positions."""
        return target[0] != self.pad if target else True

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        right, *target = parents
        if target and target[0].value[cell] == self.pad:
            return Constant(0, "0")
        return step("divide", Constant(1, "1"), right[cell])

    def formula(self, *symbols: str) -> str:
        right, *target = symbols
        sum_over = r"i : {%s}_i \neq pad" % target[0] if target else "i"
        return r"\sum_{%s} \log {%s}_i" % (sum_over, right)

    def code(self, *names: str) -> str:
        right, *target = names
        return f"np.asarray(np.log({right}).sum({f'where={target[0]} != {self.pad}' if target else ''}))"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        right, target = parents[0], parents[-1]
        return "+".join(_log(right[i], target[i], self.pad) for i in np.ndindex(right.shape))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        right, *target = parents
        counted = [i for i in np.ndindex(right.value.shape) if not target or target[0].value[i] != self.pad]
        if not counted:
            return step("value", Constant(0.0, "0"), label="every position is <pad>")
        return step("sum_of", *(step("log", right[i]) for i in counted), label="sum of the logs")


class MeanSquaredError(Op):
    """Mean over all numbers of the squared difference to the target (Goodfellow et al. 2016, equation 5.4).

    Parents are the output and the target, of the same shape.
    """

    latex = r"\frac{1}{n} \sum (%s - %s)^2"
    expression = "np.asarray(((d := {0} - {1}) * d).mean())"

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

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        lead, whole = parents[0].shape[:-2], (slice(None),) * min(parents[0].ndim, 2)
        sums = ("SUMXMY2({},{})".format(*(p[(*one, *whole)] for p in parents)) for one in np.ndindex(lead))
        return f"({'+'.join(sums)})/{prod(parents[0].shape)}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        output, target = parents
        squares = [step("square", step("subtract", output[i], target[i])) for i in np.ndindex(output.value.shape)]
        return step("mean_of", *squares, label="mean of the squares")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        n = float(np.prod(around.shapes[0]))
        if n > 1:
            yield Slip("not averaged", "if the sum is not divided by n", Then(self, "multiply", n, f"{n:g}"))
        yield Slip("root", "if the root is taken in the end", Then(self, "sqrt"))
        yield Slip("half", "if it is halved, as some do", Then(self, "divide", 2.0, "2"))
