"""How numbers are written and read, and a summary of arrays too large to be seen whole.

A true minus sign, equal decimals, no 0.00 for a number other than 0. The rule: numbers of a matrix, or of a column of a
list, have the same decimals (`decimals_of`, `in_table`). A single number, in a sentence or beside a picture, has three
digits and no trailing 0 (`alone`). A number that changes while it is read, such as the loss of a training, keeps its
digits and so its width (`live`). A share too small for its decimals is written as less than the smallest one
(`as_share`, `percent`), and what is not all is never 100%.

Of a large array: its largest number, the number at which a colour is full, and the strongest number in each square.
"""

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import pairwise
from math import floor, inf, isfinite, isinf, isnan, log10
from typing import Any
from weakref import ref

import numpy as np

from explorer.core.cell import Array
from explorer.core.errors import ExplorerError, cut

SQUARES = 256
"""Squares across and down of a picture; in a larger matrix each shows the strongest of several cells."""
FINEST = 512
"""The same for the picture of a whole matrix: to colour each cell of GPT-2's table of words takes two seconds."""
NEARLY_ZERO = "≈ 0"
"""The text of a number that is not 0 but would be written as 0."""
VERY_LARGE = 10_000_000
"""Cells of a matrix from which on it is scanned before its picture is wanted."""
MANY, MOST, TIMES = 1000, 0.99, 2.0
"""Of so many numbers a colour is full at `TIMES` the size that `MOST` of them stay below, or at the largest.

With numbers of a normal distribution that is the largest of up to four million.
"""
_LOOKED_UP, _FEW_IN_SQUARE = 100_000, 32
_FOUND: dict[int, tuple[ref[Array], dict[Hashable, Any]]] = {}
"""Results for large arrays closed against writing, and for parts of them: a page asks several times, and scanning the
table of GPT-2 takes 20 ms."""


def largest_of(array: Array) -> float:
    """The absolute value of the largest finite number; 0 if there is none."""
    found, part = _looked_up(array)
    if part not in found:
        high, low = (float(array.max()), float(array.min())) if array.size else (0.0, 0.0)
        is_finite = isfinite(high) and isfinite(low)  # a NaN makes both of them NaN
        found[part] = max(high, -low) if is_finite else float(np.abs(array[np.isfinite(array)]).max(initial=0))
    largest: float = found[part]
    return largest


def full_of(array: Array, largest: float | None = None) -> float:
    """The absolute value from which on a colour is full; 0 if all numbers are 0.

    It is the largest, unless that stands alone: in large models a few numbers are hundreds of times as large as the
    others (Sun et al. 2024, "Massive activations"), and beside them all others would have the colour of 0.

    `largest`: the result of `largest_of`, if it is known.
    """
    largest = largest_of(array) if largest is None else largest
    if array.size < MANY:
        return largest
    found, part = _looked_up(array)
    key = part, "full"
    if key not in found:
        some = np.abs(array[:: max(array.size // _LOOKED_UP, 1)]).ravel()
        some = some[np.isfinite(some)]
        kth = int(MOST * len(some))
        found[key] = min(largest, TIMES * float(np.partition(some, kth)[kth])) if len(some) else 0.0
    return found[key] or largest


def _looked_up(array: Array) -> tuple[dict[Hashable, Any], Hashable]:
    """The cache of a large array, and the key of this part of it; an empty cache for a small or a writeable array."""
    owner = _owner(array)
    if array.size < _LOOKED_UP or owner.flags.writeable:
        return {}, None
    key = id(owner)
    kept, found = _FOUND.get(key, (None, {}))
    if kept is None or kept() is not owner:
        found, forget = {}, _FOUND.pop  # bound here, because the module's names go before the arrays at exit
        _FOUND[key] = ref(owner, lambda _: forget(key, None)), found
    return found, (array.__array_interface__["data"][0], array.shape, array.strides)


def _owner(array: Array) -> Array:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def strongest_in(array: Array, most: int, across: int = 0) -> Array:
    """A matrix of at most `most` rows and columns: of the cells that share a square, the one farthest from 0.

    `across`: at most so many columns, if that is another number.

    The longer side is reduced first. If the cells of a square lie far apart in memory, contiguous parts are reduced:
    `reduceat` takes ten times as long (0.4 s for the words of GPT-2). If they lie in one row, `reduceat` takes a third
    of the time for many cells; for few it takes twice as long as a loop over the cells' places in their squares.
    """
    across = across or most
    if abs(array.strides[0]) < abs(array.strides[1]):
        return strongest_in(array.T, across, most).T  # after the transposition each row is contiguous
    found, part = _looked_up(array)
    key = part, most, across
    if key not in found:
        found[key] = _strongest_in(array, (most, across))
    strongest: Array = found[key]
    return strongest


def _strongest_in(array: Array, squares: tuple[int, int]) -> Array:
    for axis in sorted((0, 1), key=lambda axis: -array.shape[axis]):
        n, most = array.shape[axis], squares[axis]
        if n <= most:
            continue
        if axis == 0 and array.size > _LOOKED_UP:
            parts = (array[slice(*two)] for two in pairwise(_starts(n, most)))
            high, low = map(np.stack, zip(*((one.max(0), one.min(0)) for one in parts), strict=True))
        elif n > _FEW_IN_SQUARE * most:
            starts = _starts(n, most)[:-1]
            high, low = np.maximum.reduceat(array, starts, axis), np.minimum.reduceat(array, starts, axis)
        else:
            first, *others = _in_each_square(n, most)
            high = low = array.take(first, axis)
            for places in others:
                one = array.take(places, axis)
                high, low = np.maximum(high, one), np.minimum(low, one)
        array = np.where(high >= -low, high, low)
    return array


def _starts(n: int, most: int) -> Array:
    """Where `most` equal parts of `n` places begin, and the end of the last."""
    return np.arange(most + 1) * n // most


@lru_cache(maxsize=32)
def _in_each_square(n: int, most: int) -> list[Array]:
    """The first place of each of `most` equal parts of `n` places, the second of each …; where there is none, the last.

    Kept, since a picture that is zoomed asks for the same places a hundred times: that took half of the time.
    """
    starts = _starts(n, most)
    return [np.minimum(starts[:-1] + k, starts[1:] - 1) for k in range(-(-n // most))]


def apart(now: Array, was: Array) -> Array:
    """`now` − `was`: 0 where both are the same, also where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(now == was, 0.0, now - was)


def farthest_apart(now: Array, was: Array, most: int) -> Array:
    """How far the numbers of a matrix are from their earlier values, in at most `most` rows and columns."""
    if abs(now.strides[0]) < abs(now.strides[1]):
        return farthest_apart(now.T, was.T, most).T
    if now.size < _LOOKED_UP or _owner(was).flags.writeable:
        return _farthest_apart(now, was, most)
    (found, part), (_, place) = _looked_up(now), _looked_up(was)
    key = part, most, "apart"
    if key in found and found[key][0]() is _owner(was) and found[key][1] == place:
        farthest: Array = found[key][2]
        return farthest
    farthest = _farthest_apart(now, was, most)
    found[key] = ref(_owner(was)), place, farthest
    return farthest


def _farthest_apart(now: Array, was: Array, most: int) -> Array:
    rows, columns = now.shape
    found = np.zeros((min(rows, most), min(columns, most)))
    ends = np.linspace(0, rows, len(found) + 1).astype(int).tolist()
    for i, (start, end) in enumerate(pairwise(ends)):
        if not np.array_equal(now[start:end], was[start:end]):
            change = np.abs(strongest_in(apart(now[start:end], was[start:end]), most))
            found[i] = np.fmax.reduce(change, axis=0)
    return found


def look_through(array: Array, was: Array | None = None) -> None:
    """Compute, on any thread, what the picture of a very large matrix needs, before somebody waits for it.

    For the words of Qwen 3 0.6B it takes 0.2 s.

    `was`: the matrix before an edit; the cells that differ flash in the picture.
    """
    if array.ndim != 2 or array.size < VERY_LARGE:
        return
    largest_of(array)
    strongest_in(array, SQUARES)
    strongest_in(array, FINEST)
    if was is not None and was.shape == array.shape:
        farthest_apart(array, was, SQUARES)


# How numbers are written and read

_SHOWN = 40
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(value: float, decimals: int, figures: int = 2) -> str:
    """A number with this many decimals; one that would be rounded to 0, or is too long to read, as a power of ten.

    The power of ten has `figures` digits before it at most.

    Examples
    --------
    >>> written(-0.5, 2), written(2.4e-8, 2), written(2.4e-8, 2, figures=1), written(0, 2)
    ('−0.50', '2.4×10⁻⁸', '2×10⁻⁸', '0.00')
    """
    if not isfinite(value):
        return "NaN" if isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(value)
    if size and (size < 0.5 * 10**-decimals or size == 0.5 * (not decimals) or size >= 1e6):
        mantissa, exponent = f"{value:.{figures - 1}e}".split("e")
        text = f"{mantissa.removesuffix('.0')}×10{f'{int(exponent)}'.translate(_RAISED)}"
    else:
        text = f"{value:.{decimals}f}" if size else f"{0:.{decimals}f}"
    return text.replace("-", "−")


def formatted(value: float, form: str) -> str:
    """A number as Python's `format` writes it, with a true minus sign, but without one if it is written as 0.

    Examples
    --------
    >>> formatted(-0.5, ".2f"), formatted(-0.001, ".2f"), formatted(-0.0, "g")
    ('−0.50', '0.00', '0')
    """
    text = format(value, form)
    text = text if text.strip("-0.") else text.removeprefix("-")
    return text.replace("-", "−").replace("inf", "∞").replace("nan", "NaN")


def quantity(count: int, noun: str) -> str:
    """A number of things with their noun, in the singular for one.

    Examples
    --------
    >>> quantity(1, "step"), quantity(2000, "step")
    ('1 step', '2,000 steps')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def point(*coordinates: float) -> str:
    """A point of the plane, with two decimals."""
    return f"({', '.join(formatted(one, '.2f') for one in coordinates)})"


def in_table(value: float, decimals: int) -> str:
    """A number of a table in which all numbers have this many decimals (`decimals_of`).

    A number too small for these decimals has one digit, so that the column does not become wider: with a point, as in
    0.05 or 0.0002, or as a power of ten if it needs more than four decimals.
    """
    if value and isfinite(value) and abs(value) < 10.0**-decimals:
        needed = significant(float(f"{value:.0e}"), 1)
        if decimals < needed <= (4 if abs(value) < 0.5 * 10.0**-decimals else 2):
            decimals = needed
    return written(value, decimals, 1 if abs(value) < 1 else 2)


def in_tables(values: Iterable[float], decimals: int) -> list[str]:
    """Numbers of a table, each as `in_table` writes it; only the very small and very large ones call it."""
    least = 10.0**-decimals
    return [
        f"{value or 0.0:.{decimals}f}".replace("-", "−")
        if not value or least <= abs(value) < 1e6
        else in_table(value, decimals)
        for value in values
    ]


def alone(value: float, figures: int = 3) -> str:
    """A number that stands by itself: this many digits, without trailing zeros.

    A number that needs more than five decimals is written as a power of ten.

    Examples
    --------
    >>> alone(1.0), alone(6.5669), alone(-0.25), alone(0.0002), alone(0.0000412), alone(1234.6), alone(1e6)
    ('1', '6.57', '−0.25', '0.0002', '4.12×10⁻⁵', '1235', '1×10⁶')
    """
    text = written(value, significant(value, figures), figures)
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    if "×" not in text and (abs(value) >= 1e-3 or len(plain.partition(".")[2]) <= 5):
        return plain
    return with_power(f"{value:.{figures - 1}e}")


def with_power(text: str) -> str:
    """A number in the way of programs as one reads it.

    Examples
    --------
    >>> with_power("-4.10e-05"), with_power("+1e+06"), with_power("0.5")
    ('−4.1×10⁻⁵', '+1×10⁶', '0.5')
    """
    mantissa, e, power = text.partition("e")
    if e and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa.replace("-", "−") + (f"×10{f'{int(power)}'.translate(_RAISED)}" if e else "")


def live(value: float, figures: int = 5) -> str:
    """A number that changes while it is read: always this many digits, trailing zeros too, so that it keeps its width.

    Examples
    --------
    >>> live(6.5), live(0.0636, 4)
    ('6.5000', '0.06360')
    """
    return written(value, significant(value, figures))


def as_share(value: float, decimals: int) -> str:
    """A share of 1 with this many decimals; one that would be written as 0 is written as "less than".

    Examples
    --------
    >>> as_share(0.934, 2), as_share(0.0002, 2), as_share(0.0, 2)
    ('0.93', '< 0.01', '0.00')
    """
    if 0 < value < 0.5 * 10**-decimals:
        return f"< {10**-decimals:.{decimals}f}"
    return written(value, decimals)


def percent(share: float, decimals: int = 0) -> str:
    """A share of 1 in per cent; 0% is only nothing, and 100% is only all.

    Examples
    --------
    >>> percent(0.934), percent(0.999), percent(0.999, 1), percent(1.0), percent(0.001)
    ('93%', '> 99%', '99.9%', '100%', '< 1%')
    """
    value = 100 * share
    text, least = written(value, decimals), 10**-decimals
    if 0 < value and not float(f"{value:.{decimals}f}"):
        text = f"< {least:.{decimals}f}"
    elif value < 100 - _ROUNDING and float(f"{value:.{decimals}f}") == 100:
        text = f"> {100 - least:.{decimals}f}"
    return f"{text}%"


_ROUNDING = 1e-7
"""A sum of shares that lacks less than this of 100% lacks nothing: it was rounded."""


def exact(value: float) -> str:
    """All digits that identify the number, with a true minus sign; 0 has no sign."""
    value = value or abs(value)
    text = str(value.item() if isinstance(value, np.generic) else value).replace("-", "−")
    return text.replace("inf", "∞").replace("nan", "NaN")


def in_full(value: float) -> str:
    """The reliable digits of a number: 15 in float64, 6 in float32.

    Examples
    --------
    >>> exact(0.1 + 0.2), in_full(0.1 + 0.2)
    ('0.30000000000000004', '0.3')
    """
    if not isinstance(value, float | np.floating):
        return exact(value)
    return exact(float(f"{value:.{np.finfo(type(value)).precision}g}"))


def in_python(value: Any) -> str:
    """A number of an array with all digits that identify it, as numpy and Python read it."""
    if not np.isfinite(value):
        return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    # Python reads the shortest digits of a float32 as float64; rounding that again can give another float32.
    return str(value) if value.dtype.kind != "f" or value.dtype.type(float(str(value))) == value else repr(value.item())


def limit(number: float) -> str:
    """A limit, as a message says it: 0.000001, 0.9, 4,096 or 1,000,000."""
    return f"{number:,.9f}".rstrip("0").rstrip(".")


def between(least: float, most: float) -> str:
    """From one limit to another, as a message says it."""
    return f"from {limit(least)} to {limit(most)}"


_TYPED = str.maketrans({"−": "-", "–": "-", ",": ".", "∞": "inf"})
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_POWER = re.compile(r"\s*[×·*]\s*10(?:\^(-?\d+)|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))$")


def read_number(text: str) -> float:
    """The number that a person typed or pasted: with a true minus sign or a dash, a comma for the point, or as 4×10⁻⁵.

    Raises `ExplorerError`: "bad-number" or "number-too-large".
    """
    plain = text.strip().translate(_TYPED)
    plain = _POWER.sub(lambda power: f"e{power[1] or power[2].translate(_LOWERED)}", plain)
    try:
        value = None if "_" in plain else float(plain)  # float() takes "1_000" too
    except ValueError:
        value = None
    if value is None:
        raise ExplorerError("bad-number", text=cut(text.strip(), _SHOWN))
    if isinf(value) and "inf" not in plain.lower():
        raise ExplorerError("number-too-large", text=cut(text.strip(), _SHOWN))
    return value


def read_answer(text: str) -> float:
    """The number that a person answers with: as in `read_number`, or a fraction, or in per cent.

    Raises `ExplorerError`: "bad-number", also if it is infinite or NaN, or "number-too-large".

    Examples
    --------
    >>> read_answer("0,5"), read_answer("1/3"), read_answer("– 47 %")
    (0.5, 0.3333333333333333, -0.47)
    """
    plain = re.sub(r"\s*([-+/%])\s*", r"\1", re.sub("[−–]", "-", text))
    above, bar, below = plain.removesuffix("%").partition("/")
    divisor = read_number(below) if bar else 1.0
    value = read_number(above) / divisor / (100 if plain.endswith("%") else 1) if divisor else inf
    if not isfinite(value):
        raise ExplorerError("bad-number", text=cut(text.strip(), _SHOWN))
    return value


def decimals_of(array: Array, largest: float | None = None) -> int:
    """How many decimals show a matrix best: none for integers, otherwise one to three.

    `largest`: the result of `largest_of`, if it is known.
    """
    if array.dtype.kind in "iub":
        return 0
    largest = largest_of(array) if largest is None else largest
    if largest >= 1000:
        return 0 if largest >= 1e5 else 1
    # The first numbers mostly decide, because to read a matrix of millions takes milliseconds; the first may all be 0,
    # so a sample of the others decides, too.
    if all(map(_are_tenths, (array.flat[:100], array.ravel(order="K")[:: max(array.size // _LOOKED_AT, 1)]))):
        return 1
    return 3 if largest <= 1 else 2


_LOOKED_AT = 2**20
"""About how many numbers of a large matrix are sampled for its decimals."""


def places_of_largest(numbers: Array, n: int) -> Array:
    """The places of the n largest numbers of a row, the largest first; of equal ones the first.

    `np.partition` finds them first: to sort all numbers takes 5 ms for the words of GPT-2.
    """
    if n < len(numbers):
        least = np.partition(-numbers, n - 1)[n - 1]
        if not np.isnan(least):
            found = np.flatnonzero(-numbers <= least)
            return found[np.argsort(-numbers[found], kind="stable")[:n]]
    return np.argsort(-numbers, kind="stable")[:n]


class Ranked:
    """The places of a row of numbers, the largest first, sorted only as far as needed; of equal ones the first."""

    def __init__(self, numbers: Array) -> None:
        self._numbers, self._places = numbers, places_of_largest(numbers, _SOON)

    def __getitem__(self, rank: int) -> int:
        if rank >= len(self._places):
            self._places = places_of_largest(self._numbers, len(self._numbers))
        return int(self._places[rank])


_SOON = 256  # places that are found at once: a list on the screen shows fewer


def _are_tenths(array: Array) -> bool:
    """Whether all finite numbers have at most one decimal."""
    tenths = array * 10
    return bool(((tenths == np.rint(tenths)) | np.isnan(tenths)).all())


def significant(value: float, digits: int = 5) -> int:
    """How many decimals show this many digits of a number, at least 0 and at most 8."""
    if not value or not isfinite(value):
        return digits - 1
    return min(max(digits - 1 - floor(log10(abs(value))), 0), 8)
