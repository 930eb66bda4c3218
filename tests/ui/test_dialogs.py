"""Help inside the program: F1, and what it is made of."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtWidgets import QApplication, QDialog, QTextBrowser

from explorer import __version__
from explorer.ui.dialogs import licences, show_about, show_keys, show_keys_of_presenter

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

SHIFT = Qt.KeyboardModifier.ShiftModifier


def said(window):
    (dialog,) = [one for one in window.findChildren(QDialog) if one.isVisible()]
    text = dialog.findChild(QTextBrowser).toPlainText()
    dialog.close()
    return text


def test_f1_lists_every_key_of_every_action(window, hand):
    hand.key(Qt.Key.Key_F1)
    window.actions_.keys.trigger()  # once more: it is there already
    text = said(window)
    actions = [action for action in window.findChildren(QAction) if action.shortcuts()]
    assert len(actions) > 15
    for action in actions:
        assert action.text() in text
        for key in action.shortcuts():
            assert key.toString(key.SequenceFormat.NativeText) in text


def test_f1_lists_the_keys_at_cells_words_and_pictures(window, hand):
    hand.key(Qt.Key.Key_F1)
    text = said(window)
    for keys in ("Alt+Up, Alt+Down", "Delete", "Ctrl+D, Ctrl+R", "Menu", "Alt+Left, Alt+Right", "+, −, 0"):
        assert keys in text


def test_a_new_action_is_in_the_list_at_once(window, hand):
    made = QAction("Fly", window, shortcut="Ctrl+Alt+F")
    window.addAction(made)
    hand.key(Qt.Key.Key_F1)
    assert "Fly" in said(window)


def test_about_tells_versions_and_licences(window, hand):
    hand.key(Qt.Key.Key_F1, SHIFT)
    text = said(window)
    assert f"Transformer Explorer {__version__}" in text
    for library in (
        "Python 3",
        "numpy 2",
        "PySide6_Essentials 6",
        "LGPL-3.0-only",
        "scipy 1",
        "BSD",
        "pyqtgraph",
        "MIT",
    ):
        assert library in text
    assert str(licences()) in text
    assert licences().is_dir()


@pytest.mark.parametrize("shows", [show_keys, show_about])
def test_words_stand_apart_from_the_frame_which_is_the_ring_of_the_focus(window, shows):
    """Headings and keys touched it."""
    dialog = shows(window)
    page = dialog.findChild(QTextBrowser)
    QApplication.processEvents()
    first = page.cursorRect(QTextCursor(page.document()))
    assert first.left() >= 8
    assert first.top() >= 8
    dialog.close()


def test_the_keys_of_presenter_mode_are_all_in_sight_where_the_window_has_room(window):
    """The dialog was as narrow as it is high, and half of the keys were below its end."""
    window.resize(1280, 720)
    dialog = show_keys_of_presenter(window)
    page = dialog.findChild(QTextBrowser)
    QApplication.processEvents()
    assert page.verticalScrollBar().maximum() == 0
    assert page.horizontalScrollBar().maximum() == 0
    dialog.close()
