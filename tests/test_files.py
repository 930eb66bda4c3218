import pytest

from explorer.core.errors import ExplorerError
from explorer.files import whole_file


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
