"""The words of a step on the screen, and looks for them: text that can be read from the last row of a class."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from explorer.lessons import prose
from explorer.ui.appearance import Appearance, Fonts, fitted_stylesheet, palette, window_stylesheet
from explorer.ui.page.note import wrapped
from explorer.ui.theme import Look, Theme
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.workbench import Workbench

READ = 24
"""The least height of letters that the last row can read, in pixels on a screen of `WIDTH` by `HEIGHT`."""
HEADING = 0.8
"""The least size of the heading of a matrix, relative to the letters of the matrix and to those of the slide."""
WIDTH, HEIGHT = 1280, 720
"""The screen, in pixels, for which `SCALE` is made; on another screen all sizes scale with it."""
SCALE = 1.74
"""The text scale for that screen: the system's letters of 14 pixels become a little larger than 24."""


class Enlarged(Appearance):
    """A look larger than that of the program, `of`, for a widget and all widgets in it, in the program's theme.

    `theme`: one to use instead, as paper is always light.
    """

    def __init__(self, of: Appearance, window: QWidget, scale: float, theme: Theme | None = None) -> None:
        QObject.__init__(self, window)
        self._of, self._window, self._own = of, window, theme
        self._grown = self._awaited = 1.0
        self.turns = of.turns
        self.dress(scale)

    @property
    def moves(self) -> bool:
        """Whether things move, as in the program's look."""
        return self._of.moves

    @property
    def afar(self) -> bool:
        """Whether it is read from the last row; labels are then as large as other text."""
        return self.scale > 1

    def dress(self, scale: float) -> None:
        """Apply the program's present theme, at a text scale."""
        self.chosen = self.scale = scale
        self.mode = self._of.mode
        self.theme = self._own or self._of.theme
        fonts = Fonts.at_scale(scale)
        points = fonts.ui.pointSizeF()
        large = self.afar
        if large:  # small text becomes as large as the rest, because a class reads all of it
            code = QFont(fonts.code)
            code.setPointSizeF(points)
            fonts = replace(fonts, small=fonts.ui, number=fonts.ui, code=code)
        self.fonts = fonts
        self._window.setFont(fonts.ui)
        self._window.setPalette(palette(self.theme))
        self._window.setStyleSheet(window_stylesheet(self.theme, fonts, scale, read_from_afar=large))

    def undress(self) -> None:
        """Give the window the program's look again."""
        self._window.setStyleSheet("")
        self._window.setFont(QFont())
        self._window.setPalette(QPalette())


class Fitted(Enlarged):
    """The look of the matrices of a slide, which fill their place: all their numbers grow and shrink together.

    Headings do not grow with the numbers: a long equation above a small matrix would keep the matrix small.
    """

    @property
    def afar(self) -> bool:
        """True at any scale: labels are as large as numbers."""
        return True

    @property
    def close(self) -> bool:
        """True at any scale: numbers stand close together; the gaps grow only if there is room."""
        return True

    def dress(self, scale: float) -> None:
        """Apply the slide's theme at a text scale; the window's own style sheet only replaces the slide's sizes."""
        self.chosen = self.scale = scale
        self.mode, self.theme = self._of.mode, self._of.theme
        ui = Fonts.at_scale(scale).ui
        self.fonts = replace(Fonts.at_scale(scale), small=ui, number=ui)
        least, most = (times * self._of.scale for times in (HEADING, 1.1))
        heading = min(scale, max(HEADING * scale, least), most) / scale * ui.pointSizeF()
        self._window.setFont(ui)
        self._window.setStyleSheet(fitted_stylesheet(ui.pointSizeF(), heading))


def least_letters(look: Appearance) -> int:
    """The least height of letters in a look, in pixels; 0 if the program's own rules hold."""
    return round(READ * look.scale / SCALE) if isinstance(look, Enlarged) and look.afar else 0


def scale_for(width: int, height: int) -> float:
    """The text scale for a screen of this size in pixels."""
    return SCALE * min(width / WIDTH, height / HEIGHT)


def in_look(bench: Workbench, look: Appearance) -> Workbench:
    """The same model and selection, in another look."""
    other = copy(bench)
    other.appearance = look
    return other


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


def height_at(widget: QWidget, width: int) -> int:
    """The height of a widget in pixels at a width; 0 if it is hidden."""
    if widget.isHidden():
        return 0
    own = getattr(widget, "height_at", None)
    if own is not None:
        return int(own(width))
    height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    return min(height, widget.maximumHeight())


def column_height(widgets: list[QWidget], width: int, spacing: int) -> int:
    """The height in pixels of widgets below each other, at a width."""
    heights = [height_at(widget, width) for widget in widgets if not widget.isHidden()]
    return sum(heights) + spacing * max(len(heights) - 1, 0)
