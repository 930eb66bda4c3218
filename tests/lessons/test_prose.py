"""Words of a step as HTML and as plain text."""

import re
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.core.engine import fresh
from explorer.lessons.loader import catalogue, load
from explorer.lessons.prose import cells_in, html, numbers_of, plain, sentences
from explorer.lessons.schema import StepStates
from explorer.lessons.symbols import UnknownNameError
from tests.samples import each

FORMULAS = {
    r"\sqrt{d_k}": ('√<span style="text-decoration: overline"><i>d</i><sub><i>k</i></sub></span>', "√dₖ"),
    "W_Q": ("<i>W</i><sub><i>Q</i></sub>", "W_Q"),
    "e^{-x_{10}}": ("<i>e</i><sup>−<i>x</i><sub>10</sub></sup>", "e^(−x₁₀)"),
    "a - b = -1": ("<i>a</i> − <i>b</i> = −1", "a − b = −1"),
    r"\frac 1 2": ("1 / 2", "1 / 2"),
    r"\sqrt n_ i": ('√<span style="text-decoration: overline"><i>n</i></span><sub><i>i</i></sub>', "√nᵢ"),
    r"\text {a b}": ("a b", "a b"),
    r"\hat y": ("<i>y\u0302</i>", "y\u0302"),
    r"\tilde{W_Q}": ("<i>W̃</i><sub><i>Q</i></sub>", "W̃_Q"),
    r"\frac{a + b}{c}": ("(<i>a</i> + <i>b</i>) / <i>c</i>", "(a + b) / c"),
    r"\operatorname{softmax}(Q K^\top)": ("softmax(<i>Q</i><i>K</i><sup>T</sup>)", "softmax(QKᵀ)"),
    r"\sum_i w_i \cdot v_i": (
        "Σ<sub><i>i</i></sub><i>w</i><sub><i>i</i></sub> · <i>v</i><sub><i>i</i></sub>",
        "Σᵢwᵢ · vᵢ",
    ),
    r"\text{share of A} < 5": ("share of A &lt; 5", "share of A < 5"),
}


@each("latex", FORMULAS)
def test_formulas(latex):
    as_html, as_text = FORMULAS[latex]
    shown = html(f"${latex}$")
    assert shown.replace("\u00a0", " ") == f"<p>{as_html}</p>"
    assert " " not in re.sub("<[^>]*>", "", shown)  # a short formula stays on one line
    assert plain(f"${latex}$") == as_text


@pytest.mark.parametrize("latex", [r"\foo", "{a", "a}", r"\frac{a}", "a_", r"\text{a", "^" * 3000])
def test_what_no_formula_is_is_refused(latex):
    with pytest.raises(UnknownNameError):
        plain(f"${latex}$")


def test_markdown():
    text = "**Bold** and *italic*, `x {a} $b$`.\n\n- one\n- two <b>\n\n3. three\n4. four"
    assert html(text) == (
        "<p><strong>Bold</strong> and <em>italic</em>, <code>x {a} $b$</code>.</p>\n"
        '<ul>\n<li>one</li>\n<li>two &lt;b&gt;</li>\n</ul>\n<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>'
    )
    assert plain(text) == "Bold and italic, x {a} $b$.\n\n• one\n• two <b>\n\n3. three\n4. four"


def test_numbers_are_those_of_the_step(three):
    lesson, states = three, StepStates(three)
    assert plain("{output.logits[x, Category A]}", numbers_of(lesson.steps[0], states.engine(0))) == "2.0"
    numbers = numbers_of(lesson.steps[1], states.engine(1))
    assert numbers["output.probabilities[x, Category A]:%"] == "65%"
    assert numbers["output.probabilities[x, Category B]:2"] == "0.24"


def test_a_small_share_is_written_with_a_decimal_and_as_no_power_of_ten(three):
    """In a lesson on a large model it was “1.1e−1%”."""
    step = replace(three.steps[0], shown={f"{k}:%": ("output.probabilities", (0, k)) for k in range(3)})
    engine = fresh(three.state().graph, {**three.state().used, "output.logits": np.array([[0.0, 6.8, -2.0]])}, {})
    assert numbers_of(step, engine) == {"0:%": "0.1%", "1:%": "99.9%", "2:%": "< 0.1%"}


def test_a_formula_that_cannot_be_shown_names_its_step(tmp_path):
    file = tmp_path / "softmax.toml"
    file.write_text(
        'format = 4\nid = "a"\ntitle = "A"\nparagraph = "A."\nexample = "softmax"\n'
        '[[step]]\nid = "one"\ntitle = "One"\n'
        "words = '$\\sqr{2}$'\nlook.stage = 'output'\n"
    )
    with refuses(r"step `one` of .* names symbol `sqr`; did you mean `sqrt`\?"):
        load(file)


@pytest.mark.parametrize(("text", "count"), [
    ("One. Two? *Three.*", 3),
    ("The share is 0.58, and $e^{0.5}$ is {scores[a, b]:2}.", 1),
    ("He said “no.” Then yes!", 2),
    ("Look:\n\n- one\n- two", 3),
    ("", 0),
])  # fmt: skip
def test_sentences_are_counted(text, count):
    assert sentences(text) == count


def test_no_line_ends_within_the_name_of_a_case():
    assert html("What does the net answer to “1, 1”, or to 1, 2?").count("\u00a0") == 1
    assert "“1,\u00a01”" in html("the case “1, 1”")
    assert "−ln\u00a00.7" in html("the loss, −ln 0.7")


def test_a_line_that_begins_with_a_number_begins_no_list():
    """Where a line broke before “1. Here …”, the sentence was cut, and a list begun."""
    for lesson in catalogue():
        for step in lesson.steps:
            asked = step.question
            told = [] if asked is None else [asked.ask, asked.why, *asked.hints]
            assert not any("<ol" in html(text) for text in (step.words, step.slide, step.notes, *told)), step.id


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("It is {scores[a, b].", "names number `{scores[a, b].`"),
        ("It is scores[a, b]}.", "names number `It is scores[a, b]}`"),
        (r"It is q \cdot k.", r"names formula `\cdot`"),
        (r"It is $q \cdot k.", "names formula `$q`"),
        ("Take $e to the power of each.", "names formula `$e`"),
        (r"It costs $5, or 5 $, or \$x.", ""),
        (r"It is 5 \{ and C:\\new, and `{a}`.", ""),
    ],
)
def test_a_bracket_or_dollar_without_its_other_is_refused_and_not_shown_as_typed(words, said):
    """`explorer check` called a lesson valid whose class read {scores[a, b]."""
    if said:
        with pytest.raises(UnknownNameError) as told:
            cells_in(words)
        assert said == f"names {told.value.what} `{told.value.name}`"
    else:
        assert cells_in(words) == []


def test_an_asterisk_without_its_pair_is_refused_and_all_others_are_not():
    """A word in `**word*` was shown with an asterisk before it."""
    for wrong in ("The **score* of x.", "**Bold*", "an *x", "the x* of y"):
        with pytest.raises(UnknownNameError) as caught:
            cells_in(wrong)
        assert "\\*" in caught.value.remedy
    for right in ("a * b", "2*3", r"5 \* 3", "*it* and **b**", "`a*b`", "* one\n* two", "**a *b* c**", "*a **b** c*"):
        assert cells_in(right) == []
    assert cells_in("(*You are\nwelcome*), ***both***, **{x[a, b]}**, *$q$*.") == ["x[a, b]"]
