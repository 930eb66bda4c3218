"""Decides from sizes alone which matrices are small pictures, so that the important ones are visible on top of a page.

On a low page the first two matrices are whole. On a higher one the weights, the output and the first heat map are
visible: a page of attention is a few rows (the inputs and the learned weights; Q, K and V) and then the row from the
scores to the attention weights, the output and the heat map. First an arrangement is looked for in which all three are
visible, then one without the map, then one with the weights alone; each time the one that hides least comes first.

And enlarges the matrices that a step of a lesson names, and keeps all of them visible, by trying arrangements.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect

from explorer.core.frozen import Frozen
from explorer.pages.arrange import least_of
from explorer.pages.drawing import HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import Matrix
from explorer.pages.page import Picture, Row
from explorer.pages.steps.of_step import Lit
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.formula import can_typeset_now

if TYPE_CHECKING:
    from explorer.ui.page.sharing import Sharing

Places = frozenset[int]
"""The indices of some matrices of a row."""
NONE: Places = frozenset()
WHOLE = 2
"""How many matrices of a low page are whole."""
MANY, MOST = 12, 0.75
"""With more words than `MANY`, the map may replace the numbers of the weights; `MOST` of it must then be visible."""


class Part(Frozen):
    """A part of a page, and the rows in it whose matrices may be small pictures."""

    element: Element
    rows: tuple[Row, ...]


class Stands(Frozen):
    """How the rows of a page are arranged."""

    small: Mapping[str, Collection[int] | None]
    """The matrices of a row that are small pictures, by the row's id; a row without an entry decides by itself."""
    breaks: bool = False
    """Whether a line ends before the weights: below the scores they take less room than a map below both would."""


class Taken(Frozen):
    """The room that a part of a page takes."""

    height: int
    reach: Mapping[str, tuple[int, int]]
    """The first and the last pixel row of each visible matrix and heat map, from the top of the part, by its id."""
    pictures: frozenset[str] = frozenset()
    """The matrices that are large pictures in place of their numbers; such a picture of the weights is like the map."""


Measure = Callable[[Part, Stands], Taken]


def first_matrices(elements: Sequence[Element]) -> list[Part]:
    """The parts of a page that contain the first `WHOLE` matrices."""
    parts, count = [], 0
    for element in elements:
        n = sum(isinstance(part, Matrix) and part.values.size > 1 for part in leaves(element))
        if n and count < WHOLE:  # rows with `folds` decide for themselves
            rows = (one for one in leaves(element) if isinstance(one, Row) and matrices_of(one) and not one.folds)
            parts.append(Part(element, tuple(rows)))
        count += n
    return parts


def rows_to_map(elements: Sequence[Element]) -> list[Part]:
    """The rows of a page down to the row of the first heat map and its weights; none if there is no such map."""
    rows = [element for element in elements if isinstance(element, Row)]
    at = next((i for i, row in enumerate(rows) if weights_of(row) is not None), -1)
    return [Part(row, (row,)) for row in rows[: at + 1]]


def first_whole(parts: Sequence[Part], gaps: Sequence[int], height: int, measure: Measure) -> Stands:
    """Turn just enough matrices into small pictures for the first matrices to be visible.

    `gaps`: pixels before each part: from the top of the page, or the end of the part before; `height`: the visible
    height in pixels.
    """
    small: dict[str, Collection[int] | None] = {}
    top, lacking = 0, WHOLE
    for part, gap in zip(parts, gaps, strict=True):
        top += gap
        ids = {one.id for one in leaves(part.element) if isinstance(one, Matrix) and one.values.size > 1}
        for stay in (None, 1, 0):  # how many matrices at the end of each row stay numbers
            counts = {row.id: 0 if stay is None else len(matrices_of(row)) - stay for row in part.rows}
            stands = Stands({id: frozenset(range(count)) for id, count in counts.items()})
            taken = measure(part, stands)
            spans = [(top + first, top + last) for id, (first, last) in taken.reach.items() if id in ids]
            if is_whole(spans, lacking, height):
                break
        small |= stands.small
        top += taken.height
        lacking -= len(spans)
    return Stands(small)


def map_in_sight(parts: Sequence[Part], gaps: Sequence[int], height: int, high: bool, measure: Measure) -> Stands:
    """Make weights, output and map visible: see `first_whole`.

    On a page that is not high, the numbers of the last row do not become small pictures for the map.
    """
    *above, last = (part.rows[0] for part in parts)
    plain: dict[str, Places] = {part.rows[0].id: NONE for part in parts if not part.rows[0].folds}
    maps = {one.id for one in _maps(last)}

    def fits(wanted: set[str], stands: Stands, share: float = 1.0) -> bool:
        takes = [measure(part, stands) for part in parts]
        top = sum(gaps) + sum(taken.height for taken in takes[:-1])
        ends = [first + share * (end - first) for id, (first, end) in takes[-1].reach.items() if id in wanted]
        twice = maps & wanted and matrices_of(last)[weights_of(last) or 0].id in takes[-1].pictures
        return not twice and all(top + end < height for end in ends)

    for wanted, small in _ways(last, high):
        # Small pictures preferably stand on a line by themselves; numbers preferably continue the line.
        for breaks in (bool(small), not small):
            folded = {last.id: small} | {row.id: _all(row) for row in above}
            # If the map replaces the weights, it is enough that most of it is visible.
            share = MOST if (weights_of(last) or 0) in small else 1.0
            if not fits(wanted, Stands(plain | folded, breaks), share):
                continue
            for row in reversed(above):  # Q, K and V are more important than the matrices they are made of
                fewer = {id: places for id, places in folded.items() if id != row.id}
                folded = fewer if fits(wanted, Stands(plain | fewer, breaks), share) else folded
            return Stands(plain | folded, breaks)
    # Not even the weights fit: their first rows say more than Q, K and V.
    weights = weights_of(last) or 0
    begin = Stands(plain | {last.id: frozenset(range(weights))} | {row.id: _all(row) for row in above}, True)
    return begin if fits({matrices_of(last)[weights].id}, begin, 0.25) else Stands(plain)


def matrices_of(row: Row) -> list[Matrix]:
    """The matrices that are items of a row, not those in its stacks."""
    return [item.element for item in row.items if isinstance(item.element, Matrix)]


def weights_of(row: Row) -> int | None:
    """The index of the matrix that the first heat map draws; None if the row has no such matrix or no map."""
    drawn = [one.matrix.place.node for one in _maps(row)[:1]]
    return next((i for i, one in enumerate(matrices_of(row)) if one.place.node in drawn), None)


def is_whole(spans: Sequence[tuple[int, int]], count: int, height: int) -> bool:
    """Whether the first `count` spans (first and last pixel row), and those beside them, are visible together.

    Visible at the top of the page or, if they begin below its visible part, after scrolling to them.
    """
    first = spans[:count]
    if not first:  # there is no matrix yet
        return True
    lowest = max(bottom for _, bottom in first)
    beside = [span for span in spans if span[0] <= lowest] or first  # a matrix without rows ends above its top
    top = min(top for top, _ in beside)
    start = top if top >= height else 0
    return all(bottom - start < height for _, bottom in beside)


def _all(row: Row) -> Places:
    return frozenset(range(len(matrices_of(row))))


def _ways(row: Row, high: bool) -> Iterator[tuple[set[str], Places]]:
    """The ids of the elements that should be visible, and the small matrices of the row; the best ways first."""
    matrices, weights = matrices_of(row), weights_of(row) or 0
    before, behind = frozenset(range(weights)), frozenset(range(weights + 1, len(matrices)))
    numbers = {one.id for one in matrices[weights:]}
    # An output that is wider than the weights would take a line of its own between them and the map.
    wide = any(matrices[i].array.shape[1] > 2 * matrices[weights].array.shape[1] for i in behind)
    folds = [NONE, *([behind] if wide else [before]), before | behind]
    many = max(matrices[weights].array.shape) > MANY
    for small in [*(folds if high else [NONE]), *([before | behind | {weights}] if many else [])]:
        yield numbers | {_maps(row)[0].id}, small
    for small in folds:
        yield numbers, small
    for small in (NONE, before):
        yield {matrices[weights].id}, small


def _maps(row: Row) -> list[HeatMap]:
    return [item.element for item in row.items if isinstance(item.element, HeatMap)]


TIMES, LARGE, SMALL = (2.0, 1.7, 1.4, 1.2, 1.0), 1.4, 0.5
"""How many times larger than the rest the named matrices may be, the largest first; more than `LARGE` only if they then
take at most the share `SMALL` of the visible area."""
LESS = 0.85, 0.7
"""Factors for smaller sizes, if the text is large and the named matrices cannot all be visible otherwise."""


class Enlargement:
    """Makes what a step names larger than the rest of a page.

    `sharing`: divides the room of that page.
    """

    def __init__(self, sharing: "Sharing") -> None:
        self._sharing = sharing
        self.lit = Lit()
        """The elements that a step names, which are enlarged, and those that they are made of."""
        self.on = False
        """Whether rows are arranged so that the named matrices are visible."""
        self.waits = False
        """Whether the next decision about the arrangement waits."""
        self._decided: tuple[object, ...] = ()
        """The sizes and elements for which the present arrangement was decided."""
        self._times, self._larger = 1.0, frozenset[str]()

    def forget(self) -> None:
        """Decide again at the next layout."""
        self._decided = ()

    def times_of(self, id: str) -> float:
        """The factor by which a matrix is larger than others."""
        return self._times if id in self._larger else 1.0

    def enlarge(self, times: float, larger: Collection[str]) -> None:
        """Enlarge some matrices, given by their ids, by a factor."""
        self._times, self._larger = times, frozenset(larger)

    def brings(self, room: int, height: int) -> bool:
        """Make the matrices that should be visible together as large as fits; those between them become small pictures.

        Returns whether there are such matrices: lit ones, or several that are named. If there are, the caller makes no
        other room on the page.
        """
        sharing = self._sharing
        matrices = [one for one in sharing.all if isinstance(one, Matrix)]
        lit = {one.id for one in matrices if one.id in self.lit.named}
        named = lit or {one.id for one in matrices if one.named and one.open}
        if len(named) < (1 if lit else 2):
            if self.on:
                self.on = False
                self.enlarge(1.0, ())
                sharing.forget()
                for row in sharing.rows:
                    if matrices_of(row):
                        sharing.break_line(row)
                        sharing.share_line(row, room, height, None if row.folds else ())
            return False
        self.on = True
        waits = self.waits and self._decided[2:4] == (self.lit, named)
        if waits or self._decided == self._decides(room, height, named):
            return True
        trials = Trials(sharing, named, bool(lit), room, height)
        breaks: set[str] | None = None
        never, fair, usual = trials.never_whole() if lit else set(), None, None
        for way in trials.ways():
            usual = way if way.times <= 1 else usual
            if way.times > 1 and never & set(way.larger):
                continue
            if way.times > 1 and breaks is None:
                breaks = trials.stand(replace(way, times=1.0))[1]
            high, begin = trials.stand(way)
            broken = breaks is not None and (
                len(begin) > len(breaks) or any(one in way.wanted for one in begin - breaks)
            )
            if high < height and not broken:
                if not lit or not trials.cut() - never:
                    break
                fair = fair or (way if way.times <= 1 else None)
        else:  # no way shows all named matrices whole
            if (last := fair or usual) is not None:
                trials.stand(last)
        self._decided = self._decides(room, height, named)
        return True

    def _decides(self, room: int, height: int, named: set[str]) -> tuple[object, ...]:
        # None of this depends on the numbers, because a cell must not move while it is edited.
        sizes = [(box.own_size[1:], box.view.extent.whole) for box in self._sharing.boxes()]
        return room, height, self.lit, named, sizes, can_typeset_now()


class Way(Frozen):
    """One way to arrange the named matrices."""

    times: float  # the factor for `larger`
    larger: Collection[str]  # the ids of the enlarged matrices
    small: Mapping[str, Collection[int] | None]  # see `Stands`
    wanted: Collection[str]  # the ids of the elements that should be visible together


class Trials:
    """Tries ways to arrange a page in a given room.

    `named`: the ids of the matrices that are named.
    `lit`: whether the named matrices are lit, and so may be larger.
    `room`, `height`: the visible width and height in pixels.
    """

    def __init__(self, sharing: "Sharing", named: set[str], lit: bool, room: int, height: int) -> None:
        self._sharing, self._named, self._is_lit, self._room, self._height = sharing, named, lit, room, height
        self._rows = [row for row in sharing.rows if matrices_of(row)]
        self._row_of = {one.id: row.id for row in self._rows for one in matrices_of(row)}
        self._known = {
            one.id: place.height()
            for one, place in sharing.page.places(room)
            if not any(isinstance(part, Matrix) for part in leaves(one))
        }
        """The heights of the elements without a matrix, by id."""
        self._stood: dict[str, object] = {}
        """The present arrangement of each row that was already tried, by id."""
        self._tried: tuple[object, ...] = ()
        """The way that was tried last."""

    def never_whole(self) -> set[str]:
        """The ids of named matrices that are cut even at their least size, with all others as small pictures."""
        self.stand(Way(1 / self._sharing.growth.times, self._named, self._all_but(self._named), self._named))
        return self.cut()

    def cut(self) -> set[str]:
        """The ids of the named matrices that are cut, or small pictures, now."""
        boxes = [box for box in self._sharing.boxes() if box.matrix.id in self._named]
        return {box.matrix.id for box in boxes if box.small or not box.view.extent.whole}

    def stand(self, way: Way) -> tuple[int, set[str]]:
        """Arrange the page in one way: enlarge some matrices, and make others small pictures.

        Returns the height in pixels from the top to the bottom of the wanted elements; and the ids of the matrices, in
        rows with a named one, that begin another line: an equation on one line is not broken to enlarge it.
        """
        sharing, tried = self._sharing, (way.times, set(way.larger), way.small)
        if tried != self._tried:  # two ways may differ only in the wanted elements
            self._tried = tried
            sharing.enlargement.enlarge(way.times, way.larger)
            sharing.stands = Stands(way.small)
            for box in sharing.boxes():
                box.be(times=sharing.times_of(box.matrix.id))
                if box.matrix.id not in sharing.in_rows:
                    box.form = box.sizes.alone(box.form)
                    sharing.page.check(box)
            for row in self._rows:
                # A row that is already arranged so is left alone, unless it depends on other stacks beside its own.
                how = way.small[row.id], [sharing.times_of(one.id) for one in matrices_of(row)]
                if self._stood.get(row.id) != how or row.id in sharing.around:
                    self._stood[row.id] = how
                    sharing.break_line(row)
                    sharing.share_line(row, self._room, self._height, way.small[row.id])
        whose = {self._row_of[id] for id in self._named if id in self._row_of}
        wide = (least_of(row, sharing.page) for row in self._rows if row.id in whose)
        if way.times > 1 and max(wide, default=0) > self._room:  # the page would scroll sideways
            return UNBOUNDED, set()
        places = (
            (part, rect.translated(top.topLeft()))
            for one, top in sharing.page.places(self._room, self._known)
            for part, rect in sharing.places(one, self._room)
        )
        there: dict[str, list[QRect]] = {}
        begin, before = set(), dict.fromkeys(whose, -1)
        for part, rect in places:
            if part.id in way.wanted:
                there.setdefault(part.name if isinstance(part, Matrix) else part.id, []).append(rect)
            if (row_id := self._row_of.get(part.id, "")) in whose:
                if rect.left() <= before[row_id]:
                    begin.add(part.id)
                before[row_id] = rect.left()
        # Of an element that occurs twice, the one nearer to the other elements counts.
        around = [rects[0] for rects in there.values() if len(rects) == 1] or [one for one, *_ in there.values()][:1]
        middle = sum(one.center().y() for one in around) // max(len(around), 1)
        found = [min(rects, key=lambda one: abs(one.center().y() - middle)) for rects in there.values()]
        high = max((one.bottom() for one in found), default=0) - min((one.top() for one in found), default=0)
        return high, begin

    def ways(self) -> Iterator[Way]:
        """The ways to try, the best first: how large the named matrices are, and which others are small pictures.

        For each size, first with the matrices that the named ones are made of, the rest as usual or small; then alone.
        If the named matrices cannot all be so large, or are too far apart, only the asked one (`hero`) is enlarged.
        """
        named, lit, usually = self._named, self._sharing.enlargement.lit, self._sharing.growth.times
        around = {*named, *lit.beside}
        rest, dark = self._all_but(named), self._all_but(around)
        usual: dict[str, Collection[int] | None] = {
            row.id: NONE
            if not (self._is_lit and row.folds)
            else dark[row.id]
            if len(rest[row.id]) < len(row.items)
            else None
            for row in self._rows
        }
        if not self._is_lit:
            yield from (Way(1.0, (), small, named) for small in (usual, rest))
            return
        boxes = [box for box in self._sharing.boxes() if box.matrix.id in named]
        for box in boxes:
            box.be(times=usually)
        sizes = {box.matrix.id: (box.view.extent.width, box.view.extent.height) for box in boxes}
        heroes: list[Collection[str]] = [named, lit.hero] if 0 < len(lit.hero) < len(named) else [named]
        drawn = any(isinstance(one, Picture) and one.id in lit.named for one in self._sharing.all)
        for times in TIMES if not drawn else (1.0,):  # numbers must not outweigh the picture that the step is about
            fit = [larger for larger in heroes if self._may_be(times, [sizes[one] for one in larger if one in sizes])]
            for larger in fit if times > 1 else fit[:1]:
                yield Way(times, larger, usual, around)
                yield Way(times, larger, dark, around)
            if times <= LARGE:
                yield from (Way(times, larger, rest, named) for larger in (fit if times > 1 else heroes[:1]))
        scale = self._sharing.page.bench.appearance.scale
        for times in (1 / usually, *(less for less in LESS if less * scale >= 1)):
            if times < 1:
                yield from (Way(times, named, small, some) for small, some in ((dark, around), (rest, named)))
        if not drawn:
            yield from (Way(times, hero, rest, hero) for hero in heroes[1:] for times in TIMES if 1 < times <= LARGE)

    def _all_but(self, stay: Collection[str]) -> dict[str, list[int]]:
        """The indices of all matrices but those in `stay`, by the id of their row."""
        return {row.id: [i for i, one in enumerate(matrices_of(row)) if one.id not in stay] for row in self._rows}

    def _may_be(self, times: float, sizes: Sequence[tuple[int, int]]) -> bool:
        """Whether matrices of these sizes may be enlarged by a factor."""
        area = sum(width * high for width, high in sizes)
        fit = all(times * width <= self._room and times * high <= self._height for width, high in sizes)
        return fit and (times <= LARGE or area * times**2 <= SMALL * self._room * self._height)
