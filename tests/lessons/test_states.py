"""States of steps, from any thread; those that train for a moment do so once."""

from threading import Barrier, Thread

import pytest

from explorer.core.training.trainer import Trainer
from explorer.lessons.loader import load
from explorer.lessons.schema import StepStates, states_of


@pytest.fixture
def trained(monkeypatch):
    """The steps of training that are taken."""
    taken, step = [], Trainer.step
    monkeypatch.setattr(Trainer, "step", lambda trainer: (taken.append(trainer), step(trainer))[1])
    return taken


def test_threads_that_ask_at_once_get_the_same_states(trained):
    states, together = StepStates(load("xor-linear")), Barrier(3)
    found = [[], [], []]

    def ask(i):
        together.wait()
        found[i] += [states[k] for k in (range(len(states)) if i else reversed(range(len(states))))]

    threads = [Thread(target=ask, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(trained) == sum(step.training.steps for step in states.lesson.steps if step.training) > 0
    assert all(one is other for one, other in zip(reversed(found[0]), found[1], strict=True))
    assert all(one is other for one, other in zip(found[1], found[2], strict=True))


def test_it_takes_long_until_it_is_known():
    lesson = load("xor-linear")
    at = next(i for i, step in enumerate(lesson.steps) if step.training)
    states = StepStates(lesson)
    assert not states.takes_long(at - 1)
    assert states.takes_long(at)
    assert states.takes_long(len(lesson.steps) - 1)
    assert states[at] is states[at]
    assert not states.takes_long(at)


def test_to_come_back_to_a_lesson_trains_nothing_again(trained):
    states_of.cache_clear()
    lesson = load("xor-linear")
    before = list(states_of(lesson))
    count = len(trained)
    assert count > 0
    assert all(one is other for one, other in zip(before, states_of(lesson), strict=True))
    assert len(trained) == count
