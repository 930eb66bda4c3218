"""The clock of presenter mode."""

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal


class Clock(QObject):
    """Measures how long a lecturer has been presenting, in total and in each step; it can be stopped."""

    ticked = Signal()  # a second has passed, or the clock was started or stopped

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._since = QElapsedTimer()
        self._before = 0
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self.ticked)
        self.step = ""
        self.used: dict[str, float] = {}

    @property
    def runs(self) -> bool:
        """Whether the clock is running."""
        return self._timer.isActive()

    @property
    def seconds(self) -> float:
        """The seconds for which the clock has run in total."""
        return (self._before + (self._since.elapsed() if self.runs else 0)) / 1000

    def toggle(self) -> None:
        """Start the clock, or stop it."""
        if self.runs:
            self._note()
            self._before += self._since.elapsed()
            self._timer.stop()
        else:
            self._since.start()
            self._marked = self.seconds
            self._timer.start()
        self.ticked.emit()

    def at(self, step: str) -> None:
        """Count the time from now on for another step."""
        self._note()
        self.step = step

    def used_in(self, step: str) -> float:
        """The seconds used in a step."""
        now = self.seconds - self._marked if self.runs and step == self.step else 0.0
        return self.used.get(step, 0.0) + now

    _marked = 0.0

    def _note(self) -> None:
        if self.runs:
            now = self.seconds
            self.used[self.step] = self.used.get(self.step, 0.0) + now - self._marked
            self._marked = now


def minutes(seconds: float) -> str:
    """Seconds as minutes and seconds, as a clock shows them."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"
