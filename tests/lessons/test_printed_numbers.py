"""Every number that the references print has a line, and the model computes what the line says."""

import os
from collections import Counter

import pytest
from lessons.count_numerals import numerals

from explorer import paths
from explorer.lessons.printed_numbers import CITED, DIFFERS, REPRODUCES, RETYPED, plain, printed_numbers
from explorer.lessons.reading import read
from explorer.lessons.references import claims, figures, references, slips

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
    for reference in references():
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


@pytest.mark.parametrize("reference", [one.id for one in references()])
def test_every_printed_number_has_a_line(reference):
    expected = {key: printed - other for key, (printed, other, _) in COUNTED.items() if key[0] == reference}
    found = {key: count for key, count in listed().items() if key[0] == reference}
    assert found == {key: count for key, count in expected.items() if count}


def test_what_has_no_line_is_explained():
    assert all(bool(what) == bool(other) for _, other, what in COUNTED.values())
    assert sum(other for _, other, _ in COUNTED.values()) < 0.15 * sum(printed for printed, _, _ in COUNTED.values())


@pytest.mark.skipif("EXPLORER_REFERENCES" not in os.environ, reason="the texts are not part of the program")
@pytest.mark.parametrize("reference", [one.id for one in references()])
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
    assert {slip.printed for slip in slips()} | {claim.says for claim in claims()} <= texts


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
    assert plain(value) == text
