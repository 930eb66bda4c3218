"""Tensors of safetensors files, looked at without being read: a header says where each lies (huggingface/safetensors).

Nothing of a header is believed: sizes are checked against the file before anything is made of them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from explorer.checkpoints.checkpoint import written
from explorer.checkpoints.families import Turn, as_it_is
from explorer.core.errors import ExplorerError
from explorer.core.ops import Array

MOST_HEADER = 100_000_000
"""Bytes of a header that are read, as of the reference implementation."""
MOST_TENSORS = 100_000
_COLUMNS = 32
_TYPES = {"F64": ("<f8", 8), "F32": ("<f4", 4), "F16": ("<f2", 2), "BF16": ("<u2", 2)}
_WIDTHS = {kind: width for kind, (_, width) in _TYPES.items()}
_WIDTHS |= {"I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "U32": 4}


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file, not read yet."""

    file: Path
    type: str
    shape: tuple[int, ...]
    begin: int  # the place of its first byte in the file

    def read(self, dtype: str, turn: Turn = as_it_is) -> Array:
        """The numbers, turned, in the type that is asked for: in one go, since memory for each step would take longer.

        Raises `ExplorerError`: "checkpoint" for whole numbers, and for numbers that are none.
        """
        if self.type not in _TYPES:
            raise ExplorerError(
                "checkpoint", file=str(self.file), problem=f"holds a tensor of type {self.type}, which is no weight"
            )
        form, _ = _TYPES[self.type]
        raw = (
            np.memmap(self.file, form, "r", self.begin, self.shape) if prod(self.shape) else np.zeros(self.shape, form)
        )
        found = turn(raw)
        if self.type == "BF16":  # the upper half of a float32
            wide, step = np.empty(found.shape, np.uint32), max(found.size, 1)
            if not found.flags.c_contiguous:
                step = _COLUMNS  # what is turned is read along the rows that it was: in half the time
            for at in range(0, found.shape[-1] if found.ndim else 1, step):
                wide[..., at : at + step] = found[..., at : at + step]
            return np.left_shift(wide, 16, out=wide).view(np.float32).astype(dtype, copy=False)
        with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is told of later
            return np.array(found, dtype, order="C", subok=False)


def tensors(file: Path) -> Mapping[str, Tensor]:
    """The tensors of a file by name.

    Raises `ExplorerError`: "checkpoint" where the file is not what the format says.
    """

    def wrong(problem: str) -> ExplorerError:
        return ExplorerError("checkpoint", file=str(file), problem=problem)

    size = file.stat().st_size
    with file.open("rb") as stream:
        first = stream.read(8)
        length = int.from_bytes(first, "little")
        if len(first) < 8 or length > min(size - 8, MOST_HEADER):
            raise wrong("is no safetensors file, or is cut short: its header would be longer than the file")
        text = stream.read(length)
    try:
        header = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise wrong("has a header that is no JSON, or names a tensor twice") from None
    if not isinstance(header, dict) or len(header) > MOST_TENSORS:
        raise wrong("has a header that lists no tensors")
    header.pop("__metadata__", None)
    found: dict[str, Tensor] = {}
    places: list[tuple[int, int]] = []
    for name, entry in header.items():
        said = entry if isinstance(entry, dict) else {}
        kind, shape, ends = said.get("dtype"), _whole(said.get("shape")), _whole(said.get("data_offsets"))
        if shape is None or ends is None or len(ends) != 2:
            raise wrong(f"says no shape and place of the tensor {written(name)}")
        width = _WIDTHS.get(kind) if isinstance(kind, str) else None
        if not isinstance(kind, str) or width is None:
            raise wrong(f"holds the tensor {written(name)} in a type that is not known here")
        begin, end = ends
        if not begin <= end <= size - 8 - length or prod(shape) * width != end - begin:
            raise wrong(f"has no room for the tensor {written(name)} of its shape")
        found[name] = Tensor(file, kind, shape, 8 + length + begin)
        places.append((begin, end))
    places = sorted(place for place in places if place[0] != place[1])
    if any(one[1] > other[0] for one, other in pairwise(places)):
        raise wrong("has tensors that overlap")
    if max((end for _, end in places), default=0) != size - 8 - length:
        raise wrong("has bytes that belong to no tensor")
    return found


def _whole(value: Any) -> tuple[int, ...] | None:
    """A list of whole numbers that a file may have; None for anything else."""
    fits = isinstance(value, list) and all(type(one) is int and 0 <= one < 2**48 for one in value)
    return tuple(value) if fits else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("twice")
    return found
