"""The page for making an exercise sheet: lessons, and for each lesson the questions to choose."""

from dataclasses import dataclass, field
from functools import lru_cache

from explorer.lessons.loader import load, titles
from explorer.lessons.schema import Lesson
from explorer.pages.element import Element
from explorer.pages.gestures import ForClass
from explorer.pages.page import (
    NUMBER,
    Button,
    Check,
    Column,
    Controls,
    Entry,
    Field,
    Header,
    Line,
    Listing,
    Note,
    Number,
    Section,
    beside,
)
from explorer.teaching.items import items
from explorer.teaching.sheet import MOST_QUESTIONS, Sheet, sheet_of

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


@lru_cache(64)
def questions_of(lesson: str) -> tuple[tuple[str, str], ...]:
    """For a lesson of the program: the ids and titles of its questions that can be asked on their own."""
    found: Lesson = load(lesson)
    return tuple((item.id, item.title) for item in items(found, 0))


def making_page(draft: Draft, most: int) -> tuple[Element, ...]:
    """The page for making a sheet; `most`: how many lessons are visible at once."""
    chosen = [id.partition("/")[0] for id in draft.questions]
    lines = tuple(
        Line.of(
            Entry(title, leads=ForClass("lesson", id)),
            str(chosen.count(id)) if id in chosen else "",
            here=id == draft.lesson,
        )
        for id, title in titles().items()
    )
    count, columns = len(draft.questions), (Column("lesson", width=420), Column("chosen", NUMBER))
    title = Field("title field", "Title", draft.title, ForClass("title"), ForClass("title", draft.title), MOST_TITLE)
    seed = Number(
        "seed", "Numbers from seed", draft.seed, 0, MOST_SEED, ForClass("seed"), "Another seed, other numbers"
    )
    right = 0 < count <= MOST_QUESTIONS
    ways = (
        Button("save sheet", "Save the sheet …", ForClass("save sheet"), on=right, primary=True),
        Button("try", "Try it", ForClass("try"), "Do it as a student does", on=right),
    )
    said = f"{count} question{'s' * (count != 1)} chosen." if count else "Choose a lesson, and then its questions."
    asked = ((QUESTIONS, _questions(draft)),) if draft.lesson else ()
    return (
        Header("header", "Make an exercise sheet", "Questions of lessons, with other numbers for each student"),
        Controls("about", (title, seed)),
        beside((LESSONS, (Listing("lessons", "Lessons", columns, lines, most, scrolls=True),)), *asked),
        Note("count", said),
        Controls("ways", ways),
    )


def _questions(draft: Draft) -> tuple[Element, ...]:
    known = questions_of(draft.lesson)
    if not known:
        return (Note("none", "This lesson has no question that stands by itself; choose another one."),)
    whole = all(id in draft.questions for id, _ in known)
    checks = [Check(f"ask {id}", title, id in draft.questions, ForClass(f"ask {id}")) for id, title in known]
    every = Check(f"all {draft.lesson}", "All of them", whole, ForClass("all"))
    title = titles().get(draft.lesson, draft.lesson)
    return Section("questions title", f"Questions of “{title}”"), every, *checks
