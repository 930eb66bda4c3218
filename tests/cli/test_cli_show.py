import contextlib
import csv
import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.cli import main
from explorer.core.model import SWITCHES
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.storage import save
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import load
from explorer.lessons.recording import Recording
from explorer.lessons.schema import Look
from tests.checkpoints.small import weights, write
from tests.examples import SMALL
from tests.samples import each, few

EVERY = [(one.id, setting) for one in SMALL for setting in one.settings]


def out(*argv):
    """What a command prints, its exit code being 0."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        assert main(argv) == 0
    return stream.getvalue()


def shown(*argv):
    return json.loads(out("show", *argv, "--format", "json"))


def array(value):
    """Nested lists as an array again, of the integers or floats they hold."""
    if isinstance(value, list):
        return np.array([array(one) for one in value])
    return np.array(float(value) if isinstance(value, str) else value)


# JSON


@each(("lesson", "setting"), EVERY)
def test_json_holds_every_node_and_head_bit_for_bit_but_for_the_sign_of_0(lesson, setting):
    engine = Document(load(lesson).state(setting)).engine
    found = shown(lesson, "--setting", setting)
    assert found.keys() == {"lesson", "switches", "nodes"}
    assert found["lesson"] == lesson
    assert list(found["nodes"]) == list(engine.graph.names())
    for name, node in found["nodes"].items():
        place = engine.graph.place(name)
        value, labels = engine.value(place), [list(engine.labels(axis)) for axis in engine.graph.axes_of(place)]
        assert node.keys() == {"symbol", "stage", "rows", "columns", "value"}
        assert node["symbol"] == engine.graph.nodes[place.node].symbol
        assert node["stage"] == engine.graph.nodes[place.node].stage
        assert array(node["value"]).dtype == value.dtype
        assert array(node["value"]).tobytes() == (value + 0).tobytes()  # 0 has no sign
        assert node["rows"] == (labels[-2:][0] if labels else None)
        assert node["columns"] == (labels[-1] if len(labels) > 1 else None)


def test_json_has_all_switches_with_what_holds():
    switches = shown("you-are-welcome", "source.tokens", "--setting", "textbook")["switches"]
    blocks = load("you-are-welcome").model.blocks()
    assert list(switches) == [f"{block}.{name}" for block, kind in blocks.items() for name in SWITCHES[kind]]
    assert switches["encoder.1.self.heads"] == 2
    assert switches["decoder.1.self.mask"] == "causal"
    assert switches["encoder.1.self.residual"] is True


def test_json_writes_what_is_not_finite_as_text():
    masked = shown("emma", "masked", "--setting", "textbook")["nodes"]["masked"]["value"]
    assert masked[0][1:] == ["-inf"] * 8
    sets = ["--set", "Q[0,0]=nan", "--set", "Q[1,0]=inf"]
    Q = shown("emma", "Q", *sets)["nodes"]["Q"]["value"]
    assert (Q[0][0], Q[1][0]) == ("nan", "inf")


@given(st.floats())
def test_a_float_comes_back_with_the_same_bits(number):
    value = shown("emma", "Q", "--set", f"Q[0,0]={number!r}")["nodes"]["Q"]["value"][0][0]
    if math.isnan(number):
        assert value == "nan"
    else:
        assert np.float64(float(value)).tobytes() == np.float64(number + 0).tobytes()  # 0 has no sign


# Which nodes


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (["source.X"], ["source.X"]),
        (["source.X", "source.H", "source.X"], ["source.X", "source.H"]),
        (["encoder.1.self.Q"], ["encoder.1.self.Q"]),
        (["encoder.1.self.head.2.Q"], ["encoder.1.self.head.2.Q"]),
        (["loss"], ["loss.target", "loss.value"]),
        (["loss."], ["loss.target", "loss.value"]),
    ],
)
def test_nodes_are_named_whole_by_head_or_by_the_beginning_of_a_path(wanted, names):
    assert list(shown("you-are-welcome", *wanted)["nodes"]) == names


def test_a_path_takes_in_all_below_it():
    below = shown("you-are-welcome", "encoder.1.self")["nodes"]
    assert {"encoder.1.self.Q", "encoder.1.self.head.1.Q", "encoder.1.self.W_O"} <= below.keys()
    assert all(name.startswith("encoder.1.self.") for name in below)
    one = shown("you-are-welcome", "encoder.1.self.head.2")["nodes"]
    assert "encoder.1.self.head.2.weights" in one
    assert all(name.startswith("encoder.1.self.head.2.") for name in one)


def test_nodes_may_stand_behind_options():
    assert list(shown("emma", "--set", "Q[0,0]=1", "scores", "--setting", "printed", "K")["nodes"]) == ["scores", "K"]


# Edits


def test_edits_are_those_of_the_document_in_the_order_switches_tokens_sets():
    document = Document(load("you-are-welcome").state("textbook"))
    document.do(SetSwitch("encoder.1.self", "mask", "causal"))
    document.do(SetTokens("source", ("You", "are", "so", "welcome")))
    document.do(SetTokens("target", ("de", "nada")))
    document.do(SetCells("source.table", {(3, 1): 0.25}))
    document.do(SetCells("encoder.1.self.head.2.W_Q", {(0, 1): -2.0}))
    document.do(PinCells("encoder.1.self.head.1.weights", {(0, 0): 0.5}))
    # Typed in the opposite order; the word "so" and its row 3 are only there once the words are set.
    found = shown(
        *("you-are-welcome", "--set", "source.table[3,1]=0.25", "--set", "encoder.1.self.head.2.W_Q[0, 1] = −2"),
        *("--set", "encoder.1.self.head.1.weights[0,0]=0.5", "--target", "de nada", "--tokens", "You are  so welcome"),
        *("--switch", "encoder.1.self.mask=causal", "--setting", "textbook"),
    )
    assert found["nodes"]["source.tokens"]["rows"] == ["You", "are", "so", "welcome"]
    for name, value in document.engine.values.items():
        assert array(found["nodes"][name]["value"]).tobytes() == value.tobytes(), name


def test_the_first_setting_holds_without_one():
    assert shown("emma") == shown("emma", "--setting", "plain") != shown("emma", "--setting", "textbook")


def test_a_single_number_is_set_without_an_index():
    changed = ["--set", "output.temperature=2", "--set", "output.temperature[]=4"]
    assert shown("you-are-welcome", "output.temperature", *changed)["nodes"]["output.temperature"]["value"] == 4


def test_a_lesson_file(tmp_path):
    from explorer import paths

    file = tmp_path / "mine.toml"
    file.write_bytes((paths.resources() / "lessons" / "emma.toml").read_bytes())
    assert shown(str(file)) == shown("emma")


# Tables


def test_table_has_labels_and_decimal_points_in_line():
    text = out("show", "emma", "scores")
    heading, labels, *lines = text.splitlines()
    assert heading == "scores  S  (9 × 9)  Attention"
    assert labels.split() == ["Emma", "hates", "games", "but", "she", "is", "a", "great", "friend"]
    assert [line.split()[0] for line in lines] == labels.split()
    # Only one column: its points stand below each other.
    column = re.findall(r"^  \w+ +(-?[\d.]+)", "\n".join(lines), flags=re.M)
    assert column[0] == "2.78"
    units = {re.match(r"  \w+ +-?\d+", line).end() for line in lines}
    assert len(units) == 1


def test_table_writes_heads_one_by_one_each_once():
    whole = out("show", "you-are-welcome", "encoder.1.self.Q")
    both = out("show", "you-are-welcome", "encoder.1.self.head.1.Q", "encoder.1.self.Q")
    assert whole == both
    assert [line.split()[0] for line in whole.splitlines() if "×" in line] == [
        "encoder.1.self.head.1.Q",
        "encoder.1.self.head.2.Q",
    ]


def test_table_of_vectors_and_single_numbers():
    text = out("show", "you-are-welcome", "output.chosen", "output.temperature", "encoder.1.self.gamma")
    assert text.splitlines() == [
        "output.chosen  w  (3)  Output › Probabilities",
        *("  <start>  1  de", "  de       2  nada", "  nada     3  <end>"),
        "",
        "output.temperature  T  (a number)  Output › Probabilities",
        "  1",
        "",
        "encoder.1.self.gamma  γ  (4)  Encoder 1 › Add & norm",
        *("  1  1", "  2  1", "  3  1", "  4  1"),
    ]


def test_table_says_what_is_pinned_and_what_no_text_prints():
    given = ("--setting", "printed", "--set", "encoder.1.self.Q[0,0,0]=1")
    headings = [
        line
        for line in out("show", "you-are-welcome", "encoder.1.self", *given).splitlines()
        if line.startswith("encoder")
    ]
    assert [line.split()[0] for line in headings if line.endswith("  pinned")] == ["encoder.1.self.head.2.output"]
    assert [line.split()[0] for line in headings if line.endswith("partly pinned")] == ["encoder.1.self.head.1.Q"]
    assert "encoder.1.self.head.2.W_Q" in [line.split()[0] for line in headings if line.endswith("not printed")]


def test_wide_tables_are_folded_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    with contextlib.redirect_stdout(stream):
        assert main(["show", "emma", "weights"]) == 0
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    parts = len(lines) // 10
    assert parts > 1
    # Each part has the row labels again; nothing else is added or lost.
    again = load("emma").model.axes["query"] * (parts - 1)
    assert sorted(stream.getvalue().split()) == sorted([*out("show", "emma", "weights").split(), *again])


# CSV


@each(("lesson", "setting"), EVERY)
def test_csv_has_each_number_with_its_place_and_labels(lesson, setting):
    engine = Document(load(lesson).state(setting)).engine
    rows = list(csv.DictReader(io.StringIO(out("show", lesson, "--setting", setting, "--format", "csv"))))
    seen = {}
    for row in rows:
        place = engine.graph.place(row["node"])
        cell = tuple(int(row[part]) for part in ("row", "column") if row[part])
        labels = [engine.labels(axis)[i] for axis, i in zip(engine.graph.axes_of(place), cell, strict=True)]
        assert [row["row_label"], row["column_label"]] == [*labels, "", ""][:2]
        value = engine.value(place)[cell]
        assert np.array(row["value"]).astype(value.dtype).tobytes() == (value + 0).tobytes()  # 0 has no sign
        seen.setdefault(place.node, set()).add(place.index + cell)
    assert {name: len(cells) for name, cells in seen.items()} == {n: v.size for n, v in engine.values.items()}


def test_csv_quotes_words():
    text = out("show", "you-are-welcome", "source.tokens", "--tokens", 'say "a,b" you', "--format", "csv")
    assert [row[3] for row in csv.reader(io.StringIO(text))][1:] == ["say", '"a,b"', "you"]


# LaTeX


@each(("lesson", "setting"), EVERY)
def test_latex_is_balanced_with_a_row_for_a_row(lesson, setting):
    engine = Document(load(lesson).state(setting)).engine
    text = out("show", lesson, "--setting", setting, "--format", "latex")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert body.count(r"\[") == body.count(r"\]") == len(re.findall(r"^% [\w.]+, ", text, flags=re.M))
    assert body.count("{") == body.count("}")
    matrices = re.findall(r"\\begin\{pmatrix\}\n(.*?)\n\\end\{pmatrix\}", body, flags=re.S)
    rows = sum(v.size // v.shape[-1] if v.ndim > 1 else v.size for v in engine.values.values() if v.ndim)
    assert sum(len(matrix.splitlines()) for matrix in matrices) == rows + sum(
        # A vector stacked over heads is written as columns.
        v.size - len(v)
        for n, v in engine.values.items()
        if v.ndim == 2 and engine.graph.n_heads.get(n)
    )


def test_latex_writes_symbols_numbers_and_labels():
    text = out("show", "emma", "masked", "Q", "--set", "Q[0,0]=-1e-20", "--setting", "textbook", "--format", "latex")
    assert r"\[ Q =" in text
    assert r"-1 \times 10^{-20} & 0.7" in text
    assert r"-\infty" in text
    text = out("show", "you-are-welcome", "encoder.1.self.head.2.Q", "--format", "latex")
    assert r"\[ {Q}^{(2)} =" in text
    assert r"\text{You} \\ \text{are}" in text


def test_latex_escapes_labels_and_allows_wide_matrices():
    words = r"a_b #c {x} \d ^ ~ < > $5 50% & e f g"
    text = out("show", "you-are-welcome", "source.onehot", "--tokens", words, "--format", "latex")
    assert text.splitlines()[1] == r"\setcounter{MaxMatrixCols}{17}"
    for label in (r"a\_b", r"\#c", r"\{x\}", r"\textbackslash{}d", r"\textasciicircum{}", r"50\%", r"\&", r"\$5"):
        assert rf"\text{{{label}}}" in text


# explain


def explained(*argv):
    return out("explain", *argv).splitlines()


def test_explain_tells_value_labels_formula_code_derivation_and_what_it_feeds():
    lines = explained("emma", "scores[0,8]")
    assert lines[:2] == ["scores[0,8] = 0.9", "row Emma, column friend · Attention"]
    assert r"formula  S = Q \, K^\top" in lines
    assert any(line.startswith("numpy    Q") for line in lines)
    assert any(line.split() == ["Noun", "0.9", "×", "1.0", "0.9"] for line in lines)
    assert any(line.startswith("=") and line.endswith("0.9") for line in lines)
    assert lines[-1] == "feeds    weights[0,:]"
    # The numbers of the derivation end in one column.
    ends = {len(line) for line in lines[lines.index("") + 4 : -2]}
    assert len(ends) == 1


def test_explain_names_the_same_cell_by_node_or_by_head():
    whole = explained("you-are-welcome", "encoder.1.self.scores[1,2,0]")
    assert whole == explained("you-are-welcome", "encoder.1.self.head.2.scores[2, 0]")
    assert whole[0].startswith("encoder.1.self.head.2.scores[2,0] = ")
    assert whole[1].startswith("head 2, row welcome, column You")
    assert whole[-1] == "feeds    encoder.1.self.head.2.scaled[2,0]"


def test_explain_writes_the_value_with_all_digits():
    value = Document(load("emma").state()).engine.values["weights"][2, 3]
    assert explained("emma", "weights[2,3]")[0] == f"weights[2,3] = {value.item()!r}"


def test_explain_an_input():
    lines = explained("you-are-welcome", "encoder.1.self.W_Q[0,1,2]")
    assert "An input: it is set, not computed." in lines
    assert not any(line.startswith(("formula", "numpy", "=")) for line in lines)
    assert lines[-1] == "feeds    encoder.1.self.head.1.Q[:,2]"


def test_explain_a_pinned_cell():
    lines = explained("emma", "weights[0,0]", "--set", "weights[0,0]=0.5")
    assert lines[0] == "weights[0,0] = 0.5"
    assert "Pinned: held at this value by hand, not computed. Without the pin:" in lines
    assert r"formula  A = \mathrm{softmax}(S)" in lines
    assert not any(line.startswith("=") for line in lines)


def test_explain_with_edits():
    lines = explained("emma", "weights[0,1]", "--switch", "attention.mask=causal", "--set", "Q[0,0]=7")
    assert lines[0] == "weights[0,1] = 0.0"
    assert lines[-1] == "feeds    nothing: it is a result"


def test_explain_a_single_number():
    lines = explained("you-are-welcome", "loss.value")
    assert lines[1] == "Output › Loss"
    assert lines == explained("you-are-welcome", "loss.value[]")


@pytest.mark.parametrize(("lesson", "setting"), few(EVERY, lambda one: [load(one[0]).model.kind]))
def test_every_node_is_explained(lesson, setting):
    engine = Document(load(lesson).state(setting)).engine
    for name, value in engine.values.items():
        cell = ",".join("0" * value.ndim)
        assert explained(lesson, f"{name}[{cell}]", "--setting", setting)


# Python


def run(*argv):
    """What the script says that a command prints, run with numpy alone."""
    script = out("show", *argv, "--format", "python")
    done = subprocess.run([sys.executable, "-I", "-"], input=script, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    return script, done.stdout


def test_python_prints_a_script_that_finds_every_number_again():
    script, said = run("you-are-welcome", "--setting", "textbook", "--tokens", "You are great")
    assert "# You are welcome → de nada (you-are-welcome), Textbook, edited\n" in script
    document = Document(load("you-are-welcome").state("textbook"))
    document.do(SetTokens("source", ("You", "are", "great")))
    engine = document.engine
    computed = [engine.values[name] for name, node in engine.graph.nodes.items() if not node.is_input]
    assert said == f"{sum(map(np.size, computed))} numbers of {len(computed)} nodes checked: equal, bit for bit.\n"


def test_python_prints_what_the_asked_for_nodes_need():
    script, said = run("emma", "weights")
    assert said == "162 numbers of 2 nodes checked: equal, bit for bit.\n"
    assert "# Emma hates games but she is a great friend (emma), Scores as they are\n" in script
    assert "output" not in re.findall(r"^(\w+) = ", script, re.MULTILINE)


def test_python_writes_files_where_there_is_too_much_to_print(tmp_path):
    file = tmp_path / "long.py"
    words = " ".join(f"w{i}" for i in range(100))
    said = out("show", "you-are-welcome", "--tokens", words, "--format", "python", "--out", str(file))
    assert said == f"wrote {file} and {file}.npz\n"
    done = subprocess.run([sys.executable, "-I", str(file)], capture_output=True, text=True)
    assert done.stdout.endswith("equal, bit for bit.\n")


def test_python_writes_one_file_where_that_is_enough(tmp_path):
    file = tmp_path / "emma.py"
    assert out("show", "emma", "--format", "python", "--out", str(file)) == f"wrote {file}\n"
    assert file.read_text(encoding="utf-8") == out("show", "emma", "--format", "python")


def test_ids_name_words_by_their_numbers_and_nodes_are_written_as_arrays(tmp_path, capsys):
    out = tmp_path / "nodes.npz"
    words = ["you-are-welcome", "source.X", "encoder.1.out", "--ids", "2 0 1", "--out", str(out)]
    assert main(["show", *words]) == 0
    found = np.load(out)
    assert set(found.files) == {"source.X", "encoder.1.out"}
    assert found["source.X"].shape == found["encoder.1.out"].shape == (3, 4)
    assert main(["show", "you-are-welcome", "source.X", "--ids", "2 0 1", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out.splitlines()[-1])["nodes"]["source.X"]["value"]
    np.testing.assert_array_equal(found["source.X"], shown)
    assert main(["show", *words[:3], "--ids", "[2, 0, 1]", "--out", str(out)]) == 0  # as Python prints it
    np.testing.assert_array_equal(np.load(out)["source.X"], shown)
    capsys.readouterr()


def test_a_block_is_written_as_arrays_of_its_nodes(tmp_path):
    file = tmp_path / "nodes.npz"
    out("show", "you-are-welcome", "encoder.1.self.head.1", "source.X", "--out", str(file))
    found = np.load(file).files
    assert found[-1] == "source.X"
    assert "encoder.1.self.head.1.scores" in found
    assert all(name.startswith("encoder.1.self.head.1.") for name in found[:-1])


@pytest.mark.parametrize(
    "how", [("--out", "a.npz"), ("--format", "tsv"), ("--format", "numpy"), ("--format", "markdown")]
)
def test_gradients_are_not_left_out_in_silence(tmp_path, monkeypatch, capsys, how):
    monkeypatch.chdir(tmp_path)
    assert main(["show", "you-are-welcome", "output.logits", "--grad", *how]) == 2
    assert "has no gradients; --grad goes with table, json, csv, latex." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("ids", "end"), [("2 0 99", "; '99' is none."), ("-1", "; '-1' is none."), ("", "'5 17 3'.")])
def test_a_number_that_is_no_words_is_named(capsys, ids, end):
    assert main(["show", "you-are-welcome", f"--ids={ids}"]) == 2
    said = capsys.readouterr().err.rstrip()
    assert "--ids takes whole numbers from 0 to" in said
    assert said.endswith(end)


def test_of_what_leaves_a_layer_the_likeliest_name_is_told(capsys):
    assert main(["show", "tiny-gpt", "decoder.9.out"]) == 2
    assert "did you mean 'decoder." in (said := capsys.readouterr().err)
    assert ".out'?" in said


@pytest.mark.parametrize("command", [("show", "mine"), ("generate", "mine", "--ids", "1"), ("mine",)])
def test_an_empty_folder_is_known_as_one(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert main(list(command)) == 2
    assert "The folder 'mine' has no config.json" in capsys.readouterr().err


def test_a_model_without_a_tokenizer_asks_for_numbers_and_is_named_as_it_was_given(tmp_path, capsys):
    folder = str(write(tmp_path, tensors={**weights(), "secret.weight": np.zeros((2, 2), np.float32)}))
    assert main(["generate", folder, "Once upon a time"]) == 2
    assert "came without a tokenizer: type whole numbers from 0 to 9" in capsys.readouterr().err
    for command in (
        ["show", folder, "output.logits", "--ids", "1 2", "--format", "json"],
        ["generate", folder, "--ids=1"],
    ):
        assert main(command) == 0
        out, told = capsys.readouterr()
        assert command[0] == "generate" or json.loads(out)["lesson"] == folder
        assert f"explorer: {folder}: 1 of its tensors is not used: 'secret.weight'.\n" in told
    assert repr(explorer.open(folder)).split("\n")[1].startswith("Notice: 1 of its tensors")
    write(tmp_path, tensors={**weights(), "model.norm.weight": np.full(8, np.nan, np.float32)})
    for how in ("--greedy", "--beams=2"):
        assert main(["generate", folder, "--ids=1", how, "-n=2", "--json"]) == 0
        out, told = capsys.readouterr()
        assert json.loads(out)["steps"][0]["candidates"] == [["0", "nan"]]
        assert "explorer: the probabilities are no numbers (NaN), so the new words mean nothing\n" in told


def test_a_lesson_gets_the_model_that_it_needs_by_an_option(tmp_path, capsys):
    """The window asked for its folder; a command could only say that it is missing, and check it on a stand-in."""
    folder = tmp_path / "small"
    folder.mkdir()
    lesson, state = opened(write(folder))
    recording = Recording(lesson)
    recording.add(state, Look("output"))
    mine = tmp_path / "mine.toml"
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    given = "--model", str(folder)
    assert shown(str(mine), "output.logits", *given)["nodes"] == shown(str(folder), "output.logits")["nodes"]
    np.testing.assert_array_equal(
        explorer.open(mine, model=folder)["output.logits"], explorer.open(folder)["output.logits"]
    )
    assert "a valid lesson" in out("check", str(mine), *given)
    assert "1 step forward" in out("replay", str(mine), *given)
    assert "=" in out("explain", str(mine), "output.logits[0,0]", *given)
    chosen = "--ids", "1", "--greedy", "-n", "3"
    assert out("generate", str(mine), *chosen, *given) == out("generate", str(folder), *chosen)
    paper = tmp_path / "mine.html"
    assert "mine.html" in out("handout", str(mine), str(paper), *given)
    assert paper.is_file()
    refused = {
        "--model is for one lesson": ("check", str(mine), "emma", *given),
        "emma is no lesson that needs a model of others": ("show", "emma", *given),
        "it has no config.json": ("check", str(mine), "--model", str(tmp_path)),
        "commands take the folder by --model": ("show", str(mine)),
    }
    for said, argv in refused.items():
        assert main(argv) == 2
        assert said in capsys.readouterr().err


def test_a_tensor_is_shown_by_the_name_that_its_file_has_for_it(tmp_path, capsys):
    """Who knows a model from its file types the names that stand in it."""
    name, ours = "model.layers.1.self_attn.k_proj.weight", "decoder.2.self.W_K"
    folder = str(write(tmp_path))
    assert main(["show", folder, name]) == 0
    said, told = capsys.readouterr()
    assert said == out("show", folder, ours)
    assert f"\nexplorer: '{name}' is a tensor of the file; " in told
    assert told.endswith(f"in {ours}.\n")
    assert main(("seek", folder, "output.logits[0,0]=1", "--change", name)) == 2
    assert f"in {ours}." in capsys.readouterr().err
    assert shown(folder, "blocks.1.attn.hook_k")["nodes"].keys() == {"decoder.2.self.K"}


def test_a_cell_is_named_as_in_the_tensor_that_has_it(tmp_path, capsys):
    """Of a stored tensor rows are what a model's own program reads as columns, and two heads stand below each other."""
    folder, name = str(write(tmp_path)), "model.layers.1.self_attn.k_proj.weight"
    number = float(weights()[name][3, 5])
    told = out("explain", folder, f"{name}[3, 5]").splitlines()
    assert told[0] == f"decoder.2.self.head.2.W_K[5,1] = {number}"
    assert told[2] == f"in its file: {name}[3, 5]"
    assert f"in its file: {name}[3, 5]" in out("explain", folder, "decoder.2.self.W_K[1,5,1]")
    changed = out("explain", folder, f"{name}[3,5]", "--set", f"{name}[3,5]=0.25")
    assert changed.startswith("decoder.2.self.head.2.W_K[5,1] = 0.25\n")
    for wrong, said in {
        f"{name}[4,5]": f"'{name}' has no cell [4, 5]; its shape is 4 × 8",
        "self_attn.k_proj.weight[0,0]": "in decoder.1.self.W_K, decoder.2.self.W_K.",
        name: "in decoder.2.self.W_K.",
    }.items():
        assert main(("explain", folder, wrong)) == 2
        assert said in capsys.readouterr().err


def test_the_two_numbers_that_a_key_turns_into_are_named(tmp_path):
    """Of numbers a half apart, all between them were said to be fed."""
    folder = write(tmp_path, {"num_attention_heads": 2, "num_key_value_heads": 1})
    told = out("explain", str(folder), "decoder.1.self.Q[0,0,1]")
    assert told.endswith("feeds    decoder.1.self.head.1.Q_rotated[0,1:4:2]\n")


def test_every_command_on_a_model_computes_it_in_the_asked_for_type(tmp_path):
    """Only show did; the others took no tokenizer from elsewhere either."""
    folder, cell = str(write(tmp_path)), "output.logits[0,3]"

    def told(*options):
        return float(out("explain", folder, cell, "--ids", "1 5", *options).splitlines()[0].rpartition(" ")[2])

    assert float(np.float32(told("--dtype", "float32"))) == told("--dtype", "float32")
    assert float(np.float32(told())) != told()
    script = tmp_path / "small.py"
    out("export", folder, str(script), "--dtype", "float32")
    assert "float32" in script.read_text("utf-8")
    assert f"# {tmp_path.name} (llama), As it came\n" in script.read_text("utf-8"), "and no number drawn by chance"
    written = script.read_bytes()
    out("export", folder, str(script), "--dtype", "float32")
    assert script.read_bytes() == written
    chosen = "generate", folder, "--ids", "1", "--greedy", "-n", "2"
    assert out(*chosen, "--dtype", "float32") == out(*chosen)


def test_a_text_longer_than_those_that_a_model_was_made_for_is_told(tmp_path, capsys):
    """With rotary positions a model reads on without end, and what it writes then means little."""
    folder, saved = write(tmp_path, {"max_position_embeddings": 4}), tmp_path / "saved.explorer"
    save(opened(folder)[1], "Small", saved)  # which forgot it
    for name in (folder, saved):
        for n, told in ((2, []), (3, ["explorer: the text has 5 words, and the model was made for up to 4"])):
            assert main(["generate", str(name), "--ids", "1 5", "--greedy", "-n", str(n)]) == 0
            lines = capsys.readouterr().err.splitlines()
            assert [line for line in lines if "it has no tokenizer" not in line] == told


@pytest.mark.parametrize("said", [0, -3, 10**12, "many", True])
def test_a_number_of_words_that_no_text_has_is_none_and_a_document_with_it_opens(tmp_path, said):
    _, state = opened(write(tmp_path, {"max_position_embeddings": said}))
    assert state.model.room == 0
    save(state, "Small", tmp_path / "saved.explorer")
    assert opened(tmp_path / "saved.explorer")[1].model.room == 0
