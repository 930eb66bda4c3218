"""The models that others trained are measured as they are opened; here they are small, and nothing is timed."""

import pytest

from benchmarks import others

SMALL = {
    "gpt2": lambda: others.gpt2(64, 2, 40),
    "llama": lambda: others.llama("llama", 8, 4, 2, 4, 12, 2, 40),
    "qwen3": lambda: others.llama("qwen3", 8, 4, 2, 4, 12, 2, 40),
}


@pytest.mark.parametrize("kind", SMALL)
def test_a_made_up_model_says_the_same_as_a_straight_line(monkeypatch, kind):
    monkeypatch.setattr(others, "MODELS", SMALL)
    large = others.Large(kind)
    decoder, straight = large.both(others.PROMPT + 3)  # compares a prompt
    for word in (3, 5, 7):
        assert decoder.read([word]) == pytest.approx(straight.read([word]), rel=1e-3, abs=1e-4)
    assert others.edit(lambda: large).met
