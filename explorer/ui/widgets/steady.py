"""Words whose place is laid out anew only when they need another height."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from explorer.ui.theme import mark

FIGURES = str.maketrans("123456789", "000000000")
"""Any number as one whose figures stand at the same places: fonts here have figures of one width (`Fonts`)."""


class SteadyLabel(QWidget):
    """A label that wraps its words and is as wide as its place.

    A `QLabel` in a layout has the whole layout computed anew whenever its words change, even to others of the same
    size: in a column of ten that is a quarter of the time from an edit to the screen.

    Parameters
    ----------
    text : str
        Rich text allowed.
    role : str
        See `theme`.
    """

    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: tuple[object, ...] = ()
        self._height = 0
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        if role:
            mark(self.label, role=role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def text(self) -> str:
        """The words."""
        return self.label.text()

    def setText(self, text: str) -> None:
        """Say something else."""
        if text != self.label.text():
            self.label.setText(text)
            self._fit()

    def height_at(self, width: int) -> int:
        """Pixels that the words are high in a width.

        Figures are of one width, so it is known where only numbers are others: rich text takes Qt long.
        """
        asked = self.label.text().translate(FIGURES), width, self.label.font().key()
        if asked != self._asked:
            self._asked, self._height = asked, max(self.label.heightForWidth(width), 0)
        return self._height

    def _fit(self) -> None:
        """Be as high as the words are."""
        height = self.height_at(self.width())
        self.label.setGeometry(0, 0, self.width(), height)
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def event(self, event: QEvent) -> bool:
        # The label asks for other room: its font is another one.
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())
