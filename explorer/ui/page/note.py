"""Words on a page: a heading, a sentence about the present numbers, a passage that leads on, a formula, what is still
being computed; and a derivation: aligned rows of arithmetic, the result in orange.
"""

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.derivation import Row, shortened
from explorer.core.frozen import Frozen
from explorer.core.numbers import percent
from explorer.lessons.glossary import LINK
from explorer.pages.arrange import Ask
from explorer.pages.gestures import ForGlossary
from explorer.pages.page import Derivation, Image, Maths, Note, Passage, Section, Waiting
from explorer.ui.page.gestures import perform
from explorer.ui.theme import NODE, Role, Theme, qcolor
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import FIGURES, MOST_KEPT, TAG, Label, SteadyLabel, be_there, line_of
from explorer.ui.widgets.layouts import row_in
from explorer.ui.widgets.names import set_names
from explorer.ui.workbench import Workbench

FLAGS = Qt.TextInteractionFlag
FOLLOWS = FLAGS.LinksAccessibleByMouse | FLAGS.LinksAccessibleByKeyboard
SELECTS = FLAGS.TextSelectableByMouse | FLAGS.TextSelectableByKeyboard


class Words(Label):
    """Words on one line where there is room, else on several; they know their size before they stand there.

    `wide`: whether they take the width of their place.
    """

    def __init__(self, text: str = "", role: Role = "", parent: QWidget | None = None, *, wide: bool = False) -> None:
        super().__init__(text, role, parent, wraps=True)
        self._wide = wide
        self._one_line: tuple[object, QSize] | None = None
        self._heights: dict[tuple[object, ...], int] = {}

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width; no line is longer than can be read easily."""
        if self._wide:
            return Ask(0, most=line_of(self))
        wide = self._on_one_line().width()
        return Ask(wide, min(wide, room), most=line_of(self))

    def height_at(self, width: int) -> int:
        """The height in pixels at a width; see `SteadyLabel.height_at`."""
        if not self._wide and (one := self._on_one_line()).width() <= width:
            return one.height()
        self.ensurePolished()
        asked = self._key(), width
        if asked not in self._heights:
            if len(self._heights) >= MOST_KEPT:
                self._heights.clear()
            self._heights[asked] = max(Label.heightForWidth(self, width), 0)
        return self._heights[asked]

    def _on_one_line(self) -> QSize:
        self.ensurePolished()
        key = self._key()
        if self._one_line is None or self._one_line[0] != key:
            self.setWordWrap(False)
            self._one_line = key, Label.sizeHint(self)
            self.setWordWrap(True)
        return self._one_line[1]

    def _key(self) -> tuple[object, ...]:
        return self.text().translate(FIGURES), self.font().key()


class WordsBeside(Words):
    """Words beside a control, in a layout of Qt's."""

    def sizeHint(self) -> QSize:
        return self._on_one_line()

    def minimumSizeHint(self) -> QSize:
        """The longest word."""
        one, words = self._on_one_line(), TAG.sub("", self.text()).split()
        return QSize(min(one.width(), max(map(self.fontMetrics().horizontalAdvance, words), default=0)), one.height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.height_at(width)


class SectionLabel(Label):
    """A heading on the page."""

    def __init__(self, bench: Workbench, section: Section, parent: QWidget | None = None) -> None:
        super().__init__(_heading(section.text), "heading", parent, wraps=True)
        self.setCursor(Qt.CursorShape.WhatsThisCursor)

    def tell(self, section: Section) -> None:
        """Show another heading."""
        self.setText(_heading(section.text))


def _heading(text: str) -> str:
    """The words of a heading, with names typeset. A word such as <s> is no markup, though Qt would take it for that."""
    named = set_names(text)
    return escape(text, quote=False) if named == text and "<" in text else named


class NoteLabel(Words):
    """A sentence."""

    def __init__(self, bench: Workbench, note: Note, parent: QWidget | None = None) -> None:
        super().__init__(role="error" if note.wrong else note.role, parent=parent, wide=note.wide)
        self._theme = bench.appearance.theme
        self.setTextFormat(Qt.TextFormat.RichText)
        if note.selects:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if note.wide:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.tell(note)

    def tell(self, note: Note) -> None:
        """Show another sentence."""
        self.setText(rich(note.text, self._theme))


class PassageView(SteadyLabel):
    """Words that may lead on, by mouse and by keys."""

    def __init__(self, bench: Workbench, passage: Passage, parent: QWidget | None = None) -> None:
        super().__init__(role=passage.role, parent=parent, plain=passage.plain)
        self._bench = bench
        self.label.linkActivated.connect(self.follow)
        self.tell(passage)

    def tell(self, passage: Passage) -> None:
        """Show other words."""
        self._passage, code = passage, passage.role == "code"
        flags = SELECTS if code else FOLLOWS if "<a " in passage.text else FLAGS.NoTextInteraction
        if flags != self.label.textInteractionFlags():
            self.label.setTextInteractionFlags(flags)
        self.label.setProperty(NODE, passage.node)
        self.setText(passage.text if code or passage.plain else coloured(passage.text, self._bench.appearance.theme))
        if passage.spoken:
            self.label.setAccessibleName(passage.spoken)
        be_there(self, bool(passage.text))

    def follow(self, link: str) -> None:
        """Do what a link asks for: the number of a gesture, or the entry of a term."""
        term, leads = link.removeprefix(LINK), self._passage.leads
        perform(self._bench, ForGlossary("define", term) if term != link else leads[int(link)], self)


class ImageView(Label):
    """A picture."""

    def __init__(self, bench: Workbench, image: Image, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent, align=Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.tell(image)

    def tell(self, image: Image) -> None:
        """Show another picture."""
        self.setPixmap(image.pixmap)


class MathsView(Formula):
    """A formula."""

    def __init__(self, bench: Workbench, maths: Maths, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent, em=1.4)
        self.tell(maths)

    def tell(self, maths: Maths) -> None:
        """Show another formula."""
        self.setProperty(NODE, maths.node)
        self.set_latex(maths.latex)
        be_there(self, bool(maths.latex))

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width: it is smaller where it would be wider."""
        wide = min(self.size_of(self.latex()).width(), room)
        return Ask(wide, wide)

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return self.size_of(self.latex(), most=width).height()


class WaitingBar(QWidget):
    """A task that is computed in the background, its progress, and a button that stops it or begins it again."""

    def __init__(self, bench: Workbench, waiting: Waiting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._aside, self._waiting, self._share = bench.aside, waiting, 0.0
        self._words = Label(role="note")
        self.button = PushButton("", self._turn)
        row = row_in(self, self.button, spacing=bench.appearance.px(12))
        row.addWidget(self._words, 1)  # the button stays where it is while the words grow
        self._aside.progressed.connect(self._follow)
        self.tell(waiting)

    @property
    def text(self) -> str:
        """The words that are shown."""
        return self._words.text()

    def tell(self, waiting: Waiting) -> None:
        """Show another task, or another state of it."""
        self._waiting = waiting
        self.button.setText("Begin again" if waiting.stopped else "Stop")
        self.button.setToolTip("Compute it from its beginning" if waiting.stopped else "Stop it; it can begin again")
        self._say()

    def _say(self) -> None:
        state = "stopped" if self._waiting.stopped else f"{percent(self._share)} done"
        self._words.setText(f"{self._waiting.what}: {state}")

    def _follow(self, key: str, share: float) -> None:
        if key == self._waiting.id:
            self._share = share
            self._say()

    def _turn(self) -> None:
        self._share = 0.0
        (self._aside.begin if self._waiting.stopped else self._aside.stop)(self._waiting.id)


def rich(text: str, theme: Theme) -> str:
    """The text of a note with its marks in the theme's colours, and names typeset."""
    return coloured(set_names(text), theme)


def coloured(text: str, theme: Theme) -> str:
    """A text with its marks in the theme's colours: <b> in the text colour, <mark>, the present place, in orange.

    Terms of the glossary have the colour of the words around them, so that a text full of them can be read.
    """
    if "<" not in text:
        return text
    text = text.replace("<b>", f"<b style='color:{theme.text}'>")
    text = text.replace("<mark>", f"<b style='color:{theme.here_text}'>").replace("</mark>", "</b>")
    for name, colour in (("muted", theme.muted), ("good", theme.accent_text), ("wrong", theme.here_text)):
        text = text.replace(f"<{name}>", f"<span style='color:{colour}'>").replace(f"</{name}>", "</span>")
    text = text.replace("<a href='", f"<a style='color:{theme.link}' href='")
    return text.replace(f'<a href="{LINK}', f'<a style="color:{theme.text}" href="{LINK}')


GAP = 8
BETWEEN = 24  # pixels at text scale 1 between two columns of lines
EQUALS = 18  # pixels at text scale 1 for the sign before the number
LARGE = 1.5  # above this text scale, lines stand close together
SHORT = 0.3  # share of the width: a longer name gets a line of its own if the arithmetic does not fit beside it


class DerivationLine(Frozen):
    """One line on the screen; the last line of a row carries its number, and a heading has none."""

    row: Row | None
    label: str
    expression: str
    heading: bool = False


class DerivationView(QWidget):
    """The rows of a derivation: label, arithmetic, number; with a line above each sum."""

    columns = 1  # most columns of lines, if they fit side by side
    more_wanted = Signal()  # asks for the terms that were left out

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._rows: Sequence[Row] = ()
        self._terms = 0
        self._lines: list[DerivationLine] = []
        self._broken_at: dict[tuple[int, int], list[DerivationLine]] = {}
        self._told = (0, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Derivation")
        self._measure()

    def tell(self, derivation: Derivation) -> None:
        """Show another derivation."""
        self.show_rows(derivation.rows)
        be_there(self, bool(derivation.rows))

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        if rows == self._rows:
            return
        self._rows, self._terms = rows, 0
        said = [f"{r.label} {r.expression} = {r.value}" if r.value else f"{r.label}:" for r in rows]
        self.setAccessibleDescription("; ".join(said))
        self._measure()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._measure()

    @property
    def longest(self) -> int:
        """The number of terms of the longest sum."""
        return max((len(terms) for terms in _runs(self._rows)), default=0)

    def write_at_most(self, terms: int) -> None:
        """Write out at most so many terms of a sum; 0: all."""
        if terms != self._terms:
            self._terms = terms
            self._lines = self._broken(self.width())
            self.updateGeometry()
            self.update()

    def height_with(self, width: int, terms: int) -> int:
        """The height in pixels at this width, with at most so many terms of a sum."""
        return self._row_height * self._down(width, terms) + 6

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._terms:
            self.more_wanted.emit()
        else:
            super().mousePressEvent(event)

    def _measure(self) -> None:
        fonts = self._bench.appearance.fonts
        number, metrics = QFontMetrics(fonts.number), QFontMetrics(fonts.bold.number)
        large = self._bench.appearance.scale > LARGE  # each pixel counts
        self._row_height = number.height() + (0 if large else 4)
        values = {row.value.translate(FIGURES) for row in self._rows}
        self._value_width = max(map(metrics.horizontalAdvance, values), default=0)
        self._gap, self._between, self._equals = map(self._bench.appearance.px, (GAP, BETWEEN, EQUALS))
        gap = self._gap
        self._broken_at = {}
        self._words = words = cache(number.horizontalAdvance)  # asked for again when rows are broken
        across = [
            words(row.label) + gap * bool(row.label and row.expression) + words(row.expression) for row in self._rows
        ]
        self._unbroken = max(across, default=0) + self._equals + self._value_width + 4
        self._lines = self._broken(self.width())
        told = self.heightForWidth(self.width()), self._row_height
        if told != self._told:  # else each edit would lay out the whole column again
            self._told = told
            self.updateGeometry()
        self.update()

    def _columns_in(self, width: int) -> int:
        return max(min((width + self._between) // (self._unbroken + self._between), self.columns), 1)

    def _column_width(self, width: int) -> int:
        columns = self._columns_in(width)
        return (width - (columns - 1) * self._between) // columns

    def _down(self, width: int, terms: int) -> int:
        return -(-len(self._broken(width, terms)) // self._columns_in(width))

    def _broken(self, width: int, terms: int | None = None) -> list[DerivationLine]:
        """The rows, broken into lines of a width: arithmetic that does not fit beside its number goes above it."""
        # A layout asks for a few widths, several times each.
        key = self._column_width(width), self._terms if terms is None else terms
        if key not in self._broken_at:
            self._broken_at[key] = self._break(*key)
        return self._broken_at[key]

    def _break(self, width: int, terms: int) -> list[DerivationLine]:
        width -= 4
        room = width - self._value_width - self._equals
        lines: list[DerivationLine] = []

        @cache  # called twice: to place the label, and for the lines
        def arithmetic(row: Row, indent: int) -> list[str]:
            """The lines of a row's arithmetic; the first one leaves `indent` pixels free for a label."""
            return wrapped(row.expression or row.label, words, width, room, width - indent)

        gap, words = self._gap, self._words

        def indent(row: Row) -> int:
            return words(row.label) + gap

        def is_one_line(row: Row) -> bool:
            return words(row.label) + gap * bool(row.label and row.expression) + words(row.expression) <= room

        def is_beside(row: Row) -> bool:
            """Whether a label stands on the line of its arithmetic, or a short label on the first of its lines."""
            if is_one_line(row) or not row.label or not row.expression:
                return True
            return indent(row) < SHORT * width and len(arithmetic(row, indent(row))) > 1

        whole = self._unbroken <= width + 4  # so each row is a line
        for kind, run in groupby(shortened(self._rows, terms, " (M)"), key=attrgetter("kind")):
            rows = list(run)
            # The labels of one sum all stand beside its terms, or all above them.
            together = kind == "term" and not whole and not all(map(is_beside, rows))
            for row in rows:
                if kind == "heading":
                    texts = wrapped(row.label, words, *[width] * 3)
                    lines += [DerivationLine(None, text, "", heading=True) for text in texts]
                    continue
                if kind == "more":
                    lines.append(DerivationLine(None, row.expression, ""))
                    continue
                if whole or (is_one_line(row) and not together):
                    lines.append(DerivationLine(row, row.label, row.expression))
                    continue
                both, beside = bool(row.label and row.expression), not together and is_beside(row)
                *above, last = arithmetic(row, indent(row) if both and beside else 0)
                label = row.label if both else ""
                if both and not beside:
                    lines += [DerivationLine(None, text, "") for text in wrapped(row.label, words, *[width] * 3)]
                    label = ""
                for text in above:
                    lines.append(DerivationLine(None, label, text))
                    label = ""
                lines.append(DerivationLine(row, label, last))
        return lines

    # The height depends on the width, and Qt must know that. To set the height in `resizeEvent` would show a scroll
    # bar, which changes the width, which hides the bar, and so on without end.

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.height_with(width, self._terms)

    def sizeHint(self) -> QSize:
        width = self.width() or 200
        return QSize(200, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self._row_height)

    def resizeEvent(self, event: object) -> None:
        self._lines = self._broken(self.width())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme, fonts = self._bench.appearance.theme, self._bench.appearance.fonts
        number, bold = fonts.number, fonts.bold.number
        middle = Qt.AlignmentFlag.AlignVCenter
        at_left, at_right = Qt.AlignmentFlag.AlignLeft | middle, Qt.AlignmentFlag.AlignRight | middle
        height, across, down = self._row_height, self._column_width(self.width()), self._down(self.width(), self._terms)
        step, sign, was = across + self._between, self._equals, ""
        for i, line in enumerate(self._lines):
            left, y = i // down * step, 2 + i % down * height
            right = left + across - 2
            equals = right - self._value_width - sign
            row = line.row
            whole = QRect(left + 2, y, (equals if row else right) - left - 2, height)
            painter.setFont(number)
            if line.label:  # writing nothing takes Qt as long as writing little
                painter.setPen(qcolor(theme.text if line.heading else theme.muted))
                painter.drawText(whole, at_left, line.label)
            if line.expression:
                painter.setPen(qcolor(theme.text))
                painter.drawText(whole, at_right if row or line.label else at_left, line.expression)
            if row is not None:
                adds_up = row.kind != "term" and was == "term" and not row.expression
                was = row.kind
                painter.setPen(qcolor(theme.muted))
                if adds_up:
                    painter.drawLine(right - self._value_width, y, right, y)
                painter.drawText(QRect(equals, y, sign, height), Qt.AlignmentFlag.AlignCenter, "=")
                result = row.kind == "result"
                painter.setPen(qcolor(theme.here_text if result else theme.text))
                painter.setFont(bold if result else number)
                painter.drawText(QRect(equals, y, right - equals, height), at_right, row.value)


def _runs(rows: Sequence[Row]) -> list[list[Row]]:
    """The terms of each sum among the rows."""
    return [list(terms) for kind, terms in groupby(rows, key=attrgetter("kind")) if kind == "term"]


def wrapped(text: str, wide: Callable[[str], int], width: int, last_width: int, first_width: int) -> list[str]:
    """Text broken into lines of a width; the first and the last line have widths of their own.

    `wide`: gives the width of words in pixels.
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and wide(longer) > (width if len(lines) > 1 else first_width):
            lines.append(word)
        else:
            lines[-1] = longer
    if wide(lines[-1]) > last_width:
        lines.append("")
    return lines
