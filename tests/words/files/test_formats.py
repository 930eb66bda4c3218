"""Every form of a file is read.

What is written is read again.
"""

import contextlib
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from safetensors.numpy import save_file

from explorer.core.errors import ExplorerError
from explorer.words.files import formats, lines
from explorer.words.vectors import Vectors
from tests.words.files.conftest import (
    ARRAY,
    BINARY,
    GLOVE,
    WORD2VEC,
    WORDS,
    npz,
    read,
    spelt,
    tensors,
)


@pytest.mark.parametrize(
    "content",
    [
        GLOVE,
        WORD2VEC,
        GLOVE[:-1],
        GLOVE + b"\n",
        GLOVE.replace(b"\n", b"\r\n"),
        GLOVE.replace(b"\n", b" \n"),
        WORD2VEC.replace(b"\n", b"\r\n"),
        gzip.compress(GLOVE),
        gzip.compress(WORD2VEC),
        gzip.compress(GLOVE[:40]) + gzip.compress(GLOVE[40:]),
        b"\xef\xbb\xbf" + GLOVE,
        gzip.compress(b"\xef\xbb\xbf" + WORD2VEC),
        npz(vectors=ARRAY, words=np.array(WORDS)),
        npz(vectors=ARRAY.astype(float), words=np.array(WORDS)),
        tensors(vectors=ARRAY, words=spelt(*WORDS)),
    ],
)
def test_every_form_is_read_by_its_content(tmp_path, content):
    words, array = read(tmp_path, content)
    assert words == WORDS
    assert array.tobytes() == ARRAY.tobytes()


@pytest.mark.parametrize("content", [BINARY, gzip.compress(BINARY), BINARY + b"\n"])
def test_word2vec_binary(tmp_path, content):
    words, array = read(tmp_path, content)
    assert words == [*WORDS[:5], "x", "y"]
    assert array.tobytes() == ARRAY.tobytes()


def test_word2vec_binary_with_newlines_between_words(tmp_path):
    words, array = read(tmp_path, b"2 1\nab \0\0\x80\x3f\ncd \0\0\0\x40\n")
    assert words == ["ab", "cd"]
    assert array.tolist() == [[1], [2]]


def test_half_precision_and_scaled_whole_numbers(tmp_path):
    words, array = read(tmp_path, tensors(vectors=np.array([[1, 0.5]], np.float16), words=spelt("a")))
    assert (words, array.tolist()) == (["a"], [[1, 0.5]])
    small = {"vectors": np.array([[127, -2]], np.int8), "scales": np.array([0.5], np.float32)}
    assert read(tmp_path, tensors(**small, words=spelt("a")))[1].tolist() == [[63.5, -1]]


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_what_gensim_writes_is_read_as_gensim_reads_it(tmp_path, caplog, table, binary, ending):
    file = tmp_path / f"vectors.bin{ending}"
    table.keyed.save_word2vec_format(str(file), binary=binary)
    caplog.clear()  # it would like to know how often each word occurs
    words, array = read(tmp_path, file.read_bytes())
    assert words == list(table.words)
    assert array.tobytes() == table.array.tobytes()


def test_the_real_sample(sample_file):
    from gensim.models import KeyedVectors

    theirs = KeyedVectors.load_word2vec_format(str(sample_file), binary=False)
    blocks = list(formats.blocks(sample_file))
    assert [word.decode() for block in blocks for word in block.words] == theirs.index_to_key
    assert np.concatenate([block.array for block in blocks]).tobytes() == theirs.vectors.tobytes()


STARTS = [b"", b"2 3\n", b"a 1 2\n", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x80\x04", b"\x10" + bytes(7) + b"{"]


@given(st.binary(max_size=300), st.sampled_from(STARTS))
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path_factory, content, start):
    folder = tmp_path_factory.mktemp("any")
    words: list[str] = []
    with contextlib.suppress(ExplorerError):
        words, array = read(folder, start + content)
    assert not words or array.shape[0] == len(words)


@given(st.integers(4, len(BINARY) - 1))
def test_no_part_of_a_binary_file_passes_for_the_whole(tmp_path_factory, length):
    with pytest.raises(ExplorerError):
        read(tmp_path_factory.mktemp("part"), BINARY[:length])


@pytest.mark.parametrize("size", [16, 40, 1000])
def test_blocks_may_end_anywhere(tmp_path, monkeypatch, size):
    monkeypatch.setattr(lines, "_BLOCK", size)
    assert read(tmp_path, GLOVE)[1].tobytes() == ARRAY.tobytes()
    assert read(tmp_path, BINARY)[1].tobytes() == ARRAY.tobytes()
    monkeypatch.setattr(formats, "_ROWS", 2)
    assert read(tmp_path, tensors(vectors=ARRAY, words=spelt(*WORDS)))[1].tobytes() == ARRAY.tobytes()


@pytest.mark.parametrize("ending", formats.ENDINGS)
def test_what_is_written_is_read_again(tmp_path, table, ending):
    file = tmp_path / f"mine{ending}"
    formats.save(table, file)
    words, array = read(tmp_path, file.read_bytes())
    assert words == list(table.words)
    if "int8" in ending:
        assert np.abs(array - table.array).max() <= np.abs(table.array).max() / 254
    else:
        assert array.tobytes() == table.array.tobytes()
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("mine")] == [file.name]


def test_a_name_that_says_nothing(tmp_path, table):
    with refuses(r"choose one of \.txt, "):
        formats.save(table, tmp_path / "mine.doc")


def test_a_place_that_cannot_be_written(tmp_path, table):
    with refuses("cannot be written: No such file"):
        formats.save(table, tmp_path / "none" / "mine.txt")
    assert not list(tmp_path.glob("**/*.part"))


def test_a_null_vector_has_scale_nought():
    small, scales = formats.to_int8(np.array([[0, 0], [2, -4]], np.float32))
    assert small.tolist() == [[0, 0], [64, -127]]
    assert scales.tolist() == pytest.approx([0, 4 / 127])


def test_names_of_tensors_are_those_of_the_description(tmp_path, table):
    save_file({"vectors": np.array(table.array), "words": spelt(*table.words)}, tmp_path / "x")
    assert Vectors.of("x", *_words_and_array(tmp_path / "x")).array.tobytes() == table.array.tobytes()


def _words_and_array(file: Path):
    (block,) = formats.blocks(file)
    return [word.decode() for word in block.words], block.array
