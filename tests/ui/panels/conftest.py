"""The window on a panel."""

import pytest


@pytest.fixture
def at(open_window, eye):
    """The window on a stage of a lesson, at first an attention of "You are welcome"."""

    def go(lesson="you-are-welcome", stage="encoder.1.self.attention"):
        window = open_window(lesson)
        eye.go_to(window, stage)
        return window

    return go
