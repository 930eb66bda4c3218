"""What somebody did is written down as a lesson that does the same."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.checkpoints.architectures import ARCHITECTURES, Sizes, plan_of
from explorer.checkpoints.checkpoint import model_of
from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.document.commands import PinCells, Release, SetArray, SetCells, SetSwitch, SetTokens
from explorer.lessons import loader
from explorer.lessons.document_lesson import lesson_of, new_lesson, opened
from explorer.lessons.loader import load, load_with
from explorer.lessons.own_lessons import bundle, take_in
from explorer.lessons.recording import WORDS, Recording
from explorer.lessons.replay import check_lesson, replay
from explorer.lessons.schema import Choose, Look, MakeSo, Point, Predict, StepStates
from explorer.sentences import sentence
from tests.checkpoints import test_gguf, test_llama2c
from tests.checkpoints.lines import t5, weights_of
from tests.checkpoints.small import CONFIG, translator, weights, write
from tests.lessons.needed import narrow, written
from tests.refusals import refuses
from tests.samples import each

BLOCK = "encoder.1.self"
ACTS = [
    SetTokens("source", ["you", "welcome"]),
    SetTokens("source", ["You", "are", "most", "welcome"]),
    SetSwitch(BLOCK, "scale", "none"),
    SetSwitch(BLOCK, "heads", 1),
    SetSwitch(BLOCK, "residual", True),
    SetCells(f"{BLOCK}.head.1.W_Q", {(0, 1): 1.25}),
    SetCells("source.table", {(0, i): 0.1 * i for i in range(4)}),
    SetCells("output.b", {(0,): -3e-7}),
    PinCells(f"{BLOCK}.weights", {(0, 0, 1): 0.5}),
    PinCells(f"{BLOCK}.weights", {(0, 0, 0): 0.25}),
    Release(f"{BLOCK}.weights"),
]
LOOKS = [
    Look(f"{BLOCK}.attention", f"{BLOCK}.head.1.scores", (0,), (1,)),
    Look("output", element="Bars"),
    Look("source.embedding", token=("source", 1)),
]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from(LOOKS), st.booleans()), min_size=1, max_size=6))
def test_a_recording_gives_the_same_states(tmp_path_factory, acts):
    lesson = load("you-are-welcome")
    recording, state, expected = Recording(lesson), lesson.state(), []
    for act, look, other in acts:
        if other:
            state = lesson.state("textbook" if state.setting == "printed" else "printed")
        state = act.apply(state)
        before = len(recording)
        recording.add(state, look, title=act.label)
        expected = [*expected[: len(recording) - 1], state] if len(recording) == before else [*expected, state]
    file = tmp_path_factory.mktemp("recorded") / "mine.toml"
    file.write_text(recording.toml("mine", "Mine"), "utf-8")
    states = StepStates(load(file))
    assert len(states) == len(expected)
    for at, state in enumerate(expected):
        again = states.engine(at)
        assert again.graph.nodes == state.graph.nodes
        assert all(same_bytes(np.asarray(again.values[name]), array) for name, array in state.used.items())
        assert states[at].pins.keys() == state.pins.keys()


def test_edits_and_places_become_steps(tmp_path):
    lesson = load("emma")
    recording = Recording(lesson)
    state = lesson.state()
    recording.add(state, Look("attention", "scores"))
    recording.add(state, Look("attention", "weights", (8,)), "change")  # the same place, without an edit
    state = SetCells("K", {(4, 0): 1.2}).apply(state)
    recording.add(state, Look("attention", "weights"), title="Emma's row")
    assert len(recording) == 2
    text = recording.toml("mine", "My “friend”")
    assert 'example = "emma"' in text
    assert '"K[she, Pers]" = 1.2' in text
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    steps = check_lesson(tmp_path / "mine.toml").steps
    assert [(step.title, step.words, step.showing) for step in steps] == [
        ("attention", WORDS, "change"),
        ("Emma's row", WORDS, "values"),
    ]
    assert steps[0].look == Look("attention", "weights", (8,))


def test_the_edit_of_a_long_text_has_a_title_that_can_be_read_back(tmp_path):
    """The label of the edit is the whole text, longer than a title may be: the saved recording did not open."""
    lesson = load("you-are-welcome")
    recording, act = Recording(lesson), SetTokens("source", ["welcome"] * 30)
    recording.add(act.apply(lesson.state()), Look("output"), title=act.label)
    (tmp_path / "mine.toml").write_text(recording.toml("mine", "Mine"), "utf-8")
    (step,) = load(tmp_path / "mine.toml").steps
    assert 100 < len(step.title) <= 120
    assert step.title.startswith("Set source to “welcome welcome")


@pytest.mark.parametrize("name", ["you-are-welcome", "emma", "tiny-gpt", "xor", "i-love-ai"])
def test_each_kind_of_question_that_a_recording_tells_of_can_be_asked(tmp_path, name):
    """Nothing in the program said how a question is written: the file says it, about its own numbers."""
    lesson = load(name)
    recording = Recording(lesson)
    recording.add(lesson.state(), Look(lesson.start_stage))
    text, _, told = recording.toml("mine", "Mine").partition("\n# How to go on")
    _, *questions = re.split(
        r"^(?=\[step\.question)", re.sub(r"^# ?", "", told, flags=re.MULTILINE), flags=re.MULTILINE
    )
    kinds = []
    for question in questions:
        lines = question.split("\n\n")[0]
        (tmp_path / "mine.toml").write_text(f"{text}\n{lines}\n", "utf-8")
        (step,) = check_lesson(tmp_path / "mine.toml").steps
        kinds.append(type(step.question))
        assert replay(load(tmp_path / "mine.toml")).questions == 1  # “> 100” was no goal that can be reached
    assert kinds == [Predict, Choose, Point, MakeSo]
    slide = re.findall(r"^(?:slide|notes|minutes) = .*", re.sub(r"^# ", "", told, flags=re.MULTILINE), re.MULTILINE)
    text = text.replace("[step.look]", "\n".join([*slide, "[step.look]"]))
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    (step,) = check_lesson(tmp_path / "mine.toml").steps
    assert (bool(step.slide), bool(step.notes), step.minutes) == (True, True, 2)


@pytest.mark.parametrize("name", ["tiny-gpt", "one-word-at-a-time"])
def test_a_model_that_comes_along_and_a_lesson_on_it_are_recorded(tmp_path, name):
    """The first page of the program shows tiny-gpt, and to record there was refused."""
    lesson, act = load(name), SetTokens("input", ["the", "dog", "sat"])
    recording = Recording(lesson)
    recording.add(act.apply(lesson.state()), Look("output"), title=act.label)
    (tmp_path / "mine.toml").write_text(recording.toml("mine", "Mine"), "utf-8")
    mine = load(tmp_path / "mine.toml")
    assert mine.example == "tiny-gpt"
    assert check_lesson(tmp_path / "mine.toml")
    again = Recording(mine)  # a lesson of one's own goes on as another one
    again.add(mine.state(), Look("output"))
    (tmp_path / "other.toml").write_text(again.toml("other", "Other"), "utf-8")
    assert load(tmp_path / "other.toml").example == "tiny-gpt"


def test_a_recording_on_a_model_that_does_not_come_along_is_opened_with_that_model(tmp_path, monkeypatch):
    """It could not be opened: which model it needs was not taken over from the lesson that it is recorded on."""
    file = narrow("inside-pythia", tmp_path)
    folder = written(file, tmp_path / "model")
    monkeypatch.setattr(loader, "lesson_files", lambda: {"inside-pythia": file})
    lesson = load_with("inside-pythia", folder)
    recording, act = Recording(lesson), SetTokens("input", ["␣red", "␣green"])
    recording.add(lesson.state(), Look("decoder.1.self.attention", "decoder.1.self.head.8.weights", (3,), (2,)))
    recording.add(act.apply(lesson.state()), Look("output"), title=act.label)
    mine = tmp_path / "mine.toml"
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    assert load(mine).needed.name == "Pythia-70m"
    found = load_with(mine, folder)
    assert found.needed is None
    assert StepStates(found)[1].graph.labels("input", StepStates(found)[1].inputs) == ("␣red", "␣green")
    assert found.steps[0].look.columns == (2,)
    # A file is checked on a narrower model of random weights, which lacks most columns of the right one.
    for column in (500, '"8·60"'):
        look = f'node = "decoder.1.self.concat"\nrows = [3]\ncolumns = [{column}]\n[[step]]'
        text = mine.read_text("utf-8").split("[step.look]")[0] + '[step.look]\nstage = "decoder.1.self.heads"\n' + look
        (tmp_path / "wide.toml").write_text(text.removesuffix("[[step]]"), "utf-8")
        assert load(tmp_path / "wide.toml").steps[0].look.columns == (0,)


def test_a_model_of_others_in_a_folder_can_be_recorded_and_the_file_tells_it_from_another(tmp_path):
    """Only a lesson about it that came with the program could be recorded on."""
    folder, other = tmp_path / "small", tmp_path / "other"
    for one in (folder, other):
        one.mkdir()
    write(folder)
    write(other, tensors={**weights(), "lm_head.weight": np.zeros((10, 8), np.float32)})
    lesson, state = opened(folder)
    words = SetTokens("input", ["7", "1", "7"])
    pinned = PinCells("decoder.1.self.scores", {(3, 2, 1): 0.5})
    states = [state, words.apply(state), pinned.apply(words.apply(state))]
    look = Look("decoder.1.self.attention", "decoder.1.self.head.4.scores", (2,), (1,))
    recording, mine = Recording(lesson), tmp_path / "mine.toml"
    for one, place, act in zip(states, (Look("model"), Look("output"), look), ("", "words", "pin"), strict=True):
        recording.add(one, place, title=act)
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    assert check_lesson(mine)
    needed = load(mine).needed
    assert (needed.name, needed.kind, needed.files) == ("small", "llama", ("config.json", "model.safetensors"))
    assert "from whoever gave you the lesson" in sentence(needed.missing("Mine"))
    found = load_with(mine, folder)
    assert found.steps[2].look.node == look.node
    for one, again in zip(states, StepStates(found), strict=True):
        assert all(np.array_equal(one.inputs[name], again.inputs[name]) for name in one.inputs)
    with refuses("its model.safetensors is not the one that the lesson was recorded with"):
        load_with(mine, other)
    more = Recording(found)  # a lesson of one's own goes on as another one
    more.add(found.state(), Look("output"))
    (tmp_path / "more.toml").write_text(more.toml("more", "More"), "utf-8")
    assert load_with(tmp_path / "more.toml", folder).steps


def in_a_folder(folder):
    """A T5 with one layer that reads and three that write; its decoder has layers that the encoder has not."""
    config, shapes = t5({"encoder": 1, "decoder": 3})
    rng = np.random.default_rng(2)
    found = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in weights_of(shapes).items()}
    write(folder, dict.fromkeys(CONFIG, "absent") | config, found)
    return folder, "decoder.3.cross", Look("decoder.3.cross.heads", "decoder.3.cross.W_O", (0,), (0,))


def with_biases(folder):
    """A Llama that has biases in its attention, as its config says: usual ones have none."""
    biases = {
        name.replace("weight", "bias"): np.full(array.shape[0], 0.25, np.float32)
        for name, array in weights().items()
        if "self_attn" in name
    }
    write(folder, {"attention_bias": True}, {**weights(), **biases})
    return folder, "decoder.2.self", Look("decoder.2.self.attention", "decoder.2.self.head.1.b_Q", (0,))


def in_a_gguf(folder):
    file = test_gguf.file_of(folder / "small.gguf", test_gguf.FACTS, test_gguf.own_names(weights()))
    return file, "decoder.2.self", Look("decoder.2.self.attention", "decoder.2.self.head.4.scores", (0,), (0,))


def in_a_file_of_llama2c(folder):
    file, _ = test_llama2c.model(folder)
    test_llama2c.tokenizer(folder)
    return file, "decoder.2.self", Look("output", "output.logits", (0,), (3,))


@pytest.mark.parametrize("made", [in_a_folder, with_biases, in_a_gguf, in_a_file_of_llama2c])
def test_every_form_of_a_model_can_be_recorded_and_the_file_finds_it_again(tmp_path, made):
    """A GGUF file and one of llama2.c were refused; no step could be in a layer that only the decoder has."""
    (tmp_path / "one").mkdir()
    where, block, look = made(tmp_path / "one")
    lesson, state = opened(where)
    act = SetCells(f"{block}.W_Q", {(1, 2, 1): 0.5})
    recording, mine = Recording(lesson), tmp_path / "mine.toml"
    recording.add(state, look)
    recording.add(act.apply(state), Look("output"), title=act.label)
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    assert check_lesson(mine)
    needed = load(mine).needed
    assert needed.name == where.name
    assert where.name in sentence(needed.missing("Mine"))
    for there in {where, where if where.is_dir() else where.parent}:  # a file is found by its folder, too
        found = load_with(mine, there)
        assert found.steps[0].look == look
        for one, again in zip((state, act.apply(state)), StepStates(found), strict=True):
            assert all(np.array_equal(one.inputs[name], again.inputs[name]) for name in one.inputs)
        again = Recording(found)  # it is itself a lesson on that model
        again.add(found.state(), look)
        assert again.toml("mine", "Mine").split("[[step]]")[0] == recording.toml("mine", "Mine").split("[[step]]")[0]
    file = where if where.is_file() else where / "model.safetensors"
    raw = file.read_bytes()
    file.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with refuses(r"is not the one that the lesson was recorded with \(another SHA-256\)"):
        load_with(mine, where)


def test_another_form_of_the_same_model_is_another_model(tmp_path):
    file, _, _ = in_a_gguf(tmp_path)
    recording = Recording(opened(file)[0])
    mine = tmp_path / "mine.toml"
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    (tmp_path / "hub").mkdir()
    with refuses("hub is not the small.gguf that the lesson needs: it has no small.gguf; choose another"):
        load_with(mine, write(tmp_path / "hub"))


def test_what_only_the_true_model_has_can_be_recorded_on_it(tmp_path):
    """A file is first read on a stand-in: of other sizes, of few words, and with other heads of keys."""
    lesson, state = opened(write(tmp_path))
    table = np.linspace(0, 1, state.inputs["input.table"].size).reshape(state.inputs["input.table"].shape)
    acts = [
        (SetArray("input.table", table), Look("output", "output.logits", (0,), (9,))),
        (
            SetCells("decoder.2.self.W_K", {(1, 7, 1): 0.5}),
            Look("decoder.2.self.attention", "decoder.2.self.head.2.W_K"),
        ),
        (SetCells("input.table", {(8, 6): 0.5}), Look("model")),
        (SetArray("decoder.1.ffn.W_1", np.ones((8, 6))), Look("input.embedding", "input.table", (9,), (7,))),
    ]
    recording, states = Recording(lesson), []
    for act, look in acts:
        state = act.apply(state)
        states.append(state)
        recording.add(state, look, title=act.label)
    mine = tmp_path / "mine.toml"
    mine.write_text(recording.toml("mine", "Mine"), "utf-8")
    assert check_lesson(mine)
    found = load_with(mine, tmp_path)
    assert [step.look for step in found.steps] == [look for _, look in acts]
    for one, again in zip(states, StepStates(found), strict=True):
        assert all(np.array_equal(one.inputs[name], again.inputs[name]) for name in one.inputs)


@each("kind", ARCHITECTURES)
def test_every_architecture_has_a_narrow_stand_in(kind):
    assert model_of(plan_of(kind, Sizes(32, 4, 8, 64, 3, 10)), "float32").layers == 3


@pytest.mark.parametrize(
    ("kind", "texts", "more"),
    [
        ("gpt", ["1 , {a} 1"], {"positions": "rotary", "heads": 2}),
        ("encoder", ["a b"], {"positions": "table"}),
        ("encoder-decoder", ["you are", "de nada"], {"layers": 2}),
    ],
)
def test_a_model_of_ones_own_is_recorded_as_it_is_then_with_its_weights_beside(tmp_path, kind, texts, more):
    """It was refused: only what comes with the program and models of others could be recorded."""
    lesson = new_lesson(kind, texts, d_model=4, **more)
    states = [lesson.state()]
    name, pinned = (next(one for one in states[0].graph.nodes if one.endswith(end)) for end in ("W_Q", "weights"))
    trained = SetArray(name, np.full(states[0].graph.shape(name), 0.1)).apply(states[0])  # before it is recorded
    acts = [PinCells(pinned, {(0, 0, 0): 0.5}), SetCells(name, {(0, 1, 1): 3.0}), SetSwitch("loss", "loss", "none")]
    states, recording = [trained], Recording(lesson)
    for act in acts:
        states.append(act.apply(states[-1]))
        recording.add(states[-1], Look("model"), title=act.label)
    (tmp_path / "there").mkdir()
    recording.save(tmp_path / "there" / "My model.lesson.toml")
    assert len((tmp_path / "there" / "My model.lesson.toml").read_text("utf-8")) < 10_000
    bundle(tmp_path / "there", tmp_path / "mine.lessons")
    (file,) = take_in(tmp_path / "mine.lessons", tmp_path / "theirs")  # another person needs nothing else
    found = check_lesson(file)
    assert (found.id, found.title, found.needed) == ("my-model", "My model", None)
    for one, again in zip(states[1:], StepStates(found), strict=True):
        assert again.graph.nodes == one.graph.nodes
        assert again.pins.keys() == one.pins.keys()
        assert all(same_bytes(again.used[name], array) for name, array in one.used.items())
    more_of_it = Recording(found)  # it is itself a model of one's own
    more_of_it.add(found.state(), Look("model"))
    more_of_it.save(tmp_path / "more.toml")
    assert load(tmp_path / "more.toml").model.d_model == 4


def test_what_cannot_be_recorded_is_told(tmp_path):
    large = new_lesson("gpt", ["a b"], d_model=256, layers=6)
    own = translator()
    for lesson, state, said in (
        (large, large.state(), "cannot be recorded: the model holds 4,794,021 numbers; a lesson may hold 2,000,000."),
        (*lesson_of(own, "mine"), "“mine” cannot be recorded: its words are pieces of a tokenizer"),
    ):
        recording = Recording(lesson)
        recording.add(state, Look("model"))
        with refuses(said):
            recording.toml("mine", "Mine", draft=True)
    lesson = load("tiny-gpt")
    recording, act = Recording(lesson), SetArray("input.table", lesson.inputs["input.table"] * 1.25)
    recording.add(lesson.state(), Look("output"))
    acts = [SetArray(name, array * 1.25) for name, array in lesson.inputs.items() if not name.endswith("tokens")]
    state = lesson.state()
    for act in acts:
        state = act.apply(state)
    recording.add(state, Look("model"), title="Train")
    with refuses(r"Step 2 cannot be written down: it changes so many numbers that the file would have [\d,]+ bytes"):
        recording.toml("mine", "Mine")
    lesson = load("emma")
    recording = Recording(lesson)
    recording.add(SetCells("K", {(0, 0): np.inf}).apply(lesson.state()), Look("attention"))
    with pytest.raises(ExplorerError) as caught:
        recording.toml("mine", "Mine")
    assert sentence(caught.value).startswith("Step 1 cannot be written down: 'K' is too large")


@pytest.mark.parametrize("text", ["2 1 1 0", "1 1 2 3", "a , a { }", "0 1 2 3 4"])
def test_words_that_are_numbers_or_signs_or_stand_there_twice_are_found_again(tmp_path, text):
    lesson, words = load("you-are-welcome"), text.split()
    recording, state = Recording(lesson), SetTokens("source", words).apply(lesson.state())
    for at in range(len(words)):
        state = PinCells(f"{BLOCK}.weights", {(1, at, len(words) - 1 - at): 0.125 * at}).apply(state)
        state = SetCells("source.table", {(at, at % 4): 1.0 + at}).apply(state)
        recording.add(state, Look(f"{BLOCK}.attention", f"{BLOCK}.head.1.scores", (at,), (0,)), title=str(at))
    (tmp_path / "mine.toml").write_text(recording.toml("mine", "Mine"), "utf-8")
    mine = load(tmp_path / "mine.toml")
    again = StepStates(mine)[len(words) - 1]
    assert [step.look.rows for step in mine.steps] == [(at,) for at in range(len(words))]
    np.testing.assert_array_equal(again.pins[f"{BLOCK}.weights"].values, state.pins[f"{BLOCK}.weights"].values)
    np.testing.assert_array_equal(again.pins[f"{BLOCK}.weights"].cells, state.pins[f"{BLOCK}.weights"].cells)
    np.testing.assert_array_equal(again.inputs["source.table"], state.inputs["source.table"])


@pytest.mark.parametrize("word", ["می\u200cخواهم", "👩\u200d👩\u200d👧"])
def test_a_word_with_joiners_can_be_read_back(tmp_path, word):
    """The window takes it, and the lesson recorded with it could not be opened."""
    lesson = load("jane")
    act = SetTokens("input", [word, "is"])
    recording = Recording(lesson)
    recording.add(act.apply(lesson.state()), Look("model"), title=act.label)
    file = tmp_path / "joined.toml"
    file.write_text(recording.toml("joined", f"About {word}"), "utf-8")
    state = StepStates(load(file))[0]
    assert state.graph.labels("input", state.inputs) == (word, "is")
