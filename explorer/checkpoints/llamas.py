"""Llama and similar models: RMS norms, gated nets, rotary positions; two with experts."""

from dataclasses import replace

from explorer.checkpoints import plans
from explorer.checkpoints.config import Config


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
    plans.projections(nodes, f"{layer}self_attn.", heads, key_heads, bias)
    plans.linear(nodes, "self.W_O", f"{layer}self_attn.o_proj", "self.b_O" if bias else "")
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
    return replace(plan, switches={**plan.switches, "self.window": window})


def experts(nodes: dict[str, plans.Source], block: str, tensor: str, names: tuple[str, str, str], n: int) -> None:
    """The nets of n experts: in, gate and out."""
    for node, name in zip(("W_1", "W_g", "W_2"), names, strict=True):
        nodes[f"{block}.{node}"] = plans.Source(f"{tensor}{{e}}.{name}.weight", plans.transposed, n)


def mixtral(c: Config) -> plans.Plan:
    """Mixtral (Jiang et al. 2024): Llama with experts; each word uses the best two, with shares that sum to 1."""
    plan = llama(c, theta=1e6, epsilon=1e-5)
    n, chosen = c.whole("num_local_experts", 8, most=256), c.whole("num_experts_per_tok", 2, most=256)
    if chosen > n:
        raise c.wrong(f"has {n} experts, of which {chosen} cannot be chosen")
    c.known("router_jitter_noise")  # used only in training
    window = c.whole("sliding_window", 0, least=0)
    switches: plans.Switches = {
        **plan.switches,
        "self.window": window,
        "ffn.experts": n,
        "ffn.chosen": chosen,
        "ffn.chosen_again": True,
    }
    nodes = dict(plan.nodes)
    moe = "model.layers.{k}.block_sparse_moe."
    experts(nodes, "ffn", f"{moe}experts.", ("w3", "w1", "w2"), n)
    plans.linear(nodes, "ffn.W_r", f"{moe}gate")
    return replace(plan, switches=switches, nodes=nodes)


def qwen2(c: Config) -> plans.Plan:
    """Qwen 2 (Yang et al. 2024): Llama with biases for queries, keys and values."""
    plan = llama(c)
    nodes = dict(plan.nodes)
    key_heads = c.whole("num_key_value_heads", int(plan.switches["self.heads"]))
    plans.projections(nodes, "model.layers.{k}.self_attn.", int(plan.switches["self.heads"]), key_heads, bias=True)
    return replace(plan, switches={**plan.switches, **_later_windows(c, plan.layers), "self.bias": True}, nodes=nodes)


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
    switches = {**plan.switches, **_later_windows(c, plan.layers), "self.qk_norm": "each head"}
    return replace(plan, switches=switches, nodes={**plan.nodes, **_head_norms()})


def _head_norms() -> dict[str, plans.Source]:
    """The sources of the norms of queries and keys in each head."""
    return {f"self.gamma_{x}": plans.Source(f"model.layers.{{k}}.self_attn.{x.lower()}_norm.weight") for x in "QK"}


def qwen3_moe(c: Config) -> plans.Plan:
    """Qwen 3 with experts (Yang et al. 2025); some layers may have a single net instead."""
    plan = llama(c)
    window = c.whole("sliding_window", 0 if "sliding_window" in c else 4096, least=0)
    # Transformers 5 writes the other name.
    n, chosen = (
        c.whole("num_experts", c.whole("num_local_experts", 128, most=256), most=256),
        c.whole("num_experts_per_tok", 8, most=256),
    )
    if chosen > n:
        raise c.wrong(f"has {n} experts, of which {chosen} cannot be chosen")
    step, width = c.whole("decoder_sparse_step", 1), c.whole("moe_intermediate_size", 768, most=65536)
    plain = c.wholes("mlp_only_layers")
    layer, nodes = "model.layers.{k}.", dict(plan.nodes)
    switches: plans.Switches = {
        **plan.switches,
        "self.qk_norm": "each head",
        "self.window": window if c.flag("use_sliding_window", False) else 0,
        "ffn.experts": n,
        "ffn.chosen": chosen,
        "ffn.chosen_again": c.flag("norm_topk_prob", False),
        "ffn.d_ff": width,
    }
    nodes |= _head_norms()
    one_net = {name: source for name, source in nodes.items() if name.startswith("ffn.W_")}
    experts(nodes, "ffn", f"{layer}mlp.experts.", ("up_proj", "gate_proj", "down_proj"), n)
    plans.linear(nodes, "ffn.W_r", f"{layer}mlp.gate")
    for k in range(plan.layers):
        if k in plain or (k + 1) % step:
            switches |= {f"decoder.{k + 1}.ffn.experts": 0, f"decoder.{k + 1}.ffn.d_ff": plan.switches["ffn.d_ff"]}
            nodes |= {f"decoder.{k + 1}.{name}": source for name, source in one_net.items()}
    return replace(plan, switches=switches, nodes=nodes)


def gemma(c: Config) -> plans.Plan:
    """Gemma (2024): Llama with 1 + γ, embeddings times √d_model, GeGLU, and an output tied to the table.

    Its first configs say "gelu" but mean the tanh form, with which it was trained. transformers up to 4.47 and 5.23 use
    that form; the versions between used the exact form, by an error (#49051).
    """
    plan = llama(c, "RMS norm, 1 + γ", head_dim=0 if c.has("head_dim") else 256)
    said = c.choice("hidden_activation", "gelu_pytorch_tanh", plans.ACTIVATIONS)
    if c.has("hidden_activation") and said != plan.switches["ffn.activation"]:
        raise c.wrong("says one activation as hidden_act, and another as hidden_activation")
    return replace(plan, switches={**plan.switches, "input.embedding_scale": True})


def gemma2(
    c: Config, caps: tuple[float, float] = (50.0, 30.0), period: int = 2, theta: float = 10000.0, rotary_of: str = ""
) -> plans.Plan:
    """Gemma 2 (2024): norms on both sides, soft caps, and a window in every other layer, beginning with the first.

    Parameters
    ----------
    c : Config
    caps : (float, float)
        The soft caps of the scores and of the logits, where the config says none.
    period : int
        Each layer of this number has no window, the layers between have one.
    theta, rotary_of
        See `llama`.
    """
    width = 0 if c.has("head_dim") else 256
    plan = llama(c, "RMS norm, 1 + γ", "both", "hidden_activation", width, theta, rotary_of=rotary_of)
    c.known("hidden_act")  # in the files of the hub, but ignored
    layer = "model.layers.{k}."
    switches: plans.Switches = {
        **plan.switches,
        "input.embedding_scale": True,
        "self.cap": c.number("attn_logit_softcapping", caps[0] if "attn_logit_softcapping" not in c else 0.0),
        "output.logit_cap": c.number("final_logit_softcapping", caps[1] if "final_logit_softcapping" not in c else 0.0),
        "self.scale_width": c.whole("query_pre_attn_scalar", 256, most=16384),
    }
    every = ["sliding_attention" if k % period else "full_attention" for k in range(1, plan.layers + 1)]
    switches |= plans.windows(c, c.words("layer_types") or every, c.whole("sliding_window", 4096))
    nodes = {
        **plan.nodes,
        "self.gamma_out": plans.Source(f"{layer}post_attention_layernorm.weight"),
        "ffn.gamma": plans.Source(f"{layer}pre_feedforward_layernorm.weight"),
        "ffn.gamma_out": plans.Source(f"{layer}post_feedforward_layernorm.weight"),
    }
    return replace(plan, switches=switches, nodes=nodes)


def gemma3(c: Config) -> plans.Plan:
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
        raise c.wrong("says of layers with a window how they turn in a form that is not known here")
    base = c.number("rope_theta", c.number("rope_local_base_freq", 10000.0), near)
    bases = {
        f"decoder.{k}.self.rotary_base": base
        for k in range(1, plan.layers + 1)
        if plan.switches[f"decoder.{k}.self.window"]
    }
    switches = {**plan.switches, **bases, "self.qk_norm": "each head"}
    return replace(plan, switches=switches, nodes={**plan.nodes, **_head_norms()})


def olmo(c: Config) -> plans.Plan:
    """OLMo (Groeneveld et al. 2024): Llama with layer norms that have no weights."""
    plan = llama(c, by="layer norm")
    switches = {**plan.switches, **plans.everywhere("epsilon", 1e-5), "self.clip": c.number("clip_qkv", 0.0)}
    return replace(plan, switches=switches, nodes=plan.nodes | plans.without_weights())


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
