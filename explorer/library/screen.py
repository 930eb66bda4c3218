"""Whether there is a screen: Qt ends the process without a word of help when it finds none."""

import locale
import os
import socket
import sys

from explorer.core.errors import ExplorerError


def need_display(or_offscreen: bool = False) -> None:
    """Make sure that Qt has something to paint on.

    `or_offscreen`: where there is no display, let Qt paint into memory instead.

    Raises `ExplorerError`: "no-display", naming how to get one.
    """
    if not sys.platform.startswith("linux"):
        return
    if locale.getencoding() != "UTF-8":
        os.environ["LC_ALL"] = "C.UTF-8"  # Qt would take such a one, too, but not without four lines about it
    if os.environ.get("QT_QPA_PLATFORM") or _wayland() or _x11():
        return
    if or_offscreen:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return
    raise ExplorerError("no-display")


def was_double_clicked() -> bool:
    """Whether nobody reads what is printed: there is a screen, and no terminal."""
    if sys.stderr.isatty():
        return False
    platform = os.environ.get("QT_QPA_PLATFORM")
    if platform or not sys.platform.startswith("linux"):
        return platform not in ("offscreen", "minimal")
    return _wayland() or _x11()


def _wayland() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and os.path.exists(os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/"), str(name)))


def _x11() -> bool:
    """Whether an X server answers at DISPLAY: a variable left over from a closed session does not count."""
    host, _, screen = os.environ.get("DISPLAY", "").rpartition(":")
    number = screen.partition(".")[0]
    if not number.isdecimal():
        return False
    try:
        if host not in ("", "unix"):
            socket.create_connection((host, 6000 + int(number)), timeout=2).close()
            return True
        path = f"/tmp/.X11-unix/X{number}"
        return _answers(path) or _answers(f"\0{path}")
    except (OSError, OverflowError, ValueError):  # nobody there; no such port; no possible name of a host
        return False


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(address) == 0
