"""The figures of speed, each measured by a function of its own."""

from collections.abc import Callable, Iterator

from explorer.benchmarks.measure import Measurement


def figures() -> Iterator[Callable[[], Measurement]]:
    """What can be measured here: the core, words, then the window, for which Qt is imported only now."""
    from explorer.benchmarks import core, gradients, training, words

    yield from core.figures()
    yield from gradients.figures()
    yield from training.figures()
    yield from words.figures()
    from explorer.app import open_window
    from explorer.ui.benchmarks import training as frames
    from explorer.ui.benchmarks import window

    yield from window.figures(open_window)
    yield from frames.figures(open_window)


__all__ = ["Measurement", "figures"]
