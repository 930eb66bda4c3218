"""The page as a whole: its parts, the links to them, theme and scale, and that nothing heavy is imported before."""

import sys
from dataclasses import replace
from threading import Event
from time import sleep

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QComboBox, QLineEdit, QSpinBox

from explorer.core.progress import Progress
from explorer.document.commands import SetCells
from explorer.pages.element import leaves
from explorer.pages.page import Listing
from explorer.pages.words.card import ForWords
from explorer.ui.widgets.labels import Label
from explorer.words.vectors import Vectors
from tests.pages.words.conftest import small
from tests.ui.conftest import PATIENCE_S
from tests.ui.words.conftest import is_there, on, still


def test_each_part_is_led_to_each_control_is_named_and_nothing_is_wider_than_the_window(tab, hand, eye, qtbot):
    """A newcomer took "Words" for the words of the open model: what it is about is said below its title."""
    said = next(label for label in tab.findChildren(Label) if "lists of numbers, their vectors" in label.text())
    assert said.isVisible()
    assert said.y() < tab._bar.y()
    for kind in (QAbstractButton, QComboBox, QLineEdit, QSpinBox):
        for widget in tab.findChildren(kind):
            if widget.objectName().startswith("qt_") or widget.parent().inherits("QAbstractItemView"):
                continue
            if isinstance(widget.parent(), QSpinBox):
                continue
            assert widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()), widget
            assert widget.toolTip(), widget.accessibleName() or widget.text()
    for view in tab.cards:
        hand.click(eye.by_name(tab, f"Go to: {view.card.title}"))
        top = view.mapTo(tab, view.rect().topLeft()).y()
        assert -5 <= top < tab.height(), view.card.title
        assert view.width() <= tab._area.viewport().width(), view.card.title
    assert tab._area.horizontalScrollBar().maximum() == 0
    first, second = (tab.view(tab.state.cards[name]) for name in ("neighbours", "odd"))
    assert first.y() == second.y(), "where there is room they stand beside each other"
    tab.window().resize(900, 640)
    qtbot.waitUntil(lambda: still(tab) and first.y() < second.y())
    assert first.width() == second.width()


def test_cards_keep_their_size_until_their_widgets_are_made_anew_and_one_that_is_acted_on_is_at_once(
    tab, appearance, qtbot
):
    """To lay out all of them in larger letters, only to throw their widgets away, held the event loop for 90 ms."""
    appearance.changed.connect(tab.restyle)
    before = [view.size() for view in tab.cards]
    card, field = tab.state.cards["lookup"], on(tab, "lookup", "words field")
    appearance.set_scale(2.0)
    for view, size in zip(tab.cards, before, strict=True):
        assert view.size_at(view.width()) == view.size().toTuple() == size.toTuple()
    assert not tab._area.updatesEnabled(), "what goes would be painted in another look"
    tab._do(ForWords("type", "cat", "lookup", "words"), field)
    assert on(tab, "lookup", "words field") is not field, "its sizes are those of the other letters"
    assert tab.view(card) not in tab._stale
    qtbot.waitUntil(lambda: is_there(tab))
    qtbot.waitUntil(lambda: still(tab))
    assert tab._area.updatesEnabled()
    shown = [(view.height(), size.height()) for view, size in zip(tab.cards, before, strict=True) if view.isVisible()]
    assert all(now > then for now, then in shown)


def test_in_another_theme_and_text_scale_keys_place_and_line_stay(tab, appearance, qtbot):
    appearance.changed.connect(tab.restyle)
    analogy, bar = tab.view(tab.state.cards["analogy"]), tab._area.verticalScrollBar()
    on(tab, "analogy", "b field").edit.setFocus()
    bar.setValue(bar.maximum() // 2)
    before, high = on(tab, "analogy", "b field"), on(tab, "lookup", "strips").height()
    appearance.set_mode("dark")
    appearance.set_scale(3.0)
    qtbot.waitUntil(lambda: is_there(tab) and on(tab, "analogy", "b field") is not before)
    assert bar.value() == pytest.approx(bar.maximum() / 2, rel=0.01)
    assert on(tab, "map", "map").backgroundBrush().color().name() == appearance.theme.surface
    QTest.keyClicks(QApplication.focusWidget(), "x")
    assert on(tab, "analogy", "b field").edit.text().count("x") == 1
    qtbot.waitUntil(lambda: on(tab, "lookup", "strips").height() > high)
    assert not tab.grab().isNull()
    name = next(one.id for element in analogy.elements.elements for one in leaves(element) if isinstance(one, Listing))
    line = on(tab, "analogy", name)
    line.setFocus()
    line.setCurrentIndex(line.table.index(1, 0))
    appearance.set_scale(2.0)
    qtbot.waitUntil(lambda: is_there(tab) and on(tab, "analogy", name) is not line and still(tab))
    assert on(tab, "analogy", name).currentIndex().row() == 1
    assert QApplication.focusWidget() is on(tab, "analogy", name)
    tab.window().resize(820, 600)  # the room beside a lesson
    qtbot.waitUntil(lambda: still(tab) and tab._area.horizontalScrollBar().maximum() == 0)
    assert tab._area.viewport().width() < 820


def test_while_it_reads_the_keys_stay_with_whoever_types_and_to_close_it_stops_its_thread(tab, qtbot, monkeypatch):
    """Who types nowhere has them again on the button that was pressed."""
    read, choice = Event(), on(tab, "vectors", "choice")
    monkeypatch.setattr("explorer.words.catalogue.load", lambda name, report: read.wait(PATIENCE_S) and small())
    for goes in (True, False):
        read.clear()
        on(tab, "vectors", "open").setFocus()
        tab.bench.selection.asked.emit(ForWords("choose", "books", "vectors"), choice)
        if goes:
            on(tab, "analogy", "a field").setFocus()
        read.set()
        qtbot.waitUntil(lambda: is_there(tab))
        kept = on(tab, "analogy", "a field").edit if goes else on(tab, "vectors", "open")
        assert QApplication.focusWidget() is kept

    begun, stopped, usual = Event(), Event(), sys.getswitchinterval()

    def endless(report):
        begun.set()
        try:
            while True:
                report(Progress("parsing", 1, 10))
                sleep(0.001)
        finally:
            stopped.set()

    tab.state.cards["vectors"].start(endless, "Reading")
    assert begun.wait(PATIENCE_S)
    shiboken6.delete(tab)
    assert stopped.wait(PATIENCE_S)
    qtbot.waitUntil(lambda: sys.getswitchinterval() == usual)


def test_cosines_that_are_clicked_while_other_vectors_come_are_not_worked_out(tab):
    asks = {}
    for card in ("analogy", "odd", "matrix"):
        view = tab.view(tab.state.cards[card])
        lists = [one for one in view.elements.elements for one in leaves(one) if isinstance(one, Listing)]
        asks[view] = next(one.leads for line in reversed(lists[0].lines) for one in line.entries if one.leads)
    tab.state.load(Vectors.of("two", ("a", "b"), np.eye(2)))
    for view, one in asks.items():
        tab.bench.selection.asked.emit(replace(one, act="cosine"), view)
        assert tab.state.cards["cosine"].asker is None


def top_of(tab, kind):
    """How many pixels below the upper edge of what is in sight a part begins."""
    return tab.view(tab.state.cards[kind]).mapTo(tab._area.viewport(), QPoint()).y()


def test_what_a_step_speaks_of_comes_into_sight_once_and_whoever_scrolls_is_not_brought_back(open_tab, qtbot):
    """It was looked up, and stood two screens further down."""
    tab = open_tab(wait=False)
    tab.speak_of("prince - king + queen")
    qtbot.waitUntil(lambda: is_there(tab))
    qtbot.waitUntil(lambda: still(tab) and 0 <= top_of(tab, "analogy") < 20)
    analogy = tab.state.cards["analogy"]
    qtbot.waitUntil(lambda: analogy.result is not None)
    assert [field.text for field in analogy.abc] == ["prince", "king", "queen"]
    tab.speak_of("river")
    assert tab.state.word == "river"
    qtbot.waitUntil(lambda: still(tab) and 0 <= top_of(tab, "neighbours") < 20)
    bar = tab._area.verticalScrollBar()
    stood = bar.value()
    tab.speak_of("zebra")  # these vectors do not have it
    assert (tab.state.word, bar.value()) == ("river", stood)
    tab.speak_of("river")
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    tab.state.go_to("boat")  # a row more, above what was spoken of
    qtbot.waitUntil(lambda: still(tab))
    assert bar.value() == 0


def test_the_models_own_table(tab, qtbot):
    card, document = tab.state.cards["vectors"], tab.bench.document
    choice = on(tab, "vectors", "choice").control
    place = choice.findText("This model's own input.table")
    choice.setCurrentIndex(place)
    choice.activated.emit(place)
    assert list(tab.state.vectors.words) == list(document.engine.labels("input.words"))
    document.do(SetCells("input.table", {(0, 0): 7.5}))
    qtbot.waitUntil(lambda: tab.state.vectors.array[0, 0] == 7.5)
    assert card.table == "input.table"
    tab.hide()
    document.do(SetCells("input.table", {(0, 0): 9.5}))
    tab.bench.bridge.flush()
    assert tab.state.vectors.array[0, 0] == 7.5  # nobody sees it
    tab.show()
    assert tab.state.vectors.array[0, 0] == 9.5
