"""The position of a token in its sequence: added to its vector, turned into it, or added to the scores by distance."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import ceil, floor, log, pi
from typing import Any

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Op, Slip, Surroundings, added, passed


class Sinusoidal(Op):
    """Position encoding: sines in the even dimensions, cosines in the odd ones (Vaswani et al. 2017, §3.5)."""

    # `n`, `d`: number of positions and of dimensions.
    n: int
    d: int
    # The exponent of 10000 in dimension j: "paper" 2⌊j/2⌋/d; "004" 2j/d, which fits the numbers printed in The Math
    # Behind GPT Models; "004-script" 2⌊j/2⌋ + (j mod 2)/2, as in the formulas and the script there. In "sines first"
    # the sines are the first half of the dimensions and the cosines the second, as in Marian (2018).
    exponents: str = "paper"
    dtype: str = "float64"
    subscripts = "->ij"
    signed = True

    def forward(self, *parents: Array) -> Array:
        return np.asarray(waves(np.arange(self.n), self.d, self.exponents), dtype=self.dtype)

    def _exponent(self) -> str:
        j = f"np.arange({self.d})"
        return {
            "paper": f"2 * ({j} // 2) / {self.d}",
            "004": f"2 * {j} / {self.d}",
            "004-script": f"2 * ({j} // 2) + {j} % 2 / 2",
            "sines first": f"2 * ({j} % {(self.d + 1) // 2}) / {self.d}",
        }[self.exponents]

    def formula(self, *symbols: str) -> str:
        power = {
            "paper": r"2i/d_{model}",
            "004": r"2j/d_{model}",
            "004-script": r"2i + (j \bmod 2)/2",
            "sines first": r"2i/d_{model}",
        }[self.exponents]
        return r"\sin ( pos / 10000^{%s} ) , \; \cos ( \cdot )" % power  # as the paper writes it

    def code(self, *names: str) -> str:
        angle = f"np.arange({self.n})[:, None] / 10000 ** ({self._exponent()})"
        j = f"np.arange({self.d})"
        sine = f"{j} < {(self.d + 1) // 2}" if self.exponents == "sines first" else f"{j} % 2 == 0"
        return f"np.where({sine}, np.sin(a := {angle}), np.cos(a)).astype('{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        position, j = cell[-2:]
        pair = 2 * (j // 2)
        power = {
            "paper": f"{pair}/{self.d}",
            "004": f"{2 * j}/{self.d}",
            "004-script": f"{pair}+{j % 2}/2",
            "sines first": f"{2 * (j % ((self.d + 1) // 2))}/{self.d}",
        }[self.exponents]
        return f"{'COS' if cosines(self.d, self.exponents)[j] else 'SIN'}({position}/10000^({power}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        position, j = cell[-2:]
        exponent = float(exponents(self.d, self.exponents)[j])
        divisor = step("power", Constant(10000.0, "10000"), Constant(exponent, f"{exponent:g}"), label="divisor")
        angle = step("divide", Constant(float(position), f"position {position}"), divisor, label="angle")
        return step("cos" if cosines(self.d, self.exponents)[j] else "sin", angle)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        for kind, said in (("paper", "2⌊j/2⌋/d, as in the paper"), ("004", "2j/d")):
            if kind != self.exponents:
                yield Slip("other exponents", f"with the exponents {said}", replace(self, exponents=kind))


class Rotary(Op):
    """Queries or keys with each pair of dimensions rotated by an angle that grows with the position (Su et al. 2021).

    Position m rotates pair i, counted from 0, by the angle m / 10000^(2i/d) (equations 15 and 34). So the dot product
    of a rotated query and a rotated key depends on their positions only through the distance. With an odd number of
    dimensions the last one has no partner and is not rotated.
    """

    d: int  # number of dimensions
    # Which dimensions form a pair: neighbours, 2i and 2i + 1 (the paper), or i and i + half of them (GPT-NeoX, Llama on
    # the Hub). The two differ only in the order of the dimensions.
    halves: bool = False
    # How many dimensions, the first ones, are rotated; 0: all. An odd number is rounded up to an even one (GPT-NeoX).
    width: int = 0
    base: float = 10000.0  # replaces 10000
    # How angles shrink so that a text can be longer than those in training (`room` words). "none"; "linear": all by
    # `factor` (Chen et al. 2023); "dynamic": by a larger base for a longer text (NTK, as in transformers); "llama 3":
    # by `factor` if a turn takes more than room / `low` words, not at all if it takes less than room / `high`,
    # gradually in between (Grattafiori et al. 2024); "yarn": the same two ends, but gradual by the number of the pair,
    # and rotated vectors are longer by `stretch` (Peng et al. 2024).
    scaling: str = "none"
    factor: float = 1.0
    room: int = 0
    low: float = 1.0
    high: float = 4.0
    stretch: float = 1.0
    rounded: bool = True  # whether the two ends of "yarn" are rounded to whole pairs

    @property
    def turned(self) -> int:
        """How many dimensions are rotated."""
        return min((self.width + 1) // 2 * 2 or self.d, self.d // 2 * 2)

    def partner(self, j: int) -> int:
        """The other dimension of a rotated dimension's pair."""
        half = self.turned // 2
        return (j + half) % self.turned if self.halves else j ^ 1

    def _is_second(self, j: int) -> bool:
        return j >= self.turned // 2 if self.halves else j % 2 == 1

    def _pair(self, j: int) -> int:
        return j % (self.turned // 2) if self.halves else j // 2

    def _pairs(self, x: Array) -> tuple[Array, Array]:
        """The first and the second numbers of all pairs, (…, n, turned / 2)."""
        if self.halves:
            half = self.turned // 2
            return x[..., :half], x[..., half : self.turned]
        return x[..., 0 : self.turned : 2], x[..., 1 : self.turned : 2]

    def forward(self, *parents: Array) -> Array:
        return self.from_position(parents[0], 0)

    def from_position(self, x: Array, first: int) -> Array:
        """The same for rows that begin at position `first`, not 0: those after the rows in a cache."""
        cos, sin = _cos_sin(self, first, first + x.shape[-2], x.dtype)
        one, other = self._pairs(x)
        return self._joined(one * cos - other * sin, other * cos + one * sin, x)

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self.from_position(parents[0], at.start)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Rotated back: the transpose of a rotation is its inverse.
        (x,), (one, other) = parents, self._pairs(gradient)
        cos, sin = (np.broadcast_to(slope, one.shape) for slope in _cos_sin(self, 0, x.shape[-2], x.dtype))
        of_one = passed(one, cos) + passed(other, sin)
        of_other = passed(other, cos) + passed(one, -sin)
        return (self._joined(of_one, of_other, gradient),)

    def divisors(self, n: int) -> Array:
        """The divisor of a position that gives the angle of each pair, in a text of n words: (turned / 2,)."""
        base, width = self.base, self.width or self.d
        if self.scaling == "dynamic" and n > self.room > 0 and width > 2:
            base *= (self.factor * n / self.room - (self.factor - 1)) ** (width / (width - 2))
        divisors = np.asarray(base ** (np.arange(0, self.turned, 2) / width))
        if self.scaling == "linear":
            return divisors * self.factor
        if self.scaling == "llama 3":
            turns = self.room / (2 * np.pi * divisors)  # in the room of training
            share = np.clip((turns - self.low) / self._between, 0, 1)
            return np.asarray(1 / ((1 - share) / divisors / self.factor + share / divisors))
        if self.scaling == "yarn":
            first, last = self._ends
            share = np.clip((np.arange(self.turned // 2) - first) / (last - first), 0, 1)
            return np.asarray(1 / ((1 - share) / divisors + share / divisors / self.factor))
        return divisors

    @property
    def _ends(self) -> tuple[float, float]:
        """The pairs between which the shrinking of "yarn" grows from none to full."""
        width, per_turn = self.width or self.d, 2 * log(max(self.base, 1 + 1e-9))
        most, least = max(self.high, 1e-9), max(self.low, 1e-9)
        first, last = (width * log(max(self.room, 1) / (turns * 2 * pi)) / per_turn for turns in (most, least))
        if self.rounded:
            first, last = floor(first), ceil(last)
        first, last = max(first, 0), min(last, width - 1)
        return first, last + 0.001 if first == last else last

    @property
    def _between(self) -> float:
        """The number of turns between those that shrink fully and those that do not."""
        return max(self.high - self.low, 1e-9)

    def _joined(self, one: Array, other: Array, x: Array) -> Array:
        pairs: Array
        if self.halves:
            pairs = np.concatenate([one, other], axis=-1)
        else:
            pairs = np.stack([one, other], axis=-1).reshape(*x.shape[:-1], self.turned)
        return pairs if self.turned == x.shape[-1] else np.concatenate([pairs, x[..., self.turned :]], axis=-1)

    def formula(self, *symbols: str) -> str:
        base = f"{self.base:.0f}"
        d = str(self.width) if self.width else "d"
        shrunk = {"linear": rf" / {self.factor:g}", "none": ""}.get(self.scaling, r" \cdot s_i")
        return rf"R_m \, {{{symbols[0]}}}_m , \; \theta = m / {base}^{{2i/{d}}}{shrunk}"

    def code(self, *names: str) -> str:
        (x,) = names
        half, stop = self.turned // 2, self.turned
        divisors = f"{self.base!r} ** (np.arange(0, {stop}, 2) / {self.width or self.d})"
        if self.scaling == "linear":
            divisors = f"({divisors} * {self.factor!r})"
        elif self.scaling == "llama 3":
            turns = f"{self.room} / (2 * np.pi * (p := {divisors}))"
            share = f"(share := np.clip(({turns} - {self.low!r}) / {self._between!r}, 0, 1))"
            divisors = f"(1 / ((1 - {share}) / p / {self.factor!r} + share / p))"
        elif self.scaling == "yarn":
            first, last = self._ends
            share = f"(share := np.clip((np.arange({half}) - {first!r}) / {last - first!r}, 0, 1))"
            divisors = f"(1 / ((1 - {share}) / (p := {divisors}) + share / p / {self.factor!r}))"
        elif self.scaling == "dynamic" and self.room and (self.width or self.d) > 2:
            width = self.width or self.d
            grown = (
                f"({self.factor!r} * {x}.shape[-2] / {self.room} - ({self.factor!r} - 1)) ** ({width} / ({width} - 2))"
            )
            grown = f"({grown} if {x}.shape[-2] > {self.room} else 1)"
            divisors = f"({self.base!r} * {grown}) ** (np.arange(0, {stop}, 2) / {width})"
        angles = f"np.arange({x}.shape[-2])[:, None] / {divisors}"
        longer = f" * {self.stretch!r}" if self.stretch != 1 else ""
        cos = f"cos := (np.cos(angles := {angles}){longer}).astype({x}.dtype)"
        sin = f"sin := (np.sin(angles){longer}).astype({x}.dtype)"
        if self.halves:
            one, other = f"one := {x}[..., :{half}]", f"other := {x}[..., {half}:{stop}]"
        else:
            one, other = f"one := {x}[..., 0:{stop}:2]", f"other := {x}[..., 1:{stop}:2]"
        turned = f"[({one}) * ({cos}) - ({other}) * ({sin}), other * cos + one * sin]"
        if self.halves:
            pairs = f"np.concatenate({turned}, axis=-1)"
        else:
            pairs = f"np.stack({turned}, axis=-1).reshape(*{x}.shape[:-1], {stop})"
        return f"np.concatenate([{pairs}, {x}[..., {stop}:]], axis=-1)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (x,) = parents
        *lead, position, j = cell
        if j >= self.turned:
            return x[cell]
        if self.scaling == "none":
            divisor = f"{self.base:.17g}^({2 * self._pair(j)}/{self.width or self.d})"
        else:
            divisor = f"{self.divisors(x.shape[-2])[self._pair(j)]:.17g}"
        angle = f"({position}/{divisor})"
        sign = "+" if self._is_second(j) else "-"
        turned = f"{x[cell]}*COS{angle}{sign}{x[(*lead, position, self.partner(j))]}*SIN{angle}"
        return f"({turned})*{self.stretch:.17g}" if self.stretch != 1 else turned

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (x,) = parents
        *lead, position, j = cell
        if j >= self.turned:
            return step("value", x[cell], label="not turned" if self.width else "without a partner it is not turned")
        cos, sin = self._turn(x, position, j)
        other = self.partner(j)
        own = step("multiply", x[cell], cos, label=f"dimension {j + 1} × cos")
        partner = step("multiply", x[(*lead, position, other)], sin, label=f"dimension {other + 1} × sin")
        return step("add" if self._is_second(j) else "subtract", own, partner)

    def _turn(self, x: Source, position: int, j: int) -> tuple[Step, Step]:
        """Cosine and sine of the angle by which a position rotates a dimension."""
        pair, n = self._pair(j), x.value.shape[-2]
        exponent = float(np.arange(0, self.turned, 2)[pair] / (self.width or self.d))
        base = Constant(self.base, f"{self.base:g}")
        divisor: Argument = step("power", base, Constant(exponent, f"{exponent:g}"), label="divisor")
        larger = float(self.divisors(n)[pair])
        if larger != divisor.value:
            factor = larger / float(divisor.value)
            divisor = step("multiply", divisor, Constant(factor, f"{factor:.6g}"), label="divisor, made larger")
        angle = step("divide", Constant(float(position), f"position {position}"), divisor, label="angle")
        cos, sin = step("cos", angle, label="cos"), step("sin", angle, label="sin")
        if self.stretch != 1:
            longer = Constant(self.stretch, f"{self.stretch:.6g}")
            cos, sin = (step("multiply", one, longer, label=f"{one.label}, longer") for one in (cos, sin))
        return _as(x.value, cos), _as(x.value, sin)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        position, j = cell[-2:]
        if j >= self.turned:
            return added(at, value)
        cos, sin = self._turn(parents[0], position, j)
        of_pair = (step("negate", sin), cos) if self._is_second(j) else (cos, sin)
        return step("row", *of_pair) if isinstance(at[-1], slice) else of_pair[self._is_second(at[-1])]

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        *lead, j = cell
        if j >= self.turned:
            return cell
        first, second = sorted((j, self.partner(j)))
        return (*lead, slice(first, second + 1, second - first))


@lru_cache(8)  # queries and keys of all layers share the angles
def _cos_sin(op: Rotary, first: int, last: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Cosines and sines of the angles of the positions from `first` to before `last`, (n, turned / 2)."""
    angles = np.arange(first, last)[:, None] / op.divisors(last)
    cos, sin = ((wave(angles) * op.stretch).astype(dtype) for wave in (np.cos, np.sin))
    cos.flags.writeable = sin.flags.writeable = False
    return cos, sin


def _as(array: Array, one: Step) -> Step:
    """The step with its value in the array's number type."""
    return Step(one.function, one.arguments, array.dtype.type(one.value), one.label)


def exponents(d: int, kind: str) -> Array:
    """The exponents of 10000 in the d dimensions; see `Sinusoidal`."""
    j = np.arange(d)
    match kind:
        case "paper":
            return 2 * (j // 2) / d
        case "004":
            return 2 * j / d
        case "sines first":
            return 2 * (j % ((d + 1) // 2)) / d
        case _:
            return 2 * (j // 2) + j % 2 / 2


def cosines(d: int, kind: str) -> Array:
    """Which dimensions are cosines, (d,); see `Sinusoidal`."""
    j = np.arange(d)
    return np.asarray(j >= (d + 1) // 2 if kind == "sines first" else j % 2 == 1)


def waves(positions: Array, d: int, kind: str) -> Array:
    """The sines and cosines at any positions, (n,), also between those of words, (n, d); see `Sinusoidal`."""
    angle = positions[:, None] / 10000 ** exponents(d, kind)
    return np.where(cosines(d, kind), np.cos(angle), np.sin(angle))


def slopes(n_heads: int) -> Array:
    """The slope of each head of ALiBi, (n_heads,): 2^(−8/n), 2^(−16/n), … for n heads, n a power of two.

    For another number of heads: the slopes for the next smaller power of two, then every other slope for the next
    larger power (Press et al. 2022, §3 and their code).
    """
    power = 2 ** int(np.log2(n_heads))
    first = 2.0 ** (-8 / power * np.arange(1, power + 1))
    between = 2.0 ** (-4 / power * np.arange(1, 2 * (n_heads - power), 2))
    return np.concatenate([first, between])


class ALiBi(Op):
    """Minus slope × distance for each head, added to the scores (Press et al. 2022, equation in §3).

    A query at place i loses slope · |i − j| for the key at place j: distant keys count less, with a different slope in
    each head. Nothing is learned. The result is (n_heads, n_queries, n_keys).
    """

    n_heads: int
    n: int  # number of tokens
    dtype: str = "float64"
    subscripts = "->hij"
    signed = True

    def forward(self, *parents: Array) -> Array:
        distance = np.abs(np.arange(self.n)[:, None] - np.arange(self.n))
        return np.asarray(-slopes(self.n_heads)[:, None, None] * distance, dtype=self.dtype)

    def formula(self, *symbols: str) -> str:
        return r"- m_h \, | i - j |"

    def code(self, *names: str) -> str:
        each = f"np.array({slopes(self.n_heads).tolist()!r})"
        distance = f"np.abs(np.arange({self.n})[:, None] - np.arange({self.n}))"
        return f"np.asarray(-{each}[:, None, None] * {distance}, dtype='{self.dtype}')"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        head, i, j = cell[-3:]
        slope = float(slopes(self.n_heads)[head])
        distance = Constant(float(abs(i - j)), f"distance {abs(i - j)}")
        return step("negate", step("multiply", Constant(slope, f"{slope:g}"), distance, label="slope × distance"))


def bucket(distance: int, buckets: int, most: int, both: bool) -> int:
    """The bucket of a distance, key minus query, as T5 counts them (Raffel et al. 2020, §2.1 and their code).

    Half of the buckets hold one distance each, the others intervals that grow by powers up to `most`; larger ones share
    the last bucket. With `both`, half of all buckets are for keys after the query; without, these share bucket 0.
    """
    first = 0
    if both:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    if not 0 < exact < most:  # no interval grows by a power then
        return first + buckets - 1
    grown = exact + int(np.log(distance / exact) / np.log(most / exact) * (buckets - exact))
    return first + min(grown, buckets - 1)


class RelativeBias(Op):
    """A learned number for each head and each bucket of distances, added to the scores (Raffel et al. 2020).

    The parent is the table, (n_buckets, n_heads); the result is (n_heads, n_queries, n_keys).
    """

    # `n_queries`, `n_keys`: numbers of tokens.
    n_queries: int
    n_keys: int
    buckets: int
    most: int  # the distance from which on all distances share a bucket
    both: bool  # whether keys after the query have buckets of their own
    subscripts = "kh->hij"
    alters = True
    signed = True

    def _buckets(self) -> Array:
        """The bucket of each pair, (n_queries, n_keys)."""
        known = {d: bucket(d, self.buckets, self.most, self.both) for d in range(-self.n_queries, self.n_keys)}
        return np.array([[known[j - i] for j in range(self.n_keys)] for i in range(self.n_queries)], dtype=np.int64)

    def forward(self, *parents: Array) -> Array:
        return parents[0][self._buckets()].transpose(2, 0, 1).copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        of_table = np.zeros_like(parents[0])
        np.add.at(of_table, self._buckets(), gradient.transpose(1, 2, 0))
        return (of_table,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        same = (self._buckets() == cell[-2]).astype(np.int64)[at[-2:]]
        return Constant(same, "" if np.ndim(same) else str(same))

    def formula(self, *symbols: str) -> str:
        return r"{%s}_{b(j - i), h}" % symbols[0]

    def code(self, *names: str) -> str:
        which = self._buckets().tolist()
        return f"{names[0]}[np.array({which!r})].transpose(2, 0, 1).copy()"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        head, i, j = cell[-3:]
        which = bucket(j - i, self.buckets, self.most, self.both)
        return step("value", parents[0][which, head], label=f"distance {j - i}: bucket {which}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        # Pairs of one bucket do not form a rectangle; for several pairs the index takes in all cells.
        pairs = np.argwhere(self._buckets() == cell[-2])
        head = cell[-1]
        if len(pairs) == 1:
            return (head, *(int(i) for i in pairs[0]))
        return (head, slice(0, 0), slice(0, 0)) if not len(pairs) else (head, slice(None), slice(None))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if self.both:
            sentence = "if all buckets are for earlier words, as in a decoder"
            yield Slip("one direction", sentence, replace(self, both=False))
