"""The tokenizer in the facts of a GGUF file, converted into a tokenizer.json."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from explorer.checkpoints.tokenizers.fields import wrong
from explorer.checkpoints.tokenizers.of_folder import around
from explorer.checkpoints.tokenizers.pre_tokenizers import LLAMA_3, QWEN_2
from explorer.checkpoints.tokenizers.sentencepiece import BYTE, CONTROL, NORMAL, UNKNOWN, USER, by_merges, put_together
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer, named
from explorer.checkpoints.tokenizers.tokenizer_json import from_fields
from explorer.core.errors import ExplorerError
from explorer.core.model import Model

_KINDS = (NORMAL, UNKNOWN, CONTROL, USER, 5, BYTE)
_PATTERNS = {
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe"), LLAMA_3),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2"), QWEN_2),
}
_AS_GPT_2 = ("gpt-2", "olmo", "mpt", "phi-2", "jina-es", "jina-de")
_BY_DIGITS = ("smollm", "starcoder", "refact", "command-r")
_BEGIN_BY_DEFAULT = ("llama-bpe", "llama3", "llama-v3")
_USUAL = {"bos": 1, "eos": 2}  # the defaults of SentencePiece
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}


def with_pieces(facts: Mapping[str, Any], model: Model) -> tuple[Model, str]:
    """The model with its words named by the pieces of the file's tokenizer, and a sentence about the tokenizer."""
    if "tokenizer.ggml.model" not in facts:
        return model, "it has no tokenizer: words are the numbers of the pieces"
    try:
        tokenizer = tokenizer_of(facts)
        axes = {
            axis: named(tokenizer, len(words)) if axis.endswith(".words") else words
            for axis, words in model.axes.items()
        }
    except ExplorerError as error:
        if error.id != "tokenizer":
            raise
        return model, f"its tokenizer {error.fields['problem']}: words are the numbers of the pieces"
    return replace(model, axes=axes), ""


def tokenizer_of(facts: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer in the facts of a file.

    Raises `ExplorerError`: "tokenizer" if it is inconsistent, or of an unknown kind.
    """
    own = {name.removeprefix("tokenizer.ggml."): fact for name, fact in facts.items()}
    pieces, kinds = own.get("tokens"), own.get("token_type")
    if not isinstance(pieces, list) or not all(isinstance(one, str) for one in pieces):
        raise wrong("has no pieces")
    kinds = kinds if isinstance(kinds, list) else [NORMAL] * len(pieces)
    if len(kinds) != len(pieces) or not all(kind in _KINDS for kind in kinds):
        raise wrong("does not say of each piece what it is")
    match own.get("model"):
        case "llama":
            said = _by_scores(own, pieces, kinds)
        case "gpt2":
            said = _by_bytes(own, pieces, kinds)
        case other:
            raise wrong(f"is of the kind {str(other)[:40]!r}, which is not known here")
    numbers = {piece: number for number, piece in enumerate(pieces)}
    by_default = own["model"] == "llama" or (own.get("pre") in _BEGIN_BY_DEFAULT and "bos_token_id" in own)
    before, behind = (
        _mark(own, pieces, mark) if own.get(f"add_{mark}_token", default) is True else ""
        for mark, default in (("bos", by_default), ("eos", False))
    )
    said["post_processor"] = around(before, behind, numbers)
    return from_fields(said)


def _mark(own: Mapping[str, Any], pieces: list[str], mark: str) -> str:
    number = own.get(f"{mark}_token_id", _USUAL[mark] if own["model"] == "llama" else None)
    if type(number) is not int or not 0 <= number < len(pieces):
        raise wrong(f"does not say which piece is its {mark}")
    return pieces[number]


def _by_scores(own: Mapping[str, Any], pieces: list[str], kinds: list[int]) -> dict[str, Any]:
    """SentencePiece's byte pairs, as in Llama 1 and 2 and Gemma."""
    scores = own.get("scores")
    if not isinstance(scores, list) or len(scores) != len(pieces):
        raise wrong("does not have a score for each piece")
    all_ = list(zip(pieces, scores, kinds, strict=True))
    before = own.get("add_space_prefix", True) is True
    steps: list[dict[str, Any]] = [{"type": "Prepend", "prepend": "▁"}] if before else []
    blanks = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    return put_together(by_merges(all_), all_, [*steps, blanks], int(before))


def _by_bytes(own: Mapping[str, Any], pieces: list[str], kinds: list[int]) -> dict[str, Any]:
    """Byte-level byte pairs; the file only names the rule that splits a text into words."""
    merges, cuts = own.get("merges"), own.get("pre", "gpt-2")
    if not isinstance(merges, list) or not all(isinstance(one, str) for one in merges):
        raise wrong("has no merges")
    without = {**_BYTE_LEVEL, "use_regex": False}
    if cuts in _AS_GPT_2:
        first: dict[str, Any] = {**_BYTE_LEVEL, "use_regex": True}
    elif cuts in _BY_DIGITS:
        digits = {"type": "Digits", "individual_digits": True}
        first = {"type": "Sequence", "pretokenizers": [digits, {**_BYTE_LEVEL, "use_regex": True}]}
    elif isinstance(cuts, str) and cuts in _PATTERNS:
        split = {"type": "Split", "pattern": {"Regex": _PATTERNS[cuts]}, "behavior": "Isolated", "invert": False}
        first = {"type": "Sequence", "pretokenizers": [split, without]}
    else:
        raise wrong(f"cuts a text into words as {str(cuts)[:40]!r} does, which is not known here")
    return {
        "model": {
            "type": "BPE",
            "vocab": {piece: number for number, piece in enumerate(pieces)},
            "merges": merges,
            "ignore_merges": cuts in _BEGIN_BY_DEFAULT,
        },
        "pre_tokenizer": first,
        "decoder": {**_BYTE_LEVEL, "use_regex": True},
        "added_tokens": [
            {"id": number, "content": piece, "special": kind == CONTROL}
            for number, (piece, kind) in enumerate(zip(pieces, kinds, strict=True))
            if kind in (CONTROL, USER)
        ],
    }
