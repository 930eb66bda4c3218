"""The page of byte-pair encoding.

The page of pieces for a model that came with a tokenizer.
"""

import json

import pytest

from explorer.checkpoints.tokenizers.tokenizer import from_json, named
from explorer.core.vocabulary import encode, label, learn
from explorer.document.commands import SetTokens
from explorer.pages.levels import PIECES
from explorer.pages.model.pieces import MERGES, OWN_WORD, TAUGHT, TEXT, WORD, own_steps


@pytest.fixture
def low(desk):
    """A sentence that teaches something, learned from itself."""
    of = desk("tiny-gpt")
    of.do(SetTokens("input", ["low", "low", "lower", "newest", "newest", "widest"]))
    of.choose(TAUGHT, 0)
    return of


def test_the_pieces_are_those_of_the_merges(low):
    low.choose(MERGES, 4)
    page = low.page(PIECES.name)
    sentence = "low low lower newest newest widest"
    merges = learn(sentence, 4)
    pieces, ids, _ = page.texts("pieces")
    assert pieces == [label(piece) for piece in encode(sentence, merges)]
    assert [row[2] for row in page.texts("merge list")] == [label(merge.piece) for merge in merges]
    assert all(int(number) < 256 + 4 for number in ids)


def test_without_merges_there_are_bytes(low):
    low.choose(MERGES, 0)
    page = low.page(PIECES.name)
    sentence = "low low lower newest newest widest"
    assert len(page.texts("pieces")[0]) == len(sentence)
    assert not page.has("merge list"), "an empty table would say nothing"
    assert "No merge is used" in page.notes
    low.do(SetTokens("input", ["I"]))
    assert "no two pieces stand side by side twice" in low.page(PIECES.name).notes


def test_a_word_is_followed_from_bytes_to_pieces(low):
    low.choose(WORD, 2)
    rows = low.page(PIECES.name).texts("steps")
    assert rows[0][:2] == ["bytes", "␣ · l · o · w · e · r"]
    assert [int(row[2]) for row in rows] == sorted((int(row[2]) for row in rows), reverse=True)


def test_a_grammar_teaches_more_than_a_sentence(desk):
    of = desk("tiny-gpt")
    from_grammar = of.page(PIECES.name).the("merge list").lines
    of.choose(TAUGHT, 0)
    assert len(of.page(PIECES.name).the("merge list").lines) < len(from_grammar)


def test_a_model_that_reads_pieces_shows_its_own(desk):
    of = desk("tiny-reader")
    page = of.page(PIECES.name)
    pieces, ids, _ = page.texts("pieces")
    assert tuple(pieces) == of.view.labels("input")
    assert [int(i) for i in ids] == of.value("input.tokens").tolist()
    assert len(page.the("merge list").lines) == 512


def test_merges_are_learned_from_a_text_that_somebody_types(desk):
    of = desk("tiny-reader")
    own = len(of.page(PIECES.name).the("taught").options) - 1
    of.choose(TAUGHT, own)
    of.choose(TEXT, "low low lower newest newest widest")
    page = of.page(PIECES.name)
    assert page.the("own text").value == "low low lower newest newest widest"
    merges = learn("low low lower newest newest widest", 60)
    assert [row[2] for row in page.texts("merge list")] == [label(merge.piece) for merge in merges]


SAID = {
    "added_tokens": [{"id": 5, "content": "<s>", "special": True}],
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
        "special_tokens": {"<s>": {"ids": [5]}},
    },
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "merges": ["a b", "ab c"]},
}
UNIGRAM = {
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "model": {"type": "Unigram", "vocab": [["a", -1.0], ["b", -1.5], ["c", -2.0], ["ab", -2.25]], "unk_id": 0},
}


class Chosen:
    """What stands in the place of a view: numbers that somebody chose."""

    def __init__(self, **chosen):
        self.chosen = chosen

    def number(self, name, default, low, high):
        return self.chosen.get(name, default)


def lines_of(said, name, sentence, **chosen):
    known = named(from_json(json.dumps(said)), 6)
    listing = next(one for one in own_steps(Chosen(**chosen), known, sentence) if one.id == name)
    return [[entry.text for entry in line.entries] for line in listing.lines]


def test_each_part_stands_beside_its_pieces():
    assert lines_of(SAID, "own pieces", "ab" * 10)[0][0] == "ab" * 9 + " …"
    assert lines_of(SAID, "own pieces", "ab abc <s>c") == [
        ["ab", "ab", "3"],
        ["abc", "abc", "4"],
        ["<s>", "<s>", "5"],
        ["c", "c", "2"],
    ]


def test_parts_of_bytes_are_written_as_what_they_say():
    level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    model = {"type": "BPE", "vocab": {"a": 0, "Ġ": 1, "Ã": 2, "©": 3, "Ġa": 4}, "merges": ["Ġ a"]}
    said = {**SAID, "added_tokens": [], "model": model, "pre_tokenizer": level, "decoder": level}
    assert [line[0] for line in lines_of(said, "own pieces", "a aé")] == ["a", "␣aé"]


def test_a_part_is_followed_merge_by_merge():
    assert lines_of(SAID, "own steps", "ab abc", **{OWN_WORD: 1}) == [
        ["0", "a · b · c", "3"],
        ["1", "ab · c", "2"],
        ["2", "abc", "1"],
    ]


def test_the_scores_of_a_unigram_model_are_shown_with_their_sum():
    assert lines_of(UNIGRAM, "own steps", "abc") == [["ab", "−2.250", "−2.250"], ["c", "−2.000", "−4.250"]]


def told_of(said, sentence):
    known = named(from_json(json.dumps(said)), 6)
    return next(one for one in own_steps(Chosen(), known, sentence) if one.id == "own about").text


def test_what_becomes_of_blanks_and_which_marks_stand_around_is_told_of_each_tokenizer():
    """Parts of BERT were "with a sign for each blank", which they do not have."""
    level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    model = {"type": "BPE", "vocab": {"a": 0, "Ġ": 1, "Ġa": 2}, "merges": ["Ġ a"]}
    bytes_ = {
        **SAID,
        "added_tokens": [],
        "model": model,
        "pre_tokenizer": level,
        "decoder": level,
        "post_processor": None,
    }
    end = [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "<s>"}}]
    behind = {**SAID, "post_processor": {**SAID["post_processor"], "single": end}}
    both = {**SAID, "post_processor": {**SAID["post_processor"], "single": [{"SpecialToken": {"id": "<s>"}}, *end]}}
    split = "A text is first split into the parts below"
    assert f"{split}, and the blanks between them are left out; no piece" in told_of(SAID, "ab abc")
    assert f"{split}; no piece" in told_of(SAID, "ab")
    assert f"{split}, with ␣ for each blank; no piece" in told_of(bytes_, "a a")
    assert told_of(bytes_, "a a").endswith("no piece belongs to two parts.")
    assert told_of(SAID, "ab").endswith("parts. Before a text stands &lt;s&gt;.")
    assert told_of(behind, "ab").endswith("parts. After a text stands &lt;s&gt;.")
    assert told_of(both, "ab").endswith("parts. Before a text stands &lt;s&gt;, after it &lt;s&gt;.")
