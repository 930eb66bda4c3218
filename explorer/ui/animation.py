"""A stage as a picture that moves: attention word by word, one pass step by step, or the model while it learns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from explorer import PROGRAM
from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.ui.bridge import Bridge
from explorer.ui.colour import qcolor
from explorer.ui.lesson.enlarged import in_look
from explorer.ui.page.gestures import perform
from explorer.ui.page.page_view import PageView
from explorer.ui.page.player import PlayerView
from explorer.ui.render import fill, laid_out, paper, spoken
from explorer.ui.selection import Selection
from explorer.ui.workbench import Workbench

MOST = 60
"""Frames: of a longer way some are left out."""
STEPS = 200
"""Of gradient descent, where nobody says how many."""
STRIP = 34
"""Pixels below the page, for what each frame is of."""
EXACT, APART = 64, 8
"""The most frequent colours that a GIF has exactly; how far its colours are from each other at least, of 255."""
LAST = 2500
"""Milliseconds that the last frame stays."""


@dataclass(frozen=True)
class Frames:
    """A picture that moves."""

    images: list[QImage]  # all of one size
    each: int  # milliseconds that a frame stays
    # `title`, `words`: what it is, and what is to be seen in the end, for whoever does not see it.
    title: str
    words: str


Moment = tuple[str, Callable[[], object]]
"""What a frame is of, and what brings the page there."""


def frames(bench: Workbench, stage: str, steps: int = 0, on: Callable[[int, int], None] | None = None) -> Frames:
    """Draw what moves on a stage, on white paper; whatever shows the model meanwhile stays as it is.

    Parameters
    ----------
    bench : Workbench
        The model, what is looked at, and how gradient descent goes down.
    steps : int
        How many steps the model learns; 0: what moves on the page by itself, and `STEPS` where nothing does.
    on : callable, optional
        Told how many frames there are, and of how many.

    Raises
    ------
    ExplorerError
        "unknown-stage"; "nothing-moves-here".
    """
    document = Document(bench.document.state)
    with paper(bench.appearance) as (sheet, white):
        other = in_look(Workbench(document, Bridge(document), _same(bench, document), white, bench.lesson), white)
        other.descent.set_kind(bench.descent.kind)
        other.descent.set_rate(bench.descent.rate)
        try:
            with laid_out(other, stage, parent=sheet) as (picture, view):
                moments, each = _moments(other, view, steps)
                images = []
                for number, (said, act) in enumerate(moments, 1):
                    act()
                    other.bridge.flush()
                    view.follow()
                    QApplication.processEvents()
                    fill(view)
                    image = QImage(picture.size.width(), picture.size.height() + STRIP, QImage.Format.Format_RGB888)
                    image.fill(picture.ground)
                    picture.on(image)
                    _caption(image, said, other)
                    images.append(image)
                    if on is not None:
                        on(number, len(moments))
                words = f"{picture.title}: {len(images)} moments. The last is {said}. {spoken(picture.page)}"
                return Frames(images, each, picture.title, words)
        finally:
            other.descent.close()
            other.bridge.close()
            document.close()


def _same(bench: Workbench, document: Document) -> Selection:
    """Another selection that looks at the same."""
    looking = Selection(document)
    looking.set_head(None if bench.selection.averaged else bench.selection.head)
    looking.show(bench.selection.showing)
    for key, value in bench.selection.looking.choices.items():
        looking.keep(key, value)
    return looking


def _moments(bench: Workbench, view: PageView, steps: int) -> tuple[list[Moment], int]:
    """What the frames of a stage are of, and how long each stays."""
    graph, selection, stage = bench.document.engine.graph, bench.selection, view.stage
    shares = [n for n in graph.nodes.values() if n.stage == stage.name and n.op.shares]
    players = [one for one in view.elements.widgets.values() if isinstance(one, PlayerView)]
    if not steps and stage.kind in ("attention", "masked", "cross") and shares:
        axis = shares[0].axes[-2]
        labels = bench.view.labels(axis)
        return [
            (f"Word {i + 1} of {len(labels)}: {label}", partial(selection.choose_token, (axis, i)))
            for i, label in enumerate(labels[:MOST])
        ], 1200
    if not steps and players:
        player = players[0].player
        return [
            (
                f"Step {i} of {len(player.steps)}{f': {player.steps[i - 1]}' if i else ''}",
                _go(bench, player.asks.at(i), view),
            )
            for i in _some(len(player.steps))
        ], 420
    if not bench.descent.possible:
        raise ExplorerError("nothing-moves-here", name=stage.title)
    return [(f"After {i} steps", _learn(bench, i)) for i in _some(steps or STEPS)], 150


def _some(last: int) -> list[int]:
    """Numbers from 0 to the last, at most `MOST`, as evenly as they can be."""
    count = min(last + 1, MOST)
    return sorted({round(k * last / max(count - 1, 1)) for k in range(count)})


def _go(bench: Workbench, gesture: object, view: QWidget) -> Callable[[], object]:
    return lambda: perform(bench, gesture, view)  # type: ignore[arg-type]


def _learn(bench: Workbench, step: int) -> Callable[[], None]:
    """Take steps of gradient descent until so many are taken."""

    def take() -> None:
        while bench.descent.at < step:
            before = bench.descent.at
            bench.descent.take(1)
            if bench.descent.at == before:  # it has said why
                return

    return take


def _caption(image: QImage, said: str, bench: Workbench) -> None:
    """Write below the page what a frame is of."""
    painter = QPainter(image)
    painter.setFont(bench.appearance.fonts.ui)
    painter.setPen(qcolor(bench.appearance.theme.muted))
    below = QRectF(20, image.height() - STRIP, image.width() - 40, STRIP)
    painter.drawText(below, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), said)
    painter.end()


def gif(moving: Frames) -> bytes:
    """As an animated GIF, which goes round and round."""
    pictures = [_picture(image) for image in moving.images]
    palette = _palette(pictures[:: max(len(pictures) // 4, 1)])
    # Without dithering: what stands still is the same in all frames, and takes no room.
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    stays = [moving.each] * (len(pictures) - 1) + [LAST]
    out = BytesIO()
    first, *others = pictures
    about = f"{PROGRAM}. {moving.words}".encode()
    first.save(out, "GIF", save_all=True, append_images=others, duration=stays, loop=0, comment=about, disposal=1)
    return out.getvalue()


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """256 colours for all frames: the most frequent ones as they are, so that white stays white, and some between."""
    sample = np.concatenate([np.asarray(picture) for picture in pictures])
    packed = sample.reshape(-1, 3).astype(np.int64) @ np.array([65536, 256, 1])
    found, counts = np.unique(packed, return_counts=True)
    often = found[np.argsort(counts)[::-1][:EXACT], None] >> np.array([16, 8, 0]) & 255
    between = np.reshape(Image.fromarray(sample).quantize(256 - EXACT).getpalette() or [], (-1, 3))
    kept: list[Any] = []
    for colour in (*often, *between):
        # One that is nearly another is left out: Pillow might take it for that.
        if all(np.abs(colour - other).max() > APART for other in kept):
            kept.append(colour)
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.ravel(kept).tolist())
    return palette


def pngs(moving: Frames) -> Iterator[bytes]:
    """As PNGs, one for each frame."""
    about = PngInfo()
    about.add_text("Software", PROGRAM)
    for image in moving.images:
        out = BytesIO()
        _picture(image).save(out, "PNG", pnginfo=about)
        yield out.getvalue()


def _picture(image: QImage) -> Image.Image:
    size = image.width(), image.height()
    return Image.frombytes("RGB", size, bytes(image.constBits()), "raw", "RGB", image.bytesPerLine())
