"""How much memory is free, and how memory that arrays have freed is reused."""

import ctypes
import sys
from math import inf
from pathlib import Path

# malloc.h
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = 32 * 2**20  # the largest value that glibc accepts for it
_MOST_KEPT = 512 * 2**20


def keep_freed_memory() -> bool:
    """Let this process keep freed memory for its next arrays, up to a limit, instead of returning it at once.

    glibc returns large blocks to the system as soon as they are free, and the next array of that size is then fetched
    page by page. Back-propagation makes as many numbers as there are weights in every step: for a model as large as
    GPT-2 small that was 50,000 page faults, more than a quarter of the time (360 instead of 260 ms on one core).
    Returns whether the C library accepted the setting; if it is not glibc, nothing changes.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST) and mallopt(_TRIM_THRESHOLD, _MOST_KEPT))


def available() -> float:
    """How many bytes a process can still get without swapping; infinity if the system does not say."""
    try:
        rows = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:  # another system than Linux
        return inf
    return next((1024.0 * int(row.split()[1]) for row in rows if row.startswith("MemAvailable:")), inf)
