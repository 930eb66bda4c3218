"""A run in a process of its own gives what it gives in the window, and can be stopped, edited and gone on with."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from training_tab import ask, field, learn_from, said, words_of

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.training.run import Run
from explorer.ui.training import descent, process

pytestmark = pytest.mark.usefixtures("kept", "page_rests")
TEXT = "the cat sat on the mat . the dog sat on the rug . the cat saw the dog . " * 3


@pytest.fixture(scope="module")
def kept_lesson():
    return "xor"


@pytest.fixture(autouse=True)
def large(request, monkeypatch):
    """Every run is a large one, but in tests of small ones."""
    if "small" not in request.node.name:
        monkeypatch.setattr(descent, "LARGE_STEP", 0)


def test_it_gives_the_bits_that_the_window_would_whatever_a_library_says_on_its_standard_output(
    train, hand, qtbot, monkeypatch
):
    window, tab = train("i-love-ai")
    learn_from(tab, 1)
    ask(tab, "text", TEXT)
    field(tab, "window").setValue(3)
    document = Document(window.bench.document.state)
    before = document.state
    hand.click(tab.control("train"))
    monkeypatch.setattr(tab.descent.process, "_rest", b'a library says hello\n[1]\n"words"\n\xff\n{}\n')
    qtbot.waitUntil(lambda: not tab.descent.going and tab.descent.process is None)
    assert tab.problem == ""
    found = tab.descent.run
    assert found.at == 30
    assert "30 of 30" in said(tab)
    here = Run(document, tab.descent.run.settings)
    here.take(60.0, 30)
    for name in here.trainer.moving:
        assert same_bytes(window.bench.document.state.inputs[name], here.trainer.weights[name])
    assert found.records.losses.tolist() == here.records.losses.tolist()
    hand.click(tab.control("one"))  # what the optimiser remembers has come back, too
    here.use(found.settings)
    here.take()
    assert all(same_bytes(found.trainer.weights[name], here.trainer.weights[name]) for name in here.trainer.moving)
    found.travel(17)  # and so has the way
    here.travel(17)
    assert all(same_bytes(found.trainer.weights[name], here.trainer.weights[name]) for name in here.trainer.moving)
    window.bench.document.undo()
    window.bench.document.undo()  # the words
    assert window.bench.document.state is before


def test_it_is_paused_edited_and_gone_on_with(train, hand, qtbot):
    window, tab = train(steps=1_000_000)
    document = window.bench.document
    before = document.state
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: document.history.undo_label is not None)
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is None)
    at = tab.progress.records.at
    assert at > 0
    document.do(SetCells("layer.2.b", {(0,): 7.0}))
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: document.history.undo_label.startswith("Gradient"))
    assert tab.progress.records.at > at
    # It began at 7 again, and Adam's steps are no longer than the rate.
    moved = abs(document.state.inputs["layer.2.b"][0] - 7.0)
    assert 0 < moved <= 1.01 * tab.descent.run.trainer.recipe.rate * (tab.progress.records.at - at)
    # An edit in mid-run is gone on from without being asked.
    document.do(SetCells("layer.2.b", {(0,): -7.0}))
    qtbot.waitUntil(lambda: document.history.undo_label.startswith("Gradient"))
    assert document.state.inputs["layer.2.b"][0] < 0
    assert tab.descent.going
    document.undo()
    qtbot.waitUntil(lambda: not tab.descent.going and tab.descent.process is None)
    assert document.state is before  # the whole run, with what was edited in it


def test_another_model_ends_it_and_so_does_closing_the_window(own_window, train, hand, qtbot):
    window, tab = train(steps=1_000_000)
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.progress.records.at > 0)
    window.bench.open(load("softmax"))
    qtbot.waitUntil(lambda: tab.descent.process is None)
    assert not tab.descent.going
    window.bench.document.undo()
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.progress.records.at > 0)
    window.bench.document.do(SetSwitch("layer.1", "activation", "sigmoid"))
    qtbot.waitUntil(lambda: tab.descent.process is None and not tab.descent.going)
    assert "Train continues with it as it is now" in tab.problem
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.progress.records.at > 0)
    window.close()
    assert tab.descent.process is None


def test_a_run_that_diverges_says_so(train, hand, qtbot):
    window, tab = train(steps=1000)
    ask(tab, "optimiser", "SGD")
    ask(tab, "type rate", "1000")
    for k in (1, 2):
        window.bench.document.do(SetSwitch(f"layer.{k}", "activation", "identity"))
    window.bench.document.do(SetCells("layer.2.b", {(0,): 1.0}))
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.problem != "")
    assert "finite" in tab.problem or "grew" in tab.problem
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert all(np.isfinite(window.bench.document.state.inputs[name]).all() for name in tab.descent.run.trainer.moving)


def test_a_small_run_stays_in_the_window(train, hand):
    window, tab = train()
    hand.click(tab.control("one"))
    assert window.bench.descent.process is None
    assert window.bench.descent.run.prepared.work < descent.LARGE_STEP


def test_a_process_that_is_killed_says_so_is_gone_on_with_and_ends_when_one_goes_back(train, hand, qtbot):
    _, tab = train(steps=1_000_000)
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.descent.process.saved.exists())
    tab.descent.process._process.kill()
    qtbot.waitUntil(lambda: tab.descent.process is None)
    assert "was stopped from outside" in tab.problem
    assert not tab.descent.going
    at = tab.progress.records.at
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.progress.records.at > at)
    assert tab.problem == ""
    assert tab.descent.run.records.at == tab.progress.records.at
    at = tab.descent.at
    tab.descent.travel(at // 2)
    qtbot.waitUntil(lambda: tab.descent.process is None and not tab.descent.going)
    assert tab.descent.at == at // 2
    assert tab.descent.run.records.at >= at
    tab.descent.take(2)
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert tab.descent.run.records.at == tab.descent.at == at // 2 + 2


def test_a_cleared_folder_for_temporary_files(train, hand, qtbot, tmp_path):
    _, tab = train(steps=1_000_000)

    def clear(name):
        Path(tab.descent._handover._folder.name).rename(
            tmp_path / name
        )  # at once, whatever the process is just writing there

    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.progress.records.at > 0)
    field(tab, "seed").setValue(7)
    clear("first")
    hand.click(tab.control("train"))  # made anew
    qtbot.waitUntil(lambda: tab.descent.process is not None and tab.progress.records.at > 0)
    clear("second")
    qtbot.waitUntil(lambda: not tab.descent.going and tab.descent.process is None)
    assert words_of(tab.foot, "problem").count("⚠") == 1


def test_a_run_that_could_not_begin_begins_in_a_process_all_the_same(train, hand, monkeypatch):
    window, tab = train()
    monkeypatch.setattr(
        process, "TrainingProcess", Mock(side_effect=ExplorerError("not-written", file="x", reason="y"))
    )
    for _ in range(2):
        hand.click(tab.control("train"))
        assert "cannot be written" in tab.problem
        assert not tab.descent.going
    assert window.bench.document.history.undo_label is None


def test_one_step_of_a_large_run_is_one_step_and_none_of_a_process(train, hand):
    _, tab = train(steps=1_000_000)
    hand.click(tab.control("one"))
    assert tab.descent.process is None
    assert tab.descent.at == 1
