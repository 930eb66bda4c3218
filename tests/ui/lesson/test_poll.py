"""A poll in presenter mode: choices with letters, counts, and the commonest mistake beside the right way."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel

from explorer.pages.element import leaves
from explorer.pages.gestures import ForPoll
from explorer.teaching.poll import SHOWS, poll_page
from explorer.ui.classroom import ClassDialogs
from explorer.ui.lesson.letters import Enlarged
from tests.samples import each
from tests.teaching.test_class import sat
from tests.teaching.test_poll import poll

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")
Key = Qt.Key


@pytest.fixture
def presenter(window, go, hand, qtbot):
    """The window that the class sees, on a question that asks for a number."""
    go(1)
    hand.key(Key.Key_F5)
    presenter = window.lessons.presenter
    qtbot.waitUntil(lambda: presenter.isVisible() and QApplication.activeWindow() is presenter)
    yield presenter
    if window.lessons.presenter is not None:
        presenter.leave()


def test_a_class_votes_and_sees_the_commonest_mistake_beside_the_right_way(presenter, guide, hand):
    hand.key(Key.Key_V)
    view = presenter.poll
    assert view.isVisible()
    ballots = view.poll.ballots
    assert sum(one.right for one in ballots) == 1
    right = next(i for i, one in enumerate(ballots) if one.right)
    wrong = next(i for i, one in enumerate(ballots) if not one.right)
    for place, times in ((right, 2), (wrong, 3)):
        hand.key(Key(Key.Key_A.value + place), times=times)
    hand.key(Key.Key_Z)  # no answer has this letter
    assert view.elements.widgets["title"].text().endswith("5\xa0votes")  # the only sign on a single screen
    hand.key(Key.Key_Right)
    assert "votes" not in view.elements.widgets["title"].text()
    assert view.poll.show == SHOWS[1]
    assert (view.poll.counts[right], view.poll.counts[wrong]) == (2, 3)
    hand.key(Key.Key_PageDown)
    assert view.poll.commonest is ballots[wrong]
    listed = [one.id for part in poll_page(view.poll, 300) for one in leaves(part) if one.id.startswith("rows ")]
    assert listed == ["rows wrong", "rows right"]
    hand.key(Key.Key_PageDown)
    assert not view.isVisible()
    assert guide.at == 1  # the same key goes on only behind the poll
    hand.key(Key.Key_V)
    assert view.poll.counts[wrong] == 3
    hand.key(Key.Key_Escape)
    assert presenter.isVisible()
    hand.key(Key.Key_PageDown)
    assert guide.at == 2


def test_backspace_takes_back_the_last_vote_that_a_letter_counted(presenter, guide, hand):
    hand.key(Key.Key_V)
    view = presenter.poll
    hand.key(Key.Key_A, times=2)
    hand.key(Key.Key_B)
    hand.key(Key.Key_Backspace, times=2)
    assert view.poll.counts[:2] == (1, 0)
    hand.key(Key.Key_Right)
    hand.key(Key.Key_B)
    hand.key(Key.Key_Backspace, times=3)  # also beside the counts; the third finds no vote
    assert view.isVisible()
    assert sum(view.poll.counts) == 0
    presenter.bench.selection.asked.emit(ForPoll("count 0", 12), view)
    hand.key(Key.Key_Backspace)  # a typed number stays
    assert view.poll.counts[0] == 12
    assert guide.at == 1


def test_tab_leads_to_the_boxes_and_the_button_of_a_poll_and_not_to_the_slide_below(presenter, hand, monkeypatch):
    hand.key(Key.Key_V)
    hand.key(Key.Key_Right)
    view, asked = presenter.poll, []
    monkeypatch.setattr(ClassDialogs, "to_read", lambda *_: asked.append("files") or [])
    reached = []
    for _ in range(len(view.poll.ballots) + 1):
        hand.key(Key.Key_Tab)
        assert view.isAncestorOf(QApplication.focusWidget())
        reached.append(QApplication.focusWidget())
    assert len(set(reached)) == len(reached)
    hand.key(Key.Key_Space)  # on the button
    assert (asked, view.poll.show) == (["files"], SHOWS[1])
    hand.key(Key.Key_Tab)
    hand.key(Key.Key_1)
    hand.key(Key.Key_2)
    hand.key(Key.Key_Backtab)  # takes what is typed, too
    assert view.poll.counts[0] == 12


def test_where_nothing_is_asked_there_is_no_poll(presenter, go, hand):
    go(0)
    hand.key(Key.Key_V)
    assert not presenter.poll.isVisible()
    assert any("nothing to vote on" in one.text() for one in presenter.findChildren(QLabel))


def test_choices_are_larger_than_a_slide_and_all_of_each_page_is_in_sight(presenter, hand):
    hand.key(Key.Key_V)
    view, slide = presenter.poll, presenter.bench.appearance.scale
    for place in range(len(view.poll.ballots)):
        hand.key(Key(Key.Key_A.value + place))
    for show in SHOWS:
        assert view.poll.show == show
        assert view._look.scale > slide or show == SHOWS[-1]
        assert view.elements.height() <= view._area.viewport().height()
        assert view.elements.width() <= view._area.viewport().width()
        if show == SHOWS[-1]:
            left, right = (view.elements.widgets[f"name {side}"] for side in ("wrong", "right"))
            assert left.mapTo(view, QPoint()).y() == right.mapTo(view, QPoint()).y()
        hand.key(Key.Key_Right)


@each("question", ["jane/three", "softmax/powers", "inside-a-storyteller/cut"])
def test_of_sixteen_places_numbers_or_long_sentences_a_class_sees_all_each_beside_its_letter(presenter, hand, question):
    """With twelve places the counts had to be scrolled; a long answer stood below its letter."""
    view = presenter.poll
    if view.poll is None:
        hand.key(Key.Key_V)
    view.poll = poll(question)
    view.fit()
    for show in SHOWS[:2]:
        assert view.poll.show == show
        assert view.elements.height() <= view._area.viewport().height()
        hand.key(Key.Key_A)  # laid out once more
        widgets = view.elements.widgets
        bars = [one for id, one in widgets.items() if id.startswith("votes ")]
        assert len({one.width() for one in bars}) <= 1
        for letter, text in ((widgets[id], widgets[f"text {id[5:]}"]) for id in widgets if id.startswith("vote ")):
            at, words = (QRect(one.mapTo(view, QPoint()), one.size()) for one in (letter, text))
            assert at.right() < words.left()
            assert words.top() <= at.center().y() <= words.bottom()
            assert words.width() >= min(text.sizeHint().width(), view._area.width() // 4)  # two columns
        hand.key(Key.Key_Right)


def test_what_a_question_is_about_stands_beside_its_choices_until_the_right_one_is_shown(presenter, hand):
    """The poll lay over the whole slide, so nobody saw the table that was asked about."""
    hand.key(Key.Key_V)
    view = presenter.poll
    for show in SHOWS[:2]:
        assert view.poll.show == show
        box = next(one for one in view._named.elements.widgets.values())
        assert box.matrix.place.node == "output.logits"
        at, choices = (QRect(one.mapTo(view, QPoint()), one.size()) for one in (box, view._area))
        assert view.rect().contains(at)
        assert not at.intersects(choices)
        assert view._named.cut == view._named.scrolls == ()
        hand.key(Key.Key_Right)
    assert view._named is None  # there both derivations have the room


def test_files_without_the_question_leave_the_counts(presenter, hand, tmp_path, monkeypatch):
    sat("Ada").save(tmp_path / "ada.answers.json")
    monkeypatch.setattr(ClassDialogs, "to_read", lambda *_: [tmp_path / "ada.answers.json"])
    hand.key(Key.Key_V)
    hand.key(Key.Key_A)
    hand.key(Key.Key_Right)
    presenter.bench.selection.asked.emit(ForPoll("files"), presenter.poll)
    QApplication.processEvents()
    assert presenter.poll.poll.counts[0] == 1
    assert any("no answers to the question" in one.text() for one in presenter.findChildren(QLabel))


def test_where_nobody_voted_nothing_is_said_of_votes(presenter, hand):
    hand.key(Key.Key_V)
    hand.key(Key.Key_Right, times=2)
    said = " ".join(one.text() for one in presenter.poll.findChildren(QLabel))
    assert "Right" in said
    assert "Nobody" not in said


def test_a_poll_follows_the_theme_and_leaves_nothing_behind_when_it_is_opened_again(presenter, hand, appearance, qtbot):
    looks = len(presenter.findChildren(Enlarged))
    for _ in range(3):
        hand.key(Key.Key_V)
        hand.key(Key.Key_Escape)
    assert len(presenter.findChildren(Enlarged)) == looks
    hand.key(Key.Key_V)
    view = presenter.poll
    appearance.set_mode("dark")
    qtbot.waitUntil(lambda: presenter.sheet.bench.appearance.theme.dark)
    assert view.isVisible()
    assert view._look.theme.dark
    assert view.elements.height() <= view._area.viewport().height()
