from dataclasses import replace

import pytest

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.models.size import build_within, count_labels


def test_a_graph_has_no_more_than_four_times_the_labels_that_are_counted(switched):
    for said, model in switched.items():
        labels = sum(map(len, build(model).axes.values()))
        assert labels <= 4 * count_labels(model), said


def test_sizes_that_no_memory_could_hold_are_counted():
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, d_model=10**9, layers=100)
    model = model.with_switch("decoder.7.self", "d_k", 16384).with_switch("decoder.7.self", "heads", 128)
    assert count_labels(model) > 4 * 100 * 10**9


@pytest.mark.parametrize(
    ("changed", "id"),
    [
        ({"lengths": {"input": 512}, "layers": 48}, "model-too-large"),
        ({"d_model": 128 * 10**4}, "too-many-labels"),
    ],
)
def test_what_no_memory_could_hold_is_refused_before_it_is_made(changed, id):
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, d_model=128, layers=1)
    model = replace(model, **changed)
    switches = {f"decoder.{k}.self.heads": 128 for k in range(1, model.layers + 1)}
    with pytest.raises(ExplorerError) as caught:
        build_within(replace(model, switches=switches))
    assert caught.value.id == id
