"""Placing and folding parts of a window, docks with stages, and two pages side by side.

Parts fold away by a button, by a key, or if there is too little room. Stages can stand in windows of their own
(docks).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSizePolicy, QSplitter, QStyle, QWidget

from explorer.core.graph import Stage
from explorer.document.document import Change
from explorer.settings import Settings
from explorer.ui.files import Files
from explorer.ui.page.area import StageArea
from explorer.ui.page.page_view import PageView
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import Reports, column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.window.bar import Size
from explorer.ui.window.division import Parts, Window, divided
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.comparison import Comparison
    from explorer.ui.window.main_window import MainWindow


class Folds:
    """Which parts are folded: by the user, which is stored, or for lack of room.

    `actions`: what folds each part, by the name under which its state is stored.
    `share`: called when the user has folded a part, or unfolded it.
    """

    def __init__(self, actions: dict[str, QAction], settings: Settings, share: Callable[[], None]) -> None:
        self._actions, self._settings, self._share = actions, settings, share
        self._tight: dict[str, bool] = {}
        for name, fold in actions.items():
            fold.setChecked(settings.get(name, False))
            fold.toggled.connect(partial(self._remember, name))

    def _remember(self, name: str, on: bool) -> None:
        if not self._tight.get(name):  # a choice made while there is too little room is not stored
            self._settings.set(name, on)
        self._share()

    def fold_where_tight(self, tight: dict[str, bool]) -> None:
        """Fold the parts for which there is too little room, until there is more; their buttons unfold them."""
        for name, now in tight.items():
            if now != self._tight.get(name, False):
                fold = self._actions[name]
                with QSignalBlocker(fold):
                    fold.setChecked(now or self._settings.get(name, False))
        self._tight = tight


class Places(QObject):
    """Puts the parts of a window where `divided` says, and again whenever one of them reports another size.

    `page`: the frame around the page and what stands below it.
    """

    def __init__(self, window: MainWindow, bars: Mapping[str, QWidget], page: QWidget) -> None:
        super().__init__(window)
        self._window, self._bars = window, bars
        self._parts: dict[str, QWidget] = {
            **bars,
            "tabs": window.tabs,
            "outside": window.outside,
            "tokens": window.tokens,
            "stages": window.map,
            "aside": window.aside,
            "brings right": window.brings_right,
            "page": page,
            "sides": window.sides,
            "lesson bar": window.lesson_bar,
            "brings bottom": window.brings_bottom,
        }
        self._reports = [Reports(around, self._ask) for around in (window.whole, window.tabs.first, page)]

    def _ask(self) -> None:
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.LayoutRequest))  # Qt sends one in place of several

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._window.stand()
        return super().event(event)

    def stand(self, size: QSize, scrolls: bool) -> None:
        """Place all parts in a size; `scrolls`: whether the window is so low that all scrolls."""
        window, scale = self._window, self._window.bench.appearance.scale
        leads, compares = window.lessons.guide.step is not None, window.actions_.compare.isChecked()
        room = Window(size.width(), size.height(), scale, scrolls, leads, compares)
        window.folds.fold_where_tight(room.tight)
        right, bottom = window.actions_.fold_right.isChecked(), window.actions_.fold_bottom.isChecked()
        window.inspector.setVisible(not right)
        window.brings_right.setVisible(right)
        window.lesson_bar.setVisible(not bottom and not leads)
        window.brings_bottom.setVisible(bottom and not leads)
        window.map.have_titles(room.may_have_titles)
        for layout in (window.lesson_bar.layout(), window.inspector.layout()):
            assert layout is not None
            layout.activate()  # Qt would do so later, and lay out the page in between
        for column in (window.aside, window.outside):
            column.stand()  # it shows itself if it has something to show
        opening = window.tabs.opening
        brings_right, brings_bottom = window.brings_right.sizeHint(), window.brings_bottom.sizeHint()
        parts = Parts(
            {name: partial(_high, bar) for name, bar in self._bars.items() if not bar.isHidden()},
            None if window.tokens.isHidden() else partial(_high, window.tokens),
            None if window.lesson_bar.isHidden() else partial(_high, window.lesson_bar),
            window.map.titles_width,
            Size(brings_right.width() * right, brings_right.height()),
            brings_bottom.width() * (bottom and not leads),
            not window.aside.isHidden(),
            not window.outside.isHidden(),
            None if opening is None else opening.least_height,
        )
        high, rects = divided(room, parts)
        whole, origin = window.whole, QPoint()
        whole.resize(room.width, high)
        for name, rect in rects.items():
            part = self._parts[name]
            around = part.parentWidget()
            assert around is not None
            place = QStyle.visualRect(whole.layoutDirection(), whole.rect(), QRect(*rect))
            part.setGeometry(place.translated(-around.mapTo(whole, origin)))
        window.tokens.stand()


def _high(part: QWidget, width: int) -> int:
    """The height that a part likes at a width."""
    return part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height()


class _Dock(QDockWidget):
    closed = Signal()  # by its button, a key or the window manager

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


class Docks:
    """The docks of a window, each with the page of a stage."""

    def __init__(self, bench: Workbench, window: QMainWindow) -> None:
        self._bench, self._window, self._gone = bench, window, Gone(window)
        self._open: dict[QDockWidget, tuple[Stage, StageArea]] = {}

    @property
    def pages(self) -> list[PageView]:
        """The visible pages of the docks."""
        return [page for _, area in self._open.values() if (page := area.in_sight()) is not None]

    def open(self, stage: Stage) -> QDockWidget:
        area = StageArea(self._bench, always=stage.name)
        dock = _Dock(stage.where, self._window)
        dock.setWidget(area)
        dock.topLevelChanged.connect(lambda floats: self._bench.bridge.goes_before(dock) if floats else None)
        dock.closed.connect(lambda: self._close(dock))
        self._open[dock] = stage, area
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.setFloating(True)
        px, room, corner = self._bench.appearance.px, self._window.screen().availableGeometry(), self._window.pos()
        size = QSize(px(900), px(700)).boundedTo(self._window.size()).boundedTo(room.size())
        left, top = corner.x() + self._window.width() - size.width() - px(40), corner.y() + px(80)
        at = QPoint(min(left, room.right() - size.width()), min(top, room.bottom() - size.height()))
        dock.setGeometry(QRect(QPoint(max(at.x(), room.left()), max(at.y(), room.top())), size))
        dock.show()
        area.show_stage(stage.name)
        return dock

    def follow(self, change: Change) -> None:
        """Show a change of the document; a dock whose stage is gone is closed."""
        for dock, (stage, area) in list(self._open.items()):
            if change.structure and stage not in self._bench.selection.places:
                self._close(dock)
            else:
                area.follow(change)

    def _close(self, dock: QDockWidget) -> None:
        if dock in self._open:  # a window may be closed more than once
            self._open.pop(dock)[1].close_down()
            self._window.removeDockWidget(dock)
            self._gone.delete(dock)


class SideBySide(QSplitter):
    """One page, or two side by side.

    `area`: the page of the open example. `action`: shows the other page, or closes it.
    """

    def __init__(self, bench: Workbench, files: Files, area: StageArea, action: QAction) -> None:
        super().__init__()
        self._bench, self._files, self._action, self._gone = bench, files, action, Gone(self)
        self.setAccessibleName("Page, and what is compared with it")
        self.setChildrenCollapsible(False)
        self.comparison: Comparison | None = None
        self.own = QWidget()
        self.own.setSizePolicy(area.sizePolicy())
        self.addWidget(self.own)
        above = column_in(self.own, spacing=0)
        self._said = Label(role="strong", plain=True, wraps=True)
        self._said.setContentsMargins(bench.appearance.px(20), 0, 0, 0)
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._said.hide()
        above.addWidget(self._said)
        above.addWidget(area, 1)
        action.toggled.connect(self.compare)

    @property
    def pages(self) -> list[QWidget]:
        """The pages, from left to right."""
        return [self.own] if self.comparison is None else [self.own, self.comparison]

    def compare(self, on: bool) -> None:
        """Show another example or setting beside this one, or close it."""
        if on and self.comparison is None:
            from explorer.ui.window.comparison import Comparison

            self.comparison = Comparison(self._bench, self._files)
            self.comparison.closed.connect(self._action.trigger)
            self.comparison.bar_height.connect(self._said.setFixedHeight)
            self.addWidget(self.comparison)
            self.setSizes([1, 1])
            self.follow()
        elif not on and self.comparison is not None:
            gone, self.comparison = self.comparison, None
            gone.close_down()
            self._gone.delete(gone)
        self._said.setVisible(on)

    def follow(self) -> None:
        """Write the name of the example above its page, as the page beside it has one."""
        setting = self._bench.lesson.settings.get(self._bench.document.state.setting)
        self._said.setText(f"{self._bench.lesson.title}{': ' + setting.title if setting else ''}")
