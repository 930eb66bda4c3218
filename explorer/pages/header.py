"""The head of a page: its title, what happens there, the layer and head looked at, and the block's switches."""

import re
from collections.abc import Sequence

from explorer.core.graph import Stage
from explorer.core.switches import SWITCHES
from explorer.lessons.schema import WHOLE
from explorer.pages.gestures import ChooseHead, GoTo, Keep
from explorer.pages.levels import (
    ALL,
    BLOCK,
    LAYER,
    SWITCHED,
    block_around,
    has_stream,
    layers_of,
    listed_layer,
    shown_layer,
    stages_of,
    to_whole,
)
from explorer.pages.page import Button, Choice, Header, Switches
from explorer.pages.view import View

WITHIN = ("Encoder", "Decoder", "Layer", "Source", "Target")
"""Groups of stages that are named with the stage: several of them have a stage of the same title."""


def header(view: View, stage: Stage, sentence: str, switches: Sequence[str] = (), more: Sequence[str] = ()) -> Header:
    """The head of a stage's page.

    Parameters
    ----------
    sentence : str
        What happens here.
    switches, more : sequence of str
        The block's switches that belong to this stage, and those that are shown on request.
    """
    within = [one.name for one in stages_of(view.graph, stage.name)] if stage.kind == BLOCK else [stage.name]
    # Experts are stacked like heads, but chosen on their own page.
    mine = (node for node in view.nodes.values() if node.stage in within and ".ffn." not in node.name)
    heads = max((view.graph.n_heads(node.name) or 0 for node in mine), default=0)
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
    title = f"{full_title(stage)}{head}"
    return Header("header", title, sentence, tuple(choices), bar, _crumbs(view, stage), stage.title)


def full_title(stage: Stage) -> str:
    """The title of a stage, with the part of the model it is in where several have one of this title."""
    return f"{stage.group}: {stage.title}" if stage.group.split()[0] in WITHIN else stage.title


def _crumbs(view: View, stage: Stage) -> tuple[Button, ...]:
    """The model, and the block that the stage is in: the last of them is the way out."""
    if stage.name == WHOLE:
        return ()
    whole = "The whole model in one picture (Alt+Home)"
    model = Button("crumb.model", "The model", to_whole(view, stage), whole, "The model")
    block = block_around(view, stage)
    if block is None:
        return (model,)
    name = f"{block.group}: {block.title}"
    return model, Button("crumb.part", name, GoTo(block.name), f"{name}, all its matrices (Esc)", name)


def _layers(view: View, stage: Stage) -> Choice | None:
    """The layers that have such a stage, where there are several; of pages about all, which of them one sees there."""
    if stage.name == WHOLE:
        return _drawn_layer(view)
    if stage.kind == "switches":
        return _listed_layer(view)
    numbered = re.fullmatch(rf"({WHOLE}\.)?(encoder|decoder)\.(\d+)\.(.+)", stage.name)
    if not numbered:
        return None
    before, kind, number, rest = numbered.groups(default="")
    layers = layers_of(view)[kind]
    if layers < 2:
        return None
    asks = tuple(GoTo(f"{before}{kind}.{i + 1}.{rest}") for i in range(layers))
    options = tuple(str(i + 1) for i in range(layers))
    return Choice("layer", "Layer", options, int(number) - 1, asks, "Layer to look at")


def _drawn_layer(view: View) -> Choice | None:
    """Which layer stands for all."""
    layers = max(layers_of(view).values(), default=1) if has_stream(view) else 1
    if layers < 2:
        return None
    every = () if view.looking.large else (ALL,)
    options = (*(str(k) for k in range(1, layers + 1)), *("all" for _ in every))
    asks = tuple(Keep(LAYER, k) for k in (*range(1, layers + 1), *every))
    layer = shown_layer(view)
    chosen = layers if layer == ALL else layer - 1
    return Choice("layer", "Layer", options, chosen, asks, "The layer that is drawn; the others have the same blocks")


def _listed_layer(view: View) -> Choice | None:
    """Which layer's switches are listed, where not those of all are."""
    layer = listed_layer(view) if has_stream(view) else ALL
    if layer == ALL:
        return None
    layers = range(1, max(layers_of(view).values()) + 1)
    asks = tuple(Keep(SWITCHED, k) for k in layers)
    return Choice("layer", "Layer", tuple(map(str, layers)), layer - 1, asks, "The layer whose switches are listed")


def switch_bar(
    view: View, block: str, names: Sequence[str], more: Sequence[str] = (), everywhere: bool = True
) -> Switches:
    """Some switches of a block, with the values that the newest act gives them.

    Those that it lacks are left out, and those that change nothing there.
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
        first, rest = rest, ()  # nothing stands before them: they need not be asked for
    several = list(blocks.values()).count(kind) if everywhere and first else 1
    return Switches(f"switches of {block}", block, kind, first, rest, several)


def block_of(stage: str, blocks: Sequence[str]) -> str | None:
    """The block that a stage belongs to: the longest one whose path the stage's name begins with."""
    found = [block for block in blocks if stage == block or stage.startswith(f"{block}.")]
    return max(found, key=len, default=None)
