"""The values of a checkpoint's model for some words."""

from dataclasses import replace

import numpy as np

from explorer.core.engine import fresh
from explorer.core.models import build


def values_of(checkpoint, ids, others=None):
    """The graph and its values for some words; `others`: segments, or what a decoder has read."""
    model = checkpoint.model
    words = {"source": ids, "target": others} if model.kind == "encoder-decoder" else {"input": ids}
    model = replace(model, lengths={sequence: len(found) for sequence, found in words.items()})
    inputs = {**checkpoint.inputs}
    inputs |= {f"{sequence}.tokens": np.asarray(found, np.int64) for sequence, found in words.items()}
    if "input.segments" in inputs:
        inputs["input.segments"] = np.zeros(len(ids), np.int64) if others is None else np.asarray(others)
    return build(model), fresh(build(model), inputs, {}).values
