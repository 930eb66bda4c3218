"""The derivations of a mistake and of the right number, side by side over the page."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from explorer.lessons.answers import Verdict
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.verdict import OURS, DerivationSide, theirs
from explorer.ui.theme import mark
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.layouts import row_in
from explorer.ui.workbench import Workbench

WIDE, HIGH, LEAST = 880, 0.7, 160
"""Greatest width in pixels at text scale 1; greatest share of the page's height; and least useful height in pixels."""
SCROLL = 16
"""Pixels at text scale 1 for a scroll bar."""


class BothDerivations(QFrame):
    """Lies over the page, beside the panel, so that nothing moves; it goes with the step, or when it is closed.

    Parameters
    ----------
    panel : QWidget
        The panel of the step; this widget stands at its left.
    over : QWidget
        The widget that it lies over.
    named : callable
        Returns where in `over` the cells are that the step names: they stay visible.
    """

    def __init__(
        self, bench: Workbench, guide: Guide, panel: QWidget, over: QWidget, named: Callable[[QWidget], QRect]
    ) -> None:
        super().__init__(over)
        self.setAccessibleName("Both derivations")
        mark(self, card="true")
        self._bench, self._guide, self._panel, self._over, self._named = bench, guide, panel, over, named
        self._verdict: Verdict | None = None
        tip = "Back to the page; a link below your answer shows this again"
        self.close_button = PushButton("✕", self.hide, tip, look="link", name="Close both derivations")
        self._content = content = QWidget()
        self._beside = row_in(content)
        self.sides = DerivationSide(bench, ""), DerivationSide(bench, OURS)
        for side in self.sides:
            self._beside.addWidget(side, 1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(content)
        self._whole = QHBoxLayout(self)
        self._whole.addWidget(self._scroll, 1)
        self._whole.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._placed = later(self, self.place)
        for watched in (over, panel):
            watched.installEventFilter(self)
        guide.answered.connect(self._follow)
        guide.stepped.connect(self._follow)
        guide.both_wanted.connect(self.open)
        self.hide()
        self._follow()

    def open(self) -> None:
        """Show how the wrong number and the right one come about, if both are known and the question is closed."""
        attempt = self._guide.attempt
        if attempt.compared is None or attempt.verdict is None:
            self.hide()
            return
        typed, wrong = attempt.compared
        self.sides[0].title = theirs(typed)
        for side, parts in zip(self.sides, (wrong, attempt.verdict.derivation), strict=True):
            side.show_parts(parts)
        self.show()
        self.raise_()
        self.place()

    def _follow(self) -> None:
        verdict = None if self._guide.step is None else self._guide.attempt.verdict
        if verdict is not self._verdict:  # once closed, it stays closed until another answer is given
            self._verdict = verdict
            self.open()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._placed.start()
        return False

    def restyle(self) -> None:
        """Follow the text scale."""
        for side in self.sides:
            side.restyle()
        self._placed.start()

    def place(self) -> None:
        """Move to the left of the panel, below what the step names, or above it if there is no room below."""
        if self.isHidden():
            return
        if not self._panel.isVisible():
            self.hide()
            return
        px = self._bench.appearance.px
        margin = px(8)
        self._whole.setContentsMargins(px(14), margin, margin, margin)
        self._whole.setSpacing(0)
        self._beside.setSpacing(px(28))
        corner = self._panel.mapTo(self._over, self._panel.rect().topLeft())
        right, top, bottom = corner.x() - margin, corner.y() + margin, self._over.height() - margin
        width = min(px(WIDE), right - margin)
        inside = self._whole.contentsMargins()
        across = width - inside.left() - inside.right() - self.close_button.sizeHint().width() - px(SCROLL)
        each = (across - self._beside.spacing()) // 2
        needed = max(side.height_at(each) for side in self.sides)
        self._content.setMinimumHeight(needed)
        named = self._named(self._over)
        height = min(needed + inside.top() + inside.bottom() + 2, round(HIGH * (bottom - top)))
        below, above = bottom - margin - named.bottom(), named.top() - margin - top
        if height > max(below, above) >= px(LEAST):  # scrolling is better than covering the number that was asked for
            height = max(below, above)
        y = top if below < height <= above else bottom - height
        self.setGeometry(right - width, y, width, height)
