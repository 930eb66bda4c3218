"""The list of lessons: what each teaches, how long it takes and the reader's progress, with chapters and a search.

At the end, what stands behind the last step of one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from typing import Any, Literal

from explorer.core.errors import ExplorerError
from explorer.core.numbers import percent, quantity
from explorer.lessons.loader import Course, chapters, courses, errata, titles
from explorer.lessons.progress import REVISIT, RIGHT, LessonProgress, Outcome, ProgressFolder, left_at, outcome
from explorer.lessons.prose import each_sentence
from explorer.lessons.schema import Lesson, Predict
from explorer.pages import page as el
from explorer.pages.controls import Button, Field, Ring
from explorer.pages.element import Element, Made
from explorer.pages.gestures import ForLessons

COURSE = "course"
"""The setting that holds the id of the listed chapter or course; empty: all lessons."""
WIDTH, LEAST, MOST_ACROSS = 860, 580, 3
"""The greatest length of a line in pixels at text scale 1, since longer lines are hard to read; the least width of a
card beside others; and the most cards in a row."""
RAIL, NARROW, BETWEEN, LIST = 275, 740, 14, 220
"""Pixels at text scale 1: the width of the chapters, the page width below which they stand above the lessons, the gap
between both, and the mean width of lists of chapters that stand there side by side."""
MOST, LONGEST = 9, 100
"""The questions to revisit that are shown at first, and the most letters of a search."""
AGAIN = "once more, from another day"
WHY = {"wrong": "the last answer was not right", "hints": "with hints", "skipped": "skipped"}


@dataclass
class Shelf:
    """All lessons, the reader's progress in them, and which of them are listed."""

    course: str = ""  # the id of the listed chapter or course; empty or unknown: all lessons
    ours: Mapping[str, str] = field(default_factory=titles)  # the titles of the program's lessons, by id
    yours: Mapping[str, str] = field(default_factory=dict)  # the titles of the user's own lessons, by file
    typed: str = ""  # the search text
    unfolded: bool = False  # whether the questions to revisit are visible
    recorded: int | None = None  # recorded steps; None: nothing is being recorded
    # The lessons that have been read, by id or file, each with its progress.
    known: dict[str, tuple[Lesson, LessonProgress]] = field(default_factory=dict)
    draw: Callable[[Lesson], Any] | None = None  # draws the image of the card of a lesson that has been read
    again: Sequence[tuple[str, str, str]] = ()  # questions to revisit: lesson (id or file), id of the step, and why
    courses: Sequence[Course] = field(
        default_factory=lambda: (Course("", "All lessons", "", ()), *chapters(), *courses())
    )

    @property
    def titles(self) -> dict[str, str]:
        """The titles of all lessons, by id or file."""
        return {**self.ours, **self.yours}

    @property
    def listed(self) -> Course:
        """The listed chapter or course."""
        return next((one for one in self.courses if one.id == self.course), self.courses[0])

    def do(self, act: str, value: object = None) -> bool:
        """Do what a gesture asks for. Returns whether it concerns the list itself."""
        match act:
            case "course":
                self.course = str(value)
            case "typed":
                self.typed = str(value)
            case "fold":
                self.unfolded = not self.unfolded
            case _:
                return False
        return True

    def look_back(self, folder: ProgressFolder | None) -> None:
        """Find the questions to revisit in the lessons that have been read.

        `folder`: where progress is kept, if anywhere. It is kept by the lesson's id, even if `known` has its file.
        """
        listed = self.titles
        known = [(id, lesson) for id, (lesson, _) in reversed(self.known.items()) if id in listed]
        places = {lesson.id: id for id, lesson in known}  # of two lessons with one id, that of the program
        steps = {lesson.id: tuple(one.id for one in lesson.steps if one.question) for _, lesson in known}
        try:
            due = [] if folder is None else folder.due(date.today(), steps)
        except ExplorerError:  # the folder cannot be written: then no question is asked again
            due = []
        left = [] if folder is None else [one for one in folder.come_back(steps) if one.why in WHY]
        others = [(one.lesson, one.step, WHY[one.why]) for one in left if (one.lesson, one.step) not in due]
        found = *((*one, AGAIN) for one in due), *others
        self.again = tuple((places[id], step, why) for id, step, why in found)

    def found(self) -> dict[str, int]:
        """The lessons to list, by id: 0 if all search words are in the title, 1 if some are elsewhere in the lesson."""
        titles, words, ranks = self.titles, self.typed.casefold().split(), {}
        for id in self.listed.lessons or titles:
            if id in titles:
                title, about = titles[id].casefold(), _about(self.known[id][0]) if words and id in self.known else ""
                if all(word in title or word in about for word in words):
                    ranks[id] = int(any(word not in title for word in words))
        return ranks

    def outcome(self, id: str) -> Outcome | None:
        """The outcome of a lesson; None if it has no steps or has not been read."""
        lesson, progress = self.known.get(id, (None, None))
        return outcome(lesson, progress) if lesson is not None and progress is not None and lesson.steps else None


def _about(lesson: Lesson) -> str:
    """The searched text of a lesson besides its title."""
    said = _teaches(lesson), *(step.title for step in lesson.steps), lesson.paragraph, lesson.reference, lesson.id
    return " ".join(said).casefold()


def _teaches(lesson: Lesson) -> str:
    return lesson.teaches or each_sentence(" ".join(lesson.paragraph.split("\n\n")[0].split()))[0]


def lessons_page(shelf: Shelf, room: int) -> tuple[Element, ...]:
    """The chapters, and beside them, or below them on a narrow page, the listed lessons, easier ones first.

    `room`: the width of the page in pixels at text scale 1.
    """
    beside = room - RAIL - BETWEEN
    across = min(max(beside // LEAST, 1), MOST_ACROSS)
    width = min(beside if room >= NARROW else room, across * WIDTH)
    listed = el.Stack("listed", "", _listed(shelf, across), width)
    above = 1 if room >= NARROW else max((room + BETWEEN) // (LIST + BETWEEN), 1)
    return (el.Row.of("page", (_chapters(shelf, above), listed)),)


def _chapters(shelf: Shelf, across: int) -> el.Stack:
    """The chapters and the courses, each with the reader's progress in it, in `across` lists side by side."""
    lines: list[el.Line] = []
    for one in shelf.courses:
        lessons = one.lessons or tuple(shelf.ours)
        share = sum(found.share for id in lessons if (found := shelf.outcome(id))) / len(lessons)
        title, done = f"{one.chapter}  {one.title}" if one.chapter else one.title, f"{percent(share)} gone through"
        asks = ForLessons("course", one.id)
        # A screen reader comes to the ring first, which is painted without its words.
        ring, name = (
            el.Entry(f"{title}, {done}", share, done, leads=asks),
            el.Entry(title, tip=f"List {title}", leads=asks),
        )
        lines.append(el.Line.of(ring, name, here=one is shelf.listed))
    title, columns = "Chapters and courses", (el.Column("", el.RING), el.Column("", width=RAIL))
    high = -(-len(lines) // across)
    parts = [tuple(lines[first : first + high]) for first in range(0, len(lines), high)]
    lists = [el.Listing(f"courses {k}" if k else "courses", title, columns, part, high) for k, part in enumerate(parts)]
    beside = lists if len(lists) == 1 else [el.Row.of("all courses", lists)]
    return el.Stack("chapters", title, tuple(beside), RAIL if across == 1 else across * (LIST + BETWEEN))


def _listed(shelf: Shelf, across: int) -> tuple[Element, ...]:
    ranks, known = shelf.found(), shelf.titles
    apart = [id for id in known if id in errata().values()]
    course = [id for id in known if id not in (*apart, *shelf.yours)]
    found = sorted((id for id in ranks if id in course), key=ranks.__getitem__)  # lessons found by title come first
    own, printed = [id for id in shelf.yours if id in ranks], [id for id in apart if id in ranks]
    leads = _next(shelf, (*own, *found, *printed))

    def cards(id: str, ids: Sequence[str], others: Sequence[str] = ()) -> el.Cards:
        made = tuple(_card(shelf, one, known[one], one in leads) for one in (*ids, *others))
        return el.Cards(id, across, made, len(ids))

    parts: list[Element] = [_header(shelf), *_again(shelf)]
    if shelf.listed.paragraph:
        parts.append(el.Note("about", escape(shelf.listed.paragraph, quote=False).replace("\n\n", "<br><br>")))
    typed, hint = ForLessons("typed", shelf.typed), "Search: softmax, order, 003 …"
    tip = "Lessons with all of these words"
    parts.append(Field("search", "Search the lessons", shelf.typed, typed, typed, LONGEST, hint=hint, tip=tip))
    if not ranks:
        parts.append(el.Note("none", "No lesson has all of these words. Search for fewer words."))
    others = cards("lessons", found, [id for id in course if id not in ranks])
    if own:
        text, tip = "Save all as one file …", "To hand them on: the file opens by a double-click"
        save = Button("bundle", text, ForLessons("bundle"), tip, link=True)
        parts.append(el.Stack("yours", "Your lessons", (cards("own lessons", own),), control=save))
        parts.append(el.Stack("ours", "Lessons of the program" if found else "", (others,)))
    else:
        parts.append(others)
    if printed:
        title = "For those who hold a printed text beside the screen"
        parts.append(el.Stack("apart", title, (cards("errata", printed),)))
    return tuple(parts)


def _header(shelf: Shelf) -> el.Header:
    steps, count = shelf.recorded, len(shelf.again)
    said = "Record a lesson" if steps is None else f"● Stop recording · {quantity(steps, 'step')}"
    tip = "Record the pages that you visit and the numbers that you change as the steps of a new lesson"
    record = Button("record", said, ForLessons("record"), tip)
    name, tip = f"{count} to revisit", "Show or hide the questions to come back to"
    text = f"{name} {'▾' if shelf.unfolded else '▸'}" if count else ""
    fold = Button("fold", text, ForLessons("fold"), tip, name, link=True)
    sentence = "Each lesson leads through one model, step by step. Easier lessons stand first."
    return el.Header("header", "Lessons", sentence, (record, fold))


def _again(shelf: Shelf) -> list[Element]:
    lines = []
    for id, step, why in shelf.again if shelf.unfolded else ():
        lesson = shelf.known[id][0]
        question = next(one.title for one in lesson.steps if one.id == step)
        tip, asks = f"Ask me once more: {question}, of {lesson.title}", ForLessons("ask again", (id, step))
        lines.append(el.Line.of(question, lesson.title, why, el.Entry("Ask me", tip=tip, leads=asks)))
    columns = tuple(el.Column(title, width=300) for title in ("question", "lesson", "why", ""))
    return [el.Listing("again", "Questions to come back to", columns, tuple(lines), MOST)] if lines else []


def _next(shelf: Shelf, ids: Sequence[str]) -> set[str]:
    """The lessons whose buttons lead the eye: those that the reader has left half-way, or else the next new one."""
    open = [id for id in ids if (found := shelf.outcome(id)) is not None and not found.is_whole]
    return {id for id in open if left_at(*shelf.known[id])} or set(open[:1])


def _card(shelf: Shelf, id: str, title: str, leads: bool) -> el.Card:
    """The card of a lesson; before the lesson has been read, its title and a button.

    `leads`: whether the reader does best to go on with it.
    """
    lesson, progress = shelf.known.get(id, (None, None))
    found, far, words, said = shelf.outcome(id), 0, "", ""
    over = found is not None and found.is_whole
    if lesson is not None and progress is not None:
        far, teaches = left_at(lesson, progress), _teaches(lesson)
        words, said = escape(teaches[:1].upper() + teaches[1:], quote=False), _said(lesson, found, far)
    way = "Again" if over else "Go on" if far else "Begin" if found is not None else "Open"
    name, tip = f"{way}: {title}", "Begin at the first step, without your answers"
    begin = Button("begin", way, ForLessons("begin", id), name, name, primary=leads)
    again = "Begin anew" if far and not over else ""
    ways = [begin, Button("anew", again, ForLessons("begin anew", id), tip, link=True)]
    if id in shelf.yours:
        name = f"Remove {title} from your lessons"
        ways.append(Button("remove", "Remove", ForLessons("remove", id), name=name, link=True))
    share = None if found is None else found.share  # as at the end of the lesson
    image = Made(shelf.draw, (lesson,)) if shelf.draw is not None and lesson is not None and lesson.steps else None
    return el.Card(f"lesson {id}", title, tuple(ways), words, said, share, image)


def _said(lesson: Lesson, found: Outcome | None, far: int) -> str:
    """The length of a lesson, the current step, and at its end how much was right and how much there is to revisit."""
    steps = len(lesson.steps)
    said = [f"{quantity(steps, 'step')}{lesson.lasts}" if steps else "An example to explore, without steps"]
    if found is not None and (far or found.is_whole):
        over, end = found.is_whole, far == steps
        said += ["✓ gone through" if over else "at the end" if end else f"at step {far} of {steps}"]
        said += [found.brief] if found.brief and (over or end) else []
        said += [f"{len(found.revisit)} to revisit"] if found.revisit and (over or end) else []
    if lesson.needed is not None:
        said += [f"needs {escape(lesson.needed.name)}"]
        said += [] if lesson.needed.checked else ["not checked by us with the real weights"]
    return " · ".join(said)


# The end of a lesson

NAMED = 6
"""So many steps are named at most of those whose questions were answered rightly."""


def finish_page(lesson: Lesson, found: Outcome, behind: Lesson | None, unfolded: bool) -> tuple[Element, ...]:
    """What has been learned, what there is to revisit, and the next lesson, in this order.

    `behind`: the next lesson; `unfolded`: whether the steps to revisit are named.
    """
    title = "The end of this lesson" if found.revisit and not found.is_whole else "Lesson finished"
    ring = Ring("ring", f"How far you are in {lesson.title}", found.share)
    parts: list[Element] = [ring, el.Passage("title", title, "heading")]

    def say(id: str, text: str, role: Literal["", "muted", "section"] = "") -> None:
        parts.append(el.Passage(id, escape(text, quote=False).replace("\n", "<br>"), role))

    if found.right:
        say("learned", "What you have learned", "section")
        if lesson.teaches:
            say("teaches", f"{lesson.teaches[:1].upper()}{lesson.teaches[1:]}.")
        say("right", _right(lesson, found))
        say("outcome", f"{found.said}.", "muted")
    if found.revisit:
        fold = el.lead(0, f"{len(found.revisit)} to revisit {'▾' if unfolded else '▸'}")
        parts.append(el.Passage("fold", fold, "section", (ForLessons("unfold", not unfolded),)))
        for place, step in enumerate(lesson.steps if unfolded else (), start=1):
            if why := found.revisit.get(step.id):
                text = f"{el.lead(0, f'{place}  {step.title}')} · {REVISIT[why]}"
                parts.append(el.Passage(f"revisit {step.id}", text, leads=(ForLessons("revisit", step.id),)))
    if behind is not None:
        say("next", "The next lesson", "section")
        say("behind", f"{behind.title}{behind.lasts}")
        tip = f"Begin the next lesson: {behind.title}"
        parts.append(Button("begin", "Begin it ▸", ForLessons("begin", behind.id), tip, tip, primary=True))
    return tuple(parts)


def _right(lesson: Lesson, found: Outcome) -> str:
    """The steps whose questions were answered rightly, but those for practice, which bring nothing new."""
    practice = {step.id for step in lesson.steps if isinstance(step.question, Predict) and step.question.fresh}
    right = [step for step in lesson.steps if found.of[step.id] in RIGHT and step.id not in practice]
    shown = right if len(right) <= NAMED + 1 else right[:NAMED]
    lines = [f"✓ {step.title}{' (with a hint)' * (found.of[step.id] == 'hint')}" for step in shown]
    return "\n".join([*lines, f"… and {len(right) - NAMED} more"] if shown is not right else lines)
