"""The exported script runs with numpy alone and finds every number again, to the bit."""

import contextlib
import io
import math
import re
import subprocess
import sys
import tokenize
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from explorer.core import script
from explorer.core.engine import Pin, fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import GraphBuilder
from explorer.core.model import SWITCHES, Model
from explorer.core.ops import GELU, Add, Input, Softmax
from explorer.core.script import export, identifiers, save
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from tests.examples import EXAMPLES

LESSONS = {(lesson.id, setting): lesson for lesson in EXAMPLES for setting in lesson.settings}


def computed(engine):
    """How many nodes are computed, and how many numbers they have."""
    values = [engine.values[name] for name, node in engine.graph.nodes.items() if not node.is_input]
    return len(values), sum(value.size for value in values)


def found_again(engine):
    nodes, numbers = computed(engine)
    return f"{numbers} numbers of {nodes} nodes checked: equal, bit for bit.\n"


def run(*arguments, folder):
    """What Python says in a process that sees no more than numpy."""
    # -I: neither the folder nor this program can be imported.
    command = [sys.executable, "-I", "-W", "error", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


ONE_AFTER_THE_OTHER = """
import runpy, sys
for file in sys.argv[1:]:
    runpy.run_path(file, run_name="__main__")
    print(end="\\0")
"""


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    """The engine of each setting of each lesson, its script, that one's folder and what it says: all in one process."""
    root, found, files = tmp_path_factory.mktemp("lessons"), {}, []
    for lesson, setting in LESSONS:
        engine = Document(LESSONS[lesson, setting].state(setting)).engine
        written, folder = export(engine, lesson), root / lesson / setting
        folder.mkdir(parents=True)
        found[lesson, setting] = engine, written, folder
        files.append(str(save(written, folder / "model.py")[0]))
    *said, rest = run("-c", ONE_AFTER_THE_OTHER, *files, folder=root).split("\0")
    assert rest == ""
    return {key: (*found[key], words) for key, words in zip(found, said, strict=True)}


def here(written, file="model.py"):
    """What a script says, run in this process; and its variables."""
    variables = {"__name__": "__main__", "__file__": str(file)}
    with contextlib.redirect_stdout(io.StringIO()) as said, np.errstate():
        exec(compile(written.text, str(file), "exec"), variables)
    return said.getvalue(), variables


# What it finds


@pytest.mark.parametrize(("lesson", "setting"), LESSONS)
def test_every_lesson_is_found_again_by_numpy_alone(lessons, lesson, setting):
    engine, written, folder, said = lessons[lesson, setting]
    assert said == found_again(engine)
    files = {"model.py", "model.py.npz"} if written.arrays else {"model.py"}
    assert {file.name for file in folder.iterdir()} == files


def test_it_imports_numpy_and_nothing_else(example, compute):
    text = export(compute(example), "").text
    assert re.findall(r"\bimport\b.*", re.sub("#.*", "", text)) == ["import numpy as np"]
    assert re.findall(r"__import__\('(.*?)'\)", text) in ([], ["math"] * text.count("__import__"))


@pytest.mark.parametrize("kind", SWITCHES["ffn"]["activation"].choices)
def test_every_activation(kind, examples, compute):
    model = examples["gpt"].with_switch("decoder.1.ffn", "activation", kind)
    engine = compute(replace(model, dtype="float32"))
    assert here(export(engine, ""))[0] == found_again(engine)


def test_a_function_that_expressions_call_stands_at_the_head_once(examples, compute):
    model = replace(examples["gpt"], layers=2)
    for layer in (1, 2):
        model = model.with_switch(f"decoder.{layer}.ffn", "activation", "GELU")
    text = export(compute(model), "").text
    assert text.count("def gelu(x):") == 1
    assert text.index("def gelu(x):") < text.index("# ---")
    assert text.count(" = gelu(") == 2
    assert "def gelu(x):" not in export(compute(examples["gpt"]), "").text


def test_no_variable_is_called_like_a_function_that_an_expression_calls():
    g = GraphBuilder()
    axis = g.axis("n", 2)
    g.stage("input", "net", "Net", "Net")
    g.add("gelu", Input(), axes=(axis, axis))
    g.add("y", GELU(), "gelu", axes=(axis, axis))
    engine = fresh(g.build(), {"gelu": np.array([[1.0, -1.0], [0.0, 2.0]])}, {})
    assert here(export(engine, ""))[0] == found_again(engine)


def test_float32_is_computed_in_float32(example, compute):
    engine = compute(replace(example, dtype="float32"))
    said, variables = here(export(engine, ""))
    assert said == found_again(engine)
    for name, variable in identifiers(engine.graph.nodes.values()).items():
        assert variables[variable].dtype == engine.values[name].dtype
        assert variables[variable].tobytes() == engine.values[name].tobytes()
    # With another number of threads, layer 11 of a real SmolLM2 differed by 1.3e-5 of its largest number.
    last = [name for name in engine.graph.nodes if engine.values[name].dtype == np.float32][-1]
    engine.values = {**engine.values, last: engine.values[last] * np.float32(1 + 3e-5)}
    assert here(export(engine, "", [last]))[0].endswith("equal, but not bit for bit.\n")


def numbers():
    usual = st.floats(-4, 4).map(lambda x: round(x, 2))
    odd = st.sampled_from((0.0, -0.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.1 + 0.2))
    return st.one_of(usual, st.floats(-1e3, 1e3), odd)


@st.composite
def edits(draw, document):
    """Something that is typed, pinned, switched or said."""
    graph, blocks = document.state.graph, document.state.model.blocks()
    kind = draw(
        st.sampled_from(("cells", "cells", "pin", *["switch"] * bool(blocks), *["tokens"] * bool(graph.sequences)))
    )
    if kind == "tokens":
        words = st.lists(st.sampled_from(("you", "a", "<pad>", "né'w\"", "\\n#")), min_size=1, max_size=5)
        return SetTokens(draw(st.sampled_from(list(graph.sequences))), draw(words))
    if kind == "switch":
        block = draw(st.sampled_from(list(blocks)))
        name, switch = draw(st.sampled_from(list(SWITCHES[blocks[block]].items())))
        chosen = st.sampled_from(switch.choices) if switch.choices else st.integers(0, 4)
        return SetSwitch(block, name, draw(st.booleans() if isinstance(switch.default, bool) else chosen))
    names = [name for name in graph.names() if graph.nodes[graph.place(name).node].is_input is (kind == "cells")]
    name = draw(st.sampled_from(names))
    cells = st.tuples(*(st.integers(0, size - 1) for size in document.engine.value(graph.place(name)).shape))
    most = draw(st.sampled_from((1, 3, 40)))
    typed = draw(st.dictionaries(cells, numbers(), min_size=1, max_size=most))
    return (SetCells if kind == "cells" else PinCells)(name, typed)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@settings(max_examples=12)
@given(data=st.data())
def test_whatever_is_edited_is_found_again(dtype, examples, data):
    model = examples[data.draw(st.sampled_from(list(examples)))]
    document = Document(State.of(replace(model, dtype=dtype), {}))
    for _ in range(data.draw(st.integers(1, 8), label="edits")):
        with contextlib.suppress(ExplorerError):
            document.do(data.draw(edits(document)))
    assert here(export(document.engine, ""))[0] == found_again(document.engine)


def test_asked_for_nodes_come_with_what_they_need_and_no_more(examples, compute):
    engine = compute(examples["encoder-decoder"])
    _, variables = here(export(engine, "", ["encoder.1.self.head.2.scores", "source.PE"]))
    called = identifiers(engine.graph.nodes.values())
    above = {"source.tokens", "source.table", "source.onehot", "source.X", "source.PE", "source.H"}
    needed = above | {f"encoder.1.self.{short}" for short in ("W_Q", "Q", "W_K", "K", "scores")}
    assert {name for name, variable in called.items() if variable in variables} == needed
    with refuses("did you mean"):
        export(engine, "", ["source.pe"])


def test_each_stage_has_its_heading_in_reading_order(examples, compute):
    engine = compute(examples["encoder-decoder"])
    headings = re.findall(r"(?m)^# --- (.*) ---$", export(engine, "").text)
    assert headings[:3] == ["Source: Embeddings", "Source: Positions", "Encoder 1: Self-attention"]
    assert len(headings) == len(engine.graph.stages) + 1  # and one for the comparison in the end


def test_an_input_by_itself(examples, compute):
    said, variables = here(export(compute(examples["gpt"]), "", ["input.tokens"]))
    assert said.startswith("0 numbers of 0 nodes")
    assert variables["input_tokens"].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("wrong", "passes"),
    [
        (lambda x: x * (1 + 1e-14), True),
        (lambda x: x + 1e-13 * np.abs(x).max(), True),
        (lambda x: x * (1 + 1e-10), False),
        (lambda x: np.where(x == x.max(), np.nan, x), False),
        (lambda x: np.where(x == x.max(), np.inf, x), False),
        (lambda x: x.astype("float32"), False),
        (lambda x: x[:1], False),
    ],
)
def test_numbers_that_are_others_are_told(examples, compute, wrong, passes):
    engine = compute(examples["gpt"])
    name = "decoder.2.ffn.norm"
    engine.values = {**engine.values, name: wrong(engine.values[name])}
    # Only it: what is computed from it stands as before.
    written = export(engine, "", [name])
    if passes:
        assert here(written)[0].endswith("equal, but not bit for bit.\n")
    else:
        with pytest.raises(AssertionError, match=re.escape(name)):
            here(written)


# Pins


def pinned(engine, name, cells, values):
    pins = {name: Pin(np.broadcast_to(cells, engine.values[name].shape), np.broadcast_to(values, cells.shape))}
    inputs = {n: engine.values[n] for n, node in engine.graph.nodes.items() if node.is_input}
    return fresh(engine.graph, inputs, pins)


def test_a_pinned_cell_is_a_line(lesson_engine):
    cells = np.zeros((3, 3), dtype=bool)
    cells[1, 2] = cells[2, 0] = True
    engine = pinned(lesson_engine, "weights", cells, np.array([[0.0, 0, 0], [0, 0, 0.1], [np.nan, 0, 0]]))
    written = export(engine, "")
    assert "weights[1, 2] = 0.1  # pinned\nweights[2, 0] = np.nan  # pinned\n" in written.text
    assert here(written)[0] == found_again(engine)


def test_a_pinned_matrix_is_one_line(lesson_engine):
    engine = pinned(lesson_engine, "weights", np.ones((3, 3), dtype=bool), np.eye(3))
    written = export(engine, "")
    assert written.text.count("# pinned") == 1
    assert here(written)[0] == found_again(engine)


def test_many_pinned_cells_are_one_line(lesson_engine, monkeypatch):
    monkeypatch.setattr(script, "FEW", 2)
    cells = np.array([[True, True, False], [False, True, False], [False, False, True]])
    engine = pinned(lesson_engine, "scores", cells, np.arange(9.0).reshape(3, 3))
    written = export(engine, "")
    assert written.text.count("# pinned") == 1
    assert here(written)[0] == found_again(engine)


@pytest.fixture(scope="module")
def lesson_engine(examples, compute):
    return compute(examples["attention"])


# Large models


@pytest.fixture(scope="module")
def large():
    """A model whose embedding table alone has more numbers than one can read."""
    model = Model("gpt", {"input": 12}, {"input.words": tuple(map(str, range(500)))}, 16, 2, dtype="float32")
    document = Document(State.of(model, {"input.tokens": np.arange(12)}))
    document.do(SetSwitch("decoder.2.self", "heads", 4))
    document.do(PinCells("output.logits", {(i, j): i - j / 3 for i in range(12) for j in range(300)}))
    return document.engine


def test_large_arrays_stand_beside_the_script(large, tmp_path):
    written = export(large, "large")
    assert {"input_table", "output_probabilities", "output_logits.pinned", "output_logits.given"} <= set(written.arrays)
    assert len(written.text) < 20 * script.MOST_NUMBERS
    files = save(written, tmp_path / "model.py")
    assert files == (tmp_path / "model.py", tmp_path / "model.py.npz")
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert here(written, files[0])[0] == found_again(large)
    assert run(str(save(written, tmp_path / "model.py")[0]), folder=tmp_path) == found_again(large)


def test_many_middling_arrays_stand_beside_it_too(example, compute, monkeypatch):
    monkeypatch.setattr(script, "MOST_NUMBERS", 10)
    monkeypatch.setattr(script, "FEW", 4)
    engine = compute(example)
    written = export(engine, "")
    assert {array.size > 4 for array in written.arrays.values()} == {True}
    assert written.text.count("\n") < 4 * len(engine.graph.nodes) + 60


def test_without_its_arrays_it_says_which_file_is_missing(large, tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape("model.py.npz")):
        here(export(large, ""), tmp_path / "model.py")


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("model", "not-a-script-name"),
        ("model.npz", "not-a-script-name"),
        (".py", "not-a-script-name"),
        ("no/such/folder.py", "not-written"),
        ("folder.py", "not-written"),
    ],
)
def test_where_it_cannot_be_written(large, tmp_path, name, id):
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(ExplorerError) as caught:
        save(replace(export(large, ""), arrays={}), tmp_path / name)
    assert caught.value.id == id
    assert [file.name for file in tmp_path.iterdir()] == ["folder.py"]


# Names and words

NASTY = (
    "'''", '"""', "\\", "\\N{BULLET}", "#", "coding:latin-1", "a\nimport os", "b\rc", "\x0c", "\u2028", "\u202e",
    "\ud800", "日本", "\x00", "{title}", "%s",
)  # fmt: skip


def test_words_stand_in_comments_alone_and_harm_nothing(tmp_path):
    model = Model("gpt", {"input": len(NASTY)}, {"input.words": NASTY}, 2)
    engine = Document(State.of(model, {"input.tokens": np.arange(len(NASTY))})).engine
    written = export(engine, "\n# coding: latin-1\n" + "".join(NASTY))
    tokens = list(tokenize.tokenize(io.BytesIO(written.text.encode()).readline))
    assert tokens[0].string == "utf-8"
    assert all(token.type == tokenize.COMMENT for token in tokens if "日本" in token.string)
    assert all(c.isprintable() or c == "\n" for c in written.text)
    assert run(str(save(written, tmp_path / "model.py")[0]), folder=tmp_path) == found_again(engine)


def test_each_node_has_a_variable_of_its_own(example, compute):
    graph = compute(example).graph
    called = identifiers(graph.nodes.values())
    assert called.keys() == graph.nodes.keys()
    assert len(set(called.values())) == len(called)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in called.values())


def test_variables_are_neither_words_of_the_language_nor_of_an_expression():
    names = ["e", "np", "stored", "if", "sum", "check", "1.a", "a.b_c", "a_b.c", "a_b_c", "µ", "file", "checked", "_"]
    builder = GraphBuilder()
    builder.axis("n", 3)
    builder.stage("s", "layer", "Stage", "Group")
    for name in names:
        builder.add(name, Input(), axes=("n", "n"))
    before = names[0]
    for name in ("match", "e_", "h"):
        before = builder.add(name, Add(), before, names[1], axes=("n", "n"))
        before = builder.add(f"{name}.softmax", Softmax(), before, axes=("n", "n"))
    graph = builder.build()
    inputs = {name: np.random.default_rng(i).normal(size=(3, 3)) for i, name in enumerate(names)}
    engine = fresh(graph, inputs, {})
    called = identifiers(graph.nodes.values())
    assert len(set(called.values())) == len(graph.nodes)
    assert called["a.b_c"] == "a_b_c"
    assert called["e"] != "e"
    assert here(export(engine, ""))[0] == found_again(engine)
