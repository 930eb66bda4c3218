"""From pieces back to text: the `decoder` of a tokenizer.json (tokenizers 0.23). Each step maps texts to texts."""

from collections.abc import Callable

from explorer.checkpoints.tokenizers.fields import Fields, as_bytes, wrong
from explorer.checkpoints.tokenizers.normalizers import replacer
from explorer.checkpoints.tokenizers.pre_tokenizers import blank_before

Decoder = Callable[[list[str]], list[str]]
_CLEANED = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m")),
    *((" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def decoder(said: Fields | None) -> Decoder:
    """The decoder that a file describes; without one, pieces are joined with blanks.

    Raises `ExplorerError`: "tokenizer" for an unknown decoder.
    """
    if said is None:
        return lambda pieces: [" ".join(pieces)]
    match said.kind():
        case "Sequence":
            return _one_after_another([decoder(one) for one in said.list("decoders")])
        case "ByteLevel":
            return lambda pieces: [b"".join(map(as_bytes, pieces)).decode(errors="replace")]
        case "WordPiece":
            prefix, cleans = said.text("prefix", default="##"), said.flag("cleanup", True)
            return lambda pieces: [_word_piece(i, piece, prefix, cleans) for i, piece in enumerate(pieces)]
        case "Metaspace":
            blank = said.text("replacement", 1, "▁")
            first = "" if blank_before(said) != "never" else " "
            return lambda pieces: [piece.replace(blank, " " if i else first) for i, piece in enumerate(pieces)]
        case "ByteFallback":
            return _bytes_put_together
        case "Fuse":
            return lambda pieces: ["".join(pieces)]
        case "Strip":
            sign, most = said.text("content", 1), 10_000
            begin, end = said.whole("start", most, 0), said.whole("stop", most, 0)
            return lambda pieces: [_stripped(piece, sign, begin, end) for piece in pieces]
        case "Replace":
            replaced = replacer(said)
            return lambda pieces: list(map(replaced, pieces))
        case "BPEDecoder":
            ending = said.text("suffix", default="</w>")
            last = lambda i, pieces: i == len(pieces) - 1  # noqa: E731
            return lambda pieces: [
                piece.replace(ending, "" if last(i, pieces) else " ") if ending else piece
                for i, piece in enumerate(pieces)
            ]
        case other:
            raise wrong(f"needs the decoder {other!r}, which is not known here")


def _one_after_another(steps: list[Decoder]) -> Decoder:
    def decode(pieces: list[str]) -> list[str]:
        for step in steps:
            pieces = step(pieces)
        return pieces

    return decode


def _word_piece(i: int, piece: str, prefix: str, cleans: bool) -> str:
    if i:
        piece = piece.removeprefix(prefix) if prefix and piece.startswith(prefix) else f" {piece}"
    for shown, meant in _CLEANED if cleans else ():
        piece = piece.replace(shown, meant)
    return piece


def byte_of(piece: str) -> int | None:
    """The byte of a piece such as <0x0A>; None for other pieces."""
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        try:
            return int(piece[3:5], 16)
        except ValueError:
            return None
    return None


def _bytes_put_together(pieces: list[str]) -> list[str]:
    """Join neighbouring byte pieces into characters; each byte of an invalid sequence becomes �."""
    made, held = list[str](), list[int]()

    def let_go() -> None:
        try:
            made.append(bytes(held).decode())
        except UnicodeDecodeError:
            made.extend("�" * len(held))
        held.clear()

    for piece in pieces:
        byte = byte_of(piece)
        if byte is not None:
            held.append(byte)
            continue
        if held:
            let_go()
        made.append(piece)
    if held:
        let_go()
    return made


def _stripped(piece: str, sign: str, begin: int, end: int) -> str:
    first, last = 0, len(piece)
    while sign and first < min(begin, last) and piece[first] == sign:
        first += 1
    while sign and len(piece) - last < end and last > first and piece[last - 1] == sign:
        last -= 1
    return piece[first:last]
