"""Gradient descent by hand: the controls, and the pictures beside them."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QWidget
from training_tab import click_weight, lengths_of, ticks_of

from explorer.core.graph import Cell
from explorer.core.numbers import written
from explorer.core.training.recipe import Recipe
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.page import DescentPart
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run
from explorer.ui.page.column import Elements
from explorer.ui.page.note import NoteLabel
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.pictures import PARTS, DescentView
from explorer.ui.training import descent as going
from explorer.ui.training import loss_surface
from explorer.ui.training.cell_picker import CellPicker
from explorer.ui.training.loss_surface import LossGrid, LossSurface, SurfaceView
from explorer.ui.training.parts import RunCurve, Stepper
from tests.ui.conftest import PLACES

pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(scope="module")
def kept_lesson():
    return "cat-sat-on-the"


@pytest.fixture
def window(anew, request):
    window = anew("model.changes")
    if "fresh" in request.fixturenames and "model.descent" in window.area._pages:
        window.area._drop(["model.descent"])
        window.bench.descent.looked_at = ()
    window.bench.open(window.bench.lesson, "script")
    return window


@pytest.fixture
def fresh():
    """For a test that needs the loss surface as it begins: the page of it is made anew."""


@pytest.fixture
def bring(window, eye):
    """Brings the window to an example: from another page, so that the one of gradient descent is told of it once."""

    def bring(lesson, stage, size=(1600, 900)):
        window.resize(*size)
        window.bench.open(load(lesson))
        window.bench.bridge.flush()
        eye.go_to(window, stage)
        return window

    return bring


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, "model.descent")


@pytest.fixture
def stepper(panel):
    (found,) = panel.findChildren(Stepper)
    return found


@pytest.fixture
def descent(window):
    """The run, which plays as fast as it goes."""
    window.bench.descent.set_pace(inf)
    return window.bench.descent


def loss(panel):
    return float(panel.bench.document.engine.values["loss.value"])


def take(qtbot, hand, stepper, steps):
    stepper.widgets["many"].box.setValue(steps)
    at = stepper.bench.descent.at
    hand.click(stepper.widgets["many"].button)
    qtbot.waitUntil(lambda: stepper.bench.descent.at == at + steps and not stepper.bench.descent.going)


def test_a_part_that_is_made_while_there_is_no_loss_waits_for_the_news(panel, window):
    """A page is made in turns: in between, the model may lose its loss and get it back."""
    document, parts = window.bench.document, panel.findChildren(DescentView)
    for name in PARTS:
        beside_question = DescentPart("curve", name, height=150)
        told = next((one.data for one in parts if one.data.part == name), beside_question)
        document.do(SetSwitch("loss", "loss", "none"))
        part = DescentView(window.bench, told, panel)
        (late,) = part.findChildren(PicturePlace) or [None]
        if late is not None:
            late.fill()
        document.undo()
        part.tell(told)
        (late,) = part.findChildren(PicturePlace)[-1:] or [None]
        if late is not None:
            late.fill()
        assert len(part.findChildren(QWidget)) > 3, name
        part.deleteLater()


def test_a_step_is_read_once_by_each_part(panel, stepper, window, monkeypatch):
    """The page tells its parts nothing: they follow the run by themselves."""
    read, kinds = [], [Stepper, RunCurve, LossSurface]
    for kind in kinds:
        refresh = kind.refresh
        monkeypatch.setattr(kind, "refresh", lambda self, refresh=refresh: (read.append(type(self)), refresh(self)))
    window.bench.descent.take(1)
    window.bench.bridge.flush()
    read.clear()
    window.bench.document.do(SetCells("output.logits", {(0, 0): 0.25}))
    window.bench.bridge.flush()
    assert sorted(map(str, read)) == sorted(map(str, kinds))


def test_after_an_infinite_loss_one_starts_over(panel, stepper, descent, hand, qtbot):
    """The message said to start again, and no button did."""
    before = panel.bench.document.state.inputs
    assert not stepper.widgets["over"].isEnabled()
    descent.set_rate(999.0)
    take(qtbot, hand, stepper, 3)
    hand.click(stepper.widgets["over"])
    assert (descent.run, stepper.widgets["over"].isEnabled(), stepper.widgets["way"].box.maximum()) == (None, False, 0)
    assert all(array is before[name] for name, array in panel.bench.document.state.inputs.items())


def test_steps_go_down_and_slider_button_and_undo_go_back(panel, stepper, descent, hand, qtbot):
    before = loss(panel)
    take(qtbot, hand, stepper, 10)
    assert loss(panel) < before
    qtbot.waitUntil(lambda: "after 10 steps" in stepper.widgets["loss"].text())
    panel.bench.document.undo()
    assert loss(panel) == before
    qtbot.waitUntil(lambda: "after 0 steps" in stepper.widgets["loss"].text())
    assert not stepper.widgets["back"].isEnabled()
    assert stepper.widgets["way"].box.maximum() == 10
    panel.bench.document.redo()
    qtbot.waitUntil(lambda: "after 10 steps" in stepper.widgets["loss"].text())
    losses = descent.run.curve()[1].tolist()
    stepper.widgets["way"].box.setValue(4)
    qtbot.waitUntil(lambda: loss(panel) == losses[4])
    hand.click(stepper.widgets["back"])
    assert loss(panel) == losses[3]
    hand.click(stepper.widgets["one"])
    assert loss(panel) == losses[4]
    qtbot.waitUntil(lambda: stepper.widgets["way"].box.maximum() == 4)


def test_play_goes_on_until_paused(stepper, descent, hand, qtbot):
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: descent.at > 20)
    assert stepper.widgets["play"].text() == "Pause"
    hand.click(stepper.widgets["play"])
    at = descent.at
    assert not descent.going
    qtbot.waitUntil(lambda: stepper.widgets["play"].text() == "Play")
    assert descent.at == at


def test_leaving_the_page_pauses_but_not_while_another_shows_the_controls(window, stepper, descent, hand, eye, qtbot):
    hand.click(stepper.widgets["play"])
    eye.look_at(window, "loss")
    at = descent.at
    qtbot.waitUntil(lambda: descent.at > at + 20)
    eye.look_at(window, "output")
    qtbot.waitUntil(lambda: not descent.going)


def test_a_part_is_told_of_the_model_in_front_and_not_of_the_one_before_once_more(window, qtbot):
    column = Elements(window.bench, 10)
    qtbot.addWidget(column)
    for lesson in ("xor-linear", "xor"):
        column.tell([DescentPart("curve", "curve", (lesson,))])
        assert column.widgets["curve"].data.about == (lesson,)


def test_another_model_ends_the_run(window, stepper, descent, hand, qtbot):
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: descent.at > 2)
    window.bench.open(load("cat-sat-on-the"), "wrong")
    qtbot.waitUntil(lambda: not descent.going)
    assert descent.run is None
    window.bench.document.undo()
    assert descent.run is not None


def test_the_rate_is_typed_or_dragged(panel, stepper, descent, hand, qtbot, said):
    take(qtbot, hand, stepper, 2)
    stepper.widgets["rate"].slider.setFocus()
    hand.key(Qt.Key.Key_End)
    assert descent.rate == 10
    assert stepper.widgets["rate"].edit.text() == "10"
    hand.click(stepper.widgets["rate"].edit)
    hand.enter("0,01")
    assert descent.rate == 0.01
    take(qtbot, hand, stepper, 1)
    apart = descent.run.kept[2].trainer.weights["output.logits"] - panel.bench.document.state.inputs["output.logits"]
    descent.travel(2)
    gradient = panel.bench.document.engine.gradients().of("output.logits")
    np.testing.assert_allclose(apart, 0.01 * gradient, rtol=1e-9)
    hand.click(stepper.widgets["rate"].edit)
    hand.enter("fast")
    assert "not a number" in said()
    assert stepper.widgets["rate"].edit.text() == "0.01"
    hand.click(stepper.widgets["rate"].edit)
    hand.enter("-1")
    assert "not a learning rate" in said()


def test_another_optimiser_goes_on_from_here_and_an_edit_in_mid_run_is_said(panel, stepper, descent, hand, qtbot):
    take(qtbot, hand, stepper, 2)
    stepper.widgets["optimiser"].control.setFocus()
    hand.type("A")
    assert descent.kind == "Adam"
    take(qtbot, hand, stepper, 2)
    assert descent.at == 4
    assert set(descent.run.kept) == {0, 1, 2, 3, 4}
    panel.bench.document.do(SetCells("output.logits", {(0, 1): 3.0}))
    qtbot.waitUntil(lambda: stepper.widgets["loss"].text().endswith("after 4 steps, then edited"))


def test_steps_too_large_stop_with_a_sentence(panel, stepper, descent, hand, said):
    panel.bench.document.do(SetCells("output.logits", {(0, 1): np.inf}))
    hand.click(stepper.widgets["play"])
    assert "not a finite number" in said()
    assert not descent.going


def test_a_long_way_back_is_gone_in_slices(panel, stepper, descent, hand, qtbot, monkeypatch):
    take(qtbot, hand, stepper, 30)
    run = descent.run
    run.kept = {0: run.kept[0]}
    before = panel.bench.document.state
    monkeypatch.setattr(going, "SLICE_S", 0)
    stepper.widgets["way"].box.setValue(20)
    assert descent.going
    assert descent.at == 20
    assert panel.bench.document.state is before
    stepper.widgets["way"].box.setValue(5)  # a newer wish overtakes an older one
    qtbot.waitUntil(lambda: not descent.going)
    assert loss(panel) == run.curve()[1][5]


def test_a_frozen_weight_stays_and_with_all_frozen_it_says_so(panel, stepper, hand, qtbot, said):
    click_weight(hand, panel.elements, "logits in Probabilities")
    hand.click(stepper.widgets["one"])
    assert "free some of the frozen" in said()
    click_weight(hand, panel.elements, "temperature in Probabilities")
    inputs = panel.bench.document.state.inputs
    take(qtbot, hand, stepper, 1)
    now = panel.bench.document.state.inputs
    assert now["output.logits"] is inputs["output.logits"]
    assert now["output.temperature"] != inputs["output.temperature"]


def test_without_a_loss_it_says_so(panel, eye, hand, qtbot):
    panel.bench.document.do(SetSwitch("loss", "loss", "none"))
    qtbot.waitUntil(lambda: not panel.findChildren(Stepper))
    panel.elements.widgets["loss on"].setFocus()
    hand.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bool(panel.findChildren(Stepper)))
    assert QApplication.focusWidget() is panel.elements, "the keys stay on the page though their button is gone"


@pytest.fixture
def large(monkeypatch):
    """From now on every model is a large one."""
    monkeypatch.setattr(going, "LARGE", 1)
    monkeypatch.setattr("explorer.document.document.LARGE", 1)


def test_the_gradients_of_a_large_model_are_not_waited_for(window, large, gate, eye, qtbot):
    document = window.bench.document
    gate.open.set()
    document.do(SetCells("output.logits", {(0, 0): 2.0}))
    document.settle()
    assert not document.engine.has_gradients
    gate.open.clear()
    panel = eye.look_at(window, "model.descent")
    assert document.computing
    assert lengths_of(panel.elements) == {"logits in Probabilities": "…", "temperature in Probabilities": "…"}
    assert "surface" not in panel.elements.widgets
    assert any("Train" in note.text() for note in panel.findChildren(NoteLabel))
    gate.open.set()
    qtbot.waitUntil(lambda: "surface" in panel.elements.widgets)
    assert document.engine.has_gradients
    gradient = document.engine.gradients().of("output.logits")
    assert lengths_of(panel.elements)["logits in Probabilities"] == written(float(np.linalg.norm(gradient)), 4)
    eye.go_to(window, "loss")
    document.do(SetCells("output.logits", {(0, 0): 5.0}))
    document.settle()
    assert not document.engine.has_gradients  # out of sight nobody needs them


def test_steps_of_a_large_model_are_computed_in_the_background(window, large, gate, eye, hand, qtbot):
    window.resize(1600, 1300)  # all in sight: else the hand would scroll, and the page would scroll back under it
    document, descent = window.bench.document, window.bench.descent
    panel = eye.go_to(window, "loss")
    (stepper,) = panel.findChildren(Stepper)
    before = loss(panel)
    hand.click(stepper.widgets["one"])
    qtbot.waitUntil(lambda: document.computing)
    assert loss(panel) == before
    gate.open.set()
    qtbot.waitUntil(lambda: descent.at == 1 and not document.computing)
    eye.settle(window)
    assert loss(panel) == descent.run.curve()[1][1] < before
    take(qtbot, hand, stepper, 5)
    qtbot.waitUntil(lambda: descent.at == 6 and not document.computing)
    assert len(descent.run.curve()[1]) == 7
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: descent.at > 8)
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: not document.computing)
    eye.settle(window)
    slow = descent.run.curve()[1].tolist()
    gate.open.clear()
    hand.click(stepper.widgets["back"])
    assert (document.computing, loss(panel)) == (True, slow[-1])
    assert (descent.at, stepper.widgets["way"].box.value()) == (len(slow) - 2, len(slow) - 2)
    gate.open.set()
    qtbot.waitUntil(lambda: not document.computing)
    eye.settle(window)
    assert loss(panel) == slow[-2]
    document.undo()
    document.settle()
    assert loss(panel) == before
    other = Run(Document(document.state), RunSettings(Material("shown"), Recipe("SGD", descent.rate, batch=0)))
    other.take(60.0, len(slow) - 1)
    assert other.curve()[1].tolist() == slow


def test_an_edit_overtakes_a_step_that_is_being_computed(window, large, gate, eye, hand, qtbot):
    document, descent = window.bench.document, window.bench.descent
    (stepper,) = eye.go_to(window, "loss").findChildren(Stepper)
    document.show_gradients(True)
    gate.open.set()
    qtbot.waitUntil(lambda: document.engine.has_gradients)
    gate.open.clear()
    hand.click(stepper.widgets["one"])
    qtbot.waitUntil(lambda: document.computing)
    document.do(SetCells("output.logits", {(0, 0): 5.0}))
    gate.open.set()
    qtbot.waitUntil(lambda: not document.computing)
    eye.settle(window)
    assert descent.at == 1
    qtbot.waitUntil(lambda: stepper.widgets["loss"].text().endswith("after 1 step, then edited"))
    hand.click(stepper.widgets["one"])
    qtbot.waitUntil(lambda: descent.at == 2)
    document.show_gradients(False)


def test_the_surface_of_a_large_model_is_computed_in_the_background(fresh, window, large, eye, qtbot):
    panel = eye.look_at(window, "model.descent")
    qtbot.waitUntil(lambda: bool(panel.findChildren(LossSurface)))
    (surface,) = panel.findChildren(LossSurface)
    qtbot.waitUntil(lambda: surface.losses is not None and surface.losses.whole and bool(surface.lines))
    first = surface.losses
    window.bench.document.do(SetCells("output.logits", {(0, 1): 2.0}))
    qtbot.waitUntil(lambda: surface.losses is not first and surface.losses.whole)
    eye.go_to(window, "loss")
    assert surface._at_work is None


def test_many_weights_stand_block_by_block(bring, eye, hand):
    window = bring("you-are-welcome", "model.descent")
    page = window.page().elements
    block, descent = "Encoder 1: Self-attention", window.bench.descent
    gradients = window.bench.document.engine.gradients()
    inside = [name for name in descent.moves() if name.startswith("encoder.1.self.")]
    together = np.sqrt(sum(np.sum(gradients.of(name) ** 2) for name in inside))
    assert lengths_of(page)[block] == written(float(together), 4)
    assert "W_Q" not in lengths_of(page)
    click_weight(hand, page, block, column=2)
    eye.settle(window)
    assert lengths_of(page)["W_Q"] == written(float(np.linalg.norm(gradients.of(inside[0]))), 4)
    click_weight(hand, page, "W_Q")
    eye.settle(window)
    assert not descent.moves()["encoder.1.self.W_Q"]
    assert 0 < ticks_of(page)[block] < 1
    click_weight(hand, page, block)
    eye.settle(window)
    assert all(descent.moves()[name] for name in inside)
    click_weight(hand, page, block)
    assert not any(descent.moves()[name] for name in inside)


# Pictures


def test_the_curve_follows_the_run(window, panel, stepper, hand, eye, qtbot):
    curve = eye.plot(window, RunCurve)
    start = float(window.bench.document.engine.values["loss.value"])
    assert f"{start:.4g} after 0 steps" in curve.accessibleName()
    assert curve._dot.pos() == QPointF(0, start)
    take(qtbot, hand, stepper, 3)
    qtbot.waitUntil(lambda: "after 3 steps" in curve.accessibleName())
    (log,) = [box for box in panel.findChildren(QCheckBox) if box.text() == "Logarithmic scale"]
    hand.click(log, QPoint(8, log.height() // 2))
    assert curve._traces.log
    hand.click(log, QPoint(8, log.height() // 2))
    assert not curve._traces.log


@pytest.mark.usefixtures("painted")
def test_a_step_has_the_curve_painted_and_no_side_of_it(window, panel, stepper, hand, eye, qtbot):
    """Both sides of both pictures took a quarter of each frame of a run."""
    curve = eye.plot(window, RunCurve)
    take(qtbot, hand, stepper, 1)  # from here on its sides stand at the same numbers
    eye.settle(window)
    view, painted = curve.viewport(), []

    class Listener(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                painted.append(event.rect())
            return False

    listener = Listener()
    view.installEventFilter(listener)
    take(qtbot, hand, stepper, 2)
    qtbot.waitUntil(lambda: len(painted) > 0)
    eye.settle(window)
    inside = curve.mapFromScene(curve.getViewBox().sceneBoundingRect()).boundingRect()
    assert all(inside.contains(rect) for rect in painted)
    curve.tell(replace(curve._traces, beside="another"))
    qtbot.waitUntil(lambda: view.rect() in painted)
    view.removeEventFilter(listener)
    curve.tell(replace(curve._traces, beside=""))


@pytest.fixture
def surface(fresh, window, panel, eye):
    return eye.plot(window, LossSurface)


def test_its_sides_are_right_before_the_surface_is_there(monkeypatch, window, qtbot):
    monkeypatch.setattr(LossGrid, "more", lambda *_, **__: False)
    surface = LossSurface(window.bench, (Cell("output.logits", (0, 0)), Cell("output.logits", (0, 3))))
    qtbot.addWidget(surface)
    surface.resize(330, 310)
    with qtbot.waitExposed(surface):
        surface.show()
    seen = surface.losses.window
    (left, right), (bottom, top) = surface.getViewBox().viewRange()
    np.testing.assert_allclose([left, right, bottom, top], [seen.left, seen.right, seen.bottom, seen.top])
    assert seen.contains(*surface.here)


def test_words_say_that_a_surface_is_being_computed_until_it_is_there(window, panel, qtbot):
    """An empty field stood above words about its colours, for seconds where a pass through the model takes long."""
    view = SurfaceView(window.bench)
    qtbot.addWidget(view)
    assert view._words.text() == "Being computed: the loss at each place takes a pass through the model."
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: view.plot.is_drawn)
    assert view._words.text().startswith("The bluer, the higher the loss.")


def test_the_surface_shows_losses_that_the_model_would_have_and_a_click_moves_the_two_weights(
    window, surface, eye, hand, qtbot
):
    qtbot.waitUntil(lambda: surface.losses.whole)
    assert surface.cells == (Cell("output.logits", (0, 0)), Cell("output.logits", (0, 3)))
    grid, document = surface.losses, window.bench.document
    x, y = float(grid.x[3]), float(grid.y[10])
    document.do(SetCells("output.logits", {(0, 0): x, (0, 3): y}))
    assert float(document.engine.values["loss.value"]) == grid.surface[10, 3]
    eye.settle(window)
    assert surface.losses is grid  # only these two have moved
    document.do(SetCells("output.logits", {(0, 1): 2.0}))
    eye.settle(window)
    assert surface.losses is not grid
    qtbot.waitUntil(lambda: surface.losses.whole)
    before, seen = document.state, surface.losses.window
    hand.click(surface, surface.mapFromScene(surface.getViewBox().sceneBoundingRect().center()))
    logits = document.state.inputs["output.logits"][0]
    assert logits[0] == pytest.approx((seen.left + seen.right) / 2, abs=0.05)
    assert logits[3] == pytest.approx((seen.bottom + seen.top) / 2, abs=0.05)
    document.undo()
    assert document.state is before


def test_a_click_on_the_surface_keeps_an_edit_that_is_still_computed(window, surface, large, gate, hand, qtbot):
    qtbot.waitUntil(lambda: surface.losses.whole)
    document = window.bench.document
    document.do(SetCells("output.logits", {(0, 1): 2.0}))
    assert document.computing
    hand.click(surface, surface.mapFromScene(surface.getViewBox().sceneBoundingRect().center()))
    gate.open.set()
    qtbot.waitUntil(lambda: not document.computing)
    assert document.state.inputs["output.logits"][0, 1] == 2.0
    assert document.history.undo_label == "Move two weights on the loss surface"


@pytest.mark.parametrize("patience", [60.0, 0.0])
def test_at_a_step_no_coarser_surface_flickers(surface, stepper, hand, qtbot, monkeypatch, patience):
    """For a moment each step showed another landscape; it is drawn only if the finer one keeps the reader waiting."""
    monkeypatch.setattr(loss_surface, "PATIENCE_S", patience)
    monkeypatch.setattr(loss_surface, "SLICE_S", 0.0)  # or all of it comes in one slice
    qtbot.waitUntil(lambda: surface.losses.whole)
    before, seen = surface.losses, []
    surface.drawn.connect(lambda: seen.append(len(surface.losses.x)))
    hand.click(stepper.widgets["one"])
    qtbot.waitUntil(lambda: surface.losses is not before and surface.losses.whole)
    assert surface.losses.window == before.window
    assert seen[-1] == PLACES
    assert (len(seen) == 1) == (patience > 0)


def test_the_way_over_the_surface(surface, stepper, descent, hand, qtbot):
    take(qtbot, hand, stepper, 5)
    qtbot.waitUntil(lambda: len(surface.way) == 6)
    assert surface.gone == 5
    assert tuple(surface.way[5]) == surface.here
    descent.travel(2)
    qtbot.waitUntil(lambda: surface.gone == 2)
    assert tuple(surface.way[2]) == surface.here
    wide = surface.losses.window.right - surface.losses.window.left
    document = surface.bench.document
    document.do(SetCells("output.logits", {(0, 0): 1e9}))  # as a step that is too large
    surface.bench.bridge.flush()
    assert surface.losses.window.right > 1e9
    document.undo()
    surface.bench.bridge.flush()
    assert surface.losses.window.right - surface.losses.window.left == wide, "nothing could be seen in it"


def test_while_steps_play_the_surface_follows_and_a_step_computes_losses_or_draws_them(
    surface, descent, qtbot, monkeypatch
):
    qtbot.waitUntil(lambda: surface.losses.whole)
    done, refresh, more = [], surface.refresh, type(surface.losses).more
    monkeypatch.setattr(surface, "refresh", lambda: (done.append(set()), refresh()))
    monkeypatch.setattr(type(surface.losses), "more", lambda *a, **k: (done[-1].add("computed"), more(*a, **k))[1])
    surface.drawn.connect(lambda: done[-1].add("drawn"))
    done.append(set())
    descent.set_pace(inf)
    descent.play()
    qtbot.waitUntil(lambda: sum("drawn" in step for step in done) > 2)
    during = list(done)
    descent.stop()
    assert {"computed", "drawn"} not in during
    qtbot.waitUntil(lambda: surface.losses.whole and surface.losses.fits() and len(surface.losses.x) == PLACES)
    assert "drawn" in done[-1], "the finest surface is seen once the run has stopped"


def test_other_weights_are_chosen(window, panel, surface, hand, eye, qtbot):
    qtbot.waitUntil(lambda: bool(panel.findChildren(CellPicker)))
    (picker,) = panel.findChildren(CellPicker)
    logits, temperature = (picker.pictures[f"output.{name}"] for name in ("logits", "temperature"))
    captions = [label.text() for label in picker.findChildren(QLabel)]
    assert captions[-3:] == ["Probabilities", "logits", "temperature"], "words, and no addresses"
    beside = temperature.parentWidget().x() - logits.parentWidget().geometry().right()
    assert beside <= window.bench.appearance.px(12), "the name of a block is above all its weights"
    was = surface.cells
    # The second of the five cells; what went up before goes across now.
    hand.click(logits, QPoint(logits.width() * 3 // 10, logits.height() // 2))
    assert surface.cells == (was[1], Cell("output.logits", (0, 1)))
    assert window.bench.descent.looked_at == surface.cells
    temperature.setFocus()
    hand.key(Qt.Key.Key_Return)
    assert surface.cells == (Cell("output.logits", (0, 1)), Cell("output.temperature", ()))
    qtbot.waitUntil(lambda: surface.losses.whole)
    assert not panel.grab().isNull()


def test_beside_a_small_surface_each_weight_has_its_layer(bring, eye):
    """Of "Layer 1: Masked attention, W_Q [head 4 → 10 → 11]" the layer was cut off."""
    window = bring("you-are-welcome", "model.descent", (1280, 800))
    surface = eye.plot(window, LossSurface)
    eye.settle(window)
    sides = [surface.side(name) for name in ("bottom", "left")]
    assert any(side.title_written() != side.title for side in sides)
    for side in sides:
        assert side.title_written().split(":")[0].split(",")[0] == side.title.split(":")[0]
        assert side.title_written().endswith(side.title[side.title.index("[") :])


@pytest.mark.usefixtures("painted")
def test_the_pictures_of_many_weights_are_whole_and_those_are_painted_anew_that_look_otherwise(bring, eye, qtbot):
    class Painted(QObject):
        def eventFilter(self, picture, event):
            if event.type() == QEvent.Type.Paint:
                names.add(picture.accessibleName().removeprefix("Cells of "))
            return False

    window = bring("you-are-welcome", "model.descent")
    page = window.page()
    qtbot.waitUntil(lambda: bool(page.findChildren(CellPicker)))
    (picker,) = page.findChildren(CellPicker)
    qtbot.waitUntil(lambda: picker.height() == picker.heightForWidth(picker.width()) > 150)
    eye.settle(window)
    QApplication.processEvents()  # all of it is painted
    painted, names, name = Painted(), set(), "encoder.1.self.W_Q"
    for picture in picker.pictures.values():
        picture.installEventFilter(painted)
    document, before = window.bench.document, picker.pictures[name].grab().toImage()
    names.clear()
    document.do(SetCells(name, {(0, 0, 0): -document.engine.values[name][0, 0, 0]}))
    eye.settle(window)
    QApplication.processEvents()
    assert names == {"W_Q in Encoder 1: Self-attention"}
    assert picker.pictures[name].grab().toImage() != before


def test_in_a_large_window_the_loss_is_larger_and_all_weights_are_in_sight_below_it(bring, eye, qtbot):
    """They stood below each other in the column of the surface: the page scrolled, and most of it was empty."""
    page = bring("you-are-welcome", "model.descent", (2560, 1440)).page()
    qtbot.waitUntil(lambda: bool(page.findChildren(CellPicker) and page.findChildren(SurfaceView)))
    eye.settle(page.window())
    (picker,), (surface,) = page.findChildren(CellPicker), page.findChildren(SurfaceView)
    room = page.elements.contentsRect().width()
    assert picker.width() > 0.9 * room
    assert surface.width() > 0.3 * room
    assert page.verticalScrollBar().maximum() == 0


def test_the_surface_follows_to_another_setting_of_other_shapes(window, eye, qtbot):
    window.bench.open(load("xor"), "random")
    window.bench.bridge.flush()
    eye.go_to(window, "model.descent")
    eye.plot(window, LossSurface)
    window.bench.open(window.bench.lesson, "printed")
    eye.settle(window)
    surface = eye.plot(window, LossSurface)
    qtbot.waitUntil(lambda: surface.losses.whole)
    values = window.bench.document.engine.values
    assert surface.here == tuple(values[cell.node][cell.index] for cell in surface.cells)


def test_the_surface_waits_for_its_page_where_another_model_computes_what_was_an_input(surface, window):
    window.bench.open(load("i-love-ai"))
    assert "output.logits" in window.bench.document.engine.values
    here = surface.here
    window.bench.descent.take(1)
    assert surface.isVisible()
    assert surface.here == here


def test_the_surface_waits_for_the_page_where_a_switch_has_removed_one_of_its_weights(bring, qtbot):
    """The run tells of itself before the page hears of the switch."""
    window = bring("xor", "model.descent")
    panel = window.page()
    qtbot.waitUntil(lambda: bool(panel.findChildren(LossSurface)))
    (surface,) = panel.findChildren(LossSurface)
    descent = window.bench.descent
    descent.looked_at = Cell("layer.1.b", (0,)), Cell("layer.1.W", (0, 0))
    surface.show_cells(descent.looked_at)
    here = surface.here
    window.bench.document.do(SetSwitch("layer.1", "bias", False))
    descent.changed.emit()
    surface.refresh()
    assert surface.here == here
