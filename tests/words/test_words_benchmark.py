"""The figures of words are measured on a file that is what they say. Their limits are for `explorer bench`."""

import pytest
from benchmarks import words

from explorer.words.cache import load


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(words, "N_WORDS", 12_000)


def test_the_made_up_file_is_of_the_size_it_says(tmp_path):
    file, _ = words.made_up(12_000)
    vectors = load(file, cache=tmp_path)
    assert vectors.array.shape == (12_000, 25)
    assert vectors.words[11_999] == "word11999"
    assert len({vector.tobytes() for vector in vectors.array}) == 12_000


@pytest.mark.parametrize(
    ("measure", "unit", "limit"),
    [
        (words.parse_vectors, "s", 20),
        (words.reopen_vectors, "s", 0.6),
        (words.nearest_words, "×", 2),
        (words.resident_vectors, "MB", 550),
    ],
)
def test_each_figure_is_measured(measure, unit, limit):
    found = measure()
    assert (found.unit, found.limit) == (unit, limit)
    assert found.value > 0
    assert "12,000 × 25" in found.name
