"""What somebody does in the window becomes a lesson, which is opened."""

from math import inf

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices

from explorer.cli import main
from explorer.core.engine import same_bytes
from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetTokens
from explorer.lessons.document_lesson import lesson_of, new_lesson
from explorer.lessons.loader import load
from explorer.ui.page.controls import ButtonView
from tests.checkpoints.small import translator

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")
ATTENTION, HEADS, OUTPUT = "encoder.1.self.attention", "encoder.1.self.heads", "output"


@pytest.fixture(scope="module")
def kept_lesson():
    return "you-are-welcome"


@pytest.fixture
def window(anew):
    window = anew("model")
    yield window
    window.lessons.recorder.drop()


def record(lessons):
    """The button that begins and ends a recording, as who looks at the page of lessons sees it."""
    lessons.tab().refresh()
    buttons = lessons.tab().findChildren(ButtonView)
    return next(one for one in buttons if one.text().endswith(("Record a lesson", "step", "steps")))


def visit(window, eye, stage):
    window.bench.selection.go_to(stage)
    eye.settle(window)


def test_places_and_edits_become_steps(window, eye, tmp_path, monkeypatch, capsys):
    lessons, bench, path = window.lessons, window.bench, tmp_path / "mine.lesson.toml"
    visit(window, eye, ATTENTION)
    record(lessons).click()
    assert record(lessons).text() == "● Stop recording · 1 step"
    bench.selection.choose(Cell("encoder.1.self.Q", (0, 0, 2)))
    bench.selection.set_head(1)
    for number in (2.0, 3.0):
        bench.document.do(SetCells("source.table", {(0, 0): number}))
        bench.bridge.flush()
    visit(window, eye, HEADS)
    visit(window, eye, OUTPUT)
    assert record(lessons).text() == "● Stop recording · 4 steps"
    wanted = bench.document.state
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: None)
    record(lessons).click()
    assert lessons.recorder.is_on  # nothing was saved, and nothing is lost
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "discard")
    record(lessons).click()
    assert not lessons.recorder.is_on
    assert record(lessons).text() == "Record a lesson"
    lesson = load(path)
    assert (lesson.id, lesson.title) == ("mine", "mine")
    first, _, third, last = lesson.steps
    assert (first.look.stage, first.look.node, first.look.rows, first.look.columns) == (
        *(ATTENTION, "encoder.1.self.head.2.Q"),
        *((0,), (2,)),
    )
    assert [step.title for step in lesson.steps] == [
        "Encoder 1: Self-attention",
        "Set table [You → 1] in Source: Embeddings",
        "Encoder 1: Heads & concat",
        "Output: Probabilities",
    ]
    assert (third.look.stage, third.head, last.look.stage, last.head) == (HEADS, 1, OUTPUT, 1)
    assert lessons.guide.lesson.id == "mine"
    lessons.guide.go(2)
    assert bench.document.state.inputs["source.table"].tolist() == wanted.inputs["source.table"].tolist()
    assert main(["replay", str(path)]) == 0
    assert "4 steps forward, backward and from each" in capsys.readouterr().out


def test_in_another_example_nothing_is_recorded_and_the_notice_says_so(window, eye):
    recorder, bench = window.lessons.recorder, window.bench
    first = bench.lesson
    recorder.start()
    bench.open(load("emma"))
    eye.settle(window)
    assert window.recording.text == f"● Recording waits until “{first.title}” is open again. 1 step."
    visit(window, eye, "attention")
    assert len(recorder.recording) == 1
    bench.open(first)
    visit(window, eye, OUTPUT)
    assert window.recording.text.startswith("● Recording: each page")
    assert len(recorder.recording) > 1


def test_a_page_that_no_step_can_show_is_left_out_and_said_to_be(window, eye):
    """“Parameters” became a step, and the saved lesson showed the whole model there."""
    bench, recorder = window.bench, window.lessons.recorder
    visit(window, eye, ATTENTION)
    recorder.start()
    visit(window, eye, "model.parameters")
    assert window.recording.text == (
        "● Recording: no step can show this page, so it is left out; an edit here counts. 1 step."
    )
    bench.document.do(SetCells("source.table", {(0, 0): 2.0}))
    bench.bridge.flush()
    assert len(recorder.recording) == 2
    visit(window, eye, OUTPUT)
    assert window.recording.text.startswith("● Recording: each page")
    assert len(recorder.recording) == 3
    bench.document.undo()
    bench.bridge.flush()
    visit(window, eye, "model.parameters")
    assert len(recorder.recording) == 2


def test_what_is_undone_is_no_step(window, eye, tmp_path, monkeypatch):
    """Who undid what cannot be written down, as an infinite number, was told to do so, and could save nothing."""
    bench, recorder, told = window.bench, window.lessons.recorder, []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: tmp_path / "mine.lesson.toml")
    visit(window, eye, ATTENTION)
    recorder.start()
    bench.document.do(SetCells("source.table", {(0, 0): inf}))
    bench.bridge.flush()
    visit(window, eye, OUTPUT)
    assert len(recorder.recording) == 3
    recorder.stop()
    assert "Undo what was done there" in told[0]
    bench.document.undo()
    bench.bridge.flush()
    assert len(recorder.recording) == 2
    recorder.stop()
    steps = load(tmp_path / "mine.lesson.toml").steps
    assert [(step.look.stage, step.title) for step in steps] == [
        (ATTENTION, "Encoder 1: Self-attention"),
        (OUTPUT, "Output: Probabilities"),
    ]


def test_a_visit_to_gradient_descent_is_a_step_that_goes_there(window, eye, tmp_path, monkeypatch):
    lessons, path = window.lessons, tmp_path / "mine.lesson.toml"
    visit(window, eye, ATTENTION)
    record(lessons).click()
    visit(window, eye, "model.descent")
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "discard")
    record(lessons).click()
    assert [step.look.stage for step in load(path).steps] == [ATTENTION, "train"]
    assert load(path).steps[1].title.endswith("Gradient descent")
    assert main(["replay", str(path)]) == 0


def test_what_was_recorded_is_not_lost_without_a_question(window, eye, hand, tmp_path, monkeypatch):
    lessons, notice, dialogs, asked = window.lessons, window.recording, window.files.dialogs, []
    record(lessons).click()
    visit(window, eye, OUTPUT)
    for answer, on in (("cancel", True), ("save", True), ("discard", False)):
        monkeypatch.setattr(dialogs, "keep", lambda name, answer=answer: (asked.append(name), answer)[1])
        monkeypatch.setattr(dialogs, "to_save_lesson", lambda suggestion: asked.append("where"))
        hand.click(notice.buttons["Discard"])
        assert lessons.recorder.is_on is on
        assert notice.isVisible() is on
    assert asked == ["this recording", "this recording", "where", "this recording"]


def test_every_page_says_that_it_is_recorded_and_how_to_stop(window, eye, hand, tmp_path, monkeypatch):
    lessons, notice, path = window.lessons, window.recording, tmp_path / "mine.lesson.toml"
    assert not notice.isVisible()
    record(lessons).click()
    hand.click(notice.buttons["Discard"])
    assert not lessons.recorder.is_on
    assert not notice.isVisible()
    record(lessons).click()
    eye.settle(window)
    assert window.tabs.currentWidget() is not lessons.tab()
    assert "1 step." in notice.text
    visit(window, eye, OUTPUT)
    assert "2 steps." in notice.text
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: None)
    hand.click(notice.buttons["Stop and save …"])
    assert "2 steps." in notice.text  # no file was chosen: it goes on
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "discard")
    hand.click(notice.buttons["Stop and save …"])
    assert path.exists()


def test_who_has_saved_is_told_where_the_words_go(window, eye, hand, tmp_path, monkeypatch):
    lessons, notice, path, opened = window.lessons, window.recording, tmp_path / "mine.lesson.toml", []
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    lessons._actions.record_lesson.trigger()
    lessons._actions.record_lesson.trigger()
    assert notice.text.startswith("Saved as mine.lesson.toml. Each step still needs its words")
    hand.click(notice.buttons["Open its folder"])
    assert opened == [str(tmp_path)]
    assert not notice.isVisible()


def test_the_list_of_commands_has_the_recording_and_its_end(window, eye, tmp_path, monkeypatch):
    action = window.actions_.record_lesson
    assert action in window.actions(), "Ctrl+K lists these"
    assert action.text() == "Record a lesson"
    action.trigger()
    eye.settle(window)
    assert window.lessons.recorder.is_on
    assert "Stop" in action.text()
    path = tmp_path / "mine.lesson.toml"
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "discard")
    action.trigger()
    assert path.exists()
    assert action.text() == "Record a lesson"


def test_keys_that_tab_through_a_table_leave_the_cell_that_was_clicked(window, eye, hand, tmp_path, monkeypatch):
    bench, path = window.bench, tmp_path / "mine.lesson.toml"
    visit(window, eye, ATTENTION)
    window.lessons.record()
    eye.settle(window)  # a notice has come above the page
    view = eye.views(window)["encoder.1.self.head.1.Q"]
    hand.click(view.viewport(), hand.cell(view, 1, 2) - view.viewport().pos())
    hand.key(Qt.Key.Key_Tab, times=4)
    assert bench.selection.kept.index != (0, 1, 2)
    bench.document.do(SetCells("source.table", {(0, 0): 2.0}))
    bench.bridge.flush()
    visit(window, eye, OUTPUT)
    visit(window, eye, ATTENTION)  # nothing was clicked this time
    view = eye.views(window)["encoder.1.self.head.1.Q"]
    view.setFocus()
    hand.key(Qt.Key.Key_Up)
    arrow = bench.selection.kept.index
    hand.key(Qt.Key.Key_Tab)
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "discard")
    window.lessons.record()
    clicked, edited, _, moved = (step.look for step in load(path).steps)
    for look in (clicked, edited):
        assert (look.node, look.rows, look.columns) == ("encoder.1.self.head.1.Q", (1,), (2,))
    assert (moved.node, moved.rows, moved.columns) == ("encoder.1.self.head.1.Q", arrow[1:2], arrow[2:])


def test_a_model_of_ones_own_becomes_a_lesson_that_needs_no_other_file_of_theirs(open_window, tmp_path, monkeypatch):
    window, path = open_window(new_lesson("gpt", ["a b"])), tmp_path / "mine.lesson.toml"
    document = window.bench.document
    document.do(SetCells("decoder.1.self.W_Q", {(0, 0, 0): 0.25}))  # as if it had learned
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: path)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda what: "discard")
    window.lessons.record()
    document.do(SetTokens("input", ["b", "a"]))
    window.bench.bridge.flush()
    wanted = document.engine.values["output.logits"]
    window.lessons.record()
    assert window.lessons.guide.lesson.id == "mine"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mine.lesson.toml", "mine.weights.safetensors"]
    window.lessons.guide.go(1)
    window.bench.bridge.flush()
    assert same_bytes(window.bench.document.engine.values["output.logits"], wanted)


def test_a_model_with_a_tokenizer_of_its_own_cannot_be_recorded(open_window, monkeypatch):
    window, told = open_window(lesson_of(translator(), "mine")[0]), []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    window.lessons.record()
    assert not window.lessons.recorder.is_on
    assert told[0].endswith("open the model itself.")


def test_a_model_that_no_step_can_say_is_told_before_anything_is_recorded(window, monkeypatch):
    document, told = window.bench.document, []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    for words in (["Hello"], ["You", "are", "welcome"]):  # the vocabulary keeps the word
        document.do(SetTokens("source", words))
    window.lessons.record()
    assert not window.lessons.recorder.is_on
    assert told[0].startswith("Step 1 cannot be written down")
    assert not window.recording.isVisible()


def test_a_file_that_cannot_be_written_keeps_the_recording(window, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    monkeypatch.setattr(window.files.dialogs, "to_save_lesson", lambda suggestion: tmp_path / "no" / "where")
    window.lessons.record()
    window.lessons.record()
    assert window.lessons.recorder.is_on
    assert "cannot be written" in told[0]


@pytest.mark.parametrize("answers", [("cancel", "discard"), ("save",)])
def test_a_window_does_not_close_over_a_recording_without_a_question(open_window, eye, tmp_path, monkeypatch, answers):
    window = open_window()
    recorder, dialogs, asked = window.lessons.recorder, window.files.dialogs, []
    recorder.start()
    visit(window, eye, ATTENTION)
    for answer in answers:
        monkeypatch.setattr(dialogs, "keep", lambda name, answer=answer: asked.append(name) or answer)
        monkeypatch.setattr(dialogs, "to_save_lesson", lambda suggestion: tmp_path / "mine.lesson.toml")
        assert window.close() is (answer != "cancel")
        assert recorder.is_on is (answer == "cancel")
        assert (tmp_path / "mine.lesson.toml").exists() is (answer == "save")
    assert asked == ["this recording"] * len(answers)
    monkeypatch.setattr(dialogs, "keep", lambda name: "discard")


def test_the_page_of_lessons_is_not_built_for_each_step_that_is_recorded_elsewhere(window, eye, monkeypatch, qtbot):
    window.show_tab("Lessons")
    page, built = window.lessons.tab(), []
    qtbot.waitUntil(lambda: page.is_whole)
    window.show_tab("Pipeline")
    monkeypatch.setattr(page, "refresh", lambda: built.append(page.shelf.recorded))
    window.lessons.recorder.start()
    visit(window, eye, OUTPUT)
    assert not built
    window.show_tab("Lessons")
    assert set(built) == {len(window.lessons.recorder.recording)}
