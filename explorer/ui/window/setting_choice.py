"""The choice of the setting that the open lesson is in."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from explorer.lessons.schema import Lesson
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.widgets.layouts import row_in
from explorer.ui.widgets.segments import Segments

SPOKEN = "Setting:"
LETTERS, MARGIN = 9, 24
"""Letters of a title that the closed list has room for at least; pixels beside those of the open one."""


class SettingChoice(QWidget):
    """A button for each setting, all in sight; where that takes too much room, a list to open."""

    asked = Signal(str)  # a person chose a setting

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []
        self._buttons = Segments([], SPOKEN)
        self._list = ComboBox()
        self._list.setAccessibleName(SPOKEN.removesuffix(":"))
        self._list.setToolTip("Setting of this example")
        self._list.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._list.setMinimumContentsLength(LETTERS)
        self._list.activated.connect(self._ask)
        self._row = row_in(self, self._buttons, self._list)
        self._narrow = True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def open(self, lesson: Lesson, before: QWidget) -> None:
        """Offer the settings of a lesson; the keys come to them behind another widget."""
        self._names = list(lesson.settings)
        titles = [setting.title for setting in lesson.settings.values()]
        was, self._buttons = self._buttons, Segments(titles, SPOKEN)
        self._buttons.group.idClicked.connect(self._ask)
        self._row.replaceWidget(was, self._buttons)
        was.hide()
        was.deleteLater()
        self._list.clear()
        self._list.addItems(titles)
        self._list.view().setMinimumWidth(self._list.view().sizeHintForColumn(0) + MARGIN)
        self.be_narrow(self._narrow)
        for control in (*self._buttons.findChildren(QPushButton), self._list):
            self.setTabOrder(before, control)  # made last, but it does not stand last
            before = control

    def choose(self, name: str) -> None:
        """Show which setting the document is in."""
        if name in self._names:
            self._buttons.choose(self._names.index(name))
            self._list.setCurrentIndex(self._names.index(name))

    def width_of(self, narrow: bool) -> int:
        """Pixels across of a list to open, or of a button for each; it need not be what is shown."""
        return (self._list if narrow else self._buttons).sizeHint().width()

    def be_narrow(self, on: bool) -> None:
        """Be a list to open, or a button for each."""
        self._narrow = on
        self._list.setVisible(on)
        self._buttons.setVisible(not on)

    def widen(self, pixels: int) -> None:
        """Let the closed list have up to so many pixels more, as far as its titles need them."""
        metrics, titles = self._list.fontMetrics(), [self._list.itemText(i) for i in range(self._list.count())]
        longest = max(map(metrics.horizontalAdvance, titles), default=0)
        lacking = longest + metrics.horizontalAdvance("X") - LETTERS * metrics.horizontalAdvance("X")
        self._list.setMinimumWidth(self._list.sizeHint().width() + max(min(lacking, pixels), 0))

    def _ask(self, place: int) -> None:
        self.asked.emit(self._names[place])
