"""The description of a model before it has numbers: kind, sizes, words and switches. A graph is built from it.

Switches are the points where the references, the papers and practice disagree; each belongs to a block.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property

from explorer.core.errors import ExplorerError, some
from explorer.core.frozen import Frozen
from explorer.core.numbers import between
from explorer.core.ops import ACTIVATIONS, NORMS
from explorer.core.stored import Stored

SwitchValue = str | bool | int | float
_ANY = 1e9
_WIDEST, _WIDEST_NET = 16384, 65536
_LONGEST = 2**24


class Switch(Frozen):
    """One choice."""

    default: SwitchValue  # the textbook's choice; its type is the type of all values
    title: str  # its name in the window
    choices: tuple[str, ...] = ()  # the words to choose from; empty for a number or yes/no
    # `least`, `most`: for a number, the smallest and largest allowed value.
    least: float = 0
    most: float = _ANY
    # Another switch of the block and the value that it must have, or this switch has no effect; "" for no such switch.
    needs: tuple[str, str] = ("", "")

    def parse(self, value: object) -> SwitchValue | None:
        """The value in this switch's type, from text or a TOML value; None if it is not allowed."""
        text = str(value)
        if isinstance(self.default, bool):
            return {"on": True, "true": True, "off": False, "false": False}.get(text.lower())
        if self.choices:
            return text if text in self.choices else None
        try:
            number = float(text)
        except ValueError:
            return None
        # Written so that NaN fails, too.
        if isinstance(value, bool) or not self.least <= number <= self.most:
            return None
        if isinstance(self.default, float):
            return number
        return int(number) if number.is_integer() else None

    @property
    def allowed(self) -> str:
        """The allowed values, for a message."""
        if isinstance(self.default, bool):
            return "on or off"
        if self.choices:
            return ", ".join(self.choices)
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{kind} " + (between(self.least, self.most) if self.most < _ANY else f"of {self.least:g} or more")


# Switches of several kinds of blocks

_EPSILON = {
    "epsilon": Switch(1e-5, "ε", least=0),
    "epsilon_in": Switch("root", "ε goes into", ("root", "sigma")),
}

_NORM = {"norm_by": Switch("layer norm", "Normalise by", tuple(NORMS)), **_EPSILON}

BITS = {"8 bits": 8, "4 bits": 4}
"""The bits per weight for each choice of the switch."""

_QUANTISED = {
    "quantised": Switch("no", "Weights in", ("no", *BITS)),
    "quantised_block": Switch(32, "Weights with one scale", least=1, most=_WIDEST),
}

_LAST_NORM = {"at_end": Switch(True, "Norm at the end"), **_NORM}

_DROPOUT = Switch(0.0, "Dropout", least=0, most=0.9)

_AROUND = {
    "residual": Switch(True, "Residual"),
    "norm": Switch("post", "Norm", ("post", "pre", "both", "output", "none")),
    **_NORM,
    "dropout": _DROPOUT,
}

_SIMILARITY = Switch("dot", "Similarity", ("dot", "cosine"))
_SCALE = Switch("1/sqrt(d_k)", "Scale", ("none", "1/d_k", "1/sqrt(d_k)", "free"))
_WINDOW = Switch(0, "Context window", most=_LONGEST)
_NORMALISE = Switch("softmax", "Weights by", ("softmax", "row sum"))
_ACTIVATION = Switch("ReLU", "Activation", tuple(ACTIVATIONS))
_WEIGHTS = Switch("x W", "Applied as", ("x W", "W x"))
_OUTPUT = Switch("softmax", "Output", ("softmax", "sigmoid", "identity"))

_LOSS = {
    "loss": Switch("cross-entropy", "Loss", ("none", "cross-entropy", "mean squared error")),
    "L_1": Switch(False, "L₁, the sum of the logs", needs=("loss", "cross-entropy")),
}

READS = ("after attention", "beside attention", "beside attention, its norm")
"""Where a feed-forward net stands: after the attention, or beside it with its own norm or that of the attention."""

_ADDED = ("sinusoidal", "sines first", "004", "004-script", "table", "learned", "own")
POSITIONS = (*_ADDED, "rotary", "ALiBi", "relative", "none")

_OUTPUT_LAYER = {
    "activation": _OUTPUT,
    "tied": Switch(False, "Tied unembedding"),
    "bias": Switch(True, "Bias"),
    "logit_cap": Switch(0.0, "Soft cap of the logits", least=0),
    "output_scale": Switch(False, "Divided by the root of the width"),
    "head": Switch("none", "Layer before it", ("none", *ACTIVATIONS)),
    **_NORM,
}

SWITCHES: dict[str, dict[str, Switch]] = {
    "sequence": {
        "positions": Switch("sinusoidal", "Positions", POSITIONS),
        "room": Switch(0, "Positions that the model has", most=_LONGEST),
        "first": Switch(0, "Row of the first position", most=1000),
        "skips_padding": Switch(False, "Padding has no position"),
        "rotary_pairs": Switch("neighbours", "Rotary pairs", ("neighbours", "halves")),
        "rotary_width": Switch(0, "Dimensions that turn", most=_WIDEST),
        "rotary_base": Switch(10000.0, "Rotary base", least=1),
        "rotary_scaling": Switch("none", "Longer texts", ("none", "linear", "dynamic", "llama 3", "yarn")),
        "rotary_factor": Switch(1.0, "Longer by", least=1, most=1e6),
        "rotary_room": Switch(0, "Words in training", most=_LONGEST),
        "rotary_low": Switch(1.0, "Turns below which angles shrink", most=1e6),
        "rotary_high": Switch(4.0, "Turns above which they do not", most=1e6),
        "rotary_stretch": Switch(1.0, "Turned vectors longer by", most=1e6),
        "rotary_rounded": Switch(True, "Shrinks from one whole pair to another"),
        "buckets": Switch(32, "Buckets of distances", least=2, most=4096),
        "bucket_most": Switch(128, "Distance of the last bucket", least=2, most=_LONGEST),
        "lookup": Switch("one-hot", "Look-up", ("one-hot", "index")),
        "embedding_scale": Switch(False, "Times the root of the width"),
        "table_width": Switch(0, "Width of the table", most=_WIDEST),
        "segments": Switch(0, "Segments", most=64),
        "embedding_norm": Switch(False, "Norm of the embeddings"),
        **_NORM,
        "dropout": _DROPOUT,
    },
    "attention": {
        "similarity": _SIMILARITY,
        "scale": _SCALE,
        "mask": Switch("none", "Mask", ("none", "causal", "padding", "causal + padding", "related", "hand")),
        "window": _WINDOW,
        "normalise": _NORMALISE,
        "heads": Switch(1, "Heads", least=1, most=128),
        "d_k": Switch(0, "d_k", most=_WIDEST),
        "d_v": Switch(0, "d_v", most=_WIDEST),
        "key_heads": Switch(0, "Heads of keys and values", most=128),
        "qk_norm": Switch("none", "Norm of Q and K", ("none", "each head", "all heads")),
        "rotary_base": Switch(0.0, "Rotary base of its own", least=0),
        "scale_width": Switch(0, "d_k in the scale", most=_WIDEST),
        "scale_layer": Switch(False, "Scale divided by the layer"),
        "cap": Switch(0.0, "Soft cap of the scores", least=0),
        "clip": Switch(0.0, "Hard cap of Q, K and V", least=0),
        "sink": Switch(False, "Sink"),
        "bias": Switch(False, "Biases"),
        "bias_O": Switch(False, "Bias of W_O"),
        "weights": _WEIGHTS,
        "W_O": Switch(True, "W_O"),
        **_QUANTISED,
        **_AROUND,
    },
    "given attention": {
        "similarity": _SIMILARITY,
        "layout": Switch("(T, C)", "Layout of Q, K", ("(T, C)", "(C, T)")),
        "scale": _SCALE,
        "mask": Switch("none", "Mask", ("none", "causal", "related", "hand")),
        "window": _WINDOW,
        "normalise": _NORMALISE,
        "V": Switch(True, "Values"),
        "nearest": Switch(False, "Nearest row of V"),
    },
    "ffn": {
        "on": Switch(True, "Feed-forward"),
        "d_ff": Switch(0, "d_ff", most=_WIDEST_NET),
        "activation": _ACTIVATION,
        "gated": Switch(False, "Gated"),
        "reads": Switch("after attention", "Works", READS),
        "experts": Switch(0, "Experts", most=256),
        "chosen": Switch(2, "Experts for a word", least=1, most=256),
        "chosen_again": Switch(True, "Chosen shares divided by their sum"),
        "shared": Switch(0, "d_ff of a shared expert", most=_WIDEST_NET),
        "bias": Switch(True, "Biases"),
        "weights": _WEIGHTS,
        **_QUANTISED,
        **_AROUND,
    },
    "layer": {
        "activation": _ACTIVATION,
        "bias": Switch(True, "Biases"),
        "weights": _WEIGHTS,
    },
    "output": _OUTPUT_LAYER,
    "masked output": {"on": Switch(False, "Says the word at each place"), **_OUTPUT_LAYER},
    "given output": {
        "activation": _OUTPUT,
    },
    "decision": {
        "threshold": Switch(0.0, "Threshold", least=0),
    },
    "regression": {
        "on": Switch(False, "Linear regression"),
    },
    "loss": _LOSS,
    "loss of words": {
        **_LOSS,
        "targets": Switch("typed", "Targets", ("typed", "next word")),
        "balance": Switch(0.0, "Balance of the experts, times", least=0, most=1000),
    },
    "last norm": _LAST_NORM,
    "given norm": _EPSILON,
}
"""The switches of each kind of block (see `Model.blocks`). A size of 0 means the usual one: d_model / heads for d_k and
d_v; 4 · d_model for d_ff; all tokens for the context window. A stack has a last norm if its layers have theirs before
the blocks, because these leave the sum unnormalised (Xiong et al. 2020, §3)."""

ENDS = ("output", "masked output", "given output", "decision", "regression", "loss", "loss of words")
"""The kinds of blocks behind the layers: a name without a block, as a lesson may write it, means none of theirs."""


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
    initialiser: str = "xavier"  # how they are drawn: one of `explorer.core.ops.weights.INITIALISERS`
    dtype: str = "float64"  # "float64" for lessons, "float32" for large models
    behind: int = 0  # layers of a decoder whose encoder has another number of them; 0 for the same number
    # Where its inputs stand in the checkpoint that it was read from. A key is the name of an input, its name within the
    # stack ("encoder.self.W_Q"), or its name within every layer ("self.W_Q").
    called: Mapping[str, Stored] = field(default_factory=dict)
    room: int = 0  # how many words a text has that it was made for, as that checkpoint says; 0 if nobody says

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

    def stored(self, node: str) -> Stored | None:
        """Where an input stands in the checkpoint that the model was read from; None if it has no tensor there."""
        found = next((self.called[one] for one in names_within(node) if one in self.called), None)
        layer = node.split(".", 2)[1:2]
        if found is None or not (layer and layer[0].isdigit()):
            return found
        return replace(found, tensor=found.tensor.replace("{k}", str(int(layer[0]) - 1)))

    def in_file(self, node: str, index: tuple[int, ...] = ()) -> str:
        """What an input, or a cell of it, is called in the checkpoint that the model was read from; "" if nothing is.

        A cell has its index there, such as "model.layers.0.self_attn.q_proj.weight[12, 5]".
        """
        found = self.stored(node)
        if found is None:
            return ""
        name = found.tensor.replace("{e}", str(index[0])) if index else found.tensor
        cell = found.cell(index) if index else None
        return f"{name}{list(cell)}" if cell else name

    def has_switch(self, block: str, name: str) -> bool:
        return name in SWITCHES[self.blocks()[block]]

    def with_switch(self, block: str, name: str, value: object) -> "Model":
        """The same model with one switch set, after a check.

        Raises `ExplorerError`: "unknown-block", "unknown-switch" or "bad-switch-value".
        """
        blocks = self.blocks()
        if block not in blocks:
            raise ExplorerError("unknown-block", name=block, known=some(list(blocks)))
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
