"""Numbers in blocks; each type held against straight lines."""

from dataclasses import replace

import numpy as np

from explorer.checkpoints import checkpoint
from explorer.checkpoints.ggml import TYPES
from tests.samples import each


def by_hand(name, block):
    """The numbers of one block, one at a time."""

    def half(at):
        return float(np.frombuffer(bytes(block[at : at + 2]), "<f2")[0])

    b = [int(one) for one in block]
    signed = [one - 256 if one > 127 else one for one in b]
    match name:
        case "Q8_0":
            return [half(0) * signed[2 + i] for i in range(32)]
        case "Q4_0":
            return [half(0) * ((b[2 + i % 16] >> (0 if i < 16 else 4) & 15) - 8) for i in range(32)]
        case "Q4_1":
            return [half(0) * (b[4 + i % 16] >> (0 if i < 16 else 4) & 15) + half(2) for i in range(32)]
        case "Q5_0" | "Q5_1":
            at, found = 2 if name == "Q5_0" else 4, []
            for i in range(32):
                four = b[at + 4 + i % 16] >> (0 if i < 16 else 4) & 15
                five = four + 16 * (b[at + i // 8] >> i % 8 & 1)
                found.append(half(0) * (five - 16) if name == "Q5_0" else half(0) * five + half(2))
            return found
        case "IQ4_NL" | "IQ4_XS":
            steps = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
            if name == "IQ4_NL":
                return [half(0) * steps[b[2 + i % 16] >> (0 if i < 16 else 4) & 15] for i in range(32)]
            found = []
            for i in range(256):
                part, at = i // 32, i % 32
                factor = b[4 + part // 2] >> 4 * (part % 2) & 15 | (b[2] + 256 * b[3] >> 2 * part & 3) << 4
                found.append(half(0) * (factor - 32) * steps[b[8 + 16 * part + at % 16] >> (0 if at < 16 else 4) & 15])
            return found
        case "Q2_K" | "Q3_K":
            found, s = [], b[96:108]
            for i in range(256):
                part, quarter, at = i // 128, i % 128 // 32, i % 32
                k, two = i // 16, b[(16 if name == "Q2_K" else 32) + part * 32 + at] >> 2 * quarter & 3
                if name == "Q2_K":
                    found.append(half(80) * (b[k] & 15) * two - half(82) * (b[k] >> 4))
                else:
                    four = s[k % 8] >> (0 if k < 8 else 4) & 15
                    factor = four + 16 * (s[8 + k % 4] >> 2 * (k // 4) & 3) - 32
                    found.append(half(108) * factor * (two - (0 if b[at] >> part * 4 + quarter & 1 else 4)))
            return found
        case "Q4_K" | "Q5_K":
            found, s, has_five = [], b[4:16], name == "Q5_K"
            for part in range(8):
                if part < 4:
                    factor, least = s[part] & 63, s[part + 4] & 63
                else:
                    factor = s[part + 4] & 15 | s[part - 4] >> 6 << 4
                    least = s[part + 4] >> 4 | s[part] >> 6 << 4
                for i in range(32):
                    four = b[(48 if has_five else 16) + part // 2 * 32 + i] >> (4 if part % 2 else 0) & 15
                    four += 16 * (b[16 + i] >> part & 1) if has_five else 0
                    found.append(half(0) * factor * four - half(2) * least)
            return found
        case "Q6_K":
            found = []
            for i in range(256):
                part, quarter, at = i // 128, i % 128 // 32, i % 32
                four = b[part * 64 + (quarter % 2) * 32 + at] >> (4 if quarter > 1 else 0) & 15
                two = b[128 + part * 32 + at] >> 2 * quarter & 3
                found.append(half(208) * signed[192 + i // 16] * ((four | two << 4) - 32))
            return found
        case "F32":
            return [float(np.frombuffer(bytes(block), "<f4")[0])]
        case "F16":
            return [half(0)]
        case "BF16":
            return [float(np.frombuffer(b"\0\0" + bytes(block), "<f4")[0])]


@each("kind", TYPES.values(), ids=lambda kind: kind.name)
def test_each_type_is_read_as_by_hand(kind):
    rng = np.random.default_rng(4)
    blocks = rng.integers(0, 256, (5, kind.bytes), dtype=np.uint8)
    halves = {"Q8_0": [0], "Q4_0": [0], "Q5_0": [0], "Q6_K": [208], "F16": [0], "IQ4_NL": [0], "IQ4_XS": [0]}
    halves |= {"Q2_K": [80, 82], "Q3_K": [108]}
    for at in halves.get(kind.name, [] if kind.name in ("F32", "BF16") else [0, 2]):
        blocks[:, at : at + 2] = rng.normal(size=5).astype("<f2").view(np.uint8).reshape(5, 2)
    if kind.name in ("F32", "BF16"):
        blocks[:, -2:] = rng.normal(size=5).astype("<f4").view(np.uint8).reshape(5, 4)[:, 2:]
    found = kind.finished(kind.read(blocks))
    assert found.shape == (5, kind.numbers)
    for block, numbers in zip(blocks, found, strict=True):
        np.testing.assert_allclose(numbers, by_hand(kind.name, block), rtol=1e-5, atol=1e-6)


def test_a_large_tensor_is_unpacked_in_parts(monkeypatch):
    """All of a table at once needed new memory at each step on the way, which took up to ten times as long."""
    raw = np.random.default_rng(3).integers(0, 256, (9, TYPES[12].bytes), dtype=np.uint8)
    raw[:, :4] = np.frombuffer(np.float16([0.5, 0.25]).tobytes(), np.uint8)
    at_once = TYPES[12].unpacked(raw)
    asked = []
    monkeypatch.setattr(checkpoint, "_AT_ONCE", 1000)
    part = replace(TYPES[12], read=lambda blocks: asked.append(len(blocks)) or TYPES[12].read(blocks))
    np.testing.assert_array_equal(part.unpacked(raw), at_once)
    assert asked == [3, 3, 3]
