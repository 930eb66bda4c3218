"""One table from the kind of a stage to its panel and to the words and switches above it."""

from explorer.core.node import Stage
from explorer.ui.panels.attention import AttentionPanel
from explorer.ui.panels.changes import ChangesPanel
from explorer.ui.panels.decoder import TeacherForcing, TwoSentences
from explorer.ui.panels.descent import DescentPanel
from explorer.ui.panels.embedding import EmbeddingPanel
from explorer.ui.panels.feed_forward import FeedForwardPanel, LayerPanel
from explorer.ui.panels.heads import HeadsPanel
from explorer.ui.panels.loss import LossPanel
from explorer.ui.panels.matrices import MatricesPanel
from explorer.ui.panels.net import NetPanel
from explorer.ui.panels.norm import NormPanel
from explorer.ui.panels.output import OutputPanel
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.parameters import ParametersPanel
from explorer.ui.panels.positions import PositionsPanel
from explorer.ui.panels.switches import SwitchesPanel
from explorer.ui.panels.vectors import VectorsPanel
from explorer.ui.widgets.stage_header import Heading
from explorer.ui.workbench import Workbench

_AROUND = ("residual", "norm", "epsilon", "epsilon_in", "dropout")
_ATTENTION = (
    ("scale", "mask", "similarity", "layout"),
    ("normalise", "V", "nearest", "heads", "d_k", "d_v", "window", "bias", "weights"),
)


class MaskedPanel(TeacherForcing, AttentionPanel):
    """Masked self-attention of a decoder."""


class CrossPanel(TwoSentences, AttentionPanel):
    """Attention of a decoder to what the encoder made of the source."""


REGISTRY: dict[str, tuple[type[Panel], Heading]] = {
    "embedding": (
        EmbeddingPanel,
        Heading("Each word is looked up in a table: its row is the vector it starts with.", ("lookup", "positions")),
    ),
    "positions": (
        PositionsPanel,
        Heading("The place of each word is added to its vector as numbers.", ("positions",), ("dropout",)),
    ),
    "attention": (
        AttentionPanel,
        Heading(
            "Each word asks (Q), all words answer (K): that decides how much of each value (V) it takes.",
            *_ATTENTION,
        ),
    ),
    "masked": (
        MaskedPanel,
        Heading(
            "Each word asks (Q); the words that the mask lets it see answer (K) and give their values (V).",
            *_ATTENTION,
        ),
    ),
    "cross": (
        CrossPanel,
        Heading(
            "Each word of the target asks (Q), the words of the source answer (K) and give their values (V).",
            *_ATTENTION,
        ),
    ),
    "heads": (
        HeadsPanel,
        Heading(
            "Several heads look at once; their answers are put side by side, and W_O mixes them.",
            ("heads", "W_O"),
        ),
    ),
    "nearest": (
        MatricesPanel,
        Heading("Which row of V is the output most like? That row names the word.", ("nearest",)),
    ),
    "norm": (
        NormPanel,
        Heading(
            "Each row is brought to mean 0 and variance 1, then stretched and moved.",
            _AROUND[:2],
            _AROUND[2:],
        ),
    ),
    "dropout": (
        MatricesPanel,
        Heading("In training, numbers are left out by chance: D is 0 there. In use, all are kept.", ("dropout",)),
    ),
    "ffn": (
        FeedForwardPanel,
        Heading(
            "Each word's vector by itself goes through a small net: out to d_ff hidden units, and back.",
            ("on", "activation", "d_ff"),
            ("bias", "weights"),
        ),
    ),
    "output": (
        OutputPanel,
        Heading(
            "A number for each word, or class, then shares that add up to 1.",
            ("activation", "tied", "bias"),
        ),
    ),
    "loss": (LossPanel, Heading("How surprised the model is by the right words.", ("loss", "targets", "L_1"))),
    "net": (NetPanel, Heading("Each case is a point; the colour, or the curve, is what the net answers there.")),
    "regression": (
        MatricesPanel,
        Heading("The straight line with the least squared error: slope and start follow from the examples at once."),
    ),
    "layer": (LayerPanel, Heading("Weights, bias, activation.", ("activation", "bias", "weights"))),
    "descent": (DescentPanel, Heading("Every weight a little against its gradient: the loss goes down, step by step.")),
    "changes": (ChangesPanel, Heading("The nodes that the last edit reached, and by how much.")),
    "parameters": (ParametersPanel, Heading("How many numbers the model learns, block by block, and why so many.")),
    "switches": (SwitchesPanel, Heading("Where the references, the papers and practice differ, one can choose.")),
    "decision": (MatricesPanel, Heading("The output turned into yes or no.", ("threshold",))),
    "vectors": (VectorsPanel, Heading("How alike are two vectors, and what is the shadow of one on the other?")),
    "examples": (MatricesPanel, Heading("What goes in: an example a row, a feature a column.")),
    "batch norm": (
        NormPanel,
        Heading("Each column, over all examples, is brought to mean 0 and variance 1.", ("epsilon", "epsilon_in")),
    ),
}


def panel_for(bench: Workbench, stage: Stage) -> Panel:
    """A panel that shows the stage."""
    panel, heading = REGISTRY[stage.kind]
    return panel(bench, stage, heading)
