"""Wrong input: one line on standard error that names what was wrong and what would be right, exit 2, no traceback."""

import os
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.cli.parser import COMMANDS, FORMATS
from explorer.cli.show import parse_set, parse_switch
from explorer.core.errors import ExplorerError
from explorer.core.graph import parse_cell
from explorer.sentences import sentence
from tests.samples import each

WELCOME = ("show", "you-are-welcome")


def wrong(capsys, *argv):
    """The one line that a wrong command prints."""
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("explorer: ")
    return line.removeprefix("explorer: ")


@each(
    ("argv", "names"),
    [
        # commands and options
        (("nope",), ("'nope' is no command, file or lesson", ", ".join(COMMANDS), "emma")),
        (("shwo",), ("'shwo'", "did you mean 'show'?")),
        (("shwo", "emma", "weights"), ("'shwo'", "did you mean 'show'?")),
        (("compare", "emma", "softmax"), ("'compare' is no command", "Ctrl+E")),
        (("emma", "softmax"), ("opens one file", "Ctrl+E")),
        (("nope.toml",), ("no file 'nope.toml'",)),
        (("nope.lessons",), ("no file 'nope.lessons'",)),
        (("nope.sheet.toml",), ("no file 'nope.sheet.toml'",)),
        (("nope.gguf",), ("no file 'nope.gguf'",)),
        (("",), ("'' is no command",)),
        (("--wrong",), ("--wrong", "`explorer --help`")),
        (("list", "x"), ("x", "`explorer list --help`")),
        (("show",), ("required: LESSON;", "`explorer show --help`")),
        (("show", "emma", "--wrong"), ("--wrong", "`explorer show --help`")),
        (("show", "emma", "--set"), ("--set", "expected one argument")),
        (("show", "emma", "--grad"), ("--grad",)),
        (("show", "emma", "--form", "csv"), ("--form",)),
        (("explain", "emma"), ("CELL", "`explorer explain --help`")),
        (("generate", "tiny-gpt", "a", "-n", "x"), ("-n: 'x' is not a whole number", "`explorer generate --help`")),
        (("generate", "tiny-gpt", "a", "--top-p", "1,5"), ("--top-p: '1,5' is not a number",)),
        (("bench", "no such figure"), ("'no such figure'", "`explorer bench`")),
        # lessons, formats, settings
        (("show", "emm"), ("'emm'", "did you mean 'emma'?", "`explorer list`")),
        (("show", "nope.toml"), ("nope.toml", "no such file")),
        (("show", "nope.gguf"), ("nope.gguf", "no such file")),
        (("check", "nope.toml"), ("nope.toml", "no such file")),
        (("check", "nope"), ("'nope'", "`explorer list`")),
        (("show", "emma", "--format", "yaml"), ("'yaml'", ", ".join(FORMATS))),
        (("show", "emma", "--out", "x.py"), ("--out", "--format python")),
        ((*WELCOME, "source.table", "--tokens", "\u200b"), ("can be seen", r"'\u200b'")),
        (("show", "emma", "--format", "python", "--out", "x"), ("x: is not the name", ".py")),
        (("show", "emma", "--format", "python", "--out", "no/x.py"), ("cannot be written", "no such folder")),
        (("show", "emma", "wieghts", "--format", "python"), ("did you mean 'weights'?",)),
        ((*WELCOME, "--format", "python", "--tokens", "w " * 100), ("too many numbers", "--out FILE.py")),
        (("show", "emma", "--setting", "x"), ("'x'", "plain, textbook, printed")),
        # nodes and cells
        (("show", "emma", "wieghts"), ("'wieghts'", "did you mean 'weights'?")),
        (("show", "emma", "qqq"), ("'qqq'", "`explorer show LESSON`")),
        (("show", "emma", ""), ("''",)),
        ((*WELCOME, "encoder.1.self.head.3.Q"), ("'encoder.1.self.head.3.Q'", "did you mean")),
        ((*WELCOME, "encoder.1.self.head.0.Q"), ("'encoder.1.self.head.0.Q'",)),
        ((*WELCOME, "encoder.1.self.head.².Q"), ("'encoder.1.self.head.².Q'",)),
        (("explain", "emma", "wieghts[0,0]"), ("did you mean 'weights'?",)),
        (("explain", "emma", "weights[0"), ("'weights[0'", "NODE[row,column]")),
        (("explain", "emma", "weights[-1,0]"), ("'weights[-1,0]'", "counted from 0")),
        (("explain", "emma", "weights[9,0]"), ("[9, 0]", "9 × 9")),
        (("explain", "emma", "weights[0]"), ("[0]", "9 × 9")),
        (("explain", "emma", "weights"), ("9 × 9",)),
        (("explain", "emma", "weights[999999999999999999,0]"), ("[999999999999999999, 0]", "9 × 9")),
        (("explain", "emma", f"weights[{'9' * 5000},0]"), ("…'", "NODE[row,column]")),
        (("explain", "you-are-welcome", "output.temperature[0]"), ("[0]", "a single number")),
        # --set
        (("show", "emma", "--set", "Q[0,0]"), ("'Q[0,0]'", "NODE[row,column]=VALUE")),
        (("show", "emma", "--set", "Q[0,0]=x"), ("'x'", "with a point for decimals")),
        (("show", "emma", "--set", "Q[0,0]="), ("''", "not a number")),
        (("show", "emma", "--set", "Q[0,0]=1e999"), ("'1e999'",)),
        (("show", "emma", "--set", "Q[9,0]=1"), ("[9, 0]", "9 × 4")),
        (("show", "emma", "--set", "x[0,0]=1"), ("'x'", "`explorer show LESSON`")),
        ((*WELCOME, "--set", "source.tokens[0]=9"), ("from 0 to 2", "9")),
        ((*WELCOME, "--set", "source.tokens[0]=0.5"), ("'source.tokens' holds whole numbers", "0.5")),
        ((*WELCOME, "--set", "source.tokens[0]=nan"), ("'source.tokens' holds whole numbers", "nan")),
        ((*WELCOME, "--set", "source.tokens[0]=inf"), ("'source.tokens' holds whole numbers", "inf")),
        ((*WELCOME, "--set", "output.chosen[0]=nan"), ("'output.chosen' holds whole numbers",)),
        # --switch
        ((*WELCOME, "--switch", "scale=none"), ("'scale=none'", "BLOCK.NAME=VALUE")),
        ((*WELCOME, "--switch", "encoder.1.self.scale"), ("BLOCK.NAME=VALUE",)),
        ((*WELCOME, "--switch", "encoder.9.self.scale=none"), ("'encoder.9.self'", "encoder.1.self")),
        ((*WELCOME, "--switch", "encoder.1.self.skale=none"), ("'skale'", "similarity, scale")),
        ((*WELCOME, "--switch", "encoder.1.self.scale=2"), ("'2'", "1/sqrt(d_k)")),
        ((*WELCOME, "--switch", "encoder.1.self.heads=1e99"), ("'1e99'", "a whole number")),
        ((*WELCOME, "--switch", "encoder.1.ffn.d_ff=999999999"), ("'999999999'",)),
        ((*WELCOME, "--switch", "decoder.1.cross.mask=causal"), ("decoder.1.cross",)),
        # --tokens
        ((*WELCOME, "--tokens", ""), ("at least one word", "'source'")),
        ((*WELCOME, "--target", "  "), ("at least one word", "'target'")),
        ((*WELCOME, "--tokens", "w " * 1000), ("1000", "up to")),
        ((*WELCOME, "--tokens", "w" * 1000), ("A token is",)),
        (("show", "emma", "--tokens", "a b"), ("'emma'", "cannot be changed")),
        (("show", "emma", "--target", "a b"), ("'emma'", "cannot be changed")),
        (("emma", "--tokenizer", "tok512.bin"), ("--tokenizer is for a file of llama2.c",)),
        (("--tokenizer", "tok512.bin"), ("--tokenizer is for a file of llama2.c",)),
        (("emma", "--register-desktop"), ("--register-desktop opens no file",)),
        # a name that could not be written is refused before anything is computed
        (("seek", "emma", "Q[0,0]=1", "--change", "nothing", "--out", "a.txt"), ("'.txt' is not a format",)),
        (("conventions", "nothing", "Q=1", "--out", "a.txt"), ("'.txt' is not a format",)),
        # options that cannot go together, of which one was ignored
        (("show", "tiny-gpt", "--tokens", "the", "--ids", "1"), ("--ids: not allowed with argument --tokens",)),
        ((*WELCOME, "--target", "de", "--target-ids", "1"), ("--target-ids: not allowed with argument --target",)),
        (("generate", "tiny-translator", "the", "--target", "<es>", "--target-ids", "1"), ("not allowed with",)),
        (("show", "emma", "--dtype", "float32"), ("Only", "checkpoint", "a dtype", "emma")),
        (("show", "emma", "--tokenizer", "tok512.bin"), ("Only", "checkpoint", "a tokenizer", "emma")),
        (("generate", "tiny-gpt", "the", "--tokenizer", "tok512.bin"), ("a tokenizer", "tiny-gpt")),
        (("render", "emma", "attention", "a.gif", "--cell", "Q[0,0]", "--learn", "2"), ("not allowed with",)),
        (("conventions", "--given", "1 2", "--printed", "1 2", "--tokens", "a"), ("a matrix alone",)),
        (("conventions", "--given", "1 2", "--printed", "1 2", "--number", "2"), ("--number", "--out")),
        (("questions", "emma", "--same", "--variants", "2", "--out", "a.xml"), ("--same", "leave out --variants")),
        (("words", "similar", "sea", "--dims", "4"), ("--dims is for train, not for similar",)),
        (("words", "list", "--vectors", "books"), ("--vectors is for similar", "not for list")),
        (("words", "cosine", "sea", "ship", "-n", "3"), ("-n is for similar, analogy, not for cosine",)),
    ],
)
def test_one_line_says_what_was_wrong_and_what_would_be_right(capsys, argv, names):
    line = wrong(capsys, *argv)
    assert all(name in line for name in names), line


def test_names_with_line_breaks_stay_on_one_line(capsys):
    assert wrong(capsys, "show", "a\nb\r\nc")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Q[0,1]", ("Q", (0, 1))),
        (" encoder.1.self.head.1.W_Q [ 2 , 0 ] ", ("encoder.1.self.head.1.W_Q", (2, 0))),
        ("x[007]", ("x", (7,))),
        ("Q[1,2,3]", ("Q", (1, 2, 3))),
        ("T", ("T", ())),
        ("T[]", ("T", ())),
        ("T[ ]", ("T", ())),
    ],
)
def test_cells(text, cell):
    assert parse_cell(text) == cell


@each(
    "text",
    [
        *("", " ", "[0,0]", "Q[", "Q]", "Q[0,0", "Q[0,0]]", "Q[[0,0]]", "Q[0,0]x", "Q[0][0]", "Q=1", "a b[0]"),
        *("Q[-1,0]", "Q[+1,0]", "Q[0,]", "Q[,0]", "Q[,]", "Q[0;0]", "Q[0 0]", "Q[1.0,0]", "Q[1e3,0]", "Q[0x1,0]"),
        *("Q[:,0]", "Q[a,b]", "Q[²,0]", "Q[٣,0]", "Q[1_0,0]", f"Q[{'1' * 19},0]", f"Q[{'1' * 9999}]"),
    ],
)
def test_what_is_no_cell(text):
    with pytest.raises(ExplorerError) as caught:
        parse_cell(text)
    assert caught.value.id == "bad-cell-syntax"
    assert len(sentence(caught.value)) < 200


@each(
    ("text", "value"),
    [
        *(("2", 2), ("-2.5", -2.5), ("−2.5", -2.5), (" 1e-3 ", 1e-3), (".5", 0.5), ("+4", 4)),
        *(("inf", float("inf")), ("-inf", -float("inf")), ("1e-999", 0)),
    ],
)
def test_values(text, value):
    assert parse_set(f"Q[0,1]={text}") == (("Q", (0, 1)), value)


def test_more_numbers_than_can_be_read_are_not_printed(capsys, monkeypatch):
    monkeypatch.setattr("explorer.cli.show.MOST_PRINTED", 100)
    assert main(["show", "you-are-welcome", "source.X"]) == 0
    capsys.readouterr()
    line = wrong(capsys, "show", "you-are-welcome", "--format", "csv")
    assert "name nodes of up to 100 together, or write them with --out FILE.npz" in line
    assert "--out FILE.py" in line


@each("text", ["", "x", "1,2,3", "1 2", "1_000", "0x10", "1=2", "½", "true"])
def test_what_is_no_value(text):
    with pytest.raises(ExplorerError) as caught:
        parse_set(f"Q[0,1]={text}")
    assert caught.value.id == "bad-number"


@pytest.mark.parametrize("text", ["", "Q", "Q[0,1]", "=1", "[0]=1", "Q[0,1=1", "Q[-1,0]=1"])
def test_what_sets_nothing(text):
    with pytest.raises(ExplorerError) as caught:
        parse_set(text)
    assert caught.value.id == "bad-set-syntax"


def test_switches():
    assert parse_switch("encoder.1.self.scale=1/sqrt(d_k)") == ("encoder.1.self.scale", "1/sqrt(d_k)")
    assert parse_switch(" a.b = x W ") == ("a.b", "x W")


@each("text", ["", "=", "a", "a.b", "a=1", ".b=1", "a.=1", "a.b=", "a.b= "])
def test_what_is_no_switch(text):
    with pytest.raises(ExplorerError) as caught:
        parse_switch(text)
    assert caught.value.id == "bad-switch-syntax"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such pipes")
@pytest.mark.parametrize(
    "argv",
    [
        ("show", "pipe.toml"),
        ("check", "pipe.toml"),
        ("generate", "pipe.explorer", "the"),
        ("train", "pipe.toml", "--out", "out.explorer"),
        ("train", "roses", "--text", "pipe.txt", "--out", "out.explorer"),
        ("train", "xor", "--out", "gone_on.explorer"),
        ("words", "similar", "sea", "--vectors", "pipe.txt"),
        ("words", "train", "pipe.txt", "--out", "out.npz"),
    ],
)
def test_nobody_waits_for_a_pipe_that_nobody_writes_into(tmp_path, monkeypatch, capsys, argv):
    """And nothing is left behind of what was refused."""
    monkeypatch.chdir(tmp_path)
    for name in ("pipe.toml", "pipe.txt", "pipe.explorer", "gone_on.explorer.training"):
        os.mkfifo(name)
    before = sorted(os.listdir())
    assert "it is a pipe; put what comes out of it into a file." in wrong(capsys, *argv)
    assert sorted(os.listdir()) == before


def test_a_sentence_has_one_full_stop():
    error = ExplorerError("text-not-read", file="a.txt", reason=ValueError("File or stream is not seekable."))
    assert sentence(error).startswith("a.txt: cannot be read: File or stream is not seekable. Check")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "model.pt",
            "is a pickle, which can run code when it is opened; convert it elsewhere with `model.save_pretrained",
        ),
        ("model.npz", "is a form of models that is not read here; write it as a folder of config.json and safetensors"),
        (
            "model.safetensors",
            "has weights, but beside it lies no config.json, which says how to use them; put that there",
        ),
    ],
)
@pytest.mark.parametrize("argv", [["show"], ["generate", "--ids", "1"]])
def test_a_model_in_a_form_of_others_is_no_lesson_that_is_not_there(tmp_path, monkeypatch, capsys, name, said, argv):
    """There is no lesson 'model.pt', it was said, and there was the file."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b"PK\3\4")
    assert main([argv[0], name, *argv[1:]]) == 2
    assert f"explorer: {name} {said}" in capsys.readouterr().err
    Path(name).unlink()
    assert main([argv[0], name, *argv[1:]]) == 2
    assert f"There is no lesson, model or file '{name}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.txt", "it is no lesson or sheet (.toml), document (.explorer) or model"),
        ("week.lessons", "it is no lesson or sheet (.toml), document (.explorer) or model"),
        ("folder.gguf", "it is a folder"),
        ("folder.bin", "it is a folder"),
    ],
)
def test_a_file_that_is_there_is_not_said_to_be_missing(tmp_path, monkeypatch, capsys, name, said):
    """Of a text it was said that no lesson has this name, of its path that it is not valid TOML."""
    monkeypatch.chdir(tmp_path)
    if name.startswith("folder"):
        Path(name).mkdir()
    else:
        Path(name).write_bytes(b"\xff")
        assert said in wrong(capsys, "show", f"./{name}")
        assert said in wrong(capsys, "handout", name, "x.pdf")
    assert said in wrong(capsys, "show", name)


def test_which_numbers_of_settings_there_are(capsys, tmp_path):
    argv = ["conventions", "--given", "1 2", "--printed", "0.27 0.73", "--out", str(tmp_path / "x.explorer")]
    assert main([*argv, "--number", "9"]) == 2
    assert "no setting number 9; --number takes one from 1 to 1." in capsys.readouterr().err
