"""The view that a document's file keeps beside its numbers: selection, progress in the lesson, training settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from explorer.core.graph import Cell
from explorer.core.training.recipe import OPTIMISERS
from explorer.lessons.progress import LessonProgress
from explorer.ui.window.top_bar import SHOWING, TABS

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

MOST_CHOICES, MOST_CHOICE = 500, 999_999


def kept(window: MainWindow) -> dict[str, Any]:
    """The present view of a window, as JSON values."""
    selection, descent, guide = window.bench.selection, window.bench.descent, window.lessons.guide
    found: dict[str, Any] = {
        "page": TABS.index(window.top_bar.tab),
        "stage": selection.stage,
        "head": None if selection.averaged else selection.head,
        "showing": selection.showing,
        "choices": {key: value for key, value in selection.looking.choices.items() if _is_choice(value)},
        "cell": None if selection.cell is None else [selection.cell.node, *map(int, selection.cell.index)],
        "training": {"kind": descent.kind, "rate": descent.rate, "frozen": descent.frozen, "also": descent.also},
    }
    if guide.at is not None:
        found["lesson"] = {"step": guide.at, "progress": guide.walk.progress.as_json()}
    return found


def restore(window: MainWindow, beside: Mapping[str, Any]) -> None:
    """Restore the view that a file was saved with. Values that no window could have written are ignored."""
    if window.bench.await_model(lambda: restore(window, beside)):
        return
    guide, step = window.lessons.guide, _step(window, beside.get("lesson"))

    def restore_all() -> None:
        with window.bench.selection.at_once():
            window.bench.bridge.flush()
            for what, act in _PARTS.items():
                if what in beside:
                    act(window, beside[what])

    if step is None:
        restore_all()
    else:
        guide.know(step, restore_all)  # the step's words need the state that it begins with


def _step(window: MainWindow, said: Any) -> int | None:
    """The saved step number, if the lesson has that step."""
    step = said.get("step") if isinstance(said, dict) else None
    return step if type(step) is int and 0 <= step < len(window.lessons.guide.steps) else None


def _lesson(window: MainWindow, said: Any) -> None:
    guide, step = window.lessons.guide, _step(window, said)
    if step is not None:
        guide.resume(step, LessonProgress.of(guide.lesson.id, said.get("progress")))


def _training(window: MainWindow, said: Any) -> None:
    descent = window.bench.descent
    if not isinstance(said, dict) or not descent.possible:
        return
    kind, rate = said.get("kind"), said.get("rate")
    if isinstance(kind, str) and kind in OPTIMISERS:
        descent.set_kind(kind)
    if isinstance(rate, int | float) and 0 < rate < 1000:
        descent.set_rate(float(rate))
    for part, moves in (("frozen", False), ("also", True)):
        names = said.get(part)
        for name in descent.moves():
            if isinstance(names, list) and name in names:
                descent.set_moves(name, moves)


def _choices(window: MainWindow, said: Any) -> None:
    for key, value in list(said.items())[:MOST_CHOICES] if isinstance(said, dict) else ():
        if _is_choice(value):
            window.bench.selection.keep(key, value)


def _head(window: MainWindow, said: Any) -> None:
    if said is None or (type(said) is int and 0 <= said <= MOST_CHOICE):
        window.bench.selection.set_head(said)


def _stage(window: MainWindow, said: Any) -> None:
    if said in [place.name for place in window.bench.selection.places]:
        window.bench.selection.go_to(said)


def _showing(window: MainWindow, said: Any) -> None:
    showing = window.top_bar.showing
    if said in list(SHOWING):
        showing.show_in_matrices(said)
        showing.follow()  # a model that was just opened has no last step, whatever was shown of it before


def _page(window: MainWindow, said: Any) -> None:
    if type(said) is int and 0 <= said < len(TABS):
        window.show_tab(TABS[said])


def _cell(window: MainWindow, said: Any) -> None:
    graph = window.bench.document.engine.graph
    name, *index = said if isinstance(said, list) and said else (None,)
    if not isinstance(name, str) or name not in graph.nodes or not all(type(n) is int for n in index):
        return
    shape = graph.shape(name)
    if len(shape) == len(index) and all(0 <= n < most for n, most in zip(index, shape, strict=True)):
        window.bench.selection.choose(Cell(name, tuple(index)))


_PARTS: dict[str, Callable[[MainWindow, Any], None]] = {
    "lesson": _lesson,
    "training": _training,
    "choices": _choices,
    "head": _head,
    "stage": _stage,
    "showing": _showing,
    "page": _page,
    "cell": _cell,
}
"""In the order in which they are restored: the lesson first, since its step makes selections itself."""


def _is_choice(value: object) -> bool:
    """Whether a value is like most choices on pages: a place in a list, a number, yes or no."""
    return isinstance(value, bool | int) and -1 <= value <= MOST_CHOICE
