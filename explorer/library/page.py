"""A page of the window as a picture. Qt is imported only when the first page is drawn.

`need_display` checks for a screen: without one, Qt would end the process without a helpful message.
"""

import locale
import os
import re
import socket
import sys
from base64 import b64encode
from html import escape, unescape
from pathlib import Path
from typing import Literal

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.document.document import Document
from explorer.files import write_file
from explorer.lessons.schema import Lesson


def need_display(or_offscreen: bool = False) -> None:
    """Make sure that Qt can paint.

    `or_offscreen`: without a display, let Qt paint into memory.

    Raises `ExplorerError`: "no-display", naming how to get one.
    """
    # For a script that no font has, Qt would print a line for each font that there is.
    os.environ.setdefault("QT_LOGGING_RULES", "qt.text.font.db=false")
    if not sys.platform.startswith("linux"):
        return
    if locale.getencoding() != "UTF-8":
        os.environ["LC_ALL"] = "C.UTF-8"  # Qt would choose UTF-8 itself, but print four lines about it
    if os.environ.get("QT_QPA_PLATFORM") or _wayland() or _x11():
        return
    if or_offscreen:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        os.environ["QT_LOGGING_RULES"] += ";default.warning=false"  # that plugin prints a line for each size
        return
    raise ExplorerError("no-display")


def was_double_clicked() -> bool:
    """Whether the program was started without a terminal but with a screen, so that nobody reads printed text."""
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
    """Whether an X server answers at DISPLAY: the variable may be left over from a closed session."""
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
    except (OSError, OverflowError, ValueError):  # no server; an impossible port; an impossible host name
        return False


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(address) == 0


ENDINGS = (".png", ".svg", ".pdf")
THEMES = ("light", "dark")
Theme = Literal["light", "dark"]
LEAST, MOST = 100, 4096
"""The smallest and largest side of a picture of a given size, in pixels of the window."""


class Page(Frozen, eq=False):
    """The page of a stage as the window shows it; a notebook displays it.

    >>> import explorer
    >>> page = explorer.open("you-are-welcome").page("encoder.1.self.attention")
    >>> page.svg()[:5]
    '<?xml'
    """

    lesson: Lesson
    document: Document
    stage: str

    def svg(self, size: tuple[int, int] | None = None, theme: Theme | None = None) -> str:
        """The page as a vector graphic; parameters and errors as in `drawn`."""
        return self.drawn(".svg", size, theme).decode()

    def png(self, size: tuple[int, int] | None = None, theme: Theme | None = None) -> bytes:
        """The page as an image with two pixels for each pixel of the window; parameters and errors as in `drawn`."""
        return self.drawn(".png", size, theme)

    def save(self, path: str | Path, size: tuple[int, int] | None = None, theme: Theme | None = None) -> None:
        """Write the page to a .png, .svg or .pdf; parameters and errors as in `drawn`, and "not-written"."""
        path = Path(path)
        picture = self.drawn(path.suffix.lower(), size, theme)
        write_file(path, picture)

    def drawn(self, ending: str, size: tuple[int, int] | None = None, theme: Theme | None = None) -> bytes:
        """The page as the bytes of a file.

        Parameters
        ----------
        ending : str
            One of `ENDINGS`.
        size : tuple of int, optional
            Width and height in pixels of the window; by default as large as the page needs.
        theme : str, optional
            "light" or "dark" for a screen; by default it is drawn on white paper.

        Raises
        ------
        ExplorerError
            "unknown-stage" if an edit has removed the stage; "unknown-format"; "bad-training-setting" for a size out of
            bounds, "bad-training-choice" for another theme.
        """
        if ending not in ENDINGS:
            raise ExplorerError("unknown-format", name=ending, known=", ".join(ENDINGS))
        if theme is not None and theme not in THEMES:
            raise ExplorerError("bad-training-choice", name="theme", value=theme, known=", ".join(THEMES))
        for side in size or ():
            if not LEAST <= side <= MOST:
                raise ExplorerError("bad-training-setting", name="size", value=side, low=LEAST, high=MOST)
        need_display(or_offscreen=True)
        from explorer.ui.render import render

        self.document.settle()
        return render(self.lesson, self.document, self.stage, ending, size, theme)

    def __repr__(self) -> str:
        return f"{self.stage} of {self.lesson.title}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The page for a notebook: as HTML, for its alternative text and its width, and as SVG for paper.

        Where a notebook is exported, nbconvert makes of an SVG an image without either.
        """
        svg = self.svg()
        found = re.search(r"<desc>(.*?)</desc>", svg, re.DOTALL)
        said = escape(unescape(found[1])) if found else repr(self)
        data = b64encode(svg.encode()).decode()
        image = f'<img alt="{said}" style="max-width: 100%; height: auto" src="data:image/svg+xml;base64,{data}">'
        return {"text/html": image, "image/svg+xml": svg}
