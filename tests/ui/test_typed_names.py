"""
What holds on each kind of page and on each tab, which one walk goes through.

A page is what its data say, and no word of it is cut. No name of a quantity reaches the screen as it is typed: W_O and
d_k are set, with a true index. Every control has a name and a tooltip. No picture swallows a file that is dropped on
it.
"""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget

from explorer.pages.compose import MORE
from explorer.pages.levels import stops
from explorer.ui.widgets import written
from explorer.ui.widgets.names import NamedItems
from explorer.ui.widgets.tree import inside
from explorer.ui.window.top_bar import TABS
from tests.examples import SMALL
from tests.ui.conftest import lesson_of
from tests.ui.page.test_page_view import wrong
from tests.ui.test_accessibility import controls, nameless
from tests.ui.test_files import event_of

TYPED = re.compile(r"(?<![\w.“])[A-Za-zα-ω]_[A-Za-z0-9(]")
"""Not in an address of a node, such as encoder.1.self.W_Q, which is what one types to go there."""


@pytest.fixture
def heard(monkeypatch):
    """The pieces of text that are painted, each by itself: a name that is set comes in three."""
    pieces, draw = [], written._Listener.drawTextItem

    def drawTextItem(self, at, item):  # Qt calls it so
        pieces.append(item.text())
        draw(self, at, item)

    monkeypatch.setattr(written._Listener, "drawTextItem", drawTextItem)
    return pieces


def said(whole, heard):
    """What a window or a part of it shows, offers in lists, and says of what is pointed at."""
    heard.clear()
    assert list(written.written_in(whole))
    yield from heard
    for widget in (one for one in inside(whole, QWidget) if one.isVisible()):
        yield re.sub("<[^>]*>", "", widget.toolTip()) if "<sub>" not in widget.toolTip() else ""
        if isinstance(widget, QComboBox) and not isinstance(widget.itemDelegate(), NamedItems):
            yield from (widget.itemText(i) for i in range(widget.count()))


EXAMPLES = (
    "tiny-gpt",
    "you-are-welcome",
    "two-vectors",
    "xor",
    "changed-since-2017",
    "jump",
    "translation-lookup",
    "sin",
)
"""Which have all kinds of pages between them."""


def test_the_walk_comes_to_each_kind():
    kinds = [{stage.kind for stage in stops(lesson_of(one).state().graph)} for one in EXAMPLES]
    assert set().union(*kinds) == {stage.kind for one in SMALL for stage in stops(one.state().graph)} | {"why"}


def test_each_kind_of_page_is_its_data_cuts_no_word_sets_its_names_tells_its_controls_and_swallows_no_file(
    open_window, eye, heard, tmp_path
):
    """In the smallest usual window."""
    window, seen = open_window(size=(1024, 640)), set()
    (tmp_path / "mine.explorer").touch()
    for example in EXAMPLES:
        window.bench.open(lesson_of(example))
        graph = window.bench.document.state.graph
        pieces = [word for axis in graph.sequences.values() for word in graph.axes[axis]]
        whole = window  # what stands around the pages of an example is the same on all of them
        kinds = {stage.kind: stage.name for stage in reversed(window.bench.selection.places)}
        for stage in [stage for kind, stage in kinds.items() if kind not in seen]:
            page = eye.go_to(window, stage)
            assert page.isVisible()
            assert wrong(window) == [], stage
            assert eye.cut(page, pieces) == [], stage
            if page.header.switches is not None and MORE in page.header.switches.controls:
                page.header.switches.controls[MORE].click()
            assert [text for text in said(whole, heard) if TYPED.search(text)] == [], stage
            assert nameless(whole) == [], stage
            whole = window.area
            for widget in (one for one in page.findChildren(QWidget) if one.acceptDrops()):
                if not isinstance(widget, QLineEdit):  # words may be dropped there
                    enter, _data = event_of(QDragEnterEvent, tmp_path / "mine.explorer")
                    QApplication.sendEvent(widget, enter)
                    assert enter.dropAction() == Qt.DropAction.CopyAction, widget  # the window has seen it
                    QApplication.sendEvent(widget, QDragLeaveEvent())  # or Qt would send the next drop to what is gone
        seen |= kinds.keys()


def test_each_tab_sets_its_names_and_tells_its_controls(open_window, eye, qtbot, heard):
    window = open_window("you-are-welcome")
    for tab in TABS[1:]:
        window.show_tab(tab)
        eye.settle(window)
        qtbot.waitUntil(lambda: len(controls(window)) > 9)
        qtbot.waitUntil(lambda: nameless(window) == [])
        assert [text for text in said(window, heard) if TYPED.search(text)] == [], tab


def test_a_name_that_is_typed_would_be_found(open_window, heard):
    window = open_window("you-are-welcome")
    window.top_bar.title.setText("W_O")
    window.top_bar.title.setToolTip("through d_k")
    assert {text for text in said(window, heard) if TYPED.search(text)} == {"W_O", "through d_k"}
