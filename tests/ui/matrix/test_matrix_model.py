import pytest
from PySide6.QtCore import Qt

from explorer.document.commands import SetTokens
from explorer.pages.matrix import matrix
from explorer.ui.matrix.view import MatrixView

Role = Qt.ItemDataRole


@pytest.fixture
def shown(bench, qtbot):
    """A matrix of the document in a view, and the table behind it."""

    def show(name):
        view = MatrixView(bench, matrix(bench.view, name))
        qtbot.addWidget(view)
        return view

    return show


def test_labels_are_headers(shown):
    table = shown("source.X").table
    horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [table.headerData(i, vertical, Role.DisplayRole) for i in range(3)] == ["You", "are", "welcome"]
    assert [table.headerData(j, horizontal, Role.DisplayRole) for j in range(4)] == ["1", "2", "3", "4"]
    assert table.headerData(7, vertical, Role.DisplayRole) is None
    assert table.headerData(0, vertical, Role.DecorationRole) is None


def test_what_a_screen_reader_says_names_the_cell(shown):
    assert (
        shown("source.table").table.index(0, 2).data(Role.AccessibleTextRole) == "table, row You, column 3, −0.1, yours"
    )
    assert shown("encoder.1.ffn.b_1").table.index(0, 0).data(Role.AccessibleTextRole) == "b_1, column 1, 0.010, yours"


def test_the_tooltip_and_the_editor_have_every_digit(shown):
    index = shown("encoder.1.self.head.1.weights").table.index(1, 2)
    assert len(index.data(Role.ToolTipRole)) > len(index.data())
    assert index.data(Role.EditRole) == index.data(Role.ToolTipRole)
    assert index.data(Role.DecorationRole) is None


def test_other_numbers_are_told_and_another_shape_is_a_reset(shown, bench):
    view = shown("source.X")
    told, reset = [], []
    view.table.dataChanged.connect(lambda a, b: told.append((a.row(), a.column(), b.row(), b.column())))
    view.table.modelReset.connect(lambda: reset.append(view.table.rowCount()))
    view.tell(matrix(bench.view, "source.H"))
    assert (told, reset) == ([(0, 0, 2, 3)], [])
    bench.document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    view.tell(matrix(bench.view, "source.X"))
    assert reset == [4]
    assert view.table.headerData(2, Qt.Orientation.Vertical) == "very"
