"""The layout of a row: where its parts stand, in pixels. A "way to stand" is a form that all its matrices take at once.

An equation is one line. If it is too long, its matrices shrink. If that is not enough, it breaks before its "=" or its
arrow, so that the new line begins with the sign, and wide matrices become small pictures. If even that is not enough,
as in large text or a narrow window, numbers stay, a sum breaks before its "+", and at last a product before its "×".
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

RELATIONS = frozenset("=→")
"""Signs that a line may begin with."""
SUMS = RELATIONS | frozenset("+−")
"""Signs that a line may begin with if nothing else helps; after these, any other sign."""
EASY = 2
"""How many ways to stand leave the numbers at full size: with the heading on one line, and on two."""

MOST_WIDER = 1.3
"""How many times wider than necessary the parts of a page may be that stand side by side."""

LARGER = 1.8, 1.6, 1.45, 1.3, 1.15
"""How many times larger matrices and pictures may become if a page has room to spare."""

Line = list[int]
"""The parts that stand on a line, as their indices in the row."""


class Part(NamedTuple):
    """A part of a row, with all that its place depends on."""

    widths: tuple[int, ...]  # its width in each way to stand, the largest first; without the labels of its rows
    labels: tuple[int, ...] = (0,)  # the width of the labels of its rows, in each way to stand
    small: int = 0  # its width as a small picture, or scrolling; 0: it can be neither
    sign: str = ""  # between it and the part before
    # Whether it has the same rows as the part before: if that stands beside it, its own labels are not needed.
    alike: bool = False
    keeps: bool = False  # whether it stays with the part before, without a sign, if one line has room for both
    begins: bool = False  # whether it always begins a line
    matrix: bool = True
    picture: bool = False  # whether it is always shown as a picture, without numbers
    tight: bool = False  # whether that picture stands in its heading
    least: int = 0  # its least width as a small picture, among parts that are pictures
    roomy: int = 0  # its most width as a small picture: wider, it would be too high
    loses: int = 0  # how many numbers are out of sight if it becomes a small picture


class Room(NamedTuple):
    """The room that a row has."""

    width: int
    gap: int  # between two parts, or between a sign and the next part
    sign: int  # the width of a sign


class Stand(NamedTuple):
    """How the parts of a row stand."""

    way: int  # the index of the way to stand, the same for all parts, so that the matrices of an equation are alike
    small: frozenset[int]  # the parts that are small pictures, or scroll
    lines: list[Line]
    spare: list[int]  # free pixels on each line; below 0 if the line is too long
    narrow: bool = False  # whether small pictures are as narrow as they can be (`Part.least`)


def stand(parts: Sequence[Part], room: Room) -> Stand:
    """The best way to stand: with the fewest breaks in equations, and with numbers no smaller than necessary.

    Where a line is too long in every way, the matrix that loses the fewest numbers becomes a small picture, if that is
    enough; else the widest ones, one by one, until the line fits. If it never fits, it breaks elsewhere, and only a
    part that is wider than a whole line becomes a small picture.
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
    """`best`, or all parts as pictures where half of them are pictures anyway and only so one line is enough."""
    numbers = frozenset(i for i, part in enumerate(parts) if part.small and not part.picture)
    if len(best.lines) > 1 and best.small & numbers and 2 * sum(part.picture for part in parts) >= len(parts):
        narrow = [part._replace(small=part.least) for part in parts]
        one = _best(narrow, room, numbers)
        if len(one.lines) == 1 and one.spare[0] >= 0:
            return one._replace(narrow=True)
    return best


def widened(parts: Sequence[Part], one: Stand) -> dict[int, int]:
    """The widths of the small pictures, by their index: they share the free pixels of their line."""
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
            break  # nothing is torn, and all other ways have smaller numbers
        cost = _cost(parts, one := _stand(parts, room, way, small))
        if cost < least:
            best, least = one, cost
    return best


def _too_long(parts: Sequence[Part], one: Stand, strict: bool) -> Iterator[int]:
    """The parts on lines that are too long; if `strict`, also those on both sides of a break within a term."""
    before: Line = []
    for line, spare in zip(one.lines, one.spare, strict=True):
        broken_off = strict and bool(before) and is_torn(parts, line)
        if spare < 0 or broken_off:
            yield from (*before, *line) if broken_off else line
        before = line


def is_torn(parts: Sequence[Part], line: Line) -> bool:
    """Whether a line that is not the first begins with a sign within a term, so with neither "=" nor an arrow."""
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
    """How much smaller the numbers are in a way to stand; 0 if there are only pictures."""
    return 0 if all(part.picture for part in parts) else max(way - EASY + 1, 0)


_SMALLER = 4
"""The index, in the tuple of `_cost`, of how much smaller the numbers are."""


def _stand(parts: Sequence[Part], room: Room, way: int, small: frozenset[int]) -> Stand:
    along = _along(parts, room, way, small)
    lines = _broken(parts, room, along)
    return Stand(way, small, lines, [room.width - along.across(line) for line in lines])


def broken(parts: Sequence[Part], room: Room, way: int = 0, small: Collection[int] = ()) -> list[Line]:
    """The lines of a row; an equation that fits on one line is not broken."""
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
    """A piece that fits on a line, whole; else cut where a line may begin, and cut again where it is still too long.

    `level`: which signs may begin a line: 0 relations, 1 also sums, 2 any.
    """
    if level > 2 or along.across(piece) <= room.width:
        return [piece]

    def leads(part: Part) -> bool:
        return (part.sign in (RELATIONS, SUMS, part.sign)[level]) if part.sign else part.keeps

    return [one for some in _pieces(parts, piece, leads) for one in _parted(parts, some, room, along, level + 1)]


def _evenly(parts: Sequence[Part], pieces: list[Line], room: Room, along: "_Along") -> list[Line]:
    """The pieces of an equation joined to as few lines as possible, with the longest line as short as possible.

    So the lines are about equally long, and not one full line and a short rest.
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
    """The indices cut into pieces, before each part for which `begins` is true."""
    piece: Line = []
    for place in places:
        if piece and begins(parts[place]):
            yield piece
            piece = []
        piece.append(place)
    if piece:
        yield piece


def halves(parts: Sequence[Part], room: Room) -> Line:
    """The index of the "=" or arrow at which a row breaks into two about equal lines; empty if it fits on one."""
    whole = list(range(len(parts)))
    signs = [place for place in whole if place and parts[place].sign in RELATIONS]
    if not signs or across(parts, whole, room, 0) <= room.width:
        return []
    along = _along(parts, room, 0, ())
    return [min(signs, key=lambda place: max(along.across(whole[:place]), along.across(whole[place:])))]


def least_unbroken(parts: Sequence[Part], room: Room) -> int:
    """The width of the longest term of a row, from one "=" or arrow to the next, with the smallest numbers."""
    along = _along(parts, room, max(len(part.widths) for part in parts) - 1, ())
    terms = _pieces(
        parts,
        range(len(parts)),
        lambda part: part.begins or part.sign in RELATIONS or not (part.sign or part.keeps),
    )
    return max(map(along.across, terms))


def across(parts: Sequence[Part], line: Line, room: Room, way: int, small: Collection[int] = ()) -> int:
    """The width of a line of consecutive parts."""
    return _along(parts, room, way, small).across(line)


class _Along(NamedTuple):
    """The widths of the parts of a row, added up once for all ways to break it into lines."""

    first: list[int]  # the width of each part if it begins a line
    ends: list[int]  # for each part, the sum of the widths up to it, if no part begins a line

    def across(self, line: Line) -> int:
        """The width of a line."""
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
    """Whether part `i` of a line shows the labels of its rows: the part before it does not show the same labels."""
    return i == 0 or not parts[line[i]].alike or bool({line[i], line[i - 1]} & set(small))


# Placing


class Size(NamedTuple):
    """The size of a part as it stands."""

    width: int
    height: int
    base: int | None = None  # from its top to its first row of numbers; on a line these rows are at one height
    # Where the sign after it stands, from its left and its top: close to its numbers, at their middle.
    side: tuple[int, int] = (0, 0)
    top: bool = False  # whether a part without a base stands at the top of its line, and not in the middle


Rect = tuple[int, int, int, int]
"""Left, top, width and height."""


class Placed(NamedTuple):
    """The places of all parts and signs of a row."""

    parts: list[Rect]
    signs: dict[int, tuple[int, int]]  # for the index of a part, left and vertical middle of the sign before it
    height: int  # of the whole row


LISTS = ","
"""The sign between parts that form a list: at the beginning of a line it is left out."""


def placed(
    signs: Sequence[str], sizes: Sequence[Size], lines: Sequence[Line], room: Room, down: int, packs: bool = True
) -> Placed:
    """Place the parts of a row in lines.

    With `packs`, parts that begin at the top of their line, such as pictures, move up into the room that is free below
    lower parts of the line before.

    `signs`: between each part and the one before; `down`: pixels between two lines.
    """
    rects: dict[int, Rect] = {}
    found: dict[int, tuple[int, int]] = {}
    y = 0
    block: list[Rect] = []
    # If each part has a line of its own, all begin at the same x: parts without a sign leave its room free.
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
        # Beside pictures at the top of the line, other parts without a base begin there, too.
        at_top = not bases and any(size.top for size in some)
        levels = [size.side[1] - size.base for size in some if size.base is not None]
        middle = sizes[line[0]].side[1] if at_top else height // 2
        level = y + (base + min(levels) if levels else middle)
        x, end = 0, 0
        for i, (place, size, by) in enumerate(zip(line, some, downs, strict=True)):
            signed = bool(signs[place]) and place > 0
            x += room.sign * signed + room.gap * (i > 0 or signed)
            if signed and i > 0:
                found[place] = (end + x - room.sign) // 2, level
            elif signed and signs[place] != LISTS:
                found[place] = 0, level
            if column and not signed and size.width + behind <= room.width:
                x = behind
            if size.base is None and not (at_top or size.top):  # at the height of the signs
                by = min(max(level - y - size.height // 2, 0), height - size.height)
            rects[place] = x, y + by, size.width, size.height
            end = x + size.side[0]
            x += size.width
        block = [rects[place] for place in line] if free else []
        y += height + down
    return Placed([rects[place] for place in range(len(sizes))], found, max(y - down, 0))


def _gap(block: Sequence[Rect], size: Size, room: Room, down: int) -> Rect:
    """The highest free place for a part below the parts of a block."""

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
    """The widths of parts of a page that stand side by side, as many on a line as there is room for.

    Parts share the free pixels of their line, but none becomes more than `MOST_WIDER` times wider than it has to be,
    unless each part has a line of its own.
    `widths`: the least width of each part.
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


def in_lines(sizes: Sequence[tuple[int, int]], width: int, gap: int) -> list[Rect]:
    """The rectangles of parts from left to right, as many on a line as there is room for, at the top of their line."""
    found: list[Rect] = []
    x = y = below = 0
    for across, down in sizes:
        if x and x + across > width:
            x, y = 0, below
        found.append((x, y, across, down))
        x, below = x + across + gap, max(below, y + down + gap)
    return found


MUCH, MOST_SHARE, LEAST_SIDE = 1.4, 0.6, 160
"""How many times larger pictures must become to justify another line; the share of the height that they take; and the
side in pixels at text scale 1 below which they may take all of the height."""


def in_even_lines(
    count: int, room: Size, gap: int, names: int, around: Size, heading: int, least: int, most: int
) -> tuple[int, int]:
    """How many of `count` equal pictures stand on a line, and the side of each: as large as possible, all in sight.

    `room`: the room for all pictures together.
    `gap`, `names`: pixels between two pictures on a line, and the extra width of the first, which has the labels of the
    rows.
    `around`: pixels of each picture outside the part that grows.
    `heading`: the width of the heading of each.
    `least`, `most`: the side that is enough, and the largest side. Smaller pictures may take all of the height.
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
    """The factors by which the growing parts of a page may be enlarged, the largest first.

    Headings and the like do not grow, so the true room may be larger than computed here.

    `parts`: width and height of each part; they stand one below the other.
    `room`, `free`: the width of the page, and the height that is left free on it.
    `now`: the factor by which the parts are enlarged now.
    """
    high = sum(down for _, down in parts)
    widest = max((across for across, _ in parts), default=room)
    return (times for times in LARGER if widest * times <= room * now and high * times <= (high + free) * now)
