"""The answers of a class, read from files: who was right, which mistakes were made, what is worth discussing.

What a class hands in are files of answers, in folders, and in the zips in which learning platforms hand them out. A
text that was pasted into a platform is a page of HTML there, among others that are no answers.

Of a zip nothing is unpacked onto the disk: each file of answers in it is read by itself, up to the size that one may
have. The names in a zip are only shown; no path is made of them.
"""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from unicodedata import combining, normalize

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.files import open_file
from explorer.lessons.own_lessons import DAMAGED, in_pieces, unpacked
from explorer.teaching import ANSWERS, SHEET, is_named_answers, is_named_page, is_zip
from explorer.teaching.sheet import (
    MOST_BYTES,
    Answered,
    Answers,
    Sheet,
    answers_from,
    holds_answers,
    known_as,
    read_answers,
    read_sheet,
)

MOST_FILES = 2000
UNKNOWN = "unknown mistake"
"""The name of a wrong answer that no known mistake gives."""


class LeftOut(Frozen):
    """A file that is not counted."""

    file: str
    reason: ExplorerError


class Topic(Frozen):
    """A question that is worth discussing."""

    question: str
    asked: int  # how many students have tried it
    at_once: int  # how many of these were right at the first try
    mistakes: tuple[tuple[str, int], ...]  # the most frequent mistakes, and how many students made each


class Gradebook(Frozen):
    """The answers of one sheet by many students."""

    sheet: str
    questions: tuple[str, ...]
    students: tuple[Answers, ...]  # sorted by name
    left_out: tuple[LeftOut, ...] = ()

    def cell(self, student: Answers, question: str) -> Answered:
        """A student's result for a question, without tries if it was not asked."""
        return student.by_question.get(question) or Answered(question)

    def mistakes(self, question: str) -> Counter[str]:
        """How many students made each mistake in a question, at any try."""
        tries = (self.cell(student, question).tries for student in self.students)
        wrong = ((given.mistake or UNKNOWN for given in some if not given.right) for some in tries)
        return Counter(name for names in wrong for name in dict.fromkeys(names))  # each once, in order

    def outcomes(self, question: str) -> Counter[str]:
        """How many were right at the first try, the second, …; "wrong" in the end; "open" without an answer."""
        found = (self.cell(student, question) for student in self.students)
        return Counter("open" if not one.tries else f"try {len(one.tries)}" if one.right else "wrong" for one in found)

    def topics(self, most: int = 3) -> list[Topic]:
        """The questions that the fewest got right at once, worst first; ties go to the most frequent mistake."""
        found = []
        for question in self.questions:
            outcomes, mistakes = self.outcomes(question), self.mistakes(question)
            asked = len(self.students) - outcomes["open"]
            if asked and outcomes["try 1"] < asked:
                common = tuple(sorted(mistakes.items(), key=lambda one: (-one[1], one[0]))[:3])
                found.append(Topic(question, asked, outcomes["try 1"], common))
        found.sort(key=lambda one: (one.at_once / one.asked, -max((n for _, n in one.mistakes), default=0)))
        return found[:most]

    def csv(self, told: Callable[[str, str], str] = lambda question, mistake: mistake) -> str:
        """One line for each student and question: outcome, tries, hints, seconds, and the mistakes in order.

        `told`: what a mistake in a question is called; a choice is named by its text, since each student has the
        choices in another order.
        """
        rows: list[Sequence[object]] = [("student", "question", "right", "tries", "hints", "seconds", "mistakes")]
        for student in self.students:
            for question in self.questions:
                one = self.cell(student, question)
                wrong = "; ".join(told(question, given.mistake or UNKNOWN) for given in one.tries if not given.right)
                seconds = "" if one.seconds is None else f"{one.seconds:.0f}"
                rows.append((student.student, question, int(one.right), len(one.tries), one.hints, seconds, wrong))
        return _as_csv(rows)

    def grades(self, called: Callable[[str], str] = lambda question: question) -> str:
        """One line for each student, as gradebooks of learning platforms read it: how many are right, then 1 or 0.

        Moodle maps any column to a grade, and that of the students to an e-mail address or ID number, if it is that
        under which they hand in (docs.moodle.org, "Grade import"). Nothing stands where a question is not answered.

        `called`: the title of a question, which stands behind its number.
        """
        heads = [f"{number} {called(question)}" for number, question in enumerate(self.questions, 1)]
        rows: list[Sequence[object]] = [("student", "right", "questions", *heads)]
        for student in self.students:
            results = [self.cell(student, question) for question in self.questions]
            each = [int(one.right) if one.tries else "" for one in results]
            rows.append((student.student, sum(one.right for one in results), len(self.questions), *each))
        return _as_csv(rows)


def _as_csv(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([f"'{cell}" if str(cell)[:1] in _FORMULA else cell for cell in row] for row in rows)
    return out.getvalue()


_FORMULA = frozenset("=+-@")
"""Characters that begin a formula in a spreadsheet; a student's name must not begin so."""


def gradebook(files: Iterable[Path], sheet: Sheet | None = None) -> Gradebook:
    """The answers in files, or in folders and zips of them; if a sheet is given, each answer is judged again with it.

    Files that are damaged, altered, doubled, too many or of another sheet are listed instead.

    Raises `ExplorerError`: "no-answers" if there is no such file.
    """
    handed_in = list(submissions(files))
    if not handed_in:
        raise ExplorerError("no-answers", ending=ANSWERS)
    read = list[tuple[str, Answers]]()
    left_out = list[LeftOut]()

    def leave_out(file: str, why: str, **fields: object) -> None:
        left_out.append(LeftOut(file, ExplorerError(why, file=file, **fields)))

    for late in handed_in[MOST_FILES:]:
        leave_out(late.name, "too-many-files", limit=MOST_FILES)
    for file in handed_in[:MOST_FILES]:
        try:
            read.append((file.name, file.read()))
        except ExplorerError as error:
            left_out.append(LeftOut(file.name, error))
    wanted = sheet.id if sheet else next(iter(Counter(one.sheet_id for _, one in read).most_common(1)), ("",))[0]
    kept: dict[str, tuple[str, Answers]] = {}
    for path, given in read:
        name = known_as(given.student)
        one = given.judged(sheet) if sheet else given
        if name in kept and kept[name][1] == one:  # a copy, as where a zip lies beside what was in it
            continue
        if given.sheet_id != wanted:
            leave_out(path, "answers-of-another", sheet=given.sheet)
        elif one is None:
            leave_out(path, "answers-altered", student=given.student)
        elif name in kept and _tried(kept[name][1]) >= _tried(one):
            leave_out(path, "answers-twice", student=one.student)
        else:
            if name in kept:
                leave_out(kept[name][0], "answers-twice", student=kept[name][1].student)
            kept[name] = path, one
    students = sorted((one for _, one in kept.values()), key=lambda one: _in_order(one.student))
    questions = dict.fromkeys(one.question for student in students for one in student.answered)
    return Gradebook(students[0].sheet if students else "", tuple(questions), tuple(students), tuple(left_out))


def _in_order(student: str) -> tuple[str, str]:
    """A name for sorting: Ä stands at A."""
    name = normalize("NFD", known_as(student))
    return "".join(letter for letter in name if not combining(letter)), name


def _tried(answers: Answers) -> int:
    return sum(bool(one.tries) for one in answers.answered)


_MOST_SHEETS = 50


def sheet_beside(files: Iterable[Path], book: Gradebook) -> Sheet | None:
    """The sheet that a class has answered, if it lies beside these files: it has lessons of the lecturer's own."""
    answered = {student.sheet_id for student in book.students}
    for folder in dict.fromkeys(file if file.is_dir() else file.parent for file in files):
        for found in sorted(folder.glob(f"*{SHEET}"))[:_MOST_SHEETS]:
            with suppress(ExplorerError):
                if (sheet := read_sheet(found)).id in answered:
                    return sheet
    return None


# What a class hands in

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters of a name in a zip that would act on a terminal, or turn around what stands beside them."""


class Submission(Frozen, eq=False):
    """A file of answers, as it is called where it counts or does not."""

    name: str  # its path; in a zip, the path of the zip and its own in there
    read: Callable[[], Answers]  # raises the `ExplorerError`s of `read_answers`


def submissions(files: Iterable[Path]) -> Iterator[Submission]:
    """The files of answers among these files, and in these folders and zips, each once, in the order of their names."""
    seen = set[str]()
    for given in files:
        found = sorted(filter(_may_be_answers, given.rglob("*"))) if given.is_dir() else [given]
        for path in found:
            if str(path) in seen:
                continue
            seen.add(str(path))
            if is_zip(path):
                yield from _in_zip(path, wanted=path is given or is_named_answers(path.name))
            else:
                yield Submission(str(path), partial(read_answers, path))


def has_typed(path: Path) -> bool:
    """Whether answers stand in a page of HTML, or in one in a folder or zip."""
    if path.is_dir():
        return any(map(_is_typed, path.rglob("*")))
    return any(is_named_page(one.name.rpartition("/")[2]) for one in _in_zip(path, False)) or _is_typed(path)


def _may_be_answers(path: Path) -> bool:
    return is_named_answers(path.name) or (path.suffix.lower() == ".zip" and is_zip(path)) or _is_typed(path)


def _is_typed(path: Path) -> bool:
    """Whether a file is a page of HTML in which answers stand."""
    raw = b""
    if is_named_page(path.name):
        with suppress(OSError, ValueError), open_file(path) as stream:
            raw = stream.read(MOST_BYTES + 1)
    return holds_answers(raw)


def _in_zip(path: Path, wanted: bool) -> list[Submission]:
    """The files of answers in a zip; `wanted`: whether it is to be told if there are none."""
    found = []
    try:
        with open_file(path) as stream, zipfile.ZipFile(stream) as archive:
            for one in archive.infolist():
                own = one.filename.rpartition("/")[2]
                name = f"{path}/{_UNSEEN.sub('', one.filename)}"
                if is_named_answers(own) or (is_named_page(own) and holds_answers(_bytes(path, one))):
                    found.append(Submission(name, partial(_unpacked, path, one, name)))
                elif own.lower().endswith(".zip") and not own.startswith("."):
                    found.append(Submission(name, partial(_refuse, "answers-packed", name)))
    except DAMAGED:
        return [Submission(str(path), partial(_refuse, "answers-damaged", str(path)))] if wanted else []
    if not found and wanted:
        return [Submission(str(path), partial(_refuse, "no-answers-packed", str(path), ending=ANSWERS))]
    return found


def _unpacked(path: Path, one: zipfile.ZipInfo, name: str) -> Answers:
    if not in_pieces(one):
        raise ExplorerError("answers-packed", file=name)
    return answers_from(_bytes(path, one), name)


def _bytes(path: Path, one: zipfile.ZipInfo) -> bytes:
    """The beginning of a file in a zip; none if it cannot be unpacked, or only whole."""
    raw = b""
    with suppress(*DAMAGED), open_file(path) as stream, zipfile.ZipFile(stream) as archive:
        raw = unpacked(archive, one, MOST_BYTES + 1)
    return raw


def _refuse(why: str, name: str, **fields: object) -> Answers:
    raise ExplorerError(why, file=name, **fields)
