"""The smoke test: it does in a window, once, what people do with it, and prints what it did.

It checks that a program that has just been built or installed finds all of its parts.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from types import TracebackType

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.export.workbook import ENDINGS, save_model
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import catalogue, load
from explorer.pages.levels import stops
from explorer.ui.animation import Frames, gif
from explorer.ui.render import render
from explorer.ui.window.main_window import MainWindow

PATIENCE_S = 300
STEPS = 10


def smoke_test(app: QApplication, window: MainWindow) -> int:
    """Do everything once, in a window that is shown.

    Returns: exit status: 1 if something failed; standard error then says what.
    """
    failed: list[BaseException] = []

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        # Qt goes on after an exception in a slot; a smoke test must not.
        failed.append(error)
        sys.__excepthook__(kind, error, trace)

    sys.excepthook = note
    print(f"opened {window.windowTitle().replace('[*]', '')}")
    try:
        for act in (
            _export,  # first: drawing for paper restyles the whole program, with every widget
            _paint_every_kind_of_page,
            _go_through_a_lesson,
            _look_at_words,
            _train_in_slices,
            _train_in_a_process,
        ):
            print(act(app, window), flush=True)
    except (AssertionError, ExplorerError, OSError, TimeoutError) as error:
        note(type(error), error, error.__traceback__)
    window.hide()  # or it would ask whether to save what has been trained
    window.close()
    return 1 if failed else 0


def _wait(app: QApplication, until: Callable[[], object], what: str) -> None:
    """Process events until a condition holds, for `PATIENCE_S` seconds at most."""
    end = time.monotonic() + PATIENCE_S
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} has not come in {PATIENCE_S} s")
        app.processEvents()
        time.sleep(0.001)


def _paint(app: QApplication, window: MainWindow) -> None:
    app.processEvents()
    assert not window.grab().isNull(), "the window paints nothing"


def _paint_every_kind_of_page(app: QApplication, window: MainWindow) -> str:
    painted, kinds = 0, set[str]()
    # Lessons on a trained model have its pages.
    examples = [*(lesson for lesson in catalogue() if lesson.model.dtype == "float64"), load("tiny-gpt")]
    for lesson in examples:
        if kinds >= {stage.kind for stage in stops(lesson.state().graph)}:
            continue
        window.bench.open(lesson)
        window.bench.bridge.flush()
        for stage in window.bench.selection.stops:
            if stage.kind not in kinds:
                kinds.add(stage.kind)
                window.bench.selection.go_to(stage.name)
                window.area.page()  # or what is painted is the page before, while this one is made in several turns
                _paint(app, window)
                painted += 1
    return f"painted {painted} pages of {len(kinds)} kinds in {len(examples)} examples"


def _go_through_a_lesson(app: QApplication, window: MainWindow) -> str:
    window.bench.open(load("two-vectors"))
    window.bench.bridge.flush()
    guide = window.lessons.guide
    for at in range(len(guide.steps)):
        guide.next()
        _paint(app, window)
        assert guide.at == at, f"step {at + 1} cannot be gone to"
    assert guide.steps, "the lesson has no steps"
    guide.leave()
    return f"went through {len(guide.steps)} steps of a lesson"


def _look_at_words(app: QApplication, window: MainWindow) -> str:
    window.show_tab("Words")
    tab = window.tabs.words
    assert tab is not None
    _wait(app, lambda: tab.state.vectors is not None, "The first set of vectors")
    vectors = tab.state.vectors
    assert vectors is not None
    _paint(app, window)
    return f"looked at {len(vectors.words)} words"


def _train_in_slices(app: QApplication, window: MainWindow) -> str:
    window.bench.open(load("xor"))
    window.show_tab("Train")
    app.processEvents()
    assert window.tabs.training is not None
    for _ in range(STEPS):
        window.tabs.training.control("one").click()
        _paint(app, window)
    assert window.bench.descent.at == STEPS, window.tabs.training.problem
    return f"trained {STEPS} steps here"


def _train_in_a_process(app: QApplication, window: MainWindow) -> str:
    assert window.tabs.training is not None
    words = " ".join(f"word{number}" for number in range(32))
    window.bench.open(new_lesson("gpt", [words], d_model=128, layers=6, heads=4))
    window.bench.bridge.flush()
    tab, descent = window.tabs.training, window.bench.descent
    tab.control("train").click()
    _wait(app, lambda: tab.problem or (descent.run and descent.run.records.at >= STEPS), "The training")
    assert not tab.problem, tab.problem
    assert descent.process is not None, "the large model learns in this process"
    tab.control("train").click()
    _wait(app, lambda: descent.process is None, "The end of the training")
    _paint(app, window)
    return f"trained {STEPS} steps in another process"


def _export(app: QApplication, window: MainWindow) -> str:
    window.show_tab("Pipeline")
    lesson = load("emma")
    document = Document(lesson.state())
    written = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, beginning in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
            picture = render(lesson, document, lesson.start_stage, ending)
            assert picture.startswith(beginning), f"no {ending}"
            written.append(ending)
        files = (save_model(document, lesson, Path(folder) / f"emma{ending}") for ending in ENDINGS)
        for file in chain.from_iterable(files):
            assert file.stat().st_size, f"{file} is empty"
            written.append(file.suffix)
        blank = QImage(2, 2, QImage.Format.Format_RGB888)
        blank.fill(0)
        assert gif(Frames([blank], 100, "", "")).startswith(b"GIF"), "no .gif"
        written.append(".gif")
    document.close()
    return f"exported {' '.join(written)}"
