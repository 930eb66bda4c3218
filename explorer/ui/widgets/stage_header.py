"""Above every stage: its title, what happens there, the layer and head that all panels look at, and its switches."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.node import Stage
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.segments import Segments
from explorer.ui.widgets.switch_bar import SwitchBar, block_of
from explorer.ui.workbench import Workbench

MOST_BUTTONS = 13
"""More layers or heads than these, or half as many in text of twice the size, would not stand beside the title."""


@dataclass(frozen=True)
class Heading:
    """What stands above a kind of stage.

    Parameters
    ----------
    sentence : str
        What happens here, in one sentence.
    switches : tuple of str
        The block's switches that belong to this stage.
    more : tuple of str
        Those that are shown on request.
    """

    sentence: str
    switches: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


class StageHeader(QWidget):
    """The head of a page.

    Parameters
    ----------
    bench : Workbench
    stage : Stage
    heading : Heading
    """

    def __init__(self, bench: Workbench, stage: Stage, heading: Heading, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._stage = stage
        self._heads = self._count_heads()
        self._layers = self._count_layers()
        bench.selection.head_changed.connect(self._show_head)
        px = bench.appearance.px
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(px(3))
        line = QWidget()
        top = FlowLayout(line, horizontal=px(24), vertical=px(4))
        self._title = mark(QLabel(), role="title")
        top.addWidget(self._title)
        layout.addWidget(line)
        self._add_layers(top)
        self._add_heads(top)
        sentence = mark(QLabel(heading.sentence), role="subtitle")
        assert isinstance(sentence, QLabel)
        sentence.setWordWrap(True)
        sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        layout.addWidget(sentence)
        block = block_of(stage.name, list(bench.document.state.model.blocks()))
        self.switches: SwitchBar | None = None
        if block and heading.switches:
            self.switches = SwitchBar(bench, block, heading.switches, heading.more)
            layout.addSpacing(px(5))
            layout.addWidget(self.switches)
        self._show_head()

    def fit(self, room: int) -> None:
        """Let a title that is longer than so many pixels take two lines."""
        assert isinstance(self._title, QLabel)
        self._title.ensurePolished()
        longer = self._title.fontMetrics().horizontalAdvance(self._title.text()) > room
        least = max(room, 0) if longer else 0
        if (longer, least) != (self._title.wordWrap(), self._title.minimumWidth()):  # or the page is laid out anew
            self._title.setWordWrap(longer)
            self._title.setMinimumWidth(least)

    def refresh(self) -> None:
        """Follow a change of the model."""
        if self.switches is not None:
            self.switches.refresh()

    def _count_heads(self) -> int:
        graph = self._bench.document.engine.graph
        return max((graph.n_heads(n.name) or 0 for n in graph.nodes.values() if n.stage == self._stage.name), default=0)

    def _count_layers(self) -> int:
        numbered = re.match(r"(encoder|decoder)\.\d+\.", self._stage.name)
        if not numbered:
            return 0
        kind = numbered[1]
        stages = self._bench.document.engine.graph.stages
        return len({stage.name.split(".")[1] for stage in stages if stage.name.startswith(f"{kind}.")})

    def _add_layers(self, line: FlowLayout) -> None:
        if self._layers < 2:
            return
        kind, number, rest = self._stage.name.split(".", 2)
        go_to = self._bench.selection.go_to
        titles = [str(i + 1) for i in range(self._layers)]
        self._choice(line, "Layer", titles, lambda i: go_to(f"{kind}.{i + 1}.{rest}"))(int(number) - 1)

    def _add_heads(self, line: FlowLayout) -> None:
        self._show_chosen: Callable[[int], None] | None = None
        if self._heads > 1:
            titles = [*(str(i + 1) for i in range(self._heads)), "averaged"]
            set_head = self._bench.selection.set_head
            self._show_chosen = self._choice(line, "Head", titles, lambda i: set_head(i if i < self._heads else None))

    def _choice(
        self, line: FlowLayout, what: str, titles: list[str], choose: Callable[[int], None]
    ) -> Callable[[int], None]:
        """A choice beside the title: buttons, or a list where there are too many. Returns what shows the chosen one."""
        pair = QWidget()
        layout = QHBoxLayout(pair)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self._bench.appearance.px(8))
        layout.addWidget(mark(QLabel(what), role="muted"), 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(pair)
        if len(titles) * self._bench.appearance.scale > MOST_BUTTONS:
            box = ComboBox()
            box.addItems(titles)
            box.setAccessibleName(what)
            box.setToolTip(f"{what} to look at")
            box.activated.connect(choose)
            layout.addWidget(box)
            return box.setCurrentIndex
        segments = Segments(titles, what)
        segments.group.idClicked.connect(choose)
        layout.addWidget(segments)
        return segments.choose

    def _show_head(self) -> None:
        stage = self._stage
        averaged = self._bench.selection.averaged
        chosen = min(self._bench.selection.head, self._heads - 1)
        if self._show_chosen is not None:
            self._show_chosen(self._heads if averaged else chosen)
        head = "" if self._heads < 2 else ", heads averaged" if averaged else f", head {chosen + 1}"
        within = stage.group.split()[0] in ("Encoder", "Decoder", "Layer", "Source", "Target")
        assert isinstance(self._title, QLabel)
        self._title.setText(f"{stage.group}: {stage.title}{head}" if within else f"{stage.title}{head}")
