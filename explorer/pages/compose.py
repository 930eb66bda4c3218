"""From a view to the page of a stage: one table from the kind of a stage to what stands on its page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from explorer.core.graph import Graph
from explorer.core.node import Stage
from explorer.pages.attention import attention, attention_sentence
from explorer.pages.blocks import block, block_sentence
from explorer.pages.by_hand import by_hand, layout_choice
from explorer.pages.card import card
from explorer.pages.changes import changes
from explorer.pages.costs import COSTS, costs, costs_sentence, is_gpt
from explorer.pages.decoder import cross, masked
from explorer.pages.descent import descent
from explorer.pages.element import Element, leaves
from explorer.pages.embedding import embedding
from explorer.pages.examples import examples
from explorer.pages.family import FAMILY, family, family_sentence
from explorer.pages.feed_forward import feed_forward, layer, layer_sentence
from explorer.pages.head_gallery import HEADS, has_heads, head_gallery, head_gallery_sentence
from explorer.pages.header import header
from explorer.pages.heads import heads, heads_sentence
from explorer.pages.levels import BLOCK, blocks
from explorer.pages.levels import WHOLE as WHOLE_NAME
from explorer.pages.loss import loss, loss_sentence
from explorer.pages.matrices import matrices
from explorer.pages.matrix import Matrix, matrix
from explorer.pages.net import net, net_sentence
from explorer.pages.next_word import NEXT_WORD, next_word, next_word_sentence, writes
from explorer.pages.norm import norm, norm_sentence
from explorer.pages.output import output, output_sentence
from explorer.pages.page import Header, Item, Page, Row, Section
from explorer.pages.parameters import parameters
from explorer.pages.pieces import PIECES, has_words, pieces, pieces_sentence
from explorer.pages.positions import positions
from explorer.pages.signs import true_signs
from explorer.pages.switches import switches
from explorer.pages.vectors import vectors
from explorer.pages.view import View
from explorer.pages.whole import whole, whole_sentence
from explorer.pages.why import WHY, explains, why, why_sentence
from explorer.pages.without_covered import without_covered
from explorer.pages.word_pictures import AttentionLines, HeatMap

ABOUT_THE_MODEL = (
    Stage("model.descent", "descent", "Gradient descent", "Model"),
    Stage("model.parameters", "parameters", "Parameters", "Model"),
    Stage("model.changes", "changes", "What changed", "Model"),
    Stage("model.switches", "switches", "All switches", "Model"),
    Stage("model.card", "card", "Model card", "Model"),
)
"""Pages that belong to no stage of the graph, behind those of the stages."""
WHOLE = Stage(WHOLE_NAME, "whole", "The model", "Overview")
"""The first page."""


def stops(graph: Graph) -> tuple[Stage, ...]:
    """Where one can go: the whole, the graph's stages in reading order, what it writes, then pages about the model."""
    return (WHOLE, *graph.stages, *_about_writing(graph), *ABOUT_THE_MODEL)


def _about_writing(graph: Graph) -> tuple[Stage, ...]:
    """The pages about what a model says next, where it says something."""
    found = {
        NEXT_WORD: writes(graph),
        WHY: explains(graph),
        HEADS: has_heads(graph),
        COSTS: is_gpt(graph),
        PIECES: has_words(graph),
        FAMILY: is_gpt(graph),
    }
    return tuple(stage for stage, there in found.items() if there)


def places(graph: Graph) -> tuple[Stage, ...]:
    """All that has a page: the stops, and the blocks that one looks into on the way from the whole to a stage."""
    return (*stops(graph), *blocks(graph))


@dataclass(frozen=True)
class Kind:
    """What stands on the pages of one kind of stage."""

    elements: Callable[[View, Stage], tuple[Element, ...]]  # from a view and a stage to what stands below the header
    # What happens there; where that depends on switches, from a view and a stage to it.
    sentence: str | Callable[[View, Stage], str]
    # `switches`, `more`: the block's switches that belong there, and those that are shown on request.
    switches: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


_AROUND = ("residual", "norm", "at_end", "norm_by", "epsilon", "epsilon_in", "dropout")
_FEW_BITS = ("quantised", "quantised_block")
_ROTARY = ("pairs", "width", "base", "scaling", "factor", "room", "low", "high")
_PLACES = ("room", "first", *(f"rotary_{name}" for name in _ROTARY), "buckets", "bucket_most")
_ATTENTION = (
    ("scale", "mask", "similarity", "layout"),
    (
        *("normalise", "V", "nearest", "heads", "key_heads", "d_k", "d_v", "window", "bias", "weights", "qk_norm"),
        *("scale_width", "scale_layer", "cap", "sink", *_FEW_BITS),
    ),
)
KINDS: dict[str, Kind] = {
    "whole": Kind(whole, whole_sentence),
    BLOCK: Kind(block, block_sentence),
    "embedding": Kind(
        embedding,
        "Each word is looked up in a table: its row is the vector it starts with.",
        ("lookup", "positions"),
        ("embedding_scale", "segments", "embedding_norm", *_PLACES),
    ),
    "positions": Kind(
        positions, "The place of each word is added to its vector as numbers.", ("positions",), ("dropout", *_PLACES)
    ),
    "attention": Kind(attention, attention_sentence, *_ATTENTION),
    "masked": Kind(masked, attention_sentence, *_ATTENTION),
    "cross": Kind(cross, attention_sentence, *_ATTENTION),
    "heads": Kind(heads, heads_sentence, ("heads", "W_O"), ("key_heads", "bias_O", *_FEW_BITS)),
    "nearest": Kind(matrices, "Which row of V is most like the output? That row names the word.", ("nearest",)),
    "norm": Kind(norm, norm_sentence, _AROUND[:4], _AROUND[4:]),
    "batch norm": Kind(norm, norm_sentence, ("epsilon", "epsilon_in")),
    "dropout": Kind(
        matrices,
        "In training, some numbers are set to 0 by chance. When the model is used, all are kept.",
        ("dropout",),
    ),
    "ffn": Kind(
        feed_forward,
        "The vector of each word goes through a small net by itself: first d_ff hidden units, then d_model "
        "numbers again.",
        ("on", "activation", "gated", "d_ff"),
        ("bias", "weights", "reads", "experts", "chosen", "chosen_again", "shared", *_FEW_BITS),
    ),
    "output": Kind(
        output,
        output_sentence,
        ("activation", "tied", "bias"),
        ("logit_cap", "output_scale", "head", "norm_by", "epsilon"),
    ),
    "loss": Kind(loss, loss_sentence, ("loss", "targets", "L_1"), ("balance",)),
    "next word": Kind(next_word, next_word_sentence),
    "why": Kind(why, why_sentence),
    "pieces": Kind(pieces, pieces_sentence),
    "costs": Kind(costs, costs_sentence),
    "head gallery": Kind(head_gallery, head_gallery_sentence),
    "net": Kind(net, net_sentence),
    "layer": Kind(layer, layer_sentence, ("activation", "bias", "weights")),
    "decision": Kind(matrices, "The output turned into yes or no.", ("threshold",)),
    "regression": Kind(
        matrices, "The straight line with the smallest squared error, computed directly from the examples."
    ),
    "examples": Kind(examples, "The input: each row is an example, each column a feature."),
    "vectors": Kind(vectors, "How alike are two vectors, and how long is the shadow of one on the other?"),
    "descent": Kind(descent, "Each step moves every weight a little against its gradient, so that the loss falls."),
    "parameters": Kind(parameters, "How many numbers the model learns, block by block, and why so many."),
    "changes": Kind(changes, "The stages that the last edit has changed, and by how much."),
    "family": Kind(family, family_sentence),
    "card": Kind(card, "What this model is, what it has learned from, and how good it is."),
    "switches": Kind(switches, "Papers, textbooks and practice differ in these points. Choose here."),
}


def page(view: View, stage: Stage) -> Page:
    """The page of a stage, all of it computed from the view; what would show a covered number waits."""
    view.begin()
    return without_covered(view, partial(_whole, stage=stage))


def _whole(view: View, stage: Stage) -> Page:
    """The page of a stage with all numbers."""
    kind = KINDS[stage.kind]
    sentence = kind.sentence if isinstance(kind.sentence, str) else kind.sentence(view, stage)
    top = view.part(("header", sentence), (), lambda: _top(view, stage, sentence))
    elements = kind.elements(view, stage)
    elements = (*elements, *_others(view, stage, elements))
    return Page(stage.name, top, true_signs(by_hand(view, elements), view.looking.showing))


def _top(view: View, stage: Stage, sentence: str) -> Header:
    """The head of a page, with how its products are laid out."""
    kind = KINDS[stage.kind]
    top = header(view, stage, sentence, kind.switches, kind.more)
    return replace(top, choices=(*top.choices, *layout_choice(view, stage)))


PARTS = ("embedding", "positions", "attention", "masked", "cross", "heads", "norm", "ffn", "output")
"""Kinds of stages whose pages show all that is computed there: parts of a transformer, which switches change."""


def _shown(elements: Iterable[Element]) -> set[str]:
    """The nodes that stand on a page as matrices."""
    there = [leaf for element in elements for leaf in leaves(element)]
    drawn = {leaf.matrix.place.node for leaf in there if isinstance(leaf, HeatMap | AttentionLines)}
    return drawn | {leaf.place.node for leaf in there if isinstance(leaf, Matrix)}


def _others(view: View, stage: Stage, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The nodes of a stage that its page has no place of their own for: none is lost."""
    if stage.kind not in PARTS or view.averaged(view.block(stage)):
        return ()
    shown = _shown(elements)
    # The mean over the heads is looked at by its own choice above the page.
    missing = [node.name for node in view.stage(stage.name) if node.name not in shown and node.short != "average"]
    if not missing:
        return ()
    items = tuple(Item("", matrix(view, view.of_head(name))) for name in missing)
    return Section("others", "Also computed here"), Row("other matrices", items)
