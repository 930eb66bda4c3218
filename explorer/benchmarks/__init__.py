"""The figures of speed, each measured by a function of its own."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec

from explorer.benchmarks.measure import Measurement

WINDOW = "explorer.ui.benchmark"


def figures() -> Iterator[Callable[[], Measurement]]:
    """What can be measured here: the core's figures, then the window's, for which Qt is imported only now."""
    from explorer.benchmarks import core

    yield from core.figures()
    if find_spec(WINDOW):
        yield from import_module(WINDOW).figures()


__all__ = ["Measurement", "figures"]
