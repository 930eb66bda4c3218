"""A small lesson with a question of each kind, and the window on it."""

import re
from math import hypot, inf
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint
from PySide6.QtSvg import QSvgGenerator

from explorer.lessons.loader import load
from explorer.ui.lesson import parts
from explorer.ui.lesson.letters import HEIGHT, WIDTH

LESSON = '''
format = 4
id = "small"
title = "A small lesson"
paragraph = """
Three numbers and their shares.
"""
order = 1
start_stage = "output"
teaches = "what shares are"
minutes = 4

[model]
kind = "output"

[model.axes]
input = ["x"]
"output.words" = ["A", "B", "C"]

[switches]
"loss.loss" = "none"

[inputs]
"output.logits" = [[2.0, 1.0, 0.0]]

[settings.first]
title = "First"
paragraph = """
As it begins.
"""

[[step]]
id = "look"
title = "Three numbers"
words = "The first is **{output.logits[x, A]}**."
notes = "Wait until all have found it: {output.logits[x, B]}."
minutes = 1
[step.look]
stage = "output"
node = "output.logits"
columns = ["A"]

[[step]]
id = "predict"
title = "A share"
words = "Softmax makes shares of them."
minutes = 2
[step.look]
stage = "output"
node = "output.logits"
[step.question]
kind = "predict"
ask = "What is the share of A?"
node = "output.probabilities"
cell = ["x", "A"]
hints = ["Take $e$ to the power of each."]
why = "The shares add up to 1."

[[step]]
id = "choose"
title = "Which grows?"
words = "Now B is 3."
[step.look]
stage = "output"
node = "output.probabilities"
[step.inputs]
"output.logits[x, B]" = 3.0
[step.question]
kind = "choose"
ask = "Which share is the largest now?"
choices = [
    { text = "A", why = "A has the smaller logit." },
    { text = "B", right = true, why = "Its share is {output.probabilities[x, B]:2} now." },
]

[[step]]
id = "point"
title = "Point at it"
words = 'Look for the smallest $p_x$.'
[step.look]
stage = "output"
node = "output.probabilities"
[step.question]
kind = "point"
ask = "Which share is the smallest?"
at = "cell"
node = "output.probabilities"
right = { smallest = "all" }

[[step]]
id = "make"
title = "Make it so"
words = "Your turn."
[step.look]
stage = "output"
node = "output.logits"
[step.question]
kind = "make"
ask = "Change one number so that C gets the most."
goal = "argmax(output.probabilities[x]) == C"
edits = 1
allowed = ["output.logits"]
'''


@pytest.fixture
def file(tmp_path):
    """The lesson in a file."""
    path = tmp_path / "small.lesson.toml"
    path.write_text(LESSON)
    return path


@pytest.fixture(scope="module")
def kept_lesson(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "small.lesson.toml"
    path.write_text(LESSON)
    return load(path)


@pytest.fixture
def window(request, open_window, file, eye):
    """The window at the first step of the small lesson, of which nothing is answered."""
    if "kept" in request.fixturenames:
        lessons = request.getfixturevalue("kept")[0].lessons
        if lessons.both is not None:
            lessons.both.deleteLater()
            lessons.both = None
        return request.getfixturevalue("anew")(step=0)
    window = open_window(load(file))
    window.lessons.guide.go(0)
    eye.settle(window)
    return window


@pytest.fixture
def screen(monkeypatch):
    """Gives the class's window a size. A full screen has that of the screen, and a slide is built for each size."""

    def be(width=WIDTH, height=HEIGHT):
        def put_on(window, _):
            window.resize(width, height)
            window.show()

        monkeypatch.setattr(parts, "_put_on", put_on)

    be()
    return be


@pytest.fixture
def guide(window):
    return window.lessons.guide


@pytest.fixture
def panel(window):
    return window.lessons.panel


@pytest.fixture
def go(window, eye):
    """Goes to a step and waits until it is shown."""

    def go_to(step):
        window.lessons.guide.go(step)
        eye.settle(window)

    return go_to


@pytest.fixture
def text_sizes():
    return _text_sizes


def _text_sizes(widget):
    """Pixels that each text which a widget paints is high, as a picture of lines and letters says it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture = QSvgGenerator()
    picture.setOutputDevice(buffer)
    picture.setSize(widget.size())
    picture.setResolution(96)
    widget.render(picture, QPoint())
    del picture  # which ends the file
    sizes = {}

    def walk(element, scale, size):
        matrix = re.match(r"matrix\(([^)]*)\)", element.get("transform") or "")
        if matrix is not None:
            scale *= hypot(*map(float, matrix[1].split(",")[2:4]))
        size = float(element.get("font-size") or size)
        text = "".join(element.itertext()).strip()
        if element.tag.endswith("}text") and text and text != "_":  # in a name nobody sees it
            sizes[text] = min(sizes.get(text, inf), round(scale * size, 1))
        for inside in element:
            walk(inside, scale, size)

    walk(ElementTree.fromstring(buffer.data().data()), 1.0, 0.0)
    return sizes
