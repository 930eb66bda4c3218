"""The figure of the event loop counts its beats; how long it is held up is for `explorer bench` to say."""

from benchmarks import window as benchmark
from PySide6.QtWidgets import QApplication


def test_turns_while_a_large_model_is_recomputed(open_window, monkeypatch):
    monkeypatch.setattr("explorer.document.document.LARGE", 1)
    monkeypatch.setattr(benchmark, "LARGE", (6, 2, 8))
    monkeypatch.setattr(benchmark, "LARGE_EDITS", 3)
    monkeypatch.setattr(benchmark, "LONG", 4)
    window = open_window()
    app = QApplication.instance()

    def opened():
        found = benchmark.attention_window(lambda _: (app, window), benchmark._large_lesson)
        paints.append(found[2])
        return found

    paints = []
    held, times, painted = benchmark.longest_turns(opened)
    app.removeEventFilter(*paints)
    assert len(held) == len(times) == len(painted) == 3
    assert all(seconds > 0 for seconds in (*held, *times, *painted))
    assert not window.bench.document.computing
