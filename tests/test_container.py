"""A container gives back what was put into it, or says that it does not; it costs no more than the file is long."""

import io
import json
import random
import sys

import numpy as np
import pytest
from safetensors.numpy import load

from explorer import container
from explorer.container import MOST_DEPTH, Container, DamagedError, parsed
from explorer.paths import resources
from tests.samples import each

MANIFEST = {"title": "日本 \udc00", "list": [1, None, {"a": True}]}
ARRAYS = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "across": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "one": np.array(3),
    "none": np.zeros((0, 4), np.float32),
    "yes": np.array([True, False, True]),
    "small": np.array([-1, 2], np.int8),
    "odd": np.array([0x7FF8000000000123, 0x8000000000000000], np.uint64).view(np.float64),
}


def packed(manifest=MANIFEST, arrays=ARRAYS):
    stream = io.BytesIO()
    container.write(stream, manifest, arrays)
    return stream.getvalue()


def unpacked(content):
    parts = Container(io.BytesIO(content))
    return parts.manifest, {name: parts.array(name) for name in parts.forms}


def is_what_was_written(content):
    manifest, arrays = unpacked(content)
    same = [
        (array.dtype, array.shape, array.tobytes()) == (ARRAYS[n].dtype, ARRAYS[n].shape, ARRAYS[n].tobytes())
        for n, array in arrays.items()
    ]
    return manifest == MANIFEST and arrays.keys() == ARRAYS.keys() and all(same)


def test_what_is_written_is_read_again_to_the_last_bit():
    assert is_what_was_written(packed())
    assert packed() == packed(dict(MANIFEST), dict(reversed(ARRAYS.items())))
    assert not any(array.flags.writeable for array in unpacked(packed())[1].values())


def test_any_reader_of_safetensors_reads_the_arrays():
    arrays = load(packed())
    assert {name: array.tobytes() for name, array in arrays.items()} == {n: a.tobytes() for n, a in ARRAYS.items()}


def test_no_flipped_bit_is_taken_for_anything_else():
    content, refusals = packed(), 0
    for bit in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            assert is_what_was_written(bytes(damaged)), bit
        except DamagedError:
            refusals += 1
    assert refusals > 8 * (len(content) - 10)  # a space behind the header may be another one


def test_no_part_of_a_file_is_taken_for_the_whole():
    content = packed()
    for length in range(len(content)):
        with pytest.raises(DamagedError):
            unpacked(content[:length])
    for broken in (content + b"x", content[:20], content[:-1]):
        with pytest.raises(DamagedError, match="not whole"):
            unpacked(broken)


def with_header(header, more=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + more


def said(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"x": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


@each(
    "content",
    [
        b"",
        b"{" * 40,
        (2**63).to_bytes(8, "little") + b"{}",
        with_header([]),
        with_header({"__metadata__": 5}),
        with_header({"x": 5}),
        with_header(said(dtype="C64", offsets=(0, 8)), bytes(8)),
        with_header(said(dtype=["F32"]), bytes(4)),
        with_header(said(shape=[10**12], offsets=(0, 4 * 10**12)), bytes(4)),
        with_header(said(shape=[0, 10**12, 10**12], offsets=(0, 0))),
        with_header(said(shape=[-1]), bytes(4)),
        with_header(said(shape=[1.0]), bytes(4)),
        with_header(said(shape=[True]), bytes(4)),
        with_header(b'{"x":{"dtype":"F32","shape":[NaN],"data_offsets":[0,4]}}', bytes(4)),
        with_header(said(shape=[1] * 9), bytes(4)),
        with_header(said(offsets=(4, 8)), bytes(8)),
        with_header(said(offsets=(0, 4, 8)), bytes(8)),
        with_header({**said(), "y": said()["x"]}, bytes(4)),
        with_header({**said(), "__metadata__": {"explorer": "{}"}}, bytes(4)),
        with_header({**said(), "__metadata__": {"explorer": "{}", "crc32": "a3 "}}, bytes(4)),
        with_header({**said(), "__metadata__": {"explorer": "{}", "crc32": "a505df1b"}}, bytes(4)),
    ],
)
def test_a_header_that_lies(content):
    with pytest.raises(DamagedError):
        unpacked(content)


def test_truth_values_are_true_or_false():
    content = packed(arrays={"yes": np.array([True])})
    foreign = with_header(said("BOOL", offsets=(0, 1)), b"\x02")
    assert unpacked(content)[1]["yes"].tolist() == [True]
    with pytest.raises(DamagedError):
        unpacked(foreign)


@pytest.mark.skipif(sys.platform == "win32", reason="memory is measured otherwise there")
@pytest.mark.parametrize("text", [b"[]," * 10_000_000, b"[" * 200_000, b'{"a":' * 200_000, b"1," * 16_000_000])
def test_a_text_of_brackets_is_counted_before_it_is_read(text):
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DamagedError):
        parsed(text)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
def test_how_deep_a_text_is_nested_is_bounded(begin, end):
    assert parsed(f"{begin * MOST_DEPTH}1{end * MOST_DEPTH}".encode())
    for depth in (MOST_DEPTH + 1, 2000, 9000, 100_000):
        with pytest.raises(DamagedError):
            parsed(f"{begin * depth}1{end * depth}".encode())


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"NaN", b"Infinity"])
def test_a_number_that_json_could_not_say_again_is_refused(number):
    with pytest.raises(DamagedError):
        parsed(b'{"a": [' + number + b"]}")


@each("file", sorted(resources().rglob("*.safetensors")), ids=lambda file: file.name)
def test_no_flipped_bit_in_a_file_that_comes_along_is_taken_for_a_number(file):
    content, chance = file.read_bytes(), random.Random(3)
    header = 8 + int.from_bytes(content[:8], "little")
    for at in [
        *(chance.randrange(header) for _ in range(30)),
        *(chance.randrange(header, len(content)) for _ in range(10)),
    ]:
        flipped = bytearray(content)
        flipped[at] ^= 1 << chance.randrange(8)
        with pytest.raises(DamagedError):
            unpacked(bytes(flipped))
