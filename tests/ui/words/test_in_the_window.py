"""The tab in the whole window."""

from explorer.document import storage
from explorer.document.commands import SetCells
from explorer.lessons.document_lesson import opened
from explorer.ui.window.top_bar import PAGES
from explorer.ui.words.map_card import MapCard
from explorer.ui.words.send import SendCard
from tests.ui.conftest import lesson_of


def test_words_go_from_one_example_into_another(open_window, qtbot, tmp_path):
    """A panel of the example before is not to be shown any more: its nodes are gone."""
    window = open_window("i-want-to-buy")
    window.show_page(PAGES.index("Words"))
    qtbot.waitUntil(
        lambda: len(window.tabs.words.cards) == 11 and not window.tabs.words.vectors_card.background.at_work
    )
    card, document = window.tabs.words.card(SendCard), window.bench.document
    card.look_up()
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
    assert window.tabs.currentIndex() == PAGES.index("Pipeline")
    document.undo()
    window.bench.bridge.flush()
    assert window.bench.lesson.id == "i-want-to-buy"
    window.show_page(PAGES.index("Words"))
    card.send()
    assert window.bench.selection.stage == "input.embedding"


def test_an_example_that_is_opened_meanwhile(open_window, qtbot):
    window = open_window("you-are-welcome")
    window.show_page(PAGES.index("Words"))
    qtbot.waitUntil(
        lambda: len(window.tabs.words.cards) == 11 and not window.tabs.words.vectors_card.background.at_work
    )
    source = window.tabs.words.vectors_card
    place = source.choice.findText("This model's own target.table")
    source.choice.setCurrentIndex(place)
    source.choice.activated.emit(place)
    assert "<start>" in window.tabs.words.card(MapCard).map.labels
    window.bench.open(lesson_of("softmax"))
    qtbot.waitUntil(lambda: window.tabs.words.state.vectors.name == "small")
    assert source.choice.findText("This model's own target.table") < 0
