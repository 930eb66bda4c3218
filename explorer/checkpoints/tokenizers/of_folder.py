"""The tokenizer of a folder, in any of the known files, and a model's words named by its pieces."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorer.checkpoints.tokenizers import sentencepiece
from explorer.checkpoints.tokenizers.fields import wrong
from explorer.checkpoints.tokenizers.models import vocabulary_of
from explorer.checkpoints.tokenizers.pre_tokenizers import QWEN_2
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer, named
from explorer.checkpoints.tokenizers.tokenizer_json import MOST_BYTES, from_fields, from_json, parsed
from explorer.core.errors import ExplorerError
from explorer.core.model import Model

_PROBE = [f"{sign * 2000}{other}" for sign, other in ("ab", "A.", "0a", " a", "!a", "_.", "é.", "\na")]
"""Texts on which endless patterns are detected."""


def with_pieces(folder: Path, model: Model) -> tuple[Model, str]:
    """The model with its words named by the pieces of the folder's tokenizer, and a sentence about the tokenizer.

    The sentence is "" if all is well; if the tokenizer cannot be read it gives the reason, and the words stay numbers.
    """
    try:
        axes = dict(model.axes)
        beyond = 0
        for axis, words in model.axes.items():
            if axis.endswith(".words"):
                tokenizer = tokenizer_of(folder, axis.startswith("source."))
                if tokenizer is None:
                    return model, ""
                for text in _PROBE:
                    for part, begins in tokenizer.parts(text):
                        tokenizer.words(part, begins) if isinstance(part, str) else ()
                axes[axis] = named(tokenizer, len(words))
                beyond = max(beyond, sum(number >= len(words) for number in tokenizer.pieces))
    except ExplorerError as error:
        if error.id != "tokenizer":
            raise
        return model, f"its tokenizer {error.fields['problem']}: words are the numbers of the pieces"
    except OSError as error:
        return model, f"its tokenizer cannot be read ({error.strerror}): words are the numbers of the pieces"
    told = f"its tokenizer has {beyond:,} pieces more than the model, which cannot be used" if beyond else ""
    return replace(model, axes=axes), told


def tokenizer_of(folder: Path, reads: bool = True) -> Tokenizer | None:
    """The tokenizer of a folder; `reads`: the encoder's, if source and target have different tokenizers."""
    files = {name: folder / name for name in ("tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model")}
    files |= {name: folder / name for name in ("source.spm", "target.spm", "target_vocab.json")}
    files |= {name: folder / name for name in ("spiece.model", "vocab.txt")}
    there = {name for name, file in files.items() if file.is_file()}

    def raw(name: str) -> bytes:
        if files[name].stat().st_size > MOST_BYTES:
            raise wrong(f"is larger than the {MOST_BYTES // 1_000_000} MB that are read")
        return files[name].read_bytes()

    def text(name: str) -> str:
        return raw(name).decode(errors="replace")

    if "tokenizer.json" in there:
        return from_json(text("tokenizer.json"))
    if {"source.spm", "target.spm", "vocab.json"} <= there:
        own = "vocab.json" if reads or "target_vocab.json" not in there else "target_vocab.json"
        return _marian(raw("source.spm" if reads else "target.spm"), parsed(text(own)))
    if {"vocab.json", "merges.txt"} <= there:
        return _byte_pairs(folder, vocabulary_of(parsed(text("vocab.json"))), text("merges.txt"))
    for name in ("tokenizer.model", "spiece.model"):
        if name in there:
            return _sentencepiece(raw(name), _settings(folder))
    if "vocab.txt" in there:
        lines = text("vocab.txt").removesuffix("\n").split("\n")
        return _word_pieces(folder, {line.removesuffix("\r"): number for number, line in enumerate(lines)})
    return None


# Files from before tokenizer.json existed


def _byte_pairs(folder: Path, known: dict[str, int], merges: str) -> Tokenizer:
    """A tokenizer from vocab.json and merges.txt, of GPT-2 or similar models with other marks or another splitting."""
    settings, kind = _settings(folder), _kind(folder)
    lines = [line for line in merges.replace("\r\n", "\n").split("\n") if line and not line.startswith("#version")]
    blank = settings.get("add_prefix_space") is True
    byte_level = {"type": "ByteLevel", "add_prefix_space": blank}
    said: dict[str, Any] = {"model": {"type": "BPE", "vocab": known, "merges": lines}, "decoder": byte_level}
    said["pre_tokenizer"] = byte_level
    names = dict.fromkeys(("bos", "eos", "unk"), "<|endoftext|>")
    if kind.startswith("qwen"):
        said["normalizer"] = {"type": "NFC"}
        split = {"type": "Split", "pattern": {"Regex": QWEN_2}, "behavior": "Isolated"}
        said["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, byte_level | {"use_regex": False}]}
    if kind == "roberta":
        names = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "<unk>", "pad": "<pad>"}
        names["mask"] = "<mask>"
    marks = _marks(settings, names)
    said["added_tokens"] = _added(folder, settings, known, marks)
    numbers = {one["content"]: one["id"] for one in said["added_tokens"]}
    before, behind = (
        ("cls", "sep") if kind == "roberta" else ("bos" if settings.get("add_bos_token") is True else "", "")
    )
    said["post_processor"] = around(marks.get(before, ""), marks.get(behind, ""), numbers)
    return from_fields(said)


def _word_pieces(folder: Path, known: dict[str, int]) -> Tokenizer:
    """BERT's vocab.txt, with one piece in each line."""
    settings = _settings(folder)
    marks = _marks(settings, {name: f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")})
    added = _added(folder, settings, known, marks)
    numbers = {one["content"]: one["id"] for one in added}
    rules = {
        "lowercase": settings.get("do_lower_case", True),
        "strip_accents": settings.get("strip_accents"),
        "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
    }
    return from_fields(
        {
            "model": {"type": "WordPiece", "vocab": known, "unk_token": marks["unk"]},
            "normalizer": {"type": "BertNormalizer", **rules},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "WordPiece"},
            "added_tokens": added,
            "post_processor": around(marks["cls"], marks["sep"], numbers),
        }
    )


def _marks(settings: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """The marks for beginning, end, unknown and so on: those of the folder's settings, or the usual ones."""
    found = dict(names)
    for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"):
        said = settings.get(f"{name}_token")
        said = said.get("content") if isinstance(said, dict) else said
        if isinstance(said, str):
            found[name] = said
    return found


def _added(
    folder: Path, settings: Mapping[str, Any], known: Mapping[str, int], marks: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The pieces that are searched in the text itself: marks, and pieces that a folder adds to its vocabulary."""
    others = _fields(folder / "added_tokens.json")
    special = {*marks.values(), *_listed(_fields(folder / "special_tokens_map.json")), *_listed(settings)}
    numbers = {**known, **{content: number for content, number in others.items() if type(number) is int}}
    found = {
        content: {"id": numbers[content], "content": content, "special": content in special}
        for content in sorted(special | others.keys())
        if content in numbers
    }
    described = settings.get("added_tokens_decoder")
    for number, said in (described if isinstance(described, dict) else {}).items():
        if isinstance(said, dict) and isinstance(said.get("content"), str) and number.isdecimal() and len(number) < 10:
            found[said["content"]] = {**said, "id": int(number)}
    return list(found.values())


def _listed(settings: Mapping[str, Any]) -> set[str]:
    """The marks of a folder besides the usual ones."""
    said = settings.get("additional_special_tokens")
    every = [one.get("content") if isinstance(one, dict) else one for one in (said if isinstance(said, list) else ())]
    return {one for one in every if isinstance(one, str)}


def _kind(folder: Path) -> str:
    """The kind of tokenizer: from its own settings, or from its model's."""
    said = _settings(folder).get("tokenizer_class") or _fields(folder / "config.json").get("model_type")
    return said.removesuffix("Fast").removesuffix("Tokenizer").lower() if isinstance(said, str) else ""


def _sentencepiece(raw: bytes, settings: Mapping[str, Any]) -> Tokenizer:
    """Llama's and T5's tokenizers; the marks around a text come from the folder's tokenizer_config.json."""
    said = sentencepiece.described(raw)
    numbers = {one["content"]: one["id"] for one in said["added_tokens"]}
    is_t5 = said["model"]["type"] == "Unigram"
    names = _marks(settings, {"bos": "<s>", "eos": "</s>"})
    marks = {names["bos"]: settings.get("add_bos_token", not is_t5), names["eos"]: settings.get("add_eos_token", is_t5)}
    before, behind = (name if wanted is True and name in numbers else "" for name, wanted in marks.items())
    said["post_processor"] = around(before, behind, numbers)
    return from_fields(said)


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


def _marian(raw: bytes, numbers: Any) -> Tokenizer:
    """Marian's: SentencePiece chooses the pieces of a language; one list for both languages has their numbers."""
    said, known = sentencepiece.described(raw), vocabulary_of(numbers)
    if said["model"]["type"] != "Unigram" or "<unk>" not in known or "</s>" not in known:
        raise wrong("is not of the kind that Marian has")
    said["model"]["numbers"] = known
    said["added_tokens"] = [
        {"id": number, "content": piece, "special": True}
        for piece, number in known.items()
        if piece in ("</s>", "<unk>", "<pad>")
    ]
    said["post_processor"] = around("", "</s>", known)
    said["decoder"]["decoders"].append({"type": "Strip", "content": " ", "start": 1000, "stop": 1000})
    return from_fields(said)


def _settings(folder: Path) -> Mapping[str, Any]:
    return _fields(folder / "tokenizer_config.json")


def _fields(file: Path) -> Mapping[str, Any]:
    """The content of an optional file."""
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return {}
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
