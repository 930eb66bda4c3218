"""The answers of a class, read from files: who was right, which mistakes were made, what is worth discussing."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from unicodedata import combining, normalize

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.teaching import ANSWERS, SHEET
from explorer.teaching.sheet import Answered, Answers, Sheet, known_as, read_sheet
from explorer.teaching.submissions import submissions

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
