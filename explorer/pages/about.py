"""What each kind of stage is for and why it is built this way, for a reader who meets it for the first time."""

import re
import tomllib
from functools import cache
from typing import NamedTuple

from explorer import paths
from explorer.core import ops
from explorer.core.graph import Graph, Stage


class Answer(NamedTuple):
    """A question that a beginner asks about a stage, and its answer."""

    question: str
    text: str
    about: type[ops.Op]  # shown only where a node of the stage has this op: switches choose other ops
    symbol: str  # or only where a node's symbol matches this pattern


@cache
def about() -> dict[str, tuple[Answer, ...]]:
    """The answers for each kind of stage, from their file."""
    said = tomllib.loads((paths.resources() / "about.toml").read_text("utf-8"))
    return {kind: tuple(map(_answer, some)) for kind, some in said.items()}


def _answer(said: dict[str, str]) -> Answer:
    op, text = getattr(ops, said.get("op", "Op")), " ".join(said["text"].split())
    return Answer(said["question"], text, op, said.get("symbol", ""))


def answers(stage: Stage, graph: Graph) -> tuple[Answer, ...]:
    """The answers that are true of a stage with its present switches."""
    there = [node for node in graph.nodes.values() if node.stage == stage.name]
    looks_back = any(node.op.reach is not None for node in there)
    told = about()["attention" if stage.kind == "masked" and not looks_back else stage.kind]
    return tuple(
        one
        for one in told
        if (one.about is ops.Op and not one.symbol)
        or any(isinstance(node.op, one.about) and re.fullmatch(one.symbol or ".*", node.symbol) for node in there)
    )
