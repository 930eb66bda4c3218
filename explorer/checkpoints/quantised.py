"""The types in which GGUF stores numbers (ggml-org/ggml, ggml-common.h): in blocks, each with factors of its own.

Each reader takes blocks as rows of bytes, (n, bytes), and gives their numbers in float32, (n, numbers).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.core.ops import Array


@dataclass(frozen=True)
class Type:
    """One way to store numbers."""

    name: str
    numbers: int  # in a block
    bytes: int  # of a block
    read: Callable[[Array], Array]


def _halves(raw: Array, at: int) -> Array:
    """A float16 of each block, (n, 1)."""
    return np.ascontiguousarray(raw[:, at : at + 2]).view("<f2").astype(np.float32)


def _f32(raw: Array) -> Array:
    return raw.view("<f4")


def _f16(raw: Array) -> Array:
    return raw.view("<f2").astype(np.float32)


def _bf16(raw: Array) -> Array:
    """The upper half of a float32."""
    return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)


def _q8_0(raw: Array) -> Array:
    """A factor, and 32 signed bytes."""
    return _halves(raw, 0) * raw[:, 2:].view(np.int8)


def _q4_0(raw: Array) -> Array:
    """A factor, and 32 numbers of four bits less 8: the lower halves of 16 bytes, then the upper ones."""
    packed = raw[:, 2:]
    return _halves(raw, 0) * (np.hstack([packed & 15, packed >> 4]).astype(np.float32) - 8)


def _q4_k(raw: Array) -> Array:
    """256 numbers in eight parts, each with a factor and a least number of six bits, which two float16 scale."""
    packed = raw[:, 4:16].astype(np.uint8)
    low, middle, high = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    factors = np.hstack([low & 63, (high & 15) | (low >> 6 << 4)]) * _halves(raw, 0)
    least = np.hstack([middle & 63, (high >> 4) | (middle >> 6 << 4)]) * _halves(raw, 2)
    bytes_ = raw[:, 16:].reshape(-1, 4, 1, 32)
    numbers = np.concatenate([bytes_ & 15, bytes_ >> 4], 2).reshape(-1, 8, 32)
    return (factors[..., None] * numbers - least[..., None]).astype(np.float32).reshape(-1, 256)


def _q6_k(raw: Array) -> Array:
    """256 numbers of six bits less 32, four of them lower and two upper, in 16 parts with a signed factor each."""
    lower, upper = raw[:, :128].reshape(-1, 2, 2, 32), raw[:, 128:192].reshape(-1, 2, 1, 32)
    four = np.concatenate([lower & 15, lower >> 4], 2)  # (n, half, quarter, 32)
    two = np.concatenate([upper >> shift & 3 for shift in (0, 2, 4, 6)], 2)
    numbers = (four | two << 4).astype(np.float32) - 32
    factors = raw[:, 192:208].view(np.int8) * _halves(raw, 208)
    return (factors[..., None] * numbers.reshape(-1, 16, 16)).astype(np.float32).reshape(-1, 256)


TYPES = {
    0: Type("F32", 1, 4, _f32),
    1: Type("F16", 1, 2, _f16),
    2: Type("Q4_0", 32, 18, _q4_0),
    8: Type("Q8_0", 32, 34, _q8_0),
    12: Type("Q4_K", 256, 144, _q4_k),
    14: Type("Q6_K", 256, 210, _q6_k),
    30: Type("BF16", 1, 2, _bf16),
}
"""By the number that ggml gives each."""
