"""The page of lessons: what there is, what each teaches, how long it takes and how far one is, with a search."""

from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import errata, load, titles
from explorer.lessons.own_lessons import FOLDER, yours
from explorer.lessons.progress import Progress, ProgressFolder, left_at, outcome
from explorer.lessons.schema import Lesson, states_of
from explorer.ui.background import Background
from explorer.ui.lesson.chapters import ChapterList, Ring
from explorer.ui.lesson.review_card import AgainCard
from explorer.ui.lesson.step_pictures import picture_of_sizes, picture_of_step
from explorer.ui.theme import Theme, mark
from explorer.ui.turns import later
from explorer.ui.widgets.formula import AGAIN, is_loaded
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in, row_in
from explorer.ui.window.lesson_bar import sentences
from explorer.ui.workbench import Workbench

WIDTH, LEAST_CARD, MOST_COLUMNS = 860, 600, 3
"""Pixels at text scale 1 that a line is long at most: longer ones are hard to read; that a card is wide at least where
several stand beside each other; and how many do at most."""
PICTURE = 150, 84
"""Pixels at text scale 1 that the picture of a card takes."""
LARGEST = 3
"""Times that, a picture is kept, which larger text needs."""
Pictures = dict[tuple[str, Theme], QImage | None]
"""What lessons begin with, by their ids, in a theme."""
AT_ONCE = 10
"""Lessons that are read and shown together: the largest takes 0.2 s to read, beside the window."""
LINK = 30
"""Pixels at text scale 1 that a heading with a link beside it is high."""
RAIL, NARROW = 220, 800
"""Pixels at text scale 1 that the chapters are wide, and below which they stand above the lessons."""


class LessonCard(QFrame):
    """One lesson or example."""

    wanted = Signal(str, bool)  # the lesson of this id is to be opened: from its beginning, or where one was
    removed = Signal(str)  # it is to be kept no more

    def __init__(
        self, bench: Workbench, id: str, title: str, mine: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        mark(self, card="true")
        self.setAccessibleName(title)
        px = bench.appearance.px
        self._bench = bench
        self.id = id
        self.lesson: Lesson | None = None
        self._found = title.casefold(), ""
        self.share = 0.0
        self.title = SteadyLabel(escape(title, quote=False), role="strong")
        self._teaches = SteadyLabel(role="muted")
        self._said = SteadyLabel(role="small")  # long where there is much to say: it wraps
        self.ring = Ring(bench.appearance, f"How far you are in {title}")
        self.picture = QLabel()
        self.picture.setFixedSize(px(PICTURE[0]), px(PICTURE[1]))
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.is_drawn = False
        self.button = QPushButton("Open")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(lambda: self.wanted.emit(id, False))
        self.again: QPushButton | None = None
        """Begins at the first step; only where one is behind it."""
        self.remove: QPushButton | None = None
        """Only where the lesson is the person's own."""
        whole = QHBoxLayout(self)
        whole.setContentsMargins(px(16), px(10), px(12), px(10))
        whole.setSpacing(px(16))
        whole.addWidget(self.picture)
        words = QVBoxLayout()
        whole.addLayout(words, 1)
        words.setSpacing(px(2))
        words.addWidget(self.title)
        words.addWidget(self._teaches)
        line = QHBoxLayout()
        words.addLayout(line)
        line.setSpacing(px(12))
        line.addWidget(self.ring)
        line.addWidget(self._said, 1)
        if mine:
            self.remove = mark(QPushButton("Remove"), link="true")
            self.remove.setAccessibleName(f"Remove {title} from your lessons")
            self.remove.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.remove.clicked.connect(lambda: self.removed.emit(id))
            line.addWidget(self.remove)
        self._acts = acts = QVBoxLayout()
        whole.addLayout(acts)
        acts.setSpacing(0)
        acts.addStretch()
        acts.addWidget(self.button)
        acts.addStretch()
        self.show_lesson(None)

    def show_lesson(self, lesson: Lesson | None, progress: Progress | None = None) -> None:
        """Say what is in it, at which step one is, and at its end how much was right and what there is to revisit."""
        if lesson is None or progress is None:
            self.ring.hide()
            return
        self.lesson, steps = lesson, len(lesson.steps)
        far, found = left_at(lesson, progress), outcome(lesson, progress)
        over = bool(steps) and found.is_whole
        half = 0 < far and not over
        self.share = found.share if steps else 0.0  # as at the end of the lesson
        self.ring.setVisible(bool(steps))
        self.ring.show_share(self.share)
        self._offer_again(half)
        teaches = lesson.teaches or sentences(" ".join(lesson.paragraph.split("\n\n")[0].split()))[0]
        self._teaches.setText(escape(teaches[:1].upper() + teaches[1:], quote=False))
        minutes = f" · about {lesson.minutes:.0f} minutes" if lesson.minutes else ""
        said = [f"{steps} steps{minutes}" if steps else "An example to explore, without steps"]
        if half or over:
            said += ["✓ gone through" if over else "at the end" if far == steps else f"at step {far} of {steps}"]
        if over or (half and far == steps):
            said += [found.brief] if found.brief else []
            said += [f"{len(found.revisit)} to revisit"] if found.revisit else []
        if lesson.needed is not None:
            said += [f"needs {lesson.needed.name}"]
            said += [] if lesson.needed.checked else ["not checked by us with the real weights"]
        self._said.setText(" · ".join(said))
        self.button.setText("Go on" if half else "Again" if over else "Begin" if steps else "Open")
        self.button.setAccessibleName(f"{self.button.text()}: {lesson.title}")
        self.button.setToolTip(self.button.accessibleName())
        mark(self.button, primary="true" if steps and not over else "false")
        about = teaches, *(step.title for step in lesson.steps), lesson.paragraph, lesson.reference, lesson.id
        self._found = lesson.title.casefold(), " ".join(about).casefold()

    def _offer_again(self, offered: bool) -> None:
        if self.again is None and offered:
            self.again = again = mark(QPushButton("Begin anew"), link="true")
            again.setToolTip("Begin at the first step, without your answers")
            again.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            again.clicked.connect(lambda: self.wanted.emit(self.id, True))
            self._acts.insertWidget(2, again)
        if self.again is not None:
            self.again.setVisible(offered)

    def draw(self, known: Pictures) -> None:
        """Show small what the lesson shows first, with the numbers of its model.

        `known`: pictures that were made before, to which this one is added: text of another size needs no new ones.
        """
        self.is_drawn = True
        if self.lesson is None or not self.lesson.steps or self.lesson.steps[0].training is not None:
            return
        ratio, key = self.devicePixelRatioF(), (self.lesson.id, self._bench.appearance.theme)
        if key not in known:
            known[key] = self._beginning(QSize(*PICTURE) * (LARGEST * ratio))
        if (image := known[key]) is not None:
            small = _scaled(image, self.picture.size() * ratio)
            small.setDevicePixelRatio(ratio)
            self.picture.setPixmap(QPixmap.fromImage(small))
            what = "What it begins with" if self.lesson.needed is None else "Its model"
            self.picture.setAccessibleName(f"{what}: {image.text('Description')}")

    def _beginning(self, most: QSize) -> QImage | None:
        """What its first steps name, no larger than so many pixels; None where nothing does or can be drawn.

        Of a model that is not there only its sizes: a stand-in would have other numbers.
        """
        look, lesson = self._bench.appearance, self.lesson
        assert lesson is not None
        if lesson.needed is not None:
            return picture_of_sizes(lesson.needed, look.theme, most)
        try:
            whole = picture_of_step(look, lesson, 0, states_of(lesson)[0], look.theme)
        except ExplorerError:  # who opens the lesson is told
            return None
        if whole is None:
            return None
        whole.setDevicePixelRatio(1.0)
        image = _scaled(whole, most)
        image.setText("Description", whole.text("Description"))
        return image

    def rank(self, words: list[str]) -> int | None:
        """0 where all of some words occur in the title, 1 where some do elsewhere in it, None where one does not."""
        title, about = self._found
        if all(word in title for word in words):
            return 0
        return 1 if all(word in title or word in about for word in words) else None


def _scaled(image: QImage, room: QSize) -> QImage:
    """As large as it fits."""
    return image.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)


class LessonPage(QScrollArea):
    """All lessons, easier ones first.

    Parameters
    ----------
    progress : callable
        From a lesson to how far one is in it.
    folder : ProgressFolder or None
        Where progress is kept, if it is.
    parent : QWidget
        What it stands in from the start: Qt dresses all that is in a widget anew whenever it gets another parent.
    """

    wanted = Signal(str, bool)  # as of a card
    again_wanted = Signal(str, str)  # as of `AgainCard`
    removed = Signal(str)  # as of a card
    bundle_wanted = Signal()  # the person's own lessons are to be written into one file
    record_wanted = Signal()  # what is done from now on is to be recorded, or no more
    made = Signal()  # it was made anew

    def __init__(
        self, bench: Workbench, progress: Callable[[Lesson], Progress], folder: ProgressFolder | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._bench, self._progress, self._folder = bench, progress, folder
        self.cards: dict[str, LessonCard] = {}
        self._pictures: Pictures = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search: softmax, order, 003 …")
        self.search.setAccessibleName("Search the lessons")
        self.search.setToolTip("Lessons with all of these words")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._find)
        self._none = mark(QLabel("No lesson has all of these words. Search for fewer words."), role="muted")
        self._reader = Background(self)
        self._drawing = QTimer(self, interval=0)
        self._drawing.timeout.connect(self._draw_next)
        self.verticalScrollBar().valueChanged.connect(lambda: self._drawing.start())
        self._worn = True
        self._again = later(self, self._dress)
        self._make()

    def _make(self) -> None:
        px = self._bench.appearance.px
        page = QWidget(self.viewport())
        page.hide()  # until all is in it: Qt would lay out anew for each part
        self.setWidget(page)
        self._across = across = QBoxLayout(QBoxLayout.Direction.LeftToRight, page)
        across.setContentsMargins(px(24), px(16), px(16), px(20))
        across.setSpacing(px(20))
        self.courses = ChapterList(self._bench)
        self.courses.chosen.connect(self._find)
        across.addWidget(self.courses)
        self._content = content = QWidget(page)
        self._columns, self._order = 1, list[QWidget]()
        across.addWidget(content, 1)
        across.addStretch(0)
        column = column_in(content, spacing=px(8))
        title = mark(QLabel("Lessons"), role="title")
        top = QHBoxLayout()
        column.addLayout(top)
        top.addWidget(title, 1)
        self.record = QPushButton()
        self.record.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.record.setToolTip(
            "Record the pages that you visit and the numbers that you change as the steps of a new lesson"
        )
        self.record.clicked.connect(self.record_wanted)
        top.addWidget(self.record)
        self.show_recording(None)
        said = SteadyLabel(
            "Each lesson leads through one model, step by step. Easier lessons stand first.", role="muted"
        )
        column.addWidget(said)
        self.again = AgainCard(self._bench, self._folder)
        self.again.wanted.connect(self.again_wanted)
        column.addWidget(self.again)
        self._about = SteadyLabel(role="muted")
        column.addWidget(self._about)
        column.addWidget(self.search)
        column.addWidget(self._none)
        for id, name in titles().items():
            card = LessonCard(self._bench, id, name, parent=content)
            card.wanted.connect(self.wanted)
            self.cards[id] = card
        folder = self._bench.settings.folder
        self._yours = {str(file): title for file, title in yours(folder and folder / FOLDER).items()}
        for id, name in self._yours.items():
            card = LessonCard(self._bench, id, name, mine=True, parent=content)
            card.wanted.connect(self.wanted)
            card.removed.connect(self.removed)
            self.cards[id] = card
        self._of_yours = QWidget(content)
        self._of_yours.setMinimumHeight(px(LINK))  # the layout of cards would cut the letters
        heading = row_in(self._of_yours, spacing=px(12))
        heading.addWidget(mark(QLabel("Your lessons"), role="strong"))
        self.bundle = mark(QPushButton("Save all as one file …"), link="true")
        self.bundle.setToolTip("To hand them on: the file opens by a double-click")
        self.bundle.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.bundle.clicked.connect(self.bundle_wanted)
        heading.addWidget(self.bundle)
        heading.addStretch()
        apart = "For those who hold a printed text beside the screen"
        self._apart = SteadyLabel(apart, role="strong", parent=content)
        self._listed = QGridLayout()
        self._listed.setSpacing(px(8))
        column.addLayout(self._listed)
        column.addStretch(1)  # not the cards: a single one would be as high as the page
        self._arrange()
        self._find()
        page.show()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.search.clear()  # who comes back has found what was searched for
        self._dress()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def is_whole(self) -> bool:
        """Whether all lessons have been read."""
        return not self._reader.at_work

    def refresh(self) -> None:
        """Read what is new: how far one is, and what is in each lesson."""
        self._waiting = [*self.cards.values()]
        self._read_next()

    def _read_next(self) -> None:
        """Read some lessons beside the window: the page is there before."""
        some, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
        if some:
            named = [card.lesson or card.id for card in some]  # the thread holds no widget
            self._reader.ask(lambda _: [_read(one) for one in named], partial(self._take, some))
        else:
            self.courses.show_shares({card.id: card.share for card in self.cards.values()})
            self._find()  # what the lessons are about is known only now
            self.again.show_lessons({card.id: card.lesson for card in self.cards.values() if card.lesson is not None})

    def _take(self, cards: list[LessonCard], lessons: list[Lesson | None]) -> None:
        """Show lessons that have been read. All of them at once: with each one the page is laid out anew."""
        for card, lesson in zip(cards, lessons, strict=True):
            if lesson is not None:
                card.show_lesson(lesson, self._progress(lesson))
        self._drawing.start()
        self._read_next()

    def _find(self, *_: object) -> None:
        self._about.setText(self.courses.about)
        self._about.setVisible(bool(self.courses.about))
        words, course = self.search.text().casefold().split(), self.courses.course
        of_course = [id for id in (self.cards if course is None else course.lessons) if id in self.cards]
        ranks = {id: rank for id in of_course if (rank := self.cards[id].rank(words)) is not None}
        apart = [id for id in self.cards if id in errata().values()]
        others = {*apart, *self._yours}
        found = sorted((id for id in ranks if id not in others), key=ranks.__getitem__)  # those named so stand first
        rest = [id for id in self.cards if id not in ranks and id not in others]
        listed: list[QWidget] = [self.cards[id] for id in (*found, *rest)]
        listed += [self._of_yours, *(self.cards[id] for id in self._yours)]
        self._order = [*listed, self._apart, *(self.cards[id] for id in apart)]
        shown = {self._apart: any(id in ranks for id in apart), self._none: not ranks}
        shown[self._of_yours] = any(id in ranks for id in self._yours)
        for widget, is_shown in (*shown.items(), *((card, id in ranks) for id, card in self.cards.items())):
            if widget.isHidden() is is_shown:  # Qt measures all that it is told to show, also what is shown
                widget.setVisible(is_shown)
        self._place()
        self._drawing.start()

    def _place(self) -> None:
        """Put the cards beside and below each other, in their order, each heading in a line of its own."""
        across, row, column = self._columns, 0, 0
        for widget in self._order:
            shown = not widget.isHidden()
            if isinstance(widget, LessonCard):
                self._listed.addWidget(widget, row, column)  # where it stood before it stands no more
                row, column = divmod(row * across + column + shown, across)
            else:
                row += column > 0
                self._listed.addWidget(widget, row, 0, 1, across)
                row, column = row + shown, 0
        for at in range(MOST_COLUMNS):
            self._listed.setColumnStretch(at, int(at < across))

    def _draw_next(self) -> None:
        """The picture of one card that is in sight, in each turn of the event loop."""
        cards = (card for card in self.cards.values() if card.lesson is not None and not card.is_drawn)
        card = next((one for one in cards if not one.visibleRegion().isEmpty()), None)
        self._drawing.setInterval(0)
        if card is None:
            self._drawing.stop()
        elif is_loaded():
            card.draw(self._pictures)
        else:  # its formulas would load the typesetter here, which holds the window for 0.3 s
            self._drawing.setInterval(AGAIN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self._drawing.start()

    def _arrange(self) -> None:
        """The chapters stand at the left, or above where the page is narrow."""
        px, narrow = self._bench.appearance.px, self.viewport().width() < self._bench.appearance.px(NARROW)
        ways = QBoxLayout.Direction
        self._across.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        rail = max(px(RAIL), self.courses.sizeHint().width())  # or the name of a chapter would be cut
        self.courses.setFixedWidth(rail) if not narrow else self.courses.setMaximumWidth(px(WIDTH))
        columns = min(max((self.viewport().width() - rail) // px(LEAST_CARD), 1), MOST_COLUMNS)
        self._content.setMaximumWidth(columns * px(WIDTH))
        if columns != self._columns:
            self._columns = columns
            self._place()

    def show_recording(self, steps: int | None) -> None:
        """Say how many steps have been recorded; None: nothing is being recorded."""
        self.record.setText(
            "Record a lesson" if steps is None else f"● Stop recording · {steps} step{'s' * (steps != 1)}"
        )

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._worn = False
        if self.isVisible():
            self._bench.appearance.turns.add(self._again)

    def _dress(self) -> None:
        """Sizes stand everywhere, so all is made anew: a tab out of sight when it is looked at."""
        if not self._worn:
            self._worn = True
            self.search.setParent(None)
            self._none.setParent(None)
            self.cards = {}
            self._make()
            self.made.emit()
        self.refresh()


def _read(lesson: Lesson | str) -> Lesson | None:
    """A lesson; None for a file of the person's own that was changed since it was listed, and is none any more."""
    try:
        return load(lesson) if isinstance(lesson, str) else lesson
    except ExplorerError:
        return None
