"""Architectures of decoders alone: GPT-2, Llama and similar models.

GPT-2 and similar models: layer norms, two layers in each net, learned or rotary positions.

Llama and similar models: RMS norms, gated nets, rotary positions; two with experts.
"""

from dataclasses import replace

from explorer.checkpoints import plans
from explorer.checkpoints.plans import Config

_QKV = ("q_proj", "k_proj", "v_proj")
_HEAD_NORMS = {f"self.gamma_{x}": plans.Source(f"model.layers.{{k}}.self_attn.{x.lower()}_norm.weight") for x in "QK"}
"""Of queries and keys in each head."""


def _gpt(c: Config, epsilon: float, activation: tuple[str, str]) -> plans.Switches:
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
        raise c.unknown("says scale_attn_by_inverse_layer_idx without scale_attn_weights")
    switches = _gpt(c, c.number("layer_norm_epsilon", 1e-5), ("activation_function", "gelu_new")) | {
        "input.positions": "own",
        "input.room": c.whole("n_positions", 1024),
        "self.heads": heads,
        "self.scale_layer": by_layer,
        "self.scale": "1/sqrt(d_k)" if scaled else "none",
        "ffn.d_ff": c.whole("n_inner", 4 * d, most=65536),
        "output.tied": tied,
    }
    layer, same = "h.{k}.", plans.as_it_is
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
    switches = _gpt(c, c.number("layer_norm_epsilon", 1e-5), ("activation_function", "gelu_new")) | {
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
    plans.attention_of(nodes, "self", [f"{layer}attn.attention.{x}" for x in (*_QKV, "out_proj")], heads, "O")
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
    switches = _gpt(c, c.number("layer_norm_eps", 1e-5), ("hidden_act", "gelu")) | {
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
    switches = _gpt(c, c.number("layer_norm_eps", 1e-5), ("hidden_act", "gelu_new")) | {
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
    own = [f"{layer}self_attn.{x}" for x in (*_QKV, "dense")]
    plans.attention_of(nodes, "self", own, heads, key_heads=key_heads)
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
    switches = _gpt(c, 1e-5, ("activation_function", "relu")) | {
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
    plans.attention_of(nodes, "self", [f"{layer}self_attn.{x}" for x in (*_QKV, "out_proj")], heads, "QKVO" * bias)
    plans.two_layers(nodes, f"{layer}fc1", f"{layer}fc2")
    if not switches["final.at_end"]:
        del nodes["final.gamma"], nodes["final.beta"]
    if not bias:
        del nodes["ffn.b_1"], nodes["ffn.b_2"]
    layers, words = c.whole("num_hidden_layers", 12, most=1000), c.whole("vocab_size", 50272)
    return plans.Plan(d, layers, words, switches, nodes, prefix="model.", head="lm_head")


def llama(
    c: Config,
    by: str = "RMS norm",
    norm: str = "pre",
    activation: str = "hidden_act",
    head_dim: int = 0,
    theta: float = 10000.0,
    epsilon: float = 1e-6,
    rotary_of: str = "",
) -> plans.Plan:
    """Llama (Touvron et al. 2023): RMS norm before each block, rotary positions in halves, SwiGLU, shared key heads.

    `rotary_of`: as `of` in `plans.rotary`.
    """
    d = c.whole("hidden_size", most=65536)
    heads, width = plans.heads_of(c, d)
    width = c.whole("head_dim", head_dim or width, most=16384)
    key_heads = c.whole("num_key_value_heads", heads, most=128)
    if heads % key_heads:
        raise c.wrong(f"has {heads} heads, which cannot share {key_heads} heads of keys")
    known = (
        {**plans.ACTIVATIONS, "gelu": "GELU tanh"} if activation == "hidden_act" and "γ" in by else plans.ACTIVATIONS
    )
    bias, mlp_bias = c.flag("attention_bias", False), c.flag("mlp_bias", False)
    tied = c.flag("tie_word_embeddings", "γ" in by)
    switches: plans.Switches = {
        **plans.rotary(c, width, 1.0, theta, of=rotary_of),
        "self.heads": heads,
        "self.d_k": width,
        "self.key_heads": key_heads if key_heads != heads else 0,
        "self.bias": bias,
        "self.bias_O": bias,
        **plans.everywhere("norm", norm, ("self", "ffn")),
        **plans.everywhere("norm_by", by),
        **plans.everywhere("epsilon", c.number("rms_norm_eps", epsilon)),
        "ffn.gated": True,
        "ffn.bias": mlp_bias,
        "ffn.d_ff": c.whole("intermediate_size", most=65536),
        "ffn.activation": c.choice(activation, "gelu_pytorch_tanh" if "γ" in by else "silu", known),
        "output.bias": False,
        "output.tied": tied,
    }
    layer = "model.layers.{k}."
    nodes = {"input.table": plans.Source("model.embed_tokens.weight"), "final.gamma": plans.Source("model.norm.weight")}
    plans.linear(nodes, "output.W", "lm_head")
    own = [f"{layer}self_attn.{x}" for x in (*_QKV, "o_proj")]
    plans.attention_of(nodes, "self", own, heads, "QKVO" * bias, key_heads)
    for node, name in (("1", "up"), ("g", "gate"), ("2", "down")):
        plans.linear(nodes, f"ffn.W_{node}", f"{layer}mlp.{name}_proj", f"ffn.b_{node}" if mlp_bias else "")
    nodes["self.gamma"] = plans.Source(f"{layer}input_layernorm.weight")
    nodes["ffn.gamma"] = plans.Source(f"{layer}post_attention_layernorm.weight")
    layers, words = c.whole("num_hidden_layers", most=1000), c.whole("vocab_size")
    return plans.Plan(d, layers, words, switches, nodes, prefix="model.", head="lm_head")


def mistral(c: Config) -> plans.Plan:
    """Mistral 7B (Jiang et al. 2023): Llama with a sliding window that includes the word itself."""
    plan = llama(c)
    window = c.whole("sliding_window", 4096) if c.has("sliding_window") or "sliding_window" not in c else 0
    return plan.varied({"self.window": window})


def _experts(c: Config, n: int, usual: int) -> tuple[int, int]:
    """A number of experts, and how many of them a word uses."""
    chosen = c.whole("num_experts_per_tok", usual, most=256)
    if chosen > n:
        raise c.wrong(f"has {n} experts, of which {chosen} cannot be chosen")
    return n, chosen


def experts(nodes: dict[str, plans.Source], block: str, tensor: str, names: tuple[str, str, str], n: int) -> None:
    """The nets of n experts: in, gate and out."""
    for node, name in zip(("W_1", "W_g", "W_2"), names, strict=True):
        nodes[f"{block}.{node}"] = plans.Source(f"{tensor}{{e}}.{name}.weight", plans.transposed, n)


def mixtral(c: Config) -> plans.Plan:
    """Mixtral (Jiang et al. 2024): Llama with experts; each word uses the best two, with shares that sum to 1."""
    plan = llama(c, theta=1e6, epsilon=1e-5)
    n, chosen = _experts(c, c.whole("num_local_experts", 8, most=256), 2)
    c.known("router_jitter_noise")  # used only in training
    window = c.whole("sliding_window", 0, least=0)
    switches: plans.Switches = {"self.window": window, "ffn.experts": n, "ffn.chosen": chosen, "ffn.chosen_again": True}
    nodes = dict(plan.nodes)
    moe = "model.layers.{k}.block_sparse_moe."
    experts(nodes, "ffn", f"{moe}experts.", ("w3", "w1", "w2"), n)
    plans.linear(nodes, "ffn.W_r", f"{moe}gate")
    return plan.varied(switches, nodes)


def qwen2(c: Config) -> plans.Plan:
    """Qwen 2 (Yang et al. 2024): Llama with biases for queries, keys and values."""
    plan = llama(c)
    nodes = dict(plan.nodes)
    heads = int(plan.switches["self.heads"])
    key_heads = c.whole("num_key_value_heads", heads)
    plans.attention_of(nodes, "self", [f"model.layers.{{k}}.self_attn.{x}" for x in _QKV], heads, "QKV", key_heads)
    return plan.varied({**_later_windows(c, plan.layers), "self.bias": True}, nodes)


def _later_windows(c: Config, layers: int) -> plans.Switches:
    """Qwen's windows: only with `use_sliding_window`, from layer `max_window_layers` on, or in the listed layers."""
    window, first = c.whole("sliding_window", 4096, least=0), c.whole("max_window_layers", 28, least=0)
    kinds = c.words("layer_types")
    if not c.flag("use_sliding_window", False):
        if any(kind == "sliding_attention" for kind in kinds):
            raise c.wrong("says layers of sliding_attention, but not use_sliding_window")
        return {}
    if not window or ("sliding_window" in c and not c.has("sliding_window")):
        raise c.wrong("says use_sliding_window, but not how wide the window is")
    return plans.windows(
        c, kinds or ["full_attention" if k < first else "sliding_attention" for k in range(layers)], window
    )


def qwen3(c: Config) -> plans.Plan:
    """Qwen 3 (Yang et al. 2025): Llama with a norm of queries and keys in each head."""
    plan = llama(c, head_dim=128)
    return plan.varied({**_later_windows(c, plan.layers), "self.qk_norm": "each head"}, _HEAD_NORMS)


def qwen3_moe(c: Config) -> plans.Plan:
    """Qwen 3 with experts (Yang et al. 2025); some layers may have a single net instead."""
    plan = llama(c)
    window = c.whole("sliding_window", 0 if "sliding_window" in c else 4096, least=0)
    # Transformers 5 writes the other name.
    n, chosen = _experts(c, c.whole("num_experts", c.whole("num_local_experts", 128, most=256), most=256), 8)
    step, width = c.whole("decoder_sparse_step", 1), c.whole("moe_intermediate_size", 768, most=65536)
    plain = c.wholes("mlp_only_layers")
    layer, nodes = "model.layers.{k}.", dict(plan.nodes)
    switches: plans.Switches = {
        "self.qk_norm": "each head",
        "self.window": window if c.flag("use_sliding_window", False) else 0,
        "ffn.experts": n,
        "ffn.chosen": chosen,
        "ffn.chosen_again": c.flag("norm_topk_prob", False),
        "ffn.d_ff": width,
    }
    nodes |= _HEAD_NORMS
    one_net = {name: source for name, source in nodes.items() if name.startswith("ffn.W_")}
    experts(nodes, "ffn", f"{layer}mlp.experts.", ("up_proj", "gate_proj", "down_proj"), n)
    plans.linear(nodes, "ffn.W_r", f"{layer}mlp.gate")
    for k in range(plan.layers):
        if k in plain or (k + 1) % step:
            switches |= {f"decoder.{k + 1}.ffn.experts": 0, f"decoder.{k + 1}.ffn.d_ff": plan.switches["ffn.d_ff"]}
            nodes |= {f"decoder.{k + 1}.{name}": source for name, source in one_net.items()}
    return plan.varied(switches, nodes)


def gemma(c: Config) -> plans.Plan:
    """Gemma (2024): Llama with 1 + γ, embeddings times √d_model, GeGLU, and an output tied to the table.

    Its first configs say "gelu" but mean the tanh form, with which it was trained. transformers up to 4.47 and 5.23 use
    that form; the versions between used the exact form, by an error (#49051).
    """
    plan = llama(c, "RMS norm, 1 + γ", head_dim=0 if c.has("head_dim") else 256)
    said = c.choice("hidden_activation", "gelu_pytorch_tanh", plans.ACTIVATIONS)
    if c.has("hidden_activation") and said != plan.switches["ffn.activation"]:
        raise c.wrong("says one activation as hidden_act, and another as hidden_activation")
    return plan.varied({"input.embedding_scale": True})


def gemma2(
    c: Config, caps: tuple[float, float] = (50.0, 30.0), period: int = 2, theta: float = 10000.0, rotary_of: str = ""
) -> plans.Plan:
    """Gemma 2 (2024): norms on both sides, soft caps, and a window in every other layer, beginning with the first.

    `caps`: the soft caps of the scores and of the logits, where the config says none.
    `period`: each layer of this number has no window, the layers between have one.
    `theta`, `rotary_of`: see `llama`.
    """
    width = 0 if c.has("head_dim") else 256
    plan = llama(c, "RMS norm, 1 + γ", "both", "hidden_activation", width, theta, rotary_of=rotary_of)
    c.known("hidden_act")  # in the files of the hub, but ignored
    layer = "model.layers.{k}."
    switches: plans.Switches = {
        "input.embedding_scale": True,
        "self.cap": c.number("attn_logit_softcapping", caps[0] if "attn_logit_softcapping" not in c else 0.0),
        "output.logit_cap": c.number("final_logit_softcapping", caps[1] if "final_logit_softcapping" not in c else 0.0),
        "self.scale_width": c.whole("query_pre_attn_scalar", 256, most=16384),
    }
    every = ["sliding_attention" if k % period else "full_attention" for k in range(1, plan.layers + 1)]
    switches |= plans.windows(c, c.words("layer_types") or every, c.whole("sliding_window", 4096))
    nodes = {
        "self.gamma_out": plans.Source(f"{layer}post_attention_layernorm.weight"),
        "ffn.gamma": plans.Source(f"{layer}pre_feedforward_layernorm.weight"),
        "ffn.gamma_out": plans.Source(f"{layer}post_feedforward_layernorm.weight"),
    }
    return plan.varied(switches, nodes)


def gemma3_text(c: Config) -> plans.Plan:
    """Gemma 3 (2025): norms of queries and keys instead of soft caps; five of six layers have a window.

    Layers with a window have a smaller rotary base.
    """
    period = c.whole("sliding_window_pattern", c.whole("_sliding_window_pattern", 6))
    plan = gemma2(c, (0.0, 0.0), period, 1e6, "full_attention")
    c.fixed("use_bidirectional_attention", False)
    if c.has("attn_logit_softcapping"):
        raise c.wrong("says attn_logit_softcapping, which a Gemma 3 does not have")
    near = c.fields("rope_parameters").get("sliding_attention") or {}
    if not isinstance(near, dict) or near.get("rope_type", "default") != "default":
        raise c.unknown("says in another form how layers with a window turn")
    base = c.number("rope_theta", c.number("rope_local_base_freq", 10000.0), near)
    near_layers = (k for k in range(1, plan.layers + 1) if plan.switches[f"decoder.{k}.self.window"])
    bases = {f"decoder.{k}.self.rotary_base": base for k in near_layers}
    return plan.varied({**bases, "self.qk_norm": "each head"}, _HEAD_NORMS)


def olmo(c: Config) -> plans.Plan:
    """OLMo (Groeneveld et al. 2024): Llama with layer norms that have no weights."""
    plan = llama(c, by="layer norm")
    switches = {**plans.everywhere("epsilon", 1e-5), "self.clip": c.number("clip_qkv", 0.0)}
    return plan.varied(switches, plans.without_weights())


def olmo2(c: Config) -> plans.Plan:
    """OLMo 2 (2025): Llama with a norm at the output of each block, and of queries and keys over all heads together."""
    plan = llama(c, norm="output", epsilon=1e-5)
    heads = int(plan.switches["self.heads"])
    key_heads = c.whole("num_key_value_heads", heads)
    layer, nodes = "model.layers.{k}.", dict(plan.nodes)
    del nodes["self.gamma"], nodes["ffn.gamma"]
    nodes["self.gamma_out"] = plans.Source(f"{layer}post_attention_layernorm.weight")
    nodes["ffn.gamma_out"] = plans.Source(f"{layer}post_feedforward_layernorm.weight")
    for letter, n in (("Q", heads), ("K", key_heads)):
        nodes[f"self.gamma_{letter}"] = plans.Source(f"{layer}self_attn.{letter.lower()}_norm.weight", plans.by_head(n))
    return replace(plan, switches={**plan.switches, "self.qk_norm": "all heads"}, nodes=nodes)
