"""The window on the training tab."""

import pytest
from training_tab import field

from explorer.pages.training.pictures import Watch
from explorer.pages.training.settings import PACES, Plan
from tests.ui.conftest import settle


@pytest.fixture
def train(request, open_window, qtbot):
    """Opens the window on the tab, that of the file where it has this lesson; a run takes so many steps."""

    def open_it(lesson="xor", steps=30):
        if "kept" in request.fixturenames and lesson == request.getfixturevalue("kept_lesson"):
            window = as_first(request.getfixturevalue("anew")(lesson_stage(request)))
            settle(qtbot, window)
        else:
            window = open_window(lesson, tab="Train")
        window.bench.descent.set_least(0.0)
        field(window.tabs.training, "steps").setValue(steps)
        return window, window.tabs.training

    return open_it


def lesson_stage(request):
    """The stage that the lesson of the file begins with."""
    return request.getfixturevalue("kept")[0].bench.lesson.start_stage


def as_first(window):
    """The tab as the lesson opens it."""
    window.show_tab("Train")
    tab = window.tabs.training
    tab.plan, tab.watch, tab.pace, tab.problem = Plan(tab._recipe), Watch(), next(iter(PACES)), ""
    tab._of, tab._drawn, tab._unfolded = None, {}, False
    tab._follow_example()
    tab._share_width()
    return window
