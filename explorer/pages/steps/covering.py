"""The numbers that are covered while a question is open: the number that it asks for, and all cells that give it away.

Matrices cover their own cells (`Matrix.covered`); `without_covered` leaves out other elements with covered numbers. To
find these, it makes the page once more with other numbers in the covered cells: an element that is the same on both
pages tells nothing about them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from explorer.core.cell import cells_of, is_cell_of, operands
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Cell, Graph, Place
from explorer.core.numbers import read_number
from explorer.core.ops import Array
from explorer.lessons.mistakes import array_of
from explorer.lessons.schema import Predict, Question
from explorer.pages import page as el
from explorer.pages.controls import Controls, Player
from explorer.pages.drawing import Bars, Box, Dot, Drawing, Image, Mark, Words
from explorer.pages.element import Element, leaves
from explorer.pages.matrix import COVERED, Matrix
from explorer.pages.view import Covered, View

Index = tuple[int, ...]
SAME = 1e-9
"""A relative difference: float64 numbers that differ by less count as one number, computed in two ways."""
PARTS = 1200
"""Multiples of 1 ÷ PARTS, such as 0.5, 1, 0.25 or a third, may stand anywhere by chance."""


def covered_by(view: View, question: Question | None) -> Covered:
    """The cells that a question covers while it is open.

    These are the cells that it names in ``covers``, the cell that it asks for, what the same stage computes from these,
    and other cells of the model with the asked number: copied, transposed, multiplied by 1, or added to 0.
    """
    if question is None:
        return Covered()
    values = _Cells()
    for name in question.covers:
        place = view.graph.find(name)
        if place is None:
            continue  # a switch has taken it away
        inside = np.ndindex(view.engine.value(place).shape)
        _spread(view, place.node, [place.index + cell for cell in inside], values)
    asked = asked_cell(view.graph, question) if isinstance(question, Predict) else None
    if asked is None or not isinstance(question, Predict):
        return Covered(values.frozen())
    number = float(array_of(view.engine, asked.node, question.of)[asked.index])
    said = number if _is_said_by_itself(number, question) else None
    if question.of == "gradient":
        carriers = _Carriers(view, "gradient", {asked}).found
        return Covered(values.frozen(), carriers.frozen(), said, question.digits)
    _spread(view, asked.node, [asked.index], values)
    alike = {asked, *_mirrored(view, asked)}
    for node, cells in _Carriers(view, "value", alike).found.items():
        values.add(node, cells)
    if view.nodes[asked.node].op.shares:  # a row of shares adds up to 1, so the others give the asked one away
        columns = range(view.values[asked.node].shape[-1])
        values.add(asked.node, {(*cell.index[:-1], column) for cell in alike for column in columns})
    for cell in _come_to_elsewhere(view, asked):
        values.add(cell.node, {cell.index})
    return Covered(values.frozen(), number=said, decimals=question.digits)


def asked_cell(graph: Graph, question: Predict) -> Cell | None:
    """The cell that a question asks for; None while a switch or a shorter sentence has taken it away."""
    place = graph.find(question.node)
    if place is None or (question.of == "gradient" and LOSS not in graph.nodes):
        return None
    index = place.index + question.cell
    return Cell(place.node, index) if is_cell_of(index, graph.shape(place.node)) else None


class _Cells(defaultdict[str, set[Index]]):
    """Cells of nodes, for gathering them step by step."""

    def __init__(self) -> None:
        super().__init__(set)

    def add(self, node: str, cells: set[Index]) -> set[Index]:
        """Add cells of a node; returns those that are new."""
        fresh = cells - self[node]
        self[node] |= fresh
        return fresh

    def frozen(self) -> dict[str, frozenset[Index]]:
        return {node: frozenset(cells) for node, cells in self.items() if cells}


def _spread(view: View, node: str, cells: list[Index], covered: _Cells) -> None:
    """Cover cells, and the cells of the same stage that are computed from them."""
    stage = view.nodes[node].stage
    covered.add(node, set(cells))
    front = [(node, cell) for cell in cells]
    while front:
        name, index = front.pop()
        for child, pattern in view.engine.feeds(name, index).items():
            if view.nodes[child].stage == stage:
                fresh = covered.add(child, set(cells_of(pattern, view.values[child].shape)))
                front += [(child, one) for one in fresh]


class _Carriers:
    """The cells that a number is passed on to, or is copied from, with at most its sign changed.

    The search goes from a cell to those of its readers with the same number, and back to a computed matrix only if the
    whole matrix is copied. A single number that the asked one is computed from stays readable: the student needs the
    0.7 of ReLU(0.7), or the one value that gets all of the attention.

    `asked`: the cells at which the search begins, all with one number; `found` contains them.
    """

    def __init__(self, view: View, of: Literal["value", "gradient"], asked: set[Cell]) -> None:
        self._view, self._of = view, of
        self._above: dict[tuple[str, str], dict[Index, set[Index]]] = {}
        self.found = _Cells()
        front = [*asked]
        for cell in front:
            self.found.add(cell.node, {cell.index})
        self._number = abs(float(array_of(view.engine, front[0].node, of)[front[0].index]))
        while front:
            cell = front.pop()
            for node, cells in self._near(cell):
                front += [Cell(node, index) for index in self.found.add(node, cells)]

    def _near(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        onward, back = self._readers, self._sources
        if self._of == "gradient":  # a gradient is passed from the readers of a cell to the cell
            onward, back = back, onward
        yield from onward(cell)
        yield from ((node, cells) for node, cells in back(cell) if self._is_copy(node, cell.node))

    def _readers(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        for child, pattern in self._view.engine.feeds(cell.node, cell.index).items():
            array = self._array(child)
            if array is not None:
                yield child, {one for one in cells_of(pattern, array.shape) if _same(array[one], self._number)}

    def _sources(self, cell: Cell) -> Iterator[tuple[str, set[Index]]]:
        for parent in self._view.nodes[cell.node].parents:
            yield parent, self._alike_above(parent, cell.node).get(cell.index, set())

    def _alike_above(self, parent: str, node: str) -> dict[Index, set[Index]]:
        """For each cell of a node, those cells of a parent that it reads and that have the number.

        This is computed once for all cells: where all shares of a table are equal, hundreds of cells have the number.
        """
        if (parent, node) not in self._above:
            found: dict[Index, set[Index]] = {}
            array, shape = self._array(parent), self._view.values[node].shape
            for place in () if array is None else np.argwhere(_same(array, self._number)):
                one = tuple(map(int, place))
                pattern = self._view.engine.feeds(parent, one).get(node)
                for cell in () if pattern is None else cells_of(pattern, shape):
                    found.setdefault(cell, set()).add(one)
            self._above[parent, node] = found
        return self._above[parent, node]

    def _is_copy(self, node: str, of: str) -> bool:
        """Whether a computed node has the same numbers as another node, in any order and with any signs."""
        one, other = self._array(node), self._array(of)
        if one is None or other is None or one.size != other.size:
            return False
        if self._of == "value" and self._view.nodes[node].is_input:
            return False
        return bool(np.all(_same(np.sort(np.abs(one), axis=None), np.sort(np.abs(other), axis=None))))

    def _array(self, node: str) -> Array | None:
        if self._view.values[node].dtype.kind != "f":
            return None
        return array_of(self._view.engine, node, self._of)


def _mirrored(view: View, asked: Cell) -> Iterator[Cell]:
    """Cells of the asked matrix computed from the same numbers, such as the mirror cell of a symmetric matrix."""
    array, read = view.values[asked.node], _read(view, asked)
    for one in np.argwhere(_same(array, abs(float(array[asked.index])))) if read else ():
        cell = Cell(asked.node, tuple(map(int, one)))
        if _read(view, cell) == read:
            yield cell


def _come_to_elsewhere(view: View, asked: Cell) -> Iterator[Cell]:
    """All cells of the model with the asked number, if that is too peculiar to occur by chance.

    The cells that it is computed from are left out, because the student has to read them.
    """
    number = float(view.values[asked.node][asked.index])
    if not _is_peculiar(number):
        return
    last = view.engine.explain(asked.node, asked.index)
    read = {
        Cell(one.node, at)
        for one in (operands(last) if last else ())
        for at in cells_of(one.index, view.values[one.node].shape)
    }
    for name, array in view.values.items():
        if array.dtype.kind == "f":
            alike = (Cell(name, tuple(map(int, one))) for one in np.argwhere(_same(array, abs(number))))
            yield from (cell for cell in alike if cell not in read)


def _read(view: View, cell: Cell) -> list[float]:
    """The numbers that a cell is computed from, sorted."""
    last = view.engine.explain(cell.node, cell.index)
    read = () if last is None else (np.ravel(one.value) for one in operands(last))
    return sorted(float(f"{number:.9g}") for numbers in read for number in numbers.tolist())


def _same(numbers: Array, size: float | Array) -> Array:
    """Which numbers have the given absolute value, or the given absolute values element by element."""
    tolerance = 1e-5 if numbers.dtype == np.float32 else SAME
    with np.errstate(invalid="ignore"):  # ∞ − ∞: a model may have overflowed
        near = np.abs(np.abs(numbers) - size) <= tolerance * np.maximum(np.abs(numbers), size)
    same: Array = near & np.isfinite(numbers)
    return same


def _is_peculiar(number: float) -> bool:
    """Whether a number is no multiple of 1 ÷ `PARTS`."""
    return bool(np.isfinite(number)) and abs(number * PARTS - round(number * PARTS)) > 1e-6 * PARTS


def _is_said_by_itself(number: float, question: Predict) -> bool:
    """Whether a text with this number, rounded, can only mean the asked number."""
    if not np.isfinite(number) or round(number, max(question.digits, 2)).is_integer():
        return False
    return question.of == "gradient" or _is_peculiar(number)


# A page without the elements that would show covered numbers


WAITS = "Some parts of this page are hidden until you have answered: they show the number that is asked for."
_NUMBER = re.compile(r"(?<![\d.])\d+[.]\d+(?![\d.]|e[-−]?\d)|(?<![\d.])\d+(?= ?%)")
_GOLDEN = 0.6180339887
PLACED = Box, Bars, Dot, Image, Words
"""Kinds of marks whose places do not depend on the numbers."""


def without_covered(view: View, make: Callable[[View], el.Page]) -> el.Page:
    """The page that `make` makes from a view, without elements that show a covered number, and with a note on that."""
    page = make(view)
    if not view.looking.covered:
        return page
    with np.errstate(all="ignore"):
        other = make(altered(view))
        veil = _Veil(view.looking.covered)
        shown = veil.all(page.elements, other.elements)
    before, left = (sum(1 for element in some for _ in leaves(element)) for some in (page.elements, shown))
    return el.Page(
        page.stage,
        veil.header(page.header, other.header),
        shown if left == before else (*shown, el.Note("waits", WAITS)),
    )


def altered(view: View) -> View:
    """A view with other, equally plausible numbers in the covered cells."""
    covered = view.looking.covered
    values = {name: _others(view.values[name], cells) for name, cells in covered.values.items() if name in view.nodes}
    for name, array in values.items():
        if view.nodes[name].op.shares:
            rows = (array != view.values[name]).all(axis=-1)  # completely covered rows add up to 1, too
            array[rows] /= array[rows].sum(axis=-1, keepdims=True)
    has_loss = LOSS in view.nodes
    gradients = {
        name: _others(gradient, cells)
        for name, cells in covered.gradients.items()
        if has_loss and name in view.nodes and (gradient := view.engine.gradient(Place(name))) is not None
    }
    if has_loss and view.looking.showing == "gradient":
        view.engine.gradients()  # computed from the true numbers
    return replace(view, engine=view.engine.altered(values, gradients))


def _others(array: Array, cells: frozenset[tuple[int, ...]]) -> Array:
    """An array with other numbers in some cells: large ones become small, so that their order changes, too."""
    there = sorted(cell for cell in cells if is_cell_of(cell, array.shape))
    other = array.copy()
    finite = array[np.isfinite(array)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
    for k, cell in enumerate(there, 1):
        value = array[cell]
        if array.dtype.kind == "b":
            other[cell] = not value
        elif array.dtype.kind in "iu":
            mirrored = low + high - value
            other[cell] = mirrored if mirrored != value else value - 1 if value > 0 else value + 1
        else:
            share = (value - low) / (high - low) if np.isfinite(value) and high > low else 0.0
            jitter = k * _GOLDEN % 1
            reach = high - low if high > low else 0.37 * abs(value) + 0.31
            moved = 0.75 * (1 - share) + 0.2 * jitter
            if abs(moved - share) < 0.1:  # a number from the middle would stay there, and rounded be the same
                moved = share + 0.2 + 0.1 * jitter
            other[cell] = low + reach * moved
    return other


class _Veil:
    """Leaves out elements that differ between two pages, one with the true numbers and one with others."""

    def __init__(self, covered: Covered) -> None:
        self._covered = covered

    def header(self, header: el.Header, other: el.Header) -> el.Header:
        """The header of a page, without its sentence if that tells a covered number."""
        told = header.sentence != other.sentence or _says(self._covered, header.sentence)
        return replace(header, sentence="") if told else header

    def all(self, elements: Sequence[Element], others: Sequence[Element]) -> tuple[Element, ...]:
        """The elements, or parts of them, that tell no covered number."""
        pairs = {other.id: other for other in others}
        return tuple(kept for one in elements if (kept := self.one(one, pairs.get(one.id))) is not None)

    def one(self, element: Element, other: Element | None) -> Element | None:
        """The element or what may be seen of it; None for nothing. `other`: the element made with the other numbers."""
        match element:
            case Matrix() | el.Scheme():
                return element
            case el.DescentPart():  # it shows the loss and the weights
                return None if self._covered.gradients or LOSS in self._covered.values else element
            case el.Row(items=items):
                pairs = {item.element.id: item.element for item in other.items} if isinstance(other, el.Row) else {}
                parts = ((item, self.one(item.element, pairs.get(item.element.id))) for item in items)
                left = tuple(replace(item, element=part) for item, part in parts if part is not None)
                return replace(element, items=left) if left else None
            case el.Stack(elements=inside):
                kept = self.all(inside, other.elements if isinstance(other, el.Stack) else ())
                drawn = next((one.id for one in inside if isinstance(one, el.Picture)), None)
                about = (Controls, el.Note, el.Picture)  # its choices, its words, its scale of colours
                if drawn not in (None, *(one.id for one in kept)) and all(isinstance(one, about) for one in kept):
                    kept = ()  # they mean nothing without the picture
                return replace(element, elements=kept) if kept or element.control is not None else None
            case Controls(controls=controls):
                left_over = self.all(controls, other.controls if isinstance(other, Controls) else ())
                return replace(element, controls=left_over) if left_over else None
            case el.Listing():
                others, columns = (other.lines, other.columns) if isinstance(other, el.Listing) else ((), ())
                reads, own = (element.lines, others, element.columns, self._covered), element.columns
                if len(own) == len(columns):  # the end of a scale may be a covered number, which the bars then tell
                    own = tuple(replace(one, reach=other.reach) for one, other in zip(own, columns, strict=True))
                return replace(element, lines=el.Lines(len(element.lines), _unread_line, reads), columns=own)
        if type(other) is type(element) and element == other and not self._tells(element):
            return element
        match element, other:
            case Player(), _:
                return replace(element, said="")
            case el.Picture(drawing=drawing), el.Picture() if drawing.zoom:
                # In the picture of a whole model only the covered numbers are left out.
                return replace(element, made=self._whole(drawing, other.drawing))
        return None

    def _whole(self, drawing: Drawing, other: Drawing) -> Drawing:
        """A whole model's picture without covered numbers. Marks are matched by place: `other` may have more lines."""
        others: dict[object, list[Mark]] = {}
        for mark in other.marks:
            others.setdefault(_where(mark), []).append(_by_itself(mark))
        marks = tuple(
            mark if _by_itself(mark) in others.get(_where(mark), ()) and not self._tells(mark) else _unread(mark)
            for mark in drawing.marks
        )
        told = drawing.summary != other.summary or self._tells(drawing.summary)
        return replace(drawing, marks=marks, summary="" if told else drawing.summary)

    # The number itself

    def _tells(self, data: Any) -> bool:
        """Whether any text in the data says the asked number, or anything in it shows a covered cell."""
        match data:
            case str():
                return _says(self._covered, data)
            case Cell(node, index):  # a covered cell, or one whose index begins with these indices
                both = self._covered.values.get(node, frozenset()), self._covered.gradients.get(node, frozenset())
                return any(one[: len(index)] == index for cells in both for one in cells)
            case Matrix():
                return bool(data.covered)
            case el.Picture():
                return self._tells(data.drawing)
            case tuple():
                return any(map(self._tells, data))
        names = getattr(data, "__dataclass_fields__", ())
        return any(self._tells(getattr(data, name)) for name in names)


def _says(covered: Covered, text: str) -> bool:
    """Whether a text says the asked number, possibly rounded."""
    if covered.number is None:
        return False
    for found in _NUMBER.finditer(text):
        said = found[0]
        decimals = len(said.replace(",", ".").partition(".")[2])
        number = abs(read_number(said))
        if text[found.end() : found.end() + 2].strip().startswith("%"):
            number, decimals = number / 100, decimals + 2
        apart = abs(number - abs(covered.number))
        if decimals >= max(covered.decimals, 1) and apart <= 0.5 * 10.0**-decimals * (1 + 1e-6):
            return True
    return False


def _where(mark: Mark) -> object:
    """A key that identifies a mark among most others of its kind and does not depend on the numbers."""
    return type(mark), *(getattr(mark, name, None) for name in ("place", "x", "y") if type(mark) in PLACED)


def _by_itself(mark: Mark) -> Mark:
    """A mark without the indices of the boxes that it reads from."""
    return replace(mark, after=()) if isinstance(mark, Box) else mark


def _unread(mark: Mark) -> Mark:
    """A replacement for a mark that tells no covered number. It keeps the mark's index, which other marks refer to."""
    match mark:
        case Dot():
            return replace(mark, inside=COVERED, share=None, cell=None)
        case Bars(place=(left, top, width, height)) | Image(place=(left, top, width, height)):
            return Words(left + width / 2, top + height / 2, COVERED, fixed=True, size=20.0)
        case Words():
            return replace(mark, text=COVERED)
        case Box():
            title, note, tip = (_NUMBER.sub(COVERED, text) for text in (mark.title, mark.note, mark.tip))
            return replace(mark, share=None, title=title, note=note, tip=tip)
    return Words(0.0, 0.0, "", fixed=True)


def _unread_line(
    lines: Sequence[el.Line], others: Sequence[el.Line], columns: Sequence[el.Column], covered: Covered, row: int
) -> el.Line:
    """A line without entries that differ from `others`, made with other numbers, and without the asked number."""
    line, other = lines[row], others[row] if row < len(others) else None
    others_of = (None,) * len(line.entries) if other is None else other.entries
    entries: list[el.Entry] = []
    for column, entry, another in zip(columns, line.entries, others_of, strict=False):
        bare = replace(entry, tip="")
        if not _is_same(bare, None if another is None else replace(another, tip="")) or _says(covered, entry.text):
            # A column of words without a title may say which word is chosen: there the entry stays empty.
            sign = COVERED if column.title or column.kind != el.WORDS else ""
            entry = replace(bare, text=sign, value=0.0)
        elif another is None or another.tip != entry.tip or _says(covered, entry.tip):
            entry = bare  # a word stays, though its tip says its share
        entries.append(entry)
    return replace(line, entries=tuple(entries), here=line.here and other is not None and other.here)


def _is_same(entry: el.Entry, other: el.Entry | None) -> bool:
    """Whether two entries say the same, apart from the number of decimals, which depends on their column's numbers."""
    if other is None or entry == other or replace(other, text=entry.text) != entry:
        return entry == other
    try:
        one, another = read_number(entry.text), read_number(other.text)
    except ExplorerError:
        return False
    decimals = (len(text.partition(".")[2]) for text in (entry.text, other.text))
    return abs(one - another) <= 0.5 * 10.0 ** -min(decimals)
