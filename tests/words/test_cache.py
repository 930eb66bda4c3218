import json
import os

import numpy as np
import pytest
from refusals import refuses

from explorer.core.progress import Cancelled
from explorer.words import cache, formats
from tests.words.conftest import mutated


@pytest.fixture
def file(tmp_path, table):
    formats.save(table, tmp_path / "mine.txt")
    return tmp_path / "mine.txt"


def same(vectors, table):
    assert list(vectors.words) == list(table.words)
    assert vectors.array.tobytes() == table.array.tobytes()
    assert vectors.norms.tobytes() == table.norms.tobytes()
    assert vectors.rank("日本") == table.rank("日本")


def parsed(monkeypatch):
    """The files that are parsed from now on."""
    seen, blocks = [], formats.blocks
    monkeypatch.setattr(formats, "blocks", lambda file, report=None: seen.append(file.name) or blocks(file, report))
    return seen


def test_a_file_is_parsed_once(monkeypatch, file, table):
    seen = parsed(monkeypatch)
    same(cache.load(file), table)
    again = cache.load(file, name="other")
    same(again, table)
    assert again.name == "other"
    assert seen == ["mine.txt"]


def test_the_arrays_are_mapped_and_cannot_be_written(file):
    array = cache.load(file).array
    assert isinstance(array.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


def test_a_changed_file_is_parsed_again_and_the_old_arrays_go(monkeypatch, file):
    seen = parsed(monkeypatch)
    cache.load(file)
    file.write_text("a 1 2\nb 3 4\n", "utf-8")
    vectors = cache.load(file)
    assert list(vectors.words) == ["a", "b"]
    assert vectors.array.tolist() == [[1, 2], [3, 4]]
    assert len(seen) == 2
    (entry,) = cache.entries()
    assert entry.file == str(file)


def test_a_file_of_the_same_size_that_is_newer_is_parsed_again(monkeypatch, file):
    seen = parsed(monkeypatch)
    cache.load(file)
    os.utime(file, ns=(1, 10**18))
    cache.load(file)
    assert len(seen) == 2


@pytest.mark.parametrize("part", ["vectors.npy", "norms.npy", "order.npy", "words.txt", "source.json"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"x" * 300])
def test_a_damaged_entry_is_made_anew(file, table, part, content):
    cache.load(file)
    (entry,) = cache.entries()
    if content is None:
        (entry.folder / part).unlink()
    else:
        (entry.folder / part).write_bytes(content)
    same(cache.load(file), table)


@pytest.mark.parametrize("part", ["norms", "starts", "order"])
def test_a_number_where_a_list_should_be_is_made_anew(file, table, part):
    cache.load(file)
    (entry,) = cache.entries()
    np.save(entry.folder / f"{part}.npy", np.float32(1))
    same(cache.load(file), table)


@pytest.mark.parametrize("seed", range(5))
def test_of_many_mutated_entries_none_gives_other_vectors(file, table, seed):
    cache.load(file)
    (entry,) = cache.entries()
    kept = {path.name: path.read_bytes() for path in sorted(entry.folder.iterdir())}
    random = np.random.default_rng(seed)
    for name, content in [*kept.items()] * 8:
        (entry.folder / name).write_bytes(mutated(content, random))
        same(cache.load(file), table)


def test_pickled_arrays_in_an_entry_are_not_opened(file, table):
    cache.load(file)
    (entry,) = cache.entries()
    np.save(entry.folder / "norms.npy", np.array([{"a": 1}], object), allow_pickle=True)
    same(cache.load(file), table)


def test_nothing_is_left_of_a_file_that_is_bad_or_of_a_parsing_that_was_stopped(tmp_path, file):
    def stop(progress):
        raise Cancelled

    with pytest.raises(Cancelled):
        cache.load(file, stop)
    file.write_text("a 1 2\nb 3\n", "utf-8")
    with refuses("line 2"):
        cache.load(file)
    assert list((tmp_path / "cache").iterdir()) == []


def test_two_processes_that_parse_the_same_file_do_not_meet(monkeypatch, file, table):
    cache.load(file)
    (entry,) = cache.entries()
    source = json.loads((entry.folder / "source.json").read_text("utf-8"))
    cache._keep(formats.blocks(file), entry.folder, source)
    same(cache.load(file), table)
    assert len(cache.entries()) == 1


def test_what_is_of_no_use_any_more_is_deleted(tmp_path, file):
    other = tmp_path / "other.txt"
    other.write_bytes(file.read_bytes())
    cache.load(other)
    killed, running = tmp_path / "cache" / "part-killed", tmp_path / "cache" / "part-running"
    for part in (killed, running):
        part.mkdir()
    os.utime(killed, (0, 0))
    other.unlink()
    cache.load(file)
    assert [entry.file for entry in cache.entries()] == [str(file.resolve())]
    assert not killed.exists()
    assert running.exists()


def test_a_folder_or_nothing_is_no_file(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with refuses("cannot be read"):
            cache.load(path)


def test_a_cache_that_cannot_be_written(tmp_path, file):
    (tmp_path / "taken").write_text("", "utf-8")
    with refuses("cannot be written"):
        cache.load(file, cache=tmp_path / "taken" / "x")


def test_the_user_has_a_cache(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "mine")
    assert cache.folder() == tmp_path / "mine" / "vectors"
    assert cache.folder().is_dir()


def test_where_the_users_cache_cannot_be_written_another_folder_takes_its_place(monkeypatch, tmp_path, file, table):
    monkeypatch.undo()
    (tmp_path / "taken").write_text("", "utf-8")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "taken")
    same(cache.load(file), table)
    (entry,) = cache.entries()
    assert not entry.folder.is_relative_to(tmp_path)
