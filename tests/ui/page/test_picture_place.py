"""Pictures are made after the first paint, without holding the window."""

from types import SimpleNamespace

import pytest

from explorer.ui.page import picture_place
from tests.started import started

PROGRAM = """
import sys, threading
threads = set()
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("pyqtgraph"):
            threads.add(threading.current_thread() is threading.main_thread())
sys.meta_path.insert(0, Watch())
from explorer.app import open_window
from explorer.ui.page.picture_place import PicturePlace
app, window = open_window("what-a-trained-head-does")
assert not threads
while not any(late.picture for late in window.page().findChildren(PicturePlace)):
    app.processEvents()
print(threads)
"""


def test_the_window_is_not_held_by_the_import_of_pyqtgraph(tmp_path):
    done = started(PROGRAM, EXPLORER_SETTINGS=str(tmp_path))
    assert (done.returncode, done.stdout.split()) == (0, ["{False}"]), done.stderr


def test_all_types_of_qt_are_made_before_a_thread_asks_for_them(monkeypatch):
    """PySide makes them when they are first asked for: with the window painting beside, that crashed the program."""
    types, started = iter(range(5)), []
    monkeypatch.setattr(picture_place, "AT_ONCE", -1.0)  # one type a turn
    monkeypatch.setattr(picture_place, "_types", lambda: types)
    loader = SimpleNamespace(is_alive=lambda: False)
    monkeypatch.setattr(picture_place, "_loader", lambda: started.append(next(types, None)) or loader)
    for _ in range(5):
        assert not picture_place.is_loaded()
        assert not started
    assert picture_place.is_loaded()
    assert started == [None], "none was left"


@pytest.mark.parametrize(
    ("stage", "names"),
    [
        ("encoder.1.self.attention", ["Matrix weights", "Heat map", "Lines from", "The plane before", "Before:"]),
        ("loss", ["Right words", "Costs", "Position <start>"]),
    ],
)
def test_tab_reaches_a_picture_where_it_stands(open_window, eye, stage, names):
    """It came after all that stands below it, in the order in which pictures were made."""
    window = open_window("you-are-welcome", size=(1600, 900))
    page = eye.go_to(window, stage)
    order, one = [], page.elements.nextInFocusChain()
    while one is not page.elements:
        order.append(one.accessibleName())
        one = one.nextInFocusChain()
    places = [next(i for i, said in enumerate(order) if said.startswith(name)) for name in names]
    assert places == sorted(places)
