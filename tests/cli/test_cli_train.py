"""`explorer train`: a document at the end, progress on the way, and the same bits however often it is broken off."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import explorer.cli
from explorer.cli import main, status, train
from explorer.cli.parser import SIGNALS
from explorer.core.training.trainer import Trainer, load_run
from explorer.document import storage
from explorer.training import recipes
from explorer.training.preparation import prepare

XOR = """
title = "A net on XOR"

[model]
kind = "mlp"
units = [3]

[model.switches]
activation = "sigmoid"

[data]
set = "xor"

[training]
rate = 0.1
batch = 3
steps = STEPS
validation = 0.25
validate_every = 10
"""


@pytest.fixture
def recipe(tmp_path):
    """A function that writes a recipe of so many steps, and says where."""

    def recipe(steps=40, more=""):
        file = tmp_path / "xor.toml"
        file.write_text(XOR.replace("STEPS", str(steps)) + more, "utf-8")
        return str(file)

    return recipe


def stopped_after(monkeypatch, steps, number=signal.SIGINT):
    """Send the process a signal while it takes the step behind so many."""
    step = Trainer.step

    def stepped(trainer):
        if trainer.at == steps:
            signal.raise_signal(number)
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", stepped)


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_document_comes_of_it(recipe, tmp_path, capsys):
    out = tmp_path / "xor.explorer"
    assert main(["train", recipe(), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{out}: 40 steps, loss 0.")
    assert "validation" in said.out
    assert said.err == ""
    state, title = storage.load(out)
    assert title == "A net on XOR"
    assert state.model.kind == "mlp"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["xor.explorer", "xor.toml"]
    assert main(["show", str(out), "layer.2.activation"]) == 0


def test_the_document_holds_the_records_of_its_training(recipe, tmp_path):
    main(["train", recipe(), "--out", str(tmp_path / "xor.explorer"), "--json"])
    history = storage.load(tmp_path / "xor.explorer")[0].records
    assert history.at == len(history.losses) == 40
    assert history.judged.tolist() == [10, 20, 30, 40]


GPT = """
title = "A small GPT"
[model]
kind = "gpt"
d_model = 4
[data]
text = "text.txt"
window = 4
words = 12
[training]
optimiser = "Adam"
steps = 40
batch = 4
validation = 0.2
validate_every = 5
"""


def test_a_stopped_training_of_many_blocks_is_written_as_one_that_was_not(tmp_path, monkeypatch):
    """Blocks are in reading order there, self-attention before its feed-forward net, and not in that of their names."""
    file, whole, broken = tmp_path / "gpt.toml", tmp_path / "whole.explorer", tmp_path / "broken.explorer"
    file.write_text(GPT, "utf-8")
    (tmp_path / "text.txt").write_text("the cat sat on the mat and the dog sat on the log\n" * 6, "utf-8")
    assert main(["train", str(file), "--out", str(whole)]) == 0
    with monkeypatch.context() as patch:
        stopped_after(patch, 17)
        assert main(["train", str(file), "--out", str(broken)]) == 130
    assert main(["train", str(file), "--out", str(broken)]) == 0
    assert broken.read_bytes() == whole.read_bytes()
    names = storage.load(whole)[0].records.names
    assert names.index("decoder.1.self") < names.index("decoder.1.ffn")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_stopped_training_goes_on_to_the_same_bits(recipe, tmp_path, capsys, monkeypatch, number):
    whole, broken = tmp_path / "whole.explorer", tmp_path / "broken.explorer"
    assert main(["train", recipe(), "--out", str(whole)]) == 0
    with monkeypatch.context() as patch:
        stopped_after(patch, 17, number)
        before = signal.getsignal(number)
        assert main(["train", recipe(), "--out", str(broken)]) == 130
        assert signal.getsignal(number) is before
    assert not broken.exists()
    assert "stopped after 18 steps; the same command goes on from there" in capsys.readouterr().err
    assert main(["train", recipe(), "--out", str(broken)]) == 0
    assert "going on after 18 steps" in capsys.readouterr().err
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signal")
def test_a_signal_that_is_ignored_stays_so(recipe, tmp_path, monkeypatch):
    """`nohup explorer train …` goes on when the terminal closes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stopped_after(monkeypatch, 17, signal.SIGHUP)
        assert main(["train", recipe(), "--out", str(tmp_path / "xor.explorer")]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_whoever_reads_of_it_and_goes_takes_nothing_with_him(recipe, tmp_path, monkeypatch):
    """Nothing can be written to a terminal that has closed, and that may be known before the signal comes."""

    def step(progress, record):
        if record.step == 17:
            raise OSError(5, "Input/output error")

    out = tmp_path / "xor.explorer"
    with monkeypatch.context() as patch:
        patch.setattr(train._Progress, "step", step)
        assert main(["train", recipe(), "--out", str(out)]) == 2
    trainer = prepare(recipes.load(Path(recipe()))).trainer()
    assert load_run(trainer, Path(f"{out}.training")).at == 17
    assert main(["train", recipe(), "--out", str(out)]) == 0


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such terminals")
def test_a_terminal_that_closes_takes_nothing_with_it(recipe, tmp_path):
    """The terminal is a helper's: where its end goes, the system tells those who work on it, as it does a window's."""
    out = tmp_path / "xor.explorer"
    terminal = """
import os, pty, sys
child, end = pty.fork()
if not child:
    os.execv(sys.executable, [sys.executable, "-m", "explorer", "train", *sys.argv[1:]])
seen = b""
while b" left" not in seen:
    seen += os.read(end, 1024)
os.close(end)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(code if code > 0 else 100)
"""
    command = [sys.executable, "-c", terminal, recipe(100_000), "--out", str(out), "--keep-every", "1000"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "")
    trainer = prepare(recipes.load(Path(recipe(100_000)))).trainer()
    assert 0 < load_run(trainer, Path(f"{out}.training")).at < 100_000


def test_another_recipe_does_not_go_on_with_it(recipe, tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "xor.explorer")
    with monkeypatch.context() as patch:
        stopped_after(patch, 3)
        main(["train", recipe(), "--out", out])
    capsys.readouterr()
    assert main(["train", recipe(50), "--out", out]) == 2
    assert "xor.explorer.training: is a training on other examples" in capsys.readouterr().err


def test_progress_as_json(recipe, tmp_path, capsys):
    out = tmp_path / "xor.explorer"
    assert main(["train", recipe(), "--out", str(out), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    begin, *steps, done = objects(said.out)
    assert begin == {
        "event": "begin",
        "step": 0,
        "steps": 40,
        "title": "A net on XOR",
        "weights": 13,
        "examples": 3,
        "judged": 1,
        "kept": f"{out}.training",
    }
    assert done == {"event": "done", "step": 40, "file": str(out)}
    assert [one["step"] for one in steps] == list(range(1, 41))
    assert [one["step"] for one in steps if one["validation"] is not None] == [10, 20, 30, 40]
    assert all(a["seconds"] <= b["seconds"] for a, b in pairwise(steps))
    assert steps[0].keys() == {
        *("event", "step", "loss", "rate", "norm", "norms", "validation", "seconds", "left"),
    }
    assert steps[0]["norms"].keys() == {"layer.1", "layer.2"}


def test_a_validation_loss_that_is_no_finite_number(tmp_path, capsys):
    """Of cases that are never learned from, the answer may be anything; no warning, and JSON that can be read."""
    cases = "X = [[0.0], [1.0], [2.0], [1e200]]\ntarget = [[0.0], [1.0], [2.0], [1e200]]"
    recipe = tmp_path / "far.toml"
    recipe.write_text(
        f'title = "Far"\n[model]\nkind = "mlp"\nunits = [2]\n[data]\n{cases}\n'
        "[training]\nsteps = 2\nvalidation = 0.5\nvalidate_every = 1\nseed = 1\n",
        "utf-8",
    )
    assert main(["train", str(recipe), "--out", str(tmp_path / "far.explorer"), "--json"]) == 0
    judged = [line["validation"] for line in objects(capsys.readouterr().out) if line["event"] == "step"]
    assert len(judged) == 2
    assert {"inf", "nan"}.issuperset(judged)


def test_lines_where_there_is_no_terminal(recipe, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(status, "LINE_EVERY", 0)
    main(["train", recipe(), "--out", str(tmp_path / "xor.explorer")])
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("  2%, 0:0")
    assert first.endswith(" steps/s, 1 of 40")
    assert last.startswith("100%, 0:00 left, loss 0.")
    assert last.endswith(" steps/s, 40 of 40")


def test_a_bar_on_a_terminal(recipe, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(status, "EVERY", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((60, 24)))
    main(["train", recipe(), "--out", str(tmp_path / "xor.explorer")])
    pictures = capsys.readouterr().err.split("\r\x1b[K")
    assert pictures[20].startswith("██████████░░░░░░░░░░  50%  0:00 left  loss 0.")
    assert pictures[20].endswith("  20 of 40")
    assert "validation" not in pictures[20]  # there is no room for it
    assert max(map(len, pictures)) < 60
    assert pictures[-1] == ""


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["none.toml", "--out", "x.explorer"], "there is no such file"),
        (["xro", "--out", "x.explorer"], "did you mean 'xor'?"),
        (["xor", "--out", "x.txt"], "choose one that ends in .explorer"),
        (["xor", "--out", "nowhere/x.explorer"], "there is no such folder"),
        (["xor"], "--out"),
        (["xor", "--out", "x.explorer", "--keep-every", "0"], "--keep-every may be 0.05 or more"),
        (["xor", "--out", "x.explorer", "--keep-every", "nan"], "--keep-every may be 0.05 or more"),
    ],
)
def test_wrong_input(tmp_path, capsys, monkeypatch, argv, said):
    monkeypatch.chdir(tmp_path)
    assert main(["train", *argv]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_folder_that_cannot_be_written_to_is_seen_before_anything_is_computed(tmp_path, capsys, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(train, "TemporaryFile", full)
    assert main(["train", "xor", "--out", str(tmp_path / "xor.explorer")]) == 2
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_training_that_diverges_leaves_the_last_good_weights(recipe, tmp_path, capsys):
    file, out = Path(recipe(100)), tmp_path / "xor.explorer"
    text = file.read_text("utf-8").replace('activation = "sigmoid"', 'activation = "identity"')
    file.write_text(text.replace("rate = 0.1", 'rate = 100.0\noptimiser = "SGD"'), "utf-8")
    assert main(["train", str(file), "--out", str(out), "--json"]) == 2
    said = capsys.readouterr()
    error = objects(said.out)[-1]
    assert (error["event"], error["id"]) == ("error", "training-diverged")
    assert said.err == f"explorer: {error['message']}\n"
    state, _ = storage.load(out)
    assert all(np.isfinite(array).all() for array in state.inputs.values())
    assert state.inputs["layer.1.W"].any()


def test_a_damaged_checkpoint(recipe, tmp_path, capsys):
    out = tmp_path / "xor.explorer"
    Path(f"{out}.training").write_bytes(b"no training")
    assert main(["train", recipe(), "--out", str(out)]) == 2
    assert "Delete it to begin again" in capsys.readouterr().err


# A process of its own, as the window starts it


def started(*argv):
    command = [sys.executable, "-m", "explorer", "train", *argv, "--json", "--attached", "--keep-every", "0.05"]
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until(process, event):
    for line in process.stdout:
        if json.loads(line)["event"] == event:
            return
    raise AssertionError(process.stderr.read())


def test_a_process_that_is_broken_off_in_every_way_ends_with_the_same_bits(recipe, tmp_path):
    steps = 4_000  # it waits where nobody reads what it says, and the three ways leave room for less
    file, whole, broken = recipe(steps), tmp_path / "whole.explorer", tmp_path / "broken.explorer"
    assert main(["train", file, "--out", str(whole)]) == 0
    kept = Path(f"{broken}.training")
    at = 0
    for way in ("kill", "say stop", "close the input"):
        with started(file, "--out", str(broken)) as process:
            until(process, "kept")
            match way:
                case "kill":
                    process.kill()
                    code = process.wait()
                    assert code != 0
                case "say stop":
                    process.stdin.write("stop\n")
                    process.stdin.flush()
                    until(process, "stopped")
                    assert process.wait() == 130
                case _:
                    process.stdin.close()
                    until(process, "stopped")
                    assert process.wait() == 130
        trainer = prepare(recipes.load(Path(file))).trainer()
        assert at < load_run(trainer, kept).at < steps
        at = trainer.at
    assert main(["train", file, "--out", str(broken)]) == 0
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(("cores", "threads"), [(2, "1"), (8, "7"), (1, "1"), (None, "1")])
def test_products_leave_a_core_to_the_window(monkeypatch, cores, threads):
    environment = {"VECLIB_MAXIMUM_THREADS": "3"}
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    explorer.cli._leave_a_core()
    assert environment == {"OPENBLAS_NUM_THREADS": threads, "VECLIB_MAXIMUM_THREADS": "3"}  # who has chosen, has


def test_every_command_shares_products_as_the_window_does(monkeypatch, capsys):
    """Or `explorer show` would print other last bits of a large model than the window has."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert main(["show", "softmax", "output.probabilities"]) == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == str(max((os.cpu_count() or 1) - 1, 1))


def test_for_the_program_that_has_started_it_it_leaves_a_checkpoint_of_the_end(recipe, tmp_path):
    """The window goes on from there, the optimiser's memory and all."""
    out = tmp_path / "out.explorer"
    with started(recipe(20), "--out", str(out)) as process:
        until(process, "done")
        assert process.wait() == 0
    trainer = prepare(recipes.load(Path(recipe(20)))).trainer()
    assert load_run(trainer, Path(f"{out}.training")).at == 20
    assert not out.exists()
