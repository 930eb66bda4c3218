"""Tokenizers of folders: files from before there was tokenizer.json, and SentencePiece's, all written here.

And where the reference tokenizers are there, the same numbers and texts for all strings that they were tried with.
"""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from explorer.checkpoints.hugging_face import tokenizer_of
from explorer.checkpoints.tokenizers.fields import BYTE_OF_LETTER
from explorer.core.errors import ExplorerError

LETTERS = list(BYTE_OF_LETTER)
KNOWN = {piece: number for number, piece in enumerate([*LETTERS, "Ġa", "12", "<|endoftext|>", "<s>", "</s>", "<mask>"])}
A, TWO, END, FIRST, LAST, MASK = range(256, 262)
MERGES = "#version: 0.2\nĠ a\n1 2\n"
GIVEN = Path(__file__).parents[3] / "shared" / "checkpoints" / "given"
FOLDERS = sorted(path.parent for path in GIVEN.glob("**/tokens.json"))
OTHERWISE = ("bert", "stories260k")
"""One has a mask put in the place of a piece, the other the ids of a longer text."""
there = pytest.mark.skipif(
    not FOLDERS, reason="the reference tokenizers are not part of the project; developers have them beside it"
)


@pytest.fixture
def folder(tmp_path):
    """Writes files into a folder; gives its tokenizer."""

    def write(kind, settings=None, **files):
        (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings or {}))
        for name, content in files.items():
            file = tmp_path / name.replace("_json", ".json").replace("_txt", ".txt").replace("_model", ".model")
            text = content if isinstance(content, (str, bytes)) else json.dumps(content)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        return tokenizer_of(tmp_path)

    return write


def letters(text):
    return [LETTERS.index(chr(byte) if chr(byte) in LETTERS else "Ġ") for byte in text.encode()]


@pytest.mark.parametrize(
    ("kind", "settings", "ids"),
    [
        ("gpt2", {}, [*letters("b"), A, *letters(" "), TWO, END]),
        ("gpt2", {"add_prefix_space": True}, [*letters(" b"), A, *letters(" "), TWO, END]),
        (
            "opt",
            {"add_bos_token": True, "bos_token": {"content": "</s>"}},
            [LAST, *letters("b"), A, *letters(" "), TWO, END],
        ),
        ("roberta", {}, [FIRST, *letters("b"), A, *letters(" "), TWO, *letters("<|endoftext|>"), LAST]),
        ("qwen2", {}, [*letters("b"), A, *letters(" 12"), END]),
        ("other", {"tokenizer_class": "Qwen2TokenizerFast"}, [*letters("b"), A, *letters(" 12"), END]),
    ],
)
def test_byte_pairs_have_the_marks_and_cuts_of_their_model(folder, kind, settings, ids):
    found = folder(kind, settings, vocab_json=KNOWN, merges_txt=MERGES)
    assert folder(kind, settings, vocab_json=KNOWN, merges_txt=MERGES.replace("\n", "\r\n")).encode(
        "b a"
    ) == found.encode("b a")
    assert found.encode("b a 12<|endoftext|>") == ids
    assert found.decode(ids).strip() == ("b a 12<|endoftext|>" if kind == "roberta" else "b a 12")


def test_pieces_that_a_folder_adds_are_looked_for_in_the_text(folder):
    files = {"vocab_json": KNOWN, "merges_txt": MERGES}
    found = folder("gpt2", added_tokens_json={"<new>": 262}, **files)
    assert found.encode("b<new>") == [*letters("b"), 262]
    assert found.decode([262]) == "<new>"
    said = {"content": "<other>", "lstrip": True, "special": True}
    found = folder("gpt2", {"added_tokens_decoder": {"263": said, "x": said, "9": 5, "9" * 5000: said}}, **files)
    assert found.encode("b  <other>") == [*letters("b"), 263]
    assert found.decode([263]) == ""
    said = {"content": "<w>", "rstrip": True, "single_word": True}
    found = folder("gpt2", {"added_tokens_decoder": {"263": said}}, **files)
    assert found.encode("<w>  <w>.a") == [263, 263, *letters(".a")]
    for word in ("a<w>", "<w>a"):
        assert found.encode(word) == letters(word)


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "é", "e", "中", "The"]


@pytest.mark.parametrize(
    ("settings", "pieces"),
    [
        ({}, ["the", "cat", "##s", "e", "中", "[MASK]"]),
        ({"do_lower_case": False}, ["The", "cat", "##s", "é", "中", "[MASK]"]),
        ({"strip_accents": False}, ["the", "cat", "##s", "é", "中", "[MASK]"]),
        ({"tokenize_chinese_chars": False}, ["the", "cat", "##s", "[UNK]", "[MASK]"]),
    ],
)
def test_word_pieces_stand_one_on_a_line(folder, settings, pieces):
    found = folder("bert", settings, vocab_txt="\n".join(WORDS) + "\n")
    ids = found.encode("The cats é中[MASK]")
    assert [found.pieces[i] for i in ids] == ["[CLS]", *pieces, "[SEP]"]
    assert found.decode(found.encode("the cats")) == "the cats"


def message(*fields):
    """A message of protobuf: pairs of a number and a value."""
    raw = b""
    for number, value in fields:
        kind, body = 0, b""
        if isinstance(value, float):
            kind, body = 5, struct.pack("<f", value)
        elif isinstance(value, bytes):
            kind, body = 2, bytes([len(value) & 127 | 128, len(value) >> 7]) + value
        else:
            body = bytes([value])
        key = number << 3 | kind
        raw += (bytes([key & 127 | 128, key >> 7]) if key > 127 else bytes([key])) + body
    return raw


def sentencepiece(pieces, trained=(), rules=()):
    """`pieces`: text, score, kind."""
    parts = [(1, message((1, text.encode()), (2, score), (3, kind))) for text, score, kind in pieces]
    return message(*parts, (2, message(*trained)), (3, message(*rules)))


PIECES = [("<unk>", 0.0, 2), ("</s>", 0.0, 3), ("▁", -2.0, 1), ("a", -3.0, 1), ("\n", -4.0, 1), ("▁a", -2.5, 1)]


@pytest.mark.parametrize("kind", [1, 2])
def test_at_its_ends_a_text_loses_blanks_only(folder, kind):
    found = folder("t5", spiece_model=sentencepiece(PIECES, [(3, kind)], [(3, 1), (4, 1), (5, 1)]))
    assert [found.pieces[i] for i in found.encode("  a  a\n ", False)] == ["▁a", "▁a", "\n"]
    assert [found.pieces[i] for i in found.encode("\na", False)] == ["▁", "\n", "a"]
    kept = folder("t5", spiece_model=sentencepiece(PIECES, [(3, kind)], [(3, 1), (4, 0), (5, 1)]))
    assert [kept.pieces[i] for i in kept.encode(" a ", False)] == ["▁", "▁a", "▁"]
    assert kept.decode(kept.encode("  a", False)) == "  a"
    assert found.decode([2, 2, 5]) == "a"


def test_between_ways_that_are_as_likely_it_is_what_float32_says(folder):
    """The sum of the float32 nearest to -0.1 and -0.2 is that nearest to -0.3 in float32, and more in float64."""
    pieces = [*PIECES[:2], ("a", -0.1, 1), ("b", -0.2, 1), ("ab", -0.3, 1)]
    found = folder("t5", spiece_model=sentencepiece(pieces, [(3, 1)], [(3, 0), (4, 0), (5, 1)]))
    assert [found.pieces[i] for i in found.encode("ab", False)] == ["ab"]


def test_pieces_of_users_are_found_behind_a_word(folder):
    pieces = [*PIECES, ("<new>", 0.0, 4)]
    found = folder("llama", tokenizer_model=sentencepiece(pieces, [(3, 2)], [(3, 1), (4, 0), (5, 1)]))
    assert [found.pieces[i] for i in found.encode("a<new>", False)] == ["▁a", "<new>"]


@pytest.mark.parametrize(("mark", "settings"), [("<s>", {}), ("<bos>", {"bos_token": {"content": "<bos>"}})])
def test_a_text_begins_with_the_mark_of_its_model(folder, mark, settings):
    """Gemma's is <bos>; only <s> was looked for, and a text had none."""
    raw = sentencepiece([*PIECES, (mark, 0.0, 3)], [(3, 2)], [(3, 1), (4, 0), (5, 1)])
    found = folder("gemma", settings, tokenizer_model=raw)
    assert [found.pieces[i] for i in found.encode("a")] == [mark, "▁a"]


def test_behind_a_piece_of_users_no_text_begins(folder):
    """Each part between such pieces got a blank of its own; a line break that the map makes a blank was each blank."""
    pieces = [*PIECES[:4], ("▁a", -2.5, 1), ("<new>", 0.0, 4), ("\n", 0.0, 4)]
    found = folder("llama", tokenizer_model=sentencepiece(pieces, [(3, 2)], [(3, 1), (4, 0), (5, 1)]))
    assert [found.pieces[i] for i in found.encode("a<new>a\na", False)] == ["▁a", "<new>", "a", "\n", "a"]
    assert [found.pieces[i] for i in found.encode("<new>", False)] == ["▁", "<new>"]
    for before, begin in ((1, ["▁a"]), (0, ["a"])):
        rules = [(2, map_of("\n", " ")), (3, before), (4, 0), (5, 1)]
        found = folder("llama", tokenizer_model=sentencepiece(pieces, [(3, 2)], rules))
        assert [found.pieces[i] for i in found.encode("a a\na", False)] == [*begin, "▁a", "\n", "a"]


def map_of(letter, content):
    """A map of characters with one entry: a double array whose root leads to the letter, and that to its text."""
    units = [0] * 512
    at, leaf = 256 ^ ord(letter), 300
    units[0] = 256 << 10
    units[at] = ord(letter) | 1 << 8 | (at ^ leaf) << 10
    units[leaf] = 1 << 31
    array = struct.pack("<512I", *units)
    return struct.pack("<I", len(array)) + array + content.encode() + b"\0"


def test_blanks_behind_words_are_refused(folder):
    with pytest.raises(ExplorerError) as error:
        folder("t5", spiece_model=sentencepiece(PIECES, [(3, 1), (24, 1)]))
    assert "behind words" in error.value.fields["problem"]


@pytest.mark.parametrize(
    "files",
    [
        {"vocab_json": [1], "merges_txt": MERGES},
        {"vocab_json": KNOWN, "merges_txt": "no pair of pieces"},
        {"vocab_txt": "a\nb\n"},
        {"vocab_txt": b"\xff\xfe\x00"},
        {"vocab_json": KNOWN, "merges_txt": MERGES, "added_tokens_json": {"x": 10**12}},
    ],
)
def test_files_that_are_none_are_refused_in_a_sentence(folder, files):
    with pytest.raises(ExplorerError) as error:
        folder("bert", {"do_lower_case": False}, **files)
    assert error.value.id == "tokenizer"


def test_settings_that_are_none_are_refused_too(folder):
    with pytest.raises(ExplorerError) as error:
        folder("bert", {"do_lower_case": "x"}, vocab_txt="\n".join(WORDS))
    assert "lowercase" in error.value.fields["problem"]


@there
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_texts_have_the_pieces_that_the_library_finds_and_come_back(folder):
    tokenizer, expected = tokenizer_of(folder), json.loads((folder / "tokens.json").read_text("utf-8"))
    for one in expected["strings"]:
        text, ids = one["text"], one["ids_special"]
        assert tokenizer.encode(text) == ids, text
        assert tokenizer.decode(ids) == one["decoded_skip"], text
        if "ids" in one:
            assert tokenizer.encode(text, marks=False) == one["ids"], text
            assert tokenizer.decode(one["ids"], marks=True) == one["decoded"], text
            assert tokenizer.decode(ids, marks=True) == one["decoded_special"], text
    for one in (*expected.get("partial", ()), *expected.get("single", ())):
        assert tokenizer.decode(one["ids"], marks=True) == one["decoded"], one


@there
def test_the_tokenizers_beside_the_models_find_what_the_models_were_asked():
    tried = 0
    for file in sorted(GIVEN.glob("*/expected.npz")):
        tokenizer = tokenizer_of(file.parent)
        with np.load(file) as expected:
            for letter in [one for one in "ab" if f"{one}.text" in expected and file.parent.name not in OTHERWISE]:
                ids = expected[f"{letter}.input_ids"].ravel().tolist()
                assert tokenizer.encode(str(expected[f"{letter}.text"])) == ids, (file.parent.name, letter)
                tried += 1
    assert tried > 30


@there
@pytest.mark.parametrize("name", ["22_tokenizer_deep", "52_tokenizer_id_1e12", "55_tokenizer_deep_lists"])
def test_hostile_tokenizers_are_refused_in_a_sentence(name):
    with pytest.raises(ExplorerError) as error:
        tokenizer_of(GIVEN.parent / "hostile" / name)
    assert error.value.id == "tokenizer"
