"""A folder of the Hugging Face hub: config.json, safetensors in one file or in several with an index, a tokenizer.

Tensors are located without being read: the header of a safetensors file says where each lies.

A header is not trusted: sizes are checked against the file before anything is made from them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from explorer.checkpoints import ENDINGS
from explorer.checkpoints.architectures import ARCHITECTURES
from explorer.checkpoints.checkpoint import (
    BF16,
    F16,
    F32,
    HEAD,
    POINTER,
    Checkpoint,
    Tensor,
    Told,
    Type,
    check_no_text,
    check_places,
    damaged,
    plain,
    put_together,
    written,
    wrong,
)
from explorer.checkpoints.plans import MOST_BYTES, OTHER, OTHER_TYPE, Config
from explorer.checkpoints.tokenizers import sentencepiece
from explorer.checkpoints.tokenizers.fields import wrong as wrong_tokenizer
from explorer.checkpoints.tokenizers.models import vocabulary_of
from explorer.checkpoints.tokenizers.steps import QWEN_2
from explorer.checkpoints.tokenizers.tokenizer import (
    MOST_SOURCE,
    Tokenizer,
    around,
    from_fields,
    from_json,
    parsed,
    with_pieces,
)
from explorer.core.numbers import quantity
from explorer.core.stored import Stored

MOST_HEADER = 100_000_000
"""The longest header in bytes, as in the reference implementation."""
MOST_TENSORS, MOST_EXPERTS = 100_000, 256
_NO_WEIGHTS = {"I64": 8, "I32": 4, "U32": 4, "I16": 2, "U16": 2}
_NO_WEIGHTS |= dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2"), 1)
TYPES = {one.name: one for one in (plain("F64", "<f8"), F32, F16, BF16)}
_WEIGHTS = tuple(TYPES)
TYPES |= {name: Type(name, 1, width) for name, width in _NO_WEIGHTS.items()}


def tensors(file: Path) -> Mapping[str, Tensor]:
    """The tensors of a file by name.

    Raises `ExplorerError`: "checkpoint" if the file does not follow the format.
    """
    size = file.stat().st_size
    with file.open("rb") as stream:
        first = stream.read(8)
        length = int.from_bytes(first, "little")
        if not size:
            raise damaged(file, "is empty")
        if len(first) < 8 or length > min(size - 8, MOST_HEADER):
            check_no_text(file, first + stream.read(HEAD))
            raise damaged(file, "is no safetensors file, or is cut short: its header would be longer than the file")
        text = stream.read(length)
    try:
        header = json.loads(text, object_pairs_hook=partial(_once, file))
    except (ValueError, RecursionError):
        raise damaged(file, "has a header that is no JSON") from None
    if not isinstance(header, dict) or len(header) > MOST_TENSORS:
        raise damaged(file, "has a header that lists no tensors")
    header.pop("__metadata__", None)
    found: dict[str, Tensor] = {}
    for name, entry in header.items():
        said = entry if isinstance(entry, dict) else {}
        kind, shape, ends = said.get("dtype"), _whole(said.get("shape")), _whole(said.get("data_offsets"))
        if shape is None or ends is None or len(ends) != 2:
            raise damaged(file, f"says no shape and place of the tensor {written(name)}")
        if not isinstance(kind, str) or kind not in TYPES:
            raise wrong(
                file,
                f"holds the tensor {written(name)} as {written(str(kind))}, which is not known here "
                f"(known are {', '.join(_WEIGHTS)})",
                OTHER_TYPE,
            )
        begin, end = ends
        found[name] = Tensor(file, TYPES[kind], shape, 8 + length + begin)
        if not begin <= end or found[name].width != end - begin:
            raise damaged(file, f"has no room for the tensor {written(name)} of its shape")
    if check_places(file, found.values(), 8 + length, size) != size:
        raise damaged(file, "has bytes that belong to no tensor")
    return found


def _whole(value: Any) -> tuple[int, ...] | None:
    """A list of whole numbers in the range of a file; None for anything else."""
    fits = isinstance(value, list) and all(type(one) is int and 0 <= one < 2**48 for one in value)
    return tuple(value) if fits else None


def _once(file: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of a header, in which no name stands twice: Python's JSON would keep the last."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise damaged(file, f"has a header that names {written(name)} twice")
        found[name] = value
    return found


WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
NO_TOKENIZER = (
    "it has no tokenizer, so words are the numbers of the pieces; if you put its tokenizer.json into the folder, "
    "it reads texts"
)
"""What is told of a folder without one."""


def opened(folder: str | Path, dtype: str = "", told: Told | None = None) -> Checkpoint:
    """The model of a folder; parameters as in `explorer.checkpoints.opened`.

    Raises `ExplorerError`: "checkpoint" if it cannot be opened, with what is wrong in which file.
    """
    folder = Path(folder)
    if not (folder / "config.json").is_file():
        if (folder / "adapter_config.json").is_file():
            problem = "has an adapter (LoRA) without the model that it changes"
            raise wrong(folder, problem, "merge both elsewhere with `model.merge_and_unload().save_pretrained(FOLDER)`")
        files = [file for file in folder.iterdir() if file.suffix.lower() in ENDINGS and file.is_file()]
        largest = max(files, key=lambda file: file.stat().st_size, default=None)
        remedy = (
            f"name the file {largest.name} in it" if largest else "choose a folder with config.json and safetensors"
        )
        raise wrong(folder, "has no config.json: it is no folder of a model as the Hugging Face hub has them", remedy)
    config = Config(folder / "config.json")
    config.known("quantization_config")
    if config.has("quantization_config"):
        raise config.wrong("says that the weights are quantised, in a form that is not read here", OTHER_TYPE)
    known = {kind: kind for kind in ARCHITECTURES}
    if config.has("auto_map") and not config.is_one_of("model_type", known):
        raise config.wrong(
            f"needs program code of the folder (auto_map), which is never run (without it: {', '.join(known)})",
            OTHER,
        )
    kind = config.choice("model_type", "", known)
    plan = ARCHITECTURES[kind](config)
    if plan.kind != "encoder":
        config.fixed("is_causal", True)  # false makes a decoder look ahead (transformers 5, vLLM), which no switch says
    config.check_rest()
    found = dict(_tensors(folder))
    own = {name: name for name in found}  # by the names in the file
    parts = _parts(kind, found)
    taken_apart = {fused for fused, _ in parts.values()}
    own = {name: one for name, one in own.items() if one not in taken_apart}
    own |= {name: name for name in parts}
    found |= {name: tensor for name, (_, tensor) in parts.items()}
    if kind == "gpt2":
        own = {name.removeprefix("transformer."): name for name in found}
    if plan.kind == "encoder":  # the oldest files of BERT name γ and β so
        for old, new in (("gamma", "weight"), ("beta", "bias")):
            own = {name.replace(f"LayerNorm.{old}", f"LayerNorm.{new}"): one for name, one in own.items()}
    if plan.prefix and not any(name.startswith(plan.prefix) for name in own):
        own = {name if name.startswith(plan.head) else plan.prefix + name: one for name, one in own.items()}
    made = put_together(folder, kind, plan, {name: found[one] for name, one in own.items()}, dtype, told)
    called = {node: _in_file(one, own, parts, found) for node, one in made.model.called.items()}
    made = replace(made, model=replace(made.model, called=called))
    notices = ["the folder brings program code of its own, which is never run"] if config.has("auto_map") else []
    beyond, others = 0, ""

    def own_tokenizer(axis: str, n: int) -> Tokenizer | None:
        nonlocal beyond, others
        found = tokenizer_of(folder, axis.startswith("source."))
        if found is not None:
            for part, begins in (one for text in _PROBE for one in found.parts(text)):
                found.words(part, begins) if isinstance(part, str) else ()
            beyond = max(beyond, sum(number >= n for number in found.pieces))
            if (there := sum(number < n for number in found.pieces)) < n / 2:  # some tables have a few rows to spare
                others = f"its tokenizer has {there:,} of the model's {n:,} pieces: it may be that of another model"
        return found

    model, said = with_pieces(made.model, own_tokenizer)
    if model is made.model and not said:
        said = NO_TOKENIZER
    if beyond and not said:
        said = f"its tokenizer has {beyond:,} pieces more than the model, which cannot be used"
    notices += [*made.notices, *([said or others] if said or others else [])]
    inputs = dict(made.inputs)
    if "target.tokens" in inputs:
        start = config.whole("decoder_start_token_id", 0, least=0, most=(plan.written or plan.words) - 1)
        inputs["target.tokens"] = np.array([start])
    return replace(made, model=replace(model, room=config.room), inputs=inputs, notices=tuple(notices))


_EXPERTS = {
    "mixtral": ("block_sparse_moe.", ("w1", "w3", "w2")),
    "qwen3_moe": ("mlp.", ("gate_proj", "up_proj", "down_proj")),
}


def _parts(kind: str, found: Mapping[str, Tensor]) -> dict[str, tuple[str, Tensor]]:
    """The weights of single experts, from files (transformers 5) that have the weights of all experts in one tensor.

    Each comes with the name of the tensor that contains it.
    """
    made: dict[str, tuple[str, Tensor]] = {}
    top, names = _EXPERTS.get(kind, ("", ()))
    for name, one in found.items() if top else ():
        layer, _, last = name.rpartition("mlp.")
        if last == "gate.weight" and top != "mlp.":
            made[f"{layer}{top}{last}"] = name, one
        cut = {"experts.gate_up_proj": names[:2], "experts.down_proj": names[2:]}.get(last)
        if cut is None or len(one.shape) != 3 or one.shape[1] % len(cut):
            continue
        if one.shape[0] > MOST_EXPERTS or len(made) > MOST_TENSORS:
            continue  # a file of a few bytes may claim this: the tensor then stays unknown
        shape = (one.shape[1] // len(cut), one.shape[2])
        step = replace(one, shape=shape).width
        for i in range(one.shape[0] * len(cut)):
            part = replace(one, shape=shape, begin=one.begin + i * step)
            made[f"{layer}{top}experts.{i // len(cut)}.{cut[i % len(cut)]}.weight"] = name, part
    return made


def _tensors(folder: Path) -> Iterator[tuple[str, Tensor]]:
    """The tensors of all files in the folder."""
    if _is_file(folder / WEIGHTS):  # if there are both, transformers reads this one
        names = [WEIGHTS]
    elif (folder / INDEX).is_file():
        names = _indexed(folder)
    elif parts := sorted(folder.glob("*-of-*.safetensors")):
        problem = f"has {quantity(len(parts), 'file')} of weights, but no {INDEX}, which says what is in them"
        raise wrong(folder, problem, "put that there")
    elif any(folder.glob("*.bin")) or any(folder.glob("*.pt")):
        remedy = "convert them elsewhere with `model.save_pretrained(FOLDER, safe_serialization=True)`"
        raise wrong(folder, "has its weights as pickles only, which can run code when they are opened", remedy)
    else:
        raise wrong(folder, f"has a config.json, but neither {WEIGHTS} nor {INDEX}", "put its weights there")
    seen: set[str] = set()
    for name in names:
        if not _is_file(folder / name):
            raise wrong(folder, f"lacks the file {name}, which its index names", "put it there")
        for key, tensor in tensors(folder / name).items():
            if key in seen:
                raise wrong(folder, f"has the tensor {written(key)} in two files", "get the files of one model again")
            seen.add(key)
            yield key, tensor


def _in_file(
    stored: Stored, own: Mapping[str, str], parts: Mapping[str, tuple[str, Tensor]], found: Mapping[str, Tensor]
) -> Stored:
    """Where an input stands, by the names in the file; all layers of a file use the same ones.

    `own`: the name in the file for that in the plan. `parts`, `found`: the result of `_parts`, and all tensors.
    """
    one = stored.tensor.replace("{k}", "0").replace("{e}", "0")
    name = own.get(one, one)
    if name in parts:
        name, part = parts[name]
        whole = found[name]
        if stored.shape and "{e}" in stored.tensor:
            first = (part.begin - whole.begin) // whole.type.bytes + stored.first
            steps = (prod(whole.shape[1:]), *stored.steps[1:])
            stored = replace(stored, shape=whole.shape, first=first, steps=steps)
    elif "{e}" in stored.tensor:
        name = name.replace("experts.0.", "experts.{e}.")
    if "{k}" in stored.tensor and "{k}" not in name:  # it is of layer 0
        name = name.replace(".0.", ".{k}.", 1) if ".0." in name else name.replace("0.", "{k}.", 1)
    return replace(stored, tensor=name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:  # a circle of links
        raise wrong(path, "is a link that leads nowhere", "put the file itself there") from error


def _indexed(folder: Path) -> list[str]:
    """The files that the index names; they must be plain names in the folder."""
    file = folder / INDEX
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ValueError("too large")
        places = json.loads(file.read_bytes())["weight_map"]
        names = sorted(set(places.values()))
        if not all(
            isinstance(name, str) and PurePath(name).name == name and name.endswith(".safetensors") for name in names
        ):
            raise wrong(file, "names files that are not in the folder", "get it again, with all the files beside it")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise damaged(file, "is no index of tensors") from None
    return names


# The tokenizer

_PROBE = [f"{sign * 2000}{other}" for sign, other in ("ab", "A.", "0a", " a", "!a", "_.", "é.", "\na")]
"""Texts on which endless patterns are detected."""


def tokenizer_of(folder: Path, reads: bool = True) -> Tokenizer | None:
    """The tokenizer of a folder; `reads`: the encoder's, if source and target have different tokenizers."""
    files = {name: folder / name for name in ("tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model")}
    files |= {name: folder / name for name in ("source.spm", "target.spm", "target_vocab.json")}
    files |= {name: folder / name for name in ("spiece.model", "vocab.txt")}
    there = {name for name, file in files.items() if file.is_file()}

    def raw(name: str) -> bytes:
        if files[name].stat().st_size > MOST_SOURCE:
            raise wrong_tokenizer(f"is larger than the {MOST_SOURCE // 1_000_000} MB that are read")
        if (content := files[name].read_bytes()).startswith(POINTER):
            raise wrong_tokenizer("is a pointer of Git LFS, in whose place `git lfs pull` puts the file")
        return content

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


def _marian(raw: bytes, numbers: Any) -> Tokenizer:
    """Marian's: SentencePiece chooses the pieces of a language; one list for both languages has their numbers."""
    said, known = sentencepiece.described(raw), vocabulary_of(numbers)
    if said["model"]["type"] != "Unigram" or "<unk>" not in known or "</s>" not in known:
        raise wrong_tokenizer("is not of the kind that Marian has")
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
        if not file.is_file() or file.stat().st_size > MOST_SOURCE:
            return {}
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
