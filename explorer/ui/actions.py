"""The window's actions, each with its shortcut, and the two menus of the top bar."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QTableView, QWidget

from explorer.lessons.loader import model_titles
from explorer.pages.levels import WHOLE, act_title, stages_of
from explorer.ui.dialogs import show_about, show_keys
from explorer.ui.files import Files
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page.answers import BlankView
from explorer.ui.turns import OneATurn
from explorer.ui.widgets.inputs import Menu, take_typed
from explorer.ui.widgets.labels import as_tip, icon
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.widgets.tree import inside
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

PARTS = ("page", "stepPanel", "inspector", "glossary", "topBar", "notice", "tokenBar", "sidebar", "lessonBar")
"""Object names of the window's parts, as the style sheet uses them, in the order of F6: the page first, and a part that
stands inside another one after it.
"""


RECORD = "Record a lesson"
ALSO = "also"
"""The property of an action that has its other names."""


class Actions:
    """The window's actions: undo, files, the look, moving between stages and parts of the window, help.

    `window`: where the shortcuts work; it has its `files` already.
    """

    def __init__(self, bench: Workbench, window: "MainWindow") -> None:
        self._bench = bench
        self._window = window
        self._labels: tuple[str | None, ...] = ()
        document, appearance, files = bench.document, bench.appearance, window.files
        looks = OneATurn(window)  # each restyles all visible widgets: two in one turn would block the window longer

        def action(
            text: str, keys: list[str | QKeySequence.StandardKey], act: object = None, also: str = ""
        ) -> QAction:
            """An action; without `act`, the part of the window that it belongs to connects it.

            `also`: what others call it, separated by commas; the command palette finds it by these names, too.
            """
            made = QAction(text, window)
            made.setProperty(ALSO, also)
            made.setShortcuts([QKeySequence(key) for key in keys])
            if act is not None:
                made.triggered.connect(act)
            made.setToolTip(f"{text} ({_keys(made)})")
            window.addAction(made)
            return made

        def exporting(act: str) -> Callable[[], object]:
            """A function of `explorer.ui.export`, which is imported only when one of them is wanted."""
            return lambda: getattr(import_module("explorer.ui.export"), act)(window)

        key = QKeySequence.StandardKey
        self.undo = action("Undo", [key.Undo], take_typed)  # a button leaves the keys in the field: this comes first
        self.undo.triggered.connect(lambda: document.undo())
        self.redo = action("Redo", ["Ctrl+Y", "Ctrl+Shift+Z"], lambda: document.redo())

        def switch_theme() -> None:
            appearance.set_mode("light" if appearance.theme.dark else "dark")

        self.theme = action("Light or dark", ["Ctrl+T"], lambda: looks.do(switch_theme), "theme, dark mode, colours")
        larger, smaller = partial(appearance.zoom, 1), partial(appearance.zoom, -1)
        self.larger = action("Larger text", [key.ZoomIn, "Ctrl+="], lambda: looks.do(larger), "zoom in, font size")
        self.smaller = action("Smaller text", [key.ZoomOut], lambda: looks.do(smaller), "zoom out, font size")
        usual = partial(appearance.set_scale, 1.0)
        self.usual_size = action("Text in its usual size", ["Ctrl+0"], lambda: looks.do(usual), "reset zoom, font size")
        self.contrast = action("More contrast", ["Ctrl+Alt+T"], appearance.set_contrast, "accessibility")
        self.still = action("Less motion", ["Ctrl+Alt+M"], appearance.set_still, "animation, accessibility")
        self.light = action("Light what it is about, dim the rest", ["L"], bench.light.switch, "spotlight, highlight")
        bench.light.changed.connect(lambda: self.light.setChecked(bench.light.on))
        self.play_cell = action("Play this cell", ["P"])
        self.export_cell = action(
            "Save how this cell is played …", ["Ctrl+Alt+P"], exporting("export_cell"), "animation, GIF"
        )
        switches = (self.contrast, appearance.contrast), (self.still, appearance.still), (self.light, bench.light.on)
        for switch, on in switches:
            switch.setCheckable(True)
            switch.setChecked(on)
        self.new_model = action("New model …", [key.New], window.new_model)
        self.open = action("Open a document or lesson …", ["Ctrl+O"], files.open, "file, word vectors")
        self.open_model = action(
            "Open a model that others trained …", ["Ctrl+Shift+O"], files.open_model, "checkpoint, safetensors, GGUF"
        )
        self.save = action("Save", ["Ctrl+S"], files.save)
        self.save_as = action("Save as …", ["Ctrl+Shift+S"], files.save_as)
        self.export = action("Export …", ["Ctrl+Shift+E"], exporting("export"), "PNG, SVG, PDF, spreadsheet, print")
        self.copy_text = action("Copy the document as text", ["Ctrl+Alt+C"], exporting("copy_text"))
        self.open_text = action("Open the document in copied text", ["Ctrl+Alt+V"], files.open_text)
        self.compare = action("Compare side by side", ["Ctrl+E"], also="split view, two models")
        self.compare.setCheckable(True)
        self.undock = action("This stage in a window of its own", ["Ctrl+Shift+D"], window.undock, "dock, detach")
        self.copy_page = action(
            "Copy this page as a picture", ["Ctrl+Shift+C"], exporting("copy_page"), "screenshot, image"
        )
        self.whole = action("The whole model", ["Alt+Home"], lambda: bench.selection.go_to(WHOLE.name))
        self.fold_list = action("List of stages as numbers only", ["Ctrl+B"], also="sidebar")
        self.fold_right = action("Hide the right column", ["Ctrl+I"], also="inspector, sidebar")
        self.fold_bottom = action("Hide the bar at the bottom", ["Ctrl+J"])
        for fold in (self.fold_list, self.fold_right, self.fold_bottom):
            fold.setCheckable(True)
        self.find = action("Find on this page …", [key.Find], window.find_words, "search")
        self.palette = action("Go to …", ["Ctrl+K"], window.show_palette)
        self.next_stage = action("Next stage", ["Ctrl+PgDown"], lambda: self._step(1))
        self.previous_stage = action("Previous stage", ["Ctrl+PgUp"], lambda: self._step(-1))
        self.next_part = action("Next part of the window", ["F6"], lambda: self._go_round(1))
        self.previous_part = action("Previous part", ["Shift+F6"], lambda: self._go_round(-1))
        self.glossary = action("Glossary: the terms on this page", ["Ctrl+G"], also="dictionary, definitions")
        self.classroom = action(
            "Class: exercise sheets and answers …", ["Ctrl+Shift+K"], lambda: window.show_tab("Class")
        )
        self.references = action("References", ["Ctrl+Shift+R"])
        self.keys = action("Keys", ["F1"], lambda: show_keys(window), "keyboard shortcuts, help")
        self.menu = action("Menu", ["F10"])
        self.quit = action("Quit", ["Ctrl+Q"], window.close, "exit, close")
        self.about = action(
            "About Transformer Explorer", ["Shift+F1"], lambda: show_about(window), "version, licence, help"
        )
        self.next_step = action("Next step", ["Alt+Right"])
        self.previous_step = action("Step before", ["Alt+Left"])
        self.present = action("Present the steps", ["F5"], also="presenter, full screen, slides, lecture")
        self.hand_out = action("Save as a hand-out …", ["Ctrl+Shift+H"], also="print, PDF, paper")
        self.record_lesson = action(RECORD, ["Ctrl+Alt+R"])
        self.moving = self.next_stage, self.previous_stage, self.next_step, self.previous_step
        """Those from page to page, which begin a motion."""
        self.refresh()
        self.restyle()

    def refresh(self) -> None:
        """Enable undo and redo where there is something to do, and name it in their tooltips."""
        history = self._bench.document.history
        labels = history.undo_label, history.redo_label
        if labels == self._labels:
            return
        self._labels = labels
        states = history.present, (*history.undone, history.present)[0]
        for action, label, state in zip((self.undo, self.redo), labels, states, strict=True):
            action.setEnabled(label is not None)
            what = f"{action.text()}: {act_title(state, label)}" if label else action.text()
            action.setToolTip(as_tip(f"{what} ({_keys(action)})"))

    def restyle(self) -> None:
        """Set the icons in the theme's colour."""
        theme = self._bench.appearance.theme
        self.undo.setIcon(icon("undo", theme))
        self.redo.setIcon(icon("redo", theme))
        self.theme.setIcon(icon("sun" if theme.dark else "moon", theme))

    def _step(self, by: int) -> None:
        selection = self._bench.selection
        names = [stage.name for stage in selection.stops]
        # Where a whole block is shown, count from its last stage (forwards) or from its first one (backwards).
        inside = [stage.name for stage in stages_of(self._bench.document.engine.graph, selection.stage)]
        here = selection.stage if not inside else inside[-1] if by > 0 else inside[0]
        at = names.index(here) + by
        if 0 <= at < len(names):
            selection.go_to(names[at])

    def _go_round(self, by: int) -> None:
        """Give the keyboard focus to the next part of the window that takes it.

        There its focus proxy gets the focus, or the matrix that a step is about, or its first matrix or answer field,
        else the first widget Tab reaches.
        """
        frames = [f for f in inside(self._window, QFrame) if f.objectName() in PARTS and f.isVisible()]
        frames.sort(key=lambda frame: PARTS.index(frame.objectName()))
        focus = QApplication.focusWidget()
        around = [i for i, f in enumerate(frames) if focus is not None and f.isAncestorOf(focus)]
        here = around[-1] if around else min(-by, 0)
        for k in range(1, len(frames) + 1):
            part = frames[(here + by * k) % len(frames)]
            inner = [frame for frame in frames if frame is not part and part.isAncestorOf(frame)]
            stops = [stop for stop in _stops(part) if not any(frame.isAncestorOf(stop) for frame in inner)]
            if stops:
                first = self._asked(stops) or next(filter(_is_wanted, stops), stops[0])
                (part.focusProxy() or first).setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _asked(self, stops: list[QWidget]) -> MatrixView | None:
        """The matrix that the present step lets one change or asks about, else the one that it names."""
        step = self._bench.light.step
        if step is None:
            return None
        names = *getattr(step.question, "allowed", ()), getattr(step.question, "node", ""), step.look.node
        views = {stop.matrix.name: stop for stop in stops if isinstance(stop, MatrixView)}
        return next((views[name] for name in names if name in views), None)


def _is_wanted(stop: QWidget) -> bool:
    """Whether a widget is a matrix, or a field or choice in which a question is answered."""
    return isinstance(stop, QTableView | BlankView) or stop.property("choice") is not None


def _keys(action: QAction) -> str:
    """The shortcut, written with the system's own symbols."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _stops(part: QWidget) -> list[QWidget]:
    """The widgets in a part that Tab stops at, in reading order."""
    seen = (one for one in inside(part, QWidget) if one.isVisible() and one.isEnabled())
    return [one for one in seen if one.focusPolicy() & Qt.FocusPolicy.TabFocus]


class MainMenu(Menu):
    """All actions, in the order of a menu bar: files, editing, the view, lessons, help."""

    def __init__(self, actions: Actions, files: Files, parent: QWidget) -> None:
        super().__init__(parent)
        self.addActions([actions.new_model, actions.open_model, actions.open])
        self.addMenu(_recent(files, self))
        self.addActions([actions.save, actions.save_as])
        self._part("Copy and export", [actions.export, actions.copy_text, actions.open_text, actions.copy_page])
        self.addSeparator()
        self._part("Edit", [actions.undo, actions.redo, actions.find, actions.palette])
        looks = [actions.theme, actions.larger, actions.smaller, actions.usual_size, actions.contrast, actions.still]
        folds = [actions.fold_list, actions.fold_right, actions.fold_bottom]
        self._part("View", [actions.whole, actions.compare, actions.undock], looks, folds)
        about_cells = [actions.play_cell, actions.export_cell]
        steps = [actions.present, actions.hand_out, actions.record_lesson]
        self._part("Lesson", [actions.light, *about_cells, actions.classroom, *steps])
        self._part("Help", [actions.keys, actions.glossary, actions.references, actions.about])
        self.addSeparator()
        self.addAction(actions.quit)

    def _part(self, title: str, *groups: list[QAction]) -> QMenu:
        part = Menu(self, title)
        self.addMenu(part)
        for k, group in enumerate(groups):
            if k:
                part.addSeparator()
            part.addActions(group)
        return part


class OpenMenu(Menu):
    """The menu of what can be opened: lessons, trained models, changed examples, documents.

    `show_lessons`, `show_card`: go to the page of lessons, and to the card of the open model.
    """

    def __init__(
        self,
        actions: Actions,
        files: Files,
        show_lessons: Callable[[], None],
        show_card: Callable[[], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._files = files
        lessons = QAction("Lessons …", self)
        lessons.triggered.connect(show_lessons)
        self.addAction(lessons)
        self.addSeparator()
        self._behind = QAction("Model card: what the open model learned, and how well", self)
        self._behind.triggered.connect(show_card)
        self._listed: list[QAction] = []
        self._yours = Menu(self, "Examples that you changed")
        self.addMenu(self._yours)
        self.addAction(self._behind)
        self.addSeparator()
        self.addActions([actions.new_model, actions.open_model, actions.open])
        self.addMenu(_recent(files, self))
        # The files are read when the menu is opened, so that the window is shown earlier.
        self.aboutToShow.connect(self._list)

    def _list(self) -> None:
        for menu in (self, self._yours):
            for action in filter(menu.actions().__contains__, self._listed):
                menu.removeAction(action)
                action.deleteLater()
        files, kept = self._files, self._files.kept.titles
        models = [self._entry(title, partial(files.open_lesson, id)) for id, title in model_titles().items()]
        self.insertActions(self._yours.menuAction(), models)
        # The newest first.
        yours = [self._entry(title, partial(files.open_kept, id)) for id, title in reversed(kept.items())]
        self._yours.addActions(yours)
        self._yours.menuAction().setVisible(bool(yours))
        self._listed = models + yours

    def _entry(self, title: str, act: Callable[[], object]) -> QAction:
        entry = QAction(with_ampersands(title), self)
        entry.triggered.connect(act)
        return entry


def _recent(files: Files, parent: QMenu) -> QMenu:
    """A menu of the documents that were opened or saved last, each with its name and folder."""
    menu = Menu(parent, "Open recent")

    def list_them() -> None:
        menu.clear()
        for path in files.recent.paths:
            menu.addAction(with_ampersands(f"{path.name}    {path.parent}"), partial(files.open_path, path))
        if menu.isEmpty():
            menu.addAction("Nothing was opened or saved yet").setEnabled(False)

    menu.aboutToShow.connect(list_them)
    return menu
