"""The page "Class": doing an exercise sheet, putting one together, or the answers of a class."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMarginsF, Qt
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.progress import Report
from explorer.files import write_file
from explorer.lessons.own_lessons import FOLDER, yours
from explorer.pages.element import Element
from explorer.pages.gestures import Ask, ForClass
from explorer.sentences import sentence
from explorer.teaching import ANSWERS, HANDED_IN, SHEET
from explorer.teaching.class_page import Asked, Roll, asked_in, beginning, class_on_paper, class_page
from explorer.teaching.gradebook import Gradebook, gradebook, sheet_beside
from explorer.teaching.sheet import Begun, Sheet, Sitting, file_name, read_sheet
from explorer.teaching.sheet_page import Draft, Exercise, making_page, questions_of
from explorer.ui.background import Background
from explorer.ui.dialogs import Dialogs, let_files_have_room
from explorer.ui.errors import show_done, show_error
from explorer.ui.files import Files
from explorer.ui.page.column_tab import ColumnTab
from explorer.ui.page.controls import FieldView
from explorer.ui.page.listing import ROW_HEIGHT
from explorer.ui.render import in_memory
from explorer.ui.turns import do_later
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

MOST_BEGUN = 4
"""How many of the last sheets that were begun are offered."""
LEAST_LINES, ABOVE = 8, 330
"""The least number of visible lines of a long list; pixels at text scale 1 for the rest of its page."""
BELOW = 12
"""Pixels at text scale 1 in sight below the last buttons, where the page is scrolled to them."""
_DPI, _MARGIN = 96, 14
"""Dots per inch, and margin in millimetres, of a printed page."""


class ClassDialogs(Dialogs):
    """Dialogs that ask which files the page "Class" should read or write."""

    def to_read(self, folder: Path, what: str, *endings: str) -> list[Path]:
        """Ask for files to read."""
        known = f"{what} ({' '.join(f'*{ending}' for ending in endings)})"
        let_files_have_room(self._window)
        files, _ = QFileDialog.getOpenFileNames(self._window, what, str(folder), known)
        return [Path(file) for file in files]

    def to_read_folder(self, folder: Path) -> Path | None:
        """Ask for a folder of answers to read; None if cancelled."""
        let_files_have_room(self._window)
        chosen = QFileDialog.getExistingDirectory(self._window, "Answers of a class", str(folder))
        return Path(chosen) if chosen else None

    def to_write(self, suggestion: Path, what: str, ending: str) -> Path | None:
        """Ask for a file to write, with this ending; None if cancelled."""
        return self._to_write(what, suggestion, {f"{what} (*{ending})": ending}, ending)

    def to_print(self) -> "QPrinter | None":
        """Ask for a printer and its settings; None if cancelled."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # rarely used

        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setPageLayout(_landscape())
        dialog = QPrintDialog(printer, self._window)
        dialog.setWindowTitle("Print")
        return printer if dialog.exec() else None


class ClassTab(ColumnTab):
    """The page "Class"."""

    def __init__(self, bench: Workbench, files: Files) -> None:
        super().__init__(bench, "Class", 12, 12, 12)
        self._files = files
        self.shown: Exercise | Roll | Draft | None = None
        """What the page is about; None if that is yet to be chosen."""
        self._tries = False
        """Whether the person tries a sheet of their own."""
        self.dialogs = ClassDialogs(self)
        self._begun, self._kept = Begun(bench.settings.folder), True
        """Sheets that were begun, and whether the last answers are kept there."""
        self._worker = Background(self)
        self._worker.failed.connect(self._say_failed)
        self.area.setAccessibleName("Exercise sheet, or answers of a class")
        bench.selection.asked.connect(self._do)
        self.make()

    # What is opened

    def open_files(self, paths: Iterable[Path]) -> None:
        """Open a sheet, or files and folders of answers.

        Raises `ExplorerError` if a sheet cannot be read.
        """
        given = list(paths)
        sheets = [path for path in given if path.name.endswith(SHEET)]
        answers = [path for path in given if path not in sheets]
        if answers:
            known = self.shown if isinstance(self.shown, Roll) else Roll()
            sheet = read_sheet(sheets[0]) if sheets else known.sheet
            self._read(tuple(dict.fromkeys((*known.files, *answers))), sheet)
        elif sheets and self.may_leave():
            self._show(Exercise(sheet := read_sheet(sheets[0]), self._begun.of(sheet)))

    def may_leave(self) -> bool:
        """Whether the sheet that is being done may be left: asks if its answers are kept nowhere."""
        if not isinstance(self.shown, Exercise) or self.shown.handed_in or self._kept:
            return True
        answer = self._files.dialogs.keep("your answers")
        return self._save_answers() if answer == "save" else answer == "discard"

    def _read(self, files: tuple[Path, ...], sheet: Sheet | None) -> None:
        order = self.shown.order if isinstance(self.shown, Roll) else Roll.order
        if self.may_leave():
            self._show(roll := Roll(files, sheet, order=order))
            self._worker.ask(partial(_book, files, sheet), partial(self._show_book, roll))

    def _show_book(self, roll: Roll, found: tuple[Gradebook, dict[str, Asked]]) -> None:
        if self.shown is roll:
            self._show(replace(roll, book=found[0], asked=found[1]))

    def _say_failed(self, error: ExplorerError) -> None:
        if isinstance(self.shown, Roll):  # the error is about its files
            self._show(None)
        self._files.dialogs.tell(sentence(error))

    # What is asked

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if not isinstance(gesture, ForClass):
            return
        try:
            match self.shown:
                case Exercise() as exercise:
                    self._do_in_exercise(exercise, gesture)
                case Roll() as roll:
                    self._do_in_class(roll, gesture)
                case Draft() as draft:
                    self._do_in_draft(draft, gesture)
                case None:
                    self._begin(gesture.act, gesture.value)
        except ExplorerError as error:
            show_error(error, at)
            return
        self._follow(gesture.act)

    def _follow(self, act: str) -> None:
        """Show the effect of an act, and give the focus to what is to be done next."""
        self.refresh()
        if isinstance(self.shown, Exercise) and act in ("begin", "begin anew", "go", "answer", "review"):
            widgets = (self.elements.widgets.get(id) for id in self.shown.wanted)
            wanted = next((one for one in widgets if one is not None and one.isEnabled()), None)
            if wanted is not None:
                wanted.setFocus(Qt.FocusReason.OtherFocusReason)
                if isinstance(wanted, FieldView):
                    wanted.edit.selectAll()  # so that typing replaces a wrong number, as in a lesson
        if isinstance(self.shown, Exercise) and act in ("answer", "hint"):
            do_later(self, self._show_said)  # when the page has its height

    def _show_said(self) -> None:
        """Scroll to what is said of an answer, which stands above the buttons at the end of a page."""
        if (last := self.elements.widgets.get("review")) is not None:
            self.area.ensureWidgetVisible(last, 0, self.bench.appearance.px(BELOW))

    def _begin(self, act: str, value: object) -> None:
        match act:
            case "open a sheet":
                self.open_files(self._chosen("Exercise sheet", SHEET)[:1])
            case "make a sheet":
                folder, files = self.bench.settings.folder, self._files.lesson_files.paths
                known = yours(folder and folder / FOLDER, files)
                self._show(Draft(own={str(file): title for file, title in known.items()}))
            case "go on":
                self.open_files([Path(str(value))])
            case _:
                self._add(act)

    def _add(self, act: str) -> None:
        if act == "add files":
            self.open_files(self._chosen("Answers", *HANDED_IN))
        elif act == "add a folder" and (folder := self.dialogs.to_read_folder(self.bench.folder)) is not None:
            self.bench.folder = folder
            self.open_files([folder])

    def _chosen(self, what: str, *endings: str) -> list[Path]:
        """Ask for files to read, where the last were chosen."""
        files = self.dialogs.to_read(self.bench.folder, what, *endings)
        if files:
            self.bench.folder = files[0].parent
        return files

    def _do_in_exercise(self, exercise: Exercise, gesture: ForClass) -> None:
        match gesture.act:
            case "save":
                self._save_answers()
            case "copy":
                QGuiApplication.clipboard().setText(exercise.answers().text())
                exercise.handed_in = True
                show_done("The answers are on the clipboard: paste them into a mail or your platform", self)
            case "begin" | "begin anew" as act:  # some lessons train: their numbers are computed in the background
                self._worker.ask(
                    lambda _report: Sitting(exercise.sheet, exercise.name),
                    lambda sitting: self._go_on_with(exercise, act, sitting),
                )
            case _:
                exercise.do(gesture.act, gesture.value)
                self._keep(exercise)
                if gesture.act in ("go", "review"):
                    self.area.verticalScrollBar().setValue(0)

    def _go_on_with(self, what: Exercise | Draft, act: str, value: object) -> None:
        """Do what was waited for, unless something else is shown now."""
        if self.shown is not what:
            return
        what.do(act, value)
        if isinstance(what, Exercise):
            self._keep(what)
            self.area.verticalScrollBar().setValue(0)
        self._follow(act)

    def _keep(self, exercise: Exercise) -> None:
        """Keep the answers so far: opening the sheet again goes on with them. Trying one's own sheet keeps none."""
        if exercise.started and not exercise.handed_in:
            self._kept = not self._tries and self._begun.keep(exercise.sheet, exercise.answers())

    def _save_answers(self) -> bool:
        """Ask for a file and write the answers; returns whether they were written."""
        assert isinstance(self.shown, Exercise)
        answers = self.shown.answers()
        written = self._write(file_name(answers.student), "Answers", ANSWERS, answers.save, "Your answers are in")
        self.shown.handed_in |= written
        return written

    def _do_in_class(self, roll: Roll, gesture: ForClass) -> None:
        match gesture.act:
            case "order":
                roll.order = str(gesture.value)
            case "judge":
                if sheets := self._chosen("Exercise sheet", SHEET):
                    self._read(roll.files, read_sheet(sheets[0]))
            case "grades":
                self._write_class("grades", "Table", ".csv", roll.book.grades(roll.called).encode("utf-8-sig"))
            case "csv":
                self._write_class("class", "Table", ".csv", roll.book.csv(roll.told).encode("utf-8-sig"))
            case "pdf":
                self._write_class("class", "PDF", ".pdf", on_paper(class_on_paper(roll)))
            case "print":
                if (printer := self.dialogs.to_print()) is not None:
                    on_paper(class_on_paper(roll), printer)
            case _:
                self._add(gesture.act)

    def _do_in_draft(self, draft: Draft, gesture: ForClass) -> None:
        match gesture.act:
            case "save sheet":
                self._write(f"exercises{SHEET}", "Exercise sheet", SHEET, draft.sheet().save, "The sheet is in")
            case "try":
                self._show(Exercise(draft.sheet()))
                self._tries = True
            case "lesson":  # some lessons train before their questions
                lesson = str(gesture.value)
                self._worker.ask(
                    lambda _report: questions_of(lesson), lambda _: self._go_on_with(draft, "lesson", lesson)
                )
            case _:
                draft.do(gesture.act, gesture.value)

    def _write_class(self, name: str, what: str, ending: str, content: bytes) -> None:
        self._write(name + ending, what, ending, lambda path: write_file(path, content), "The class is in")

    def _write(self, name: str, what: str, ending: str, write: Callable[[Path], object], said: str) -> bool:
        """Ask for a file, write it, and say where it is; returns whether it was written."""
        path = self.dialogs.to_write(self.bench.folder / name, what, ending)
        if path is not None:
            write(path)
            self.bench.folder = path.parent
            show_done(f"{said} {path}", self)
        return path is not None

    # What is shown

    def _show(self, what: Exercise | Roll | Draft | None) -> None:
        self.shown, self._tries = what, False
        self.area.verticalScrollBar().setValue(0)
        self.refresh()

    def page(self) -> tuple[Element, ...]:
        match self.shown:
            case Exercise() as exercise:
                return exercise.page()
            case Roll() as roll:
                # The file stands before the reason already.
                whys = [sentence(one.reason).removeprefix(f"{one.file}: ") for one in roll.book.left_out]
                return class_page(roll, self._lines(), whys)
            case Draft() as draft:
                return making_page(draft, self._lines())
            case None:
                return beginning(self._begun.latest(MOST_BEGUN))

    def refresh(self) -> None:
        before = set(self.elements.widgets)
        self.show_elements(self.page())
        fields = [one for id, one in self.elements.widgets.items() if isinstance(one, FieldView) and id not in before]
        if fields:  # a new field is to be typed into
            fields[0].edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lines(self) -> int:
        px = self.bench.appearance.px
        return max((self.height() - px(ABOVE)) // px(ROW_HEIGHT), LEAST_LINES)


def _book(files: tuple[Path, ...], sheet: Sheet | None, report: Report) -> tuple[Gradebook, dict[str, Asked]]:
    book = gradebook(files, sheet)
    return book, asked_in(book, sheet or sheet_beside(files, book))


def on_paper(html: str, printer: "QPrinter | None" = None) -> bytes:
    """Print HTML on paper; without a printer, return a PDF in A4 landscape."""
    buffer = in_memory()
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setPageLayout(_landscape() if printer is None else printer.pageLayout())
    document = QTextDocument()
    document.setDefaultStyleSheet("body { font-size: 8pt } h1 { font-size: 14pt } h2 { font-size: 10pt }")
    document.setHtml(f"<body>{html}</body>")
    document.documentLayout().setPaintDevice(writer)  # its size is known; a printer has its own dots
    document.setPageSize(writer.pageLayout().paintRectPixels(_DPI).size().toSizeF())
    document.print_(writer if printer is None else printer)
    del document, writer  # this completes the file
    return bytes(buffer.data().data())


def _landscape() -> QPageLayout:
    margins, size = QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageSize(QPageSize.PageSizeId.A4)
    return QPageLayout(size, QPageLayout.Orientation.Landscape, margins, QPageLayout.Unit.Millimeter)
