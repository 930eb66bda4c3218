"""A page of the window as a picture. Qt is imported when the first is drawn, and not before."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.files import whole_file
from explorer.lessons.schema import Lesson
from explorer.library.screen import need_display

ENDINGS = (".png", ".svg", ".pdf")
Theme = Literal["light", "dark"]


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """A stage of a model as the window shows it; in a notebook it shows itself.

    >>> import explorer
    >>> page = explorer.open("you-are-welcome").page("encoder.1.self.attention")
    >>> page.svg()[:5]
    '<?xml'
    """

    lesson: Lesson
    document: Document
    stage: str

    def svg(self, size: tuple[int, int] | None = None, theme: Theme | None = None) -> str:
        """The page as a vector graphic, with parameters and errors as of `drawn`."""
        return self.drawn(".svg", size, theme).decode()

    def png(self, size: tuple[int, int] | None = None, theme: Theme | None = None) -> bytes:
        """The page as an image, two pixels for each of the window, with parameters and errors as of `drawn`."""
        return self.drawn(".png", size, theme)

    def save(self, path: str | Path, size: tuple[int, int] | None = None, theme: Theme | None = None) -> None:
        """Write the page into a .png, .svg or .pdf, with parameters and errors as of `drawn`; and "not-written"."""
        path = Path(path)
        picture = self.drawn(path.suffix.lower(), size, theme)
        with whole_file(path) as stream:
            stream.write(picture)

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
            "unknown-stage", with those that there are; "unknown-format".
        """
        if ending not in ENDINGS:
            raise ExplorerError("unknown-format", name=ending, known=", ".join(ENDINGS))
        need_display(or_offscreen=True)
        from explorer.ui.render import render

        self.document.settle()
        return render(self.lesson, self.document, self.stage, ending, size, theme)

    def __repr__(self) -> str:
        return f"{self.stage} of {self.lesson.title}"

    def _repr_svg_(self) -> str:
        return self.svg()
