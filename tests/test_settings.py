import os

import pytest

from explorer.settings import BROKEN, FILE, Settings, own_folder


def test_what_is_set_is_there_at_the_next_start(tmp_path):
    folder = tmp_path / "not yet" / "there"
    Settings(folder).set("theme", "dark")
    later = Settings(folder)
    assert later.get("theme", "system") == "dark"
    assert later.get("scale", 1.0) == 1.0


def test_what_two_windows_set_is_kept_of_both(tmp_path):
    one, other = Settings(tmp_path), Settings(tmp_path)
    assert other.get("kept", {}) == {}
    one.set("kept", {"emma": "Emma"})
    other.set("theme", "dark")
    assert other.get("kept", {}) == {"emma": "Emma"}
    assert one.get("theme", "system") == "dark"
    one.set("theme", "light")
    later = Settings(tmp_path)
    assert (later.get("theme", "system"), later.get("kept", {})) == ("light", {"emma": "Emma"})


def test_a_file_that_goes_or_breaks_meanwhile_takes_nothing_away(tmp_path):
    settings = Settings(tmp_path)
    settings.set("theme", "dark")
    for spoil in ((tmp_path / FILE).unlink, lambda: (tmp_path / FILE).write_text("{")):
        spoil()
        assert settings.get("theme", "system") == "dark"
        settings.set("scale", settings.get("scale", 1.0) + 1.0)
        assert Settings(tmp_path).get("theme", "system") == "dark"


def test_values_nested_thousands_deep_are_a_broken_file(tmp_path):
    """Python reads them and cannot write them again."""
    (tmp_path / FILE).write_text(f'{{"theme": "dark", "deep": {"[" * 3000}{"]" * 3000}}}')
    Settings(tmp_path).set("scale", 2.0)
    assert Settings(tmp_path).get("scale", 1.0) == 2.0
    assert (tmp_path / BROKEN).exists()


def test_a_value_of_another_type_is_not_taken(tmp_path):
    Settings(tmp_path).set("scale", "large")
    assert Settings(tmp_path).get("scale", 1.0) == 1.0


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b"[" * 100_000, b"7"])
def test_a_broken_file_is_set_aside(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    settings = Settings(tmp_path)
    assert settings.get("theme", "system") == "system"
    assert (tmp_path / BROKEN).read_bytes() == content
    settings.set("theme", "light")
    assert Settings(tmp_path).get("theme", "system") == "light"


def test_where_nothing_can_be_written_a_value_lasts_until_the_end(tmp_path):
    (tmp_path / "file").write_text("")
    settings = Settings(tmp_path / "file" / "folder")
    settings.set("theme", "dark")
    assert settings.get("theme", "system") == "dark"


def test_without_a_folder_nothing_is_written():
    settings = Settings()
    settings.set("theme", "dark")
    assert settings.get("theme", "system") == "dark"


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_SETTINGS", str(tmp_path))
    assert own_folder() == tmp_path
    monkeypatch.delenv("EXPLORER_SETTINGS")
    assert own_folder().name == "transformer-explorer"


def test_the_name_of_a_file_may_be_of_another_encoding(tmp_path):
    name = os.fsdecode(b"caf\xe9.explorer")
    Settings(tmp_path).set("recent documents", [name])
    assert Settings(tmp_path).get("recent documents", []) == [name]


def test_a_number_set_over_one_of_another_type_is_kept(tmp_path):
    """A 2 written by hand is not read as a number with decimals; 2.0 set in the window was taken for it, and lost."""
    (tmp_path / FILE).write_text('{"text scale": 2}')
    Settings(tmp_path).set("text scale", 2.0)
    assert Settings(tmp_path).get("text scale", 1.0) == 2.0
