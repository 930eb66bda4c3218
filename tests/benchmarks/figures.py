"""All figures, in the order in which they are measured."""

from collections.abc import Callable, Iterator

from benchmarks import classroom, core, document, generating, gradients, others, training, words
from benchmarks.measure import Measurement, steady

__all__ = ["figures", "name", "steady"]


def name(figure: Callable[[], Measurement]) -> str:
    """What a figure is called on the command line."""
    return figure.__name__.replace("_", " ")


def figures() -> Iterator[Callable[[], Measurement]]:
    """What can be measured here: the core, words, then the window, for which Qt is imported only now."""
    for part in (core, document, gradients, training, generating, words, classroom, others):
        yield from part.figures()
    from benchmarks import calls, frames, whole, window
    from explorer.app import open_window

    yield from window.figures(open_window)
    yield from calls.figures(open_window)
    yield from whole.figures(open_window)
    yield from frames.figures(open_window)
