"""The page as a whole: its parts, the links to them, theme and scale, and that nothing heavy is imported before."""

import subprocess
import sys
from threading import Event
from time import sleep

import shiboken6
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QSpinBox

from explorer.ui.words.map_card import MapCard
from explorer.ui.words.strips import LookupCard
from explorer.words.progress import Progress
from tests.ui.conftest import PATIENCE_S


def test_nothing_heavy_is_imported_with_the_tab():
    code = "import sys, explorer.ui.words.tab; print(sorted({'gensim', 'pyqtgraph', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


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
