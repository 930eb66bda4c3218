"""Draw the pictures of the README with the program itself (`make pictures`): its window, and a number being turned.

python packaging/pictures.py
"""

import os
import struct
import tempfile
import time
import zlib
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The pictures are the same whatever somebody has set here.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.app import open_window
from explorer.document.commands import SetCells
from explorer.pages.levels import WHOLE
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


def changed(before: QImage, after: QImage) -> tuple[int, int, int, int]:
    """The smallest part that holds all that differs: left, top, width and height."""
    first, second = (
        np.frombuffer(i.constBits(), np.uint8).reshape(i.height(), i.bytesPerLine()) for i in (before, after)
    )
    differs = (first != second)[:, : 3 * before.width()].reshape(before.height(), before.width(), 3).any(axis=2)
    if not differs.any():
        return 0, 0, 1, 1
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    left, top = int(columns[0]), int(rows[0])
    return left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1


def animated(frames: list[tuple[QImage, int]]) -> bytes:
    """Pictures of one size, each with its milliseconds, as an animated PNG; of each only what has changed is kept.

    The chunks acTL, fcTL and fdAT are those of the PNG specification, third edition.
    """
    first = frames[0][0]
    chunks, number, shown = [], 0, first
    for place, (image, duration) in enumerate(frames):
        left, top, width, height = (0, 0, first.width(), first.height()) if place == 0 else changed(shown, image)
        parts = _chunks(png(image.copy(left, top, width, height)))
        if place == 0:
            chunks += [(b"IHDR", parts[0][1]), (b"acTL", struct.pack(">II", len(frames), 0))]
        control = struct.pack(">IIIIIHHBB", number, width, height, left, top, duration, 1000, 0, 0)
        chunks.append((b"fcTL", control))
        number += 1
        for kind, data in parts:
            if kind == b"IDAT" and place == 0:
                chunks.append((b"IDAT", data))
            elif kind == b"IDAT":
                chunks.append((b"fdAT", struct.pack(">I", number) + data))
                number += 1
        shown = image
    chunks.append((b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _chunks(file: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(file):
        (length,) = struct.unpack_from(">I", file, at)
        found.append((file[at + 4 : at + 8], file[at + 8 : at + 8 + length]))
        at += length + 12
    return found


def main() -> None:
    """Draw both."""
    PLACE.mkdir(exist_ok=True)
    app, window = open_window("softmax")
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
