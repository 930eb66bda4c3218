"""Cut the text that tiny-reader learned from out of the books that the vectors were trained on, too.

    python packaging/reader_text.py english-books.txt.xz oz.txt
    explorer train tiny-reader --text oz.txt --out tiny-reader.explorer

The books are one text, a paragraph a line, with nothing between two books; `resources/models/tiny-reader.toml` names
the fourteen. One of them stands there twice, and only the second time is taken.
"""

import hashlib
import lzma
import sys
from pathlib import Path

BEGIN, SIZE = 66_382_425, 3_200_000
TWICE = 'by L. FRANK BAUM "Royal historian of Oz"\n', 'L. FRANK BAUM "Royal Historian of Oz"\nAuthor of All'
LAST = "Let's go home and get a drink!\"\n"
SHA256 = "966f89a676413da98d3e279ff1aa8cd7f0bd5b3bf489a77dc2156bedaccd4e57"


def main(books: str, out: str) -> None:
    """Write the text, and see that it is the one that was learned from."""
    with lzma.open(books) as stream:
        stream.seek(BEGIN)
        text = stream.read(SIZE).decode(errors="ignore")
    text = text[: text.index(LAST) + len(LAST)]
    first = text.index(TWICE[0])
    written = (text[:first] + text[text.index(TWICE[1], first) :]).encode()
    if hashlib.sha256(written).hexdigest() != SHA256:
        sys.exit(f"{books} holds other books, or others of them.")
    Path(out).write_bytes(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
