"""What is refused: the line, and why."""

import gzip
import io
import lzma
import pickle
import warnings

import numpy as np
import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.words.files import formats, lines
from explorer.words.progress import Cancelled
from tests.words.conftest import mutated
from tests.words.files.conftest import (
    ARRAY,
    BINARY,
    GLOVE,
    WHOLE,
    WORD2VEC,
    WORDS,
    archive,
    npz,
    read,
    refused,
    spelt,
    tensors,
)


def test_a_bad_number_is_found_where_warnings_are_not_errors(tmp_path, recwarn):
    warnings.simplefilter("ignore")  # as in the program, where no test turns them into errors
    for content in (b"a 1 2\nb 3 4x\n", b"a 1 2\nb 3x 4\n"):
        assert "line 2: '" in refused(tmp_path, content)
    assert "line 1" in refused(tmp_path, b"a 1 2x\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a 1 2\nb 3\n", "line 2: 1 numbers, where there should be 2."),
        (b"a 1 2\nb 3 4\nc 1 2 3\n", "line 3: 3 numbers, where there should be 2."),
        (b"a 1 2\nb 3 x\n", "line 2: 'x' is not a finite number."),
        (b"a 1 2\nb 3 nan\n", "line 2: 'nan' is not a finite number."),
        (b"a 1 2\nb 3 1e99\n", "line 2: '1e99' is not a finite number."),
        (b"a 1 2\n\nc 3 4\n", "line 2: empty."),
        (b"\na 1 2\n", "line 1: empty."),
        (b"a 1 2\n\xff\xfe 1 2\n", "line 2: not text in UTF-8."),
        (b"a 1 2\n 1 2\n", "line 2: "),
        (b"Once upon a time\n", "line 1: not a word and its numbers: 'Once upon a time'."),
        (b"hello\n", "line 1: not a word and its numbers: 'hello'."),
        (b"{'a': 1}", "line 1: not a word and its numbers"),
        (b"3 2\na 1 2\nb 3 4\n", "ends after 2 of the 3 words that its first line promises; get the file again."),
        (b"1 2\na 1 2\nb 3 4\n", "line 4: more words than the 1 of the first line."),
        (b"1 0\na\n", "line 1: 0 numbers to a word; it may be from 1 to 10,000."),
        (b"a 1 2\n" + b"x" * (lines.LONGEST_LINE + lines._BLOCK), "line 2: longer than 1,048,576 bytes."),
        (
            b"2 2\nab " + ARRAY[0].tobytes() + b"cd \0\0",
            "ends after 1 of the 2 words that its first line promises; get the file again.",
        ),
        (b"1 2\nab " + ARRAY[0].tobytes() + b"cd", "line 3: more than the 1 words of the first line."),
        (b"1 2\nab " + np.float32([1, np.nan]).tobytes(), "line 2: a number that is not finite."),
        (b"1 2\n" + b"\0" * 2000, "line 2: no word where one should begin."),
        (b"3000000000 300\nab 1", "its vectors take 3600.0 GB; up to 8.0 GB can be opened."),
        (b"", "is empty;"),
        (b"\x00\x01\x02\x03" * 99, "is binary data of another kind;"),
        (b"\x7fELF" + b"\0" * 99, "is binary data of another kind;"),
        (lzma.compress(GLOVE), "is an xz archive;"),
        (b"%PDF-1.4 and more", "is a PDF;"),
        ("a 1 2\n".encode("utf-16"), "is text in UTF-16; save it as UTF-8;"),
        (gzip.compress(GLOVE)[:-20], "cannot be read: it ends before the end of its archive."),
        (gzip.compress(b"\0" * 1000), "is binary data of another kind;"),
        (gzip.compress(gzip.compress(GLOVE)), "is an archive in an archive;"),
        (gzip.compress(GLOVE)[:10] + b"\xff" * 30, "cannot be read: its archive is damaged."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # the contents are long, and not the same every second
)
def test_a_bad_file_gets_a_plain_message_with_its_line(tmp_path, content, said):
    assert refused(tmp_path, content).startswith(said)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("something was unpickled",))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_is_refused_with_the_reason_and_not_opened(tmp_path, protocol):
    content = pickle.dumps(Trap(), protocol)
    for packed in (content, gzip.compress(content)):
        assert "opening one could run any program" in refused(tmp_path, packed, "vectors.kv")


def test_the_file_that_gensim_saves_is_refused(tmp_path, table):
    from gensim.models import KeyedVectors

    plain = KeyedVectors(2)
    plain.add_vectors(["a", "b"], np.eye(2, dtype=np.float32))
    plain.save(str(tmp_path / "saved"))
    assert "is a pickle" in refused(tmp_path, (tmp_path / "saved").read_bytes())


def test_an_npz_with_objects_is_refused_and_not_opened(tmp_path):
    content = npz(vectors=ARRAY[:1], words=np.array([Trap()], object))
    assert "it holds Python objects, which could run any program" in refused(tmp_path, content)


def lying_npz():
    """An archive of a few bytes whose array says that it has a million times as many."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f4", "fortran_order": False, "shape": (10_000_000_000, 9000)}
    )
    return archive(**{"vectors.npy": stream.getvalue(), "words.npy": b""})


def npz_with_a_call():
    """Numpy reads the header of an array as Python's own syntax, and refuses all but values."""
    header = b"{'descr': f(), 'fortran_order': False, 'shape': (3, 2), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
    return archive(**{"vectors.npy": array, "words.npy": array})


def encrypted_npz():
    content = bytearray(archive(**{"vectors.npy": b"x", "words.npy": b"x"}))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        content[at + flags] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lying_npz(), "it cannot be read"),
        (encrypted_npz(), "it cannot be read"),
        (npz_with_a_call(), "it cannot be read (it is damaged)."),
        (npz(vectors=ARRAY[:2], words=np.array(["a", "b\ud800"])), "word 2 is empty or not text in UTF-8."),
        (tensors(vectors=ARRAY, words=np.full(99, 10, np.uint8)), "it has 100 words but 7 vectors."),
        (archive(vectors=b"some", **{"words.npy": b"bytes"}), "it cannot be read"),
        (archive(**{"vectors.npy": b"some", "words.npy": b"bytes"}), "it cannot be read"),
        (npz(vectors=ARRAY, words=np.array("word")), "'words' must be a list of texts."),
        (npz(vectors=np.float32(1), words=np.array(WORDS)), "'vectors' has shape (); it must be words × numbers."),
        (npz(vectors=ARRAY), "there is no 'words' in it, but vectors."),
        (npz(vectors=ARRAY, words=np.array(WORDS[:3])), "it has 3 words but 7 vectors."),
        (npz(vectors=ARRAY[0], words=np.array(WORDS[:2])), "'vectors' has shape (2,); it must be words × numbers."),
        (npz(vectors=ARRAY, words=np.arange(7)), "'words' must be a list of texts."),
        (npz(vectors=np.arange(4).reshape(2, 2), words=np.array(["a", "b"])), "'vectors' holds int64;"),
        (npz(vectors=ARRAY[:2], words=np.array(["a", ""])), "word 2 is empty or not text in UTF-8."),
        (
            npz(vectors=np.full((2, 2), np.inf), words=np.array(["a", "b"])),
            "vector 1 holds a number that is not finite.",
        ),
        (npz(vectors=ARRAY, words=np.array(WORDS))[:-30], "it cannot be read"),
        (archive(**{"glove.txt": GLOVE}), "is a zip archive; unpack it and open a file in it;"),
        (tensors(weight=ARRAY), "there is no 'vectors' in it, but weight."),
        (tensors(vectors=ARRAY, words=np.arange(3)), "'words' must be the bytes of the words"),
        (tensors(vectors=WHOLE, words=spelt(*WORDS)), "'vectors' holds int8; it must be floats,"),
        (
            tensors(vectors=WHOLE, scales=np.ones((7, 1), np.float32), words=spelt(*WORDS)),
            "'scales' must be one float for each vector.",
        ),
        (tensors(vectors=ARRAY, words=spelt(*WORDS))[:-5], "it cannot be read"),
        (tensors(vectors=ARRAY, words=np.frombuffer(b"a\n\xff\nc\nd\ne\nf\ng", np.uint8)), "word 2 is empty or not"),
    ],
)
def test_arrays_that_are_not_a_table(tmp_path, content, said):
    assert refused(tmp_path, content).startswith(said)


@pytest.mark.parametrize(("name", "kind"), [("vectors", "<f4"), ("words", "<U250000")])
def test_an_npz_that_would_become_a_thousand_times_as_large_is_refused(tmp_path, name, kind, monkeypatch):
    monkeypatch.setattr(formats, "read_members", lambda *_: pytest.fail("it was unpacked"))
    huge, stream = np.zeros((101, 1) if name == "words" else (101, 250_000), kind), io.BytesIO()
    np.savez_compressed(stream, **{"vectors": ARRAY[:1], "words": np.array(["a"]), name: huge})
    assert refused(tmp_path, stream.getvalue()).startswith(f"'{name}' is packed so tightly")


def test_a_number_that_is_no_character_is_no_word(tmp_path):
    words = np.full(7, 0x7FFFFFFF, np.uint32).view("<U1")
    assert "'words' holds what is no text" in refused(tmp_path, npz(vectors=ARRAY, words=words))


FORMS = {
    "text": GLOVE,
    "word2vec": WORD2VEC,
    "binary": BINARY,
    "gzip": gzip.compress(GLOVE),
    "npz": npz(vectors=ARRAY, words=np.array(WORDS)),
    "members": None,
    "safetensors": tensors(vectors=WHOLE, scales=np.ones(7, np.float32), words=spelt(*WORDS)),
}


@pytest.mark.filterwarnings("ignore:.*additional header parsing:UserWarning")
@pytest.mark.parametrize("form", FORMS)
def test_of_many_mutated_files_each_is_read_or_refused_in_one_sentence(tmp_path, form):
    random, told = np.random.default_rng(7), []
    vectors, words = (npy_bytes(array) for array in (ARRAY, np.array(WORDS)))
    for _ in range(200):
        if form == "members":  # with checksums that agree
            content = archive(**{"vectors.npy": mutated(vectors, random), "words.npy": mutated(words, random)})
        else:
            content = mutated(FORMS[form], random)
        try:
            read(tmp_path, content)
        except ExplorerError as error:
            told.append(str(error))
    assert len(told) > 20
    assert "\n" not in "".join(told)


def npy_bytes(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_single_array_is_refused(tmp_path):
    stream = io.BytesIO()
    np.save(stream, ARRAY)
    assert refused(tmp_path, stream.getvalue()).startswith("is a single numpy array without words;")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(10_000_000_000)  # a hole, not ten gigabytes
    with refuses(r"its vectors take 10\.0 GB; up to 8\.0 GB can be opened"):
        list(formats.blocks(tmp_path / "huge"))


def test_a_small_archive_of_a_huge_text_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "LARGEST_FILE", 10_000)
    assert "more than 0.0 GB" in refused(tmp_path, gzip.compress(b"a 1 2\n" * 100_000))


def test_a_small_archive_of_very_many_words_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MOST_WORDS", 10)
    monkeypatch.setattr(lines, "_BLOCK", 10)
    assert refused(tmp_path, gzip.compress(b"a 1\n" * 1000)).endswith(
        ": more than 10 words. Correct that line, or get the file again."
    )


def test_sizes_of_arrays_are_looked_at_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "_LARGEST", 50)
    assert "its vectors take" in refused(tmp_path, tensors(vectors=ARRAY, words=spelt(*WORDS)))
    assert "its vectors take" in refused(tmp_path, npz(vectors=ARRAY, words=np.array(WORDS)))


def test_a_file_that_is_not_there(tmp_path):
    with refuses("cannot be read: No such file"):
        list(formats.blocks(tmp_path / "none"))
    with refuses("cannot be read"):
        list(formats.blocks(tmp_path))


def test_parsing_can_be_stopped(tmp_path):
    (tmp_path / "file").write_bytes(GLOVE)

    def report(progress):
        assert progress.what == "parsing"
        raise Cancelled

    with pytest.raises(Cancelled):
        list(formats.blocks(tmp_path / "file", report))
