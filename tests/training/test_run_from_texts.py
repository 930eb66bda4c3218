"""A trainer at work on a document: what it shows, how it is undone, what it takes over."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.training.recipe import Recipe
from explorer.document import storage
from explorer.document.commands import AddWords, Replace, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run
from tests.refusals import refuses

TEXT = "the cat sat on the mat . the dog sat on the rug . the cat saw the dog ."
PAIRS = "a b | x\nb | y x\nc a | x z\n"


@pytest.fixture
def begin(tmp_path):
    """Begins a run on a text, on pairs of sentences, or on the document's own example."""

    def begin_it(document, recipe, text="", kind="own", window=3):
        file = tmp_path / "material.txt"
        file.write_text(text)
        return Run(document, RunSettings(Material(kind, file, window=window) if text else Material(), recipe))

    return begin_it


def gpt(**switches):
    model = Model("gpt", {"input": 3}, {"input.words": ("the", "cat", "sat", "<end>")}, d_model=8, switches=switches)
    return Document(State.of(model, {"input.tokens": np.array([0, 1, 2])}))


def translator():
    axes = {"source.words": ("a", "b", "c"), "target.words": ("<start>", "x", "<end>")}
    model = Model("encoder-decoder", {"source": 2, "target": 2}, axes, d_model=8)
    tokens = {"source.tokens": np.array([0, 1]), "target.tokens": np.array([0, 1])}
    return Document(State.of(model, tokens))


def xor():
    cases = ("00", "01", "10", "11")
    axes = {"input": cases, "layer.0": ("x1", "x2"), "layer.1": tuple("abcd"), "layer.2": ("y",)}
    switches = {"loss.loss": "mean squared error"}
    switches |= {f"layer.{k}.activation": "sigmoid" for k in (1, 2)}
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    given = {"input.X": X, "loss.target": np.array([[0.0], [1.0], [1.0], [0.0]])}
    return Document(State.of(Model("mlp", axes=axes, layers=2, switches=switches), given))


def own_cases(document):
    values = document.engine.values
    return Material("cases", X=values["input.X"], target=values["loss.target"])


def test_a_text_teaches_a_model_its_words_and_its_order(begin):
    document = gpt()
    recipe = Recipe(rate=0.02, batch=8, steps=60, validation=0.3, validate_every=20)
    run = begin(document, recipe, TEXT, "text")
    words = document.state.model.axes["input.words"]
    assert words[:4] == ("the", "cat", "sat", "<end>")
    assert set(TEXT.split()) <= set(words)
    while not run.finished:
        run.take(0.01, np.inf)
    history = run.records
    assert history.judged.tolist() == [20, 40, 60]
    assert np.mean(history.losses[-10:]) < 0.7 * np.mean(history.losses[:10])
    for name in run.trainer.moving:
        assert same_bytes(document.state.inputs[name], run.trainer.weights[name])


@pytest.mark.parametrize("text", ["new words", " \n"])
def test_a_text_that_is_too_short_leaves_the_model_as_it_is(begin, text):
    """Its words were in the vocabulary then, and a step of undo that nobody had wanted."""
    document = gpt()
    start = document.state
    with refuses(f"it has {len(text.split())} of the 9 words that stretches of 8 words"):
        begin(document, Recipe(steps=9), text, "text", 8)
    assert document.state is start
    run = begin(document, Recipe(steps=9), TEXT, "text")
    start = document.state
    with refuses("is too short"):
        run.use(RunSettings(replace(run.settings.material, content=text), Recipe(steps=9)))
    assert document.state is start


def test_the_whole_run_is_one_step_to_undo_and_taking_the_words_another(begin):
    document = gpt()
    start = document.state
    run = begin(document, Recipe(steps=9, batch=2), TEXT, "text")
    words = document.state
    for _ in range(3):
        run.take(0.0)
    assert document.history.undo_label == "Gradient descent, 3 steps"
    assert run.at == 3
    document.undo()
    assert run.at == 0
    assert document.state is words
    document.undo()
    assert document.state is start


def test_a_sentence_of_other_words_is_replaced_by_one_that_is_learned(begin):
    document = gpt()
    start = document.state
    begin(document, Recipe(), "we sail to the island . we sail home .", "text")
    assert document.words("input") == ("we", "sail", "to")
    document.undo()
    assert document.state is start
    pair = translator()
    begin(pair, Recipe(), "good day | buenos dias\nthank you | gracias", "pairs")
    assert pair.words("source") == ("good", "day")
    assert pair.words("target") == ("<start>", "buenos", "dias")


def test_a_sentence_of_known_words_stays(begin):
    document = gpt()
    document.do(SetTokens("input", ["sat", "sat", "cat"]))
    begin(document, Recipe(), TEXT, "text")
    assert document.words("input") == ("sat", "sat", "cat")


def test_an_edit_in_mid_run_is_gone_on_from(begin):
    document = xor()
    before = document.state
    run = begin(document, Recipe(optimiser="SGD", rate=0.5, batch=0, steps=10))
    run.take(0.0)
    document.do(SetCells("layer.2.b", {(0,): 3.0}))
    run.take(0.0)
    # The step began at 3, and a rate of 0.5 moves it by less than 0.5.
    assert abs(document.state.inputs["layer.2.b"][0] - 3.0) < 0.5
    document.undo()  # the edit is a part of the run
    assert document.state is before


@pytest.mark.parametrize("material", [lambda document: Material(), own_cases])
def test_all_cases_of_a_net_at_once_are_what_the_document_itself_learns_from(material):
    document = xor()
    run = Run(document, RunSettings(material(document), Recipe(optimiser="SGD", rate=1.0, batch=0, steps=5)))
    before = float(document.engine.values["loss.value"])
    run.take(0.0)
    assert run.records.losses.tolist() == [before]
    gradients = document.engine.gradients().several(run.trainer.moving)
    now = dict(document.state.inputs)
    run.take(0.0)
    for name, gradient in gradients.items():
        assert document.state.inputs[name] == pytest.approx(now[name] - gradient, rel=1e-12, abs=1e-15)


def test_some_cases_of_a_net_can_be_put_aside():
    document = xor()
    examples = Run(document, RunSettings(own_cases(document), Recipe(validation=0.25))).prepared.examples
    assert (len(examples.training), len(examples.validation)) == (3, 1)


def test_a_document_with_a_shorter_sentence_shows_the_positions_that_it_has(begin):
    document = gpt(**{"input.positions": "learned"})
    before = document.state.inputs["input.PE"]
    run = begin(document, Recipe(steps=4, batch=2, rate=0.1), TEXT, "text", window=5)
    run.take(0.0)
    assert run.trainer.weights["input.PE"].shape == (5, 8)
    shown = document.state.inputs["input.PE"]
    assert not same_bytes(shown, before)
    assert same_bytes(shown, run.trainer.weights["input.PE"][:3])
    document.do(SetTokens("input", ["the", "cat", "sat", "the"]))  # a longer one, in mid-run
    assert same_bytes(document.state.inputs["input.PE"], run.trainer.weights["input.PE"][:4])
    run.take(0.0)
    assert document.state.inputs["input.PE"].shape == (4, 8)


def test_positions_that_were_trained_with_longer_sentences_come_with_a_longer_one(begin):
    document = gpt(**{"input.positions": "learned"})
    run = begin(document, Recipe(steps=4, batch=2, rate=0.1), TEXT, "text", window=5)
    run.take(0.0)
    document.do(SetTokens("input", ["the"]))
    document.do(SetTokens("input", ["the", "cat", "sat", "on", "the", "mat"]))
    assert same_bytes(document.state.inputs["input.PE"][:5], run.trainer.weights["input.PE"])
    first = run.first.inputs["input.PE"]
    run.start_over()
    start = State.of(document.state.model, {}).inputs["input.PE"]
    assert same_bytes(document.state.inputs["input.PE"], np.concatenate([first, start[3:]]))


def test_pairs_of_sentences_teach_a_translator(begin):
    document = translator()
    run = begin(document, Recipe(rate=0.02, batch=0, steps=40), PAIRS, "pairs")
    assert document.state.model.axes["target.words"] == ("<start>", "x", "<end>", "y", "z", "<pad>")
    while not run.finished:
        run.take(0.01, np.inf)
    assert run.records.losses[-1] < 0.5 * run.records.losses[0]


def test_where_other_words_are_written_than_read_those_are_taken_in_too(begin):
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b"), "output.words": ("b", "<end>", "a")}, d_model=4)
    document = Document(State.of(model, {"input.tokens": np.array([0, 1])}))
    examples = begin(document, Recipe(), "a b c a", "text", window=2).prepared.examples
    axes = document.state.model.axes
    assert axes["output.words"] == ("b", "<end>", "a", "c")
    read = [[axes["input.words"][i] for i in row] for row in examples.arrays["input.tokens"]]
    written = [[axes["output.words"][i] for i in row] for row in examples.arrays["loss.target"]]
    assert read[:2] == [["a", "b"], ["b", "c"]]
    assert written[:2] == [["b", "c"], ["c", "a"]]


@pytest.mark.parametrize("name", ["bias", "activation"])
def test_another_model_in_mid_run_is_refused(begin, name):
    document = xor()
    run = begin(document, Recipe())
    run.take(0.0)
    if name == "bias":
        document.do(SetSwitch("layer.1", "bias", False))
    else:
        document.do(Replace(gpt().state, "another"))
    with pytest.raises(ExplorerError) as failed:
        run.take(0.0)
    assert failed.value.id == "model-changed"


def test_a_run_that_diverges_leaves_the_last_good_weights(begin):
    document = xor()
    for k in (1, 2):
        document.do(SetSwitch(f"layer.{k}", "activation", "identity"))
    run = begin(document, Recipe(optimiser="SGD", rate=1000.0, batch=0, steps=10_000))
    with pytest.raises(ExplorerError) as failed:
        run.take(60.0, np.inf)
    assert failed.value.id == "training-diverged"
    assert all(np.isfinite(document.state.inputs[name]).all() for name in run.trainer.moving)


@pytest.mark.parametrize(
    ("make", "kind", "text", "expected"),
    [
        (xor, "text", TEXT, "material-does-not-fit"),
        (gpt, "pairs", PAIRS, "material-does-not-fit"),
        (translator, "pairs", "no bar", "text-line"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_done(begin, make, kind, text, expected):
    document = make()
    before = document.state
    with pytest.raises(ExplorerError) as failed:
        begin(document, Recipe(), text, kind)
    assert failed.value.id == expected
    assert document.state is before


def test_a_document_without_a_loss_learns_nothing(begin):
    document = xor()
    document.do(SetSwitch("loss", "loss", "none"))
    with pytest.raises(ExplorerError) as failed:
        begin(document, Recipe())
    assert failed.value.id == "no-loss-to-lower"


def test_words_that_are_known_already_change_nothing():
    document = gpt()
    before = document.state
    document.do(AddWords({"input.words": ["cat", "the"]}))
    assert document.state is before
    document.do(AddWords({"input.words": ["cat", "mouse", "mouse"]}))
    assert document.state.model.axes["input.words"][-1] == "mouse"
    assert same_bytes(document.state.inputs["input.table"][:4], before.inputs["input.table"])


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_a_run_on_a_text_goes_on_from_a_file_to_the_same_bits(begin, tmp_path, positions):
    """Batches, dropout and the rate go by the number of the step; learned positions lie beyond the document's own."""
    recipe = Recipe("AdamW", 0.02, batch=3, steps=9, validation=0.2, dropout=0.1, schedule="linear", validate_every=2)
    whole, broken_off = (begin(gpt(**{"input.positions": positions}), recipe, TEXT, "text", window=5) for _ in range(2))
    whole.take(1e9, 9)
    broken_off.take(1e9, 4)
    storage.save(broken_off._document.state, "", tmp_path / "a.explorer")
    run = begin(Document(storage.load(tmp_path / "a.explorer")[0]), recipe, TEXT, "text", window=5)
    run.take(1e9, 5)
    assert run.finished
    assert run.records.validations.tolist() == whole.records.validations.tolist()
    for name, array in whole.trainer.weights.items():
        assert same_bytes(array, run.trainer.weights[name]), name
