"""A lesson that is not as it should be is refused with the file, the key, the problem and a remedy."""

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer import container, paths
from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.lessons import loader
from explorer.lessons.loader import load
from explorer.lessons.reading import MOST_BYTES, TomlTable, read
from explorer.lessons.replay import check_lesson
from explorer.sentences import sentence
from tests.samples import each

ATTENTION = """
id = "two-words"
title = "Two words"
paragraph = "A first paragraph."
start_stage = "attention"
ours = ["Q"]
[model]
kind = "attention"
[model.axes]
query = ["a", "b"]
feature = ["x", "y", "z"]
value = ["c", "d"]
[inputs]
Q = [[1, 0, 0], [0, 1, 0]]
K = [[1, 0, 0], [0, 1, 0]]
[settings.printed]
title = "As printed"
paragraph = "As it is."
[settings.printed.switches]
"attention.scale" = "none"
[settings.printed.pins]
weights = [[1, 0], [0, 1]]
[settings.textbook]
title = "Textbook"
paragraph = "As it should be."
"""

TRANSLATOR = """
id = "tiny"
title = "Tiny"
paragraph = "A tiny translator."
[model]
kind = "encoder-decoder"
d_model = 4
layers = 1
seed = 7
[model.axes]
"output.words" = ["x", "y", "z"]
[tokens]
source = ["a", "b", "a"]
target = ["x", "y"]
[switches]
"encoder.1.self.heads" = 2
[inputs]
"encoder.1.self.head.2.W_Q" = [[1, 2], [3, 4], [5, 6], [7, 8]]
"loss.target" = [1, 2]
[settings.printed]
title = "As printed"
paragraph = "As it is."
"""

BEFORE = {"attention": ATTENTION, "translator": TRANSLATOR}


@pytest.fixture
def write(tmp_path):
    def write(text, name="lesson.toml"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def edited(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def refused(file):
    with pytest.raises(ExplorerError) as caught:
        load(file)
    assert caught.value.fields["file"] == str(file)
    return caught.value


# What is read


def test_attention(write):
    lesson = load(write(ATTENTION))
    assert lesson.paragraph == "A first paragraph."
    assert lesson.reference == ""
    assert np.array_equal(Document(lesson.state()).engine.values["weights"], np.eye(2))
    assert lesson.state().model.switch("attention", "scale") == "none"
    assert lesson.state("textbook").model.switch("attention", "scale") == "1/sqrt(d_k)"
    assert Document(lesson.state("textbook")).engine.values["weights"][0, 0] < 1


def test_translator(write):
    lesson = load(str(write(TRANSLATOR)))
    state = lesson.state()
    assert state.model.axes["source.words"] == ("a", "b")
    assert state.inputs["source.tokens"].tolist() == [0, 1, 0]
    assert state.inputs["loss.target"].dtype == np.int64
    assert np.array_equal(state.inputs["encoder.1.self.W_Q"][1], [[1, 2], [3, 4], [5, 6], [7, 8]])
    assert state.model.seed == 7


def test_what_starts_at_random_is_ours(write):
    ours = load(write(TRANSLATOR)).ours
    assert "encoder.1.self.head.1.W_Q" in ours
    assert "encoder.1.self.head.2.W_Q" not in ours
    assert "encoder.1.self.W_Q" not in ours
    assert "source.table" in ours
    assert "encoder.1.self.gamma" not in ours
    assert "loss.target" not in ours
    assert load(write(ATTENTION)).ours == {"Q", "V"}


def test_paragraphs(write):
    text = edited(ATTENTION, '"A first paragraph."', '"""\nOne\n  line.\n\n\nAnother\tone.\n"""')
    assert load(write(text)).paragraph == "One line.\n\nAnother one."


def test_what_to_try_may_be_said_of_a_lesson_and_of_a_setting(write):
    lesson = load(write(ATTENTION))  # a file of before
    assert (lesson.to_try, lesson.setting().to_try) == ("", "")
    text = edited(ATTENTION, '"A first paragraph."', '"A first paragraph."\ntry = "change\\na number."')
    assert load(write(text)).to_try == "change a number."
    assert refused(write(edited(text, 'try = "change\\na number."', "try = 1"))).fields["key"] == "try"


def test_byte_order_mark_and_line_ends_of_windows(write):
    assert load(write(b"\xef\xbb\xbf" + ATTENTION.replace("\n", "\r\n").encode())).id == "two-words"


def test_perceptron(write):
    text = """
id = "xor"
title = "XOR"
paragraph = "Exclusive or."
[model]
kind = "mlp"
layers = 2
[model.axes]
input = ["00", "01", "10", "11"]
"layer.0" = ["a", "b"]
"layer.1" = ["h1", "h2"]
"layer.2" = ["y"]
[switches]
"loss.loss" = "mean squared error"
[inputs]
"input.X" = [[0, 0], [0, 1], [1, 0], [1, 1]]
"layer.1.W" = [[1, 1], [1, 1]]
"layer.1.b" = [0, -1]
"layer.2.W" = [[1], [-2]]
"layer.2.b" = [0]
"loss.target" = [[0], [1], [1], [0]]
[settings.printed]
title = "As printed"
paragraph = "As it is."
"""
    lesson = load(write(text))
    assert Document(lesson.state()).engine.values["loss.value"] == 0
    assert not lesson.ours


def test_gpt(write):
    text = """
id = "love"
title = "I love AI"
paragraph = "A decoder alone."
[model]
kind = "gpt"
d_model = 2
[tokens]
input = ["I", "love", "AI"]
[settings.textbook]
title = "Textbook"
paragraph = "As it should be."
"""
    assert load(write(text)).state().graph.shape("output.probabilities") == (3, 3)


GPT = """
id = "tiny-gpt"
title = "Tiny"
paragraph = "A tiny GPT."
ours = ["output.W"]
[model]
kind = "gpt"
[model.axes]
"input.words" = ["a", "b", "c"]
d_model = ["x", "y"]
[tokens]
input = ["a", "b"]
[settings.printed]
title = "As printed"
paragraph = "As it is."
[settings.printed.pins]
"decoder.1.self.head.1.weights" = [[nan, nan], [0.25, nan]]
[settings.other]
title = "Other words"
paragraph = "Three of them."
ours = ["output.b"]
[settings.other.tokens]
input = ["c", "a", "c"]
"""


def test_a_setting_may_have_words_of_its_own(write):
    lesson = load(write(GPT))
    assert lesson.state().inputs["input.tokens"].tolist() == [0, 1]
    assert lesson.state("other").inputs["input.tokens"].tolist() == [2, 0, 2]
    assert lesson.state("other").model.lengths == {"input": 3}
    assert lesson.state("other").graph.shape("decoder.1.self.scores") == (1, 3, 3)


def test_a_pin_may_leave_cells_to_be_computed(write):
    (pin,) = load(write(GPT)).state().pins.values()
    assert pin.cells.tolist() == [[[False, False], [True, False]]]
    weights = Document(load(write(GPT)).state()).engine.values["decoder.1.self.weights"][0]
    assert weights[1, 0] == 0.25
    assert weights[0].tolist() == [1, 0]


def test_names_of_dimensions_count_them(write):
    state = load(write(GPT)).state()
    assert state.model.d_model == 2
    assert state.graph.axes["d_model"] == ("x", "y")
    error = refused(write(edited(GPT, 'kind = "gpt"', 'kind = "gpt"\nd_model = 3')))
    assert "model.d_model: is 3, but 2 dimensions are named" in sentence(error)


def test_what_is_ours_in_one_setting_only(write):
    lesson = load(write(GPT))
    assert lesson.ours_in() >= {"output.W"}
    assert "output.b" not in lesson.ours_in("printed")
    assert lesson.ours_in("other") >= {"output.W", "output.b"}


# Files


def test_unknown_lesson():
    with refuses(r"There is no lesson, model or file 'emmma' .did you mean 'emma'") as caught:
        load("emmma")
    assert caught.value.id == "unknown-lesson"


@pytest.mark.parametrize("name", ["", "..", "x" * 5000, "emma\0"])
def test_odd_names(name):
    with pytest.raises(ExplorerError) as caught:
        load(name)
    assert caught.value.id == ("no-model-in-folder" if os.path.isdir(name) else "unknown-lesson")


def test_missing_file(tmp_path):
    error = refused(tmp_path / "absent.toml")
    assert error.id == "lesson-not-read"
    assert "there is no such file" in sentence(error)


@pytest.mark.parametrize("name", ["a" * 5000 + ".toml", "nul\0.toml"])
def test_impossible_path(tmp_path, name):
    assert refused(f"{tmp_path}/{name}").id == "lesson-not-read"


def test_folder(tmp_path):
    error = refused(tmp_path)
    assert error.id == "lesson-not-read"
    assert "it is a folder" in sentence(error)


def test_a_model_is_no_lesson(tmp_path):
    """Of `explorer check ./Qwen3` one was to check the name of the folder; a .gguf was to be made smaller."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    for path in (tmp_path, tmp_path / "a.gguf"):
        assert "it is a model that others trained, and no lesson" in sentence(refused(path))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_device_without_end():
    assert refused(Path("/dev/zero")).id == "lesson-not-read"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a file that may not be read")
def test_forbidden_file(write):
    file = write(ATTENTION)
    file.chmod(0)
    assert refused(file).id == "lesson-not-read"


def test_too_large(write):
    error = refused(write(ATTENTION + "#" * MOST_BYTES))
    assert error.id == "lesson-too-large"
    assert f"{MOST_BYTES:,}" in sentence(error)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id = \n", "line 1"),
        ('id = "a"\nid = "b"\n', "line 2"),
        (b'id = "\xff"', "it is not UTF-8 (byte 6)"),
        ("Q = " + "[" * 400_000, "nested too deeply"),
        ("Q" + ".a" * 200_000 + " = 1", "nested too deeply"),  # which would take hours
        ("Q" + """ . "=\\"" .'b'""" * 60_000 + " = 1", "nested too deeply"),
        ("n = " + "9" * 100_000, "digits"),
        ("[" + ".".join(["a"] * 3) + "\n", "line 1"),
    ],
)
def test_no_toml(write, text, reason):
    error = refused(write(text))
    assert error.id == "lesson-syntax"
    assert reason in sentence(error)
    assert len(sentence(error)) < 1000


# Keys: base, what is replaced, by what, and the key, problem and remedy that the message names

KEYS = {
    "misspelt key": ("attention", 'title = "Two', 'titel = "Two', "titel", "not a known key", "'title'"),
    "far-off key": ("attention", "[inputs]", "[zzz]\n[inputs]", "zzz", "not a known key", "known here: id, title"),
    "missing id": ("attention", 'id = "two-words"\n', "", "id", "is missing", 'add id = "…"'),
    "id with spaces": ("attention", '"two-words"', '"Two words"', "id", "'Two words' is no id", "lower-case"),
    "title no text": ("attention", '"Two words"', "2", "title", "2 is not a text", 'write "…"'),
    "title empty": ("attention", '"Two words"', '"  "', "title", "is empty", "a few words"),
    "title long": ("attention", '"Two words"', f'"{"x" * 300}"', "title", "300 characters", "120"),
    "title with a bell": ("attention", '"Two words"', r'"Two\u0007"', "title", "cannot be shown", "control"),
    "paragraph a list": ("attention", '"A first paragraph."', "[]", "paragraph", "a list is not a text", "write"),
    "order negative": ("attention", "ours", "order = -1\nours", "order", "-1 is out of range", "from 0 to 1,000"),
    "order true": ("attention", "ours", "order = true\nours", "order", "true is not a whole number", "write"),
    "order huge": ("attention", "ours", f"order = 0x{'f' * 9000}\nours", "order", "more than 64 bits", "a smaller one"),
    "optimiser": (
        *("attention", "[inputs]", '[training]\noptimiser = "Adm"\n[inputs]'),
        *("training.optimiser", "'Adm' is not one of its values", "'Adam'"),
    ),
    "rate": ("attention", "[inputs]", "[training]\nrate = 0\n[inputs]", "training.rate", "0 is out of range", "from"),
    "stage": ("attention", '_stage = "attention"', '_stage = "atention"', "start_stage", "'atention'", "'attention'"),
    "ours unknown": ("attention", '["Q"]', '["QQ"]', "ours", "no input 'QQ'", "'Q'"),
    "ours computed": ("attention", '["Q"]', '["scores"]', "ours", "no input 'scores'", "has: Q, K, V"),
    "ours no texts": ("attention", '["Q"]', "[1]", "ours", "holds 1, which is not a text", "quotes"),
    # The model
    "kind": ("attention", '"attention"\n[model', '"atention"\n[model', "model.kind", "'atention'", "'attention'"),
    "no model": ("attention", 'kind = "attention"', "", "model.kind", "is missing", "add kind"),
    "size it has not": ("attention", "[model.axes]", "d_model = 4\n[model.axes]", "model.d_model", "not a", "known"),
    "model no table": ("attention", "[model]\nkind", "[[model]]\nkind", "model", "a list is not a table", "[model]"),
    "axis unknown": ("attention", "feature =", "features =", "model.axes.features", "not a known", "'feature'"),
    "axis missing": ("attention", 'feature = ["x", "y", "z"]', "", "model.axes.feature", "missing", "feature ="),
    "axis empty": ("attention", '["x", "y", "z"]', "[]", "model.axes.feature", "empty", "at least one"),
    "axis with no label": ("attention", '["x", "y", "z"]', '["x", " "]', "model.axes.feature", "' '", "1 to 120"),
    "values": ("attention", '["c", "d"]', '["c"]', "model.axes.value", "has 1 rows", "there are 2 keys"),
    "no words for vectors": (
        *("attention", 'kind = "attention"\n[model.axes]\nquery = ["a", "b"]\n', 'kind = "vectors"\n[model.axes]\n'),
        *("model.axes.value", "not a known", "feature"),
    ),
    "tokens of attention": ("attention", "[inputs]", '[tokens]\ninput=["a"]\n[inputs]', "tokens", "no tokens", "axes"),
    "d_model": ("translator", "d_model = 4", "d_model = 0", "model.d_model", "0 is out of range", "from 1 to 4,096"),
    "d_model no number": ("translator", "d_model = 4", "d_model = 4.0", "model.d_model", "4.0 is not a whole", "write"),
    "layers": ("translator", "layers = 1", "layers = 1000000", "model.layers", "out of range", "from 1 to 48"),
    "tokens missing": ("translator", 'target = ["x", "y"]', "", "tokens.target", "is missing", "add target"),
    "tokens none": ("translator", 'target = ["x", "y"]', "target = []", "tokens.target", "is empty", "at least"),
    "tokens one text": ("translator", '["a", "b", "a"]', '"a b a"', "tokens.source", "not a list of texts", "write"),
    "token with space": ("translator", '"b", ', '"b c", ', "tokens.source", "'b c' is not one token", "without spaces"),
    "tokens many": ("translator", '["a", "b", "a"]', str(["a"] * 600), "tokens.source", "600 tokens", "up to 512"),
    "sequence": ("translator", "source =", "sauce =", "tokens.sauce", "not a known key", "'source'"),
    "word not in vocabulary": (
        *("translator", "[tokens]", '"source.words" = ["a"]\n[tokens]'),
        *("tokens.source", "'b' is not in the vocabulary", 'model.axes."source.words"'),
    ),
    "word twice": ("translator", '["x", "y", "z"]', '["x", "x"]', 'model.axes."output.words"', "twice", "once"),
    # Switches
    "block": (
        *("translator", '"encoder.1.self.heads"', '"encoder.2.self.heads"'),
        *('switches."encoder.2.self.heads"', "no block 'encoder.2.self'", "'encoder.1.self'"),
    ),
    "switch": (
        *("attention", '"attention.scale"', '"attention.sclae"'),
        *('settings.printed.switches."attention.sclae"', "no switch 'sclae'", "'scale'"),
    ),
    "switch without quotes": (
        *("attention", '"attention.scale" =', "attention.scale ="),
        *("settings.printed.switches.attention", "no block ''", '"BLOCK.NAME" in quotes'),
    ),
    "switch value": (
        *("attention", '= "none"', '= "nun"'),
        *('settings.printed.switches."attention.scale"', '"nun" is not one of its', "none, 1/d_k, 1/sqrt(d_k), free"),
    ),
    "switch number": ("translator", "heads\" = 2", "heads\" = 2.5", 'switches."encoder.1.self.heads"', "2.5", "whole"),
    "switch text": ("translator", "heads\" = 2", "heads\" = \"2\"", 'switches."encoder.1.self.heads"', '"2"', "whole"),
    "switch true": ("translator", "heads\" = 2", "heads\" = true", 'switches."encoder.1.self.heads"', "true", "whole"),
    "switch of yes": ("translator", "heads\" = 2", "W_O\" = 1", 'switches."encoder.1.self.W_O"', "1", "true or false"),
    "too many heads": ("translator", "heads\" = 2", "heads\" = 999999999", "self.heads", "999999999", "from 1 to 128"),
    "endless heads": ("translator", "= 2", f"= 0x{'f' * 9000}", "self.heads", "more than 64 bits", "a smaller one"),
    "ε is NaN": ("translator", "heads\" = 2", "epsilon\" = nan", 'switches."encoder.1.self.epsilon"', "nan", "number"),
    "heads do not divide": (
        *("translator", "heads\" = 2", "heads\" = 3"),
        *("settings.printed.switches", "cannot be split over 3 heads", "fit together"),
    ),
    "too wide": (
        *("translator", "[inputs]", '"encoder.1.self.d_v" = 16000\n"encoder.1.self.d_k" = 16000\n'
          '"decoder.1.ffn.d_ff" = 16000\n"decoder.1.self.heads" = 128\n"decoder.1.self.d_v" = 16000\n[inputs]'),
        *("settings.printed.switches", "columns", "below"),
    ),
    "too much": ("translator", "d_model = 4", "d_model = 4096", "settings.printed", "numbers", "2,000,000"),
    # Numbers
    "unknown node": ("attention", "K = [[", "Kay = [[", "inputs.Kay", "no such node", "this model has: Q, K, "),
    "head that is not there": (
        *("translator", "head.2.W_Q", "head.3.W_Q"),
        *('inputs."encoder.1.self.head.3.W_Q"', "no such node", "'encoder.1.self.head"),
    ),
    "computed node": ("attention", "K = [[", "scores = [[", "inputs.scores", "is computed", "Q, K"),
    "pinned input": ("attention", "weights = ", "V = ", "settings.printed.pins.V", "is an input", "move it"),
    "shape": ("attention", "Q = [[1, 0, 0], [0, 1, 0]]", "Q = [[1, 0]]", "inputs.Q", "shape 1 × 2", "query × feature"),
    "number for a matrix": ("attention", "[[1, 0], [0, 1]]", "1", "pins.weights", "a single number, the", "query"),
    "slice's shape": ("translator", ", [7, 8]]", "]", "head.2.W_Q", "3 × 2, the node has 4 × 2", "d_model × d_k"),
    "ragged": ("attention", "Q = [[1, 0, 0], [0,", "Q = [[1, 0, 0], [", "inputs.Q", "2 entries at [1]", "write 3"),
    "a list as long as the first is wide": (  # together more than any memory has
        *("attention", "Q = [[1, 0, 0], [0, 1, 0]]", f"Q = [[{'0,' * 9000}]{',0' * 9000}]"),
        *("inputs.Q", "not equally long", "as many numbers in each"),
    ),
    "several lines": ("attention", '"two-words"', '"two\\n\\nwords"', "id", "'two  words' is no id", "lower-case"),
    "no list": ("attention", "Q = [[1, 0, 0], [0, 1, 0]]", "Q = [[1], 2]", "inputs.Q", "no list at [1]", "write 1"),
    "list for a number": ("attention", "Q = [[1, 0, 0]", "Q = [[1, 0, [0]]", "inputs.Q", "a list at [0, 2]", "0.5"),
    "text for a number": ("attention", "Q = [[1, 0, 0]", "Q = [[1, 0, '0']", "inputs.Q", '"0" at [0, 2]', "0.5"),
    "truth for a number": ("attention", "Q = [[1, 0, 0]", "Q = [[true, 0, 0]", "inputs.Q", "true at [0, 0]", "0.5"),
    "date for a number": ("attention", "Q = [[1, 0, 0]", "Q = [[1979-05-27, 0, 0]", "inputs.Q", "1979-05-27", "0.5"),
    "table": ("attention", "Q = [[1, 0, 0], [0, 1, 0]]", "Q = {a = 1}", "inputs.Q", "a table is not a", "0.5"),
    "NaN": ("attention", "Q = [[1, 0, 0]", "Q = [[nan, 0, 0]", "inputs.Q", "nan at [0, 0] is not a finite", "0.5"),
    "infinite": ("attention", "Q = [[1, 0, 0]", "Q = [[-inf, 0, 0]", "inputs.Q", "-inf at [0, 0] is not a", "0.5"),
    "overflow": ("attention", "Q = [[1, 0, 0]", f"Q = [[0x{'f' * 9000}, 0, 0]", "inputs.Q", "64 bits", "a smaller one"),
    "empty list": ("attention", "Q = [[1, 0, 0], [0, 1, 0]]", "Q = []", "inputs.Q", "empty list", "write"),
    "deep list": ("attention", "Q = [[1, 0, 0], [0, 1, 0]]", "Q = [[[[[1]]]]]", "inputs.Q", "4 deep", "rows"),
    "word number": ("translator", "= [1, 2]", "= [1, 3]", 'inputs."loss.target"', "3 at [1]", "from 0 to 2"),
    "mask of 2": (
        *("translator", '"As it is."', '"As it is."\npins = {"decoder.1.self.mask" = [[1, nan], [2, 1]]}'),
        *('printed.pins."decoder.1.self.mask"', "2 at [1, 0]", "from 0 to 1"),
    ),
    "half a word": ("translator", "= [1, 2]", "= [1, 1.5]", 'inputs."loss.target"', "1.5 at [1]", "whole"),
    "tokens as numbers": (
        *("translator", '"loss.target" = [1, 2]', '"source.tokens" = [0, 1, 0]'),
        *('inputs."source.tokens"', "set by the words", "[tokens]"),
    ),
    # Settings
    "setting's key": ("attention", "printed.pins]", "printed.pin]", "settings.printed.pin", "not a known", "'pins'"),
    "setting no table": (
        *("attention", '[settings.textbook]\ntitle = "Textbook"\nparagraph = "As it should be."', "[settings]\nx = 1"),
        *("settings.x", "1 is not a table", "write [settings.x]"),
    ),
    "setting without title": ("attention", 'title = "Textbook"', "", "settings.textbook.title", "missing", "add title"),
}  # fmt: skip


@each("case", KEYS)
def test_bad_key(write, case):
    base, old, new, key, problem, remedy = KEYS[case]
    error = refused(write(edited(BEFORE[base], old, new)))
    assert error.id == "lesson-key", error
    assert key in error.fields["key"]
    assert problem in sentence(error)
    assert remedy in error.fields["remedy"]
    assert len(sentence(error)) < 2000
    assert "\n" not in sentence(error)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('title = "T"\n[model]\nkind = "gpt"\n[data]\ntext = "a.txt"', "a recipe for `explorer train`"),
        ('format = 1\ntitle = "T"\nseed = 0\nquestions = ["emma/score"]', "an exercise sheet"),
    ],
)
def test_another_file_of_the_program_is_named(write, text, what):
    """They were told that they have a key too many."""
    with refuses(f"is {what}, and not a lesson"):
        load(write(text))


def test_no_settings(write):
    text = ATTENTION.partition("[settings.printed]")[0]
    assert "settings: is missing; add at least one, such as [settings.textbook]." in sentence(refused(write(text)))


def test_too_many_settings(write):
    text = ATTENTION + "".join(f'[settings.s{i}]\ntitle = "S"\nparagraph = "S."\n' for i in range(30))
    assert "settings: holds 32 settings; write up to 20." in sentence(refused(write(text)))


def test_an_input_that_fits_one_setting_only(write):
    text = ATTENTION + "[settings.textbook.switches]\n'attention.layout' = '(C, T)'\n"
    message = "inputs.Q: has shape 2 × 3, the node has 3 × 2 in setting 'textbook'; write it as feature × query"
    assert message in sentence(refused(write(text)))
    transposed = "[settings.textbook.inputs]\nQ = [[1, 0], [0, 1], [0, 0]]\nK = [[1, 0], [0, 1], [0, 0]]\n"
    common = "[inputs]\nQ = [[1, 0, 0], [0, 1, 0]]\nK = [[1, 0, 0], [0, 1, 0]]\n"
    text = edited(text, common, "") + transposed + common.replace("[inputs]", "[settings.printed.inputs]")
    assert load(write(text)).state("textbook").inputs["Q"].shape == (3, 2)


TRAINED = """
id = "two-trainings"
title = "Two trainings"
paragraph = "What each has learned."
[model]
kind = "gpt"
d_model = 2
[model.axes]
"input.words" = ["<end>", "a", "b"]
[tokens]
input = ["a", "b"]
[settings.short]
title = "One layer"
paragraph = "Trained."
weights = "short.safetensors"
[settings.short.inputs]
"decoder.1.ffn.beta" = [5, 6]
[settings.deep]
title = "Three layers"
paragraph = "Trained, too."
weights = "deep.safetensors"
layers = 3
[settings.deep.switches]
activation = "GELU"
"""


def put_weights(folder, name, **arrays):
    with (folder / f"{name}.safetensors").open("wb") as stream:
        container.write(stream, {}, arrays)


def test_each_setting_has_the_weights_it_names_and_as_many_layers_as_it_says(write, tmp_path):
    put_weights(tmp_path, "short", **{"decoder.1.self.beta": np.array([1, 2], np.float16)})
    put_weights(tmp_path, "deep", **{"decoder.3.self.beta": np.array([3, 4], np.float32)})
    lesson = load(write(TRAINED))
    short, deep = lesson.state("short"), lesson.state("deep")
    assert (short.model.layers, deep.model.layers) == (1, 3)
    assert short.inputs["decoder.1.self.beta"].tolist() == [1, 2]
    assert short.inputs["decoder.1.ffn.beta"].tolist() == [5, 6]
    assert deep.inputs["decoder.3.self.beta"].tolist() == [3, 4]
    assert deep.inputs["decoder.1.self.beta"].tolist() == [0, 0]
    assert [deep.model.switch(f"decoder.{k}.ffn", "activation") for k in (1, 2, 3)] == ["GELU"] * 3
    assert short.model.switch("decoder.1.ffn", "activation") == "ReLU"
    assert short.inputs["input.tokens"].tolist() == deep.inputs["input.tokens"].tolist() == [1, 2]


def test_weights_of_another_shape_are_refused_for_the_setting_that_names_them(write, tmp_path):
    put_weights(tmp_path, "short", **{"decoder.1.self.beta": np.array([1, 2, 3], np.float16)})
    put_weights(tmp_path, "deep", **{"decoder.3.self.beta": np.array([3, 4], np.float32)})
    with refuses(r"settings\.short\.weights: 'decoder.1.self.beta' has shape 3 in short.safetensors, not 2; train"):
        load(write(TRAINED))
    with refuses(r"settings\.short\.layers: .* from 1 to 48"):
        load(write(edited(TRAINED, "[settings.short.inputs]", "layers = 49\n[settings.short.inputs]")))


def test_a_message_is_one_sentence(write):
    file = write(edited(ATTENTION, 'title = "Two', 'titel = "Two'))
    assert sentence(refused(file)) == f"{file}: titel: is not a known key; perhaps 'title' is meant."


HUGE = f"0x{'f' * 5000}"
"""Python reads it and refuses to write it out; in TOML there is no such number."""


@pytest.mark.parametrize(
    "value", [HUGE, "9" * 19, "-" + "9" * 19, f"[{HUGE}]", f"[['a', {HUGE}]]", f"{{a = {{b = {HUGE}}}}}"]
)
def test_a_whole_number_of_more_than_64_bits_anywhere(write, value):
    with refuses(r"ours[.ab]*: holds a whole number of more than 64 bits; write a smaller one"):
        load(write(edited(ATTENTION, 'ours = ["Q"]', f"ours = {value}")))


class Word(str):
    """A word that counts how often it is compared with others."""

    compared = 0

    def __eq__(self, other):
        Word.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("kind", ["gpt", "encoder-decoder"])
def test_each_word_of_a_vocabulary_is_looked_up_and_not_searched_for(kind, monkeypatch):
    """A tokenizer has 150,000: what compares each with those before it takes minutes."""
    words = [*map(str, range(4000)), "<end>"]
    sequences = ("input",) if kind == "gpt" else ("source", "target")
    told = {
        "id": "many",
        "title": "Many",
        "paragraph": "Many.",
        "order": 1,
        "model": {"kind": kind, "d_model": 2, "axes": {f"{one}.words": list(map(Word, words)) for one in sequences}},
        "tokens": {one: list(map(Word, words[-20:])) for one in sequences},
        "settings": {"first": {"title": "A", "paragraph": "B."}},
    }
    monkeypatch.setattr(loader, "read", lambda path: TomlTable(str(path), told))
    monkeypatch.setattr(Word, "compared", 0)
    load(Path("many.toml")).state()
    assert Word.compared < 3 * len(words) * len(sequences)


def test_a_number_of_thousands_of_digits(write):
    with refuses("is not valid TOML: it has a number of thousands of digits"):
        load(write(f"order = {'9' * 5000}\n{ATTENTION}"))


def test_who_writes_one_step_as_a_table_is_told_how_each_begins(write):
    """It said only “Cannot declare ('step',) twice”."""
    with refuses(r"is not valid TOML: .*twice.*; write \[\[step\]\] above each step"):
        load(write(f"{ATTENTION}\n[step]\nid = 'a'\n[step]\nid = 'b'\n"))


def test_check_finds_what_computes_to_nan(write):
    text = edited(ATTENTION, "Q = [[1, 0, 0]", "Q = [[1e300, 1e300, 0]")
    text = edited(text, "K = [[1, 0, 0]", "K = [[1e300, -1e300, 0]")
    file = write(text.replace("[settings.printed.pins]\nweights = [[1, 0], [0, 1]]\n", ""))
    assert load(file)
    with refuses(r"settings\.printed: '.*' comes out as NaN; use smaller numbers"):
        check_lesson(file)


@given(st.data())
def test_a_damaged_file_never_crashes(tmp_path_factory, data):
    lesson = data.draw(st.sampled_from(["translation-lookup", "emma", "you-are-welcome", "i-love-ai", "xor", "jump"]))
    text = (paths.resources() / "lessons" / f"{lesson}.toml").read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        new = data.draw(st.sampled_from(["", "[", "]", '"', "=", "1", "nan", "[[", "\n", "{}", "true", "-", "."]))
        text = text[:start] + new + text[end:]
    file = tmp_path_factory.getbasetemp() / "damaged.toml"
    file.write_text(text, encoding="utf-8")
    with contextlib.suppress(ExplorerError):
        damaged = load(file)
        for setting in damaged.settings:
            Document(damaged.state(setting))


@each("file", [*loader.lesson_files().values(), *loader.model_files().values()], ids=lambda f: f.stem)
def test_the_programs_own_lessons_are_in_the_newest_format(file):
    """A teacher copies one as a pattern: it has to call rows and columns what the window shows."""
    assert read(file).data["format"] == loader.FORMAT


@pytest.mark.parametrize(
    "file", [*loader.lesson_files().values(), *loader.model_files().values()], ids=lambda f: f.stem
)
def test_what_lists_say_of_a_lesson_stands_before_its_steps(file, tmp_path):
    """Of the program's own files no more is read for a list: all of them whole took 0.2 s."""
    whole = tmp_path / file.name
    whole.write_bytes(file.read_bytes())  # elsewhere it is read whole
    assert loader.head_of(file) == loader.head_of(whole)
