"""What others call a model's numbers: where a checkpoint has its inputs, and TransformerLens' names of nodes."""

from collections.abc import Container, Mapping
from math import prod
from typing import TYPE_CHECKING

from explorer.core.errors import require_cell
from explorer.core.frozen import Frozen

if TYPE_CHECKING:
    from explorer.core.graph import Graph, NamedCell
    from explorer.core.model import Model


class Stored(Frozen):
    """Where a checkpoint has the numbers of an input: which part of which tensor, in which order."""

    tensor: str  # with "{k}" for the layer counted from 0, and "{e}" for the expert
    # `shape`: that of the tensor; () if it is not known how the input's numbers stand in it.
    shape: tuple[int, ...] = ()
    # Places are counted through the tensor, whose last axis runs fastest: the place of the input's first number, and
    # how many places farther the next number along each of the input's axes stands.
    first: int = 0
    steps: tuple[int, ...] = ()

    def cell(self, index: tuple[int, ...]) -> tuple[int, ...] | None:
        """The index in the tensor of a cell of the input; None if it is not known, or if the tensor lacks it."""
        if len(index) != len(self.steps):
            return None
        place = self.first + sum(i * step for i, step in zip(index, self.steps, strict=True))
        if place >= prod(self.shape):
            return None  # the input has grown since
        return _digits(place, self.shape)

    def index(self, cell: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """The cell of the input, which has this shape, that is in a cell of the tensor; None if it is none of them."""
        if len(cell) != len(self.shape) or any(not 0 <= at < n for at, n in zip(cell, self.shape, strict=True)):
            return None
        place = 0
        for at, n in zip(cell, self.shape, strict=True):
            place = place * n + at
        left, found = place - self.first, [0] * len(self.steps)
        for axis in sorted(range(len(self.steps)), key=lambda axis: -self.steps[axis]):
            if step := self.steps[axis]:
                found[axis], left = divmod(left, step)
        fits = len(shape) == len(found) and all(0 <= at < n for at, n in zip(found, shape, strict=True))
        return tuple(found) if fits and not left else None


def _digits(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index, in an array of this shape, of a place counted through it."""
    found = []
    for n in reversed(shape):
        place, at = divmod(place, n)
        found.append(at)
    return tuple(reversed(found))


def nodes_of_tensor(model: "Model", graph: "Graph", name: str) -> list[str]:
    """The inputs whose numbers are those of a tensor in the file of a checkpoint; the name's beginning may lack."""
    if "." not in name or not model.called:
        return []
    return [one for one in graph.nodes if one in graph.inputs and _ends_as(model.in_file(one), name)]


def cell_of_tensor(model: "Model", graph: "Graph", name: str, at: tuple[int, ...]) -> "NamedCell | None":
    """The input that has a cell of a tensor, and the index in that input.

    Returns None for other names, without an index, and for the end of a name that several layers have.
    Raises `ExplorerError`: "bad-cell" if the tensor has no such cell.
    """
    parts = [(node, model.stored(node)) for node in nodes_of_tensor(model, graph, name)] if at else []
    if len({stored.tensor for _, stored in parts if stored is not None}) > 1:
        return None
    shape: tuple[int, ...] = ()
    for node, stored in parts:
        index = None if stored is None else stored.index(at, graph.shape(node))
        if stored is not None and index is not None:
            expert = _expert(stored.tensor, name)
            index = index if expert is None else (expert, *index[1:])
            require_cell(name, index, graph.shape(node))
            return node, index
        shape = shape if stored is None else stored.shape
    if shape:
        require_cell(name, at, shape)
    return None


def _ends_as(tensor: str, name: str) -> bool:
    """Whether a tensor's name, with "{e}" for the number of an expert, ends in this one."""
    own, given = tensor.split("."), name.split(".")
    pairs = zip(reversed(own), reversed(given), strict=False)
    return len(given) <= len(own) and all(a == b or (a == "{e}" and b.isdecimal()) for a, b in pairs)


def _expert(tensor: str, name: str) -> int | None:
    """The number in a name that stands for "{e}" in that of a tensor; None if it has none."""
    pairs = zip(reversed(tensor.split(".")), reversed(name.split(".")), strict=False)
    return next((int(b) for a, b in pairs if a == "{e}"), None)


# TransformerLens' names, such as "blocks.3.attn.hook_pattern". They count layers from 0; the axes of nodes stay ours.

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
