"""Pictures of steps that the window does not show: small ones, and ones for paper."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.schema import Lesson, NeededModel, states_of
from explorer.pages.element import Element, of_kind
from explorer.pages.matrix import Matrix
from explorer.pages.page import DescentPart, Picture
from explorer.pages.steps.covering import covered_by
from explorer.pages.steps.of_step import elements_of, on_paper
from explorer.pages.view import Spot
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.letters import Enlarged
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.listing import ListingView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.render import spoken
from explorer.ui.selection import Selection
from explorer.ui.theme import LIGHT, Theme, qcolor
from explorer.ui.turns import Bridge
from explorer.ui.widgets.formula import typeset
from explorer.ui.widgets.tree import delete_now
from explorer.ui.workbench import Workbench

PAPER, NARROW = 880, 430
"""The greatest widths in pixels of what a step names: below its words on paper, and beside them."""
MARGIN = 4
"""Pixels around a picture for paper."""
APART = 16
"""Pixels between two parts of a picture for paper."""
MOST_SIZES = 4
"""How often a picture for paper is laid out until it has the height of what it shows."""
SHARP = 2.0
"""Pixels of a picture for paper, for each pixel of the window."""
SAME = 6
"""A difference, of 255, in a colour's channel that nobody sees."""


@contextmanager
def step_off_screen(
    appearance: Appearance, lesson: Lesson, number: int, state: State, scale: float, theme: Theme | None = None
) -> Iterator[tuple[QWidget, Workbench]]:
    """A widget that is on no screen, and a workbench in its look whose selection is what a step names.

    `number`: the index of the step, from 0, whose state is `state`; `theme`: one to use instead of the program's.
    """
    typeset("x")  # imports what formulas need: else they would be typeset only at the second paint
    step, document, window = lesson.steps[number], Document(state), QWidget()
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.setObjectName("page")
    look = Enlarged(appearance, window, scale, theme)
    selection = Selection(document, window)
    bench = Workbench(document, Bridge(document, window), selection, look, lesson)
    selection.set_head(step.head)
    selection.show(step.showing)
    selection.choose_token(step.look.token)
    for box in step.look.ticked:
        selection.keep(box, True)
    spot = Spot(step.look.node, step.look.rows, step.look.columns) if step.look.node else None
    selection.speak_of(spot, covered_by(bench.view, step.question))
    try:
        yield window, bench
    finally:
        window.hide()
        bench.bridge.close()
        document.close()
        delete_now(window)


MOST_SPOKEN = 60
"""The most numbers that the description of a picture says."""


def lay_out(window: QWidget, size: QSize) -> None:
    """Lay out a widget and everything in it, with its pictures."""
    window.resize(size)
    window.show()
    for late in window.findChildren(PicturePlace):
        late.fill()
        for picture in late.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            picture.show()  # otherwise the layout would show it in a later turn
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def picture_of_step(
    appearance: Appearance, lesson: Lesson, number: int, state: State, theme: Theme = LIGHT
) -> QImage | None:
    """A picture of what a step names, in light colours for paper; None if it names no element of a page.

    It is as narrow as it can be with all of its numbers.
    """
    with closing(pictures_of_step(appearance, lesson, number, state, theme)) as pictures:
        return next(pictures, None)


def pictures_of_step(
    appearance: Appearance, lesson: Lesson, number: int, state: State, theme: Theme = LIGHT
) -> Generator[QImage, None, None]:
    """Pictures of what a step names, in light colours for paper: one beside its words, if it fits there, and one below.

    In the latter, parts stand side by side. None if the step names no element of a page. Each is drawn when it is asked
    for: the list of lessons needs only one.
    """
    theme = theme.on_surface
    with step_off_screen(appearance, lesson, number, state, 1.0, theme) as (window, bench):
        step = lesson.steps[number]
        vectors = None
        if step.look.word:
            from explorer.words import catalogue  # imported here because few steps need it

            vectors = catalogue.load()
        # On paper nothing moves, and no button can be pressed.
        named = elements_of(bench.view, step, vectors)
        shown = [on_paper(one) for one in named if not isinstance(one, DescentPart)]
        if not shown:
            return
        # The letters in the picture of the whole model shrink with it: beside the words they could not be read.
        widths = (PAPER,) if any(one.drawing.zoom for one in of_kind(shown, Picture)) else (NARROW, PAPER)
        elements = Elements(bench, 8)
        column = QVBoxLayout(window)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # no least size: the widget is on no screen
        column.addWidget(elements)
        elements.tell(shown)
        lay_out(window, QSize(PAPER, PAPER))
        below, words = [], (spoken(window), _numbers_in(shown))
        for paper in widths:
            elements.share_room(paper, None)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            fits = elements.minimumSizeHint().width() <= paper and all(map(_is_whole, elements.widgets.values()))
            if fits or paper == PAPER:
                parts = _drawn(window, elements, paper, theme)
                if paper == NARROW and not all(map(_is_whole, elements.widgets.values())):
                    continue  # only in this width a list has gone on below
                below.append(_side_by_side(parts, PAPER, theme))
                if paper == NARROW:
                    yield _described(_side_by_side(parts, NARROW, theme), *words)
        yield _described(min(reversed(below), key=QImage.height), *words)


def _numbers_in(elements: Sequence[Element]) -> str:
    """The numbers of the matrices, row by row, for who cannot see the picture; "" if they are more than one hears."""
    matrices = list(of_kind(elements, Matrix))
    if sum(one.values.size for one in matrices) > MOST_SPOKEN:
        return ""
    said = []
    for one in matrices:
        name = one.name.rpartition(".")[2]
        what = name if one.showing == "values" else f"{one.showing} of {name}"
        for r, row in enumerate(one.rows):
            numbers = ", ".join(f"{column} {one.text(r, c)}" for c, column in enumerate(one.columns))
            said.append(f"{what}, {row}: {numbers}.")
    return " ".join(said)


def _described(picture: QImage, words: str, numbers: str) -> QImage:
    picture.setText("Description", words)
    picture.setText("Numbers", numbers)
    return picture


def _drawn(window: QWidget, elements: Elements, paper: int, theme: Theme) -> list[QImage]:
    """Pictures of the elements of a page, at most as wide as the paper, if they can be."""
    # If the matrices on one line are wider than the paper, they are broken into several lines.
    margin = QSize(2 * MARGIN, 2 * MARGIN)
    across = max(min(elements.sizeHint().width(), paper), elements.minimumSizeHint().width())
    size = QSize()
    for _ in range(MOST_SIZES):
        before, size = size, QSize(across, min(elements.height_at(across), 3 * PAPER)) + margin
        if size == before:
            break
        window.resize(size)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # a list then knows how high it is
    for box in window.findChildren(MatrixBox):
        box.hide_links()
    for listing in window.findChildren(ListingView):
        listing.hide_links()
    image = QImage(size * SHARP, QImage.Format.Format_RGB32)
    image.fill(qcolor(theme.surface))
    image.setDevicePixelRatio(SHARP)
    painter = QPainter(image)
    window.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    painter.end()
    places = sorted(
        (one.mapTo(window, QPoint()).y(), one.height()) for one in elements.widgets.values() if one.isVisible()
    )
    ends: list[int] = []  # of lines of widgets; above a widget may stand its title
    for top, high in places:
        if ends and top < ends[-1]:
            ends[-1] = max(ends[-1], top + high)
        else:
            ends.append(top + high)
    lines = pairwise([0, *ends[:-1], size.height()])
    bands = (image.copy(0, round(top * SHARP), image.width(), round((end - top) * SHARP)) for top, end in lines)
    return [cropped for band in bands if (cropped := _cropped(band, theme)) is not None]


def _side_by_side(parts: Sequence[QImage], paper: int, theme: Theme) -> QImage:
    """Parts of a picture in lines: each stands beside the one before it where the paper is wide enough."""
    places: list[QPoint] = []
    x = y = high = wide = 0
    for part in parts:
        if x and x + part.width() > (paper + 2 * MARGIN) * SHARP:
            x, y, high = 0, y + high, 0
        places.append(QPoint(x, y))
        x, high = x + part.width() + round(APART * SHARP), max(high, part.height())
        wide = max(wide, places[-1].x() + part.width())
    whole = QImage(max(wide, 1), max(y + high, 1), QImage.Format.Format_RGB32)
    whole.fill(qcolor(theme.surface))
    painter = QPainter(whole)
    for part, place in zip(parts, places, strict=True):
        painter.drawImage(place, part)
    painter.end()
    whole.setDevicePixelRatio(SHARP)
    return whole


def beginning(appearance: Appearance, lesson: Lesson, most: QSize) -> QImage | None:
    """A picture of what the first step of a lesson names, at most as large as `most`; None if it names no element.

    For a model that does not come with the program, only its sizes: a stand-in would have other numbers.
    """
    if not lesson.steps or lesson.steps[0].training is not None:
        return None
    what, theme = "What it begins with" if lesson.needed is None else "Its model", appearance.theme
    whole: QImage | None = None if lesson.needed is None else picture_of_sizes(lesson.needed, theme, most)
    with suppress(ExplorerError):  # the error is shown when the lesson is opened
        whole = whole or picture_of_step(appearance, lesson, 0, states_of(lesson)[0], theme)
    if whole is None:
        return None
    whole.setDevicePixelRatio(1.0)
    small = whole.scaled(most, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
    small.setText("Description", f"{what}: {whole.text('Description')}")
    return small


def picture_of_sizes(needed: NeededModel, theme: Theme, size: QSize) -> QImage:
    """A picture of a model that is not loaded, from its sizes: for each layer its heads, and below them its net.

    The height of a bar is proportional to the numbers in a vector: in a net, and in the stream between the layers.
    """
    layers, heads, d_model, d_ff = (needed.sizes[name] for name in ("layers", "heads", "d_model", "d_ff"))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(qcolor(theme.surface))
    said = f"{layers} layers × {heads} heads"
    image.setText(
        "Description", f"the sizes of {needed.name}: {said}, {d_model} numbers for each word, {d_ff} in each net"
    )
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    font = painter.font()
    font.setPixelSize(size.height() // 6)
    painter.setFont(font)
    painter.setPen(qcolor(theme.text))
    painter.drawText(image.rect(), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, said)
    painter.setPen(Qt.PenStyle.NoPen)
    top, each = size.height() * 0.24, size.width() / (layers + 1)
    room = size.height() * 0.96 - top
    middle, wide = top + 0.5 * room, 0.5 * each
    painter.fillRect(QRectF(0.25 * each, middle - 1, size.width() - 0.5 * each, 2), qcolor(theme.line_strong))
    longest = 0.4 * room
    for k in range(layers + 1):
        high = longest * d_model / d_ff
        painter.fillRect(QRectF((k + 0.45) * each, middle - high / 2, 0.1 * each, high), qcolor(theme.muted))
    for k in range(layers):
        left, side = (k + 0.75) * each, longest / heads
        for head in range(heads):
            painter.fillRect(QRectF(left, middle - longest + head * side, wide, 0.7 * side), qcolor(theme.accent))
        painter.fillRect(QRectF(left + 0.25 * wide, middle + 0.06 * room, 0.5 * wide, longest), qcolor(theme.here))
    painter.end()
    return image


def _cropped(image: QImage, theme: Theme) -> QImage | None:
    """The picture without empty space at its right and below, which elements reserve for what they may show.

    None if it is empty.
    """
    page = qcolor(theme.surface)
    ink = drawn(pixels_of(image), (page.red(), page.green(), page.blue()))
    if not ink.any():
        return None
    margin = round(MARGIN * SHARP)
    height, width = (int(np.flatnonzero(ink.any(axis=axis))[-1]) + 1 + margin for axis in (1, 0))
    cropped = image.copy(0, 0, min(width, image.width()), min(height, image.height()))
    cropped.setDevicePixelRatio(1.0)  # its places are pixels
    return cropped


def pixels_of(picture: QImage) -> Array:
    """The colours of a picture: an array of shape (height, width, 3)."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), dtype=np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()


def _is_whole(widget: QWidget) -> bool:
    """Whether all columns of a matrix are visible, and those of a list stand side by side; other widgets are whole."""
    if isinstance(widget, ListingView):
        return not widget.goes_on
    return not isinstance(widget, MatrixBox) or widget.view.extent.whole


def drawn(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """Which pixels visibly differ from the colour of the ground.

    `pixels`: red, green and blue from 0 to 255, (height, width, 3).
    `ground`: the colour of the page.
    Returns bools, (height, width).
    """
    found = np.zeros(pixels.shape[:2], bool)
    for channel, usual in zip(np.moveaxis(pixels, -1, 0), ground, strict=True):  # on bytes: a page has millions
        found |= channel < max(usual - SAME, 0)
        found |= channel > min(usual + SAME, 255)
    return found
