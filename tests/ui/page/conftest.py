"""Parts of a page by themselves, as pictures are shown by themselves."""

from tests.ui.drawing.conftest import show

__all__ = ["show"]
