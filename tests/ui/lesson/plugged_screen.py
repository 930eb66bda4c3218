"""Run by `test_two_screens` on an X server of its own: a projector is plugged in during a lecture, and unplugged.

The keys are the X server's, not Qt's. Prints what stands where.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication

from explorer.app import make_window
from explorer.lessons.loader import load
from explorer.ui.appearance import Appearance

PATIENCE_S = 60
SIZE = "1280/338x720/190"


def xrandr(*arguments: str) -> None:
    subprocess.run(["xrandr", *arguments], check=True, stdout=subprocess.DEVNULL)


def run(file: str, pictures: str) -> None:
    xrandr("--setmonitor", "laptop", f"{SIZE}+0+0", "screen")
    app = QApplication([])
    window = make_window(load(Path(file)), Appearance(app, "light"))
    window.setGeometry(0, 0, 1280, 720)
    window.show()
    lessons = window.lessons
    lessons.guide.go(0)

    def until(holds) -> bool:
        end = time.monotonic() + PATIENCE_S
        while not holds() and time.monotonic() < end:
            app.processEvents()
            time.sleep(0.002)  # the X server and the window manager need the processor, too
        return bool(holds())

    def has_keys() -> bool:
        """Whether the X server gives the keys to a window of the program: while one moves, nobody has them."""
        done = subprocess.run(["xdotool", "getwindowfocus"], capture_output=True, text=True)
        ours = {str(int(shown.winId())) for shown in app.topLevelWindows() if shown.isVisible()}
        return done.stdout.strip() in ours

    def key(name: str, holds) -> bool:
        """Press a key; whether it does what it should."""
        for _ in range(20):
            app.processEvents()
        until(has_keys)
        subprocess.run(["xdotool", "key", name], check=True)
        return until(holds)

    def where() -> list[str]:
        return [one.screen().name() for one in (lessons.presenter, lessons.speaker) if one is not None]

    def take(name: str) -> None:
        if pictures:
            end = time.monotonic() + 2
            while time.monotonic() < end:
                app.processEvents()
            for what, one in (("class", lessons.presenter), ("lecturer", lessons.speaker)):
                if one is not None:
                    one.grab().save(f"{pictures}/{name}-{what}.png")

    until(window.isActiveWindow)
    said = {"opened": key("F5", lambda: lessons.presenter is not None and lessons.presenter.isActiveWindow())}
    said["alone"] = where()
    said["next"] = key("Next", lambda: lessons.guide.at == 1)
    take("one")
    xrandr("--setmonitor", "beamer", f"{SIZE}+1280+0", "none")
    said["appeared"] = until(lambda: lessons.speaker is not None and lessons.speaker.isActiveWindow())
    said["both"] = where()
    said["on the beamer"] = until(lambda: lessons.presenter.geometry().getRect() == (1280, 0, 1280, 720))
    said["further"] = key("Right", lambda: lessons.guide.at == 2)
    take("two")
    said["swapped"] = key("s", lambda: where() == ["laptop", "beamer"])
    said["back"] = key("s", lambda: where() == ["beamer", "laptop"])
    xrandr("--delmonitor", "beamer")
    said["gone"] = until(lambda: lessons.speaker is None and lessons.presenter.geometry().x() == 0)
    said["left alone"] = where()
    said["keeps the step"] = lessons.guide.at == 2
    said["keys again"] = until(lambda: lessons.presenter.isActiveWindow()) and key("p", lambda: lessons.guide.at == 1)
    xrandr("--setmonitor", "beamer", f"{SIZE}+1280+0", "none")
    said["appeared again"] = until(lambda: lessons.speaker is not None and lessons.speaker.isActiveWindow())
    said["keys of the lecturer"] = key("Right", lambda: lessons.guide.at == 2) and lessons.speaker.isActiveWindow()
    said["left"] = key("Escape", lambda: lessons.presenter is None)
    window.files.dialogs.keep = lambda name: "discard"
    window.close()
    print(json.dumps(said))


if __name__ == "__main__":
    run(*sys.argv[1:3])
