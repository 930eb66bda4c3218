"""``explorer questions``: questions of lessons for a learning platform."""

from argparse import Namespace
from pathlib import Path

from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.core.errors import ExplorerError
from explorer.files import whole_file
from explorer.lessons.loader import load
from explorer.teaching.items import Item, NumberItem, items
from explorer.teaching.moodle import moodle_xml
from explorer.teaching.qti import qti_zip

ENDINGS = (".xml", ".zip")
MOST_VARIANTS = 50


def questions(arguments: Namespace) -> int:
    """Write Moodle XML (.xml) or QTI 2.1 (.zip)."""
    out = Path(arguments.out or "")
    if out.suffix.lower() not in ENDINGS:
        raise UsageError("--out says where the questions go: a .xml for Moodle, a .zip of QTI 2.1 for others.")
    if not 1 <= arguments.variants <= MOST_VARIANTS:
        raise UsageError(f"--variants may be 1 to {MOST_VARIANTS}; {arguments.variants} is not.")
    groups: dict[str, list[Item]] = {}
    asked = 0
    for name in arguments.lessons:
        lesson = load(name)
        if not lesson.questions:
            raise ExplorerError("no-questions", lesson=lesson.id)
        asked += lesson.questions
        for variant in range(arguments.variants):
            for item in items(lesson, None if arguments.same else arguments.seed + variant):
                if variant == 0 or (isinstance(item, NumberItem) and not arguments.same):  # a choice has no numbers
                    groups.setdefault(item.id, []).append(item)
    every = [item for group in groups.values() for item in group]
    content = moodle_xml(groups) if out.suffix.lower() == ".xml" else qti_zip(every)
    with whole_file(out) as stream:
        stream.write(content)
    print(f"{len(groups)} of {asked} questions, {len(every)} with their variants; the others need the program")
    print(wrote(out))
    return 0
