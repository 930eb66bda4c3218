"""The glossary: its entries, and how they are found in texts."""

import re

import pytest

from explorer.core.errors import ExplorerError
from explorer.lessons.glossary import LINK, glossary, glossary_from, linked
from explorer.lessons.loader import load, titles
from explorer.lessons.prose import texts_of
from explorer.lessons.reading import TomlTable
from tests.samples import each

ENTRY = {"term": "score", "says": "How well a key fits a query.", "stages": ["attention"], "lesson": "emma"}


def links(html):
    return re.findall(rf'<a href="{LINK}([^"]*)">(.*?)</a>', html)


def test_each_entry_is_short_and_leads_to_an_example():
    lessons = titles()
    for term in glossary().terms:
        assert 20 < len(term.says) < 260, term.name
        assert term.lesson in lessons or not term.lesson, term.name
        assert term.formula.count("{") == term.formula.count("}"), term.name


NOT_BY_NAME = {
    "004, 004-script",
    "analogy",
    "applied as",
    "d_ff",
    "d_model",
    "final norm",
    "generation",
    "identity",
    "induction",
    "likelihood",
    "nearest word",
    "one-hot",
    "output of attention",
    "plane",
    "post, pre",
    "teacher forcing",
    "threshold",
}
"""Terms that a lesson explains in other words, or writes in a formula alone."""


def test_the_lesson_that_explains_a_term_speaks_of_it():
    known, silent = glossary(), set()
    for id in sorted({term.lesson for term in known.terms if term.lesson}):
        said = " ".join(text for step in load(id).steps for text in (step.title, *texts_of(step)))
        found = {one.term.name for one in known.found_in(said, label=True)}
        silent |= {term.name for term in known.terms if term.lesson == id} - found
    assert silent == NOT_BY_NAME


@each(
    ("written", "name"),
    [
        ("d_model", "d_model"),
        ("warm-up", "warm-up"),
        ("Warm-up", "warm-up"),
        ("xavier", "initialiser"),
        ("x W", "applied as"),
        ("not printed", "not printed"),
        ("ε goes into", "ε goes into"),
        ("Softmax", "softmax"),
        ("keys", "key"),
        ("Batch", "batch of examples"),
        ("residual stream", "residual"),
        ("weight tying", "tied unembedding"),
        ("nats", "perplexity"),
        ("logit lens", "logit lens"),
        # lessons introduce these words, and a reader who met them there found none of them
        ("spread", "variance"),
        ("gated net", "gated"),
        ("expert", "mixture of experts"),
        ("pre-training", "self-supervised learning"),
        ("key-value caching", "key-value cache"),
        ("grouped heads", "heads of keys and values"),
    ],
)
def test_a_term_is_found_as_it_is_written(written, name):
    assert glossary().of(written).name == name


def test_what_is_no_term():
    assert glossary().of("flux capacitor") is None
    assert glossary().of_node("encoder.1.flux") is None


@each(
    ("node", "name"),
    [
        ("encoder.1.self.head.2.W_Q", "W_Q, W_K, W_V"),
        ("encoder.1.self.head.1.output", "output of attention"),
        ("decoder.1.ffn.output", "feed-forward"),
        ("weights", "attention weights"),
        ("loss.value", "loss"),
        ("output.W", "output layer"),
        ("layer.2.W", "weight"),
        ("output.scaled", "logit"),
        ("encoder.1.self.scaled", "scale"),
        ("batch.norm", "batch norm"),
    ],
)
def test_a_node_has_the_entry_of_the_longest_end_of_its_name(node, name):
    assert glossary().of_node(node).name == name


def test_terms_are_linked_once_and_not_in_bold_links_or_tags():
    html = "<b>Why softmax?</b><br>Softmax makes shares of scores; <a href='x'>a query</a> is no key, nor are keys."
    found = [("softmax", "Softmax"), ("attention weights", "shares"), ("score", "scores"), ("key", "key")]
    assert links(linked(html)) == found
    assert linked("<softmax>&softmax;") == "<softmax>&softmax;"
    assert links(linked("softmax", {"softmax"})) == []


def test_the_article_is_no_matrix():
    """The heading “A weight as it changes” on the page “Train” led to the attention weights."""
    entries = glossary()
    assert [one.term.name for one in entries.found_in("A weight as it changes", label=True)] == ["weight"]
    assert next(entries.found_in("A = softmax(Z')", label=True)).term.name == "attention weights"


def test_everyday_words_mean_a_term_in_headings_only():
    found = [one.term.name for one in glossary().found_in("One step: the place of each word")]
    assert found == []
    found = [one.term.name for one in glossary().found_in("One step: the place of each word", label=True)]
    assert found == ["gradient descent", "position"]
    with_everyday_words = "Each head works alone on rows of its own: the outputs of all heads, products of neighbours"
    assert {one.term.name for one in glossary().found_in(with_everyday_words)} == {"head"}
    assert [one.term.name for one in glossary().found_in("That means: self-attentions, preheads")] == ["attention"]


def test_near():
    assert [term.name for term in glossary().near("norm")][:2] == ["layer norm", "RMS norm"]
    assert glossary().near("D_MODEL")[0].name == "d_model"
    assert glossary().near("flux capacitor") == []


@pytest.mark.parametrize(
    ("entries", "key", "problem"),
    [
        ([ENTRY, {**ENTRY, "term": "key", "also": ["score"]}], "also", "'score' is of 'score' above already"),
        ([{**ENTRY, "nodes": ["Q"]}, {**ENTRY, "term": "key", "nodes": ["Q"]}], "nodes", "'node Q' is of 'score'"),
        ([{**ENTRY, "say": "x"}], "say", "not a known key"),
        ([{**ENTRY, "says": "no full stop"}], "says", "no whole sentence"),
        ([{k: v for k, v in ENTRY.items() if k != "says"}], "says", "is missing"),
    ],
)
def test_a_wrong_entry_is_named(entries, key, problem):
    with pytest.raises(ExplorerError) as caught:
        glossary_from(TomlTable("glossary.toml", {"term": entries}))
    assert caught.value.fields["key"] == f"term[{len(entries) - 1}].{key}"
    assert problem in caught.value.fields["problem"]
