"""A tokenizer: a text is normalized, split into words and pieces, and gets marks around it; and the way back to text.

And pieces in visible characters. Each step of a `decoder` of a tokenizer.json (tokenizers 0.23) maps texts to texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

import regex

from explorer.checkpoints.tokenizers.fields import BYTE_OF_LETTER, MOST_TEXT, Fields, as_bytes, is_blank, wrong
from explorer.checkpoints.tokenizers.models import PieceModel
from explorer.checkpoints.tokenizers.normalizers import Normalizer, replacer
from explorer.checkpoints.tokenizers.pre_tokenizers import PreTokenizer, blank_before
from explorer.core.frozen import Frozen
from explorer.core.vocabulary import Vocabulary, label

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


class Added(Frozen):
    """A piece that is searched in the text itself, before any other step."""

    content: str
    number: int
    special: bool = False  # whether it is a mark and not part of a text
    normalized: bool = False  # whether it is searched in the normalized text
    single_word: bool = False
    takes_left: bool = False  # whether it absorbs the blanks before it
    takes_right: bool = False  # whether it absorbs the blanks after it
    as_it_is: bool = False  # whether it is not normalized itself


class Tokenizer(Frozen, eq=False):
    """A tokenizer with all its steps."""

    model: PieceModel
    normalize: Normalizer
    split: PreTokenizer
    decoder: Decoder
    added: tuple[Added, ...] = ()
    before: tuple[int, ...] = ()  # numbers of the marks before a text
    behind: tuple[int, ...] = ()
    pieces: Mapping[int, str] = field(default_factory=dict)  # the text of each piece in the file
    source: str = ""  # its tokenizer.json

    def encode(self, text: str, marks: bool = True) -> list[int]:
        """The numbers of the pieces of a text; `marks` adds those before and after it, such as <s>.

        Raises `ExplorerError`: "tokenizer" if the text is too long, or cannot be split.
        """
        if len(text) > MOST_TEXT:
            raise wrong(f"takes apart texts of up to {MOST_TEXT:,} characters; this one has {len(text):,}")
        found = list[int]()
        for part, begins in self.parts(text):
            found.extend([part] if isinstance(part, int) else self._ids(part, begins))
        return [*self.before, *found, *self.behind] if marks else found

    def parts(self, text: str) -> list[tuple[int | str, bool]]:
        """The added pieces of a text and the normalized parts between them, each with whether the text starts there."""
        found: list[tuple[int | str, bool]] = []
        for one, begins in _apart(text, self._as_written, True):
            if isinstance(one, Added):
                found.append((one.number, begins))
                continue
            for inner, inner_begins in _apart(self.normalize(one), self._as_normalized, begins):
                found.append((inner.number if isinstance(inner, Added) else inner, inner_begins))
        return found

    def words(self, part: str, begins: bool) -> list[str]:
        """The words into which a normalized part is split, before pieces are chosen."""
        return [word for word in self.split(part, begins) if word]

    def _ids(self, part: str, begins: bool) -> list[int]:
        return [number for word in self.words(part, begins) for number in self.model.ids(word)]

    def decode(self, ids: Sequence[int], marks: bool = False) -> str:
        """The text of pieces; with `marks` also the marks."""
        return "".join(
            self.decoder([self.pieces[i] for i in ids if i in self.pieces and (marks or not self.is_mark(i))])
        )

    def is_mark(self, number: int) -> bool:
        """Whether a piece is a mark, not part of a text."""
        return number in self._marks

    @cached_property
    def _marks(self) -> frozenset[int]:
        contents = {one.content for one in self.added if one.special}
        return frozenset(number for number, piece in self.pieces.items() if piece in contents)

    @cached_property
    def _as_written(self) -> "_Looked":
        return _looked([one for one in self.added if not one.normalized], lambda one: one.content)

    @cached_property
    def _as_normalized(self) -> "_Looked":
        added = [one for one in self.added if one.normalized]
        return _looked(added, lambda one: one.content if one.as_it_is else self.normalize(one.content))


_WORD = regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")
_Looked = tuple["regex.Pattern[str] | None", Mapping[str, Added]]


def _looked(added: Sequence[Added], written: Callable[[Added], str]) -> _Looked:
    """A pattern for added pieces that prefers the longest one at each place, and the pieces by text."""
    by_text = {text: one for one in added if (text := written(one))}
    if not by_text:
        return None, by_text
    longest_first = sorted(by_text, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first))), by_text


def _apart(text: str, looked: _Looked, begins: bool) -> list[tuple[Added | str, bool]]:
    """The added pieces in a text, and the texts between them."""
    what, by_text = looked
    found, end = list[tuple[Added | str, bool]](), 0
    for match in what.finditer(text) if what is not None else ():
        one, (first, last) = by_text[match.group()], match.span()
        if one.single_word and (_in_word(text[first - 1 : first]) or _in_word(text[last : last + 1])):
            continue
        if one.takes_left:
            while first > end and is_blank(text[first - 1]):
                first -= 1
        if one.takes_right:
            while last < len(text) and is_blank(text[last]):
                last += 1
        if end < first:
            found.append((text[end:first], begins and end == 0))
        found.append((one, begins and first == 0))
        end = last
    if end < len(text):
        found.append((text[end:], begins and end == 0))
    return found


def _in_word(c: str) -> bool:
    return _WORD.fullmatch(c) is not None


MOST_LETTERS = 40


def named(tokenizer: Tokenizer, n: int) -> Vocabulary:
    """The first n pieces of a tokenizer in visible characters: a blank as ␣, other invisible characters as their bytes.

    If two would look the same, or a piece is missing, # and its number follow.
    """
    added = {one.number for one in tokenizer.added}
    written = [(number, tokenizer.pieces.get(number, "")) for number in range(n)]
    shown_as = letters_of(tokenizer)
    found, seen = list[str](), set[str]()
    for number, piece in written:
        shown = _as_text(piece) if number in added else shown_as(piece)
        if len(shown) > MOST_LETTERS:
            shown = f"{shown[:MOST_LETTERS]}…"
        if not shown or shown in seen:
            shown = f"{shown}#{number}"
        while shown in seen:
            shown += "#"
        seen.add(shown)
        found.append(shown)
    return Vocabulary(found, tokenizer)


def letters_of(tokenizer: Tokenizer) -> Callable[[str], str]:
    """The function that writes a piece, or a part of a text, in visible characters.

    GPT-2 and similar models write each byte of a piece as a letter, such as Ġ for a blank; their decoder reveals it.
    """
    return _by_letters if tokenizer.decoder(["Ġ"]) == [" "] else _as_text


def _by_letters(piece: str) -> str:
    return label(as_bytes(piece)) if all(letter in BYTE_OF_LETTER for letter in piece) else _as_text(piece)


def _as_text(piece: str) -> str:
    return piece if byte_of(piece) is not None else label(piece.replace("▁", " ").encode(errors="replace"))
