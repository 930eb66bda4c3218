"""Where the parts of a row stand, in plain numbers of pixels.

An equation is one line. Where it is too long its matrices shrink, and only then does it break: before its "=" or its
arrow, so that the new line begins with the sign. In large text or a narrow window not even that may be enough, with
small pictures for the numbers: then numbers stay and a sum breaks before its "+", and last a product before its "×".
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

RELATIONS = frozenset("=→")
"""Signs that a line may begin with."""
SUMS = RELATIONS | frozenset("+−")
"""Signs that it may begin with, too, where nothing else helps; then any other."""
EASY = 2
"""Of the ways to stand, those of which none makes the numbers smaller: the heading on one line, or on two."""

MOST_WIDER = 1.3
"""How many times wider than they have to be parts of a page are that stand beside each other."""

LARGER = 1.8, 1.6, 1.45, 1.3, 1.15
"""How many times larger matrices and pictures may be where a page leaves room across and down."""

Line = list[int]
"""The places in the row, counted from 0, of what stands on a line."""


class Part(NamedTuple):
    """What stands in a row, as far as its place depends on it."""

    widths: tuple[int, ...]  # across, in each way to stand, the largest first; without the labels of its rows
    labels: tuple[int, ...] = (0,)  # across, of the labels of its rows, in each way
    small: int = 0  # across, as a small picture or where it scrolls in itself; 0: it can be neither
    sign: str = ""  # between it and the part before
    # Whether its rows are those of the part before, which says what they are if it stands beside it.
    alike: bool = False
    keeps: bool = False  # whether it stays with the part before, without a sign, if one line has room for both
    begins: bool = False  # whether a line begins with it, whatever room there is
    matrix: bool = True
    picture: bool = False  # whether a picture stands for its numbers whatever room there is
    tight: bool = False  # whether that picture stands in its heading
    least: int = 0  # across, as a small picture between such pictures
    roomy: int = 0  # across, as a small picture at most: wider, it would be too high
    loses: int = 0  # numbers that one does not see where a small picture stands for it


class Room(NamedTuple):
    """The room that a row has."""

    width: int
    gap: int  # between two parts, or a sign and the next one
    sign: int  # that a sign takes


class Stand(NamedTuple):
    """How the parts of a row stand."""

    way: int  # the same for all, so that the matrices of an equation are alike
    small: frozenset[int]  # those that are small pictures, or scroll
    lines: list[Line]
    spare: list[int]  # pixels that are free on each line; below 0 where it is too long in any way
    narrow: bool = False  # whether small pictures are as narrow as they can be (`Part.least`)


def stand(parts: Sequence[Part], room: Room) -> Stand:
    """The way to stand that breaks no equation, else as few as can be; that makes nothing smaller if it need not be.

    Where a line is too long in every way, the matrix that loses the fewest numbers becomes a small picture, if that is
    enough; else the widest ones until it fits. Where it does not even then, it breaks elsewhere, and only what is wider
    than a line by itself is a small picture.
    """

    def fits_with(small: frozenset[int]) -> bool:
        return not any(_too_long(parts, _best(parts, room, small), strict))

    for strict in (True, False):
        small: frozenset[int] = frozenset()
        while True:
            best = _best(parts, room, small)
            long = set(_too_long(parts, best, strict))
            wide = [i for i in long if i not in small and 0 < parts[i].small < parts[i].widths[-1]]
            if not wide:
                break
            enough = (i for i in sorted(wide, key=lambda i: parts[i].loses) if fits_with(small | {i}))
            small |= {next(enough, max(wide, key=lambda i: (parts[i].widths[-1], -i)))}
        if not long:
            return _among_pictures(parts, room, best)
    return best


def _among_pictures(parts: Sequence[Part], room: Room, best: Stand) -> Stand:
    """Where half of the parts are pictures anyway, and others had to be: all, if that needs one line and else more."""
    numbers = frozenset(i for i, part in enumerate(parts) if part.small and not part.picture)
    if len(best.lines) > 1 and best.small & numbers and 2 * sum(part.picture for part in parts) >= len(parts):
        narrow = [part._replace(small=part.least) for part in parts]
        one = _best(narrow, room, numbers)
        if len(one.lines) == 1 and one.spare[0] >= 0:
            return one._replace(narrow=True)
    return best


def widened(parts: Sequence[Part], one: Stand) -> dict[int, int]:
    """Pixels across of the small pictures, by their places: they share what is free on their line."""
    found = {place: parts[place].least if one.narrow else parts[place].small for place in one.small}
    for line, spare in zip(one.lines, one.spare, strict=True):
        small = sorted(one.small.intersection(line), key=lambda place: parts[place].roomy - found[place])
        for i, place in enumerate(small):
            more = max(min(parts[place].roomy - found[place], spare // (len(small) - i)), 0)
            found[place] += more
            spare -= more
    return found


def _best(parts: Sequence[Part], room: Room, small: frozenset[int]) -> Stand:
    best = _stand(parts, room, 0, small)
    least = _cost(parts, best)
    for way in range(1, max((len(part.widths) for part in parts), default=1)):
        smaller = _smaller(parts, way)
        if not any(least[:_SMALLER]) and least[_SMALLER] < smaller:
            break  # nothing is torn, and all that is left would be smaller
        cost = _cost(parts, one := _stand(parts, room, way, small))
        if cost < least:
            best, least = one, cost
    return best


def _too_long(parts: Sequence[Part], one: Stand, strict: bool) -> Iterator[int]:
    """The places of what stands on a line that has no room for it; if `strict`, also around a break in a term."""
    before: Line = []
    for line, spare in zip(one.lines, one.spare, strict=True):
        broken_off = strict and bool(before) and is_torn(parts, line)
        if spare < 0 or broken_off:
            yield from (*before, *line) if broken_off else line
        before = line


def is_torn(parts: Sequence[Part], line: Line) -> bool:
    """Whether a line that is not the first begins with a sign within a term: no "=", and no arrow."""
    first = parts[line[0]]
    return bool(first.sign) and first.sign not in RELATIONS and not first.begins


def _cost(parts: Sequence[Part], one: Stand) -> tuple[int, ...]:
    later = one.lines[1:]
    torn = sum(1 + (parts[line[0]].sign not in SUMS) for line in later if is_torn(parts, line))
    breaks = sum(bool(parts[line[0]].sign) and not parts[line[0]].begins for line in later)
    lines = sum(any(parts[place].matrix for place in line) for line in one.lines)
    over = [-spare for spare in one.spare if spare < 0]
    return len(over), sum(over), torn, breaks, _smaller(parts, one.way), lines, one.way


def _smaller(parts: Sequence[Part], way: int) -> int:
    """How much smaller the numbers are in a way to stand; where there are none, nothing is that could be read."""
    return 0 if all(part.picture for part in parts) else max(way - EASY + 1, 0)


_SMALLER = 4
"""Which of these numbers says how much smaller the numbers are."""


def _stand(parts: Sequence[Part], room: Room, way: int, small: frozenset[int]) -> Stand:
    along = _along(parts, room, way, small)
    lines = _broken(parts, room, along)
    return Stand(way, small, lines, [room.width - along.across(line) for line in lines])


def broken(parts: Sequence[Part], room: Room, way: int = 0, small: Collection[int] = ()) -> list[Line]:
    """The lines of a row: an equation that fits on one stands on it whole."""
    return _broken(parts, room, _along(parts, room, way, small))


def _broken(parts: Sequence[Part], room: Room, along: "_Along") -> list[Line]:
    lines: list[Line] = []
    for equation in _pieces(parts, range(len(parts)), lambda part: part.begins or not (part.sign or part.keeps)):
        pieces = _evenly(parts, _parted(parts, equation, room, along), room, along)
        for piece in pieces:
            begins = parts[piece[0]].begins or (len(pieces) > 1 and piece is pieces[0])
            if not lines or begins or along.across(lines[-1] + piece) > room.width:
                lines.append([])
            lines[-1] += piece
    return lines


def _parted(parts: Sequence[Part], piece: Line, room: Room, along: "_Along", level: int = 0) -> list[Line]:
    """A piece that fits on a line, whole; else cut before what may lead a line, and again where a part is too long."""
    if level > 2 or along.across(piece) <= room.width:
        return [piece]

    def leads(part: Part) -> bool:
        return (part.sign in (RELATIONS, SUMS, part.sign)[level]) if part.sign else part.keeps

    return [one for some in _pieces(parts, piece, leads) for one in _parted(parts, some, room, along, level + 1)]


def _evenly(parts: Sequence[Part], pieces: list[Line], room: Room, along: "_Along") -> list[Line]:
    """The pieces of an equation joined to lines: as few as can be, and of these such that the longest is short.

    So what belongs behind an "=" is not torn off where one line is full.
    """
    if len(pieces) < 3 or not all(parts[piece[0]].sign in RELATIONS for piece in pieces[1:]):
        return pieces

    def lines_of(most: int) -> list[Line]:
        lines: list[Line] = []
        for piece in pieces:
            if lines and along.across(lines[-1] + piece) <= most:
                lines[-1] = lines[-1] + piece
            else:
                lines.append(piece)
        return lines

    fewest = len(lines_of(room.width))
    spans = ([first[0], last[-1]] for i, first in enumerate(pieces) for last in pieces[i:])
    lengths = sorted({along.across(one) for one in spans} | {room.width})
    return next(lines for most in lengths if len(lines := lines_of(most)) <= fewest)


def _pieces(parts: Sequence[Part], places: Sequence[int], begins: Callable[[Part], bool]) -> Iterator[Line]:
    """The places in pieces, each of which begins where a part is said to begin one."""
    piece: Line = []
    for place in places:
        if piece and begins(parts[place]):
            yield piece
            piece = []
        piece.append(place)
    if piece:
        yield piece


def halves(parts: Sequence[Part], room: Room) -> Line:
    """The place before whose "=" or arrow a row breaks into two lines that are alike; none where it fits on one."""
    whole = list(range(len(parts)))
    signs = [place for place in whole if place and parts[place].sign in RELATIONS]
    if not signs or across(parts, whole, room, 0) <= room.width:
        return []
    along = _along(parts, room, 0, ())
    return [min(signs, key=lambda place: max(along.across(whole[:place]), along.across(whole[place:])))]


def across(parts: Sequence[Part], line: Line, room: Room, way: int, small: Collection[int] = ()) -> int:
    """Pixels across of a line, of parts that follow each other."""
    return _along(parts, room, way, small).across(line)


class _Along(NamedTuple):
    """Pixels across of the parts of a row, added up once for all ways to break it into lines."""

    first: list[int]  # of each where a line begins with it
    ends: list[int]  # of all up to each, where none begins a line

    def across(self, line: Line) -> int:
        """Of a line."""
        return self.first[line[0]] + self.ends[line[-1]] - self.ends[line[0]]


def _along(parts: Sequence[Part], room: Room, way: int, small: Collection[int]) -> _Along:
    found, end = _Along([], []), 0
    for place, part in enumerate(parts):
        before = room.sign + room.gap if part.sign and place else 0
        first = behind = part.small
        if place not in small:
            behind, labels = part.widths[min(way, len(part.widths) - 1)], part.labels[min(way, len(part.labels) - 1)]
            first = behind + labels
            behind += labels * (not part.alike or place - 1 in small)  # see `is_labelled`
        found.first.append(before + first)
        end += (before or room.gap) + behind
        found.ends.append(end)
    return found


def is_labelled(parts: Sequence[Part], line: Line, i: int, small: Collection[int]) -> bool:
    """Whether a part of a line says what its rows are: the one before it on the line has not said it."""
    return i == 0 or not parts[line[i]].alike or bool({line[i], line[i - 1]} & set(small))


# Placing


class Size(NamedTuple):
    """How large a part is where it stands."""

    width: int
    height: int
    base: int | None = None  # from its top to its first row of numbers, which stand at one height on a line
    # Where a sign behind it stands, from its left and its top: close to its numbers, at their middle.
    side: tuple[int, int] = (0, 0)
    top: bool = False  # whether it stands at the top of its line, if it has no base; else in its middle


Rect = tuple[int, int, int, int]
"""Left, top, width and height."""


class Placed(NamedTuple):
    """Where everything stands."""

    parts: list[Rect]
    signs: dict[int, tuple[int, int]]  # left and middle of the sign before a part, by the place of that
    height: int  # of all


LISTS = ","
"""The sign between parts that are only listed: at the beginning of a line it is left out."""


def placed(
    signs: Sequence[str], sizes: Sequence[Size], lines: Sequence[Line], room: Room, down: int, packs: bool = True
) -> Placed:
    """Place the parts of a row in lines.

    Parts that begin at the top of their line, such as pictures with what belongs to them, stand close below those of
    the line before, if it `packs`: where one of these is low, room is left beside the others.

    `signs`: between each part and the one before; `down`: pixels between two lines.
    """
    rects: dict[int, Rect] = {}
    found: dict[int, tuple[int, int]] = {}
    y = 0
    block: list[Rect] = []
    # Parts that stand each on a line of its own begin below each other: behind the signs of the others.
    column = len(lines) > 1 and all(len(line) == 1 for line in lines) and any(signs[line[0]] for line in lines[1:])
    behind = room.sign + room.gap
    for line in lines:
        some = [sizes[place] for place in line]
        free = packs and not any(signs[place] for place in line) and all(one.base is None and one.top for one in some)
        if free and block:
            for place, size in zip(line, some, strict=True):
                block.append(_gap(block, size, room, down))
                rects[place] = block[-1]
            y = max(top + height for _, top, _, height in block) + down
            continue
        bases = [size.base for size in some if size.base is not None]
        base = max(bases, default=0)
        downs = [0 if size.base is None else base - size.base for size in some]
        height = max(size.height + by for size, by in zip(some, downs, strict=True))
        # Beside pictures that begin at the top, what has no base line here begins there, too.
        at_top = not bases and any(size.top for size in some)
        levels = [size.side[1] - size.base for size in some if size.base is not None]
        middle = sizes[line[0]].side[1] if at_top else height // 2
        level = y + (base + min(levels) if levels else middle)
        x, end = 0, 0
        for i, (place, size, by) in enumerate(zip(line, some, downs, strict=True)):
            signed = bool(signs[place]) and place > 0
            if signed and (i > 0 or signs[place] != LISTS):
                found[place] = end, level
            x += room.sign * signed + room.gap * (i > 0 or signed)
            if column and not signed and size.width + behind <= room.width:
                x = behind
            if size.base is None and not (at_top or size.top):
                by = (height - size.height) // 2
            rects[place] = x, y + by, size.width, size.height
            end = x + size.side[0]
            x += size.width
        block = [rects[place] for place in line] if free else []
        y += height + down
    return Placed([rects[place] for place in range(len(sizes))], found, max(y - down, 0))


def _gap(block: Sequence[Rect], size: Size, room: Room, down: int) -> Rect:
    """Where a part stands that has no room beside others: below them, where it is as high up as can be."""

    def top(x: int) -> int:
        over = (
            y + height
            for left, y, wide, height in block
            if left - room.gap < x + size.width and x < left + wide + room.gap
        )
        return max((end + down for end in over), default=0)

    starts = {0, *(left for left, *_ in block), *(left + wide + room.gap for left, _, wide, _ in block)}
    x = min((x for x in starts if x == 0 or x + size.width <= room.width), key=lambda x: (top(x), x))
    return x, top(x), size.width, size.height


def side_by_side(widths: Sequence[int], room: Room) -> list[int]:
    """How wide parts of a page are, in lines of as many as there is room for.

    Together they fill their line, if none is much wider for that than it has to be; where each stands alone, it does.

    Parameters
    ----------
    widths : sequence of int
        Pixels across that each of them takes at least.
    """
    lines: list[list[int]] = []
    for across in widths:
        if lines and sum(lines[-1]) + room.gap * len(lines[-1]) + across <= room.width:
            lines[-1].append(across)
        else:
            lines.append([across])
    found = []
    for line in lines:
        free = max(room.width - room.gap * (len(line) - 1), 0)
        most = MOST_WIDER if len(lines) < len(widths) else free
        found += [min(across * free // sum(line), int(across * most)) for across in line]
    return found


MUCH, MOST_SHARE, LEAST_SIDE = 1.4, 0.6, 160
"""How many times larger pictures have to be for which another line is begun; the share of the height that they take,
unless each would be smaller than so many pixels at text scale 1."""


def in_even_lines(
    count: int, room: Size, gap: int, names: int, around: Size, heading: int, least: int, most: int
) -> tuple[int, int]:
    """How many of so many like pictures stand on a line, and how large each is: as large as can be, all in sight.

    Parameters
    ----------
    room : Size
        Pixels that they may take together.
    gap, names : int
        Pixels across between two, and those that the first of a line takes more, since it names the rows of all.
    around : Size
        Pixels that each takes around what grows.
    heading : int
        Pixels across of the heading of each.
    least, most : int
        Pixels of the side that is enough, and those that it has at most. What is smaller may take all of the height.
    """
    best = 1, 0
    for lines in range(1, count + 1):
        each = -(-count // lines)
        if -(-count // each) != lines:
            continue
        across = (room.width - names - gap * (each - 1)) // each
        if across < heading and each > 1:
            continue
        wide = across - around.width
        fair, high = (int(room.height * share) // lines - around.height for share in (MOST_SHARE, 1.0))
        side = min(wide, max(fair, min(high, least)), most)
        if side > best[1] * MUCH:
            best = each, side
    return best


def larger(parts: Sequence[tuple[int, int]], room: int, free: int, now: float = 1.0) -> Iterator[float]:
    """How many times larger the parts of a page may be that can be larger, the largest first.

    What is no number in them, such as headings, does not grow: there may be more room than is reckoned here.

    Parameters
    ----------
    parts : sequence of (int, int)
        Pixels across and down of each, which stand below each other.
    room, free : int
        Pixels across that the page has, and those down that it leaves.
    now : float
        How many times larger they are as they stand.
    """
    high = sum(down for _, down in parts)
    widest = max((across for across, _ in parts), default=room)
    return (times for times in LARGER if widest * times <= room * now and high * times <= (high + free) * now)
