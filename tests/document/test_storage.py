"""A saved document comes back to the last bit; a file that is not as it should be is refused in one sentence."""

import math
import os
import random
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from safetensors.numpy import save as safetensors

from explorer import container
from explorer.container import Container
from explorer.core import cost as sizes
from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.model import SWITCHES
from explorer.core.training.recipe import OPTIMISERS
from explorer.core.training.records import Record, Records
from explorer.document import manifest, storage
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.document.storage import load, save
from explorer.sentences import sentence

KINDS = ("attention", "encoder", "encoder-decoder", "gpt", "mlp", "norm", "output", "vectors")
numbers = st.sampled_from((0.5, -2.0, 1, 0, math.nan, math.inf, -math.inf, -0.0, 1e308, 5e-324))
words = st.lists(st.sampled_from(("a", "b", "you", "neu", "日本", "<pad>")), min_size=1, max_size=4)


@st.composite
def acts(draw, document):
    """Something a person may ask of the document as it is; now and then it is refused."""
    graph, model = document.state.graph, document.state.model
    kind = draw(st.sampled_from(["cells", "cells", "pin", "switch", "switch", "switch", "tokens"]))
    if kind == "tokens" and graph.sequences:
        return SetTokens(draw(st.sampled_from(list(graph.sequences))), tuple(draw(words)))
    if kind == "switch" and model.blocks():
        block, of = draw(st.sampled_from(list(model.blocks().items())))
        name, switch = draw(st.sampled_from(list(SWITCHES[of].items())))
        if isinstance(switch.default, bool):
            return SetSwitch(block, name, draw(st.booleans()))
        choices = switch.choices or ((1, 2, 3) if isinstance(switch.default, int) else (0.0, 1e-5, 0.1, 0.5))
        return SetSwitch(block, name, draw(st.sampled_from(choices)))
    wanted = [name for name in graph.names() if graph.nodes[graph.place(name).node].is_input is (kind == "cells")]
    name = draw(st.sampled_from(wanted))
    shape = document.engine.value(graph.place(name)).shape
    cells = st.tuples(*(st.integers(0, size - 1) for size in shape))
    return (SetCells if kind == "cells" else PinCells)(name, draw(st.dictionaries(cells, numbers, max_size=3)))


def assert_same(a, b):
    assert a.model == b.model
    assert [type(v) for _, v in sorted(a.model.switches.items())] == [
        type(v) for _, v in sorted(b.model.switches.items())
    ]
    assert (a.setting, a.lesson) == (b.setting, b.lesson)
    assert (a.graph.nodes, a.graph.axes, a.graph.sequences) == (b.graph.nodes, b.graph.axes, b.graph.sequences)
    assert a.inputs.keys() == b.inputs.keys()
    assert a.beyond.keys() == b.beyond.keys()
    assert all(same_bytes(array, b.beyond[name]) for name, array in a.beyond.items())
    assert a.pins.keys() == b.pins.keys()
    for name, array in a.inputs.items():
        assert same_bytes(array, b.inputs[name]), name
        assert not b.inputs[name].flags.writeable
        assert b.inputs[name].flags.c_contiguous
    for name, pin in a.pins.items():
        assert same_bytes(pin.cells, b.pins[name].cells), name
        assert same_bytes(pin.values, b.pins[name].values), name
        assert not b.pins[name].cells.flags.writeable
        assert not b.pins[name].values.flags.writeable
    values = Document(b).engine.values
    assert all(same_bytes(array, values[name]) for name, array in Document(a).engine.values.items())


# Round trips


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(data=st.data(), title=st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_document_comes_back_to_the_last_bit(kind, states, tmp_path_factory, data, title):
    document = Document(states[kind])
    for _ in range(data.draw(st.integers(0, 8), label="acts")):
        try:
            document.do(data.draw(acts(document)))
        except ExplorerError:
            continue
    file = tmp_path_factory.getbasetemp() / f"{kind}.explorer"
    state = replace(document.state, lesson="a-lesson", setting="printed")
    save(state, title, file)
    again, said = load(file)
    assert said == title
    assert_same(state, again)
    first = file.read_bytes()
    save(again, said, file)
    assert file.read_bytes() == first


def test_what_a_longer_sentence_had_is_in_the_file(gpt, tmp_path):
    first = gpt.state.inputs["input.PE"]
    gpt.do(SetTokens("input", ["a"]))
    save(gpt.state, "shorter", tmp_path / "a.explorer")
    again = Document(load(tmp_path / "a.explorer")[0])
    assert_same(gpt.state, again.state)
    again.do(SetTokens("input", ["a", "b", "c"]))
    assert same_bytes(again.state.inputs["input.PE"], first)


def test_a_nan_keeps_its_payload_and_zero_its_sign(translator, tmp_path):
    odd = np.array([0x7FF8000000000123, 0xFFF0000000000001, 0x8000000000000000, 1], dtype=np.uint64).view(np.float64)
    table = np.array(translator.state.inputs["source.table"])
    table[0] = odd
    state = replace(translator.state, inputs={**translator.state.inputs, "source.table": table})
    save(state, "odd", tmp_path / "a.explorer")
    assert load(tmp_path / "a.explorer")[0].inputs["source.table"].tobytes() == table.tobytes()


def test_what_a_switch_took_away_is_kept(translator, tmp_path):
    translator.do(SetCells("encoder.1.ffn.W_1", {(0, 0): math.inf}))
    translator.do(SetSwitch("encoder.1.ffn", "on", False))
    save(translator.state, "", tmp_path / "a.explorer")
    document = Document(load(tmp_path / "a.explorer")[0])
    assert "encoder.1.ffn.W_1" not in document.state.graph.nodes
    document.do(SetSwitch("encoder.1.ffn", "on", True))
    assert document.state.inputs["encoder.1.ffn.W_1"][0, 0] == math.inf


def test_a_manifest_that_says_everything(states, tmp_path):
    save(states["vectors"], "Zwei Vektoren", tmp_path / "a.explorer")
    said, arrays = parts_of(tmp_path / "a.explorer")
    model = {
        "kind": "vectors",
        "lengths": {},
        "axes": {"feature": ["1", "2"]},
        "d_model": 4,
        "layers": 1,
        "switches": {},
        "seed": 8,
        "initialiser": "xavier",
        "dtype": "float64",
    }
    inputs = {name: f"inputs/{name}" for name in ("x", "y")}
    empty = {"pins": {}, "run": {}, "beyond": {}, "optimiser": {}}
    state = {"lesson": "", "setting": "", "model": model, "inputs": inputs, **empty}
    assert said == {
        "format": "Transformer Explorer document",
        "version": 3,
        "title": "Zwei Vektoren",
        "states": [state],
        "labels": [""],
        "now": 0,
        "session": {},
    }
    for name in ("x", "y"):
        assert same_bytes(arrays[f"inputs/{name}"], states["vectors"].inputs[name])


def test_a_title_that_is_too_long_is_cut(states, tmp_path):
    save(states["vectors"], "x" * 5000, tmp_path / "a.explorer")
    assert load(tmp_path / "a.explorer")[1] == "x" * manifest.MOST_TITLE


def test_a_switch_of_a_block_that_is_gone_is_not_saved(states, tmp_path):
    model = states["gpt"].model
    state = replace(states["gpt"], model=replace(model, switches={**model.switches, "decoder.9.ffn.on": False}))
    save(state, "", tmp_path / "a.explorer")
    assert load(tmp_path / "a.explorer")[0].model == model


def test_a_decoder_with_layers_of_its_own_number_comes_back(states, tmp_path):
    state = states["encoder-decoder"]
    state = state.rebuilt(replace(state.model, behind=3))
    assert "decoder.3.cross.weights" in state.graph.nodes
    assert "encoder.2.self.weights" not in state.graph.nodes
    save(state, "", tmp_path / "a.explorer")
    assert_same(load(tmp_path / "a.explorer")[0], state)


# Undo history, and what else is kept with a document


def test_the_states_that_undo_leads_to_come_back_and_share_what_they_shared(translator, tmp_path):
    translator.do(SetCells("source.table", {(0, 0): 5.0}))
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 0): 1}))
    translator.do(SetSwitch("encoder.1.ffn", "on", False))
    translator.do(SetTokens("source", ["you"]))
    translator.undo()
    steps, now = translator.history.around("")
    assert [label for _, label in steps][1:] == [step.label for step in translator.history.mark().steps][1:]
    session = Session(steps, now, {"stage": "encoder.1.self", "head": 1})
    save(translator.state, "Many", tmp_path / "a.explorer", session)
    state, title, again = storage.load_session(tmp_path / "a.explorer")
    assert (title, again.now, dict(again.beside)) == ("Many", now, session.beside)
    assert again.steps[now][0] is state
    for (one, said), (other, known) in zip(steps, again.steps, strict=True):
        assert_same(one, other)
        assert said == known
    (first, _), (second, _) = again.steps[:2]
    assert first.graph is second.graph
    assert first.inputs["target.table"] is second.inputs["target.table"]
    assert first.inputs["source.table"] is not second.inputs["source.table"]


def test_arrays_with_the_same_bytes_are_saved_once(translator, tmp_path):
    """Whoever opened an example again and again had a file a hundred times as large, which took 0.2 s to write."""
    once = translator.state
    again = replace(once, inputs={name: array.copy() for name, array in once.inputs.items()})
    sign = replace(once, inputs={**once.inputs, "source.table": np.where(once.inputs["source.table"] == 0, -0.0, 0.0)})
    steps = (once, ""), (again, "Open it again"), (sign, "Make zeros"), (once, "Undo")
    save(once, "", tmp_path / "once.explorer")
    save(once, "", tmp_path / "a.explorer", Session(steps, 0))
    with (tmp_path / "once.explorer").open("rb") as one, (tmp_path / "a.explorer").open("rb") as all_:
        names, more = Container(one).forms, Container(all_).forms
    assert names.keys() == {f"inputs/{name}" for name in once.inputs}, "those of two nodes stay two"
    assert len(more) == len(names) + 1
    read = storage.load_session(tmp_path / "a.explorer")[2].steps
    for (state, _), (other, _) in zip(read, steps, strict=True):
        assert_same(other, state)
    assert read[0][0].inputs["source.table"] is read[1][0].inputs["source.table"]


def test_a_history_that_could_not_be_opened_is_left_out(translator, tmp_path):
    damaged = replace(translator.state, inputs={"source.tokens": np.array([77])})
    save(translator.state, "", tmp_path / "a.explorer", Session(((damaged, ""), (translator.state, "Mend")), 1))
    state, _, session = storage.load_session(tmp_path / "a.explorer")
    assert_same(state, translator.state)
    assert len(session.steps) == 1


# Writing


@pytest.fixture
def file(translator, tmp_path):
    """A file of a document with pins and kept inputs."""
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 0): 1}))
    translator.do(PinCells("output.chosen", {(0,): 2}))
    translator.do(SetSwitch("loss", "loss", "none"))
    save(translator.state, "Thanks", tmp_path / "a.explorer")
    return tmp_path / "a.explorer"


def test_what_cannot_be_written_leaves_the_old_file_alone(file, translator, monkeypatch):
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ExplorerError) as caught:
        save(translator.state, "Other", file)
    assert sentence(caught.value) == (
        f"{file}: cannot be written: No space left on device. Choose another place or name, or make room there."
    )
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("name", ["nowhere/a.explorer", "a.explorer/b.explorer", "a\0b.explorer", "x" * 300, ""])
def test_a_place_where_nothing_can_be_written(file, translator, name):
    with pytest.raises(ExplorerError) as caught:
        save(translator.state, "", file.parent / name)
    assert caught.value.id == "not-written"
    assert os.listdir(file.parent) == [file.name]


def test_nothing_is_written_that_could_not_be_opened(file, translator, monkeypatch):
    before = file.read_bytes()
    monkeypatch.setattr(sizes, "MOST_BYTES", 800)
    with refuses(r"cannot be written: it holds .* numbers; up to 100"):
        save(translator.state, "", file)
    assert file.read_bytes() == before


def test_weights_may_be_more_than_a_model_may_compute_but_not_more_than_memory(file, translator, monkeypatch):
    """A model that others trained has them in its file, and can be saved and opened again."""
    graph = translator.state.graph
    computed = sum(graph.size(name) for name, node in graph.nodes.items() if not node.is_input)
    state = replace(translator.state, pins={})
    monkeypatch.setattr(sizes, "MOST_BYTES", 8 * computed)
    save(state, "Large", file)
    assert load(file)[1] == "Large"
    monkeypatch.setattr("explorer.document.storage.available", lambda: 1000.0)
    with refuses(r"needs 0\.0 GB of memory"):
        load(file)


@pytest.mark.skipif(os.name != "posix", reason="modes and links are POSIX's")
def test_mode_and_link_stay(file, translator):
    file.chmod(0o640)
    link = file.with_name("link.explorer")
    link.symlink_to(file.name)
    save(translator.state, "Through the link", link)
    assert link.is_symlink()
    assert load(file)[1] == "Through the link"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_process_that_is_killed_while_it_writes(file):
    # os._exit ends a process as a power cut does: nothing is cleaned up.
    code = """
import os, sys
from explorer.document.storage import load, save
state, title = load(sys.argv[1])
os.fsync = lambda number: os._exit(7)
save(state, "Other", sys.argv[1])
"""
    assert subprocess.run([sys.executable, "-c", code, str(file)], check=False).returncode == 7
    assert load(file)[1] == "Thanks"


# Reading what is damaged


def refused(path):
    """The sentence with which a file is refused."""
    with pytest.raises(ExplorerError) as caught:
        load(path)
    said = sentence(caught.value)
    assert caught.value.id in ("document-not-read", "document-wrong", "document-newer", "document-older")
    assert said.startswith(f"{path}: ")
    assert said.endswith(".")
    assert len(said.splitlines()) == 1
    assert len(said) < len(str(path)) + 500
    return said.removeprefix(f"{path}: ")


def test_cut_off_anywhere(file):
    content = file.read_bytes()
    for size in range(0, len(content), 97):
        file.write_bytes(content[:size])
        refused(file)


def test_flipped_bits(file):
    original, content = load(file)[0], file.read_bytes()
    chance = random.Random(1)
    for _ in range(500):
        damaged = bytearray(content)
        for _ in range(chance.choice((1, 1, 2, 20))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        file.write_bytes(damaged)
        try:
            state, _ = load(file)
        except ExplorerError:
            refused(file)
        else:  # the space behind the header
            assert_same(original, state)


@settings(max_examples=80)
@given(st.binary(max_size=300))
def test_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.explorer"
    for start in (b"", b"PK\x03\x04", b"\x20" + bytes(7) + b"{"):
        path.write_bytes(start + content)
        refused(path)


def parts_of(path):
    with path.open("rb") as stream:
        parts = Container(stream)
        return parts.manifest, {name: parts.array(name) for name in parts.forms}


def write_parts(path, manifest, arrays):
    with path.open("wb") as stream:
        container.write(stream, manifest, arrays)


def change(path, act):
    """Change what the manifest says, or the arrays: `act(manifest, state, arrays)`."""
    said, arrays = parts_of(path)
    act(said, said["states"][0], arrays)
    write_parts(path, said, arrays)


REMEDY = "Check its name and place, or choose another file."
FOREIGN = "cannot be opened: it was not written by this program. Open another copy of it."


def test_no_file(tmp_path):
    assert refused(tmp_path / "nothing.explorer") == f"cannot be read: there is no such file. {REMEDY}"
    assert refused(tmp_path) == f"cannot be read: it is a folder. {REMEDY}"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(file):
    file.chmod(0)
    assert refused(file) == f"cannot be read: Permission denied. {REMEDY}"


def test_a_file_of_another_kind(file):
    file.write_text("id = 'emma'")
    assert refused(file) == FOREIGN
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("word/document.xml", "<x/>")
    assert refused(file) == FOREIGN
    write_parts(file, {"format": "something else"}, {})
    assert refused(file) == FOREIGN
    file.write_bytes(safetensors({"x": np.zeros(3)}))
    assert refused(file) == FOREIGN


def test_a_document_of_another_version(file):
    change(file, lambda said, *_: said.update(version=2))
    assert refused(file).startswith("was made by a version of this program that was never released, in format 2; this")
    # Whatever else a later version may hold, the version is what is said.
    change(file, lambda said, *_: said.update(version=4, something="new", states=None))
    assert refused(file).startswith("was made by a newer version of this program, in format 4; this one reads up to 3.")


@pytest.mark.parametrize("version", [0, -1, 1.0, "1", True, None, [], 10**30])
def test_a_version_that_there_is_not(file, version):
    change(file, lambda said, *_: said.update(version=version))
    assert "is not a version" in refused(file)


def inner(key, *more):
    """Changes a value below the manifest or its state: `inner("model", "kind", "x")`."""
    *way, last, value = (key, *more)

    def act(said, state, _):
        table = said if key in said else state
        for part in way:
            table = table[part]
        table[last] = value

    return act


def without(*way):
    def act(said, state, _):
        table = said if way[0] in said else state
        for part in way[:-1]:
            table = table[part]
        del table[way[-1]]

    return act


def array(name, values):
    """Puts another array in the place of one."""
    return lambda said, state, arrays: arrays.update({name: np.asarray(values)})


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (without("title"), "lacks 'title'"),
        (inner("extra", 1), "holds 'extra'"),
        (inner("title", 5), "'5' is not a text"),
        (inner("title", "x" * 1001), "is not a text"),
        (inner("title", "\ud800"), "is not a text"),
        (inner("lesson", ["x"]), "a list is not a text"),
        (inner("setting", None), "'None' is not a text"),
        (inner("model", []), "model is not a table"),
        (without("model", "seed"), "model lacks 'seed'"),
        (inner("model", "kind", "transformer"), "'transformer' is not one of attention, encoder"),
        (inner("model", "kind", {}), "is not one of"),
        (inner("model", "kind", "gpt"), "no block '"),
        (inner("model", "d_model", 0), "whole number"),
        (inner("model", "d_model", 2.0), "whole number"),
        (inner("model", "d_model", True), "whole number"),
        (inner("model", "d_model", 5), "d_model 5 cannot be split over 2 heads"),
        (inner("model", "d_model", 8), "not of that node's shape"),
        (inner("model", "d_model", 100_000), "not of that node's shape"),
        (inner("model", "d_model", 10**400), "a very large number is not"),
        (inner("model", "layers", 2), "missing"),
        (inner("model", "layers", 10**9), "whole number"),
        (inner("model", "seed", -1), "whole number"),
        (inner("model", "initialiser", "pickle"), "is not one of xavier"),
        (inner("model", "dtype", "object"), "is not one of float32"),
        (inner("model", "dtype", "float32"), "not of that node's shape and type"),
        (inner("model", "lengths", {"source": 3}), "needs 'lengths.target'"),
        (inner("model", "lengths", "source", 10**9), "whole number"),
        (inner("model", "lengths", "source", 4), "not of that node's shape"),
        (inner("model", "lengths", "source", 0), "whole number"),
        (inner("model", "lengths", "x" * 500, 1), "is not a name"),
        (inner("model", "axes", "source.words", []), "is not a list"),
        (inner("model", "axes", "source.words", "abcd"), "is not a list"),
        (inner("model", "axes", "source.words", ["a", "b", 3, "d"]), "'3' in source.words"),
        (inner("model", "axes", "source.words", ["a", "b", "", "d"]), "is not a text"),
        (inner("model", "axes", "source.words", ["a", "b", "x" * 121, "d"]), "is not a text"),
        (inner("model", "axes", "source.words", ["a", "b", "\udc00", "d"]), "is not a text"),
        (inner("model", "axes", "source.words", ["a"] * 5), "not of that node's shape"),
        (inner("model", "axes", {}), "needs 'axes."),
        (inner("model", "switches", "encoder.1.self.scale", "nonsense"), "'nonsense' is not a value"),
        (inner("model", "switches", "encoder.1.self.scale", None), "is not what a switch"),
        (inner("model", "switches", "encoder.1.self.scale", ["none"]), "is not what a switch"),
        (inner("model", "switches", "encoder.1.self.scale", "x" * 500), "is not what a switch"),
        (inner("model", "switches", "encoder.1.self.heads", 10**4000), "is not what a switch"),
        (inner("model", "switches", "encoder.1.self.heads", 10**9), "is not a value"),
        (inner("model", "switches", "encoder.1.self.heads", 1), "not of that node's shape"),
        (inner("model", "switches", "encoder.1.self.d_k", 16384), "not of that node's shape"),
        (inner("model", "switches", "encoder.9.self.scale", "none"), "no block 'encoder.9.self'"),
        (inner("model", "switches", "encoder.1.self.skale", "none"), "no switch 'skale'"),
        (inner("model", "switches", "scale", "none"), "no block ''"),
        (inner("model", "switches", "\n", "none"), "is not what a switch"),
        (inner("model", "initialiser", "x\udc00"), "is not one of xavier"),
        (inner("model", "called", {"output.W": 5}), "is not a tensor, its shape"),
        (inner("model", "called", {"output.W": ["w", [4], 0]}), "is not a tensor, its shape"),
        (inner("model", "called", {"output.W": ["w", 4, 0, [1]]}), "is not a tensor with lists of up to 4"),
        (inner("model", "called", {"output.W": ["w", [4], 0, [1] * 5]}), "is not a tensor with lists of up to 4"),
        (inner("model", "called", {"output.W": ["w", [4], 0, [-1]]}), "is not a tensor with whole numbers"),
        (inner("model", "called", {"output.W": ["w" * 121, [4], 0, [1]]}), "is not a tensor with whole numbers"),
        (inner("model", "room", -1), "is not a whole number from 0"),
        (inner("states", []), "1 to 1000 states"),
        (inner("states", {}), "1 to 1000 states"),
        (inner("labels", ["", ""]), "1 to 1000 states"),
        (inner("labels", [5]), "not a text"),
        (inner("now", 1), "whole number from 0 to 0"),
        (inner("session", []), "session is not a table"),
        (inner("states", 0, "x"), "a state is not a table"),
        (inner("inputs", {}), "are missing"),
        (without("inputs", "source.table"), "'source.table' are missing"),
        (inner("inputs", "source.table", 3), "it lacks '3'"),
        (inner("inputs", "source.table", "inputs/target.table"), "'source.table' are missing, or not"),
        (inner("inputs", "source.table", "inputs/nothing"), "it lacks 'inputs/nothing'"),
        (inner("inputs", "../up", "inputs/source.table"), "is not a name"),
        (inner("inputs", "/etc/passwd", "inputs/source.table"), "is not a name"),
        (array("inputs/source.table", np.zeros((4, 4), np.float32)), "'source.table' are missing, or not"),
        (array("inputs/source.table", np.zeros((4, 4), np.int8)), "cannot be an array of int8 with 2 axes"),
        (array("inputs/source.table", np.zeros((1,) * 5)), "cannot be an array of float64 with 5 axes"),
        (array("inputs/source.tokens", [0.0, 1.0, 2.0]), "'source.tokens' are missing, or not"),
        (array("inputs/source.tokens", [0, 1, 4]), "is not one of 0 to 3"),
        (array("inputs/source.tokens", [0, -1, 2]), "is not one of 0 to 3"),
        (array("inputs/source.tokens", [[0, 1, 2]]), "'source.tokens' are missing, or not"),
        (array("inputs/loss.target", [True, False]), "are not numbers"),
        (array("inputs/loss.target", [0, 3]), "is not one of 0 to 2"),
        (array("inputs/loss.target", [0.5, math.nan]), "'loss.target' does not hold whole numbers"),
        (array("pins/output.chosen.values", [3, 0]), "is not one of 0 to 2"),
        (array("pins/output.chosen.values", [True, False]), "'output.chosen' are not of"),
        (array("pins/output.chosen.cells", [1, 0]), "not of the shape of their values"),
        (array("pins/output.chosen.cells", [True, False, False]), "not of the shape of their values"),
        (inner("pins", "output.chosen", ["pins/output.chosen.cells"]), "the names of two arrays"),
        (inner("pins", "nothing", ["pins/output.chosen.cells", "pins/output.chosen.values"]), "that can be pinned"),
        (inner("pins", "source.tokens", ["pins/output.chosen.cells", "pins/output.chosen.values"]), "can be pinned"),
    ],
)
def test_a_document_that_says_something_else(file, act, says):
    change(file, act)
    assert says in refused(file)


def trained():
    records = Records()
    for step in range(1, 4):
        judged, norms = math.inf if step == 2 else None, {"layer.1": 1.5, "layer.2": 0.5}
        records = records.with_record(Record(step, 1 / step, 0.1, 2.0, norms, judged))
    return records


def test_the_records_of_a_training_are_kept(states, tmp_path):
    save(replace(states["mlp"], records=trained()), "", tmp_path / "a.explorer")
    state, _ = load(tmp_path / "a.explorer")
    kept, given = state.records.arrays(), trained().arrays()
    assert {name: array.tolist() for name, array in kept.items()} == {n: a.tolist() for n, a in given.items()}
    save(states["mlp"], "", tmp_path / "b.explorer")
    assert load(tmp_path / "b.explorer")[0].records is None


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (without("run", "losses"), "do not fit together"),
        (array("run/rates", np.zeros(2)), "do not fit together"),
        (array("run/judged", np.zeros(1)), "do not fit together"),
        (array("run/losses", np.zeros((3, 1))), "do not fit together"),
        (inner("run", 5), "run is not a table"),
        (inner("run", "a/b", "run/losses"), "not a name"),
    ],
)
def test_records_of_a_training_that_do_not_fit(states, tmp_path, act, says):
    file = tmp_path / "a.explorer"
    save(replace(states["mlp"], records=trained()), "", file)
    change(file, act)
    assert says in refused(file)


def trained_by_adam(state):
    """The state behind three steps: Adam remembers a count and two arrays of each weight."""
    adam = OPTIMISERS["Adam"]()
    for name in ("layer.1.W", "layer.1.b"):
        for step in range(3):
            adam.change(name, np.full_like(state.inputs[name], step - 0.5))
    return replace(state, records=trained(), optimiser=adam)


def test_what_an_optimiser_remembers_is_kept(states, tmp_path):
    state = trained_by_adam(states["mlp"])
    save(state, "", tmp_path / "a.explorer")
    again = load(tmp_path / "a.explorer")[0].optimiser
    assert type(again) is type(state.optimiser)
    kept, given = again.arrays(), state.optimiser.arrays()
    assert kept.keys() == given.keys()
    assert all(same_bytes(array, given[way]) for way, array in kept.items())
    other = replace(state, inputs={**state.inputs, "layer.1.W": np.zeros((7, 7))})
    assert manifest.Written(other, "", Session()).manifest["states"][0]["optimiser"] == {}, "of sizes that are gone"


COUNT, FIRST = "memory/_moments/layer.1.W/0", "memory/_moments/layer.1.W/1"


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (inner("optimiser", "kind", "Magic"), "'Magic' is not one of SGD, momentum, RMSprop, Adam, AdamW"),
        (inner("optimiser", "kind", "RMSprop"), "does not fit together"),
        (inner("optimiser", "memory", []), "is not a table"),
        (inner("optimiser", "memory", {"../x": FIRST}), "'../x' is not what an optimiser could remember"),
        (inner("optimiser", "memory", {"_moments/layer.1.W/1": FIRST}), "does not fit together"),
        (inner("optimiser", "memory", {"rate/layer.1.W": FIRST}), "does not fit together"),
        (inner("optimiser", "more", 1), "holds 'more'"),
        (without("optimiser", "kind"), "lacks 'kind'"),
        (inner("run", {}), "does not fit together"),
        (array(COUNT, 4), "does not fit together"),
        (array(COUNT, [1]), "not what an optimiser could remember"),
        (array(FIRST, np.zeros((1000, 1000))), "not what an optimiser could remember"),
        (array(FIRST, 1), "does not fit together"),
    ],
)
def test_what_no_optimiser_could_remember(states, tmp_path, act, says):
    file = tmp_path / "a.explorer"
    save(trained_by_adam(states["mlp"]), "", file)
    change(file, act)
    assert says in refused(file)


# Sizes


def test_labels_are_counted_before_they_are_made(file):
    def act(said, state, _):
        switches = state["model"]["switches"]
        for block in ("encoder.1.self", "decoder.1.self", "decoder.1.cross"):
            switches |= {f"{block}.heads": 128, f"{block}.d_v": 16384, f"{block}.d_k": 1}

    change(file, act)
    assert "rows and columns; up to" in refused(file)


def test_values_that_are_not_as_many_as_the_keys(states, tmp_path):
    path = tmp_path / "a.explorer"
    save(states["attention"], "", path)
    change(path, inner("model", "axes", "value", ["x", "y"]))
    change(path, array("inputs/V", np.zeros((2, 3))))
    assert "there are 3 keys and 2 values" in refused(path)


@pytest.mark.parametrize("what", ["build", "fresh", "last_number", "count_labels"])
@pytest.mark.parametrize("mistake", [KeyError, ValueError, TypeError, AssertionError])
def test_a_mistake_of_ours_is_no_damage_of_a_file(file, monkeypatch, what, mistake):
    def wrong(*_):
        raise mistake("ours")

    monkeypatch.setattr(storage, what, wrong)
    with pytest.raises(mistake, match="ours"):
        load(file)


def test_a_loss_that_cannot_be_switched_on_keeps_no_targets_to_check(states, tmp_path):
    path = tmp_path / "a.explorer"
    save(SetSwitch("loss", "loss", "none").apply(states["gpt"]), "", path)
    change(path, inner("model", "switches", "loss.targets", "next word"))  # without <end> among its words
    state, _ = load(path)
    assert "<end>" in SetSwitch("loss", "loss", "cross-entropy").apply(state).model.axes["input.words"]


def test_memory_that_there_is_not(file, monkeypatch):
    def none(*_):
        raise MemoryError

    monkeypatch.setattr(storage, "fresh", none)
    assert "not enough memory" in refused(file)


def test_a_state_of_float32_keeps_to_it(states, tmp_path):
    save(states["gpt"], "", tmp_path / "a.explorer")
    state = load(tmp_path / "a.explorer")[0]
    assert {array.dtype.name for array in state.inputs.values()} == {"float32", "int64"}
    assert_same(State.of(state.model, state.inputs, state.pins), state)
