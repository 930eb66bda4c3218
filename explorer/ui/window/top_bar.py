"""The bar on top of the window: what is open, the tabs, its setting, what the matrices show, undo and redo."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from explorer.lessons.schema import Lesson
from explorer.ui.actions import Actions
from explorer.ui.files import Files
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.icons import icon
from explorer.ui.window.computing import Computing
from explorer.ui.window.display_choice import DisplayChoice
from explorer.ui.window.menus import MainMenu, OpenMenu, plain
from explorer.ui.window.setting_choice import SettingChoice
from explorer.ui.workbench import Workbench

PAGES = ("Pipeline", "Train", "Words", "References", "Lessons", "Class")
"""What the window can show below the bar. The menu leads to those that have no tab.""" ""
TITLE, PART, LEAST_TITLE = 170, 0.21, 70
"""Pixels at text scale 1 that the title takes of a window of `NARROW`, its part of what is wider, and its least."""
NARROW, READ_TITLE, MENU = 900, 80, " Menu"
TABS = {
    "Pipeline": "The model, stage by stage",
    "Train": "Let the model learn from examples",
    "Words": "Word vectors by themselves",
    "Lessons": "All lessons: what each teaches",
}
"""The pages that have a tab, each with its hint."""

CARD = "model.card"


class TopBar(QFrame):
    """One row, or two where it would be wider than the window.

    `files`: opens what is chosen in the menu.
    """

    page_chosen = Signal(int)  # the tab of one of `PAGES` was pressed

    def __init__(self, bench: Workbench, actions: Actions, files: Files) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self._bench = bench
        # `page`: which of `PAGES` is chosen.
        self.page, self._name = 0, ""
        self._rows = QVBoxLayout(self)
        self._row = QHBoxLayout()
        self._rows.addLayout(self._row)
        # All that can be done.
        self.menu = mark(QPushButton(MENU), tab="true")
        self.menu.setAccessibleName("Menu")
        self.menu.setToolTip(actions.menu.toolTip())
        self.menu.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._menu = MainMenu(actions, files, self.menu)
        self.menu.setMenu(self._menu)
        actions.menu.triggered.connect(self.menu.showMenu)
        self._row.addWidget(self.menu)
        # What is open; its menu has what else can be opened.
        self.title = mark(QPushButton(), tab="true", document="true")
        self.title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        lessons, references = (partial(self.page_chosen.emit, PAGES.index(name)) for name in ("Lessons", "References"))
        actions.references.triggered.connect(lambda: references())
        self.title.setMenu(OpenMenu(actions, files, lessons, self._show_card, self.title))
        self._row.addWidget(self.title)
        self._tabs = {page: self._tab(page, hint) for page, hint in TABS.items()}
        self._row.addWidget(Computing(bench.background, files.writer), 1)
        self._choices = QWidget()
        choices = FlowLayout(self._choices, 16, 4)
        self._settings = SettingChoice()
        self._settings.asked.connect(lambda name: bench.open(bench.lesson, name))
        choices.addWidget(self._settings)
        self.showing = DisplayChoice(bench)
        choices.addWidget(self.showing)
        # The settings stand in the same place, and in the same form, where the other choice does not concern the page.
        keeps = self.showing.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.showing.setSizePolicy(keeps)
        self._place_of_choices = self._row.count()
        self._row.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignVCenter)
        for action in (actions.undo, actions.redo, actions.theme):
            self._row.addWidget(_button(action))
        self._space()

    def _show_card(self) -> None:
        self.page_chosen.emit(0)
        self._bench.selection.go_to(CARD)

    def offer(self, *actions: QAction) -> None:
        """Offer in the menu what is done with a lesson."""
        self._menu.offer(actions)

    def _tab(self, title: str, hint: str) -> QPushButton:
        tab = mark(QPushButton(title), tab="true")
        tab.setCheckable(True)
        tab.setChecked(title == PAGES[0])
        tab.setAccessibleName(title)
        tab.setToolTip(hint)
        tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tab.clicked.connect(lambda: self.page_chosen.emit(PAGES.index(title)))
        self._row.addWidget(tab)
        return tab

    def show_page(self, page: int) -> None:
        """Show which tab is chosen, and only what concerns its page."""
        for name, tab in self._tabs.items():
            tab.setChecked(name == PAGES[page])
        self.page = page
        self._choices.setVisible(page < PAGES.index("Words"))  # a run begins with the weights of a setting
        self.showing.setVisible(page == 0)

    def open(self, lesson: Lesson) -> None:
        """Show what is open, and its settings."""
        self._name = lesson.title
        self.title.setToolTip(f"{lesson.title}\nOpen something else")
        self.title.setText(plain(f"{self._name}  ▾"))
        self._settings.open(lesson, self._tabs["Lessons"])
        self.show_page(self.page)

    def follow(self) -> None:
        """Show which setting the document is in, and offer what its matrices can show."""
        self._settings.choose(self._bench.document.state.setting)
        self.showing.follow()

    def fit(self, width: int) -> None:
        """Let what does not fit beside the title in so many pixels stand below it."""
        px = self._bench.appearance.px
        self.menu.setText(MENU)
        # Whatever it says: what stands behind it stays.
        self.title.setFixedWidth(px(TITLE) + int(max(width - NARROW, 0) * PART))
        apart = self._rows.indexOf(self._choices) >= 0
        outside = apart or self._choices.isHidden()  # its room is reckoned in each tab: the next one shows it
        self._settings.widen(0)
        self._measure()
        now = self._choices.sizeHint().width()
        others = self._row.sizeHint().width() - (0 if outside else now) + outside * self._row.spacing() + px(40)
        wide, narrow = (now - self._settings.sizeHint().width() + self._settings.width_of(on) for on in (False, True))
        # Reckoned, not tried: a control that comes or goes has Qt lay out the whole window at once.
        self._settings.be_narrow(others + wide > width)
        choices = wide if others + wide <= width else narrow
        needed = others + choices
        taken = choices + px(40) if needed > width else needed
        self._settings.widen(max(width - taken, 0))
        self._measure()
        if apart != (needed > width):
            (self._rows if apart else self._row).removeWidget(self._choices)
            if apart:
                self._row.insertWidget(self._place_of_choices, self._choices, 0, Qt.AlignmentFlag.AlignVCenter)
            else:
                self._rows.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignRight)
        around = self._rows.contentsMargins()
        over = self._row.sizeHint().width() + around.left() + around.right() - width
        if self.title.minimumWidth() - over < px(READ_TITLE):  # three strokes are known as a menu, too
            self.menu.setText("")
            self._row.invalidate()
            over = self._row.sizeHint().width() + around.left() + around.right() - width
        if over > 0:  # else it would lie under the first tab
            self.title.setFixedWidth(max(self.title.minimumWidth() - over, px(LEAST_TITLE)))
        metrics = self.title.fontMetrics()
        room = self.title.minimumWidth() - metrics.horizontalAdvance("  ▾") - px(22)
        short = metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        self.title.setText(plain(f"{short}  ▾"))

    def _measure(self) -> None:
        """Qt would ask how wide the choices are in a turn of its own."""
        for part in (self._settings, self._choices):
            layout = part.layout()
            assert layout is not None
            layout.invalidate()
            part.updateGeometry()
        self._row.invalidate()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space()

    def _space(self) -> None:
        px = self._bench.appearance.px
        self.menu.setIcon(icon("menu", self._bench.appearance.theme))
        self._rows.setContentsMargins(px(8), px(4), px(14), px(4))
        self._rows.setSpacing(px(4))


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAutoRaise(True)
    button.setAccessibleName(action.text())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
