"""Makes the parts of a window, from the bars at the top to the column at the right."""

from PySide6.QtWidgets import QFrame

from explorer.ui.actions import Actions
from explorer.ui.glossary import Glossary
from explorer.ui.inspector import Inspector
from explorer.ui.lesson.panel import PanelColumn
from explorer.ui.lesson.parts import LessonParts
from explorer.ui.page.area import StageArea
from explorer.ui.saving import Recovery
from explorer.ui.widgets.inputs import fold_button
from explorer.ui.window.lesson_bar import LessonBar
from explorer.ui.window.main_window import MainWindow
from explorer.ui.window.notice import Notice, Passing, Working, said_of_reading, said_of_saving, said_of_writing
from explorer.ui.window.panes import Docks, Folds, Places, SideBySide
from explorer.ui.window.pipeline_map import PipelineMap
from explorer.ui.window.token_bar import TokenBar
from explorer.ui.window.top_bar import TopBar


def make_parts(window: MainWindow) -> None:
    """Make all that a window shows besides the opening page."""
    bench, files = window.bench, window.files
    look, saver = bench.appearance, files.saver
    actions = window.actions_ = Actions(bench, window)
    window.notice, window.recording = Notice(look), Notice(look)
    window.reading = Working(files.reader, look, said_of_reading)
    window.passing = Passing(bench.document, bench.background, look)
    window.saving = Working(saver.background, look, said_of_saving, saver.stop)
    window.writing = Working(bench.author, look, said_of_writing)
    window.recovery = Recovery(bench, files, window.notice)
    window.folds = Folds(
        {
            "list folded": actions.fold_list,
            "right column folded": actions.fold_right,
            "bottom bar folded": actions.fold_bottom,
        },
        bench.settings,
        window.stand,
    )
    window.tokens = TokenBar(bench)
    window.map = PipelineMap(bench, actions.fold_list)
    window.tokens.setAccessibleName("Words that the model reads")
    window.map.setAccessibleName("Stages")
    window.inspector = Inspector(bench, actions.fold_right)
    window.lesson_bar = LessonBar(bench, actions.fold_bottom)
    window.lesson_bar.setAccessibleName("About the example")
    window.area = StageArea(bench)
    window.docks = Docks(bench, window)
    window.top_bar = TopBar(bench, actions, files, window.area)
    window.top_bar.setAccessibleName("What is open")
    if window.tabs.opening is not None:  # nothing stands beside the opening page
        window.top_bar.hide()

    # From the outside in, because Qt styles all children of a widget again whenever it gets a parent.
    working = {"reading": window.reading, "saving": window.saving, "passing": window.passing, "writing": window.writing}
    bars = {"top bar": window.top_bar, "notice": window.notice, "recording": window.recording, **working}
    window.outside, window.aside, page = PanelColumn(), PanelColumn(), QFrame()
    window.brings_right = fold_button(actions.fold_right, "«")
    window.brings_bottom = fold_button(actions.fold_bottom, "▴")
    page.setObjectName("page")
    page.setAccessibleName("Page")
    for part in (*bars.values(), window.outside):
        part.setParent(window.whole)
    for part in (window.tokens, window.map, page, window.aside, window.brings_right):
        part.setParent(window.tabs.first)
    window.aside.take(window.inspector)
    window.sides = SideBySide(bench, files, window.area, actions.compare)
    for part in (window.sides, window.lesson_bar, window.brings_bottom):
        part.setParent(page)
    window.terms = Glossary(window)
    window.aside.take(window.terms)
    window.lessons = LessonParts(window, window.aside, window.outside)
    for column in (window.aside, window.outside):
        column.know(window.terms, window.lessons.panel, window.inspector)
    window.places = Places(window, bars, page)
