"""The words of a step on the screen."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from explorer.lessons import prose
from explorer.ui.lesson.presenter_look import least_letters
from explorer.ui.page.note import wrapped
from explorer.ui.theme import Look
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.workbench import Workbench


class Words(SteadyLabel):
    """Markdown with formulas and numbers, as wide as its place."""

    index = 0  # least height of indices and exponents, in pixels; 0: two thirds of the letters beside them

    def say(self, markdown: str, numbers: Mapping[str, str], sign: str = "") -> None:
        """Show other words, after a sign in HTML."""
        said = paragraphs(markdown, numbers)
        if sign:
            first, bracket, rest = said.partition(">")
            said = f"{first}{bracket}{sign} {rest}"
        if self.index:  # Qt draws them at two thirds of the given size
            for tag in ("sub", "sup"):
                size = f"<span style='font-size: {round(1.5 * self.index)}px'>"
                said = said.replace(f"<{tag}>", f"<{tag}>{size}").replace(f"</{tag}>", f"</span></{tag}>")
        if said != self.text():
            self.setText(said)
            self.label.setAccessibleName(prose.plain(markdown, numbers))


class WordyButton(PushButton):
    """A button whose words take as many lines as they need."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(look="choice")
        px = bench.appearance.px
        self.words = Words()
        self.words.index = least_letters(bench.appearance)
        self.words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(px(11), px(6), px(11), px(6))
        self._column.addStretch(1)
        self._column.addWidget(self.words)
        self._column.addStretch(1)
        self.least = 0
        """Least height in pixels: that of the highest button beside it."""

    def say(self, markdown: str, numbers: Mapping[str, str]) -> None:
        """Show other words; a screen reader says them as the button's name."""
        self.words.say(markdown, numbers)
        self.setAccessibleName(self.words.label.accessibleName())

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        margins = self._column.contentsMargins()
        return self.words.height_at(width - margins.left() - margins.right()) + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        layout = self.layout()
        assert layout is not None
        return layout.sizeHint()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the words take more lines, or fewer
            self.keep_height()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.keep_height()  # at once: until the layout learns of the words, it would keep its old height

    def keep_height(self) -> None:
        """Take the height of the words; a style sheet resets this whenever it is applied."""
        self.setMinimumHeight(max(self.height_at(self.width()), self.least))


class SentenceButton(PushButton):
    """A button whose words go on in another line where they do not fit."""

    def __init__(self, text: str = "", parent: QWidget | None = None, look: Look = "") -> None:
        super().__init__(parent=parent, look=look)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)
        self._shown = ""  # the words in lines
        self.say(text)

    def say(self, text: str) -> None:
        """Show other words."""
        self._words = text
        self.setAccessibleName(text)
        self._show_lines()

    def _show_lines(self) -> None:
        text = "\n".join(self._lines(self.width()))
        if text != self._shown:
            self._shown = text
            self.setText(with_ampersands(text))

    def _lines(self, width: int) -> list[str]:
        room = width - self._around
        return wrapped(self._words, self._wide, room, UNBOUNDED, room)

    def _wide(self, words: str) -> int:
        """The width of words as Qt counts it for the button, which may be a pixel more or less than their advance."""
        return self.fontMetrics().size(0, words).width()

    @property
    def _around(self) -> int:
        """Pixels beside the words."""
        return super().sizeHint().width() - self._wide(self._shown)

    def _high(self, lines: int) -> int:
        more = lines - 1 - self._shown.count("\n")
        return super().sizeHint().height() + more * self.fontMetrics().lineSpacing()

    def sizeHint(self) -> QSize:
        """All words on one line."""
        return QSize(self._around + self._wide(self._words), self._high(1))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._high(1))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._high(len(self._lines(width)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_lines()


def paragraphs(markdown: str, numbers: Mapping[str, str]) -> str:
    """Markdown as HTML; the last paragraph has no margin below, which Qt would add to that of the layout."""
    html = prose.html(markdown, numbers)
    html = html.replace("<p>", "<p style='margin: 0 0 7px 0'>")
    head, sign, last = html.rpartition("<p style='margin: 0 0 7px 0'>")
    return f"{head}<p style='margin: 0'>{last}" if sign else html
