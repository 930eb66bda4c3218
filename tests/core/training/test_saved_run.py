"""A run broken off and gone on with is an unbroken run, to the bit; and a file is believed only where it fits."""

import json

import numpy as np
import pytest
from refusals import refuses
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as safetensors

from explorer.core.errors import ExplorerError
from explorer.core.training.recipe import OPTIMISERS
from explorer.core.training.records import Records
from explorer.core.training.trainer import _read_run, _write_run, load_run, save_run
from explorer.sentences import sentence


def after(trainer, steps):
    for _ in range(steps):
        trainer.step()
    return trainer


def recorded(trainer, steps, records=None):
    """A trainer after so many steps, and their records."""
    records = records or Records()
    for _ in range(steps):
        records = records.with_record(trainer.step())
    return trainer, records


def everything(trainer):
    memory = {key: array.tobytes() for key, array in trainer.optimiser.arrays().items()}
    return trainer.at, {n: a.tobytes() for n, a in trainer.weights.items()}, memory


def columns(records):
    """The columns in their order, which is that of a document's manifest."""
    return [(name, array.tobytes()) for name, array in records.arrays().items()]


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_run_gone_on_with_has_the_bits_of_an_unbroken_one(gpt, tmp_path, optimiser):
    settings = {"optimiser": optimiser, "schedule": "linear", "warm_up": 2, "clip": 1.0, "dropout": 0.2}
    file = tmp_path / "run.training"
    save_run(*recorded(gpt(**settings), 7), file)
    again = gpt(**settings)
    records = load_run(again, file)
    assert again.at == records.at == 7
    broken, whole = recorded(again, 5, records), recorded(gpt(**settings), 12)
    assert everything(broken[0]) == everything(whole[0])
    assert columns(broken[1]) == columns(whole[1])


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_run_that_trains_a_single_number_is_gone_on_with(gpt, tmp_path, optimiser):
    """The memory of a temperature was a plain number, which no optimiser took back."""
    settings, file = {"optimiser": optimiser, "also": ("output.temperature",)}, tmp_path / "run.training"
    save_run(*recorded(gpt(**settings), 3), file)
    again = gpt(**settings)
    recorded(again, 3, load_run(again, file))
    assert everything(again) == everything(after(gpt(**settings), 6))


def test_a_checkpoint_of_the_beginning(gpt, tmp_path):
    save_run(gpt(), Records(), tmp_path / "run")
    again = gpt()
    load_run(again, tmp_path / "run")
    assert everything(after(again, 3)) == everything(after(gpt(), 3))


def test_no_part_is_left_and_the_one_before_is_replaced(xor, tmp_path):
    trainer, records, again = xor(), Records(), xor()
    for steps in (1, 2):
        trainer, records = recorded(trainer, 1, records)
        save_run(trainer, records, tmp_path / "run")
        assert [file.name for file in tmp_path.iterdir()] == ["run"]
        load_run(again, tmp_path / "run")
        assert again.at == steps


def test_a_trainer_whose_weights_were_edited_is_gone_on_with(gpt, tmp_path):
    trainer, records = recorded(gpt(), 2)
    trainer.set({"output.b": np.full(trainer.weights["output.b"].shape, 2.0)})
    save_run(trainer, records, tmp_path / "run")
    again = gpt()
    load_run(again, tmp_path / "run")
    assert everything(after(again, 2)) == everything(after(trainer, 2))


@pytest.mark.parametrize("settings", [{"seed": 2}, {"rate": 0.02}, {"steps": 13}])
def test_a_checkpoint_of_another_run(gpt, tmp_path, settings):
    save_run(*recorded(gpt(), 1), tmp_path / "run")
    trainer = gpt(**settings)
    with pytest.raises(ExplorerError) as caught:
        load_run(trainer, tmp_path / "run")
    assert caught.value.id == "run-differs"
    assert trainer.at == 0


def test_a_checkpoint_of_another_model(gpt, xor, tmp_path):
    save_run(gpt(), Records(), tmp_path / "run")
    with pytest.raises(ExplorerError) as caught:
        load_run(xor(), tmp_path / "run")
    assert caught.value.id == "run-differs"


def refused(trainer, file):
    before = everything(trainer)
    with pytest.raises(ExplorerError) as caught:
        load_run(trainer, file)
    assert caught.value.id == "run-not-read"
    assert everything(trainer) == before
    return sentence(caught.value)


def test_files_that_are_none(xor, tmp_path):
    file = tmp_path / "run"
    assert "no such file" in refused(xor(), file)
    for content in (b"", b"x" * 40, b"\xff" * 40):
        file.write_bytes(content)
        refused(xor(), file)


def test_a_file_cut_short_anywhere(xor, tmp_path):
    file = tmp_path / "run"
    save_run(*recorded(xor(), 2), file)
    content = file.read_bytes()
    for length in range(0, len(content), 97):
        file.write_bytes(content[:length])
        refused(xor(), file)


def rewritten(file, change):
    """The file with its arrays or its description changed."""
    arrays, run = _read_run(file)
    change(arrays, run)
    _write_run(file, arrays, run)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, run: run.update(at=3),
        lambda arrays, run: run.update(at=-1),
        lambda arrays, run: run.update(at=10**9),
        lambda arrays, run: run.update(at="2"),
        lambda arrays, run: run.update(format="another"),
        lambda arrays, run: run.update(blocks=["layer.9"]),
        lambda arrays, run: run.update(blocks=[["layer.1"]]),
        lambda arrays, run: run.update(blocks="layer.1"),
        lambda arrays, run: arrays.pop("weights/layer.1.W"),
        lambda arrays, run: arrays.update({"weights/layer.1.W": np.zeros((2, 2))}),
        lambda arrays, run: arrays.update({"weights/layer.1.W": np.zeros((2, 3), np.float32)}),
        lambda arrays, run: arrays.pop("history/losses"),
        lambda arrays, run: arrays.update({"history/judged": np.zeros(5, np.int64)}),
        lambda arrays, run: arrays.update({"history/blocks/layer.1": np.zeros(5)}),
        lambda arrays, run: arrays.update({"memory/nothing/layer.1.W/0": np.zeros((2, 3))}),
        lambda arrays, run: arrays.update({"memory/_moments/layer.9.W/0": np.zeros((2, 3))}),
        lambda arrays, run: arrays.update({"memory/_moments/layer.1.W/1": np.zeros((9, 9))}),
        lambda arrays, run: arrays.update({"memory/_moments/layer.1.W/0": np.array(-1)}),
        lambda arrays, run: arrays.update({"memory/_moments/layer.1.W/0": np.array(2**62)}),
        lambda arrays, run: arrays.pop("memory/_moments/layer.1.W/2"),
        lambda arrays, run: arrays.update({"memory/_moments/layer.1.W/3": np.zeros((2, 3))}),
    ],
)
def test_a_file_that_does_not_fit_together(xor, tmp_path, change):
    file = tmp_path / "run"
    save_run(*recorded(xor(), 2), file)
    rewritten(file, change)
    refused(xor(), file)


def test_a_place_that_cannot_be_written(xor, tmp_path):
    with refuses("cannot be written"):
        save_run(xor(), Records(), tmp_path / "nowhere" / "run")


def test_any_reader_of_safetensors_reads_it(xor, tmp_path):
    file = tmp_path / "run"
    save_run(*recorded(xor(), 2), file)
    assert _read_run(file)[1]["recipe"]["optimiser"] == "Adam"
    arrays = load_safetensors(file.read_bytes())
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: array.tolist() for name, array in _read_run(file)[0].items()
    }


def test_a_training_of_earlier_goes_on(xor, tmp_path):
    file = tmp_path / "run"
    save_run(*recorded(xor(), 2), file)
    wanted = everything(taken_up(xor(), file))
    arrays, run = _read_run(file)
    file.write_bytes(safetensors(arrays, {"run": json.dumps(run)}))
    assert everything(taken_up(xor(), file)) == wanted


def taken_up(trainer, file):
    load_run(trainer, file)
    return trainer
