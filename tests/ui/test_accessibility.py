"""What a screen reader says and what the keyboard reaches, in all stages of all lessons."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTableView,
    QToolButton,
    QWidget,
)
from training_tab import field

from explorer.export.colours import contrast
from explorer.lessons.loader import catalogue
from explorer.pages.compose import MORE
from explorer.ui.drawing.plot import Plot
from explorer.ui.matrix.view import MatrixView
from explorer.ui.widgets.formula import Formula
from explorer.ui.window.pipeline_map import StageButton
from explorer.ui.window.top_bar import IN_BAR
from tests.ui.conftest import settle

pytestmark = pytest.mark.usefixtures("kept", "page_rests")
CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, StageButton)


def inside_another(widget):
    """The parts that Qt builds its own controls of."""
    parent = widget.parentWidget()
    return isinstance(parent, QComboBox | QAbstractSpinBox | QTableView) or widget.objectName().startswith("qt_")


def controls(window):
    return [
        w
        for w in window.findChildren(QWidget)
        if isinstance(w, CONTROLS) and w.isVisible() and not inside_another(w) and not isinstance(w, QScrollBar)
    ]


def name_of(widget):
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")


def nameless(window):
    found = []
    for control in controls(window):
        if not name_of(control).strip():
            found.append(f"{control} has no name")
        if not control.toolTip().strip():
            found.append(f"{name_of(control)!r} has no tooltip")
    for view in window.findChildren(QWidget):
        if isinstance(view, QTableView | Plot | Formula) and view.isVisible() and not view.accessibleName():
            found.append(f"{view} has no name")
    return found + [f"{role} below {way} has no name" for role, way in tree(window)]


SILENT = {"Client", "Grouping", "LayeredPane", "Pane", "Filler", "Window", "StaticText", "Graphic", "ScrollBar"}
"""Roles of what holds other things, or says what it says by being read."""


def tree(window):
    """Role and place of all that a screen reader comes to in a window and that has no name."""
    found, left = [], [(QAccessible.queryAccessibleInterface(window), "")]
    while left:
        one, way = left.pop()
        if one is None or not one.isValid() or one.state().invisible:
            continue
        role, kind = one.role().name, type(one.object()).__name__
        if role not in SILENT and not one.text(QAccessible.Text.Name).strip():
            found.append((role, f"{way} > {kind}"))
        if role not in ("Table", "Tree", "List"):  # these speak by their cells
            left += [(one.child(k), f"{way} > {kind}") for k in range(one.childCount())]
    return found


def test_one_of_several_is_no_check_box_to_a_screen_reader(window, hand):
    bar = window.top_bar
    tabs = [button for button in controls(window) if name_of(button) in IN_BAR]
    several = [button for button in controls(window) if name_of(button).startswith(("Setting:", "Matrices show:"))]
    roles = {QAccessible.queryAccessibleInterface(button).role() for button in (*tabs, *several)}
    assert (len(tabs), len(several) > 4, roles) == (4, True, {QAccessible.Role.RadioButton})
    bar.show_tab("Class")  # has no button: none is marked
    assert not any(button.isChecked() for button in tabs)
    tabs[0].setFocus()
    hand.key(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is tabs[1]


@pytest.mark.long
@pytest.mark.parametrize("lesson", [one.id for one in catalogue()])
def test_every_control_of_every_stage_and_step_has_a_name_and_a_tooltip(open_window, qtbot, lesson):
    """Each model's places once, and each step with what it asks; printed, as no window of `make test` sees them all."""
    window, found, places = open_window(lesson), {}, 0
    guide = window.lessons.guide
    acts = [(one.name, partial(window.bench.selection.go_to, one.name)) for one in window.bench.selection.places]
    acts += [(f"step {one.id}", partial(guide.go, number)) for number, one in enumerate(guide.steps)]
    for place, act in acts:
        act()
        settle(qtbot, window)
        places += 1
        for what in nameless(window):
            found.setdefault(what, place)
    print(f"{lesson}: {places} places")
    assert found == {}


@pytest.mark.parametrize("lesson", ["xor", "i-love-ai"])
def test_so_has_every_control_of_the_training_tab(open_window, eye, hand, lesson):
    window = open_window(lesson)
    window.show_tab("Train")
    eye.settle(window)
    for button in field(window.tabs.training, "source").group.buttons():
        hand.click(button)
        eye.settle(window)
        assert nameless(window) == []
    assert len(controls(window.tabs.training)) > 15


def tab_round(window, hand):
    """The widgets that Tab goes through, until it comes round."""
    window.setFocus()
    hand.key(Qt.Key.Key_Tab)
    first, order = QApplication.focusWidget(), []
    while True:
        widget = QApplication.focusWidget()
        if isinstance(widget, MatrixView):  # Tab goes through its cells; from the last it goes on
            widget.setCurrentIndex(widget.table.index(widget.table.rowCount() - 1, widget.table.columnCount() - 1))
        if order[-1:] != [widget]:  # from link to link of one line
            order.append(widget)
        hand.key(Qt.Key.Key_Tab)
        if QApplication.focusWidget() is first:
            return order
        assert len(order) < 500, "Tab does not come round"


@pytest.mark.parametrize("stage", ["source.embedding", "encoder.1.self.attention"])
def test_tab_reaches_every_control_and_every_matrix(own_window, window, hand, eye, stage):
    eye.go_to(window, stage)
    order = tab_round(window, hand)
    reached = set(order)
    # Of buttons that exclude each other one is reached, and arrows go on from there.
    missed = [
        name_of(c)
        for c in controls(window)
        if c.isEnabled()
        and c not in reached
        and not (isinstance(c, QAbstractButton) and c.group() is not None and set(c.group().buttons()) & reached)
    ]
    assert missed == []
    assert set(eye.views(window).values()) <= reached
    # Of words with several links Tab reaches one after the other.
    once = [widget for before, widget in zip([None, *order], order, strict=False) if widget is not before]
    assert len(once) == len(reached)


def test_focus_can_be_seen(window, hand, eye):
    """A control looks different with the keyboard's focus than without."""
    eye.go_to(window, "encoder.1.self.attention")
    window.page().header.switches.controls[MORE].click()
    eye.settle(window)
    window.setFocus()
    plain = {c: c.grab().toImage() for c in controls(window) if c.isEnabled()}
    for control, before in plain.items():
        if control.focusPolicy() & Qt.FocusPolicy.TabFocus:
            control.setFocus(Qt.FocusReason.TabFocusReason)
            assert control.grab().toImage() != before, f"{name_of(control)}: focus cannot be seen"
    view = eye.view(window, "encoder.1.self.head.1.W_Q")
    view.setCurrentIndex(view.table.index(0, 0))
    window.setFocus()
    before = view.viewport().grab().toImage()
    view.setFocus()
    assert view.viewport().grab().toImage() != before


def test_a_matrix_speaks_its_cells(window, eye):
    view = eye.views(window)["source.table"]
    index = view.table.index(2, 1)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "table, row welcome, column 2, −0.3, yours"
    assert view.accessibleName() == "Matrix table in Source: Embeddings, 3 rows, 4 columns"


def test_a_computed_cell_says_so(window, eye):
    eye.go_to(window, "encoder.1.self.attention")
    view = eye.view(window, "encoder.1.self.head.1.scaled")
    spoken = view.table.index(1, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"scaled, row are, column welcome, {view.table.index(1, 2).data()}, computed"


def test_more_contrast_and_less_motion_can_be_asked_for(window, qtbot):
    look, actions = window.bench.appearance, window.actions_
    plain = look.theme
    actions.contrast.trigger()
    assert look.theme == plain.strong
    assert contrast(look.theme.muted, look.theme.page) > 12
    actions.theme.trigger()
    assert look.theme.dark is not plain.dark
    assert look.theme.muted == look.theme.text
    for switch in (actions.contrast, actions.theme):
        switch.trigger()
    qtbot.waitUntil(lambda: look.theme is plain)  # the second of two themes in one turn has a turn of its own
    assert window.isAnimated()
    actions.still.trigger()
    assert not look.moves
    assert not window.isAnimated()


def test_pictures_speak_their_numbers(window, eye):
    eye.go_to(window, "encoder.1.self.attention")
    spoken = [plot.accessibleName() for plot in window.page().findChildren(Plot) if plot.isVisible()]
    weights = eye.value(window, "encoder.1.self.head.1.weights")
    best = int(weights[0].argmax())
    words = window.bench.document.engine.labels("source")
    assert any(f"You looks most at {words[best]} ({weights[0].max():.3f})" in text for text in spoken)
    assert all(spoken)


def test_the_window_says_what_it_shows(window):
    assert window.windowTitle().startswith("You are welcome → de nada")
    assert [b for b in window.findChildren(QToolButton) if b.isVisible() and not b.accessibleName()] == []
