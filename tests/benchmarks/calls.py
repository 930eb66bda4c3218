"""How many Python calls it takes from an edit to its last painting: unlike time, the same on every machine."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType

import explorer
from benchmarks.measure import Measurement
from benchmarks.painting import settle
from benchmarks.window import Opened, attention_window
from explorer.document.commands import SetCells

OURS = f"{Path(explorer.__file__).parent}/"
EDITS, WARM_UP = 5, 5
MOST = 1500


def figures(open_window: Callable[[str], Opened]) -> Iterator[Callable[[], Measurement]]:
    """The figures of one window that `open_window` opens."""
    opened = cache(partial(attention_window, open_window, None))
    for what, name, cell in (
        ("a weight", "encoder.1.self.head.1.W_Q", (1, 2)),
        ("an embedding", "source.table", (1, 0)),
        ("the mask", "encoder.1.self.mask", (1, 2)),
    ):

        def measure(what: str = what, name: str = name, cell: tuple[int, ...] = cell) -> Measurement:
            app, window, paints = opened()
            turns = iter(range(EDITS + WARM_UP))

            def edit() -> None:
                window.bench.document.do(SetCells(name, {cell: float(next(turns) % 2)}))
                settle(app, paints)

            for _ in range(WARM_UP):
                edit()
            return measured(f"edit {what} to painted, calls of ours", counted(edit, EDITS))

        measure.__name__ = f"calls for editing {what}"
        yield measure


def counted(act: Callable[[], object], times: int = 1) -> Counter[CodeType]:
    """How often each function is called while something is done so many times; a generator is each time it goes on."""
    found: Counter[CodeType] = Counter()

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        for _ in range(times):
            act()
    finally:
        sys.setprofile(before)
    return found


def measured(name: str, found: Counter[CodeType]) -> Measurement:
    """Calls of our own functions for one edit; where most of them are, and how many there are in all."""
    files: Counter[str] = Counter()
    for code, number in found.items():
        if code.co_filename.startswith(OURS):
            files[code.co_filename.removeprefix(OURS)] += number
    most = ", ".join(f"{file} {number / EDITS:.0f}" for file, number in files.most_common(3))
    detail = f"{found.total() / EDITS:,.0f} with those of libraries; in {len(files)} files, most in {most}"
    return Measurement(name, files.total() / EDITS, "calls", MOST, "one edit", detail)
