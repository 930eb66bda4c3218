"""How many steps of training a second, on a model of the size that one trains while looking on."""

from collections.abc import Callable

import numpy as np

from benchmarks.gradients import large_state
from benchmarks.measure import Measurement, compared
from benchmarks.straight_training import Straight
from benchmarks.torch_training import Eager, there
from explorer.core.graph import TARGET
from explorer.core.ops import Array
from explorer.core.training.data import Examples
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer

BATCH, LAYERS, HEADS, D_MODEL, TOKENS, WORDS = 32, 2, 4, 64, 24, 400
PYTORCH, BY_HAND = 94, 76
"""Steps a second of such a model in plain eager PyTorch, and in straight numpy, on the same two cores. PyTorch is no
dependency, so the limit stands against numpy. That of this package is quicker than the one measured then, about as
quick as PyTorch, so the limit is stricter than it looks."""

SHARE = 0.7
PYTORCH_SHARE = 0.9
ALIKE = "the same step in straight-line numpy"
RATE, STEPS = 1e-3, 1_000_000


def steps() -> Measurement:
    """A step of the trainer, with Adam: batch, forward, backward, norms of the gradients, new weights, history."""
    trainer, straight, tokens, target = both(LAYERS, HEADS, D_MODEL, TOKENS, WORDS, BATCH)
    losses = np.array([(trainer.step().loss, straight.step(tokens, target)) for _ in range(3)])
    if not np.allclose(losses[:, 0], losses[:, 1], rtol=1e-4):
        raise RuntimeError(f"The losses of the trainer and of the straight-line step differ: {losses}.")
    size = f"batch {BATCH}, {TOKENS} tokens, d_model {D_MODEL}, {HEADS} heads, {LAYERS} layers, {WORDS} words"
    return compared(
        f"a step of training: {size}, Adam, float32",
        trainer.step,
        lambda: straight.step(tokens, target),
        limit=BY_HAND / (SHARE * PYTORCH),
        against=f"{ALIKE}; the limit is {SHARE} of PyTorch's speed, {PYTORCH} steps where that takes {BY_HAND}",
        pairs=300,
        warm_up=20,
        each="step",
    )


def steps_beside_pytorch() -> Measurement:
    """The same step beside one of eager PyTorch, in the same run."""
    trainer, straight, tokens, target = both(LAYERS, HEADS, D_MODEL, TOKENS, WORDS, BATCH)
    eager = Eager(straight.weights, LAYERS, RATE)
    losses = np.array([(trainer.step().loss, eager.step(tokens, target)) for _ in range(3)])
    if not np.allclose(losses[:, 0], losses[:, 1], rtol=1e-4):
        raise RuntimeError(f"The losses of the trainer and of PyTorch differ: {losses}.")
    return compared(
        f"a step of training beside PyTorch: batch {BATCH}, {TOKENS} tokens, d_model {D_MODEL}",
        trainer.step,
        lambda: eager.step(tokens, target),
        limit=1 / PYTORCH_SHARE,
        against=f"the same step in eager PyTorch {eager.torch.__version__}; the limit is {PYTORCH_SHARE} of its speed",
        pairs=300,
        warm_up=20,
        each="step",
    )


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [steps, steps_beside_pytorch] if there() else [steps]


def both(
    layers: int, heads: int, d_model: int, tokens: int, words: int, batch: int
) -> tuple[Trainer, Straight, Array, Array]:
    """The trainer and the straight-line step with the same weights, and the words and targets that both learn from."""
    state = large_state(layers, heads, d_model, tokens, words)
    random = np.random.default_rng(0)
    read, target = random.integers(0, words, (2, batch, tokens))
    examples = Examples({"input.tokens": read, TARGET: target}, {"input": tokens}, np.arange(batch))
    recipe = Recipe("Adam", RATE, batch=0, steps=STEPS, validate_every=STEPS)
    trainer = Trainer(state.model, state.inputs, examples, recipe)
    return trainer, Straight({name: trainer.weights[name] for name in trainer.moving}, layers, RATE), read, target
