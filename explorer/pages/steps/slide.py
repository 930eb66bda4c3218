"""Places for the parts of a slide, so that nothing scrolls and what the step names is as large as possible.

The parts are what the step names, its words, its question and a derivation; or, while a class votes, what it names and
the choices. Their needs are measured; a few arrangements are tried, and the one with the least cost is taken.
"""

from collections.abc import Callable, Iterator, Sequence
from math import log2
from typing import NamedTuple

from explorer.core.frozen import Frozen

WORDS = 0.385, 0.36, 0.33, 0.3, 0.42, 0.45, 0.5, 0.55
"""Shares of the width for the words beside what the step names, the preferred share first."""
NUMBERS = 0.5, 0.4, 0.6
"""Shares of the width for what the step names, if the derivation stands beside it."""
TERMS = 0, 9, 7, 5, 4, 3
"""The most terms of a sum that are written out; 0: all."""
SCROLLS, BEYOND, LEFT_OUT, TORN, HALF, FAINT = 400.0, 8.0, 7.0, 60.0, 100.0, 260.0
"""Costs: a part scrolls, or is cut; each pixel that is hidden then; each term left out; a short sum is not written out;
what the step names is half as large as it could be; it is half as large as the last row needs to read it."""
SHORT = 5
"""The most terms of a short sum, in which nobody expects that two are left out."""
UNUSUAL, MOVED = 30.0, 300.0
"""Costs: a part is not where it is on most slides; the words have not their preferred width."""
LEAST_SCALE = 0.05
"""The scale that is assumed for matrices that do not fit at any scale."""


class Place(NamedTuple):
    """A rectangle, in pixels."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


NONE = Place()


class Needs(Frozen):
    """What the parts of a slide need, in pixels. The functions are asked often, and should keep what they found."""

    # Heights of the words, and of the question, at a width; 0 if there is none.
    words: Callable[[int], int]
    asked: Callable[[int], int]
    way: Callable[[int, int], int]  # height of the derivation, given its width and the most terms of a sum
    longest: int  # number of terms of its longest sum; 0 if no derivation is shown
    scale: Callable[[int, int], float]  # the scale at which all that the step names fits into a width and height
    read: float = 1.0  # the scale at which the last row can read it
    least: float = 0.0  # the least scale: where it would have to be smaller, part of it is hidden


class Places(NamedTuple):
    """An arrangement: the places of the parts, the most terms of a sum, and the cost."""

    words: Place
    numbers: Place
    asked: Place
    way: Place
    terms: int
    cost: float  # until all is known, how unusual it is


class Slide(Frozen):
    """A slide of so many pixels, with `gap` pixels between two parts, and which parts it has."""

    width: int
    height: int
    gap: int
    needs: Needs
    words: bool  # without words there is no question, either
    numbers: bool
    way: bool

    def placed(self) -> Places:
        """The best places for its parts."""
        largest = self._scale(self.width, self.height) if self.numbers else 0.0
        some = [terms for terms in TERMS if not terms or (self.way and terms < self.needs.longest)]
        every = (one for terms in some for one in self._arrangements(terms))
        return min((one._replace(cost=self._cost(one, largest)) for one in every), key=lambda one: one.cost)

    def _scale(self, width: int, height: int) -> float:
        """The scale of what the step names in a place."""
        return max(self.needs.scale(width, max(height, 1)), LEAST_SCALE)

    def _cost(self, one: Places, largest: float) -> float:
        needs, cost = self.needs, one.cost
        if self.words:
            cost += _hidden(needs.words(one.words.width) - one.words.height)
            cost += _hidden(needs.asked(one.asked.width) - one.asked.height)
        if self.numbers:
            found = self._scale(one.numbers.width, one.numbers.height)
            cost += _of_size(found, largest, needs.read) + SCROLLS * (found < needs.least)
        if self.way:
            cost += _hidden(needs.way(one.way.width, one.terms) - one.way.height)
            # Beside the others a line says how many are left out: it takes the place of a term.
            if one.terms:
                cost += LEFT_OUT * (needs.longest - one.terms + 1) + TORN * (needs.longest <= SHORT)
        return cost

    def _arrangements(self, terms: int) -> Iterator[Places]:
        width, height, gap, needs = self.width, self.height, self.gap, self.needs
        if not self.words:
            for at, way, unusual in self._shown(Place(0, 0, width, height), terms):
                yield Places(NONE, at, NONE, way, terms, unusual)
            return
        high = min(needs.asked(width), height)
        middle = max(height - high - gap, 0) if high else height
        foot = Place(0, height - high, width, high)
        if not self.numbers and not self.way:
            yield Places(Place(0, 0, width, middle), NONE, foot, NONE, terms, 0)
            return
        for part in WORDS:
            left, moved = round(width * part), MOVED * abs(part - WORDS[0])
            beside = Place(left + gap, 0, width - left - gap, middle)
            for at, way, unusual in self._shown(beside, terms):
                yield Places(Place(0, 0, left, middle), at, foot, way, terms, moved + unusual)
            top = min(needs.words(left) + gap, middle)
            if self.way and self.numbers:
                below = Place(0, top, left, middle - top)
                yield Places(Place(0, 0, left, top - gap), beside, foot, below, terms, moved)
                strip = needs.way(width, terms)
                upper = max(middle - strip - gap, 0)
                above, below = (
                    beside._replace(height=upper),
                    Place(0, upper + gap, width, min(strip, middle - upper - gap)),
                )
                yield Places(Place(0, 0, left, upper), above, foot, below, terms, moved + UNUSUAL / 3)
            if high:  # the question below the words, for a long question
                asked = min(needs.asked(left), height)
                said, under = Place(0, 0, left, max(height - asked - gap, 0)), Place(0, height - asked, left, asked)
                for at, way, unusual in self._shown(beside._replace(height=height), terms):
                    yield Places(said, at, under, way, terms, moved + unusual + 3 * UNUSUAL)
        top = min(needs.words(width) + gap, middle)
        for at, way, unusual in self._shown(Place(0, top, width, middle - top), terms):
            yield Places(Place(0, 0, width, top - gap), at, foot, way, terms, 3 * UNUSUAL + unusual)

    def _shown(self, at: Place, terms: int) -> Iterator[tuple[Place, Place, float]]:
        """Places for what the step names, and for the derivation below it or beside it; and how unusual that is."""
        if not self.way or not self.numbers:
            yield (NONE, at, 0) if self.way else (at, NONE, 0)
            return
        rest = max(at.height - self.needs.way(at.width, terms) - self.gap, 0)
        below = at._replace(y=at.y + rest + self.gap, height=at.height - rest - self.gap)
        yield at._replace(height=rest), below, 1  # slightly worse than below the words, where it only takes free room
        for part in NUMBERS:
            across = round(at.width * part)
            beside = at._replace(x=at.x + across + self.gap, width=at.width - across - self.gap)
            yield at._replace(width=across), beside, UNUSUAL


def _hidden(pixels: int) -> float:
    """The cost of a part that needs this many pixels more than it has."""
    return SCROLLS + BEYOND * pixels if pixels > 0 else 0.0


def _of_size(scale: float, largest: float, read: float, half: float = HALF) -> float:
    """The cost of what the step names at a scale; `half`: that of half the largest scale."""
    return half * log2(largest / scale) + FAINT * max(log2(read / scale), 0)


# The choices of a poll

LETTERS = 1.7, 1.4, 1.15, 0.9
"""The factors by which letters of choices may be larger than on a slide, beside what the step names."""
SHARES = 0.36, 0.44, 0.52, 0.6
"""Shares of the width for the choices beside it."""
SMALLER, HALF_BESIDE, BELOW, ELSEWHERE = 100.0, 50.0, 20.0, 60.0
"""Costs: the letters of the choices are half as large as the largest; what the step names is half as large as it could
be; it stands below the choices; it does not stand where it stood while the class chose."""


class Vote(NamedTuple):
    """Where the choices stand, and what the step names."""

    times: float  # the factor by which letters of the choices are larger
    choices: Place
    named: Place
    below: bool  # whether it stands below the choices


def vote_placed(
    room: Place,
    gap: int,
    apart: int,
    high: Callable[[float, int], int],
    scale: Callable[[int, int], float],
    read: float,
    shares: Sequence[float],
    stood_below: bool | None,
) -> Vote | None:
    """The best places for the choices of a poll and for what the step names; None if the choices need all the room.

    `gap`, `apart`: pixels between the two below each other, and beside each other.
    `high`: the height of the choices with a factor of letters at a width; `scale`, `read`: as of `Needs`; `shares`: of
    the width, for the choices; `stood_below`: where it stood while the class chose, None if the class has not begun.
    """
    largest = max(scale(room.width, room.height), LEAST_SCALE)

    def cost(vote: Vote) -> float:
        # Computed sizes are not exact: what is just readable would be a little smaller.
        found = max(0.9 * scale(vote.named.width, vote.named.height), LEAST_SCALE)
        moved = BELOW * vote.below + ELSEWHERE * (stood_below is not vote.below)
        return _of_size(found, largest, read, HALF_BESIDE) + _of_letters(vote.times) + moved

    best: tuple[float, Vote] | None = None
    for times in LETTERS:
        if best is not None and best[0] <= _of_letters(times):
            break  # smaller letters only cost more
        for share in (*shares, 1.0):
            wide, below = round(room.width * share), share == 1.0
            x = room.x + wide + apart
            rest = room if below else room._replace(x=x, width=room.x + room.width - x)
            vote = Vote(times, room._replace(width=wide), rest, below)
            if best is not None and cost(vote) >= best[0]:
                continue  # measuring takes longest
            needed = high(times, wide)
            if below:
                y = room.y + needed + gap
                rest = room._replace(y=y, height=room.y + room.height - y)
            if needed > room.height or rest.height < gap:
                continue
            vote = Vote(times, room._replace(width=wide, height=needed), rest, below)
            if best is None or cost(vote) < best[0]:
                best = cost(vote), vote
    return None if best is None else best[1]


def _of_letters(times: float) -> float:
    """The cost of choices in letters so many times larger than on a slide."""
    return SMALLER * log2(LETTERS[0] / times)
