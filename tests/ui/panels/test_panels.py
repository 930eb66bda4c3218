"""What a stage shows is what the engine holds, after everything a person can do to the model."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from explorer.core.numbers import decimals_of, written
from explorer.document.commands import PinCells, Release, Replace, SetCells, SetSwitch, SetTokens
from explorer.lessons.loader import load
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.view import MatrixView

WITHOUT_PICTURES = pytest.mark.usefixtures("no_pictures")
ENCODER, DECODER, CROSS = "encoder.1.self", "decoder.1.self", "decoder.1.cross"
EDITS = [
    SetCells("source.table", {(0, 0): 2.5}),
    SetCells(f"{ENCODER}.head.2.W_Q", {(1, 1): -7.125}),
    SetCells(f"{ENCODER}.W_O", {(0, 0): 1e-9}),
    SetCells("source.tokens", {(0,): 2}),
    SetTokens("source", ("You", "are", "so", "very", "welcome")),
    SetTokens("target", ("<start>",)),
    SetSwitch(ENCODER, "heads", 3),
    SetSwitch(DECODER, "mask", "causal"),
    SetSwitch(ENCODER, "scale", "none", everywhere=True),
    SetSwitch(ENCODER, "similarity", "cosine"),
    SetSwitch("source", "positions", "none"),
    SetSwitch(ENCODER, "norm", "pre"),
    SetSwitch("decoder.1.ffn", "on", True),
    SetSwitch(CROSS, "W_O", True),
    PinCells(f"{ENCODER}.weights", {(0, 1, 2): 0.5}),
    Release(f"{ENCODER}.output"),
]  # fmt: skip
STRUCTURAL = [EDITS[4], EDITS[6], EDITS[8], EDITS[10]]
STAGES = [
    *("source.embedding", "source.positions", f"{ENCODER}.attention", f"{ENCODER}.heads", f"{ENCODER}.after"),
    *("encoder.1.ffn.layers", f"{DECODER}.attention", f"{CROSS}.attention", "output"),
]


def wrong(window, eye):
    """What on the page of now is not what the engine holds."""
    engine = window.bench.document.engine
    found = []
    views = eye.views(window)
    for name, view in views.items():
        place = engine.graph.place(name)
        array = np.atleast_2d(engine.value(place))
        rows, columns = ("", "", *engine.graph.axes_of(place)[-2:])[-2:]
        labels = [engine.labels(axis) if axis else ("",) for axis in (rows, columns)]
        shown = [
            tuple(
                view.table.headerData(i, way, Qt.ItemDataRole.DisplayRole)
                for i in range((view.matrix.rowCount, view.matrix.columnCount)[k]())
            )
            for k, way in enumerate((Qt.Orientation.Vertical, Qt.Orientation.Horizontal))
        ]
        if shown != labels:
            found.append(f"{name}: labels {shown}, not {labels}")
        if view.array.tobytes() != array.tobytes() or view.array.shape != array.shape:
            found.append(f"{name}: paints other values than the engine's")
        if engine.graph.nodes[place.node].name.rpartition(".")[2] == "chosen":
            continue  # shown as words, see below
        texts = [[written(v, decimals_of(array)) for v in row] for row in array.tolist()]
        if eye.texts(view) != texts:
            found.append(f"{name}: {eye.texts(view)}, not {texts}")
    if not views:
        found.append(f"{window.bench.selection.stage}: no matrix at all")
    return found


def tour(window, eye, stages=None):
    """Go to every stage; what is wrong on the way."""
    found = []
    for stage in window.bench.document.engine.graph.stages:
        if stages is None or stage.name in stages:
            eye.look_at(window, stage.name)
            found += wrong(window, eye)
    return found


@WITHOUT_PICTURES
@pytest.mark.parametrize("setting", ["printed", "textbook"])
@pytest.mark.parametrize("lesson", ["you-are-welcome", "emma", "translation-lookup"])
def test_every_number_of_every_stage(open_window, eye, lesson, setting):
    window = open_window(lesson)
    if setting != "printed":
        window.bench.document.do(Replace(window.bench.lesson.state(setting), "Set"))
        eye.settle(window)
    assert tour(window, eye) == []
    shown = {panel.stage.name for panel in window.area._panels.values()}
    assert shown >= {stage.name for stage in window.bench.document.engine.graph.stages}


@WITHOUT_PICTURES
@pytest.mark.parametrize("k", range(4))
def test_after_an_edit_and_its_undo(window, eye, k):
    """At the stage that is in sight, and at those that were hidden when it happened."""
    document, bridge = window.bench.document, window.bench.bridge
    assert tour(window, eye, STAGES) == []
    for edit in EDITS[k::4]:
        document.do(edit)
        assert document.history.undo_label == edit.label
        bridge.flush()
        assert wrong(window, eye) + tour(window, eye, STAGES) == [], edit.label
        document.undo()
        bridge.flush()
        assert wrong(window, eye) + tour(window, eye, STAGES) == [], f"undo of {edit.label}"


@WITHOUT_PICTURES
def test_after_many_edits_one_upon_the_other(window, eye):
    eye.go_to(window, f"{ENCODER}.attention")
    for edit in EDITS:
        window.bench.document.do(edit)
        eye.settle(window)
        assert wrong(window, eye) == [], edit.label
    assert tour(window, eye) == []
    while window.bench.document.history.undo_label is not None:
        window.bench.document.undo()
    eye.settle(window)
    assert tour(window, eye) == []


@WITHOUT_PICTURES
@pytest.mark.parametrize("stage", STAGES[2:5] + STAGES[-2:])
def test_a_stage_that_is_in_sight_follows(window, eye, stage):
    eye.go_to(window, stage)
    for edit in STRUCTURAL:
        window.bench.document.do(edit)
        window.bench.bridge.flush()
        assert wrong(window, eye) == [], edit.label
        window.bench.document.undo()
        window.bench.bridge.flush()
        assert wrong(window, eye) == [], f"undo of {edit.label}"
        eye.look_at(window, stage)  # an edit may take the stage away


@WITHOUT_PICTURES
def test_what_is_painted_is_what_a_new_view_would_paint(window, eye, qtbot):
    eye.go_to(window, f"{ENCODER}.attention")
    window.bench.document.do(SetCells("source.table", {(0, 0): 2.5, (2, 3): -1.125}))
    window.bench.document.do(PinCells(f"{ENCODER}.weights", {(0, 1, 2): 0.5}))
    eye.settle(window)
    compared = 0
    for name, view in eye.views(window).items():
        other = MatrixView(window.bench, name)
        qtbot.addWidget(other)
        other.show()
        if other.size() == view.size():  # a column that has grown does not shrink again
            assert other.viewport().grab().toImage() == view.viewport().grab().toImage(), name
            compared += 1
    assert compared >= 8


@WITHOUT_PICTURES
def test_words_that_were_chosen_are_shown_by_name(open_window, window, eye, hand):
    eye.go_to(window, "output")
    view = eye.views(window)["output.chosen"]
    numbers = eye.value(window, "output.chosen")
    words = window.bench.document.engine.graph.axes["output.words"]
    assert eye.texts(view) == [[words[int(n)] for n in numbers]]
    lookup = open_window("translation-lookup")
    eye.go_to(lookup, "attention.nearest")
    assert eye.texts(eye.views(lookup)["chosen"]) == [["avec", "ci-dessous"]]


# Who refreshes when


@pytest.fixture
def refreshed(monkeypatch):
    """Names of the matrices that were refreshed or built anew since one last asked."""
    names = []
    for act in ("refresh", "rebuild"):
        old = getattr(MatrixView, act)

        def counted(self, old=old):
            names.append(self.matrix.name)
            old(self)

        monkeypatch.setattr(MatrixView, act, counted)

    def since():
        found = sorted(names)
        names.clear()
        return found

    return since


@WITHOUT_PICTURES
def test_only_matrices_whose_numbers_changed_are_refreshed(window, eye, refreshed):
    eye.go_to(window, f"{ENCODER}.attention")
    refreshed()
    window.bench.document.do(SetCells(f"{ENCODER}.head.1.W_V", {(0, 0): 5.0}))
    eye.settle(window)
    assert refreshed() == [f"{ENCODER}.head.1.{short}" for short in ("V", "W_V", "output")]
    window.bench.document.do(SetCells("decoder.1.self.W_O", {(0, 0): 5.0}))
    eye.settle(window)
    assert refreshed() == []


@WITHOUT_PICTURES
def test_hidden_stages_wait_until_they_are_shown(window, eye, refreshed):
    for stage in (f"{ENCODER}.attention", f"{ENCODER}.heads"):
        eye.go_to(window, stage)
    refreshed()
    for value in (1.0, 2.0, 3.0):
        window.bench.document.do(SetCells("source.table", {(0, 0): value}))
        eye.settle(window)
    shown = refreshed()
    assert {name.rpartition(".")[2] for name in shown} == {"weights", "output", "concat", "projected"}
    eye.go_to(window, f"{ENCODER}.attention")
    later = refreshed()
    assert len(later) == len(set(later)) >= 7  # each once, for three edits
    assert wrong(window, eye) == []
    eye.go_to(window, f"{ENCODER}.heads")
    eye.go_to(window, f"{ENCODER}.attention")
    assert refreshed() == []


@WITHOUT_PICTURES
def test_a_page_is_built_anew_only_when_its_structure_changes(window, eye, monkeypatch):
    panel = eye.go_to(window, f"{ENCODER}.attention")
    built = []
    build = Panel._construct
    monkeypatch.setattr(Panel, "_construct", lambda self: built.append(self.stage.name) or build(self))
    page = panel.widget()
    window.bench.document.do(SetCells("source.table", {(0, 0): 5.0}))
    window.bench.document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    window.bench.document.do(SetSwitch(DECODER, "scale", "1/d_k"))
    eye.settle(window)
    assert built == []
    assert panel.widget() is page
    window.bench.document.do(SetSwitch(ENCODER, "scale", "none"))
    eye.settle(window)
    assert built == [panel.stage.name]
    assert not [n for n in eye.views(window) if n.endswith("scaled")]


def test_a_page_that_is_built_anew_leaves_nothing_of_the_old_one(window, eye, qtbot):
    panel = eye.go_to(window, f"{ENCODER}.attention")
    count = len(window.findChildren(MatrixBox))
    for kind in ("none", "1/d_k") * 2:
        window.bench.document.do(SetSwitch(ENCODER, "scale", kind))
        eye.settle(window)
    boxes = len(panel.boxes)
    qtbot.waitUntil(lambda: len(panel.findChildren(MatrixBox)) == boxes)
    assert len(window.findChildren(MatrixBox)) == count


def test_painting_every_page_between_an_edit_and_its_news_does_no_harm(window, eye):
    for stage, edit in (
        ("source.embedding", EDITS[5]),
        (f"{ENCODER}.attention", EDITS[8]),
        (f"{ENCODER}.heads", EDITS[6]),
        (f"{DECODER}.attention", EDITS[5]),
    ):
        panel = eye.go_to(window, stage)
        window.bench.document.do(edit)
        assert not panel.grab().isNull()
        eye.settle(window)
        window.bench.document.undo()
        assert not panel.grab().isNull()
        eye.settle(window)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e300])
def test_every_page_can_be_painted_with_numbers_that_cannot_be_drawn(window, eye, value):
    inputs = ("source.table", "source.PE", f"{ENCODER}.head.1.W_Q", "encoder.1.ffn.W_1", "output.W")
    for name in inputs:
        window.bench.document.do(SetCells(name, {(0, 1): value, (1, 0): 1e-300}))
    for stage in window.bench.document.engine.graph.stages:
        assert eye.go_to(window, stage.name).isVisible()  # and painted
        assert wrong(window, eye) == []


# Settings


def setting_buttons(window):
    return {b.text(): b for b in window.findChildren(QPushButton) if b.accessibleName().startswith("Setting:")}


@WITHOUT_PICTURES
@pytest.mark.parametrize("lesson", ["you-are-welcome", "emma", "translation-lookup"])
def test_a_click_on_a_setting_changes_the_numbers_and_undo_brings_them_back(open_window, hand, eye, lesson):
    window = open_window(lesson)
    printed = dict(window.bench.document.engine.values)
    buttons = setting_buttons(window)
    assert list(buttons) == [s.title for s in window.bench.lesson.settings.values()]
    assert buttons["As printed"].isChecked()
    hand.click(buttons["Textbook"])
    eye.settle(window)
    assert window.bench.document.state.setting == "textbook"
    assert setting_buttons(window)["Textbook"].isChecked()
    fresh = window.bench.lesson.state("textbook")
    assert window.bench.document.engine.graph.nodes.keys() == fresh.graph.nodes.keys()
    assert wrong(window, eye) == []
    assert window.lesson_bar._title.text() == "Textbook"
    hand.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    eye.settle(window)
    assert setting_buttons(window)["As printed"].isChecked()
    assert wrong(window, eye) == []
    values = window.bench.document.engine.values
    assert values.keys() == printed.keys()
    assert all(values[name].tobytes() == array.tobytes() for name, array in printed.items())


@WITHOUT_PICTURES
def test_textbook_says_what_it_should_and_as_printed_does_not(window, hand, eye):
    eye.go_to(window, "output")
    chosen = lambda: eye.texts(eye.views(window)["output.chosen"])[0]  # noqa: E731
    assert len(set(chosen())) == 1
    hand.click(setting_buttons(window)["Textbook"])
    eye.settle(window)
    assert chosen() == ["de", "nada", "<end>"]


# The stage from before


@WITHOUT_PICTURES
def test_a_stage_shows_what_it_is_made_of(window, eye):
    eye.go_to(window, "encoder.1.ffn.layers")
    graph = window.bench.document.engine.graph
    parents = {p for n in graph.nodes.values() if n.stage == "encoder.1.ffn.layers" for p in n.parents}
    own = {n.name for n in graph.nodes.values() if n.stage == "encoder.1.ffn.layers"}
    assert set(eye.views(window)) == own | parents


@WITHOUT_PICTURES
def test_what_a_stage_is_made_of_may_change(window, eye):
    """Without positions, attention reads another node, of another stage."""
    eye.go_to(window, f"{ENCODER}.attention")
    assert "source.H" in eye.views(window)
    window.bench.document.do(SetSwitch("source", "positions", "none"))
    eye.settle(window)
    assert "source.H" not in eye.views(window)
    assert "source.X" in eye.views(window)
    assert wrong(window, eye) == []


def test_pages_of_a_model_that_is_gone_follow_the_text_scale_once_they_are_back(open_window, eye):
    window = open_window("you-are-welcome")
    bench = window.bench
    for stage in ("source.positions", "decoder.1.self.attention", "decoder.1.cross.attention", "output", "loss"):
        eye.look_at(window, stage)
    bench.open(load("jane"))
    eye.settle(window)
    bench.appearance.set_scale(1.5)
    window.resize(window.width() + 40, window.height())
    eye.settle(window)
    assert not window.grab().isNull()
    bench.open(load("you-are-welcome"))
    eye.settle(window)
    assert tour(window, eye, ("source.positions", "decoder.1.cross.attention", "output")) == []
