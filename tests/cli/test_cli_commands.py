"""What the other commands print, and how the program ends."""

import json
import sys
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.measure import Measurement

import explorer
from explorer import paths
from explorer.cli import bench, lessons, main, show
from explorer.cli.parser import COMMANDS, UsageError
from explorer.core.errors import ExplorerError
from explorer.lessons.loader import catalogue, courses, models
from explorer.lessons.printed_numbers import check_figures, check_slips
from explorer.lessons.replay import check_lesson
from explorer.library import page
from explorer.library.matrix import columns, width
from explorer.settings import own_folder
from explorer.training import recipes
from explorer.words.catalogue import OFFERED, SHIPPED
from tests.lessons.conftest import THREE
from tests.refusals import refuses
from tests.samples import each
from tests.started import drawn_without_display


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"explorer {explorer.__version__}\n"


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"explorer {command}" in text for command in COMMANDS)


@each("command", COMMANDS)
def test_each_command_has_help(capsys, command):
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: explorer {command}")
    assert max(map(len, text.splitlines())) <= 120


# list


def test_list(capsys):
    assert main(["list"]) == 0
    lessons, trained, models_to_train, vectors = capsys.readouterr().out.split("\n\n")
    heading, *lines = lessons.splitlines()
    assert heading.split() == ["lesson", "title", "steps", "reference", "settings"]
    assert [line.split()[0] for line in lines] == [lesson.id for lesson in catalogue()]
    assert all(line.endswith(", ".join(lesson.settings)) for line, lesson in zip(lines, catalogue(), strict=True))
    assert [line.split()[0] for line in models_to_train.splitlines()[1:]] == recipes.names()
    assert [line.split()[0] for line in trained.splitlines()[1:]] == [one.id for one in models()]
    assert [line.split()[0] for line in vectors.splitlines()[1:]] == [one.name for one in (*SHIPPED, *OFFERED)]


def test_list_json(capsys):
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lessons"] == [
        {
            "id": one.id,
            "title": one.title,
            "paragraph": one.paragraph,
            "try": one.to_try,
            "reference": one.reference,
            "settings": list(one.settings),
            "teaches": one.teaches,
            "needs": list(one.needs),
            "minutes": one.minutes,
            "steps": len(one.steps),
            "questions": sum(step.question is not None for step in one.steps),
        }
        for one in catalogue()
    ]
    assert [one["id"] for one in found["courses"]] == [one.id for one in courses()]
    assert found["trained"] == [{"id": one.id, "title": one.title, "scores": dict(one.card)} for one in models()]
    assert [one["name"] for one in found["models"]] == recipes.names()
    assert [one["name"] for one in found["vectors"]] == [one.name for one in (*SHIPPED, *OFFERED)]
    assert all(one["here"] for one in found["vectors"][: len(SHIPPED)])


# replay


def test_replay(capsys, tmp_path):
    (tmp_path / "three.toml").write_text(THREE)
    assert main(["replay", str(tmp_path / "three.toml")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "three-steps: 3 steps forward, backward and from each: the same to the last bit; 3 questions"
    )


def test_replay_of_what_goes_wrong(capsys, tmp_path):
    (tmp_path / "three.toml").write_text(THREE.replace("A] < 0.5", "A] > 2"))
    assert main(["replay", str(tmp_path / "three.toml")]) == 1
    assert capsys.readouterr().out.startswith("step `temperature` of three-steps: `question`: no way was found")


# check


LESSONS = cache(check_lesson)


@pytest.fixture
def checked_once(monkeypatch):
    """What comes out of checking everything, which takes seconds, for all tests of how it is told."""
    monkeypatch.setattr(lessons, "check_lesson", LESSONS)
    return {one.__name__: one() for one in (check_figures, check_slips)}


def test_check_everything(capsys, checked_once):
    assert main(["check"]) == 0
    text = capsys.readouterr().out
    assert all(f"{lesson.id}: a valid lesson" in text for lesson in catalogue())
    assert text.endswith("All of it agrees.\n")
    assert "DISAGREES" not in text


def test_check_json(capsys, checked_once):
    assert main(["check", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agrees"] is True
    assert found["lessons"] == [
        {"lesson": name, "valid": True, "problem": None} for name in sorted(one.id for one in [*catalogue(), *models()])
    ]
    assert len(found["figures"]) == len(checked_once["check_figures"])
    assert len(found["slips"]) == len(checked_once["check_slips"])
    for figure in found["figures"]:
        # "nan" where nothing is printed.
        difference = np.nanmax(np.abs(np.subtract(figure["computed"], np.array(figure["printed"], dtype=float))))
        assert figure["worst"] == pytest.approx(difference)


def test_check_finds_a_wrong_figure(capsys, monkeypatch, checked_once):
    right = checked_once["check_figures"]
    monkeypatch.setattr(lessons, "_ids", lambda: ["emma"])
    wrong = replace(right[0], computed=right[0].computed + 1, worst=1.0, agrees=False)
    monkeypatch.setattr(lessons, "check_figures", lambda: [wrong, *right[1:]])
    assert main(["check"]) == 1
    text = capsys.readouterr().out
    assert text.count("DISAGREES") == 1
    assert text.endswith("1 of these does not agree.\n")
    assert main(["check", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["agrees"] is False
    assert [figure["agrees"] for figure in found["figures"]].count(False) == 1


def test_check_finds_a_wrong_slip(capsys, monkeypatch, checked_once):
    right = checked_once["check_slips"]
    monkeypatch.setattr(lessons, "_ids", lambda: ["emma"])
    monkeypatch.setattr(lessons, "check_slips", lambda: [replace(right[0], agrees=False), *right[1:]])
    assert main(["check"]) == 1
    assert capsys.readouterr().out.count("DISAGREES") == 1


def test_check_finds_a_lesson_of_ours_that_is_not_valid(capsys, monkeypatch, tmp_path):
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / "mine.toml").write_text('id = "mine"', encoding="utf-8")
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    assert main(["check"]) == 1
    found, _, summary = capsys.readouterr().out.splitlines()
    assert found.startswith(str(folder / "mine.toml"))
    assert summary == "1 of these does not agree."


def test_check_files(capsys, tmp_path):
    text = (paths.resources() / "lessons" / "emma.toml").read_text(encoding="utf-8")
    good, bad, broken = (tmp_path / f"{name}.toml" for name in ("good", "bad", "broken"))
    good.write_text(text, encoding="utf-8")
    bad.write_text(text.replace('kind = "attention"', 'kind = "atention"'), encoding="utf-8")
    broken.write_text("id = ", encoding="utf-8")
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: a valid lesson\n\nAll of it agrees.\n"
    assert main(["check", *map(str, (good, bad, broken))]) == 1
    _, of_bad, of_broken, _, summary = capsys.readouterr().out.splitlines()
    assert of_bad.startswith(f"{bad}: model.kind: 'atention'")
    assert of_broken.startswith(f"{broken}: is not valid TOML")
    assert summary == "2 of these do not agree."
    assert main(["check", "--json", str(bad)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["figures"] == []
    assert found["lessons"][0]["valid"] is False
    assert str(bad) in found["lessons"][0]["problem"]


# bench

FIGURES = [
    Measurement("a", 1.5, "×", 2.0, "by hand", "of 10 pairs"),
    Measurement("b", 3.25, "ms", 1.0, "a frame", "of 200 edits", 0.5),
    Measurement("c", 0.5, "s", None, "nothing", "once"),
]


def _figure(one):
    def measure():
        return one

    measure.__name__ = f"the_{one.name}"
    return measure


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr("benchmarks.figures.figures", lambda: map(_figure, FIGURES))


def test_bench(capsys, measured):
    assert main(["bench"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a: 1.500 × (limit 2)"
    assert lines[1] == "    beside by hand: of 10 pairs"
    assert lines[2] == "b: 3.250 ms (limit 1, MISSED)"
    assert lines[4] == "c: 0.5000 s (no limit)"
    assert "numpy" in lines[-1]


def test_bench_of_some_figures(capsys, measured):
    assert main(["bench", "the b", "the c"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines[:4:2]] == ["b", "c"]
    assert main(["bench", "the d"]) == 2
    assert "'the d'" in capsys.readouterr().err


def test_bench_goes_on_after_a_figure_that_cannot_be_measured(capsys, monkeypatch, measured):
    def broken():
        raise AssertionError("the motion did not begin")

    monkeypatch.setattr("benchmarks.figures.figures", lambda: [broken, *map(_figure, FIGURES)])
    assert main(["bench", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [one["name"] for one in found["figures"]] == ["a", "b", "c"]
    assert [one["name"] for one in found["failed"]] == ["broken"]
    assert "the motion did not begin" in err


def test_bench_measures_a_window_that_nobody_has_changed(capsys, monkeypatch):
    folders = []

    def figure():
        folders.append(own_folder())
        assert not any(own_folder().iterdir())
        return FIGURES[0]

    monkeypatch.setattr("benchmarks.figures.figures", lambda: [figure])
    mine = own_folder()
    assert main(["bench"]) == 0
    (folder,) = folders
    assert folder != mine
    assert not folder.exists()
    assert own_folder() == mine


def test_bench_json(capsys, measured):
    assert main(["bench", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "numpy" in found["machine"]
    assert [one["met"] for one in found["figures"]] == [True, False, True]
    assert [one["busy"] for one in found["figures"]] == [False, True, False]
    keys = {"name", "value", "unit", "limit", "against", "detail", "unrest", "met", "busy"}
    assert all(one.keys() == keys for one in found["figures"])
    assert found["figures"][1]["value"] == 3.25


def test_bench_without_the_source_code(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "benchmarks", lambda: tmp_path / "benchmarks")
    assert main(["bench"]) == 2
    assert capsys.readouterr().err == (
        "explorer: The benchmarks come with the source code only; run `make bench` in a checkout of it.\n"
    )


# The window


@pytest.fixture
def window(monkeypatch):
    """What the window was opened with, without opening it."""
    calls = []

    def run(file=None, smoke=False, tokenizer=None, model=None):
        calls.append((file, smoke, tokenizer, model))
        return 7

    monkeypatch.setitem(sys.modules, "explorer.app", SimpleNamespace(run=run))
    return calls


@pytest.mark.parametrize(
    ("argv", "call"),
    [
        ([], (None, False, None, None)),
        (["emma"], ("emma", False, None, None)),
        (["a.bin", "--tokenizer", "t.bin"], ("a.bin", False, "t.bin", None)),
        (["inside-pythia", "--model", "pythia"], ("inside-pythia", False, None, "pythia")),
        (["--smoke-test"], (None, True, None, None)),
    ],
)
def test_the_window_opens(window, argv, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.bin").touch()
    assert main(argv) == 7
    assert window == [call]


def test_the_window_opens_a_file(window, tmp_path):
    file = tmp_path / "show"
    file.touch()
    assert main([str(file)]) == 7
    assert window == [(str(file), False, None, None)]


@pytest.fixture
def linux(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_LOGGING_RULES", "XDG_RUNTIME_DIR"):
        # set first, so that what the code sets is taken back
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.parametrize(
    "name",
    [None, "", "junk", ":", ":x", ":98765", "no.such.host.invalid:0", "..:0", "localhost:99999", ":9999999"],
)
def test_without_a_display_one_sentence_says_how_to_get_one(capsys, linux, window, name):
    if name is not None:
        linux.setenv("DISPLAY", name)
    assert main([]) == 2
    assert window == []
    (line,) = capsys.readouterr().err.splitlines()
    assert "no display" in line
    assert "ssh -X" in line


def test_a_display_of_wayland_is_a_socket_in_the_runtime_folder(linux, tmp_path):
    linux.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    linux.setenv("WAYLAND_DISPLAY", "wayland-0")
    with refuses("no display"):
        page.need_display()
    (tmp_path / "wayland-0").touch()
    page.need_display()


def test_a_display_of_x11_answers(linux):
    asked = []
    linux.setattr(page, "_answers", lambda address: asked.append(address) or "\0" in address)
    linux.setenv("DISPLAY", ":3.0")
    page.need_display()
    assert asked == ["/tmp/.X11-unix/X3", "\0/tmp/.X11-unix/X3"]


@pytest.mark.parametrize(("encoding", "given"), [("UTF-8", "de_DE.UTF-8"), ("ANSI_X3.4-1968", "C.UTF-8")])
def test_qt_is_given_a_locale_that_it_does_not_complain_of(linux, encoding, given):
    linux.setenv("LC_ALL", "de_DE.UTF-8")
    linux.setattr("locale.getencoding", lambda: encoding)
    page.need_display(or_offscreen=True)
    assert page.os.environ["LC_ALL"] == given


def test_words_in_a_script_that_no_font_has_are_no_page_of_warnings(tmp_path):
    """Qt printed a line for each font of the machine, three times over."""
    command = "render", "you-are-welcome", "source.embedding", "a.png"
    done = drawn_without_display(tmp_path, *command, "--tokens", "हिन्दी में")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote a.png\n", "")


def test_the_smoke_test_needs_no_display(linux, window):
    assert main(["--smoke-test"]) == 7
    assert page.os.environ["QT_QPA_PLATFORM"] == "offscreen"


# How the program ends


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), 2, "memory"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (ExplorerError("unknown-format", name="x", known="y"), 2, "'x' is not a format"),
        (UsageError("two\nlines"), 2, "two lines"),
    ],
)
def test_ends_without_a_traceback(capsys, monkeypatch, error, code, said):
    def fail(*_):
        raise error

    monkeypatch.setattr("explorer.cli._discard_output", lambda: None)
    monkeypatch.setattr(show.library, "open", fail)
    assert main(["show", "emma"]) == code
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == bool(said)
    assert said in "".join(lines)


# Text in columns


def test_columns_are_as_wide_as_their_widest_cell():
    assert columns([("a", "1", "x"), ("bcd", "23", "")], "<><") == ["a     1  x", "bcd  23"]


def test_wide_and_combining_characters():
    assert (width("日本"), width("é"), width("e\u0301")) == (4, 1, 1)
    assert columns([("日本", "x"), ("abcd", "y")], "<") == ["日本  x", "abcd  y"]
