"""Plays what has steps: a button, a slider, and how fast. How far it is belongs to the choices on the page."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QStyle, QWidget

from explorer.pages.page import Player
from explorer.ui.page.gestures import perform
from explorer.ui.widgets.segments import Segments
from explorer.ui.workbench import Workbench

EACH = 420
"""Milliseconds a step at the slowest speed."""
SPEEDS = (1, 2, 4)
SLIDER = 180
"""Pixels at text scale 1."""


class PlayerView(QWidget):
    """The controls of a `Player`; Space plays and pauses, too.

    Where the system asks for less motion, playing goes to the end at once.

    Parameters
    ----------
    bench : Workbench
    player : Player
    """

    def __init__(self, bench: Workbench, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self._player = bench, player
        px = bench.appearance.px
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(px(10))
        self.button = QPushButton()
        self.button.setToolTip("Play one pass through the model, or pause it (Space)")
        self.button.clicked.connect(self.toggle)
        line.addWidget(self.button)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setFixedWidth(px(SLIDER))
        self.slider.setAccessibleName("How far the pass has come")
        self.slider.setToolTip("How far the pass has come: drag, or the arrow keys")
        self.slider.valueChanged.connect(self._go_to)
        line.addWidget(self.slider)
        self.speed = Segments([f"× {speed}" for speed in SPEEDS], "Speed:")
        self.speed.choose(0)
        line.addWidget(self.speed)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        self._show()

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer.isActive()

    def tell(self, player: Player) -> None:
        """Show another state of it."""
        self._player = player
        self._show()

    def toggle(self) -> None:
        """Play from here, at the end from the beginning; or pause."""
        last = len(self._player.steps)
        if self.playing:
            self._timer.stop()
        elif self._still():
            self._go_to(last)
        else:
            if self._player.value >= last:
                self._go_to(0)
            self._timer.start(EACH)
        self._show()

    def _still(self) -> bool:
        """Whether the system asks for less motion."""
        return self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) <= 0

    def _step(self) -> None:
        self._timer.setInterval(EACH // SPEEDS[max(self.speed.group.checkedId(), 0)])
        self._go_to(self._player.value + 1)
        if self._player.value >= len(self._player.steps):
            self._timer.stop()
            self._show()

    def _go_to(self, step: int) -> None:
        if step != self._player.value:
            perform(self._bench, self._player.asks.at(step), self)

    def _show(self) -> None:
        player = self._player
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(player.steps))
        self.slider.setValue(player.value)
        self.slider.blockSignals(False)
        self.button.setText("Pause" if self.playing else "Play")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
