"""What can be measured in the pixels of a step: the share of ink that it names, and cut or empty parts of its slide."""

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget

from explorer.core.frozen import Frozen
from explorer.core.ops import Array
from explorer.document.document import Document
from explorer.lessons.schema import Lesson, Step
from explorer.pages.steps.of_step import lit_by_step
from explorer.ui.appearance import Appearance
from explorer.ui.lesson.guide import TAB_OF, Guide
from explorer.ui.lesson.presenter import Presenter
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.lesson.step_pictures import SAME, drawn, pixels_of
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.render import alone
from explorer.ui.widgets.formula import typeset
from explorer.ui.window.main_window import MainWindow
from explorer.words.vectors import Vectors

SQUARES = 32
"""The number of squares across a picture, for `empty_share`."""


def strength(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """How much ink each pixel has, as floats: 0 for the colour of the ground, 1 for the greatest possible difference.

    Invisible differences count as 0: under a veil the ground, which is most of a page, is one step off its colour.
    Parameters and shapes are those of `drawn`.
    """
    apart = np.abs(pixels.astype(np.int16) - np.array(ground))
    return np.asarray(apart.sum(axis=-1) * (apart.max(axis=-1) > SAME) / (3 * 255.0))


def empty_share(ink: Array) -> float:
    """The share of a picture's squares in which nothing is drawn; incomplete squares at the edges do not count.

    `ink`: the result of `drawn`.
    Returns: from 0 to 1.
    """
    height, width = ink.shape
    side = max(width // SQUARES, 1)
    rows, columns = height // side, width // side
    cut = ink[: rows * side, : columns * side].reshape(rows, side, columns, side)
    return float(1 - cut.any(axis=(1, 3)).mean())


def named_share(ink: Array, named: Array) -> float:
    """The share of the ink that lies in the named part; 0 if nothing is drawn.

    `ink`, `named`: bool arrays of the same shape; `ink` may also be the result of `strength`.
    """
    total = float(ink.sum())
    return float((ink * named).sum()) / total if total else 0.0


LEAST = 3
"""Turns of the event loop in which a picture always changes: it takes most of the time to look."""
TURNS = 40
"""The most turns of the event loop that are waited until a layout no longer changes."""


class Slide(Frozen):
    """A step as a class sees it."""

    step: str
    cut: tuple[str, ...]  # names of matrices and lists that are not fully visible
    scrolls: tuple[str, ...]  # parts of the slide that would have to be scrolled
    empty: float  # the share of the slide on which nothing is drawn
    alone: bool  # whether it shows only a number or words
    rests: bool  # whether its layout stops changing


def slides(lesson: Lesson, size: tuple[int, int], vectors: Vectors | None = None) -> Iterator[Slide]:
    """The steps of a lesson as slides on a screen of this size in pixels, one after the other.

    `vectors`: those of the tab "Words", for steps that look at it.
    """
    with alone(lesson, Document(lesson.state())) as bench:
        bench.appearance.set_still(True)
        typeset("x")  # imports what formulas need: else the first slide would be measured without them
        guide = Guide(bench)
        guide.vectors = vectors
        guide.showing_wanted.connect(bench.selection.show)
        guide.go(0)
        ground = _ground(bench.appearance)
        presenter = Presenter(bench, guide)
        presenter.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        presenter.resize(QSize(*size))
        presenter.show()
        try:
            for at, step in enumerate(lesson.steps):
                guide.go(at)
                picture, sheet = at_rest(presenter), presenter.sheet
                assert sheet is not None
                ink = drawn(pixels_of(picture), ground)
                for one in sheet.pictures:
                    place = QRect(one.mapTo(presenter, QPoint()), one.size()).intersected(presenter.rect())
                    ink[place.top() : place.bottom() + 1, place.left() : place.right() + 1] = True
                rests = any(_rests(sheet) for _ in range(TURNS))
                yield Slide(step.id, sheet.cut, sheet.scrolls, empty_share(ink), sheet.has_no_hero, rests)
        finally:
            presenter.leave()
            presenter.deleteLater()


class PageInk(Frozen):
    """A step as a student sees it: the share of the ink on the page that belongs to what the step names."""

    step: str
    # Both None if the step names its whole page, or looks at a tab. `plain`: with the light off; `lit`: with it on.
    plain: float | None
    lit: float | None


def sights(lesson: Lesson, size: tuple[int, int]) -> Iterator[PageInk]:
    """The steps of a lesson in a window of this size in pixels, one after the other."""
    with alone(lesson, Document(lesson.state())) as bench:
        bench.appearance.set_still(True)  # otherwise pixels would be measured in the middle of a motion
        window = MainWindow(bench)
        window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        window.resize(QSize(*size))
        window.show()
        try:
            for at, step in enumerate(lesson.steps):
                window.lessons.guide.go(at)
                if step.look.stage not in TAB_OF:
                    window.area.page()  # makes the page complete at once, not in several turns
                found = []
                for on in (False, True):
                    bench.light.switch(on)
                    at_rest(window)
                    found.append(_named_share(window, step))
                yield PageInk(step.id, *found)
        finally:
            window.close()
            window.deleteLater()


def _named_share(window: MainWindow, step: Step) -> float | None:
    view = window.area.in_sight()
    named = step.look.node or step.look.element
    if view is None or view.page is None or not named or window.lessons.guide.stage != view.page.stage:
        return None
    port, bench = view.viewport(), window.bench
    widgets = view.elements.widgets
    lit = lit_by_step(view.page, bench.view, step)  # with the subject of its question; empty if that is the whole page
    if not lit:
        return None
    shown = [widgets[id] for id in lit.named if id in widgets]
    # Grabbed from the window: a viewport alone has no background, and the white in its place would count as ink.
    picture = window.grab(QRect(port.mapTo(window, QPoint()), port.size())).toImage()
    picture.setDevicePixelRatio(1.0)
    ink = strength(pixels_of(picture), _ground(bench.appearance))
    where = np.zeros(ink.shape, dtype=bool)
    for widget in shown:
        place = QRect(widget.mapTo(port, QPoint()), widget.size()).intersected(port.rect())
        where[place.top() : place.bottom() + 1, place.left() : place.right() + 1] = True
    return named_share(ink, where)


def _ground(appearance: Appearance) -> tuple[int, int, int]:
    page = QColor(appearance.theme.page)
    return page.red(), page.green(), page.blue()


def _rests(sheet: StepSheet) -> bool:
    """Whether the layout of a slide is complete after this turn of the event loop."""
    QApplication.processEvents()
    return sheet.is_settled


def at_rest(widget: QWidget) -> QImage:
    """The picture of a widget once it no longer changes, or after `TURNS` turns."""
    before = QImage()
    for turn in range(TURNS):
        QApplication.processEvents()
        for late in widget.findChildren(PicturePlace):
            late.fill()
        if turn < LEAST:
            continue
        picture = widget.grab().toImage()
        if picture == before:
            break
        before = picture
    return before
