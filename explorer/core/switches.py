"""The points where the references, the papers and practice disagree, as switches that belong to a block (DESIGN §5)."""

from dataclasses import dataclass

from explorer.core.ops import ACTIVATIONS, NORMS

SwitchValue = str | bool | int | float
_ANY = 1e9


@dataclass(frozen=True)
class Switch:
    """One choice."""

    default: SwitchValue  # the textbook's choice; its type is the type of every value
    title: str  # as the window writes it
    choices: tuple[str, ...] = ()  # the words to choose from; empty for a number or yes/no
    # `least`, `most`: for a number: the smallest and the largest allowed.
    least: float = 0
    most: float = _ANY

    def parse(self, value: object) -> SwitchValue | None:
        """The value as this switch holds it, from text or a TOML value; None where it is not one of the allowed."""
        text = str(value)
        if isinstance(self.default, bool):
            return {"on": True, "true": True, "off": False, "false": False}.get(text.lower())
        if self.choices:
            return text if text in self.choices else None
        try:
            number = float(text)
        except ValueError:
            return None
        # Written so that NaN is none of the allowed.
        if isinstance(value, bool) or not self.least <= number <= self.most:
            return None
        if isinstance(self.default, float):
            return number
        return int(number) if number.is_integer() else None

    @property
    def allowed(self) -> str:
        """What may be chosen, for a message."""
        if isinstance(self.default, bool):
            return "on or off"
        if self.choices:
            return ", ".join(self.choices)
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{kind} of at least {self.least:g}" + (f", at most {self.most}" if self.most < _ANY else "")


_WIDEST = 16384

# What several kinds of blocks have

_EPSILON = {
    "epsilon": Switch(1e-5, "ε", least=0),
    "epsilon_in": Switch("root", "ε stands", ("root", "sigma")),
}

_NORM = {"norm_by": Switch("layer norm", "Normalise by", tuple(NORMS)), **_EPSILON}

_DROPOUT = Switch(0.0, "Dropout", least=0, most=0.9)

_AROUND = {
    "residual": Switch(True, "Residual"),
    "norm": Switch("post", "Norm", ("post", "pre", "none")),
    **_NORM,
    "dropout": _DROPOUT,
}

_SIMILARITY = Switch("dot", "Similarity", ("dot", "cosine"))
_SCALE = Switch("1/sqrt(d_k)", "Scale", ("none", "1/d_k", "1/sqrt(d_k)", "free"))
_WINDOW = Switch(0, "Context window", most=_WIDEST)
_NORMALISE = Switch("softmax", "Weights by", ("softmax", "row sum"))
_ACTIVATION = Switch("ReLU", "Activation", tuple(ACTIVATIONS))
_WEIGHTS = Switch("x W", "Applied as", ("x W", "W x"))
_OUTPUT = Switch("softmax", "Output", ("softmax", "sigmoid", "identity"))

_LOSS = {
    "loss": Switch("cross-entropy", "Loss", ("none", "cross-entropy", "mean squared error")),
    "L_1": Switch(False, "L₁, the sum of the logs"),
}

SWITCHES: dict[str, dict[str, Switch]] = {
    "sequence": {
        "positions": Switch(
            "sinusoidal", "Positions", ("sinusoidal", "004", "004-script", "table", "learned", "rotary", "none")
        ),
        "lookup": Switch("one-hot", "Look-up", ("one-hot", "index")),
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
        "bias": Switch(False, "Biases"),
        "weights": _WEIGHTS,
        "W_O": Switch(True, "W_O"),
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
        "d_ff": Switch(0, "d_ff", most=_WIDEST),
        "activation": _ACTIVATION,
        "bias": Switch(True, "Biases"),
        "weights": _WEIGHTS,
        **_AROUND,
    },
    "layer": {
        "activation": _ACTIVATION,
        "bias": Switch(True, "Biases"),
        "weights": _WEIGHTS,
    },
    "output": {
        "activation": _OUTPUT,
        "tied": Switch(False, "Tied unembedding"),
        "bias": Switch(True, "Bias"),
    },
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
    "loss of words": {**_LOSS, "targets": Switch("typed", "Targets", ("typed", "next word"))},
    "norm": _NORM,
    "given norm": _EPSILON,
}
"""The switches of each kind of block (see `Model.blocks`). A size of 0 is the usual one: d_model / heads for d_k, d_v;
4 · d_model for d_ff; all tokens for the context window."""
