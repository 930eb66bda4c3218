"""The switches of a block: what the references, the papers and practice decide differently."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.switches import SWITCHES, Switch, SwitchValue
from explorer.document.commands import SetSwitch
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import ComboBox, SpinBox
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench


class SwitchBar(QWidget):
    """A control for each of some switches of one block, and "Set everywhere" for blocks of which there are several.

    Parameters
    ----------
    bench : Workbench
    block : str
    names : sequence of str
        Which switches; those that the block lacks are left out.
    more : sequence of str
        Those that "More switches" brings.
    everywhere : bool
        Whether "Set everywhere" is offered.
    """

    opened = Signal(bool)

    def __init__(
        self,
        bench: Workbench,
        block: str,
        names: Sequence[str],
        more: Sequence[str] = (),
        everywhere: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self.block = block
        blocks = bench.document.state.model.blocks()
        self._kind = kind = blocks[block]
        self._controls: dict[str, QWidget] = {}
        px = bench.appearance.px
        flow = FlowLayout(self, horizontal=px(14), vertical=px(4))
        first, rest = (
            [(name, SWITCHES[kind][name]) for name in some if name in SWITCHES[kind]] for some in (names, more)
        )
        if not first:
            first, rest = rest, []  # nothing stands before them: they need not be asked for
        for name, switch in first:
            flow.addWidget(self._line(name, switch))
        self._rest = [self._line(name, switch) for name, switch in rest]
        self.more = QPushButton(self)
        self.more.setVisible(bool(self._rest))
        if self._rest:
            mark(self.more, link="true")
            self.more.setCheckable(True)
            self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.more.setToolTip("Heads, sizes, biases and the like")
            self.more.toggled.connect(self._show_rest)
            self.more.toggled.connect(self.opened)
            flow.addWidget(self.more)
        for line in self._rest:
            flow.addWidget(line)
        self._everywhere = QCheckBox("Set everywhere")
        self._everywhere.setToolTip(
            f"Set a switch in all {len([b for b in blocks if blocks[b] == kind])} blocks like this"
        )
        self._everywhere.setParent(self)
        self._several = everywhere and list(blocks.values()).count(kind) > 1 and bool(self._controls)
        if self._several:
            flow.addWidget(self._everywhere)
        self._show_rest(False)
        self.refresh()

    def _show_rest(self, on: bool) -> None:
        self.more.setText("Fewer switches" if on else "More switches")
        for line in self._rest:
            line.setVisible(on)
        self._everywhere.setVisible(self._several and (on or not self._rest))

    def refresh(self) -> None:
        """Show what the model has, or is to have as soon as it is computed."""
        document = self._bench.document
        model = document.wanted.model
        if model.blocks().get(self.block) != self._kind:
            model = document.state.model
        if model.blocks().get(self.block) != self._kind:
            return  # the block is gone, and so will be this bar
        for name, control in self._controls.items():
            value = model.switch(self.block, name)
            control.blockSignals(True)
            match control:
                case QCheckBox():
                    control.setChecked(bool(value))
                case QComboBox():
                    control.setCurrentIndex(control.findData(str(value)))
                case QSpinBox():
                    control.setValue(int(value))
                case QLineEdit():
                    control.setText(f"{value:g}".replace("e-0", "e-"))
            control.blockSignals(False)

    def _line(self, name: str, switch: Switch) -> QWidget:
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self._bench.appearance.px(5))
        control: Any
        if isinstance(switch.default, bool):
            control = QCheckBox(switch.title)
            control.toggled.connect(lambda on: self._set(name, on))
        else:
            label = mark(QLabel(switch.title), role="small")
            layout.addWidget(label)
            if switch.choices:
                control = ComboBox()
                for choice in switch.choices:
                    control.addItem(choice.replace("sqrt(d_k)", "√d_k"), choice)
                control.activated.connect(lambda i: self._set(name, switch.choices[i]))
            elif isinstance(switch.default, int):
                control = SpinBox(minimum=int(switch.least), maximum=int(switch.most))
                control.setKeyboardTracking(False)
                if not switch.default:
                    control.setSpecialValueText("auto")
                control.valueChanged.connect(lambda value: self._set(name, value))
            else:
                control = QLineEdit()
                control.setMaximumWidth(self._bench.appearance.px(80))
                control.editingFinished.connect(lambda: self._typed(name, control))
        control.setAccessibleName(f"{switch.title} of {self.block}")
        control.setToolTip(f"{self.block}.{name}: {switch.allowed}")
        layout.addWidget(control)
        self._controls[name] = control
        return line

    def _typed(self, name: str, edit: QLineEdit) -> None:
        # The text may have fewer digits than the number has: leaving it alone must not round.
        if edit.isModified():
            self._set(name, edit.text())

    def _set(self, name: str, value: SwitchValue) -> None:
        try:
            everywhere = self._everywhere.isChecked() and not self._everywhere.isHidden()
            self._bench.document.do(SetSwitch(self.block, name, value, everywhere))
        except ExplorerError as error:
            show_error(error, self._controls[name])
        self.refresh()


def block_of(stage: str, blocks: Sequence[str]) -> str | None:
    """The block that a stage belongs to: the longest one whose path the stage's name begins with."""
    found = [block for block in blocks if stage == block or stage.startswith(f"{block}.")]
    return max(found, key=len, default=None)
