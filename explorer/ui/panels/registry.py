"""One table from the kind of a stage to its panel and to the words and switches above it."""

from dataclasses import dataclass

from explorer.ui.panels.attention import AttentionPanel
from explorer.ui.panels.embedding import EmbeddingPanel
from explorer.ui.panels.heads import HeadsPanel
from explorer.ui.panels.matrices import MatricesPanel
from explorer.ui.panels.panel import Panel

_AROUND = ("residual", "norm", "epsilon", "epsilon_in")


@dataclass(frozen=True)
class Entry:
    """How a kind of stage is shown.

    Parameters
    ----------
    panel : type of Panel
    sentence : str
        What happens here, in one sentence.
    switches : tuple of str
        The block's switches that belong to this stage.
    more : tuple of str
        Those that are shown on request.
    """

    panel: type[Panel]
    sentence: str
    switches: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


REGISTRY: dict[str, Entry] = {
    "embedding": Entry(
        EmbeddingPanel, "Each word is looked up in a table: its row is the vector it starts with.", ("lookup",)
    ),
    "positions": Entry(MatricesPanel, "The place of each word is added to its vector as numbers.", ("positions",)),
    "attention": Entry(
        AttentionPanel,
        "Each word asks (Q), every word answers (K), and the answers decide how much of each value (V) to take.",
        ("scale", "mask", "similarity", "layout"),
        ("normalise", "V", "nearest", "heads", "d_k", "d_v", "bias", "weights"),
    ),
    "heads": Entry(
        HeadsPanel,
        "Several heads look at the sentence at once; their answers are put side by side and mixed by W_O.",
        ("heads", "W_O"),
    ),
    "nearest": Entry(MatricesPanel, "Which row of V is the output most like? That row names the word.", ("nearest",)),
    "norm": Entry(
        MatricesPanel,
        "Each row is brought to mean 0 and variance 1, then stretched and moved.",
        _AROUND[:2],
        _AROUND[2:],
    ),
    "ffn": Entry(
        MatricesPanel,
        "Each word's vector by itself goes through a small net: out to d_ff hidden units, and back.",
        ("on", "activation", "d_ff"),
        ("bias", "weights"),
    ),
    "output": Entry(
        MatricesPanel,
        "A number for each word of the vocabulary, then shares that add up to 1.",
        ("activation", "tied", "bias"),
    ),
    "loss": Entry(MatricesPanel, "How surprised the model is by the right words.", ("loss",)),
    "layer": Entry(MatricesPanel, "Weights, bias, activation.", ("activation", "bias", "weights")),
    "decision": Entry(MatricesPanel, "The output turned into yes or no.", ("threshold",)),
}
