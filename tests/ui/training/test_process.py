"""A run in a process of its own gives what it gives in the window, and can be stopped, edited and gone on with."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.forward import same_bytes
from explorer.core.training.recipe import Recipe
from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.lessons.plan import Material
from explorer.lessons.session import Session, take_words
from explorer.ui.top_bar import PAGES
from explorer.ui.training import run as run_module

TEXT = "the cat sat on the mat . the dog sat on the rug . the cat saw the dog . " * 3


@pytest.fixture(autouse=True)
def large(request, monkeypatch):
    """Every run is a large one, but in tests of small ones."""
    if "small" not in request.node.name:
        monkeypatch.setattr(run_module, "LARGE_STEP", 0)


def run(qtbot, tab, hand):
    hand.click(tab.play)
    qtbot.waitUntil(lambda: not tab.play.isChecked() and not tab.run.process.running)
    assert tab.problem.text() == ""


def test_it_gives_the_bits_that_the_window_would(train, hand, qtbot):
    window, tab = train("i-love-ai")
    hand.click(tab.source.choice.group.button(1))
    tab.source.text.setPlainText(TEXT)
    tab.source.length.setValue(3)
    document = Document(window.bench.document.state)
    before = document.state
    run(qtbot, tab, hand)
    assert tab.run.process.at == 30
    assert "30 of 30" in tab.said.text()
    material, text = tab.source.material(tab.run.process._recipe.parent)
    take_words(document, material, text)
    session = Session(document, material, tab.run.session.trainer.recipe)
    while not session.trainer.finished:
        session.advance(1.0)
    for name in session.trainer.moving:
        assert same_bytes(window.bench.document.state.inputs[name], session.trainer.weights[name])
    assert tab.run.process.history.losses == session.trainer.history.losses
    window.bench.document.undo()
    window.bench.document.undo()  # the words
    assert window.bench.document.state is before


def test_it_is_paused_edited_and_gone_on_with(train, hand, qtbot):
    window, tab = train(steps=1_000_000)
    document = window.bench.document
    before = document.state
    hand.click(tab.play)
    qtbot.waitUntil(lambda: document.history.undo_label is not None)
    hand.click(tab.play)
    qtbot.waitUntil(lambda: not tab.run.process.running)
    at = tab.run.process.at
    assert at > 0
    document.do(SetCells("layer.2.b", {(0,): 7.0}))
    hand.click(tab.play)
    qtbot.waitUntil(lambda: document.history.undo_label.startswith("Train"))
    assert tab.run.process.at > at
    # It began at 7 again, and Adam's steps are no longer than the rate.
    moved = abs(document.state.inputs["layer.2.b"][0] - 7.0)
    assert 0 < moved <= 1.01 * tab.run.session.trainer.recipe.rate * (tab.run.process.at - at)
    # An edit in mid-run is gone on from without being asked.
    document.do(SetCells("layer.2.b", {(0,): -7.0}))
    qtbot.waitUntil(lambda: document.history.undo_label.startswith("Train"))
    assert document.state.inputs["layer.2.b"][0] < 0
    assert tab.play.isChecked()
    document.undo()
    qtbot.waitUntil(lambda: not tab.play.isChecked() and not tab.run.process.running)
    assert document.state is before  # the whole run, with what was edited in it


def test_another_model_ends_it_and_so_does_closing_the_window(train, hand, qtbot):
    window, tab = train(steps=1_000_000)
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process.at > 0)
    window.bench.open(load("softmax"))
    qtbot.waitUntil(lambda: tab.run.process is None)
    assert not tab.play.isChecked()
    window.bench.document.undo()
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process.at > 0)
    window.bench.document.do(SetSwitch("layer.1", "activation", "ReLU"))
    qtbot.waitUntil(lambda: not tab.run.process.running and not tab.play.isChecked())
    assert "Train goes on with it as it is now" in tab.problem.text()
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process.at > 0)
    process = tab.run.process
    window.close()
    assert not process.running


def test_a_run_that_diverges_says_so(train, hand, qtbot):
    window, tab = train(steps=1000)
    tab.form.control("optimiser").setCurrentText("SGD")
    tab.form.control("rate").setText("1000")
    for k in (1, 2):
        window.bench.document.do(SetSwitch(f"layer.{k}", "activation", "identity"))
    window.bench.document.do(SetCells("layer.2.b", {(0,): 1.0}))
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.problem.text() != "")
    assert "finite" in tab.problem.text() or "grew" in tab.problem.text()
    qtbot.waitUntil(lambda: not tab.play.isChecked())
    assert all(np.isfinite(window.bench.document.state.inputs[name]).all() for name in tab.run.session.trainer.moving)


def test_a_small_run_stays_in_the_window(open_window, eye, hand, qtbot):
    window = open_window("xor")
    window.show_page(PAGES.index("Train"))
    eye.settle(window)
    hand.click(window.training.one)
    assert window.training.run.process is None
    assert Session(window.bench.document, Material(), Recipe()).work < run_module.LARGE_STEP


def test_a_process_that_is_killed_says_so_and_is_gone_on_with(train, hand, qtbot):
    _, tab = train(steps=1_000_000)
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process._kept.exists())
    tab.run.process._process.kill()
    qtbot.waitUntil(lambda: not tab.run.process.running)
    assert "was ended from outside" in tab.problem.text()
    assert not tab.play.isChecked()
    at = tab.run.process.at
    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process.at > at)
    assert tab.problem.text() == ""
    assert len(tab.run.process.history.losses) == tab.run.process.at


def test_words_of_others_on_its_standard_output_are_passed_over(train, hand, qtbot, monkeypatch):
    _, tab = train()
    hand.click(tab.play)
    process = tab.run.process
    monkeypatch.setattr(process, "_rest", b'a library says hello\n[1]\n"words"\n\xff\n{}\n')
    qtbot.waitUntil(lambda: not tab.play.isChecked() and not process.running)
    assert tab.problem.text() == ""
    assert process.at == 30


def test_a_cleared_folder_for_temporary_files(train, hand, qtbot, tmp_path):
    _, tab = train(steps=1_000_000)

    def clear(name):
        Path(tab.run._folder.name).rename(tmp_path / name)  # at once, whatever the process is just writing there

    hand.click(tab.play)
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process.at > 0)
    tab.form.control("seed").setValue(7)
    clear("first")
    hand.click(tab.play)  # made anew
    qtbot.waitUntil(lambda: tab.run.process is not None and tab.run.process.at > 0)
    clear("second")
    qtbot.waitUntil(lambda: not tab.play.isChecked() and not tab.run.process.running)
    assert tab.problem.text().count("⚠") == 1


def test_a_run_that_could_not_begin_begins_in_a_process_all_the_same(train, hand, monkeypatch):
    window, tab = train()
    monkeypatch.setattr(run_module, "ProcessRun", Mock(side_effect=ExplorerError("not-written", file="x", reason="y")))
    for _ in range(2):
        hand.click(tab.play)
        assert "cannot be written" in tab.problem.text()
        assert not tab.play.isChecked()
    assert window.bench.document.history.undo_label is None


def test_one_step_begins_a_large_run_that_can_be_paused(train, hand, qtbot):
    _, tab = train(steps=1_000_000)
    hand.click(tab.one)
    assert tab.play.isChecked()
    qtbot.waitUntil(lambda: tab.run.process.at > 0)
    assert not tab.one.isVisible()
    hand.click(tab.play)
    qtbot.waitUntil(lambda: not tab.run.process.running)
    assert tab.problem.text() == ""
