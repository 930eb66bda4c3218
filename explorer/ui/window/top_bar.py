"""The bar at the top of the window: the menu, what is open, the tabs, the setting, what matrices show, undo and redo.

Also the choice of what matrices show (values, changes by an edit or a step, or gradients), and that of the setting.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QStandardItemModel
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from explorer.lessons.schema import Lesson
from explorer.ui.actions import Actions, MainMenu, OpenMenu
from explorer.ui.appearance import dress_now
from explorer.ui.errors import show_done
from explorer.ui.files import Files
from explorer.ui.page.area import StageArea
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import ComboBox, IconButton, PushButton, Segments, tab_through
from explorer.ui.widgets.labels import as_tip, icon
from explorer.ui.widgets.layouts import FlowLayout, row_in
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.window.notice import Computing
from explorer.ui.workbench import Workbench

SHOWING = {"values": "Values", "change": "Δ last edit", "step": "Δ last step", "gradient": "Gradient"}
SHORT = {"change": "Δ edit", "step": "Δ step"}
"""Short names for the buttons of `SHOWING`."""
NO_GRADIENT = "This model has no loss, so there is no gradient to show"
HINTS = {"change": "what the last edit changed; a run is one edit", "step": "what the run's last step changed"}


class Foldable(QWidget):
    """A button for each thing to choose; if there is too little room, a list to open.

    `spoken`: what is chosen, for a screen reader; `tip`: of the list.
    """

    asked = Signal(int)  # the user chose the thing at this index

    def __init__(self, titles: Sequence[str], spoken: str, tip: str, letters: int) -> None:
        super().__init__()
        self._spoken = spoken
        self._buttons = Segments(titles, spoken)
        self._buttons.group.idClicked.connect(self.asked)
        self._list = ComboBox()
        self._list.setAccessibleName(spoken.removesuffix(":"))
        self._list.setToolTip(tip)
        self._list.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._list.setMinimumContentsLength(letters)
        self._list.addItems(titles)
        self._list.activated.connect(self.asked)
        self._row = row_in(self, self._buttons, self._list)
        self._narrow = False
        self._list.hide()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def group(self) -> QButtonGroup:
        """The buttons, one for each thing to choose."""
        return self._buttons.group

    def choose(self, place: int) -> None:
        """Mark the thing at an index as chosen."""
        self._buttons.choose(place)
        self._list.setCurrentIndex(place)

    def width_of(self, narrow: bool) -> int:
        """The width in pixels of the list, or of the buttons, whichever is shown now."""
        return (self._list if narrow else self._buttons).sizeHint().width()

    def be_narrow(self, on: bool) -> None:
        """Show a list to open, or the buttons."""
        self._narrow = on
        self._list.setVisible(on)
        self._buttons.setVisible(not on)


class DisplayChoice(Foldable):
    """What matrices show: one of `SHOWING`."""

    def __init__(self, bench: Workbench) -> None:
        titles = [SHORT.get(what, text) for what, text in SHOWING.items()]
        super().__init__(titles, "Matrices show:", "What matrices show", max(map(len, titles)) - 1)
        self._bench = bench
        self._wants_gradient = False
        self._can: dict[str, bool] = {}
        """Whether what not every model has can be shown now."""
        for what, text in SHOWING.items():
            button = self.group.button(list(SHOWING).index(what))
            button.setAccessibleName(f"{self._spoken} {text}")
            self._tell(what, f"{self._spoken} {HINTS.get(what, text)}")
        self._mark("values")
        self.asked.connect(lambda i: self.show_in_matrices(list(SHOWING)[i]))

    def show_in_matrices(self, what: str) -> None:
        """Let the matrices show one of `SHOWING`; gradients of a large model as soon as they are computed."""
        document = self._bench.document
        document.show_gradients(what == "gradient")
        self._wants_gradient = what == "gradient" and document.computing
        self._mark(what)  # a step of a lesson calls this without a click
        if not self._wants_gradient:
            self._bench.selection.show(what)

    def stay(self) -> None:
        """Keep what the matrices show, because the gradients could not be computed."""
        self._wants_gradient = False
        showing = self._bench.selection.showing
        self._bench.document.show_gradients(showing == "gradient")
        self._mark(showing)

    def follow(self) -> None:
        """Enable the buttons of what can be shown; show awaited gradients once they are computed.

        Gradients need a loss, and a last step needs a run of gradient descent.
        """
        can = {"gradient": self._bench.descent.possible, "step": self._bench.descent.stepped}
        if can != self._can:  # it is asked at each edit
            self._can = can
            self._tell("gradient", f"{self._spoken} Gradient" if can["gradient"] else NO_GRADIENT)
            for what, on in can.items():
                self._enable(what, on)
        if not can.get(self._bench.selection.showing, True):
            self.show_in_matrices("values")
        if self._wants_gradient and not self._bench.document.computing:
            self.show_in_matrices("gradient")

    def _mark(self, what: str) -> None:
        self.choose(list(SHOWING).index(what))

    def _tell(self, what: str, tip: str) -> None:
        place = list(SHOWING).index(what)
        self.group.button(place).setToolTip(tip)
        self._list.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)

    def _enable(self, what: str, on: bool) -> None:
        place = list(SHOWING).index(what)
        self.group.button(place).setEnabled(on)
        model = self._list.model()
        assert isinstance(model, QStandardItemModel)
        model.item(place).setEnabled(on)


SPOKEN = "Setting:"
LETTERS, MARGIN = 9, 24
"""The number of letters for which the closed list always has room; the pixels that the open list adds to its titles."""


class SettingChoice(Foldable):
    """The settings of the open lesson."""

    def __init__(self) -> None:
        super().__init__([], SPOKEN, "Setting of this example", LETTERS)
        self._names: list[str] = []
        self.be_narrow(True)

    def open(self, lesson: Lesson, before: QWidget) -> None:
        """Show the settings of a lesson; in the order of the key Tab they come after `before`."""
        self._names = list(lesson.settings)
        titles = [setting.title for setting in lesson.settings.values()]
        was, self._buttons = self._buttons, Segments(titles, SPOKEN)
        self._buttons.group.idClicked.connect(self.asked)
        self._row.replaceWidget(was, self._buttons)
        was.hide()
        was.deleteLater()
        self._list.clear()
        self._list.addItems(titles)
        self._list.view().setMinimumWidth(self._list.view().sizeHintForColumn(0) + MARGIN)
        self.be_narrow(self._narrow)
        tab_through(before, self._buttons, self._list)

    def name_at(self, place: int) -> str:
        """The name of the setting at an index."""
        return self._names[place]

    def mark(self, name: str) -> None:
        """Mark the setting of the document."""
        if name in self._names:
            self.choose(self._names.index(name))

    def widen(self, pixels: int) -> None:
        """Make the closed list wider by at most `pixels`, as far as its titles need it."""
        metrics, titles = self._list.fontMetrics(), [self._list.itemText(i) for i in range(self._list.count())]
        longest = max(map(metrics.horizontalAdvance, titles), default=0)
        lacking = longest + metrics.horizontalAdvance("X") - LETTERS * metrics.horizontalAdvance("X")
        self._list.setMinimumWidth(self._list.sizeHint().width() + max(min(lacking, pixels), 0))


Tab = Literal["Pipeline", "Train", "Words", "References", "Lessons", "Class"]
TABS: tuple[Tab, ...] = get_args(Tab)
"""The tabs that the window can show below the bar. The menu opens those that have no button in the bar."""
TITLE, PART, LEAST_TITLE, SHARED_TITLE = 170, 0.21, 40, 100
"""Pixels at text scale 1: the title's width in a window of `NARROW`, its share of more width, its least width, and its
least width on one line with the choices.
"""
NARROW, READ_TITLE, MENU = 900, 80, " Menu"
AROUND = 20
"""The most pixels at the left and right of the bar: large letters need the room."""
OPENS = "  ▾"
"""The sign after the title that it opens a menu."""
SMALL_TITLE = {"middle": 0.85, "small": 0.62}
"""Sizes of a title on two lines, relative to other letters: beside two lines of choices, and where it has less room."""
IN_BAR: dict[Tab, str] = {
    "Pipeline": "The model, stage by stage",
    "Train": "Let the model learn from examples",
    "Words": "Words as lists of numbers: which are alike, and how one computes with them",
    "Lessons": "All lessons: what each teaches",
}
"""The tabs that have a button in the bar, each with its tooltip."""

CARD = "model.card"


class _Title(PushButton):
    """The title of what is open, at the left in its button, which opens a menu."""

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        # In a button with a menu Qt ignores the padding at the left of left-aligned words: they touched the focus ring.
        super().initStyleOption(option)
        drawn: Any = option  # the stubs know none of its fields
        drawn.features &= ~QStyleOptionButton.ButtonFeature.HasMenu


class TopBar(QFrame):
    """One row, or two if one would be wider than the window.

    `files`: opens what the user chooses in the menu. `area`: shows the pages; a word tells that it makes one.
    """

    tab_chosen = Signal(str)  # one of `TABS` was asked for

    def __init__(self, bench: Workbench, actions: Actions, files: Files, area: StageArea) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self._bench = bench
        self.tab: Tab = "Pipeline"
        self._name = ""
        self._rows = QVBoxLayout(self)
        self._row = QHBoxLayout()
        self._rows.addLayout(self._row)
        self._below = QHBoxLayout()
        self._rows.addLayout(self._below)
        # Only after the layout is added: otherwise PySide does not notice when its items are deleted.
        self._below.addStretch(1)
        # The menu of all actions.
        self.menu = PushButton(MENU, tip=actions.menu.toolTip(), look="tab", name="Menu")
        self._menu = MainMenu(actions, files, self.menu)
        self.menu.setMenu(self._menu)
        actions.menu.triggered.connect(self.menu.showMenu)
        self._row.addWidget(self.menu)
        # The title of what is open; its menu lists what else can be opened.
        self.title = mark(_Title(look="tab"), document="true")
        lessons, references = (partial(self.tab_chosen.emit, name) for name in ("Lessons", "References"))
        actions.references.triggered.connect(lambda: references())
        actions.light.triggered.connect(self._say_what_is_lit)
        self.title.setMenu(OpenMenu(actions, files, lessons, self._show_card, self.title))
        self._row.addWidget(self.title)
        self._tabs = {tab: self._button_of(tab, hint) for tab, hint in IN_BAR.items()}
        self._row.addWidget(Computing(bench.background, files.writer, area), 1)
        self._choices = QWidget()
        choices = FlowLayout(self._choices, 16, 4)
        self._settings = SettingChoice()
        self._settings.asked.connect(lambda i: bench.open(bench.lesson, self._settings.name_at(i)))
        choices.addWidget(self._settings)
        self.showing = DisplayChoice(bench)
        choices.addWidget(self.showing)
        self._keep_room(True)
        self._place_of_choices = self._row.count()
        self._row.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignVCenter)
        self._acts = QWidget()
        row_in(self._acts, *map(IconButton, (actions.undo, actions.redo, actions.theme)))
        self._row.addWidget(self._acts)
        bench.appearance.changed.connect(self._restyle)
        self._space()

    def _show_card(self) -> None:
        self.tab_chosen.emit("Pipeline")
        self._bench.selection.go_to(CARD)

    def _button_of(self, tab: Tab, hint: str) -> PushButton:
        button = PushButton(tab, lambda: self.tab_chosen.emit(tab), hint, look="tab", name=tab, checkable=True)
        # So that a screen reader says one of several, and no check box. In a group of its own, since the tabs without a
        # button leave all unmarked, and Tab stops at each.
        button.setAutoExclusive(True)
        group = QButtonGroup(button)
        group.setExclusive(False)
        group.addButton(button)
        button.setChecked(tab == self.tab)
        self._row.addWidget(button)
        return button

    def _say_what_is_lit(self, on: bool) -> None:
        """If the light was switched on and nothing is lit yet, say what to do."""
        if on and self._bench.light.step is None and self._bench.selection.kept is None:
            words = "The light is on. Click a number: the numbers that it comes from and goes into are lit then."
            show_done(words, self.title)

    def show_tab(self, tab: Tab) -> None:
        """Mark the chosen tab, and show only the choices that concern it."""
        for name, button in self._tabs.items():
            button.setChecked(name == tab)
        self.tab = tab
        self._choices.setVisible(tab in ("Pipeline", "Train"))  # a run begins with a setting's weights
        self.showing.setVisible(tab == "Pipeline")

    def open(self, lesson: Lesson) -> None:
        """Show the title of the open lesson, and its settings."""
        self._name = lesson.title
        self.title.setToolTip(as_tip(f"{lesson.title}\nOpen something else"))
        self.title.setText(with_ampersands(f"{self._name}{OPENS}"))
        self._settings.open(lesson, self._tabs["Lessons"])
        self.show_tab(self.tab)

    def follow(self) -> None:
        """Show the setting of the document, and enable what its matrices can show."""
        self._settings.mark(self._bench.document.state.setting)
        self.showing.follow()

    def fit(self, width: int) -> None:
        """Divide a width in pixels; parts that do not fit into the first row go into the second."""
        px, around = self._bench.appearance.px, min(self._bench.appearance.px(24), 2 * AROUND)
        self.menu.setText(MENU)
        # A fixed width, so that the tabs after the title stay in their places.
        self.title.setFixedWidth(px(TITLE) + int(max(width - NARROW, 0) * PART))
        self._keep_room(True)
        apart, title_below = (self._below.indexOf(part) >= 0 for part in (self._choices, self.title))
        outside = apart or self._choices.isHidden()  # hidden choices count, too, because the next tab may show them
        self._settings.widen(0)
        self._measure()
        now = self._choices.sizeHint().width()
        self._acts.show()
        others = self._row.sizeHint().width() - (0 if outside else now) + outside * self._row.spacing() + px(40)
        others += title_below * self._with_title
        now -= self._settings.sizeHint().width() + self.showing.sizeHint().width()
        shown, folded = (self.showing.width_of(on) for on in (False, True))
        wide, narrow = (now + shown + self._settings.width_of(on) for on in (False, True))
        # Computed, not tried, because Qt lays out the whole window whenever a control is shown or hidden.
        self._settings.be_narrow(others + wide > width)
        choices = wide if others + wide <= width else narrow
        needed = others + choices
        free, below = width - others + self._with_title, width - around - choices - self._row.spacing()
        is_below = needed > width and free < min(px(TITLE), below)
        # Otherwise the choices take two lines, or the title stands in small letters.
        small = self._is_cut(below) and not self._is_cut(below + shown - folded)
        folds = is_below and (below < px(SHARED_TITLE) or small)
        if folds:
            choices, below = choices - shown + folded, below + shown - folded
        self.showing.be_narrow(folds)
        if is_below != title_below:
            self._move_title(is_below)
        taken = choices + px(40) if needed > width else needed
        self._settings.widen(max(width - taken - is_below * (min(self._whole_title, below) + self._row.spacing()), 0))
        self._measure()
        if apart != (needed > width):
            (self._below if apart else self._row).removeWidget(self._choices)
            if apart:
                place = self._place_of_choices - is_below
                self._row.insertWidget(place, self._choices, 0, Qt.AlignmentFlag.AlignVCenter)
            else:
                self._below.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignVCenter)
        beside = self._choices.sizeHint().width() + self._row.spacing()
        if is_below:
            sizes = list(SMALL_TITLE)
            if below >= px(SHARED_TITLE):
                sizes = sizes[-1:]
            else:  # the choices take two lines
                below += choices - self._choices.minimumSizeHint().width()
                self._keep_room(False)  # else that below the settings would be empty
                self._measure()
            self._write_title(below, sizes=sizes)
            if self._over(width, beside) > 0:
                self.menu.setText("")
                self._row.invalidate()
            self._acts.setVisible(self._over(width, beside) <= 0)  # else the tabs are cut; the menu has these acts, too
            return
        if self.title.minimumWidth() - self._over(width, beside) < px(READ_TITLE):  # the menu's icon alone is enough
            self.menu.setText("")
            self._row.invalidate()
        # The title is cut only if there is no room, and no tab covers it.
        now, over = self.title.minimumWidth(), self._over(width, beside)
        self._write_title(now - over, now if over <= 0 else 0)

    def _keep_room(self, on: bool) -> None:
        """Let the settings keep their place and form even if the choice beside them is hidden."""
        keeps = self.showing.sizePolicy()
        if keeps.retainSizeWhenHidden() != on:
            keeps.setRetainSizeWhenHidden(on)
            self.showing.setSizePolicy(keeps)

    def _write_title(self, most: int, least: int = 0, sizes: Sequence[str] = ()) -> None:
        """Write the title in at most `most` pixels, and at least `least`.

        `sizes`: with some of `SMALL_TITLE`, the largest first, a title that would be cut is written on two lines.
        """
        self.title.setFixedWidth(max(min(self._whole_title, most), least, self._bench.appearance.px(LEAST_TITLE)))
        room, metrics = self.title.minimumWidth() - self._around_title, self._metrics()
        text = shortened(self._name, lambda text: metrics.horizontalAdvance(text) <= room)
        before, size = "", "true"
        if sizes and self._is_cut(self.title.minimumWidth()):
            above = self.title.minimumWidth() - self._bench.appearance.px(22)
            for size in sizes:
                metrics = self._metrics(SMALL_TITLE[size])
                room = above - metrics.horizontalAdvance(OPENS)
                before, text = _parted(self._name, above, room, metrics)
                if f"{before} {text}".strip() == self._name and metrics.horizontalAdvance(text) <= room:
                    break
        mark(self.title, document=size)
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        self.title.setText(with_ampersands(f"{before}\n{text}{OPENS}".strip()))

    def _is_cut(self, pixels: int) -> bool:
        """Whether the title, or what is left of it where it is shortened, is wider than `pixels`."""
        room, wide = pixels - self._around_title, self._metrics().horizontalAdvance
        return wide(shortened(self._name, lambda text: wide(text) <= room)) > room

    def _metrics(self, times: float = 1.1) -> QFontMetrics:
        """The metrics of the title's font, `times` as large as other letters, as in the style sheet."""
        font = QFont(self._bench.appearance.fonts.ui)
        font.setPointSizeF(font.pointSizeF() * times)
        font.setWeight(QFont.Weight.Bold)
        return QFontMetrics(font)

    @property
    def _around_title(self) -> int:
        """The width in pixels of the title's button besides the text."""
        return self._metrics().horizontalAdvance(OPENS) + self._bench.appearance.px(22)

    @property
    def _whole_title(self) -> int:
        """The width in pixels that the whole title needs."""
        return self._metrics().horizontalAdvance(self._name) + 1 + self._around_title

    @property
    def _with_title(self) -> int:
        """The width in pixels that the title takes in the first row, with its spacing."""
        return self.title.minimumWidth() + self._row.spacing()

    def _move_title(self, below: bool) -> None:
        """Move the title to the left end of the second row, or back to the right of the menu."""
        (self._row if below else self._below).removeWidget(self.title)
        if below:
            self._below.insertWidget(0, self.title, 0, Qt.AlignmentFlag.AlignVCenter)
        else:
            self._row.insertWidget(1, self.title)

    def _over(self, width: int, choices: int) -> int:
        """By how many pixels the first row is wider than the window, with the width `choices` of hidden choices."""
        around, out = self._rows.contentsMargins(), self._choices.isHidden() and self._below.indexOf(self._choices) < 0
        return self._row.sizeHint().width() + around.left() + around.right() + out * choices - width

    def _measure(self) -> None:
        """Update the sizes of the choices now; Qt would do so in a later turn."""
        for part in (self._settings, self._choices):
            layout = part.layout()
            assert layout is not None
            layout.invalidate()
            part.updateGeometry()
        self._row.invalidate()

    def _restyle(self) -> None:
        # Of the list and the buttons one is hidden, and what both would take is compared next; what the page shows is
        # hidden beside "Train", where it keeps its room.
        dress_now(self)
        self._space()

    def _space(self) -> None:
        px = self._bench.appearance.px
        self.menu.setIcon(icon("menu", self._bench.appearance.theme))
        self._rows.setContentsMargins(min(px(8), AROUND), px(4), min(px(14), AROUND), px(4))
        self._rows.setSpacing(px(4))


def shortened(title: str, fits: Callable[[str], bool]) -> str:
    """The title or, if it does not fit, its longest beginning before ": " or " → " that fits, such as "XOR"."""
    ends = [title.rfind(mark) for mark in (": ", " → ") if mark in title]
    parts = sorted((title[:end] for end in ends if end > 0), key=len, reverse=True)
    return next((text for text in (title, *parts) if fits(text)), title)


def _parted(title: str, above: int, below: int, metrics: QFontMetrics) -> tuple[str, str]:
    """The title, or its beginning, on two lines that have room for so many pixels."""

    def parted(text: str) -> tuple[str, str]:
        words = text.split(" ")
        first = sum(metrics.horizontalAdvance(" ".join(words[:n])) <= above for n in range(1, len(words)))
        return " ".join(words[:first]), " ".join(words[first:])

    return parted(shortened(title, lambda text: metrics.horizontalAdvance(parted(text)[1]) <= below))
