"""No command destroys a file: none writes over what it reads, or over what it would not have written itself."""

import os
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

from explorer.cli import main
from explorer.cli.output import may_write
from explorer.cli.parser import COMMANDS, parser

LESSON = """
format = 4
id = "mine"
title = "Mine"
paragraph = "A score."
example = "two-vectors"
[[step]]
id = "one"
title = "One"
words = "Words."
[step.look]
stage = "vectors"
"""
QUESTION = """
node = "dot"
[step.question]
kind = "predict"
ask = "What is it?"
cell = ["x", "y"]
"""
RECIPE = """
title = "A net on XOR"
[model]
kind = "mlp"
units = [2]
[data]
X = [[0, 1], [1, 0]]
target = [[1], [0]]
[training]
steps = 2
"""
TEXT = "the cat sees the dog\nthe dog sees the cat\n" * 20
WORDS = ("words", "train", "text.txt", "--out")
SMALL = ("--dims", "2", "--epochs", "1", "--least", "1", "--no-numba")

WRITERS = {
    "script": (("show", "mine.toml", "--format", "python", "--out"), "out.py", (), "mine.toml"),
    "spreadsheet": (("export", "mine.toml"), "out.xlsx", (), "mine.toml"),
    "exported script": (("export", "mine.toml"), "out.PY", (), "mine.toml"),
    "picture": (("render", "mine.toml", "vectors"), "out.png", (), "mine.toml"),
    "lines": (("render", "mine.toml", "vectors"), "out.svg", (), "mine.toml"),
    "page": (("render", "mine.toml", "vectors"), "out.pdf", (), "mine.toml"),
    "what moves": (("render", "xor.toml", "layer.2"), "out.gif", ("--setting", "random", "--learn", "1"), "xor.toml"),
    "hand-out": (("handout", "mine.toml"), "out.html", (), "mine.toml"),
    "hand-out to print": (("handout", "mine.toml"), "out.pdf", (), "mine.toml"),
    "model": (("train", "recipe.toml", "--out"), "out.explorer", (), "recipe.toml"),
    "conventions": (("conventions", "mine.toml", "scaled=7.07", "--out"), "out.explorer", (), "mine.toml"),
    "sought": (("seek", "mine.toml", "dot[0,0]=4", "--change", "x", "--out"), "out.explorer", (), "mine.toml"),
    "Moodle": (("questions", "asks.toml", "--out"), "out.xml", (), "asks.toml"),
    "QTI": (("questions", "asks.toml", "--out"), "out.zip", (), "asks.toml"),
    "nodes as arrays": (("show", "mine.toml", "--out"), "out.npz", (), "mine.toml"),
    "word table": (WORDS, "out.txt", SMALL, "text.txt"),
    "word vectors": (WORDS, "out.safetensors", SMALL, "text.txt"),
    "small word vectors": (WORDS, "out.int8.safetensors", SMALL, "text.txt"),
    "word arrays": (WORDS, "out.npz", SMALL, "text.txt"),
}
"""Each command that writes: what stands before the file, the file, what stands behind, and what the command reads."""

REMEDY = "choose another name, or add --force to lose what is there.\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(LESSON, "utf-8")
    net = LESSON.replace("two-vectors", "xor").replace('"vectors"', '"layer.2"')
    Path("xor.toml").write_text(net, "utf-8")
    Path("asks.toml").write_text(LESSON + QUESTION, "utf-8")
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    Path("text.txt").write_text(TEXT, "utf-8")
    return tmp_path


def run(capsys, writer, *more):
    before, out, behind, _ = writer
    code = main([*before, out, *behind, *more])
    return code, capsys.readouterr().err


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def writer(request, folder, qapp):
    return request.param


def test_every_command_that_writes_is_in_the_table():
    with_out = {command for command in COMMANDS if "out" in {one.dest for one in parser(command)._actions}}
    assert with_out == {before[0] for before, *_ in WRITERS.values()}


def test_another_file_of_that_name_stays_and_what_it_has_written_is_written_over(writer, capsys):
    out = Path(writer[1])
    out.write_text("My dog is seven years old.\nHer name is Emma.\n", "utf-8")
    code, said = run(capsys, writer)
    assert (code, said) == (2, f"explorer: {out}: was not written by this program; {REMEDY}")
    assert out.read_text("utf-8").startswith("My dog")
    for force in (["--force"], []):
        code, said = run(capsys, writer, *force)
        assert code == 0, said
        assert not out.read_bytes().startswith(b"My dog")
        assert out.stat().st_size


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_what_it_reads_stays_through_links_too(writer, capsys, link):
    _, out, _, source = writer
    before = Path(source).read_bytes()
    link(source, out)
    code, said = run(capsys, writer)
    assert (code, said) == (2, f"explorer: {out}: is read by this command, which would write over it; {REMEDY}")
    assert Path(source).read_bytes() == before


def test_a_text_is_not_written_over_by_its_own_vectors(folder, capsys):
    assert main(["words", "train", "text.txt", "--out", "./text.txt", *SMALL]) == 2
    assert "text.txt: is read by this command" in capsys.readouterr().err
    assert Path("text.txt").read_text("utf-8") == TEXT
    assert not Path("text.txt.training").exists()


def test_vectors_of_others_stay(folder, capsys):
    """Tables as Stanford offers them, and arrays that a student has saved."""
    Path("out.txt").write_text("the 0.418 0.24968 -0.41242\nof 0.70853 0.57088 -0.4716\n", "utf-8")
    np.savez("out.npz", vectors=np.ones((1, 2)), words=np.array(["mine"]))
    for out in ("out.txt", "out.npz"):
        before = Path(out).read_bytes()
        assert main([*WORDS, out, *SMALL]) == 2
        assert f"{out}: was not written by this program" in capsys.readouterr().err
        assert Path(out).read_bytes() == before


def test_what_a_recipe_names_is_read_too(folder, capsys):
    assert main(["train", "recipe.toml", "--out", "first.explorer"]) == 0
    first = Path("first.explorer").read_bytes()
    Path("further.toml").write_text('[model]\ndocument = "first.explorer"\n[training]\nsteps = 1\n', "utf-8")
    capsys.readouterr()
    assert main(["train", "further.toml", "--out", "first.explorer"]) == 2
    assert "first.explorer: is read by this command" in capsys.readouterr().err
    assert Path("first.explorer").read_bytes() == first


FRAMES = "render", "xor", "layer.2", "out.png", "--frames", "--setting", "random"


def test_a_frame_takes_the_place_of_no_other_picture(folder, capsys, qapp):
    Path("out-2.png").write_bytes(b"\x89PNG of a dog")
    assert main([*FRAMES, "--learn", "1"]) == 2
    assert "out-2.png: was not written by this program" in capsys.readouterr().err
    assert not Path("out-1.png").exists()
    Path("out-2.png").rename("out.png")  # into which nothing is written
    assert main([*FRAMES, "--learn", "1"]) == 0
    assert Path("out.png").read_bytes() == b"\x89PNG of a dog"


def test_arrays_beside_a_script_are_known_by_it(folder, capsys):
    Path("out.py.npz").write_bytes(b"PK of somebody else")
    command = ["show", "xor", "--format", "python", "--out", "out.py"]
    assert main(command) == 2
    assert "out.py.npz: was not written by this program" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert main(command) == 0


def test_other_things_that_a_folder_of_training_holds_stay(folder):
    Path("out.txt.training").mkdir()
    Path("out.txt.training", "notes.txt").write_text("mine", "utf-8")
    assert main([*WORDS, "out.txt", *SMALL]) == 0
    assert [one.name for one in Path("out.txt.training").iterdir()] == ["notes.txt"]


@pytest.mark.skipif(os.name != "posix", reason="devices are files there")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_device_stays_one(folder, capsys, force):
    os.mkfifo("device")
    os.symlink("device", "out.py")
    assert main(["show", "xor", "--format", "python", "--out", "out.py", *force]) == 2
    assert capsys.readouterr().err == (
        "explorer: out.py: cannot be written: it is not a file. Choose another place or name, or make room there.\n"
    )
    assert Path("device").is_fifo()


def test_an_empty_file_loses_nothing(tmp_path):
    out = tmp_path / "out.png"
    out.touch()
    may_write(out, False)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"# numbers\na 1 2\nb 3 4\n"),
        ("b.txt", b"a 1 2\nb 3 4 5\n"),
        ("c.txt", b"no line ends here"),
        ("d.explorer", b"PK\x03\x04 of a book"),
        ("e.safetensors", b'\x40\0\0\0\0\0\0\0{"__metadata__":{"format":"pt"}}'),
        ("f.py", b"# Transformer Explorer and I\n"),
        ("g.xlsx", b"PK\x03\x04 of a budget"),
        ("h.dat", b"anything"),
    ],
)
def test_what_is_not_ours(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with refuses("was not written by this program"):
        may_write(tmp_path / name, False)


CODES = "\x1b[31mred\u202e\n"
"""In the name of a file: a colour, letters from right to left, a line break."""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
def test_a_terminal_obeys_no_code_in_a_name(writer, capsys):
    before, out, behind, source = writer
    Path(source).rename(f"{CODES}{source}")
    code = main([*(f"{CODES}{word}" if word == source else word for word in before), f"{CODES}{out}", *behind])
    told = capsys.readouterr()
    assert (code, told.err) == (0, "")
    *_, last = told.out.splitlines()
    assert f"\\x1b[31mred\\u202e\\n{out}" in last  # on one line
    assert not set("\x1b\u202e") & set(told.out)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
@pytest.mark.parametrize(
    "command",
    [
        ("show", f"{CODES}.toml"),
        ("check", f"{CODES}.toml"),
        ("render", "xor", "layer.2", f"{CODES}.doc"),
        ("train", f"{CODES}.toml", "--out", "a.explorer"),
        ("train", "xor", "--out", f"{CODES}/a.explorer"),
        ("generate", f"{CODES}.explorer", "the"),
        ("words", "similar", "sea", "--vectors", f"{CODES}.npz"),
        ("words", "train", f"{CODES}.txt", "--out", "a.npz"),
        (f"{CODES}.toml",),
    ],
)
def test_a_refusal_obeys_none_either(folder, capsys, command):
    assert main(command) == 2
    told = capsys.readouterr().err
    assert "\\x1b[31mred\\u202e" in told
    assert not set("\x1b\u202e") & set(told)
    assert len(told.splitlines()) == 1
