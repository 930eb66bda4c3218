"""The window on the training tab."""

import pytest
from training_tab import field

from explorer.pages.training.pictures import Watch
from explorer.pages.training.settings import PACES, Plan
from explorer.ui.training import tab
from tests.ui.conftest import shares


@pytest.fixture(autouse=True)
def a_run_shows_little_of_its_way(monkeypatch):
    """Its pictures follow with the first step and at its end, and rarely between: they take most of the time."""
    monkeypatch.setattr(tab, "SHOW_S", 1.0)


@pytest.fixture
def train(request):
    """The window on the tab, where a run takes so many steps; that of a file knows of no run before."""
    if not shares(request):
        open_window = request.getfixturevalue("open_window")
        return lambda lesson="xor", steps=30: ready(open_window(lesson, tab="Train"), steps)
    (window, _), anew = request.getfixturevalue("kept"), request.getfixturevalue("anew")

    def begin(lesson="xor", steps=30):
        if (one := window.tabs.training) is not None:  # to make a new one takes 80 ms
            one.plan, one.problem, one.watch = Plan(one._begins), "", Watch()
            one.pace, one._of, one._found, one._unfolded = next(iter(PACES)), None, None, False
        return ready(anew(lesson=None if lesson == "xor" else lesson, tab="Train"), steps)

    return begin


def ready(window, steps):
    window.bench.descent.set_least(0.0)
    field(window.tabs.training, "steps").setValue(steps)
    return window, window.tabs.training
