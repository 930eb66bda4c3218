"""Records are values: they share memory, none changes, and a long run's are thin."""

import numpy as np
import pytest

from explorer.core.training import records as module
from explorer.core.training.records import Record, Records


def after(records, steps, loss=1.0, **norms):
    for step in range(records.at + 1, records.at + steps + 1):
        judged = loss + 1 if step % 2 == 0 else None
        records = records.with_record(Record(step, loss, 0.1, 2.0, norms or {"a": 1.0}, judged))
    return records


def test_a_beginning_stays_as_it_is_whoever_goes_on_from_it():
    first = after(Records(), 5)
    one, other = after(first, 3, loss=2.0), after(first, 2, loss=3.0)
    assert first.losses.tolist() == [1] * 5
    assert one.losses.tolist() == [1] * 5 + [2] * 3
    assert other.losses.tolist() == [1] * 5 + [3] * 2
    assert np.shares_memory(first.losses, one.losses)
    back = one.up_to(6)
    assert after(back, 1, loss=9.0).losses.tolist() == [1] * 5 + [2, 9]
    assert one.losses.tolist() == [1] * 5 + [2] * 3
    assert back.judged.tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match="read-only"):
        first.losses[0] = 5


def test_a_block_that_moves_later_has_gaps_before():
    records = after(after(after(Records(), 2), 2, a=1.0, b=2.0), 1)
    np.testing.assert_array_equal(records.blocks["b"], [np.nan, np.nan, 2, 2, np.nan])


def test_of_a_long_run_every_second_step_is_recorded_and_so_on(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 8)
    records = Records()
    for step in range(1, 101):
        records = records.with_record(Record(step, float(step), 0.1, 2.0, {"a": 1.0}, float(step)))
        assert records.at == step
        assert records.losses.tolist() == records.steps.tolist()
        assert len(records.steps) <= 8
        assert records.steps[0] == 1
        assert records.judged.tolist() == records.validations.tolist()
        assert len(records.judged) <= 8
    assert records.every == 16
    assert records.up_to(50).steps.tolist() == [1, 17, 33, 49]


def test_files_give_them_back_and_older_ones_have_every_step(monkeypatch):
    records = after(Records(), 7, a=1.0, b=2.0)
    columns = records.arrays()
    again = Records.of(columns)
    assert {n: a.tolist() for n, a in again.arrays().items()} == {n: a.tolist() for n, a in columns.items()}
    monkeypatch.setattr(module, "MOST_ROWS", 4)
    old = Records.of({name: array for name, array in columns.items() if name not in ("at", "every")})
    assert (old.at, old.steps.tolist()) == (7, [1, 3, 5, 7])


@pytest.mark.parametrize(
    "change",
    [
        {"at": np.array(9)},
        {"at": np.array(np.inf)},
        {"every": np.array(0)},
        {"every": np.array(0.5)},
        {"at": np.zeros(1)},
        {"losses": np.zeros(3)},
        {"x": np.zeros(7)},
    ],
)
def test_columns_that_do_not_fit_together(change):
    with pytest.raises(ValueError, match="records"):
        Records.of({**after(Records(), 7).arrays(), **change})
