"""The tables that the references print, beside the nodes that compute them, and the slips found on the way."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from explorer import paths
from explorer.core.ops import Array
from explorer.document.state import frozen
from explorer.lessons.reading import MOST_TEXT, Table, likeliest, read

Cell = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Figure:
    """A printed table, or a printed number, and the node that should compute it.

    Parameters
    ----------
    id : str
        Unique within its reference; others name it by this.
    title : str
        What it shows.
    reference : str
        Number of the reference, such as "004".
    section : str
        Where in the reference it stands.
    lesson, setting : str
        What computes it.
    node : str
        Name of the node, or of a head's slice of it.
    values : numpy.ndarray
        As printed; NaN in cells that are not printed.
    decimals : numpy.ndarray of int
        How many decimals of each value the print vouches for, in the shape of `values`; numpy leaves out zeros at the
        end, so this may be more than one sees.
    cell : tuple of int or None
        Where only one cell of the node is printed: which.
    units : int
        How many units of the last decimal the computed value may be off beyond rounding; 0 unless `why` gives a reason.
    why : str
        Where the reference went on with a rounded number.
    note : str
        What the table really is, where that is not plain.
    switches : mapping of str to object
        "BLOCK.NAME" to a choice made only for this figure.
    inputs, pins : mapping of str to numpy.ndarray
        Values of input nodes, and of computed ones, typed in only for this figure.
    """

    id: str
    title: str
    reference: str
    section: str
    lesson: str
    setting: str
    node: str
    values: Array
    decimals: Array
    cell: Cell | None = None
    units: int = 0
    why: str = ""
    note: str = ""
    switches: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Array] = field(default_factory=dict)
    pins: Mapping[str, Array] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether the lesson's setting computes it as it stands, with nothing typed in beside."""
        return not (self.switches or self.inputs or self.pins)

    def printed(self, cell: Cell) -> str | None:
        """The number printed for a cell of the node; None where there is none."""
        value, _ = self._at(cell)
        return None if value is None else np.format_float_positional(value, trim="-")

    def rounded(self, cell: Cell, computed: float) -> str:
        """A computed value with as many decimals as the print vouches for in that cell."""
        _, decimals = self._at(cell)
        return np.format_float_positional(np.round(computed, decimals), trim="-")

    def agrees_at(self, cell: Cell, computed: float) -> bool:
        """Whether a computed value agrees with the number printed for the cell."""
        value, decimals = self._at(cell)
        return value is not None and bool(np.all(self._off(computed, value, decimals) <= self.units + _SLACK))

    def off(self, computed: Array) -> Array:
        """By how many units of the last printed decimal computed values are off beyond rounding; 0 where they agree."""
        return self._off(computed, self.values, self.decimals)

    def agrees(self, computed: Array) -> bool:
        """Whether all computed values agree with the print."""
        return bool(np.all(self.off(computed) <= self.units + _SLACK))

    def _at(self, cell: Cell) -> tuple[Any, int]:
        if self.cell is not None:
            return (self.values[()], int(self.decimals[()])) if cell == self.cell else (None, 0)
        inside = len(cell) == self.values.ndim and all(i < n for i, n in zip(cell, self.values.shape, strict=True))
        inside = inside and not np.isnan(self.values[cell])
        return (self.values[cell], int(self.decimals[cell])) if inside else (None, 0)

    @staticmethod
    def _off(computed: Any, printed: Any, decimals: Any) -> Array:
        # Half a unit is rounding, whichever way a tie goes.
        off = np.maximum(np.abs(np.subtract(computed, printed)) * 10.0 ** np.asarray(decimals) - 0.5, 0)
        return np.where(np.isnan(printed), 0, off)


_SLACK = 1e-3
"""A print to 12 decimals of a number such as 8.3 is at the end of what float64 holds."""


@dataclass(frozen=True, eq=False)
class Slip:
    """A place where a reference prints something else than it means.

    Parameters
    ----------
    reference, section : str
        Where it stands.
    printed, right, how : str
        What is printed, what is right, and how we know.
    figure : Figure or None
        The right numbers, where a node computes them.
    wrong : numpy.ndarray or None
        The printed numbers, in the shape of the figure's; they must not agree with the node.
    """

    reference: str
    section: str
    printed: str
    right: str
    how: str
    figure: Figure | None = None
    wrong: Array | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """One of the documents that the examples are from.

    Parameters
    ----------
    id : str
        Its number, such as "004".
    title : str
    figures : tuple of Figure
    slips : tuple of Slip
    """

    id: str
    title: str
    figures: tuple[Figure, ...]
    slips: tuple[Slip, ...]


@cache
def references() -> tuple[Reference, ...]:
    """All references that an example is from.

    Raises
    ------
    ExplorerError
        "lesson-key" and its like, where a file is not as it should be.
    """
    files = sorted((paths.resources() / "references").glob("*.toml"))
    return tuple(reference_from(read(file)) for file in files)


def figures() -> tuple[Figure, ...]:
    """All printed tables, in the order of the references."""
    return tuple(figure for reference in references() for figure in reference.figures)


def slips() -> tuple[Slip, ...]:
    """All slips, in the order of the references."""
    return tuple(slip for reference in references() for slip in reference.slips)


class Prints(NamedTuple):
    """What the references print in one setting of a lesson.

    Parameters
    ----------
    figures : mapping of str to tuple of Figure
        By node, those that the setting computes as it stands.
    slips : tuple of Slip
        Those of a node.
    """

    figures: Mapping[str, tuple[Figure, ...]]
    slips: tuple[Slip, ...]


def prints_in(lesson: str, setting: str) -> Prints:
    """What the references print in a lesson's setting; each edit asks for it, so it is a look-up."""
    return _prints().get((lesson, setting), Prints({}, ()))


@cache
def _prints() -> dict[tuple[str, str], Prints]:
    found: dict[tuple[str, str], Prints] = {}
    for figure in figures():
        if figure.plain:
            by_node, slips_there = found.get(key := (figure.lesson, figure.setting), Prints({}, ()))
            found[key] = Prints({**by_node, figure.node: (*by_node.get(figure.node, ()), figure)}, slips_there)
    for slip in slips():
        if slip.figure is not None:
            by_node, slips_there = found.get(key := (slip.figure.lesson, slip.figure.setting), Prints({}, ()))
            found[key] = Prints(by_node, (*slips_there, slip))
    return found


def figure_for(lesson: str, setting: str, node: str, shape: tuple[int, ...] | None = None) -> Figure | None:
    """What the references print for a node in a lesson's setting; the most exact print, where there are several.

    Parameters
    ----------
    lesson, setting, node : str
    shape : tuple of int or None
        Shape of the node or slice as it is now: with another number of words, or another layout, the print is of other
        cells.
    """
    found = prints_in(lesson, setting).figures.get(node, ())
    fitting = (f for f in found if shape in (None, f.values.shape) or f.cell is not None)
    return max(fitting, key=lambda figure: (figure.cell is None, figure.decimals.mean()), default=None)


def slips_at(lesson: str, setting: str, nodes: Collection[str]) -> tuple[Slip, ...]:
    """The slips of the references beside these nodes, in a lesson's setting."""
    found = prints_in(lesson, setting).slips
    return tuple(slip for slip in found if slip.figure and slip.figure.node in nodes)


def reference_from(top: Table) -> Reference:
    """The reference that a file's table describes."""
    top.has_only("reference", "title", "lesson", "figure", "slip")
    id, lesson = top.text("reference"), top.text("lesson")
    known: dict[str, Figure] = {}
    all_figures: list[Figure] = []
    for table in top.tables("figure"):
        table.has_only("id", "title", "section", *_COMPUTED, "retyped")
        figure = _figure(table, id, lesson, known)
        if figure.id in known:
            table.fail("id", f"'{figure.id}' stands above already", "each figure has an id of its own")
        pins = _retyped(table, known)
        known[figure.id] = figure
        all_figures.append(figure)
        if pins:
            title = f"{figure.title}, from the numbers as retyped"
            pinned = {**figure.pins, **pins}
            all_figures.append(replace(figure, id=f"{figure.id}-retyped", title=title, units=0, why="", pins=pinned))
    slips = tuple(_slip(table, id, lesson, known) for table in top.tables("slip"))
    return Reference(id, top.text("title"), tuple(all_figures), slips)


_COMPUTED = (
    *("lesson", "setting", "node", "values", "decimals", "cell", "units", "why", "note"),
    *("switches", "inputs", "pins"),
)


def _figure(table: Table, reference: str, lesson: str, known: Mapping[str, Figure], slip: bool = False) -> Figure:
    values = table.array("values", gaps=True)
    if np.isnan(values).all():
        table.fail("values", "holds no number", "write what is printed, and nan where nothing is")
    decimals = _whole(table, "decimals") if "decimals" in table else None
    if decimals is None:
        table.fail("decimals", "is missing", "say how many decimals the print vouches for")
    if decimals.shape not in ((), values.shape):
        table.fail("decimals", "has another shape than the values", "write one number, or one for each value")
    cell = tuple(int(i) for i in _whole(table, "cell")) if "cell" in table else None
    if cell is not None and values.shape:
        table.fail("values", "is a table, but one cell is named", "write one number, or leave out the cell")
    units, why = table.number("units", default=0, least=0, most=100), table.text("why", default="", most=MOST_TEXT)
    if bool(units) != bool(why):
        table.fail("units", "needs a reason, and only then", "give both `units` and `why`, or neither")
    switches = table.table("switches")
    return Figure(
        "" if slip else table.text("id"),
        "" if slip else table.text("title"),
        reference,
        "" if slip else table.text("section"),
        table.text("lesson", default=lesson),
        table.text("setting", default="printed"),
        table.text("node"),
        frozen(values),
        frozen(np.broadcast_to(decimals, values.shape).copy()),
        cell,
        units,
        why,
        table.text("note", default="", most=MOST_TEXT),
        {key: switches.data[key] for key in switches},
        _arrays(table.table("inputs")),
        _arrays(table.table("pins")),
    )


def _retyped(table: Table, known: Mapping[str, Figure]) -> dict[str, Array]:
    """Pins that put printed tables in place of what was computed, as the reference does when it types them again."""
    pins: dict[str, Array] = {}
    for id in table.words("retyped") if "retyped" in table else ():
        if id not in known:
            table.fail("retyped", f"there is no figure '{id}' above", likeliest(id, known, "there are"))
        pins[known[id].node] = known[id].values
    return pins


def _slip(table: Table, reference: str, lesson: str, known: Mapping[str, Figure]) -> Slip:
    table.has_only("section", "printed", "right", "how", "figure", "check", "wrong")
    section = table.text("section")
    figure = None
    if "figure" in table:
        figure = known[table.one_of("figure", known)]
    if "check" in table:
        check = table.table("check")
        check.has_only(*_COMPUTED, "retyped")
        figure = replace(_figure(check, reference, lesson, known, slip=True), title=section, section=section)
        figure = replace(figure, pins={**figure.pins, **_retyped(check, known)})
    wrong = frozen(table.array("wrong", gaps=True)) if "wrong" in table else None
    if wrong is not None and (figure is None or wrong.shape != figure.values.shape):
        table.fail("wrong", "has nothing of its shape beside it", "name the figure with the right numbers")
    printed, right, how = (table.text(key, most=MOST_TEXT) for key in ("printed", "right", "how"))
    return Slip(reference, section, printed, right, how, figure, wrong)


def _arrays(table: Table) -> dict[str, Array]:
    return {key: frozen(table.array(key)) for key in table}


def _whole(table: Table, key: str) -> Array:
    array = table.array(key)
    if np.any(array != array.astype(np.int64)) or np.any(array < 0):
        table.fail(key, "holds a number that is not whole", "write whole numbers from 0")
    return array.astype(np.int64)
