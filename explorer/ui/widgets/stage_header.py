"""Above every stage: its title, what happens there, the layer and head that all panels look at, and its switches."""

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.node import Stage
from explorer.ui.panels.registry import REGISTRY
from explorer.ui.theme import mark
from explorer.ui.widgets.segments import Segments
from explorer.ui.widgets.switch_bar import SwitchBar, block_of
from explorer.ui.workbench import Workbench


class StageHeader(QWidget):
    """The head of the page.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._layout = QVBoxLayout(self)
        self.switches: SwitchBar | None = None
        self._stage: Stage | None = None
        self._heads = self._layers = 0
        self._more = False
        bench.selection.head_changed.connect(self._retitle)

    def show_stage(self, stage: Stage) -> None:
        """Write the head of a stage."""
        self._stage = stage
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        px = self._bench.appearance.px
        self._layout.setContentsMargins(px(28), px(16), px(20), px(6))
        self._layout.setSpacing(px(3))
        entry = REGISTRY[stage.kind]
        top = QWidget()
        line = QHBoxLayout(top)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(px(8))
        self._title = mark(QLabel(), role="title")
        line.addWidget(self._title)
        line.addStretch()
        self._add_layers(line, stage)
        self._add_heads(line, stage)
        self._layout.addWidget(top)
        sentence = mark(QLabel(entry.sentence), role="subtitle")
        assert isinstance(sentence, QLabel)
        sentence.setWordWrap(True)
        sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._layout.addWidget(sentence)
        block = block_of(stage.name, list(self._bench.document.state.model.blocks()))
        self.switches = SwitchBar(self._bench, block, entry.switches, entry.more) if block and entry.switches else None
        if self.switches is not None:
            self.switches.more.setChecked(self._more)
            self.switches.opened.connect(self._remember)
            self._layout.addWidget(self.switches)
        self._retitle()

    def _remember(self, more: bool) -> None:
        self._more = more

    def refresh(self) -> None:
        """Follow a change of the model."""
        if self.switches is not None:
            self.switches.refresh()
        if self._stage is not None and (self._heads, self._layers) != (self._count_heads(), self._count_layers()):
            self.show_stage(self._stage)

    def _count_heads(self) -> int:
        graph = self._bench.document.engine.graph
        if self._stage is None or self._stage.kind != "attention":
            return 0
        return max((graph.n_heads(n.name) or 0 for n in graph.nodes.values() if n.stage == self._stage.name), default=0)

    def _count_layers(self) -> int:
        numbered = re.match(r"(encoder|decoder)\.\d+\.", self._stage.name) if self._stage else None
        if not numbered:
            return 0
        kind = numbered[1]
        stages = self._bench.document.engine.graph.stages
        return len({stage.name.split(".")[1] for stage in stages if stage.name.startswith(f"{kind}.")})

    def _add_layers(self, line: QHBoxLayout, stage: Stage) -> None:
        self._layers = self._count_layers()
        if self._layers < 2:
            return
        kind, number, rest = stage.name.split(".", 2)
        self._line_of(line, "Layer", self._layers, int(number) - 1, lambda i: self._go(f"{kind}.{i + 1}.{rest}"))

    def _add_heads(self, line: QHBoxLayout, stage: Stage) -> None:
        self._heads = self._count_heads()
        if self._heads < 2:
            return
        chosen = min(self._bench.selection.head, self._heads - 1)
        self._line_of(line, "Head", self._heads, chosen, self._bench.selection.set_head)

    def _line_of(self, line: QHBoxLayout, what: str, count: int, chosen: int, choose: object) -> None:
        line.addWidget(mark(QLabel(what), role="muted"), 0, Qt.AlignmentFlag.AlignVCenter)
        segments = Segments([str(i + 1) for i in range(count)], what)
        segments.choose(chosen)
        segments.group.idClicked.connect(choose)
        line.addWidget(segments)

    def _go(self, stage: str) -> None:
        self._bench.selection.go_to(stage)

    def _retitle(self) -> None:
        if self._stage is None:
            return
        stage = self._stage
        head = f", head {min(self._bench.selection.head, self._heads - 1) + 1}" if self._heads > 1 else ""
        where = (
            f"{stage.group}: " if stage.group.split()[0] in ("Encoder", "Decoder", "Layer", "Source", "Target") else ""
        )
        assert isinstance(self._title, QLabel)
        self._title.setText(f"{where}{stage.title}{head}")
