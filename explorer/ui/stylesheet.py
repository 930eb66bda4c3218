"""The style sheet: how Qt's own widgets look in a theme."""

from __future__ import annotations

import re
from dataclasses import fields
from string import Template
from typing import TYPE_CHECKING

from explorer.paths import resources

if TYPE_CHECKING:
    from explorer.ui.appearance import Fonts
    from explorer.ui.theme import Theme

FORMULA = 1.18
"""Size of a formula relative to other text that a class reads: its indices are smaller than its letters."""
_SIZE = re.compile(r"font-size: (\d+\.\d+)pt")

# Qt's language of style sheets with two units of ours: 1u is one pixel at text scale 1 (1u+1, 1u-1: one more or less
# for a border that does not scale), and font sizes in em are multiples of the UI font. ``$name`` is a role of the
# theme. Borders stay in px: a hairline is a hairline at every scale. Controls keep a margin of 1px for the focus ring,
# so that nothing moves when the focus does. Controls in a line have one height; a spin box, to which Qt adds three
# pixels, needs a maximum.
_STYLESHEET = """
QFrame#topBar, QWidget#panelColumn, QFrame#inspector, QFrame#glossary, QFrame#lessonBar, QFrame#stepPanel {
    background: $surface; border: 0px solid $line;
}
QFrame#topBar { border-bottom-width: 1px; }
QWidget#panelColumn { border-left-width: 1px; }
QFrame#glossary { border-left-width: 1px; border-bottom-width: 1px; }
QWidget#panelColumn QFrame#glossary { border-left-width: 0px; }
QFrame#lessonBar { border-top-width: 1px; }
QDialog#commandPalette { background: $surface; border: 1px solid $line_strong; }
QFrame#findBar { background: $surface; border: 1px solid $line_strong; border-radius: 8u; }
QFrame#notice { background: $raised; border: none; border-bottom: 1px solid $line; }
QFrame#stepPanel { border-bottom-width: 1px; }
QFrame#tokenBar { background: $page; border: none; border-bottom: 1px solid $line; }
QFrame#sidebar { background: $page; border: none; border-right: 1px solid $line; }
QFrame#page { background: $page; border: none; }
QFrame#foot { background: $page; border: none; border-top: 1px solid $line; }
QFrame[card="true"] { background: $surface; border: 1px solid $line; border-radius: 8u; }
QFrame[rule="true"] { background: $line; border: none; max-height: 1px; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $line_strong; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QStatusBar { background: $surface; color: $muted; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }

QLabel[role="document"] { font-size: 1.1em; font-weight: 700; }
QLabel[role="title"] { font-size: 1.5em; font-weight: 700; }
QLabel[role="lead"] { font-size: 1.2em; }
QLabel[role="subtitle"], QLabel[role="muted"] { color: $muted; }
QLabel[role="sheet"] { font-size: 1.15em; }
QLabel[role="headline"] { font-size: 1.8em; font-weight: 700; }
QLabel[role="bar"] { background: $raised; color: $text; border: 1px solid $line_strong; padding: 4u 8u; }
QLabel[role="asked"] { font-weight: 700; padding: 8u 0 0 0; qproperty-indent: 0; }
QLabel[role="why"] { background: $accent_soft; border: none; border-left: 3px solid $accent_line; padding: 5u 8u; }
QLabel[role="hint"] { background: $here_soft; border: none; border-left: 3px solid $here; padding: 5u 8u; }
QLabel[role="strong"] { font-weight: 700; }
QLabel[role="small"], QLabel[role="crumbs"] { color: $muted; font-size: 0.85em; }
QLabel[role="crumbs"] { margin: 2px 0; qproperty-indent: 0; }
QLabel[role="heading"] { font-size: 1.1em; font-weight: 700; padding: 12u 0 0 0; qproperty-indent: 0; }
QLabel[role="note"] { color: $muted; font-size: 0.93em; }
QLabel[role="section"] {
    color: $muted; font-size: 0.9em; font-weight: 700; padding: 8u 0 2u 0; qproperty-indent: 0;
}
QLabel[role="group"], QPushButton[role="group"] { color: $muted; font-size: 0.9em; font-weight: 700; }
QPushButton[role="group"] {
    padding: 0 10u; min-height: 0; background: transparent; border-color: transparent; text-align: left;
}
QPushButton[role="group"]:hover { color: $text; background: $raised; }
QLabel[role="symbol"] { font-family: "$symbol_family"; font-style: italic; font-size: 1.35em; }
QLabel[role="operator"] { color: $muted; font-size: 1.6em; padding: 0 4u; }
QLabel[role="here"] { color: $here_text; font-weight: 700; }
QLabel[role="error"] { color: $error; }
QLabel[role="message"] { background: $error_soft; color: $text; border: 1px solid $error; padding: 6u 8u; }
QLabel[role="done"] { background: $accent_soft; color: $text; border: 1px solid $accent_line; padding: 6u 8u; }
QLabel[role="code"], QPlainTextEdit[role="code"], QTextEdit[role="code"], QTextBrowser[role="code"] {
    background: $sunken; color: $text; border: 1px solid $sunken; border-radius: 6u; padding: 9u 11u; margin: 1px;
    font-family: "$code_family"; font-size: 0.9em;
}

QPushButton, QToolButton, QComboBox, QAbstractSpinBox, QLineEdit {
    background: $surface; color: $text; border: 1px solid $line_strong; border-radius: 6u; margin: 1px;
}
QPushButton, QComboBox, QLineEdit { min-height: 19u; }
QAbstractSpinBox { min-height: 19u; max-height: 19u; }
QPushButton { padding: 4u 13u; icon-size: 12u; }
QToolButton { padding: 4u; icon-size: 16u; }
QComboBox, QLineEdit { padding: 4u 8u; }
QLineEdit, QPlainTextEdit { placeholder-text-color: $muted; }
QLineEdit[large="true"], QPushButton[large="true"] { font-size: 1.35em; padding: 9u 16u; border-radius: 8u; }
QLineEdit[tight="true"] { padding: 0 6px; min-height: 0; }
QAbstractSpinBox { padding: 4u 6u; qproperty-alignment: 'AlignRight | AlignVCenter'; }
QPushButton:hover, QToolButton:hover, QComboBox:hover { background: $raised; }
QComboBox:hover, QAbstractSpinBox:hover, QLineEdit:hover { border-color: $muted; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: $selection; color: $on_selection; }
QPushButton:disabled, QToolButton:disabled, QComboBox:disabled, QAbstractSpinBox:disabled, QLineEdit:disabled {
    color: $disabled; border-color: $line;
}
QToolButton[autoRaise="true"] { background: transparent; border-color: transparent; }
QToolButton[autoRaise="true"]:hover { background: $raised; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton[primary="true"], QMessageBox QPushButton:default {
    background: $accent; color: $on_accent; border-color: $accent;
}
QPushButton[primary="true"]:hover, QMessageBox QPushButton:default:hover { background: $accent_hover; }
QPushButton[primary="true"]:disabled { background: $raised; color: $muted; border-color: $line; }

QPushButton[tab="true"], QPushButton[link="true"] { background: transparent; color: $muted; border-color: transparent; }
QPushButton[tab="true"] { padding: 6u 9u; }
QPushButton[tab="true"][document="true"] { color: $text; font-size: 1.1em; font-weight: 700; text-align: left; }
QPushButton[tab="true"][document="small"] {
    color: $text; font-size: 0.62em; font-weight: 700; text-align: left; padding: 0 9u;
}
QPushButton[tab="true"]:hover, QPushButton[link="true"]:hover { color: $text; background: $raised; }
QPushButton[tab="true"]:checked { color: $text; background: $raised; }
QPushButton[link="true"] { padding: 3u 6u; min-height: 0; }
QPushButton[link="true"]:checked { color: $accent_text; background: $accent_soft; }

QPushButton[chip="true"] {
    background: $accent_soft; color: $accent_text; border-color: $accent_line; border-radius: 14u+1; padding: 0 13u;
    min-height: 28u; max-height: 28u;
}
QPushButton[chip="true"]:hover { background: $selection; }
QPushButton[chip="true"]:checked { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[chip="true"]:disabled { background: $raised; color: $disabled; border-color: $line; }
QPushButton[chip="true"][add="true"] { background: transparent; border-color: $line_strong; }
QPushButton[chip="true"][add="true"]:hover { background: $accent_soft; }

QPushButton[choice="true"] { padding: 0; min-height: 0; text-align: left; }
QPushButton[choice="true"] QLabel { background: transparent; border: none; }
QPushButton[choice="true"] QLabel:disabled { color: $muted; }
QPushButton[choice="true"][answer="right"], QPushButton[choice="true"] QLabel[answer="right"]:disabled {
    background: $accent_soft; border-color: $accent_line; color: $accent_text;
}
QPushButton[choice="true"][answer="wrong"], QPushButton[choice="true"] QLabel[answer="wrong"]:disabled {
    background: $here_soft; border-color: $here_line; color: $here_text;
}
QPushButton[choice="true"] QLabel { border: none; }

QPushButton[segment] { border-radius: 0; margin: 1px 0; padding: 4u 9u; color: $muted; }
QPushButton[segment="middle"], QPushButton[segment="last"] { border-left-width: 0; }
QPushButton[segment="first"], QPushButton[segment="only"] {
    border-top-left-radius: 6u; border-bottom-left-radius: 6u; margin-left: 1px;
}
QPushButton[segment="last"], QPushButton[segment="only"] {
    border-top-right-radius: 6u; border-bottom-right-radius: 6u; margin-right: 1px;
}
QPushButton[segment]:hover { color: $text; }
QPushButton[segment]:checked {
    background: $accent_soft; color: $accent_text; border-bottom: 2px solid $accent_text; padding-bottom: 4u-1;
}
QPushButton[segment]:disabled { color: $disabled; }

QPushButton[primary="true"]:pressed, QPushButton[chip="true"]:pressed, QPushButton[segment]:pressed,
QPushButton[tab="true"]:pressed, QPushButton[link="true"]:pressed, QPushButton[role="group"]:pressed {
    background: $selection; color: $on_selection;
}

QComboBox { combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 20u; }
QComboBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 10u; height: 10u; }
QComboBox QAbstractItemView {
    background: $surface; border: 1px solid $line_strong; padding: 3u; outline: 0;
    selection-background-color: $selection; selection-color: $on_selection;
}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 18u; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $raised; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up.svg"); width: 8u; height: 8u; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down.svg"); width: 8u; height: 8u; }

QCheckBox, QRadioButton { spacing: 8u; margin: 1px; border: 1px solid transparent; border-radius: 4u; padding: 2u; }
QCheckBox::indicator, QRadioButton::indicator {
    width: 14u; height: 14u; background: $surface; border: 1px solid $control; border-radius: 4u;
}
QRadioButton::indicator { border-radius: 7u+1; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent_line; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/check-white.svg"); }
QCheckBox::indicator:indeterminate { background: $accent; border-color: $accent; image: url("$icons/dash-white.svg"); }
QRadioButton::indicator:checked { background: $accent; border-color: $accent; image: url("$icons/dot-white.svg"); }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: $raised; border-color: $line; }

QSlider { margin: 1px; border: 1px solid transparent; border-radius: 4u; min-height: 20u; }
QSlider::groove:horizontal { height: 4u; background: $line_strong; border-radius: 2u; }
QSlider::sub-page:horizontal { background: $accent_line; border-radius: 2u; }
QSlider::handle:horizontal {
    width: 14u; height: 14u; margin: -5u 0; border-radius: 7u; background: $accent; border: 1px solid $surface;
}
QSlider::handle:horizontal:hover { background: $accent_hover; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $disabled; }
QProgressBar { background: $line; border: none; border-radius: 2u; min-height: 4u; max-height: 4u; color: transparent; }
QProgressBar::chunk { background: $accent_line; border-radius: 2u; }

QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10u; }
QScrollBar:horizontal { height: 10u; }
QScrollBar::handle { background: $line_strong; border-radius: 3u; margin: 2u; }
QScrollBar::handle:vertical { min-height: 28u; }
QScrollBar::handle:horizontal { min-width: 28u; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; background: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: none; }

QAbstractScrollArea::corner { background: transparent; border: none; }
QTableView { background: transparent; border: none; gridline-color: transparent; outline: 0; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: transparent; border: none; color: $muted; padding: 2u 4u; font-size: 0.85em; }
QTableCornerButton::section { background: transparent; border: none; }
QListView, QTreeView, QTextBrowser, QPlainTextEdit, QTextEdit {
    background: $surface; color: $text; border: 1px solid $line; border-radius: 6u; margin: 1px; outline: 0;
    selection-background-color: $selection; selection-color: $on_selection;
}
QListView::item, QTreeView::item { padding: 4u 6u; border-radius: 4u; }
QListView::item:hover, QTreeView::item:hover { background: $raised; }
QListView::item:selected, QTreeView::item:selected { background: $selection; color: $on_selection; }
QFrame#sidebar QListView, QFrame#sidebar QTreeView { background: transparent; border-color: transparent; }

QMenuBar { background: $surface; }
QMenuBar::item { padding: 4u 9u; background: transparent; border-radius: 4u; }
QMenuBar::item:selected { background: $raised; }
QMenu { background: $surface; border: 1px solid $line_strong; padding: 4u; menu-scrollable: 1; }
QMenu::item { padding: 5u 24u 5u 10u; border-radius: 4u; }
QMenu::item:selected { background: $selection; color: $on_selection; }
QMenu::item:disabled { color: $disabled; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 4u 6u; }
QMenu { icon-size: 16u; }
QMenu::icon { padding-left: 6u; }
QMenu::indicator { width: 13u; height: 13u; padding-left: 6u; }
QMenu::indicator:checked { image: url("$icons/check-grey.svg"); }
QMenu::right-arrow { image: url("$icons/chevron-right.svg"); width: 10u; height: 10u; margin-right: 8u; }
QToolTip { background: $tooltip; color: $on_tooltip; border: 1px solid $tooltip; padding: 4u 6u; }

QPushButton:focus, QToolButton:focus, QComboBox:focus, QAbstractSpinBox:focus, QLineEdit:focus, QCheckBox:focus,
QRadioButton:focus, QSlider:focus, QListView:focus, QTreeView:focus, QTextBrowser:focus, QPlainTextEdit:focus,
QTextEdit:focus, QLabel:focus, QScrollArea:focus, QPushButton[chip="true"]:checked:focus,
QPushButton[chip="true"][add="true"]:focus, QFrame#sidebar QListView:focus, QFrame#sidebar QTreeView:focus {
    border: 2px solid $focus; margin: 0px;
}
QLabel[role="crumbs"]:focus { border: none; border-bottom: 2px solid $focus; margin: 2px 0 0 0; }
QComboBox QListView:focus { margin: 0; border: 1px solid $line_strong; }
QTableView QLineEdit, QTableView QAbstractSpinBox {
    background: $surface; border: 2px solid $focus; border-radius: 3u; margin: 0; padding: 0 2u; min-height: 0;
}
"""


def stylesheet(theme: Theme, fonts: Fonts, scale: float) -> str:
    """The style sheet of the whole program.

    Parameters
    ----------
    theme, fonts : what to fill in
    scale : text scale that `fonts` was made with; paddings and radii follow it
    """
    points = fonts.ui.pointSizeF()
    # Rounded down, always: a radius of more than half the height makes Qt draw square corners.
    text = re.sub(
        r"(-?\d+(?:\.\d+)?)u([+-]\d)?\b", lambda m: f"{int(float(m[1]) * scale) + int(m[2] or 0)}px", _STYLESHEET
    )
    text = re.sub(r"(\d+(?:\.\d+)?)em\b", lambda m: f"{float(m[1]) * points:.2f}pt", text)
    roles = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return Template(text).substitute(
        roles,
        symbol_family=fonts.symbol.family(),
        code_family=fonts.code.family(),
        icons=(resources() / "icons").as_posix(),  # arrows and check marks: a style sheet cannot tint
        control=theme.muted,
    )


def fitted_stylesheet(points: float, heading: float) -> str:
    """The style sheet of one enlarged widget in such a window: sizes only; all else comes from the window's.

    `points`, `heading`: font sizes of its text, and of the words above a matrix.
    """
    return (
        f"QWidget, QHeaderView::section {{ font-size: {points:.2f}pt; }}"
        f'QLabel[role="small"] {{ font-size: {heading:.2f}pt; }}'
        f"Formula {{ font-size: {FORMULA * heading:.2f}pt; }}"
    )


def opening_stylesheet(points: float) -> str:
    """The style sheet of the first page where its text is larger than the program's: sizes only.

    `points`: font size of its plain words.
    """
    sizes = {"QLabel, QPushButton": 1.0, '[role="title"]': 1.8, '[role="lead"]': 1.2, '[large="true"]': 1.35}
    return "".join(f"{what} {{ font-size: {times * points:.2f}pt; }}" for what, times in sizes.items())


def window_stylesheet(theme: Theme, fonts: Fonts, scale: float, read_from_afar: bool) -> str:
    """The style sheet of a window with a look of its own, in addition to the program's.

    Parameters
    ----------
    theme, fonts, scale : as for `stylesheet`
    read_from_afar : whether no text may be smaller than the window's font: a class reads all of it
    """
    points = fonts.ui.pointSizeF()
    # Under a style sheet, widgets inherit neither font nor colours from their parent.
    sheet = f"QWidget {{ font-size: {points:.2f}pt; color: {theme.text}; }}" + stylesheet(theme, fonts, scale)
    if read_from_afar:
        sheet = _SIZE.sub(lambda size: f"font-size: {max(float(size[1]), points):.2f}pt", sheet)
        sheet += f"Formula {{ font-size: {FORMULA * points:.2f}pt; }} QToolTip {{ font-size: {points:.2f}pt; }}"
        sheet += 'QPushButton[link="true"] { padding-top: 1px; padding-bottom: 1px; }'
    return sheet
