"""``explorer bench``: prints the figures of speed beside their limits."""

import json
import os
import platform
import sys
import traceback
from argparse import Namespace
from dataclasses import asdict
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from explorer.cli.status import Status
from explorer.core.errors import ExplorerError
from explorer.paths import benchmarks


def bench(arguments: Namespace) -> int:
    """``explorer bench``; each figure is printed as soon as it is measured: all take a quarter of an hour.

    Raises `ExplorerError`: "no-benchmarks" if the program was installed without its source code, "no-figure".
    """
    # The limits are for painting into memory: a screen adds time that does not depend on this program.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    before = os.environ.get("EXPLORER_SETTINGS")
    with TemporaryDirectory(prefix="explorer-bench-") as folder:
        # The user's settings and open files change what a window paints: an edit took 3,869 calls instead of 2,062.
        os.environ["EXPLORER_SETTINGS"] = folder
        try:
            return _measure(arguments)
        finally:
            if before is None:
                del os.environ["EXPLORER_SETTINGS"]
            else:
                os.environ["EXPLORER_SETTINGS"] = before


def _measure(arguments: Namespace) -> int:
    module, wanted = _figures(), arguments.figure
    figures = [one for one in module.figures() if not wanted or any(text in module.name(one) for text in wanted)]
    if not figures:
        raise ExplorerError("no-figure", text=", ".join(wanted))
    found, failed, status = [], [], Status()
    for figure in figures:
        if status.terminal:
            status.say(f"measuring: {module.name(figure)} …")
        try:
            one = module.steady(figure)
        except Exception as error:  # the other figures can still be measured
            status.clear()
            print(f"{module.name(figure)} cannot be measured:\n{traceback.format_exc()}", file=sys.stderr)
            failed.append({"name": module.name(figure), "error": repr(error)})
            continue
        status.clear()
        found.append(one)
        if not arguments.json:
            print(*_lines(one), sep="\n", flush=True)
    if arguments.json:
        listed = [{**asdict(one), "met": one.met, "busy": one.busy} for one in found]
        print(json.dumps({"machine": _machine(), "figures": listed, "failed": failed}))
    else:
        print(f"\n{_machine()}")
    return 1 if failed else 0


def _figures() -> Any:
    """The module of the benchmarks; they lie beside the tests in a checkout, and are in no wheel."""
    folder = benchmarks()
    if not folder.is_dir():
        raise ExplorerError("no-benchmarks")
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    return import_module("benchmarks.figures")


def _lines(one: Any) -> tuple[str, str]:
    limit = "no limit" if one.limit is None else f"limit {one.limit:.4g}{'' if one.met else ', MISSED'}"
    return f"{one.name}: {one.value:#.4g} {one.unit} ({limit})", f"    beside {one.against}: {one.detail}"


def _machine() -> str:
    parts = [f"Python {platform.python_version()}", f"numpy {np.__version__}", f"{os.cpu_count()} cores"]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return ", ".join(filter(None, [*parts, load, platform.system()]))
