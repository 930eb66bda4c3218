"""One readable builder for each kind of model."""

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import KINDS, SEQUENCES, Model
from explorer.core.models.parts import attention_lesson, mlp, norm, output, vectors
from explorer.core.models.transformers import encoder, encoder_decoder, gpt

_BUILDERS = {
    "attention": attention_lesson,
    "encoder": encoder,
    "encoder-decoder": encoder_decoder,
    "gpt": gpt,
    "mlp": mlp,
    "norm": norm,
    "output": output,
    "vectors": vectors,
}


def build(model: Model) -> Graph:
    """The graph of a model.

    Raises `ExplorerError` where the model's sizes do not fit together.
    """
    if model.kind not in _BUILDERS:
        raise ExplorerError("unknown-kind", kind=model.kind, known=", ".join(KINDS))
    axes, lengths = _needed(model)
    missing = [f"axes.{name}" for name in axes if name not in model.axes]
    missing += [f"lengths.{name}" for name in lengths if name not in model.lengths]
    if missing:
        raise ExplorerError("missing-size", kind=model.kind, what=missing[0])
    return _BUILDERS[model.kind](model)


def _needed(model: Model) -> tuple[list[str], list[str]]:
    """The axes and the lengths that a model of this kind cannot do without."""
    match model.kind:
        case "attention":
            return ["query", "feature"], []
        case "mlp":
            return ["input", *(f"layer.{k}" for k in range(model.layers + 1))], []
        case "norm":
            return ["input", "feature"], []
        case "output":
            return ["input", "output.words"], []
        case "vectors":
            return ["feature"], []
    sequences = SEQUENCES[model.kind]
    return [f"{sequence}.words" for sequence in sequences], list(sequences)


__all__ = ["build"]
