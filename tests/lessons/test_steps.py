"""Steps of a lesson: what the loader makes of a ``[[step]]`` table, and what it says of one that is wrong.

Also their states, from any thread.
"""

import copy
import os
import re
import tomllib
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.training.trainer import Trainer
from explorer.document.document import Document
from explorer.lessons import model_tables
from explorer.lessons.answers import values_of
from explorer.lessons.loader import catalogue, lesson_from, load
from explorer.lessons.reading import TomlTable
from explorer.lessons.replay import check_steps
from explorer.lessons.schema import ALL, Choose, Look, MakeSo, Point, Predict, StepStates, Training, states_of
from explorer.lessons.symbols import Names, UnknownNameError
from explorer.paths import resources
from explorer.sentences import sentence
from tests.lessons.conftest import THREE
from tests.samples import each

LESSON = """
format = 4
id = "two-words"
title = "Two words"
paragraph = "A first paragraph."
teaches = "what a score is"
needs = ["two-vectors"]
minutes = 3.5
[model]
kind = "attention"
[model.axes]
query = ["a", "b"]
feature = ["x", "y"]
[inputs]
Q = [[1, 2], [3, 4]]
K = [[5, 6], [7, 8]]
V = [[1, 0], [0, 1]]
[settings.printed]
title = "As printed"
paragraph = "As it is."
[settings.other]
title = "Other"
paragraph = "Not scaled."
[settings.other.switches]
"attention.scale" = "none"

[[step]]
id = "scores"
title = "Each query meets each key"
words = '''
The score of a for b is {scores[a, b]}, and $\\sqrt{d_k}$ is no number.

- a list
- of two
'''
notes = "Wait."
minutes = 1.5
[step.look]
stage = "attention"
node = "scores"
rows = ["a"]
columns = [1]
token = "query b"
[step.question]
kind = "predict"
ask = "What is it?"
digits = 1
fade = "all"
fresh = true

[[step]]
id = "edits"
title = "Changed"
words = "Now it is {scores[a, b]:1} and {weights[a, b]:%}."
showing = "change"
[step.look]
stage = "attention"
[step.switches]
"attention.scale" = "none"
[step.inputs]
"Q[a, y]" = 3.0
K = [[1, 1], [2, 2]]
[step.pins]
"weights[b, a]" = 0.5
[step.question]
kind = "point"
ask = "Where does a look?"
at = "token"
node = "weights"
right = { largest = "a" }

[[step]]
id = "make"
title = "Make it so"
words = "Begun anew."
setting = "other"
[step.look]
stage = "attention"
[step.question]
kind = "make"
ask = "Turn a."
goal = "argmax(weights[a]) == a and scores[a, b] < 3 and scores[b, 0] ~ 39 ± 1"
edits = 1
allowed = ["Q"]
"""


@pytest.fixture
def lesson(write):
    return load(write(LESSON))


@pytest.fixture
def write(tmp_path):
    def write(text):
        file = tmp_path / "two-words.toml"
        file.write_text(text)
        return file

    return write


def test_what_a_lesson_says_of_itself(lesson):
    assert (lesson.teaches, lesson.needs, lesson.minutes) == ("what a score is", ("two-vectors",), 3.5)
    assert (len(lesson.steps), lesson.questions) == (3, 3)


def test_look_and_question_are_read_by_their_labels(lesson):
    scores, edits, make = lesson.steps
    assert scores.look == Look("attention", "scores", (0,), (1,), token=("query", 1))
    assert scores.question == Predict(ask="What is it?", node="scores", cell=(0, 1), digits=1, fade=ALL, fresh=True)
    assert "- a list\n- of two" in scores.words
    assert scores.shown == {"scores[a, b]": ("scores", (0, 1))}
    assert edits.question == Point(
        ask="Where does a look?", at="token", node="weights", axis="query", extreme="largest", row=0
    )
    assert isinstance(make.question, MakeSo)
    assert [(one.node, one.cell, one.sign, one.number) for one in make.question.conditions] == [
        ("weights", (0,), "argmax", 0),
        ("scores", (0, 1), "<", 3),
        ("scores", (1, 0), "~", 39),
    ]


def test_a_step_changes_the_state_of_the_one_before(lesson):
    states = StepStates(lesson)
    assert states[1].inputs["Q"].tolist() == [[1, 3], [3, 4]]
    values = Document(states[1]).engine.values
    assert values["scores"].tolist() == [[4, 8], [7, 14]]
    assert values["weights"][1, 0] == 0.5
    assert states[1].model.switch("attention", "scale") == "none"
    assert states[2].inputs["Q"].tolist() == [[1, 2], [3, 4]]
    assert states[2].setting == "other"


def test_to_go_to_a_step_is_one_act_that_undo_takes_back(lesson):
    states = StepStates(lesson)
    document = Document(states[0])
    document.do(states.go(1))
    assert document.state is states[1]
    assert document.history.undo_label == "Step: Changed"
    document.undo()
    assert document.state is states[0]


def test_a_jump_gives_what_walking_gives(lesson):
    walked, jumped = StepStates(lesson), StepStates(lesson)
    steps = [walked[k] for k in range(3)]
    for k in (2, 0, 1):
        state = jumped[k]
        assert state.model == steps[k].model
        assert {n: a.tobytes() for n, a in state.inputs.items()} == {n: a.tobytes() for n, a in steps[k].inputs.items()}


WRONG = {
    'node = "scores"': ('node = "Scoers"', "scores", "names node `Scoers`; did you mean `scores`?"),
    'rows = ["a"]': ('rows = ["aa"]', "scores", "names row `aa`; did you mean `a`?"),
    "columns = [1]": ("columns = [2]", "scores", "names column `2`; they are counted from 0 to 1."),
    'token = "query b"': ('token = "query d"', "scores", "names token `d`; there are `a`, `b`."),
    "{weights[a, b]:%}": ("{weights[a]:%}", "edits", "names cell `weights[a]`; write weights[row, column]."),
    '"attention.scale" = "none"\n[step.inputs]': (
        '"attention.scael" = "none"\n[step.inputs]',
        "edits",
        "names switch `scael`; did you mean `scale`?",
    ),
    'showing = "change"': ('showing = "chagne"', "edits", "`showing` 'chagne' is not one of its values; perhaps"),
    '"Q[a, y]" = 3.0': ('"Q[a, z]" = 3.0', "edits", "names column `z`; there are `x`, `y`."),
    "K = [[1, 1], [2, 2]]": ("K = [[1, 1]]", "edits", "`inputs.K` 'K' has shape"),
    'right = { largest = "a" }': ('right = { largst = "a" }', "edits", "`question.right.largst` is not a known key"),
    'id = "edits"': ('id = "scores"', "scores", "`id` stands above already"),
    'title = "Make it so"\n': ("", "make", '`title` is missing; add title = "…".'),
    "argmax(weights[a]) == a": ("argmax(weights[a]) = a", "make", "names goal `argmax(weights[a]) = a`; write argmax"),
    'allowed = ["Q"]': ('allowed = ["scores"]', "make", "`question.allowed` names `scores`, which is computed"),
    'setting = "other"': ('setting = "othr"', "make", "'othr' is not one of its values; perhaps 'other' is meant"),
}


@each("right", WRONG)
def test_what_is_wrong_is_named_with_file_step_and_remedy(write, right):
    wrong, step, said = WRONG[right]
    assert LESSON.count(right) == 1
    file = write(LESSON.replace(right, wrong))
    with pytest.raises(ExplorerError) as caught:
        load(file)
    message = sentence(caught.value)
    assert message.startswith(f"step `{step}` of {file}"), message
    assert said in message
    assert "\n" not in message


def test_neither_an_older_format_nor_a_newer_one_is_read(write):
    assert len(load(write(LESSON.replace("format = 4", ""))).steps) == len(load(write(LESSON)).steps)
    with refuses("never released, in format 3; this one reads format 4. Write format = 4 at its top"):
        load(write(LESSON.replace("format = 4", "format = 3")))
    with refuses("newer version of this program, in format 5"):
        load(write(LESSON.replace("format = 4", "format = 5\nunheard-of = 1")))


CALLED = """
format = 4
id = "places"
title = "Places"
paragraph = "What rows and columns are called."
example = "EXAMPLE"

[[step]]
id = "one"
title = "One"
words = "Here."
[step.look]
stage = "STAGE"
node = "NODE"
"""


def _looks(write, example, node, places):
    text = CALLED.replace("EXAMPLE", example).replace("NODE", node)
    state = load(example).state()
    (step,) = load(write(text.replace("STAGE", state.graph.nodes[state.graph.place(node).node].stage) + places)).steps
    return step.look.rows, step.look.columns


def test_a_step_that_names_no_cell_looks_at_the_number_that_is_asked_for():
    """Of four covered numbers, or two, the question meant one; and the frame stood around the whole table."""
    looks = {step.id: step.look for step in load("xor").steps}
    assert (looks["hidden"].rows, looks["hidden"].columns) == ((3,), (1,))
    assert (looks["relu"].rows, looks["relu"].columns) == ((), (1,))  # as its file says
    assert (looks["rule"].rows, looks["rule"].columns) == ((), ())  # no number is asked for
    row = next(step.look for step in load("start-here").steps if step.id == "place")
    assert (row.rows, row.columns) == ((0,), ())  # the row that the words speak of


def test_a_frame_around_one_number_is_around_the_one_that_is_asked_for_unless_that_stays_in_sight():
    """Apple and Orange were framed, hidden, because their cosine tells that of Apple and Phone, which is asked for."""
    for lesson in catalogue():
        for k, step in enumerate(lesson.steps):
            asked, look = step.question, step.look
            one = len(look.rows) == len(look.columns) == 1
            if not one or not isinstance(asked, Predict) or look.node != asked.node:
                continue
            framed = look.rows[0], look.columns[0]
            if framed != asked.cell[-2:]:
                state = StepStates(lesson)[k]
                value = values_of(state).value(state.graph.place(asked.node))
                assert value[framed] != value[asked.cell], f"{lesson.id}, {step.id}"


def test_a_place_is_called_what_the_window_shows(write):
    """Columns counted from 0 in a file, where the page shows 1: [0, 1] meant the second column, and nothing told so."""
    V, weights = "encoder.1.self.head.1.V", "encoder.1.self.head.1.weights"
    # “the cat sat on the mat”: the words stand at the top with small numbers from 0, and columns are called 1 to 4.
    words = 'rows = ["cat", 4, "4"]\ncolumns = ["mat", 0]'
    assert _looks(write, "positions-cat-mat", weights, words) == ((1, 4, 4), (5, 0))
    assert _looks(write, "positions-cat-mat", V, 'rows = [0]\ncolumns = [1, "4"]') == ((0,), (0, 3))
    # Words that stand in no text, and cases, count as columns do, also where they have names.
    assert _looks(write, "xor", "layer.1.hidden", 'rows = ["0, 1", 4]\ncolumns = [2, "h₁"]') == ((1, 3), (1, 0))
    for places, said in (
        ("rows = [0]\ncolumns = [0]", "counted from 1 to 4"),
        ("rows = [6]", "counted from 0 to 5"),
        ('rows = ["the"]', "several have this name; write the number of one: 0, 4."),
    ):
        with refuses(said):
            _looks(write, "positions-cat-mat", V, places)


def test_a_lesson_may_lead_through_an_example_without_repeating_its_numbers(write):
    lesson = load(
        write(
            """
format = 4
id = "another"
title = "Another walk"
paragraph = "Through the same numbers."
example = "softmax"
[[step]]
id = "one"
title = "One"
words = "Look."
[step.look]
stage = "output"
"""
        )
    )
    example = load("softmax")
    assert lesson.state().inputs["output.logits"].tolist() == example.state().inputs["output.logits"].tolist()
    assert (lesson.id, lesson.reference, len(lesson.steps)) == ("another", "004", 1)


def test_steps_of_training_lower_the_loss(write):
    lesson = load(
        write(
            """
format = 4
id = "learn"
title = "Learning"
paragraph = "Ten steps."
example = "xor"
[[step]]
id = "learn"
title = "Ten steps"
words = "The loss is {loss.value}."
setting = "textbook"
[step.look]
stage = "loss"
[step.inputs]
"layer.2.b" = [0.3]
[step.training]
steps = 10
rate = 0.1
"""
        )
    )
    states = StepStates(lesson)
    start = Document(lesson.state("textbook")).engine.values["loss.value"]
    assert Document(states[0]).engine.values["loss.value"] != start
    assert np.array_equal(states[0].inputs["layer.1.W"], StepStates(lesson)[0].inputs["layer.1.W"])


def test_a_step_learns_with_the_rate_of_its_setting(write):
    lesson = load(
        write(
            """
format = 4
id = "learn"
title = "Learning"
paragraph = "One step."
example = "xor"
[[step]]
id = "learn"
title = "One step"
words = "The loss is {loss.value}."
setting = "nothing"
[step.look]
stage = "loss"
[step.training]
"""
        )
    )
    assert lesson.training.rate == 0.1
    assert lesson.steps[0].training == Training(1, 0.05, "Adam")


def test_choices_are_right_or_say_what_is_wrong(write, three):
    question = three.steps[1].question
    assert isinstance(question, Choose)
    assert [one.right for one in question.choices] == [False, True]
    with refuses(r"step `differences` of .*choices.*why` is missing"):
        load(write(THREE.replace(', why = "Multiplying does not cancel."', "")))
    with refuses(r"step `differences` of .*choices` need a right answer and a wrong one"):  # not why the right is wrong
        load(write(THREE.replace('"The largest grows.", right = true', '"The largest grows."')))


POINT = """
format = 4
id = "point"
title = "Point"
paragraph = "Point."
example = "you-are-welcome"
[[step]]
id = "here"
title = "Here"
words = "Look."
head = 2
[step.look]
stage = "encoder.1.self.attention"
node = "encoder.1.self.weights"
[step.question]
kind = "point"
ask = "Where?"
QUESTION
"""

POINTS = {
    'at = "token"\nright = { largest = "are" }': {"node": "encoder.1.self.head.2.weights", "axis": "source", "row": 1},
    'at = "token"\nright = { token = "welcome" }': {"axis": "source", "right": ((2,),)},
    'at = "token"\nright = { tokens = ["You", 2] }': {"axis": "source", "right": ((0,), (2,))},
    'at = "token"\nnode = "output.probabilities"\nright = { token = "nada" }': {"axis": "output.words"},
    'at = "cell"\nright = { smallest = "all" }': {"extreme": "smallest", "row": None},
    'at = "cell"\nright = { cell = ["You", "are"] }': {"right": ((0, 1),)},
    'at = "cell"\nright = { cells = [["You", "are"], [0, 0]] }': {"right": ((0, 1), (0, 0))},
    'at = "head"\nright = { head = 2 }': {"right": ((1,),)},
    'at = "head"\nnode = "encoder.1.self.weights"\nright = { largest = "You" }': {"extreme": "largest", "row": 0},
}


@pytest.mark.parametrize("question", POINTS)
def test_all_ways_to_point(write, question):
    found = load(write(POINT.replace("QUESTION", question))).steps[0]
    assert found.look.node == "encoder.1.self.head.2.weights"
    assert found.head == 1
    for key, value in POINTS[question].items():
        assert getattr(found.question, key) == value


NOT_POINTED = {
    'at = "head"\nright = { head = true }': "is no number of a head; count from 1",
    'at = "head"\nright = { heads = [1, 3] }': "`question.right.heads` 3 is out of range; choose from 1 to 2",
    'at = "cell"\nnode = "loss.value"\nright = { largest = "all" }': "is a single number; name one with rows",
    'at = "token"\nnode = "loss.value"\nright = { smallest = "all" }': "is a single number; name one with rows",
    'at = "head"\nnode = "source.X"\nright = { largest = "You" }': "`question.node` is not stacked over heads",
    'at = "cell"\nright = { cells = 3 }': "`question.right.cells` is not a list",
    'at = "cell"\nright = { cell = 3 }': "`question.right.cell` is not a list",
    'at = "cell"\nright = { cell = ["You"] }': "names cell `encoder.1.self.head.2.weights[You]`; write",
    'at = "token"\nright = { token = "Yuo" }': "names token `Yuo`; did you mean `You`?",
    'at = "token"\nright = { largest = "are", smallest = "are" }': "`question.right` says how the right answer",
    'at = "cell"\nnode = "encoder.1.ffn.b_1"\nright = { largest = "are" }': "needs a matrix with rows",
}


@pytest.mark.parametrize("question", NOT_POINTED)
def test_what_cannot_be_pointed_at(write, question):
    with pytest.raises(ExplorerError) as caught:
        load(write(POINT.replace("QUESTION", question)))
    assert NOT_POINTED[question] in sentence(caught.value)


LOOKS = {
    "head = 2": ("head = 3", "`head` 3 is out of range; choose from 1 to 2"),
    'node = "encoder.1.self.weights"\n[': ('rows = ["You"]\n[', "`look.rows` are of no matrix"),
    'node = "encoder.1.self.weights"': (
        'node = "encoder.1.ffn.b_1"\ncolumns = [1]',
        "`look.columns` are more than `encoder.1.ffn.b_1` has; it has rows alone",
    ),
    'stage = "encoder.1.self.attention"': ('stage = "encoder.1.attention"', "did you mean `encoder.1.self.attention`?"),
    'words = "Look."': ('words = "Look."\nrelease = ["weihgts"]', "names node `weihgts`"),
    'id = "here"': ('id = "Here"', "step `1` of"),
}


@pytest.mark.parametrize("right", LOOKS)
def test_where_no_one_can_look(write, right):
    wrong, said = LOOKS[right]
    text = POINT.replace("QUESTION", 'at = "head"\nright = { head = 1 }')
    assert text.count(right) == 1
    with pytest.raises(ExplorerError) as caught:
        load(write(text.replace(right, wrong)))
    assert said in sentence(caught.value)


def test_a_pin_of_a_whole_matrix_may_have_gaps(write):
    question = 'at = "head"\nright = { head = 2 }'
    pins = '[step.pins]\n"encoder.1.self.head.1.weights" = [[1, 0, 0], [nan, nan, nan], [0, 0, 1]]\n[step.question]'
    lesson = load(write(POINT.replace("QUESTION", question).replace("[step.question]", pins)))
    held = StepStates(lesson)[0].pins["encoder.1.self.weights"].cells
    assert held[0].tolist() == [[True] * 3, [False] * 3, [True] * 3]
    assert not held[1].any()


@pytest.fixture
def trained(monkeypatch):
    """The steps of training that are taken."""
    taken, step = [], Trainer.step
    monkeypatch.setattr(Trainer, "step", lambda trainer: (taken.append(trainer), step(trainer))[1])
    return taken


def test_threads_that_ask_at_once_get_the_same_states(trained):
    states, together = StepStates(load("xor-linear")), Barrier(3)
    found = [[], [], []]

    def ask(i):
        together.wait()
        found[i] += [states[k] for k in (range(len(states)) if i else reversed(range(len(states))))]

    threads = [Thread(target=ask, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(trained) == sum(step.training.steps for step in states.lesson.steps if step.training) > 0
    assert all(one is other for one, other in zip(reversed(found[0]), found[1], strict=True))
    assert all(one is other for one, other in zip(found[1], found[2], strict=True))


def test_it_takes_long_until_it_is_known():
    lesson = load("xor-linear")
    at = next(i for i, step in enumerate(lesson.steps) if step.training)
    states = StepStates(lesson)
    assert not states.takes_long(at - 1)
    assert states.takes_long(at)
    assert states.takes_long(len(lesson.steps) - 1)
    assert states[at] is states[at]
    assert not states.takes_long(at)


def test_to_come_back_to_a_lesson_trains_nothing_again(trained):
    states_of.cache_clear()
    lesson = load("xor-linear")
    before = list(states_of(lesson))
    count = len(trained)
    assert count > 0
    assert all(one is other for one, other in zip(before, states_of(lesson), strict=True))
    assert len(trained) == count


TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
(BLOCK,) = re.findall(r"^## Lead through.*?^```toml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
WHOLE = tomllib.loads(BLOCK)

NAMES = st.sampled_from(
    ["Q", "scores", "Qq", "weights", "attention", "friend", "she", "all", "K[friend, Pers]", "K[0]"]
)
LEAVES = st.one_of(
    NAMES,
    st.sampled_from(
        ["", "$\\frac{a}", "$}$", "{scores}", "{weights[0, 0]:%}", "{[", "{gradient K[0, 0]}", "- a\n\n1. b"]
    ),
    st.sampled_from(["argmax(K) == K", "weights[friend] > 1", "scores[0, 0] ~ 1 ± x", "a and b", "Q[0, 0] > 1e999"]),
    st.integers(-3, 10**19),
    st.floats(),
    st.booleans(),
    st.text(max_size=8),
    st.lists(st.one_of(NAMES, st.integers(-1, 9), st.floats()), max_size=3),
    st.dictionaries(NAMES, st.one_of(NAMES, st.integers(-1, 5), st.floats(-2, 2)), max_size=2),
)


def places(value, way=()):
    """All places in nested tables and lists."""
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*way, key))


PLACES = [way for way in places(WHOLE) if way and way[0] == "step"]


def test_the_whole_one_is_valid():
    assert check_steps(lesson_from(TomlTable("mine.toml", WHOLE)), "mine.toml") is None


@given(st.sampled_from(PLACES), st.one_of(LEAVES, st.just(...)), st.booleans())
def test_one_line_names_what_is_wrong(way, leaf, beside):
    data = copy.deepcopy(WHOLE)
    table = data
    for key in way[:-1]:
        table = table[key]
    if leaf is ...:
        del table[way[-1]]
    elif beside and isinstance(table, dict):
        table[f"{way[-1]}s"] = leaf
    else:
        table[way[-1]] = leaf
    try:
        check_steps(lesson_from(TomlTable("mine.toml", data)), "mine.toml")
    except ExplorerError as error:
        said = sentence(error)
        assert "mine.toml" in said
        assert "\n" not in said.strip()
        assert len(said) < 1500


def test_a_step_is_named_by_its_number_until_it_has_an_id():
    data = copy.deepcopy(WHOLE)
    del data["step"][2]["id"]
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable("mine.toml", data))
    assert sentence(caught.value) == 'step `3` of mine.toml: `id` is missing; add id = "…".'


def test_a_slide_has_three_sentences_at_most():
    data = copy.deepcopy(WHOLE)
    data["step"][0]["slide"] = "One. Two. Three. Four."
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable("mine.toml", data))
    assert "has 4 sentences" in sentence(caught.value)


def test_a_piece_that_the_model_has_not_is_refused_and_gets_no_row_of_its_own():
    """A storyteller read "a big, bl ball": its blue had a piece with a vector drawn at random."""
    file = resources() / "lessons/inside-a-storyteller.toml"
    data = tomllib.loads(file.read_text("utf-8").replace('"l", "u", "e"', '"l", "ue"'))
    with pytest.raises(ExplorerError) as caught:
        lesson_from(TomlTable(file, data))
    assert "`tokens.input` 'ue' is no piece of the model; write the pieces of its tokenizer" in sentence(caught.value)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (None, "cannot be read: there is no such file; put the file beside this one"),
        (b"\xff\xfe", "is no text; put the file there again"),
        (b"[]", "put the file there again"),
        (b" " * 101, "has more than 100 bytes; choose a smaller one"),
    ],
    ids=["missing", "no text", "another", "large"],
)
def test_a_tokenizer_that_cannot_be_read_is_refused(tmp_path, monkeypatch, raw, said):
    monkeypatch.setattr(model_tables, "MOST_BYTES", 100)
    if raw is not None:
        (tmp_path / "pieces.json").write_bytes(raw)
    top = TomlTable(str(tmp_path / "mine.toml"), {"tokenizer": "pieces.json"})
    with pytest.raises(ExplorerError) as caught:
        model_tables.read_pieces(top)
    assert said in sentence(caught.value)
    assert "None" not in sentence(caught.value)


@pytest.mark.parametrize("key", ["tokenizer", "weights"])
def test_a_lesson_reads_no_device(tmp_path, key):
    """One that named /dev/zero as its tokenizer filled the memory, and one that named a pipe waited for ever."""
    top = TomlTable(str(tmp_path / "mine.toml"), {key: os.devnull})
    with refuses("cannot be read: it is not a file; put the file beside this one"):
        if key == "tokenizer":
            model_tables.read_pieces(top)
        else:
            model_tables.read_weights(top, {})


def test_a_lesson_names_a_matrix_as_its_page_does():
    """A name of TransformerLens' was valid in a file, and nothing was lit on the page."""
    names = Names(load("tiny-gpt").state())
    assert names.place("decoder.1.self.weights").node == "decoder.1.self.weights"
    with pytest.raises(UnknownNameError) as caught:
        names.place("blocks.0.attn.hook_pattern")
    assert caught.value.remedy == "write `decoder.1.self.weights`."
