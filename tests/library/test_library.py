"""`import explorer` as a library: its examples run, it needs no Qt, and it does what the window and the commands do."""

import base64
import doctest
import importlib
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from inspect import getdoc

import numpy as np
import pytest

import explorer
from explorer.cli import main
from explorer.core.model import Model
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.document_lesson import lesson_of
from tests.checkpoints.small import translator
from tests.refusals import refuses

ROOMS = (
    "answers",
    "conventions",
    "matrix",
    "page",
    "transformer",
)
WEIGHTS = "encoder.1.self.weights"


@pytest.fixture
def m():
    return explorer.open("you-are-welcome")


@pytest.mark.parametrize("room", ROOMS)
def test_the_examples_of_the_documentation(room):
    module = importlib.import_module(f"explorer.library.{room}")
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_every_room_is_looked_at():
    from explorer.paths import resources

    folder = resources().parent / "explorer" / "library"
    assert {file.stem for file in folder.glob("*.py")} - {"__init__"} == set(ROOMS)


def test_every_name_that_is_offered_is_documented():
    for name in explorer.__all__:
        assert getattr(explorer, name).__doc__
        assert name in dir(explorer)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        explorer.nothing  # noqa: B018
    public = [name for name in vars(explorer.Transformer) if not name.startswith("_")]
    assert [name for name in public if not getdoc(getattr(explorer.Transformer, name))] == []
    with pytest.raises(AttributeError, match="no attribute 'token'"):
        explorer.open("two-vectors").token = ["a"]


def test_no_qt_is_imported_until_a_picture_is_asked_for():
    code = """if True:
        import sys, explorer
        assert "numpy" not in sys.modules
        m = explorer.open("you-are-welcome")
        m.tokens = "You are early"
        m["encoder.1.self.W_Q"][0, 1, 2] = 0.5
        m.explain("encoder.1.self.weights[0,0,2]"), m.gradient("loss", of="encoder.1.self.W_Q"), m.undo()
        repr(m["encoder.1.self.weights"]), m["encoder.1.self.weights"]._repr_html_(), m.generate("You are", n=5)
        page = m.page("encoder.1.self.attention")
        print("PySide6" in sys.modules, "pandas" in sys.modules)
        page.svg()
        print("PySide6" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


# Edits


def test_edits_are_steps_of_the_undo_of_the_document(m):
    told = []
    m.document.subscribe(lambda change: told.append(change.label))
    before = m[WEIGHTS]
    m.tokens = ["You", "are", "early"]
    m["encoder.1.self.W_Q"][0, 1, 2] = 0.5
    m.switch("encoder.1.self.scale", "none")
    assert m.document.engine.values["encoder.1.self.W_Q"][0, 1, 2] == 0.5
    assert m.switches["encoder.1.self.scale"] == "none"
    assert m.tokens == ("You", "are", "early")
    assert m.undo() == "Undo: Set encoder.1.self.scale to none"
    assert m.undo() == "Undo: Set encoder.1.self.W_Q[0, 1, 2]"
    assert m.undo().endswith("“You are early”")
    assert m.undo() == ""
    np.testing.assert_array_equal(m[WEIGHTS], before)
    assert m.redo().endswith("“You are early”")
    assert len(told) == 7


def test_a_matrix_follows_its_own_edits_and_no_others(m):
    w = m["encoder.1.self.W_Q"]
    other = m["encoder.1.self.W_Q"]
    w[0, 0, 0] = 9
    assert w[0, 0, 0] == 9
    assert other[0, 0, 0] != 9
    assert other[0][0, 0] == other[0, 0, 0]  # a head had the model's numbers of now
    m.tokens = "You are"
    before = m["encoder.1.self.weights"]
    m.tokens = "You"
    m.switch("encoder.1.self.heads", 1)  # the second head is no longer there
    assert [(head.shape, head.rows) for head in before] == [((2, 2), ("You", "are"))] * 2


def test_numbers_are_added_in_place(m):
    """It ended in a RecursionError."""
    was = np.array(m["encoder.1.self.W_Q"])
    m["encoder.1.self.W_Q"] += 1
    w = m["encoder.1.self.W_Q"]
    w[1] *= 2
    w[0, 0, 0] -= 1
    expected = np.stack([was[0] + 1, (was[1] + 1) * 2])
    expected[0, 0, 0] = was[0, 0, 0] + 1 - 1
    np.testing.assert_array_equal(m["encoder.1.self.W_Q"], expected)
    a = m["encoder.1.self.head.1.W_Q"]
    with pytest.raises(TypeError):
        np.add(was[0], 1, out=a)
    a += 1
    assert type(a) is np.ndarray
    np.testing.assert_array_equal(m["encoder.1.self.W_Q"], expected)


def test_a_line_and_a_whole_node_are_one_step_each(m):
    w = m["encoder.1.self.head.2.W_Q"]
    w[:, 1] = 0
    assert m.document.history.undo_label == "Set 4 cells of encoder.1.self.head.2.W_Q"
    np.testing.assert_array_equal(m["encoder.1.self.W_Q"][1][:, 1], np.zeros(4))
    m["encoder.1.self.head.2.W_Q"] = np.eye(4)
    np.testing.assert_array_equal(m["encoder.1.self.W_Q"][1], np.eye(4))
    m["encoder.1.self.W_Q"] = 0.5
    assert np.all(np.asarray(m["encoder.1.self.W_Q"]) == 0.5)


def test_a_computed_node_is_pinned_and_released(m):
    was = m[WEIGHTS]
    m[WEIGHTS][0, 0, 0] = 0.9
    assert m[WEIGHTS].held == "partly pinned"
    assert m[WEIGHTS][0, 0, 0] == 0.9
    m.release(WEIGHTS)
    np.testing.assert_array_equal(m[WEIGHTS], was)


def test_numbers_of_words_are_whole(m):
    m["source.tokens"] = [0, 1, 0]
    assert m.tokens == ("You", "are", "You")
    with refuses("whole numbers"):
        m["source.tokens"] = 0.5


def test_an_edit_of_a_document_that_a_window_shows_is_one_of_its_steps(m):
    other = explorer.Transformer(m.lesson, m.document)
    other["encoder.1.self.W_Q"][0, 0, 0] = 4
    assert m["encoder.1.self.W_Q"][0, 0, 0] == 4
    m.undo()
    assert other["encoder.1.self.W_Q"][0, 0, 0] != 4


# What goes wrong


def test_of_a_text_with_a_word_many_times_an_error_names_each_word_once_and_a_few_places(m):
    """It listed 300 numbers, or “You” two dozen times."""
    m.tokens = [*["You"] * 40, "no"]
    with refuses("no row or column 'yes' .*; it has You, no.$"):
        m[WEIGHTS]["yes"]
    with refuses("more than once .* numbers 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ….$"):
        m[WEIGHTS]["You"]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda m: m["encoder.1.self.weigths"], "did you mean 'encoder.1.self.weights'"),
        (lambda m: m["weights"], r"no node 'weights' \(did you mean 'encoder.1.self.weights'\?\)"),
        (
            lambda m: m[WEIGHTS]["you"],
            r"no row or column 'you' along that axis \(did you mean 'You'\?\); it has You, are",
        ),
        (lambda m: m[WEIGHTS]["You", "nobody"], "no row or column 'nobody'.*it has You, are, welcome"),
        (lambda m: m.explain("encoder.1.self.weights[9,0,0]"), "its shape is"),
        (lambda m: m.explain("[0]"), "does not name a cell"),
        (lambda m: m.gradient("loss", of="source.tokens"), "whole numbers"),
        (lambda m: m.gradient("output.logits[0,99]", of="source.table"), "has no cell"),
        (lambda m: explorer.open("two-vectors").seek("loss", 0, change="x"), "has no loss"),
        (lambda m: m.switch("encoder.1.self.scale", "two"), "none"),
        (lambda m: m.switch("scale", "none"), "BLOCK"),
        (lambda m: setattr(m, "tokens", []), "at least one"),
        (lambda m: m.__setitem__("encoder.1.self.W_Q", np.zeros((3, 3))), "2 × 4 × 4.*3 × 3"),
        (lambda m: m.save("model.doc"), "choose .explorer, .xlsx, .py"),
        (lambda m: m.page("encoder.1.self.atention"), r"no stage .* \(did you mean 'encoder.1.self.attention'\?\)"),
        (lambda m: m.page("encoder.1.self.attention").drawn(".bmp"), ".svg"),
        (
            lambda m: m.page("encoder.1.self.attention").png(size=(0, 0)),
            "'size' is 0; it must lie between 100 and 4,096",
        ),
        (lambda m: m.page("encoder.1.self.attention").svg(theme="blue"), "choose light, dark"),
        (lambda m: m.generate(" "), "no word"),
        (lambda m: m.generate([]), "no word"),
        (lambda m: m.generate("You", target=np.array([], int)), "no word"),
        (lambda m: m.generate("You", n=0), "must lie between"),
        (lambda m: explorer.open("softmax").generate("You"), "no next word"),
        (lambda m: explorer.open("tiny-gpt").generate("the", target="cat"), "does not translate"),
        (lambda m: setattr(explorer.open("two-vectors"), "tokens", "a b"), "two-vectors"),
        (lambda m: explorer.open("tiny-gpt").target, "no sequence 'target'"),
        (lambda m: setattr(m, "tokens", [0, 3]), "number 3.*from 0 to 2"),
        (lambda m: m.generate(np.array([-1])), "number -1.*from 0 to 2"),
        (lambda m: m.generate(["You", "ar"]), "does not know the word 'ar'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_and_changes_nothing(m, act, said):
    with refuses(said) as caught:
        act(m)
    assert str(caught.value)[-1] in ".?"
    assert not m.document.history.modified


def test_a_word_that_stands_twice_is_asked_for_by_its_number(m):
    m.tokens = "You are You"
    with refuses("stands more than once.*0, 2"):
        m["source.X"]["You"]
    assert m["source.X"]["are"].shape == (4,)


def test_a_part_of_a_matrix_is_a_copy(m):
    with pytest.raises(TypeError, match="write into the matrix of the model"):
        m["encoder.1.self.head.1.W_Q"][0][1] = 3
    m["encoder.1.self.W_Q"][0][1, 1] = 3  # a head's slice is a matrix of the model
    assert m["encoder.1.self.W_Q"][0, 1, 1] == 3


# Explained, drawn, saved


def test_the_command_line_prints_the_same_explanation(m, capsys):
    for cell in (f"{WEIGHTS}[0,0,2]", "encoder.1.self.W_Q[0,0,0]", "loss.value", "loss"):
        assert main(["explain", "you-are-welcome", cell]) == 0
        assert capsys.readouterr().out == f"{m.explain(cell)}\n"
    cell = "encoder.1.self.W_Q[0,1,2]"
    assert main(["explain", "you-are-welcome", cell, "--grad"]) == 0
    told = m.explain(cell, gradient_of="loss")
    assert capsys.readouterr().out == f"{told}\n"
    assert told.value == m.gradient("loss", of="encoder.1.self.W_Q")[0, 1, 2]
    assert told.root == "loss.value"


def test_an_explanation_is_data_and_latex(m):
    told = m.explain(f"{WEIGHTS}[0,0,2]")
    data = json.loads(json.dumps(told.data()))
    assert data["value"] == m[WEIGHTS][0, 0, 2]
    assert data["parts"][-1]["rows"][-1]["kind"] == "result"
    assert data["feeds"] == list(told.feeds)
    latex = told.latex()
    assert latex.count("{") == latex.count("}")
    assert r"\mathrm{softmax}" in latex
    assert "e^{" in latex
    assert not set("×÷−²√") & set(latex)
    assert told._repr_latex_().startswith("$")


def test_all_explanations_are_typeset():
    import ziamath

    for lesson, cells in {
        "you-are-welcome": (f"{WEIGHTS}[0,0,2]", "encoder.1.ffn.norm[0,0]", "loss.value", "source.table[0,0]"),
        "two-vectors": ("cosine[0,0]", "angle[0,0]"),
    }.items():
        m = explorer.open(lesson)
        for cell in cells:
            assert ziamath.Latex(m.explain(cell).latex()).getsize()[0] > 0


def test_a_page_is_a_picture_each_time(m):
    page = m.page("encoder.1.self.attention")
    shown = page._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<?xml")
    drawn = [ET.fromstring(svg) for svg in (page.svg(), shown["image/svg+xml"])]
    assert {one.tag for one in drawn} == {"{http://www.w3.org/2000/svg}svg"}
    image = ET.fromstring(shown["text/html"].replace('">', '"/>')).attrib
    assert image["alt"].startswith("Encoder 1: Self-attention. Matrix H")
    assert "max-width: 100%" in image["style"], "it is no wider than the column of a notebook"
    assert base64.b64decode(image["src"].partition(",")[2]).decode() == shown["image/svg+xml"]
    assert page.png(size=(400, 300)).startswith(b"\x89PNG")
    assert repr(page).startswith("encoder.1.self.attention of ")


def test_what_is_saved_opens_again(m, tmp_path):
    m["encoder.1.self.W_Q"][0, 1, 2] = 0.5
    m.save(tmp_path / "mine.explorer")
    again = explorer.open(tmp_path / "mine.explorer")
    np.testing.assert_array_equal(again[WEIGHTS], m[WEIGHTS])
    m.save(tmp_path / "mine.py")
    m.save(tmp_path / "mine.xlsx")
    m.page("loss").save(tmp_path / "loss.svg")
    names = {"mine.explorer", "mine.py", "mine.xlsx", "loss.svg"}
    assert {file.name for file in tmp_path.iterdir()} == names


def test_a_setting_of_a_lesson():
    assert explorer.open("you-are-welcome", "textbook").document.state.setting == "textbook"
    with refuses("no setting"):
        explorer.open("you-are-welcome", "none")


def test_nodes_are_gone_through_and_looked_for(m):
    """Python asked for m[0], which ended in an error of the program."""
    assert tuple(m) == m.nodes
    assert WEIGHTS in m
    assert "encoder.1.self.head.2.Q" in m
    assert "encoder.9.self.Q" not in m
    assert 0 not in m


def test_numbers_of_words_come_with_the_words():
    """Of the right words of a loss only the numbers stood there, and in a model of pieces nobody knows them."""
    m = explorer.open("tiny-gpt")
    assert m["loss.target"].words == ("cat", "sat", "on", "the", "<end>")
    assert m["output.chosen"].words[-1] == "mat"
    assert explorer.open("sin")["loss.target"].words == ()


def test_a_checkpoint_is_computed_in_no_other_type(tmp_path):
    """It was computed in float16, whose numbers no page can show in full."""
    (tmp_path / "config.json").write_text("{}")
    for dtype in ("float16", "x"):
        with refuses(f"'{dtype}' is no type.*float64 or float32"):
            explorer.open(tmp_path, dtype=dtype)


def test_a_file_within_the_folder_of_a_model_leads_to_the_folder_and_back(tmp_path):
    """Weights were called no valid TOML, and the folder of a model in one file no folder of a model."""
    (tmp_path / "model.safetensors").write_bytes(b"\x80")
    with refuses("beside it lies no config.json, which says how to use them; put that there"):
        explorer.open(tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text("{}")
    for name in ("model.safetensors", "config.json"):
        with refuses(f"{name}: is a part of a model; name the folder that it is in, {tmp_path}"):
            explorer.open(tmp_path / name)
    (tmp_path / "config.json").unlink()
    (tmp_path / "tok.bin").write_bytes(b"1")
    (tmp_path / "stories.bin").write_bytes(b"22")
    with refuses("stories.bin is too short"):
        explorer.open(tmp_path)
    (tmp_path / "other.gguf").write_bytes(b"1")
    with refuses("has no config.json.*name the file stories.bin in it"):
        explorer.open(tmp_path)


def test_words_are_given_by_their_numbers_too(m):
    m.tokens = [2, 0]
    assert m.tokens == ("welcome", "You")
    m.tokens = np.array([1])
    assert m.tokens == ("are",)
    m.tokens = np.array(["You", "early"])
    assert {type(word) for word in m.vocabulary()} == {str}
    assert m.generate(np.array([0, 1]), n=2).text == m.generate(["You", "are"], n=2).text


def test_a_text_ends_at_the_last_position_and_that_is_said():
    """A longer text was answered by nothing at all."""
    switches = {"input.positions": "own", "input.room": 6, "output.bias": True}
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "<end>")}, switches=switches)
    state = State.of(model, {"output.b": np.array([99.0, 0, 0])})
    m = explorer.Transformer(lesson_of(state, "A model")[0], Document(state))
    found = m.generate(["a", "b"], n=20)
    assert found.text == "a b a a a a a"
    assert found.notices == ("the model reads up to 6 words, so the text ends here",)
    assert m.generate(["a", "b"], n=5).notices == ()
    with refuses("has 7 tokens .words, or pieces of words., and the model has room for 6"):
        m.generate(["a"] * 7)


def test_a_source_is_no_longer_than_its_learned_positions():
    """Further words were read at positions of random numbers."""
    words = {"source.words": ("a", "b"), "target.words": ("<start>", "x"), "output.words": ("x", "y")}
    lengths = {"source": 3, "target": 3}
    state = State.of(Model("encoder-decoder", lengths, words, switches={"source.positions": "learned"}), {})
    m = explorer.Transformer(lesson_of(state, "A translator")[0], Document(state))
    m["source.PE"] = m["source.PE"].value + 0.5
    assert m.generate(["a", "b", "a"], n=1, target=["<start>"]).new
    with refuses("has 4 tokens .*room for 3;"):
        m.generate(["a"] * 4, n=1, target=["<start>"])


def test_the_answer_of_a_translator_of_others_begins_with_its_start_and_does_not_end(tmp_path):
    """A text's pieces were read as they are: without `<pad>`, and ended by `</s>`."""
    m = explorer.Transformer(lesson_of(translator(), "A translator")[0], Document(translator()))
    assert m.generate("a b", n=1, target="b").read == ("<pad>", "b")
    assert m.generate("a b", n=1).read == m.generate("a b", n=1, target="").read == ("<pad>",)
    m.target = "b a </s>"
    m.tokens = "b"
    assert (m.tokens, m.target) == (("b", "</s>"), ("<pad>", "b", "a", "</s>"))
    m.target = "<pad> a"
    assert m.target == ("<pad>", "a")


def test_what_was_written_on_can_be_looked_into():
    found = explorer.open("tiny-gpt").generate("the cat sat on the", n=1, greedy=True)
    assert (found.text, str(found), repr(found)) == ("the cat sat on the mat",) * 3
    (word, probability), *_ = found.candidates(0)
    assert word == found.new[0]
    assert 0.5 < probability < 1
    beams = explorer.open("tiny-gpt").generate("roses are", n=3, beams=2).beams
    assert beams[0].score >= beams[1].score
    told = explorer.open("you-are-welcome").generate(["You", "are"], n=3)
    assert told.read == ("<start>",)


AS_PRINTED = """\
import explorer
m = explorer.open("you-are-welcome")            # a lesson, a document, a shipped model, a checkpoint's folder
m.tokens = ["You", "are", "early"]; m["encoder.1.self.W_Q"][0, 1, 2] = 0.5; m.switch("encoder.1.self.scale", "none")
A = m["encoder.1.self.weights"]                  # a labelled matrix
m.explain("encoder.1.self.weights[0,0,2]")       # text, LaTeX, and as data
m.gradient("loss", of="encoder.1.self.W_Q"); m.undo(); m.page("encoder.1.self.attention").svg()
m.save("mine.explorer"); m.generate("You are", n=5)
"""
"""What a lecturer is promised; of one line too long for a file, two."""


def test_what_a_lecturer_is_promised_runs_as_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(AS_PRINTED, found)
    m, a = found["m"], found["A"]
    assert a.shape == np.asarray(a).shape == (2, 3, 3)
    told = m.explain("encoder.1.self.weights[0,0,2]")
    assert str(told)
    assert told.latex().startswith(r"\begin")
    assert json.dumps(told.data())
    assert explorer.open("mine.explorer").tokens == ("You", "are", "early")
