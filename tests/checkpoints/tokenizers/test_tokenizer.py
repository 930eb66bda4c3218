"""Tokenizers with a part changed by chance: each is read and takes texts apart, or is refused in a sentence."""

import json
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.checkpoints.tokenizers.tokenizer import from_json, named
from explorer.core.errors import ExplorerError

BYTES = {f"<0x{i:02X}>": i + 3 for i in range(256)}
WORDS = {"<unk>": 0, "<s>": 1, "</s>": 2, **BYTES, "▁": 259, "a": 260, "b": 261, "▁a": 262, "ab": 263, "▁ab": 264}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
}
PAIRS = {
    "added_tokens": [{"id": 1, "content": "<s>", "special": True}, {"id": 2, "content": "</s>", "lstrip": True}],
    "normalizer": {
        "type": "Sequence",
        "normalizers": [
            {"type": "NFKC"},
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    },
    "pre_tokenizer": {
        "type": "Split",
        "pattern": {"Regex": r"\p{N}{1,3}| ?[^\s\p{L}]+|\s+(?!\S)|.+"},
        "behavior": "Isolated",
        "invert": False,
    },
    "post_processor": TEMPLATE,
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
    "model": {
        "type": "BPE",
        "vocab": WORDS,
        "merges": [["▁", "a"], ["a", "b"], ["▁a", "b"], "▁ ab"],
        "unk_token": "<unk>",
        "byte_fallback": True,
    },
}
UNIGRAM = {
    **PAIRS,
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [[word, -0.1 * i] for word, i in WORDS.items()]},
}
BERT = {
    "added_tokens": [{"id": 0, "content": "<unk>", "special": True}],
    "normalizer": {"type": "BertNormalizer", "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {"type": "WordPiece", "vocab": {**WORDS, "##b": 265}, "unk_token": "<unk>"},
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["(a+)+$", "(", "▁", "<0x41>", "Sequence", "ByteLevel", "Removed", [], {}, [[]], [1, 2], "\ud800"]),
    st.recursive(st.none(), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner)),
)
TEXTS = ["", "ab a  b", "<s>é</s> 12,\n", "a" * 300 + "!", "\ud800\x00👩\u200d👧"]


@given(st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("said", [PAIRS, UNIGRAM, BERT], ids=["pairs", "unigram", "bert"])
def test_a_changed_tokenizer_works_or_is_refused(said, data):
    changed = deepcopy(said)
    for _ in range(data.draw(st.integers(1, 3))):
        at = changed
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(at[key], dict | list) and at[key] and data.draw(st.integers(0, 4)):
                at = at[key]
                continue
            at[key] = deepcopy(data.draw(ODD))
            break
    problem = problem_of(json.dumps(changed))
    assert "\n" not in problem


def problem_of(said):
    """Read a tokenizer and take texts apart with it. What is wrong with it, if it is refused."""
    try:
        tokenizer = from_json(said)
        words = named(tokenizer, 300)
        ids = [tokenizer.encode(text) for text in TEXTS]
        decoded = [tokenizer.decode(one) for one in ids]
    except ExplorerError as error:
        return error.fields["problem"] if error.id == "tokenizer" else f"\n{error}"
    fit = all(type(number) is int and number >= 0 for one in ids for number in one)
    return "" if len(set(words)) == 300 and fit and all(isinstance(text, str) for text in decoded) else "\nwrong"


@given(st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_bytes_that_are_no_tokenizer_are_refused(raw):
    with pytest.raises(ExplorerError) as error:
        from_json(raw.decode(errors="replace"))
    assert error.value.id == "tokenizer"
