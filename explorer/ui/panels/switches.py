"""All switches of all blocks: also those whose stage a switch has taken away."""

from PySide6.QtWidgets import QLabel

from explorer.core.switches import SWITCHES
from explorer.ui.panels.panel import Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.switch_bar import SwitchBar


class SwitchesPanel(Panel):
    """A row of switches for each block, in reading order."""

    def build(self) -> None:
        self._bars = []
        for block, kind in self.bench.document.state.model.blocks().items():
            self.page.addWidget(mark(QLabel(block), role="strong"))
            bar = SwitchBar(self.bench, block, tuple(SWITCHES[kind]))
            self._bars.append(bar)
            self.page.addWidget(bar)

    def structure(self) -> tuple[object, ...]:
        return tuple(self.bench.document.state.model.blocks().items())

    def _refresh(self) -> None:
        super()._refresh()
        for bar in self._bars:
            bar.refresh()
