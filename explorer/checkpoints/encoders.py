"""BERT and its kin: encoders that say which word belongs where one is masked."""

from explorer.checkpoints.config import Config
from explorer.checkpoints.families import (
    ACTIVATIONS,
    Plan,
    Source,
    Switches,
    by_head,
    everywhere,
    linear,
    norm_of,
    two_layers,
)


def _layers(nodes: dict[str, Source], heads: int, names: dict[str, str], attention: str, after: str) -> None:
    """Queries, keys, values and W_O of all layers, and the norms behind both blocks."""
    for letter in "QKV":
        linear(nodes, f"self.W_{letter}", f"{attention}{names[letter]}", f"self.b_{letter}", by_head(heads))
    linear(nodes, "self.W_O", names["O"], "self.b_O")
    norm_of(nodes, "self", names["norm"])
    norm_of(nodes, "ffn", after)


def _switches(heads: int, d_ff: int, room: int, activation: str, epsilon: float) -> Switches:
    return {
        "input.positions": "own",
        "input.room": room,
        "input.embedding_norm": True,
        "input.epsilon": epsilon,
        **everywhere("norm", "post", ("self", "ffn")),
        **everywhere("epsilon", epsilon, ("self", "ffn", "output")),
        "self.heads": heads,
        "self.bias": True,
        "self.bias_O": True,
        "ffn.d_ff": d_ff,
        "ffn.activation": activation,
        "output.on": True,
        "output.head": activation,
        "output.bias": True,
    }


def _sizes(c: Config, width: str, heads: str) -> tuple[int, int]:
    d, n = c.whole(width, 768, most=65536), c.whole(heads, 12, most=128)
    if d % n:
        raise c.wrong(f"has {n} heads, which do not divide {d}")
    return d, n


def _one_way(c: Config) -> None:
    """What would make a decoder of it, or other positions."""
    c.fixed("is_decoder", False)
    c.fixed("add_cross_attention", False)
    c.fixed("position_embedding_type", "absolute")


def bert(c: Config, top: str = "bert.", pad: int = -1) -> Plan:
    """BERT (Devlin et al. 2019): norms behind each block, a table of segments, a layer before the output."""
    d, heads = _sizes(c, "hidden_size", "num_attention_heads")
    _one_way(c)
    room = c.whole("max_position_embeddings", 512)
    activation = c.choice("hidden_act", "gelu", ACTIVATIONS)
    epsilon = c.number("layer_norm_eps", 1e-12)
    switches = _switches(heads, c.whole("intermediate_size", 3072, most=16384), room, activation, epsilon)
    switches |= {"input.segments": c.whole("type_vocab_size", 2, most=64), "input.first": pad + 1}
    switches["input.skips_padding"] = pad >= 0
    switches["output.tied"] = c.flag("tie_word_embeddings", True)
    at, layer = f"{top}embeddings.", f"{top}encoder.layer.{{k}}."
    nodes = {
        "input.table": Source(f"{at}word_embeddings.weight"),
        "input.places": Source(f"{at}position_embeddings.weight"),
        "input.segment_table": Source(f"{at}token_type_embeddings.weight"),
    }
    norm_of(nodes, "input", f"{at}LayerNorm")
    names = {"Q": "query", "K": "key", "V": "value"}
    names |= {"O": f"{layer}attention.output.dense", "norm": f"{layer}attention.output.LayerNorm"}
    _layers(nodes, heads, names, f"{layer}attention.self.", f"{layer}output.LayerNorm")
    two_layers(nodes, f"{layer}intermediate.dense", f"{layer}output.dense")
    head = "cls.predictions."
    linear(nodes, "output.W_head", f"{head}transform.dense", "output.b_head")
    norm_of(nodes, "output", f"{head}transform.LayerNorm")
    linear(nodes, "output.W", f"{head}decoder", "output.b")
    layers, words = c.whole("num_hidden_layers", 12, most=1000), c.whole("vocab_size", 30522)
    otherwise = {f"{head}decoder.bias": f"{head}bias"}
    return Plan(d, layers, words, switches, nodes, "encoder", prefix=top, head=head, otherwise=otherwise)


def roberta(c: Config) -> Plan:
    """RoBERTa (Liu et al. 2019): BERT with positions behind the padding's number, and GELU at its end."""
    plan = bert(c, "roberta.", c.whole("pad_token_id", 1, least=0, most=999))
    nodes = {name: source for name, source in plan.nodes.items() if not name.startswith("output.")}
    linear(nodes, "output.W_head", "lm_head.dense", "output.b_head")
    norm_of(nodes, "output", "lm_head.layer_norm")
    linear(nodes, "output.W", "lm_head.decoder", "output.b")
    switches: Switches = {**plan.switches, "output.head": "GELU"}
    words, otherwise = c.whole("vocab_size", 50265), {"lm_head.decoder.bias": "lm_head.bias"}
    top, head = "roberta.", "lm_head."
    return Plan(plan.d_model, plan.layers, words, switches, nodes, "encoder", 0, top, head, otherwise)


def distilbert(c: Config) -> Plan:
    """DistilBERT (Sanh et al. 2019): BERT with half of its layers, and without segments."""
    d, heads = _sizes(c, "dim", "n_heads")
    _one_way(c)
    c.known("sinusoidal_pos_embds")  # its table is in the file all the same
    activation = c.choice("activation", "gelu", ACTIVATIONS)
    room = c.whole("max_position_embeddings", 512)
    switches = _switches(heads, c.whole("hidden_dim", 3072, most=16384), room, activation, 1e-12)
    switches["output.tied"] = c.flag("tie_word_embeddings", True)
    top = "distilbert."
    at, layer = f"{top}embeddings.", f"{top}transformer.layer.{{k}}."
    nodes = {
        "input.table": Source(f"{at}word_embeddings.weight"),
        "input.places": Source(f"{at}position_embeddings.weight"),
    }
    norm_of(nodes, "input", f"{at}LayerNorm")
    names = {"Q": "q_lin", "K": "k_lin", "V": "v_lin"}
    names |= {"O": f"{layer}attention.out_lin", "norm": f"{layer}sa_layer_norm"}
    _layers(nodes, heads, names, f"{layer}attention.", f"{layer}output_layer_norm")
    two_layers(nodes, f"{layer}ffn.lin1", f"{layer}ffn.lin2")
    linear(nodes, "output.W_head", "vocab_transform", "output.b_head")
    norm_of(nodes, "output", "vocab_layer_norm")
    linear(nodes, "output.W", "vocab_projector", "output.b")
    layers, words = c.whole("n_layers", 6, most=1000), c.whole("vocab_size", 30522)
    return Plan(d, layers, words, switches, nodes, "encoder", prefix=top, head="vocab_")
