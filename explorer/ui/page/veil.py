"""The veil over all on a page that is not lit."""

from collections.abc import Collection, Container, Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QHoverEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from explorer.pages.steps.of_step import Lit
from explorer.ui.page.column import Elements
from explorer.ui.page.holders import Titled
from explorer.ui.page.picture_place import PicturePlace

DARK, PICTURES, HEADS, DIM = 0.8, 0.86, 0.75, 0.35
"""The opacity of the page's background colour over elements that are not lit, which keep a fifth of their ink; over
pictures, whose areas draw the eye more than words do; over the head of the page and headings, which would outshine a
few numbers; and over elements beside the named ones, whose numbers keep a contrast of 4.5 to the background."""
BESIDE, ABOVE = 3, 8
"""Pixels at text scale 1 that are lit beside and above a lit element."""


class Veil(QWidget):
    """Lies over a page, and lets mouse and keys through. The elements under the pointer or with focus are lit, too.

    Places are looked up while painting: when a widget on the page moves, Qt repaints the veil there.
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self._elements = elements
        self._lit = Lit()
        self._under = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        elements.setAttribute(Qt.WidgetAttribute.WA_Hover)
        elements.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_keys)

    def let_through(self, lit: Lit) -> None:
        """Light some elements; an empty light shows all of them."""
        if lit != self._lit:  # the pointer lights an element only after it has moved, since the page may have changed
            self._under = ""
        self._lit = lit
        self.setGeometry(self._elements.rect())
        self.setVisible(bool(lit))
        if lit:
            self.raise_()
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.Resize:
                self.setGeometry(self._elements.rect())
            case QEvent.Type.ChildAdded if self._lit:
                self.raise_()
            case QEvent.Type.HoverMove | QEvent.Type.HoverEnter if isinstance(event, QHoverEvent) and self._lit:
                self._point(self._element_at(event.position()))
            case QEvent.Type.HoverLeave:
                self._point("")
        return False

    def _element_at(self, position: QPointF) -> str:
        """The id of the element at a position on the page; "" if there is none."""
        at = position.toPoint()
        return next((id for id, place in self._places(self._elements.widgets) if place.contains(at)), "")

    def _point(self, id: str) -> None:
        if id != self._under:
            self._under = id
            self.update()

    def _follow_keys(self, *_: object) -> None:
        if self.isVisible():
            self.update()

    def lit(self) -> QRegion:
        """The region of the page that is lit now."""
        return self._region({*self._lit.named, self._under})

    def _region(self, wanted: Container[str]) -> QRegion:
        """The region of some elements, and of the element with the focus."""
        beside, above = map(self._elements.bench.appearance.px, (BESIDE, ABOVE))
        focus = QApplication.focusWidget()
        region, last, before = QRegion(), QRect(), False
        near, dark, signs = QRegion(), list[QRect](), QRegion()
        for id, place in self._places(self._elements.widgets):
            widget = self._elements.widgets[id]
            lit = id in wanted or (focus is not None and (widget is focus or widget.isAncestorOf(focus)))
            if lit:
                parts = [place]
                if before:  # the sign between two lit elements of one line; what stands above or below it is not lit
                    lines = _line(place, self.width()) & _line(last, self.width())
                    parts.append(place.united(last) & lines)
                for part in filter(QRect.isValid, parts):
                    region += part
                    near += part.adjusted(-beside, -above, beside, above)
            else:
                dark.append(place)
            if not (lit and before) and (sign := self._elements.sign_before(id)) is not None:
                signs += QRect(sign.mapTo(self._elements, QPoint()), sign.size())
            before, last = lit, place
        for place in dark:  # no line of an element above or below is lit
            if not region.intersects(place):
                near -= place
        return near + region - signs  # no sign is lit in part

    def _places(self, ids: Collection[str]) -> Iterator[tuple[str, QRect]]:
        """The places of elements on the page; that of the first element of a stack includes the heading."""
        for id in ids:
            widget = self._elements.widgets[id]
            if widget.isVisibleTo(self._elements):
                place = QRect(widget.mapTo(self._elements, QPoint()), widget.size())
                holder = widget.parentWidget()
                if isinstance(holder, Titled) and holder.title is not None:
                    title = QRect(holder.title.mapTo(self._elements, QPoint()), holder.title.size())
                    if title.bottom() <= place.top() and holder.inside and holder.inside[0] is widget:
                        place = place.united(title)
                yield id, place

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = QColor(self._elements.bench.appearance.theme.page)
        left = event.region() - self.lit()
        pictures = {id for id, widget in self._elements.widgets.items() if isinstance(widget, PicturePlace)}
        covers = (self._lit.beside, DIM), (self._lit.heads, HEADS), (pictures, PICTURES), (None, DARK)
        for wanted, cover in covers:
            region = left if wanted is None else left & self._region({*self._lit.named, *wanted})
            left = left - region
            ground.setAlphaF(cover)
            painter.setClipRegion(region)
            painter.fillRect(event.rect(), ground)


def _line(place: QRect, width: int) -> QRect:
    """A place, widened to the whole width of the page."""
    return QRect(0, place.top(), width, place.height())
