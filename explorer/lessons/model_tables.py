"""From the ``[model]``, ``[tokens]`` and ``[switches]`` tables of a file to a model, everything in them checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.core.cost import count_labels
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph
from explorer.core.model import KINDS, SEQUENCES, Model
from explorer.core.models import build
from explorer.core.ops import Array
from explorer.core.switches import SWITCHES, SwitchValue
from explorer.core.vocabulary import MOST_TOKENS
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.document.state import frozen
from explorer.lessons.reading import TomlTable, likeliest, written_key
from explorer.lessons.trained_weights import read_pieces

MOST_CELLS = 2_000_000
MOST_LABELS = 200_000
MOST_LAYERS = 48
_ENDS = ("output", "decision", "loss", "regression")
"""Blocks that are no layers: their switches are named in full."""


def read_model(top: TomlTable) -> tuple[Model, dict[str, Array]]:
    """The model without its switches, and the numbers of its tokens."""
    table = top.table("model")
    kind = table.one_of("kind", KINDS)
    sequences = SEQUENCES.get(kind, ())
    sizes = ("layers", "seed", "axes") if kind == "mlp" else ("seed", "axes")
    table.has_only("kind", *(("d_model", "layers", "seed", "axes", "dtype") if sequences else sizes))
    dtype = table.one_of("dtype", ("float64", "float32"), default="float64")
    layers = table.number("layers", default=1, least=1, most=MOST_LAYERS)
    axes = _axes(table.table("axes"), kind, layers)
    if sequences:
        top.table("tokens").has_only(*sequences)
    if "tokenizer" in top:
        axes[f"{sequences[0]}.words" if sequences else ""] = read_pieces(top)
    for sequence in sequences:
        axes.setdefault(f"{sequence}.words", tuple(dict.fromkeys(_tokens(top.table("tokens"), sequence))))
    inputs = read_words(top, kind, axes)
    d_model = table.number("d_model", default=len(axes["d_model"]) if "d_model" in axes else 4, least=1, most=4096)
    if "d_model" in axes and len(axes["d_model"]) != d_model:
        problem = f"is {d_model}, but {len(axes['d_model'])} dimensions are named"
        table.fail("d_model", problem, "leave it out, or name as many under model.axes.d_model")
    seed = table.number("seed", default=0, least=0, most=2**32 - 1)
    return Model(kind, lengths_of(inputs), axes, d_model, layers, seed=seed, dtype=dtype), inputs


def read_words(table: TomlTable, kind: str, axes: Mapping[str, tuple[str, ...]]) -> dict[str, Array]:
    """The numbers of the tokens that a table, the lesson's or a setting's, gives its sequences."""
    tokens = table.table("tokens")
    sequences = SEQUENCES.get(kind, ())
    if not sequences and len(tokens):
        table.fail("tokens", f"a model of kind '{kind}' has no tokens", "name its rows under model.axes")
    tokens.has_only(*sequences)
    inputs: dict[str, Array] = {}
    for sequence in tokens:
        words, numbers = _tokens(tokens, sequence), {word: i for i, word in enumerate(axes[f"{sequence}.words"])}
        for word in words:
            if word not in numbers:
                remedy = f"add it to model.axes.{written_key((f'{sequence}.words',))}"
                tokens.fail(sequence, f"'{word}' is not in the vocabulary", remedy)
        inputs[f"{sequence}.tokens"] = frozen(np.array([numbers[word] for word in words], dtype=np.int64))
    return inputs


def lengths_of(tokens: Mapping[str, Array]) -> dict[str, int]:
    """The number of tokens of each sequence."""
    return {name.removesuffix(".tokens"): len(ids) for name, ids in tokens.items()}


def _tokens(table: TomlTable, sequence: str) -> tuple[str, ...]:
    words = table.words(sequence)
    if len(words) > MOST_TOKENS:
        table.fail(sequence, f"has {len(words)} tokens", f"write up to {MOST_TOKENS}")
    for word in words:
        if len(word) > MOST_TOKEN_LENGTH or any(c.isspace() for c in word):
            remedy = f"write a token without spaces, up to {MOST_TOKEN_LENGTH} characters"
            table.fail(sequence, f"'{word}' is not one token", remedy)
    return words


def _axes(table: TomlTable, kind: str, layers: int) -> dict[str, tuple[str, ...]]:
    needed: tuple[str, ...] = ()
    known: tuple[str, ...]
    match kind:
        case "attention":
            needed, known = ("query", "feature"), ("query", "feature", "key", "value", "value feature")
        case "mlp":
            needed = known = ("input", *(f"layer.{k}" for k in range(layers + 1)))
        case "norm":
            needed = known = ("input", "feature")
        case "output":
            needed = known = ("input", "output.words")
        case "vectors":
            needed = known = ("feature",)
        case "encoder":
            known = ("input.words", "d_model")
        case _:
            known = (*(f"{sequence}.words" for sequence in SEQUENCES[kind]), "output.words", "d_model")
    table.has_only(*known)
    axes = {name: table.words(name) for name in known if name in table or name in needed}
    for name, labels in axes.items():
        if name.endswith(".words"):
            seen: set[str] = set()
            for word in labels:
                if word in seen:
                    table.fail(name, f"'{word}' stands in it twice", "a vocabulary holds each word once")
                seen.add(word)
    keys = axes.get("key", axes.get("query", ()))
    if "value" in axes and len(axes["value"]) != len(keys):
        table.fail("value", f"has {len(axes['value'])} rows", f"there are {len(keys)} keys; write one value for each")
    return axes


def units_in(table: TomlTable, model: Model) -> dict[str, tuple[str, ...]]:
    """The hidden layers that a setting gives other units."""
    table.has_only(*(f"layer.{k}" for k in range(1, model.layers if model.kind == "mlp" else 1)))
    return {name: table.words(name) for name in table}


def switches_in(table: TomlTable, model: Model) -> dict[str, SwitchValue]:
    """The switches in a table, each by its block and name; the common ones of the model are not repeated.

    A name without its block means every block of the layers that has it.
    """
    blocks = model.blocks()
    parsed: dict[str, SwitchValue] = {}
    table = _spread(table, blocks)
    for key in table:
        block, _, name = key.rpartition(".")
        if block not in blocks:
            remedy = likeliest(block, blocks, "this model has")
            table.fail(key, f"there is no block '{block}'", remedy if block else 'write "BLOCK.NAME" in quotes')
        known = SWITCHES[blocks[block]]
        if name not in known:
            table.fail(key, f"'{block}' has no switch '{name}'", likeliest(name, known, "it has"))
        switch, value = known[name], table.data[key]
        kinds = {bool: (bool,), str: (str,), int: (int,), float: (int, float)}[type(switch.default)]
        right = isinstance(value, kinds) and isinstance(value, bool) == isinstance(switch.default, bool)
        # Python refuses to write out whole numbers of thousands of digits.
        choice = switch.parse(value) if right and not (isinstance(value, int) and abs(value) > 10**9) else None
        if choice is None:
            allowed = "true or false" if isinstance(switch.default, bool) else switch.allowed
            table.fail(key, f"{table.shown(key)} is not one of its values", f"choose {allowed}")
        parsed[key] = choice
    return parsed


def _spread(table: TomlTable, blocks: Mapping[str, str]) -> TomlTable:
    """The table with each name that has no block written out for the blocks that have it."""
    layers = {block: kind for block, kind in blocks.items() if block not in _ENDS}
    every = {name for kind in layers.values() for name in SWITCHES[kind]}
    short = [key for key in table if "." not in key and not isinstance(table.data[key], Mapping)]
    spread: dict[str, Any] = {}
    for key in short:
        if key not in every:
            table.fail(key, "there is no such switch", likeliest(key, every, "this model has"))
        spread |= {f"{block}.{key}": table.data[key] for block, kind in layers.items() if key in SWITCHES[kind]}
    single = {key: table.data[key] for key in table if key not in short}
    return TomlTable(table.file, {**spread, **single}, table.way)


def graph_of(table: TomlTable, model: Model) -> Graph:
    """The graph of a setting, unless it is too large to be held."""
    labels = count_labels(model)
    if labels > MOST_LABELS:
        problem = f"with these sizes all matrices have {labels} rows and columns"
        table.fail("switches", problem, f"keep words, d_model, heads, d_k, d_v and d_ff below {MOST_LABELS} together")
    try:
        graph = build(model)
    except ExplorerError as error:
        table.fail("switches", error, "set the sizes and switches so that they fit together")
    cells = sum(map(graph.size, graph.nodes))
    if cells > MOST_CELLS:
        table.fail("", f"the model holds {cells} numbers", f"a lesson may hold {MOST_CELLS}")
    return graph
