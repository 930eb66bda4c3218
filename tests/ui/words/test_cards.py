"""What a hand and the keys do on the cards: fields, links of lists, strips of bars."""

from threading import Event

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QToolTip

from explorer.core.progress import Progress
from explorer.ui import words as tab_module
from explorer.ui.page.controls import LEAST
from tests.pages.words.conftest import small
from tests.ui.conftest import PATIENCE_S
from tests.ui.words.conftest import is_there, on, shown, still

WORD, COSINE = 1, 2  # columns of the words and of the cosines
NEAR = "Nearest words"


def cell(listing, row, column):
    return listing.visualRect(listing.table.index(row, column)).center()


def test_keys_and_clicks_on_dimensions_and_their_words(tab, enter, hand, qtbot):
    enter("lookup", "words", "king river")
    strips = on(tab, "lookup", "strips")
    tab.window().activateWindow()  # the list of completions took it
    qtbot.waitUntil(tab.window().isActiveWindow)
    left, wide = strips._bars()
    bar = QPoint(round(left + wide / 2), 10)
    hand.hover(strips, bar)
    assert on(tab, "lookup", "said").text() == "Dimension 1: king 2.000, river 0.000"
    QApplication.sendEvent(strips, QHelpEvent(QEvent.Type.ToolTip, bar, strips.mapToGlobal(bar)))
    qtbot.waitUntil(QToolTip.isVisible)
    assert QToolTip.text() == "king, dimension 1: 2.0"
    hand.away(tab.window())
    assert on(tab, "lookup", "said").text().startswith("Norm")
    strips.setFocus()
    QTest.keyClick(strips, Qt.Key.Key_Right)
    assert on(tab, "lookup", "said").text() == "Dimension 1: king 2.000, river 0.000"
    QTest.keyClick(strips, Qt.Key.Key_Right, delay=1)
    assert on(tab, "lookup", "said").text().startswith("Dimension 2: king 1.500")
    QTest.keyClick(strips, Qt.Key.Key_Down)
    assert tab.state.word == "river"
    on(tab, "lookup", "words field").setFocus()
    assert on(tab, "lookup", "said").text().startswith("Norm")  # nobody points any more
    qtbot.waitUntil(lambda: tab.state.cards["analogy"].result is not None)
    strips = on(tab, "analogy", "strips")
    strips.setFocus()
    answer = strips.strips.here
    for word in ("king", "man", "woman", answer, "king"):
        QTest.keyClick(strips, Qt.Key.Key_Down)
        assert tab.state.word == word
    QTest.keyClick(strips, Qt.Key.Key_Up)
    assert tab.state.word == answer

    strips = on(tab, "lookup", "strips")
    hand.click(strips, QPoint(12, strips.height() - 10))
    assert tab.state.word == "river"
    qtbot.waitUntil(lambda: on(tab, "neighbours", "word field").edit.text() == "river")

    for id, then in (("words field", "strips"), ("strips", None)):
        widget = on(tab, "lookup", id)
        getattr(widget, "edit", widget).setFocus()
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        after = on(tab, "lookup", then) if then else on(tab, "cosine", "first field").edit
        assert after.hasFocus(), (id, QApplication.focusWidget())

    field, px = on(tab, "lookup", "words field"), tab.bench.appearance.px
    assert field.sizeHint().width() == px(420)
    assert field.minimumSizeHint().width() <= px(LEAST)


def test_what_is_typed_is_completed_asked_at_once_and_offered_other_words_where_it_is_misspelt(
    tab, enter, hand, eye, qtbot, monkeypatch
):
    edit = on(tab, "neighbours", "word field").edit
    edit.setFocus()
    edit.clear()
    QTest.keyClicks(edit, "prin")
    qtbot.waitUntil(edit._popup.isVisible)
    assert edit._model.stringList() == ["prince", "princess"]
    QTest.keyClick(edit._popup, Qt.Key.Key_Down)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)
    assert edit.text() == "prince"
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert tab.state.word == "prince"

    edit.setFocus()
    edit.clear()
    QTest.keyClicks(edit, "prince")
    qtbot.waitUntil(edit._popup.isVisible)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)  # who has the keys then
    assert tab.state.word == "prince"
    assert not edit._popup.isVisible()
    edit.clear()
    QTest.keyClicks(edit, "princ")
    qtbot.waitUntil(edit._popup.isVisible)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)
    assert edit.text() == "princ"
    assert shown(tab, "neighbours", "wrong word")

    told = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event))
    enter("neighbours", "word", "kimg")
    assert on(tab, "neighbours", "wrong word").isVisible()
    assert told
    hand.click(on(tab, "neighbours", "find"))
    assert on(tab, "neighbours", "word field").edit.hasFocus()  # what is wrong is to be typed anew
    qtbot.waitUntil(lambda: still(tab))
    hand.click(eye.by_name(tab, "king"))
    assert not shown(tab, "neighbours", "wrong word")
    assert tab.state.word == "king"
    assert on(tab, "neighbours", "word field").edit.text() == "king"


def test_a_cosine_that_is_clicked_is_shown_as_arithmetic_and_leads_back(tab, hand, qtbot):
    listing = on(tab, "neighbours", NEAR)
    tab._area.ensureWidgetVisible(listing)
    hand.click(listing.viewport(), cell(listing, 1, COSINE))
    card = tab.state.cards["cosine"]
    assert card.cosine.words == (tab.state.word, tab.state.cards["neighbours"].found[1].word)
    qtbot.waitUntil(lambda: still(tab))
    back = on(tab, "cosine", "way back")
    assert back.hasFocus()
    assert not back.visibleRegion().isEmpty()
    hand.click(back)
    assert not on(tab, "neighbours", "title of the card").visibleRegion().isEmpty()

    sums = on(tab, "cosine", "sums")
    sums.setFocus()
    sums.setCurrentIndex(sums.table.index(5, 0))
    QTest.keyClick(sums, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    words, number = QApplication.clipboard().text().split("\t")
    assert words.startswith("cosine = ")
    assert number == sums.table.line(5).entries[1].text

    tab.state.go_to("river")
    qtbot.waitUntil(lambda: is_there(tab))
    listing, card = on(tab, "neighbours", NEAR), tab.state.cards["neighbours"]
    listing.setFocus()
    listing.setCurrentIndex(listing.table.index(0, COSINE))
    QTest.keyClick(listing, Qt.Key.Key_Return)
    assert tab.state.cards["cosine"].cosine.words == ("river", card.found[0].word)
    assert tab.state.word == "river"
    second = card.found[1].word
    listing.setCurrentIndex(listing.table.index(1, 0))
    QTest.keyClick(listing, Qt.Key.Key_Return)
    assert tab.state.word == second

    qtbot.waitUntil(lambda: still(tab))
    listing, card = on(tab, "matrix", "cosines"), tab.state.cards["matrix"]
    tab._area.ensureWidgetVisible(listing)
    hand.click(listing.viewport(), cell(listing, 0, 1))
    assert tab.state.cards["cosine"].cosine.words == card.table.labels[:2]


def test_a_file_is_opened_by_the_dialog_a_bad_one_is_said_and_after_long_work_the_keys_come_back(
    tab, qtbot, tmp_path, monkeypatch, said
):
    evaluate = on(tab, "vectors", "evaluate")
    evaluate.setFocus()
    QTest.keyClick(evaluate, Qt.Key.Key_Space)
    assert not evaluate.isEnabled()
    qtbot.waitUntil(lambda: is_there(tab))
    assert evaluate.hasFocus()

    file = tmp_path / "bad.txt"
    file.write_text("cat 1 0\ndog 0.9\n", "utf-8")
    tab.state.cards["vectors"].open_file(file)
    said()
    qtbot.waitUntil(lambda: is_there(tab))
    assert "line 2" in on(tab, "vectors", "problem").text()
    assert tab.state.vectors.name == "small"

    file, card = tmp_path / "pets.txt", tab.state.cards["vectors"]
    file.write_text("cat 1 0\ndog 0.9 0.1\n", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    on(tab, "vectors", "open").click()
    assert not card.doing  # nothing was chosen
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    on(tab, "vectors", "open").click()
    assert not on(tab, "vectors", "open").isEnabled()
    qtbot.waitUntil(lambda: is_there(tab))
    assert list(tab.state.vectors.words) == ["cat", "dog"]


def test_a_large_table_is_searched_beside_the_window(tab, qtbot, monkeypatch):
    monkeypatch.setattr(tab_module, "AT_ONCE", 0)
    near, map_ = tab.state.cards["neighbours"], tab.state.cards["map"]
    before, placed = near.found, map_.placed
    tab.state.go_to("river")
    assert near.found is before
    qtbot.waitUntil(lambda: {one.word for one in near.found[:3]} == {"sea", "lake", "boat"})
    map_.asked.set(["king", "queen"])
    map_.compute()
    assert map_.placed is placed
    qtbot.waitUntil(lambda: on(tab, "map", "map").shown.words[:2] == ("king", "queen"))
    tab.state.load(small())
    analogy = tab.state.cards["analogy"]
    assert analogy.result is None
    qtbot.waitUntil(lambda: analogy.result is not None)
    assert [field.text for field in analogy.abc] == ["king", "man", "woman"]


# The map


def test_the_map_is_walked_by_keys_clicked_and_looked_at_closer(tab, enter, hand, qtbot):
    on(tab, "map", "neighbours").box.setValue(0)
    enter("map", "words", "king queen river")
    map_ = on(tab, "map", "map")
    map_.setFocus()
    QTest.keyClick(map_, Qt.Key.Key_Right)
    assert map_.here == 0
    points = map_.shown.points
    for key, axis, sign in ((Qt.Key.Key_Right, 0, 1), (Qt.Key.Key_Left, 0, -1), (Qt.Key.Key_Down, 1, -1)):
        before = map_.here
        QTest.keyClick(map_, key)
        if map_.here != before:
            assert sign * (points[map_.here] - points[before])[axis] > 0
    wide = map_.getViewBox().viewRect().width()
    QTest.keyClick(map_, Qt.Key.Key_Plus)
    assert map_.getViewBox().viewRect().width() < wide
    QTest.keyClick(map_, Qt.Key.Key_0)
    assert map_.getViewBox().viewRect().width() == pytest.approx(wide)
    word = map_.shown.words[map_.here]
    QTest.keyClick(map_, Qt.Key.Key_Return)
    assert tab.state.word == word

    on(tab, "map", "neighbours").box.setValue(2)
    enter("map", "words", "king river")
    map_, card = on(tab, "map", "map"), tab.state.cards["map"]
    tab.go_to(tab.view(card))
    qtbot.waitUntil(lambda: still(tab) and is_there(tab))
    tab.grab()  # laid out and painted, so that the point is where it will stay
    wide = map_.getViewBox().viewRect().width()
    on(tab, "map", "nearer").click()
    assert map_.getViewBox().viewRect().width() < wide
    on(tab, "map", "all").click()
    assert map_.getViewBox().viewRect().width() == pytest.approx(wide)
    word = map_.shown.words[3]
    place = map_.getViewBox().mapViewToScene(QPointF(*map_.shown.points[3]))
    hand.click(map_.viewport(), map_.mapFromScene(place))
    assert word in card.asked.entries()
    assert tab.state.word == word
    on(tab, "map", "arrows").click()
    assert map_.shown.arrows
    assert not map_.grab().isNull()


# Which vectors are loaded


def test_cancel_does_not_wait_for_a_connection_that_is_silent(tab, qtbot, appearance):
    go_on, ended, card = Event(), Event(), tab.state.cards["vectors"]

    def silent(report):
        go_on.wait(PATIENCE_S)
        try:
            report(Progress("downloading", 1, 10, 600.0))
        finally:
            ended.set()

    for still_ in (False, True):  # the bar runs to and fro, but where less motion is asked for
        if still_:
            appearance.set_still(True)
            tab.restyle()
            qtbot.waitUntil(lambda: is_there(tab))
        go_on.clear()
        ended.clear()
        card.start(silent, "Downloading glove-twitter-25")
        tab.tell(card)
        qtbot.waitUntil(lambda: shown(tab, "vectors", "bar"))
        assert on(tab, "vectors", "bar 1").text() == "Downloading glove-twitter-25 …"
        assert (on(tab, "vectors", "bar").maximum() == 0) is not still_
        on(tab, "vectors", "cancel").click()
        assert not shown(tab, "vectors", "bar")
        assert on(tab, "vectors", "get").isEnabled()
        go_on.set()
        assert ended.wait(PATIENCE_S)
        QApplication.processEvents()
        assert tab.state.vectors.name == "small"
        assert not shown(tab, "vectors", "problem")


def test_learning_a_text_in_the_window_ends_where_nobody_sees_it(tab, qtbot, hand):
    card = tab.state.cards["own text"]
    tab.go_to(tab.view(card))
    hand.click(on(tab, "own text", "train"))
    qtbot.waitUntil(lambda: shown(tab, "own text", "curve") and card.trainer.epochs_done > 1)
    assert on(tab, "own text", "train").text() == "Stop"
    tab.hide()
    assert not card.learns
    tab.show()
    qtbot.waitUntil(lambda: on(tab, "own text", "train").text() == "Train")
    on(tab, "own text", "text").setPlainText("too short")
    assert card.text == "too short"
