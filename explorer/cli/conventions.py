"""``explorer conventions``: which settings give the numbers that a text prints."""

import json
from argparse import Namespace
from pathlib import Path

from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.cli.show import opened
from explorer.core.training.data import read_text
from explorer.library import conventions as library


def conventions(arguments: Namespace) -> int:
    """Ask for a model's nodes, or for a matrix alone. Returns 1 where no setting gives the numbers."""
    if arguments.given is not None:
        if arguments.lesson is not None or arguments.printed is None:
            raise UsageError("--given takes a matrix, and --printed what the text makes of it; no LESSON beside them.")
        found = library.conventions(_text(arguments.given), _text(arguments.printed), arguments.seconds)
    else:
        if arguments.lesson is None or not arguments.nodes or arguments.printed is not None:
            raise UsageError("Name a LESSON and NODE=NUMBERS, or give --given and --printed.")
        pairs = [text.partition("=") for text in arguments.nodes]
        if not all(equals for _, equals, _ in pairs):
            raise UsageError("Write what the text prints behind the node: NODE='0.15 0.32 0.53; 0.1 0.2 0.7'.")
        m = opened(arguments)
        found = m.conventions({name: _text(numbers) for name, _, numbers in pairs}, arguments.seconds)
    if arguments.json:
        ways = [
            {"node": way.node, "changed": way.changed, "slip": way.convention.slip, "rounded": way.convention.rounded}
            for way in found.ways
        ]
        said = {"ways": ways, "unexplained": found.unexplained, "undecided": found.undecided or {}}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print(found)
    if arguments.out is not None:
        if not 1 <= arguments.number <= len(found):
            raise UsageError(f"There is no setting number {arguments.number} to be opened.")
        found[arguments.number - 1].open().save(arguments.out)
        print(wrote(arguments.out))
    return int(not found.ways)


def _text(given: str) -> str:
    """What was typed, or what stands in the file behind "@"."""
    return read_text(Path(given[1:])) if given.startswith("@") else given
