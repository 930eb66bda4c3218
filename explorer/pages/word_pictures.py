"""Pictures of words: who looks at whom, and what is read and said."""

from dataclasses import dataclass

from explorer.pages.element import Data, Element
from explorer.pages.matrix import Matrix


@dataclass(frozen=True, eq=False)
class HeatMap(Element):
    """Attention weights as a picture: a square for each query and key, deeper the larger the share.

    Parameters
    ----------
    matrix : Matrix
    title : str
    full : float
        The share at which the colour is deepest; below 1 where many words share.
    most : int
        Pixels at text scale 1 that the words take at most, down and across.
    """

    matrix: Matrix
    title: str = ""
    full: float = 1.0
    most: int = 520


@dataclass(frozen=True, eq=False)
class AttentionLines(Element):
    """Who looks at whom: a line from each query to each key, the thicker the larger its share, whatever matrices show.

    Parameters
    ----------
    matrix : Matrix
        Its `values` are the weights.
    title : str
    most : int
        As of `HeatMap`.
    lights : tuple of (name of a node, axes)
        Nodes whose cells light up words here, with the axes of their rows and columns.
    """

    matrix: Matrix
    title: str = ""
    most: int = 520
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, eq=False)
class SentenceRow(Data):
    """One row of words: what is read, what should be said, what is said."""

    title: str
    axis: str
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sentences(Element):
    """Rows of words above each other. Where one is too long, they stand beside each other, or take several lines.

    Parameters
    ----------
    rows : tuple of SentenceRow
        With `weights`, the first is the source.
    weights : Matrix or None
        Attention of the target to the source, drawn as lines between the two.
    lights : tuple of (name of a node, axes)
        As of `AttentionLines`.
    """

    rows: tuple[SentenceRow, ...]
    weights: Matrix | None
    lights: tuple[tuple[str, tuple[str, ...]], ...] = ()
