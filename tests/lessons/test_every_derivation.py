"""Derivations of all lessons and models under every choice at every switch, forward and backward, by samples.

Every choice is made in one kind of model that has it, and a few in one setting of each other; `pytest -m long` makes
all in all, and looks at more nodes.
Each arrives at the number that the graph or back-propagation has, and each row of it is arithmetic that one can do.

Also what stands beside a gap, in all generated questions of all lessons.
"""

import random
import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from explorer.core.derivation import rows
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, OF_LOSS
from explorer.core.model import SWITCHES
from explorer.core.numbers import in_full
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.lessons.answers import judge, values_of
from explorer.lessons.document_lesson import opened
from explorer.lessons.loader import lesson_files, load, models
from explorer.lessons.mistakes import derivation, mistakes
from explorer.lessons.schema import ALL, Predict
from explorer.lessons.walk import MISSING, Walk, faded
from tests.examples import EXAMPLES
from tests.samples import each, long

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
            said = name, cell, row  # written if it fails: a row holds the op with all its arrays
            if row.value not in ("NaN", "∞", "−∞"):
                # A divisor may overflow: one text has no d in the exponents of 10000, whose 88th power is no float.
                assert "∞" not in row.expression.replace("÷ ∞", ""), said
                assert "NaN" not in row.expression, said
            assert not SIGNED_ZERO.search(f"{row.expression} {row.value}"), said


LESSONS = [lesson for lesson in map(load, lesson_files()) if lesson.questions]
OF_A_PROGRAM = re.compile(
    r"\bentry\b|\b(mean|sum) of it\b|\(\?\)|\bNone\b|\bnan\b|[_\[\]]|\be-\d|\d\.\d{7,}|(?<!\w)-\d",
    re.IGNORECASE,
)
"""Signs of a text that a program writes for itself: names with underscores, places in brackets, digits of rounding."""


def asked(lesson):
    """The questions for a number, each with the values that it is about."""
    walk = Walk(lesson)
    for at, step in enumerate(lesson.steps):
        if isinstance(step.question, Predict):
            yield step.question, walk.engine(at)


def with_gaps(lesson):
    return [(question, faded(question, engine)) for question, engine in asked(lesson) if question.fade]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_nothing_that_is_made_for_a_question_reads_as_a_program_writes(lesson):
    for question, engine in asked(lesson):
        parts = list(derivation(engine, question.node, question.cell, question.of))
        said = []
        for mistake in islice(mistakes(engine, question.node, question.cell, question.digits, question.of), 12):
            said.append(mistake.sentence)
            parts += mistake.derivation
        for wrong in (1000.5, -1000.5, float("inf")):
            verdict = judge(question, wrong, None, engine)
            said += [verdict.said(True), verdict.said(False)]
        said += [text for _, part in parts for row in part for text in (row.label, row.expression, row.value)]
        assert not [text for text in said if OF_A_PROGRAM.search(text)]


def fades(lesson):
    return any(isinstance(step.question, Predict) and step.question.fade for step in lesson.steps)


@each("lesson", list(filter(fades, LESSONS)), ids=lambda lesson: lesson.id)
def test_each_gap_has_a_name_and_says_what_it_needs_by_name(lesson):
    for question, gaps in with_gaps(lesson):
        assert gaps.blanks
        for blank in gaps.blanks:
            row = gaps.parts[blank.part][1][blank.row]
            assert row.value == MISSING
            assert re.search(r"[^\W\d]", row.label), row  # letters, not the number of a column alone
        for (_, part), (_, whole) in zip(gaps.parts, gaps.whole, strict=True):
            for row, full in zip(part, whole, strict=True):
                assert MISSING not in row.expression
                if full.value and row.kind != "heading":
                    assert MISSING not in full.value
        shown = [row.expression for _, part in gaps.parts for row in part]
        assert not any(shown) if question.fade == ALL else any(shown)


def test_only_what_rounding_leaves_is_not_written():
    assert in_full(-0.2500000000000001) == "−0.25"
    assert in_full(3.0000000000000004) == "3.0"
    assert in_full(1 / 3) == "0.333333333333333"


def test_the_row_that_needs_a_gap_names_the_nearest_of_equal_ones():
    moved = SetCells("batch.beta", {(0,): 0.5}).apply(load("jump").state())
    two = faded(Predict(ask="?", node="batch.norm", cell=(0, 0), fade=2), values_of(moved))
    last = two.parts[-1][1]
    assert [row.expression for row in last[-2:]] == ["“with mean 0, variance 1” × 1.0000", "“times γ” + 0.5000"]


def test_a_cross_entropy_of_several_words_names_them_and_one_of_a_single_word_has_no_mean():
    lesson = next(lesson for lesson in LESSONS if lesson.id == "roses-are-red")
    gaps = next(gaps for question, gaps in with_gaps(lesson) if question.fade == 1)
    assert [row.label for row in gaps.parts[-1][1]] == [
        *("are", "red", "violets", "are", "blue", "mean of the logs", "cross-entropy"),
    ]
    assert gaps.parts[-1][1][-1].expression == "−“mean of the logs”"
    lesson = next(lesson for lesson in LESSONS if lesson.id == "cat-sat-on-the")
    gaps = next(gaps for question, gaps in with_gaps(lesson) if question.fade == 1)
    assert [(row.label, row.expression[:3]) for row in gaps.parts[-1][1]] == [
        ("log of the share", "ln "),
        ("minus the log", "−“l"),
    ]
