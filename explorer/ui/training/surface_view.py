"""The loss surface with the choice of its two weights."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.ui.selection import Cell
from explorer.ui.theme import mark
from explorer.ui.training.loss_grid import steepest
from explorer.ui.training.loss_surface import LossSurface, within
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench

WIDTH = 330
MOST_LETTERS = 18


class CellChoice(QWidget):
    """A weight matrix, and one of its cells by its labels.

    Parameters
    ----------
    bench : Workbench
    title : str
        Said before it: "Across".
    cell : Cell
        Chosen at first.

    Signals
    -------
    chosen : Cell
        A person has chosen another.
    """

    chosen = Signal(object)

    def __init__(self, bench: Workbench, title: str, cell: Cell, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._title = title
        self.cell = cell
        layout = FlowLayout(self, bench.appearance.px(6), bench.appearance.px(4))
        layout.addWidget(mark(QLabel(title), role="small"))
        self.name = self._box(f"{title}: matrix", list(bench.descent.moves()))
        self.name.setCurrentText(cell.node)
        self.name.textActivated.connect(self._choose_name)
        layout.addWidget(self.name)
        self._places = QWidget()
        line = QHBoxLayout(self._places)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(bench.appearance.px(6))
        layout.addWidget(self._places)
        self.places: list[QComboBox] = []
        self._offer_places()

    def _box(self, spoken: str, items: list[str]) -> QComboBox:
        box = ComboBox()
        box.addItems(items)
        box.setAccessibleName(spoken)
        box.setToolTip(spoken)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(min(max(map(len, items), default=1), MOST_LETTERS))
        return box

    def _offer_places(self) -> None:
        engine = self._bench.document.engine
        for box in self.places:
            box.deleteLater()
        layout = self._places.layout()
        assert layout is not None
        self.places = []
        axes = engine.graph.nodes[self.cell.node].axes
        for axis, i in zip(axes, self.cell.index, strict=True):
            what = axis.rpartition(".")[2]
            box = self._box(
                f"{self._title}: {what}", [f"{what} {text}" if text.isdigit() else text for text in engine.labels(axis)]
            )
            box.setCurrentIndex(i)
            box.activated.connect(self._choose_place)
            layout.addWidget(box)
            box.setHidden(len(engine.labels(axis)) == 1)
            self.places.append(box)

    def _choose_name(self, name: str) -> None:
        self.cell = Cell(name, (0,) * self._bench.document.engine.values[name].ndim)
        self._offer_places()
        self.chosen.emit(self.cell)

    def _choose_place(self) -> None:
        self.cell = Cell(self.cell.node, tuple(box.currentIndex() for box in self.places))
        self.chosen.emit(self.cell)


class SurfaceView(QWidget):
    """Two choices, the surface, and words about it. Two weights are suggested; the choice stays with the bench.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        descent, px = bench.descent, bench.appearance.px
        if not descent.looked_at or not all(map(self._there, descent.looked_at)):
            descent.looked_at = steepest(bench.document, [name for name, moves in descent.moves().items() if moves])
        self._choices = [CellChoice(bench, *one) for one in zip(("Across", "Up"), descent.looked_at, strict=True)]
        self.plot = LossSurface(bench, descent.looked_at)
        self.plot.setFixedWidth(px(WIDTH))
        self._words = mark(QLabel(), role="small")
        assert isinstance(self._words, QLabel)
        self._words.setWordWrap(True)
        self._words.setFixedWidth(px(WIDTH))
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(px(4))
        for choice in self._choices:
            choice.chosen.connect(self._choose)
            page.addWidget(choice)
        page.addWidget(self.plot, 1)
        page.addWidget(self._words)
        self.plot.asked.connect(self._say)
        self.plot.drawn.connect(self._say)
        self._say()

    def reads(self) -> set[str]:
        """Nothing by itself: the surface follows the run, and so all changes."""
        return set()

    def refresh(self) -> None:
        """Follow the model."""
        self.plot.refresh()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.plot.restyle()

    def _there(self, cell: Cell) -> bool:
        moves = cell.node in self._bench.descent.moves()
        return moves and within(self._bench.document.engine.values.get(cell.node), cell.index)

    def _choose(self) -> None:
        self._bench.descent.looked_at = tuple(choice.cell for choice in self._choices)
        self.plot.show_cells(self._bench.descent.looked_at)

    def _say(self, asked: str = "") -> None:
        """The loss where the mouse is; else what the picture is."""
        after = f"after {self.plot.steps_of_losses:,} steps" if self._bench.descent.run else "now"
        about = f"Deeper is a higher loss. All other weights are as they are {after}. A click moves these two there."
        assert isinstance(self._words, QLabel)
        self._words.setText(f"{asked}. A click moves the two weights there." if asked else about)
