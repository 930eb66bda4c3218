"""An exercise sheet: questions of lessons, and a seed from which each student gets numbers of her own."""

import json
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from unicodedata import normalize
from zlib import crc32

from explorer.core.errors import ExplorerError, nearest
from explorer.core.frozen import Frozen
from explorer.files import write_file
from explorer.lessons.loader import load, ready
from explorer.lessons.reading import MOST_TITLE, can_be_shown, read
from explorer.lessons.schema import Lesson
from explorer.teaching.items import Item, item_ids, items

FORMAT = 1
MOST_QUESTIONS, MOST_NAME = 200, 100


class Sheet(Frozen):
    """The sheet that a lecturer hands out."""

    title: str
    seed: int
    questions: tuple[str, ...]  # ids of questions, "emma/score"

    @cached_property
    def id(self) -> str:
        """The sheet's name in answers; any change of the sheet changes it."""
        return sha256(json.dumps([self.title, self.seed, self.questions]).encode()).hexdigest()[:12]

    @cached_property
    def lessons(self) -> dict[str, Lesson]:
        """The lessons of its questions, by id.

        Raises `ExplorerError`: the errors of `explorer.lessons.loader.load`.
        """
        return {name: load(name) for name in dict.fromkeys(id.partition("/")[0] for id in self.questions)}

    def items(self, student: str) -> list[Item]:
        """The questions with the numbers of a student, which depend on the name as `known_as` has it.

        Raises `ExplorerError`: "unknown-question" if a question is not in its lesson.
        """
        seed = crc32(f"{self.seed} {known_as(student)}".encode())
        found = []
        for id in self.questions:
            lesson = self.lessons[id.partition("/")[0]]
            one = next(items(lesson, seed, id), None)
            if one is None:
                raise ExplorerError("unknown-question", name=id, near=nearest(id, item_ids(lesson)))
            found.append(one)
        return found

    def save(self, path: str | Path) -> None:
        """Write the sheet to a file.

        Raises `ExplorerError`: "not-written".
        """
        questions = "".join(f"    {json.dumps(id)},\n" for id in self.questions)
        lines = [
            "# An exercise sheet of Transformer Explorer: `explorer answer FILE --student NAME`.",
            f"format = {FORMAT}",
            f"title = {json.dumps(self.title, ensure_ascii=False)}",
            f"seed = {self.seed}  # of the numbers that are drawn",
            f"questions = [\n{questions}]",
        ]
        write_file(path, ("\n".join(lines) + "\n").encode())


def known_as(student: str) -> str:
    """A student's name in the form from which numbers are drawn.

    Capitals and extra blanks make no difference, nor whether é is one character or two.
    """
    return " ".join(normalize("NFC", normalize("NFC", student).casefold()).split())


def sheet_of(title: str, seed: int, names: list[str]) -> Sheet:
    """A sheet of whole lessons, such as "emma", or single questions, such as "emma/score".

    Raises `ExplorerError`: "bad-title", "unknown-lesson", "model-needed", "unknown-question", "no-questions",
    "not-on-a-sheet" where what is asked needs its page, or "too-many-questions".
    """
    title = " ".join(title.split())
    if not 0 < len(title) <= MOST_TITLE or not can_be_shown(title):
        raise ExplorerError("bad-title", limit=MOST_TITLE)
    chosen: list[str] = []
    for name in names:
        id, _, question = name.partition("/")
        lesson = ready(id)
        known = item_ids(lesson)
        if not known:
            raise ExplorerError("no-questions", lesson=id)
        if question and name not in known:
            raise ExplorerError("unknown-question", name=name, near=nearest(name, known))
        found = [item.id for item in items(lesson, seed, name if question else "")]
        if not found:
            raise ExplorerError("not-on-a-sheet", name=name)
        chosen += found
    chosen = list(dict.fromkeys(chosen))
    if not 0 < len(chosen) <= MOST_QUESTIONS:
        raise ExplorerError("too-many-questions", limit=MOST_QUESTIONS)
    return Sheet(title, seed, tuple(chosen))


def read_sheet(path: str | Path) -> Sheet:
    """A sheet from its file.

    Raises `ExplorerError`: "lesson-not-read", "lesson-too-large", "lesson-syntax", "lesson-key"; "unknown-lesson" or
    "unknown-question".
    """
    table = read(Path(path))
    table.has_only("format", "title", "seed", "questions")
    table.number("format", 1, 1, FORMAT)
    names = list(dict.fromkeys(table.words("questions")))  # each question is asked once
    title = " ".join(table.text("title").split())  # of one line, as answers need it
    sheet = Sheet(title, table.number("seed", 0, 0, 2**32 - 1), tuple(names))
    if not names or len(names) > MOST_QUESTIONS:
        raise ExplorerError("too-many-questions", limit=MOST_QUESTIONS)
    for name in names:
        known = item_ids(load(name.partition("/")[0]))
        if name not in known:
            raise ExplorerError("unknown-question", name=name, near=nearest(name, known))
    return sheet
