"""Derivations of all lessons and models under every choice at every switch, forward and backward, by samples.

Every choice is made in one kind of model that has it, and a few in one setting of each other; `pytest -m long` makes
all in all, and looks at more nodes.
Each arrives at the number that the graph or back-propagation has, and each row of it is arithmetic that one can do.
"""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from explorer.core.derivation import rows
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, OF_LOSS
from explorer.core.model import SWITCHES
from explorer.document.commands import SetSwitch, SetTokens
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import load, models
from tests.examples import EXAMPLES
from tests.samples import long

LAYER = re.compile(r"\.\d+\.")
SIGNED_ZERO = re.compile(r"(?<![\w.,})])[-−]0(\.0+)?(?![\d.e])")
SETTINGS = [(lesson.id, setting) for lesson in EXAMPLES for setting in lesson.settings]
SETTINGS += [(model.id, next(iter(model.settings))) for model in models()]
USUAL, LONG = (15, 3, 1), (60, 8, 3)
"""How many nodes of a model are looked at; and of one with another choice of the switched block, and of the others."""
FEW = 3


FIRST = list({load(lesson).model.kind: (lesson, setting) for lesson, setting in reversed(SETTINGS)}.values())[::-1]
"""One model of each kind."""
EACH = list({lesson: (lesson, setting) for lesson, setting in reversed(SETTINGS)}.values())[::-1]


@pytest.mark.parametrize(("lesson", "setting"), EACH, ids=map("-".join, EACH))
def test_each_derivation_is_arithmetic_that_ends_at_its_number(lesson, setting):
    if (lesson, setting) in FIRST:
        others_before = FIRST[: FIRST.index((lesson, setting))]
        walk(lesson, setting, None, USUAL, {key for one in others_before for key in keys(load(one[0]).state(one[1]))})
    else:
        walk(lesson, setting, FEW, USUAL)


def keys(state):
    return [key_of(*choice) for choice in others(state.model)]


def key_of(block, name, value):
    return LAYER.sub(".", block), name, value


GIVEN = Path(__file__).parents[3] / "shared" / "checkpoints" / "given"
FOLDERS = sorted(path.name for path in GIVEN.glob("*") if (path / "config.json").is_file())


@pytest.mark.skipif(not FOLDERS, reason="the folders lie beside the repository, and not in it")
@pytest.mark.parametrize("dtype", [long("float64"), "float32"])
@pytest.mark.parametrize("name", FOLDERS)
def test_so_is_each_of_a_model_that_others_trained(name, dtype):
    """One cell of each node: in float32 to its precision."""
    _, state = opened(GIVEN / name, dtype)
    for sequence, axis in state.graph.sequences.items():
        if len(state.graph.axes[sequence]) < 3:
            words = state.graph.axes[axis]
            state = SetTokens(sequence, [words[i] for i in (5, 17, 3, 40, 7)]).apply(state)
    look(state, list(state.graph.nodes), random.Random(name))


@pytest.mark.long
@pytest.mark.parametrize(("lesson", "setting"), SETTINGS, ids=map("-".join, SETTINGS))
def test_so_is_each_of_every_model_whatever_is_chosen(lesson, setting):
    walk(lesson, setting, None, LONG)


def walk(lesson, setting, most, counts, made=frozenset()):
    """Look at a model as it is, and with one other choice after the other: so many, or all that are not made."""
    base, chance = load(lesson).state(setting), random.Random(f"{lesson} {setting}")
    whole, own, rest = counts
    look(base, nodes(base, "", whole, chance), chance)
    choices = [choice for choice in others(base.model) if key_of(*choice) not in made]
    for block, name, value in choices if most is None else chance.sample(choices, min(most, len(choices))):
        try:
            state = SetSwitch(block, name, value).apply(base)
        except ExplorerError:
            continue  # sizes that do not fit together, and vocabularies that are not one
        look(state, [*nodes(state, f"{block}.", own, chance), *nodes(state, "", rest, chance)], chance)


def others(model):
    """Every other value of every switch; of blocks of one kind in all layers, those of one."""
    seen = set()
    for block, kind in model.blocks().items():
        for name, switch in SWITCHES[kind].items():
            key = kind, block.rpartition(".")[2], name
            if key not in seen:
                seen.add(key)
                numbers = (0, 1, 2) if isinstance(switch.default, int) else (switch.least, 0.5)
                values = (True, False) if isinstance(switch.default, bool) else switch.choices or numbers
                yield from ((block, name, value) for value in values if value != model.switch(block, name))


def nodes(state, path, most, chance):
    found = [name for name in state.graph.nodes if name.startswith(path)] or list(state.graph.nodes)
    return chance.sample(found, min(most, len(found)))


def look(state, names, chance):
    engine = fresh(state.graph, state.used, state.pins)
    near = 1e-9 if state.model.dtype == "float64" else 1e-3
    for name in names:
        value = engine.values[name]
        check(engine, name, value, lambda cell, name=name: engine.explain(name, cell), near, chance)
        if LOSS in engine.graph.nodes and value.dtype.kind == "f":
            gradient = engine.gradients(OF_LOSS).of(name)
            explain = lambda cell, name=name: engine.explain_gradient(name, cell, OF_LOSS)  # noqa: E731
            check(engine, name, gradient, explain, near, chance)


def check(engine, name, value, explain, near, chance):
    """One cell of a node, and one of those that are no finite number."""
    cells = [tuple(chance.randrange(size) for size in value.shape)]
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        cells.append(chance.choice([tuple(map(int, cell)) for cell in np.argwhere(~np.isfinite(value))]))

    def labels(node, axis):
        return engine.labels(engine.graph.nodes[node].axes[axis])

    for cell in cells:
        if (last := explain(cell)) is None:
            continue
        np.testing.assert_allclose(float(last.value), float(value[cell]), rtol=near, atol=near, err_msg=f"{name}{cell}")
        for row in rows(last, labels):
            said = f"{name}{cell}: {row}"
            if row.value not in ("NaN", "∞", "−∞"):
                assert "∞" not in row.expression, said
                assert "NaN" not in row.expression, said
            assert not SIGNED_ZERO.search(f"{row.expression} {row.value}"), said
