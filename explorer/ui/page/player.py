"""Plays the steps of a computation: a button, a slider, the speed, and words about the present step. The present step
is one of the reader's choices on the page.
"""

from PySide6.QtCore import QPoint, QRect, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

from explorer.pages.arrange import Ask
from explorer.pages.controls import Player
from explorer.pages.page import Note
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import NoteLabel
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import be_there
from explorer.ui.workbench import Workbench

EACH = 420
"""Milliseconds for each step at the slowest speed."""
SPEEDS = (1, 2, 4)
SPACING, CLOSE, BELOW = 10, 2, 4
"""Pixels at text scale 1 between the controls; between the two buttons where even these have little room; and between
lines."""
SLIDER, SHORT, LEAST, BESIDE = 130, 64, 28, 500
"""Widths in pixels at text scale 1: of the slider; of a narrow slider, at most and at least; and of a page with words
beside the slider."""


class Scrub(QSlider):
    """A slider whose handle jumps to where the mouse is pressed, and can be dragged from there."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control = QStyle.ComplexControl.CC_Slider
        handle = self.style().subControlRect(control, option, QStyle.SubControl.SC_SliderHandle, self)
        if not handle.contains(event.position().toPoint()):
            place, length = event.position().x() - handle.width() / 2, self.width() - handle.width()
            self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), round(place), length))
        super().mousePressEvent(event)


class PlayerView(QWidget):
    """The controls of a `Player`; Space plays and pauses, too.

    With less motion nothing plays by itself: each press of the button goes one step further.
    """

    def __init__(self, bench: Workbench, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self.player = bench, player
        self._pixels = tuple(map(bench.appearance.px, (SPACING, CLOSE, BELOW, SLIDER, SHORT, LEAST, BESIDE)))
        self.button = PushButton("Pause", self.toggle, parent=self, keys=True)
        self.button.ensurePolished()
        self._across = self.button.sizeHint().width()
        """The width in pixels of the button, wide enough for "Play" and "Pause"."""
        self.slider = Scrub(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName("Progress")
        self.slider.setToolTip("Progress: drag, or the arrow keys")
        self.slider.valueChanged.connect(self._go_to)
        self._speed = bench.speeds.get(player.id, SPEEDS[0])
        self.speed = PushButton(
            "", self._go_faster, parent=self, look="link"
        )  # Space still plays and pauses after a click on it
        self._show_speed()
        self.words = NoteLabel(bench, Note("said", player.said), self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        bench.appearance.switched.connect(self._show)
        self._show()

    @property
    def playing(self) -> bool:
        """Whether it is playing."""
        return self._timer.isActive()

    @property
    def pace(self) -> int:
        """Milliseconds for each step."""
        return round(EACH * self.player.slow / self._speed)

    def tell(self, player: Player) -> None:
        """Show another state of the player, or another one; at the last step, and for another one, playing stops."""
        another = player.asks != self.player.asks
        self.player = player
        if another or player.value >= len(player.steps):
            self._timer.stop()
        self._show()

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width."""
        spacing, close, _, slider, *_ = self._pixels
        buttons = self._across + self.speed.sizeHint().width()
        return Ask(buttons + slider + 3 * spacing, min(buttons + close, room))

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return max([place.y() + place.height() for place in self._places(width).values()])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stand()

    def _stand(self) -> None:
        for part, place in self._places(self.width()).items():
            part.setGeometry(place)

    def _places(self, width: int) -> dict[QWidget, QRect]:
        """Where everything stands: where there is little room the words are below, and the slider below the buttons."""
        spacing, close, down, slider, short, least, beside = self._pixels
        fast, low = self.speed.sizeHint(), self.slider.sizeHint().height()
        others = self._across + fast.width() + 3 * spacing
        lines = 1 if width >= beside else 2 if others + least <= width else 3
        gap = spacing if lines < 3 else close
        long = slider if lines == 1 else min(width - others, short) if lines == 2 else min(width, slider)
        sizes: dict[QWidget, QSize] = {self.button: QSize(self._across, self.button.sizeHint().height())}
        if lines < 3:
            sizes[self.slider] = QSize(long, low)
        sizes[self.speed] = fast
        said = not self.words.isHidden()
        if said and lines == 1:
            across = max(width - others - long, 0)
            sizes[self.words] = QSize(across, self.words.height_at(across))
        high, x, places = max([size.height() for size in sizes.values()]), 0, dict[QWidget, QRect]()
        for part, size in sizes.items():
            places[part] = QRect(QPoint(x, (high - size.height()) // 2), size)
            x += size.width() + gap
        if lines == 3:
            places[self.slider] = QRect(0, high + down, long, low)
            high += down + low
        if said and lines > 1:
            places[self.words] = QRect(0, high + down, width, self.words.height_at(width))
        return places

    def toggle(self) -> None:
        """Play from the present step, after the last from the first; or pause. With less motion, go one step."""
        at_end = self.player.value >= len(self.player.steps)
        if self.playing:
            self._timer.stop()
        elif not self._bench.appearance.moves:
            self._go_to(0 if at_end else self.player.value + 1)
        else:
            if at_end:
                self._go_to(0)
            self._timer.start(self.pace)
        self._show()

    def _go_faster(self) -> None:
        """Take the next speed; after the fastest, the slowest."""
        self._speed = SPEEDS[(SPEEDS.index(self._speed) + 1) % len(SPEEDS)]
        self._bench.speeds[self.player.id] = self._speed
        self._show_speed()

    def _show_speed(self) -> None:
        self.speed.setText(f"× {self._speed}")
        self.speed.setToolTip(f"Speed × {self._speed}: click for another")
        self.speed.setAccessibleName(f"Speed × {self._speed}")

    def _step(self) -> None:
        self._timer.setInterval(self.pace)
        self._go_to(self.player.value + 1)

    def _go_to(self, step: int) -> None:
        if step != self.player.value:
            perform(self._bench, self.player.asks.at(step), self)

    def _show(self) -> None:
        player = self.player
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(player.steps))
            self.slider.setValue(player.value)
        moves = self._bench.appearance.moves
        if not moves:
            self._timer.stop()
        self.button.setText("Pause" if self.playing else "Play" if moves else "Next")
        does = f"Play {player.plays}, or pause it" if moves else f"Go one step further in {player.plays}"
        self.button.setToolTip(f"{does} ({player.key})")
        self.speed.setEnabled(moves)
        self.words.tell(Note("said", player.said))
        self.words.setVisible(bool(player.said))
        self._stand()
        be_there(self, bool(player.steps))

    def hideEvent(self, event: QHideEvent) -> None:
        """If the page is left while steps are playing, go to the last step; paused steps stay where they are."""
        super().hideEvent(event)
        if self.playing:
            self._timer.stop()
            self._go_to(len(self.player.steps))
            self._show()
