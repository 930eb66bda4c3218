"""Reading the files of the references."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from explorer.core.ops import Array
from explorer.document.state import frozen
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest
from explorer.lessons.references import Cited, Claim, Descent, Figure, Reference, Slip

PARTS = ("value", "gradient", "shape", "factors", "terms")
"""What of a node can be printed."""


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
        frozen(values),
        frozen(np.broadcast_to(decimals, values.shape).copy()),
        cell if worked is None else None,
        units,
        why,
        table.text("note", default="", most=MOST_TEXT),
        {key: switches.data[key] for key in switches},
        _arrays(table.table("inputs")),
        _arrays(table.table("pins")),
        part,
        _descent(table.table("descent")),
        _sections(table),
        worked,
        table.flag("second", False),
    )


def _descent(table: TomlTable) -> Descent | None:
    if not len(table):
        return None
    table.has_only("node", "rate", "steps")
    return Descent(table.text("node"), table.real("rate", 0.01, 0.0, 10.0), table.number("steps", 1, 1, 10_000))


def _sections(table: TomlTable) -> tuple[str, ...]:
    return table.words("again") if "again" in table else ()


def _retyped(table: TomlTable, known: Mapping[str, Figure]) -> dict[str, Array]:
    """Pins that put printed tables in place of what was computed, as the reference does when it types them again."""
    pins: dict[str, Array] = {}
    for id in table.words("retyped") if "retyped" in table else ():
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
    wrong = frozen(table.array("wrong", gaps=True)) if "wrong" in table else None
    if wrong is not None and (figure is None or wrong.shape != figure.values.shape):
        table.fail("wrong", "has nothing of its shape beside it", "name the figure with the right numbers")
    printed, right, how = (table.text(key, most=MOST_TEXT) for key in ("printed", "right", "how"))
    worded, again = table.flag("worded", False), _sections(table)
    return Slip(reference, section, printed, right, how, figure, wrong, worded, again)


def _cited(table: TomlTable, reference: str) -> Cited:
    table.has_only("section", "title", "values", "source", "again")
    values, source = table.words("values"), table.text("source", most=MOST_TEXT)
    return Cited(reference, table.text("section"), table.text("title"), values, source, _sections(table))


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
    return {key: frozen(table.array(key)) for key in table}


def _whole(table: TomlTable, key: str) -> Array:
    array = table.array(key)
    if np.any(array != array.astype(np.int64)) or np.any(array < 0):
        table.fail(key, "holds a number that is not whole", "write whole numbers from 0")
    return array.astype(np.int64)
