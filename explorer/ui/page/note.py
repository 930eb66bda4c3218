"""Words on a page: a heading, a sentence about the present numbers, a passage that leads on, a formula, and what is
still being computed.
"""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.numbers import percent
from explorer.lessons.glossary import LINK
from explorer.pages.gestures import ForGlossary
from explorer.pages.page import Maths, Note, Passage, Section, Waiting
from explorer.ui.page.gestures import perform
from explorer.ui.theme import NODE, Theme
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label, SteadyLabel, be_there
from explorer.ui.widgets.layouts import row_in
from explorer.ui.widgets.names import set_names
from explorer.ui.workbench import Workbench

FLAGS = Qt.TextInteractionFlag
FOLLOWS = FLAGS.LinksAccessibleByMouse | FLAGS.LinksAccessibleByKeyboard
SELECTS = FLAGS.TextSelectableByMouse | FLAGS.TextSelectableByKeyboard


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


class NoteLabel(Label):
    """A sentence."""

    def __init__(self, bench: Workbench, note: Note, parent: QWidget | None = None) -> None:
        super().__init__(role="error" if note.wrong else "note", parent=parent, wraps=note.wide)
        self._theme = bench.appearance.theme
        self.setTextFormat(Qt.TextFormat.RichText)
        if note.selects:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if note.wide:
            self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._wide = note.wide
        self._fitted: tuple[object, ...] = ()
        self.tell(note)

    def be_no_wider(self, pixels: int) -> None:
        """Wrap the words if they are wider than `pixels`."""
        polished = self.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)  # whether it has its final font
        fitted = self.text(), pixels, polished
        if not self._wide and fitted != self._fitted:
            self._fitted = fitted  # stored first, because trying it asks for a layout, which calls this method again
            self.setWordWrap(False)
            longer = self.sizeHint().width() > pixels
            self.setWordWrap(longer)
            least = pixels if longer else 0
            if least != self.minimumWidth():
                self.setMinimumWidth(least)

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
        be_there(self, bool(passage.text))

    def follow(self, link: str) -> None:
        """Do what a link asks for: the number of a gesture, or the entry of a term."""
        term, leads = link.removeprefix(LINK), self._passage.leads
        perform(self._bench, ForGlossary("define", term) if term != link else leads[int(link)], self)


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
    for name, colour in (("muted", theme.muted), ("good", theme.accent_text)):
        text = text.replace(f"<{name}>", f"<span style='color:{colour}'>").replace(f"</{name}>", "</span>")
    text = text.replace("<a href='", f"<a style='color:{theme.link}' href='")
    return text.replace(f'<a href="{LINK}', f'<a style="color:{theme.text}" href="{LINK}')
