"""An exercise sheet in the window: questions one by one, then a review of everything that is handed in.

`Exercise` holds what the student has done so far; its method `page` shows it. `Draft` is a sheet that a lecturer puts
together: lessons, and for each lesson the questions to choose.
"""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path
from time import monotonic

from explorer.core.numbers import quantity, read_answer, written
from explorer.export.matrix import cells_of
from explorer.lessons.answers import TRIES
from explorer.lessons.loader import load, titles
from explorer.lessons.schema import Choose, Lesson
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Controls, Field, Number
from explorer.pages.element import Element
from explorer.pages.gestures import ForClass
from explorer.teaching.items import (
    ChoiceItem,
    Item,
    NumberItem,
    Table,
    bare,
    done_wrong,
    items,
    left_out,
    letter_of,
    strong,
)
from explorer.teaching.sheet import MOST_NAME, MOST_QUESTIONS, Answers, Sheet, Sitting, Try, known_as, sheet_of

MOST_DIGITS = 40


class Exercise:
    """A student's work on a sheet: the name, the present question, and the result of each.

    `begun`: earlier answers of students at this computer, by `known_as`, the latest first. `clock`: returns seconds;
    the time that a question was visible is handed in if the student agrees.
    """

    def __init__(
        self, sheet: Sheet, begun: Mapping[str, Answers] | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self.sheet, self._begun, self._clock = sheet, begun or {}, clock
        self.name = next((one.student for one in self._begun.values()), "")  # the name as typed so far
        self._times: bool | None = None
        self._sitting: Sitting | None = None
        self.at = 0  # the present question, counted from 0
        self.reviews = False  # whether the review of all answers is shown
        self.handed_in = True  # whether all answers have been saved to a file or copied
        self._typed: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._hints: dict[str, tuple[str, ...]] = {}
        self._seconds: dict[str, float] = {}
        self._since = 0.0

    @property
    def started(self) -> bool:
        """Whether the questions are open."""
        return self._sitting is not None

    @property
    def sitting(self) -> Sitting:
        """The open questions with their answers, once it has started."""
        assert self._sitting is not None
        return self._sitting

    @property
    def before(self) -> Answers | None:
        """The earlier answers of the student whose name is typed."""
        return self._begun.get(known_as(self.name))

    @property
    def times(self) -> bool:
        """Whether the student agrees to hand in times; until the box is clicked, as in the earlier answers."""
        if self._times is None:
            return self.before is not None and any(one.seconds is not None for one in self.before.answered)
        return self._times

    @property
    def wanted(self) -> tuple[str, ...]:
        """The elements that should get the keyboard focus: the first of them that exists and is usable."""
        if not self.started or self.reviews:
            return ("name field", "save")
        last = self.at + 1 == len(self.sitting.items)
        # In the order that is seen: in the lesson's own order the right choice is often the first.
        choices = order(self.item, self.sitting.student) if isinstance(self.item, ChoiceItem) else ()
        asked = [f"field {self.at}", *(f"choice {self.at} {i}" for i in choices)]
        return ("review" if last else "next",) if self.sitting.over(self.item) else tuple(asked)

    @property
    def item(self) -> Item:
        """The present question."""
        return self.sitting.items[self.at]

    def do(self, act: str, value: object = None) -> None:
        """Do what a gesture asks for; for "begin", `value` may be a `Sitting` made in the background.

        Raises `ExplorerError`: "bad-student"; those of `read_answer` and of `Sheet.items`.
        """
        match act:
            case "name":
                self.name = str(value)
            case "times":
                self._times = bool(value)
            case "begin" | "begin anew":
                self._sitting = value if isinstance(value, Sitting) else Sitting(self.sheet, self.name)
                self._since = self._clock()
                if act == "begin" and (before := self.before) is not None:
                    self._go_on(before)
            case "typed":
                self._typed[self.item.id] = str(value)
            case "answer":
                self._answer(read_answer(self._typed.get(self.item.id, "")) if value is None else value)
            case "hint":
                self._hints[self.item.id] = (*self._hints.get(self.item.id, ()), self.sitting.hint(self.item))
                self.handed_in = False
            case "go":
                assert isinstance(value, int)
                self._stop_clock()
                self.at, self.reviews = value, False
            case "review":
                self._stop_clock()
                self.reviews = True

    def _go_on(self, before: Answers) -> None:
        """Continue at the first unfinished question, with the earlier messages about the others."""
        self.sitting.go_on(before)
        for item, one in zip(self.sitting.items, self.sitting.answers().answered, strict=True):
            self._hints[item.id] = item.hints[: one.hints]
            if one.seconds is not None:
                self._seconds[item.id] = one.seconds
            if one.tries:
                self._said[item.id] = told(item, one.tries[-1], TRIES - len(one.tries))
                if isinstance(item, NumberItem):
                    self._typed[item.id] = written(one.tries[-1].answer, item.digits)
        open_ = (i for i, item in enumerate(self.sitting.items) if not self.sitting.over(item))
        self.at = next(open_, len(self.sitting.items) - 1)

    def answers(self) -> Answers:
        """Everything that is handed in."""
        for item in self.sitting.items:
            self.sitting.took(item, self._seconds.get(item.id) if self.times else None)
        return self.sitting.answers()

    def _stop_clock(self) -> None:
        now, item = self._clock(), self.item
        if not self.reviews:
            self._seconds[item.id] = self._seconds.get(item.id, 0.0) + now - self._since
        self._since = now

    def _answer(self, answer: object) -> None:
        assert isinstance(answer, int | float)
        if self.sitting.over(self.item):
            return
        again = self.sitting.was_given(self.item, answer)
        given = self.sitting.answer(self.item, answer)
        self._said[self.item.id] = told(self.item, given, self.sitting.left(self.item), again)
        self.handed_in = False

    # The page

    def page(self) -> tuple[Element, ...]:
        if not self.started:
            return self._beginning()
        return self._review() if self.reviews else self._question()

    def _beginning(self) -> tuple[Element, ...]:
        lessons = ", ".join(f"“{escape(lesson.title)}”" for lesson in self.sheet.lessons.values())
        count = len(self.sheet.questions)
        about = (
            f"{quantity(count, 'question')} from {lessons}. Everybody gets other numbers, drawn from the name. "
            "Write yours as your lecturer knows it."
        )
        what = (
            "Nothing is sent anywhere. At the end you see all of what is handed in, and save it as one small file or "
            "copy it as text into a mail or your learning platform: your name, your answers, how often you tried, and "
            "how many hints you read. Until then they are kept on this computer: open the sheet again, and go on."
        )
        begin, before = ForClass("begin"), self.before
        ways = [Button("begin", "Begin", begin, on=bool(self.name.strip()), primary=True)]
        if before is not None:
            done = sum(one.over for one in before.answered)
            what = f"{escape(before.student)} has begun: {done} of {count} questions are done. {what}"
            ways = [
                Button("begin", "Go on", begin, primary=True),
                Button("begin anew", "Begin anew", ForClass("begin anew"), "What was answered before is forgotten"),
            ]
        return (
            el.Header("header", self.sheet.title, "An exercise sheet"),
            el.Note("about", about),
            Controls("name", (Field("name field", "Your name", self.name, ForClass("name"), begin, MOST_NAME),)),
            Check("times", "Hand in how long each question took, too", self.times, ForClass("times")),
            Controls("ways", tuple(ways)),
            el.Note("handed in", what),
        )

    def _question(self) -> tuple[Element, ...]:
        item, sitting = self.item, self.sitting
        over, count = sitting.over(item), len(sitting.items)
        done = sum(sitting.over(one) for one in sitting.items)
        header = el.Header("header", self.sheet.title, f"Question {self.at + 1} of {count} · {done} done")
        said = [el.Note(f"said {self.at}", f"<b>{self._said[item.id]}</b>")] if item.id in self._said else []
        if over and (why := why_right(item)):
            said.append(el.Note(f"why {self.at}", why))
        hints = [el.Note(f"hint {self.at} {i}", hint) for i, hint in enumerate(self._hints.get(item.id, ()))]
        return (
            header,
            el.Section(f"title {self.at}", item.title),
            *shown(item, str(self.at)),
            *self._asked(item, over),
            *said,
            *hints,
            Controls("ways", self._ways(item, over, count)),
        )

    def _asked(self, item: Item, over: bool) -> tuple[Element, ...]:
        if isinstance(item, NumberItem):
            typed, lock = self._typed.get(item.id, ""), ForClass("answer")
            what = f"Your number, with {quantity(item.digits, 'decimal')}" if item.digits else "Your whole number"
            field = Field(f"field {self.at}", what, typed, ForClass("typed"), lock, MOST_DIGITS, on=not over)
            ready = bool(typed.strip()) and not over
            return (Controls("answer", (field, Button("lock", "Lock in", lock, on=ready, primary=not over))),)
        tried = {int(one.answer) for one in self.sitting.answers().by_question[item.id].tries}
        rows: list[Element] = []
        for place, i in enumerate(order(item, self.sitting.student)):
            option, letter = item.options[i], letter_of(place)
            sign = "✓ " if i in tried and option.right else "✗ " if i in tried else ""
            button = Button(f"choice {self.at} {i}", letter, ForClass("answer", i), on=not over and i not in tried)
            text = el.Note(f"option {self.at} {i}", f"{sign}{bare(option.text)}", wide=False)
            rows.append(el.Row.of(f"choice row {self.at} {i}", (button, text)))
        return tuple(rows)

    def _ways(self, item: Item, over: bool, count: int) -> tuple[Element, ...]:
        hinted, last = len(self._hints.get(item.id, ())), self.at + 1 == count
        back = Button("back", "Back", ForClass("go", self.at - 1), on=self.at > 0)
        onward = Button("next", "Next question", ForClass("go", self.at + 1), primary=over)
        all_of_it = "See all of it, then save it"
        review = Button("review", "What is handed in …", ForClass("review"), all_of_it, primary=over and last)
        hint = Button("hint", "Give me a hint", ForClass("hint"), on=not over)
        return (back, *([] if last else [onward]), review, *([hint] if hinted < len(item.hints) and not over else []))

    def _review(self) -> tuple[Element, ...]:
        answers = self.answers()
        columns = (
            el.Column("question", width=300),
            el.Column("answers", width=260),
            el.Column("right"),
            el.Column("hints", el.NUMBER),
            *([el.Column("seconds", el.NUMBER)] if self.times else []),
        )
        lines = []
        for number, (item, one) in enumerate(zip(self.sitting.items, answers.answered, strict=True)):
            given = ", ".join(self._given(item, t) for t in one.tries)
            right = "✓" if one.right else "✗" if one.tries else "–"
            entries = [el.Entry(f"{number + 1}  {item.title}", leads=ForClass("go", number)), el.Entry(given)]
            entries += [el.Entry(right), el.Entry(str(one.hints))]
            entries += [el.Entry("" if one.seconds is None else f"{one.seconds:.0f}")] if self.times else []
            lines.append(el.Line(tuple(entries)))
        open_ = sum(not one.tries for one in answers.answered)
        left = f"{quantity(open_, 'question')} {'are' if open_ != 1 else 'is'} not answered yet. " if open_ else ""
        ways = (
            Button("save", "Save the answers …", ForClass("save"), primary=True),
            Button(
                "copy",
                "Copy as text",
                ForClass("copy"),
                "To be pasted into a mail or a learning platform",
            ),
            Button("on", "Back to the questions", ForClass("go", self.at)),
        )
        return (
            el.Header("header", self.sheet.title, f"What {answers.student} hands in"),
            el.Note("left", f"{left}This is all; a click on a question leads back to it."),
            el.Listing("handed in", "What is handed in", columns, tuple(lines), len(lines)),
            Check("times", "Hand in how long each question took, too", self.times, ForClass("times")),
            Controls("ways", ways),
            el.Section("file", "The file, letter by letter"),
            el.Note("text", f"<pre>{escape(answers.text(), quote=False)}</pre>"),
        )

    def _given(self, item: Item, one: Try) -> str:
        if isinstance(item, NumberItem):
            return written(one.answer, item.digits)
        return letter_of(order(item, self.sitting.student).index(int(one.answer)))


def order(item: ChoiceItem, student: str) -> list[int]:
    """The order in which a student sees the choices, always the same."""
    places = list(range(len(item.options)))
    if item.mixed:
        random.Random(f"{known_as(student)} {item.id}").shuffle(places)
    return places


def told(item: Item, given: Try, left: int, again: bool = False) -> str:
    """The message about an answer, HTML; it gives the right answer only if no try is left.

    `again`: whether it was given before, and so did not count.
    """
    over = not left
    if given.right:
        return "Right."
    if isinstance(item, ChoiceItem):
        option = item.options[int(given.answer)]
        if option.told:
            said = option.told if over else option.feedback
        else:
            said = f"No. {bare(option.feedback)}".strip()
            if over:
                said += f" Right is {' or '.join(f'“{bare(one.text)}”' for one in item.options if one.right)}."
    else:
        said = escape(done_wrong(item, given.answer))
        if over:
            said += f" The number is {written(item.value, item.digits)}."
    if again:
        said = f"You gave this answer before, and it does not count again. {said}"
    return said if over else f"{said} {left} {'try is' if left == 1 else 'tries are'} left."


def why_right(item: Item) -> str:
    """Why the right answer is right, and the principle behind it, HTML: for after the answer; "" if nothing is said."""
    chosen = item.options if isinstance(item, ChoiceItem) and isinstance(item.question, Choose) else ()
    return "".join([*(one.feedback for one in chosen if one.right), item.why])


def form_of(item: Item) -> str:
    """What an answer to a question is: "a number with 2 decimals"."""
    if isinstance(item, NumberItem):
        return f"a number with {quantity(item.digits, 'decimal')}" if item.digits else "a whole number"
    return f"a letter from a to {letter_of(len(item.options) - 1).lower()}"


def shown(item: Item, prefix: str) -> list[Element]:
    """The text of a question and its matrices, side by side; `prefix` begins the elements' ids."""
    found: list[Element] = []
    tables: list[Element] = []
    for i, part in enumerate((*item.parts, "")):
        if isinstance(part, Table):
            tables.append(_matrix(part, f"{prefix} {i}"))
            continue
        if tables:
            found.append(el.Row.of(f"matrices {prefix} {i}", tables))
            tables = []
        if part:  # the last part is the question itself
            asks = i + 1 == len(item.parts)
            found.append(el.Note(f"words {prefix} {i}", strong(part) if asks else part))
    return found


def _matrix(table: Table, id: str) -> el.Stack:
    one = table.matrix
    lines = tuple(el.Line(tuple(el.Entry(*cell) for cell in row)) for row in cells_of(one, table.shares))
    heads = one.columns or ("",) * one.value.shape[1]
    columns = tuple(el.Column(head, el.HEAT, signed=not table.shares) for head in heads)
    listing = el.Listing(f"listing {id}", one.name, columns, lines, len(lines), labels=one.rows)
    return el.Stack(f"matrix {id}", table.heading, (listing,))


MOST_SEED, MOST_TITLE = 9999, 100
LESSONS, QUESTIONS = 480, 430
"""Widths in pixels at text scale 1: of the list of lessons, and of the questions of one lesson beside it."""


@dataclass
class Draft:
    """An exercise sheet in the making."""

    title: str = "Exercises"
    seed: int = 1
    lesson: str = ""  # the lesson whose questions are shown
    questions: dict[str, None] = field(default_factory=dict)  # the chosen questions, in order
    own: Mapping[str, str] = field(default_factory=dict)  # the titles of one's own lessons, by file

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the lessons whose questions can be chosen, one's own first."""
        return {**self.own, **titles()}

    def do(self, act: str, value: object = None) -> None:
        """Do what a gesture asks for.

        Raises `ExplorerError`: the errors of `load`.
        """
        match act:
            case "title":
                self.title = str(value)
            case "seed":
                assert isinstance(value, int)
                self.seed = value
            case "lesson":
                self.lesson = str(value)
            case "all":
                known = [id for id, _ in questions_of(self.lesson)]
                for id in known:
                    self.questions.pop(id, None)
                if value:
                    self.questions |= dict.fromkeys(known)
            case _ if act.startswith("ask "):
                if value:
                    self.questions[act[4:]] = None
                else:
                    self.questions.pop(act[4:], None)

    def sheet(self) -> Sheet:
        """The sheet as chosen so far.

        Raises `ExplorerError`: "too-many-questions", also if there is none.
        """
        return sheet_of(" ".join(self.title.split()) or "Exercises", self.seed, list(self.questions))


def questions_of(lesson: str) -> tuple[tuple[str, str], ...]:
    """For a lesson by its id or file: the ids and titles of its questions that can be asked on their own.

    The id of a question of one's own lesson begins with the lesson's file, as in `sheet_of`.
    """
    return _questions_of(lesson, _changed(lesson))[0]


def _changed(lesson: str) -> int:
    return Path(lesson).stat().st_mtime_ns if os.path.isfile(lesson) else 0


@lru_cache(64)
def _questions_of(lesson: str, changed: int) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """The ids and titles of the questions, and the titles of the others."""
    found: Lesson = load(lesson)
    own = {item.id: item.step.title for item in items(found, 0)}
    known = tuple((f"{lesson}/{id.partition('/')[2]}", title) for id, title in own.items())
    return known, left_out(found, own)


def making_page(draft: Draft, most: int) -> tuple[Element, ...]:
    """The page for making a sheet; `most`: how many lessons are visible at once."""
    chosen = [id.rpartition("/")[0] for id in draft.questions]
    lines = tuple(
        el.Line.of(
            el.Entry(title, leads=ForClass("lesson", id)),
            str(chosen.count(id)) if id in chosen else "",
            here=id == draft.lesson,
        )
        for id, title in draft.titles.items()
    )
    count, columns = len(draft.questions), (el.Column("lesson", width=420), el.Column("chosen", el.NUMBER))
    title = Field("title field", "Title", draft.title, ForClass("title"), ForClass("title", draft.title), MOST_TITLE)
    tip = "Another seed, other numbers"
    seed = Number("seed", "Numbers from seed", draft.seed, 0, MOST_SEED, ForClass("seed"), tip)
    right = 0 < count <= MOST_QUESTIONS
    ways = (
        Button("save sheet", "Save the sheet …", ForClass("save sheet"), on=right, primary=True),
        Button("try", "Try it", ForClass("try"), "Do it as a student does", on=right),
    )
    said = f"{quantity(count, 'question')} chosen." if count else "Choose a lesson, and then its questions."
    asked = ((QUESTIONS, _questions(draft)),) if draft.lesson else ()
    return (
        el.Header("header", "Make an exercise sheet", "Questions of lessons, with other numbers for each student."),
        Controls("about", (title, seed)),
        el.beside((LESSONS, (el.Listing("lessons", "Lessons", columns, lines, most, scrolls=True),)), *asked),
        el.Note("count", said),
        Controls("ways", ways),
    )


def _questions(draft: Draft) -> tuple[Element, ...]:
    known, others = _questions_of(draft.lesson, _changed(draft.lesson))
    if not known:
        return (el.Note("none", "This lesson has no question that stands by itself; choose another one."),)
    whole = all(id in draft.questions for id, _ in known)
    checks = [Check(f"ask {id}", title, id in draft.questions, ForClass(f"ask {id}")) for id, title in known]
    every = Check(f"all {draft.lesson}", "All of them", whole, ForClass("all"))
    title = draft.titles.get(draft.lesson, draft.lesson)
    titled = el.Section("questions title", f"Questions of “{title}”")
    left = [el.Note("left out", escape(only_in_the_program(others), quote=False))] if others else []
    return titled, every, *checks, *left


def only_in_the_program(titles: Sequence[str]) -> str:
    """That the questions with these titles stand on no sheet."""
    return f"Left out, because they need the program: {', '.join(f'“{title}”' for title in titles)}."
