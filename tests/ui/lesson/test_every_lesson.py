"""Every lesson that comes along is gone through in the window: each step shown, each question answered, and back."""

import pytest
from PySide6.QtWidgets import QApplication

from explorer.document.commands import Replace
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.mistakes import mistakes
from explorer.lessons.replay import right_answer
from explorer.lessons.steps import Choose, MakeSo, Predict

pytestmark = pytest.mark.usefixtures("no_pictures")
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]


def answers(question, walk, at):
    """As many wrong numbers as there are tries, or the wrong choices, and the right answer."""
    state, engine = walk.state(at), walk.engine(at)
    match question:
        case Predict():
            wrong = next(mistakes(engine, question.node, question.cell, question.digits, question.of), None)
            if wrong is not None and at % 2:
                return [wrong.value + 1000, wrong.value + 2000, wrong.value]
        case Choose():
            wrong = [i for i, choice in enumerate(question.choices) if not choice.right]
            return [*wrong, right_answer(question, state, engine)]
    return [right_answer(question, state, engine)]


def show(window):
    """Make the page whole and paint the window; not all parts need have come to rest."""
    window.page()
    QApplication.processEvents()


@pytest.mark.parametrize("name", GUIDED)
def test_each_step_is_shown_and_each_question_answered(open_window, eye, name):
    window = open_window(load(name))
    guide, document = window.lessons.guide, window.bench.document
    for at, step in enumerate(guide.steps):
        if step.id.endswith("-two-missing"):
            continue  # as the one before and the one behind it
        guide.go(at)
        show(window)
        assert document.state is guide.walk.state(at)
        assert window.lessons.panel.isVisible()
        for answer in answers(step.question, guide.walk, at) if step.question is not None else ():
            if isinstance(step.question, MakeSo):
                document.do(Replace(answer, "Make it so"))
                window.bench.bridge.flush()
                guide.look_whether_made()
            else:
                guide.answer(answer)
        show(window)
        assert guide.question is None
    guide.go(0)
    eye.settle(window)
    assert document.state is guide.walk.state(0)
