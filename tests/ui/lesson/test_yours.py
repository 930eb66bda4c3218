"""Lessons by others in the window: a zip is opened, its lesson begins, and it stays under "Your lessons"."""

import os
import zipfile

import pytest

from explorer.cli.window import openable
from explorer.lessons.loader import lesson_files
from explorer.lessons.own_lessons import FOLDER, is_bundle, take_in, yours
from explorer.pages.gestures import ForLessons
from explorer.settings import Settings

pytestmark = pytest.mark.usefixtures("no_pictures", "page_rests")


def own(page):
    """The files of the person's own lessons that are in sight."""
    found = page.elements.widgets.get("own lessons")
    return [id.removeprefix("lesson ") for id, card in found.cards.items() if card.isVisible()] if found else []


@pytest.fixture
def source(tmp_path):
    text = lesson_files()["softmax"].read_text("utf-8").replace('id = "softmax"', 'id = "ours"')
    text = text.replace('title = "Softmax of three numbers"', 'title = "A lesson of ours"', 1)
    with zipfile.ZipFile(tmp_path / "ours.zip", "w") as archive:
        archive.writestr("ours.lesson.toml", text)
    return tmp_path / "ours.zip"


def test_a_zip_is_opened_and_kept(open_window, source, tmp_path, qtbot, eye):
    window = open_window(settings=Settings(tmp_path / "settings"), tab="Lessons")
    page = window.lessons.tab()
    assert "bundle" not in page.elements.widgets
    openable(str(source))
    window.files.open_path(source)
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)
    assert window.bench.lesson.id == "ours"
    (file,) = yours(tmp_path / "settings" / FOLDER)
    window.lessons.show_lessons()
    eye.settle(window)
    qtbot.waitUntil(lambda: own(page) == [str(file)] and page.is_whole)
    image = page.elements.widgets["own lessons"].cards[f"lesson {file}"].image
    made = image.made
    page.read()
    qtbot.waitUntil(lambda: page.is_whole)
    assert image.made == made
    os.utime(file, ns=(0, 0))
    page.read()
    qtbot.waitUntil(lambda: page.is_whole)
    assert image.made != made, "the picture of the file of before stayed"
    guide = window.lessons.guide
    for act, step in (("begin", 1), ("begin anew", 0)):
        guide.go(1)
        window.lessons.show_lessons()
        window.bench.selection.asked.emit(ForLessons(act, str(file)), page)
        assert window.bench.lesson.title == "A lesson of ours"
        qtbot.waitUntil(lambda step=step: guide.at == step)
    assert guide.walk.progress.seen == (guide.steps[0].id,)


def test_a_question_that_its_author_has_taken_out_leads_to_the_lesson(open_window, source, tmp_path, qtbot):
    window = open_window(settings=Settings(tmp_path / "settings"), tab="Lessons")
    window.files.open_path(source)
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)
    (file,) = yours(tmp_path / "settings" / FOLDER)
    window.lessons.show_lessons()
    window.lessons.ask_again(str(file), "taken-out")
    assert window.bench.lesson.title == "A lesson of ours"
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)


def test_a_kept_lesson_whose_file_is_gone_is_said(open_window, source, tmp_path, qtbot, monkeypatch):
    """Another window may have removed it."""
    window, told = open_window(settings=Settings(tmp_path / "settings"), tab="Lessons"), []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    window.files.open_path(source)
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)
    (file,) = yours(tmp_path / "settings" / FOLDER)
    file.unlink()
    window.lessons.begin(str(file), anew=True)
    window.lessons.ask_again(str(file), "first")
    assert [one.count("there is no such file") for one in told] == [1, 1]
    assert window.lessons.guide.at == 0


def test_a_lesson_that_is_kept_is_removed_and_all_are_saved_as_one_file(
    open_window, source, tmp_path, qtbot, eye, monkeypatch
):
    window = open_window(settings=Settings(tmp_path / "settings"), tab="Lessons")
    window.files.open_path(source)
    qtbot.waitUntil(lambda: window.lessons.guide.at == 0)
    (file,) = yours(tmp_path / "settings" / FOLDER)
    window.lessons.show_lessons()
    page = window.lessons.tab()
    qtbot.waitUntil(lambda: own(page) == [str(file)] and page.is_whole)
    bundle = page.elements.widgets["bundle"]
    assert bundle.height() >= bundle.fontMetrics().height()
    monkeypatch.setattr(window.files.dialogs, "to_bundle", lambda path: tmp_path / path.name)
    bundle.click()
    assert is_bundle(tmp_path / "lessons.lessons")
    for answer in (False, True):
        monkeypatch.setattr(window.files.dialogs, "remove", lambda title, answer=answer: answer)
        page.elements.widgets["own lessons"].cards[f"lesson {file}"].buttons["remove"].click()
        qtbot.waitUntil(lambda answer=answer: bool(own(page)) is not answer and page.is_whole)
        assert file.exists() is not answer
    assert "bundle" not in page.elements.widgets
    assert window.bench.lesson.id == "ours"  # what is open stays open
    assert source.exists()
    window.files.open_path(tmp_path / "lessons.lessons")
    assert len(yours(tmp_path / "settings" / FOLDER)) == 1


def test_what_is_refused_is_said_and_nothing_is_opened(open_window, tmp_path, monkeypatch):
    window, told = open_window(settings=Settings(tmp_path / "settings")), []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    (tmp_path / "a.zip").write_text("nothing", "utf-8")
    lesson = window.bench.lesson
    window.files.open_path(tmp_path / "a.zip")
    assert len(told) == 1
    assert "not a zip" in told[0]
    assert window.bench.lesson is lesson


def test_a_lesson_of_a_file_is_found_again_among_ones_own_and_bundled(
    open_window, source, tmp_path, qtbot, eye, monkeypatch
):
    """Who had recorded a lesson and closed the window found it nowhere: neither in Lessons nor in "Open recent"."""
    for name in ("mine", "more"):
        (tmp_path / name).mkdir()
        with zipfile.ZipFile(source) as archive:
            text = archive.read("ours.lesson.toml").decode().replace("A lesson of ours", f"{name} of a file")
        (tmp_path / name / "week.lesson.toml").write_text(text, "utf-8")
    mine, more = (tmp_path / name / "week.lesson.toml" for name in ("mine", "more"))
    settings = Settings(tmp_path / "settings")
    first = open_window(settings=settings)
    for file in (more, mine):
        first.files.open_path(file)
        qtbot.waitUntil(lambda: first.lessons.guide.at == 0)
    assert first.files.recent.paths == [mine, more]
    window = open_window(settings=settings, tab="Lessons")
    page = window.lessons.tab()
    qtbot.waitUntil(lambda: own(page) == [str(mine), str(more)] and page.is_whole)
    window.bench.selection.asked.emit(ForLessons("begin", str(mine)), page)
    assert window.bench.lesson.title == "mine of a file"
    window.lessons.show_lessons()
    eye.settle(window)
    monkeypatch.setattr(window.files.dialogs, "to_bundle", lambda path: tmp_path / "both.lessons")
    page.elements.widgets["bundle"].click()
    assert len(take_in(tmp_path / "both.lessons", tmp_path / "kept")) == 2
    monkeypatch.setattr(window.files.dialogs, "remove", lambda title: True)
    page.elements.widgets["own lessons"].cards[f"lesson {mine}"].buttons["remove"].click()
    qtbot.waitUntil(lambda: own(page) == [str(more)] and page.is_whole)
    assert mine.exists()
