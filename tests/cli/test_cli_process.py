"""The command line as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
        "check",
    )
    assert not imported(*commands) & {"PySide6", "shiboken6", "pyqtgraph", "gensim", "ziamath"}


def test_version_imports_not_even_numpy():
    assert "numpy" not in imported("--version")


def test_help_imports_not_even_numpy():
    assert "numpy" not in imported("--help")


def test_right_input():
    done = run(*EXPLORER, "show", "emma", "scores")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("scores  S  (9 × 9)")


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
    assert r"\u03b3" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes break differently elsewhere")
@pytest.mark.parametrize("form", ["table", "json", "csv", "latex", "python"])
def test_a_reader_that_leaves(form):
    command = [*EXPLORER, "show", "you-are-welcome", "--format", form]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*EXPLORER, "list"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
