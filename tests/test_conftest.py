"""The checks in conftest.py catch what they are there for."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]

GOOD = """
import logging
from hypothesis import given, strategies
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QComboBox, QMenu, QToolTip, QWidget
import pyqtgraph

def test_widget_given_to_qtbot(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setMinimumSize(200, 100)
    widget.show()
    QMenu(widget)

def test_widget_of_a_module(shared):
    assert shared.isVisible() is False

def test_plot(qtbot):
    plot = pyqtgraph.PlotWidget()
    qtbot.addWidget(plot)
    plot.addItem(pyqtgraph.ImageItem())
    with qtbot.waitExposed(plot):
        plot.show()

def test_popup_on_the_offscreen_platform(qtbot):
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["one", "two"])
    with qtbot.waitExposed(box):
        box.show()
    box.showPopup()
    box.hidePopup()
    QToolTip.showText(QPoint(1, 1), "a tip", box)

def test_stopped_timer(qtbot):
    timer = QTimer()
    timer.start(1000)
    timer.stop()

def test_deleted_later(qtbot):
    QWidget().deleteLater()

def test_expected_record(caplog):
    logging.getLogger("explorer").warning("expected")
    assert caplog.messages == ["expected"]
    caplog.clear()

def test_quiet_record():
    logging.getLogger("explorer").info("fine")

@given(strategies.integers())
def test_hypothesis_has_nothing_against_the_fixtures(n):
    pass
"""

BAD = """
import logging, warnings
import pytest
from PySide6.QtCore import QTimer, QObject, qWarning
from PySide6.QtWidgets import QApplication, QWidget

kept = []

def test_widget(qtbot):
    kept.append(QWidget())

def test_hidden_dialog_of_a_deleted_window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.child = QWidget()
    kept.append(window.child)

def test_timer(qtbot):
    timer = QTimer()
    timer.start(100000)
    kept.append(timer)

def test_single_shot_still_to_come(qtbot):
    QTimer.singleShot(100000, kept.clear)

def test_timer_of_the_application(qtbot):
    QTimer(QApplication.instance()).start(100000)

def test_record():
    logging.getLogger("explorer").warning("unexpected")

@pytest.fixture
def noisy():
    yield
    logging.getLogger("explorer").error("too late")

def test_record_in_teardown(noisy):
    pass

def test_qt_warning(qtbot):
    qWarning("trouble")

@pytest.fixture
def noisy_qt():
    yield
    qWarning("late trouble")

def test_qt_warning_in_teardown(qtbot, noisy_qt):
    pass

def test_python_warning():
    warnings.warn("trouble")

def test_failed_tests_are_not_called_leaky(qtbot):
    widget = QWidget()
    assert widget is None
"""


@pytest.fixture
def run(pytester):
    """Run pytest on some source with this project's conftest.py and settings."""
    pytester.makepyprojecttoml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    fixture = """
@pytest.fixture(scope="module")
def shared(qapp):
    from PySide6.QtWidgets import QWidget
    return QWidget()
"""
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8") + fixture)

    def run(source):
        pytester.mkdir("tests").joinpath("test_it.py").write_text(source, encoding="utf-8")
        return pytester.runpytest_subprocess("-v", "-p", "no:cacheprovider")

    return run


def test_clean_tests_pass(run):
    run(GOOD).assert_outcomes(passed=9)


def test_each_fault_is_caught(run):
    result = run(BAD)
    result.assert_outcomes(passed=8, errors=8, failed=3)
    for fault in (
        "ERROR at teardown of test_widget _",
        "ERROR at teardown of test_hidden_dialog_of_a_deleted_window",
        "ERROR at teardown of test_timer _",
        "ERROR at teardown of test_single_shot_still_to_come",
        "ERROR at teardown of test_timer_of_the_application",
        "ERROR at teardown of test_record _",
        "ERROR at teardown of test_record_in_teardown",
        "ERROR at teardown of test_qt_warning_in_teardown",
        "*FAILURES*",
        "_ test_qt_warning _",
        "_ test_python_warning _",
        "_ test_failed_tests_are_not_called_leaky _",
    ):
        result.stdout.fnmatch_lines([f"*{fault}*"])
