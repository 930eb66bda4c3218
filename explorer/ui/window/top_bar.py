"""The bar at the top of the window: the menu, what is open, the tabs, the setting, what matrices show, undo and redo.

Also the choice of what matrices show (values, changes by an edit or a step, or gradients), and that of the setting.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, get_args

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QStyleOptionButton, QWidget

from explorer.lessons.schema import Lesson
from explorer.ui.actions import Actions, MainMenu, OpenMenu
from explorer.ui.appearance import Appearance, dress_now
from explorer.ui.errors import show_done
from explorer.ui.files import Files
from explorer.ui.page.area import StageArea
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import ComboBox, IconButton, PushButton, Segments, tab_through
from explorer.ui.widgets.labels import as_tip, icon
from explorer.ui.widgets.layouts import put, row_in
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.window.bar import Bar, Choice, Parts, Size, Title, arranged
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
        self._folds = False
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

    @property
    def sizes(self) -> Choice:
        """Its sizes as buttons and as a list."""
        wide, closed = self._list.fontMetrics().horizontalAdvance, _size(self._list)
        longest = max((wide(self._list.itemText(i)) for i in range(self._list.count())), default=0)
        letters = (self._list.minimumContentsLength() - 1) * wide("X")  # those that the closed list has room for
        return Choice(_size(self._buttons), closed, closed.width + max(longest - letters, 0))

    def fold(self, on: bool) -> None:
        """Show a list to open, or the buttons."""
        self._folds = on
        self._list.setVisible(on)
        self._buttons.setVisible(not on)


def _size(widget: QWidget) -> Size:
    """The size that a widget likes."""
    hint = widget.sizeHint()
    return Size(hint.width(), hint.height())


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
        self.fold(True)

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
        self.fold(self._folds)
        tab_through(before, self._buttons, self._list)

    def name_at(self, place: int) -> str:
        """The name of the setting at an index."""
        return self._names[place]

    def mark(self, name: str) -> None:
        """Mark the setting of the document."""
        if name in self._names:
            self.choose(self._names.index(name))


Tab = Literal["Pipeline", "Train", "Words", "References", "Lessons", "Class"]
TABS: tuple[Tab, ...] = get_args(Tab)
"""The tabs that the window can show below the bar. The menu opens those that have no button in the bar."""
MENU = " Menu"
OPENS = "  ▾"
"""The sign after the title that it opens a menu."""
USUAL_TITLE, SMALL_TITLE = 1.1, {"middle": 0.85, "small": 0.62}
"""Sizes of a title relative to other letters: on one line, and on two lines, as in the style sheet."""
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

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(look="tab")
        self._appearance, self._name = appearance, ""
        mark(self, document="true")

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        # In a button with a menu Qt ignores the padding at the left of left-aligned words: they touched the focus ring.
        super().initStyleOption(option)
        drawn: Any = option  # the stubs know none of its fields
        drawn.features &= ~QStyleOptionButton.ButtonFeature.HasMenu

    def name(self, title: str) -> None:
        """Show another title, on one line."""
        self._name = title
        self.setToolTip(as_tip(f"{title}\nOpen something else"))
        self.setText(with_ampersands(f"{title}{OPENS}"))

    @property
    def sizes(self) -> Title:
        """Its sizes on one line, and in smaller letters on two."""
        wide = self._metrics().horizontalAdvance
        lines = {size: self._on_two_lines(self._metrics(times)) for size, times in SMALL_TITLE.items()}
        short = min(map(wide, _forms(self._name)))
        return Title(wide(self._name) + 1 + self._around, short + self._around, lines)

    def _on_two_lines(self, metrics: QFontMetrics) -> Size:
        wide, words = metrics.horizontalAdvance, self._name.split(" ")
        parted = ((" ".join(words[:n]), " ".join(words[n:]) + OPENS) for n in range(len(words)))
        least = min(max(wide(above), wide(below)) for above, below in parted)
        return Size(least + self._appearance.px(22), 2 * metrics.lineSpacing() + 6)

    def write(self, width: int, letters: str) -> None:
        """Write the title in a width of so many pixels: on one line or, in letters of `SMALL_TITLE`, on two."""
        before, room, metrics = "", width - self._around, self._metrics(SMALL_TITLE.get(letters, USUAL_TITLE))
        if letters:
            above = width - self._appearance.px(22)
            room = above - metrics.horizontalAdvance(OPENS)
            before, text = _parted(self._name, above, room, metrics)
        else:
            text = shortened(self._name, lambda text: metrics.horizontalAdvance(text) <= room)
        mark(self, document=letters or "true")
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        self.setText(with_ampersands(f"{before}\n{text}{OPENS}".strip()))

    def _metrics(self, times: float = USUAL_TITLE) -> QFontMetrics:
        """The metrics of its font, `times` as large as other letters."""
        font = QFont(self._appearance.fonts.ui)
        font.setPointSizeF(font.pointSizeF() * times)
        font.setWeight(QFont.Weight.Bold)
        return QFontMetrics(font)

    @property
    def _around(self) -> int:
        """The width in pixels of the button besides the title."""
        return self._metrics().horizontalAdvance(OPENS) + self._appearance.px(22)


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
        # The menu of all actions.
        self.menu = PushButton(MENU, tip=actions.menu.toolTip(), look="tab", name="Menu")
        self._menu = MainMenu(actions, files, self.menu)
        self.menu.setMenu(self._menu)
        actions.menu.triggered.connect(self.menu.showMenu)
        # The title of what is open; its menu lists what else can be opened.
        self.title = _Title(bench.appearance)
        lessons, references = (partial(self.tab_chosen.emit, name) for name in ("Lessons", "References"))
        actions.references.triggered.connect(lambda: references())
        actions.light.triggered.connect(self._say_what_is_lit)
        self.title.setMenu(OpenMenu(actions, files, lessons, self._show_card, self.title))
        self._tabs = {tab: self._button_of(tab, hint) for tab, hint in IN_BAR.items()}
        computing = Computing(bench.background, files.writer, area)
        self._settings = SettingChoice()
        self._settings.asked.connect(lambda i: bench.open(bench.lesson, self._settings.name_at(i)))
        self.showing = DisplayChoice(bench)
        self._acts = QWidget()
        row_in(self._acts, *map(IconButton, (actions.undo, actions.redo, actions.theme)))
        self._placed: dict[str, QWidget] = {"menu": self.menu, "title": self.title}
        self._placed |= {f"tab {k}": tab for k, tab in enumerate(self._tabs.values())}
        self._placed |= {
            "computing": computing,
            "settings": self._settings,
            "showing": self.showing,
            "acts": self._acts,
        }
        for part in self._placed.values():
            part.setParent(self)
        bench.appearance.changed.connect(self._restyle)
        self.menu.setIcon(icon("menu", bench.appearance.theme))

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
        self._fit()

    def open(self, lesson: Lesson) -> None:
        """Show the title of the open lesson, and its settings."""
        self.title.name(lesson.title)
        self._settings.open(lesson, self._tabs["Lessons"])
        self.show_tab(self.tab)

    def follow(self) -> None:
        """Show the setting of the document, and enable what its matrices can show."""
        self._settings.mark(self._bench.document.state.setting)
        self.showing.follow()

    # Its places

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arranged(width).height + self.height() - self.contentsRect().height()

    def sizeHint(self) -> QSize:
        return QSize(0, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _arranged(self, width: int) -> Bar:
        """Its parts in a width of so many pixels."""
        menu = self.menu
        parts = Parts(
            self._bench.appearance.scale,
            Size(*menu.size_of(MENU).toTuple()),
            Size(*menu.size_of("").toTuple()),
            self.title.sizes,
            tuple(map(_size, self._tabs.values())),
            self._settings.sizes,
            self.showing.sizes,
            _size(self._acts),
            chooses=self.tab in ("Pipeline", "Train"),  # a run begins with a setting's weights
            shows=self.tab == "Pipeline",
        )
        return arranged(width, parts)

    def _place(self) -> None:
        """Let each part have its form, and stand where it belongs."""
        _, rects, forms = self._arranged(self.width())
        self.menu.setText(MENU if forms.menu_says else "")
        self._settings.fold(forms.settings_fold)
        self.showing.fold(forms.showing_folds)
        self.title.write(forms.title.width, forms.letters)
        for name, part in self._placed.items():
            part.setVisible(name in rects)
            if name in rects:
                put(part, rects[name])

    def _fit(self) -> None:
        self.updateGeometry()  # it may have another height
        self._place()

    def _restyle(self) -> None:
        # Of the list and the buttons one is hidden, and what both would take is compared next.
        dress_now(self)
        self.menu.setIcon(icon("menu", self._bench.appearance.theme))
        self._fit()


def _forms(title: str) -> list[str]:
    """The title, and its beginnings before ": " or " → ", such as "XOR", the longest first."""
    ends = [title.rfind(mark) for mark in (": ", " → ") if mark in title]
    return [title, *sorted((title[:end] for end in ends if end > 0), key=len, reverse=True)]


def shortened(title: str, fits: Callable[[str], bool]) -> str:
    """The title or, if it does not fit, its longest beginning that has a meaning and fits."""
    return next((text for text in _forms(title) if fits(text)), title)


def _parted(title: str, above: int, below: int, metrics: QFontMetrics) -> tuple[str, str]:
    """The title, or its beginning, on two lines that have room for so many pixels."""

    def parted(text: str) -> tuple[str, str]:
        words = text.split(" ")
        first = sum(metrics.horizontalAdvance(" ".join(words[:n])) <= above for n in range(1, len(words)))
        return " ".join(words[:first]), " ".join(words[first:])

    return parted(shortened(title, lambda text: metrics.horizontalAdvance(parted(text)[1]) <= below))
