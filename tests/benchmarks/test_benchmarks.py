"""What is compared does the same. Nothing here is timed: `explorer bench` does that."""

import numpy as np
import pytest

from benchmarks import core, document, gradients, measure, straight_line, training, words
from benchmarks.figures import figures
from benchmarks.measure import InTurns, Measurement, compared, steady
from explorer.core.engine import fresh


def test_the_straight_line_has_every_step_of_the_lesson_bit_for_bit():
    graph, inputs = core.lesson()
    expected = straight_line.encoder_decoder(inputs)
    assert list(expected) == [name for name, node in graph.nodes.items() if not node.is_input]
    core.agree(fresh(graph, inputs, {}).values, expected)


def test_an_edit_of_all_inputs_recomputes_all_that_can_change():
    graph, inputs = core.lesson()
    engine = fresh(graph, inputs, {})
    outcome = engine.update(graph, core._moved(inputs), {})
    # Positions, masks and scales read nothing; positions alone and one-hot rows read what stays.
    constant = {n for n, node in graph.nodes.items() if not node.parents or n.endswith((".onehot", ".likeness"))}
    assert set(outcome.recomputed) == graph.nodes.keys() - constant
    core.agree(engine.values, straight_line.encoder_decoder(core._moved(inputs)))


def test_the_straight_gpt_does_what_the_graph_does_bit_for_bit():
    state = core.gpt_state(layers=3, heads=2, d_model=8, tokens=5, words=11)
    engine = fresh(state.graph, state.inputs, state.pins)
    assert engine.values["output.probabilities"].dtype == np.float32
    core.agree(engine.values, {"output.probabilities": straight_line.gpt(state.inputs, layers=3)})


def test_the_large_model_is_recomputed_whole_but_for_what_reads_no_word():
    state = core.gpt_state(layers=2, heads=2, d_model=8, tokens=5, words=11)
    engine = fresh(state.graph, state.inputs, state.pins)
    table = state.inputs["input.table"] * np.float32(1.01)
    outcome = engine.update(state.graph, {**state.inputs, "input.table": table}, {})
    assert set(outcome.recomputed) == {n for n, node in state.graph.nodes.items() if node.parents} - {"input.likeness"}


def test_a_difference_is_found():
    _, inputs = core.lesson()
    values = straight_line.encoder_decoder(inputs)
    changed = {**values, "source.H": np.nextafter(values["source.H"], 9)}
    with pytest.raises(RuntimeError, match=r"source\.H"):
        core.agree(values, changed)


def test_two_ways_are_run_equally_often_and_in_turns():
    ran = []
    found = compared("x", lambda: ran.append("a"), lambda: ran.append("b"), 2, "y", pairs=4, warm_up=1)
    assert ran == list("ab" + "ba" + "ab" + "ba" + "ab")
    assert (found.name, found.unit, found.limit, found.against) == ("x", "×", 2, "y")
    assert found.value > 0


def test_a_slow_machine_is_not_kept_for_long(monkeypatch):
    monkeypatch.setattr(measure, "LONGEST_S", 0)
    ran = []
    compared("x", lambda: ran.append("a"), lambda: None, 2, "y", pairs=1000, warm_up=0)
    assert len(ran) == measure.FEWEST


def test_a_figure_is_taken_again_while_the_machine_is_busy():
    tries = [Measurement("x", 1, "×", 2, "", "it", unrest) for unrest in (0.9, 0.3, 0.5, 0.1)]
    left = iter(tries)
    found = steady(lambda: next(left))
    assert (found.unrest, found.busy) == (0.3, True)
    assert "busy with other things in all of 3 tries, by 30%" in found.detail
    left = iter(tries[2:])
    assert steady(lambda: next(left)) is tries[3]
    left = iter(tries[3:])
    assert steady(lambda: next(left)) is tries[3]


def test_a_machine_is_busy_where_the_yardstick_is_unsteady_or_the_process_had_to_wait():
    assert not InTurns([9, 1], [1, 1]).measured("", 1, "").busy
    assert InTurns([1, 1], [1, 3]).measured("", 1, "").busy
    assert InTurns([1, 1], [1, 1], idle=0.5).measured("", 1, "").busy
    assert InTurns([2, 4, 9], [1, 2, 3]).measured("", 1, "").value == 2
    assert InTurns([2, 4, 9], [1, 2, 3]).measured("", 1, "", percent=100).value == 3


def test_limits():
    assert Measurement("", 2, "×", 2, "", "").met
    assert not Measurement("", 2.1, "×", 2, "", "").met
    assert Measurement("", 2.1, "ms", None, "", "").met


def test_every_figure_is_among_those_that_the_command_line_measures_each_once():
    found = list(figures())
    assert len(set(found)) == len(found)
    for part in (core, document, gradients, training, words):
        assert set(part.figures()) <= set(found)
    # Those of the window last: only then is Qt imported.
    assert found[0] is core.small_from_nothing


def test_what_an_act_holds_is_that_of_a_model_in_the_background(monkeypatch):
    for name, value in {"LAYERS": 1, "HEADS": 2, "D_MODEL": 8, "WORDS": 11, "ACTS": 2}.items():
        monkeypatch.setattr(document, name, value)
    with pytest.raises(RuntimeError, match="not large enough"):
        document.held_by_words()
    monkeypatch.setattr("explorer.document.document.LARGE", 0)
    found = document.held_by_words()
    assert found.value > 0
    assert "a new word" in found.detail


def test_a_single_edit_and_an_import_are_measured():
    edit = core.small_edit()
    assert edit.unit == "ms"
    assert "nodes recomputed" in edit.detail
    assert core.import_core().value > 0
