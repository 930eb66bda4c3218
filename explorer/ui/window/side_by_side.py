"""The page of the open example, and beside it another example or setting to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QSizePolicy, QSplitter, QWidget

from explorer.ui.files import Files
from explorer.ui.page.area import StageArea
from explorer.ui.theme import mark
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.comparison import Comparison


class SideBySide(QSplitter):
    """One page, or two side by side.

    Parameters
    ----------
    area : StageArea
        The page of the open example.
    action : QAction
        Shows the other page, or closes it.
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
        self._said = mark(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), role="strong")
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

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        if self.comparison is not None:
            self.comparison.restyle()
