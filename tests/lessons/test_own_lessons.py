"""Lessons by others: taken from a folder or a zip, kept, and refused in a sentence where something is wrong."""

import os
import stat
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.cli import main
from explorer.core.errors import ExplorerError
from explorer.lessons import own_lessons as module
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.own_lessons import bundle, is_bundle, remove, take_in, yours
from tests.refusals import refuses

LESSON = lesson_files()["softmax"].read_text("utf-8")


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_zip_is_kept_and_listed_and_takes_the_place_of_the_one_before(tmp_path):
    source = zipped(tmp_path / "Week 3.zip", {"a/one.lesson.toml": LESSON, "read me.txt": "hello"})
    assert is_bundle(source)
    (file,) = take_in(source, tmp_path / "kept")
    assert load(file).id == "softmax"
    assert yours(tmp_path / "kept") == {file: load(file).title}
    assert [one.name for one in (tmp_path / "kept" / "Week-3").rglob("*") if one.is_file()] == ["one.lesson.toml"]
    zipped(source, {"two.lesson.toml": LESSON})
    (file,) = take_in(source, tmp_path / "kept")
    assert file.name == "two.lesson.toml"
    assert list(yours(tmp_path / "kept")) == [file]
    file.write_text("[", "utf-8")
    assert yours(tmp_path / "kept") == {}
    assert yours(None) == yours(tmp_path / "nowhere") == {}
    source.unlink()
    with refuses("there is no such file"):
        take_in(source, tmp_path / "kept")


def test_names_in_other_scripts_are_kept_apart(tmp_path):
    """Both were kept as “lessons”, so that the second deleted the first."""
    for name in ("Внимание.zip", "Эмма.zip", "注意.zip"):
        take_in(zipped(tmp_path / name, {"one.toml": LESSON}), tmp_path / "kept")
    assert len(yours(tmp_path / "kept")) == 3


def test_folders_whose_names_differ_behind_a_dot_are_kept_apart(tmp_path):
    """The second deleted the first: what follows the dot was taken for an ending."""
    for name in ("week.1", "week.2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.lesson.toml").write_text(LESSON, "utf-8")
        take_in(tmp_path / name, tmp_path / "kept")
    assert len(yours(tmp_path / "kept")) == 2


def test_an_ending_in_capitals_is_that_of_a_lesson(tmp_path):
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("ONE.LESSON.TOML", LESSON)
    (kept,) = take_in(tmp_path / "mine.zip", tmp_path / "kept")
    assert list(yours(tmp_path / "kept")) == [kept]


def test_a_folder_is_kept_too(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    assert not is_bundle(folder)
    (folder / "one.lesson.toml").write_text(LESSON, "utf-8")
    assert is_bundle(folder)
    assert len(take_in(folder, tmp_path / "kept")) == 1
    (folder / "two.lesson.toml").symlink_to(folder / "one.lesson.toml")
    with refuses("is a link"):
        take_in(folder, tmp_path / "kept")


def test_lessons_are_handed_on_in_one_file(tmp_path, capsys, monkeypatch):
    folder, out = tmp_path / "mine", tmp_path / "week3.lessons"
    (folder / "deep").mkdir(parents=True)
    with refuses("no lesson"):
        bundle(folder, out)
    assert not out.exists()
    (folder / "one.lesson.toml").write_text(LESSON, "utf-8")
    (folder / "deep" / "two.toml").write_text(LESSON, "utf-8")
    (folder / "notes.txt").write_text("private", "utf-8")
    (folder / "._one.lesson.toml").write_bytes(b"\0\5\x16\7Mac OS X")
    assert main(["sheet", "softmax", "--out", str(folder / "week3.sheet.toml")]) == 0
    assert len(take_in(folder, tmp_path / "from the folder")) == 2
    capsys.readouterr()
    assert main(["bundle", str(folder), "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("2 lessons\nwrote ")
    with zipfile.ZipFile(out) as archive:
        assert sorted(archive.namelist()) == ["deep/two.toml", "one.lesson.toml"]
    assert is_bundle(out)
    assert len(take_in(out, tmp_path / "kept")) == 2
    whole = out.read_bytes()
    assert main(["bundle", str(folder), "--out", str(out)]) == 0  # one of ours may be written over
    assert out.read_bytes() == whole
    zipped(tmp_path / "theirs.lessons", {"a.txt": "x"})
    for words, said in (
        ((folder, "theirs.lessons"), "was not written by this program"),
        ((folder, "a.zip"), "ends in .lessons"),
        ((tmp_path / "nowhere", "b.lessons"), "There is no folder"),
    ):
        assert main(["bundle", str(words[0]), "--out", str(tmp_path / words[1])]) == 2
        assert said in capsys.readouterr().err
    (folder / "bad.toml").write_text("[", "utf-8")
    with refuses("not valid TOML"):
        bundle(folder, out)
    assert out.read_bytes() == whole


def test_a_lesson_is_removed_and_with_the_last_one_what_lay_beside_it(tmp_path):
    source = zipped(tmp_path / "a.zip", {"one.toml": LESSON, "two.toml": LESSON, "w.safetensors": "x"})
    one, two = take_in(source, kept := tmp_path / "kept")
    other = take_in(zipped(tmp_path / "b.zip", {"c.toml": LESSON}), kept)
    remove(one, kept)
    assert set(yours(kept)) == {two, *other}
    assert (kept / "a" / "w.safetensors").exists()
    remove(two, kept)
    remove(two, kept)  # another window was sooner
    assert set(yours(kept)) == set(other)
    assert [one.name for one in kept.iterdir()] == ["b"]
    assert source.exists()


@pytest.mark.parametrize("name", ["../out.toml", "/etc/out.toml", "a/../../out.toml", "C:out.toml", "a\\..\\out.toml"])
def test_a_name_that_leads_out_is_refused(tmp_path, name):
    source = tmp_path / "bad.zip"
    with zipfile.ZipFile(source, "w") as archive:
        info = zipfile.ZipInfo("x.toml")
        info.filename = name
        archive.writestr(info, LESSON)
    with refuses("leads out of it"):
        take_in(source, tmp_path / "kept")
    assert yours(tmp_path / "kept") == {}
    assert not (tmp_path / "out.toml").exists()


@pytest.mark.parametrize(
    "line",
    [
        'weights = "../x.safetensors"',
        "weights='/x'",
        'tokenizer = "a\\\\b"',
        'weights = """../x.safetensors"""',
        '"w\\u0065ights" = "../x"',
    ],
)
def test_weights_elsewhere_are_refused(tmp_path, line):
    with refuses("leads out of it"):
        take_in(zipped(tmp_path / "a.zip", {"a.toml": f"{line}\n{LESSON}"}), tmp_path / "kept")


def test_weights_elsewhere_of_a_setting_are_refused(tmp_path):
    said = LESSON.replace("[settings.printed]", "[settings.printed]\nweights = '''//server/x'''", 1)
    with refuses("leads out of it"):
        take_in(zipped(tmp_path / "a.zip", {"a.toml": said}), tmp_path / "kept")


def test_a_lesson_may_speak_of_weights(tmp_path):
    """A text that only looked like the name of a file elsewhere was refused."""
    said = LESSON.replace('paragraph = """', 'paragraph = """Here are weights = \'a/b\'.', 1)
    assert take_in(zipped(tmp_path / "a.zip", {"a.toml": said}), tmp_path / "kept")


def test_a_link_in_a_zip_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("a.toml")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with refuses("is a link"):
        take_in(tmp_path / "a.zip", tmp_path / "kept")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_would_burst_is_refused(tmp_path, method):
    """Of these ways of packing, zipfile unpacks whatever a few bytes become, however little is asked for."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.toml", LESSON)
    with refuses("damaged"):
        take_in(tmp_path / "a.zip", tmp_path / "kept")


def test_what_is_too_large_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    with refuses("too much"):
        take_in(zipped(tmp_path / "a.zip", {"a.toml": "#" * 5_000_000}), tmp_path / "kept")
    monkeypatch.setattr(module, "MOST_FILES", 3)
    with refuses("too much"):
        take_in(zipped(tmp_path / "b.zip", {f"{i}.toml": LESSON for i in range(4)}), tmp_path / "kept")
    monkeypatch.setattr(module, "MOST_IN_ALL", 10)
    with refuses("too much"):
        take_in(zipped(tmp_path / "c.zip", {"a.toml": LESSON}), tmp_path / "kept")


@pytest.mark.parametrize(
    ("files", "said"),
    [({"a.txt": "x"}, "no lesson"), ({"a.toml": "["}, "not valid TOML"), ({"a.toml": 'id = "x"'}, "a.toml")],
)
def test_what_is_no_lesson_is_refused_and_nothing_is_kept(tmp_path, files, said):
    with refuses(said):
        take_in(zipped(tmp_path / "a.zip", files), tmp_path / "kept")
    assert yours(tmp_path / "kept") == {}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_change_of_a_zip_is_refused_in_a_sentence_or_does_not_matter(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("bytes")
    raw = bytearray(zipped(folder / "a.zip", {"a.toml": LESSON}).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    (folder / "a.zip").write_bytes(bytes(raw[: data.draw(st.integers(1, len(raw)))]))
    try:
        found = take_in(folder / "a.zip", folder / "kept")
    except ExplorerError:
        assert yours(folder / "kept") == {}
    else:
        assert all(load(file).id == "softmax" for file in found)


def test_lessons_that_could_not_be_replaced_are_still_there(tmp_path, monkeypatch):
    """The old ones were deleted before the new ones were copied: a full disk left none."""
    source = zipped(tmp_path / "week.zip", {"one.lesson.toml": LESSON})
    (file,) = take_in(source, tmp_path / "kept")
    zipped(source, {"two.lesson.toml": LESSON})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.shutil, "copytree", full)
    monkeypatch.setattr(module.Path, "rename", lambda one, to: full() if one.name == "new" else os.replace(one, to))
    with refuses("No space left"):
        take_in(source, tmp_path / "kept")
    assert list(yours(tmp_path / "kept")) == [file]
    assert [one.name for one in (tmp_path / "kept").iterdir()] == ["week"]
