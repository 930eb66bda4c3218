"""A tab or a side column that is one scrolling column of elements, built again in another theme or text size."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from explorer.pages.element import Element
from explorer.ui.page.column import Elements
from explorer.ui.page.surface import Keys
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import fold_button
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

HEIGHT = 22
"""The height of the button in the corner of a column, in pixels at text scale 1."""


class ScrollPlace(QObject):
    """Keeps what is read in sight in a scroll area whose page is built again, also in another size of text."""

    def __init__(self, bench: Workbench, area: QScrollArea) -> None:
        super().__init__(area)
        self._bar = area.verticalScrollBar()
        self._part: float | None = None
        """How far down it was scrolled when the page was built again, from 0 to 1; None once the person acts."""
        self._bar.rangeChanged.connect(self._stay)
        bench.bridge.acted.connect(self._let_go)

    def hold(self) -> None:
        """Remember the place, before the page is taken away."""
        if self._part is None:
            self._part = self._bar.value() / max(self._bar.maximum(), 1)

    def _stay(self) -> None:
        """Go back to the place: a page that is built again grows by steps."""
        if self._part is not None:
            self._bar.setValue(round(self._part * self._bar.maximum()))

    def _let_go(self) -> None:
        self._part = None


class ColumnTab(QFrame):
    """A tab of the window that shows one page of elements, and scrolls if they do not fit.

    A derived class calls `make` once it knows what to show, and defines in `refresh` what that is.

    `name`: for a screen reader.
    `spacing`, `right`, `inside`: pixels at text scale 1: between two elements, at the right of the scroll area, and at
    the right end inside it.
    `parent`: the final parent: Qt styles a widget and its children again when it gets another parent.
    """

    elements: Elements

    def __init__(
        self, bench: Workbench, name: str, spacing: int, right: int, inside: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAccessibleName(name)
        self.bench, self._spacing = bench, spacing
        self.around, self.within = (24, 16, right, 12), (0, 0, inside, inside)
        """Margins in pixels at text scale 1: around the scroll area, and inside it."""
        self.area = scroll_area(sideways=False)
        self.area.setWidgetResizable(False)  # the page is as large as it needs
        self._down = QVBoxLayout(self)
        self._down.addWidget(self.area)
        self._again, self._replaced = later(self, self.make), Gone(self)
        bench.appearance.changed.connect(self.restyle)
        self._worn = True
        """Whether it has the present look."""
        self._wide = 0
        """The width in pixels that the elements are laid out for."""
        self._place_read = ScrollPlace(bench, self.area)

    def refresh(self) -> None:
        """Build the page's data again, and update the widgets that differ."""
        raise NotImplementedError(type(self).__name__)

    @property
    def room(self) -> int:
        """The width of the page in pixels; that of a scroll bar is kept free, or all would move when one appears."""
        return self.area.maximumViewportSize().width() - self.area.verticalScrollBar().sizeHint().width()

    def show_elements(self, elements: Sequence[Element]) -> None:
        """Show other elements, in their final places now."""
        self.elements.tell(elements)
        if not (self.isVisible() or self.testAttribute(Qt.WidgetAttribute.WA_Resized)):
            return  # it has no place in a window yet
        if not self.elements.fits or self._wide != self.room:
            self._wide = self.room
            self.elements.share_room(self._wide)
        elif self.isVisible():
            QCoreApplication.sendPostedEvents(self.elements, QEvent.Type.LayoutRequest)
        else:
            self.elements.stand()

    def restyle(self) -> None:
        """Follow the theme and the text scale: in a turn of its own, or when it is next shown."""
        self._worn = False
        if self.isVisible():
            self.bench.appearance.turns.add(self._again)

    def make(self) -> None:
        """Build the page again, because most sizes in it are fixed."""
        self._worn, px = True, self.bench.appearance.px
        self._down.setContentsMargins(*map(px, self.around))
        keys = Keys()
        if self.area.widget() is not None:
            keys = self.elements.keys()
            self._place_read.hold()
            self._replaced.delete(self.area.takeWidget())
        self.elements = Elements(self.bench, px(self._spacing))
        self.elements.sizes_itself = True
        self.elements.setContentsMargins(*map(px, self.within))
        self.area.setWidget(self.elements)
        self.refresh()
        self.elements.give_keys(keys)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self._worn:  # otherwise the page is built again before it is shown
            self.refresh()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if self._worn:
            self.refresh()
        else:
            self.make()


class SideColumn(ColumnTab):
    """A column of elements at the right of a page.

    `part`: its name in the style sheet, and among the parts that F6 goes to.
    `name`: for a screen reader.
    `action`: what the button in its corner triggers: a line of its own would take room.
    `sign`: what stands on that button.
    """

    def __init__(
        self, bench: Workbench, part: str, name: str, action: QAction, sign: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, name, 5, 0, parent=parent)
        self.setObjectName(part)
        self.around, self.within = (0, 0, 0, 0), (20, 16, 10, 16)
        self._corner = fold_button(action, sign, self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        px = self.bench.appearance.px
        self._corner.setGeometry(self.width() - px(38), px(2), px(28), px(HEIGHT))
