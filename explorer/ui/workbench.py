"""What every panel and widget is given: the model, what is looked at, and the look."""

from dataclasses import dataclass

from explorer.document.document import Document
from explorer.lessons.schema import Lesson
from explorer.ui.bridge import Bridge
from explorer.ui.selection import Selection
from explorer.ui.theme import Appearance


@dataclass
class Workbench:
    """The objects that the parts of the window share; `app.py` makes them once.

    Parameters
    ----------
    document : Document
        The one model object.
    bridge : Bridge
        Its changes, once per turn of the event loop.
    selection : Selection
        What the reader looks at.
    appearance : Appearance
        Theme, fonts and text scale.
    lesson : Lesson
        The example that is open.
    """

    document: Document
    bridge: Bridge
    selection: Selection
    appearance: Appearance
    lesson: Lesson

    @property
    def ours(self) -> frozenset[str]:
        """Names of nodes and slices whose values we had to choose ourselves."""
        return self.lesson.ours
