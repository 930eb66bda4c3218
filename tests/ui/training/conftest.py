"""The window on the training tab."""

import pytest
import shiboken6
from training_tab import field

from explorer.ui.training import tab
from tests.ui.conftest import shares


@pytest.fixture(autouse=True)
def a_run_shows_little_of_its_way(monkeypatch):
    """Its pictures follow with the first step and at its end, and rarely between: they take most of the time."""
    monkeypatch.setattr(tab, "SHOW_S", 1.0)


@pytest.fixture
def train(request):
    """The window on the tab, where a run takes so many steps; the tab is a new one also in the window of a file."""
    if not shares(request):
        open_window = request.getfixturevalue("open_window")
        return lambda lesson="xor", steps=30: ready(open_window(lesson, tab="Train"), steps)
    (window, _), anew = request.getfixturevalue("kept"), request.getfixturevalue("anew")

    def begin(lesson="xor", steps=30):
        if window.tabs.training is not None:
            window.show_tab("Pipeline")
            shiboken6.delete(window.tabs.training)
            window.tabs.training = None
        return ready(anew(lesson=None if lesson == "xor" else lesson, tab="Train"), steps)

    return begin


def ready(window, steps):
    window.bench.descent.set_least(0.0)
    field(window.tabs.training, "steps").setValue(steps)
    return window, window.tabs.training
