"""Every lesson that comes along is gone through in the window, forward and back."""

import pytest

from explorer.lessons.loader import lesson_files, load

pytestmark = pytest.mark.usefixtures("no_pictures")
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]


@pytest.mark.parametrize("name", GUIDED)
def test_each_step_is_shown(open_window, eye, name):
    window = open_window(load(name))
    guide = window.lessons.guide
    for at in [*range(len(guide.steps)), 0]:
        guide.go(at)
        eye.settle(window)
        assert guide.at == at
        assert window.bench.document.state is guide.walk.state(at)
        assert window.lessons.panel.isVisible()
