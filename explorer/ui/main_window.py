"""The window: the map at the left, the stage in the middle, the inspector at the right, the tokens on top."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.document.document import Change
from explorer.lessons.loader import catalogue
from explorer.lessons.schema import Lesson
from explorer.ui.actions import Actions
from explorer.ui.comparison import Comparison
from explorer.ui.errors import show_error
from explorer.ui.files import Files
from explorer.ui.new_model import NewModel
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.registry import panel_for
from explorer.ui.stage_area import StageArea
from explorer.ui.theme import mark
from explorer.ui.widgets.computing import Computing
from explorer.ui.widgets.icons import app_icon
from explorer.ui.widgets.inspector import Inspector
from explorer.ui.widgets.lesson_bar import LessonBar
from explorer.ui.widgets.pipeline_map import PipelineMap
from explorer.ui.widgets.segments import Segments
from explorer.ui.widgets.token_bar import TokenBar
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.training.tab import TrainingTab
    from explorer.ui.words.tab import WordsTab

PAGES = ("Pipeline", "Train", "Words")
SHOWING = ("values", "change", "step", "gradient")
MAP_WIDTH, INSPECTOR_WIDTH = 212, 325


class MainWindow(QMainWindow):
    """The one window.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.bench = bench
        self.actions_ = Actions(bench, self)
        self.files = Files(bench, self)
        for action, act in (
            (self.actions_.new_model, self.new_model),
            (self.actions_.open, self.files.open),
            (self.actions_.save, self.files.save),
            (self.actions_.save_as, self.files.save_as),
            (self.actions_.export_python, self.files.export_python),
            (self.actions_.undock, self.undock),
            (self.actions_.copy_panel, self.copy_panel),
        ):
            action.triggered.connect(act)
        self.actions_.compare.toggled.connect(self.compare)
        self.setWindowIcon(app_icon(bench.appearance.theme))
        self.setMinimumSize(QSize(900, 560))

        self.tokens = TokenBar(bench)
        self.map = PipelineMap(bench)
        self.inspector = Inspector(bench)
        self.lesson_bar = LessonBar(bench)
        self.area = StageArea(bench)
        self.comparison: Comparison | None = None
        self._wants_gradient = False
        self._docks: dict[QDockWidget, Panel] = {}
        self._make_bars()

        page = QFrame()
        page.setObjectName("page")
        middle = QVBoxLayout(page)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.area)
        middle.addWidget(self._split, 1)
        middle.addWidget(self.lesson_bar)
        across = QHBoxLayout()
        across.setSpacing(0)
        across.addWidget(self.map)
        across.addWidget(page, 1)
        across.addWidget(self.inspector)
        self._whole = QWidget()
        down = QVBoxLayout(self._whole)
        down.setContentsMargins(0, 0, 0, 0)
        down.setSpacing(0)
        down.addWidget(self.tokens)
        down.addLayout(across, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._whole)
        self.words: WordsTab | None = None
        self.training: TrainingTab | None = None
        window = QWidget()
        below = QVBoxLayout(window)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self._top_bar)
        below.addWidget(self.pages, 1)
        self.setCentralWidget(window)

        # A timer of its own: PySide keeps what a singleShot calls for ever, if its context is deleted before.
        self._polished = QTimer(self, singleShot=True, interval=0)
        self._polished.timeout.connect(self._share_width)
        bench.bridge.changed.connect(self.follow)
        bench.background.busy.connect(self._follow_history)
        bench.background.failed.connect(self._say_failed)
        bench.appearance.changed.connect(self.restyle)
        self._open(bench.lesson)
        self._offer_views()

    # The bars

    def _make_bars(self) -> None:
        self._top_bar = QFrame()
        self._top_bar.setObjectName("topBar")
        self._rows = QVBoxLayout(self._top_bar)
        self._top = QHBoxLayout()
        self._rows.addLayout(self._top)
        self._title = QPushButton()
        mark(self._title, tab="true", document="true")
        self._title.setToolTip("Open another example")
        self._title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self._title)
        for lesson in catalogue():
            menu.addAction(lesson.title, partial(self.files.open_lesson, lesson))
        menu.addSeparator()
        own = self.actions_
        for action in (own.new_model, own.open, own.save, own.save_as, own.export_python):
            menu.addAction(action)
        menu.addSeparator()
        for action in (self.actions_.compare, self.actions_.undock, self.actions_.copy_panel):
            menu.addAction(action)
        self._title.setMenu(menu)
        self._top.addWidget(self._title)
        self._tabs = [
            self._tab("Pipeline", "The model, stage by stage"),
            self._tab("Train", "Let the model learn from examples"),
            self._tab("Words", "Word vectors by themselves"),
        ]
        for page, tab in enumerate(self._tabs):
            tab.clicked.connect(lambda _=False, page=page: self.show_page(page))
        self._top.addWidget(Computing(self.bench.background), 1)
        self._choices = QWidget()
        choices = QHBoxLayout(self._choices)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setSpacing(16)
        self._setting_place = QHBoxLayout()
        choices.addLayout(self._setting_place)
        self._showing = Segments(["Values", "Δ last edit", "Δ last step", "Gradient"], "Matrices show:")
        hints = {"change": "what the last edit changed; a run is one edit", "step": "what the run's last step changed"}
        for what, hint in hints.items():
            self._showing.group.button(SHOWING.index(what)).setToolTip(f"Matrices show: {hint}")
        self._showing.choose(0)
        self._showing.group.idClicked.connect(lambda i: self._show(SHOWING[i]))
        choices.addWidget(self._showing)
        self._place_of_choices = self._top.count()
        self._top.addWidget(self._choices)
        for action in (self.actions_.undo, self.actions_.redo, self.actions_.theme):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAutoRaise(True)
            button.setAccessibleName(action.text())
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._top.addWidget(button)

        self._space_bars()

    def _tab(self, title: str, hint: str) -> QPushButton:
        tab = QPushButton(title)
        mark(tab, tab="true")
        tab.setCheckable(True)
        tab.setChecked(title == "Pipeline")
        tab.setAccessibleName(title)
        tab.setToolTip(hint)
        tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._top.addWidget(tab)
        return tab

    def show_page(self, page: int) -> None:
        """Show one of `PAGES`; what is behind the first is made when it is first looked at."""
        self.pages.setCurrentWidget(self._page(PAGES[page]))
        for number, tab in enumerate(self._tabs):
            tab.setChecked(number == page)
        for widget in (self._settings, self._showing):
            widget.setVisible(page == 0)

    def _page(self, name: str) -> QWidget:
        if name == "Train":
            if self.training is None:
                from explorer.ui.training.tab import TrainingTab

                self.training = TrainingTab(self.bench)
                self.pages.addWidget(self.training)
            return self.training
        if name == "Words":
            if self.words is None:
                from explorer.ui.words.tab import WordsTab

                self.words = WordsTab(self.bench)
                self.words.sent.connect(self._go_to_words)
                self.pages.addWidget(self.words)
            return self.words
        return self._whole

    def _go_to_words(self, stage: str) -> None:
        """Words went into the model: go and see them there."""
        # First of all: a panel of the example before would look for nodes that are gone when it is shown.
        self.bench.bridge.flush()
        self.bench.selection.go_to(stage)
        self.show_page(0)

    def _space_bars(self) -> None:
        px = self.bench.appearance.px
        self._rows.setContentsMargins(px(8), px(6), px(14), px(6))
        self._rows.setSpacing(px(4))

    # Lessons and settings

    def new_model(self) -> None:
        """Ask for a new model and open it."""
        dialog = NewModel(self.bench, self)
        if dialog.exec() and dialog.lesson is not None:
            self.files.open_lesson(dialog.lesson)
        dialog.deleteLater()

    def _open(self, lesson: Lesson) -> None:
        self._shown = lesson
        self._title.setText(f"{lesson.title}  ▾")
        while (item := self._setting_place.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._settings = Segments([s.title for s in lesson.settings.values()], "Setting:")
        self._settings.group.idClicked.connect(self._choose_setting)
        self._setting_place.addWidget(self._settings)
        before: QWidget = self._tabs[-1]
        for button in self._settings.group.buttons():
            self.setTabOrder(before, button)  # made last, but it does not stand last
            before = button
        self._share_width()
        self._say_setting()
        names = [stage.name for stage in self.bench.selection.stops]
        stage = lesson.start_stage if lesson.start_stage in names else names[0]
        self.bench.selection.go_to(stage)
        self.area.show_stage(stage)

    def _choose_setting(self, place: int) -> None:
        lesson = self.bench.lesson
        self.bench.open(lesson, list(lesson.settings)[place])

    def _say_setting(self) -> None:
        names, name = list(self.bench.lesson.settings), self.bench.document.state.setting
        if name in names:
            self._settings.choose(names.index(name))
        self.lesson_bar.refresh()

    # Following

    def _show(self, what: str) -> None:
        """Let the matrices show it; gradients of a large model as soon as they are computed."""
        document = self.bench.document
        document.show_gradients(what == "gradient")
        self._wants_gradient = what == "gradient" and document.computing
        if not self._wants_gradient:
            self.bench.selection.show(what)

    def _say_failed(self, error: ExplorerError) -> None:
        self._wants_gradient = False
        showing = self.bench.selection.showing
        self.bench.document.show_gradients(showing == "gradient")
        self._showing.choose(SHOWING.index(showing))
        show_error(error, self._title)

    def _follow_history(self) -> None:
        """What can be undone is another act, and its numbers are not there yet."""
        self.actions_.refresh()
        self.files.refresh()

    def follow(self, change: Change) -> None:
        """Show a change of the document, once for each turn of the event loop."""
        if change.structure:
            self._follow_structure()
        self.tokens.follow(change)
        self.bench.selection.refresh()
        self.area.follow(change)
        for panel in tuple(self._docks.values()):
            panel.follow(change)
        self.actions_.refresh()
        if self.bench.lesson is not self._shown:
            self._open(self.bench.lesson)
        self._say_setting()
        self._offer_views()
        if self._wants_gradient and not self.bench.document.computing:
            self._show("gradient")

    def _offer_views(self) -> None:
        """Gradients are of the loss, and a last step is one of gradient descent; without, there is nothing to show."""
        has_loss, has_step = self.bench.descent.possible, self.bench.descent.run is not None
        self._showing.group.button(SHOWING.index("gradient")).setEnabled(has_loss)
        self._showing.group.button(SHOWING.index("step")).setVisible(has_step)
        if (self.bench.selection.showing, True) in (("gradient", not has_loss), ("step", not has_step)):
            self._showing.choose(0)
            self._show("values")
        self._share_width()

    def _follow_structure(self) -> None:
        stages = list(self.bench.selection.stops)
        if [button.stage for button in self.map.buttons] != stages:
            self.map.rebuild()
        for dock, panel in list(self._docks.items()):
            if panel.stage not in stages:
                self._close_dock(dock)

    def panel(self) -> Panel:
        """The panel that is in sight."""
        return self.area.panel()

    # Side by side

    def undock(self) -> QDockWidget:
        """The stage that is in sight in a window of its own, which can stand beside the others."""
        stage = self.panel().stage
        panel = panel_for(self.bench, stage)
        dock = QDockWidget(f"{stage.group}: {stage.title}", self)
        dock.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dock.setWidget(panel)
        dock.destroyed.connect(lambda: self._docks.pop(dock, None))
        self._docks[dock] = panel
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.resize(self.bench.appearance.px(560), self.height())
        return dock

    def _close_dock(self, dock: QDockWidget) -> None:
        self._docks.pop(dock, None)
        self.removeDockWidget(dock)
        dock.deleteLater()

    def compare(self, on: bool) -> None:
        """Show another example or setting beside this one, or no more."""
        if on and self.comparison is None:
            self.comparison = Comparison(self.bench)
            self._split.addWidget(self.comparison)
            self._split.setSizes([1, 1])
        elif not on and self.comparison is not None:
            self.comparison.close_down()
            self.comparison.deleteLater()
            self.comparison = None

    def copy_panel(self) -> None:
        """The whole page of the stage as a picture to the clipboard."""
        page = self.panel().widget()
        if page is not None:
            picture = QPixmap(page.size() * page.devicePixelRatioF())
            picture.setDevicePixelRatio(page.devicePixelRatioF())
            picture.fill(self.bench.appearance.theme.page)  # the page itself is transparent: it would be pasted black
            page.render(picture)
            QGuiApplication.clipboard().setPixmap(picture)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space_bars()
        self._share_width()
        # The bars know their new widths only after they have been polished.
        self._polished.start()
        self.actions_.restyle()
        self.tokens.restyle()
        self.map.restyle()
        self.inspector.restyle()
        self.lesson_bar.restyle()
        self.area.restyle()
        for dock, panel in list(self._docks.items()):
            fresh = panel_for(self.bench, panel.stage)
            dock.setWidget(fresh)
            panel.deleteLater()
            self._docks[dock] = fresh
        if self.comparison is not None:
            self.comparison.restyle()
        for page in (self.words, self.training):
            if page is not None:
                page.restyle()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._share_width()
        self.lesson_bar.refresh()

    def _share_width(self) -> None:
        """Large text must not leave the stage without room: map and inspector give way."""
        px, width = self.bench.appearance.px, self.width()
        apart = self._rows.indexOf(self._choices) >= 0
        needed = self._top.sizeHint().width() + apart * self._choices.sizeHint().width() + px(40)
        if apart != (needed > width):
            # What does not fit beside the title stands below it.
            (self._rows if apart else self._top).removeWidget(self._choices)
            if apart:
                self._top.insertWidget(self._place_of_choices, self._choices)
            else:
                self._rows.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignRight)
        self.map.setFixedWidth(min(px(MAP_WIDTH), int(width * 0.23)))
        self.inspector.setFixedWidth(min(px(INSPECTOR_WIDTH), int(width * 0.27)))

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        # Otherwise the first button wears the focus ring before anybody has touched a key.
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def dragEnterEvent(self, event: Any) -> None:
        self.files.drag(event)

    def dropEvent(self, event: Any) -> None:
        self.files.drop(event)

    def closeEvent(self, event: Any) -> None:
        if self.isVisible() and not self.files.may_leave():
            event.ignore()
            return
        self.compare(False)
        if self.training is not None:
            self.training.close_down()
        self.bench.bridge.close()
        self.bench.document.close()
        super().closeEvent(event)
