"""Draw the pictures of the README with the program itself (`make pictures`): its window, and a number being turned.

python packaging/pictures.py
"""

import os
import tempfile
import time
from io import BytesIO
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The pictures are the same whatever somebody has set here.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()

import numpy as np
from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.app import open_window
from explorer.document.commands import SetCells
from explorer.pages.levels import WHOLE
from explorer.ui.widgets.formula import typeset
from explorer.ui.window.main_window import MainWindow

PLACE = Path(__file__).resolve().parent / "pictures"
SIZE = 1280, 720
SHOWN = 960
"""Width of the animation in pixels: the page of the README is no wider."""
FRAME_MS, HOLD_MS = 120, 1500
SETTLE_S = 1.5
"""Pictures come a moment after their page, formulas after that."""


def settle(app: QApplication, seconds: float) -> None:
    """Let the window paint all that is to come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


def grabbed(window: MainWindow, width: int) -> QImage:
    """The window as it is, so many pixels wide."""
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    return image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


def png(image: QImage) -> bytes:
    """A picture as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG", 0)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def animated(frames: list[tuple[QImage, int]]) -> bytes:
    """Pictures of one size, each with its milliseconds, as an animated PNG; of each only what has changed is kept."""
    first, *others = (Image.open(BytesIO(png(image))) for image, _ in frames)
    durations, made = [duration for _, duration in frames], BytesIO()
    first.save(made, "PNG", save_all=True, append_images=others, duration=durations, optimize=True)
    return made.getvalue()


def main() -> None:
    """Draw both."""
    PLACE.mkdir(exist_ok=True)
    app, window = open_window("softmax")
    typeset("x")  # imports ziamath here: on a busy machine its thread takes longer than the window settles
    window.bench.appearance.set_mode("light")
    window.resize(*SIZE)
    window.lessons.guide.leave()  # its first step asks for the numbers that are to be seen
    settle(app, SETTLE_S)
    frames = [(grabbed(window, SHOWN), HOLD_MS)]
    name, cell = "output.logits", (0, 1)
    start = float(window.bench.document.engine.values[name][cell])
    for value in [*np.linspace(start, start + 3, 9)[1:], *np.linspace(start + 3, start, 9)[1:]]:
        window.bench.document.do(SetCells(name, {cell: float(value)}))
        settle(app, 0.4)
        frames.append((grabbed(window, SHOWN), FRAME_MS))
    (PLACE / "editing.png").write_bytes(animated(frames))
    window.hide()
    window.close()
    _, window = open_window("you-are-welcome")
    window.bench.appearance.set_mode("light")
    window.resize(*SIZE)
    window.bench.open(window.bench.lesson, "textbook")
    window.bench.selection.go_to(WHOLE.name)
    settle(app, SETTLE_S)
    (PLACE / "window.png").write_bytes(png(grabbed(window, SIZE[0])))
    window.hide()
    window.close()
    for file in sorted(PLACE.glob("*.png")):
        print(f"{file.relative_to(PLACE.parents[1])}: {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
