"""The two menus of the top bar: all acts, and all that can be opened. Neither has more than twelve lines."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from explorer.lessons.loader import load, model_titles
from explorer.ui.actions import Actions
from explorer.ui.files import Files
from explorer.ui.widgets.inputs import Menu
from explorer.ui.widgets.names import with_ampersands


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
        models = [self._entry(title, partial(_open_example, files, id)) for id, title in model_titles().items()]
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


def _open_example(files: Files, id: str) -> None:
    files.open_lesson(load(id))


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
