"""TransformerLens' names of nodes, such as "blocks.3.attn.hook_pattern", which count layers from 0.

The axes of the nodes stay ours: heads stand in front of words.
"""

from collections.abc import Container, Mapping

_TOP = {
    "hook_embed": ("input.scaled", "input.X"),
    "hook_pos_embed": ("input.PE",),
    "ln_final.hook_normalized": ("final.norm",),
}
"""Hooks, each with the nodes that it may be: it is the first of them that a model has."""
_LAYER = {
    "ln1.hook_normalized": ("self.norm",),
    "attn.hook_q": ("self.Q",),
    "attn.hook_k": ("self.K",),
    "attn.hook_v": ("self.V",),
    "attn.hook_rot_q": ("self.Q_rotated",),
    "attn.hook_rot_k": ("self.K_rotated",),
    "attn.hook_attn_scores": ("self.masked", "self.capped", "self.biased", "self.scaled", "self.scores"),
    "attn.hook_pattern": ("self.weights",),
    "attn.hook_z": ("self.output",),
    "hook_attn_out": ("self.output_norm", "self.projected"),
    "hook_resid_mid": ("self.residual",),
    "ln2.hook_normalized": ("ffn.norm",),
    "mlp.hook_pre": ("ffn.gate", "ffn.hidden"),
    "mlp.hook_post": ("ffn.gated", "ffn.activation"),
    "hook_mlp_out": ("ffn.output_norm", "ffn.output"),
    "hook_resid_post": ("ffn.residual",),
}


def hook_names(nodes: Container[str], leaving: Mapping[str, str]) -> dict[str, str]:
    """The name of a node for each of TransformerLens' names, of a model with one stack of layers.

    `nodes`, `leaving`: those of an `explorer.core.graph.Graph`.
    """
    if len({name.partition(".")[0] for name in leaving}) != 1:
        return {}
    wanted = dict(_TOP)
    for name, node in leaving.items():
        stack, number, _ = name.split(".")
        wanted[f"blocks.{number}.hook_resid_pre"] = (node,)
        before = f"blocks.{int(number) - 1}"
        wanted |= {f"{before}.{hook}": tuple(f"{stack}.{number}.{one}" for one in of) for hook, of in _LAYER.items()}
        if f"{stack}.{number}.ffn.gate" in nodes:
            wanted[f"{before}.mlp.hook_pre_linear"] = (f"{stack}.{number}.ffn.hidden",)
        if node == f"{stack}.{number}.ffn.norm":  # the norm comes after the sum
            wanted[f"{before}.hook_normalized_resid_post"] = (node,)
    del wanted[f"blocks.{number}.hook_resid_pre"]  # behind the last layer
    found = {hook: next((one for one in of if one in nodes), "") for hook, of in wanted.items()}
    return {hook: node for hook, node in found.items() if node}
