"""The description of a model before it has numbers: kind, sizes, words and switches. A graph is built from it."""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.switches import SWITCHES, SwitchValue


class Model(Frozen):
    """The structure of a model."""

    kind: str  # "attention", "encoder", "encoder-decoder", "gpt", "mlp", "norm", "output" or "vectors"
    # Number of tokens (or rows) of each sequence: "source" and "target", "input", or "query" and "key".
    lengths: Mapping[str, int] = field(default_factory=dict)
    # Labels of the axes that are not only counted: vocabularies ("source.words"), dimensions with names ("d_model").
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    d_model: int = 4  # width of a token's vector
    layers: int = 1  # number of encoder layers and of decoder layers, or of layers of an MLP
    # "BLOCK.NAME" to the chosen value; a missing switch has the textbook's value.
    switches: Mapping[str, SwitchValue] = field(default_factory=dict)
    seed: int = 0  # the random seed of new weights
    initialiser: str = "xavier"  # how they are drawn: one of `explorer.core.ops.inputs.INITIALISERS`
    dtype: str = "float64"  # "float64" for lessons, "float32" for large models
    behind: int = 0  # layers of a decoder whose encoder has another number of them; 0 for the same number
    # The names of its inputs in the checkpoint that it was read from, with "{k}" for the layer counted from 0. A key is
    # the name of an input, its name within the stack ("encoder.self.W_Q"), or its name within every layer ("self.W_Q").
    called: Mapping[str, str] = field(default_factory=dict)

    @property
    def decoder_layers(self) -> int:
        """Number of layers of the decoder."""
        return self.behind or self.layers

    def blocks(self) -> Mapping[str, str]:
        """The blocks that have switches, in reading order, each with its kind (a key of `SWITCHES`)."""
        return self._blocks

    @cached_property
    def _blocks(self) -> dict[str, str]:
        numbers = range(1, self.layers + 1)
        match self.kind:
            case "attention":
                return {"attention": "given attention"}
            case "mlp":
                net = {**{f"layer.{k}": "layer" for k in numbers}, "decision": "decision", "loss": "loss"}
                # A regression line needs a single feature.
                return net | {"regression": "regression"} if len(self.axes.get("layer.0", ())) == 1 else net
            case "vectors":
                return {}
            case "norm":
                return {"layer": "given norm", "batch": "given norm"}
            case "output":
                return {"output": "given output", "loss": "loss"}
            case "encoder":
                stack = {f"encoder.{k}.{part}": kind for k in numbers for part, kind in _LAYER.items()}
                return {"input": "sequence", **stack, "final": "last norm", "output": "masked output", "loss": "loss"}
            case "gpt":
                stack = {f"decoder.{k}.{part}": kind for k in numbers for part, kind in _LAYER.items()}
                return {"input": "sequence", **stack, **_TOP}
            case "encoder-decoder":
                encoder = {f"encoder.{k}.{part}": kind for k in numbers for part, kind in _LAYER.items()}
                numbers = range(1, self.decoder_layers + 1)
                decoder = {f"decoder.{k}.{part}": kind for k in numbers for part, kind in _DECODER_LAYER.items()}
                end = {"encoder.final": "last norm"}
                return {"source": "sequence", **encoder, **end, "target": "sequence", **decoder, **_TOP}
            case _:
                raise ExplorerError("unknown-kind", kind=self.kind, known=", ".join(KINDS))

    def switch(self, block: str, name: str) -> SwitchValue:
        """The chosen value of a switch, or the textbook's: self-attention of a decoder is causal."""
        chosen = self.switches.get(f"{block}.{name}")
        if chosen is not None:
            return chosen
        if name == "mask" and block.startswith("decoder.") and block.endswith(".self"):
            return "causal"
        return SWITCHES[self.blocks()[block]][name].default

    def in_file(self, node: str) -> str:
        """The name of an input in the checkpoint that the model was read from; "" if there is none."""
        layer = node.split(".", 2)[1:2]
        name = next((self.called[one] for one in names_within(node) if one in self.called), "")
        return name.replace("{k}", str(int(layer[0]) - 1)) if layer and layer[0].isdigit() else name

    def has_switch(self, block: str, name: str) -> bool:
        """Whether a block has this switch."""
        return name in SWITCHES[self.blocks()[block]]

    def with_switch(self, block: str, name: str, value: object) -> "Model":
        """The same model with one switch set, after a check.

        Raises `ExplorerError`: "unknown-block", "unknown-switch" or "bad-switch-value".
        """
        blocks = self.blocks()
        if block not in blocks:
            raise ExplorerError("unknown-block", name=block, known=", ".join(blocks))
        known = SWITCHES[blocks[block]]
        if name not in known:
            raise ExplorerError("unknown-switch", block=block, name=name, known=", ".join(known))
        parsed = known[name].parse(value)
        if parsed is None:
            raise ExplorerError("bad-switch-value", value=value, block=block, name=name, allowed=known[name].allowed)
        made = replace(self, switches={**self.switches, f"{block}.{name}": parsed})
        made.__dict__["_blocks"] = blocks  # no switch changes the blocks, and a large model sets hundreds of switches
        return made


def names_within(node: str) -> list[str]:
    """A node's name, and its shorter names within its stack and within its layer, if it is in one."""
    stack, number, rest = (*node.split(".", 2), "", "")[:3]
    return [node, f"{stack}.{rest}", rest] if number.isdigit() else [node]


KINDS = ("attention", "encoder", "encoder-decoder", "gpt", "mlp", "norm", "output", "vectors")
SEQUENCES = {"encoder": ("input",), "encoder-decoder": ("source", "target"), "gpt": ("input",)}
"""The token sequences that a kind of model reads; the other kinds read none."""
_LAYER = {"self": "attention", "ffn": "ffn"}
_DECODER_LAYER = {"self": "attention", "cross": "attention", "ffn": "ffn"}
SUBLAYERS = tuple(_DECODER_LAYER)
"""The blocks of a layer, in reading order; one of an encoder has no "cross"."""
_TOP = {"final": "last norm", "output": "output", "loss": "loss of words"}
