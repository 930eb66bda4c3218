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
    from explorer.ui import benchmark, benchmark_training

    yield from benchmark.figures(open_window)
    yield from benchmark_training.figures(open_window)


__all__ = ["Measurement", "figures"]
