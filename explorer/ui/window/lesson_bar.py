"""The bar below the stage: what the setting of the open lesson shows.

Also leads from a number to where a reference prints it, and from a printed number to the cell that computes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout

from explorer.core.graph import Cell
from explorer.lessons.loader import load
from explorer.lessons.prose import each_sentence
from explorer.lessons.schema import Lesson
from explorer.pages.element import Element
from explorer.pages.page import Note
from explorer.ui.page.surface import Surface
from explorer.ui.turns import later
from explorer.ui.widgets.inputs import PushButton, fold_button
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.names import broken, set_names
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.lessons.printed_numbers import PrintedNumber
    from explorer.ui.window.main_window import MainWindow


BEFORE = "Before your changes: "
HIGH = 800
"""In a lower window (pixels at text scale 1), the words on what to try replace those about the setting."""
NARROW = 1200
"""In a narrower window (pixels at text scale 1), the words may take two lines."""
LOW = 440
"""In a lower window (pixels at text scale 1), only the title is shown, to leave room for the stage."""


def bar_page(paragraphs: Sequence[str], attempts: Sequence[str]) -> tuple[Element, ...]:
    """The words below the line of the bar: paragraphs about the setting, and what to try."""
    about = Note("about", escape("\n\n".join(paragraphs), quote=False).replace("\n", "<br>"), role="")
    tries = Note("try", escape("\n".join(attempts), quote=False).replace("\n", "<br>"), role="muted")
    return (about,) * bool(paragraphs) + (tries,) * bool(attempts)


class LessonBar(QFrame):
    """The setting's title, a line about it and what to try; after "More", all paragraphs about it.

    `fold`: the action that hides the bar; the button beside "More" triggers it.
    """

    def __init__(self, bench: Workbench, fold: QAction) -> None:
        super().__init__()
        self.setObjectName("lessonBar")
        self._bench = bench
        self._title = Label(role="strong", plain=True)
        self._more = PushButton(tip="Read all about this example", look="link", checkable=True)
        self._more.toggled.connect(self.refresh)
        self.steps = PushButton("Steps", tip="Go on with this lesson where it was left", look="link")
        self.words = Surface(bench, 0)
        self._line = Label()
        self._line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._line.installEventFilter(self)
        folds = fold_button(fold, "▾")
        self._page = QVBoxLayout(self)
        self._top = QHBoxLayout()
        self._page.addLayout(self._top)
        self._top.addWidget(self._title)
        self._top.addWidget(self._line, 1)
        self._top.addWidget(self.steps)
        self._top.addWidget(self._more)
        self._top.addWidget(folds)
        self._page.addWidget(self.words)
        # In a later turn: during a layout, Qt ignores requests for another size.
        self._sized = later(self, self.refresh)
        bench.appearance.changed.connect(self._restyle)
        self._restyle()

    def follow(self) -> None:
        """Update the words, if the act has changed what they depend on; few acts do."""
        if self._about != self._is_about():
            self.refresh()

    def _is_about(self) -> tuple[Lesson, str, bool]:
        """The lesson, the setting, and whether the model is unchanged since it was opened."""
        state = self._bench.document.state
        return self._bench.lesson, state.setting, state in self._bench.opened

    def refresh(self) -> None:
        """Show the words about the present lesson and setting, as far as there is room."""
        self._about = lesson, name, given = self._is_about()
        self.steps.setVisible(bool(lesson.steps))
        setting = lesson.settings.get(name)
        if setting is None:
            return
        self._title.setText(setting.title)
        paragraphs = [" ".join(p.split()) for p in f"{setting.paragraph}\n\n{lesson.paragraph}".strip().split("\n\n")]
        if not given:
            paragraphs[0] = f"{BEFORE}{paragraphs[0]}"  # the numbers in it may differ from those shown now
        attempts = [f"Try: {one}" for one in (setting.to_try, lesson.to_try) if one]
        whole, height = self._more.isChecked(), self.window().height()
        px = self._bench.appearance.px
        first = paragraphs[0] if height >= px(HIGH) or not attempts else attempts[0]
        lines = 0 if whole or height < px(LOW) else 2 if self.window().width() < px(NARROW) else 1
        self._line.setText(set_names(self._shortened(first, lines)) if lines else "")
        # In a narrow window the bar always has the height of two lines; otherwise the page would be laid out twice.
        self._line.setMinimumHeight(2 * self._line.fontMetrics().lineSpacing() + 2 if lines == 2 else 0)
        said = bar_page(paragraphs if whole else (), attempts if whole else attempts[: height >= px(HIGH)])
        self.words.tell(said)
        self.words.setVisible(bool(said))
        self._more.setText("Less" if whole else "More")

    def _shortened(self, text: str, lines: int) -> str:
        """As many sentences as fit into the line; if not even the first does, its beginning on `lines` lines."""
        metrics = self._line.fontMetrics()
        room = max(self._line.width(), 100)
        first, *others = each_sentence(text)
        for other in others:
            if metrics.horizontalAdvance(f"{first} {other}") > room:
                break
            first = f"{first} {other}"
        line, *more = broken(first, room, metrics.horizontalAdvance) if lines > 1 else ["", first]
        return "\n".join([line, metrics.elidedText(" ".join(more), Qt.TextElideMode.ElideRight, room)]).strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sized.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._line and event.type() == QEvent.Type.Resize:
            self._sized.start()  # the width of the line is known only now
        return super().eventFilter(watched, event)

    def _restyle(self) -> None:
        px = self._bench.appearance.px
        self._page.setContentsMargins(px(24), px(5), px(16), px(6))
        self._top.setSpacing(px(12))
        self._page.setSpacing(0)
        self._line.ensurePolished()
        self.refresh()


def show_reference(window: MainWindow) -> None:
    """Show the cell pointed at in the list of all numbers that references print."""
    cell, state = window.bench.selection.cell, window.bench.document.state
    window.show_tab("References")
    if cell is not None and window.tabs.references is not None:
        window.tabs.references.look_for(state.lesson, state.setting, cell)


def show_scene(window: MainWindow, number: PrintedNumber) -> None:
    """Show the cell that computes a printed number: open its model, and go to the stage and the cell."""
    scene, bench = number.scene, window.bench
    if scene is None:
        return
    state = bench.document.state
    stands = state in bench.opened and (state.lesson, state.setting) == (scene.lesson, scene.setting)
    if not stands or not (scene.figure is None or scene.figure.plain):
        title = f"{number.title}, as printed"
        if not window.files.open_state(load(scene.lesson), scene.state(), title):
            return
        bench.beside_text = True
        bench.bridge.flush()
    bench.beside_text = True
    selection, graph = bench.selection, bench.document.engine.graph
    place = graph.place(scene.node)
    if place.head is not None:
        selection.set_head(place.head)
    gradient = scene.figure is not None and scene.figure.part == "gradient"
    window.top_bar.showing.show_in_matrices("gradient" if gradient else "values")
    window.go_to_stage(graph.nodes[place.node].stage)
    cell = scene.cell if place.head is None else (place.head, *scene.cell)
    selection.choose(Cell(place.node, cell), "arrow")
    window.area.bring_into_sight(scene.node)
