"""Which vectors are loaded, and the way into the model and back."""

import numpy as np

from explorer.document.commands import SetCells
from explorer.ui.words.lookup import LookupCard
from explorer.ui.words.send import SendCard
from explorer.words import catalogue
from explorer.words.evaluation import Score


def idle(tab, qtbot):
    qtbot.waitUntil(lambda: tab.source.job is None, timeout=20_000)


def test_a_file(tab, qtbot, tmp_path):
    file = tmp_path / "pets.txt"
    file.write_text("cat 1 0\ndog 0.9 0.1\nsun 0 -1\n", "utf-8")
    tab.source.open_file(file)
    idle(tab, qtbot)
    assert tab.store.vectors.name == "pets.txt"
    assert tab.source.choice.currentText() == "pets.txt"
    assert tab.card(LookupCard).strips.words == ["cat", "dog", "sun"]
    assert "3 words, 2 numbers each" in tab.source.about.text()


def test_a_bad_file_is_said_and_nothing_is_lost(tab, qtbot, tmp_path, said):
    file = tmp_path / "bad.txt"
    file.write_text("cat 1 0\ndog 0.9\n", "utf-8")
    tab.source.open_file(file)
    said()
    idle(tab, qtbot)
    assert "line 2" in tab.source.problem.text()
    assert tab.store.vectors.name == "small"


def test_cancel(tab, qtbot, tmp_path):
    from explorer.words.progress import Progress

    def endless(report):
        while True:
            report(Progress("parsing", 1, 10, 5.0))

    tab.source.start(endless, "Reading")
    qtbot.waitUntil(lambda: tab.source.doing.text() == "Reading, 10%, 5 s left")
    tab.source.cancel.click()
    idle(tab, qtbot)
    assert tab.store.vectors.name == "small"
    assert tab.source.working.isHidden()
    assert tab.source.choice.isEnabled()


def test_evaluation_beside_the_window(tab, qtbot, monkeypatch):
    monkeypatch.setattr(
        "explorer.words.evaluation.evaluate",
        lambda vectors, report: [Score("WordSim-353", "Spearman", 0.5, 340, 0.03), Score("X", "accuracy", None, 0, 1)],
    )
    tab.source.evaluate.click()
    idle(tab, qtbot)
    text = tab.source.scores.text()
    assert "0.5000" in text
    assert "too few words" in text


def test_all_sets_are_offered(tab):
    titles = [action.text() for action in tab.source.menu.actions()]
    assert len(titles) == len(catalogue.OFFERED) == 8
    assert all("PDDL" in title and "MB" in title for title in titles)


def test_the_models_own_table(tab, qtbot):
    choice = tab.source.choice
    place = choice.findText("This model's own input.table")
    choice.setCurrentIndex(place)
    choice.activated.emit(place)
    document = tab.bench.document
    assert list(tab.store.vectors.words) == list(document.engine.labels("input.words"))
    document.do(SetCells("input.table", {(0, 0): 7.5}))
    qtbot.waitUntil(lambda: tab.store.vectors.array[0, 0] == 7.5)
    assert choice.currentText() == "This model's own input.table"
    tab.hide()
    document.do(SetCells("input.table", {(0, 0): 9.5}))
    tab.bench.bridge.flush()
    assert tab.store.vectors.array[0, 0] == 7.5  # nobody sees it
    tab.show()
    assert tab.store.vectors.array[0, 0] == 9.5


def test_words_into_the_model_in_one_step(tab, enter, qtbot):
    card, document = tab.card(SendCard), tab.bench.document
    before = document.state
    enter(card.field, "king queen river sea")
    assert "6 numbers of each vector" in card.said.text()  # Jane's model is as wide as these vectors
    with qtbot.waitSignal(tab.sent):
        card.button.click()
    engine = document.engine
    np.testing.assert_allclose(engine.values["input.X"], tab.store.vectors.array[[0, 1, 6, 7]])
    document.undo()
    assert document.state is before


def test_reduced_to_the_models_width(open_tab, enter):
    tab = open_tab("you-are-welcome")
    card, document = tab.card(SendCard), tab.bench.document
    enter(card.field, "king queen river monday man woman")
    assert "6 numbers become 4" in card.said.text()
    assert "% of how they differ" in card.said.text()
    card.button.click()
    assert document.engine.values["source.X"].shape == (6, 4)
    card.whole.click()
    assert "d_model = 6 in place of 4" in card.said.text()
    card.button.click()
    assert document.engine.values["source.X"].shape == (6, 6)
    assert np.isfinite(document.engine.values["output.probabilities"]).all()


def test_a_model_without_a_table(open_tab):
    card = open_tab("softmax").card(SendCard)
    assert not card.button.isEnabled()
    assert card.said.text() == "This example has no embedding table; open one that begins with words."
