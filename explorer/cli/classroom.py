"""``explorer sheet``, ``answer`` and ``class``: exercise sheets, the answers of a student, the results of a class.

``explorer questions``: questions of lessons for a learning platform. ``explorer bundle``: lessons in one file.
"""

import json
import os
import sys
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from time import monotonic

from explorer.cli.output import may_write, shown, wrote
from explorer.cli.parser import UsageError, interrupted
from explorer.core.errors import ExplorerError
from explorer.core.numbers import quantity, read_answer
from explorer.files import write_file
from explorer.lessons import own_lessons
from explorer.lessons.loader import load, ready
from explorer.library.matrix import columns
from explorer.library.page import need_display
from explorer.sentences import sentence
from explorer.teaching import ANSWERS, SHEET
from explorer.teaching.class_page import Roll, asked_in, mark
from explorer.teaching.gradebook import Gradebook, gradebook, sheet_beside
from explorer.teaching.items import ChoiceItem, Item, NumberItem, items, left_out, letter_of
from explorer.teaching.platforms import moodle_xml, qti_zip
from explorer.teaching.sheet import Answered, Answers, Sitting, file_name, known_as, read_answers, read_sheet, sheet_of
from explorer.teaching.sheet_page import form_of, only_in_the_program, order, told, why_right

_BAR = 30


def bundle(arguments: Namespace) -> int:
    """``explorer bundle``: write the lessons of a folder into one file."""
    out = Path(arguments.file)
    if out.suffix != own_lessons.BUNDLE:
        raise UsageError(f"--out names a file that ends in {own_lessons.BUNDLE}.")
    if not Path(arguments.folder).is_dir():
        raise UsageError(f"There is no folder '{arguments.folder}'; name the one that your lessons are in.")
    may_write(out, arguments.force)
    print(quantity(own_lessons.bundle(Path(arguments.folder), out), "lesson"), wrote(out), sep="\n")
    return 0


def sheet(arguments: Namespace) -> int:
    """``explorer sheet``: make an exercise sheet."""
    if not arguments.file.endswith(SHEET):
        raise UsageError(f"--out names a file that ends in {SHEET}.")
    if not 0 <= arguments.seed < 2**32:
        raise UsageError("--seed is a whole number from 0 to 4294967295.")
    made = sheet_of(arguments.title, arguments.seed, arguments.questions)
    may_write(Path(arguments.file), arguments.force)
    made.save(arguments.file)
    print(*made.questions, sep="\n")
    for name in dict.fromkeys(arguments.questions):
        if name.endswith(".toml") or "/" not in name:
            lesson = load(name)
            if others := left_out(lesson, made.questions):
                print(only_in_the_program(others))
    print(wrote(arguments.file))
    return 0


def answer(arguments: Namespace) -> int:
    """``explorer answer``: ask the questions of a sheet that are not done yet, and save the answers."""
    out = Path(arguments.file or file_name(arguments.student))
    if not out.name.endswith(ANSWERS):
        raise UsageError(f"--out names a file that ends in {ANSWERS}.")
    may_write(out, arguments.force, arguments.sheet)
    if not out.parent.is_dir():  # said before the questions are answered
        raise ExplorerError("not-written", file=out, reason="there is no such folder")
    sitting = Sitting(read_sheet(arguments.sheet), arguments.student)
    if out.exists() and not arguments.force:
        earlier = _earlier(out, sitting)
        if earlier is None:
            raise UsageError(f"{shown(out)}: holds answers; choose another name by --out, or add --force to lose them.")
        sitting.go_on(earlier)
        print(f"Going on with {shown(out)}: {sum(map(sitting.over, sitting.items))} of {len(sitting.items)} done.")
    with suppress(EOFError, KeyboardInterrupt, OSError), interrupted():  # the terminal may be closed
        _sit(sitting, arguments.time)
    answers = sitting.answers()
    with suppress(OSError):
        print(f"\nThis is all that is handed in, in {shown(out)}:\n")
        print(answers.text(), end="")
    answers.save(out)
    print(wrote(out))
    return 0


def _earlier(file: Path, sitting: Sitting) -> Answers | None:
    """The student's own answers to this sheet in a file; None if they are not, or are not as they were saved."""
    with suppress(ExplorerError):
        found = read_answers(file)
        if known_as(found.student) == known_as(sitting.student):
            return found.judged(sitting.sheet)
    return None


def _sit(sitting: Sitting, timed: bool) -> None:
    """Ask all questions that are not done yet. Raises EOFError or KeyboardInterrupt if the input ends."""
    for number, item in enumerate(sitting.items, 1):
        if sitting.over(item):
            continue
        print(f"\n{number} of {len(sitting.items)}  {item.title}\n")
        _say(item.text)
        if isinstance(item, ChoiceItem):
            mixed = (item.options[place] for place in order(item, sitting.student))
            print(*(f"  {letter_of(i).lower()}  {as_text(one.text)}" for i, one in enumerate(mixed)), sep="\n")
        began = monotonic()
        _ask(sitting, item)
        if timed:
            sitting.took(item, monotonic() - began)


def _ask(sitting: Sitting, item: Item) -> None:
    """Ask a question until it is over, or left open."""
    print(f"Type the answer; {'h for a hint, ' * bool(item.hints)}Enter alone to leave it open.")
    while not sitting.over(item):
        text = input("> ").strip()
        if not text:
            return
        if text.lower() == "h" and not (isinstance(item, ChoiceItem) and len(item.options) > ord("h") - ord("a")):
            none = "There is no other hint." if item.hints else "This question has no hint."
            _say(sitting.hint(item) or none)
            continue
        given = _read(item, text, sitting.student)
        if given is None:
            print(f"That is no answer to this question. Type {form_of(item)}.")
            continue
        again = sitting.was_given(item, given)
        done = sitting.answer(item, given)
        _say(told(item, done, sitting.left(item), again))
    if why := why_right(item):
        _say(why)


def _read(item: Item, text: str, student: str) -> float | None:
    if isinstance(item, NumberItem):
        try:
            return read_answer(text)
        except ExplorerError:
            return None
    letters = [letter_of(number).lower() for number in range(len(item.options))]
    return order(item, student)[letters.index(text.lower())] if text.lower() in letters else None


def class_(arguments: Namespace) -> int:
    """``explorer class``: print the results of a class from its files of answers."""
    files, sheet = [Path(file) for file in arguments.files], read_sheet(arguments.sheet) if arguments.sheet else None
    if arguments.csv is not None and arguments.csv == arguments.grades:
        raise UsageError("--csv and --grades name the same file; they are two tables.")
    book = gradebook(files, sheet)
    roll = Roll(book=book, asked=asked_in(book, sheet or sheet_beside(files, book)))
    tables = {arguments.csv: partial(book.csv, roll.told), arguments.grades: partial(book.grades, roll.called)}
    if not book.students:  # a misspelt folder costs no table of before
        tables = {}
    tables.pop(None, None)
    for file in tables:
        may_write(Path(file), arguments.force)
        if os.path.exists(file) and not file.lower().endswith(".csv") and not arguments.force:
            # Answers of a student, or a model, are ours, too.
            raise UsageError(f"{shown(file)}: is no table (.csv); choose another name, or add --force to lose it.")
    for file, table in tables.items():
        write_file(file, table().encode("utf-8-sig"))
    if arguments.json:
        print(json.dumps(_as_json(book, roll)))
    elif book.students:
        print(*_lines(book, roll), sep="\n")
    for one in book.left_out:
        print(f"explorer: {sentence(one.reason)}", file=sys.stderr)
    for file in tables:
        print(wrote(file), file=sys.stderr if arguments.json else sys.stdout)
    return int(not book.students)


def _lines(book: Gradebook, roll: Roll) -> list[str]:
    rows = [("", *(str(i) for i, _ in enumerate(book.questions, 1)), "right")]
    for student in book.students:
        cells = [_mark(book.cell(student, question), roll) for question in book.questions]
        rights = sum(one.right for one in student.answered)
        rows.append((student.student, *cells, f"{rights} of {len(book.questions)}"))
    lines = [f"{book.sheet}: {quantity(len(book.students), 'student')}", "", *columns(rows, "<"), ""]
    for number, question in enumerate(book.questions, 1):
        outcomes = book.outcomes(question)
        title = roll.asked[question].title
        lines.append(f"{number}  {title}" + f"  {question}" * (title != question))
        for name in sorted(outcomes, key=lambda one: (one == "open", one == "wrong", one)):
            bar = "█" * max(1, round(_BAR * outcomes[name] / len(book.students)))
            lines.append(f"   {name:<6} {bar} {outcomes[name]}")
        lines += [f"   {n} × {roll.told(question, name)}" for name, n in book.mistakes(question).most_common(3)]
    topics = book.topics()
    if topics:
        lines += ["", "To talk about:"]
    for topic in topics:
        common = ", ".join(f"{n} × {roll.told(topic.question, name)}" for name, n in topic.mistakes)
        lines.append(f"  {roll.asked[topic.question].title}: {topic.at_once} of {topic.asked} right at once; {common}")
    return lines


def _mark(one: Answered, roll: Roll) -> str:
    """The sign for a result, or the name of the last mistake."""
    name = one.tries[-1].mistake if one.tries and not one.right else ""
    return name if name and roll.told(one.question, name) == name else mark(one)  # a choice stands below, in its words


def _told_mistakes(book: Gradebook, roll: Roll, question: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for name, n in book.mistakes(question).items():
        counted[roll.told(question, name)] += n
    return counted


def _as_json(book: Gradebook, roll: Roll) -> dict[str, object]:
    return {
        "sheet": book.sheet,
        "questions": {
            question: {"outcomes": book.outcomes(question), "mistakes": _told_mistakes(book, roll, question)}
            for question in book.questions
        },
        "students": {
            student.student: {one.question: {"right": one.right, "tries": len(one.tries)} for one in student.answered}
            for student in book.students
        },
        "topics": [
            {**vars(topic), "mistakes": [(roll.told(topic.question, name), n) for name, n in topic.mistakes]}
            for topic in book.topics()
        ],
        "left_out": [{"file": one.file, "reason": sentence(one.reason)} for one in book.left_out],
    }


def _say(html: str) -> None:
    """Print HTML; in a terminal no word of a paragraph is broken."""
    print(as_text(html, get_terminal_size().columns if sys.stdout.isatty() else 0))


def as_text(html: str, width: int = 0) -> str:
    """The HTML of a question as text for a terminal: paragraphs, and tables in columns.

    `width`: the most letters in a line of a paragraph; 0: all in one line.
    """
    reader = _Reader()
    reader.feed(html)
    lines = reader.lines()
    if width:
        lines = [line if line.startswith(" ") else "\n".join(wrap(line, width)) for line in lines]
    return "\n".join(lines).strip()


class _Reader(HTMLParser):
    """Turns HTML into lines: paragraphs as lines, tables in columns."""

    def __init__(self) -> None:
        super().__init__()
        self._done: list[str] = []
        self._rows: list[list[str]] = []
        self._cell: list[str] | None = None
        self._line = ""
        self._begun: list[int] = []  # where each part above, below or under a root begins

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag == "table":
            self._flush()
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag in ("p", "li", "br"):
            self._flush()
        elif tag in ("sub", "sup", "span"):  # the bar of a root is a span
            self.handle_data({"sub": "_", "sup": "^", "span": ""}[tag])
            self._begun.append(len(self._so_far))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self._rows[-1].append("".join(self._cell))
            self._cell = None
        elif tag == "table":
            self._done += columns(self._rows, "<>", indent="  ")
        elif tag in ("p", "li"):
            self._flush()
        elif tag in ("sub", "sup", "span") and self._begun:
            text = self._so_far
            before, part = text[: (begins := self._begun.pop())], text[begins:]
            if not part.replace("_", "").isalnum() and len(part) > 1:  # √(a + b), and not √a + b
                if self._cell is None:
                    self._line = f"{before}({part})"
                else:
                    self._cell = [f"{before}({part})"]

    @property
    def _so_far(self) -> str:
        """What is written of the present cell or line."""
        return self._line if self._cell is None else "".join(self._cell)

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        else:
            self._line += data

    def _flush(self) -> None:
        if self._line.strip():
            self._done.append(" ".join(self._line.split()))
        self._line = ""

    def lines(self) -> list[str]:
        """The lines of all that was read."""
        self._flush()
        return self._done


PLATFORMS = (".xml", ".zip")
MOST_VARIANTS = 50


def questions(arguments: Namespace) -> int:
    """``explorer questions``: write Moodle XML (.xml) or QTI 2.1 (.zip)."""
    out = Path(arguments.out or "")
    if out.suffix.lower() not in PLATFORMS:
        raise UsageError("--out says where the questions go: a .xml for Moodle, a .zip of QTI 2.1 for others.")
    if arguments.same and (arguments.variants is not None or arguments.seed is not None):
        raise UsageError("--same takes the numbers of the lesson, and draws none; leave out --variants and --seed.")
    variants = 1 if arguments.variants is None else arguments.variants
    if not 1 <= variants <= MOST_VARIANTS:
        raise UsageError(f"--variants may be 1 to {MOST_VARIANTS}; {variants} is not.")
    groups: dict[str, list[Item]] = {}
    asked = 0
    for lesson in {lesson.id: lesson for lesson in map(ready, arguments.lessons)}.values():  # each once
        if not lesson.questions:
            raise ExplorerError("no-questions", lesson=lesson.id)
        asked += lesson.questions
        for variant in range(variants):
            for item in items(lesson, None if arguments.same else (arguments.seed or 0) + variant):
                if variant == 0 or not item.ours:  # where nothing is drawn, as for a choice, there are no variants
                    groups.setdefault(item.id, []).append(item)
    every = [item for group in groups.values() for item in group]
    if not every:
        raise ExplorerError("not-on-a-sheet", name=", ".join(arguments.lessons))
    if out.suffix.lower() == ".xml":
        need_display(or_offscreen=True)
        from explorer.ui.question_picture import picture_of  # imports Qt, which draws the text of pictures

        content = moodle_xml(groups, picture_of)
    else:
        content = qti_zip(every)
    write_file(out, content)
    print(f"{len(groups)} of {asked} questions, {len(every)} with their variants; the others need the program")
    print(wrote(out))
    return 0
