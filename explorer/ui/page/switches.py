"""The switches of a block: the choices that references, papers and practice make differently."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget

from explorer.core.switches import SWITCHES, Switch, SwitchValue
from explorer.lessons.symbols import names_text
from explorer.pages.gestures import Switch as SwitchTo
from explorer.pages.page import Switches
from explorer.ui.page.gestures import perform
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import ComboBox, SpinBox
from explorer.ui.widgets.layouts import FlowLayout, row_in
from explorer.ui.widgets.names import NamedBox, set_names
from explorer.ui.workbench import Workbench


class SwitchBar(QWidget):
    """A control for each switch, "More switches", and "Set everywhere" if the model has several such blocks."""

    opened = Signal(bool)

    def __init__(self, bench: Workbench, switches: Switches, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.switches = switches  # what is shown
        self._controls: dict[str, QWidget] = {}
        px = bench.appearance.px
        self._flow = flow = FlowLayout(self, horizontal=px(14), vertical=px(4))
        for name, _ in switches.values:
            flow.addWidget(self._line(name))
        self._rest: list[QWidget] = []
        """The lines behind "More switches", made when they are first asked for."""
        self.more = QPushButton(self)
        self.more.setVisible(bool(switches.more))
        if switches.more:
            mark(self.more, link="true")
            self.more.setCheckable(True)
            self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.more.setToolTip("Heads, sizes, biases and the like")
            self.more.toggled.connect(self._show_rest)
            self.more.toggled.connect(self.opened)
            flow.addWidget(self.more)
        self._everywhere = QCheckBox("Set everywhere", self)
        self._everywhere.setToolTip(f"Set a switch in all {switches.several} blocks like this")
        if switches.several > 1:
            flow.addWidget(self._everywhere)
        self._show_rest(False)
        self.tell(switches)

    def _show_rest(self, on: bool) -> None:
        self.more.setText("Fewer switches" if on else "More switches")
        if on and not self._rest:
            self._make_rest()
        for line in self._rest:
            line.setVisible(on)
        self._everywhere.setVisible(self.switches.several > 1 and (on or not self.switches.more))

    def _make_rest(self) -> None:
        self._flow.removeWidget(self._everywhere)
        before: QWidget = self.more
        for name, _ in self.switches.more:
            line = self._line(name)
            self._rest.append(line)
            self._flow.addWidget(line)
            self.setTabOrder(before, self._controls[name])
            before = self._controls[name]
        if self.switches.several > 1:
            self._flow.addWidget(self._everywhere)
            self.setTabOrder(before, self._everywhere)
        self.tell(self.switches)

    def tell(self, switches: Switches) -> None:
        """Show the present values of the switches."""
        self.switches = switches
        values = dict((*switches.values, *switches.more))
        for name, control in self._controls.items():
            value = values[name]
            with QSignalBlocker(control):
                match control:
                    case QCheckBox():
                        control.setChecked(bool(value))
                    case QComboBox():
                        control.setCurrentIndex(control.findData(str(value)))
                    case QSpinBox():
                        control.setValue(int(value))
                    case QLineEdit() if not control.isModified():  # what is being typed stays
                        control.setText(f"{value:g}".replace("e-0", "e-"))

    def _line(self, name: str) -> QWidget:
        switch: Switch = SWITCHES[self.switches.kind][name]
        block = self.switches.block
        line = QWidget(self)
        layout = row_in(line, spacing=self._bench.appearance.px(5))
        control: Any
        if isinstance(switch.default, bool):
            control = NamedBox(switch.title, line)
            control.toggled.connect(lambda on: self._set(name, on))
        else:
            label = mark(QLabel(set_names(switch.title), line), role="small")
            layout.addWidget(label)
            if switch.choices:
                control = ComboBox()
                for choice in switch.choices:
                    control.addItem(_said(choice), choice)
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
        control.setAccessibleName(f"{switch.title} of {block}")
        allowed = ", ".join(map(_said, switch.choices)) or switch.allowed
        control.setToolTip(f"{block}.{name}: {allowed}")
        layout.addWidget(control)
        self._controls[name] = control
        return line

    def _typed(self, name: str, edit: QLineEdit) -> None:
        # The text may have fewer digits than the number: unless it was edited, the number must not be rounded.
        if edit.isModified():
            edit.setModified(False)
            self._set(name, edit.text())

    def _set(self, name: str, value: SwitchValue) -> None:
        everywhere = self._everywhere.isChecked() and not self._everywhere.isHidden()
        asked = SwitchTo(self.switches.block, name, value, everywhere)
        if not perform(self._bench, asked, self._controls[name]):
            self.tell(self.switches)


def _said(choice: str) -> str:
    """A choice as it is written in a list, which takes plain text only."""
    return names_text(choice.replace("sqrt(d_k)", "√d_k"))
