"""GPT-2 and similar models: layer norms, two layers in each net, learned or rotary positions."""

from explorer.checkpoints import plans
from explorer.checkpoints.config import Config


def _gpt(c: Config, layer: str, epsilon: float, activation: tuple[str, str]) -> plans.Switches:
    return {
        **plans.everywhere("norm", "pre", ("self", "ffn")),
        **plans.everywhere("epsilon", epsilon),
        "self.bias": True,
        "self.bias_O": True,
        "ffn.activation": c.choice(*activation, plans.ACTIVATIONS),
        "output.bias": False,
    }


def gpt2(c: Config) -> plans.Plan:
    """GPT-2 (Radford et al. 2019): a norm before each block, learned positions; weights are stored (in, out)."""
    d, heads = plans.sizes(c, "n_embd", "n_head")
    tied = c.flag("tie_word_embeddings", True)
    by_layer, scaled = c.flag("scale_attn_by_inverse_layer_idx", False), c.flag("scale_attn_weights", True)
    if by_layer and not scaled:
        raise c.wrong("says scale_attn_by_inverse_layer_idx without scale_attn_weights, which is not known here")
    switches = _gpt(c, "h.{k}.", c.number("layer_norm_epsilon", 1e-5), ("activation_function", "gelu_new")) | {
        "input.positions": "own",
        "input.room": c.whole("n_positions", 1024),
        "self.heads": heads,
        "self.scale_layer": by_layer,
        "self.scale": "1/sqrt(d_k)" if scaled else "none",
        "ffn.d_ff": c.whole("n_inner", 4 * d, most=65536),
        "output.tied": tied,
    }
    layer, same = "h.{k}.", lambda W: W
    nodes = {"input.table": plans.Source("wte.weight"), "input.places": plans.Source("wpe.weight")}
    plans.linear(nodes, "output.W", "lm_head")
    plans.norms(nodes, "ln_f", f"{layer}ln_1", f"{layer}ln_2")
    for i, letter in enumerate("QKV"):
        nodes[f"self.W_{letter}"] = plans.Source(
            f"{layer}attn.c_attn.weight", plans.one_of_three(i, 1, lambda W: plans.by_head(heads)(W.T))
        )
        nodes[f"self.b_{letter}"] = plans.Source(
            f"{layer}attn.c_attn.bias", plans.one_of_three(i, 0, plans.by_head(heads))
        )
    plans.linear(nodes, "self.W_O", f"{layer}attn.c_proj", "self.b_O", same)
    plans.two_layers(nodes, f"{layer}mlp.c_fc", f"{layer}mlp.c_proj", same)
    return plans.Plan(d, c.whole("n_layer", 12, most=1000), c.whole("vocab_size", 50257), switches, nodes)


def gpt_neo(c: Config) -> plans.Plan:
    """GPT-Neo (Black et al. 2021): scores are not scaled; every other layer attends only within a window."""
    d, heads = plans.sizes(c, "hidden_size", "num_heads", (2048, 16))
    layers = c.whole("num_layers", 24, most=1000)
    tied = c.flag("tie_word_embeddings", True)
    switches = _gpt(c, "", c.number("layer_norm_epsilon", 1e-5), ("activation_function", "gelu_new")) | {
        "input.positions": "own",
        "input.room": c.whole("max_position_embeddings", 2048),
        "self.heads": heads,
        "self.scale": "none",
        "self.bias": False,
        "ffn.d_ff": c.whole("intermediate_size", 4 * d, most=65536),
        "output.tied": tied,
    }
    repeated = _repeated(c, layers)
    kinds = c.words("attention_layers") or repeated
    if len(kinds) != layers or (c.has("attention_types") and kinds != repeated):
        raise c.wrong(f"does not say of each of its {layers} layers whether it is local")
    switches |= plans.windows(c, kinds, c.whole("window_size", 256), ("global", "local"))
    top, layer = "transformer.", "transformer.h.{k}."
    nodes = {"input.table": plans.Source(f"{top}wte.weight"), "input.places": plans.Source(f"{top}wpe.weight")}
    plans.linear(nodes, "output.W", "lm_head")
    plans.norms(nodes, f"{top}ln_f", f"{layer}ln_1", f"{layer}ln_2")
    plans.projections(nodes, f"{layer}attn.attention.", heads, heads, bias=False)
    plans.linear(nodes, "self.W_O", f"{layer}attn.attention.out_proj", "self.b_O")
    plans.two_layers(nodes, f"{layer}mlp.c_fc", f"{layer}mlp.c_proj")
    return plans.Plan(d, layers, c.whole("vocab_size", 50257), switches, nodes, prefix=top, head="lm_head")


def _repeated(c: Config, layers: int) -> list[str]:
    """The kinds of GPT-Neo's layers from `attention_types`: lists of kinds, each with its number of repetitions."""
    found: list[str] = []
    for said in c.lists("attention_types", [[["global", "local"], -(-layers // 2)]]):
        kinds, times = said if isinstance(said, list) and len(said) == 2 else (None, None)
        if not isinstance(kinds, list) or type(times) is not int or not 0 <= times <= 1000 or len(kinds) > 1000:
            raise c.wrong("does not say attention_types as lists of kinds, each with how often it comes")
        found += [str(kind) for kind in kinds] * times
        if len(found) > layers + 1:  # a small file may claim any number
            raise c.wrong(f"says more kinds of layers than its {layers} layers")
    return found if c.has("attention_types") else found[:layers]


def gpt_neox(c: Config) -> plans.Plan:
    """GPT-NeoX (Black et al. 2022): only part of the dimensions is rotated; the net works beside the attention."""
    d = c.whole("hidden_size", most=65536)
    heads, width = plans.heads_of(c, d)
    bias, tied = c.flag("attention_bias", True), c.flag("tie_word_embeddings", False)
    beside = c.flag("use_parallel_residual", True)
    switches = _gpt(c, "", c.number("layer_norm_eps", 1e-5), ("hidden_act", "gelu")) | {
        **plans.rotary(c, width, 0.25, odd=True),
        "self.heads": heads,
        "self.bias": bias,
        "self.bias_O": bias,
        "ffn.reads": "beside attention" if beside else "after attention",
        "ffn.d_ff": c.whole("intermediate_size", most=65536),
        "output.tied": tied,
    }
    top, layer = "gpt_neox.", "gpt_neox.layers.{k}."
    nodes = {"input.table": plans.Source(f"{top}embed_in.weight")}
    plans.linear(nodes, "output.W", "embed_out")
    plans.norms(nodes, f"{top}final_layer_norm", f"{layer}input_layernorm", f"{layer}post_attention_layernorm")
    for i, letter in enumerate("QKV"):
        tensor = f"{layer}attention.query_key_value"
        plans.linear(nodes, f"self.W_{letter}", tensor, f"self.b_{letter}" if bias else "", plans.interleaved(i, heads))
    plans.linear(nodes, "self.W_O", f"{layer}attention.dense", "self.b_O" if bias else "")
    plans.two_layers(nodes, f"{layer}mlp.dense_h_to_4h", f"{layer}mlp.dense_4h_to_h")
    layers, words = c.whole("num_hidden_layers", most=1000), c.whole("vocab_size")
    return plans.Plan(d, layers, words, switches, nodes, prefix=top, head="embed_out")


def phi(c: Config) -> plans.Plan:
    """Phi (Li et al. 2023): half of the dimensions rotate; net and attention share a norm; the output has a bias."""
    d = c.whole("hidden_size", most=65536)
    heads, width = plans.heads_of(c, d)
    key_heads = c.whole("num_key_value_heads", heads, most=128)
    each_head = c.flag("qk_layernorm", False)
    switches = _gpt(c, "", c.number("layer_norm_eps", 1e-5), ("hidden_act", "gelu_new")) | {
        **plans.rotary(c, width, 0.5),
        "self.heads": heads,
        "self.key_heads": key_heads if key_heads != heads else 0,
        "self.qk_norm": "each head" if each_head else "none",
        "ffn.reads": "beside attention, its norm",
        "ffn.d_ff": c.whole("intermediate_size", most=65536),
        "output.bias": True,
        "output.tied": c.flag("tie_word_embeddings", False),
    }
    layer = "model.layers.{k}."
    nodes = {"input.table": plans.Source("model.embed_tokens.weight")}
    plans.linear(nodes, "output.W", "lm_head", "output.b")
    plans.norm_of(nodes, "final", "model.final_layernorm")
    plans.norm_of(nodes, "self", f"{layer}input_layernorm")
    plans.projections(nodes, f"{layer}self_attn.", heads, key_heads, bias=True)
    plans.linear(nodes, "self.W_O", f"{layer}self_attn.dense", "self.b_O")
    for x in "QK" if each_head else "":
        plans.norm_of(nodes, "self", f"{layer}self_attn.{x.lower()}_layernorm", f"_{x}")
    plans.two_layers(nodes, f"{layer}mlp.fc1", f"{layer}mlp.fc2")
    layers, words = c.whole("num_hidden_layers", most=1000), c.whole("vocab_size")
    return plans.Plan(d, layers, words, switches, nodes, prefix="model.", head="lm_head")


def opt(c: Config) -> plans.Plan:
    """OPT (Zhang et al. 2022): GPT with ReLU; the first position is row 2 of its table."""
    d = c.whole("hidden_size", 768, most=65536)
    heads, _ = plans.heads_of(c, d)
    width = c.whole("word_embed_proj_dim", d, most=16384)
    before, bias = c.flag("do_layer_norm_before", True), c.flag("enable_bias", True)
    affine = c.flag("layer_norm_elementwise_affine", True)
    tied = c.flag("tie_word_embeddings", True)
    switches = _gpt(c, "", 1e-5, ("activation_function", "relu")) | {
        "input.positions": "own",
        "input.first": 2,
        "input.table_width": width if width != d else 0,
        "input.room": c.whole("max_position_embeddings", 2048) + 2,
        "self.heads": heads,
        "self.bias": bias,
        "self.bias_O": bias,
        "ffn.bias": bias,
        **plans.everywhere("norm", "pre" if before else "post", ("self", "ffn")),
        "final.at_end": not c.flag("_remove_final_layer_norm", False) and before,
        "ffn.d_ff": c.whole("ffn_dim", 3072, most=65536),
        "output.tied": tied,
    }
    top, layer = "model.decoder.", "model.decoder.layers.{k}."
    nodes = {
        "input.table": plans.Source(f"{top}embed_tokens.weight"),
        "input.places": plans.Source(f"{top}embed_positions.weight"),
    }
    if width != d:
        plans.linear(nodes, "input.W_in", f"{top}project_in")
        plans.linear(nodes, "output.W_out", f"{top}project_out")
    plans.linear(nodes, "output.W", "lm_head")
    plans.norms(nodes, f"{top}final_layer_norm", f"{layer}self_attn_layer_norm", f"{layer}final_layer_norm")
    if not affine:
        nodes |= plans.without_weights()
    plans.projections(nodes, f"{layer}self_attn.", heads, heads, bias)
    plans.linear(nodes, "self.W_O", f"{layer}self_attn.out_proj", "self.b_O" if bias else "")
    plans.two_layers(nodes, f"{layer}fc1", f"{layer}fc2")
    if not switches["final.at_end"]:
        del nodes["final.gamma"], nodes["final.beta"]
    if not bias:
        del nodes["ffn.b_1"], nodes["ffn.b_2"]
    layers, words = c.whole("num_hidden_layers", 12, most=1000), c.whole("vocab_size", 50272)
    return plans.Plan(d, layers, words, switches, nodes, prefix="model.", head="lm_head")
