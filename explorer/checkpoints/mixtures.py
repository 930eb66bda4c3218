"""Llama's kin with experts, and OLMo, whose norms have no weights."""

from dataclasses import replace

from explorer.checkpoints.config import Config
from explorer.checkpoints.families import Plan, Source, Switches, everywhere, linear, llama, transposed


def experts(nodes: dict[str, Source], block: str, tensor: str, names: tuple[str, str, str], n: int) -> None:
    """The nets of n experts: in, gate and out."""
    for node, name in zip(("W_1", "W_g", "W_2"), names, strict=True):
        nodes[f"{block}.{node}"] = Source(f"{tensor}{{e}}.{name}.weight", transposed, n)


def mixtral(c: Config) -> Plan:
    """Mixtral (Jiang et al. 2024): Llama with experts; the two best share each word, by shares that add up to 1."""
    plan = llama(c, theta=1e6, epsilon=1e-5)
    n, chosen = c.whole("num_local_experts", 8, most=256), c.whole("num_experts_per_tok", 2, most=256)
    if chosen > n:
        raise c.wrong(f"has {n} experts, of which {chosen} cannot be chosen")
    c.known("router_jitter_noise")  # in training only
    window = c.whole("sliding_window", 0, least=0)
    switches: Switches = {
        **plan.switches,
        "self.window": window,
        "ffn.experts": n,
        "ffn.chosen": chosen,
        "ffn.chosen_again": True,
    }
    nodes = dict(plan.nodes)
    moe = "model.layers.{k}.block_sparse_moe."
    experts(nodes, "ffn", f"{moe}experts.", ("w3", "w1", "w2"), n)
    linear(nodes, "ffn.W_r", f"{moe}gate")
    return replace(plan, switches=switches, nodes=nodes)


def qwen3_moe(c: Config) -> Plan:
    """Qwen 3 with experts (Yang et al. 2025); some layers may have one net, as others have."""
    plan = llama(c)
    window = c.whole("sliding_window", 0 if "sliding_window" in c else 4096, least=0)
    # Transformers 5 writes it by the other name.
    n, chosen = (
        c.whole("num_experts", c.whole("num_local_experts", 128, most=256), most=256),
        c.whole("num_experts_per_tok", 8, most=256),
    )
    if chosen > n:
        raise c.wrong(f"has {n} experts, of which {chosen} cannot be chosen")
    step, width = c.whole("decoder_sparse_step", 1), c.whole("moe_intermediate_size", 768, most=16384)
    plain = c.wholes("mlp_only_layers")
    layer, nodes = "model.layers.{k}.", dict(plan.nodes)
    switches: Switches = {
        **plan.switches,
        "self.qk_norm": "each head",
        "self.window": window if c.flag("use_sliding_window", False) else 0,
        "ffn.experts": n,
        "ffn.chosen": chosen,
        "ffn.chosen_again": c.flag("norm_topk_prob", False),
        "ffn.d_ff": width,
    }
    nodes |= {f"self.gamma_{x}": Source(f"{layer}self_attn.{x.lower()}_norm.weight") for x in "QK"}
    one_net = {name: source for name, source in nodes.items() if name.startswith("ffn.W_")}
    experts(nodes, "ffn", f"{layer}mlp.experts.", ("up_proj", "gate_proj", "down_proj"), n)
    linear(nodes, "ffn.W_r", f"{layer}mlp.gate")
    for k in range(plan.layers):
        if k in plain or (k + 1) % step:
            switches |= {f"decoder.{k + 1}.ffn.experts": 0, f"decoder.{k + 1}.ffn.d_ff": plan.switches["ffn.d_ff"]}
            nodes |= {f"decoder.{k + 1}.{name}": source for name, source in one_net.items()}
    return replace(plan, switches=switches, nodes=nodes)


def olmo(c: Config) -> Plan:
    """OLMo (Groeneveld et al. 2024): Llama with layer norms that have no weights."""
    plan = llama(c, by="layer norm")
    nodes = {
        **plan.nodes,
        **{f"{block}.{x}": Source("") for block in ("self", "ffn", "final") for x in ("gamma", "beta")},
    }
    return replace(
        plan,
        switches={**plan.switches, **everywhere("epsilon", 1e-5), "self.clip": c.number("clip_qkv", 0.0)},
        nodes=nodes,
    )
