"""Does what a gesture of a page asks for: gives the document a command, or changes what the page shows."""

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.core.errors import ExplorerError
from explorer.document.commands import WriteOn
from explorer.pages import gestures
from explorer.ui.errors import show_error
from explorer.ui.workbench import Workbench


def perform(
    bench: Workbench, gesture: gestures.Gesture, at: QWidget, stroke: object = None, rect: QRect | None = None
) -> bool:
    """Do what a gesture asks for.

    `gesture`: a gesture that has its value.
    `at`: the widget beside which an error is shown; `rect` is the part of it.
    `stroke`: the same object for all edits of one drag.
    Returns whether it was done; if not, an error is shown and nothing has changed.
    """
    selection = bench.selection
    match gesture:
        case gestures.Edit():
            try:
                command = gesture.command(stroke)
                if isinstance(command, WriteOn):
                    bench.write_on(command, lambda error: show_error(error, at, rect) if isValid(at) else None)
                else:
                    bench.document.do(command)
            except ExplorerError as error:
                show_error(error, at, rect)
                return False
        case gestures.Keep(key, value):
            selection.keep(key, value)
        case gestures.ChooseToken(axis, place):
            selection.choose_token((axis, place))
        case gestures.ChooseHead(head):
            selection.set_head(head)
        case gestures.ShowPrinted(number):
            selection.printed_asked.emit(number)
        case gestures.OpenLesson(lesson):
            selection.lesson_asked.emit(lesson)
        case gestures.Move(names, moves):
            for name in names:
                bench.descent.set_moves(name, moves)
        case gestures.Descend(act, value):
            try:
                getattr(bench.descent, act)(*(() if value is None else (value,)))
            except ExplorerError as error:
                show_error(error, at)
                return False
        case gestures.Ask():
            selection.asked.emit(gesture, at)
        case gestures.GoTo(stage, keep, cell):
            if keep is not None:
                selection.keep(keep.key, keep.value)
            selection.go_to(stage)
            if cell is not None:
                selection.choose(cell, "arrow")
    return True
