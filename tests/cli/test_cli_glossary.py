"""``explorer glossary``."""

import json

import pytest

from explorer.cli import main
from explorer.lessons.glossary import glossary


def test_a_term(capsys):
    assert main(["glossary", "D_MODEL"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("d_model: How many numbers")
    assert last == "explained in: you-are-welcome"


@pytest.mark.parametrize(
    ("typed", "term"),
    [
        *(("RoPE", "rotary positions"), ("GQA", "heads of keys and values"), ("MoE", "mixture of experts")),
        *(("RMSNorm", "RMS norm"), ("layer-norm", "layer norm"), ("d model", "d_model")),
        ("kv-cache", "key-value cache"),
    ],
)
def test_a_term_as_people_write_it(capsys, typed, term):
    assert main(["glossary", typed]) == 0
    assert capsys.readouterr().out.startswith(f"{term}: ")


def test_all(capsys):
    assert main(["glossary"]) == 0
    assert capsys.readouterr().out.splitlines() == [term.name for term in glossary().terms]


def test_json(capsys):
    assert main(["glossary", "softmax", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "softmax"
    assert "\\sum" in found["formula"]
    assert main(["glossary", "--json"]) == 0
    assert capsys.readouterr().out.isascii()  # an output without γ would escape it in a way that JSON does not know


def test_unknown(capsys):
    assert main(["glossary", "nrom"]) == 2
    error = capsys.readouterr().err
    assert "no 'nrom'" in error
    assert "norm" in error
    assert len(error.splitlines()) == 1
