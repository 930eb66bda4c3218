"""The page of a class: a table of students and questions, mistakes by name, what to discuss; also on paper.

And the page with which work for a class begins.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape
from pathlib import Path

from explorer.core.frozen import Frozen
from explorer.core.numbers import quantity
from explorer.lessons.loader import lesson_files, load
from explorer.pages import page as el
from explorer.pages.controls import Button, Choice, Controls
from explorer.pages.drawing import Axis, Box, Drawing, FlowLine, Rect
from explorer.pages.element import Element
from explorer.pages.gestures import ForClass
from explorer.teaching.gradebook import UNKNOWN, Gradebook, Topic
from explorer.teaching.items import ChoiceItem, items
from explorer.teaching.sheet import Answered, Answers, Sheet

ORDERS = ("name", "fewest right", "most right")
_OUTCOMES = {
    "try 1": "right at once",
    "try 2": "at the second try",
    "try 3": "at the third try",
    "wrong": "wrong",
    "open": "not answered",
}
_COLOURS = {"✓": -0.55, "✓2": -0.3, "✓3": -0.15, "✗": 0.55}
"""The colours of the signs, as numbers between −1 and 1."""
_MARKS = "✓ right at once · ✓2 at the second try · ✓3 at the third try · ✗ wrong · – not answered."
MOST_LETTERS = 50
"""The most letters of a student's name beside the table."""
_CHOSE = re.compile(r"chose ([A-Z])")
_TAG = re.compile(r"<[^>]+>")
_LONGEST = 60
WAY, COURSE = 380, (1180, 215)
"""In pixels at text scale 1: the width of each of the three ways to begin, and the picture of a sheet's course."""
ACROSS = 25
"""The most questions in one table on paper: with more, names are broken letter by letter."""
WIDE = 330
"""Width in pixels, at text scale 1, of a histogram and the mistakes below it."""


BARE = Axis("", ())
_GRADES = (
    "A table (CSV) that learning platforms import: a line for each student. They find a student by an ID number or an "
    "e-mail address, if answers are handed in under that name."
)


class Asked(Frozen):
    """How a question is named."""

    title: str
    options: tuple[str, ...] = ()  # the texts of its choices, in their original order

    def mistake(self, name: str) -> str:
        """A mistake by name; for a choice, the chosen text."""
        found = _CHOSE.fullmatch(name)
        place = ord(found[1]) - ord("A") if found else 0
        if not found or place >= len(self.options):
            return name
        text = self.options[place]
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"
        return text if "“" in text else f"“{text}”"


UNREAD = Gradebook("", (), ())
"""The gradebook of a roll while its files are being read."""


@dataclass
class Roll:
    """The answers of a class, and how they are displayed."""

    files: tuple[Path, ...] = ()  # the given files and folders
    sheet: Sheet | None = None  # if given, each answer is judged again with it
    book: Gradebook = UNREAD
    asked: dict[str, Asked] = field(default_factory=dict)  # the name of each question
    order: str = ORDERS[0]

    def called(self, question: str) -> str:
        """The title of a question."""
        return self.asked[question].title

    def told(self, question: str, mistake: str) -> str:
        """What a mistake in a question is called."""
        return self.asked[question].mistake(mistake)

    @property
    def students(self) -> list[Answers]:
        """The students in the chosen order."""
        if self.order == ORDERS[0]:
            return list(self.book.students)
        sign = 1 if self.order == ORDERS[1] else -1
        return sorted(self.book.students, key=lambda one: sign * rights(one))


def rights(student: Answers) -> int:
    """How many questions a student got right in the end."""
    return sum(one.right for one in student.answered)


def mark(one: Answered) -> str:
    """A sign for the result of a question: ✓, ✓2 for the second try, ✗, – for no answer."""
    right = "✓" if len(one.tries) == 1 else f"✓{len(one.tries)}"
    return "–" if not one.tries else right if one.right else "✗"


def class_page(roll: Roll, most: int, reasons: Sequence[str] = ()) -> tuple[Element, ...]:
    """The page of a class, with so many students visible at once.

    `reasons`: for each file that is left out, the reason, in the order of `Gradebook.left_out`.
    """
    ways = [
        Button("add files", "Add files …", ForClass("add files"), primary=roll.book is UNREAD),
        Button("add a folder", "Add a folder …", ForClass("add a folder")),
    ]
    if roll.book is UNREAD:
        return el.Header("header", "Class", "The files are being read …"), Controls("ways", tuple(ways))
    book = roll.book
    count, asked = len(book.students), len(book.questions)
    out = f"; {quantity(len(reasons), 'file')} left out, see below" if reasons else ""
    sizes = f"{quantity(count, 'student')}, {quantity(asked, 'question')}{out}"
    header = el.Header("header", f"Class: {book.sheet or 'no answers'}", sizes)
    judge = "Judged anew with the sheet" if roll.sheet else "Judge anew with the sheet …"
    ways.append(Button("judge", judge, ForClass("judge"), "Compute each answer anew with the student's own numbers"))
    ways += [
        Button("csv", "Save as CSV …", ForClass("csv"), "A line for each student and question", on=count > 0),
        Button("grades", "Save grades …", ForClass("grades"), _GRADES, on=count > 0),
        Button("pdf", "Save as PDF …", ForClass("pdf"), "The table, the mistakes and each question", on=count > 0),
        Button("print", "Print …", ForClass("print"), on=count > 0),
    ]
    parts: list[Element] = [header, Controls("ways", tuple(ways))]
    if count:
        topics = [one.question for one in book.topics()]
        others = [question for question in book.questions if question not in topics]
        table = el.Stack("students of class", "Students", tuple(_table(roll, most)))
        each = el.Stack("of topics", "", tuple(_histograms(roll, topics)), WIDE)
        parts += [*_topics(roll), el.Row.of("class", (table, each)) if topics else table]
        if others:
            title = "The other questions" if topics else "Each question"
            parts += [
                el.Section("each title", title),
                el.Row.of("each", _histograms(roll, others)),
            ]
    if reasons:
        parts.append(el.Section("left out title", "Left out"))
        lines = tuple(
            el.Line.of(_below(one.file, roll.files), el.Entry(why, tip=why))
            for one, why in zip(book.left_out, reasons, strict=True)
        )
        columns = (el.Column("file", width=260), el.Column("why", width=900))
        parts.append(el.Listing("left out", "Files that are left out", columns, lines))
    return tuple(parts)


def _below(file: str, given: Sequence[Path]) -> str:
    """What a file is called in the given folder or zip: platforms put it into a folder with the student's name."""
    return next((file[len(f"{one}/") :] for one in given if Path(file).is_relative_to(one)), "") or Path(file).name


def _topics(roll: Roll) -> list[Element]:
    book, topics = roll.book, roll.book.topics()
    if not topics:
        open_ones = sum(book.outcomes(question)["open"] for question in book.questions)
        answered = len(book.students) * len(book.questions) - open_ones
        if not answered:
            return [el.Note("topics", "Nobody has answered a question yet.")]
        all_that = "question that was answered" if open_ones else "question"
        return [el.Note("topics", f"Every {all_that} was right at once.")]
    columns = (
        el.Column("question", width=330),
        el.Column("right at once", el.BAR, width=110),
        el.Column("", el.NUMBER),
        el.Column("the commonest mistakes", width=900),
    )
    lines = []
    for one in topics:
        common = _common_in(roll, one)
        said = f"{one.at_once} of {one.asked}"
        name = f"{book.questions.index(one.question) + 1}  {roll.asked[one.question].title}"
        share = one.at_once / one.asked
        lines.append(el.Line.of(name, el.Entry(said, share), said, el.Entry(common, tip=common)))
    title = "To talk about tomorrow"
    return [el.Section("topics title", title), el.Listing("topics", title, columns, tuple(lines))]


def _common_in(roll: Roll, topic: Topic) -> str:
    return ", ".join(f"{n} × {roll.told(topic.question, name)}" for name, n in topic.mistakes)


def _table(roll: Roll, most: int) -> list[Element]:
    book = roll.book
    heads = [el.Column(str(i), el.HEAT, signed=True) for i, _ in enumerate(book.questions, 1)]
    columns = (el.Column("right", el.NUMBER), *heads)
    lines = []
    students = roll.students
    for student in students:
        entries = [el.Entry(str(rights(student)))]
        for question in book.questions:
            one = book.cell(student, question)
            tip = f"{roll.asked[question].title}: {_said(roll.asked[question], one)}"
            sign = mark(one)
            entries.append(el.Entry(sign, _COLOURS.get(sign, 0.0), tip, muted=sign == "–"))
        lines.append(el.Line(tuple(entries)))
    orders = tuple(ForClass("order", name) for name in ORDERS)
    names = tuple(one.student for one in students)
    listing = el.Listing("students", "Students", columns, tuple(lines), most, order=roll.order, labels=names)
    return [
        Controls("order", (Choice("order choice", "Sorted by", ORDERS, ORDERS.index(roll.order), orders),)),
        replace(listing, letters=MOST_LETTERS, scrolls=True),
        el.Note("marks", f"{_MARKS} A cell says more when pointed at."),
    ]


def _said(asked: Asked, one: Answered) -> str:
    if not one.tries:
        return "not answered"
    wrong = [asked.mistake(t.mistake) if t.mistake else UNKNOWN for t in one.tries if not t.right]
    said = [*wrong, "right"] if one.right else wrong
    hints = f"; {quantity(one.hints, 'hint')}" if one.hints else ""
    seconds = f"; {one.seconds:.0f} s" if one.seconds is not None else ""
    return f"{', then '.join(said)}{hints}{seconds}"


def _histograms(roll: Roll, questions: Sequence[str]) -> list[el.Stack]:
    book, stacks = roll.book, []
    count = len(book.students)
    for question in questions:
        number = book.questions.index(question) + 1
        outcomes = book.outcomes(question)
        lines = [
            el.Line.of(words, el.Entry(f"{outcomes[name]} of {count}", outcomes[name] / count), str(outcomes[name]))
            for name, words in _OUTCOMES.items()
        ]
        columns = (el.Column("", width=150), el.Column("", el.BAR, width=120), el.Column("", el.NUMBER))
        bars = el.Listing(f"bars {question}", f"Outcomes of question {number}", columns, tuple(lines), len(lines))
        common = _common(book.mistakes(question), roll.asked[question])
        note = el.Note(f"mistakes {question}", common or "No wrong answer.")
        stacks.append(el.Stack(f"of {question}", escape(f"{number}  {roll.asked[question].title}"), (bars, note), WIDE))
    return stacks


def _common(mistakes: Counter[str], asked: Asked) -> str:
    return "<br>".join(f"{n} × {escape(asked.mistake(name))}" for name, n in mistakes.most_common(4))


# Names


def asked_in(book: Gradebook, sheet: Sheet | None = None) -> dict[str, Asked]:
    """The names of a class's questions; without its lesson, here or on the sheet, a question is called by its id."""
    known, found = lesson_files(), {}
    names = dict.fromkeys(id.partition("/")[0] for id in book.questions)
    lessons = {name: load(name) for name in names if name in known} | (sheet.lessons if sheet is not None else {})
    for id in book.questions:
        lesson = lessons.get(id.partition("/")[0])
        item = None if lesson is None else next(items(lesson, only=id), None)
        if item is None:
            found[id] = Asked(id)
            continue
        options = item.options if isinstance(item, ChoiceItem) else ()
        found[id] = Asked(item.title, tuple(as_plain(option.text) for option in options))
    times = Counter(one.title for one in found.values())
    for id, one in found.items():
        lesson = lessons.get(id.partition("/")[0])
        if times[one.title] > 1 and lesson is not None:  # many lessons end with the same question
            found[id] = replace(one, title=f"{one.title} ({lesson.title})")
    return found


def as_plain(html: str) -> str:
    """HTML without tags, on one line."""
    return " ".join(unescape(_TAG.sub("", html)).split())


# On paper


def class_on_paper(roll: Roll) -> str:
    """The table, the topics and the mistakes as HTML for printing."""
    book = roll.book
    topics = "".join(
        f"<p><b>{book.questions.index(one.question) + 1} {escape(roll.asked[one.question].title)}</b>: "
        f"{one.at_once} of {one.asked} right at once; {escape(_common_in(roll, one))}</p>"
        for one in book.topics()
    )
    each = []
    for number, question in enumerate(book.questions, 1):
        outcomes = book.outcomes(question)
        said = ", ".join(f"{words} {outcomes[name]}" for name, words in _OUTCOMES.items() if outcomes[name])
        common = _common(book.mistakes(question), roll.asked[question])
        each.append(f"<p><b>{number} {escape(roll.asked[question].title)}</b>: {said}<br>{common}</p>")
    tables = "<br>".join(_on_paper(roll, start) for start in range(0, len(book.questions), ACROSS))
    topics = f"<h2>To talk about</h2>{topics}" if topics else ""
    return f"<h1>{escape(book.sheet)}</h1>{topics}{tables}<p>{_MARKS}</p><h2>Each question</h2>{''.join(each)}"


def _on_paper(roll: Roll, start: int) -> str:
    """The table of students and of as many questions as fit on paper, from `start` on, counted from 0."""
    some = roll.book.questions[start : start + ACROSS]
    heads = "".join(f"<th>{i}</th>" for i, _ in enumerate(some, start + 1))
    rows = []
    for student in roll.students:
        cells = "".join(f"<td align='center'>{mark(roll.book.cell(student, question))}</td>" for question in some)
        rows.append(f"<tr><td>{escape(student.student)}</td><td align='right'>{rights(student)}</td>{cells}</tr>")
    head = f"<thead><tr><th></th><th>right</th>{heads}</tr></thead>"  # again on each page
    return f"<table border='1' cellspacing='0' cellpadding='2'>{head}{''.join(rows)}</table>"


# Before a class is open


def beginning(begun: Sequence[tuple[Path, Answers]] = ()) -> tuple[Element, ...]:
    """The start page for a class; `begun`: unfinished sheets, each with the answers so far."""
    done = "A file from your lecturer. You answer its questions here and hand in one small file."
    made = "Choose questions of lessons. Each student gets numbers of her own."
    came = "Who was right, which mistakes were made, what to talk about. Or drop the files here."
    on = tuple(
        Button(
            f"go on {sheet}",
            f"Go on with “{one.sheet}”: {one.student}, {sum(a.over for a in one.answered)} of {len(one.answered)} done",
            ForClass("go on", str(sheet)),
            done,
        )
        for sheet, one in begun
    )
    sheet = Button("open a sheet", "Open a sheet …", ForClass("open a sheet"), done), *on
    questions = Button("make a sheet", "Choose questions …", ForClass("make a sheet"), made)
    files = Button("add files", "Open files …", ForClass("add files"), came)
    folder = Button("add a folder", "Open a folder …", ForClass("add a folder"), came)

    def way(id: str, title: str, words: str, *buttons: Button) -> tuple[int, tuple[Element, ...]]:
        return WAY, (el.Section(id, title), el.Note(f"{id} words", words), Controls(f"{id} ways", buttons))

    return (
        el.Header("header", "Class", "Files and texts, no server: sheets go out, answers come back."),
        el.beside(
            way("do", "Do an exercise sheet", done, *sheet),
            way("make", "Make an exercise sheet", made, questions),
            way("answers", "Answers of a class", came, files, folder),
        ),
        el.Section("course", "How a sheet goes"),
        el.Picture("course of a sheet", _course(), *COURSE, fills=True),
    )


def _course() -> Drawing:
    """A picture of a sheet's course: to each student with numbers of her own, and back as one small file each."""
    boxes = (
        ((0, 76, 190, 46), "You choose", "questions of lessons"),
        ((250, 76, 130, 46), "One file", "the sheet"),
        *(((450, 76 * i, 190, 46), f"Student {i + 1}", "numbers of her own") for i in range(3)),
        ((710, 76, 160, 46), "A small file each", "the answers"),
        ((930, 76, 270, 46), "What to talk about", "which mistakes, how many"),
    )
    places = [place for place, *_ in boxes]
    ways = [(0, 1), *((1, i) for i in (2, 3, 4)), *((i, 5) for i in (2, 3, 4)), (5, 6)]

    def way(a: Rect, b: Rect) -> FlowLine:
        start, end = a[0] + a[2], b[0]
        up, down = a[1] + a[3] / 2, b[1] + b[3] / 2
        middle = (start + end) / 2
        return FlowLine(((start + 2, up), (middle, up), (middle, down), (end - 4, down)))

    lines = [way(places[a], places[b]) for a, b in ways]
    marks = [Box(place, title, title, note, letters=1.2) for place, title, note in boxes]
    said = "You choose questions; each student gets one file with numbers of her own; answers come back as small files."
    return Drawing((*lines, *marks), (-4.0, 1204.0, -6.0, 204.0), said, BARE, BARE, down=True, zoom=True)
