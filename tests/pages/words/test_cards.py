"""Look up, cosine, neighbours, odd one out, analogy, matrix: what is asked, and what stands there."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.pages.controls import Button
from explorer.pages.drawing import ACCENT
from explorer.pages.element import leaves
from explorer.pages.words.cosine import outcome, square
from explorer.pages.words.neighbours import named
from explorer.words import catalogue
from explorer.words.similarity import cosine_of
from explorer.words.vectors import Vectors
from tests.pages.words.conftest import ask, follow, part, parts, press, problem, small

WORD, COSINE = 1, 2  # columns of the words and of the cosines


def texts(listing, row):
    return [entry.text for entry in listing.lines[row].entries]


def test_words_beside_each_other(words):
    card = words.cards["lookup"]
    ask(card, "words", "king queen river")
    strips = part(card, "strips")
    assert strips.words == ("king", "queen", "river")
    np.testing.assert_array_equal(strips.array, words.vectors.array[[0, 1, 6]])
    assert strips.notes[2].endswith("rank 7")
    card.do(strips.points.act, 1, strips.points.field)
    assert part(card, "said").text == "Dimension 2: king 1.500, queen −1.500, river 0.000"
    asked = strips.follows[2]
    card.do(asked.act, asked.value)
    assert words.word == part(card, "strips").here == "river"


def test_the_cosine_as_arithmetic(words):
    card = words.cards["cosine"]
    ask(card, "first", "king")
    ask(card, "second", "queen")
    one = card.cosine
    assert one.words == ("king", "queen")
    assert len(part(card, "products").lines) == 6
    assert texts(part(card, "products"), 1)[:6] == ["2", "1.5000", "×", "−1.5000", "=", "−2.2500"]
    assert texts(part(card, "products"), 1)[7] == "against"
    sums, compared = part(card, "sums"), part(card, "compared")
    assert texts(sums, 5)[1] == f"{float(one.cosine):.4f}"
    # Twice as long: the dot product doubles, the cosine stays.
    assert texts(compared, 0)[1:] == [f"{float(one.dot):.4f}", f"{2 * float(one.dot):.4f}"]
    assert texts(compared, 2)[1:] == [f"{float(one.cosine):.4f}"] * 2
    largest = part(card, "largest").asks.at(True)
    card.do(largest.act, largest.value, largest.field)
    assert [texts(part(card, "products"), row)[0] for row in (0, 1)] == ["1", "2"]
    assert f"{one.angle:.1f} degrees" in part(card, "angle").drawing.summary


def test_the_arrows_of_a_cosine_are_as_long_as_the_vectors_and_at_their_angle(words):
    card = words.cards["cosine"]
    ask(card, "second", "queen")
    _, a, b = part(card, "angle").drawing.marks
    assert [np.hypot(*arrow.tip) for arrow in (a, b)] == pytest.approx([float(n) for n in card.cosine.norms])
    assert np.dot(a.tip, b.tip) == pytest.approx(float(card.cosine.dot))
    assert len({a.ink, b.ink, ACCENT}) == 3, "teal is for what can be changed"


@pytest.mark.parametrize(
    ("name", "list_", "first"),
    [
        ("neighbours", "Nearest words", "king"),
        ("odd", "Cosine with the mean of all", "mean of all"),
        ("analogy", "Words nearest to a − b + c", "king − man + woman"),
    ],
)
def test_each_cosine_of_a_list_is_shown_as_arithmetic(words, name, list_, first):
    cosine, card = words.cards["cosine"], words.cards[name]
    words.go_to("king")
    ask(words.cards["odd"], "words", "river sea lake monday")
    other, number = (texts(part(card, list_), 1)[column] for column in (WORD, COSINE))
    leads = follow(part(card, list_), 1, COSINE)
    card.do(leads.act, leads.value)
    assert cosine.cosine.words == (first, other)
    assert f"{float(cosine.cosine.cosine):.4f}" == number
    assert cosine.first.text == ("king" if first == "king" else "")
    assert ("between" in parts(cosine)) == (first != "king")
    assert words.screen.sought == [("cosine", "way back")]
    press(cosine, "way back")
    assert words.screen.sought[-1] == (name, "")
    assert words.word == "king"  # a word was not followed
    ask(cosine, "first", "sea")
    ask(cosine, "second", "lake")
    assert "way back" not in parts(cosine)


def test_following_neighbours(words):
    card = words.cards["neighbours"]
    words.go_to("river")
    assert {one.word for one in card.found[:3]} == {"sea", "lake", "boat"}
    leads = follow(part(card, "Nearest words"), 1, WORD)
    card.do(leads.act, leads.value)
    assert words.word == card.asked.text == leads.value
    assert leads.value in words.words  # it joined the others in the look-up
    ask(card, "word", "river")
    assert words.word == "river"
    assert {one.word for one in card.found[:3]} == {"sea", "lake", "boat"}


def test_a_word_that_is_clicked_while_other_vectors_come_is_not_looked_up(words):
    leads = follow(part(words.cards["neighbours"], "Nearest words"), 0, WORD)
    words.load(Vectors.of("two", ("up", "down"), np.eye(2)))
    words.cards["neighbours"].do(leads.act, leads.value)
    assert leads.value not in words.words
    assert part(words.cards["lookup"], "strips").words == ("up", "down")


def test_a_misspelt_word_gets_suggestions(words):
    card = words.cards["neighbours"]
    ask(card, "word", "kimg")
    assert problem(card, "word") == "⚠ 'kimg' is not among the words of the vectors 'small'."
    offered = [one for id, one in parts(card).items() if id.startswith("offer ")]
    (king,) = [one for one in offered if one.text == "king"]
    card.do(king.asks.act, king.asks.value, king.asks.field)
    assert problem(card, "word") == ""
    assert words.word == card.asked.text == "king"
    ask(card, "word", "kimg")
    card.do("type", "kin", "word")
    assert problem(card, "word") == ""


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_field(words, text):
    card = words.cards["neighbours"]
    ask(card, "word", text)
    assert problem(card, "word") == "⚠ This takes one word, not 0."


def test_a_comma_may_be_a_word(words):
    words.load(Vectors.of("signs", ("up", ",", "down"), np.eye(3)))
    field = words.cards["lookup"].asked
    field.type("up , down")
    assert field.entries() == ["up", ",", "down"]
    field.type("up, down;left")
    assert field.entries() == ["up", "down", "left"]


def test_beside_a_word_that_is_refused_the_list_says_whose_it_is(words):
    card = words.cards["neighbours"]
    ask(card, "word", "king")
    assert "whose" not in parts(card)
    ask(card, "word", "laptops")
    assert part(card, "whose").text == "The words nearest to <b>king</b>:"
    ask(card, "word", "queen")
    assert "whose" not in parts(card)


def test_a_vector_of_zeros_is_said_to_have_no_neighbours(words):
    words.load(Vectors.of("few", ("nothing", "up", "right", "far"), np.eye(4, 2, -1)))
    card = words.cards["neighbours"]
    ask(card, "word", "nothing")
    assert "all zeros" in part(card, "said").text
    assert not card.found
    ask(words.cards["map"], "words", "nothing up")
    assert words.cards["map"].placed.words[:2] == ("nothing", "up")
    ask(card, "word", "up")
    assert card.found
    assert "said" not in parts(card)
    leads = words.cards["cosine"]
    with pytest.raises(ExplorerError):
        words.show_cosine((np.zeros(2), np.ones(2)), ("nothing", "up"), leads)


def test_the_printed_neighbours_stand_below_those_of_other_vectors(words):
    words.load(catalogue.load("reference"))
    words.go_to("remote")
    card = words.cards["neighbours"]
    assert {one.word for one in card.found} == {"screen", "rock"}
    for printed in ("keyboard 0.9023", "sync 0.8774"):
        assert printed in part(card, "said").text


def test_the_reference_is_met(words, sample_file, tmp_path, monkeypatch):
    monkeypatch.setattr("explorer.words.cache.folder", lambda: tmp_path)
    words.cards["vectors"].open_file(sample_file)
    words.go_to("remote")
    card = words.cards["neighbours"]
    assert [one.word for one in card.found[:3]] == ["keyboard", "monitor", "plug"]
    assert texts(part(card, "Nearest words"), 0)[4] == "0.9023"
    assert words.cards["cosine"].cosine.words == ("screen", "rock")
    assert "prints 0.5682209; computed here 0.5682209 ✓" in part(words.cards["cosine"], "why").text


def test_the_odd_one_out(words):
    card = words.cards["odd"]
    ask(card, "words", "river sea lake monday")
    assert part(card, "said").text == "The odd one out is <mark>monday</mark>."
    ask(card, "words", "river sea")
    assert problem(card, "words") == "⚠ The odd one out needs 3 or more different words, not 2."
    words.load(Vectors.of("corners", tuple("abcde"), np.eye(5, dtype=np.float32)))
    ask(card, "words", "a b c d")
    assert part(card, "said").text == "None is the odd one out: all are equally far from their mean."
    words.load(Vectors.of("more", tuple("abcde"), np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], np.float32)))
    ask(card, "words", "a b c d e")
    assert part(card, "said").text.endswith("<mark>e</mark> and <mark>d</mark>: each is an odd one out.")


def test_what_was_asked_in_capitals_is_asked_of_other_vectors_too(words):
    card = words.cards["odd"]
    ask(card, "words", "King Queen River")
    words.load(small())
    assert part(card, "words field").value == "King Queen River"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("lookup", "words"),
        ("cosine", "first"),
        ("neighbours", "word"),
        ("odd", "words"),
        ("analogy", "b"),
        ("matrix", "entries"),
        ("map", "words"),
        ("send", "words"),
    ],
)
def test_what_is_being_typed_stays_when_the_words_get_other_numbers(words, name, field):
    """While the model's own table is trained, each step gives it others."""
    card = words.cards[name]
    for typed in ("king qu", ""):
        card.do("type", typed, field)
        words.load(small())
        assert (part(card, f"{field} field").value, problem(card, field)) == (typed, "")
    card.do("type", "king qu", field)
    words.load(Vectors.of("others", "abcdefgh", np.eye(8)))
    assert part(card, f"{field} field").value != "king qu"


def test_the_analogy(words):
    card = words.cards["analogy"]
    for name, word in zip("abc", ("king", "man", "woman"), strict=True):
        ask(card, name, word)
    answer = card.result.neighbours[0].word
    assert answer in ("queen", "princess")
    assert f"<mark>{answer}</mark>" in part(card, "said").text
    ends, _, *arrows = part(card, "parallelogram").drawing.marks
    first, second = (np.subtract(arrow.tip, arrow.start) for arrow in arrows[:2])
    np.testing.assert_allclose(first, second, atol=1e-6)
    assert ACCENT not in [arrow.ink for arrow in arrows], "teal is for what can be changed"
    assert ends.dashed
    # As vectors: the first three rows are the fourth.
    strips = part(card, "strips")
    np.testing.assert_allclose(strips.array[:3].sum(0), strips.array[3], atol=1e-6)
    assert strips.words == ("king", "− man", "+ woman", "= a − b + c", answer)
    assert strips.follows[3] is None
    card.do(strips.points.act, 0, strips.points.field)
    assert part(card, "sum").text.startswith("Dimension 1: ")


def test_an_example_of_an_analogy(words):
    card = words.cards["analogy"]
    (id,) = [id for id, one in parts(card).items() if id.startswith("try ") and isinstance(one, Button)]
    assert part(card, id).text == "king − man + woman"  # all other examples have words that are not there
    for field in card.abc:
        field.set([])
    press(card, id)
    assert [field.text for field in card.abc] == ["king", "man", "woman"]
    assert card.result.neighbours[0].word in ("queen", "princess")


def test_an_analogy_without_an_answer_leaves_no_picture_of_another(words):
    words.load(Vectors.of("three", ("a", "b", "c"), np.eye(3)))
    card = words.cards["analogy"]
    assert part(card, "none").text == "These vectors have no other words."
    assert not {"parallelogram", "strips"} & set(parts(card))


def test_nothing_stays_of_other_vectors_where_there_is_too_little_for_it(words):
    words.load(Vectors.of("two", ("nothing", "up"), np.eye(2, 3, -1)))
    odd, analogy = words.cards["odd"], words.cards["analogy"]
    assert part(odd, "said").text == "There are too few words for an odd one out."
    assert part(analogy, "none").text == "There are too few words for an analogy."
    for card in (odd, analogy):
        assert not any(id.startswith(("wrong ", "Words nearest", "Cosine with")) for id in parts(card))
    words.load(Vectors.of("one", ("nothing",), np.zeros((1, 3))))
    assert "products" not in parts(words.cards["cosine"])
    assert "cosines" not in parts(words.cards["matrix"])


def test_any_words(words):
    card = words.cards["matrix"]
    ask(card, "entries", "king, sea, queen, lake")
    table = part(card, "cosines")
    assert table.labels == ("king", "sea", "queen", "lake")
    assert [table.lines[i].entries[i].text for i in range(4)] == ["1.00"] * 4
    alike = part(card, "alike").asks.at(True)
    card.do(alike.act, alike.value, alike.field)
    labels = part(card, "cosines").labels
    assert {frozenset(labels[:2]), frozenset(labels[2:])} == {frozenset({"king", "queen"}), frozenset({"sea", "lake"})}
    assert table.name.startswith("4 by 4 cosines. Most alike: ")


def test_sentences_and_their_weakness(words):
    card = words.cards["matrix"]
    ask(card, "entries", "the king man, man king, sea")
    table = part(card, "cosines")
    assert table.labels == ("the king man", "man king", "sea")
    assert texts(table, 0)[1] == "1.00"
    assert "does not depend on the order" in part(card, "said").text
    assert "left out: the" in part(card, "said").text


def test_a_cosine_of_the_square_is_shown_as_arithmetic(words):
    card, cosine = words.cards["matrix"], words.cards["cosine"]
    ask(card, "entries", "king, sea, queen king, lake")
    leads = follow(part(card, "cosines"), 2, 3)
    card.do(leads.act, leads.value)
    assert cosine.cosine.words == ("queen king", "lake")
    assert written(round(float(cosine.cosine.cosine), 2), 2) == texts(part(card, "cosines"), 2)[3]


def test_all_misspelt_words_are_named_in_one_sentence(words):
    """Only the first was, and the next one when that was mended."""
    for name, field, comma in (("matrix", "entries", ", "), ("lookup", "words", " ")):
        card = words.cards[name]
        ask(card, field, comma.join(("boat", "kinng", "quen", "kinng")))
        assert problem(card, field) == "⚠ 'kinng' and 'quen' are not among the words of the vectors 'small'."
        press(card, f"offer 0 {field}")
        assert problem(card, field) == "⚠ 'quen' is not among the words of the vectors 'small'."
        press(card, f"offer 0 {field}")
        assert problem(card, field) == ""
        assert part(card, f"{field} field").value.startswith(comma.join(("boat", "king", "queen")))


def test_each_field_of_an_analogy_tells_its_misspelt_word(words):
    card = words.cards["analogy"]
    for field, word in zip("abc", ("kinng", "man", "quen"), strict=True):
        card.do("type", word, field)
    card.do("find")
    assert ["'kinng'" in problem(card, "a"), problem(card, "b"), "'quen'" in problem(card, "c")] == [True, "", True]


def test_too_few(words):
    card = words.cards["matrix"]
    ask(card, "entries", "king")
    assert problem(card, "entries") == "⚠ This takes 2 to 24 words or sentences, with commas between, not 1."


def test_the_square_offers_a_word_for_a_misspelt_one(words):
    """It alone did not, of all fields for words."""
    card = words.cards["matrix"]
    ask(card, "entries", "river, kinng, boat")
    press(card, "offer 0 entries")
    assert part(card, "entries field").value == "river, king, boat"
    assert part(card, "cosines").labels == ("river", "king", "boat")
    ask(card, "entries", "king, nothing known")
    assert problem(card, "entries")
    assert not any(id.startswith("offer ") for id in parts(card))


def test_a_word_that_is_offered_takes_the_error_away_where_enter_asks_for_nothing(words):
    card = words.cards["send"]
    card.do("type", "kinng queen", "words")
    assert card.command() is None
    press(card, "offer 0 words")
    assert (part(card, "words field").value, problem(card, "words")) == ("king queen", "")
    assert card.command() is not None


def test_a_product_of_zero_neither_agrees_nor_pulls_apart():
    u, v = np.array([1, 1, 0, 2], np.float32), np.array([1, -1, 3, 0], np.float32)
    found = {part.id: part for one in outcome(cosine_of((u, v), ("a", "b")), False) for part in leaves(one)}
    said = [line.entries[0].text for line in found["sums"].lines[:2]]
    assert said == ["1 of 4 dimensions agrees", "1 pulls apart"]


WORDS = {"king": (2, 1), "man": (2, 0), "woman": (0, 2), "queen": (0, 3), "river": (-2, -1)}


def vectors():
    return Vectors.of("small", WORDS, np.array(list(WORDS.values()), np.float32))


def test_the_neighbours_of_a_word():
    listing = named(vectors(), "king")
    assert listing.lines[0].entries[1].text == "man"
    assert "king" not in [line.entries[1].text for line in listing.lines]


def test_an_analogy():
    assert named(vectors(), "king - man + woman").lines[0].entries[1].text == "queen"


def test_words_that_are_not_there_show_nothing():
    assert named(vectors(), "emma") is None
    assert named(vectors(), "king - man + emma") is None


def test_a_small_cosine_has_two_decimals_like_the_others():
    """Among 0.57 and −0.07 it was "−2.4e−3"."""
    (line, _) = square(("sea", "woman"), np.array([[1.0, -0.0024], [-0.0024, 1.0]])).lines
    assert [entry.text for entry in line.entries] == ["1.00", "0.00"]
    assert line.entries[1].tip == "sea and woman: −0.0024"
