"""The page of pieces for a model that came with a tokenizer."""

import json

from explorer.checkpoints.tokenizers.pieces import named
from explorer.checkpoints.tokenizers.tokenizer_json import from_json
from explorer.pages.tokenizer_steps import OWN_WORD, own_steps

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
    assert lines_of(SAID, "own pieces", "ab abc <s>c") == [
        ["ab", "ab", "3"],
        ["abc", "abc", "4"],
        ["<s>", "<s>", "5"],
        ["c", "c", "2"],
    ]


def test_a_part_is_followed_merge_by_merge():
    assert lines_of(SAID, "own steps", "ab abc", **{OWN_WORD: 1}) == [
        ["0", "a · b · c", "3"],
        ["1", "ab · c", "2"],
        ["2", "abc", "1"],
    ]


def test_the_scores_of_a_unigram_model_are_shown_with_their_sum():
    assert lines_of(UNIGRAM, "own steps", "abc") == [["ab", "−2.250", "−2.250"], ["c", "−2.000", "−4.250"]]
