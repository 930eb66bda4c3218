import numpy as np
import pytest

from explorer.core.engine import fresh, same_bytes
from explorer.core.graph import Place
from explorer.document.commands import PinCells, Release, SetCells, SetSwitch, SetTokens


def in_order(document, names):
    return tuple(name for name in document.engine.graph.nodes if name in names)


def below(document, *names):
    """The computed nodes below some nodes, in order."""
    graph = document.engine.graph
    return in_order(document, {node for node in graph.nodes if not graph.ancestors(node).isdisjoint(names)})


def block(document, *prefixes):
    """The computed nodes of some blocks, in order."""
    nodes = document.engine.graph.nodes
    return tuple(name for name in nodes if name.startswith(prefixes) and not nodes[name].is_input)


# Edits of inputs


def test_w_o_recomputes_nothing_upstream_of_it(translator):
    translator.do(SetCells("encoder.1.self.W_O", {(0, 0): 5.0}))
    assert translator.recomputed == (
        "encoder.1.self.projected",
        "encoder.1.self.residual",
        "encoder.1.self.norm",
        *block(translator, "encoder.1.ffn"),
        # The decoder's own attention does not read the source: only keys and values of cross-attention do.
        *(n for n in block(translator, "decoder.1.cross") if n.rsplit(".", 1)[1] not in ("Q", "scale")),
        *block(translator, "decoder.1.ffn", "output", "loss"),
    )
    assert len(translator.recomputed) == 29


def test_one_heads_query_weights_leave_keys_and_values_alone(translator):
    keys = translator.engine.values["encoder.1.self.K"]
    scores = translator.engine.values["encoder.1.self.scores"]
    translator.do(SetCells("encoder.1.self.head.2.W_Q", {(0, 0): 5.0}))
    assert translator.recomputed == below(translator, "encoder.1.self.W_Q")
    assert translator.recomputed[:3] == ("encoder.1.self.Q", "encoder.1.self.scores", "encoder.1.self.scaled")
    assert translator.engine.values["encoder.1.self.K"] is keys
    now = translator.engine.values["encoder.1.self.scores"]
    np.testing.assert_array_equal(now[0], scores[0])
    assert (now[1] != scores[1]).all()


def test_a_target_token_leaves_the_encoder_alone(translator):
    translator.do(SetTokens("target", ("<start>", "nada")))
    assert translator.recomputed == below(translator, "target.tokens")
    assert not any(name.startswith(("encoder", "source", "target.PE")) for name in translator.recomputed)
    assert "decoder.1.cross.K" not in translator.recomputed


def test_a_known_source_word_recomputes_what_reads_the_source(translator):
    translator.do(SetTokens("source", ("you", "are", "<pad>")))
    assert translator.recomputed == below(translator, "source.tokens")
    assert translator.recomputed[:3] == ("source.onehot", "source.X", "source.H")


def test_the_embedding_of_a_word_that_is_not_there_stops_at_the_vectors(translator):
    translator.do(SetCells("source.table", {(3, 0): 9.0}))  # <pad>
    assert translator.recomputed == ("source.X",)


def test_the_target_of_the_loss_recomputes_the_loss(translator):
    translator.do(SetCells("loss.target", {(0,): 2}))
    assert translator.recomputed == ("loss.value",)


def test_the_temperature_recomputes_from_the_scaled_logits_on(translator):
    translator.do(SetCells("output.temperature", {(): 2.0}))
    expected = ("output.scaled", "output.probabilities", "output.chosen", "loss.value")
    assert translator.recomputed == expected


def test_the_same_value_again_recomputes_nothing(translator):
    value = float(translator.engine.values["encoder.1.self.W_O"][0, 0])
    translator.do(SetCells("encoder.1.self.W_O", {(0, 0): value}))
    translator.do(SetTokens("source", ("you", "are", "welcome")))
    assert translator.recomputed == ()
    assert translator.history.undo_label is None


def test_zero_and_minus_zero_differ_and_nan_does_not_differ_from_itself(mlp):
    mlp.do(SetCells("input.X", {(0, 0): 0.0}))
    mlp.do(SetCells("input.X", {(0, 0): -0.0}))
    assert mlp.recomputed[0] == "layer.1.hidden"
    mlp.do(SetCells("input.X", {(0, 0): np.nan}))
    assert mlp.recomputed == below(mlp, "input.X")
    mlp.do(SetCells("input.X", {(0, 1): 7.0}))  # the row is NaN already
    assert mlp.recomputed == ("layer.1.hidden",)


def test_a_unit_that_relu_has_switched_off_stops_the_spread(mlp):
    mlp.do(SetCells("layer.1.b", {(0,): -100.0}))
    assert "layer.2.hidden" in mlp.recomputed
    mlp.do(SetCells("layer.1.b", {(0,): -90.0}))
    assert mlp.recomputed == ("layer.1.hidden", "layer.1.activation")


def test_hiding_a_key_recomputes_from_the_masked_scores_on(lesson):
    lesson.do(SetCells("mask", {(0, 2): 0}))
    assert lesson.recomputed == ("masked", "weights", "output", "match", "chosen")
    assert lesson.engine.values["weights"][0, 2] == 0


def test_a_mask_that_lets_through_as_before_stops_there(lesson):
    lesson.do(SetCells("mask", {(0, 2): 2}))
    assert lesson.recomputed == ("masked",)


def test_a_score_that_is_masked_does_not_matter(lesson):
    lesson.do(SetCells("mask", {(0, 1): 0, (1, 1): 0, (2, 1): 0}))
    lesson.do(SetCells("K", {(1, 0): 9.0}))  # read by the masked column alone
    assert lesson.recomputed == ("scores", "scaled", "masked")


def test_values_recompute_no_weights(lesson):
    lesson.do(SetCells("V", {(0, 0): 9.0}))
    assert lesson.recomputed == ("output", "match", "chosen")


def test_only_the_layers_above_an_edit_are_recomputed(gpt):
    gpt.do(SetCells("decoder.2.ffn.W_2", {(0, 0): 9.0}))
    assert gpt.recomputed == (
        *("decoder.2.ffn.output", "decoder.2.ffn.residual", "decoder.2.ffn.norm"),
        *("output.logits", "output.scaled", "output.probabilities", "output.chosen", "loss.value"),
    )


# Pins


def test_a_pinned_cell_recomputes_its_node_and_what_is_below(translator):
    translator.do(PinCells("encoder.1.self.weights", {(0, 1, 2): 1.0}))
    assert translator.recomputed[:3] == tuple(f"encoder.1.self.{n}" for n in ("weights", "average", "output"))
    assert translator.recomputed == ("encoder.1.self.weights", *below(translator, "encoder.1.self.weights"))
    assert translator.engine.values["encoder.1.self.weights"][0, 1, 2] == 1


def test_a_pinned_head_keeps_what_is_above_from_the_rest_while_the_other_head_follows(translator):
    cells = {(i, j): float(i == j) for i in range(3) for j in range(3)}
    translator.do(PinCells("encoder.1.self.head.2.weights", cells))
    np.testing.assert_array_equal(translator.engine.values["encoder.1.self.weights"][1], np.eye(3))
    first = translator.engine.values["encoder.1.self.weights"][0]

    translator.do(SetCells("encoder.1.self.head.2.W_Q", {(0, 0): 9.0}))
    assert translator.recomputed == tuple(f"encoder.1.self.{n}" for n in ("Q", "scores", "scaled", "weights"))
    translator.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): 9.0}))
    assert translator.recomputed == below(translator, "encoder.1.self.W_Q")
    assert (translator.engine.values["encoder.1.self.weights"][0] != first).any()


def test_releasing_recomputes_the_node_and_what_is_below(translator):
    before = translator.engine.values["output.probabilities"]
    translator.do(PinCells("encoder.1.self.head.1.output", {(0, 0): 3.0, (0, 1): 4.0}))
    translator.do(Release("encoder.1.self.head.1.output", ((0, 0),)))
    assert translator.recomputed == ("encoder.1.self.output", *below(translator, "encoder.1.self.output"))
    assert translator.engine.values["encoder.1.self.output"][0, 0, 1] == 4
    translator.do(Release("encoder.1.self.head.1.output"))
    np.testing.assert_array_equal(translator.engine.values["output.probabilities"], before)


# Switches


def test_an_activation_recomputes_from_itself_on(translator):
    translator.do(SetSwitch("encoder.1.ffn", "activation", "GELU"))
    assert translator.recomputed == ("encoder.1.ffn.activation", *below(translator, "encoder.1.ffn.activation"))


def test_a_scale_recomputes_from_itself_on(translator):
    translator.do(SetSwitch("decoder.1.cross", "scale", "1/d_k"))
    assert translator.recomputed == ("decoder.1.cross.scale", *below(translator, "decoder.1.cross.scale"))


def test_taking_a_residual_away_recomputes_what_read_it(translator):
    removed = {"encoder.1.self.residual"}
    translator.do(SetSwitch("encoder.1.self", "residual", False))
    assert removed.isdisjoint(translator.engine.values)
    assert translator.recomputed == ("encoder.1.self.norm", *below(translator, "encoder.1.self.norm"))
    translator.do(SetSwitch("encoder.1.self", "residual", True))
    assert translator.recomputed == ("encoder.1.self.residual", *below(translator, "encoder.1.self.residual"))


def test_taking_w_o_away_and_back_recomputes_nothing_upstream(translator):
    W_O = translator.engine.values["encoder.1.self.W_O"]
    before = translator.engine.values["output.probabilities"]
    translator.do(SetSwitch("encoder.1.self", "W_O", False))
    assert translator.recomputed == ("encoder.1.self.residual", *below(translator, "encoder.1.self.residual"))
    translator.do(SetSwitch("encoder.1.self", "W_O", True))
    assert translator.recomputed == ("encoder.1.self.projected", *below(translator, "encoder.1.self.projected"))
    assert translator.engine.values["encoder.1.self.W_O"] is W_O
    np.testing.assert_array_equal(translator.engine.values["output.probabilities"], before)


def test_a_new_head_of_one_block_leaves_what_is_above_it_alone(translator):
    kept = {name: translator.engine.values[name] for name in block(translator, "source", "target", "encoder")}
    translator.do(SetSwitch("decoder.1.cross", "heads", 4))
    assert translator.recomputed[0] == "decoder.1.cross.Q"
    assert all(
        name.startswith(("decoder.1.cross", "decoder.1.ffn", "output", "loss")) for name in translator.recomputed
    )
    assert all(translator.engine.values[name] is array for name, array in kept.items())


def test_another_loss_recomputes_the_loss(translator):
    translator.do(SetSwitch("loss", "loss", "mean squared error"))
    assert translator.recomputed == ("loss.value",)
    translator.do(SetSwitch("loss", "loss", "none"))
    assert translator.recomputed == ()
    assert "loss.value" not in translator.engine.values


def test_a_biases_switch_starts_with_zeros_and_so_stops_at_the_projections(translator):
    translator.do(SetSwitch("encoder.1.self", "bias", True))
    # x + 0 has the bits of x, but for −0.
    assert translator.recomputed == tuple(f"encoder.1.self.{letter}" for letter in "QKV")


# Tokens


def test_a_longer_target_leaves_the_encoder_alone(translator):
    translator.do(SetTokens("target", ("<start>", "de", "nada", "adiós")))
    assert not any(name.startswith(("source", "encoder")) for name in translator.recomputed)
    # Cross-attention reads keys and values from the encoder: only its queries are new.
    again = [n for n in translator.recomputed if n.startswith("decoder.1.cross")]
    assert "decoder.1.cross.Q" in again
    assert {"decoder.1.cross.K", "decoder.1.cross.V", "decoder.1.cross.scale"}.isdisjoint(again)


def test_a_longer_vocabulary_keeps_the_vectors_of_the_words_that_were_there(translator):
    before = translator.engine.values["source.X"]
    translator.do(SetTokens("source", ("you", "are", "late")))
    np.testing.assert_array_equal(translator.engine.values["source.X"][:2], before[:2])
    translator.do(SetTokens("source", ("you", "are", "welcome")))
    np.testing.assert_array_equal(translator.engine.values["source.X"], before)


@pytest.mark.parametrize("act", ["undo", "redo"])
def test_undo_and_redo_recompute_only_what_differs(translator, act):
    translator.do(SetCells("output.temperature", {(): 2.0}))
    translator.undo()
    if act == "redo":
        translator.redo()
    assert translator.recomputed == below(translator, "output.temperature")


ACTS = [
    SetCells("encoder.1.self.head.2.W_Q", {(0, 0): 5.0}),
    PinCells("encoder.1.self.head.1.weights", {(0, 0): 0.25, (2, 1): 0.5}),
    SetSwitch("encoder.1.ffn", "activation", "GELU"),
    Release("encoder.1.self.weights"),
    SetTokens("source", ("you", "are", "so", "late")),
    SetSwitch("decoder.1.cross", "heads", 1),
    SetSwitch("loss", "loss", "mean squared error"),
    SetCells("loss.target", {(0, 0): 1.0}),
]


def gradients(engine):
    return {name: engine.gradient(Place(name)) for name in engine.graph.nodes}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        assert (found[name] is None) == (gradient is None), name
        assert gradient is None or same_bytes(found[name], gradient), name


def test_after_any_act_gradients_have_the_bits_of_a_fresh_computation_and_undo_brings_them_back(translator):
    seen = [gradients(translator.engine)]
    for act in ACTS:
        translator.do(act)
        engine = translator.engine
        inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
        found = gradients(engine)
        assert_same(found, gradients(fresh(engine.graph, inputs, engine.pins)))
        seen.append(found)
    for earlier in reversed(seen[:-1]):
        translator.undo()
        assert_same(gradients(translator.engine), earlier)
    for later in seen[1:]:
        translator.redo()
        assert_same(gradients(translator.engine), later)


@pytest.mark.parametrize("first", ["encoder.1.self.W_V", "output.W", "decoder.1.cross.K"])
def test_which_gradient_is_asked_for_first_does_not_change_a_bit(translator, first):
    engine = translator.engine
    alone = engine.gradient(Place(first))
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    assert_same({first: alone}, {first: gradients(fresh(engine.graph, inputs, {}))[first]})


def test_a_large_model_keeps_its_type(gpt):
    for name, gradient in gradients(gpt.engine).items():
        value = gpt.engine.values[name]
        if gradient is not None:
            assert (gradient.dtype, gradient.shape) == (np.float32, value.shape)
