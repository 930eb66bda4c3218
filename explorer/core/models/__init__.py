"""One readable builder for each kind of model."""

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import KINDS, Model
from explorer.core.models.attention import attention_lesson
from explorer.core.models.encoder_decoder import encoder_decoder
from explorer.core.models.gpt import gpt
from explorer.core.models.mlp import mlp

_BUILDERS = {"attention": attention_lesson, "encoder-decoder": encoder_decoder, "gpt": gpt, "mlp": mlp}


def build(model: Model) -> Graph:
    """The graph of a model.

    Raises
    ------
    ExplorerError
        Where the model's sizes do not fit together.
    """
    if model.kind not in _BUILDERS:
        raise ExplorerError("unknown-kind", kind=model.kind, known=", ".join(KINDS))
    return _BUILDERS[model.kind](model)


__all__ = ["build"]
