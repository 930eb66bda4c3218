"""How close one looks at a model: the whole of it, one of its blocks, or the page of a stage; and the ways between.

The name of a block's page begins with that of the whole: "model.encoder.1.self".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from explorer.core.graph import Graph, Stage
from explorer.lessons.schema import WHOLE
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.view import View

BLOCK = "block"
"""The kind of a block's page."""
LAYER, ALL = "whole.layer", 0
"""The key under which it is kept which layer the whole draws, and what means all of them."""
MOST_LAYERS = 1
"""Of more, one is drawn unless one asks for all."""
FEW_NODES = 2
"""A block of so few is no level of its own: its boxes would be those of its stage."""
TITLES = {"embedding": "Embedding", "output": "Output", "norm": "Norm"}


def has_stream(view: View) -> bool:
    """Whether a model has blocks along a stream."""
    return view.state.model.kind in ("encoder-decoder", "gpt", "encoder")


def layers_of(view: View) -> dict[str, int]:
    """How many layers each stack has."""
    model = view.state.model
    stacks = {"encoder": ("encoder",), "gpt": ("decoder",)}.get(model.kind, ("encoder", "decoder"))
    return {stack: model.layers if stack == "encoder" else model.decoder_layers for stack in stacks}


def shown_layer(view: View) -> int:
    """The layer that the whole draws, counted from 1, or `ALL`, for which large letters leave no room."""
    layers = max(layers_of(view).values(), default=0)
    layer = view.number(LAYER, ALL if layers <= MOST_LAYERS else 1, ALL, layers)
    return 1 if layer == ALL and view.looking.large else layer


@dataclass(frozen=True)
class _Blocks:
    """The blocks of a graph: the path of each stage's block, and the page of each path."""

    paths: Mapping[str, str]
    pages: Mapping[str, Stage]


_FOUND: WeakKeyDictionary[Graph, _Blocks] = WeakKeyDictionary()
"""A graph never changes, and each box of a picture asks for its block."""


def _blocks(graph: Graph) -> _Blocks:
    if graph not in _FOUND:
        paths: dict[str, str] = {}
        sizes: dict[str, int] = {}
        for node in graph.nodes.values():
            path = paths.setdefault(node.stage, node.name.rpartition(".")[0])
            sizes[path] = sizes.get(path, 0) + 1
        pages: dict[str, Stage] = {}
        kinds: dict[str, str] = {}
        for stage in graph.stages:
            path = paths.get(stage.name, "")
            # A block is called after its first stage, but a norm in front of it names only a block that has no other.
            if path and kinds.get(path, "norm") == "norm" and sizes[path] > FEW_NODES:
                kinds[path] = stage.kind
                title = f"{TITLES.get(stage.kind, stage.title)} block"
                pages[path] = Stage(f"{WHOLE}.{path}", BLOCK, title, stage.group)
        _FOUND[graph] = _Blocks(paths, pages)
    return _FOUND[graph]


def blocks(graph: Graph) -> tuple[Stage, ...]:
    """The blocks, each as a page of its own, in reading order."""
    return tuple(_blocks(graph).pages.values())


def stages_of(graph: Graph, block: str) -> list[Stage]:
    """The stages of a block, in reading order; `block` is the name of its page."""
    if not block.startswith(f"{WHOLE}."):
        return []
    path, paths = block.removeprefix(f"{WHOLE}."), _blocks(graph).paths
    return [stage for stage in graph.stages if paths.get(stage.name) == path]


def block_of(graph: Graph, stage: str) -> Stage | None:
    """The page of the block that a stage is a part of."""
    found = _blocks(graph)
    return found.pages.get(found.paths.get(stage, ""))


def into(graph: Graph, stage: Stage) -> GoTo:
    """From the whole to the block of a stage, or to the stage where there is no such level."""
    block = block_of(graph, stage.name)
    return GoTo(stage.name if block is None else block.name)


def to_whole(view: View, stage: Stage) -> GoTo:
    """From anywhere to the whole, which then draws the layer that one comes from."""
    numbered = re.match(rf"(?:{WHOLE}\.)?(?:encoder|decoder)\.(\d+)\.", stage.name)
    if numbered is None or not has_stream(view) or shown_layer(view) == ALL:
        return GoTo(WHOLE)
    return GoTo(WHOLE, Keep(LAYER, int(numbered.group(1))))


def block_around(view: View, stage: Stage) -> Stage | None:
    """The block that a stage is in, where the whole shows blocks and not the nodes themselves."""
    if not has_stream(view) and view.state.model.kind != "mlp":
        return None
    return block_of(view.graph, stage.name)
