"""The tab in the whole window."""

from PySide6.QtCore import QPoint

from explorer.document import storage
from explorer.document.commands import SetCells
from explorer.lessons.document_lesson import opened
from explorer.ui.window.top_bar import TABS
from explorer.words import is_vectors
from tests.ui.conftest import lesson_of
from tests.ui.words.conftest import is_there, on


def test_words_go_from_one_example_into_another(open_window, qtbot, tmp_path):
    """A panel of the example before is not to be shown any more: its nodes are gone."""
    window = open_window("i-want-to-buy")
    window.show_tab("Words")
    tab = window.tabs.words
    qtbot.waitUntil(lambda: is_there(tab))
    document = window.bench.document
    on(tab, "send", "look up").click()
    assert window.bench.lesson.title == "A look-up among words"
    # It is an example of its own: its values can be brought back, and it can be saved and opened.
    state = document.state
    document.do(SetCells("Q", {(0, 0): 9.0}))
    window.bench.open(window.bench.lesson, "words")
    assert document.state.inputs["Q"].tobytes() == state.inputs["Q"].tobytes()
    storage.save(document.state, window.bench.lesson.title, tmp_path / "words.explorer")
    lesson, saved = opened(tmp_path / "words.explorer")
    assert lesson.title == "A look-up among words"
    assert saved.inputs["K"].tobytes() == state.inputs["K"].tobytes()
    for _ in range(2):
        document.undo()
    window.bench.bridge.flush()
    assert window.bench.selection.stage == "attention"
    assert window.tabs.currentIndex() == TABS.index("Pipeline")
    document.undo()
    window.bench.bridge.flush()
    assert window.bench.lesson.id == "i-want-to-buy"
    window.show_tab("Words")
    qtbot.waitUntil(lambda: on(tab, "send", "send").isEnabled())
    on(tab, "send", "send").click()
    assert window.bench.selection.stage == "input.embedding"


def test_files_of_vectors_are_opened_like_any_other_and_a_table_goes_with_its_example(open_window, qtbot, tmp_path):
    """A file was taken for a lesson that is too large, or had a wrong first line."""
    window = open_window("you-are-welcome")
    for name in ("mine.txt", "mine.vec"):
        (tmp_path / name).write_text("up 1 0\ndown -1 0\nleft 0 -1\nright 0 1\n", "utf-8")
        window.files.open_path(tmp_path / name)
        assert window.tabs.currentWidget() is window.tabs.words
        qtbot.waitUntil(lambda name=name: is_there(window.tabs.words) and window.tabs.words.state.vectors.name == name)
        window.show_tab("Pipeline")
    assert window.bench.lesson.id == "you-are-welcome"
    window.show_tab("Words")
    tab = window.tabs.words
    card = tab.state.cards["vectors"]
    card.do("choose", "table target.table")
    assert "<start>" in tab.state.cards["map"].placed.words
    window.bench.open(lesson_of("softmax"))
    qtbot.waitUntil(lambda: tab.state.vectors.name == "small")
    assert "table target.table" not in card.choices


def test_a_text_is_not_taken_for_vectors(tmp_path):
    for text, those in (
        ("3 2\na 1 2\n", True),
        ("a 1e-3 .5\n", True),
        ("Alice was beginning\n", False),
        ("", False),
        ("word\n", False),
    ):
        (tmp_path / "some.txt").write_text(text, "utf-8")
        assert is_vectors(tmp_path / "some.txt") is those, text
    assert not is_vectors(tmp_path / "absent.vec")
    assert not is_vectors(tmp_path)


def test_in_the_largest_text_a_card_is_in_sight_and_a_menu_leads_to_the_others(open_window, qtbot, eye, appearance):
    """Four lines about the page and five of links stood above, and no card was in sight before scrolling."""
    appearance.set_scale(3.0)
    window = open_window("jane", size=(1280, 720))
    window.show_tab("Words")
    tab = window.tabs.words
    qtbot.waitUntil(lambda: is_there(tab))
    eye.settle(window)
    assert tab.cards[0].mapTo(window, QPoint(0, 0)).y() < window.height() - appearance.px(80)
    links = [one for one in tab._links.widgets if one is not tab._goes]
    assert tab._goes.isVisible()
    assert not any(one.isVisible() for one in links)
    *_, last = tab._menu.actions()
    assert [action.text() for action in tab._menu.actions()] == [view.card.title for view in tab.cards]
    last.trigger()
    assert tab._area.verticalScrollBar().value() > 0
    appearance.set_scale(1.0)
    qtbot.waitUntil(lambda: is_there(tab))
    eye.settle(window)
    assert not tab._goes.isVisible()
    assert all(one.isVisible() for one in links)


def test_in_another_theme_the_list_of_vectors_stays_where_it_was(open_window, qtbot, appearance):
    """The card was laid out in no width at all, and the list was gone."""
    window = open_window("you-are-welcome")
    window.show_tab("Words")
    tab = window.tabs.words
    qtbot.waitUntil(lambda: is_there(tab))
    before = on(tab, "vectors", "choice")
    place = before.geometry()
    assert place.width() > appearance.px(100)
    appearance.set_mode("dark")
    qtbot.waitUntil(lambda: tab.is_whole and on(tab, "vectors", "choice") is not before)
    assert on(tab, "vectors", "choice").geometry() == place
