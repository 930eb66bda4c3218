"""What the reference prints of its three words; the vectors themselves are `catalogue.load("reference")`."""

import tomllib
from dataclasses import dataclass

from explorer.paths import resources


@dataclass(frozen=True)
class PrintedCosine:
    """A printed cosine, with the digits it was printed with."""

    words: tuple[str, str]
    value: str


@dataclass(frozen=True)
class PrintedWords:
    """Three cosines, and the ten words nearest to one."""

    # `reference`, `section`: where they are printed.
    reference: str
    section: str
    vectors: str  # the set they come from
    cosines: tuple[PrintedCosine, ...]
    word: str  # whose neighbours are printed
    neighbours: tuple[tuple[str, str], ...]  # word and cosine, as printed


def load() -> PrintedWords:
    """Read them from the file that comes with the program."""
    found = tomllib.loads((resources() / "vectors" / "reference.toml").read_text("utf-8"))
    return PrintedWords(
        found["reference"],
        found["section"],
        found["vectors"],
        tuple(PrintedCosine((one["words"][0], one["words"][1]), one["value"]) for one in found["cosine"]),
        found["neighbours"]["word"],
        tuple((word, value) for word, value in found["neighbours"]["nearest"]),
    )
