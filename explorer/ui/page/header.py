"""The head of every page: title, sentence, the choice of the layer and head that all pages show, and the switches."""

from html import escape
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QLineEdit, QSizePolicy, QSpinBox, QWidget

from explorer.core.model import SWITCHES, Switch, SwitchValue
from explorer.lessons.symbols import names_text
from explorer.pages.compose import LAYOUT
from explorer.pages.gestures import Switch as SwitchTo
from explorer.pages.levels import block_title
from explorer.pages.page import Header, Switches
from explorer.ui.page.controls import CONTROLS
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import rich
from explorer.ui.widgets.inputs import ComboBox, PushButton, SpinBox
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout, column_in, row_in
from explorer.ui.widgets.names import NamedBox, set_names
from explorer.ui.workbench import Workbench


class SwitchBar(QWidget):
    """A control for each switch, "More switches", and "Set everywhere" if the model has several such blocks."""

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
        tip = "Heads, sizes, biases and the like"
        self.more = PushButton("More switches", None, tip, self, look="link", checkable=True)
        self.more.setVisible(bool(switches.more))
        if switches.more:
            flow.addWidget(self.more)
        self._everywhere = QCheckBox("Set everywhere", self)
        self._everywhere.setToolTip(f"Set a switch in all {switches.several} blocks like this")
        if switches.several > 1:
            flow.addWidget(self._everywhere)
        for box in (self.more, self._everywhere):
            self._stay(box)
        self._show_rest(self.more.isChecked())
        self.more.toggled.connect(self._show_rest)
        self.tell(switches)

    def _stay(self, box: QAbstractButton) -> None:
        """Let a box be ticked as it was before the page was built again."""
        selection, key = self._bench.selection, f"{self.switches.block}: {box.text()}"
        example = self._bench.lesson.id
        box.setChecked(selection.looking.choices.get(key) == example)
        box.toggled.connect(lambda on: selection.keep(key, example if on else ""))

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
        before, self.switches = self.switches, switches
        values = dict((*switches.values, *switches.more))
        for name, control in self._controls.items():
            value = values[name]
            with QSignalBlocker(control):
                match control:
                    case QCheckBox():
                        control.setChecked(bool(value))
                    case QComboBox():
                        if switches.width != before.width:
                            for i, choice in enumerate(SWITCHES[switches.kind][name].choices):
                                control.setItemText(i, self._said(choice))
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
            layout.addWidget(Label(switch.title, "small", line))
            if switch.choices:
                control = ComboBox()
                for choice in switch.choices:
                    control.addItem(self._said(choice), choice)
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
        control.setAccessibleName(f"{switch.title} in {block_title(self._bench.document.engine.graph, block)}")
        allowed = ", ".join(map(self._said, switch.choices)) or switch.allowed
        control.setToolTip(set_names(f"{switch.title}: {allowed}"))
        layout.addWidget(control)
        self._controls[name] = control
        return line

    def _said(self, choice: str) -> str:
        """A choice as it is written in a list, which takes plain text only."""
        return names_text(choice.replace("sqrt(d_k)", "√d_k").replace("d_k", self.switches.width))

    @property
    def said(self) -> str:
        """The values of the switches that are shown first, such as "Scale √d_k · Mask none"."""
        values = ((SWITCHES[self.switches.kind][name].title, value) for name, value in self.switches.values)
        said = ((title, value if isinstance(value, bool) else self._said(f"{value}")) for title, value in values)
        return " · ".join(
            title if value is True else f"{title}: {'off' if value is False else value}" for title, value in said
        )

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


class HeaderView(QWidget):
    """The head of a page."""

    def __init__(self, bench: Workbench, header: Header, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._header = header
        px = bench.appearance.px
        layout = column_in(self, spacing=px(3))
        line = QWidget(self)
        top = FlowLayout(line, horizontal=px(8), vertical=px(4))
        self._crumbs = self._way_back(bench, header, line) if header.crumbs else None
        if self._crumbs is not None:
            top.addWidget(self._crumbs)
        self._title = Label(role="title", parent=line)
        self._title.setCursor(Qt.CursorShape.WhatsThisCursor)
        self._show_title()
        top.addWidget(self._title)
        tip = "Show what can be switched here"
        self._brings = PushButton("Switches", None, tip, line, look="link", checkable=True)
        self._brings.toggled.connect(self._show_switches)
        self._brings.hide()
        top.addWidget(self._brings)
        self.choices: dict[str, Any] = {one.id: CONTROLS[type(one)](bench, one, line) for one in header.choices}
        for choice in self.choices.values():
            top.addWidget(choice)
        self._top, self._low = top, False
        layout.addWidget(line)
        self._theme = bench.appearance.theme
        self._sentence = Label(rich(header.sentence, self._theme), "subtitle", self)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._sentence.setWordWrap(True)  # after the policy: setting one forgets that the height depends on the width
        layout.addWidget(self._sentence)
        self.switches = SwitchBar(bench, header.switches, self) if header.switches is not None else None
        if self.switches is not None:
            layout.addSpacing(px(5))
            layout.addWidget(self.switches)

    def _way_back(self, bench: Workbench, header: Header, parent: QWidget) -> Label:
        """A label with links back to the stages around this one."""
        ink = bench.appearance.theme.muted
        parts = (
            f'<a href="{i}" style="color:{ink}; text-decoration:none">{escape(crumb.text)}</a> ▸'
            for i, crumb in enumerate(header.crumbs)
        )
        label = Label(" ".join(parts), "crumbs", parent)
        flag = Qt.TextInteractionFlag
        label.setTextInteractionFlags(flag.LinksAccessibleByMouse | flag.LinksAccessibleByKeyboard)
        label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        label.setAccessibleName(f"Back to {' or '.join(crumb.name for crumb in header.crumbs)}")
        label.linkActivated.connect(lambda at: perform(bench, header.crumbs[int(at)].asks, self))
        label.linkHovered.connect(lambda at: label.setToolTip(header.crumbs[int(at)].tip if at else ""))
        return label

    def tell(self, header: Header) -> None:
        """Show another header with the same controls."""
        was, self._header = self._header, header
        self._show_title()
        self._sentence.setText(rich(header.sentence, self._theme))
        for choice, before in zip(header.choices, was.choices, strict=True):
            if choice != before:
                self.choices[choice.id].tell(choice)
        if self.switches is not None and header.switches is not None and was.switches != header.switches:
            self.switches.tell(header.switches)

    def _show_switches(self, on: bool) -> None:
        if self.switches is not None:
            self.switches.setVisible(on)
        if LAYOUT in self.choices:
            self.choices[LAYOUT].setVisible(on)

    def _let_follow_switches(self, room: int) -> None:
        """Put "By hand" among the switches if the title's line is full, or it would take a line by itself."""
        if self.switches is None or LAYOUT not in self.choices:
            return
        layout = self.choices[LAYOUT]
        others = (self._crumbs, self._title, *self.choices.values())
        there = [one.sizeHint().width() + self._top.spacing() for one in others if one is not None]
        line, other = self._top, cast(FlowLayout, self.switches.layout())
        if sum(there) > room:
            line, other = other, line
        if layout not in line.widgets:
            other.removeWidget(layout)
            line.addWidget(layout)

    def print(self) -> None:
        """Have nothing that could be clicked; title and words say what it said: the layer, the head, the switches."""
        self._title.setText(self._header.title)
        for one in (self._crumbs, self._brings, *self.choices.values(), self.switches):
            if one is not None:
                one.hide()
        if self.switches is not None and self.switches.said:
            layout = self.layout()
            assert layout is not None
            layout.addWidget(Label(self.switches.said, "small", self))

    def _show_title(self) -> None:
        """Show the short title: the crumbs before it name the stage around it, the choices after it the head."""
        self._title.setText(self._header.short or self._header.title)
        self._title.setAccessibleName(self._header.title)

    def fit(self, room: int, low: bool = False) -> None:
        """Let a title wider than `room` pixels take two lines; on a low page, hide the switches behind a button."""
        if low != self._low:
            self._low = low
            self._sentence.setVisible(not low)
            if self._crumbs is not None:
                self._crumbs.setVisible(not low)
            if LAYOUT in self.choices:
                self.choices[LAYOUT].setVisible(not low)
            if self.switches is not None:
                self._brings.setVisible(low)
                self._brings.setChecked(False)
                self.switches.setVisible(not low)
        self._title.ensurePolished()
        self._let_follow_switches(room)
        longer = self._title.fontMetrics().horizontalAdvance(self._title.text()) > room
        least = max(room, 0) if longer else 0
        if (longer, least) != (self._title.wordWrap(), self._title.minimumWidth()):  # setting them lays out the page
            self._title.setWordWrap(longer)
            self._title.setMinimumWidth(least)
