"""From a view to the page of a stage: one table has, for each kind of stage, the functions that make its page.

Signs between matrices are checked: changes and gradients follow other rules than values. A sum has one colour scale.

`matrices` shows any stage as its matrices in reading order.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

from explorer.core.frozen import Frozen
from explorer.core.graph import Stage
from explorer.core.numbers import full_of
from explorer.pages.by_hand import by_hand, layout_choice
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.element import Element, leaves
from explorer.pages.header import header
from explorer.pages.levels import BLOCK
from explorer.pages.matrix import Matrix, matrix
from explorer.pages.page import Header, Item, Page, Row, Section, Stack
from explorer.pages.steps.veil import without_covered
from explorer.pages.view import View

ARITHMETIC = frozenset("×+=")


def true_signs(elements: tuple[Element, ...], showing: str) -> tuple[Element, ...]:
    """The elements, each sign marked with whether it holds for what the matrices show.

    The changes of a sum form a sum; those of a product form no product (ΔA × ΔV is not ΔO); gradients form neither.
    An arrow only says which matrix is made from which, so it always holds.

    `showing`: see `Looking.showing`.
    """
    if showing == "values":
        return elements
    return tuple(_true(element, showing) for element in elements)


def _true(element: Element, showing: str) -> Element:
    match element:
        case Row(items=items):
            keep = showing != "gradient" and _is_sum(items)
            marked = (
                replace(item, element=_true(item.element, showing), holds=keep or item.sign not in ARITHMETIC)
                for item in items
            )
            return replace(element, items=tuple(marked))
        case Stack(elements=inside):
            return replace(element, elements=true_signs(inside, showing))
    return element


def _is_sum(items: tuple[Item, ...]) -> bool:
    """Whether the row is nothing but a sum, and each term has a change to show."""
    nothing = any(isinstance(item.element, Matrix) and item.element.nothing for item in items)
    return not nothing and {item.sign for item in items} <= {"", "+", "="}


def of_one_scale(view: View, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, with one scale of colours for all matrices of a sum.

    With a scale for each matrix, a sum whose largest number has grown would look paler than its terms.
    """
    # No generators, for speed: each edit checks all items of the page.
    found = [
        view.part(("of one scale", one.id), one.inside, partial(_of_one_scale, one))
        if isinstance(one, Row) and "+" in [item.sign for item in one.items if item.holds]
        else one
        for one in elements
    ]
    return tuple(found)


def _of_one_scale(row: Row) -> Row:
    starts = [k for k, item in enumerate(row.items) if not k or item.sign not in ARITHMETIC]
    items: list[Item] = []
    for start, end in pairwise((*starts, len(row.items))):
        terms = row.items[start:end]
        signs = {item.sign for item in terms[1:] if item.holds}
        shown = [item.element for item in terms if isinstance(item.element, Matrix)]
        if signs == {"+", "="}:  # a product has numbers of another size than its factors
            full = max((full_of(one.array) for one in shown), default=0.0)
            scaled = {one.id: replace(one, full=full) for one in shown}
            terms = tuple(replace(item, element=scaled.get(item.element.id, item.element)) for item in terms)
        items += terms
    return replace(row, items=tuple(items))


def matrices(view: View, stage: Stage) -> tuple[Element, ...]:
    """All nodes of the stage; above them those of earlier stages that they are computed from."""
    nodes, graph = view.stage(stage.name), view.graph
    own = {node.name for node in nodes}
    above = dict.fromkeys(p for node in nodes for p in node.parents if p not in own and not graph.n_heads.get(p))
    here = Row("matrices", tuple(Item("", matrix(view, view.of_head(node.name))) for node in nodes))
    if not above:
        return (here,)
    read = Row("matrices before", tuple(Item("", matrix(view, name, name)) for name in above))
    return Section("before", "From the stages before"), read, Section("here", "Here"), here


class Maker(Frozen):
    """A function of a view and a stage. Its module is imported at the first call: at the start one page is in sight.

    `module`: the module in this folder, such as "stages.loss"; `name`: of the function, by default the module's.
    """

    module: str
    name: str = ""

    def __call__(self, view: View, stage: Stage) -> Any:
        return getattr(import_module(f"explorer.pages.{self.module}"), self.name or self.module.rpartition(".")[2])(
            view, stage
        )


class Kind(Frozen):
    """The contents of the pages of one kind of stage."""

    elements: Callable[[View, Stage], tuple[Element, ...]]  # makes the elements below the header
    # One sentence on what happens in the stage; a function where the sentence depends on switches.
    sentence: str | Callable[[View, Stage], str]
    # `switches`, `more`: the block's switches that belong to the stage, and those that are shown on request.
    switches: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


_AROUND = ("residual", "norm", "at_end", "norm_by", "epsilon", "epsilon_in", "dropout")
_FEW_BITS = ("quantised", "quantised_block")
_ROTARY = ("pairs", "width", "base", "scaling", "factor", "room", "low", "high", "stretch", "rounded")
_PLACES = ("room", "first", "skips_padding", *(f"rotary_{name}" for name in _ROTARY), "buckets", "bucket_most")
_ATTENTION = (
    ("scale", "mask", "similarity", "layout"),
    (
        *("normalise", "V", "nearest", "heads", "key_heads", "d_k", "d_v", "window", "bias", "weights", "qk_norm"),
        *("rotary_base", "scale_width", "scale_layer", "cap", "clip", "sink", *_FEW_BITS),
    ),
)
KINDS: dict[str, Kind] = {
    "whole": Kind(Maker("whole.page", "whole"), Maker("whole.page", "whole_sentence")),
    BLOCK: Kind(Maker("whole.page", "block"), Maker("whole.page", "block_sentence")),
    "embedding": Kind(
        Maker("stages.positions", "embedding"),
        "Each word is looked up in a table: its row is the vector it starts with.",
        ("lookup", "positions"),
        ("embedding_scale", "table_width", "segments", "embedding_norm", *_PLACES),
    ),
    "positions": Kind(
        Maker("stages.positions"),
        "The place of each word is added to its vector as numbers.",
        ("positions",),
        ("dropout", *_PLACES),
    ),
    "attention": Kind(Maker("stages.attention"), Maker("stages.attention", "attention_sentence"), *_ATTENTION),
    "masked": Kind(Maker("stages.attention", "masked"), Maker("stages.attention", "attention_sentence"), *_ATTENTION),
    "cross": Kind(Maker("stages.attention", "cross"), Maker("stages.attention", "attention_sentence"), *_ATTENTION),
    "heads": Kind(
        Maker("stages.attention", "heads"),
        Maker("stages.attention", "heads_sentence"),
        ("heads", "W_O"),
        (*("key_heads", "bias_O"), *_FEW_BITS),
    ),
    "nearest": Kind(matrices, "Which row of V is most like the output? That row names the word.", ("nearest",)),
    "norm": Kind(Maker("stages.norm"), Maker("stages.norm", "norm_sentence"), _AROUND[:4], _AROUND[4:]),
    "batch norm": Kind(Maker("stages.norm"), Maker("stages.norm", "norm_sentence"), ("epsilon", "epsilon_in")),
    "dropout": Kind(
        matrices,
        "In training, some numbers are set to 0 at random. When the model is used, all are kept.",
        ("dropout",),
    ),
    "ffn": Kind(
        Maker("stages.feed_forward"),
        "The vector of each word goes through a small net by itself: first d_ff hidden units, then d_model "
        "numbers again.",
        ("on", "activation", "gated", "d_ff"),
        ("bias", "weights", "reads", "experts", "chosen", "chosen_again", "shared", *_FEW_BITS),
    ),
    "output": Kind(
        Maker("stages.output"),
        Maker("stages.output", "output_sentence"),
        ("activation", "tied", "bias"),
        ("logit_cap", "output_scale", "head", "norm_by", "epsilon"),
    ),
    "loss": Kind(Maker("stages.loss"), Maker("stages.loss", "loss_sentence"), ("loss", "targets", "L_1"), ("balance",)),
    "next word": Kind(
        Maker("model.next_word"), "A model says one word at a time, and then reads the word that it has said."
    ),
    "why": Kind(
        Maker("model.why"),
        "Each block only adds to a word's vector, so what the output layer reads is a sum, and so is each logit.",
    ),
    "pieces": Kind(
        Maker("model.pieces"),
        "Large models read pieces of words. The pieces are learned from a text (byte-pair encoding).",
    ),
    "costs": Kind(
        Maker("model.costs"), "How many multiplications, numbers and bytes a text takes, counted on the model itself."
    ),
    "head gallery": Kind(
        Maker("model.head_gallery"),
        "Nobody tells a head what to do. To find out what it does, one measures where it looks.",
    ),
    "net": Kind(Maker("stages.net"), Maker("stages.net", "net_sentence")),
    "layer": Kind(
        Maker("stages.feed_forward", "layer"),
        Maker("stages.feed_forward", "layer_sentence"),
        ("activation", "bias", "weights"),
    ),
    "decision": Kind(matrices, "The output turned into yes or no.", ("threshold",)),
    "regression": Kind(
        Maker("stages.net", "regression"),
        "The straight line with the smallest squared error, computed directly from the examples.",
    ),
    "examples": Kind(Maker("stages.norm", "examples"), "The input: each row is an example, each column a feature."),
    "vectors": Kind(
        Maker("stages.vectors"), "How alike are two vectors, and how long is the shadow of one on the other?"
    ),
    "descent": Kind(
        Maker("stages.net", "descent"),
        "Each step moves every weight a little against its gradient, so that the loss falls.",
    ),
    "parameters": Kind(
        Maker("model.costs", "parameters"), "How many numbers the model learns, block by block, and why so many."
    ),
    "changes": Kind(Maker("model.changes"), "The stages that the last edit has changed, and by how much."),
    "family": Kind(
        Maker("model.card", "family"),
        "What known models changed since the paper of 2017, the most usual changes first; – means as in the paper.",
    ),
    "card": Kind(Maker("model.card"), "What this model is, what it has learned from, and how good it is."),
    "switches": Kind(
        Maker("model.changes", "switches"), "Papers, textbooks and practice differ in these points. Choose here."
    ),
}


def page(view: View, stage: Stage) -> Page:
    """The page of a stage, computed from the view; elements that would show a covered number are left out."""
    view.begin()
    return without_covered(view, partial(_whole, stage=stage))


def _whole(view: View, stage: Stage) -> Page:
    """The page of a stage, without regard to covered numbers."""
    kind = KINDS[stage.kind]
    sentence = kind.sentence if isinstance(kind.sentence, str) else kind.sentence(view, stage)
    top = view.part(("header", sentence), (), lambda: _top(view, stage, sentence))
    elements = kind.elements(view, stage)
    elements = (*elements, *_others(view, stage, elements))
    shown = true_signs(by_hand(view, elements), view.looking.showing)
    return Page(stage.name, top, of_one_scale(view, shown))


def _top(view: View, stage: Stage, sentence: str) -> Header:
    """The header of a page, with the choice of how products are laid out."""
    kind = KINDS[stage.kind]
    top = header(view, stage, sentence, kind.switches, kind.more)
    return replace(top, choices=(*top.choices, *layout_choice(view, stage)))


PARTS = ("embedding", "positions", "attention", "masked", "cross", "heads", "norm", "ffn", "output")
"""Kinds of stages whose pages show every node of the stage: parts of a transformer, whose nodes depend on switches."""


def _shown(elements: Iterable[Element]) -> set[str]:
    """The nodes that a page shows as a matrix or a picture."""
    there = [leaf for element in elements for leaf in leaves(element)]
    drawn = {leaf.matrix.place.node for leaf in there if isinstance(leaf, HeatMap | AttentionLines)}
    return drawn | {leaf.place.node for leaf in there if isinstance(leaf, Matrix)}


def _others(view: View, stage: Stage, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The nodes of a stage that its page does not show yet, so that none is missing."""
    if stage.kind not in PARTS or view.averaged(view.block(stage)):
        return ()

    def named() -> list[str]:
        shown = _shown(elements)
        # The mean over the heads is chosen in the header.
        return [node.name for node in view.stage(stage.name) if node.name not in shown and node.short != "average"]

    missing = view.part("missing", (), named)
    if not missing:
        return ()
    items = tuple(Item("", matrix(view, view.of_head(name))) for name in missing)
    return Section("others", "Also computed here"), Row("other matrices", items)
