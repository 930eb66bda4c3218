"""The command line as a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import long

ROOT = Path(__file__).parents[2]
EXPLORER = [sys.executable, "-m", "explorer"]
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can lack a display")


def run(*command, **environment):
    without = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    env = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(
        command, cwd=ROOT, env={**env, **environment}, capture_output=True, text=True, encoding="utf-8"
    )


def imported(*commands):
    """The top-level packages that commands have imported, one after the other in one process."""
    code = "import sys; from explorer.cli import main\n"
    code += "\n".join(f"assert main({command.split()}) == 0" for command in commands)
    done = run(sys.executable, "-c", f"{code}\nprint(*sys.modules, file=sys.stderr)")
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stderr.split()}


def test_only_the_window_imports_qt():
    commands = (
        "list",
        "show emma --format csv",
        "show emma --format python",
        "explain emma scores[0,8]",
        "check emma words-as-vectors tiny-gpt",
    )
    assert not imported(*commands) & {"PySide6", "shiboken6", "pyqtgraph", "gensim", "ziamath"}


def test_the_window_imports_nothing_heavy_and_no_reader_of_other_models_before_one_is_opened():
    code = "import sys, explorer.ui.window.main_window, explorer.ui.words; print(*sys.modules)"
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    there = set(done.stdout.split())
    assert not there & {"regex", "gensim", "pyqtgraph", "scipy", "ziamath"}
    assert {name for name in there if name.startswith("explorer.checkpoints.")} == set()


def test_version_and_help_import_not_even_numpy():
    assert "numpy" not in imported("--version", "--help")


def test_wrong_input():
    done = run(*EXPLORER, "show", "emma", "wieghts")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "explorer: There is no node 'wieghts' (did you mean 'weights'?).\n"


def test_the_program_is_a_command_of_its_own():
    command = Path(sys.executable).with_name("explorer")
    if not command.exists():
        pytest.skip("not installed")
    assert run(str(command), "--version").stdout.startswith("explorer ")


@on_linux
def test_no_display():
    done = run(*EXPLORER)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "no display" in done.stderr


@on_linux
def test_a_display_that_is_gone():
    done = run(*EXPLORER, DISPLAY=":98765")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_terminal_without_the_characters():
    done = run(*EXPLORER, "show", "you-are-welcome", "encoder.1.self.gamma", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(r"encoder.1.self.gamma  \u03b3")


@pytest.mark.skipif(os.name != "posix", reason="pipes break differently elsewhere")
@pytest.mark.parametrize("form", ["table", *map(long, ["json", "csv", "latex", "python"])])
def test_a_reader_that_leaves(form):
    command = [*EXPLORER, "show", "you-are-welcome", "--format", form]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*EXPLORER, "show", "emma"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="only a shell of POSIX closes streams")
@pytest.mark.parametrize(
    ("command", "closed"),
    [
        *(long("show xor", closed) for closed in (">&-", "2>&-", "<&-")),
        ("show xor", ">&- 2>&- <&-"),
        *(long(command, ">&- 2>&- <&-") for command in ("list", "words similar sea")),
    ],
)
def test_a_stream_that_is_closed(command, closed):
    shell = f'"{sys.executable}" -m explorer {command} {closed}'
    done = run("sh", "-c", shell)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="only a shell of POSIX closes streams")
def test_no_file_gets_the_number_of_a_closed_stream():
    """Or what Qt and C say of themselves would be written into it."""
    code = "import os; from explorer.cli import main; main(['show', 'xor']); print(os.open(os.devnull, 0), flush=True)"
    done = run("sh", "-c", f'"{sys.executable}" -c "{code}" 2>&- <&-')
    assert int(done.stdout.split()[-1]) > 2


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals")
def test_ctrl_c_while_the_program_is_being_imported():
    interrupts = """
import builtins, os, signal, sys
real = builtins.__import__
def imports(name, *rest, **more):
    if name == "explorer.cli.parser":
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest, **more)
builtins.__import__ = imports
import explorer.__main__
"""
    done = run(sys.executable, "-c", interrupts)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals")
def test_ctrl_c_later_leaves_in_order():
    """What is begun is ended, such as a file half written."""
    later = """
import os, signal, sys
import explorer.__main__ as program
from explorer.cli import lessons
lessons.list_all = lambda json: os.kill(os.getpid(), signal.SIGINT)
sys.exit(program.main(["list"]))
"""
    done = run(sys.executable, "-c", later)
    assert (done.returncode, done.stderr) == (130, "")
