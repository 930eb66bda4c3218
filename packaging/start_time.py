"""How long the bundle takes to its first window, beside the checkout's program and an empty window that is frozen too.

    python packaging/start_time.py        after build.py

Each is started in turn, some times over, all in one run: a busy machine makes all of them slower alike. Limits: at most
1.5 times `python -m explorer`, and 3 times the empty window. The processor's own time, which other programs change
less, stands beside.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import build

TIMES = 7
EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
app.exec()
"""
SPEC = """
analysis = Analysis([r"{script}"])
program = EXE(PYZ(analysis.pure), analysis.scripts, exclude_binaries=True, name="empty")
COLLECT(program, analysis.binaries, analysis.datas, name="empty")
"""
PAINTED = "Flushing QRegion"
"""What Qt logs when the first picture of a window goes to the screen."""


def empty_window() -> Path:
    """The program with an empty window, frozen; returns its starter."""
    place = build.BUILD / "empty"
    program = place / "dist/empty/empty"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "empty_window.py").write_text(EMPTY, "utf-8")
        (place / "empty.spec").write_text(SPEC.format(script=place / "empty_window.py"), "utf-8")
        python = build.BUILD / "venv/bin/python"
        options: list[str | Path] = ["--noconfirm", "--log-level", "WARN", "--distpath", place / "dist"]
        build.run(python, "-m", "PyInstaller", *options, "--workpath", place / "work", place / "empty.spec", cwd=place)
    return program


def seconds(command: list[str]) -> tuple[float, float]:
    """Seconds from the start of a program until its window is painted, and those of the processor."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_LOGGING_RULES": "qt.widgets.painting.debug=true"}
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, cwd=build.ROOT
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if PAINTED in line:
                taken = time.perf_counter() - begun
                process.kill()
                _, process.returncode, used = os.wait4(process.pid, 0)
                return taken, used.ru_utime + used.ru_stime
    finally:
        process.kill()
        process.wait()
    raise SystemExit(f"{command[0]} has shown no window")


def main() -> int:
    """Measure; return the exit status."""
    from smoke_test import screen

    programs = {
        "bundle": [str(build.BUNDLE / "explorer")],
        "checkout": [sys.executable, "-m", "explorer"],
        "empty window": [str(empty_window())],
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    with screen() as display:
        os.environ["DISPLAY"] = display
        for turn in range(TIMES + 1):
            for name, command in programs.items():
                found = seconds(command)
                if turn:  # the first one reads the files from the disk
                    taken[name].append(found)
    middle = {name: [statistics.median(one) for one in zip(*times, strict=True)] for name, times in taken.items()}
    for name, (wall, processor) in middle.items():
        print(f"{name}: {wall:.2f} s, of the processor {processor:.2f} s")
    bundle, checkout, empty = middle.values()
    for kind, what in enumerate(("seconds", "seconds of the processor")):
        of_checkout, of_empty = bundle[kind] / checkout[kind], bundle[kind] / empty[kind]
        print(
            f"{what}: {of_checkout:.2f} times the checkout (limit 1.5), {of_empty:.2f} times the empty window (limit 3)"
        )
    return 0 if bundle[0] <= 1.5 * checkout[0] and bundle[0] <= 3 * empty[0] else 1


if __name__ == "__main__":
    sys.exit(main())
