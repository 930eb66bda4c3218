"""The application is dressed, and follows theme, scale and system."""

import dataclasses
import re
from pathlib import Path
from typing import get_args

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QSpinBox

import explorer
from explorer.paths import resources
from explorer.ui.appearance import SCALES, Fonts, stylesheet
from explorer.ui.theme import DARK, LIGHT, Look, Role, mark

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_figures_are_equally_wide(qapp):
    for font in (Fonts.at_scale(1.0).ui, Fonts.at_scale(1.0).number):
        metrics = QFontMetricsF(font)
        assert len({metrics.horizontalAdvance(figure) for figure in "0123456789"}) == 1


def test_the_text_grows_with_the_scale(qapp):
    one, two = Fonts.at_scale(1.0), Fonts.at_scale(2.0)
    for field in dataclasses.fields(Fonts):
        small, large = getattr(one, field.name), getattr(two, field.name)
        assert large.pointSizeF() == pytest.approx(2 * small.pointSizeF(), rel=0.02)
    assert one.symbol.italic()


@THEMES
def test_the_style_sheet_is_filled_in(qapp, theme):
    sheet = stylesheet(theme, Fonts.at_scale(1.5), 1.5)
    assert "$" not in sheet
    assert not re.search(r"\d(u|em)\b", sheet)
    for used in re.findall(r'url\("([^"]+)"\)', sheet):
        with open(used, encoding="utf-8") as file:
            assert file.read().startswith("<svg")


def test_dressing_and_changing(appearance, qapp, qtbot):
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT.page
    assert (appearance.theme, appearance.mode) == (LIGHT, "light")
    with qtbot.waitSignal(appearance.changed):
        appearance.set_mode("dark")
    assert appearance.theme is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.page
    before = qapp.font().pointSizeF()
    with qtbot.waitSignal(appearance.changed):
        appearance.zoom(+1)
    assert appearance.scale == 1.1
    assert qapp.font().pointSizeF() == pytest.approx(1.1 * before, rel=0.02)
    assert appearance.px(100) == 110


def test_an_area_is_laid_out_once_all_in_it_wears_the_new_look(appearance, qtbot):
    """Else all of it was laid out twice: an area may come before what is in it."""
    area, told = QScrollArea(), []
    inside = QLabel("word", area)
    area.setWidget(inside)
    qtbot.addWidget(area)

    class Listener(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.StyleChange:
                told.append((watched, inside.font().pointSizeF()))
            return False

    listener = Listener()
    with qtbot.waitExposed(area):
        area.show()
    area.installEventFilter(listener)
    before = inside.font().pointSizeF()
    appearance.set_scale(2.0)
    assert told == []
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(area, pytest.approx(2 * before, rel=0.02))]


def test_nothing_happens_when_nothing_changes(appearance, qtbot):
    with qtbot.assertNotEmitted(appearance.changed):
        appearance.set_mode("light")
        appearance.set_scale(1.0)
        appearance.zoom(0)


def test_the_scale_stays_within_its_ends(appearance):
    appearance.set_scale(99)
    appearance.zoom(+1)
    assert appearance.scale == SCALES[-1]
    appearance.set_scale(0.01)
    appearance.zoom(-1)
    assert appearance.scale == SCALES[0]


def test_the_system_decides_unless_told(appearance, qapp, monkeypatch):
    class Hints:
        def __init__(self):
            self.scheme = Qt.ColorScheme.Dark

        def colorScheme(self):
            return self.scheme

        def setColorScheme(self, scheme):
            pass

    hints = Hints()
    monkeypatch.setattr(appearance, "_app", type("App", (), {"styleHints": lambda self: hints})())
    for name in ("setFont", "setPalette"):
        monkeypatch.setattr(type(appearance._app), name, lambda self, value: None, raising=False)
    monkeypatch.setattr("explorer.ui.appearance._wear", lambda app, sheet: None)
    monkeypatch.setattr("explorer.ui.appearance._wear_out_of_sight", lambda app: False)
    appearance.set_mode("system")
    assert appearance.theme is DARK
    hints.scheme = Qt.ColorScheme.Light
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert appearance.theme is LIGHT
    appearance.set_mode("dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert appearance.theme is DARK


def test_marking_a_widget_restyles_it(appearance, qtbot):
    button = QPushButton("Next")
    qtbot.addWidget(button)
    button.show()
    plain = button.sizeHint()
    mark(button, chip="true")
    assert button.sizeHint() != plain
    assert button.palette().color(QPalette.ColorRole.ButtonText).name() == LIGHT.accent_text


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.1, 2.0, 3.0])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_styled_controls_paint_without_a_warning(appearance, qtbot, mode, scale):
    """conftest fails on Qt's complaints about a style sheet it cannot read."""
    appearance.set_mode(mode)
    appearance.set_scale(scale)
    bar = QFrame()
    qtbot.addWidget(bar)
    bar.setObjectName("topBar")
    row = QHBoxLayout(bar)
    for role in ("title", "heading", "section", "operator", "code", "error"):
        row.addWidget(mark(QLabel(role), role=role))
    for kind in ("chip", "tab", "primary", "link"):
        row.addWidget(mark(QPushButton(kind), **{kind: "true"}))
    row.addWidget(QSpinBox())
    bar.show()
    QApplication.processEvents()
    image = bar.grab().toImage()
    assert image.pixelColor(2, 2).name() == appearance.theme.surface
    chip = next(b for b in bar.findChildren(QPushButton) if b.property("chip"))
    corner, inside = chip.geometry().topLeft() + QPoint(2, 2), chip.geometry().center() - QPoint(0, chip.height() // 3)
    assert (
        image.pixelColor(corner).name() == appearance.theme.surface
    )  # Qt draws square corners if the radius is too large
    assert image.pixelColor(inside).name() == appearance.theme.accent_soft


@pytest.mark.parametrize("in_sight", [True, False], ids=["in sight", "out of sight"])
def test_each_widget_is_dressed_once_however_deep_it_stands(appearance, qtbot, in_sight):
    """Qt itself would dress it ten times, which held the window up for more than a second."""
    top = QFrame()
    qtbot.addWidget(top)
    inside, dressed = top, []
    for _ in range(8):
        row = QHBoxLayout(inside)
        inside = QFrame()
        row.addWidget(inside)
    label = QLabel("x", inside)
    label.changeEvent = lambda event: dressed.append(1) if event.type() == QEvent.Type.StyleChange else None
    mark(label, role="error")
    with qtbot.waitExposed(top):
        top.show()
    label.setVisible(in_sight)
    dressed.clear()
    appearance.set_mode("dark")
    qtbot.waitUntil(lambda: label.palette().color(QPalette.ColorRole.WindowText).name() == DARK.error)
    assert len(dressed) == 1


def test_all_is_larger_in_a_large_window_and_what_was_chosen_stays(open_window, appearance, eye):
    window = open_window("two-vectors")
    letters, sizes = appearance.fonts.ui.pointSizeF(), {}
    for size in ((1920, 1080), (1280, 720), (2560, 1440)):  # at first it is 1600 × 900
        before = appearance.scale
        window.resize(*size)
        QApplication.processEvents()
        assert appearance.scale == before, "while it is dragged nothing is dressed anew"
        eye.settle(window)
        sizes[size] = appearance.fonts.ui.pointSizeF() / letters
        assert appearance.chosen == 1.0
    assert sizes == pytest.approx({(1920, 1080): 1.1, (1280, 720): 1.0, (2560, 1440): 1.2})
    appearance.zoom(1)
    assert (appearance.chosen, appearance.scale) == (1.1, pytest.approx(1.1 * 1.2))
    appearance.set_scale(3.0)
    assert appearance.scale == 3.0, "beyond what a person may choose nothing grows"


FOLDER = Path(explorer.__file__).parent
_RULE = re.compile(r"\bQ[A-Z]\w+(\[\w+=|\s*\{)|\bQ[A-Z]\w+\s*\{\{|border-radius|min-height:|padding:")
LOOKS = {"ui/appearance.py", "ui/lesson/letters.py", "ui/window/opening.py"}
MAKERS = {"ui/widgets/labels.py", "ui/widgets/inputs.py", "ui/appearance.py"}
"""Of words and of buttons, and of the rules about them."""
PRINTED = {"ui/lesson/handout.py", "export/matrix.py"}
"""A page of its own, in HTML."""


def files():
    return {str(file.relative_to(FOLDER)): file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py")}


@pytest.mark.parametrize("tab", ["Pipeline", "Lessons"])
def test_a_new_text_size_comes_on_the_screen_in_one_picture(open_window, appearance, eye, watch, monkeypatch, tab):
    """The page was gone for a moment, and the bars stood in widths that they left again."""
    monkeypatch.setattr("explorer.ui.window.main_window.HELD_MS", 60_000)  # on a busy machine a page takes longer
    window = open_window("emma")
    window.show_tab(tab)
    eye.settle(window)
    paints = watch([window.top_bar, window.tabs], QEvent.Type.Paint)
    appearance.set_scale(1.5)
    assert not window.updatesEnabled()
    while not window.updatesEnabled():
        assert not sum(paints.values())
        QApplication.processEvents()
    if tab == "Pipeline":
        assert window.area.in_sight() is not None
        assert window.area.in_sight().is_whole
    eye.settle(window)
    QApplication.processEvents()
    assert window.top_bar.isVisible()
    assert paints[window.top_bar]


def test_rules_stand_in_one_file():
    found = {name for name, text in files().items() if _RULE.search(text)}
    assert found - PRINTED == {"ui/appearance.py"}


def test_only_a_look_puts_a_style_sheet_on():
    assert {name for name, text in files().items() if "setStyleSheet(" in text} == LOOKS


def test_words_and_buttons_are_made_by_the_widgets():
    found = {name for name, text in files().items() if re.search(r"\bQ(Label|PushButton)\b", text)}
    assert found == MAKERS, (
        f"{found - MAKERS}: make words with Label or SteadyLabel (explorer/ui/widgets/labels.py) and buttons with "
        "PushButton (explorer/ui/widgets/inputs.py), and derive from these, not from QLabel and QPushButton"
    )


def test_each_role_and_each_look_has_a_rule():
    rules = (resources() / "style.qss").read_text("utf-8")
    assert set(re.findall(r'\[role="(\w+)"\]', rules)) == {*get_args(Role)} - {""}
    assert [look for look in get_args(Look) if look and f'QPushButton[{look}="true"]' not in rules] == []
