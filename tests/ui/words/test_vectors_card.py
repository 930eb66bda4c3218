"""Which vectors are loaded, and the way into the model and back."""

import tomllib
from html import unescape
from threading import Event

import numpy as np
from PySide6.QtWidgets import QApplication, QFileDialog

from explorer.document.commands import SetCells
from explorer.paths import resources
from explorer.ui.words.send import SendCard
from explorer.ui.words.strips import LookupCard
from explorer.words import catalogue
from explorer.words.progress import Progress
from explorer.words.similarity import Score
from tests.ui.conftest import PATIENCE_S


def idle(tab, qtbot):
    qtbot.waitUntil(lambda: not tab.vectors_card.background.at_work)


def test_a_file(tab, qtbot, tmp_path):
    file = tmp_path / "pets.txt"
    file.write_text("cat 1 0\ndog 0.9 0.1\nsun 0 -1\n", "utf-8")
    tab.vectors_card.open_file(file)
    idle(tab, qtbot)
    assert tab.state.vectors.name == "pets.txt"
    assert tab.vectors_card.choice.currentText() == "pets.txt"
    assert tab.card(LookupCard).strips.words == ["cat", "dog", "sun"]
    assert "3 words, 2 numbers each" in tab.vectors_card.about.text()


def test_the_dialog_opens_a_file(tab, qtbot, tmp_path, monkeypatch):
    file = tmp_path / "pets.bin"
    file.write_bytes(b"2 1\ncat " + np.float32(1).tobytes() + b"dog " + np.float32(2).tobytes())
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    tab.vectors_card.open.click()
    assert not tab.vectors_card.background.at_work  # nothing was chosen
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    tab.vectors_card.open.click()
    idle(tab, qtbot)
    assert list(tab.state.vectors.words) == ["cat", "dog"]


def test_a_bad_file_is_said_and_nothing_is_lost(tab, qtbot, tmp_path, said):
    file = tmp_path / "bad.txt"
    file.write_text("cat 1 0\ndog 0.9\n", "utf-8")
    tab.vectors_card.open_file(file)
    said()
    idle(tab, qtbot)
    assert "line 2" in tab.vectors_card.problem.text()
    assert tab.state.vectors.name == "small"


def test_cancel(tab, qtbot, tmp_path):
    def endless(report):
        while True:
            report(Progress("parsing", 1, 10, 5.0))

    tab.vectors_card.start(endless, "Reading")
    assert tab.vectors_card.bar.maximum() == 0  # it runs to and fro
    qtbot.waitUntil(lambda: tab.vectors_card.doing.text() == "Reading, 10%, 5 s left")
    tab.vectors_card.cancel.click()
    idle(tab, qtbot)
    assert tab.state.vectors.name == "small"
    assert tab.vectors_card.working.isHidden()
    assert tab.vectors_card.choice.isEnabled()


def test_where_less_motion_is_asked_for_no_bar_runs_to_and_fro(tab, qtbot):
    go_on = Event()

    def silent(report):
        go_on.wait(PATIENCE_S)
        report(Progress("parsing", 1, 10, 5.0))

    tab.bench.appearance.set_still(True)
    tab.vectors_card.start(silent, "Reading")
    assert tab.vectors_card.doing.text() == "Reading …"
    assert tab.vectors_card.bar.maximum() > 0
    tab.vectors_card.cancel.click()
    go_on.set()
    idle(tab, qtbot)


def test_cancel_does_not_wait_for_a_connection_that_is_silent(tab, qtbot):
    go_on, ended = Event(), Event()

    def silent(report):
        go_on.wait(PATIENCE_S)
        try:
            report(Progress("downloading", 1, 10, 600.0))
        finally:
            ended.set()

    tab.vectors_card.start(silent, "Downloading glove-twitter-25")
    assert tab.vectors_card.doing.text() == "Downloading glove-twitter-25 …"
    tab.vectors_card.cancel.click()
    assert not tab.vectors_card.background.at_work
    assert tab.vectors_card.working.isHidden()
    assert tab.vectors_card.get.isEnabled()
    go_on.set()
    assert ended.wait(PATIENCE_S)
    QApplication.processEvents()
    assert tab.state.vectors.name == "small"
    assert tab.vectors_card.problem.isHidden()


def test_evaluation_beside_the_window(tab, qtbot, monkeypatch):
    monkeypatch.setattr(
        "explorer.words.similarity.evaluate",
        lambda vectors, report: [Score("WordSim-353", "Spearman", 0.5, 340, 0.03), Score("X", "accuracy", None, 0, 1)],
    )
    tab.vectors_card.evaluate.click()
    idle(tab, qtbot)
    text = tab.vectors_card.scores.text()
    assert "0.5000" in text
    assert "too few words" in text


def test_all_sets_are_offered(tab):
    titles = [action.text() for action in tab.vectors_card.menu.actions()]
    assert len(titles) == len(catalogue.OFFERED) == 8
    assert all("PDDL" in title and "MB" in title for title in titles)


def test_the_models_own_table(tab, qtbot):
    choice = tab.vectors_card.choice
    place = choice.findText("This model's own input.table")
    choice.setCurrentIndex(place)
    choice.activated.emit(place)
    document = tab.bench.document
    assert list(tab.state.vectors.words) == list(document.engine.labels("input.words"))
    document.do(SetCells("input.table", {(0, 0): 7.5}))
    qtbot.waitUntil(lambda: tab.state.vectors.array[0, 0] == 7.5)
    assert choice.currentText() == "This model's own input.table"
    tab.hide()
    document.do(SetCells("input.table", {(0, 0): 9.5}))
    tab.bench.bridge.flush()
    assert tab.state.vectors.array[0, 0] == 7.5  # nobody sees it
    tab.show()
    assert tab.state.vectors.array[0, 0] == 9.5


def test_words_into_the_model_in_one_step(tab, enter, qtbot):
    card, document = tab.card(SendCard), tab.bench.document
    before = document.state
    enter(card.field, "king queen river sea")
    assert "6 numbers of each vector" in card.said.text()  # Jane's model is as wide as these vectors
    with qtbot.waitSignal(tab.sent):
        card.button.click()
    engine = document.engine
    np.testing.assert_allclose(engine.values["input.X"], tab.state.vectors.array[[0, 1, 6, 7]])
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


def test_the_model_card(tab, monkeypatch):
    source = tab.vectors_card
    assert source.facts.isHidden()  # these have none
    monkeypatch.setattr(tab.state.vectors, "name", "books")
    tab.state.load(tab.state.vectors)
    source.facts.click()
    assert source.card.isVisible()
    facts = tomllib.loads((resources() / "vectors" / "books.toml").read_text("utf-8"))
    said = source.card.text()
    for part in (
        facts["text"]["what"],
        facts["text"]["preparation"],
        f"{facts['vocabulary']['words']:,} words",
        facts["training"]["settings"],
        facts["training"]["command"],
        f"WordSim-353 {facts['scores']['wordsim353']['spearman']:.2f}",
        f"SimLex-999 {facts['scores']['simlex999']['spearman']:.2f}",
        f"Analogies {facts['scores']['analogies']['accuracy']:.0%}",
        facts["limits"]["about"],
        *facts["limits"]["absent"],
        *(one["what"] for one in facts["tried"]),
    ):
        assert part.strip() in unescape(said), part
    source.facts.click()
    assert source.card.isHidden()


def test_words_looked_up_in_attention(tab, enter, qtbot):
    """The reference's look-up with real words: the scores are their dot products, and likeness decides the shares."""
    card, document = tab.card(SendCard), tab.bench.document
    before, vectors = document.state, tab.state.vectors
    enter(card.field, "king man sea lake")
    with qtbot.waitSignal(tab.sent) as sent:
        enter(card.queries, "queen river")
    assert sent.args == ["attention"]
    engine = document.engine
    queries, keys = vectors.array[[1, 6]].astype(float), vectors.array[[0, 2, 7, 8]].astype(float)
    np.testing.assert_allclose(engine.values["scores"], queries @ keys.T)
    shares = engine.values["weights"]
    assert shares.argmax(1).tolist() == [0, *shares[1:, 2:].argmax(1) + 2]
    assert engine.labels("value")[int(engine.values["chosen"][0])] == "king"
    assert list(engine.labels("key")) == ["king", "man", "sea", "lake"]
    document.undo()
    assert document.state is before
