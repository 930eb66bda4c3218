"""Transformer Explorer: every number of a transformer, live and editable.

As a library::

    import explorer
    m = explorer.open("you-are-welcome")
    m["encoder.1.self.weights"]

`open` gives a `Transformer`; its numbers come as a `Matrix`, and `Transformer.explain` gives an `Explanation`. What a
person can cause is an `ExplorerError`, whose message says in one sentence what to do. `conventions` asks what makes the
numbers that a text prints of a matrix.
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
"""The name that its files bear, too."""

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
    """What the library offers, imported by who asks for it: the window and ``explorer --help`` do not."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'explorer' has no attribute '{name}'")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_ROOMS]
