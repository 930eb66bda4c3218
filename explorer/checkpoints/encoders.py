"""Architectures with an encoder: BERT and similar models, and encoders with a decoder.

BERT and similar models: encoders that predict masked words.

Encoders with a decoder: T5 and Marian.
"""

from dataclasses import replace

from explorer.checkpoints import plans
from explorer.checkpoints.plans import Config


def _switches(heads: int, d_ff: int, room: int, activation: str, epsilon: float) -> plans.Switches:
    return {
        "input.positions": "own",
        "input.room": room,
        "input.embedding_norm": True,
        "input.epsilon": epsilon,
        **plans.everywhere("norm", "post", ("self", "ffn")),
        **plans.everywhere("epsilon", epsilon, ("self", "ffn", "output")),
        "self.heads": heads,
        "self.bias": True,
        "self.bias_O": True,
        "ffn.d_ff": d_ff,
        "ffn.activation": activation,
        "output.on": True,
        "output.head": activation,
        "output.bias": True,
    }


def _one_way(c: Config) -> None:
    """Refuse configs of a decoder, and of other kinds of positions."""
    c.fixed("is_decoder", False)
    c.fixed("add_cross_attention", False)
    c.fixed("position_embedding_type", "absolute")


def bert(c: Config, top: str = "bert.", pad: int = -1) -> plans.Plan:
    """BERT (Devlin et al. 2019): a norm after each block, a table of segments, a layer before the output."""
    d, heads = plans.sizes(c, "hidden_size", "num_attention_heads")
    _one_way(c)
    room = c.whole("max_position_embeddings", 512)
    activation = c.choice("hidden_act", "gelu", plans.ACTIVATIONS)
    epsilon = c.number("layer_norm_eps", 1e-12)
    switches = _switches(heads, c.whole("intermediate_size", 3072, most=65536), room, activation, epsilon)
    switches |= {"input.segments": c.whole("type_vocab_size", 2, most=64), "input.first": pad + 1}
    switches["input.skips_padding"] = pad >= 0
    switches["output.tied"] = c.flag("tie_word_embeddings", True)
    at, layer = f"{top}embeddings.", f"{top}encoder.layer.{{k}}."
    nodes = {
        "input.table": plans.Source(f"{at}word_embeddings.weight"),
        "input.places": plans.Source(f"{at}position_embeddings.weight"),
        "input.segment_table": plans.Source(f"{at}token_type_embeddings.weight"),
    }
    plans.norm_of(nodes, "input", f"{at}LayerNorm")
    own = (*(f"self.{name}" for name in ("query", "key", "value")), "output.dense")
    plans.attention_of(nodes, "self", [f"{layer}attention.{name}" for name in own], heads)
    plans.norm_of(nodes, "self", f"{layer}attention.output.LayerNorm")
    plans.norm_of(nodes, "ffn", f"{layer}output.LayerNorm")
    plans.two_layers(nodes, f"{layer}intermediate.dense", f"{layer}output.dense")
    head = "cls.predictions."
    plans.linear(nodes, "output.W_head", f"{head}transform.dense", "output.b_head")
    plans.norm_of(nodes, "output", f"{head}transform.LayerNorm")
    plans.linear(nodes, "output.W", f"{head}decoder", "output.b")
    layers, words = c.whole("num_hidden_layers", 12, most=1000), c.whole("vocab_size", 30522)
    otherwise = {f"{head}decoder.bias": f"{head}bias"}
    return plans.Plan(d, layers, words, switches, nodes, "encoder", prefix=top, head=head, otherwise=otherwise)


def roberta(c: Config) -> plans.Plan:
    """RoBERTa (Liu et al. 2019): BERT whose positions begin after the padding's number, with GELU at the output."""
    plan = bert(c, "roberta.", c.whole("pad_token_id", 1, least=0, most=999))
    nodes = dict(plan.nodes)
    plans.linear(nodes, "output.W_head", "lm_head.dense", "output.b_head")
    plans.norm_of(nodes, "output", "lm_head.layer_norm")
    plans.linear(nodes, "output.W", "lm_head.decoder", "output.b")
    switches: plans.Switches = {**plan.switches, "output.head": "GELU"}
    words, otherwise = c.whole("vocab_size", 50265), {"lm_head.decoder.bias": "lm_head.bias"}
    return replace(plan, words=words, switches=switches, nodes=nodes, head="lm_head.", otherwise=otherwise)


def distilbert(c: Config) -> plans.Plan:
    """DistilBERT (Sanh et al. 2019): BERT with half as many layers and without segments."""
    d, heads = plans.sizes(c, "dim", "n_heads")
    _one_way(c)
    c.known("sinusoidal_pos_embds")  # the file has the table of positions in any case
    activation = c.choice("activation", "gelu", plans.ACTIVATIONS)
    room = c.whole("max_position_embeddings", 512)
    switches = _switches(heads, c.whole("hidden_dim", 3072, most=65536), room, activation, 1e-12)
    switches["output.tied"] = c.flag("tie_word_embeddings", True)
    top = "distilbert."
    at, layer = f"{top}embeddings.", f"{top}transformer.layer.{{k}}."
    nodes = {
        "input.table": plans.Source(f"{at}word_embeddings.weight"),
        "input.places": plans.Source(f"{at}position_embeddings.weight"),
    }
    plans.norm_of(nodes, "input", f"{at}LayerNorm")
    plans.attention_of(nodes, "self", [f"{layer}attention.{name}_lin" for name in ("q", "k", "v", "out")], heads)
    plans.norm_of(nodes, "self", f"{layer}sa_layer_norm")
    plans.norm_of(nodes, "ffn", f"{layer}output_layer_norm")
    plans.two_layers(nodes, f"{layer}ffn.lin1", f"{layer}ffn.lin2")
    plans.linear(nodes, "output.W_head", "vocab_transform", "output.b_head")
    plans.norm_of(nodes, "output", "vocab_layer_norm")
    plans.linear(nodes, "output.W", "vocab_projector", "output.b")
    layers, words = c.whole("n_layers", 6, most=1000), c.whole("vocab_size", 30522)
    return plans.Plan(d, layers, words, switches, nodes, "encoder", prefix=top, head="vocab_")


BOTH = ("encoder", "decoder")
_T5_NETS = {name: (ours, False) for name, ours in plans.ACTIVATIONS.items()}
_T5_NETS |= {f"gated-{name}": (ours, True) for name, ours in plans.ACTIVATIONS.items()}
_T5_NETS["gated-gelu"] = ("GELU tanh", True)
_T5_ACTIVATIONS = {ours: ours for ours in plans.ACTIVATIONS.values()} | plans.ACTIVATIONS


def t5(c: Config) -> plans.Plan:
    """T5 (Raffel et al. 2020): all layers share biases by distance; scores are not scaled; v1.1 has gated nets."""
    d, heads = c.whole("d_model", 512, most=65536), c.whole("num_heads", 8, most=128)
    layers = c.whole("num_layers", 6, most=1000)
    behind = c.whole("num_decoder_layers", layers, most=1000)
    named = c.choice("feed_forward_proj", "relu", {name: name for name in _T5_NETS})
    activation, gated = _T5_NETS[named]
    # These fields mostly repeat feed_forward_proj; if they differ, they decide.
    activation, gated = c.choice("dense_act_fn", activation, _T5_ACTIVATIONS), c.flag("is_gated_act", gated)
    for name in ("n_positions", "output_past"):
        c.known(name)
    tied = c.flag("tie_word_embeddings", True)
    buckets = c.whole("relative_attention_num_buckets", 32, least=4, most=4096)
    farthest = c.whole("relative_attention_max_distance", 128)
    if farthest < buckets // 2:  # half of the buckets hold one distance each
        raise c.wrong(f"says relative_attention_max_distance {farthest}, less than half of its {buckets} buckets")
    switches: plans.Switches = {
        "input.positions": "relative",
        "input.buckets": buckets,
        "input.bucket_most": farthest,
        "self.heads": heads,
        "self.d_k": c.whole("d_kv", 64, most=16384),
        "self.scale": "none",
        **plans.everywhere("norm", "pre", ("self", "ffn")),
        **plans.everywhere("norm_by", "RMS norm", ("self", "ffn", "final", "encoder.final")),
        **plans.everywhere("epsilon", c.number("layer_norm_epsilon", 1e-6), ("self", "ffn", "final", "encoder.final")),
        "ffn.d_ff": c.whole("d_ff", 2048, most=65536),
        "ffn.activation": activation,
        "ffn.gated": gated,
        "ffn.bias": False,
        "output.bias": False,
        "output.tied": tied,
        "output.output_scale": c.flag("scale_decoder_outputs", tied),
    }
    nodes = {
        "source.table": plans.Source("encoder.embed_tokens.weight"),
        "target.table": plans.Source("decoder.embed_tokens.weight"),
        "output.W": plans.Source("lm_head.weight", plans.transposed),
        "encoder.final.gamma": plans.Source("encoder.final_layer_norm.weight"),
        "final.gamma": plans.Source("decoder.final_layer_norm.weight"),
    }
    for stack in BOTH:
        layer = f"{stack}.block.{{k}}.layer."
        _t5_attention(nodes, f"{stack}.self", f"{layer}0", "SelfAttention", heads)
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        nodes[f"{stack}.1.self.bias_table"] = plans.Source(bias)
        net = f"{layer}{BOTH.index(stack) + 1}"
        for node, name in (("g", "wi_0"), ("1", "wi_1"), ("2", "wo")) if gated else (("1", "wi"), ("2", "wo")):
            plans.linear(nodes, f"{stack}.ffn.W_{node}", f"{net}.DenseReluDense.{name}")
        nodes[f"{stack}.ffn.gamma"] = plans.Source(f"{net}.layer_norm.weight")
    _t5_attention(nodes, "decoder.cross", "decoder.block.{k}.layer.1", "EncDecAttention", heads)
    words = c.whole("vocab_size", 32128)
    otherwise = {f"{stack}.embed_tokens.weight": "shared.weight" for stack in BOTH}
    return plans.Plan(d, layers, words, switches, nodes, "encoder-decoder", behind, otherwise=otherwise)


def _t5_attention(nodes: dict[str, plans.Source], block: str, layer: str, name: str, heads: int) -> None:
    plans.attention_of(nodes, block, [f"{layer}.{name}.{letter}" for letter in "qkvo"], heads, "")
    nodes[f"{block}.gamma"] = plans.Source(f"{layer}.layer_norm.weight")


def marian(c: Config) -> plans.Plan:
    """Marian (Junczys-Dowmunt et al. 2018): the transformer of 2017, with all sines before all cosines."""
    d = c.whole("d_model", 1024, most=65536)
    if d % 2:
        raise c.wrong(f"says d_model is {d}; sines and cosines need an even number")
    layers, behind = c.whole("encoder_layers", 12, most=1000), c.whole("decoder_layers", 12, most=1000)
    words = c.whole("vocab_size", 58101)
    shared = c.flag("share_encoder_decoder_embeddings", True)
    written = c.whole("decoder_vocab_size", words)
    if shared and written != words:
        raise c.wrong(f"says that one table has {words} words for the encoder and {written} for the decoder")
    for name in ("normalize_before", "normalize_embedding", "add_bias_logits", "add_final_layer_norm"):
        c.fixed(name, False)
    c.fixed("static_position_embeddings", True)
    for name in ("num_hidden_layers", "_num_labels", "classif_dropout", "extra_pos_embeddings"):
        c.known(name)  # fields of similar models
    tied = c.flag("tie_word_embeddings", True)
    switches: plans.Switches = {
        "input.positions": "sines first",
        "input.embedding_scale": c.flag("scale_embedding", False),
        **plans.everywhere("norm", "post", ("self", "ffn")),
        **plans.everywhere("epsilon", 1e-5, ("self", "ffn")),
        "self.bias": True,
        "self.bias_O": True,
        "ffn.activation": c.choice("activation_function", "gelu", plans.ACTIVATIONS),
        "output.bias": True,
        "output.tied": tied,
    }
    otherwise = {f"model.{stack}.embed_tokens.weight": "model.shared.weight" for stack in BOTH} if shared else {}
    nodes = {
        "source.table": plans.Source("model.encoder.embed_tokens.weight"),
        "target.table": plans.Source("model.decoder.embed_tokens.weight"),
        "output.W": plans.Source("lm_head.weight", plans.transposed),
        "output.b": plans.Source("final_logits_bias", lambda b: b.reshape(-1)),
    }
    for stack in BOTH:
        heads = c.whole(f"{stack}_attention_heads", 16, most=128)
        if d % heads:
            raise c.wrong(f"has {heads} heads, which do not divide {d}")
        switches[f"{stack}.self.heads"] = heads
        switches[f"{stack}.ffn.d_ff"] = c.whole(f"{stack}_ffn_dim", 4096, most=65536)
        layer = f"model.{stack}.layers.{{k}}."
        _marian_attention(nodes, f"{stack}.self", f"{layer}self_attn", heads)
        plans.two_layers(nodes, f"{layer}fc1", f"{layer}fc2", block=f"{stack}.ffn")
        plans.norm_of(nodes, f"{stack}.ffn", f"{layer}final_layer_norm")
    heads = int(switches["decoder.self.heads"])
    _marian_attention(nodes, "decoder.cross", "model.decoder.layers.{k}.encoder_attn", heads)
    return plans.Plan(
        d, layers, words, switches, nodes, "encoder-decoder", behind, otherwise=otherwise, written=written
    )


def _marian_attention(nodes: dict[str, plans.Source], block: str, tensor: str, heads: int) -> None:
    plans.attention_of(nodes, block, [f"{tensor}.{name}_proj" for name in ("q", "k", "v", "out")], heads)
    plans.norm_of(nodes, block, f"{tensor}_layer_norm")
