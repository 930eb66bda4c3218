"""The parts of the window that fold away: by a button, by a key, and where there is too little room."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from explorer.settings import Settings
from explorer.ui.theme import mark


class Folds:
    """What is folded, and what of it is remembered.

    Parameters
    ----------
    actions : dict of str to QAction
        What folds a part away, by the name under which it is remembered.
    share : callable
        Called when somebody has folded a part, or brought it back.
    """

    def __init__(self, actions: dict[str, QAction], settings: Settings, share: Callable[[], None]) -> None:
        self._actions, self._settings, self._share = actions, settings, share
        self._tight: dict[str, bool] = {}
        for name, fold in actions.items():
            fold.setChecked(settings.get(name, False))
            fold.toggled.connect(partial(self._remember, name))

    def _remember(self, name: str, on: bool) -> None:
        if not self._tight.get(name):  # there it is for the moment
            self._settings.set(name, on)
        self._share()

    def fold_where_tight(self, tight: dict[str, bool]) -> None:
        """Fold the parts for which there is little room, until there is more; their buttons bring them back."""
        for name, now in tight.items():
            if now != self._tight.get(name, False):
                fold = self._actions[name]
                with QSignalBlocker(fold):
                    fold.setChecked(now or self._settings.get(name, False))
        self._tight = tight


def fold_button(fold: QAction, sign: str, parent: QWidget | None = None) -> QPushButton:
    """A quiet button with an arrow; it does what the action does, and says the same.

    `sign`: an arrow to where the part goes, or comes from.
    """
    button = mark(QPushButton(sign, parent), link="true")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(fold.toolTip())
    button.setAccessibleName(fold.text())
    button.clicked.connect(fold.trigger)
    return button
