"""One step as a slide: its words, what it names, its question, and how the number is computed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from html import escape
from math import inf

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from explorer.core.engine import Engine, fresh
from explorer.document.state import State
from explorer.lessons.schema import Lesson, Point, Step
from explorer.pages.page import Listing
from explorer.pages.steps.of_step import elements_of, first_cell, right_cells
from explorer.pages.steps.question import words
from explorer.pages.steps.slide import Needs, Places, Slide
from explorer.pages.surfaces.inspector import inspected
from explorer.pages.view import Covered, View
from explorer.ui.lesson.hero import Hero
from explorer.ui.lesson.letters import least_letters
from explorer.ui.lesson.spot import scroll_to_meant, spot_box, spot_rect
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.note import DerivationView
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.page.surface import Surface, height_of
from explorer.ui.turns import later
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import column_in, scroll_area
from explorer.ui.workbench import Workbench
from explorer.words.vectors import Vectors

MOST_FITS, SETTLED = 6, 4
"""How often, at most, what a step names is built again to get its size; and after how many times the parts keep their
places."""
ROUNDS, REST_MS = 40, 500
"""How often in a row the room is divided again because a part wants another size; and milliseconds after which a new
row begins. So parts that ask each other for sizes for ever come to rest, even if not well."""
GAP = 8
"""Pixels at text scale 1 between the parts."""
LEAST, READABLE = 0.33, 0.85
"""Relative to the scale of the words: the least size of what a step names, and the size that the last row can read."""
SAME, SMALLEST, LESS = 0.02, 0.6, 0.9
"""The least relative change of size; and the least factors by which the size is below the computed one, in all and
after each try that did not fit."""
SLACK = 8
"""Pixels of empty room at the end of a part that need not be visible."""
SPARED = 25
"""The most that it may cost to show a derivation that need not be shown."""


class StepSheet(QFrame):
    """A step in large text. It follows the document: an edit is made in it as on the page.

    `bench`: in the look of the sheet; `open_`: whether numbers are shown that a question still covers, as a lecturer
    sees them; `vectors`: those of the Words tab, for steps that look there; `bare`: whether only what the step names is
    shown, without words, title and derivation, as beside the choices of a poll.
    """

    shared = Signal()  # its parts have been placed

    def __init__(
        self, bench: Workbench, open_: bool = False, vectors: Vectors | None = None, bare: bool = False
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        self.bench = bench
        self.step: Step | None = None
        self.vectors = vectors
        self._open = open_
        self._bare = bare
        self._leads = self._unasked = False
        self.alone = bare
        """Whether the words are hidden."""
        self.all_terms = False
        """Whether all terms of a sum are written out, however long it is."""
        self._tries, self._shrunk, self._fits, self._too_large = False, 1.0, 0, inf
        self._counts: list[tuple[str, int]] = []
        """The elements that are shown: the id of each, and of a list the number of lines."""
        self._lesson = self._time = ""
        px = bench.appearance.px
        self._stands: tuple[tuple[object, ...], Places] | None = None
        self._place = ""
        self._before: tuple[State, Engine] | None = None
        self._number = Label(role="small", plain=True)
        self._title = Label(role="headline", plain=True, wraps=True)
        self._words = Surface(bench, 0)
        self._words.setContentsMargins(0, 0, px(4), 0)
        self.question: Surface | None = None
        self._is_open: Callable[[], bool] = bool
        self.gaps = Surface(bench, 0)
        """The place of a derivation with gaps, in place of the derivation of a number."""
        self.gaps.hide()
        way = QWidget()
        self._hero = Hero(bench)
        self._name = SteadyLabel(role="small")
        self._formula = Formula(em=1.1)
        self._derivation = DerivationView(bench)
        self._derivation.columns = 2
        self._derivation.more_wanted.connect(lambda: self.write_all(True))
        self._led = column_in(way, self.gaps, self._name, self._formula, self._derivation, spacing=px(5))
        self._led.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(px(14), px(6), px(14), px(5))
        whole.setSpacing(px(4))
        top = QHBoxLayout()
        top.setSpacing(px(2 * GAP))  # the number of the step is no word of a title of two lines
        whole.addLayout(top)
        top.addWidget(self._title, 1)
        top.addWidget(self._number, 0, Qt.AlignmentFlag.AlignTop)
        self._middle = QWidget()
        """Holds the parts; `share_room` sets the place of each."""
        whole.addWidget(self._middle, 1)
        if bare:
            self._title.hide()
            self._number.hide()
            whole.setContentsMargins(0, 0, 0, 0)
        self._said, self._shown, self._asked, self._way = areas = [scroll_area(self._middle) for _ in range(4)]
        for area, part in zip(areas, (self._words, self._hero, None, way), strict=True):
            if part is not None:
                area.setWidget(part)
        self._settled = later(self, self.share_room)
        self._rounds, self._rested = 0, QTimer(self, singleShot=True, interval=REST_MS)
        self._rested.timeout.connect(self._rest)
        for content in (self._hero, way):
            content.installEventFilter(self)
        self._words.grown.connect(self._share_again)
        bench.bridge.changed.connect(self.refresh)
        bench.selection.looked.connect(self.refresh)
        bench.selection.pointed.connect(self._derive)
        bench.selection.chosen.connect(self._derive)

    def ask(self, question: Surface, is_open: Callable[[], bool]) -> None:
        """Add a question, which stands along the bottom.

        `is_open`: returns whether it is still to be answered.
        """
        self.question, self._is_open = question, is_open
        self._asked.setWidget(question)
        question.grown.connect(self._share_again)

    def await_answer(self) -> None:
        """Show no derivation where a question is asked, as before an answer; the question itself is not shown."""
        self._is_open = lambda: self.step is not None and self.step.question is not None

    # What it shows

    def tell(self, lesson: Lesson, number: int, numbers: Mapping[str, str], before: State | None = None) -> None:
        """Show a step, counted from 0; `before`: the model without what the step changes."""
        self.step = step = lesson.steps[number]
        self._before = None if before is None else (before, fresh(before.graph, before.used, before.pins))
        self._begin_anew()
        self._leads = False
        self.alone, self.all_terms = self._bare or (self.alone and not self.all_terms), False
        self.elements.setMinimumHeight(0)  # set by an earlier picture that filled the sheet
        self._lesson, self._place = lesson.title, f"{number + 1} / {len(lesson.steps)}"  # shown in the divided room
        self._title.setText(step.title)
        letters = least_letters(self.bench.appearance)
        self._words.tell((words("words", step.slide or step.words, numbers, "sheet", letters),))
        self.refresh()
        for area in (self._said, self._shown, self._asked, self._way):
            area.verticalScrollBar().setValue(0)

    def leave_out_words(self) -> None:
        """Give the room of the words, which a class has read, to the other parts."""
        self._words.tell(())

    @property
    def is_settled(self) -> bool:
        """Whether everything on it has its place."""
        return not self._tries and not self._settled.isActive()

    def say_time(self, time: str) -> None:
        """Show a clock beside the number of the step."""
        if time != self._time:
            self._time = time
            self._say_where()

    def write_all(self, all_: bool) -> None:
        """Give the words' room to a sum or list that was too long for its place; or divide the room again."""
        self.all_terms = all_
        self.refresh()
        self.stand_alone(all_)

    def stand_alone(self, alone: bool) -> None:
        """Give all the room to what the step names, or divide it with the words again."""
        if alone != self.alone:
            self.alone = alone
            self.arrange()

    @property
    def cut(self) -> tuple[str, ...]:
        """The names of the matrices, and of the drawings, of which a class sees only a part."""
        extents = ((box, box.view.extent) for box in self._hero.boxes)
        matrices = [box.matrix.name for box, extent in extents if extent.cut or not extent.whole or _is_clipped(box)]
        return (*matrices, *(one.data.id for one in self.pictures if one.picture is not None and not one.holds_all))

    @property
    def scrolls(self) -> tuple[str, ...]:
        """The names of the parts that one would have to scroll."""
        areas = {"words": self._said, "numbers": self._shown, "question": self._asked, "way": self._way}
        off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        scrolling = {
            name: area.verticalScrollBarPolicy() != off or area.horizontalScrollBar().maximum() > 0
            for name, area in areas.items()
        }
        return tuple(name for name, area in areas.items() if scrolling[name] and not area.isHidden())

    @property
    def pictures(self) -> list[PicturePlace]:
        """The drawings that it shows: they take all of their place, however thin their lines are."""
        return [widget for widget in self.elements.widgets.values() if isinstance(widget, PicturePlace)]

    @property
    def has_no_hero(self) -> bool:
        """Whether it shows nothing but words, or single numbers."""
        boxes = self._hero.boxes
        return len(boxes) == len(self.elements.widgets) and all(box.matrix.values.size == 1 for box in boxes)

    def refresh(self, *_: object) -> None:
        """Show the present numbers."""
        if self.step is None:
            return
        view = self._view()
        before = None
        if self._before is not None:
            state, engine = self._before
            before = replace(view, state=state, engine=engine, memo=None)
        elements = elements_of(view, self.step, self.vectors, self.all_terms, before)
        self.elements.tell(elements)
        counts = [(one.id, len(one.lines) if isinstance(one, Listing) else 0) for one in self.elements.elements]
        if counts != self._counts:  # such as the neighbours of a word, which come once a table is read
            self._counts = counts
            self._begin_anew()
        self._shown.setVisible(bool(elements))
        self._derive()
        self._settled.start()

    def _view(self) -> View:
        view = self.bench.view
        looking = replace(view.looking, large=least_letters(self.bench.appearance) > 0)
        return replace(view, looking=replace(looking, covered=Covered()) if self._open else looking)

    def _derive(self, *_: object) -> None:
        """Show the derivation of the cell pointed at, or of the first cell that the step names.

        A given number has no derivation: changing one shows what it does to the number that the step names.
        """
        if self.step is None or self._bare:
            return
        view, selection = self._view(), self.bench.selection
        cell, about = selection.cell, None
        seeks = self._asks and isinstance(self.step.question, Point)  # the person is just looking for the right cell
        if (not self._leads and cell != selection.kept) or seeks:
            cell = None  # else the table under the mouse would move before the click
        for one in (cell, None if self._asks else first_cell(view, self.step)):
            if one is None or one.node not in view.nodes or view.looking.hides(one):
                continue
            cell, about = one, inspected(view, one, {})
            if about is not None and about.parts:
                break
        parts = about.parts if about is not None else ()
        filled_in = not self.gaps.isHidden()
        self._leads = bool(parts) or filled_in
        # A cell's derivation need not be shown where the cell was pointed at because it was the right answer.
        self._unasked = not filled_in and cell in right_cells(self.bench.view, self.step.question)
        for part in (self._name, self._formula, self._derivation):
            part.setVisible(bool(parts) and not filled_in)
        self._settled.start()
        if about is None or not parts:
            return
        self._name.setText(f"<b>{escape(about.name)}</b> [{escape(about.where)}]")
        if about.formula and about.formula != self._formula.latex():
            self._formula.set_latex(about.formula)
        # A matrix has the formula in its heading.
        headed = any(box.matrix.place.node == cell.node for box in self._hero.boxes) if cell is not None else False
        self._formula.setVisible(bool(about.formula) and not headed and not filled_in)
        self._derivation.show_rows([row for _, rows in parts for row in rows])

    # Room

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._share_again()
        return bool(super().eventFilter(watched, event))

    def _share_again(self) -> None:
        if self._rounds < ROUNDS:
            self._rounds += not self._settled.isActive()
            self._settled.start()
            self._rested.start()

    def _rest(self) -> None:
        self._rounds = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tries = False
        self.share_room()
        # In the next turn: nothing is rebuilt while Qt lays out. What was too large before was so in another room.
        self._tries, self._shrunk, self._fits, self._too_large = True, 1.0, 0, inf
        self._settled.start()

    def arrange(self) -> None:
        """Divide the room at once, and again until everything new has its size.

        In the room of the step before, a question would be squeezed until the next turn.
        """
        self._begin_anew()
        self.ensurePolished()
        self.share_room()

    def settle(self) -> None:
        """Divide the room until everything has its size, without the event loop: a picture is drawn in one turn."""
        self._begin_anew()
        while self._tries:
            self.share_room()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # before it a picture has no size

    def _begin_anew(self) -> None:
        """Forget the sizes tried so far, and look again for the size of what the step names."""
        self._tries, self._shrunk, self._fits, self._too_large = True, 1.0, 0, inf
        self._rounds = 0

    def share_room(self) -> None:
        """Place what the step names, the words, the question and the derivation so that nothing has to be scrolled."""
        if self.step is None:
            return
        fits_anew, self._tries = self._tries, False
        px = self.bench.appearance.px
        self._say_where()
        for picture in self._hero.filling:
            picture.least = 0  # a class cannot scroll: all of it is shown, however small
        width, height, gap = self._middle.width(), self._middle.height(), px(GAP)
        shows, leads = not self._shown.isHidden(), self._leads
        needs = self._needs()
        slide = Slide(width, height, gap, needs, not self.alone, shows, leads)
        key = width, height, shows, leads, self.alone
        if self._fits < SETTLED or self._stands is None or self._stands[0] != key:
            self._stands = key, slide.placed()
        places = self._stands[1]  # else two places of the same cost might alternate
        if leads and self._unasked:
            without = replace(slide, way=False).placed()
            if places.cost > without.cost + SPARED:  # what surrounds the right answer is worth more
                leads, places = False, without
        if shows and fits_anew:
            fits = (self._hero.scale_of_rest if self._hero.filling else needs.scale)(
                places.numbers.width, max(places.numbers.height, 1)
            )
            fits = min(self._shrunk * fits, self._too_large * (1 - SAME))  # letters have whole pixels: do not alternate
            fits_anew = not self._fit(max(fits, LEAST * self.bench.appearance.scale))
        self._way.setVisible(leads)
        self._said.setVisible(not self.alone)
        self._asked.setVisible(not self.alone and places.asked.height > 0)
        for area, place in ((self._said, places.words), (self._asked, places.asked), (self._way, places.way)):
            area.setGeometry(*place)
        self._derivation.write_at_most(places.terms)
        if shows:
            self._shown.setGeometry(*places.numbers)
            over = self._hero.fill(self._shown.size())
            if over > 1:
                self._too_large = min(self._too_large, self._hero.scale * max(1 / over, LESS))
            if over > 1 and fits_anew and self._shrunk > SMALLEST:  # computed sizes are not exact to the pixel
                self._shrunk *= max(min(0.99 / over, 1 - 2 * SAME), 0.8)
                self._tries = True
                self._settled.start()
        _scroll_where_needed(self._said, needs.words(places.words.width))
        _scroll_where_needed(self._asked, needs.asked(places.asked.width))
        _scroll_where_needed(self._shown, self._hero.high if shows else 0)
        _scroll_where_needed(self._way, needs.way(places.way.width, places.terms))
        box = spot_box(self.elements)
        if box is not None:
            rect = spot_rect(box)
            at = box.mapTo(self._hero, rect.center())
            self._shown.ensureVisible(at.x(), at.y(), rect.width() // 2 + px(8), rect.height() // 2 + px(8))
        scroll_to_meant(self._hero.boxes, self.bench.view, self.step)
        self.shared.emit()

    @property
    def elements(self) -> Elements:
        """The elements that the step names; another object after each change of their size."""
        return self._hero.elements

    @property
    def shows_something(self) -> bool:
        """Whether the step names anything, such as a table or a picture."""
        return not self._shown.isHidden()

    def scale_in(self) -> Callable[[int, int], float]:
        """Returns a function from a width and a height to the scale at which what the step names fits."""
        return self._hero.scale_in()

    @property
    def free(self) -> QRect:
        """The free place below the words; empty if they are hidden."""
        if self._said.isHidden():
            return QRect()
        px, place = self.bench.appearance.px, self._said.geometry().translated(self._middle.pos())
        return place.adjusted(0, self._words.height_at(place.width()) + px(GAP), 0, 0)

    def _fit(self, scale: float) -> bool:
        """Show what the step names in another size, unless this was tried too often. Returns whether it was done."""
        hero = self._hero
        if abs(scale / hero.scale - 1) < SAME or self._fits == MOST_FITS:
            return False
        self._fits += 1
        self._tries = True  # to see whether all of it fits
        self._settled.start()
        hero.make_anew(scale)
        return True

    @property
    def corner(self) -> int:
        """The x in pixels where the name of the lesson and the number of the step begin, at the upper right."""
        return self._number.x()

    def _say_where(self) -> None:
        """Write the lesson and the step beside the title; if there is no room, only the step."""
        title, number = QFontMetrics(self._title.font()), QFontMetrics(self._number.font())
        place = " · ".join(filter(None, (self._place, self._time)))
        whole = f"{self._lesson} · {place}"
        needed = title.horizontalAdvance(self._title.text()) + number.horizontalAdvance(whole)
        fits = needed < self._middle.width() - self.bench.appearance.px(3 * GAP)  # one would read them as one sentence
        self._number.setText(whole if fits else place)

    def _needs(self) -> Needs:
        """What the parts need at the widths that they may get."""
        px = self.bench.appearance.px
        asked = None if self.question is None or self.question.isHidden() else self.question
        way = self.gaps, self._name, self._formula
        slack = px(2)

        @cache
        def led(width: int, terms: int) -> int:
            heights = [height_of(widget, width) for widget in way if not widget.isHidden()]
            if not self._derivation.isHidden():
                heights.append(self._derivation.height_with(width, terms))
            return sum(heights) + px(5) * max(len(heights) - 1, 0) + slack

        return Needs(
            lambda width: self._words.height_at(width) + slack,  # which keeps the heights that it was asked for
            lambda width: 0 if asked is None else asked.height_at(width) + slack,
            led,
            0 if self._derivation.isHidden() or self.all_terms else self._derivation.longest,
            cache(self._hero.scale_in()),
            READABLE * self.bench.appearance.scale,
            LEAST * self.bench.appearance.scale,
        )

    @property
    def _asks(self) -> bool:
        """Whether a question is open that must be answered before a derivation is shown."""
        question = None if self.step is None else self.step.question
        return self.step is not None and (question is None or not question.made) and self._is_open()


def _is_clipped(box: MatrixBox) -> bool:
    """Whether part of a matrix is clipped by what holds it."""
    return box.view.visibleRegion().boundingRect().size() != box.view.size()


def _scroll_where_needed(area: QScrollArea, needed: int) -> None:
    """Let an area scroll if its content does not fit. A bar that is not needed would narrow the room, and stay."""
    content, fits = area.widget(), needed <= area.height() + SLACK
    policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
    if area.verticalScrollBarPolicy() != policy:
        area.setVerticalScrollBarPolicy(policy)
    if content is None:
        return
    moved = content.width() > area.width() >= content.minimumSizeHint().width()  # it needed more width a moment ago
    if content.minimumHeight() != (least := 0 if fits else needed):
        content.setMinimumHeight(least)
        moved = True
    if moved:
        QCoreApplication.sendEvent(area.viewport(), QEvent(QEvent.Type.LayoutRequest))  # now, not a turn later
