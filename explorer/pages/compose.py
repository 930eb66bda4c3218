"""From a view to the page of a stage: one table has, for each kind of stage, the functions that make its page.

Signs between matrices are checked: changes and gradients follow other rules than values. A sum has one colour scale.
Also the header of each page.

`matrices` shows any stage as its matrices in reading order.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise, takewhile
from typing import Any

from explorer.core.frozen import Frozen
from explorer.core.graph import Stage
from explorer.core.model import SWITCHES, SwitchValue
from explorer.core.numbers import full_of
from explorer.lessons.schema import WHOLE
from explorer.lessons.symbols import names_text
from explorer.pages import levels
from explorer.pages import page as el
from explorer.pages.by_hand import by_hand, layout_choice
from explorer.pages.controls import Button, Check, Choice, Field, Number, Switches
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.element import Element, of_kind
from explorer.pages.gestures import ChooseHead, GoTo, Keep, is_held
from explorer.pages.gestures import Switch as SwitchTo
from explorer.pages.levels import BLOCK
from explorer.pages.matrix import Matrix, matrix
from explorer.pages.steps.covering import without_covered
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
        case el.Row(items=items):
            keep = showing != "gradient" and _is_sum(items)
            marked = (
                replace(item, element=_true(item.element, showing), holds=keep or item.sign not in ARITHMETIC)
                for item in items
            )
            return replace(element, items=tuple(marked))
        case el.Stack(elements=inside):
            return replace(element, elements=true_signs(inside, showing))
    return element


def _is_sum(items: tuple[el.Item, ...]) -> bool:
    """Whether the row is nothing but a sum, and each term has a change to show."""
    nothing = any(isinstance(item.element, Matrix) and item.element.nothing for item in items)
    return not nothing and {item.sign for item in items} <= {"", "+", "="}


def with_lists_told(elements: Sequence[Element]) -> tuple[Element, ...]:
    """The elements, where matrices show changes or gradients: the nearest heading of a list says that it shows values.

    A sentence in the header would take another line, and all below would move.
    """
    told = list(elements)
    for place, one in enumerate(elements):
        match one:
            case el.Row(items=items):
                inside = zip(items, with_lists_told(one.inside), strict=True)
                told[place] = replace(one, items=tuple([replace(item, element=part) for item, part in inside]))
            case el.Stack(title=title, elements=within):
                title += _VALUES * bool(title and _has_list(within))
                told[place] = replace(one, title=title, elements=with_lists_told(within))
            case el.Section(text=text):
                below = takewhile(lambda part: not isinstance(part, el.Section), elements[place + 1 :])
                told[place] = replace(one, text=text + _VALUES * _has_list(below))
    return tuple(told)


def _has_list(elements: Iterable[Element]) -> bool:
    """Whether there is a list among elements, or in those of them that have no heading of their own."""
    return any(
        isinstance(one, el.Listing)
        or (isinstance(one, el.Row) and _has_list(one.inside))
        or (isinstance(one, el.Stack) and not one.title and _has_list(one.elements))
        for one in elements
    )


_VALUES = " (values)"


def of_one_scale(view: View, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements, with one scale of colours for all matrices of a sum.

    With a scale for each matrix, a sum whose largest number has grown would look paler than its terms.
    """
    # No generators, for speed: each edit checks all items of the page.
    found = [
        view.part(("of one scale", one.id), one.inside, partial(_of_one_scale, one))
        if isinstance(one, el.Row) and "+" in [item.sign for item in one.items if item.holds]
        else one
        for one in elements
    ]
    return tuple(found)


def _of_one_scale(row: el.Row) -> el.Row:
    starts = [k for k, item in enumerate(row.items) if not k or item.sign not in ARITHMETIC]
    items: list[el.Item] = []
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
    here = el.Row.of("matrices", [matrix(view, view.of_head(node.name)) for node in nodes])
    if not above:
        return (here,)
    read = el.Row.of("matrices before", [matrix(view, name, name) for name in above])
    return el.Section("before", "From the stages before"), read, el.Section("here", "Here"), here


class Maker(Frozen):
    """A function of a view and a stage. Its module is imported at the first call: at the start one page is in sight.

    `module`: the module in this folder, such as "stages.loss"; `name`: of the function, by default the module's.
    """

    module: str
    name: str = ""

    def __call__(self, view: View, stage: Stage) -> Any:
        module, name = import_module(f"explorer.pages.{self.module}"), self.name or self.module.rpartition(".")[2]
        return getattr(module, name)(view, stage)


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
        Maker("stages.feed_forward", "feed_forward_sentence"),
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


def page(view: View, stage: Stage) -> el.Page:
    """The page of a stage, computed from the view; elements that would show a covered number are left out."""
    view.begin()
    return without_covered(view, partial(_whole, stage=stage))


def _whole(view: View, stage: Stage) -> el.Page:
    """The page of a stage, without regard to covered numbers."""
    kind = KINDS[stage.kind]
    sentence = kind.sentence if isinstance(kind.sentence, str) else kind.sentence(view, stage)
    elements = kind.elements(view, stage)
    elements = (*elements, *_others(view, stage, elements))
    sentence += _off(view, stage)
    top = view.part(("header", sentence), (), lambda: header(view, stage, sentence))
    if view.looking.showing != "values":
        elements = with_lists_told(elements) if of_kind(elements, Matrix) else elements
    shown = true_signs(by_hand(view, elements), view.looking.showing)
    return el.Page(stage.name, top, of_one_scale(view, shown))


def _off(view: View, stage: Stage) -> str:
    """What is held at 0 on this page, which otherwise looks as if the part worked; of heads, the one that is chosen."""
    if not view.engine.pins or stage.kind not in PARTS:
        return ""
    held = [node.symbol for node in view.stage(stage.name) if is_held(view, view.of_head(node.name))]
    are = "is" if len(held) == 1 else "are"
    return f" Switched off: {' and '.join(held)} {are} held at 0." if held else ""


PARTS = ("embedding", "positions", "attention", "masked", "cross", "heads", "norm", "ffn", "output")
"""Kinds of stages whose pages show every node of the stage: parts of a transformer, whose nodes depend on switches."""


def _shown(elements: Iterable[Element]) -> set[str]:
    """The nodes that a page shows as a matrix or a picture."""
    drawn = [one.matrix for one in of_kind(elements, HeatMap)]
    drawn += [one.matrix for one in of_kind(elements, AttentionLines)]
    return {one.place.node for one in (*drawn, *of_kind(elements, Matrix))}


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
    others = [matrix(view, view.of_head(name)) for name in missing]
    return el.Section("others", "Also computed here"), el.Row.of("other matrices", others)


# The header


def header(view: View, stage: Stage, sentence: str) -> el.Header:
    """The header of a stage's page; `sentence`: what happens in the stage."""
    kind = KINDS[stage.kind]
    within = [one.name for one in levels.stages_of(view.graph, stage.name)] if stage.kind == BLOCK else [stage.name]
    # Experts are stacked like heads, but chosen on their own page.
    mine = (node for node in view.nodes.values() if node.stage in within and ".ffn." not in node.name)
    heads = max((view.graph.n_heads.get(node.name, 0) for node in mine), default=0)
    chosen = min(view.looking.head, heads - 1)
    averaged = view.looking.averaged
    head = "" if heads < 2 else ", heads averaged" if averaged else f", head {chosen + 1}"
    choices: list[Choice | Check] = [*_layers(view, stage)]
    if heads > 1:
        options = (*(str(i + 1) for i in range(heads)), "averaged")
        asks = (*(ChooseHead(i) for i in range(heads)), ChooseHead(None))
        choices.append(Choice("head", "Head", options, heads if averaged else chosen, asks, "Head to look at"))
    block = block_of(stage.name, list(view.state.model.blocks()))
    bar = switch_bar(view, block, kind.switches, kind.more) if block and kind.switches else None
    title = f"{levels.full_title(stage)}{head}"
    choices += layout_choice(view, stage)
    return el.Header("header", title, sentence, tuple(choices), bar, _crumbs(view, stage), stage.title)


def _crumbs(view: View, stage: Stage) -> tuple[Button, ...]:
    """The path to a stage: the model, and the block around the stage; the last of them is the way out."""
    if stage.name == WHOLE:
        return ()
    whole = "The whole model in one picture (Alt+Home)"
    model = Button("crumb.model", "The model", levels.to_whole(view, stage), whole, "The model")
    block = levels.block_around(view, stage)
    if block is None:
        return (model,)
    name = block.where
    return model, Button("crumb.part", name, GoTo(block.name), f"{name}, all its matrices (Esc)", name)


def _layers(view: View, stage: Stage) -> list[Choice]:
    """The choice of the layer, if several layers have this stage; on pages about all layers, which one is shown."""
    if stage.name == WHOLE or stage.kind == "switches":
        return _layers_of_all(view, stage) if levels.has_stream(view) else []
    numbered = re.fullmatch(rf"({WHOLE}\.)?(encoder|decoder)\.(\d+)\.(.+)", stage.name)
    if not numbered:
        return []
    before, kind, number, rest = numbered.groups(default="")
    there = {one.name for one in (levels.blocks(view.graph) if before else view.graph.stages)}
    every = (str(k) for k in range(1, levels.layers_of(view)[kind] + 1))
    options = tuple(k for k in every if f"{before}{kind}.{k}.{rest}" in there)
    if len(options) < 2:
        return []
    asks = tuple(GoTo(f"{before}{kind}.{k}.{rest}") for k in options)
    return [Choice("layer", "Layer", options, options.index(number), asks, "Layer to look at")]


def _layers_of_all(view: View, stage: Stage) -> list[Choice]:
    """The choice of the layer that the picture of the whole draws, or whose switches are listed; none if all are."""
    layers = max(levels.layers_of(view).values())
    options = tuple(map(str, range(1, layers + 1)))
    if stage.name != WHOLE:
        layer, key, tip = levels.listed_layer(view), levels.SWITCHED, "The layer whose switches are listed"
        several = layer != levels.ALL
    else:
        layer, key, several = levels.shown_layer(view), levels.LAYER, layers > 1
        options += () if view.looking.large else ("all",)
        others = "are not all alike: see the page “All switches”" if levels.unlike(view) else "have the same blocks"
        tip = f"The layer that is drawn; the others {others}"
    asks = tuple(Keep(key, levels.ALL if k == "all" else int(k)) for k in options)
    chosen = layers if layer == levels.ALL else layer - 1
    return [Choice("layer", "Layer", options, chosen, asks, tip)] if several else []


MORE, EVERYWHERE = "More switches", "Set everywhere"


def switch_bar(
    view: View, block: str, names: Sequence[str], more: Sequence[str] = (), everywhere: bool = True
) -> Switches:
    """Some switches of a block, with their values in the newest state.

    Switches that the block does not have, or that have no effect there, are left out.
    """
    model = view.state.model
    blocks = model.blocks()
    kind = blocks[block]

    def works(name: str) -> bool:
        by, value = SWITCHES[kind][name].needs
        return not by or model.switch(block, by) == value

    first, rest = (
        tuple((name, model.switch(block, name)) for name in some if name in SWITCHES[kind] and works(name))
        for some in (names, more)
    )
    if not first:
        first, rest = rest, ()  # there are no first ones, so the others are shown without a request
    several = list(blocks.values()).count(kind) if everywhere and first else 1
    example = view.state.lesson
    unfolded, ticked = (view.chosen(_kept(block, box, example), False) for box in (MORE, EVERYWHERE))
    ticked = ticked and several > 1 and (unfolded or not rest)
    return Switches(
        f"switches of {block}",
        *(block, kind, first, rest, several, _divisor(view, block)),
        *(levels.block_title(view.graph, block), unfolded, ticked, example),
    )


def _kept(block: str, box: str, example: str) -> str:
    """The key under which it is kept whether a box of the switches of a block is ticked."""
    return f"{block}: {box} in {example}"


def controls_of(bar: Switches) -> tuple[Element, ...]:
    """The controls of some switches, "More switches", and "Set everywhere" if the model has several such blocks."""
    unfolds, sets_all = (Keep(_kept(bar.block, box, bar.example)) for box in (MORE, EVERYWHERE))
    controls = [_switch(bar, name, value) for name, value in bar.values]
    if bar.more:
        text, tip = "Fewer switches" if bar.unfolded else MORE, "Heads, sizes, biases and the like"
        controls.append(Button(MORE, text, unfolds.at(not bar.unfolded), tip, link=True))
    if bar.unfolded:
        controls += [_switch(bar, name, value) for name, value in bar.more]
    if bar.several > 1 and (bar.unfolded or not bar.more):
        tip = f"Set a switch in all {bar.several} blocks like this"
        controls.append(Check(EVERYWHERE, EVERYWHERE, bar.everywhere, sets_all, tip))
    return tuple(controls)


def values_said(bar: Switches) -> str:
    """The values of the switches that are shown first, such as "Scale: 1/√dₖ · Mask: none"."""
    titled = ((SWITCHES[bar.kind][name].title, value) for name, value in bar.values)
    said = ((title, value if isinstance(value, bool) else _written(bar, f"{value}")) for title, value in titled)
    return " · ".join(
        title if value is True else f"{title}: {'off' if value is False else value}" for title, value in said
    )


def _written(bar: Switches, choice: str) -> str:
    """A choice as it is written in a list, which takes plain text only."""
    return names_text(choice.replace("sqrt(d_k)", "√d_k").replace("d_k", bar.width))


def _switch(bar: Switches, name: str, value: SwitchValue) -> Element:
    """The control of a switch."""
    switch = SWITCHES[bar.kind][name]
    options = tuple(_written(bar, one) for one in switch.choices)
    title, asks = switch.title, SwitchTo(bar.block, name, everywhere=bar.everywhere)
    tip, said = f"{title}: {', '.join(options) or switch.allowed}", f"{title} in {bar.where}"
    if isinstance(switch.default, bool):
        return Check(name, title, bool(value), asks, tip, name=said)
    if options:
        at = switch.choices.index(str(value))
        return Choice(name, title, options, at, tuple(map(asks.at, switch.choices)), tip, listed=True, name=said)
    if isinstance(switch.default, int):
        auto = "" if switch.default else "auto"
        return Number(name, title, int(value), int(switch.least), int(switch.most), asks, tip, name=said, auto=auto)
    written = f"{value:g}".replace("e-0", "e-")
    return Field(name, title, written, None, asks, tip=tip, width=80, gives=True, number=True, name=said)


def _divisor(view: View, block: str) -> str:
    """What the scores of a block are divided by, or the root of: "d_k", or a number that is no width of its keys."""
    model, keys = view.state.model, view.nodes.get(f"{block}.K")
    own = model.switch(block, "scale_width") if model.has_switch(block, "scale_width") else 0
    return "d_k" if not own or keys is None or own == view.graph.shape(keys.name)[-1] else str(own)


def block_of(stage: str, blocks: Sequence[str]) -> str | None:
    """The block of a stage: the longest path of a block with which the name of the stage begins."""
    found = [block for block in blocks if stage == block or stage.startswith(f"{block}.")]
    return max(found, key=len, default=None)
