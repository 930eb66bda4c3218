"""Where one can go: which pages a model has."""

from explorer.core.attribution import can_be_parted
from explorer.core.graph import Graph, Stage
from explorer.pages.levels import WHOLE as WHOLE_NAME
from explorer.pages.levels import blocks

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
NEXT_WORD = Stage("generation.next", "next word", "Next word", "Generation")
WHY = Stage("generation.why", "why", "Why this word", "Generation")
HEADS = Stage("generation.heads", "head gallery", "What heads do", "Generation")
COSTS = Stage("generation.costs", "costs", "What it costs", "Generation")
PIECES = Stage("generation.pieces", "pieces", "Pieces of words", "Generation")
FAMILY = Stage("model.family", "family", "Family tree", "Model")
"""Pages about what a model writes, and about its kind."""
PROBABILITIES = "output.probabilities"


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


def writes(graph: Graph) -> bool:
    """Whether a model says a next word: one whose decoder looks back at its own words."""
    return (
        any(stage.kind == "masked" for stage in graph.stages)
        and PROBABILITIES in graph.nodes
        and graph.nodes[PROBABILITIES].op.softens
    )


def explains(graph: Graph) -> bool:
    """Whether a model's logits are sums that can be taken apart."""
    return can_be_parted(graph) and any(stage.kind == "masked" for stage in graph.stages)


def has_heads(graph: Graph) -> bool:
    """Whether a model has heads that can be measured: those of a decoder that reads one sequence."""
    return "output.logits" in graph.nodes and "decoder.1.self.weights" in graph.nodes and "input" in graph.sequences


def is_gpt(graph: Graph) -> bool:
    """Whether what a model costs can be told by the sizes of a GPT."""
    return "decoder.1.self.scores" in graph.nodes and "input" in graph.sequences and "output.logits" in graph.nodes


def has_words(graph: Graph) -> bool:
    """Whether a model reads words that could be pieces: a decoder by itself."""
    return "input" in graph.sequences and "output.logits" in graph.nodes
