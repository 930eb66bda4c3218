"""The page "Class": a sheet is done and handed in, one is put together, and answers of a class are read."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QApplication, QPushButton

from explorer.cli.window import openable
from explorer.lessons.loader import lesson_files
from explorer.pages.gestures import ForClass
from explorer.settings import Settings
from explorer.teaching.class_page import UNREAD, Roll
from explorer.teaching.sheet import read_answers, read_sheet
from explorer.teaching.sheet_page import Draft
from explorer.ui.page.controls import ButtonView, FieldView
from tests.teaching.test_class import SHEET, right_one, sat

pytestmark = pytest.mark.usefixtures("no_pictures", "at_least_page", "page_rests")


@pytest.fixture
def window(open_window):
    return open_window(tab="Class")


@pytest.fixture
def sheet(tmp_path):
    SHEET.save(tmp_path / "week.sheet.toml")
    openable(str(tmp_path / "week.sheet.toml"))
    return tmp_path / "week.sheet.toml"


def click(tab, id):
    button = tab.elements.widgets[id]
    assert isinstance(button, ButtonView)
    button.click()


@pytest.fixture
def ask(qtbot):
    """Asks a tab for something, and waits for what is computed beside the window."""

    def ask(tab, act, value=None):
        tab.bench.selection.asked.emit(ForClass(act, value), tab)
        qtbot.waitUntil(lambda: not tab._worker.at_work)

    return ask


def test_what_is_said_of_an_answer_is_in_sight_in_a_low_window(window, sheet, qtbot, ask):
    window.files.open_path(sheet)
    tab = window.tabs.classroom
    ask(tab, "name", "Ada")
    ask(tab, "begin")
    qtbot.waitUntil(lambda: tab.shown.started)
    ask(tab, "go", 1)
    tab.area.setMaximumHeight(200)
    qtbot.waitUntil(lambda: tab.area.verticalScrollBar().maximum() > 0)
    ask(tab, "typed", "1234.5")
    ask(tab, "answer")
    said = tab.elements.widgets["said 1"]
    qtbot.waitUntil(lambda: said.visibleRegion().boundingRect().size() == said.size())


def test_a_sheet_is_done_and_handed_in(window, sheet, hand, qtbot, tmp_path, monkeypatch):
    window.files.open_path(sheet)
    tab = window.tabs.classroom
    qtbot.keyClicks(tab.elements.widgets["name field"].edit, "Ada")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tab.shown.started)
    items = tab.shown.sitting.items
    place = right_one(items[0])
    click(tab, f"choice 0 {place}")
    assert not tab.elements.widgets[f"choice 0 {place}"].isEnabled()
    click(tab, "next")
    field = tab.elements.widgets["field 1"]
    assert isinstance(field, FieldView)
    qtbot.keyClicks(field.edit, "1234.5")
    hand.key(Qt.Key.Key_Return)
    qtbot.keyClicks(field.edit, str(right_one(items[1])))  # it replaces the wrong one
    click(tab, "lock")
    assert field.edit.isReadOnly()
    click(tab, "review")
    asked = []
    monkeypatch.setattr(tab.dialogs, "to_write", lambda path, *_: asked.append(path) or tmp_path / path.name)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: "cancel")
    assert not tab.may_leave()
    click(tab, "save")
    assert tab.may_leave()
    saved = read_answers(tmp_path / "ada.answers.json")
    assert saved.judged(SHEET) == saved
    assert [one.right for one in saved.answered] == [True, True, False]
    click(tab, "copy")
    assert QGuiApplication.clipboard().text() == saved.text()


def test_answers_are_there_again_after_a_crash(open_window, sheet, hand, qtbot, ask, tmp_path, monkeypatch):
    settings = Settings(tmp_path / "settings")
    window = open_window(tab="Class", settings=settings)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: pytest.fail("nothing is lost, so nothing is asked"))
    window.files.open_path(sheet)
    tab = window.tabs.classroom
    qtbot.keyClicks(tab.elements.widgets["name field"].edit, "Ada")
    hand.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tab.shown.started)
    click(tab, f"choice 0 {right_one(tab.shown.sitting.items[0])}")
    assert tab.may_leave()
    answered = tab.shown.answers()

    again = open_window(tab="Class", settings=settings).tabs.classroom  # the other one was never closed
    (on,) = (id for id in again.elements.widgets if id.startswith("go on "))
    assert again.elements.widgets[on].text() == "Go on with “Week 3”: Ada, 1 of 3 done"
    click(again, on)
    ask(again, "begin")
    assert again.shown.answers() == answered
    assert again.shown.at == 1


def test_whoever_tries_a_sheet_that_she_makes_has_not_begun_it(open_window, ask, tmp_path, monkeypatch):
    window = open_window(tab="Class", settings=Settings(tmp_path / "settings"))
    tab, asked = window.tabs.classroom, []
    click(tab, "make a sheet")
    ask(tab, "lesson", "softmax")
    tab.elements.widgets["ask softmax/guess"].click()
    click(tab, "try")
    for act, value in (("name", "Me"), ("begin", None), ("answer", 0)):
        ask(tab, act, value)
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: asked.append(name) or "discard")
    assert tab.may_leave()
    assert asked == ["your answers"]
    assert not list(tmp_path.rglob("*.answers.json"))


def test_the_answers_of_a_class_are_read_beside_the_window(window, sheet, qtbot, tmp_path, monkeypatch):
    folder = tmp_path / "answers"
    folder.mkdir()
    for name in ("Ada", "Bob"):
        sat(name, ["emma/all-missing"] if name == "Bob" else ()).save(folder / f"{name}.answers.json")
    openable(str(folder))
    window.files.open_path(folder)
    tab = window.tabs.classroom
    qtbot.waitUntil(lambda: isinstance(tab.shown, Roll) and tab.shown.book is not UNREAD)
    assert tab.elements.widgets["students"].table.rowCount() == 2
    monkeypatch.setattr(tab.dialogs, "to_read", lambda *_: [sheet])
    click(tab, "judge")
    qtbot.waitUntil(lambda: tab.shown.sheet is not None and tab.shown.book is not UNREAD)
    monkeypatch.setattr(tab.dialogs, "to_write", lambda path, *_: tmp_path / path.name)
    (folder / "damaged.answers.json").write_text("{")
    tab.open_files([folder])
    qtbot.waitUntil(lambda: len(tab.shown.book.left_out) == 1)
    assert str(folder) not in str(tab.page()[-1]), "the file's name stands before the reason"
    click(tab, "csv")
    click(tab, "grades")
    assert 'student,right,questions,"1 Three' in (tmp_path / "grades.csv").read_text("utf-8")
    click(tab, "pdf")
    written = (tmp_path / "class.csv").read_text("utf-8")
    assert written.startswith("\ufeffstudent,question"), "without the mark Excel shows é as two signs"
    assert (tmp_path / "class.pdf").read_bytes().startswith(b"%PDF")
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    for paper in (None, printer):
        monkeypatch.setattr(tab.dialogs, "to_print", lambda paper=paper: paper)
        click(tab, "print")
    assert (tmp_path / "printed.pdf").read_bytes().startswith(b"%PDF")
    tab.bench.selection.asked.emit(ForClass("order", "most right"), tab)
    assert tab.shown.order == "most right"


def test_what_cannot_be_read_is_said(window, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    (tmp_path / "a.sheet.toml").write_text("[", "utf-8")
    window.files.open_path(tmp_path / "a.sheet.toml")
    assert len(told) == 1
    assert window.tabs.classroom.shown is None


def test_a_sheet_is_put_together_and_tried(window, ask, tmp_path, monkeypatch):
    tab = window.tabs.classroom
    click(tab, "make a sheet")
    assert isinstance(tab.shown, Draft)
    ask(tab, "lesson", "softmax")
    tab.elements.widgets["ask softmax/guess"].click()
    monkeypatch.setattr(tab.dialogs, "to_write", lambda path, *_: tmp_path / path.name)
    click(tab, "save sheet")
    assert read_sheet(tmp_path / "exercises.sheet.toml").questions == ("softmax/guess",)
    click(tab, "try")
    assert tab.shown.sheet.questions == ("softmax/guess",)
    assert isinstance(tab.elements.widgets["begin"], QPushButton)


def test_a_lesson_of_ones_own_is_put_on_a_sheet(window, ask, tmp_path, qtbot, monkeypatch):
    """The list had only the lessons of the program, so that a lecturer's own questions came on no sheet."""
    file, tab = tmp_path / "mine.lesson.toml", window.tabs.classroom
    text = lesson_files()["softmax"].read_text("utf-8").replace('id = "softmax"', 'id = "mine"', 1)
    file.write_text(text.replace('title = "Softmax of three numbers"', 'title = "Mine"', 1), "utf-8")
    window.files.lesson_files.add(file)
    click(tab, "make a sheet")
    ask(tab, "lesson", str(file))
    assert tab.elements.named("questions title").text() == "Questions of “Mine”"
    tab.elements.widgets[f"ask {file}/guess"].click()
    monkeypatch.setattr(tab.dialogs, "to_write", lambda path, *_: tmp_path / path.name)
    click(tab, "save sheet")
    file.unlink()
    made = read_sheet(tmp_path / "exercises.sheet.toml")
    assert made.questions == ("mine/guess",)
    assert made.items("Ada")


def test_the_questions_of_a_lesson_stand_beside_the_lessons(window, ask):
    tab = window.tabs.classroom
    window.resize(1280, 720)
    click(tab, "make a sheet")
    ask(tab, "lesson", "xor")
    QApplication.processEvents()
    lessons, asked = tab.elements.widgets["lessons"], tab.elements.named("questions title")
    at = asked.mapTo(tab, QPoint())
    assert at.x() > lessons.mapTo(tab, QPoint(lessons.width(), 0)).x()
    assert at.y() < tab.height() // 2


def test_who_goes_elsewhere_meanwhile_is_not_called_back(window, sheet, ask):
    tab = window.tabs.classroom
    click(tab, "make a sheet")
    draft = tab.shown
    tab.bench.selection.asked.emit(ForClass("lesson", "xor"), tab)
    window.files.open_path(sheet)
    shown = tab.shown
    ask(tab, "name", "Ada")
    assert tab.shown is shown
    assert draft.lesson == ""


def test_a_name_that_is_none_is_told_and_the_sheet_stays(window, sheet, ask, monkeypatch):
    told = []
    monkeypatch.setattr(window.files.dialogs, "tell", told.append)
    window.files.open_path(sheet)
    tab = window.tabs.classroom
    shown = tab.shown
    ask(tab, "name", "A\tda")
    ask(tab, "begin")
    ask(tab, "name", "\x07")
    ask(tab, "begin")
    assert len(told) == 1
    assert tab.shown is shown
    assert shown.sitting.student == "A da"
