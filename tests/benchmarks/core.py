"""The figures of speed that need no window: recomputing whole graphs, a small edit, the time of importing."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchmarks import straight_line
from benchmarks.measure import Measurement, compared, quartiles, timed
from explorer.core.engine import fresh, same_bytes
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.ops import GELU, Array
from explorer.document.commands import SetCells
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.loader import load

LESSON, SETTING = "you-are-welcome", "textbook"
BY_HAND = "the same steps in straight-line numpy"
BY_TANH = "GELU by tanh"

LAYERS, HEADS, D_MODEL, TOKENS, WORDS = 12, 12, 768, 64, 1000
WHOLE = 1.35
"""Times straight-line numpy that the whole graph may take."""
BASE = 500_000.0
"""Of the rotary positions of Llama 3."""


def small_from_nothing() -> Measurement:
    """The whole graph of the lesson, computed for the first time."""
    graph, inputs = lesson()
    expected = straight_line.encoder_decoder(inputs)
    agree(fresh(graph, inputs, {}).values, expected)
    return compared(
        f"whole graph of {LESSON}, from nothing",
        lambda: fresh(graph, inputs, {}),
        lambda: straight_line.encoder_decoder(inputs),
        limit=WHOLE,
        against=f"{BY_HAND} ({len(expected)} steps)",
        pairs=2000,
        warm_up=100,
    )


def small_after_edit() -> Measurement:
    """The whole graph of the lesson after all inputs have changed: old and new values are compared on the way."""
    graph, inputs = lesson()
    engine = fresh(graph, inputs, {})
    turns = Turns(inputs, _moved(inputs))
    run = turns(lambda turn: engine.update(graph, turn, {}))
    run()
    agree(engine.values, straight_line.encoder_decoder(turns.now))
    return compared(
        f"whole graph of {LESSON}, every input changed",
        run,
        lambda: straight_line.encoder_decoder(inputs),
        limit=WHOLE,
        against=f"{BY_HAND}, positions and masks again",
        pairs=2000,
        warm_up=100,
    )


def large() -> Measurement:
    """A GPT-2-small-shaped stack after its whole table of words has changed, so that every layer is recomputed."""
    state = gpt_state(LAYERS, HEADS, D_MODEL, TOKENS, WORDS)
    engine = fresh(state.graph, state.inputs, state.pins)
    table = state.inputs["input.table"]
    turns = Turns(state.inputs, {**state.inputs, "input.table": table * np.float32(1.01)})
    run = turns(lambda inputs: engine.update(state.graph, inputs, state.pins))
    run()
    agree(engine.values, {"output.probabilities": straight_line.gpt(turns.now, LAYERS)})
    return compared(
        f"{LAYERS} layers, {HEADS} heads, d_model {D_MODEL}, {TOKENS} tokens, float32",
        run,
        lambda: straight_line.gpt(state.inputs, LAYERS),
        limit=1.05,
        against=BY_HAND,
        pairs=50,
        warm_up=3,
    )


def llama_small() -> Measurement:
    """The whole graph of a small Llama of one layer, computed for the first time; the lesson on it has two layers."""
    state = llama_state(1, 8, 2, 32, 9, 245)
    agree(fresh(state.graph, state.inputs, {}).values, straight_line.llama(state.inputs, 1, BASE))
    return compared(
        "whole graph of a small Llama, 1 layer, from nothing",
        lambda: fresh(state.graph, state.inputs, {}),
        lambda: straight_line.llama(state.inputs, 1, BASE),
        limit=1.35,
        against=BY_HAND,
        pairs=2000,
        warm_up=100,
    )


def llama_large() -> Measurement:
    """A Llama in the sizes of GPT-2 small after its whole table of words has changed."""
    state = llama_state(LAYERS, HEADS, 4, D_MODEL, TOKENS, WORDS)
    engine = fresh(state.graph, state.inputs, state.pins)
    table = state.inputs["input.table"]
    turns = Turns(state.inputs, {**state.inputs, "input.table": table * np.float32(1.01)})
    run = turns(lambda inputs: engine.update(state.graph, inputs, state.pins))
    run()
    agree(engine.values, straight_line.llama(turns.now, LAYERS, BASE))
    return compared(
        f"a Llama: {LAYERS} layers, {HEADS} and 4 heads, d_model {D_MODEL}, {TOKENS} tokens, float32",
        run,
        lambda: straight_line.llama(state.inputs, LAYERS, BASE),
        limit=1.05,
        against=BY_HAND,
        pairs=50,
        warm_up=3,
    )


def small_edit() -> Measurement:
    """One weight of the lesson set, and all that hangs on it recomputed, as a drag does it."""
    document = Document(load(LESSON).state(SETTING))
    name = "encoder.1.self.head.1.W_Q"
    weights = [SetCells(name, {(0, 0): i / 1000}, stroke="drag") for i in range(1000)]
    times = [timed(partial(document.do, weight)) for weight in weights]
    _, median, _ = quartiles(times)
    slow = float(np.percentile(times, 95))
    detail = (
        f"p95 {slow * 1e3:.2f} ms; {len(document.recomputed)} of {len(document.state.graph.nodes)} nodes recomputed"
    )
    against = f"one cell of {name}; a frame is 16.7 ms"
    return Measurement("one weight set, all below it recomputed", median * 1e3, "ms", None, against, detail)


def exact_gelu() -> Measurement:
    """GELU by the error function, as tiny-gpt has it, beside the form by tanh that is there because it is quick."""
    x = _hidden()
    return compared(
        f"exact GELU of {x.size:,} numbers, float32",
        lambda: GELU().forward(x),
        lambda: GELU(tanh=True).forward(x),
        limit=2,
        against=BY_TANH,
        pairs=200,
        warm_up=10,
    )


def exact_gelu_backward() -> Measurement:
    """The same for its gradient."""
    x = _hidden()
    exact, near = GELU().forward(x), GELU(tanh=True).forward(x)
    return compared(
        f"gradient of exact GELU of {x.size:,} numbers, float32",
        lambda: GELU().backward(x, exact, x),
        lambda: GELU(tanh=True).backward(x, near, x),
        limit=2,
        against=BY_TANH,
        pairs=200,
        warm_up=10,
    )


def import_core() -> Measurement:
    """What importing the core takes in a fresh process, beside numpy."""
    code = (
        "from time import perf_counter as t; a = t(); import numpy; b = t(); import explorer.core.models, "
        "explorer.core.engine, explorer.core.derivation; print(b - a, t() - b)"
    )
    command = [sys.executable, "-c", code]
    path = os.pathsep.join(filter(None, sys.path))
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path})
        for _ in range(7)
    ]
    times = np.array([[float(part) for part in run.stdout.split()] for run in runs[1:]])
    numpy_ms, core_ms = np.median(times, axis=0) * 1e3
    detail = f"numpy, which it needs, takes {numpy_ms:.0f} ms more; median of {len(times)} processes"
    return Measurement("import explorer.core", float(core_ms), "ms", None, "without numpy", detail)


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [
        small_from_nothing,
        small_after_edit,
        large,
        llama_small,
        llama_large,
        small_edit,
        exact_gelu,
        exact_gelu_backward,
        import_core,
    ]


def lesson() -> tuple[Graph, dict[str, Array]]:
    """The lesson's graph, and a value for each of its inputs."""
    state = load(LESSON).state(SETTING)
    return state.graph, state.used


def gpt_state(layers: int, heads: int, d_model: int, tokens: int, words: int) -> State:
    """A GPT-2-style model in float32 with seeded weights, reading seeded words; the switches are those of GPT-2."""
    switches: dict[str, str | bool | int | float] = {
        "input.lookup": "index",
        "input.positions": "learned",
        "loss.loss": "none",
    }
    for layer in range(1, layers + 1):
        block, ffn = f"decoder.{layer}.self", f"decoder.{layer}.ffn"
        switches |= {f"{block}.heads": heads, f"{block}.bias": True, f"{block}.norm": "pre"}
        switches |= {f"{ffn}.activation": "GELU tanh", f"{ffn}.norm": "pre"}
    return _drawn(switches, layers, d_model, tokens, words)


def llama_state(layers: int, heads: int, key_heads: int, d_model: int, tokens: int, words: int) -> State:
    """The same with the switches of Llama 3."""
    switches: dict[str, str | bool | int | float] = {
        "input.lookup": "index",
        "input.positions": "rotary",
        "input.rotary_pairs": "halves",
        "input.rotary_base": BASE,
        "output.bias": False,
        "loss.loss": "none",
        "final.norm_by": "RMS norm",
        "final.epsilon": 1e-6,
    }
    for layer in range(1, layers + 1):
        block, ffn = f"decoder.{layer}.self", f"decoder.{layer}.ffn"
        switches |= {f"{block}.heads": heads, f"{block}.key_heads": key_heads}
        switches |= {f"{ffn}.gated": True, f"{ffn}.activation": "SiLU", f"{ffn}.bias": False}
        for one in (block, ffn):
            switches |= {f"{one}.norm": "pre", f"{one}.norm_by": "RMS norm", f"{one}.epsilon": 1e-6}
    return _drawn(switches, layers, d_model, tokens, words)


def _drawn(switches: dict[str, str | bool | int | float], layers: int, d_model: int, tokens: int, words: int) -> State:
    axes = {"input.words": tuple(f"word{i}" for i in range(words))}
    model = Model("gpt", {"input": tokens}, axes, d_model, layers, switches, dtype="float32")
    ids = np.random.default_rng(0).integers(0, words, tokens)
    return State.of(model, {"input.tokens": ids})


class Turns:
    """Two sets of inputs taken in turns, so that each run has something to do.

    Parameters
    ----------
    *sets : mapping of str to numpy.ndarray
    """

    def __init__(self, *sets: Mapping[str, Array]) -> None:
        self.sets = sets
        self.now = sets[0]

    def __call__(self, run: Callable[[Mapping[str, Array]], object]) -> Callable[[], None]:
        def turn() -> None:
            self.now = self.sets[self.now is self.sets[0]]
            run(self.now)

        return turn


def agree(values: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Make sure that what is compared does the same.

    Raises
    ------
    RuntimeError
        Naming a node whose value is not the expected one bit for bit.
    """
    for name, array in expected.items():
        if not same_bytes(values[name], array):
            raise RuntimeError(f"'{name}' is not what the straight-line function computes; update the latter.")


def _hidden() -> Array:
    """The numbers before the activation in a step of tiny-gpt: 64 sentences of 10 words, d_ff 256."""
    return np.random.default_rng(0).standard_normal((64, 10, 256)).astype(np.float32)


def _moved(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Every input with other numbers; words are kept."""
    return {name: array if array.dtype.kind == "i" else array + 0.01 for name, array in inputs.items()}
