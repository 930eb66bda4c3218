import ctypes
import subprocess
import sys
from math import inf

import pytest

from explorer.memory import available, keep_freed_memory

# In a process of its own: the setting stays. Page faults are counted.
CHILD = """
import resource
import numpy as np
from explorer.memory import keep_freed_memory
assert keep_freed_memory()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(250_000)  # 2 MB
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc is found on Linux alone")
def test_an_array_is_made_from_memory_that_was_let_go_of():
    if not hasattr(ctypes.CDLL(None), "mallopt"):
        pytest.skip("not glibc")
    run = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 1000  # 20 arrays have 10,000 pages; a busy system takes some away


def test_elsewhere_nothing_happens(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert not keep_freed_memory()
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert not keep_freed_memory()


def test_what_is_free_is_no_more_than_there_is():
    free = available()
    assert free == inf or 2**20 < free < 2**50
