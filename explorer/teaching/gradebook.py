"""The answers of a class: a table of students and questions, mistakes by name, and what to discuss tomorrow."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from unicodedata import combining, normalize

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.teaching import ANSWERS
from explorer.teaching.sheet import Answered, Answers, Sheet, known_as, read_answers

MOST_FILES = 2000
UNKNOWN = "another number"
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

    def cell(self, student: Answers, question: str) -> Answered | None:
        """A student's result for a question; None if it was not asked."""
        return next((one for one in student.answered if one.question == question), None)

    def mistakes(self, question: str) -> Counter[str]:
        """How many students made each mistake in a question, at any try."""
        counted: Counter[str] = Counter()
        for student in self.students:
            one = self.cell(student, question)
            wrong = [given for given in one.tries if not given.right] if one else []
            counted.update(list(dict.fromkeys(given.mistake or UNKNOWN for given in wrong)))  # each once, in order
        return counted

    def outcomes(self, question: str) -> Counter[str]:
        """How many were right at the first try, the second, …; "wrong" in the end; "open" without an answer."""
        counted: Counter[str] = Counter()
        for student in self.students:
            one = self.cell(student, question)
            if one is None or not one.tries:
                counted["open"] += 1
            else:
                counted[f"try {len(one.tries)}" if one.right else "wrong"] += 1
        return counted

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
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("student", "question", "right", "tries", "hints", "seconds", "mistakes"))
        for student in self.students:
            for question in self.questions:
                one = self.cell(student, question) or Answered(question)
                wrong = "; ".join(told(question, given.mistake or UNKNOWN) for given in one.tries if not given.right)
                seconds = "" if one.seconds is None else f"{one.seconds:.0f}"
                row = (student.student, question, int(one.right), len(one.tries), one.hints, seconds, wrong)
                writer.writerow([f"'{cell}" if str(cell)[:1] in _FORMULA else cell for cell in row])
        return out.getvalue()


_FORMULA = frozenset("=+-@")
"""Characters that begin a formula in a spreadsheet; a student's name must not begin so."""


def gradebook(files: Iterable[Path], sheet: Sheet | None = None) -> Gradebook:
    """The answers in files. Files that are damaged, altered, doubled, too many or of another sheet are listed instead.

    Parameters
    ----------
    files : iterable of Path
        Files of answers, or folders of them.
    sheet : Sheet, optional
        If given, each answer is judged again with it.

    Raises
    ------
    ExplorerError
        "no-answers" if there is no such file.
    """
    # A Mac puts a file "._NAME" beside each file that it zips.
    each = (sorted(given.rglob(f"[!.]*{ANSWERS}")) if given.is_dir() else [given] for given in files)
    paths = list(dict.fromkeys(path for some in each for path in some))
    if not paths:
        raise ExplorerError("no-answers", ending=ANSWERS)
    read = list[tuple[Path, Answers]]()
    left_out = [
        LeftOut(str(path), ExplorerError("too-many-files", file=path, limit=MOST_FILES)) for path in paths[MOST_FILES:]
    ]
    for path in paths[:MOST_FILES]:
        try:
            read.append((path, read_answers(path)))
        except ExplorerError as error:
            left_out.append(LeftOut(str(path), error))
    wanted = sheet.id if sheet else next(iter(Counter(one.sheet_id for _, one in read).most_common(1)), ("",))[0]
    kept: dict[str, tuple[Path, Answers]] = {}
    for path, one in read:
        name = known_as(one.student)
        if one.sheet_id != wanted:
            left_out.append(LeftOut(str(path), ExplorerError("answers-of-another", file=path, sheet=one.sheet)))
        elif sheet and not one.agrees(sheet):
            left_out.append(LeftOut(str(path), ExplorerError("answers-altered", file=path, student=one.student)))
        elif name in kept and _tried(kept[name][1]) >= _tried(one):
            left_out.append(_twice(path, one))
        else:
            if name in kept:
                left_out.append(_twice(*kept[name]))
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


def _twice(path: Path, one: Answers) -> LeftOut:
    return LeftOut(str(path), ExplorerError("answers-twice", file=path, student=one.student))
