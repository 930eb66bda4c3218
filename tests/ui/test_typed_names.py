"""No name of a quantity reaches the screen as it is typed: W_O and d_k are set, with a true index."""

import re

import pytest
from PySide6.QtWidgets import QComboBox, QWidget

from explorer.pages.compose import MORE
from explorer.ui.widgets import tree
from explorer.ui.widgets.names import NamedItems
from explorer.ui.window.top_bar import TABS
from tests.ui.conftest import lesson_of

TYPED = re.compile(r"(?<![\w.“])[A-Za-zα-ω]_[A-Za-z0-9(]")
"""Not in an address of a node, such as encoder.1.self.W_Q, which is what one types to go there."""


@pytest.fixture
def heard(monkeypatch):
    """The pieces of text that are painted, each by itself: a name that is set comes in three."""
    pieces, draw = [], tree._Listener.drawTextItem

    def drawTextItem(self, at, item):  # Qt calls it so
        pieces.append(item.text())
        draw(self, at, item)

    monkeypatch.setattr(tree._Listener, "drawTextItem", drawTextItem)
    return pieces


def said(window, heard):
    """What the window shows, offers in lists, and says of what is pointed at."""
    heard.clear()
    assert list(tree.written_in(window))
    yield from heard
    for widget in (one for one in tree.inside(window, QWidget) if one.isVisible()):
        yield re.sub("<[^>]*>", "", widget.toolTip()) if "<sub>" not in widget.toolTip() else ""
        if isinstance(widget, QComboBox) and not isinstance(widget.itemDelegate(), NamedItems):
            yield from (widget.itemText(i) for i in range(widget.count()))


def test_each_name_on_each_kind_of_page_is_set(open_window, eye, heard):
    window, seen = open_window(), set()
    for example in ("you-are-welcome", "two-vectors", "xor", "changed-since-2017"):
        window.bench.open(lesson_of(example))
        kinds = {stage.kind: stage.name for stage in reversed(window.bench.selection.places)}
        look_at_names(window, eye, heard, [stage for kind, stage in kinds.items() if kind not in seen])
        seen |= kinds.keys()


def look_at_names(window, eye, heard, stages):
    for stage in stages:
        eye.go_to(window, stage)
        switches = window.page().header.switches
        if switches is not None and MORE in switches.controls:
            switches.controls[MORE].click()
        assert [text for text in said(window, heard) if TYPED.search(text)] == [], stage


def test_each_name_on_each_tab_is_set(open_window, eye, heard):
    window = open_window("you-are-welcome")
    for tab in TABS[1:]:
        window.show_tab(tab)
        eye.settle(window)
        assert [text for text in said(window, heard) if TYPED.search(text)] == [], tab


def test_a_name_that_is_typed_would_be_found(open_window, heard):
    window = open_window("you-are-welcome")
    window.top_bar.title.setText("W_O")
    window.top_bar.title.setToolTip("through d_k")
    assert {text for text in said(window, heard) if TYPED.search(text)} == {"W_O", "through d_k"}
