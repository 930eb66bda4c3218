"""What a matrix looks like, and what lights up in it."""

from itertools import product

import numpy as np
import pytest
from pixels import colours, pixels
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QHeaderView, QToolTip

from explorer.core.graph import Cell
from explorer.core.model import Model
from explorer.document.commands import PinCells, Release, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.export.colours import contrast
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.matrix import Matrix, matrix
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import MAP, MOST_ROWS
from explorer.ui.matrix.model import RIGHT
from explorer.ui.matrix.view import MatrixView
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge
from explorer.ui.workbench import Workbench

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

HORIZONTAL, VERTICAL = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
SELF = "encoder.1.self."
HEAD = "encoder.1.self.head.1."


@pytest.fixture
def bench_on(qtbot, appearance):
    """What views of a document need, without a window."""
    made = []

    def make(state, lesson=None):
        document = Document(state)
        bridge, selection = Bridge(document), Selection(document)
        made.extend([bridge, selection])
        return Workbench(document, bridge, selection, appearance, lesson or load("you-are-welcome"))

    yield make
    for one in made:
        one.deleteLater()


@pytest.fixture
def bench(bench_on):
    return bench_on(load("you-are-welcome").state())


@pytest.fixture
def show(qtbot, bench):
    """A view of a node by itself on the screen."""

    def it(name, of=bench):
        view = MatrixView(of, matrix(of.view, name))
        qtbot.addWidget(view)
        with qtbot.waitExposed(view):
            view.show()
        return view

    return it


def tell(widget, name=""):
    """Tell a view, or a box, what its matrix is now, as its page would; or another matrix."""
    bench = (widget.view if isinstance(widget, MatrixBox) else widget).bench
    widget.tell(matrix(bench.view, name or widget.matrix.name))


@pytest.mark.parametrize("numbers", [[-1e300, 1, 0.5], [-0.5, 1e9, 2], [-0.05, -1e6, 1], [-1234.5, -0.04, 3], [np.nan]])
def test_no_number_is_wider_than_its_cell(show, bench, numbers):
    view = show("source.table")
    bench.document.do(SetCells("source.table", {(0, i): number for i, number in enumerate(numbers)}))
    tell(view)
    for column in range(len(numbers)):
        text = view.matrix.text(0, column)
        assert view.letters.across(text) + view.right_of(text) <= view.columnWidth(column), text


def picture(view):
    return view.viewport().grab().toImage()


def spot(view, row, column, right=5, down=None):
    """The colour in a cell so far from its left edge: beside the number."""
    rect = view.visualRect(view.table.index(row, column))
    return picture(view).pixelColor(rect.left() + right, rect.center().y() if down is None else rect.top() + down)


def box_around(qtbot, bench, name):
    box = MatrixBox(bench, matrix(bench.view, name))
    qtbot.addWidget(box)
    with qtbot.waitExposed(box):
        box.show()
    return box


# Looks


def test_editable_and_computed_cells_have_different_grounds(bench, show):
    theme = bench.appearance.theme
    assert spot(show("source.table"), 1, 1).name() == theme.cell_editable_bg
    assert spot(show("source.X"), 1, 1).name() == theme.cell_computed_bg
    assert theme.cell_editable_bg != theme.cell_computed_bg


def test_shares_are_deeper_the_larger_they_are(bench, show):
    view = show(f"{HEAD}weights")
    ramp = bench.appearance.theme.sequential_ramp.colors
    for i, row in enumerate(view.matrix.array.tolist()):
        for j, share in enumerate(row):
            assert spot(view, i, j) == QColor(ramp[int(share * 255)])


def test_signed_numbers_have_two_colours_around_zero(bench, show):
    view = show(f"{HEAD}scores")
    bench.document.do(SetCells("source.table", {(0, j): -9.0 for j in range(4)}))
    tell(view)
    ramp = bench.appearance.theme.diverging_ramp.colors
    assert view.matrix.array.min() < -1
    assert view.matrix.array.max() > 1
    for (i, j), value in np.ndenumerate(view.matrix.array):
        assert spot(view, i, j) == QColor(ramp[int((value / view.matrix.limit + 1) * 127.5)])
    low, high = (spot(view, *divmod(int(at), 3)) for at in (view.matrix.array.argmin(), view.matrix.array.argmax()))
    assert (low.red() > low.blue()) != (high.red() > high.blue())


def test_the_strokes_of_a_masked_cell_break_no_number(bench, show):
    bench.document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    view = show("decoder.1.self.head.1.masked")
    shown = picture(view)
    alone = QImage(shown.size(), QImage.Format.Format_ARGB32)
    alone.fill(Qt.GlobalColor.white)
    painter = QPainter(alone)
    painter.setFont(bench.appearance.fonts.number)
    for row, column in ((0, 1), (0, 2), (1, 2)):
        cell = view.visualRect(view.table.index(row, column)).adjusted(1, 1, -1, -1)
        painter.drawText(cell.adjusted(0, 0, -view.right_of("−∞"), 0), RIGHT, "−∞")
    painter.end()
    ink = (pixels(alone) >> 16 & 255) < 110
    assert ink.sum() > 30
    assert ((pixels(shown) >> 16 & 255)[ink] < 150).all()


def test_masked_cells_are_hatched_and_say_so(bench, show):
    bench.document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    view = show("decoder.1.self.head.1.masked")
    assert view.matrix.text(0, 2) == "−∞"
    masked, open_ = (view.visualRect(view.table.index(i, j)) for i, j in ((0, 2), (2, 2)))
    image = picture(view)

    def colours(rect):
        left, top = rect.left() + 4, rect.top() + 4
        return {image.pixel(left + x, top + y) for x in range(8) for y in range(20)}

    assert len(colours(masked)) > 1  # strokes and what is between them
    assert len(colours(open_)) == 1


def test_what_is_no_number_is_in_the_colour_of_errors(bench, show):
    bench.document.do(SetCells("source.table", {(0, 0): np.nan}))
    assert spot(show("source.table"), 0, 0).name() == bench.appearance.theme.error_soft
    assert spot(show("source.X"), 0, 0).name() == bench.appearance.theme.error_soft


def test_pinned_cells_have_a_corner(bench, show):
    theme = bench.appearance.theme
    view = show("source.X")
    assert spot(view, 0, 1, right=3, down=3).name() == theme.cell_computed_bg
    bench.document.do(PinCells("source.X", {(0, 1): 9.0}))
    tell(view)
    assert view.matrix.text(0, 1) == "9.0"
    assert spot(view, 0, 1, right=3, down=3).name() == theme.accent_line
    assert spot(view, 0, 0, right=3, down=3).name() == theme.cell_computed_bg


def test_the_corner_of_a_pinned_cell_is_seen_on_a_deep_ground_without_its_colour(bench, show):
    bench.document.do(PinCells(f"{SELF}weights", {(0, 1, 1): 1.0}))
    view = show(f"{HEAD}weights")
    image, cell = picture(view), view.visualRect(view.table.index(1, 1))
    ground = image.pixelColor(cell.center().x(), cell.bottom() - 4).name()
    corner = [image.pixelColor(cell.left() + x, cell.top() + y).name() for x in range(1, 10) for y in range(1, 10)]
    assert max(contrast(color, ground) for color in corner) > 3


def test_the_whole_of_a_small_matrix_is_shown(show):
    for name in ("source.table", f"{SELF}W_O", "encoder.1.ffn.b_1", "output.temperature", f"{HEAD}weights"):
        view = show(name)
        last = view.visualRect(view.table.index(view.table.rowCount() - 1, view.table.columnCount() - 1))
        assert view.viewport().rect().contains(last), name
        assert not view.verticalScrollBar().isVisible()
        assert not view.horizontalScrollBar().isVisible()


def test_a_column_grows_with_its_numbers(bench, show):
    view = show("source.table")
    before = view.columnWidth(0)
    bench.document.do(SetCells("source.table", {(0, 0): -123456.75}))
    tell(view)
    needed = view.fontMetrics().horizontalAdvance(view.matrix.text(0, 0))
    assert view.columnWidth(0) > max(before, needed)


def test_names_for_a_screen_reader(show):
    assert show("source.table").accessibleName() == "Matrix table in Source: Embeddings, 3 rows, 4 columns"
    view = show(f"{HEAD}scores")
    view.tell(matrix(view.bench.view, f"{SELF}head.2.scores"))
    assert view.accessibleName() == "Matrix scores of head 2 in Encoder 1: Self-attention, 3 rows, 3 columns"


def test_heads_that_are_joined_have_a_band_of_labels_each(show):
    view = show(f"{SELF}concat")
    assert [view.band(1, j) for j in range(8)] == [0] * 4 + [1] * 4
    assert view.band(0, 0) is None
    assert show("decoder.1.self.concat").band(1, 0) is None


def test_the_heading_has_symbol_and_shape_and_of_a_print_what_is_not_printed(qtbot, bench):
    names = ("source.table", f"{HEAD}weights", f"{SELF}head.2.W_Q")
    table, weights, query = (box_around(qtbot, bench, name) for name in names)
    caption = lambda box: box._heading.caption.text()  # noqa: E731
    assert "table" in caption(table)
    assert "3×4" in caption(table)
    assert "editable" in caption(table)
    assert "not printed" not in caption(table)
    assert "editable" not in caption(weights)
    assert "not printed" not in caption(query)
    bench.open(bench.lesson, "printed")
    tell(query)
    assert "not printed" in caption(query)
    assert weights._heading.formula.latex().startswith("A = ")
    assert table._heading.formula.latex() == bench.document.engine.graph.nodes["source.table"].symbol


def test_the_heading_says_that_the_numbers_are_gradients_or_changes(bench, qtbot):
    weights, tokens = (box_around(qtbot, bench, name) for name in (f"{HEAD}weights", "source.tokens"))
    before = weights._heading.formula.latex()
    for showing, formula in (("gradient", r"\partial L / \partial A"), ("change", r"\Delta A"), ("values", before)):
        bench.selection.show(showing)
        tell(weights)
        assert weights._heading.formula.latex() == formula
    bench.selection.show("gradient")
    tell(tokens)
    assert tokens._heading.formula.latex() == "t"  # whole numbers have none


def test_a_given_matrix_can_be_released(qtbot, bench):
    bench.open(bench.lesson, "printed")
    bench.bridge.flush()
    box = box_around(qtbot, bench, f"{SELF}head.2.output")
    assert "release" in box._heading.caption.text()
    given = box.view.matrix.array.copy()
    bench.bridge.changed.connect(lambda _: tell(box))
    box._heading.caption.linkActivated.emit("release")
    bench.bridge.flush()
    assert "release" not in box._heading.caption.text()
    assert not np.array_equal(box.view.matrix.array, given)
    bench.document.undo()
    bench.bridge.flush()
    assert "release" in box._heading.caption.text()
    assert np.array_equal(box.view.matrix.array, given)


def test_releasing_to_the_same_number_still_takes_the_corner_away(qtbot, bench):
    box = box_around(qtbot, bench, "source.X")
    bench.bridge.changed.connect(lambda _: tell(box))
    value = float(bench.document.engine.values["source.X"][0, 0])
    bench.document.do(PinCells("source.X", {(0, 0): value}))
    bench.bridge.flush()
    assert spot(box.view, 0, 0, right=3, down=3).name() == bench.appearance.theme.accent_line
    assert "release" in box._heading.caption.text()
    bench.document.do(Release("source.X"))
    bench.bridge.flush()
    assert spot(box.view, 0, 0, right=3, down=3).name() == bench.appearance.theme.cell_computed_bg
    assert "release" not in box._heading.caption.text()


# Following


def test_a_change_of_values_keeps_the_place(bench, show):
    view = show("source.table")
    view.setCurrentIndex(view.table.index(2, 1))
    bench.document.do(SetCells("source.table", {(0, 0): 7.0}))
    tell(view)
    assert (view.currentIndex().row(), view.currentIndex().column()) == (2, 1)
    assert view.matrix.array[0, 0] == 7


def test_a_change_of_shape_keeps_the_place_as_long_as_it_is_there(bench, show):
    view = show("source.X")
    view.setCurrentIndex(view.table.index(2, 1))
    for words, row in ((("You", "are", "very", "welcome"), 2), (("You", "are"), -1)):
        bench.document.do(SetTokens("source", words))
        tell(view)
        assert view.table.rowCount() == view.matrix.array.shape[0] == len(words)
        assert view.currentIndex().row() == row
        view.grab()


def test_another_head_of_the_same_matrix(bench, show):
    view = show(f"{SELF}head.1.Q")
    first = view.matrix.array.copy()
    tell(view, f"{SELF}head.2.Q")
    assert not np.array_equal(view.matrix.array, first)
    assert np.array_equal(view.matrix.array, bench.document.engine.values[f"{SELF}Q"][1])


@pytest.mark.parametrize("command", [
    SetTokens("source", ("You",)),
    SetTokens("source", ("You", "are", "so", "very", "welcome")),
    SetSwitch(SELF[:-1], "heads", 1),
    SetSwitch(SELF[:-1], "d_k", 2),
    SetSwitch(SELF[:-1], "scale", "none"),
], ids=lambda c: c.label)  # fmt: skip
def test_painting_between_an_edit_and_its_news_does_no_harm(bench, show, command):
    """Qt may paint, because something moved, before the bridge tells what has changed."""
    bench.document.do(PinCells(f"{SELF}head.2.Q", {(2, 3): 1.0}))
    names = [f"{SELF}head.2.{short}" for short in ("Q", "scores", "scaled", "weights", "output", "W_Q")]
    views = [show(name) for name in ["source.tokens", "source.X", f"{SELF}concat", f"{SELF}W_O", *names]]
    bench.selection.point(Cell(f"{SELF}weights", (1, 2, 2)))
    bench.document.do(command)
    for view in views:
        assert not view.grab().isNull()


# Lighting up


@pytest.fixture
def attention(window, eye):
    """The matrices of the encoder's self-attention, by their short names."""
    eye.go_to(window, "encoder.1.self.attention")
    return {name.rpartition(".")[2]: view for name, view in eye.views(window).items()}


def marked(view, which):
    """The cells of a view that are pointed at (0), have made that one (1), or are fed by it (2)."""
    cell = view.pointed
    lit = view.lit_cells(range(view.table.rowCount()), range(view.table.columnCount()))
    return [{cell} - {None}, *map(set, lit)][which]


POINTED, READ, FED = 0, 1, 2


def test_pointing_lights_up_the_row_and_the_column_that_made_the_cell(window, hand, attention):
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    assert window.bench.selection.cell == Cell("encoder.1.self.scores", (0, 1, 2))
    assert marked(attention["scores"], POINTED) == {(1, 2)}
    assert marked(attention["Q"], READ) == {(1, j) for j in range(4)}
    assert marked(attention["K"], READ) == {(2, j) for j in range(4)}
    assert marked(attention["scaled"], FED) == {(1, 2)}
    assert not any(marked(attention[name], READ) for name in ("V", "W_Q", "H", "weights"))
    assert not any(marked(attention[name], FED) for name in ("Q", "weights", "output"))


def test_pointing_downstream_and_upstream(hand, attention):
    hand.hover(attention["Q"], hand.cell(attention["Q"], 0, 3))
    assert marked(attention["H"], READ) == {(0, j) for j in range(4)}
    assert marked(attention["W_Q"], READ) == {(i, 3) for i in range(4)}
    assert marked(attention["scores"], FED) == {(0, 0), (0, 1), (0, 2)}
    hand.hover(attention["weights"], hand.cell(attention["weights"], 2, 0))
    assert marked(attention["Q"], POINTED) == set()
    assert marked(attention["scaled"], READ) == {(2, 0), (2, 1), (2, 2)}
    assert marked(attention["output"], FED) == {(2, j) for j in range(4)}
    assert marked(attention["H"], READ) == set()


def test_the_marks_are_painted(window, hand, eye, attention):
    theme = window.bench.appearance.theme
    query = attention["Q"]

    def outline(row, column):
        return spot(query, row, column, right=2).name()

    assert outline(1, 0) not in (theme.here, theme.here_line)
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    assert outline(1, 0) == theme.here_line
    assert outline(0, 0) != theme.here_line
    hand.hover(query, hand.cell(query, 0, 0))
    assert outline(0, 0) == theme.here


@pytest.mark.usefixtures("painted")
def test_hovering_repaints_only_what_changes_its_marks(window, hand, eye, attention, watch):
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 1))
    eye.settle(window)
    ports = {name: view.viewport() for name, view in attention.items()}
    paints = watch(ports.values(), QEvent.Type.Paint)
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    eye.settle(window)
    assert {name for name, port in ports.items() if paints[port]} == {"scores", "K", "scaled"}
    paints.clear()
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    assert set(paints) <= {ports["scores"]}  # Qt's own, for the cell under the mouse


def test_leaving_goes_back_to_the_cell_one_has_gone_to(window, hand, attention):
    hand.click(attention["Q"], hand.cell(attention["Q"], 0, 0))
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 1))
    assert marked(attention["Q"], POINTED) == set()
    hand.away(window)
    assert marked(attention["Q"], POINTED) == {(0, 0)}
    assert marked(attention["K"], READ) == set()


def test_another_head_has_its_own_marks(window, hand, eye, attention):
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    window.bench.selection.set_head(1)
    assert marked(attention["scores"], POINTED) == set()
    assert marked(attention["Q"], READ) == set()
    hand.away(window)
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    assert window.bench.selection.cell.index == (1, 1, 2)
    assert marked(attention["K"], READ) == {(2, j) for j in range(4)}


def test_the_chosen_cell_goes_with_the_frame_into_another_head(window, hand, eye, attention):
    """The frame stood in the new head's matrix, and the explanation was of the old one's."""
    hand.click(attention["scores"], hand.cell(attention["scores"], 1, 2))
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert window.bench.selection.kept == window.bench.selection.cell == Cell(f"{SELF}scores", (1, 1, 2))
    assert marked(attention["scores"], POINTED) == {(1, 2)}
    assert marked(attention["K"], READ) == {(2, j) for j in range(4)}
    hand.hover(attention["scores"], hand.cell(attention["scores"], 0, 0))
    window.bench.selection.set_head(0)
    eye.settle(window)
    hand.away(window)
    assert window.bench.selection.cell == Cell(f"{SELF}scores", (0, 1, 2))


def labels_lit(view):
    return [
        {i for i in range(count) if view.lit(axis, i)}
        for axis, count in enumerate((view.table.rowCount(), view.table.columnCount()))
    ]


def test_the_labels_of_the_pointed_cell_are_lit(hand, attention):
    hand.hover(attention["scores"], hand.cell(attention["scores"], 1, 2))
    assert labels_lit(attention["scores"]) == [{1}, {2}]
    assert labels_lit(attention["Q"]) == [set(), set()]


def test_a_label_lights_up_its_token_everywhere(window, hand, attention, eye):
    view = attention["scores"]
    hand.hover(view, hand.label(view, VERTICAL, 1))
    assert window.bench.selection.token == ("source", 1)
    for name in ("Q", "K", "V", "output", "H"):
        assert labels_lit(attention[name])[0] == {1}, name
    assert labels_lit(attention["weights"]) == [{1}, {1}]
    assert labels_lit(attention["W_Q"]) == [set(), set()]
    chips = window.tokens._strips["source"].chips
    assert [chip.isChecked() for chip in chips] == [False, True, False]
    hand.hover(view, hand.label(view, HORIZONTAL, 2))
    assert window.bench.selection.token == ("source", 2)
    hand.away(window)
    assert window.bench.selection.token is None
    assert not any(chip.isChecked() for chip in chips)


def test_a_lit_label_is_repainted_in_another_colour(window, hand, attention):
    view, header = attention["Q"], attention["Q"].verticalHeader()  # K has its rows from it
    before = header.grab().toImage()
    hand.click(window.tokens._strips["source"].chips[0])
    after = header.grab().toImage()
    assert before != after
    assert window.bench.appearance.theme.here_text in colours(pixels(after)[: view.rowHeight(0)])


def test_labels_too_long_are_cut_but_can_be_read(bench, show):
    word = "incomprehensibilities"
    bench.document.do(SetTokens("source", (word, "are", "welcome")))
    view = show("source.X")
    assert view.verticalHeader().width() < view.fontMetrics().horizontalAdvance(word)
    assert view.table.headerData(0, VERTICAL, Qt.ItemDataRole.ToolTipRole) == word
    assert isinstance(view.verticalHeader(), QHeaderView)
    # A tooltip that says what one sees would stand in the way of the matrix below.
    assert [view.verticalHeader()._is_cut(row, label) for row, label in enumerate(view.matrix.rows)] == [
        True,
        False,
        False,
    ]


def test_a_long_label_with_a_mark_is_told_whole(bench, show):
    """Its tip struck out the end of a word such as a<s>b."""
    bench.document.do(SetTokens("source", ("incomprehensible<s>ities", "are", "welcome")))
    header = show("source.X").verticalHeader()
    QApplication.sendEvent(header.viewport(), QHelpEvent(QEvent.Type.ToolTip, QPoint(4, 4), QPoint(4, 4)))
    assert QToolTip.text() == "incomprehensible&lt;s&gt;ities"


# Large ones


@pytest.fixture
def large(bench_on, show):
    model = Model(
        "gpt",
        lengths={"input": 4},
        axes={"input.words": tuple(f"w{i}" for i in range(10))},
        d_model=1024,
        switches={"decoder.1.ffn.d_ff": 768},
        dtype="float32",
    )
    return show("decoder.1.ffn.W_1", bench_on(State.of(model, {})))


def test_a_large_matrix_asks_only_for_what_is_in_sight(large, hand, monkeypatch):
    assert (large.table.rowCount(), large.table.columnCount()) == (1024, 768)
    assert large.width() < 1500
    assert large.height() < 600
    asked = []
    texts = Matrix.texts
    monkeypatch.setattr(Matrix, "texts", lambda self, i, j: asked.extend(product(i, j)) or texts(self, i, j))
    large.grab()
    in_sight = {(i, j) for i in range(13) for j in range(13)}
    assert set(asked) <= in_sight
    assert len(set(asked)) >= 48
    asked.clear()
    large.scrollTo(large.table.index(1023, 767))
    large.grab()
    assert (1023, 767) in asked
    assert min(i for i, _ in asked) >= 1024 - 14
    assert len(asked) < 1000


def test_a_large_matrix_scrolls_by_keys_and_leaves_the_wheel_to_the_page(large, hand):
    assert not large.verticalScrollBar().isVisible()
    hand.wheel(large, notches=-3)
    assert large.verticalScrollBar().value() == 0
    hand.click(large, hand.cell(large, 500, 300))
    assert (large.currentIndex().row(), large.currentIndex().column()) == (500, 300)
    hand.key(Qt.Key.Key_Down)
    assert large.currentIndex().row() == 501
    assert large.bench.selection.cell == Cell("decoder.1.ffn.W_1", (501, 300))


def test_a_cell_of_a_large_matrix_is_edited_like_any_other(large, hand):
    hand.click(large, hand.cell(large, 700, 700))
    hand.type("2")
    hand.key(Qt.Key.Key_Return)
    assert large.bench.document.engine.values["decoder.1.ffn.W_1"][700, 700] == 2
    assert np.isfinite(large.bench.document.engine.values["decoder.1.ffn.output"]).all()


def give_room(view, pixels):
    view.form = view.form._replace(given=pixels, room=pixels)
    view.measure()


def test_a_wide_matrix_shows_as_many_columns_as_there_is_room_for(bench_on, show):
    lesson = new_lesson("gpt", ["a b c"], d_model=64)
    view = show("decoder.1.self.concat", of=bench_on(lesson.state(), lesson))
    cell = view.columnWidth(0)
    for room in (600, 1000, 800):
        give_room(view, room)
        assert room - cell < view.width() <= room
        assert not view.extent.whole
    give_room(view, 10)
    assert (view.width() - view.extent.left) // cell == 1


def test_a_matrix_has_the_same_columns_in_sight_with_the_labels_of_its_rows_and_without(show):
    view = show("encoder.1.self.head.1.Q")
    room = view.width()
    view.form = view.form._replace(labelled=False)
    give_room(view, room)
    assert view.extent.whole
    give_room(view, room - 1)
    assert not view.extent.whole


def test_the_small_picture_of_a_large_matrix_moves_the_part_in_sight(bench_on, qtbot, hand):
    model = Model("gpt", lengths={"input": 4}, axes={"input.words": ("a", "b")}, d_model=64)
    box = MatrixBox(bench := bench_on(State.of(model, {})), matrix(bench.view, "decoder.1.ffn.W_1"))
    qtbot.addWidget(box)
    box.be(given=500, room=500)
    box.stand()
    with qtbot.waitExposed(box):
        box.show()
    assert (box.view.horizontalScrollBar().value(), box.view.verticalScrollBar().value()) == (0, 0)
    hand.click(box._small, box._small.rect().bottomRight() - QPoint(2, 2))
    assert box.view.horizontalScrollBar().value() == box.view.horizontalScrollBar().maximum() > 0
    assert box.view.verticalScrollBar().value() == box.view.verticalScrollBar().maximum() > 0


@pytest.mark.parametrize("room", [380, 430])
def test_a_matrix_of_sixteen_rows_and_the_small_picture_beside_it_share_the_room(bench_on, qtbot, room):
    bench = bench_on(load("jane").state())
    view = MatrixView(bench, matrix(bench.view, "encoder.1.self.concat"))
    qtbot.addWidget(view)
    give_room(view, room)
    assert len(view.matrix.rows) == MOST_ROWS
    assert not view.extent.whole
    assert view.width() + bench.appearance.px(MAP) <= room


def test_a_heading_that_was_asked_to_take_two_lines_does_so_in_every_row(qtbot, bench):
    """On a slide: the room was shared for one line then, and the last row of the table lay out of sight."""
    box = box_around(qtbot, bench, "encoder.1.self.head.1.scores")
    heights = []
    for above in (True, False):
        box.be(above=above, row=40, column=80, high=400)
        box.form = box.sizes.in_row(box.form, 0, True)
        assert box.form.above is above
        heights.append(box.sizeHint().height())
    assert heights[0] > heights[1]


def test_numbers_of_a_wide_column_stand_below_their_label(qtbot, bench):
    box = box_around(qtbot, bench, "encoder.1.self.head.1.scores")
    view = box.view
    near, wide = view.right_of("0.5"), view.letters.needed(view.matrix) + 200
    box.be(column=wide)  # also where the label is what makes the column wide
    box.stand()
    assert view.right_of("0.5") == near + 100


@pytest.mark.parametrize(("node", "figures"), [("encoder.1.self.head.1.weights", 1.0), ("source.tokens", 2.0)])
def test_numbers_without_a_sign_stand_in_the_middle_of_a_wide_column(qtbot, bench, node, figures):
    box = box_around(qtbot, bench, node)
    box.be(column=box.view.extent.own + 200, figures=figures)
    box.stand()
    text = box.matrix.texts(range(1), range(1))[0]
    right, across = box.view.right_of(text), box.view.figures.across(text)
    assert abs(right - (box.form.column - right - across)) < box.view.figures.across("−") / 2
