"""Folders of small models, written and opened."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from explorer.checkpoints.hugging_face import NO_TOKENIZER, opened


@pytest.fixture
def made(made_with_notices):
    """A folder opened of which there is nothing to say but that it has no tokenizer, and the numbers in it."""

    def make(config, shapes):
        checkpoint, w = made_with_notices(config, shapes)
        assert checkpoint.notices == (NO_TOKENIZER,)
        return checkpoint, w

    return make


@pytest.fixture
def made_with_notices(tmp_path):
    """A folder opened, with the numbers that went into it."""

    def make(config, shapes):
        rng = np.random.default_rng(8)
        found = {name: rng.normal(0, 0.6, shape).astype(np.float32) for name, shape in shapes.items()}
        (tmp_path / "config.json").write_text(json.dumps(config))
        save_file(found, tmp_path / "model.safetensors")
        checkpoint = opened(tmp_path, "float64")
        return checkpoint, {name: array.astype(np.float64) for name, array in found.items()}

    return make
