"""Questions to the vectors, asked so that the window is not held up."""

from collections.abc import Callable
from typing import Any

from explorer.ui.background import Background
from explorer.words.progress import Report
from explorer.words.vectors import Vectors

AT_ONCE = 4_000_000
"""Numbers in a table up to which one search takes some milliseconds, less than a thread would add to it."""


class Search(Background):
    """What one card asks; the newest question overtakes those before it.

    A small table is searched at once. A large one is searched beside the window: of a million words, each search would
    hold it up for a frame or more.
    """

    def search(
        self, vectors: Vectors, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool = False
    ) -> None:
        """Do the work, which raises no error that a person can cause, and give its result to `then`.

        Parameters
        ----------
        vectors : Vectors
            What is searched.
        work : callable
            Given a `Report`, to call between two searches. It holds no widget.
        then : callable
            Given the result, in the window's thread.
        slow : bool
            Beside the window in any case.
        """
        if slow or vectors.array.size > AT_ONCE:
            self.ask(work, then)
        else:
            self.stop()
            then(work(lambda progress: None))
