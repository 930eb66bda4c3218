"""An exercise sheet: questions of lessons, and a seed from which each student gets numbers of her own.

Also a student's answers as one small file: a text that can be pasted into a mail. The checksum reveals accidents: a
line lost on the way, a number retyped. It is not a signature: anybody who knows how it is computed can make one.
`Answers.judged` judges all answers again with the sheet.

Answers of unfinished sheets are saved beside the settings after each answer, so that neither a crash nor closing loses
them. Each sheet has a folder with a copy of it and, for each student at this computer, the file that would be handed
in. A sheet whose files cannot be written or read counts as not begun.
"""

import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from html import unescape
from math import isfinite
from pathlib import Path
from typing import Any
from unicodedata import normalize
from zlib import crc32

from explorer.core.errors import ExplorerError, nearest
from explorer.core.frozen import Frozen
from explorer.files import newest_first, open_file, write_file
from explorer.lessons.answers import TRIES
from explorer.lessons.loader import lesson_from, load, ready
from explorer.lessons.own_lessons import named_in
from explorer.lessons.reading import MOST_BYTES as LARGEST
from explorer.lessons.reading import MOST_TITLE, can_be_shown, parsed, read, written_value
from explorer.lessons.schema import Lesson
from explorer.teaching import ANSWERS, SHEET
from explorer.teaching.items import ChoiceItem, Item, NumberItem, answered, item_ids, items

_VERSION = 1
MOST_QUESTIONS, MOST_NAME = 200, 100


class Sheet(Frozen):
    """The sheet that a lecturer hands out."""

    title: str
    seed: int
    questions: tuple[str, ...]  # ids of questions, "emma/score"
    own: tuple[tuple[str, str], ...] = ()  # the id and the file's text of each lesson that the program does not have

    @cached_property
    def id(self) -> str:
        """The sheet's name in answers; any change of the sheet changes it."""
        told = [self.title, self.seed, self.questions, *([self.own] if self.own else [])]
        return sha256(json.dumps(told).encode()).hexdigest()[:12]

    @cached_property
    def lessons(self) -> dict[str, Lesson]:
        """The lessons of its questions, by id.

        Raises `ExplorerError`: the errors of `explorer.lessons.loader.load`, "own-lesson-on-a-sheet".
        """
        own, names = dict(self.own), dict.fromkeys(id.partition("/")[0] for id in self.questions)
        return {name: _own_lesson(name, own[name].encode()) if name in own else load(name) for name in names}

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
        questions = "".join(f"    {written_value(id)},\n" for id in self.questions)
        lines = [
            "# An exercise sheet of Transformer Explorer: `explorer answer FILE --student NAME`.",
            f"format = {_VERSION}",
            f"title = {written_value(self.title)}",
            f"seed = {self.seed}  # of the numbers that are drawn",
            f"questions = [\n{questions}]",
        ]
        if self.own:
            texts = (f"{id} = {written_value(text)}" for id, text in self.own)
            lines += ["", "[lessons]  # those that do not come with the program", *texts]
        write_file(path, ("\n".join(lines) + "\n").encode())


def _own_lesson(name: str, text: bytes) -> Lesson:
    """A lesson that does not come with the program, which a sheet holds whole: it may need no file beside it."""
    top = parsed(name, text)
    lesson = None if named_in(top) else lesson_from(top)
    if lesson is None or lesson.needed is not None:
        raise ExplorerError("own-lesson-on-a-sheet", file=name)
    return lesson


def known_as(student: str) -> str:
    """A student's name in the form from which numbers are drawn.

    Capitals and extra blanks make no difference, nor whether é is one character or two.
    """
    return " ".join(normalize("NFC", normalize("NFC", student).casefold()).split())


def sheet_of(title: str, seed: int, names: list[str]) -> Sheet:
    """A sheet of whole lessons, such as "emma", or single questions, such as "emma/score".

    Lessons of one's own are named by their files, such as "mine.lesson.toml" and "mine.lesson.toml/score".

    Raises `ExplorerError`: "bad-title", "unknown-lesson", "model-needed", "unknown-question", "no-questions",
    "own-lesson-on-a-sheet", "not-on-a-sheet" where what is asked needs its page, or "too-many-questions".
    """
    title = " ".join(title.split())
    if not 0 < len(title) <= MOST_TITLE or not can_be_shown(title):
        raise ExplorerError("bad-title", limit=MOST_TITLE)
    chosen: list[str] = []
    own: dict[str, str] = {}
    for name in names:
        file, ending, question = name.rpartition(".toml")
        if ending:
            text = _text_of(Path(f"{file}.toml"))
            lesson = _own_lesson(f"{file}.toml", text.encode())
            if own.setdefault(lesson.id, text) != text:
                raise ExplorerError("two-lessons-of-one-id", lesson=lesson.id)
            id, question = lesson.id, question.removeprefix("/")
            name = f"{id}/{question}" if question else id
        else:
            id, _, question = name.partition("/")
            lesson = ready(id or name)  # a path begins with a stroke
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
    return Sheet(title, seed, tuple(chosen), tuple(own.items()))


def _text_of(file: Path) -> str:
    read(file)  # whatever is wrong with it is told
    with open_file(file) as stream:
        return stream.read(LARGEST).decode("utf-8-sig")


def read_sheet(path: str | Path) -> Sheet:
    """A sheet from its file.

    Raises `ExplorerError`: "lesson-not-read", "lesson-too-large", "lesson-syntax", "lesson-key"; "unknown-lesson" or
    "unknown-question".
    """
    table = read(Path(path))
    table.has_only("format", "title", "seed", "questions", "lessons")
    table.number("format", 1, 1, _VERSION)
    names = list(dict.fromkeys(table.words("questions")))  # each question is asked once
    title = " ".join(table.text("title").split())  # of one line, as answers need it
    texts = table.table("lessons")
    for id in texts:
        if not isinstance(texts.data[id], str):
            texts.fail(id, "is no text", "let the program write the sheet")
    own = tuple((id, texts.data[id]) for id in texts)  # with its lines, which `text` would join
    sheet = Sheet(title, table.number("seed", 0, 0, 2**32 - 1), tuple(names), own)
    if not names or len(names) > MOST_QUESTIONS:
        raise ExplorerError("too-many-questions", limit=MOST_QUESTIONS)
    for name in names:
        known = item_ids(sheet.lessons[name.partition("/")[0]])
        if name not in known:
            raise ExplorerError("unknown-question", name=name, near=nearest(name, known))
    return sheet


FORMAT = "explorer answers 1"
MOST_BYTES = 200_000
_LONGEST = 200


class Try(Frozen):
    """One given answer."""

    answer: float  # the number typed, or the number of the choice, counted from 0
    right: bool
    mistake: str = ""  # name of the mistake that gives this answer; "" if none is known


class Answered(Frozen):
    """A student's result for one question."""

    question: str  # its id
    tries: tuple[Try, ...] = ()
    hints: int = 0  # how many hints were read
    seconds: float | None = None  # how long it took; None if the student does not share it

    @property
    def right(self) -> bool:
        """Whether the last answer is right."""
        return bool(self.tries) and self.tries[-1].right

    @property
    def over(self) -> bool:
        """Whether the question is finished: right, or no try left."""
        return self.right or len(self.tries) >= TRIES


class Answers(Frozen):
    """The content of the file, all of it."""

    student: str
    sheet: str  # its title
    sheet_id: str
    answered: tuple[Answered, ...]

    @cached_property
    def by_question(self) -> dict[str, Answered]:
        """The result of each question, by its id."""
        return {one.question: one for one in self.answered}

    def text(self) -> str:
        content = self._content()
        return json.dumps({**content, "checksum": checksum(content)}, ensure_ascii=False, indent=1) + "\n"

    def _content(self) -> dict[str, Any]:
        answers = []
        for one in self.answered:
            tries, seconds = [vars(given) for given in one.tries], one.seconds
            took = {} if seconds is None else {"seconds": round(seconds)}
            answers.append({"question": one.question, "tries": tries, "hints": one.hints, **took})
        head = {"format": FORMAT, "student": self.student, "sheet": self.sheet, "sheet_id": self.sheet_id}
        return {**head, "answers": answers}

    def save(self, path: str | Path) -> None:
        """Write the file.

        Raises `ExplorerError`: "not-written".
        """
        write_file(path, self.text().encode())

    def judged(self, sheet: Sheet) -> "Answers | None":
        """The same answers, judged again with the student's numbers: a mistake has the name that it has today.

        None if the file is of another sheet, or an answer is none of the possible ones or not as right as it says.
        """
        if self.sheet_id != sheet.id:
            return None
        items = {item.id: item for item in sheet.items(self.student)}
        if not all(one.question in items for one in self.answered):
            return None
        found = []
        for one in self.answered:
            tries = [_judged(items[one.question], given) for given in one.tries]
            if None in tries:
                return None
            found.append(replace(one, tries=tuple(filter(None, tries))))
        return replace(self, answered=tuple(found))


def _judged(item: Item, given: Try) -> Try | None:
    """An answer that may be made up, judged again; None if it is not possible, or not as right as it says."""
    if isinstance(item, ChoiceItem) and given.answer not in range(len(item.options)):
        return None
    right, mistake = answered(item, given.answer)
    return Try(given.answer, right, mistake) if right == given.right else None


class Sitting:
    """A student working on a sheet: judges the answers and records the results.

    Raises `ExplorerError`: "bad-student"; the errors of `Sheet.items`.
    """

    def __init__(self, sheet: Sheet, student: str) -> None:
        student = " ".join(student.split())
        if not student or len(student) > MOST_NAME or not can_be_shown(student):
            raise ExplorerError("bad-student", limit=MOST_NAME)
        self.sheet, self.student, self.items = sheet, student, sheet.items(student)
        self._answered = {item.id: Answered(item.id) for item in self.items}

    def go_on(self, answers: Answers) -> None:
        """Continue from the student's earlier answers, as `Answers.judged` gives them."""
        self._answered |= {one.question: one for one in answers.answered if one.question in self._answered}

    def answer(self, item: Item, answer: float) -> Try:
        """Judge an answer and record it. After the last try, and if it was given before, nothing is recorded."""
        so_far = self._answered[item.id]
        right, mistake = answered(item, answer if isinstance(item, NumberItem) else int(answer))
        given = Try(answer, right, mistake)
        if not so_far.over and given not in so_far.tries:
            self._answered[item.id] = replace(so_far, tries=(*so_far.tries, given))
        return given

    def was_given(self, item: Item, answer: float) -> bool:
        """Whether the student has given this answer to a question before."""
        return any(one.answer == answer for one in self._answered[item.id].tries)

    def hint(self, item: Item) -> str:
        """The next hint, HTML; "" if there is none left."""
        so_far = self._answered[item.id]
        if so_far.hints >= len(item.hints):
            return ""
        self._answered[item.id] = replace(so_far, hints=so_far.hints + 1)
        return item.hints[so_far.hints]

    def took(self, item: Item, seconds: float | None) -> None:
        """Record how long a question took; None if that is not known, or if the student does not agree."""
        self._answered[item.id] = replace(self._answered[item.id], seconds=seconds)

    def over(self, item: Item) -> bool:
        """Whether a question is finished."""
        return self._answered[item.id].over

    def left(self, item: Item) -> int:
        """How many tries are left if the last answer was wrong."""
        return TRIES - len(self._answered[item.id].tries)

    def answers(self) -> Answers:
        """The answers so far."""
        return Answers(self.student, self.sheet.title, self.sheet.id, tuple(self._answered.values()))


def file_name(student: str) -> str:
    """The name of a student's file: the letters and digits of the student's name."""
    words = "".join(c if c.isalnum() else " " for c in student.lower()).split()
    return f"{'-'.join(words) or 'student'}{ANSWERS}"


def checksum(content: dict[str, Any]) -> str:
    """A hash of all the content of a file, as 16 letters."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:16]


def read_answers(path: str | Path) -> Answers:
    """Answers from their file, or from a mail that contains its text.

    Raises `ExplorerError`: "text-not-read"; those of `answers_from`.
    """
    try:
        with open_file(path) as stream:
            raw = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ExplorerError("text-not-read", file=path, reason=error) from None
    return answers_from(raw, path)


def answers_from(raw: bytes, path: str | Path) -> Answers:
    """Answers from the content of their file, or of a mail.

    `path`: what the file is called in an error.
    Raises `ExplorerError`: "answers-damaged" if it is no such file, "answers-packed" if it is a zip, "answers-altered"
    if its content has changed since it was saved.
    """
    if raw.startswith(_ZIP):
        raise ExplorerError("answers-packed", file=path)
    text = _QUOTED.sub("", raw.decode("utf-8", "replace")) if len(raw) <= MOST_BYTES else ""
    content = next(filter(None, map(_content_in, (text, *([_words_of(text)] if "<" in text else [])))), None)
    if content is None:
        raise ExplorerError("answers-damaged", file=path)
    told = content.pop("checksum", None)
    try:
        answers = _answers(content)
    except (KeyError, OverflowError, TypeError, ValueError):
        raise ExplorerError("answers-damaged", file=path) from None
    if told != checksum(content):
        raise ExplorerError("answers-altered", file=path, student=answers.student)
    return answers


def holds_answers(raw: bytes) -> bool:
    """Whether something that students write, such as a text typed into a learning platform, is meant as answers."""
    return _NAMES_ITSELF.search(raw) is not None


def _content_in(text: str) -> dict[str, Any] | None:
    """The content of a file of answers in a text, such as a mail, which may have braces of its own."""
    found = _BEGINS.search(text)
    try:
        content, _ = json.JSONDecoder().raw_decode(text, found.start() if found else max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and content.get("format") == FORMAT else None


def _words_of(page: str) -> str:
    """The words of a page of HTML: so learning platforms keep a text that was pasted into them."""
    return unescape(_TAG.sub("", _ENDS.sub("\n", page))).replace("\xa0", " ")


_TAG, _ENDS = re.compile(r"<[^<>]*>"), re.compile(r"<br\b[^<>]*>|</(?:p|div|li|pre)>", re.IGNORECASE)
_NAMES_ITSELF = re.compile(rb"explorer(?:\s|&nbsp;|\xc2\xa0)answers")
_ZIP = b"PK\x03\x04"
_BEGINS = re.compile(r'\{\s*"format"')
_QUOTED = re.compile(r"^(?:[^\S\n]*>)+", re.MULTILINE)
"""Matches the signs at the start of a line that is quoted in a mail; no line of a file begins with them."""


def _answers(content: dict[str, Any]) -> Answers:
    """The answers in a file; each part is checked.

    Raises `KeyError`, `OverflowError`, `TypeError` or `ValueError` if a part is missing or wrong.
    """
    listed: Sequence[dict[str, Any]] = content["answers"]
    if not isinstance(listed, list) or len(listed) > MOST_QUESTIONS:
        raise TypeError
    if len({one["question"] for one in listed}) < len(listed):
        raise ValueError  # a question has one result
    found = [
        Answered(
            _text(one["question"]),
            tuple(_try(given) for given in one["tries"][:TRIES]),
            _whole(one["hints"]),
            None if "seconds" not in one else float(_whole(one["seconds"])),
        )
        for one in listed
    ]
    return Answers(_text(content["student"]), _text(content["sheet"]), _text(content["sheet_id"]), tuple(found))


def _try(given: dict[str, Any]) -> Try:
    answer = given["answer"]
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not isfinite(answer):
        raise TypeError
    if not isinstance(given["right"], bool):
        raise TypeError
    return Try(answer, given["right"], _text(given["mistake"]))


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or not can_be_shown(value):
        raise TypeError
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise TypeError
    return value


FOLDER, MOST = "sheets", 20
"""The name of the folder beside the settings; how many sheets are kept: the oldest are deleted."""


class Begun:
    """The sheets that were begun on this computer.

    `folder`: that of the person's settings; None: nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / FOLDER

    def keep(self, sheet: Sheet, answers: Answers) -> bool:
        """Save a student's answers so far; returns whether that succeeded."""
        if self._folder is None:
            return False
        own = self._folder / sheet.id
        try:
            if not own.is_dir():
                own.mkdir(parents=True)
                for old in newest_first(self._folder.iterdir())[MOST:]:
                    shutil.rmtree(old, ignore_errors=True)
            if not (copy := own / f"begun{SHEET}").exists():
                sheet.save(copy)
            name = sha256(known_as(answers.student).encode()).hexdigest()[:16]
            answers.save(own / f"{name}{ANSWERS}")
            os.utime(own)  # makes it the newest even if the file existed
        except (ExplorerError, OSError):
            return False
        return True

    def of(self, sheet: Sheet) -> dict[str, Answers]:
        """All saved answers of a sheet, by `known_as` of the student, the latest first."""
        if self._folder is None:
            return {}
        read = (_read(file) for file in newest_first((self._folder / sheet.id).glob(f"*{ANSWERS}")))
        judged = (one.judged(sheet) for one in read if one is not None)
        return {known_as(one.student): one for one in judged if one is not None}

    def latest(self, most: int) -> list[tuple[Path, Answers]]:
        """The sheets worked on last, the newest first: the file of each, and the latest answers to it."""
        found = []
        with suppress(OSError):  # no sheet was begun
            for own in newest_first(self._folder.iterdir() if self._folder is not None else ())[:most]:
                read = (_read(file) for file in newest_first(own.glob(f"*{ANSWERS}")))
                one = next((one for one in read if one is not None), None)
                if one is not None and (own / f"begun{SHEET}").is_file():
                    found.append((own / f"begun{SHEET}", one))
        return found


def _read(file: Path) -> Answers | None:
    with suppress(ExplorerError):
        return read_answers(file)
    return None
