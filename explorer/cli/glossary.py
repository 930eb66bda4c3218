"""``explorer glossary``: what a term or symbol means."""

import json
from dataclasses import asdict

from explorer.cli.errors import UsageError
from explorer.lessons.glossary import glossary, unknown


def define(term: str | None, as_json: bool) -> int:
    """Print the entry of a term, or the names of all."""
    found = glossary().of(term) if term is not None else None
    if term is not None and found is None:
        near = ", ".join(one.name for one in glossary().near(term))
        raise UsageError(f"the glossary has no '{term}'; {f'there are: {near}' if near else unknown(term)}")
    if as_json:
        print(json.dumps([asdict(one) for one in ([found] if found else glossary().terms)], ensure_ascii=False))
    elif found is None:
        print(*(one.name for one in glossary().terms), sep="\n")
    else:
        lines = [f"{found.name}: {found.says}", found.formula and f"formula: {found.formula}"]
        print(*filter(None, [*lines, f"explained in: {found.lesson}"]), sep="\n")
    return 0
