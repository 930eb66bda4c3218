"""The window: the map at the left, the stage in the middle, the inspector at the right, the tokens on top."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
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

from explorer.core.gradients import LOSS
from explorer.document.document import Change
from explorer.lessons.loader import catalogue
from explorer.lessons.schema import Lesson
from explorer.ui.actions import Actions
from explorer.ui.comparison import Comparison
from explorer.ui.files import Files
from explorer.ui.new_model import NewModel
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.registry import panel_for
from explorer.ui.stage_area import StageArea
from explorer.ui.theme import mark
from explorer.ui.widgets.icons import app_icon
from explorer.ui.widgets.inspector import Inspector
from explorer.ui.widgets.lesson_bar import LessonBar
from explorer.ui.widgets.pipeline_map import PipelineMap
from explorer.ui.widgets.segments import Segments
from explorer.ui.widgets.token_bar import TokenBar
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.words.tab import WordsTab

SHOWING = ("values", "change", "gradient")
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
        whole = QWidget()
        down = QVBoxLayout(whole)
        down.setContentsMargins(0, 0, 0, 0)
        down.setSpacing(0)
        down.addWidget(self.tokens)
        down.addLayout(across, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(whole)
        self.words: WordsTab | None = None
        window = QWidget()
        below = QVBoxLayout(window)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self._top_bar)
        below.addWidget(self.pages, 1)
        self.setCentralWidget(window)

        bench.bridge.changed.connect(self.follow)
        bench.appearance.changed.connect(self.restyle)
        self._open(bench.lesson)
        self._offer_gradient()

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
            self._tab("Words", "Word vectors by themselves"),
        ]
        for page, tab in enumerate(self._tabs):
            tab.clicked.connect(lambda _=False, page=page: self.show_page(page))
        self._top.addStretch()
        self._choices = QWidget()
        choices = QHBoxLayout(self._choices)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setSpacing(16)
        self._setting_place = QHBoxLayout()
        choices.addLayout(self._setting_place)
        self._showing = Segments(["Values", "Δ last edit", "Gradient"], "Matrices show:")
        self._showing.choose(0)
        self._showing.group.idClicked.connect(lambda i: self.bench.selection.show(SHOWING[i]))
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
        """Show the pipeline (0) or the words (1); the words are loaded when they are first looked at."""
        if page == 1 and self.words is None:
            from explorer.ui.words.tab import WordsTab

            self.words = WordsTab(self.bench)
            self.words.sent.connect(self._go_to_words)
            self.pages.addWidget(self.words)
        self.pages.setCurrentIndex(page)
        for number, tab in enumerate(self._tabs):
            tab.setChecked(number == page)
        for widget in (self._settings, self._showing):
            widget.setVisible(page == 0)

    def _go_to_words(self, sequence: str) -> None:
        """Words went into the model: go and see them there."""
        self.show_page(0)
        self.bench.bridge.flush()
        self.bench.selection.go_to(f"{sequence}.embedding")

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
        self._offer_gradient()

    def _offer_gradient(self) -> None:
        """Gradients are of the loss; without one there is nothing to show."""
        has_loss = LOSS.node in self.bench.document.engine.graph.nodes
        self._showing.group.button(SHOWING.index("gradient")).setEnabled(has_loss)
        if not has_loss and self.bench.selection.showing == "gradient":
            self._showing.choose(0)
            self.bench.selection.show("values")

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
            QGuiApplication.clipboard().setPixmap(page.grab())

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._space_bars()
        self._share_width()
        # The bars know their new widths only after they have been polished.
        QTimer.singleShot(0, self, self._share_width)
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
        if self.words is not None:
            self.words.restyle()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._share_width()

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
        self.bench.bridge.close()
        super().closeEvent(event)
