"""Pieces that came with a tokenizer, with one here that takes a text apart into letters."""

from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.byte_pairs import are_pieces, tokens_of, typed, unit
from explorer.core.training.data import vocabulary
from explorer.core.vocabulary import Vocabulary, token_ids, with_words


@given(st.lists(st.sampled_from("abcdefgh")), st.integers(2, 9))
def test_a_vocabulary_numbers_every_word_of_its_text(words, most):
    known = vocabulary(words, most)
    assert len(known) == len(set(known)) <= most
    for word, number in zip(words, token_ids(words, known), strict=True):
        assert known[number] == (word if word in known else "<unk>")


def test_an_unknown_word():
    with refuses("'mat' is not in the vocabulary"):
        token_ids(["cat", "mat"], ("cat",))


class Letters:
    """A blank and the letters a to c; a text has a blank before it, and <s> stands before that."""

    source = "letters"

    def encode(self, text, marks=True):
        return [*([0] if marks else []), *(" abc".index(c) + 1 for c in f" {text}")]

    def decode(self, ids):
        return "".join("#\0"[i == 0] if i > 4 else " abc"[i - 1] for i in ids if i)[1:]


KNOWN = Vocabulary(("<s>", "␣", "a", "b", "c", "␣a"), Letters())


def test_a_whole_text_has_its_marks_and_a_part_has_none():
    assert tokens_of("ab", KNOWN) == ["<s>", "␣", "a", "b"]
    assert tokens_of("ab", KNOWN, whole=False) == ["␣", "a", "b"]


def test_the_blank_that_the_tokenizer_puts_there_is_not_put_twice():
    assert tokens_of("␣ab", KNOWN, whole=False) == ["␣", "a", "b"]


def test_a_blank_that_the_tokenizer_adds_only_where_there_is_none_stays():
    class AtMostOne(Letters):
        def encode(self, text, marks=True):
            return super().encode(text.removeprefix(" "), marks)

    assert tokens_of("␣␣b", Vocabulary(KNOWN, AtMostOne()), whole=False) == ["␣", "␣", "b"]


def test_the_pieces_of_a_model_may_be_fewer_than_those_of_its_tokenizer():
    assert tokens_of("␣ab", Vocabulary(("<s>",), Letters()), whole=False) == []


def test_a_piece_that_is_typed_as_it_is_shown_is_that_piece():
    assert tokens_of("␣a", KNOWN, whole=False) == ["␣a"]
    assert tokens_of("b", KNOWN, whole=False) == ["b"]


def test_what_was_taken_apart_is_typed_as_it_was():
    assert typed(tokens_of("ab c", KNOWN), KNOWN) == "ab c"
    assert are_pieces(KNOWN)
    assert unit(KNOWN) == "piece"


def test_a_word_more_leaves_the_tokenizer_where_it_is():
    longer = with_words(KNOWN, ["<end>"])
    assert isinstance(longer, Vocabulary)
    assert longer == (*KNOWN, "<end>")
    assert with_words(KNOWN, ["a"]) is KNOWN
