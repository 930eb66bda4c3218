"""The figures of speed beside their limits."""

import json
import os
import platform
import sys
from argparse import Namespace
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.library.matrix import columns
from explorer.paths import benchmarks


def bench(arguments: Namespace) -> int:
    """``explorer bench``.

    Raises `ExplorerError`: "no-benchmarks" where the program was installed without its source code.
    """
    # The limits are set for painting into memory: a screen adds what this program has no hand in.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    found = list(_figures().measured(_say))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if arguments.json:
        listed = [{**asdict(one), "met": one.met, "busy": one.busy} for one in found]
        print(json.dumps({"machine": _machine(), "figures": listed}))
        return 0
    rows = [(one.name, f"{one.value:#.4g} {one.unit}", _limit(one), one.against) for one in found]
    table = columns([("figure", "measured", "limit", "against"), *rows], "<>><")
    print(table[0])
    for line, one in zip(table[1:], found, strict=True):
        print(line, f"    {one.detail}", sep="\n")
    print(f"\n{_machine()}")
    return 0


def _figures() -> Any:
    """The module of the benchmarks, which stand beside the tests of a checkout and are in no wheel."""
    folder = benchmarks()
    if not folder.is_dir():
        raise ExplorerError("no-benchmarks")
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    return import_module("benchmarks.figures")


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Kmeasuring: {what} …", end="", file=sys.stderr, flush=True)


def _limit(one: Any) -> str:
    if one.limit is None:
        return "none"
    return f"{one.limit:.4g} {one.unit}{'' if one.met else ' MISSED'}"


def _machine() -> str:
    parts = [f"Python {platform.python_version()}", f"numpy {np.__version__}", f"{os.cpu_count()} cores"]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return ", ".join(filter(None, [*parts, load, platform.system()]))
