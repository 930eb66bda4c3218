"""How far long work is, told not too often, with the time that is left."""

from explorer.core import progress
from explorer.core.progress import Meter


def test_it_is_told_ten_times_a_second_and_the_rest_takes_as_long_as_what_is_done(monkeypatch):
    now, told = [5.0], []
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    meter = Meter("training", 100, told.append, begun=40)
    for time, done in ((5.0, 40), (5.05, 41), (7.0, 60), (7.05, 70), (7.06, 100)):
        now[0] = time
        meter(done)
    assert [(one.done, one.left) for one in told] == [(40, None), (60, 4.0), (100, 0.0)]
