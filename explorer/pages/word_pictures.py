"""Pictures of words: who looks at whom, and what is read and said."""

from dataclasses import dataclass

from explorer.pages.element import Data, Element
from explorer.pages.matrix import Matrix


@dataclass(frozen=True, eq=False)
class HeatMap(Element):
    """Attention weights as a picture: a square for each query and key, deeper the larger the share."""

    matrix: Matrix
    title: str = ""
    full: float = 1.0  # the share at which the colour is deepest; below 1 where many words share
    most: int = 520  # pixels at text scale 1 that the words take at most, down and across


@dataclass(frozen=True, eq=False)
class AttentionLines(Element):
    """Who looks at whom: a line from each query to each key, thicker for a larger share, whatever matrices show."""

    matrix: Matrix  # its `values` are the weights
    title: str = ""
    most: int = 520  # as of `HeatMap`
    # (name of a node, axes): nodes whose cells light up words here, with the axes of their rows and columns.
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, eq=False)
class SentenceRow(Data):
    """One row of words: what is read, what should be said, what is said."""

    title: str
    axis: str
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sentences(Element):
    """Rows of words above each other. Where one is too long, they stand beside each other, or take several lines."""

    rows: tuple[SentenceRow, ...]  # with `weights`, the first is the source
    weights: Matrix | None  # attention of the target to the source, drawn as lines between the two
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (name of a node, axes): as of `AttentionLines`
