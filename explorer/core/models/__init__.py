"""One readable builder function for each kind of model."""

from collections.abc import Hashable, Mapping
from dataclasses import fields
from weakref import WeakValueDictionary

from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import KINDS, SEQUENCES, Model
from explorer.core.models.parts import attention_lesson, encoder, encoder_decoder, gpt, mlp, norm, output, vectors
from explorer.core.vocabulary import Vocabulary

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
_BUILT: WeakValueDictionary[Hashable, Graph] = WeakValueDictionary()


def build(model: Model) -> Graph:
    """The graph of a model; equal models share one graph as long as anybody keeps it.

    So to open an example again, or its next setting, makes no second graph; undo keeps states of both.

    Raises `ExplorerError` where the model's sizes do not fit together.
    """
    key = _all_that_is_said(model)
    graph = _BUILT.get(key)
    if graph is None:
        _BUILT[key] = graph = _built(model)
    return graph


def _all_that_is_said(model: Model) -> Hashable:
    """A key that is equal for equal models. Types count: True, for "on", would equal the number 1.

    So do tokenizers: two may have the same pieces, but split a text differently. A graph keeps its own alive.
    """
    switches = frozenset((name, type(choice), choice) for name, choice in model.switches.items())
    split = frozenset((axis, id(of.tokenizer)) for axis, of in model.axes.items() if isinstance(of, Vocabulary))
    given = [getattr(model, field.name) for field in fields(model) if field.name != "switches"]
    return switches, split, *(frozenset(one.items()) if isinstance(one, Mapping) else one for one in given)


def _built(model: Model) -> Graph:
    if model.kind not in _BUILDERS:
        raise ExplorerError("unknown-kind", kind=model.kind, known=", ".join(KINDS))
    axes, lengths = _needed(model)
    missing = [f"axes.{name}" for name in axes if name not in model.axes]
    missing += [f"lengths.{name}" for name in lengths if name not in model.lengths]
    if missing:
        raise ExplorerError("missing-size", kind=model.kind, what=missing[0])
    return _BUILDERS[model.kind](model)


def _needed(model: Model) -> tuple[list[str], list[str]]:
    """The axes and lengths that a model of this kind must have."""
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
