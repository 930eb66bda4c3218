"""The cards of the page "Words" as data: their state, their acts, and their elements."""

from collections.abc import Callable
from functools import partial

from explorer.document.document import Document
from explorer.pages.words.card import Shared, WordsCard
from explorer.pages.words.cosine import CosineCard, MatrixCard
from explorer.pages.words.neighbours import LookupCard, NeighboursCard, OddCard
from explorer.pages.words.own_text import OwnTextCard
from explorer.pages.words.planes import AnalogyCard, MapCard
from explorer.pages.words.send import SendCard
from explorer.pages.words.vectors import OriginsCard, VectorsCard


def cards(document: Document) -> tuple[Callable[[Shared], WordsCard], ...]:
    """The functions that make the cards, in order; `document`: the one whose embedding tables they read and write."""
    source, send = partial(VectorsCard, document=document), partial(SendCard, document=document)
    words = LookupCard, CosineCard, NeighboursCard, OddCard, AnalogyCard, MatrixCard, MapCard
    return source, *words, send, OwnTextCard, OriginsCard
