"""Every form of a file is read, what is written is read again, and what is refused is told with the line, and why."""

import contextlib
import gzip
import io
import lzma
import pickle
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from safetensors.numpy import save, save_file

from explorer.core.errors import ExplorerError
from explorer.core.progress import Cancelled
from explorer.sentences import sentence
from explorer.words import formats
from explorer.words.vectors import Vectors
from tests.words.conftest import mutated

WORDS = ["the", "naïve", "日本", "a\u00a0b", "o'clock", ". . .", "12"]
ARRAY = np.array([[1.5, -2], [0.1, 3e-8], [1e30, 4], [5, 6], [7, 8], [9, 10], [11, 12]], np.float32)
WHOLE = np.arange(14, dtype=np.int8).reshape(7, 2)
NUMBERS = ["1.5 -2", "0.1 3e-8", "1e+30 4", "5 6", "7.000 8", "9 1e1", "+11 12"]
GLOVE = "".join(f"{word} {numbers}\n" for word, numbers in zip(WORDS, NUMBERS, strict=True)).encode()
WORD2VEC = b"7 2\n" + GLOVE
BINARY = b"7 2\n" + b"".join(
    word.encode() + b" " + vector.tobytes() for word, vector in zip([*WORDS[:5], "x", "y"], ARRAY, strict=True)
)


def read(tmp_path, content, name="file"):
    file = tmp_path / name
    file.write_bytes(content)
    blocks = list(formats.blocks(file))
    words = [word.decode() for block in blocks for word in block.words]
    array = np.concatenate([block.array for block in blocks])
    assert array.dtype == np.float32
    return words, array


def refused(tmp_path, content, name="file"):
    with pytest.raises(ExplorerError) as caught:
        read(tmp_path, content, name)
    said = sentence(caught.value)
    assert name in said
    assert "\n" not in said
    return said.partition(f"{name}: ")[2]


def npz(**given):
    stream = io.BytesIO()
    np.savez(stream, **given)
    return stream.getvalue()


def tensors(**given):
    return save(given)


def spelt(*words):
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def archive(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)
    return stream.getvalue()


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
    monkeypatch.setattr(formats, "_BLOCK", size)
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
    with refuses("cannot be written: there is no such folder"):
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


def test_a_bad_number_is_found_where_warnings_are_not_errors(tmp_path, recwarn):
    warnings.simplefilter("ignore")  # as in the program, where no test turns them into errors
    for content in (b"a 1 2\nb 3 4x\n", b"a 1 2\nb 3x 4\n"):
        assert "line 2: '" in refused(tmp_path, content)
    assert "line 1" in refused(tmp_path, b"a 1 2x\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a 1 2\nb 3\n", "line 2: 1 number, where there should be 2."),
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
        (b"1 2\na 1 2\nb 3 4\nc 5 6\n", "line 3: more words than the 1 of the first line."),
        (b"1 0\na\n", "line 1: 0 numbers to a word; it may be from 1 to 10,000."),
        (b"a 1 2\n" + b"x" * (formats.LONGEST_LINE + formats._BLOCK), "line 2: longer than 1,048,576 bytes."),
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
    monkeypatch.setattr(formats, "LARGEST", 10_000)
    assert "more than 0.0 GB" in refused(tmp_path, gzip.compress(b"a 1 2\n" * 100_000))


def test_a_small_archive_of_very_many_words_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "MOST_WORDS", 10)
    monkeypatch.setattr(formats, "_BLOCK", 10)
    assert refused(tmp_path, gzip.compress(b"a 1\n" * 1000)).endswith(
        ": more than 10 words. Correct that line, or get the file again."
    )


def test_sizes_of_arrays_are_looked_at_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "LARGEST", 50)
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
