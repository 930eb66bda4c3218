"""The page as a whole: its parts, the links to them, theme and scale, and that nothing heavy is imported before."""

import sys
from threading import Event
from time import sleep

import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QSpinBox

from explorer.ui.words.analogy import AnalogyCard
from explorer.ui.words.map_card import MapCard
from explorer.ui.words.neighbours import NeighboursCard
from explorer.ui.words.strips import LookupCard
from explorer.words.progress import Progress
from tests.ui.conftest import PATIENCE_S
from tests.ui.words.conftest import still


def test_a_link_leads_to_each_part(tab, hand, eye):
    for card in tab.cards:
        hand.click(eye.by_name(tab, f"Go to: {card.title}"))
        top = card.mapTo(tab, card.rect().topLeft()).y()
        assert -5 <= top < tab.height(), card.title


def test_each_control_has_a_name_and_a_tooltip(tab):
    for kind in (QAbstractButton, QComboBox, QLineEdit, QSpinBox):
        for widget in tab.findChildren(kind):
            if widget.objectName().startswith("qt_") or widget.parent().inherits("QAbstractItemView"):
                continue
            if isinstance(widget.parent(), QSpinBox):
                continue
            assert widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()), widget
            assert widget.toolTip(), widget.accessibleName() or widget.text()


def test_theme_and_scale(tab, appearance, qtbot):
    appearance.changed.connect(tab.restyle)
    appearance.set_mode("dark")
    before = tab.card(LookupCard).strips.height()
    appearance.set_scale(1.5)
    qtbot.waitUntil(lambda: tab.card(LookupCard).strips.height() > before)
    assert not tab.grab().isNull()
    assert tab.card(MapCard).map.backgroundBrush().color().name() == appearance.theme.surface
    appearance.set_scale(1.0)


def test_1280_by_720_holds_every_card(tab):
    area = tab._area
    for card in tab.cards:
        assert card.width() <= area.viewport().width(), card.title
    assert area.horizontalScrollBar().maximum() == 0


def test_a_tab_that_closes_while_it_reads_stops_its_thread(tab, qtbot):
    begun, stopped, usual = Event(), Event(), sys.getswitchinterval()

    def endless(report):
        begun.set()
        try:
            while True:
                report(Progress("parsing", 1, 10))
                sleep(0.001)
        finally:
            stopped.set()

    tab.vectors_card.start(endless, "Reading")
    assert begun.wait(PATIENCE_S)
    shiboken6.delete(tab)
    assert stopped.wait(PATIENCE_S)
    qtbot.waitUntil(lambda: sys.getswitchinterval() == usual)


def top_of(tab, kind):
    """How many pixels below the upper edge of what is in sight a part begins."""
    return tab.card(kind).mapTo(tab._area.viewport(), QPoint()).y()


def test_what_a_step_speaks_of_comes_into_sight_once_it_is_there(open_tab, qtbot):
    """It was looked up, and stood two screens further down."""
    tab = open_tab(wait=False)
    tab.speak_of("prince - king + queen")
    qtbot.waitUntil(lambda: tab.state.vectors is not None and len(tab.cards) == 11)
    qtbot.waitUntil(lambda: still(tab) and 0 <= top_of(tab, AnalogyCard) < 20)
    analogy = tab.card(AnalogyCard)
    qtbot.waitUntil(lambda: bool(analogy.list.found))
    assert [field.edit.text() for field in analogy.fields] == ["prince", "king", "queen"]
    tab.speak_of("river")
    assert tab.state.word == "river"
    qtbot.waitUntil(lambda: still(tab) and 0 <= top_of(tab, NeighboursCard) < 20)


def test_whoever_scrolls_is_not_brought_back_to_what_a_step_speaks_of(tab, qtbot):
    tab.speak_of("river")
    bar = tab._area.verticalScrollBar()
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    tab.state.go_to("boat")  # a row more, above what was spoken of
    qtbot.waitUntil(lambda: still(tab))
    assert bar.value() == 0


def test_words_that_the_vectors_do_not_have_are_not_looked_up(tab):
    before = tab.state.word
    tab.speak_of("zebra")
    assert tab.state.word == before
    assert tab._area.verticalScrollBar().value() == 0
