"""What is written is read again."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refuses
from safetensors.numpy import save_file

from explorer.words.files import formats, saving
from explorer.words.vectors import Vectors
from tests.words.files.conftest import read, spelt


@pytest.mark.parametrize("ending", saving.ENDINGS)
def test_what_is_written_is_read_again(tmp_path, table, ending):
    file = tmp_path / f"mine{ending}"
    saving.save(table, file)
    words, array = read(tmp_path, file.read_bytes())
    assert words == list(table.words)
    if "int8" in ending:
        assert np.abs(array - table.array).max() <= np.abs(table.array).max() / 254
    else:
        assert array.tobytes() == table.array.tobytes()
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("mine")] == [file.name]


def test_a_name_that_says_nothing(tmp_path, table):
    with refuses(r"choose one of \.txt, "):
        saving.save(table, tmp_path / "mine.doc")


def test_a_place_that_cannot_be_written(tmp_path, table):
    with refuses("cannot be written: No such file"):
        saving.save(table, tmp_path / "none" / "mine.txt")
    assert not list(tmp_path.glob("**/*.part"))


def test_a_null_vector_has_scale_nought():
    small, scales = saving.to_int8(np.array([[0, 0], [2, -4]], np.float32))
    assert small.tolist() == [[0, 0], [64, -127]]
    assert scales.tolist() == pytest.approx([0, 4 / 127])


def test_names_of_tensors_are_those_of_the_description(tmp_path, table):
    save_file({"vectors": np.array(table.array), "words": spelt(*table.words)}, tmp_path / "x")
    assert Vectors.of("x", *_words_and_array(tmp_path / "x")).array.tobytes() == table.array.tobytes()


def _words_and_array(file: Path):
    (block,) = formats.blocks(file)
    return [word.decode() for word in block.words], block.array
