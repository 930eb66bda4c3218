"""What a student answered, as one small file: a text that can be pasted into a mail.

The checksum shows what happens to files: a line lost on the way, a number retyped. It is no signature: who knows how it
is made can make one. `Answers.agrees` computes everything anew from the sheet.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from explorer.core.errors import ExplorerError
from explorer.files import open_file, whole_file
from explorer.lessons.answers import TRIES
from explorer.teaching.items import Item, NumberItem, answered
from explorer.teaching.sheet import MOST_NAME, MOST_QUESTIONS, Sheet

FORMAT = "explorer answers 1"
MOST_BYTES = 200_000
_LONGEST = 200


@dataclass(frozen=True)
class Try:
    """One answer that was given."""

    answer: float  # the number typed, or which choice, counted from 0
    right: bool
    mistake: str = ""  # the name of the one that gives it; "" where none is known


@dataclass(frozen=True)
class Answered:
    """What became of one question."""

    question: str  # its id
    tries: tuple[Try, ...] = ()
    hints: int = 0  # how many were read
    seconds: float | None = None  # how long it took; None where the student does not say

    @property
    def right(self) -> bool:
        """Whether it was answered rightly in the end."""
        return bool(self.tries) and self.tries[-1].right

    @property
    def over(self) -> bool:
        """Whether nothing is asked any more."""
        return self.right or len(self.tries) >= TRIES


@dataclass(frozen=True)
class Answers:
    """All that goes into the file, and nothing else."""

    student: str
    sheet: str  # its title
    sheet_id: str
    answered: tuple[Answered, ...]

    def text(self) -> str:
        """The file."""
        content = self._content()
        return json.dumps({**content, "checksum": checksum(content)}, ensure_ascii=False, indent=1) + "\n"

    def _content(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "student": self.student,
            "sheet": self.sheet,
            "sheet_id": self.sheet_id,
            "answers": [
                {
                    "question": one.question,
                    "tries": [{"answer": t.answer, "right": t.right, "mistake": t.mistake} for t in one.tries],
                    "hints": one.hints,
                    **({} if one.seconds is None else {"seconds": round(one.seconds)}),
                }
                for one in self.answered
            ],
        }

    def save(self, path: str | Path) -> None:
        """Write the file.

        Raises `ExplorerError`: "not-written".
        """
        with whole_file(path) as stream:
            stream.write(self.text().encode())

    def agrees(self, sheet: Sheet) -> bool:
        """Whether each answer, judged anew with the student's numbers, is as right or wrong as the file says."""
        items = {item.id: item for item in sheet.items(self.student)}
        for one in self.answered:
            item = items.get(one.question)
            if item is None or any(answered(item, t.answer) != (t.right, t.mistake) for t in one.tries):
                return False
        return self.sheet_id == sheet.id


class Sitting:
    """A student at a sheet: asks, judges, and keeps what becomes of it.

    Raises `ExplorerError`: "bad-student"; those of `Sheet.items`.
    """

    def __init__(self, sheet: Sheet, student: str) -> None:
        student = " ".join(student.split())
        if not student or len(student) > MOST_NAME or not student.isprintable():
            raise ExplorerError("bad-student", limit=MOST_NAME)
        self.sheet, self.student, self.items = sheet, student, sheet.items(student)
        self._answered = {item.id: Answered(item.id) for item in self.items}

    def go_on(self, answers: Answers) -> None:
        """Take up what the same student has answered before: see `Answers.agrees`."""
        self._answered |= {one.question: one for one in answers.answered if one.question in self._answered}

    def answer(self, item: Item, answer: float) -> Try:
        """Judge an answer and keep it. One more than may be given changes nothing."""
        so_far = self._answered[item.id]
        right, mistake = answered(item, answer if isinstance(item, NumberItem) else int(answer))
        given = Try(answer, right, mistake)
        if not so_far.over:
            self._answered[item.id] = replace(so_far, tries=(*so_far.tries, given))
        return given

    def hint(self, item: Item) -> str:
        """The next hint, HTML; "" where there is none any more."""
        so_far = self._answered[item.id]
        if so_far.hints >= len(item.hints):
            return ""
        self._answered[item.id] = replace(so_far, hints=so_far.hints + 1)
        return item.hints[so_far.hints]

    def took(self, item: Item, seconds: float) -> None:
        """Keep how long a question took, if the student agrees."""
        self._answered[item.id] = replace(self._answered[item.id], seconds=seconds)

    def over(self, item: Item) -> bool:
        """Whether a question is asked no more."""
        return self._answered[item.id].over

    def answers(self) -> Answers:
        """What there is so far."""
        return Answers(self.student, self.sheet.title, self.sheet.id, tuple(self._answered.values()))


def checksum(content: dict[str, Any]) -> str:
    """A number that changes with anything in a file, as 16 letters."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:16]


def read_answers(path: str | Path) -> Answers:
    """Answers from their file, or from a mail that it was pasted into.

    Raises `ExplorerError`: "text-not-read"; "answers-damaged" for what is no such file, "answers-altered" where it is
    not as it was saved.
    """
    try:
        with open_file(path) as stream:
            raw = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ExplorerError("text-not-read", file=path, reason=error) from None
    found = _BRACES.search(raw.decode("utf-8", "replace")) if len(raw) <= MOST_BYTES else None
    try:
        content = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ExplorerError("answers-damaged", file=path)
    told = content.pop("checksum", None)
    try:
        answers = _answers(content)
    except (KeyError, TypeError, ValueError):
        raise ExplorerError("answers-damaged", file=path) from None
    if told != checksum(content):
        raise ExplorerError("answers-altered", file=path, student=answers.student)
    return answers


_BRACES = re.compile(r"\{.*\}", re.DOTALL)


def _answers(content: dict[str, Any]) -> Answers:
    """The answers of a file whose parts are what they should be.

    Raises `KeyError`, `TypeError` or `ValueError` where one is not.
    """
    listed: Sequence[dict[str, Any]] = content["answers"]
    if not isinstance(listed, list) or len(listed) > MOST_QUESTIONS:
        raise TypeError
    found = [
        Answered(
            _text(one["question"]),
            tuple(_try(given) for given in one["tries"][: TRIES + 1]),
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
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        raise TypeError
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise TypeError
    return value
