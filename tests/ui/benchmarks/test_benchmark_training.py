"""The figure of frames counts frames while a run goes on; how long they take is for `explorer bench` to say."""

import pytest
from benchmarks import frames as benchmark_training
from benchmarks.painting import Paints
from PySide6.QtWidgets import QApplication

from explorer.ui.training import descent


@pytest.mark.parametrize("docked", [None, "output"])
def test_frames_while_training(open_window, monkeypatch, docked):
    monkeypatch.setattr(benchmark_training, "FRAMES", 3)
    monkeypatch.setattr(benchmark_training, "ROUNDS", 1)
    window = open_window("cat-sat-on-the")
    app = QApplication.instance()
    paints = Paints(app)
    found = benchmark_training.while_training(lambda: (app, window, paints), "cat-sat-on-the", "script", docked)
    app.removeEventFilter(paints)
    assert (found.unit, found.limit) == ("×", 2 if docked else 1.8)
    assert found.value > 0
    assert "3 frames" in found.detail
    assert not window.bench.descent.going
    assert window.bench.descent.at > 0


def test_the_figures():
    names = [measure.__name__ for measure in benchmark_training.figures(lambda _: None)]
    assert names == [
        "frames while cat-sat-on-the trains",
        *["frames while you-are-welcome trains"] * 2,
        *["frames of the training tab"] * 2,
    ]


@pytest.mark.parametrize("large", [False, True])
def test_turns_of_the_training_tab(open_window, monkeypatch, large):
    monkeypatch.setattr(benchmark_training, "TURNS", 2)
    monkeypatch.setattr(benchmark_training, "FIRST_S", 0.0)
    if large:
        monkeypatch.setattr(descent, "LARGE_STEP", 0)
    window = open_window("cat-sat-on-the")
    app = QApplication.instance()
    paints = Paints(app)
    found = benchmark_training.in_the_tab(lambda: (app, window, paints), 4, 1)
    app.removeEventFilter(paints)
    assert ("process of its own" if large else "slices") in found.detail
    assert not window.bench.descent.going
    assert window.tabs.currentWidget() is not window.tabs.training
