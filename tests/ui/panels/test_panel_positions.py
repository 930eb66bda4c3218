"""Positions: the model's own numbers, and true numbers beyond them."""

import numpy as np
import pytest
from explorer.ui.widgets.note import Note
from PySide6.QtWidgets import QCheckBox, QSpinBox

from explorer.core.ops.positions import exponents, position_encoding
from explorer.document.commands import PinCells, SetSwitch, SetTokens
from explorer.ui.page.listing import Listing
from explorer.ui.selection import Cell

STAGE = "source.positions"


@pytest.fixture
def document(window, eye):
    window.bench.document.do(SetSwitch("source", "positions", "sinusoidal"))
    eye.settle(window)
    return window.bench.document


@pytest.fixture
def panel(window, document, eye):
    return eye.go_to(window, STAGE)


def maps(panel):
    """The encoding, and how alike positions are."""
    from explorer.ui.widgets.signed_map import SignedMap

    return panel.findChildren(SignedMap)


def curves(panel):
    from explorer.ui.widgets.curves import Curves

    (found,) = panel.findChildren(Curves)
    return found


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def exponents_shown(panel):
    (listing,) = panel.findChildren(Listing)
    rows = listing.rows
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def test_the_sum_and_the_pictures_show_the_engines_numbers(window, panel, eye):
    assert {"source.X", "source.PE", "source.H", "source.likeness"} <= eye.views(window).keys()
    encoding, likeness = maps(panel)
    assert encoding.sheet.own == (3, 4)
    np.testing.assert_array_equal(encoding.sheet.array[:3], eye.value(window, "source.PE"))
    np.testing.assert_array_equal(encoding.sheet.array, position_encoding(40, 4, "paper"))
    np.testing.assert_allclose(likeness.sheet.array[:3, :3], eye.value(window, "source.likeness"), rtol=1e-12)


def test_likeness_is_the_product_of_the_encoding_with_itself(window, panel, eye):
    PE = eye.value(window, "source.PE")
    np.testing.assert_array_equal(eye.value(window, "source.likeness"), PE @ PE.T)


def test_more_positions_and_dimensions_are_what_the_formula_gives(window, panel, eye):
    positions, dimensions = (
        eye.by_name(panel, f"Draw so many {what}", QSpinBox) for what in ("positions", "dimensions")
    )
    positions.setValue(512)
    dimensions.setValue(512)
    encoding, likeness = maps(panel)
    np.testing.assert_array_equal(encoding.sheet.array, position_encoding(512, 512, "paper"))
    assert likeness.sheet.array.shape == (512, 512)
    assert likeness.sheet.own == (0, 0)  # other dimensions: none of these numbers is the model's
    assert "other numbers" in notes(panel)
    assert window.bench.document.engine.values["source.PE"].shape == (3, 4)


def test_the_models_own_part_alone(window, panel, eye):
    own = next(box for box in panel.findChildren(QCheckBox) if "own" in box.text())
    own.setChecked(True)
    encoding, likeness = maps(panel)
    assert encoding.sheet.array is window.bench.document.engine.values["source.PE"]
    assert likeness.sheet.array is window.bench.document.engine.values["source.likeness"]
    assert "that is what is drawn" in notes(panel)


def test_a_pinned_cell_is_drawn_too(window, panel, eye):
    window.bench.document.do(PinCells("source.PE", {(1, 2): 0.5}))
    eye.settle(window)
    assert maps(panel)[0].sheet.array[1, 2] == 0.5


def test_curves_carry_the_positions_of_the_words(window, panel, eye):
    drawing = curves(panel).drawing
    assert [curve.name for curve in drawing.curves] == ["1", "2", "3", "4"]
    assert [curve.dashed for curve in drawing.curves] == [False, True, False, True]
    PE = eye.value(window, "source.PE")
    assert {(dot.x, dot.y) for dot in drawing.dots} == {(i, PE[i, j]) for i in range(3) for j in range(4)}


def test_other_dimensions_as_curves(panel, eye):
    first = next(spin for spin in panel.findChildren(QSpinBox) if "from" in spin.accessibleName())
    first.setValue(3)
    assert [curve.name for curve in curves(panel).drawing.curves] == ["3", "4"]


def test_the_pointed_cell_stands_out_on_its_curve(window, panel, eye):
    window.bench.selection.point(Cell("source.PE", (2, 1)))
    (here,) = [dot for dot in curves(panel).drawing.dots if dot.here]
    assert (here.x, here.y) == (2, eye.value(window, "source.PE")[2, 1])


@pytest.mark.parametrize(
    ("kind", "title", "column"), [("paper", "paper", 2), ("004", "printed", 3), ("004-script", "script", 4)]
)
def test_exponents_side_by_side_and_which_are_in_use(window, document, panel, eye, kind, title, column):
    value = "sinusoidal" if kind == "paper" else kind
    document.do(SetSwitch("source", "positions", value))
    eye.settle(window)
    texts = exponents_shown(panel)
    assert [row[1] for row in texts] == ["sine", "cosine", "sine", "cosine"]
    for j, row in enumerate(texts):
        for at, which in ((2, "paper"), (3, "004"), (4, "004-script")):
            assert float(row[at]) == pytest.approx(exponents(4, which)[j], abs=1e-4)
    (listing,) = panel.findChildren(Listing)
    used = [c.title for c in listing.rows.columns if "in use)" in c.title]
    assert len(used) == 1
    assert title in used[0]
    assert not listing.rows.muted(0, column)
    np.testing.assert_array_equal(maps(panel)[0].sheet.array, position_encoding(40, 4, kind))


def test_a_typed_table_has_no_formula(window, document, panel, eye):
    document.do(SetSwitch("source", "positions", "table"))
    eye.settle(window)
    assert not panel.findChildren(Listing)
    assert maps(panel)[0].sheet.array is document.engine.values["source.PE"]
    assert "no formula" in notes(panel)


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, document, panel, eye, count):
    document.do(SetTokens("source", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    encoding, likeness = maps(panel)
    assert encoding.sheet.own == (count, 4)
    np.testing.assert_array_equal(encoding.sheet.array[:count], document.engine.values["source.PE"])
    assert likeness.sheet.own == (count, count)
    assert not window.grab().isNull()


def test_pictures_are_said_in_words(panel):
    encoding, likeness = maps(panel)
    assert "40 positions in 4 dimensions" in encoding.accessibleName()
    assert "0 and 1" in likeness.accessibleName()
    assert "dimensions 1, 2" in curves(panel).accessibleName()


def test_of_very_many_waves_a_few_are_drawn(window, panel, eye):
    from explorer.ui.widgets.curves import Curves

    (picture,) = panel.findChildren(Curves)
    panel.view.resize((512, 512))
    panel._redraw()
    # Dimensions 1 to 4 have waves of less than 7 positions.
    assert {len(curve.x) for curve in picture.drawing.curves} == {40}
    assert "Of 512 positions the first 40" in " ".join(note.text() for note in panel.findChildren(Note))
    panel.view.resize((30, 4))
    panel._redraw()
    assert {len(curve.x) for curve in picture.drawing.curves} == {30}
