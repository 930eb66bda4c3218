"""The figures of speed of word vectors, on a made-up file of the size of glove-twitter-25."""

import atexit
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import Measurement, compared, quartiles, timed
from explorer.words import similarity
from explorer.words.cache import load
from explorer.words.vectors import Vectors

N_WORDS, DIMS = 1_193_514, 25
AGAINST = "a made-up file of the size of glove-twitter-25"


def parse_vectors() -> Measurement:
    """Reading the text for the first time, and writing the arrays that are kept."""
    file, kept = made_up(N_WORDS)
    seconds = timed(lambda: load(file, cache=kept / "first"))
    detail = f"{file.stat().st_size / 1e6:.0f} MB of text, once"
    return Measurement(f"first parse of {size()} vectors", seconds, "s", 20, AGAINST, detail)


def reopen_vectors() -> Measurement:
    """Opening the arrays, and finding a first word in them."""
    file, kept = made_up(N_WORDS)
    opened(file, kept)
    times = [timed(lambda: opened(file, kept)[f"word{N_WORDS // 2}"]) for _ in range(20)]
    low, median, high = quartiles(times)
    detail = f"half of {len(times)} between {low * 1e3:.1f} and {high * 1e3:.1f} ms; without importing gensim"
    return Measurement(f"reopening {size()} vectors", median, "s", 0.6, AGAINST, detail)


def nearest_words() -> Measurement:
    """The ten words nearest to one, their cosines by gensim."""
    file, kept = made_up(N_WORDS)
    vectors = opened(file, kept)
    vector = vectors["word77"]
    return compared(
        f"nearest words among {size()}",
        lambda: similarity.nearest(vectors, "word77"),
        lambda: vectors.array @ vector,
        limit=2,
        against="one float32 matrix-vector product over the table",
        pairs=100,
        warm_up=5,
    )


def resident_vectors() -> Measurement:
    """What a process takes at most that parses the file, opens it and asks for nearest words."""
    file, kept = made_up(N_WORDS)
    command = [sys.executable, "-c", _CHILD, str(file), str(kept / "child")]
    path = os.pathsep.join(filter(None, sys.path))
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path})
    most, imported = (float(part) for part in run.stdout.split())
    detail = f"the most it ever took; with numpy and gensim imported it began with {imported:.0f} MB"
    return Measurement(f"resident with {size()} vectors", most, "MB", 550, "a process without a window", detail)


_CHILD = """
import sys
from pathlib import Path
import gensim.models
from explorer.words import cache, similarity

def most():
    try:  # what getrusage says includes the process that started this one
        return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024 / 1e6
    except OSError:
        from resource import RUSAGE_SELF, getrusage
        return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6

begun = most()
cache.load(Path(sys.argv[1]), cache=Path(sys.argv[2]))
similarity.nearest(cache.load(Path(sys.argv[1]), cache=Path(sys.argv[2])), "word77")
print(most(), begun)
"""


def figures() -> list[Callable[[], Measurement]]:
    """All of them; Windows has no `getrusage`."""
    return [parse_vectors, reopen_vectors, nearest_words, *([] if sys.platform == "win32" else [resident_vectors])]


def size() -> str:
    """How many words and numbers, in words."""
    return f"{N_WORDS:,} × {DIMS}"


def opened(file: Path, kept: Path) -> Vectors:
    """The vectors, parsed at the first call."""
    return load(file, cache=kept / "first")


@cache
def made_up(n_words: int) -> tuple[Path, Path]:
    """A word2vec text file with random numbers, and a folder for its arrays; both go when the process ends.

    Parameters
    ----------
    n_words : int

    Returns
    -------
    (pathlib.Path, pathlib.Path)
    """
    folder = TemporaryDirectory(prefix="explorer-bench-")
    atexit.register(folder.cleanup)
    file, random = Path(folder.name) / "vectors.txt", np.random.default_rng(0)
    written = np.array([b"%.5g" % number for number in random.standard_normal(50_000)], object)
    with file.open("wb") as stream:
        stream.write(b"%d %d\n" % (n_words, DIMS))
        for start in range(0, n_words, 10_000):
            rows = written[random.integers(0, len(written), (min(10_000, n_words - start), DIMS))]
            stream.writelines(b"word%d %s\n" % (start + i, b" ".join(row)) for i, row in enumerate(rows))
    return file, Path(folder.name) / "kept"
