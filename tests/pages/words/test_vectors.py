"""Which vectors are loaded, and the way into the model and back."""

import tomllib
from html import unescape

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.progress import Progress
from explorer.document.commands import Replace
from explorer.lessons.loader import load
from explorer.paths import resources
from explorer.words import catalogue
from explorer.words.similarity import Score
from tests.pages.words.conftest import Told, ask, part, parts, press, small, words_on


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.words.cache.folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("explorer.words.catalogue.download_folder", lambda: tmp_path / "downloads")
    monkeypatch.setattr("explorer.pages.words.vectors._default", lambda report: small())


def choose(card, title):
    options = part(card, "choice").options
    asks = part(card, "choice").asks[options.index(title)]
    card.do(asks.act, asks.value)


def chosen(card):
    return part(card, "choice").options[part(card, "choice").chosen]


def test_a_file(words, tmp_path):
    card, file = words.cards["vectors"], tmp_path / "pets.txt"
    file.write_text("cat 1 0\ndog 0.9 0.1\nsun 0 -1\n", "utf-8")
    card.open_file(file)
    assert words.vectors.name == chosen(card) == "pets.txt"
    assert part(words.cards["lookup"], "strips").words == ("cat", "dog", "sun")
    assert part(card, "loaded").text.startswith("3 words, 2 numbers each")
    words.load(small())
    choose(card, "pets.txt")
    assert words.vectors.name == "pets.txt"


def test_work_that_fails_is_said_and_nothing_is_lost(words):
    card = words.cards["vectors"]
    card.fail(ExplorerError("no-table"))
    assert "no embedding table" in part(card, "problem").text
    assert words.vectors.name == "small"
    card.start_default()
    assert "problem" not in parts(card)


def test_how_far_the_work_is(words, monkeypatch):
    card = words.cards["vectors"]
    monkeypatch.setattr(words.screen, "search", lambda *_: None)  # beside the window
    assert "bar" not in parts(card)
    card.start(lambda report: small(), "Reading")
    assert part(card, "bar").share is None  # nobody knows yet
    assert part(card, "bar 1").text == "Reading …"
    card.hear(Progress("parsing", 1, 10, 5.0))
    assert part(card, "bar").share == 0.1
    assert part(card, "bar 1").text == "Reading, 10%, 5 s left"
    assert not any(part(card, id).on for id in ("choice", "open", "get", "evaluate"))
    card.start(lambda report: small(), "Something else")  # one thing at a time
    assert card.doing == "Reading, 10%, 5 s left"
    press(card, "cancel")
    assert "bar" not in parts(card)
    assert part(card, "choice").on


def test_evaluation(words, monkeypatch):
    monkeypatch.setattr(
        "explorer.words.similarity.evaluate",
        lambda vectors, report: [Score("WordSim-353", "Spearman", 0.5, 340, 0.03), Score("X", "accuracy", None, 0, 1)],
    )
    card = words.cards["vectors"]
    press(card, "evaluate")
    assert [line.entries[1].text for line in part(card, "scores").lines] == ["0.5000", "too few words"]
    words.load(small())
    assert "scores" not in parts(card)  # they are of other vectors


def test_all_sets_are_offered(words):
    titles = [title for title, _ in part(words.cards["vectors"], "get").entries]
    assert len(titles) == len(catalogue.OFFERED) == 8
    assert all("PDDL" in title and "MB" in title for title in titles)


def test_the_models_own_table(words):
    card = words.cards["vectors"]
    document = card.document
    choose(card, "This model's own input.table")
    assert list(words.vectors.words) == list(document.engine.labels("input.words"))
    card.take_table("input.table")
    assert chosen(card) == "This model's own input.table"
    words.load(small())
    assert card.table == ""


def test_the_model_card(words):
    card = words.cards["vectors"]
    assert "facts" not in parts(card)  # these have none
    vectors = small()
    vectors.name = "books"
    words.load(vectors)
    facts = part(card, "facts").asks.at(True)
    card.do(facts.act, facts.value, facts.field)
    assert part(card, "card").selects
    facts = tomllib.loads((resources() / "vectors" / "books.toml").read_text("utf-8"))
    said = unescape(part(card, "card").text)
    for known in (
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
        assert known.strip() in said, known


# Into the model


def test_words_into_the_model_in_one_step(words):
    card, document = words.cards["send"], words.cards["send"].document
    before = document.state
    ask(card, "words", "king queen river sea")
    assert part(card, "said").text.startswith("All 6 numbers of each vector")  # Jane's model is as wide as these
    command = card.command()
    document.do(command)
    card.say_sent(command)
    assert "“king queen river sea” is in input.table" in part(card, "outcome").text
    np.testing.assert_allclose(document.engine.values["input.X"], words.vectors.array[[0, 1, 6, 7]])
    document.undo()
    assert document.state is before
    assert "outcome" not in parts(card), "they are not in the model any more"
    document.redo()
    assert "outcome" in parts(card)
    ask(card, "words", "kingg")
    assert card.command() is None
    assert "outcome" not in parts(card), "it stood below the error, as if these had been sent"


def test_reduced_to_the_models_width():
    words = words_on("you-are-welcome")
    words.load(small())
    card, document = words.cards["send"], words.cards["send"].document
    ask(card, "words", "king queen river monday man woman")
    assert "6 numbers become 4" in part(card, "said").text
    assert "% of how they differ" in part(card, "said").text
    card.do("type", "king King", "words")
    assert part(card, "said").text.startswith("One word has no other to differ from, so its vector becomes zeros")
    card.do("type", "king queen river monday man woman", "words")
    said = part(card, "said").text
    card.do("type", "King QUEEN river Monday man woman", "words")
    assert part(card, "said").text == said
    document.do(card.command())
    assert document.engine.values["source.X"].shape == (6, 4)
    whole = part(card, "ways").asks[0].at(1)
    card.do(whole.act, whole.value, whole.field)
    assert "d_model = 6 in place of 4" in part(card, "said").text
    document.do(card.command())
    assert document.engine.values["source.X"].shape == (6, 6)
    assert np.isfinite(document.engine.values["output.probabilities"]).all()


def test_a_model_without_a_table():
    words = words_on("softmax")
    words.load(small())
    card = words.cards["send"]
    assert not part(card, "send").on
    assert part(card, "said").text == "This example has no embedding table; open one that begins with words."
    assert "table" not in parts(card)


def test_words_looked_up_in_attention(words):
    """The reference's look-up with real words: the scores are their dot products, and likeness decides the shares."""
    card, vectors = words.cards["send"], words.vectors
    card.words.set("king man sea lake")
    card.queries.set("queen river")
    lesson, label = card.look_up()
    assert label.endswith("queen river among king man sea lake")
    document = type(card.document)(lesson.state())
    engine = document.engine
    queries, keys = vectors.array[[1, 6]].astype(float), vectors.array[[0, 2, 7, 8]].astype(float)
    np.testing.assert_allclose(engine.values["scores"], queries @ keys.T)
    shares = engine.values["weights"]
    assert shares.argmax(1).tolist() == [0, *shares[1:, 2:].argmax(1) + 2]
    assert engine.labels("value")[int(engine.values["chosen"][0])] == "king"
    assert list(engine.labels("key")) == ["king", "man", "sea", "lake"]


def test_a_table_of_a_model_that_has_gone_is_not_chosen_any_more():
    """Until the lists are shown anew, one may still choose it there."""
    words = words_on("you-are-welcome")
    words.load(small())
    vectors, send = words.cards["vectors"], words.cards["send"]
    asked, table = part(vectors, "choice").asks[-1], part(send, "table").asks[-1]
    assert table.value == "target.table"
    document = vectors.document
    document.do(Replace(load("jane").state(), "Jane"))
    for card, gesture in ((vectors, asked), (send, table)):
        card.do(gesture.act, gesture.value)
    assert words.vectors.name == "small"
    assert part(send, "table").options == ("input.table",)


class Waits(Told):
    """Slow work is done when it is said to be."""

    def __init__(self):
        super().__init__()
        self.over = []

    def search(self, card, work, then, slow):
        self.over.append(lambda: then(work(lambda progress: None)))

    def stop(self, card):
        self.over.clear()


@pytest.mark.parametrize("ends", ["cancelled", "failed", "done"])
def test_a_table_whose_model_goes_while_vectors_are_compared_is_left_after_that(words, ends, monkeypatch):
    card = words.cards["vectors"]
    monkeypatch.setattr("explorer.words.similarity.evaluate", lambda vectors, report: [])
    card.take_table("input.table")
    words.screen = Waits()
    press(card, "evaluate")
    card.document.do(Replace(load("softmax").state(), "Softmax"))
    card.hear_of(None)
    assert words.vectors.name == "this model's input.table"
    match ends:
        case "cancelled":
            press(card, "cancel")
        case "failed":
            words.screen.over.clear()
            card.fail(ExplorerError("no-table"))
        case "done":
            words.screen.over.pop()()
    words.screen, waits = Told(), words.screen
    waits.over[-1]()
    assert words.vectors.name == "small"
    assert not card.doing


def test_what_people_say_of_a_table_is_not_said_of_its_later_rows(words, monkeypatch):
    card = words.cards["vectors"]
    monkeypatch.setattr(
        "explorer.words.similarity.evaluate", lambda vectors, report: [Score("analogies", "accuracy", 0.5, 4, 0.5)]
    )
    card.take_table("input.table")
    words.screen = Waits()
    press(card, "evaluate")
    waits, words.screen = words.screen, Told()
    card.take_table("input.table")
    waits.over[0]()
    assert not card.scores
