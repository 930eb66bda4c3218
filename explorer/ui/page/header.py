"""The head of every page: title, sentence, the choice of the layer and head that all pages show, and the switches."""

from html import escape
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.pages.by_hand import LAYOUT
from explorer.pages.compose import controls_of, values_said
from explorer.pages.controls import Switches
from explorer.pages.element import Element
from explorer.pages.page import Header
from explorer.ui.page.controls import CONTROLS
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import WordsBeside, rich
from explorer.ui.widgets.inputs import PushButton, tab_through
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.workbench import Workbench


class SwitchBar(QWidget):
    """The controls of switches, on as many lines as they need."""

    def __init__(self, bench: Workbench, switches: Switches, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self._shown = bench, dict[str, Element]()
        self.controls: dict[str, Any] = {}
        """The widget of each control, by the id of its element, in reading order."""
        self._flow = FlowLayout(self, horizontal=bench.appearance.px(14), vertical=bench.appearance.px(4))
        self.tell(switches)

    def tell(self, switches: Switches) -> bool:
        """Show the present values, and the switches that are unfolded; returns whether other controls are shown."""
        self.switches = switches  # what is shown
        was, self._shown = self._shown, {one.id: one for one in controls_of(switches)}
        wanted = self._shown.keys() - self.controls.keys()
        for id, one in self._shown.items():
            if id in wanted:
                self.controls[id] = CONTROLS[type(one)](self._bench, one, self)
            elif one != was.get(id):
                self.controls[id].tell(one)
        if wanted:
            self.controls = {id: self.controls[id] for id in (*self._shown, *self.controls.keys() - self._shown)}
            for widget in self.controls.values():
                self._flow.removeWidget(widget)
                self._flow.addWidget(widget)
            tab_through(*self.controls.values())
        for id, widget in self.controls.items():
            widget.setVisible(id in self._shown)
        return was.keys() != self._shown.keys()


class HeaderView(QWidget):
    """The head of a page."""

    def __init__(self, bench: Workbench, header: Header, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._header = header
        px = bench.appearance.px
        layout = column_in(self, spacing=px(3))
        line = QWidget(self)
        line.setObjectName("titleLine")
        top = FlowLayout(line, horizontal=px(8), vertical=px(4))
        self._crumbs = self._way_back(bench, header, line) if header.crumbs else None
        if self._crumbs is not None:
            top.addWidget(self._crumbs)
        self._title = WordsBeside(role="title", parent=line)
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
        if self.switches is not None and (said := values_said(self.switches.switches)):
            layout = self.layout()
            assert layout is not None
            layout.addWidget(Label(said, "small", self))

    def _show_title(self) -> None:
        """Show the short title: the crumbs before it name the stage around it, the choices after it the head."""
        self._title.setText(self._header.short or self._header.title)
        self._title.setAccessibleName(self._header.title)

    def fit(self, room: int, low: bool = False) -> None:
        """Take a form for a page `room` pixels wide; on a low page, hide the switches behind a button."""
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
        self._title.setMaximumWidth(max(room, 0))  # even if something else makes the page wider than what is in sight
        self._let_follow_switches(room)
