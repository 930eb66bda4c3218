"""The window on the training tab."""

import pytest
from training_tab import field


@pytest.fixture
def train(open_window):
    """Opens the window on the tab; a run takes so many steps."""

    def open_it(lesson="xor", steps=30):
        window = open_window(lesson, tab="Train")
        window.bench.descent.set_least(0.0)
        field(window.tabs.training, "steps").setValue(steps)
        return window, window.tabs.training

    return open_it
