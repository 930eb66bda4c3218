"""
What every test is held to.

A Python warning fails a test (pyproject.toml), and so does a Qt warning, an unexpected log record, and a widget or
timer left behind. A test that expects a log record checks it in ``caplog`` and then calls ``caplog.clear()``.
"""

import atexit
import contextlib
import faulthandler
import gc
import itertools
import locale
import logging
import os
import re
import shutil
import signal
import sys
import tempfile

import pytest
from _pytest.pathlib import import_path
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for name in ("QT_FONT_DPI", "QT_LOGGING_RULES", "QT_QPA_PLATFORMTHEME", "QT_SCALE_FACTOR", "QT_STYLE_OVERRIDE"):
    os.environ.pop(name, None)  # how the tester likes his programs is not what is tested
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(name, "1")  # `make test` runs a process on each core
# Whoever starts the tests with nohup, or in the background of a script, has these ignored; tests send them.
for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
# Programs and processes that the tests start find what Python has compiled; without that each compiles 400 modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A program that a test starts neither reads nor writes the tester's own settings.
os.environ["EXPLORER_SETTINGS"] = mine = tempfile.mkdtemp(prefix="explorer-settings-")
atexit.register(shutil.rmtree, mine, ignore_errors=True)
if locale.getencoding() != "UTF-8":
    os.environ["LC_ALL"] = "C.UTF-8"  # as `explorer` does before Qt, which would complain

# The same examples each time, so that a test that passes goes on passing; `--hypothesis-profile=new` tries others, and
# more of them: most faults show in the first few.
settings.register_profile(
    "explorer",
    deadline=None,
    derandomize=True,
    max_examples=25,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a busy machine is slow, not wrong
)
settings.register_profile("new", settings.get_profile("explorer"), derandomize=False, max_examples=100)
settings.load_profile("explorer")


@pytest.hookimpl(trylast=True)  # `--hypothesis-profile` is heeded before
def pytest_configure():
    """Draw numbers of the program's own source only where other examples are wanted.

    With each number that is edited there all examples would be others, and in a fresh checkout each process would read
    300 files once more for them.
    """
    if settings.get_current_profile_name() == "explorer":
        providers.is_local_module_file = lambda path: False


failed = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Each process of ``-n`` begins to import at another file, and finds compiled what the others have come to.

    In a fresh checkout they would all compile the same files at the same time, which takes each 14 seconds. What is
    wrong with a file is told when pytest comes to it.
    """
    if (mine := getattr(session.config, "workerinput", None)) is None:
        return
    if session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return  # some files alone
    files = sorted((session.config.rootpath / "tests").rglob("test_*.py"))
    sizes = [file.stat().st_size for file in files]
    part = int(mine["workerid"].removeprefix("gw")) * sum(sizes) / mine["workercount"]
    for file, before in zip(files, itertools.accumulate(sizes, initial=0), strict=False):
        if before >= part:
            with contextlib.suppress(Exception, pytest.skip.Exception):
                import_path(file, mode="importlib", root=session.config.rootpath, consider_namespace_packages=False)


def pytest_collection_finish():
    gc.freeze()  # thousands of tests, which the collector would look through again and again


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.stash[failed] = True
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    """Fail on a Qt warning while a test is torn down; pytest-qt watches only until then."""
    if "PySide6.QtCore" not in sys.modules:
        return (yield)
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    messages = []
    ignored = item.config.getini("qt_log_ignore")

    def keep(kind, context, message):
        quiet = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
        if not quiet and not any(re.search(pattern, message) for pattern in ignored):
            messages.append(message)

    previous = qInstallMessageHandler(keep)
    try:
        result = yield
    finally:
        qInstallMessageHandler(previous)
    if messages:
        pytest.fail("Qt messages while the test was torn down:\n" + "\n".join(messages), pytrace=False)
    return result


def pytest_runtest_setup(item):
    """A test that takes minutes is not taken for one that hangs."""
    if item.get_closest_marker("long"):
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def no_unexpected_log_records(caplog):
    """Fail on a record of level WARNING or above that the test did not clear."""
    yield
    records = [
        record
        for phase in ("setup", "call", "teardown")
        for record in caplog.get_records(phase)
        if record.levelno >= logging.WARNING
    ]
    if records:
        lines = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in records]
        pytest.fail("Unexpected log records:\n" + "\n".join(lines), pytrace=False)


@pytest.fixture(autouse=True)
def nothing_left_behind(request):
    """Fail on a top-level widget or a running timer that was not there before a test of the window."""
    if not {"qtbot", "qapp"} & set(request.fixturenames):
        yield
        return
    gc.freeze()  # so that the collector looks at what the test makes, and at nothing else
    gc.disable()  # once at the end is quicker, and a widget that a test alone makes goes on this thread
    before = {*top_level_widgets(), *running_timers()}
    yield
    left = []
    if not request.node.stash.get(failed, False):  # the traceback of a failed test keeps its widgets alive
        for _ in range(2):  # what the first round deletes may let go of more
            delete_deferred()
            now = (*top_level_widgets(), *running_timers())
            left = [thing for thing in now if not {thing, owner(thing)} & before]
            if "kept" in request.fixturenames:
                left = [thing for thing in left if not is_of_a_picture(thing)]
            if not left:
                break
    gc.enable()
    gc.unfreeze()
    if left:
        pytest.fail("Left behind by the test:\n" + "\n".join(map(describe, left)), pytrace=False)


def delete_deferred():
    """Delete what waits for deleteLater() or for the garbage collector."""
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def top_level_widgets():
    from PySide6.QtWidgets import QApplication

    # Qt keeps the tooltip it last showed and deletes it when it likes.
    return [w for w in QApplication.topLevelWidgets() if w.metaObject().className() != "QTipLabel"]


def is_of_a_picture(thing):
    """Whether Qt made a widget for itself with the layout of a picture, which stays in a window that a file keeps."""
    import shiboken6
    from PySide6.QtWidgets import QWidget

    return type(thing) is QWidget and not shiboken6.createdByPython(thing) and not thing.children()


def owner(thing):
    """The window that a timer, a menu or a hidden list of choices goes with; any other thing itself."""
    if thing.isWidgetType() and thing.parent() is None and thing.isHidden() and thing.focusProxy() is not None:
        thing = thing.focusProxy()  # what a field offers: the list has no parent
    while thing.parent() is not None and not (thing.isWidgetType() and thing.isWindow() and not thing.isHidden()):
        thing = thing.parent()
    return thing


def running_timers():
    """Running QTimers that the test made, and those below a top-level widget or the application."""
    import shiboken6
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    timers = [o for o in gc.get_objects() if issubclass(type(o), QTimer) and shiboken6.isValid(o)]
    roots = [QApplication.instance(), *QApplication.topLevelWidgets()]
    timers += [timer for root in roots if root for timer in root.findChildren(QTimer) if timer not in timers]
    return [timer for timer in timers if timer.isActive()]


def describe(thing):
    from PySide6.QtCore import QTimer

    if isinstance(thing, QTimer):
        return f"running timer of {thing.interval()} ms, child of {thing.parent()}"
    return f"widget {thing}"
