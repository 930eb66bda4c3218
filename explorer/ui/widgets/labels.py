"""Words, icons, and a ring that shows how much of something is done.

A `SteadyLabel` is laid out again only if its words need another height. Icons are drawn in one colour, tinted to the
theme.
"""

import re
from functools import lru_cache
from html import escape
from typing import ClassVar, cast

from PySide6.QtCore import QByteArray, QEasingCurve, QEvent, QMargins, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from explorer.core.numbers import percent
from explorer.paths import resources
from explorer.ui.appearance import Appearance
from explorer.ui.theme import Role, Theme, mark, qcolor
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.names import set_names

LETTERS, SHORT = 90, 120
"""Letters of a line that is easy to read: from the end of a longer line the eye does not find the next one. And letters
of words that stay on one line all the same."""
TAG = re.compile("<[^>]+>")
MOST_KEPT = 32  # heights of words
MOST_OF_ALL = 4096  # those of all labels of a kind
FIGURES = str.maketrans("123456789⁰¹²³⁴⁵⁶⁷⁸⁹", "000000000⁰⁰⁰⁰⁰⁰⁰⁰⁰⁰")
"""Replaces figures by 0: numbers of the same form become equal, as all figures here have one width (`Fonts`)."""


def _typeset(text: str) -> str:
    """Words with names typeset. Qt takes "a &amp; b" for plain words, and would write the mark."""
    named = set_names(text)
    return f"<span>{named}</span>" if "&amp;" in named else named


class Label(QLabel):
    """Words.

    `text`: rich text allowed, in which names are typeset; a text for `setText` is typeset before by `set_names`.
    `plain`: whether the text is shown letter by letter: the name of a file, for example, may look like HTML.
    `wraps`: whether the words may take several lines.
    """

    def __init__(
        self,
        text: str = "",
        role: Role = "",
        parent: QWidget | None = None,
        *,
        plain: bool = False,
        wraps: bool = False,
        align: Qt.AlignmentFlag | None = None,
    ) -> None:
        super().__init__(text if plain else _typeset(text), parent)
        mark(self, role=role)
        if plain:
            self.setTextFormat(Qt.TextFormat.PlainText)
        if wraps:
            self.setWordWrap(True)
        if align is not None:
            self.setAlignment(align)

    def say(self, text: str) -> None:
        """Show other words, with names typeset."""
        self.setText(_typeset(text))


def line_of(label: QLabel) -> int:
    """The greatest width in pixels of the words of a label."""
    short = len(TAG.sub("", label.text())) <= SHORT
    return UNBOUNDED if short else label.fontMetrics().averageCharWidth() * LETTERS


def be_there(widget: QWidget, there: bool) -> None:
    """Hide a widget that shows nothing now, or show it again; one that never was hidden is shown with its parent."""
    if not there or widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
        widget.setVisible(there)


class _PaintedOnce(Label):
    """A label that is painted once: Qt lays out rich text while painting it, and then asks to paint it again."""

    def event(self, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            cast("SteadyLabel", self.parentWidget()).surround(kind == QEvent.Type.FocusIn)
        return kind == QEvent.Type.UpdateLater or bool(super().event(event))


def as_tip(text: str) -> str:
    """A text as a tip: in plain words, a word such as <s> is no markup, though Qt would take it for that.

    `text`: plain, or HTML that begins with a paragraph.
    """
    if "<" not in text or text.startswith("<p>"):
        return text
    return escape(text, quote=False).replace("\n", "<br>")


AROUND = 2
"""Pixels that Qt keeps free beside words."""
RING = QMargins(6, 3, 6, 3)
"""Pixels from words with the focus to the outside of the ring around them."""


def breakable(code: str, most: int) -> str:
    """Python code with blanks after brackets that open, so that no part has more letters than `most`, if possible.

    It still can be copied and run, unlike code with invisible blanks.
    """
    parts = []
    for part in code.split(" "):
        while len(part) > most and "'" not in part and '"' not in part:
            at = part.rfind("(", 1, most) + 1 or part.rfind("[", 1, most) + 1 or part.find("(", most) + 1
            if not 0 < at < len(part):
                break
            parts.append(part[:at])
            part = part[at:]
        parts.append(part)
    return " ".join(parts)


class SteadyLabel(QWidget):
    """A label that wraps its words and is as wide as its place.

    If the words of a `QLabel` change, the layout that holds it is computed again, even for words of the same size: in a
    column of ten labels that is a quarter of the time from an edit to the screen.

    `plain`: whether the text is shown letter by letter, as code is; rich text takes Qt ten times as long.
    """

    _heights: ClassVar[dict[tuple[object, ...], int]] = {}
    """Of all of them: most labels say what another one has said before, in the same letters and width."""

    def __init__(self, text: str = "", role: Role = "", parent: QWidget | None = None, *, plain: bool = False) -> None:
        super().__init__(parent)
        self._text = ""
        self._ring: QFrame | None = None
        self._code, self._typed = role == "code", plain or role == "code"
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        self.label = _PaintedOnce(role=role, parent=self, plain=plain, wraps=True, align=top)
        mark(self.label, surrounded="true")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def text(self) -> str:
        """The words, as they were given."""
        return self._text

    def setText(self, text: str) -> None:
        """Show other words; names in them are typeset, but not in code and plain text."""
        if text != self._text:
            self._text = text
            if not self._code:
                self.label.setText(text if self._typed else _typeset(text))
            self._fit()

    def height_at(self, width: int) -> int:
        """The height of the words in pixels, at a width.

        Figures have one width, so the height is known if only numbers have changed: measuring rich text takes Qt long.
        """
        label = self.label
        label.ensurePolished()  # else it would be measured in other letters
        asked = label.text().translate(FIGURES), width, label.font().key(), label.property("role"), self._typed
        if asked not in self._heights:
            if len(self._heights) >= MOST_OF_ALL:
                self._heights.clear()
            self._heights[asked] = max(label.heightForWidth(width), 0)
        return self._heights[asked]

    def _fit(self) -> None:
        if self._code:
            # A part wider than the label goes on in the next line. Qt gets another text only if it differs: each asks
            # for the layout, and so for this, again.
            letters = (self.width() - AROUND) // max(self.label.fontMetrics().horizontalAdvance("M"), 1)
            too_long = max(map(len, self._text.split(" "))) > letters > 0
            shown = breakable(self._text, letters) if too_long else self._text
            if shown != self.label.text():
                self.label.setText(shown)
        if not self.testAttribute(Qt.WidgetAttribute.WA_Resized):
            return  # it stands nowhere yet
        height = self.height_at(self.width())
        self.label.setGeometry(0, 0, self.width(), height)
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def surround(self, on: bool) -> None:
        """Show that the words have the focus, or no longer: a frame of their own would cross their letters."""
        around = self.parentWidget()
        if on and self._ring is None and around is not None:
            self._ring = QFrame(around)
            self._ring.setObjectName("ring")
            self._ring.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._ring.lower()
            self.destroyed.connect(self._ring.deleteLater)
        if self._ring is not None:
            self._surround()
            self._ring.setVisible(on)

    def _surround(self) -> None:
        if self._ring is not None:
            self._ring.setGeometry(self.geometry() + RING)

    def event(self, event: QEvent) -> bool:
        # The label asks for another size: its font has changed.
        if (kind := event.type()) == QEvent.Type.LayoutRequest:
            self._fit()
        elif kind == QEvent.Type.Move:
            self._surround()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()
        self._surround()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())


SIZES = (16, 24, 32, 48, 64)
"""Sizes in which an icon is drawn; Qt takes the next larger one, so it is sharp on high-density screens, too."""


@lru_cache(maxsize=64)
def _source(name: str) -> bytes:
    return (resources() / "icons" / f"{name}.svg").read_bytes()


@lru_cache(maxsize=64)
def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """The icon ``resources/icons/NAME.svg`` in a colour of the theme.

    `name`: file name without ending: undo, redo, sun, moon, plus, close, pin, error, search, back, next, ...
    `theme`: gives the colours.
    `role`: the name of a colour in the theme: "text", "muted", "on_accent", "error", ...
    """
    result = QIcon()
    for mode, color in ((QIcon.Mode.Normal, getattr(theme, role)), (QIcon.Mode.Disabled, theme.disabled)):
        renderer = QSvgRenderer(QByteArray(_source(name).replace(b"currentColor", color.encode())))
        for size in SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter)
            painter.end()
            result.addPixmap(pixmap, mode)
    return result


def app_icon(theme: Theme) -> QIcon:
    """The icon of the program; it has its own colours, the same in both themes."""
    return icon("app", theme)


WIDE, LINE, FILLS_MS = 22, 3.5, 700
"""The diameter and the thickness in pixels at text scale 1, and how long the ring takes to fill."""


class Ring(QWidget):
    """A ring of which a share is filled; a whole one has a tick inside.

    `size`: pixels at text scale 1.
    """

    def __init__(self, appearance: Appearance, name: str, size: int = WIDE, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.share = self._shown = 0.0
        self._filling = QVariantAnimation(self)
        self._filling.setDuration(FILLS_MS)
        self._filling.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._filling.valueChanged.connect(self._be)
        self.setFixedSize(appearance.px(size), appearance.px(size))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """As large as it is: what stands below it begins there."""
        return self.minimumSize()

    def show_share(self, share: float, fills: bool = False) -> None:
        """Show how far one is, from 0 to 1. `fills`: from nothing, before one's eyes, unless little should move."""
        self.share = share
        self.setAccessibleDescription(percent(share))
        self.setToolTip(f"{percent(share)} gone through")
        self._filling.stop()
        if fills and self._appearance.moves:
            self._filling.setStartValue(0.0)
            self._filling.setEndValue(share)
            self._filling.start()
        else:
            self._be(share)

    def _be(self, share: object) -> None:
        self._shown = float(share)  # type: ignore[arg-type]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_ring(painter, QRectF(self.rect()), self._shown, self._appearance)
        painter.end()


def draw_ring(painter: QPainter, place: QRectF, share: float, appearance: Appearance) -> None:
    """Draw a ring into a square, filled by a share from 0 to 1, with a tick inside when it is whole."""
    theme, thick = appearance.theme, LINE * appearance.scale
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    around = place.adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2)
    painter.setPen(QPen(qcolor(theme.line), thick))
    painter.drawEllipse(around)
    if share > 0:
        painter.setPen(QPen(qcolor(theme.accent), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawArc(around, 90 * 16, -round(360 * 16 * share))
    if share >= 1:
        painter.setPen(qcolor(theme.accent_text))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), "✓")
    painter.restore()
