"""The figures of speed beside their limits."""

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict

import numpy as np

from explorer.benchmarks import core, document, gradients, training, words
from explorer.benchmarks.measure import Measurement
from explorer.cli.text import columns


def bench(as_json: bool) -> int:
    """``explorer bench``."""
    # The limits are set for painting into memory: a screen adds what this program has no hand in.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    found = []
    for measure in figures():
        if sys.stderr.isatty():
            print(f"\r\x1b[Kmeasuring: {measure.__name__.replace('_', ' ')} …", end="", file=sys.stderr, flush=True)
        found.append(measure())
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if as_json:
        listed = [{**asdict(one), "met": one.met} for one in found]
        print(json.dumps({"machine": _machine(), "figures": listed}))
        return 0
    rows = [(one.name, f"{one.value:#.4g} {one.unit}", _limit(one), one.against) for one in found]
    table = columns([("figure", "measured", "limit", "against"), *rows], "<>><")
    print(table[0])
    for line, one in zip(table[1:], found, strict=True):
        print(line, f"    {one.detail}", sep="\n")
    print(f"\n{_machine()}")
    return 0


def figures() -> Iterator[Callable[[], Measurement]]:
    """What can be measured here: the core, words, then the window, for which Qt is imported only now."""
    for part in (core, document, gradients, training, words):
        yield from part.figures()
    from explorer.app import open_window
    from explorer.ui.benchmarks import training as frames
    from explorer.ui.benchmarks import window

    yield from window.figures(open_window)
    yield from frames.figures(open_window)


def _limit(one: Measurement) -> str:
    if one.limit is None:
        return "none"
    return f"{one.limit:.4g} {one.unit}{'' if one.met else ' MISSED'}"


def _machine() -> str:
    parts = [f"Python {platform.python_version()}", f"numpy {np.__version__}", f"{os.cpu_count()} cores"]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return ", ".join(filter(None, [*parts, load, platform.system()]))
