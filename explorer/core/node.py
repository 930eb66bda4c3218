"""A named quantity of a transformer, and the stage of the pipeline it belongs to."""

from dataclasses import dataclass

from explorer.core.ops import Input, Op


@dataclass(frozen=True)
class Stage:
    """One stop of the pipeline map: a few nodes that are looked at together."""

    name: str  # path, such as "encoder.1.self.attention"
    # What is shown there: "embedding", "positions", "attention", "masked" (attention of a decoder to itself), "cross"
    # (to the source), "heads", "norm", "ffn", "output", "loss", "layer", "vectors", "examples", "batch norm",
    # "dropout".
    kind: str
    title: str  # as it stands in the map
    group: str  # the heading above it in the map, such as "Encoder 1"


@dataclass(frozen=True)
class Node:
    """One array of the graph: how it is computed, from what, and what its axes mean."""

    name: str  # path (see DESIGN §4), such as "encoder.1.self.scores"
    op: Op  # how the value comes from the parents; `Input` for what is edited
    parents: tuple[str, ...]  # names of the nodes the op reads, in the op's order
    axes: tuple[str, ...]  # the name of each axis; the model knows its labels and so its length
    symbol: str  # LaTeX, such as "W_Q"
    stage: str  # name of the stage it is shown in

    @property
    def is_input(self) -> bool:
        """Whether a person sets its value."""
        return isinstance(self.op, Input)

    @property
    def short(self) -> str:
        """The last part of the name, as it is used in code and headings."""
        return self.name.rsplit(".", 1)[-1]
