"""What the tests of words share: the real sample where it is at hand, a small table, and text with some sense in it."""

from pathlib import Path

import numpy as np
import pytest

from explorer.words import cache
from explorer.words.vectors import Vectors

SAMPLE = Path(__file__).parents[3] / "shared" / "vectors" / "glove-twitter-25-common11925.txt.gz"


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Nothing is read from the user's folders, or written there."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "gensim-data"))
    monkeypatch.setattr("explorer.words.cache.folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("explorer.words.catalogue.download_folder", lambda: tmp_path / "downloads")
    monkeypatch.setattr("explorer.words.download.download_folder", lambda: tmp_path / "downloads")


@pytest.fixture(scope="session")
def sample_file():
    """Real GloVe vectors; they lie beside the checkout where the program is made, and are not part of it."""
    if not SAMPLE.is_file():
        pytest.skip(f"{SAMPLE} is not there: the sample of real GloVe vectors is not part of the project")
    return SAMPLE


@pytest.fixture(scope="session")
def sample(sample_file, tmp_path_factory):
    return cache.load(sample_file, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def table():
    """40 random words of 6 numbers, a null vector, and words that are hard to read."""
    random = np.random.default_rng(3)
    words = [*(f"w{i}" for i in range(40)), "nothing", "naïve", "日本", "a\u00a0b", "o'clock"]
    array = random.standard_normal((len(words), 6)).astype(np.float32)
    array[40] = 0
    return Vectors.of("table", words, array)


@pytest.fixture(scope="session")
def story():
    """Lines in which days of the week stand in the same places, and so do animals."""
    random = np.random.default_rng(5)
    days, animals = ["monday", "tuesday", "friday"], ["cat", "dog", "horse"]
    frames = [
        "on {day} we met in town",
        "see you next {day} at noon",
        "the {animal} ate its food",
        "a {animal} ran away",
    ]
    return "\n".join(frames[i % 4].format(day=random.choice(days), animal=random.choice(animals)) for i in range(1200))


def mutated(content, random):
    """Bytes of a file that was damaged somehow: bits flipped, cut short, a piece lost, doubled or overwritten."""
    data = bytearray(content)
    start = int(random.integers(len(data)))
    stop = min(start + int(random.integers(1, 64)), len(data))
    match int(random.integers(6)):
        case 0:
            return bytes(data[:start])
        case 1:
            del data[start:stop]
        case 2:
            data[start:start] = data[start:stop]
        case 3:
            data[start:stop] = random.bytes(stop - start)
        case _:
            for _ in range(int(random.integers(1, 9))):
                data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
    return bytes(data)
