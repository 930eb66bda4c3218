"""A tokenizer: a text is normalized, split into words and pieces, and gets marks around it; and the way back to text.

It is read from a tokenizer.json of huggingface/tokenizers. And pieces in visible characters.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import regex

from explorer.checkpoints.tokenizers import steps
from explorer.checkpoints.tokenizers.fields import ANOTHER_TEXT, BYTE_OF_LETTER, MOST_TEXT, Fields, as_bytes, wrong
from explorer.checkpoints.tokenizers.models import MOST_ID, PieceModel, piece_model
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.model import Model
from explorer.core.vocabulary import Vocabulary, label

MOST_SOURCE = 64_000_000
_MOST_ADDED = 20_000
_MOST_MARKS = 16


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
    normalize: steps.Normalizer
    split: steps.PreTokenizer
    decoder: steps.Decoder
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
            raise wrong(
                f"takes apart texts of up to {MOST_TEXT:,} characters; this one has {len(text):,}", ANOTHER_TEXT
            )
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
            first = end + len(text[end:first].rstrip(steps.BLANKS))
        if one.takes_right:
            last = len(text) - len(text[last:].lstrip(steps.BLANKS))
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
    return piece if steps.is_byte(piece) else label(piece.replace("▁", " ").encode(errors="replace"))


def with_pieces(model: Model, tokenizer_of: Callable[[str, int], Tokenizer | None]) -> tuple[Model, str]:
    """The model with its words named by the pieces of a tokenizer, and a sentence about the tokenizer.

    The sentence is "" if all is well; if the tokenizer cannot be read it gives the reason, and the words stay numbers.

    `tokenizer_of`: the tokenizer for an axis and its number of words; None if there is none.
    """
    axes = dict(model.axes)
    try:
        for axis, words in model.axes.items():
            if axis.endswith(".words"):
                tokenizer = tokenizer_of(axis, len(words))
                if tokenizer is None:
                    return model, ""
                axes[axis] = named(tokenizer, len(words))
    except ExplorerError as error:
        if error.id != "tokenizer":
            raise
        return model, f"its tokenizer {error.fields['problem']}: words are the numbers of the pieces"
    except OSError as error:
        return model, f"its tokenizer cannot be read ({error.strerror}): words are the numbers of the pieces"
    return replace(model, axes=axes), ""


# Reading it


def from_json(text: str) -> Tokenizer:
    """The tokenizer that a tokenizer.json describes.

    Raises `ExplorerError`: "tokenizer" if it is invalid, or needs an unknown step.
    """
    said = Fields(parsed(text))
    described = said.one("model")
    if described is None:
        raise wrong("says nothing of its pieces")
    model = piece_model(described)
    added = _added(said.get("added_tokens"), model.vocabulary)
    before, behind = _marks(said.one("post_processor"), {one.content: one.number for one in added})
    pieces = {number: piece for piece, number in model.vocabulary.items()}
    pieces |= {one.number: one.content for one in added}
    return Tokenizer(
        model,
        steps.normalizer(said.one("normalizer")),
        steps.pre_tokenizer(said.one("pre_tokenizer")),
        steps.decoder(said.one("decoder")),
        added,
        before,
        behind,
        pieces,
        text,
    )


def from_fields(said: Mapping[str, Any]) -> Tokenizer:
    """The same for the parsed content of a tokenizer.json.

    Raises `ExplorerError`: "tokenizer".
    """
    return from_json(json.dumps(said, ensure_ascii=False))


def parsed(text: str) -> Any:
    """The content of a JSON text.

    Raises `ExplorerError`: "tokenizer" if it is invalid, too large, or nested too deep.
    """
    if len(text) > MOST_SOURCE:
        raise wrong(f"is larger than the {MOST_SOURCE // 1_000_000} MB that are read")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise wrong("is no JSON, or is nested too deep") from None


def _added(said: Any, vocabulary: Mapping[str, int]) -> tuple[Added, ...]:
    if said is None:
        return ()
    if not isinstance(said, list) or len(said) > _MOST_ADDED:
        raise wrong("has no list of added pieces that can be one")
    found = []
    for one in (Fields(one) for one in said):
        content, special = one.text("content", 1000), one.flag("special", False)
        number = one.whole("id", MOST_ID - 1)
        flags = (one.flag(name, False) for name in ("single_word", "lstrip", "rstrip", "as_it_is"))
        found.append(
            Added(content, vocabulary.get(content, number), special, one.flag("normalized", not special), *flags)
        )
    return tuple(one for one in found if one.content)


def around(before: str, behind: str, numbers: Mapping[str, int]) -> dict[str, Any] | None:
    """The marks around a text, as a tokenizer.json describes them; "" for none."""
    if not before and not behind:
        return None
    parts: list[dict[str, Any]] = [{"Sequence": {"id": "A"}}]
    if before:
        parts.insert(0, {"SpecialToken": {"id": before}})
    if behind:
        parts.append({"SpecialToken": {"id": behind}})
    if missing := [name for name in (before, behind) if name and name not in numbers]:
        raise wrong(f"has no piece {missing[0][:40]!r}, which stands around a text")
    ids = {name: {"ids": [numbers[name]]} for name in (before, behind) if name}
    return {"type": "TemplateProcessing", "single": parts, "special_tokens": ids}


def _marks(said: Fields | None, known: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of the marks before and after a text."""
    if said is None:
        return (), ()
    match said.kind():
        case "ByteLevel":
            return (), ()
        case "Sequence":
            before, behind = (), ()
            for one in said.list("processors"):
                first, last = _marks(one, known)
                before, behind = (*first, *before), (*behind, *last)  # type: ignore[assignment]
            return before, behind
        case "BertProcessing" | "RobertaProcessing":
            return (_pair(said.get("cls")),), (_pair(said.get("sep")),)
        case "TemplateProcessing":
            return _template(said)
        case other:
            raise wrong(f"puts marks around a text in the way {other!r}, which is not known here")


def _template(said: Fields) -> tuple[tuple[int, ...], tuple[int, ...]]:
    before, behind, seen = list[int](), list[int](), False
    marks = said.one("special_tokens") or Fields({})
    for part in said.list("single"):
        if part.one("Sequence") is not None:
            if seen:
                raise wrong("writes a text twice between its marks")
            seen = True
            continue
        mark = part.one("SpecialToken")
        name = mark.text("id", 1000) if mark is not None else ""
        described = marks.one(name)
        ids = described.get("ids") if described is not None else None
        if not isinstance(ids, list) or len(ids) > _MOST_MARKS:
            raise wrong(f"does not say which piece the mark {name[:40]!r} is")
        (behind if seen else before).extend(_number(one) for one in ids)
    if not seen:
        raise wrong("has marks, but leaves out the text between them")
    return tuple(before), tuple(behind)


def _pair(said: Any) -> int:
    if not isinstance(said, list) or len(said) != 2:
        raise wrong("does not say which pieces stand around a text")
    return _number(said[1])


def _number(said: Any) -> int:
    if type(said) is not int or not 0 <= said < MOST_ID:
        raise wrong("has a mark with a number that is none")
    return said
