"""The levels of looking at a model: the whole, one block, or the page of a stage; and the ways between them.

The name of a block's page begins with the name of the whole: "model.encoder.1.self".

`stops` and `places` list the pages that a model has.
"""

import re
from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from explorer.core.errors import ExplorerError, cut, nearest
from explorer.core.frozen import Frozen
from explorer.core.graph import LOGITS, PROBABILITIES, TARGET, Graph, Node, Place, Stage, after_norm, within
from explorer.core.model import SWITCHES, SwitchValue
from explorer.core.vocabulary import PAD
from explorer.document.state import State
from explorer.lessons.schema import WHOLE as WHOLE_NAME
from explorer.lessons.symbols import name_of
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.view import View, once_a_graph

BLOCK = "block"
"""The kind of a block's page."""
LAYER, ALL = "whole.layer", 0
"""The key that keeps which layer the picture of the whole draws, and the value that means all layers."""
MOST_LAYERS = 1
"""The most layers that are all drawn without a request; with more, only one layer is."""
SWITCHED, MOST_LISTED = "switches.layer", 4
"""The key that keeps which layer's switches are listed; and the most layers whose switches are all listed."""
FEW_NODES = 2
"""A block with at most this many nodes has no page of its own, which would only repeat the page of its stage."""
WITHIN = ("Encoder", "Decoder", "Layer", "Source", "Target")
"""Groups whose names are part of the title: their stages share titles with stages of other groups."""
TITLES = {"embedding": "Embedding", "output": "Output", "norm": "Norm"}
_ADDRESS = re.compile(r"\b(\w+(?:\.\w+)+|\w+(?=\[))(?:\[(\d+(?:, ?\d+)*)\])?")
"""A node, a head's slice of one, a cell or a switch, as the name of an act has it."""


def full_title(stage: Stage) -> str:
    """The title of a stage, with its group in front where several groups have a stage of this title (`WITHIN`)."""
    return stage.where if stage.group.split()[0] in WITHIN else stage.title


def has_stream(view: View) -> bool:
    """Whether a model has blocks along a residual stream."""
    return view.state.model.kind in ("encoder-decoder", "gpt", "encoder")


MOST_UNITS = 16
"""With at most this many units in each layer, the neurons of a net are drawn one by one."""


def is_small_net(graph: Graph) -> bool:
    """Whether a model is a net whose neurons can be drawn one by one."""
    layers = [len(labels) for axis, labels in graph.axes.items() if axis.startswith("layer.")]
    return bool(layers) and max(layers) <= MOST_UNITS


def layers_of(view: View) -> dict[str, int]:
    """How many layers each stack has."""
    model = view.state.model
    stacks = {"encoder": ("encoder",), "gpt": ("decoder",)}.get(model.kind, ("encoder", "decoder"))
    return {stack: model.layers if stack == "encoder" else model.decoder_layers for stack in stacks}


def shown_layer(view: View) -> int:
    """The layer that the picture of the whole draws, counted from 1, or `ALL`, which is never drawn in large text."""
    layers = max(layers_of(view).values(), default=0)
    layer = view.number(LAYER, ALL if layers <= MOST_LAYERS else 1, ALL, layers)
    return 1 if layer == ALL and view.looking.large else layer


def listed_layer(view: View) -> int:
    """The layer whose switches the page of all switches lists, counted from 1, or `ALL` if the model has few layers.

    The switches of thirty layers would be hundreds of controls, nearly all alike.
    """
    layers = max(layers_of(view).values(), default=0)
    return view.number(SWITCHED, 1, 1, layers) if layers > MOST_LISTED else ALL


@once_a_graph  # the picture of the whole asks after each edit
def unlike(view: View) -> frozenset[str]:
    """The stacks whose layers have not all the same switches, and so not all the same blocks."""
    model = view.state.model
    chosen: dict[tuple[str, str], set[tuple[SwitchValue, ...]]] = {}
    for block, kind in model.blocks().items():
        stack, _, layer = block.partition(".")
        if part := layer.partition(".")[2]:  # a block within a layer
            values = tuple(model.switch(block, name) for name in SWITCHES[kind])
            chosen.setdefault((stack, part), set()).add(values)
    return frozenset(stack for (stack, _), some in chosen.items() if len(some) > 1)


class _Blocks(Frozen):
    """The blocks of a graph: the path of each stage's block, and the page and the title of each path."""

    paths: Mapping[str, str]
    pages: Mapping[str, Stage]
    titles: Mapping[str, str]


_FOUND: WeakKeyDictionary[Graph, _Blocks] = WeakKeyDictionary()
"""The blocks of each graph, kept because each box of a picture asks for its block and a graph never changes."""


def _blocks(graph: Graph) -> _Blocks:
    if graph not in _FOUND:
        paths: dict[str, str] = {}
        sizes: dict[str, int] = {}
        for node in graph.nodes.values():
            path = paths.setdefault(node.stage, node.name.rpartition(".")[0])
            sizes[path] = sizes.get(path, 0) + 1
        pages: dict[str, Stage] = {}
        kinds: dict[str, str] = {}
        titles: dict[str, str] = {}
        for stage in graph.stages:
            path = paths.get(stage.name, "")
            # A block takes the title of its first stage that is no norm, or of its norm if it has nothing else.
            if not path or kinds.get(path, "norm") != "norm":
                continue
            kinds[path], titles[path] = stage.kind, full_title(stage)
            if sizes[path] > FEW_NODES:
                title = f"{TITLES.get(stage.kind, stage.title)} block"
                pages[path] = Stage(f"{WHOLE_NAME}.{path}", BLOCK, title, stage.group)
        _FOUND[graph] = _Blocks(paths, pages, titles)
    return _FOUND[graph]


def blocks(graph: Graph) -> tuple[Stage, ...]:
    """The pages of the blocks, in reading order."""
    return tuple(_blocks(graph).pages.values())


def stages_of(graph: Graph, block: str) -> list[Stage]:
    """The stages of a block, in reading order; `block` is the name of its page."""
    if not block.startswith(f"{WHOLE_NAME}."):
        return []
    path, paths = block.removeprefix(f"{WHOLE_NAME}."), _blocks(graph).paths
    return [stage for stage in graph.stages if paths.get(stage.name) == path]


def block_of(graph: Graph, stage: str) -> Stage | None:
    """The page of the block that a stage is a part of; None if that block has no page."""
    found = _blocks(graph)
    return found.pages.get(found.paths.get(stage, ""))


def block_title(graph: Graph, block: str) -> str:
    """A block in the words of the list of stages, "Encoder 1: Self-attention", also one that is switched off."""
    titles = _blocks(graph).titles
    layer, _, part = block.rpartition(".")
    if block not in titles and part == "ffn" and f"{layer}.self" in titles:
        group, colon, _ = titles[f"{layer}.self"].rpartition(": ")
        return f"{group}{colon}Feed-forward"
    return titles.get(block) or SWITCHED_OFF.get(block, block)


SWITCHED_OFF = {"final": "Final norm", "encoder.final": "Encoder: Final norm", "loss": "Loss"}
"""The titles of blocks that no stage shows."""


def matrix_title(graph: Graph, name: str, cell: str = "") -> str:
    """A matrix, a head's part of it or a cell in words: "W_Q of head 2 in Encoder 1: Self-attention"."""
    path, _, _ = name.rpartition(".")
    block, head = within(path)
    part = "expert" if ".expert." in path else "head"
    title = _blocks(graph).titles.get(block or path)
    if path and title is None:
        return f"{name}{cell}"
    return f"{name_of(name)}{cell}{f' of {part} {head}' * bool(head)}{f' in {title}' * bool(title)}"


def act_title(state: State, label: str) -> str:
    """The name of an act that led to a state, with matrices, cells and switches in the words of the screen."""
    graph, kinds = state.graph, state.model.blocks()

    def said(match: re.Match[str]) -> str:
        name, cell = match.groups()
        block, _, short = name.rpartition(".")
        if (place := graph.find(name)) is not None:
            return matrix_title(graph, name, f" [{_cell(state, place, cell)}]" if cell else "")
        if (switch := SWITCHES.get(kinds.get(block, ""), {}).get(short)) is None:
            return match[0]
        return switch.title if label.endswith("everywhere") else f"{switch.title} in {block_title(graph, block)}"

    return _ADDRESS.sub(said, label)


def _cell(state: State, place: Place, written: str) -> str:
    """A cell by its labels, or as it is written if the matrix has another shape by now."""
    axes = [state.graph.labels(axis, state.inputs) for axis in state.graph.axes_of(place)]
    index = [int(i) for i in written.split(",")]
    if len(index) != len(axes) or any(i >= len(labels) for i, labels in zip(index, axes, strict=True)):
        return written
    return " → ".join([labels[i] for i, labels in zip(index, axes, strict=True)])


def into(graph: Graph, stage: Stage) -> GoTo:
    """The gesture from the whole to the block of a stage, or to the stage itself if its block has no page."""
    block = block_of(graph, stage.name)
    return GoTo(stage.name if block is None else block.name)


def to_whole(view: View, stage: Stage) -> GoTo:
    """The gesture from a stage to the whole, which then draws the layer of that stage."""
    numbered = re.match(rf"(?:{WHOLE_NAME}\.)?(?:encoder|decoder)\.(\d+)\.", stage.name)
    if numbered is None or not has_stream(view) or shown_layer(view) == ALL:
        return GoTo(WHOLE_NAME)
    return GoTo(WHOLE_NAME, Keep(LAYER, int(numbered.group(1))))


def block_around(view: View, stage: Stage) -> Stage | None:
    """The page of the block around a stage; None if the picture of the whole shows the nodes themselves."""
    if not has_stream(view) and view.state.model.kind != "mlp":
        return None
    return block_of(view.graph, stage.name)


ABOUT_THE_MODEL = (
    Stage("model.descent", "descent", "Gradient descent", "Model"),
    Stage("model.parameters", "parameters", "Parameters", "Model"),
    Stage("model.changes", "changes", "What changed", "Model"),
    Stage("model.switches", "switches", "All switches", "Model"),
    Stage("model.card", "card", "Model card", "Model"),
)
"""Pages that belong to no stage of the graph; they come after the stages."""
WHOLE = Stage(WHOLE_NAME, "whole", "The model", "Overview")
"""The first page."""
NEXT_WORD = Stage("generation.next", "next word", "Next word", "Generation")
WHY = Stage("generation.why", "why", "Why this word", "Generation")
HEADS = Stage("generation.heads", "head gallery", "What heads do", "Generation")
COSTS = Stage("generation.costs", "costs", "What it costs", "Generation")
PIECES = Stage("generation.pieces", "pieces", "Pieces of words", "Generation")
FAMILY = Stage("model.family", "family", "Family tree", "Model")
"""Pages about the writing of a model, and about its kind."""


def stops(graph: Graph) -> tuple[Stage, ...]:
    """The pages in the list of stages: the whole, the graph's stages, pages about writing, pages about the model."""
    about = {
        NEXT_WORD: writes(graph),
        WHY: explains(graph),
        HEADS: has_heads(graph),
        COSTS: is_gpt(graph),
        PIECES: has_words(graph),
        FAMILY: is_gpt(graph),
    }
    return (WHOLE, *graph.stages, *(stage for stage, there in about.items() if there), *ABOUT_THE_MODEL)


def places(graph: Graph) -> tuple[Stage, ...]:
    """All pages: the stops, and the pages of the blocks, which lie between the whole and the stages."""
    return (*stops(graph), *blocks(graph))


def stage_named(graph: Graph, name: str) -> Stage:
    """The page of this name.

    Raises `ExplorerError`: "unknown-stage", with the likeliest names.
    """
    known = {place.name: place for place in places(graph)}
    if name not in known:
        inside = next((one for one in known if len(name) > 2 and name in one), "")
        near = inside or nearest(name, list(known))
        raise ExplorerError("unknown-stage", name=cut(name), near=near, known=", ".join(_alike(near, known)))
    return known[name]


def _alike(near: str, known: Iterable[str]) -> list[str]:
    """The other pages of the same layer; without such ones all, but of layers only those of the first."""
    layer = ".".join(near.split(".")[:2])
    if near.count(".") > 1:
        return [one for one in known if one.startswith(f"{layer}.")]
    return [one for one in known if not any(part.isdigit() and part != "1" for part in one.split("."))]


def writes(graph: Graph) -> bool:
    """Whether a model says a next word: it has masked attention and a softmax over words."""
    return (
        any(stage.kind == "masked" for stage in graph.stages)
        and PROBABILITIES in graph.nodes
        and graph.nodes[PROBABILITIES].op.softens
    )


def hides_earlier(graph: Graph, node: Node) -> bool:
    """Whether a node is a mask that hides earlier words, too: those before a window."""
    return node.op.reach is not None and node.op.reach < graph.shape(node.name)[-1]


def explains(graph: Graph) -> bool:
    """Whether a model's logits are sums that can be split into the contributions of heads and blocks."""
    return bool(after_norm(graph)) and any(stage.kind == "masked" for stage in graph.stages)


def has_heads(graph: Graph) -> bool:
    """Whether a model has heads that can be measured: those of a decoder that reads one sequence."""
    return has_words(graph) and "decoder.1.self.weights" in graph.nodes


def is_gpt(graph: Graph) -> bool:
    """Whether a model is a GPT, whose costs follow from its sizes."""
    return has_words(graph) and "decoder.1.self.scores" in graph.nodes


def has_words(graph: Graph) -> bool:
    """Whether a model is a decoder by itself, whose words could be pieces of words."""
    return "input" in graph.sequences and LOGITS in graph.nodes


def says_next(view: View) -> bool:
    """Whether the right words of a decoder are the next ones of its sentence; a person may have typed others."""
    target, nodes = view.values.get(TARGET), view.nodes
    if target is None or target.ndim != 1 or not nodes[TARGET].is_input:
        return target is not None and target.ndim == 1
    says = view.graph.axes["output.words"]
    there = view.labels(nodes[TARGET].axes[0])[1:]
    return all(says[right] == word for right, word in zip(target, there, strict=False) if word != PAD)
