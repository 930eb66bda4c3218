import numpy as np
import pytest
from PySide6.QtCore import Qt

from explorer.core.numbers import read_number, written
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.matrix.model import PLAIN, SHARES, SIGNED, MatrixModel

Role = Qt.ItemDataRole


@pytest.fixture
def document():
    return Document(load("you-are-welcome").state())


@pytest.fixture
def model(qapp, document):
    made = []

    def make(name, of=document):
        made.append(MatrixModel(of, name))
        return made[-1]

    yield make
    for one in made:
        one.deleteLater()


def texts(model):
    return [[model.index(i, j).data() for j in range(model.columnCount())] for i in range(model.rowCount())]


def test_the_numbers_of_a_matrix_have_the_same_decimals(model):
    assert texts(model("source.table"))[0] == ["0.1", "0.2", "−0.1", "0.4"]
    assert texts(model("source.H"))[1] == ["0.54", "1.50", "0.10", "0.80"]
    assert texts(model("encoder.1.self.W_O"))[0] == ["0.377", "0.833", "0.373", "0.146"]


def test_a_heads_slice_is_a_matrix_of_its_own(model, document):
    whole = document.engine.values["encoder.1.self.W_Q"]
    for head in (1, 2):
        one = model(f"encoder.1.self.head.{head}.W_Q")
        assert (one.rowCount(), one.columnCount()) == whole.shape[1:]
        assert texts(one) == [[written(v, one.decimals) for v in row] for row in whole[head - 1].tolist()]


def test_a_vector_is_one_row_and_a_number_one_cell(model):
    vector, single = model("encoder.1.ffn.b_1"), model("output.temperature")
    assert (vector.rowCount(), vector.columnCount()) == (1, 6)
    assert (single.rowCount(), single.columnCount()) == (1, 1)
    assert vector.cell(0, 4) == (4,)
    assert single.cell(0, 0) == ()
    assert texts(single) == [["1.0"]]


def test_labels_are_words_and_dimensions(model):
    shown = model("source.X")
    horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [shown.headerData(i, vertical, Role.DisplayRole) for i in range(3)] == ["You", "are", "welcome"]
    assert [shown.headerData(j, horizontal, Role.DisplayRole) for j in range(4)] == ["1", "2", "3", "4"]
    assert shown.headerData(7, vertical, Role.DisplayRole) is None
    assert shown.headerData(0, vertical, Role.DecorationRole) is None


def test_the_tooltip_has_every_digit(model, document):
    shown = model("encoder.1.self.head.1.weights")
    index = shown.index(1, 2)
    value = document.engine.values["encoder.1.self.weights"][0, 1, 2].item()
    assert len(index.data()) < 8
    assert float(index.data(Role.ToolTipRole)) == value
    assert model("source.table").index(0, 2).data(Role.ToolTipRole) == "−0.1"


def test_what_a_screen_reader_says_names_the_cell(model):
    assert model("source.table").index(0, 2).data(Role.AccessibleTextRole) == "You → 3: −0.1"
    assert model("encoder.1.ffn.b_1").index(0, 0).data(Role.AccessibleTextRole).endswith("1: 0.010")


def test_numbers_stand_at_the_right(model):
    align = Qt.AlignmentFlag(model("source.table").index(0, 0).data(Role.TextAlignmentRole))
    assert align & Qt.AlignmentFlag.AlignRight
    assert model("source.table").index(0, 0).data(Role.DecorationRole) is None


def test_only_inputs_are_editable_without_a_pin(model):
    assert model("source.table").editable
    assert model("encoder.1.self.head.2.W_K").editable
    assert not model("source.X").editable
    assert not model("encoder.1.self.head.2.K").editable


def test_what_stands_for_what(model, document):
    document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    coloring = {n: model(f"decoder.1.self.{n}").coloring for n in ("weights", "scores", "masked", "Q", "W_Q")}
    assert coloring == {"weights": SHARES, "scores": SIGNED, "masked": SIGNED, "Q": PLAIN, "W_Q": PLAIN}


def test_masked_cells_and_what_is_no_number(model, document):
    document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    masked = model("decoder.1.self.head.1.masked")
    assert [row.count("−∞") for row in texts(masked)] == [2, 1, 0]
    assert np.isfinite(masked.limit)
    document.do(SetCells("source.table", {(0, 0): np.nan, (0, 1): np.inf}))
    assert texts(model("source.table"))[0][:2] == ["NaN", "∞"]


def test_tiny_and_huge_numbers_are_not_shown_as_something_else(model, document):
    document.do(SetCells("source.table", {(0, 0): 2e-8, (0, 1): 0.0, (0, 2): -0.25}))
    assert texts(model("source.table"))[0][:3] == ["2e−8", "0.000", "−0.250"]
    document.do(SetCells("source.table", {(0, 0): 1e300}))
    assert texts(model("source.table"))[0][0] == "1e300"


def test_it_follows_the_engine_once_told(model, document):
    shown = model("source.X")
    told = []
    shown.dataChanged.connect(lambda a, b: told.append((a.row(), a.column(), b.row(), b.column())))
    assert shown.text(0, 0) == "0.1"
    document.do(SetCells("source.table", {(0, 0): 2.5}))
    shown.tell()
    assert shown.text(0, 0) == "2.5"
    assert told == [(0, 0, 2, 3)]


def test_it_follows_shape_and_labels(model, document):
    shown = model("source.X")
    document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    shown.show("source.X")
    assert shown.rowCount() == 4
    assert shown.headerData(2, Qt.Orientation.Vertical, Role.DisplayRole) == "very"


def test_pinned_cells_are_known(model):
    first, second = (model(f"encoder.1.self.head.{k}.output") for k in (1, 2))
    assert not first.pinned(0, 0)
    assert all(second.pinned(i, j) for i in range(3) for j in range(4))
    assert not model("source.X").pinned(0, 0)


def test_what_is_shown_for_editing_can_be_typed_back(model, document):
    values = [1 / 3, -2e-17, 1e300, np.inf, -np.inf, 0.0]
    shown = model("source.table")
    for value in values:
        document.do(SetCells("source.table", {(0, 0): value}))
        assert read_number(shown.index(0, 0).data(Role.EditRole)) == value
