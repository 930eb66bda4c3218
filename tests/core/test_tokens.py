from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.tokens import token_ids
from explorer.core.training.text import vocabulary


@given(st.lists(st.sampled_from("abcdefgh")), st.integers(2, 9))
def test_a_vocabulary_numbers_every_word_of_its_text(words, most):
    known = vocabulary(words, most)
    assert len(known) == len(set(known)) <= most
    for word, number in zip(words, token_ids(words, known), strict=True):
        assert known[number] == (word if word in known else "<unk>")


def test_an_unknown_word():
    with refuses("'mat' is not in the vocabulary"):
        token_ids(["cat", "mat"], ("cat",))
