"""Parts of a page by themselves, as pictures are shown by themselves."""

from tests.ui.drawing.conftest import bench, bench_of, show

__all__ = ["bench", "bench_of", "show"]
