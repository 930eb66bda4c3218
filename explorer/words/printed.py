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
    """Three cosines, and the ten words nearest to one.

    Parameters
    ----------
    reference, section : str
        Where they are printed.
    vectors : str
        The set they come from.
    cosines : tuple of PrintedCosine
    word : str
        Whose neighbours are printed.
    neighbours : tuple of (str, str)
        Word and cosine, as printed.
    """

    reference: str
    section: str
    vectors: str
    cosines: tuple[PrintedCosine, ...]
    word: str
    neighbours: tuple[tuple[str, str], ...]


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
