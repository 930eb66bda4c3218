"""Teacher forcing in a document: right words that follow what is typed, or that somebody sets."""

from dataclasses import replace

import numpy as np
from refusals import refuses

from explorer.core.models import build
from explorer.document import storage
from explorer.document.commands import PinCells, Release, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State

FOLLOW = SetSwitch("loss", "targets", "next word")
TYPED = SetSwitch("loss", "targets", "typed")


def right(document):
    """The right word of each position."""
    words = document.engine.labels("output.words")
    return [words[i] for i in document.engine.values["loss.target"]]


def test_a_decoder_should_say_what_it_reads_one_place_on(translator):
    translator.do(FOLLOW)
    assert right(translator) == ["de", "<end>"]
    translator.do(SetTokens("target", ("<start>", "de", "nada")))
    assert right(translator) == ["de", "nada", "<end>"]
    translator.undo()
    assert right(translator) == ["de", "<end>"]


def test_end_gets_a_column_of_its_own_and_the_others_keep_theirs(gpt):
    W = gpt.engine.values["output.W"]
    gpt.do(FOLLOW)
    assert gpt.engine.labels("output.words") == ("a", "b", "c", "d", "e", "<end>")
    np.testing.assert_array_equal(gpt.engine.values["output.W"][:, :5], W)
    gpt.do(SetTokens("input", ("d", "new", "a")))
    assert right(gpt) == ["new", "a", "<end>"]
    assert gpt.engine.labels("output.words")[5:] == ("<end>", "new")
    np.testing.assert_array_equal(gpt.engine.values["output.W"][:, :5], W)


def test_words_are_found_by_name_in_an_output_that_counts_otherwise(states):
    model = states["encoder-decoder"].model
    axes = {**model.axes, "output.words": ("<end>", "nada", "hola")}
    document = Document(State.of(replace(model, axes=axes), states["encoder-decoder"].inputs))
    document.do(FOLLOW)
    assert document.engine.labels("output.words") == ("<end>", "nada", "hola", "<start>", "de")
    document.do(SetTokens("target", ("<start>", "nada", "de")))
    assert right(document) == ["nada", "de", "<end>"]


def test_typed_targets_stay_and_start_with_what_followed(translator):
    translator.do(SetCells("loss.target", {(0,): 2}))
    typed = right(translator)
    translator.do(SetTokens("target", ("nada", "de")))
    assert right(translator) == typed
    translator.do(FOLLOW)
    assert right(translator) == ["de", "<end>"]
    translator.do(TYPED)
    assert right(translator) == ["de", "<end>"]
    translator.do(SetCells("loss.target", {(1,): 0}))
    assert right(translator) == ["de", "<start>"]


def test_one_right_word_can_be_held_while_the_others_follow(translator):
    translator.do(FOLLOW)
    translator.do(PinCells("loss.target", {(0,): 2}))
    assert right(translator) == ["nada", "<end>"]
    translator.do(SetTokens("target", ("<start>", "nada", "de")))
    assert right(translator) == ["nada", "de", "<end>"]
    translator.do(TYPED)
    assert right(translator) == ["nada", "de", "<end>"]
    translator.do(FOLLOW)
    translator.do(PinCells("loss.target", {(0,): 1}))
    translator.do(Release("loss.target"))
    assert right(translator) == ["nada", "de", "<end>"]


def test_a_computed_right_word_is_not_set_but_pinned(translator):
    translator.do(FOLLOW)
    with refuses(r"target\.tokens"):
        translator.do(SetCells("loss.target", {(0,): 1}))


def test_gradients_know_the_right_words(translator):
    translator.do(FOLLOW)
    followed = {n: translator.engine.gradients().of(n) for n in ("output.logits", "target.table", "source.table")}
    translator.do(TYPED)
    for name, gradient in followed.items():
        np.testing.assert_array_equal(translator.engine.gradients().of(name), gradient)
    assert np.abs(followed["source.table"]).max() > 0


def test_another_loss_has_a_table_of_targets(translator):
    translator.do(FOLLOW)
    translator.do(SetSwitch("loss", "loss", "mean squared error"))
    assert translator.engine.values["loss.target"].shape == (2, 4)
    translator.do(SetSwitch("loss", "loss", "cross-entropy"))
    assert right(translator) == ["de", "<end>"]


def test_it_is_saved_and_opened(translator, tmp_path):
    translator.do(FOLLOW)
    translator.do(SetTokens("target", ("<start>", "nada", "new")))
    translator.do(PinCells("loss.target", {(0,): 0}))
    storage.save(translator.state, "A title", tmp_path / "a.explorer")
    state, _ = storage.load(tmp_path / "a.explorer")
    opened = Document(state)
    assert right(opened) == right(translator) == ["<start>", "new", "<end>"]
    opened.do(TYPED)
    assert right(opened) == ["<start>", "new", "<end>"]


def test_a_model_whose_output_lacks_a_next_word_says_which(states):
    model = states["gpt"].model.with_switch("loss", "targets", "next word")
    with refuses("lacks '<end>'"):
        build(model)
    with refuses("lacks 'b'"):
        build(replace(model, axes={**model.axes, "output.words": ("a", "<end>")}))


def test_models_without_sentences_have_no_next_word(states):
    with refuses("no switch 'targets'"):
        Document(states["mlp"]).do(FOLLOW)


def test_typed_targets_that_are_the_next_words_follow_another_sentence(states):
    model = states["encoder-decoder"].model
    axes = {**model.axes, "output.words": ("<start>", "de", "nada", "<end>")}
    inputs = {**states["encoder-decoder"].inputs, "loss.target": np.array([1, 3])}
    document = Document(State.of(replace(model, axes=axes), inputs))
    assert right(document) == ["de", "<end>"]
    document.do(SetTokens("source", ("you",)))
    assert document.state.model.switch("loss", "targets") == "typed"
    document.do(SetTokens("target", ("<start>", "por", "favor")))
    assert right(document) == ["por", "favor", "<end>"]
    document.undo()
    assert right(document) == ["de", "<end>"]
    assert document.state.model.switch("loss", "targets") == "typed"
    # Others are what somebody wants: they stay.
    document.do(SetCells("loss.target", {(0,): 2}))
    document.do(SetTokens("target", ("<start>", "nada")))
    assert right(document) == ["nada", "<end>"]
    assert document.state.model.switch("loss", "targets") == "typed"


def test_typed_targets_go_with_their_sentence(states):
    # "a c d" and what follows it is no <end>: the text goes on.
    gpt = Document(State.of(states["gpt"].model, {**states["gpt"].inputs, "loss.target": np.array([2, 3, 4])}))
    gpt.do(SetTokens("input", ("a", "c", "d")))
    assert right(gpt) == ["c", "d", "e"]
    gpt.do(SetTokens("input", ("d", "b", "a")))
    assert right(gpt) == ["b", "a", "<end>"]
    gpt.undo()
    assert right(gpt) == ["c", "d", "e"]
    # Others are what somebody wants, but a longer sentence has more of them.
    gpt.do(SetCells("loss.target", {(0,): 0}))
    gpt.do(SetTokens("input", ("b", "c", "d")))
    assert right(gpt) == ["a", "d", "e"]
    gpt.do(SetTokens("input", ("b", "c", "d", "e")))
    assert right(gpt) == ["c", "d", "e", "<end>"]


def test_behind_its_end_a_sentence_has_no_right_words(gpt):
    gpt.do(FOLLOW)
    gpt.do(SetTokens("input", ("a", "b", "<pad>", "<pad>")))
    assert right(gpt) == ["b", "<end>", "<pad>", "<pad>"]
    short = gpt.engine.values["loss.value"]
    P = gpt.engine.values["output.probabilities"]
    assert short == -np.log(P[[0, 1], gpt.engine.values["loss.target"][:2]]).mean()
    gpt.do(SetTokens("input", ("a", "<end>", "<pad>", "<pad>")))
    assert right(gpt) == ["<end>", "<pad>", "<pad>", "<pad>"]
    gpt.do(SetSwitch("loss", "L_1", True))
    np.testing.assert_allclose(gpt.engine.values["loss.L_1"], -gpt.engine.values["loss.value"], rtol=1e-12)


def test_a_tied_output_grows_with_the_words_that_are_read(gpt):
    model = gpt.state.model
    axes = {**model.axes, "output.words": model.axes["input.words"]}
    tied = replace(model, axes=axes).with_switch("output", "tied", True)
    document = Document(State.of(tied, gpt.state.inputs))
    document.do(SetTokens("input", ("a", "new")))
    assert "new" in document.engine.labels("output.words")
    document.do(FOLLOW)
    assert document.engine.labels("input.words") == document.engine.labels("output.words")
    assert right(document) == ["new", "<end>"]
