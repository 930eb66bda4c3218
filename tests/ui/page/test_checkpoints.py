"""Models that others trained: a page of each kind opens, and in the usual window no word is cut; all pages are long."""

from contextlib import suppress
from pathlib import Path

import pytest
from pytestqt.exceptions import TimeoutError

from explorer.document.commands import SetTokens
from explorer.document.state import State
from explorer.lessons.document_lesson import lesson_of, opened
from tests.checkpoints.small import write
from tests.core.models.test_modern import CASES, made

GIVEN = Path(__file__).parents[4] / "shared" / "checkpoints" / "given"
FOLDERS = sorted(path.name for path in GIVEN.glob("*") if (path / "config.json").is_file())
USUAL, SMALL = (1280, 720), (1024, 640)
PIECES = "generation.pieces"
"""The page on which a long word, taken apart step by step, may be wider than its column: it is told in the tip."""


def of_folder(folder):
    """A lesson on a folder, and its state with a few words where it came with none."""
    lesson, state = opened(folder)
    for sequence, axis in state.graph.sequences.items():
        if len(state.graph.axes[sequence]) < 3:
            words = state.graph.axes[axis]
            state = SetTokens(sequence, [words[i % len(words)] for i in (5, 17, 3, 40, 7)]).apply(state)
    return lesson, state


def walk(window, eye, qtbot, lesson, state, kinds=None):
    """Go to every page, or to the last of each kind that is none of those given, and add it to them."""
    bench = window.bench
    bench.open_state(lesson, state)
    bench.document.settle()
    bench.bridge.flush()
    stops = bench.selection.stops
    if kinds is not None:
        stops = [stop for kind, stop in {stop.kind: stop for stop in stops}.items() if kind not in kinds]
        kinds |= {stop.kind for stop in stops}
    seen = [stop.name for stop in stops]
    pieces = [word for axis in state.graph.sequences.values() for word in state.graph.axes[axis]]
    for name in seen:
        page = eye.go_to(window, name)
        assert page.stage.name == name
        assert (name, page.horizontalScrollBar().maximum()) == (name, 0)
        if name != PIECES and window.width() >= USUAL[0]:
            cut = eye.cut(page, pieces)  # it paints all of the page, which takes a third of the time
            if cut:
                with suppress(TimeoutError):  # beside much other work a caption may be told anew after all has settled
                    qtbot.waitUntil(lambda page=page: not eye.cut(page, pieces), timeout=5000)
                cut = eye.cut(page, pieces)
            assert (name, cut) == (name, [])
    return seen


@pytest.mark.long
@pytest.mark.parametrize("size", [USUAL, SMALL])
def test_every_page_of_a_small_llama(open_window, eye, qtbot, tmp_path, size):
    window = open_window(size=size)
    seen = walk(window, eye, qtbot, *of_folder(write(tmp_path)))
    layers = {name.split(".")[1] for name in seen if name.startswith("decoder.")}
    assert layers == {"1", "2"}


def test_a_page_of_each_kind_of_a_small_llama_and_of_a_model_with_an_encoder(open_window, eye, qtbot, tmp_path):
    """Of a folder beside the repository, if there is any; all pages of all folders are long."""
    window, kinds = open_window(size=USUAL), set()
    walk(window, eye, qtbot, *of_folder(write(tmp_path)), kinds)
    if FOLDERS:
        assert walk(window, eye, qtbot, *of_folder(GIVEN / "marian"), kinds)


@pytest.mark.long
@pytest.mark.skipif(not FOLDERS, reason="the folders lie beside the repository, and not in it")
@pytest.mark.parametrize("size", [USUAL, SMALL])
@pytest.mark.parametrize("name", FOLDERS)
def test_every_page_of_a_folder(open_window, eye, qtbot, name, size):
    window = open_window(size=size)
    walk(window, eye, qtbot, *of_folder(GIVEN / name))


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_every_page_of_what_models_have_changed_since_2017(open_window, eye, qtbot, name):
    model, _, inputs = made(CASES[name], n=4)
    window = open_window(size=USUAL)
    lesson, state = lesson_of(State.of(model, inputs), name)
    walk(window, eye, qtbot, lesson, state)
