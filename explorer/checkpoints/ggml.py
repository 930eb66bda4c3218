"""How GGUF files store numbers (ggml-org/ggml, ggml-common.h): most types in blocks, each with its own factors.

The reader of a type takes blocks as rows of bytes, (n, bytes), and returns their numbers, (n, numbers).
"""

import numpy as np

from explorer.checkpoints.checkpoint import BF16, F16, F32, Type
from explorer.core.ops import Array


def _halves(raw: Array, at: int) -> Array:
    """One float16 of each block, (n, 1)."""
    return np.ascontiguousarray(raw[:, at : at + 2]).view("<f2").astype(np.float32)


def _fours(packed: Array, axis: int = 1) -> Array:
    """Four-bit numbers: the lower halves of the bytes, then along `axis` the upper halves."""
    return np.concatenate([packed & 15, packed >> 4], axis)


def _fives(raw: Array, at: int) -> Array:
    """32 five-bit numbers: the fifth bits in four bytes, the other bits as in Q4_0."""
    fifth = np.unpackbits(np.ascontiguousarray(raw[:, at : at + 4]), axis=1, bitorder="little")
    return (_fours(raw[:, at + 4 :]) | fifth << 4).astype(np.float32)


_STEPS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)


def _iq4_xs(raw: Array) -> Array:
    """Eight parts of 32 such steps, each part with a factor of six bits minus 32, which one float16 scales."""
    four = np.stack([raw[:, 4:8] & 15, raw[:, 4:8] >> 4], 2).reshape(-1, 8)
    upper = np.concatenate([raw[:, 2:4, None] >> shift & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8)
    steps = _STEPS[_fours(raw[:, 8:].reshape(-1, 8, 16), 2)]
    factors = ((four | upper << 4) - 32.0) * _halves(raw, 0)
    return (factors[..., None] * steps).astype(np.float32).reshape(-1, 256)


def _twos(packed: Array) -> Array:
    """256 two-bit numbers in 16 parts, (n, 16, 16): each half has 32 bytes, and each pair of bits a quarter of it."""
    halves = packed.reshape(-1, 2, 1, 32)
    return np.concatenate([halves >> shift & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 16, 16)


def _q2_k(raw: Array) -> Array:
    """256 two-bit numbers in 16 parts, each with a factor and a minimum of four bits, which two float16 scale."""
    factors, least = (raw[:, :16] & 15) * _halves(raw, 80), (raw[:, :16] >> 4) * _halves(raw, 82)
    return (factors[..., None] * _twos(raw[:, 16:80]) - least[..., None]).astype(np.float32).reshape(-1, 256)


def _q3_k(raw: Array) -> Array:
    """256 numbers in 16 parts with a factor of six bits minus 32 each: two bits, and 4 less where a third bit is 0."""
    third = np.unpackbits(np.ascontiguousarray(raw[:, :32, None]), axis=2, bitorder="little").swapaxes(1, 2)
    numbers = _twos(raw[:, 32:96]) + 4.0 * third.reshape(-1, 16, 16) - 4.0
    packed = raw[:, 96:108]
    upper = np.hstack([packed[:, 8:] >> shift & 3 for shift in (0, 2, 4, 6)])
    factors = (_fours(packed[:, :8]) | upper << 4) - 32.0
    return (factors[..., None] * _halves(raw, 108)[..., None] * numbers).astype(np.float32).reshape(-1, 256)


def _q4_k(raw: Array) -> Array:
    """256 numbers in eight parts, each with a factor and a minimum of six bits, which two float16 scale."""
    bytes_ = raw[:, 16:].reshape(-1, 4, 1, 32)
    return _scaled(raw, _fours(bytes_, 2).reshape(-1, 8, 32))


def _q5_k(raw: Array) -> Array:
    """The same with a fifth bit for each number: one byte has the fifth bits of the same place in all eight parts."""
    bytes_ = raw[:, 48:].reshape(-1, 4, 1, 32)
    fifth = np.unpackbits(np.ascontiguousarray(raw[:, 16:48, None]), axis=2, bitorder="little").swapaxes(1, 2)
    return _scaled(raw, _fours(bytes_, 2).reshape(-1, 8, 32) | fifth << 4)


def _scaled(raw: Array, numbers: Array) -> Array:
    """The numbers of eight parts, (n, 8, 32), with their factors and minimums applied."""
    packed = raw[:, 4:16].astype(np.uint8)
    low, middle, high = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    factors = np.hstack([low & 63, (high & 15) | (low >> 6 << 4)]) * _halves(raw, 0)
    least = np.hstack([middle & 63, (high >> 4) | (middle >> 6 << 4)]) * _halves(raw, 2)
    return (factors[..., None] * numbers - least[..., None]).astype(np.float32).reshape(-1, 256)


def _q6_k(raw: Array) -> Array:
    """256 six-bit numbers minus 32, stored as four lower and two upper bits, in 16 parts with a signed factor each."""
    lower, upper = raw[:, :128].reshape(-1, 2, 2, 32), raw[:, 128:192].reshape(-1, 2, 1, 32)
    four = _fours(lower, 2)  # (n, half, quarter, 32)
    two = np.concatenate([upper >> shift & 3 for shift in (0, 2, 4, 6)], 2)
    numbers = (four | two << 4).astype(np.float32) - 32
    factors = raw[:, 192:208].view(np.int8) * _halves(raw, 208)
    return (factors[..., None] * numbers.reshape(-1, 16, 16)).astype(np.float32).reshape(-1, 256)


TYPES = {
    0: F32,
    1: F16,
    # One factor, and 32 four-bit numbers minus 8: the lower halves of 16 bytes, then the upper halves.
    2: Type("Q4_0", 32, 18, lambda raw: _halves(raw, 0) * (_fours(raw[:, 2:]).astype(np.float32) - 8)),
    # One factor and a minimum, then numbers as in Q4_0.
    3: Type("Q4_1", 32, 20, lambda raw: _halves(raw, 0) * _fours(raw[:, 4:]).astype(np.float32) + _halves(raw, 2)),
    # One factor, and 32 five-bit numbers minus 16.
    6: Type("Q5_0", 32, 22, lambda raw: _halves(raw, 0) * (_fives(raw, 2) - 16)),
    # One factor and a minimum, then 32 five-bit numbers.
    7: Type("Q5_1", 32, 24, lambda raw: _halves(raw, 0) * _fives(raw, 4) + _halves(raw, 2)),
    # One factor, and 32 signed bytes.
    8: Type("Q8_0", 32, 34, lambda raw: _halves(raw, 0) * raw[:, 2:].view(np.int8)),
    10: Type("Q2_K", 256, 84, _q2_k),
    11: Type("Q3_K", 256, 110, _q3_k),
    12: Type("Q4_K", 256, 144, _q4_k),
    13: Type("Q5_K", 256, 176, _q5_k),
    14: Type("Q6_K", 256, 210, _q6_k),
    # One factor, and 32 steps of four bits that are not equally wide, in the order of Q4_0.
    20: Type("IQ4_NL", 32, 18, lambda raw: _halves(raw, 0) * _STEPS[_fours(raw[:, 2:])]),
    23: Type("IQ4_XS", 256, 136, _iq4_xs),
    30: BF16,
}
"""By ggml's number of the type."""
UNREAD = {
    **dict(enumerate(("IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S"), 16)),
    **dict(enumerate(("IQ3_S", "IQ2_S"), 21)),
    **dict(enumerate(("I8", "I16", "I32", "I64", "F64", "IQ1_M"), 24)),
    **{34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4"},
}
"""The names of types that are not read."""
