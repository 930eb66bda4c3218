"""Reading a tokenizer.json of huggingface/tokenizers."""

import json
from collections.abc import Mapping
from typing import Any

from explorer.checkpoints.tokenizers.fields import Fields, wrong
from explorer.checkpoints.tokenizers.models import MOST_ID, piece_model
from explorer.checkpoints.tokenizers.normalizers import normalizer
from explorer.checkpoints.tokenizers.pre_tokenizers import pre_tokenizer
from explorer.checkpoints.tokenizers.tokenizer import Added, Tokenizer, decoder

MOST_BYTES = 64_000_000
_MOST_ADDED = 20_000
_MOST_MARKS = 16


def from_json(text: str) -> Tokenizer:
    """The tokenizer that a tokenizer.json describes.

    Raises `ExplorerError`: "tokenizer" if it is invalid, or needs an unknown step.
    """
    return _tokenizer(Fields(parsed(text)), text)


def from_fields(said: Mapping[str, Any]) -> Tokenizer:
    """The same for the parsed content of a tokenizer.json.

    Raises `ExplorerError`: "tokenizer".
    """
    return from_json(json.dumps(said, ensure_ascii=False))


def parsed(text: str) -> Any:
    """The content of a JSON text.

    Raises `ExplorerError`: "tokenizer" if it is invalid, too large, or nested too deep.
    """
    if len(text) > MOST_BYTES:
        raise wrong(f"is larger than the {MOST_BYTES // 1_000_000} MB that are read")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise wrong("is no JSON, or is nested too deep") from None


def _tokenizer(said: Fields, source: str) -> Tokenizer:
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
        normalizer(said.one("normalizer")),
        pre_tokenizer(said.one("pre_tokenizer")),
        decoder(said.one("decoder")),
        added,
        before,
        behind,
        pieces,
        source,
    )


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
