"""Which row of a matrix a picture is about: the token that one has chosen, or another one."""

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.widgets.segments import Segments
from explorer.ui.workbench import Workbench

MOST_BUTTONS, MOST_LETTERS = 8, 48


class RowChoice(QWidget):
    """A button for each row of an axis, of many a list. Choosing one is choosing the token, everywhere.

    Parameters
    ----------
    bench : Workbench
    axis : str
    what : str
        Said before it: "Position", "Case".
    last : bool
        Start at the last row instead of the first.
    """

    changed = Signal(int)

    def __init__(
        self, bench: Workbench, axis: str, what: str = "Position", last: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._axis, self._what = axis, what
        self._labels: tuple[str, ...] = ()
        self._row: int | None = None
        self._last = last
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(bench.appearance.px(8))
        self._layout.addWidget(mark(QLabel(what), role="small"), 0, Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._control: Segments | QComboBox | None = None
        self._follow_token()
        self.refresh()
        bench.selection.token_chosen.connect(self._follow_token)

    @property
    def row(self) -> int:
        """The row chosen, counted from 0."""
        last = len(self._bench.document.engine.graph.axes[self._axis]) - 1
        return min(self._row, last) if self._row is not None else last if self._last else 0

    @property
    def there(self) -> bool:
        """Whether the model has such rows; another one is opened before the page that this stands on is taken away."""
        return self._axis in self._bench.document.engine.graph.axes

    @property
    def label(self) -> str:
        """What stands at the row."""
        return self._bench.document.engine.labels(self._axis)[self.row]

    @property
    def said(self) -> str:
        """The row in a sentence, as rich text."""
        color = self._bench.appearance.theme.here_text
        return f"“<b style='color:{color}'>{escape(self.label)}</b>”"

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return {f"{self._axis}.tokens"}

    def refresh(self) -> None:
        """Follow the words of the axis."""
        labels = self._bench.document.engine.labels(self._axis)
        if labels != self._labels:
            self._labels = labels
            self._remake()
        self._show()

    def restyle(self) -> None:
        """Nothing is painted by hand."""

    def _remake(self) -> None:
        if self._control is not None:
            self._layout.removeWidget(self._control)
            self._control.hide()
            self._control.deleteLater()
        labels = self._labels
        if len(labels) <= MOST_BUTTONS and sum(map(len, labels)) <= MOST_LETTERS:
            segments = Segments(labels, self._what)
            segments.group.idClicked.connect(self._choose)
            self._control = segments
        else:
            box = ComboBox()
            box.addItems([f"{i}  {label}" for i, label in enumerate(labels)])
            box.setAccessibleName(self._what)
            box.setToolTip(f"{self._what}: which row to look at")
            box.activated.connect(self._choose)
            self._control = box
        self._layout.insertWidget(1, self._control)

    def _show(self) -> None:
        if isinstance(self._control, Segments):
            self._control.choose(self.row)
        elif self._control is not None:
            self._control.setCurrentIndex(self.row)

    def _choose(self, row: int) -> None:
        self._go_to(row)
        self._bench.selection.choose_token((self._axis, row))

    def _follow_token(self) -> None:
        token = self._bench.selection.chosen_token
        if token is not None and token[0] == self._axis:
            self._go_to(token[1])

    def _go_to(self, row: int) -> None:
        if row != self._row:
            before, self._row = self.row, row
            self._show()
            if self.row != before:
                self.changed.emit(self.row)
