"""The header of a page: its title and sentence, the chosen layer and head, and the switches of the block."""

import re
from collections.abc import Sequence

from explorer.core.graph import Stage
from explorer.core.model import SWITCHES
from explorer.lessons.schema import WHOLE
from explorer.pages import levels
from explorer.pages.gestures import ChooseHead, GoTo, Keep
from explorer.pages.page import Button, Choice, Header, Switches
from explorer.pages.view import View


def header(view: View, stage: Stage, sentence: str, switches: Sequence[str] = (), more: Sequence[str] = ()) -> Header:
    """The header of a stage's page.

    Parameters
    ----------
    sentence : str
        What happens in the stage.
    switches, more : sequence of str
        The block's switches that belong to this stage, and those that are shown on request.
    """
    within = (
        [one.name for one in levels.stages_of(view.graph, stage.name)] if stage.kind == levels.BLOCK else [stage.name]
    )
    # Experts are stacked like heads, but chosen on their own page.
    mine = (node for node in view.nodes.values() if node.stage in within and ".ffn." not in node.name)
    heads = max((view.graph.n_heads.get(node.name, 0) for node in mine), default=0)
    chosen = min(view.looking.head, heads - 1)
    averaged = view.looking.averaged
    head = "" if heads < 2 else ", heads averaged" if averaged else f", head {chosen + 1}"
    choices = []
    if layer := _layers(view, stage):
        choices.append(layer)
    if heads > 1:
        options = (*(str(i + 1) for i in range(heads)), "averaged")
        asks = (*(ChooseHead(i) for i in range(heads)), ChooseHead(None))
        choices.append(Choice("head", "Head", options, heads if averaged else chosen, asks, "Head to look at"))
    block = block_of(stage.name, list(view.state.model.blocks()))
    bar = switch_bar(view, block, switches, more) if block and switches else None
    title = f"{levels.full_title(stage)}{head}"
    return Header("header", title, sentence, tuple(choices), bar, _crumbs(view, stage), stage.title)


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


def _layers(view: View, stage: Stage) -> Choice | None:
    """The choice of the layer, if several layers have this stage; on pages about all layers, which one is shown."""
    if stage.name == WHOLE:
        return _drawn_layer(view)
    if stage.kind == "switches":
        return _listed_layer(view)
    numbered = re.fullmatch(rf"({WHOLE}\.)?(encoder|decoder)\.(\d+)\.(.+)", stage.name)
    if not numbered:
        return None
    before, kind, number, rest = numbered.groups(default="")
    there = {one.name for one in (levels.blocks(view.graph) if before else view.graph.stages)}
    every = (str(k) for k in range(1, levels.layers_of(view)[kind] + 1))
    options = tuple(k for k in every if f"{before}{kind}.{k}.{rest}" in there)
    if len(options) < 2:
        return None
    asks = tuple(GoTo(f"{before}{kind}.{k}.{rest}") for k in options)
    return Choice("layer", "Layer", options, options.index(number), asks, "Layer to look at")


def _drawn_layer(view: View) -> Choice | None:
    """The choice of the layer that the picture of the whole draws."""
    layers = max(levels.layers_of(view).values(), default=1) if levels.has_stream(view) else 1
    if layers < 2:
        return None
    every = () if view.looking.large else (levels.ALL,)
    options = (*(str(k) for k in range(1, layers + 1)), *("all" for _ in every))
    asks = tuple(Keep(levels.LAYER, k) for k in (*range(1, layers + 1), *every))
    layer = levels.shown_layer(view)
    chosen = layers if layer == levels.ALL else layer - 1
    others = "are not all alike: see the page “All switches”" if levels.unlike(view) else "have the same blocks"
    return Choice("layer", "Layer", options, chosen, asks, f"The layer that is drawn; the others {others}")


def _listed_layer(view: View) -> Choice | None:
    """The choice of the layer whose switches are listed; None if the switches of all layers are."""
    layer = levels.listed_layer(view) if levels.has_stream(view) else levels.ALL
    if layer == levels.ALL:
        return None
    layers = range(1, max(levels.layers_of(view).values()) + 1)
    asks = tuple(Keep(levels.SWITCHED, k) for k in layers)
    return Choice("layer", "Layer", tuple(map(str, layers)), layer - 1, asks, "The layer whose switches are listed")


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
    return Switches(f"switches of {block}", block, kind, first, rest, several)


def block_of(stage: str, blocks: Sequence[str]) -> str | None:
    """The block of a stage: the longest path of a block with which the name of the stage begins."""
    found = [block for block in blocks if stage == block or stage.startswith(f"{block}.")]
    return max(found, key=len, default=None)
