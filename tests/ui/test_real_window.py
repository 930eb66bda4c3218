"""The program in a process of its own, on a real X server, without one, and without any screen."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.started import started
from tests.test_bundle import bundle_lists

needs_xvfb = pytest.mark.skipif(
    shutil.which("Xvfb") is None, reason="Xvfb is not installed; `apt-get install xvfb` (CI installs it)"
)
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a screen")
MOST_OF_OURS = 120
"""Modules of ours that are imported before the first picture; there were 343."""
PATIENCE_S = 900  # a machine may be very busy; what hangs still ends
PROGRAM = [sys.executable, "-m", "explorer"]


def environment(**changes):
    """The surroundings of a person's shell, with no display and no Qt setting but those asked for."""
    dropped = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"}
    kept = {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith(("QT_", "PYTEST", "COV_"))}
    return {**kept, "PYTHONWARNINGS": "", **changes}


def run(*arguments, code=None, **changes):
    command = [sys.executable, "-c", code] if code else [*PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment(**changes))


@contextlib.contextmanager
def x_server():
    """An X server of its own, and its display's name."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1700x1000x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    try:
        assert number, f"Xvfb did not start: exit code {server.poll()}"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(timeout=60)


@pytest.fixture
def display():
    """A display on which nothing else is: another program's window would lie over the one a test looks at."""
    with x_server() as name:
        yield name


@pytest.fixture(scope="module", autouse=True)
def smoke(tmp_path_factory):
    """`--smoke-test`, on an X server if there can be one. It takes the longest, so it runs beside all other tests."""
    folder = tmp_path_factory.mktemp("smoke")
    with contextlib.ExitStack() as servers:
        where = {}  # it finds out by itself that there is no screen
        if shutil.which("Xvfb"):
            where = {"DISPLAY": servers.enter_context(x_server()), "QT_QPA_PLATFORM": "xcb"}
        running = subprocess.Popen(
            [sys.executable, "-c", SMOKE, folder / "opened", "--smoke-test"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(**where),
        )
        yield running, folder / "opened", where.get("QT_QPA_PLATFORM", "offscreen")
        running.kill()
        running.communicate()


# It also writes down which files are open in the end, as machine code.
SMOKE = """
import atexit, sys
from pathlib import Path
from explorer.__main__ import main
file = Path(sys.argv.pop(1))
atexit.register(lambda: file.write_text(Path("/proc/self/maps").read_text()))
sys.exit(main())
"""


WINDOW = """
import sys
from PySide6.QtCore import QTimer
from explorer.app import open_window

app, window = open_window()
looks = []

def look():
    if not window.windowHandle().isExposed() or window.tabs.opening.picture.picture is None:
        return
    # What stands on the X server's screen, not what Qt would paint. A window is black there before its first frame.
    picture = window.screen().grabWindow(window.winId())
    image = picture.toImage()
    if len({image.pixel(x, y) for x in range(0, image.width(), 8) for y in range(0, image.height(), 8)}) == 1:
        return
    looks.append(1)
    if not window.isActiveWindow() and len(looks) < 200:  # no window manager gives it the keys
        return
    timer.stop()
    assert picture.save(sys.argv[1]), "not saved"
    print(app.platformName(), window.isVisible(), picture.width(), picture.height(), window.windowTitle())
    print("gensim" in sys.modules, window.isActiveWindow())
    window.close()

timer = QTimer(interval=20)
timer.timeout.connect(look)
timer.start()
QTimer.singleShot(800_000, lambda: app.exit(3))
sys.exit(app.exec())
"""


@needs_xvfb
def test_the_monkey_acts_where_no_window_manager_gives_a_window_the_keys_and_nobody_ends_a_drag(display):
    """In Qt's memory, where other tests run, a window is always active and no drag waits."""
    others = dict.fromkeys(os.environ.keys() - environment())  # this pytest's are not its
    monkey = "tests/ui/test_monkey.py", "-k", "nobody_ends", "-p", "no:cacheprovider"
    code = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
    done = started(code, *monkey, **others | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"})
    assert done.returncode == 0, done.stdout


@needs_xvfb
def test_the_window_appears_on_an_x_server(display, tmp_path):
    file = tmp_path / "window.png"
    done = started(WINDOW, file, DISPLAY=display, QT_QPA_PLATFORM="xcb", PYTHONWARNINGS="")
    assert (done.returncode, done.stderr) == (0, "")
    said, last = done.stdout.splitlines()
    gensim, active = last.split()
    assert said.startswith("xcb True 1600 900 tiny-gpt: a GPT that learned a small grammar")
    assert (gensim, active) == ("False", "True")
    from PySide6.QtGui import QImage

    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == (1600, 900)
    colours = {picture.pixel(x, y) for x in range(0, 1600, 4) for y in range(0, 900, 4)}
    assert len(colours) > 100  # not an empty frame


@on_linux
@pytest.mark.parametrize("arguments", [(), ("emma",)], ids=["first", "named"])
def test_without_a_display_there_is_one_plain_sentence(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no display" in done.stderr
    assert "Traceback" not in done.stderr


@on_linux
def test_a_display_that_does_not_answer_is_none():
    done = run(DISPLAY=":987")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no display" in done.stderr


def test_starting_imports_and_reads_nothing_and_makes_no_types_of_widgets_that_the_first_page_does_not_need():
    """PySide's own `import` reads the sources of modules, and a widget that Qt made asks for the types of all widgets.

    A process that has imported nothing before.
    """
    code = (
        "import linecache, sys; from explorer.app import open_window; app, window = open_window();"
        "from PySide6 import QtWidgets;"
        "print([file for file in linecache.cache if 'explorer' in file], 'QWizard' in vars(QtWidgets));"
        "unneeded = {'gensim', 'scipy', 'matplotlib', 'pyqtgraph', 'ziamath', 'numpy.ma', 'importlib.metadata',"
        "'email', 'difflib', 'hashlib', 'secrets', 'subprocess',"
        "'explorer.training.run', 'explorer.ui.new_model', 'explorer.lessons.step_tables',"
        "'explorer.ui.smoke_test',"
        "'explorer.ui.window.comparison', 'explorer.ui.training.tab', 'explorer.ui.words',"
        "'explorer.pages.stages.attention', 'explorer.pages.stages.net',"
        "'explorer.ui.export', 'explorer.ui.lesson.presenter'};"
        "print(sorted(unneeded & set(sys.modules)), sum(one.startswith('explorer.') for one in sys.modules));"
        "app.processEvents(); app.processEvents();"
        "print(sorted({'gensim', 'scipy'} & set(sys.modules)))"
    )
    done = run(code=code, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stderr) == (0, "")
    read, unneeded, later = done.stdout.splitlines()
    assert read == "[] False"
    assert (unneeded.partition(" ")[0], later) == ("[]", "[]")
    assert int(unneeded.partition(" ")[2]) <= MOST_OF_OURS


def test_smoke(smoke):
    running, opened, platform = smoke
    out, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, err
    assert [line for line in err.splitlines() if "This plugin does not support" not in line] == []
    done = [line.split()[0] for line in out.splitlines()]
    assert done == ["opened", "exported", "painted", "went", "looked", "trained", "trained"]
    # Whatever of Qt all this has opened goes into the bundle.
    lines = opened.read_text("utf-8").splitlines()
    files = {Path(line.split(maxsplit=5)[5]) for line in lines if "/PySide6/" in line}
    inside = {Path(*file.parts[file.parts.index("PySide6") :]) for file in files}
    assert Path(f"PySide6/Qt/plugins/platforms/libq{platform}.so") in inside
    lists = bundle_lists()
    left_out = {file for file in map(str, inside) if not lists["kept"](file, f"/venv/{file}")}
    # pyqtgraph takes QtTest where it is there; Qt opens all formats of pictures that there are, to look for one.
    assert {file for file in left_out if "Test" not in file and "/imageformats/" not in file} == set()
    modules = {f"PySide6.{file.name.partition('.')[0]}" for file in inside if len(file.parts) == 2}
    assert modules & set(lists["EXCLUDED"]) <= {"PySide6.QtTest"}
