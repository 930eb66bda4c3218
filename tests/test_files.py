import subprocess
import sys
from pathlib import Path

import pytest

from explorer import files
from explorer.core.errors import ExplorerError
from explorer.files import clear_left, open_file, whole_file


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before", "utf-8")
    return path


def names(file):
    return [one.name for one in file.parent.iterdir()]


def test_it_has_its_name_only_when_it_is_whole(file):
    with whole_file(file) as stream:
        stream.write(b"after")
        assert file.read_text("utf-8") == "before"
    assert file.read_text("utf-8") == "after"
    assert names(file) == ["a.txt"]


@pytest.mark.parametrize(("error", "raised"), [(OSError(28, "No space left"), ExplorerError), (KeyError(1), KeyError)])
def test_what_goes_wrong_on_the_way_leaves_what_was_there(file, error, raised):
    def write():
        with whole_file(file) as stream:
            stream.write(b"aft")
            raise error

    with pytest.raises(raised):
        write()
    assert file.read_text("utf-8") == "before"
    assert names(file) == ["a.txt"]


@pytest.mark.parametrize("name", ["no/such/folder", "a.txt/b", "a\0b", "x" * 300, ""])
def test_a_place_where_nothing_can_be_written(file, name):
    with pytest.raises(ExplorerError) as caught, whole_file(file.parent / name):
        pass
    assert caught.value.id == "not-written"
    assert names(file) == ["a.txt"]


@pytest.fixture
def left(file):
    """A file that a process has left which was killed while it saved."""
    code = (
        "import os, signal, sys; from explorer.files import whole_file\n"
        "with whole_file(sys.argv[1]) as stream: stream.write(b'aft'); stream.flush(); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(file)]).returncode == 9
    (part,) = file.parent.glob(".*")
    assert part.read_bytes() == b"aft"
    return part


def test_what_a_process_that_was_killed_has_left_is_cleared_by_the_next_save_there(file, left):
    with whole_file(file) as stream:
        stream.write(b"after")
    assert names(file) == ["a.txt"]


def test_what_a_living_process_writes_is_not_cleared(file):
    with whole_file(file) as stream:
        stream.write(b"after")
        with whole_file(file.with_name("b.txt")) as other:
            other.write(b"besides")
        clear_left(file.parent)
    assert file.read_text("utf-8") == "after"
    assert sorted(names(file)) == ["a.txt", "b.txt"]


def test_what_another_process_writes_is_not_cleared(file):
    code = (
        "import sys; from explorer.files import whole_file\n"
        "with whole_file(sys.argv[1]) as stream: print('open', flush=True); sys.stdin.read(); stream.write(b'theirs')"
    )
    command = [sys.executable, "-c", code, str(file.with_name("b.txt"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "open\n"
        with whole_file(file) as stream:
            stream.write(b"after")
        process.stdin.close()
        assert process.wait() == 0
    assert file.with_name("b.txt").read_bytes() == b"theirs"


def test_files_of_others_stay_and_so_do_those_where_there_are_no_locks(file, left, monkeypatch):
    others = [".a.part", ".0123456789abcdef.part", ".explorer-notes.txt", "explorer-1.part"]
    for name in others:
        file.with_name(name).touch()
    with monkeypatch.context() as patch:
        patch.setattr(files, "locked", lambda stream: None)
        with whole_file(file) as stream:
            stream.write(b"after")
    assert sorted(names(file)) == sorted(["a.txt", left.name, *others])
    clear_left(file.parent)
    assert sorted(names(file)) == sorted(["a.txt", *others])


def test_a_file_that_is_cleared_before_it_is_locked_is_made_anew(file, monkeypatch):
    """Somebody else saves there between the two."""
    lock, quick = files.locked, []

    def slow(stream):
        if not quick:
            quick.append(Path(stream.name))
            quick[0].unlink()
        return lock(stream)

    monkeypatch.setattr(files, "locked", slow)
    with whole_file(file) as stream:
        assert Path(stream.name) != quick[0]
        stream.write(b"after")
    assert file.read_text("utf-8") == "after"
    assert names(file) == ["a.txt"]


def test_a_folder_that_cannot_be_looked_through_is_left():
    clear_left("no/such/folder")


@pytest.mark.parametrize(
    ("name", "said"), [("none", "there is no such file"), ("a.txt/b", "there is no such file"), (".", "it is a folder")]
)
def test_only_a_file_is_opened(file, name, said):
    with pytest.raises(OSError, match=said):
        open_file(file.parent / name)
    with open_file(file) as stream:
        assert stream.read() == b"before"
