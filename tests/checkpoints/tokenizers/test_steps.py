"""Each step of a tokenizer by itself, with what tokenizers 0.23.3 makes of the same."""

import pytest

from explorer.checkpoints.tokenizers.fields import Fields
from explorer.checkpoints.tokenizers.steps import decoder, normalizer, pre_tokenizer
from explorer.core.errors import ExplorerError
from tests.samples import each

NORMALIZED = [
    ({"type": "NFKC"}, "ﬁ½①", "fi1⁄21"),
    ({"type": "Lowercase"}, "ΑΣ ẞ", "ασ ß"),
    ({"type": "StripAccents"}, "é", "e"),
    ({"type": "Strip", "strip_left": True, "strip_right": False}, " \ta ", "a "),
    ({"type": "ByteLevel"}, "é x", "Ã©Ġx"),
    ({"type": "Nmt"}, "a\tb\u200bc\x07", "a b c"),
    ({"type": "Prepend", "prepend": "▁"}, "ab", "▁ab"),
    ({"type": "Prepend", "prepend": "▁"}, "", ""),
    ({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"}, "a   b c", "a_b c"),
    ({"type": "Replace", "pattern": {"String": "a"}, "content": "bb"}, "aba", "bbbbb"),
    (
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "É\x00 日a\n",
        "e  日 a ",
    ),
    (
        {
            "type": "BertNormalizer",
            "clean_text": False,
            "handle_chinese_chars": False,
            "strip_accents": False,
            "lowercase": True,
        },
        "É日",
        "é日",
    ),
    ({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]}, "é", "e"),
]
SPLIT = [
    (
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "It's 12  é",
        ["It", "'s", "Ġ12", "Ġ", "ĠÃ©"],
    ),
    ({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False}, "a b", ["ĠaĠb"]),
    ({"type": "BertPreTokenizer"}, "a,b  c!", ["a", ",", "b", "c", "!"]),
    ({"type": "Whitespace"}, "a_b, c", ["a_b", ",", "c"]),
    ({"type": "WhitespaceSplit"}, " a,b  c", ["a,b", "c"]),
    ({"type": "Digits", "individual_digits": True}, "a12b", ["a", "1", "2", "b"]),
    ({"type": "Digits", "individual_digits": False}, "a12b½", ["a", "12", "b", "½"]),
    ({"type": "Punctuation", "behavior": "Contiguous"}, "a!?b", ["a", "!?", "b"]),
    ({"type": "CharDelimiterSplit", "delimiter": "-"}, "a--b-c", ["a", "b", "c"]),
    ({"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Removed", "invert": False}, "1a22b", ["a", "b"]),
    ({"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Removed", "invert": True}, "1a22b", ["1", "2", "2"]),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Isolated", "invert": False},
        "1a22b",
        ["1", "a", "2", "2", "b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Isolated", "invert": True},
        "1a22b",
        ["1", "a", "2", "2", "b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "MergedWithPrevious", "invert": False},
        "1a22b",
        ["1", "a2", "2", "b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "MergedWithPrevious", "invert": True},
        "1a22b",
        ["1a", "2", "2b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "MergedWithNext", "invert": False},
        "1a22b",
        ["1a", "2", "2b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "MergedWithNext", "invert": True},
        "1a22b",
        ["1", "a2", "2", "b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Contiguous", "invert": False},
        "1a22b",
        ["1", "a", "22", "b"],
    ),
    (
        {"type": "Split", "pattern": {"Regex": "[0-9]"}, "behavior": "Contiguous", "invert": True},
        "1a22b",
        ["1", "a", "22", "b"],
    ),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}, "a  b", ["▁a", "▁", "▁b"]),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}, " a", ["▁a"]),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}, "a b", ["a", "▁b"]),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}, "a b", ["▁a▁b"]),
    (
        {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            ],
        },
        "a b",
        ["▁a", "▁b"],
    ),
    (
        {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"String": "-"}, "behavior": "Isolated", "invert": False},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
            ],
        },
        "a-b",
        ["▁a", "-", "b"],
    ),
    *[
        (
            {
                "type": "Sequence",
                "pretokenizers": [
                    {"type": "WhitespaceSplit"},
                    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
                ],
            },
            text,
            pieces,
        )
        for text, pieces in (("a b", ["▁a", "b"]), (" a b", ["a", "b"]))  # the text begins with the blank left out
    ],
]
DECODED = [
    (
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        ["Ġa", "Ã", "©", "Ã"],
        " aé�",
    ),
    ({"type": "WordPiece", "prefix": "##", "cleanup": True}, ["do", "##ing", "n", "'", "s", "."], "doing n ' s."),
    ({"type": "WordPiece", "prefix": "##", "cleanup": False}, ["a", "."], "a ."),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}, ["▁a▁", "b", "▁c"], "ab c"),
    ({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}, ["▁a", "▁c"], " a c"),
    ({"type": "BPEDecoder", "suffix": "</w>"}, ["a", "b</w>", "c</w>"], "ab c"),
    ({"type": "ByteFallback"}, ["a", "<0xC3>", "<0xA9>", "b", "<0xC3>", "c"], "aéb�c"),
    (
        {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        ["▁▁a", "<0x0A>"],
        " a\n",
    ),
]


@each(("said", "text", "expected"), NORMALIZED)
def test_normalized(said, text, expected):
    assert normalizer(Fields(said))(text) == expected


@each(("said", "text", "expected"), SPLIT)
def test_split(said, text, expected):
    assert pre_tokenizer(Fields(said))(text, True) == expected


@each(("said", "pieces", "expected"), DECODED)
def test_decoded(said, pieces, expected):
    assert "".join(decoder(Fields(said) if said else None)(pieces)) == expected


@each("make", [normalizer, pre_tokenizer, decoder])
@each(
    "said",
    [
        {},
        {"type": "Magic"},
        {"type": ["Sequence"]},
        {"type": "Sequence"},
        {"type": "Split"},
        {"type": "Replace", "pattern": {"Regex": "("}, "content": ""},
        {"type": "Replace", "pattern": {"String": ""}, "content": "a"},
        {"type": "Strip", "content": "ab", "strip_left": 1},
        {"type": "Metaspace", "prepend_scheme": "sometimes"},
    ],
)
def test_what_is_no_step_is_refused(make, said):
    with pytest.raises(ExplorerError) as error:
        make(Fields(said))
    assert error.value.id == "tokenizer"


def test_a_step_makes_no_text_without_end():
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}
    many = normalizer(Fields({"type": "Sequence", "normalizers": [step] * 9}))
    with pytest.raises(ExplorerError) as error:
        many("aaa")
    assert error.value.id == "tokenizer"


def test_a_pattern_that_comes_to_no_end_is_given_up():
    split = pre_tokenizer(Fields({"type": "Split", "pattern": {"Regex": "(a|aa)+$"}, "behavior": "Isolated"}))
    with pytest.raises(ExplorerError) as error:
        split("a" * 100 + "b", True)
    assert "too long" in error.value.fields["problem"]
