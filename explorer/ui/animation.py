"""An animation of a stage: attention word by word, one pass step by step, a cell's arithmetic row by row, or a model
that learns.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from explorer import PROGRAM
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Cell
from explorer.core.numbers import quantity
from explorer.document.document import Document
from explorer.pages.controls import Player
from explorer.pages.surfaces.inspector import Inspected, inspected, played_key
from explorer.ui.lesson.letters import in_look
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import DerivationView
from explorer.ui.page.page_view import PageView
from explorer.ui.page.player import EACH, PlayerView
from explorer.ui.render import fill, laid_out, paper, spoken
from explorer.ui.selection import Selection
from explorer.ui.theme import qcolor
from explorer.ui.turns import Bridge
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

MOST = 60
"""Frames at most: a longer animation leaves some out."""
STEPS = 200
"""Steps of gradient descent by default."""
STRIP = 34
"""Pixels below the page for the caption of a frame."""
EXACT, APART = 64, 8
"""How many of the most frequent colours a GIF keeps exactly; the least difference between two colours, of 255."""
LAST = 2500
"""Milliseconds that the last frame stays."""
AROUND, MARGIN, LEAST_WIDE = 14, 20, 420
"""Pixels around the matrices of a played cell, and beside its arithmetic; and the least width of its picture."""
MANY, COLUMNS = 16, 3
"""With more than `MANY` rows, the arithmetic stands in this many columns."""
FILM_S = 120
"""Seconds after which ffmpeg is taken to hang."""


class Frames(Frozen):
    """An animation."""

    images: list[QImage]  # all of one size
    each: int  # milliseconds that a frame stays
    # `title`, `words`: what it is, and what the last frame shows, for a reader who cannot see it.
    title: str
    words: str


Moment = tuple[str, Callable[[], object]]
"""The caption of a frame, and the act that brings the page to that state."""


def frames(
    bench: Workbench,
    stage: str,
    steps: int = 0,
    on: Callable[[int, int], None] | None = None,
    cell: Cell | None = None,
) -> Frames:
    """Draw the animation of a stage on white paper; the window itself does not change.

    `bench`: the model, the selection, and the settings of gradient descent.
    `steps`: steps of gradient descent; 0: what moves on the page by itself, or `STEPS` steps if nothing does.
    `on`: called after each frame with its number, from 1, and the number of frames.
    `cell`: if given, the derivation of this cell is animated, with the matrices of the stage that it reads.

    Raises `ExplorerError`: "unknown-stage"; "nothing-moves-here"; "nothing-to-learn" if all gradients are 0;
    "nothing-to-play" if the cell has no steps to play, or is covered.
    """
    document = Document(bench.document.state)
    with paper(bench.appearance) as (sheet, white):
        other = in_look(Workbench(document, Bridge(document), _same(bench, document), white, bench.lesson), white)
        other.descent.set_kind(bench.descent.kind)
        other.descent.set_rate(bench.descent.rate)
        for names, moves in ((bench.descent.frozen, False), (bench.descent.also, True)):
            for name in names:
                other.descent.set_moves(name, moves)
        try:
            with laid_out(other, stage, parent=sheet) as (picture, view):
                played = None if cell is None else _PlayedCell(other, cell, view, sheet)
                moments, each = _moments(other, view, steps) if played is None else played.moments()
                images = []
                for number, (said, act) in enumerate(moments, 1):
                    act()
                    other.bridge.flush()
                    view.follow()
                    QApplication.processEvents()
                    fill(view)
                    size = picture.size if played is None else played.picture
                    image = QImage(size.width(), size.height() + STRIP, QImage.Format.Format_RGB888)
                    image.fill(picture.ground)
                    if played is None:
                        picture.on(image)
                    else:
                        whole = QImage(picture.size, QImage.Format.Format_RGB32)
                        picture.on(whole)
                        played.on(image, whole)
                    _caption(image, said, other)
                    images.append(image)
                    if on is not None:
                        on(number, len(moments))
                what = spoken(picture.page) if played is None else played.words
                words = f"{picture.title}: {len(images)} moments. The last is {said}. {what}"
                return Frames(images, each, picture.title, words)
        finally:
            other.descent.close()
            other.bridge.close()
            document.close()


class _PlayedCell(QWidget):
    """A cell being played: the matrices of the page that it reads, and below them its arithmetic so far."""

    def __init__(self, bench: Workbench, cell: Cell, view: PageView, sheet: QWidget) -> None:
        super().__init__(sheet)
        self._bench, self._cell = bench, cell
        if cell.node in bench.document.engine.graph.n_heads:
            bench.selection.set_head(cell.index[0])
        bench.selection.let_go(played_key(cell))
        bench.selection.choose(cell, "arrow")
        about = self._about()
        if about.player is None or bench.selection.looking.hides(cell):
            raise ExplorerError("nothing-to-play", name=cell.node)
        self._player = about.player
        read = {cell.node, *bench.selection.reads}
        boxes = [one for one in view.elements.widgets.values() if isinstance(one, MatrixBox)]
        shown = [one for one in boxes if one.matrix.place.node in read]
        self._place = QRect()
        """The part of the page in the picture: the whole page if the cell stands in no matrix."""
        for box in shown:
            self._place |= QRect(box.mapTo(view.elements, QPoint()), box.size())
        if all(one.matrix.place.node != cell.node for one in shown):
            self._place = view.elements.rect()
        self._name = Label(f"<b>{escape(about.name)}</b> [{escape(about.where)}]", parent=self)
        self._value = Label(role="small", parent=self)
        formula = Formula(parent=self, em=1.2)
        formula.set_latex(about.formula)
        self._views = [DerivationView(bench, self) for _ in about.parts]
        column = column_in(self, self._name, self._value, formula, *self._views, spacing=6)
        column.setContentsMargins(MARGIN, 6, MARGIN, 6)
        column.addStretch(1)
        formula.setVisible(bool(about.formula))
        for one in self._views:
            one.columns = COLUMNS if len(self._player.steps) > MANY else 1
            one.setMaximumWidth(one.columns * LEAST_WIDE)
        self.follow()
        self.show()
        wide = max(self._place.width() + 2 * AROUND, LEAST_WIDE)
        across = min(wide, LEAST_WIDE * max((one.columns for one in self._views), default=1) + 2 * MARGIN)
        self.resize(wide, self.heightForWidth(across))  # in a wide picture, too, the arithmetic is no wider

    @property
    def picture(self) -> QSize:
        """The size of a frame in pixels, without its caption."""
        return QSize(self.width(), self._place.height() + 2 * AROUND + self.height())

    @property
    def words(self) -> str:
        """What the current frame shows, in words."""
        return f"{self._about().name}: {'; '.join(one.accessibleDescription() for one in self._views)}."

    def _about(self) -> Inspected:
        return inspected(self._bench.view, self._cell, {}, self._bench.selection.explained)

    def moments(self) -> tuple[list[Moment], int]:
        """The captions and acts of the frames, and the milliseconds that each frame stays."""
        key = played_key(self._cell)
        return _of_player(self._player, lambda step: partial(self._go, key, step)), round(EACH * self._player.slow)

    def _go(self, key: str, step: int) -> None:
        self._bench.selection.keep(key, step)
        self.follow()

    def follow(self) -> None:
        """Show the value and the arithmetic up to the current step."""
        about = self._about()
        self._value.setText(about.value)
        for one, (_, rows) in zip(self._views, about.parts, strict=True):
            one.show_rows(rows)

    def on(self, image: QImage, page: QImage) -> None:
        """Paint the matrices of the page, and this widget below them."""
        painter = QPainter(image)
        painter.drawImage(QPoint(AROUND, AROUND), page, self._place)
        below = QPoint(0, self._place.height() + 2 * AROUND)
        self.render(painter, below, QRegion(), QWidget.RenderFlag.DrawChildren)
        painter.end()


def _same(bench: Workbench, document: Document) -> Selection:
    """A selection for another document, with the same choices."""
    looking = Selection(document)
    looking.set_head(None if bench.selection.averaged else bench.selection.head)
    looking.show(bench.selection.showing)
    for key, value in bench.selection.looking.choices.items():
        looking.keep(key, value)
    looking.speak_of(bench.selection.looking.spot, bench.selection.looking.covered)
    return looking


def _moments(bench: Workbench, view: PageView, steps: int) -> tuple[list[Moment], int]:
    """The captions and acts of a stage's frames, and the milliseconds that each frame stays."""
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
        return _of_player(player, lambda step: partial(perform, bench, player.asks.at(step), view)), 420
    if not bench.descent.possible:
        raise ExplorerError("nothing-moves-here", name=stage.title)
    gradients = bench.document.engine.gradients()
    if not any(np.any(gradients.of(name)) for name in bench.descent.weights()):
        raise ExplorerError("nothing-to-learn")
    state = bench.document.state  # a run goes on where the training of the document ended
    begun = state.records.at if state.records is not None and state.optimiser is not None else 0
    ends = [begun + i for i in _some(steps or STEPS)]
    return [(f"After {quantity(end, 'step')}", _learn(bench, begun, end)) for end in ends], 150


def _some(last: int) -> list[int]:
    """At most `MOST` numbers from 0 to `last`, spaced evenly."""
    count = min(last + 1, MOST)
    return sorted({round(k * last / max(count - 1, 1)) for k in range(count)})


def _of_player(player: Player, going_to: Callable[[int], Callable[[], object]]) -> list[Moment]:
    """The moments of a player; `going_to` makes the act that goes to a step."""
    steps = player.steps
    return [(f"Step {i} of {len(steps)}{f': {steps[i - 1]}' if i else ''}", going_to(i)) for i in _some(len(steps))]


def _learn(bench: Workbench, begun: int, step: int) -> Callable[[], None]:
    """An act that takes steps of gradient descent until `step` steps are done; `begun` are done already."""

    def take() -> None:
        while max(bench.descent.at, begun) < step:
            before = bench.descent.at
            bench.descent.take(1)
            if bench.descent.at == before:  # no step was possible, and the descent has said why
                return

    return take


def _caption(image: QImage, said: str, bench: Workbench) -> None:
    painter = QPainter(image)
    painter.setFont(bench.appearance.fonts.ui)
    painter.setPen(qcolor(bench.appearance.theme.muted))
    below = QRectF(20, image.height() - STRIP, image.width() - 40, STRIP)
    painter.drawText(below, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), said)
    painter.end()


def gif(moving: Frames) -> bytes:
    """The animation as a GIF that repeats without end."""
    pictures = [_picture(image) for image in moving.images]
    palette = _palette(pictures[:: max(len(pictures) // 4, 1)])
    # Without dithering: what stands still is the same in all frames and takes no space in the file.
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    stays = [moving.each] * (len(pictures) - 1) + [LAST]
    out = BytesIO()
    first, *others = pictures
    about = f"{PROGRAM}. {moving.words}".encode()
    first.save(out, "GIF", save_all=True, append_images=others, duration=stays, loop=0, comment=about, disposal=1)
    return out.getvalue()


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """Up to 256 colours for all frames: the most frequent ones exactly, so that white stays white, and some between."""
    sample = np.concatenate([np.asarray(picture) for picture in pictures])
    packed = sample.reshape(-1, 3).astype(np.int64) @ np.array([65536, 256, 1])
    found, counts = np.unique(packed, return_counts=True)
    often = found[np.argsort(counts)[::-1][:EXACT], None] >> np.array([16, 8, 0]) & 255
    between = np.reshape(Image.fromarray(sample).quantize(256 - EXACT).getpalette() or [], (-1, 3))
    kept: list[Any] = []
    for colour in (*often, *between):
        # A colour close to one already kept is left out: Pillow might use it in place of that one.
        if all(np.abs(colour - other).max() > APART for other in kept):
            kept.append(colour)
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.ravel(kept).tolist())
    return palette


def mp4(moving: Frames) -> bytes:
    """The animation as a film, encoded by ffmpeg.

    Raises `ExplorerError`: "no-ffmpeg"; "not-filmed" if ffmpeg fails.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise ExplorerError("no-ffmpeg")
    size = f"{moving.images[0].width()}x{moving.images[0].height()}"
    given = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-framerate", f"1000/{moving.each}", "-i", "-")
    # Players want an even number of pixels, and 25 pictures a second.
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"
    made = ("-vf", even, "-pix_fmt", "yuv420p", "-r", "25", "-movflags", "+faststart")
    last = max(round(LAST / moving.each), 1)
    pictures = b"".join(_picture(image).tobytes() for image in (*moving.images, *moving.images[-1:] * (last - 1)))
    with TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        about = ("-metadata", f"title={moving.title}", "-metadata", f"comment={PROGRAM}. {moving.words}")
        command = [program, "-loglevel", "error", "-y", *given, *made, *about, str(film)]
        try:
            done = subprocess.run(command, input=pictures, capture_output=True, timeout=FILM_S, check=False)
            if done.returncode == 0:
                return film.read_bytes()
            why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
    raise ExplorerError("not-filmed", why=why or "it does not say why")


WRITERS = {".gif": gif, ".mp4": mp4}
"""The function that encodes an animation, by the ending of its file."""


def pngs(moving: Frames) -> Iterator[bytes]:
    """The animation as PNGs, one for each frame."""
    about = PngInfo()
    about.add_text("Software", PROGRAM)
    for image in moving.images:
        out = BytesIO()
        _picture(image).save(out, "PNG", pnginfo=about)
        yield out.getvalue()


def _picture(image: QImage) -> Image.Image:
    size = image.width(), image.height()
    return Image.frombytes("RGB", size, bytes(image.constBits()), "raw", "RGB", image.bytesPerLine())
