"""The sets of word vectors: those that come with the program, and those that can be downloaded.

Also the figures that the reference prints for its three words; their vectors are `catalogue.load("reference")`.
"""

import os
import tomllib
from functools import cache as kept
from pathlib import Path

import numpy as np

from explorer.core.errors import ExplorerError, nearest
from explorer.core.frozen import Frozen
from explorer.core.progress import Report
from explorer.paths import own, resources
from explorer.words import cache, formats
from explorer.words.vectors import Vectors


class PrintedCosine(Frozen):
    """A cosine as it is printed, with all printed digits."""

    words: tuple[str, str]
    value: str


class PrintedWords(Frozen):
    """Three printed cosines, and the ten printed nearest words of one word."""

    # `reference`, `section`: where they are printed.
    reference: str
    section: str
    vectors: str  # name of the set of vectors
    cosines: tuple[PrintedCosine, ...]
    word: str  # the word whose neighbours are printed
    neighbours: tuple[tuple[str, str], ...]  # word and cosine, as printed


@kept
def printed_words() -> PrintedWords:
    """The printed figures, read from a file that comes with the program."""
    found = tomllib.loads((resources() / "vectors" / "reference.toml").read_text("utf-8"))
    return PrintedWords(
        found["reference"],
        found["section"],
        found["vectors"],
        tuple(PrintedCosine((one["words"][0], one["words"][1]), one["value"]) for one in found["cosine"]),
        found["neighbours"]["word"],
        tuple((word, value) for word, value in found["neighbours"]["nearest"]),
    )


DEFAULT = "books"
URL = "https://github.com/RaRe-Technologies/gensim-data/releases/download/{name}/{name}.gz"


class Shipped(Frozen):
    """A set of vectors that comes with the program."""

    name: str
    file: str
    words: int
    dims: int
    text: str  # where they come from

    @property
    def about(self) -> str:
        """A description in words."""
        return f"{self.words:,} words, {self.dims} numbers each, {self.text}"

    @property
    def path(self) -> Path:
        """The path of the file."""
        return resources() / "vectors" / self.file


class Offered(Frozen):
    """A GloVe set of gensim-data that can be downloaded."""

    name: str
    size: int  # bytes of the file
    md5: str
    words: int
    dims: int
    text: str  # what it was trained on
    licence: str = "PDDL"

    @property
    def url(self) -> str:
        """The address of the file."""
        return URL.format(name=self.name)

    @property
    def about(self) -> str:
        """A description in words."""
        return f"{self.words:,} words, {self.dims} numbers each, trained on {self.text}"


SHIPPED = (
    Shipped(DEFAULT, "books.int8.safetensors", 20_000, 100, "from old English books, trained for this program"),
    Shipped("reference", "reference.txt", 3, 25, "as the text 000 prints them: screen, rock and remote"),
)

_TWITTER, _WIKI = "2 billion tweets", "Wikipedia 2014 and Gigaword 5"

OFFERED = (
    Offered("glove-twitter-25", 109885004, "50db0211d7e7a2dcd362c6b774762793", 1193514, 25, _TWITTER),
    Offered("glove-twitter-50", 209216938, "c168f18641f8c8a00fe30984c4799b2b", 1193514, 50, _TWITTER),
    Offered("glove-twitter-100", 405932991, "b04f7bed38756d64cf55b58ce7e97b15", 1193514, 100, _TWITTER),
    Offered("glove-twitter-200", 795373100, "e52e8392d1860b95d5308a525817d8f9", 1193514, 200, _TWITTER),
    Offered("glove-wiki-gigaword-50", 69182535, "c289bc5d7f2f02c6dc9f2f9b67641813", 400000, 50, _WIKI),
    Offered("glove-wiki-gigaword-100", 134300434, "40ec481866001177b8cd4cb0df92924f", 400000, 100, _WIKI),
    Offered("glove-wiki-gigaword-200", 264336934, "59652db361b7a87ee73834a6c391dfc1", 400000, 200, _WIKI),
    Offered("glove-wiki-gigaword-300", 394362229, "29e9329ac2241937d55b852e8284e89b", 400000, 300, _WIKI),
)


def offered(name: str) -> Offered:
    """The downloadable set of this name.

    Raises `ExplorerError`: "unknown-vectors".
    """
    for one in OFFERED:
        if one.name == name:
            return one
    raise ExplorerError("unknown-vectors", name=name, near=nearest(name, [one.name for one in OFFERED]))


def download_folder() -> Path:
    """The folder of downloaded sets."""
    return own("data") / "vectors"


def present(one: Offered) -> Path | None:
    """A complete copy of a set on this machine: our own, or one that gensim downloaded; None if there is none.

    gensim's copies are in ``GENSIM_DATA_DIR`` or ``~/gensim-data``.
    """
    theirs = Path(os.environ.get("GENSIM_DATA_DIR") or os.path.expanduser("~/gensim-data"))
    for folder in (download_folder(), theirs / one.name):
        file = folder / f"{one.name}.gz"
        # gensim's downloader may leave an incomplete file.
        if os.path.isfile(file) and file.stat().st_size == one.size:
            return file
    return None


def load(name: str = DEFAULT, report: Report | None = None) -> Vectors:
    """Vectors by a name of this catalogue, or from a file.

    Raises `ExplorerError`: "unknown-vectors", "vectors-not-here", or the errors of reading the file.
    """
    for shipped in SHIPPED:
        if shipped.name == name:
            return in_memory(shipped.path, name)
    for one in OFFERED:
        if one.name == name:
            if (file := present(one)) is None:
                raise ExplorerError("vectors-not-here", name=name, size=f"{one.size / 1e6:.0f} MB")
            return cache.load(file, report, name)
    file = Path(name)
    if file.name == name and not os.path.exists(file):  # of a path it is said why it cannot be read
        known = [one.name for one in (*SHIPPED, *OFFERED)]
        raise ExplorerError("unknown-vectors", name=name, near=nearest(name, known))
    return cache.load(file, report)


def in_memory(file: Path, name: str) -> Vectors:
    """The vectors of a small file, without the cache."""
    blocks = list(formats.blocks(file))
    words = [word.decode("utf-8") for block in blocks for word in block.words]
    return Vectors.of(name, words, np.concatenate([block.array for block in blocks]))
