"""Every number that the references print has a line, and the model computes what the line says.

Also every printed table, beside the node that computes it.
"""

import os
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from lessons.count_numerals import numerals
from refusals import refuses

from explorer import paths
from explorer.core.errors import ExplorerError
from explorer.lessons.loader import load
from explorer.lessons.printed_numbers import (
    CITED,
    DIFFERS,
    REPRODUCES,
    RETYPED,
    check_figures,
    check_slips,
    compute,
    printed,
    printed_numbers,
)
from explorer.lessons.reading import read
from explorer.lessons.references import all_references, figure_for, figures, reference_from, slips, slips_at
from tests.samples import each


@cache
def results():
    """What is computed for each figure."""
    return {result.figure: result for result in check_figures()}


@each("figure", figures(), ids=lambda figure: f"{figure.reference}-{figure.id}")
def test_agrees(figure):
    result = results()[figure]
    assert result.agrees, f"{figure.node}: off by {result.worst}\n{figure.values}\n{result.computed}"
    assert result.computed.shape == figure.values.shape
    assert result.worst <= (0.5 + figure.units) * 10.0 ** -int(figure.decimals.min()) + 1e-12


@pytest.mark.parametrize("figure", [one for one in figures() if one.units], ids=lambda figure: figure.id)
def test_no_more_is_allowed_than_the_retyped_rounding_explains(figure):
    result = results()[figure]
    assert not replace(result.figure, units=result.figure.units - 1).agrees(result.computed)
    assert result.figure.why
    (exact,) = (r for r in results().values() if r.figure.id == f"{result.figure.id}-retyped")
    assert exact.agrees
    assert exact.figure.units == 0


def test_what_is_printed_for_the_examples():
    assert [reference.id for reference in all_references()] == ["000", "001", "003", "004"]
    ids = {reference.id: {figure.id for figure in reference.figures} for reference in all_references()}
    assert ids["000"] >= {"A", "B", "C", "C-rounded", "D"}
    assert ids["001"] >= {"words", "cosines", "orange-cosines", "phone-cosines", "orange-weights", "phone-weights"}
    assert ids["003"] >= {"K", "Q", "friend-emma", "scores-rounded", "scores", "weights", "weights-masked"}
    assert ids["004"] >= {"Q", "Q-script", "Q-rounded", "K", "V", "Q-of-Y", "K-of-Y", "V-of-Y", "weights"}
    assert {i for i in ids["004"] if i.endswith("-retyped")} == {
        f"{i}-retyped" for i in ("M", "LN-1", "LN-1-first", "FFN", "LN-2", "cross-weights", "cross-output")
    }


def test_a_wrong_digit_is_noticed():
    figure = figure_for("you-are-welcome", "printed", "encoder.1.self.head.1.weights")
    computed = compute(figure, load(figure.lesson).state(figure.setting))
    assert figure.agrees(computed)
    computed = computed.copy()
    computed[1, 2] += 1e-8
    assert not figure.agrees(computed)
    computed[1, 2] = np.nan
    assert not figure.agrees(computed)


def test_figure_for_a_cell():
    figure = figure_for("you-are-welcome", "printed", "encoder.1.self.head.1.weights")
    assert figure.printed((1, 2)) == "0.70401897"
    assert figure.rounded((1, 2), 0.7040189662) == "0.70401897"
    assert figure.agrees_at((1, 2), 0.7040189662)
    assert not figure.agrees_at((1, 2), 0.7040189762)
    assert figure.printed((0, 1)) == "0.21671075"
    assert figure.printed((3, 0)) is None
    assert figure.printed((0,)) is None


def test_figure_for_prefers_the_most_exact_print():
    assert figure_for("you-are-welcome", "printed", "encoder.1.self.head.1.V").id == "V"
    assert figure_for("emma", "printed", "scores").id == "scores"
    assert figure_for("translation-lookup", "printed", "weights").id == "C"
    assert figure_for("emma", "textbook", "weights").id == "weights-masked"


def test_figure_for_leaves_out_what_needs_other_numbers():
    assert figure_for("you-are-welcome", "printed", "decoder.1.self.head.1.Q") is None
    assert figure_for("you-are-welcome", "textbook", "encoder.1.self.head.1.weights") is None
    as_they_stand = (f for f in figures() if f.part == "value" and f.descent is None and not f.id.endswith("-retyped"))
    assert all(f.plain for f in as_they_stand if not f.switches and not f.inputs)
    assert figure_for("cat-sat-on-the", "wrong", "output.logits") is None


def test_what_is_printed_somewhere_is_looked_up_not_looked_for(monkeypatch):
    weights = figure_for("you-are-welcome", "printed", "encoder.1.self.head.1.weights")
    monkeypatch.setattr(
        "explorer.lessons.references.all_references", lambda: pytest.fail("it went through all of them")
    )
    assert figure_for("you-are-welcome", "printed", "encoder.1.self.head.1.weights") is weights
    assert slips_at("you-are-welcome", "printed", {"source.X"}) == ()
    assert figure_for("you-are-welcome", "no such setting", "source.X") is None


def test_figure_for_another_shape():
    """A word more, or a word a row: what is printed stands in other cells."""
    assert figure_for("emma", "printed", "K", (4, 9)).id == "K"
    assert figure_for("emma", "printed", "K", (9, 4)) is None


def test_a_single_printed_number():
    (figure,) = (f for f in figures() if f.id == "friend-emma")
    assert figure.printed((8, 0)) == "2.42"
    assert figure.printed((0, 0)) is None
    assert figure.agrees_at((8, 0), 2.42)
    assert not figure.agrees_at((0, 0), 2.42)


def test_a_table_of_which_only_some_rows_are_printed():
    (figure,) = (f for f in figures() if f.id == "orange-over-all")
    computed = compute(figure, load(figure.lesson).state(figure.setting))
    assert figure.agrees(computed)
    assert figure.printed((0, 1)) == "0.3"
    assert figure.printed((2, 1)) is None
    assert not figure.agrees_at((2, 1), computed[2, 1])
    for cell, agrees in (((2, 1), True), ((0, 1), False)):
        changed = computed.copy()
        changed[cell] += 1
        assert figure.agrees(changed) is agrees


def test_slips_are_slips():
    results = check_slips()
    assert all(result.agrees for result in results), [r.slip.printed for r in results if not r.agrees]
    # How large GPT is and what takes its time, what cross-entropy is, which words are looked up, what padding is, whose
    # tables cross-attention has.
    assert {s.section for s in slips() if s.figure is None} == {
        "Looking at real words",
        "Prepare and Embed Target Sequence for Decoder",
        "Decoder Stack Processing with Encoder Output",
        "GPT Time Complexity",
        "What's so different about GPT models?",
        "What is Cross Entropy Loss",
        "Loss Function and Back-Propagation",
    }
    assert {slip.reference for slip in slips()} == {"000", "001", "003", "004"}


def test_what_other_epsilons_would_print():
    """The first norm is what σ + ε gives, and the second what ε inside the root gives, and not the other way round."""
    for id, switch, other in (("LN-1", "encoder.1.self", "root"), ("LN-2", "encoder.1.ffn", "sigma")):
        (figure,) = (f for f in figures() if f.id == f"{id}-retyped")
        changed = replace(figure, switches={f"{switch}.epsilon_in": other})
        computed = compute(changed, load(figure.lesson).state())
        assert not figure.agrees(computed)
        assert figure.off(computed).max() > 30


REFERENCE = """
reference = "999"
title = "A reference"
lesson = "emma"
[[figure]]
id = "scores"
title = "Scores"
section = "1"
node = "scores"
cell = [8, 0]
decimals = 2
values = 2.42
[[slip]]
section = "2"
printed = "2.4"
right = "2.42"
how = "By hand."
figure = "scores"
wrong = 2.4
"""

BAD = {
    "unknown key": ('node = "scores"', 'nodes = "scores"', "figure[0].nodes", "not a known key"),
    "no decimals": ("decimals = 2\n", "", "figure[0].decimals", "is missing"),
    "nothing printed": ("values = 2.42", "values = nan", "figure[0].values", "holds no number"),
    "half a decimal": ("decimals = 2", "decimals = 2.5", "figure[0].decimals", "not whole"),
    "decimals of another shape": ("decimals = 2", "decimals = [2, 2]", "figure[0].decimals", "another shape"),
    "a cell of a table": ("values = 2.42", "values = [2.42]", "figure[0].values", "one cell is named"),
    "units for no reason": ("decimals = 2", "decimals = 2\nunits = 1", "figure[0].units", "needs a reason"),
    "a reason for nothing": ("decimals = 2", 'decimals = 2\nwhy = "So."', "figure[0].units", "needs a reason"),
    "retyped later": ("decimals = 2", 'decimals = 2\nretyped = ["scores"]', "figure[0].retyped", "no figure 'scores'"),
    "slip of no figure": ('figure = "scores"', 'figure = "score"', "slip[0].figure", "'score' is not one"),
    "wrong for nothing": ('figure = "scores"\n', "", "slip[0].wrong", "nothing of its shape"),
}


def test_reference_file(tmp_path):
    file = tmp_path / "999.toml"
    file.write_text(REFERENCE, encoding="utf-8")
    reference = reference_from(read(file))
    assert reference.figures[0].cell == (8, 0)
    assert reference.slips[0].figure is reference.figures[0]


@pytest.mark.parametrize("case", BAD)
def test_bad_reference_file(tmp_path, case):
    old, new, key, problem = BAD[case]
    assert REFERENCE.count(old) == 1
    file = tmp_path / "999.toml"
    file.write_text(REFERENCE.replace(old, new), encoding="utf-8")
    with pytest.raises(ExplorerError) as caught:
        reference_from(read(file))
    assert caught.value.fields["key"] == key
    assert problem in caught.value.fields["problem"]


def test_a_figure_of_what_the_lesson_has_not():
    (figure,) = (f for f in figures() if f.id == "scores-rounded")
    state = load("emma").state()
    with refuses("'Q' has shape"):
        compute(replace(figure, node="Q"), state)
    with refuses("no node 'scoers'"):
        compute(replace(figure, node="scoers"), state)
    with refuses("'K' has shape"):
        compute(replace(figure, inputs={"K": np.eye(2)}), state)


ROWS = printed_numbers()
COUNTED = {
    (one.text("reference"), one.text("section")): (
        one.number("printed", 0, 1, 1000),
        one.number("other", 0, 0, 1000),
        one.text("what", default=""),
    )
    for one in read(paths.resources() / "references" / "printed.toml").tables("section")
}


def listed():
    """How many printed numbers have a line, by reference and section; one that is printed twice counts twice."""
    found = Counter()
    for reference in all_references():
        tables = [(one, len(one.cells)) for one in reference.figures if not (one.second or one.id.endswith("-retyped"))]
        tables += [(one, 0 if one.worded else len(one.cells)) for one in reference.slips]
        tables += [(one, len(one.values)) for one in reference.cited]
        for one, count in tables:
            for section in (one.section, *one.again):
                found[reference.id, section] += count
    found.update((row.reference, row.section) for row in ROWS if row.title.startswith(("Vector of", "Cosine of “")))
    return +found


def test_all_lines_agree_with_the_models():
    assert [(row.reference, row.title, row.printed, row.ours) for row in ROWS if not row.agrees] == []


@pytest.mark.parametrize("reference", [one.id for one in all_references()])
def test_every_printed_number_has_a_line(reference):
    expected = {key: printed - other for key, (printed, other, _) in COUNTED.items() if key[0] == reference}
    found = {key: count for key, count in listed().items() if key[0] == reference}
    assert found == {key: count for key, count in expected.items() if count}


def test_what_has_no_line_is_explained():
    assert all(bool(what) == bool(other) for _, other, what in COUNTED.values())
    assert sum(other for _, other, _ in COUNTED.values()) < 0.15 * sum(printed for printed, _, _ in COUNTED.values())


@pytest.mark.skipif("EXPLORER_REFERENCES" not in os.environ, reason="the texts are not part of the program")
@pytest.mark.parametrize("reference", [one.id for one in all_references()])
def test_the_counts_are_those_of_the_texts(reference):
    counts = numerals(os.environ["EXPLORER_REFERENCES"], reference)
    assert counts == {key[1]: printed for key, (printed, _, _) in COUNTED.items() if key[0] == reference}


def test_every_status_occurs_and_says_why():
    counts = Counter(row.status for row in ROWS)
    assert all(counts[status] for status in (REPRODUCES, RETYPED, DIFFERS, CITED))
    assert all(row.why for row in ROWS if row.status != REPRODUCES)


def test_a_number_that_reproduces_is_the_printed_one():
    off = [
        row for row in ROWS if row.status in (REPRODUCES, RETYPED) and row.cell is not None and row.printed != row.ours
    ]
    # A tie that the print rounds up, and numbers that are not rounded but cut off.
    assert all(abs(float(row.ours.replace("−", "-")) - float(row.printed.replace("−", "-"))) < 1e-4 for row in off)
    assert len(off) < 10


def test_a_slip_differs():
    rows = [row for row in ROWS if row.status == DIFFERS and row.off is not None]
    assert all(row.printed != row.ours for row in rows)
    assert {row.reference for row in rows} == {"000", "001", "003", "004"}


def test_each_slip_and_claim_has_a_line():
    texts = {row.title for row in ROWS}
    claims = {claim.says for text in all_references() for claim in text.claims}
    assert {slip.printed for slip in slips()} | claims <= texts


def test_a_worked_line_has_its_factors_and_terms():
    by_id = {figure.id: figure for figure in figures() if figure.reference == "004"}
    assert by_id["Q11-factors"].in_node((3,)) == (0, 0, 0)
    row = next(row for row in ROWS if row.title == "Factors of Q[1,1]" and row.cell == (6,))
    assert (row.printed, row.ours, row.scene.node, row.scene.cell) == ("1.4", "1.4", "encoder.1.self.Q", (0, 0, 0))


def test_numbers_behind_steps_of_descent():
    row = next(row for row in ROWS if row.title == "Final probabilities of the script" and row.cell == (0, 0))
    assert (row.printed, row.ours, row.status) == ("0.95765298", "0.95765298", REPRODUCES)
    assert row.scene.state().inputs["output.logits"].shape == (1, 4)


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (-2.0, "−2"), (-0.0, "0"), (2.40253977e-04, "0.000240253977"), (1e-9, "1e−09")]
)
def test_plain(value, text):
    assert printed(value) == text
