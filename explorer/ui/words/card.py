"""One part of the tab: a quiet card with a title, a sentence, and what belongs to it."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.layouts import column_in
from explorer.ui.words.tab_state import TabState
from explorer.ui.workbench import Workbench
from explorer.words.vectors import Vectors


class Card(QFrame):
    """A part of the page that follows the vectors.

    `about`: a sentence below the title.
    """

    title = ""
    short = ""
    """The title on the link to it, if another one."""
    needs_vectors = True

    def __init__(self, bench: Workbench, state: TabState, about: str = "") -> None:
        super().__init__()
        self.bench, self.state = bench, state
        self.setAccessibleName(self.title)
        mark(self, card="true")
        self.page = QVBoxLayout(self)
        self._title = label(self.title, "document")
        self.page.addWidget(self._title)
        self.intro = label(about, "small", wrap=True)
        self.page.addWidget(self.intro)
        self.intro.setVisible(bool(about))
        self._space()

    @property
    def vectors(self) -> Vectors:
        """Those that are loaded."""
        assert self.state.vectors is not None
        return self.state.vectors

    def load(self) -> None:
        """Show other vectors."""

    def give_room(self, pixels: int) -> None:
        """Learn how much of the page is in sight at once."""

    def resay(self) -> None:
        """Write again what has colours in it."""

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space()
        if self.needs_vectors and self.state.vectors is not None:
            self.resay()

    def line(self, *parts: QWidget | str) -> QWidget:
        """Controls and words between them, left to right, on as many lines as it takes."""
        holder = QWidget()
        flow = FlowLayout(holder, self.bench.appearance.px(8), self.bench.appearance.px(6))
        for part in parts:
            flow.addWidget(label(part, "muted") if isinstance(part, str) else part)
        self.page.addWidget(holder)
        for part in parts:
            if isinstance(part, QWidget) and isinstance(offers := getattr(part, "offers", None), QWidget):
                self.page.addWidget(offers)
        return holder

    def row(self, *parts: QWidget) -> QWidget:
        """Pictures and lists beside each other, all beginning at the top."""
        holder = QWidget()
        flow = FlowLayout(holder, self.bench.appearance.px(28), self.bench.appearance.px(14))
        for part in parts:
            flow.addWidget(part)
            flow.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self.page.addWidget(holder)
        return holder

    def _space(self) -> None:
        px = self.bench.appearance.px
        self.page.setContentsMargins(px(18), px(13), px(18), px(16))
        self.page.setSpacing(px(9))


def label(text: str, role: str = "", wrap: bool = False) -> QLabel:
    """Words on a card."""
    widget = QLabel(text)
    if role:
        mark(widget, role=role)
    if wrap:
        widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        widget.setWordWrap(True)  # behind the policy, which would forget that the height goes with the width
    return widget


def here(bench: Workbench, word: str) -> str:
    """A word that stands out, in rich text."""
    return f"<b style='color:{bench.appearance.theme.here_text}'>{escape(word)}</b>"


def column(*parts: QWidget, spacing: int = 6) -> QWidget:
    """Widgets below each other."""
    holder = QWidget()
    layout = column_in(holder, spacing=spacing)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch()
    return holder
