"""A poll over the slide: lettered choices, the votes for each, and the commonest mistake beside the right answer.

While a class votes, what the step names stands beside the choices: nobody can vote on a table that is out of sight.
"""

from collections.abc import Callable

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QFrame, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons.schema import Choose
from explorer.pages.gestures import Ask, ForPoll
from explorer.pages.steps.slide import SHARES, Place, vote_placed
from explorer.teaching import HANDED_IN
from explorer.teaching.gradebook import gradebook
from explorer.teaching.items import item_at
from explorer.teaching.poll import MOST_BELOW, SHOWS, Poll, poll_of, poll_page
from explorer.ui.errors import show_error
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.letters import Enlarged, in_look
from explorer.ui.lesson.sheet import READABLE, StepSheet
from explorer.ui.page.column import Elements
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import Gone, inside
from explorer.ui.workbench import Workbench

Key = Qt.Key
PRESSES = (Key.Key_Space, Key.Key_Enter, Key.Key_Return)
ON, BACK = (
    (Key.Key_Right, Key.Key_Down, Key.Key_PageDown, *PRESSES),
    (Key.Key_Left, Key.Key_Up, Key.Key_PageUp),
)
LARGER = (2.4, 2.0, 1.7, 1.4, 1.3, 1.2, 1.1, 1.0, 0.85)
"""Factors by which letters are larger than on a slide; the first with which the whole page is visible is used. For two
derivations side by side, whose lines would break too often, only the last six are tried."""
GAP = 14
"""Pixels at text scale 1 between two parts."""


class PollView(QFrame):
    """The poll. It fills the presenter's window, which passes it the keys.

    `bench`: in the look of the slide. `lecturer`: returns the window where files are asked for, and which says what is
    wrong with them.
    """

    told = Signal()  # there are other votes, or the poll has begun, was turned or has ended

    def __init__(self, bench: Workbench, guide: Guide, parent: QWidget, lecturer: Callable[[], QWidget]) -> None:
        super().__init__(parent)
        self._lecturer = lecturer
        self.setObjectName("page")
        self.setAccessibleName("Poll")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._guide, self._slide = guide, bench.appearance
        self._area, self._gone = scroll_area(self, sideways=False), Gone(self)
        self._look = Enlarged(self._slide, self._area, self._slide.scale)
        self._bench, self._bench_of_slide = in_look(bench, self._look), bench
        self.poll: Poll | None = None
        self._taken: dict[str, Poll] = {}
        """The closed polls with their counts, which are shown when the poll is opened again."""
        self.elements: Elements | None = None
        self._times = 0.0
        """The factor by which its letters are larger than on a slide."""
        self._named: StepSheet | None = None
        """What the step names, until the right answer is shown."""
        self._below: bool | None = None
        """Whether it stands below the choices; None if it is not shown."""
        bench.selection.asked.connect(self._do)
        self.hide()

    def open(self) -> bool:
        """Show the question of the step as a poll; returns whether that is possible."""
        poll = self.of_step()
        if poll is None:
            return False
        self.show()
        self.raise_()
        self.poll = self._below = None
        self._show(poll)
        return True

    def of_step(self) -> Poll | None:
        """The poll on the question of the present step; None if letters cannot answer it."""
        guide = self._guide
        if guide.step is None or guide.at is None or guide.step.question is None:
            return None
        walk, question = guide.walk, guide.walk.step.question
        assert question is not None
        item = item_at(walk.lesson, walk.at, question, walk.state(walk.at))
        order = walk.order(walk.at) if isinstance(question, Choose) else ()
        return None if item is None else self._taken.get(item.id) or poll_of(item, order)

    def key_pressed(self, event: QKeyEvent) -> bool:
        """Handle a key; returns whether it was handled: a key typed into a box is not."""
        key, poll, focus = event.key(), self.poll, QApplication.focusWidget()
        typed = isinstance(focus, QAbstractSpinBox)
        if poll is None or (typed and (event.text().isdecimal() or key == Key.Key_Backspace)):
            return False
        if key in (Key.Key_Tab, Key.Key_Backtab):
            self._go_on(1 if key == Key.Key_Tab else -1)
            return True
        if key in PRESSES and isinstance(focus, PushButton) and self.isAncestorOf(focus):
            focus.click()
            self.window().setFocus(Qt.FocusReason.OtherFocusReason)  # the keys go on
            return True
        place = ord(event.text().lower()) - ord("a") if len(event.text()) == 1 and event.text().isalpha() else -1
        if 0 <= place < len(poll.ballots):
            self._show(poll.vote(place))
        elif key == Key.Key_Backspace:
            self._show(poll.take_back())
        elif key in ON:
            self._turn(1)
        elif key in BACK:
            self._turn(-1)
        elif key in (Key.Key_Escape, Key.Key_V):
            self.close_poll()
        return True

    def _go_on(self, by: int) -> None:
        """Give the focus to the next box or button of the poll, never to what it covers."""
        each = (one for kind in (QAbstractSpinBox, PushButton) for one in inside(self, kind))
        reached = [one for one in each if one.isEnabled() and one.isVisible()]  # the page before goes in a later turn
        focus = QApplication.focusWidget()
        at = reached.index(focus) + by if focus in reached else min(by, 0)
        if reached and self.window().isActiveWindow():
            reached[at % len(reached)].setFocus(Qt.FocusReason.TabFocusReason)

    def close_poll(self) -> None:
        """Show the slide again; the counts are kept."""
        if self.poll is not None:
            self._taken[self.poll.id] = self.poll.turn(-1) or self.poll
        self.poll = None
        self._forget()
        self.hide()
        self.window().setFocus(Qt.FocusReason.OtherFocusReason)
        self.told.emit()

    def _turn(self, by: int) -> None:
        assert self.poll is not None
        turned = self.poll.turn(by)
        if turned is None:
            self.close_poll()
        else:
            self._show(turned)

    def _show(self, poll: Poll) -> None:
        before, self.poll = self.poll, poll
        if before is None or before.show != poll.show:
            self.fit()
        elif self.elements is not None:
            high = self.elements.height()
            if self._high(self._times, self._area.width()) > max(high, self._area.height()):
                self.fit()  # the line with the number of votes has broken
        self.told.emit()

    def fit(self) -> None:
        """Make the page of an open poll anew, in the slide's look, as large as it can be seen whole."""
        poll = self.poll
        if poll is None:
            return
        px = self._slide.px
        # A bar that shows while letters are too large would narrow the page that is tried next.
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        room = self.rect().adjusted(px(30), px(20), -px(30), -px(20))
        self._forget()
        self._times = 0.0
        if poll.show == SHOWS[-1] or not self._name(poll, room):
            self._area.setGeometry(room)
            for times in LARGER if poll.show != SHOWS[-1] else LARGER[-6:]:
                if self._high(times, room.width()) <= room.height():
                    break
            else:
                self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.window().setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget(self) -> None:
        """Take away what the step names."""
        if self._named is not None:
            self._named.hide()
            self._gone.delete(self._named)
            self._named = None

    def _high(self, times: float, width: int) -> int:
        """The height of the page in a width, with letters so many times larger than on a slide."""
        assert self.poll is not None
        self._area.resize(width, self._area.height())
        if times != self._times or self.elements is None:
            if self._area.takeWidget() is not None and self.elements is not None:
                self._gone.delete(self.elements)
            self._times = times
            self._look.dress(self._slide.scale * times)
            self.elements = Elements(self._bench, self._look.px(GAP))
            self.elements.tell(poll_page(self.poll, self._side))
            self._area.setWidget(self.elements)  # shows the elements, so that they can be measured now
        else:
            self.elements.tell(poll_page(self.poll, self._side))
        across = self._area.viewport().width()
        self.elements.resize(across, self.elements.height_at(across))
        self.elements.share_room(across, None)  # the height of a list depends on its width
        return self.elements.height_at(across)

    def _name(self, poll: Poll, room: QRect) -> bool:
        """Show what the step names beside the choices or below them; returns whether there is room for that."""
        guide = self._guide
        assert guide.at is not None
        named = StepSheet(self._bench_of_slide, vectors=guide.vectors, bare=True)
        named.setParent(self)
        named.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # an edit would change the question
        named.await_answer()
        named.tell(guide.lesson, guide.at, guide.numbers, guide.before)
        self._named = named
        named.ensurePolished()
        shares: tuple[float, ...] = SHARES
        if len(poll.ballots) > MOST_BELOW:  # many choices take two columns, and bars of one scale more
            shares = SHARES[-1:] if poll.show == SHOWS[0] else ()
        if named.shows_something and (
            vote := vote_placed(
                Place(room.x(), room.y(), room.width(), room.height()),
                self._slide.px(GAP),
                self._slide.px(2 * GAP) - 1,
                self._high,
                named.scale_in(),
                READABLE * self._slide.scale,
                shares,
                self._below,
            )
        ):
            self._below = vote.below
            self._area.setGeometry(*vote.choices)
            self._high(vote.times, vote.choices.width)
            named.setGeometry(*vote.named)
            named.show()
            named.settle()
            if not named.scrolls:  # a class cannot scroll, and half a table says little
                return True
        self._forget()
        return False

    @property
    def _side(self) -> int:
        """Pixels at text scale 1 of half the page."""
        return int(self._area.viewport().width() / self._look.scale / 2) - GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _do(self, gesture: Ask, _: QWidget) -> None:
        poll = self.poll
        if not isinstance(gesture, ForPoll) or poll is None:
            return
        try:
            if gesture.act == "vote":
                self._show(poll.vote(gesture.value))
            elif gesture.act == "files":
                from explorer.ui.classroom import ClassDialogs

                files = ClassDialogs(self._lecturer()).to_read(self._bench.folder, "Answers", *HANDED_IN)
                if files:
                    self._bench.folder = files[0].parent
                    if poll.id not in (book := gradebook(files)).questions:
                        raise ExplorerError("no-votes")
                    self._show(poll.counted(book))
            else:
                self._show(poll.count(int(gesture.act.removeprefix("count ")), gesture.value))
        except ExplorerError as error:
            show_error(error, self._lecturer())
