"""The panel of the present step, beside the stage: its words, its question, and the way to the other steps.

Behind the last step: what has been learned, what there is to revisit, and the next lesson.
"""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from explorer.core.errors import ExplorerError
from explorer.lessons import prose
from explorer.lessons.loader import next_lesson
from explorer.lessons.progress import Outcome, outcome
from explorer.lessons.schema import Lesson
from explorer.pages.gestures import Ask, ForSteps
from explorer.pages.page import Passage
from explorer.pages.right_column import StepNeeds, heights
from explorer.pages.steps.question import head_page, words
from explorer.ui.appearance import dress_now
from explorer.ui.errors import show_error
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.question import StepPage
from explorer.ui.page.surface import Keys, Surface
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.layouts import scroll_area
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.glossary import Glossary
    from explorer.ui.inspector import Inspector
    from explorer.ui.window.top_bar import Tab

FEW = 2
"""So many steps to revisit are named at most unasked."""
AROUND = 16
"""The most pixels at the left and right of it: large letters need the room."""


class StepPanel(QFrame):
    """The panel of the present step; without a step it is hidden."""

    ended = Signal()  # the end of the lesson is shown
    lessons_wanted = Signal()  # the lesson is over: asks for the page of lessons
    grown = Signal()  # it was shown or hidden, or wants another height
    _page: StepPage

    def __init__(self, bench: Workbench, guide: Guide) -> None:
        super().__init__()
        self.setObjectName("stepPanel")
        self.setAccessibleName("Step of the lesson")
        self._bench, self._guide = bench, guide
        # From the outside in: Qt styles all that is inside again each time that a widget gets a parent.
        self._head = Surface(bench, 0, self)
        self._scroll = scroll_area(self, sideways=False)
        self._end: tuple[Lesson, Outcome, Lesson | None, bool] | None = None
        """What the end of the lesson shows, if it is shown: see `finish_page`."""
        self._trouble, self._gone = Passage("trouble", "", "error"), Gone(self)
        self._tab: Tab = "Pipeline"
        self._told: list[str] = []
        """What a screen reader was told of the answers to this question."""
        bench.selection.asked.connect(self._do)
        bench.selection.stage_changed.connect(self._follow_page)
        guide.stepped.connect(self._show_step)
        guide.stepped.connect(self._tell_step)
        guide.answered.connect(self._show_answer)
        guide.troubled.connect(self.say)
        bench.appearance.changed.connect(self._restyle)
        self._restyle()

    def _do(self, gesture: Ask, at: QWidget) -> None:
        if isinstance(gesture, ForSteps):
            match gesture.act, gesture.value:
                case "go", step:
                    self.go(partial(self._guide.go, step))
                case "end", _:
                    self.show_end()
                case "back", _:
                    self.go_back()
                case "on", _:
                    self._go_on()
                case "reset", _:
                    self.go(self._guide.reset)
                case "look", _:
                    self.go(self._guide.look)
                case "leave", _:
                    self._guide.leave()

    @property
    def _next(self) -> QWidget:
        """The button Next, which keeps the keys from step to step."""
        return self._head.widgets["next"]

    def _go_on(self) -> None:
        """Go to the next step; after the last one, to the end of the lesson; from there, to the lessons."""
        if self.is_over:
            self.lessons_wanted.emit()
        else:
            self.go_on()

    def go_on(self) -> None:
        """Go to the next step; after the last one, to the end of the lesson."""
        if self._guide.at == len(self._guide.steps) - 1:
            self.show_end()
        else:
            self.go(self._guide.next)

    def go_back(self) -> None:
        """Go to the step before; from the end of the lesson, to its last step."""
        if self.is_over:
            self.go(self._guide.look)
        else:
            self.go(self._guide.back)

    def show_end(self) -> None:
        """Show the end of the lesson: what has been learned, what to revisit, and the next lesson."""
        from explorer.pages.surfaces.lessons import COURSE

        guide, settings = self._guide, self._bench.settings
        found = outcome(guide.lesson, guide.walk.progress)
        behind = next_lesson(guide.lesson.id, settings.get(COURSE, ""), guide.is_whole, guide.is_new)
        self._end = guide.lesson, found, behind, len(found.revisit) <= FEW
        self._tell()
        self.ended.emit()
        self._scroll.verticalScrollBar().setValue(0)
        self._show_head()
        self._next.setFocus(Qt.FocusReason.OtherFocusReason)

    def unfold(self, on: bool) -> None:
        """At the end, show the steps to revisit, or hide them: many would push the next lesson out of sight."""
        if self._end is not None:
            self._end = (*self._end[:3], on)
            self._tell()

    def revisit(self, id: str) -> None:
        """Go to a step that is not finished, and ask its question again."""
        guide = self._guide
        at = [step.id for step in guide.steps].index(id)
        step = guide.steps[at]
        again = step.question is not None and guide.is_answered(step)
        self.go(partial(guide.ask_again if again else guide.go, at))

    @property
    def is_over(self) -> bool:
        """Whether the end of the lesson is shown, though perhaps on a tab that is not."""
        return self._guide.step is not None and self._end is not None

    def go(self, act: Callable[[], object]) -> None:
        """Go to a step; an error is shown here. If a number is asked for, its field gets the focus.

        The widget with the focus may be deleted with the old step. Then Next gets it, and not a widget that Qt chooses.
        """
        had_keys = QApplication.focusWidget()
        try:
            act()
            if not self._page.be_typed_in() and QApplication.focusWidget() is not had_keys:
                self._next.setFocus(Qt.FocusReason.OtherFocusReason)
        except ExplorerError as error:
            show_error(error, self._next)

    def take_keys(self) -> bool:
        """Give the focus to the field that is to be filled in, else to Next; returns whether a step is visible."""
        if self._guide.step is None or not self.isVisible():
            return False
        if not self._page.be_typed_in():
            self._next.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    # Showing

    def _restyle(self) -> None:
        px = self._bench.appearance.px
        near = min(px(8), AROUND)
        self._around = QMargins(min(px(12), AROUND), px(6), near, px(8))
        self._head.spacing = min(px(4), AROUND // 2)
        over, bar = self.is_over, self._scroll.verticalScrollBar()
        part = bar.value() / max(bar.maximum(), 1)
        keys = Keys()
        if self._scroll.widget() is not None:
            keys = self._page.keys()
            self._gone.delete(self._scroll.takeWidget())
        self._page = StepPage(self._bench, self._guide, parent=self._scroll)
        self._page.setContentsMargins(near, 0, near, 0)
        self._page.passed.connect(self._go_on)
        self._page.grown.connect(self.grown)
        self._scroll.setWidget(self._page)
        self._show_step()
        self._page.give_keys(keys)
        bar.setValue(round(part * bar.maximum()))
        if over:
            self.show_end()

    def refresh(self) -> None:
        """Follow a change of the document."""
        if self._guide.step is not None:
            reset = self._head.widgets.get("reset")
            if reset is not None and reset.isEnabled() != self._guide.changed:
                self._show_head()
            self._page.refresh()

    def say(self, trouble: str) -> None:
        """Show above the words what is wrong with the lesson's file; an empty text hides that."""
        said = escape(f"⚠ {trouble}", quote=False) if trouble else ""
        self._trouble = Passage("trouble", said, "error")
        self._page.say_first(self._trouble)

    def _tell(self) -> None:
        """Show the page of the step, or that of the end of the lesson."""
        guide, step = self._guide, self._guide.step
        if self._end is not None:
            from explorer.pages.surfaces.lessons import finish_page

            self._page.show_step(self._trouble, *finish_page(*self._end), asks=False)
        elif step is not None:
            title = Passage("title", escape(step.title, quote=False), "heading")
            self._page.show_step(self._trouble, title, words("words", step.words, guide.numbers))

    def _show_step(self) -> None:
        guide = self._guide
        step, at = guide.step, guide.at
        focus = QApplication.focusWidget()
        if step is None and focus is not None and self.isAncestorOf(focus):
            self.window().setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt gives it to a control of the page
        if step is not None and not self.isVisible():
            dress_now(self)  # else its buttons would be measured in the letters that it had before it was hidden
        self.setVisible(step is not None)
        if step is None or at is None:
            self.grown.emit()
            return
        self._end = None
        self._show_head()
        self._page.behind = self._next  # Tab goes from there down to the question
        self._tell()
        self._scroll.verticalScrollBar().setValue(0)
        self.grown.emit()

    def _show_head(self) -> None:
        """Show how far one is; Next is the main button once no question is open."""
        guide = self._guide
        if guide.at is not None:
            found = outcome(guide.lesson, guide.walk.progress)
            asks = guide.question is not None
            over, away = self.is_over, guide.is_away(self._tab)
            self._head.tell(head_page(guide.lesson, guide.at, found, asks, guide.changed, over, away))

    def show_tab(self, tab: "Tab") -> None:
        """Stand beside a tab of the window."""
        self._tab = tab
        self._follow_page()

    def _follow_page(self) -> None:
        """Offer the way back to the page of the step as long as the reader is on another one."""
        if self._guide.step is not None and self._guide.is_away(self._tab) != ("look" in self._head.widgets):
            self._show_head()
            self.grown.emit()

    def _tell_step(self) -> None:
        """Tell a screen reader the words of another step: the focus stays on Next, whose name says nothing of them."""
        guide = self._guide
        step, at = guide.step, guide.at
        if step is None or at is None or not self.isVisible():
            return
        self._told = self._page.said()
        asked = "" if step.question is None else prose.plain(step.question.ask, guide.numbers)
        parts = f"Step {at + 1} of {len(guide.steps)}: {step.title}", prose.plain(step.words, guide.numbers), asked
        self._announce("\n".join(filter(None, parts)))

    def _tell_outcome(self) -> None:
        """Tell a screen reader what an answer or a hint has brought to the question."""
        said = self._page.said()
        news = [words for words in said if words not in self._told]
        self._told = said
        if news and self.isVisible():
            self._announce("\n".join(news))

    def _announce(self, words: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _show_answer(self) -> None:
        focus = QApplication.focusWidget()
        choosing = isinstance(focus, PushButton) and self._page.isAncestorOf(focus)
        if choosing and self._guide.question is None:  # before Qt gives the keys of a disabled choice to what is next
            self._next.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_head()
        self._page.follow()
        bar = self._scroll.verticalScrollBar()
        for part in self._page.outcome()[::-1]:  # its principle, and above all whether it was right
            self._scroll.ensureWidgetVisible(part, 0, self._bench.appearance.px(4))
            top = part.mapTo(self._page, QPoint()).y()
            bar.setValue(min(bar.value(), top))  # of what is higher than the place, Qt shows the end
        self._tell_outcome()

    # Room

    def needs(self) -> StepNeeds:
        """The heights that it needs at its width."""
        inside, asks = self._inside, self._guide.step is not None and self._guide.step.question is not None
        around = self.height() - inside.height() + self._head.height_at(inside.width()) + self._head.spacing
        words = self._page.height_at(inside.width()) + 2
        return StepNeeds(words, around, asks, self._guide.question is not None)

    def stand(self) -> None:
        """Put all that it shows into its place."""
        inside = self._inside
        head = self._head.height_at(inside.width())
        self._head.setGeometry(inside.x(), inside.y(), inside.width(), head)
        rest = inside.adjusted(0, head + self._head.spacing, 0, 0)
        self._scroll.setGeometry(rest)
        never, always = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        self._scroll.setVerticalScrollBarPolicy(always if self.needs().words > rest.height() else never)
        QCoreApplication.sendEvent(self._scroll.viewport(), QEvent(QEvent.Type.LayoutRequest))  # in its place at once

    @property
    def _inside(self) -> QRect:
        """The place of all that it shows."""
        return self.contentsRect() - self._around


class PanelColumn(QWidget):
    """A column at the right of a page: the glossary, the step of a lesson, the inspector; hidden if none is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panelColumn")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._parts: tuple[Glossary, StepPanel, Inspector] | None = None
        self.begins = 0
        """The y in pixels at which its first part begins."""
        self.hide()

    def know(self, glossary: "Glossary", panel: StepPanel, inspector: "Inspector") -> None:
        """Know the parts, each of which stands here or in another column."""
        self._parts = glossary, panel, inspector
        glossary.grown.connect(self.stand)
        panel.grown.connect(self.stand)

    def take(self, part: QWidget) -> None:
        """Take a part from another column."""
        before = part.parentWidget()
        if before is not self:
            is_hidden = part.isHidden()
            part.setParent(self)  # which hides it
            part.setHidden(is_hidden)
            self.stand()
            if isinstance(before, PanelColumn):
                before.stand()  # it may have nothing left to show

    def stand(self) -> None:
        """Put each part into its place."""
        if self._parts is None:
            return
        glossary, panel, inspector = self._parts
        shown = [not part.isHidden() and part.parentWidget() is self for part in self._parts]
        self.setVisible(any(shown))
        room = self.rect().adjusted(1, self.begins, 0, 0)  # behind the line at its left
        for part, there in zip(self._parts, shown, strict=True):
            if there:
                part.resize(room.width(), part.height())  # what it needs depends on its width
        found = heights(
            glossary.needs() if shown[0] else None,
            panel.needs() if shown[1] else None,
            inspector.minimumSizeHint().height() if shown[2] else None,
            room.height(),
            glossary.bench.appearance.px,
        )
        y = room.y()
        for part, there, high in zip(self._parts, shown, found, strict=True):
            if there:
                part.setGeometry(room.x(), y, room.width(), high)
                y += high
        if shown[1]:
            panel.stand()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.stand()
