"""A lesson that is being written, and a lesson on paper."""

import re

import numpy as np
import pytest

from explorer.cli.render import PAPERS
from explorer.document.storage import save
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.lessons.walk import Walk
from explorer.pages.element import of_kind
from explorer.pages.page import Picture
from explorer.pages.steps.of_step import elements_of, on_paper
from explorer.ui import files
from explorer.ui.lesson import step_pictures
from explorer.ui.lesson.step_pictures import (
    MARGIN,
    PAPER,
    SHARP,
    picture_of_step,
    pictures_of_step,
    pixels_of,
    step_off_screen,
)
from explorer.ui.matrix.form import CELL_HEIGHT, SIZES
from explorer.ui.theme import LIGHT, qcolor
from tests.ui.lesson.conftest import LESSON

pytestmark = pytest.mark.usefixtures("no_pictures", "at_least_page", "page_rests")


@pytest.fixture
def written(window, file, eye):
    """The lesson opened from its file, in its second step."""
    window.files.open_path(file)
    window.lessons.guide.go(1)
    eye.settle(window)
    return file


def test_a_lesson_file_opens_at_its_steps(open_window, file, eye):
    window = open_window()
    window.files.open_path(file)
    eye.settle(window)
    assert window.lessons.guide.at == 0
    assert window.lessons.panel.isVisible()


def test_saving_the_file_reloads_the_lesson_in_the_same_step(window, written, guide, panel, qtbot):
    before = '[[step]]\nid = "new"\ntitle = "New"\nwords = "One more."\n[step.look]\nstage = "output"\n\n'
    text = LESSON.replace("Softmax makes shares of them.", "Other words.")
    written.write_text(text.replace("[[step]]", f"{before}[[step]]", 1))
    qtbot.waitUntil(lambda: "Other words" in panel._page.widgets["words"].text())
    assert guide.step.id == "predict"
    assert guide.at == 2


def test_a_question_that_is_written_anew_is_asked_anew(window, written, guide, panel, qtbot):
    words = "Softmax makes shares of them."
    guide.answer(0.665)
    written.write_text(LESSON.replace(words, "Other words."))
    qtbot.waitUntil(lambda: "Other words" in panel._page.widgets["words"].text())
    assert guide.question is None, "it is the same question"
    written.write_text(LESSON.replace(words, "All is well.").replace("What is the share of A?", "How likely is A?"))
    qtbot.waitUntil(lambda: "All is well" in panel._page.widgets["words"].text())
    assert guide.question is not None
    assert guide.attempt.verdict is None


def test_a_document_that_was_opened_since_is_not_replaced_by_the_lesson(window, written, guide, tmp_path, qtbot):
    document, watcher = window.bench.document, window.lessons._watcher
    save(new_lesson("gpt", ["a b c"], d_model=4).state(), "Mine", tmp_path / "mine.explorer")
    window.files.open_path(tmp_path / "mine.explorer")
    window.bench.bridge.flush()
    state = document.state
    with qtbot.waitSignal(watcher.saved):
        written.write_text(LESSON.replace("Softmax makes shares of them.", "Other words."))
    assert document.wanted is state
    assert guide.at is None
    document.undo()  # back to the lesson, which follows its file again
    window.bench.bridge.flush()
    with qtbot.waitSignal(watcher.saved):
        written.write_text(LESSON.replace("Softmax makes shares of them.", "All is well."))
    assert "All is well" in window.lessons.panel._page.widgets["words"].text()


def test_a_file_that_was_replaced_by_the_same_is_still_followed(window, written, panel, qtbot):
    """As a formatter does that finds nothing to change."""
    watcher = window.lessons._watcher
    other = written.with_name("other")
    other.write_bytes(written.read_bytes())
    with qtbot.waitSignal(watcher._timer.timeout):
        other.replace(written)
    text = LESSON.replace("Softmax makes shares of them.", "Other words.")
    with written.open("r+") as stream:  # not replaced: the folder does not change
        stream.write(text)
        stream.truncate()
    qtbot.waitUntil(lambda: "Other words" in panel._page.widgets["words"].text())


def test_a_mistake_in_the_file_is_told_and_the_lesson_stays(window, written, guide, panel, qtbot):
    written.write_text(LESSON.replace('node = "output.probabilities"', 'node = "output.probabilitys"'))
    qtbot.waitUntil(lambda: panel._page.widgets["trouble"].isVisible())
    assert "probabilitys" in panel._page.widgets["trouble"].text()
    assert "predict" in panel._page.widgets["trouble"].text()
    panel.say("'mask' is not one of its values")
    assert (
        "'mask'" in panel._page.widgets["trouble"].text()
    )  # a label without tags would show how a quote is written in HTML
    assert guide.step.id == "predict"
    written.write_text(LESSON.replace("Softmax makes shares of them.", "All is well."))
    qtbot.waitUntil(lambda: "All is well" in panel._page.widgets["words"].text())
    assert not panel._page.widgets["trouble"].isVisible()


def test_all_rows_of_tables_below_each_other_are_on_paper(appearance):
    lesson = load("emma")
    number = [step.id for step in lesson.steps].index("score")
    picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert picture.width() <= SHARP * (PAPER + 2 * MARGIN)
    # Q and K beside each other, S below them, as low as its rows may be, and the labels of their columns.
    assert picture.height() > SHARP * CELL_HEIGHT * (9 + SIZES[-1] * 9 + 3)


def test_the_last_line_of_a_list_whose_titles_wrap_is_on_paper(appearance):
    lesson = load("changed-since-2017")
    walk = Walk(lesson)
    number = next(i for i, step in enumerate(lesson.steps) if step.id == "cache")
    picture = picture_of_step(appearance, lesson, number, walk.state(number))
    pixels = pixels_of(picture)
    dark = (pixels[:, : pixels.shape[1] // 4].min(-1) < 150).any(-1)  # the first column, of numbers alone
    begins, ends = (np.flatnonzero(np.diff(dark.astype(int), prepend=0, append=0) == sign) for sign in (1, -1))
    assert len(begins) == 5, "a title and four lines; of the last one the lower half was missing"
    assert np.ptp((ends - begins)[1:]) <= 2


def test_on_paper_a_list_has_the_columns_that_stand_side_by_side(appearance):
    """The table of models stood there in four parts of 32 columns in all, and of the last one only the titles."""
    lesson = load("changed-since-2017")
    (wide,) = pictures_of_step(appearance, lesson, 0, Walk(lesson).state(0))  # none that goes on below
    assert wide.height() < SHARP * 350
    blue = qcolor(LIGHT.link).getRgb()[:3]
    assert not (pixels_of(wide) == blue).all(-1).any(), "paper follows no links"


def test_on_paper_nothing_can_be_clicked_or_pointed_at(appearance):
    """A list had the link "8 of 512 · more" below it, and a picture said "Point anywhere to ask the net."."""
    for name, id in (("one-word-at-a-time", "next"), ("xor", "watch")):
        lesson = load(name)
        number = next(i for i, step in enumerate(lesson.steps) if step.id == id)
        with step_off_screen(appearance, lesson, number, Walk(lesson).state(number), 1.0) as (_, bench):
            shown = [on_paper(one) for one in elements_of(bench.view, lesson.steps[number])]
        assert not any(one.drawing.probe for one in of_kind(shown, Picture))
        if id == "next":
            picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
            assert not (pixels_of(picture) == qcolor(LIGHT.link).getRgb()[:3]).all(-1).any()


@pytest.mark.parametrize(("step", "least"), [("score", 2.5), ("why-less", 2.5)])
def test_below_the_words_the_parts_of_a_picture_stand_side_by_side(appearance, pictures, step, least):
    """Half of the page beside them was empty, and a step took half a page."""
    lesson = load("emma")
    number = [one.id for one in lesson.steps].index(step)
    *_, below = pictures_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert least * below.height() < below.width() <= SHARP * (PAPER + 2 * MARGIN)
    right = pixels_of(below)[:, below.width() * 3 // 4 :]
    assert (right != 255).any(-1).mean() > 0.05
    assert "rows" in below.text("Description")


@pytest.mark.parametrize(("name", "step"), [("cat-sat-on-the", "walk-down"), ("xor", "watch")])
def test_of_gradient_descent_paper_has_the_picture_alone(appearance, monkeypatch, name, step):
    lesson, told = load(name), []
    number = [one.id for one in lesson.steps].index(step)
    tell = step_pictures.Elements.tell
    monkeypatch.setattr(step_pictures.Elements, "tell", lambda self, shown: told.extend(shown) or tell(self, shown))
    picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert [type(one).__name__ for one in told] == ["Picture"], "there is nothing to press on paper"
    assert picture.height() <= 1.1 * picture.width()  # one of them was four times as high


def test_a_plot_stands_on_white_paper(appearance, pictures):
    lesson = load("emma")
    number = [step.id for step in lesson.steps].index("softmax")
    picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert (pixels_of(picture) == qcolor(LIGHT.page).getRgb()[:3]).all(-1).mean() < 0.01


def test_words_near_another_are_on_paper(appearance):
    lesson = load("words-as-vectors")
    number = [step.id for step in lesson.steps].index("neighbours")
    picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert picture is not None
    assert "remote" in picture.text("Description")


def test_what_a_step_asks_for_by_a_check_box_is_on_paper(appearance):
    """The question was about a list that only a ticked box makes, and the paper showed another list."""
    lesson = load("where-the-answer-comes-from")
    number = [step.id for step in lesson.steps].index("patch")
    picture = picture_of_step(appearance, lesson, number, Walk(lesson).state(number))
    assert "How far the answer moves" in picture.text("Description")


@pytest.mark.filterwarnings("ignore")
def test_a_lesson_on_paper(window, guide, tmp_path, monkeypatch):
    written = {}
    for ending in PAPERS:
        path = tmp_path / f"small{ending}"
        monkeypatch.setattr(files.Dialogs, "to_hand_out", lambda *_, path=path: path)
        window.lessons.save_hand_out()
        written[ending] = path.read_bytes()
    assert written.pop(".pdf").startswith(b"%PDF")
    ((_, content),) = written.items()
    text = content.decode()
    assert text.count("<section>") == 5
    assert text.count("data:image/png;base64,") == 4  # that of the step above is not printed again
    assert not re.search(r"(src|href)='(?!data:)", text)  # one file with everything in it
    before, _, answers = text.partition(">Answers<")
    assert "What is the share of A?" in before
    assert "0.6652" not in before  # the right answer stands at the end alone
    assert "0.6652" in answers
    assert "The shares add up to 1." in answers
