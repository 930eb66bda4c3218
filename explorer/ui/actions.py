"""The window's actions, each with its shortcut."""

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from explorer.ui.widgets.icons import icon
from explorer.ui.workbench import Workbench


class Actions:
    """Undo, redo, theme, text size, and going from stage to stage.

    Parameters
    ----------
    bench : Workbench
    window : QWidget
        What the shortcuts work in.
    """

    def __init__(self, bench: Workbench, window: QWidget) -> None:
        self._bench = bench
        document, appearance = bench.document, bench.appearance

        def action(text: str, keys: list[QKeySequence | QKeySequence.StandardKey], act: object) -> QAction:
            made = QAction(text, window)
            made.setShortcuts([QKeySequence(key) for key in keys])
            made.triggered.connect(act)
            shown = made.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            made.setToolTip(f"{text} ({shown})" if shown else text)
            window.addAction(made)
            return made

        key = QKeySequence.StandardKey
        self.undo = action("Undo", [key.Undo], lambda: document.undo())
        self.redo = action("Redo", [QKeySequence("Ctrl+Y"), QKeySequence("Ctrl+Shift+Z")], lambda: document.redo())
        self.theme = action("Light or dark", [QKeySequence("Ctrl+T")], self._switch_theme)
        self.larger = action("Larger text", [key.ZoomIn, QKeySequence("Ctrl+=")], lambda: appearance.zoom(1))
        self.smaller = action("Smaller text", [key.ZoomOut], lambda: appearance.zoom(-1))
        self.new_model = action("New model …", [key.New], lambda: None)
        self.open = action("Open …", [QKeySequence("Ctrl+O")], lambda: None)
        self.save = action("Save", [QKeySequence("Ctrl+S")], lambda: None)
        self.save_as = action("Save as …", [QKeySequence("Ctrl+Shift+S")], lambda: None)
        self.export_python = action("Export as Python …", [QKeySequence("Ctrl+Shift+E")], lambda: None)
        self.compare = action("Compare side by side", [QKeySequence("Ctrl+E")], lambda: None)
        self.compare.setCheckable(True)
        self.undock = action("This stage in a window of its own", [QKeySequence("Ctrl+Shift+D")], lambda: None)
        self.copy_panel = action("Copy this page as a picture", [QKeySequence("Ctrl+Shift+C")], lambda: None)
        self.next_stage = action("Next stage", [QKeySequence("Ctrl+PgDown")], lambda: self._step(1))
        self.previous_stage = action("Previous stage", [QKeySequence("Ctrl+PgUp")], lambda: self._step(-1))
        self.refresh()
        self.restyle()

    def refresh(self) -> None:
        """Say what undo and redo would do."""
        history = self._bench.document.history
        for action, name, label, keys in (
            (self.undo, "Undo", history.undo_label, "Ctrl+Z"),
            (self.redo, "Redo", history.redo_label, "Ctrl+Y"),
        ):
            action.setEnabled(label is not None)
            action.setToolTip(f"{name}: {label} ({keys})" if label else f"{name} ({keys})")

    def restyle(self) -> None:
        """Take the icons in the theme's colour."""
        theme = self._bench.appearance.theme
        self.undo.setIcon(icon("undo", theme))
        self.redo.setIcon(icon("redo", theme))
        self.theme.setIcon(icon("sun" if theme.dark else "moon", theme))

    def _switch_theme(self) -> None:
        self._bench.appearance.set_mode("light" if self._bench.appearance.theme.dark else "dark")

    def _step(self, by: int) -> None:
        names = [stage.name for stage in self._bench.selection.stops]
        at = names.index(self._bench.selection.stage) + by
        if 0 <= at < len(names):
            self._bench.selection.go_to(names[at])
