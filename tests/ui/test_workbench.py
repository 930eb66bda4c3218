import gc
import weakref
from copy import copy

from explorer.document import document as documents
from explorer.lessons.loader import load
from explorer.lessons.schema import states_of


def test_examples_that_undo_does_not_reach_are_let_go(bench, monkeypatch):
    monkeypatch.setattr(documents, "MOST_UNDO_STEPS", 2)
    kept = []
    for name in ("emma", "xor", "softmax", "jane"):
        lesson = copy(load(name))  # as one that is read from a file; those of the program stay
        kept.append(weakref.ref(lesson))
        bench.open(lesson)
    del lesson
    states_of.cache_clear()  # it keeps the last lessons with their steps
    gc.collect()
    assert [one() and one().id for one in kept] == [None, "xor", "softmax", "jane"]
    for name in ("softmax", "xor"):
        bench.document.undo()
        assert bench.lesson is next(one() for one in kept if one() and one().id == name)
