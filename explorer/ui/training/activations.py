"""Which activation each layer of a net has."""

from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from explorer.core.switches import SWITCHES
from explorer.document.commands import SetSwitch
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import ComboBox
from explorer.ui.workbench import Workbench


class Activations(QWidget):
    """A choice for each layer of a net; nothing for other models."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.boxes: dict[str, ComboBox] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self.follow()
        self.restyle()

    def follow(self) -> None:
        """Show the layers that there are, and what they have."""
        model = self._bench.document.state.model
        layers = [block for block, kind in model.blocks().items() if kind == "layer"]
        if layers != list(self.boxes):
            while self._form.rowCount():
                self._form.removeRow(0)
            self.boxes = {block: self._choice(block) for block in layers}
        for block, box in self.boxes.items():
            box.setCurrentText(str(model.switch(block, "activation")))

    def _choice(self, block: str) -> ComboBox:
        title = f"Activation {block.rpartition('.')[2]}"
        box = ComboBox()
        box.addItems(list(SWITCHES["layer"]["activation"].choices))
        box.setAccessibleName(title)
        box.setToolTip(f"What {block} makes of its sums; it may change in mid-run")
        box.textActivated.connect(lambda text: self._bench.document.do(SetSwitch(block, "activation", text)))
        label = mark(QLabel(title), role="small")
        label.setMinimumHeight(box.sizeHint().height())
        self._form.addRow(label, box)
        return box

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._form.setHorizontalSpacing(px(10))
        self._form.setVerticalSpacing(px(5))
