"""The opening page: a model at work, and a field for the reader's own sentence."""

import re
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QVariantAnimation
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.vocabulary import typed
from explorer.document.commands import SetTokens
from explorer.document.continuation import read_words, sequence_of
from explorer.lessons.loader import load
from explorer.lessons.progress import left_at, outcome
from explorer.lessons.schema import WHOLE
from explorer.pages.drawing import Drawing
from explorer.pages.whole.lanes import first_picture, likeliest, opening, opening_said
from explorer.sentences import sentence
from explorer.ui.appearance import dress_now, opening_stylesheet
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.theme import Role, mark
from explorer.ui.turns import do_once_painted, later
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import FlowLayout
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.window.frame import TOO_LOW

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

TIME = 4500
"""Milliseconds of the motion in which the words run through the model."""
FIELD, MOST = 300, 820
"""The least and the greatest width of the field for a sentence, in pixels at text scale 1."""
PICTURE, BESIDE_FIELD = 2, 2
"""The place of the picture in the column, below title and sentence; that of the button in the line of the field."""
LARGE = 1600, 900
"""In a window larger than this, in pixels at text scale 1, the text of the page is larger than usual."""
TRY = "Change a word, for example “cat” to “dog”, and press Enter."
LOOK = " Or click any part of the picture to look into it."


class OpeningPage(QFrame):
    """The words of a sentence run through the model once; then the reader can type another one, or go on to a lesson.

    With less motion, the end is shown at once. `window`: the main window, whose document the page shows.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__()
        self._window, self._bench = window, window.bench
        self._lesson = self._bench.lesson
        self.setObjectName("page")
        self.setAccessibleName("Page")
        self.at = 1.0
        """The moment of the motion that is shown, from 0 to 1."""
        self._held = 0, ""
        """The width and the font for which the height of the sentence was reserved."""
        self._read_view()
        self._title = Label("How a transformer finds the next word", "title")
        self.said = Label(role="lead", wraps=True, align=Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self.picture = PicturePlace(self._bench.appearance.turns, self._made, self._shown[0])
        self.field = mark(QLineEdit(), large="true")
        self.field.setAccessibleName("A sentence of your own")
        self.field.setPlaceholderText("A sentence of your own")
        self.field.returnPressed.connect(self._read)
        tip = "What happens in there, in ten steps, in a smaller model"

        def begin() -> None:
            window.complete().lessons.begin_first()

        self.button = mark(PushButton("Show me how", begin, tip, look="primary", keys=True), large="true")
        self.told = SteadyLabel(role="muted")
        self.told.label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.told.label.setOpenExternalLinks(False)
        self.told.label.linkActivated.connect(self._take)
        self.again = PushButton("Play again", self.play, look="link")
        self._go_on = PushButton(keys=True)
        self._go_on.hide()
        self.links = (
            self.again,
            PushButton("Choose a lesson", lambda: window.complete().lessons.show_lessons(), look="link"),
            PushButton("Open a model that others trained …", lambda: window.complete().files.open_model(), look="link"),
            PushButton("Open a document or lesson …", lambda: window.complete().files.open(), look="link"),
            PushButton("Open the whole explorer", lambda: window.go_to_stage(WHOLE), look="link"),
        )
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=TIME)
        self._motion.valueChanged.connect(self.show_at)
        self._lay_out()
        self._bench.appearance.changed.connect(self.restyle)
        self._bench.appearance.switched.connect(self._follow_motion)
        self._take_words()

    def _made(self, drawing: Drawing) -> QWidget:
        from explorer.ui.drawing.zoom import ZoomedView  # here, because it imports pyqtgraph, which takes long

        return ZoomedView(self._bench, drawing)

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._title, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addWidget(self.said)
        self._column.addWidget(self.picture, 1)
        self._asks, self._below = QHBoxLayout(), QHBoxLayout()
        ways = QWidget()
        self._ways = FlowLayout(ways, centred=True)
        for line in (self._asks, self._below):
            self._column.addLayout(line)  # while empty: otherwise PySide does not notice when its items are deleted
        self._column.addWidget(self._go_on, 0, Qt.AlignmentFlag.AlignHCenter)  # too wide for the line of the links
        self._column.addWidget(ways)
        self._asks.addStretch(1)
        self._asks.addWidget(self.field, 100)
        self._asks.addWidget(self.button)
        self._asks.addStretch(1)
        self._below.addStretch(1)
        self._below.addWidget(self.told, 100)
        self._below.addStretch(1)
        for link in self.links:
            self._ways.addWidget(link)
        self._follow_look()
        self._show_end()

    def restyle(self) -> None:
        self._follow_look()
        self._show_anew()

    def _follow_look(self) -> None:
        px = self._bench.appearance.px
        self._column.setContentsMargins(px(24), px(22), px(24), px(14))
        self._column.setSpacing(px(8))
        self._dress(self.width())
        dress_now(self._title)  # it is hidden in large text, and came back in large letters
        self._title.setVisible(not self._bench.view.looking.large)
        self._invite()
        if self.picture.picture is not None:
            self.picture.picture.restyle()

    # The picture

    def _read_view(self) -> None:
        """Take the present state of the model, which is shown until the next call."""
        view = self._bench.view
        self._view = replace(view, looking=replace(view.looking, showing="values", choices={}))
        self._shown = first_picture(self._view)

    def _show_anew(self) -> None:
        """Show the end of the motion for the present model."""
        self._read_view()
        self._show_end()

    def _show_end(self) -> None:
        self._motion.stop()
        self.show_at(1.0)
        self._hold_said(self.width())

    def show_at(self, at: float) -> None:
        """Show a moment of the motion, from 0 to 1."""
        self.at = at
        self.picture.tell(opening(*self._shown, at))
        said = opening_said(self._view, at)
        if said != self.said.text():
            self.said.setText(said)

    @property
    def plays(self) -> bool:
        """Whether the words are running through the model."""
        return self._motion.state() == QVariantAnimation.State.Running

    def play(self) -> None:
        """Let the words run through the model; with less motion, show the end."""
        self._motion.stop()
        if self._bench.appearance.moves:
            self._motion.start()
        else:
            self.show_at(1.0)

    def _follow_motion(self) -> None:
        if self.plays and not self._bench.appearance.moves:
            self._motion.stop()
            self.show_at(1.0)

    def follow(self, *_: object) -> None:
        """Show a change of the document; if another example was opened, leave this page."""
        if self._bench.lesson is not self._lesson:
            self.leave()
        elif self.isVisible():
            self._take_words()
            self._show_anew()

    def _take_words(self) -> None:
        sequence = sequence_of(self._bench.document.state)
        self.field.setText(typed(self._bench.document.words(sequence), self._known(sequence)))

    def _known(self, sequence: str) -> tuple[str, ...]:
        return self._bench.document.engine.graph.vocabulary(sequence)

    # The reader's own sentence

    def _read(self) -> None:
        """Let the model read the typed words, or say which word it does not know, and which words it knows."""
        document = self._window.complete().bench.document
        sequence, before = sequence_of(document.state), likeliest(self._view)
        n_words = len(document.words(sequence))
        try:
            document.do(SetTokens(sequence, read_words(document.state, sequence, self.field.text())))
        except ExplorerError as error:
            self._refuse(error)
            return
        self._bench.bridge.flush()
        if before == likeliest(self._view):
            self._invite()
        else:
            # Only values of as many words can be marked.
            marked = " Black lines at the bars are the values of before."
            same = len(document.words(sequence)) == n_words
            self._tell(f"Before, it was {escape(before)}.{marked if same else ''}", "muted")

    def _refuse(self, error: ExplorerError) -> None:
        text = escape(sentence(error), quote=False)
        if error.id == "empty-tokens":  # its sentence names the sequence, of which this page says nothing
            text = "Type at least one word, and press Enter."
        elif error.id == "unknown-text-word":
            word = str(error.fields["word"])
            known = str(error.fields["known"]).split(", ")
            links = (f'<a href="{escape(f"{word} {one}")}">{escape(one)}</a>' for one in known)
            n_words = sum(one[0].isalpha() for one in self._known(sequence_of(self._bench.document.state)))
            it = f"This model knows {n_words} words, but not “{escape(word, quote=False)}”"
            text = f"{it}; it knows, for example, {', '.join(links)}."
        self._tell(text, "error")

    def _invite(self) -> None:
        """Show what the reader can do; with large text only the first sentence, to leave room for the picture."""
        self._tell(TRY if self._bench.view.looking.large else TRY + LOOK, "muted")

    def _tell(self, text: str, role: Role) -> None:
        mark(self.told.label, role=role)
        self.told.setText(text)

    def _take(self, link: str) -> None:
        """Replace a word that the model does not know by one that it knows."""
        unknown, known = link.split(" ")
        if not any(map(str.isalnum, unknown)):  # a sign, which stands against the words beside it
            known = f" {known} "
        self.field.setText(re.sub(_alone(unknown), lambda _: known, self.field.text()))
        self._read()

    # Showing and leaving

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Reserve the height of the sentence, so that the picture does not move; in a large window enlarge the text."""
        super().resizeEvent(event)
        self._dress(self.width())
        self._hold_said(self.width())

    def least_height(self, width: int) -> int:
        """The height in pixels that it needs where it scrolls anyway: the picture is as wide as the page then."""
        self._dress(width)
        self._hold_said(width)
        left, right, bottom, top = self._shown[0].window
        high = self._across(width) * (top - bottom) / (right - left)
        return self._column.minimumHeightForWidth(width) + round(high)

    def _across(self, width: int) -> int:
        margins = self._column.contentsMargins()
        return width - margins.left() - margins.right()

    def _dress(self, width: int) -> None:
        """Enlarge text and field if the window is much larger than the least one; divide a width among the field and
        the button, which stands below it if the field would show only a few words.

        Where the page scrolls the picture is below them, so that they are in sight.
        """
        look = self._bench.appearance
        across, down = width / look.px(LARGE[0]), self.height() / look.px(LARGE[1])
        times = round(min(max(min(across, down), 1.0), 2.0), 1)
        sheet = "" if times == 1 else opening_stylesheet(look.fonts.ui.pointSizeF() * times)
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
        for part in (self.field, self.told):
            part.setMaximumWidth(round(look.px(MOST) * times))
        whole, field = self._across(width), look.px(FIELD)
        beside = whole - self._asks.spacing() - self.button.sizeHint().width()
        below = beside < field * 2 // 3
        if below != (self._column.indexOf(self.button) >= 0):
            (self._asks if below else self._column).removeWidget(self.button)
            if below:
                at = self._column.indexOf(self._asks) + 1
                self._column.insertWidget(at, self.button, 0, Qt.AlignmentFlag.AlignHCenter)
            else:
                self._asks.insertWidget(BESIDE_FIELD, self.button)
        self.field.setMinimumWidth(max(min(field, whole if below else beside), 0))
        low = self._window.height() < look.px(TOO_LOW)
        if low != (self._column.indexOf(self.picture) > self._column.indexOf(self._asks)):
            self._column.removeWidget(self.picture)
            self._column.insertWidget(self._column.indexOf(self._go_on) if low else PICTURE, self.picture, 1)

    def _hold_said(self, width: int) -> None:
        now = self.said.text()
        self.said.setText(opening_said(self._view, 1.0))  # the longest sentence
        held = width, self.said.font().key()
        if held != self._held:
            self._held = held
            self.said.setMinimumHeight(0)  # a label asks for no less: after large letters the picture stayed small
        self.said.setFixedHeight(self.said.heightForWidth(self._across(width)))
        self.said.setText(now)

    def leave(self, *_: object) -> None:
        """Go on to the model, as when a stage is chosen elsewhere."""
        if self.isVisible():
            self._window.show_tab("Pipeline")

    def _offer_to_go_on(self) -> None:
        """Offer the lesson that was left last, if it is not finished."""
        if not self._go_on.isHidden():  # the page is shown again, as after the window was minimised
            return
        folder = self._window.complete().lessons.guide.folder
        latest = None if folder is None else folder.latest()
        if latest is None:
            return
        try:
            lesson = load(latest.lesson)
        except ExplorerError:  # the lesson's file is gone
            return
        at = left_at(lesson, latest)
        if at and not outcome(lesson, latest).is_whole:
            where = "" if self._bench.view.looking.large else f" at step {at} of {len(lesson.steps)}"
            self._go_on.setText(with_ampersands(f"Go on with “{lesson.title}”{where}"))
            self._go_on.clicked.connect(partial(self._window.lessons.begin, lesson.id, False))
            self._go_on.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._bench.appearance.moves:  # so that the end is not shown before the motion begins
            self.show_at(0.0)
        begin = later(self, self._begin, once=True)
        do_once_painted(self, lambda: self._bench.appearance.turns.add(begin))  # after the picture

    def _begin(self) -> None:
        if self._window.focusWidget() in (None, self._window):  # what is typed at once is a sentence, too
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._offer_to_go_on()
        self.play()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the motion, which nobody sees now."""
        super().hideEvent(event)
        self._motion.stop()


def _alone(word: str) -> str:
    """A pattern for a word where it is no part of another one; a sign may stand against a word."""
    place = re.escape(word)
    return rf"(?<!\w){place}(?!\w)" if any(map(str.isalnum, word)) else place
