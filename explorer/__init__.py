"""Transformer Explorer: every number of a transformer, live and editable.

As a library::

    import explorer
    m = explorer.open("you-are-welcome")
    m["encoder.1.self.weights"]

`open` gives a `Transformer`; its numbers are `Matrix` objects, and `Transformer.explain` gives an `Explanation`. An
error that a person can cause is an `ExplorerError`, whose message says in one sentence what to do. `conventions` finds
which conventions give the numbers that a text prints of a matrix.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.core.errors import ExplorerError
    from explorer.library.answers import Continuation, Explanation
    from explorer.library.conventions import conventions
    from explorer.library.matrix import Matrix
    from explorer.library.page import Page
    from explorer.library.transformer import Transformer, open

__all__ = ["Continuation", "Explanation", "ExplorerError", "Matrix", "Page", "Transformer", "conventions", "open"]
__version__ = "0.1.0"
PROGRAM = "Transformer Explorer"
"""The program's name, also written into its files."""

_ROOMS = {
    "Continuation": "explorer.library.answers",
    "ExplorerError": "explorer.core.errors",
    "Explanation": "explorer.library.answers",
    "Matrix": "explorer.library.matrix",
    "Page": "explorer.library.page",
    "Transformer": "explorer.library.transformer",
    "conventions": "explorer.library.conventions",
    "open": "explorer.library.transformer",
}


def __getattr__(name: str) -> object:
    """Import a name of the library when it is first used: the window and ``explorer --help`` need none of them."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'explorer' has no attribute '{name}'")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_ROOMS]
