"""The page of the inspector, as data: what is said of a cell, and of a stage where none is pointed at."""

import numpy as np
import pytest

from explorer.core.engine import Check
from explorer.lessons.loader import load
from explorer.pages.gestures import ForInspector, GoTo, OpenLesson
from explorer.pages.page import Button, Derivation, Maths, Passage
from explorer.pages.surfaces.inspection import Printed, inspected, printed_at
from explorer.pages.surfaces.inspector import Told, check_said, inspector_page
from explorer.pages.view import Cell

LESSON = load("you-are-welcome")
ENCODER = "encoder.1.self"


@pytest.fixture
def you(desk):
    """The example in a setting."""
    return lambda setting="textbook", **looking: _looking(desk("you-are-welcome", setting), looking)


def _looking(desk, looking):
    desk.look(**looking)
    return desk


def of_stage(desk, stage, **told):
    """What is said of a stage after a cell has been pointed at, by element."""
    elements = inspector_page(desk.document.engine.graph, desk.stage(stage), Told(met=True, **told), LESSON)
    return {one.id: one for one in elements}


def of_cell(desk, cell, **told):
    """What is said of a cell, by element."""
    fed = {node: [index] for node, index in desk.document.engine.feeds(cell.node, cell.index).items()}
    told = Told(inspected(desk.view, cell, fed), met=True, **told)
    return {one.id: one for one in inspector_page(desk.document.engine.graph, None, told, LESSON)}


def empty(page):
    """The elements that say nothing, and so are hidden."""
    says = {Passage: "text", Button: "text", Maths: "latex", Derivation: "rows"}
    return {id for id, one in page.items() if type(one) in says and not getattr(one, says[type(one)])}


def test_all_elements_stay_whatever_is_pointed_at(you):
    desk = you()
    pages = [
        of_stage(desk, f"{ENCODER}.attention"),
        *(of_cell(desk, Cell(f"{ENCODER}.{node}", (0, 0, 1))) for node in ("scores", "scaled", "W_Q")),
    ]
    assert len({tuple(page) for page in pages}) == 1, "nothing is laid out anew where only the cell is another one"
    first = inspector_page(desk.document.engine.graph, desk.stage(f"{ENCODER}.attention"), Told(), LESSON)
    assert not any(isinstance(one, Derivation) for one in first), "a window opens with no widgets for cells"


def test_a_stage_is_explained_and_its_terms_lead_on_once_the_glossary_is_there(you):
    page = of_stage(you(), f"{ENCODER}.attention")
    assert page["stage"].text.startswith("<p style='margin: 0 0 8px 0'><b>What is it for?</b>")
    assert {"title", "value", "formula", "check", "derivation 0", "code", "fed", "printed"} <= empty(page)
    assert "hint" not in empty(page)
    assert page["cell"].steps == ()
    assert '<a href="glossary:query">' in of_stage(you(), f"{ENCODER}.attention", linked=True)["stage"].text


def test_a_cell_leads_to_what_it_feeds(you):
    page = of_cell(you(), Cell(f"{ENCODER}.Q", (0, 0, 1)))
    assert page["fed"].text == "<a href='0'>scores</a> <muted>Encoder 1: Self-attention · 3 cells</muted>"
    assert page["value"].text.startswith("encoder.\u200b1.\u200bself.\u200bQ = "), "a name that may take two lines"
    assert page["fed"].leads == (GoTo(f"{ENCODER}.attention"),)
    assert {"stage", "hint", "check"} <= empty(page)


def test_a_word_in_angle_brackets_is_written(you):
    assert "&lt;start&gt;" in of_cell(you(), Cell("output.logits", (0, 1)))["title"].text


def test_an_input_has_no_derivation(you):
    page = of_cell(you(), Cell("source.table", (0, 0)))
    assert page["heading"].text.startswith("An input")
    assert {"derivation 0", "formula", "numpy", "code"} <= empty(page)


def test_the_code_evaluated_on_the_parents_is_the_value(you):
    desk = you()
    name, _, expression = of_cell(desk, Cell(f"{ENCODER}.projected", (0, 0)))["code"].text.partition(" = ")
    assert name == "projected"
    values = {short: desk.value(f"{ENCODER}.{short}") for short in ("concat", "W_O")}
    assert np.array_equal(eval(expression, {"np": np, **values}), desk.value(f"{ENCODER}.projected"))


# Gradients


@pytest.mark.parametrize(
    ("node", "index", "rule"),
    [
        (
            "encoder.1.self.residual",
            (0, 1),
            r"\frac{\partial L}{\partial {N_{enc}}} \frac{\partial {N_{enc}}}{\partial R_{enc}}",
        ),
        (
            "encoder.1.self.norm",
            (0, 1),
            r"{\partial {h}}{\partial N_{enc}} + \frac{\partial L}{\partial {R'_{enc}}} \frac{",
        ),
        ("source.H", (0, 1), r"\sum_{C \in \{ Q, K, V, R_{enc} \}} \frac{\partial L}{\partial {C}} \frac{"),
        ("loss.value", (), r"\frac{\partial L}{\partial L}"),
    ],
)
def test_the_chain_rule_names_the_nodes_that_a_gradient_comes_through(you, node, index, rule):
    page = of_cell(you(showing="gradient"), Cell(node, index))
    assert rule in page["formula"].latex
    assert page["check"].text == "Check this cell"


def test_a_whole_number_says_why_it_has_no_gradient(you):
    page = of_cell(you(showing="gradient"), Cell("source.tokens", (0,)))
    assert page["heading"].text == "It has no gradient"
    assert "cannot change a little" in page["how"].text
    assert "check" in empty(page)


def test_a_check_says_how_far_slope_and_gradient_agree():
    same = check_said(Check(6.1e-6, 0.0636369033, 0.0636370220, 0.0098010625, 0.0098010626), 0.0)
    assert "<td>0 − h&nbsp;&nbsp;</td><td align='right'>0.0636369033</td>" in same
    assert same.endswith("h is 6.1×10⁻⁶. <good>✓ the same to 7 digits</good>")
    other = check_said(Check(0.5, 0.0, 1.0, 1.0, 2.0), 0.0)
    assert "✓" not in other
    assert other.endswith(".")


# In the printed text


def test_the_number_of_a_cell_leads_to_its_line_among_all_printed_numbers(you):
    desk = you("printed")
    desk.others = {"prints": ("you-are-welcome", "printed")}
    page = of_cell(desk, Cell(f"{ENCODER}.weights", (0, 0, 0)))
    assert page["printed"].text == "<a href='0'>In the printed text (004)</a>"
    assert page["printed"].leads == (ForInspector("source"),)
    assert page["errata"].leads == (OpenLesson("errata-004"),)
    desk.others = {}
    page = of_cell(desk, Cell(f"{ENCODER}.weights", (0, 0, 0)))
    assert {"printed", "said", "notes", "slips", "errata"} <= empty(page), "whoever does not hold it hears nothing"


def test_the_slips_of_a_stage_are_counted_and_told_on_request(you):
    desk = you("printed")
    desk.others = {"prints": ("you-are-welcome", "printed")}
    printed = printed_at(desk.view, f"{ENCODER}.attention")
    page = of_stage(desk, f"{ENCODER}.attention", printed=printed)
    assert page["printed"].text == "In the printed text (004)"
    assert page["notes"].text == "<a href='0'>▸ 6 notes on the printed text</a>"
    assert "slips" in empty(page)
    page = of_stage(desk, f"{ENCODER}.attention", printed=printed, notes=True)
    assert page["slips"].text.count("<b>A slip</b>") == 6
    one = of_stage(desk, f"{ENCODER}.attention", printed=Printed((), ("x",)))
    assert "▸ 1 note on" in one["notes"].text
