"""A stage as a picture: its page painted into a PNG, an SVG or a PDF instead of onto the screen."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from html import escape
from math import ceil
from typing import Any

from PySide6.QtCore import (
    QBuffer,
    QEvent,
    QEventLoop,
    QIODevice,
    QMarginsF,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QGraphicsView, QScrollArea, QWidget

from explorer import PROGRAM
from explorer.core.frozen import Frozen
from explorer.document.document import Document
from explorer.lessons.schema import Lesson
from explorer.pages.element import of_kind
from explorer.pages.levels import stage_named
from explorer.pages.page import DescentPart, Stack
from explorer.ui.appearance import Appearance, Mode
from explorer.ui.lesson.letters import Enlarged, in_look
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.card import Miniature
from explorer.ui.page.column import Elements
from explorer.ui.page.controls import ButtonView
from explorer.ui.page.header import HeaderView
from explorer.ui.page.page_view import PageView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.pictures import Filling
from explorer.ui.page.player import PlayerView
from explorer.ui.selection import Selection
from explorer.ui.svg import Clips, for_every_viewer
from explorer.ui.theme import LIGHT, qcolor
from explorer.ui.turns import Bridge
from explorer.ui.widgets.formula import typeset
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.tree import delete_now, inside
from explorer.ui.workbench import Workbench

NARROWEST, WIDEST = 720, 1280
"""Width in pixels: a wider page breaks its rows as in a window of that width; a narrower one breaks its heading."""
PAPER = LIGHT.on_surface
"""The theme for paper."""
LAYS = 3
"""Turns after which a tab is laid out: words take their width, then their height, then what holds them."""
AT_ONCE = 0.05
"""Seconds of drawing after which the window may paint."""
MOST_PIXELS = 32_000
"""The longest image, in pixels, that Qt paints."""


def render(
    lesson: Lesson,
    document: Document,
    stage: str,
    ending: str,
    size: tuple[int, int] | None = None,
    theme: Mode | None = None,
) -> bytes:
    """Draw a stage of a document that no window shows, and return the picture file.

    `stage`: such as "encoder.1.self.attention".
    `ending`: a key of `WRITERS`: ".png", ".svg" or ".pdf".
    `size`: width and height in pixels of the window. By default the page is as large as it needs to be.
    `theme`: the theme of a screen; by default the page is drawn for paper.

    Raises `ExplorerError`: "unknown-stage".
    """
    with alone(lesson, document, theme or "light") as bench:
        return on_paper(bench, stage, ending, size) if theme is None else draw(bench, stage, ending, size)


@contextmanager
def alone(lesson: Lesson, document: Document, theme: Mode = "light") -> Iterator[Workbench]:
    """A workbench for a document that no window shows."""
    app = QApplication.instance() or QApplication(["explorer"])
    assert isinstance(app, QApplication)
    appearance = Appearance(app, theme)
    bench = Workbench(document, Bridge(document), Selection(document), appearance, lesson)
    try:
        yield bench
    finally:
        bench.bridge.close()
        _delete(appearance)


@contextmanager
def paper(look: Appearance) -> Iterator[tuple[QWidget, Appearance]]:
    """A white widget that is on no screen, and its look, with text of the usual size."""
    sheet = QWidget()
    sheet.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    sheet.resize(WIDEST, WIDEST)
    try:
        white = Enlarged(look, sheet, 1.0, PAPER)
        sheet.show()
        yield sheet, white
    finally:
        delete_now(sheet)


def on_paper(bench: Workbench, stage: str, ending: str, size: tuple[int, int] | None = None) -> bytes:
    """Draw a stage with the present selection, but on white paper."""
    with paper(bench.appearance) as (sheet, white):
        return draw(in_look(bench, white), stage, ending, size, parent=sheet)


def as_in_sight(bench: Workbench, tab: QWidget, ending: str) -> bytes:
    """Draw a tab of the window as it looks there, but on white paper.

    `bench`: the tab's; nothing else that is visible may use it, since its look is changed for a while.
    """
    title, look = tab.accessibleName() or bench.lesson.title, bench.appearance
    tab.setUpdatesEnabled(False)  # the screen keeps its picture
    white = Enlarged(look, tab, look.scale, PAPER)
    try:
        _wear(bench, tab, white)
        for late in tab.findChildren(Miniature):
            if not late.visibleRegion().isEmpty():
                late.fill()
                _breathe()
        words = spoken(tab) or " ".join(label.text() for label in inside(tab, Label) if label.isVisible())
        tab.setUpdatesEnabled(True)  # or nothing would be drawn
        return WRITERS[ending](Rendering(tab, 1.0, tab.size(), qcolor(PAPER.page), title, f"{title}. {words}"))
    finally:
        tab.setUpdatesEnabled(False)
        white.undress()
        _wear(bench, tab, look)
        _delete(white)
        tab.setUpdatesEnabled(True)


def _wear(bench: Workbench, tab: Any, look: Appearance) -> None:
    bench.appearance = look
    tab.restyle()
    while not (look.turns.idle and getattr(tab, "is_whole", True)):  # parts are built again in later turns
        _breathe()
    for late in tab.findChildren(PicturePlace):
        late.fill()  # a picture is made when it is painted, which happens only now
    for _ in range(LAYS):
        _breathe()  # new widgets are laid out


def _breathe() -> None:
    """Process all events except keys and clicks, which could change what is being drawn."""
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def beside(act: Callable[[], bytes]) -> bytes:
    """Call a function that uses no widget on a thread, and return its result; the window paints meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(act)
        while wait([answer], 0.005).not_done:
            _breathe()
        return answer.result()


def draw(
    bench: Workbench, stage: str, ending: str, size: tuple[int, int] | None = None, parent: QWidget | None = None
) -> bytes:
    """Draw a stage in the look of the bench, or of a parent with a look of its own; see `render`."""
    with laid_out(bench, stage, size, parent) as (picture, _):
        return WRITERS[ending](picture)


@contextmanager
def laid_out(
    bench: Workbench, stage: str, size: tuple[int, int] | None = None, parent: QWidget | None = None
) -> Iterator[tuple["Rendering", PageView]]:
    """A stage ready to be painted, and its view, which may still be changed; parameters as for `draw`.

    Raises `ExplorerError`: "unknown-stage".
    """
    place = stage_named(bench.document.state.graph, stage)
    typeset("x")  # the first formula of a program is typeset only at its second paint
    view = PageView(bench, place, parent, lights=False)
    try:
        page = _laid_out(view, on_paper=parent is not None)
        factor, content, whole = _measured(page, size)
        view.resize(content)  # so that the next layout uses the width of the picture
        page.setFixedSize(content)
        QApplication.processEvents()
        for box in page.findChildren(MatrixBox):
            box.hide_links()

        title = place.where
        ground = qcolor(bench.appearance.theme.page)
        yield Rendering(page, factor, whole, ground, title, f"{title}. {spoken(page)}"), view
    finally:
        view.close()
        delete_now(view)


def _delete(thing: QObject) -> None:
    """Delete an object now: there may be no event loop to do it."""
    thing.deleteLater()
    QApplication.sendPostedEvents(thing, QEvent.Type.DeferredDelete)


def _laid_out(view: PageView, on_paper: bool) -> Elements:
    """The page, laid out with all its pictures; on paper without what only asks to be clicked."""
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # paper is as long as the page
    view.resize(WIDEST, WIDEST)
    while not view.make(AT_ONCE):
        _breathe()
    view.show()
    for player in view.findChildren(PlayerView):
        player.hide()  # nothing moves on paper
    if on_paper:
        _hide_controls(view.elements)
    fill(view)
    return view.elements


def _hide_controls(page: Elements) -> None:
    """Hide what can be clicked above the page, its buttons, and the controls of gradient descent with their heading."""
    for head in page.findChildren(HeaderView):
        head.print()
    for button in page.findChildren(ButtonView):
        button.hide()
    steps = {one.id for one in of_kind(page.elements, DescentPart) if one.part == "steps"}
    for stack in of_kind(page.elements, Stack):
        if {one.id for one in stack.elements} <= steps:
            page.hide_stack(stack)
    for id in steps:
        page.widgets[id].hide()


def fill(view: PageView) -> None:
    """Draw the pictures, which otherwise wait until they are visible."""
    for late in view.findChildren(PicturePlace):
        late.fill()
        _breathe()
    for plot in view.findChildren(QGraphicsView):
        plot.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # or the ground becomes an image in an SVG
        plot.setRenderHint(QPainter.RenderHint.LosslessImageRendering)  # or a heat map becomes a JPEG in a PDF
    QApplication.processEvents()


def _measured(page: Elements, size: tuple[int, int] | None) -> tuple[float, QSize, QSize]:
    """The scale factor relative to the window, the page's size in the window, and the size of the picture."""
    if size is None:
        wanted = min(max(page.sizeHint().width(), NARROWEST), WIDEST)
        content = _of_width(page, max(wanted, page.minimumSizeHint().width()))
        return 1.0, content, content
    whole, factor, wide = QSize(*size), 1.0, size[0]
    # A picture that fills the page is higher on a wider page, so such a page gets narrower first.
    fills = any(isinstance(one, Filling) for one in page.widgets.values())
    if fills:
        wide = max(wide, NARROWEST)
    while True:
        content = _of_width(page, wide if fills else max(wide, page.minimumSizeHint().width()))
        fits = content.width() * factor <= whole.width() and content.height() * factor <= whole.height()
        if fits:
            return factor, content, whole
        if fills and wide > NARROWEST:
            wide = max(int(wide * 0.98), NARROWEST)
            continue
        factor *= 0.98
        if not fills:
            wide = int(whole.width() / factor)


def _of_width(page: Elements, width: int) -> QSize:
    """The size of the page at this width: on narrow pages matrices are smaller, and rows break more often."""
    page.share_room(width)
    return QSize(width, page.heightForWidth(width) if page.hasHeightForWidth() else page.sizeHint().height())


def spoken(page: QWidget) -> str:
    """What a screen reader says of the matrices and pictures of a page."""
    areas = [area for area in page.findChildren(QAbstractScrollArea) if area.isVisible()]
    said = (f"{area.accessibleName()}. {area.accessibleDescription()}".strip(" .") for area in areas)
    return " ".join(f"{one}." for one in said if one)


# The three kinds of file


class Rendering(Frozen):
    """A page ready to be drawn."""

    page: QWidget
    factor: float  # relative to the window
    size: QSize  # in pixels of the window
    ground: QColor  # what is behind the page
    title: str
    words: str  # what the picture shows, for a reader who cannot see it

    def on(self, device: QImage | QSvgGenerator | QPdfWriter, frames: Clips | None = None) -> None:
        """Paint the page on a device; `frames`, if given, clip tables and plots."""
        painter = QPainter(device)
        try:
            painter.fillRect(QRectF(QPointF(), QSizeF(self.size)), self.ground)
            painter.scale(self.factor, self.factor)
            viewports = _Viewports(self.page)
            self.page.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            for viewport in viewports.close():
                place = QRectF(QPointF(viewport.mapTo(self.page, QPoint())), QSizeF(viewport.size()))
                painter.save()
                painter.setClipRect(place)
                if frames is not None:
                    frames.begin(painter, painter.transform().mapRect(place))
                painter.translate(place.topLeft())
                viewport.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
                if frames is not None:
                    frames.end(painter)
                painter.restore()
                for words in _before(viewport):
                    painter.save()
                    painter.translate(words.mapTo(self.page, QPoint()))
                    words.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
                    painter.restore()
        finally:
            painter.end()


def _before(viewport: QWidget) -> list[QWidget]:
    """Widgets in front of a plot, such as its caption: the plot is painted after them and would cover them."""
    plot = viewport.parentWidget()
    assert plot is not None
    beside = plot.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    others = [one for one in beside if one is not viewport and not isinstance(one, QAbstractScrollArea)]
    return [one for one in others if one.isVisible() and one.geometry().intersects(viewport.geometry())]


class _Viewports(QObject):
    """Holds back the viewports of tables and plots while a page is painted.

    In a PDF and an SVG they would also paint what is scrolled out of sight: there Qt clips only where the painter is
    told to.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        areas = [area for area in page.findChildren(QAbstractScrollArea) if not isinstance(area, QScrollArea)]
        self._watched = [area.viewport() for area in areas]
        self._seen: list[QWidget] = []
        for viewport in self._watched:
            viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Paint or not isinstance(watched, QWidget):
            return False
        self._seen.append(watched)
        return True

    def close(self) -> list[QWidget]:
        """Stop holding the viewports back. Returns those that were to be painted, in their order."""
        for viewport in self._watched:
            viewport.removeEventFilter(self)
        return self._seen


def _png(picture: Rendering) -> bytes:
    size = picture.size
    ratio = min(2.0, MOST_PIXELS / max(size.width(), size.height()))
    image = QImage(ceil(size.width() * ratio), ceil(size.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    for key, text in (("Title", picture.title), ("Description", picture.words), ("Software", PROGRAM)):
        image.setText(key, text)
    picture.on(image)
    return beside(lambda: png_of(image))


def in_memory() -> QBuffer:
    """A file in memory, to be written."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def png_of(image: QImage, quality: int = -1) -> bytes:
    """A picture as a file; `quality`: 0 for the smallest file, which takes longest; −1: Qt's own."""
    buffer = in_memory()
    image.save(buffer, "PNG", quality)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _svg(picture: Rendering) -> bytes:
    buffer = in_memory()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(picture.title)
    generator.setDescription(picture.words)
    generator.setSize(picture.size)
    generator.setViewBox(QRectF(QPointF(), QSizeF(picture.size)))
    generator.setResolution(picture.page.logicalDpiX())  # so letters are as large as in the window
    frames = Clips()
    picture.on(generator, frames)
    svg = for_every_viewer(frames.put_into(bytes(buffer.data().data()).decode()))
    return svg.replace("<svg", f"<!-- {PROGRAM} -->\n<svg", 1).encode()


def _pdf(picture: Rendering) -> bytes:
    buffer = in_memory()
    writer = QPdfWriter(buffer)
    writer.setTitle(picture.title)
    writer.setCreator(PROGRAM)
    writer.setDocumentXmpMetadata(_XMP.format(escape(picture.title), escape(picture.words)).encode())
    dpi = picture.page.logicalDpiX()
    points = QSizeF(picture.size) * (72 / dpi)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF())
    writer.setResolution(dpi)
    picture.on(writer)
    return bytes(buffer.data().data())


_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{}</rdf:li></rdf:Alt></dc:description>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""
WRITERS = {".png": _png, ".svg": _svg, ".pdf": _pdf}
