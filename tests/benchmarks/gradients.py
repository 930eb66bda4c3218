"""How long back-propagation takes beside computing the values."""

from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.core import D_MODEL, HEADS, LAYERS, LESSON, TOKENS, WORDS, Turns, gpt_state, lesson
from benchmarks.measure import Measurement, compared
from explorer.core.engine import Engine, fresh
from explorer.core.gradients import Gradients
from explorer.core.ops import Array
from explorer.document.state import State

LIMIT = 2.5
AGAINST = "all values, computed forward"


def small_backward() -> Measurement:
    """The gradients of all inputs of the lesson."""
    graph, inputs = lesson()
    engine = fresh(graph, inputs, {})
    return compared(
        f"gradients of all weights of {LESSON}",
        lambda: backward(engine, inputs),
        lambda: fresh(graph, inputs, {}),
        limit=LIMIT,
        against=AGAINST,
        pairs=2000,
        warm_up=100,
    )


def large_backward() -> Measurement:
    """The gradients of all weights of a GPT-2-small-shaped stack, beside recomputing it after a change of its table."""
    state = large_state(LAYERS, HEADS, D_MODEL, TOKENS, WORDS)
    engine = fresh(state.graph, state.inputs, state.pins)
    inputs = state.used
    table = state.inputs["input.table"]
    turns = Turns(state.inputs, {**state.inputs, "input.table": table * np.float32(1.01)})
    return compared(
        f"gradients of all weights: {LAYERS} layers, {HEADS} heads, d_model {D_MODEL}, {TOKENS} tokens, float32",
        lambda: backward(engine, inputs),
        turns(lambda now: engine.update(state.graph, now, state.pins)),
        limit=LIMIT,
        against=AGAINST,
        pairs=50,
        warm_up=3,
    )


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [small_backward, large_backward]


def backward(engine: Engine, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """One walk from the loss to all inputs that have a gradient, nothing of it known before."""
    return Gradients(engine.graph, engine.values, {}).several(inputs)


def large_state(layers: int, heads: int, d_model: int, tokens: int, words: int) -> State:
    """The model of the forward figure, with a loss."""
    state = gpt_state(layers, heads, d_model, tokens, words)
    return State.of(state.model.with_switch("loss", "loss", "cross-entropy"), state.inputs)
