"""How long the answers of a class take to be judged anew."""

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time

from benchmarks.measure import Measurement, quartiles
from explorer.teaching import ANSWERS
from explorer.teaching.gradebook import gradebook
from explorer.teaching.items import NumberItem
from explorer.teaching.sheet import Sheet, Sitting, read_sheet, sheet_of

STUDENTS, ROUNDS = 100, 3
LESSONS = ["emma", "softmax"]


def answer(sheet: Sheet, student: str, folder: Path) -> None:
    """Write the answers of somebody who is right at first, makes a known mistake, or types just any number."""
    sitting, dice = Sitting(sheet, student), random.Random(student)
    for item in sitting.items:
        while not sitting.over(item):
            if isinstance(item, NumberItem):
                known = item.wrong[:3] if dice.random() < 0.3 else ()
                typed = dice.choice(known).value if known else round(dice.random(), 2)
                sitting.answer(item, item.value if dice.random() < 0.6 else typed)
            else:
                sitting.answer(item, dice.randrange(len(item.options)))
    sitting.answers().save(folder / f"{student}{ANSWERS}")


def class_judged_anew() -> Measurement:
    """A hundred files, each answer judged with the numbers of its student; the sheet is read anew each time."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        sheet = sheet_of("Week 3", 7, LESSONS)
        sheet.save(folder / "week.sheet.toml")
        for i in range(STUDENTS):
            answer(sheet, f"student {i}", folder)
        times = [_judging(folder) for _ in range(ROUNDS)]
    low, median, high = quartiles(times)
    detail = f"{len(sheet.questions)} questions; half of {ROUNDS} between {low:.2f} and {high:.2f} s"
    return Measurement(f"judging the answers of {STUDENTS} students", median, "s", 2, "processor time", detail)


def _judging(folder: Path) -> float:
    """Seconds of processor time that it takes on this thread."""
    start = thread_time()
    book = gradebook([folder], read_sheet(folder / "week.sheet.toml"))
    book.topics()
    taken = thread_time() - start
    assert len(book.students) == STUDENTS
    return taken


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [class_judged_anew]
