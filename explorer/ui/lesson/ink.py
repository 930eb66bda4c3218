"""What a class sees of each step, measured on the slides themselves: whether a table is cut, and what stays empty."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget

from explorer.document.document import Document
from explorer.lessons.schema import Lesson
from explorer.pages.ink import drawn, empty_share
from explorer.ui.lesson.drawn import pixels_of
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.presenter import Presenter
from explorer.ui.page.late import Late
from explorer.ui.render import alone
from explorer.words.vectors import Vectors

TURNS = 40
"""Turns of the event loop in which a slide comes to rest at most."""


@dataclass(frozen=True)
class Slide:
    """A step as a class sees it."""

    step: str
    cut: tuple[str, ...]  # names of matrices and lists of which not all is in sight
    scrolls: tuple[str, ...]  # parts of the slide in which one would have to scroll
    empty: float  # the share of the slide on which nothing is drawn
    alone: bool  # whether it shows nothing but a number or words


def slides(
    lesson: Lesson,
    size: tuple[int, int],
    vectors: Vectors | None = None,
    look: Callable[[str, QImage], object] | None = None,
) -> Iterator[Slide]:
    """The steps of a lesson as slides, one after the other.

    Parameters
    ----------
    size : tuple of int
        Pixels of the screen, across and down.
    vectors : Vectors, optional
        Those of the Words tab, for steps that look there.
    look : callable, optional
        Told of each picture.
    """
    with alone(lesson, Document(lesson.state())) as bench:
        guide = Guide(bench)
        guide.vectors = vectors
        guide.showing_wanted.connect(bench.selection.show)
        guide.go(0)
        page = QColor(bench.appearance.theme.page)
        ground = page.red(), page.green(), page.blue()
        presenter = Presenter(bench, guide)
        presenter.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        presenter.resize(QSize(*size))
        presenter.show()
        try:
            for at, step in enumerate(lesson.steps):
                guide.go(at)
                picture = at_rest(presenter)
                sheet = presenter.sheet
                assert sheet is not None
                if look is not None:
                    look(step.id, picture)
                ink = drawn(pixels_of(picture), ground)
                for one in sheet.pictures:
                    place = QRect(one.mapTo(presenter, QPoint()), one.size()).intersected(presenter.rect())
                    ink[place.top() : place.bottom() + 1, place.left() : place.right() + 1] = True
                yield Slide(step.id, sheet.cut, sheet.scrolls, empty_share(ink), sheet.has_no_hero)
        finally:
            presenter.leave()
            presenter.deleteLater()


def at_rest(widget: QWidget) -> QImage:
    """The picture of a widget once all that stands in it has its place."""
    before = QImage()
    for turn in range(TURNS):
        QApplication.processEvents()
        for late in widget.findChildren(Late):
            late.fill()
        picture = widget.grab().toImage()
        if picture == before and turn > 3:
            break
        before = picture
    return before
