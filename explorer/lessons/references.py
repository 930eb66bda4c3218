"""The numbers that the references print, with the nodes that compute them, and the errors ("slips") found in print.

The second half reads the files of the references.
"""

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from explorer import paths
from explorer.core.cell import is_cell_of
from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.document.state import read_only
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, read
from explorer.lessons.schema import Cell


class Figure(Frozen, eq=False):
    """A printed table, or a printed number, and the node that should compute it."""

    id: str  # unique within its reference; other entries refer to the figure by it
    title: str  # what it shows
    reference: str  # number of the reference, such as "004"
    section: str  # where it stands in the reference
    # `lesson`, `setting`: the lesson and the setting that compute it.
    lesson: str
    setting: str
    node: str  # name of the node, or of a head's slice of it
    values: Array  # as printed; NaN in cells that are not printed
    # How many decimals of each value are exact in print, in the shape of `values`. This may be more than the visible
    # decimals, because numpy does not print zeros at the end.
    decimals: Array
    cell: Cell | None = None  # the only printed cell of the node, if only one is printed
    # How many units of the last decimal the computed value may be off beyond rounding; 0 unless `why` gives a reason.
    units: int = 0
    why: str = ""  # the reason: where the reference continued with a rounded number
    note: str = ""  # what the table really shows, if that is not obvious
    switches: Mapping[str, Any] = field(default_factory=dict)  # "BLOCK.NAME" to a choice made only for this figure
    # `inputs`, `pins`: values of input nodes, and of computed nodes, set only for this figure.
    inputs: Mapping[str, Array] = field(default_factory=dict)
    pins: Mapping[str, Array] = field(default_factory=dict)
    # What is printed of the node: its "value", its "gradient", its "shape" or, in a worked line, the "factors" or the
    # "terms" of the derivation of the cell, in reading order.
    part: str = "value"
    descent: "Descent | None" = None  # steps of gradient descent taken before
    # Sections where the same numbers are printed again; a section may be listed several times.
    again: tuple[str, ...] = ()
    worked: Cell | None = None  # the cell whose derivation is printed, if `part` is "factors" or "terms"
    second: bool = False  # whether another figure has the same print, and this one computes it in a second way

    @property
    def plain(self) -> bool:
        """Whether the lesson's setting computes the value as it is, without the figure's own switches or numbers."""
        return not (self.switches or self.inputs or self.pins or self.descent) and self.part == "value"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The indices of the printed numbers in `values`, row by row."""
        return _printed_cells(self.values)

    def in_node(self, at: Cell) -> Cell:
        """The cell of the node that an index in `values` is about."""
        if self.part == "shape":
            return tuple(0 for _ in at) + (0,) * (len(self.values) - len(at))
        return self.worked or self.cell or at

    def printed(self, cell: Cell) -> str | None:
        """The number printed for a cell of the node; None if there is none."""
        value, _ = self._at(cell)
        return None if value is None else np.format_float_positional(value, trim="-")

    def rounded(self, cell: Cell, computed: float) -> str:
        """A computed value with as many decimals as are exact in print for that cell."""
        _, decimals = self._at(cell)
        return np.format_float_positional(np.round(computed, decimals), trim="-")

    def agrees_at(self, cell: Cell, computed: float) -> bool:
        """Whether a computed value agrees with the number printed for the cell."""
        value, decimals = self._at(cell)
        return value is not None and bool(np.all(units_off(computed, value, decimals) <= self.units + SLACK))

    def off(self, computed: Array) -> Array:
        """By how many units of the last printed decimal computed values are off beyond rounding; 0 if they agree."""
        return units_off(computed, self.values, self.decimals)

    def agrees(self, computed: Array) -> bool:
        """Whether all computed values agree with the print."""
        return bool(np.all(self.off(computed) <= self.units + SLACK))

    def _at(self, cell: Cell) -> tuple[Any, int]:
        if self.cell is not None:
            return (self.values[()], int(self.decimals[()])) if cell == self.cell else (None, 0)
        inside = is_cell_of(cell, self.values.shape) and not np.isnan(self.values[cell])
        return (self.values[cell], int(self.decimals[cell])) if inside else (None, 0)


def _printed_cells(values: Array) -> tuple[Cell, ...]:
    return tuple(cell for cell in np.ndindex(values.shape) if not np.isnan(values[cell]))


def units_off(computed: Any, printed: Any, decimals: Any) -> Array:
    """By how many units of the last printed decimal computed values are off beyond rounding; 0 for unprinted cells."""
    # Half a unit counts as rounding, whichever way a tie was rounded.
    off = np.maximum(np.abs(np.subtract(computed, printed)) * 10.0 ** np.asarray(decimals) - 0.5, 0)
    return np.where(np.isnan(printed), 0, off)


class Descent(Frozen):
    """Steps of plain gradient descent."""

    node: str  # the input that moves
    rate: float
    steps: int


SLACK = 1e-3
"""A tolerance in units of the last decimal: 12 decimals of a number such as 8.3 are the limit of float64."""


class Slip(Frozen, eq=False):
    """An error in print: a place where a reference prints something else than it means."""

    # `reference`, `section`: where it is printed.
    reference: str
    section: str
    # `printed`, `right`, `how`: the printed words or numbers, the right ones, and how we know.
    printed: str
    right: str
    how: str
    figure: Figure | None = None  # the right numbers, if a node computes them
    wrong: Array | None = None  # the printed numbers, in the shape of the figure's; they must not agree with the node
    worded: bool = False  # whether `wrong` follows from words of the reference, and is not printed itself
    again: tuple[str, ...] = ()  # sections where the same numbers are printed again

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The indices of the printed numbers in `wrong`, row by row."""
        return () if self.wrong is None else _printed_cells(self.wrong)


class Cited(Frozen):
    """Numbers that a reference takes from elsewhere, or that nothing here computes."""

    reference: str
    section: str
    title: str
    values: tuple[str, ...]  # as printed
    source: str  # where they are from
    again: tuple[str, ...] = ()  # sections where they are printed again


class Claim(Frozen):
    """A sentence of a reference, in our words, that numbers of a model can refute."""

    reference: str
    section: str
    says: str
    lesson: str
    setting: str
    goal: str  # what must hold for the model if the sentence is right, in the language of `explorer.lessons.answers`
    holds: bool  # whether it holds
    why: str = ""  # what the numbers show instead, if it does not hold
    switches: Mapping[str, Any] = field(default_factory=dict)  # "BLOCK.NAME" to a choice made only for this claim


class Reference(Frozen, eq=False):
    """One of the texts that the examples are from."""

    id: str  # its number, such as "004"
    title: str
    figures: tuple[Figure, ...]
    slips: tuple[Slip, ...]
    cited: tuple[Cited, ...] = ()
    claims: tuple[Claim, ...] = ()


@cache
def all_references() -> tuple[Reference, ...]:
    """All references that examples are from.

    Raises `ExplorerError`: "lesson-key" and the like if a file is not valid.
    """
    files = sorted((paths.resources() / "references").glob("[0-9]*.toml"))
    return tuple(reference_from(read(file)) for file in files)


def figures() -> tuple[Figure, ...]:
    """All printed tables, in the order of the references."""
    return tuple(figure for reference in all_references() for figure in reference.figures)


def slips() -> tuple[Slip, ...]:
    """All slips, in the order of the references."""
    return tuple(slip for reference in all_references() for slip in reference.slips)


class Prints(NamedTuple):
    """The figures and slips of the references for one setting of a lesson."""

    figures: Mapping[str, tuple[Figure, ...]]  # by node, the figures that the setting computes as it is (`plain`)
    slips: tuple[Slip, ...]  # the slips that have a node


def prints_in(lesson: str, setting: str) -> Prints:
    """The prints of a lesson's setting, by a fast look-up, because each edit needs them."""
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
    """The print of a node in a lesson's setting; the most exact one if there are several.

    `shape`: the present shape of the node or slice. With another number of words or another layout, the print does not
    fit its cells.
    """
    found = prints_in(lesson, setting).figures.get(node, ())
    fitting = (f for f in found if shape in (None, f.values.shape) or f.cell is not None)
    return max(fitting, key=lambda figure: (figure.cell is None, figure.decimals.mean()), default=None)


def slips_at(lesson: str, setting: str, nodes: Collection[str]) -> tuple[Slip, ...]:
    """The slips of the references at these nodes, in a lesson's setting."""
    found = prints_in(lesson, setting).slips
    return tuple(slip for slip in found if slip.figure and slip.figure.node in nodes)


PARTS = ("value", "gradient", "shape", "factors", "terms")
"""What can be printed of a node: see `Figure.part`."""


def reference_from(top: TomlTable) -> Reference:
    """The reference that a file's table describes."""
    top.has_only("reference", "title", "lesson", "figure", "slip", "cited", "claim")
    id, lesson = top.text("reference"), top.text("lesson")
    known: dict[str, Figure] = {}
    all_figures: list[Figure] = []
    for table in top.tables("figure"):
        table.has_only("id", "title", "section", *_COMPUTED, "retyped", "again", "second")
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
    cited = tuple(_cited(table, id) for table in top.tables("cited"))
    claims = tuple(_claim(table, id, lesson) for table in top.tables("claim"))
    return Reference(id, top.text("title"), tuple(all_figures), slips, cited, claims)


_COMPUTED = (
    *("lesson", "setting", "node", "values", "decimals", "cell", "units", "why", "note"),
    *("switches", "inputs", "pins", "part", "descent"),
)


def _figure(table: TomlTable, reference: str, lesson: str, known: Mapping[str, Figure], slip: bool = False) -> Figure:
    values = table.array("values", gaps=True)
    if np.isnan(values).all():
        table.fail("values", "holds no number", "write what is printed, and nan where nothing is")
    decimals = _whole(table, "decimals") if "decimals" in table else None
    if decimals is None:
        table.fail("decimals", "is missing", "say how many decimals the print vouches for")
    if decimals.shape not in ((), values.shape):
        table.fail("decimals", "has another shape than the values", "write one number, or one for each value")
    cell = tuple(int(i) for i in _whole(table, "cell")) if "cell" in table else None
    part = table.one_of("part", PARTS, default="value")
    worked = cell if part in ("factors", "terms") else None
    if worked is None and part in ("factors", "terms"):
        table.fail("part", "is of a derivation, but no cell is named", "name the cell that is derived")
    if cell is not None and worked is None and values.shape:
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
        read_only(values),
        read_only(np.broadcast_to(decimals, values.shape).copy()),
        cell if worked is None else None,
        units,
        why,
        table.text("note", default="", most=MOST_TEXT),
        {key: switches.data[key] for key in switches},
        _arrays(table.table("inputs")),
        _arrays(table.table("pins")),
        part,
        _descent(table.table("descent")),
        table.words("again", ()),
        worked,
        table.flag("second", False),
    )


def _descent(table: TomlTable) -> Descent | None:
    if not len(table):
        return None
    table.has_only("node", "rate", "steps")
    return Descent(table.text("node"), table.real("rate", 0.01, 0.0, 10.0), table.number("steps", 1, 1, 10_000))


def _retyped(table: TomlTable, known: Mapping[str, Figure]) -> dict[str, Array]:
    """Pins to the printed tables, for a reference that typed its own rounded results in again."""
    pins: dict[str, Array] = {}
    for id in table.words("retyped", ()):
        if id not in known:
            table.fail("retyped", f"there is no figure '{id}' above", likeliest(id, known, "there are"))
        pins[known[id].node] = known[id].values
    return pins


def _slip(table: TomlTable, reference: str, lesson: str, known: Mapping[str, Figure]) -> Slip:
    table.has_only("section", "printed", "right", "how", "figure", "check", "wrong", "worded", "again")
    section = table.text("section")
    figure = None
    if "figure" in table:
        figure = known[table.one_of("figure", known)]
    if "check" in table:
        check = table.table("check")
        check.has_only(*_COMPUTED, "retyped")
        figure = replace(_figure(check, reference, lesson, known, slip=True), title=section, section=section)
        figure = replace(figure, pins={**figure.pins, **_retyped(check, known)})
    wrong = read_only(table.array("wrong", gaps=True)) if "wrong" in table else None
    if wrong is not None and (figure is None or wrong.shape != figure.values.shape):
        table.fail("wrong", "has nothing of its shape beside it", "name the figure with the right numbers")
    printed, right, how = (table.text(key, most=MOST_TEXT) for key in ("printed", "right", "how"))
    worded, again = table.flag("worded", False), table.words("again", ())
    return Slip(reference, section, printed, right, how, figure, wrong, worded, again)


def _cited(table: TomlTable, reference: str) -> Cited:
    table.has_only("section", "title", "values", "source", "again")
    values, source = table.words("values"), table.text("source", most=MOST_TEXT)
    return Cited(reference, table.text("section"), table.text("title"), values, source, table.words("again", ()))


def _claim(table: TomlTable, reference: str, lesson: str) -> Claim:
    table.has_only("section", "says", "lesson", "setting", "goal", "holds", "why", "switches")
    holds, why = table.flag("holds", True), table.text("why", default="", most=MOST_TEXT)
    if holds == bool(why):
        table.fail("why", "says what is wrong with a claim", "give it where `holds` is false, and only there")
    switches = table.table("switches")
    return Claim(
        reference,
        table.text("section"),
        table.text("says", most=MOST_TEXT),
        table.text("lesson", default=lesson),
        table.text("setting", default="printed"),
        table.text("goal", most=MOST_TEXT),
        holds,
        why,
        {key: switches.data[key] for key in switches},
    )


def _arrays(table: TomlTable) -> dict[str, Array]:
    return {key: read_only(table.array(key)) for key in table}


def _whole(table: TomlTable, key: str) -> Array:
    array = table.array(key)
    if np.any(array != array.astype(np.int64)) or np.any(array < 0):
        table.fail(key, "holds a number that is not whole", "write whole numbers from 0")
    return array.astype(np.int64)
