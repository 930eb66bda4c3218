"""Models that come with the program: their text, weights and scores are put into `resources`.

    python packaging/shipped.py text english-books.txt.xz oz.txt
    explorer train tiny-reader --text oz.txt --out tiny-reader.explorer
    python packaging/shipped.py model tiny-reader tiny-reader.explorer oz.txt       without a text where none is needed
    python packaging/shipped.py stories stories260K.bin tok512.bin
    OPENBLAS_NUM_THREADS=1 python packaging/shipped.py scores       some eight minutes on one core
    OPENBLAS_NUM_THREADS=1 python packaging/shipped.py kinds        some five minutes on one core

The words about a model, its settings and its first sentence are written by hand, in `resources/models/NAME.toml`. What
stands there below the line that this script is named in is written by this script.
"""

import hashlib
import json
import lzma
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from explorer import container, paths
from explorer.checkpoints.llama2c import opened, tokenizer_of
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.core.training.trainer import Trainer, trainable
from explorer.document import storage
from explorer.document.commands import SetSwitch
from explorer.document.state import State
from explorer.files import whole_file
from explorer.training import recipes
from explorer.training.preparation import Prepared, prepare
from scores import scores_of, text_scores

LINE = "# Written by packaging/shipped.py: do not edit."
MODELS, KINDS = paths.resources() / "models", paths.resources() / "kinds"
Tables = dict[str, dict[str, object]]


def write_weights(file: Path, about: dict[str, str], weights: Mapping[str, Array]) -> None:
    """Write the weights of a model, with where they come from."""
    with whole_file(file) as stream:
        container.write(stream, about, weights)


def write_tables(file: Path, tables: Tables) -> None:
    """Write tables into a TOML file, below what stands there by hand."""
    lines = [file.read_text(encoding="utf-8").partition(LINE)[0].rstrip(), "", LINE]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{json.dumps(key)} = {_toml(value)}" for key, value in entries.items())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # its texts, numbers, lists, true and false are TOML's, too


def sizes(model: Model) -> dict[str, object]:
    """The table of a file about the sizes of a model."""
    return {"kind": model.kind, "d_model": model.d_model, "layers": model.layers, "dtype": model.dtype}


def weights_of(state: State, dtype: type[np.floating] | None = None) -> dict[str, Array]:
    """What a model has learned."""
    usual = (name for name, usual in trainable(state.graph, state.model).items() if usual)
    return {name: np.ascontiguousarray(state.inputs[name], dtype) for name in usual}


# A model that was trained by a recipe


def model(name: str, document: str, text: str | None = None) -> None:
    """Write the weights and the generated part of a model's file."""
    state, _ = storage.load(document)
    assert state.records is not None, "the document comes from no training"
    task = recipes.load(name)
    if text is not None:
        task = replace(task, material=replace(task.material, file=Path(text)))
    assert state.records.at == task.recipe.steps, "the training is not finished"
    prepared = prepare(task)
    assert state.model.axes == prepared.document.model.axes, "the document is of another recipe"
    weights = weights_of(state)
    write_weights(MODELS / f"{name}.safetensors", {"recipe": name, "steps": str(state.records.at)}, weights)
    scores = text_scores(state, prepared) if text is not None else scores_of(state, task.material)
    card = {"weights": sum(array.size for array in weights.values()), "steps": state.records.at, **scores}
    # Whoever types a sentence sees how well each of its words is foretold.
    shown = SetSwitch("loss", "targets", "next word").apply(state).model
    tables: Tables = {
        "model": sizes(shown),
        "model.axes": {axis: list(labels) for axis, labels in shown.axes.items() if axis != "output.words"},
        "switches": dict(shown.switches),
        "training": {key: value for key, value in task.recipe.as_dict().items() if value not in (None, "", [], ())},
        "card": {key: float(f"{value:.6g}") for key, value in card.items()},
    }
    write_tables(MODELS / f"{name}.toml", tables)
    for key, value in card.items():
        print(f"{key:32} {value:.6g}")


BEGIN, SIZE = 66_382_425, 3_200_000
TWICE = 'by L. FRANK BAUM "Royal historian of Oz"\n', 'L. FRANK BAUM "Royal Historian of Oz"\nAuthor of All'
LAST = "Let's go home and get a drink!\"\n"
SHA256 = "966f89a676413da98d3e279ff1aa8cd7f0bd5b3bf489a77dc2156bedaccd4e57"


def text(books: str, out: str) -> None:
    """Cut the text that tiny-reader learned from out of the books that the vectors were trained on, too.

    The books are one text, a paragraph a line, with nothing between two books; `resources/models/tiny-reader.toml`
    names the fourteen. One of them stands there twice, and only the second time is taken.
    """
    with lzma.open(books) as stream:
        stream.seek(BEGIN)
        found = stream.read(SIZE).decode(errors="ignore")
    found = found[: found.index(LAST) + len(LAST)]
    first = found.index(TWICE[0])
    written = (found[:first] + found[found.index(TWICE[1], first) :]).encode()
    if hashlib.sha256(written).hexdigest() != SHA256:
        sys.exit(f"{books} holds other books, or others of them.")
    Path(out).write_bytes(written)


# stories260K


def stories(model_file: str, tokenizer_file: str) -> None:
    """Write the weights, the tokenizer and the switches of stories260K.

    Both files are of Andrej Karpathy's tinyllamas, under the MIT licence.
    """
    found, name = opened(model_file, "float32", tokenizer_file), "stories260k"
    weights = {
        node: array for node, array in found.inputs.items() if node not in ("input.tokens", "output.temperature")
    }
    write_weights(MODELS / f"{name}.safetensors", {"from": Path(model_file).name}, weights)
    source = tokenizer_of(Path(tokenizer_file)).source
    (MODELS / f"{name}.tokenizer.json").write_text(source + "\n", encoding="utf-8")
    write_tables(MODELS / f"{name}.toml", {"model": sizes(found.model), "switches": dict(found.model.switches)})


# The small models of each kind

SEEDS = (1, 2, 3)
APART = 0.01


def trained(name: str, seed: int | None = None) -> tuple[Prepared, Trainer]:
    """A model trained as its recipe says, or with another seed."""
    task = recipes.load(name)
    prepared = prepare(task if seed is None else replace(task, recipe=replace(task.recipe, seed=seed)))
    trainer = prepared.trainer()
    while not trainer.finished:
        trainer.step()
    return prepared, trainer


def held_out(prepared: Prepared, trainer: Trainer) -> float:
    """The loss of the words of the held-out sentences: without what the balance of experts adds in training."""
    model = trainer.model.with_switch("loss", "balance", 0.0)
    inputs = {**prepared.state.inputs, **trainer.weights}
    loss = Trainer(model, inputs, prepared.examples, prepared.recipe).validate()
    assert loss is not None
    return loss


def scores() -> None:
    """Train each model of `resources/recipes/small-*.toml` with three seeds, and write how well each foretells.

    The page "Family tree" shows it. What is measured is the loss of the words of held-out sentences, in nats a word,
    without the balance of experts. Numbers of weights have to agree to one in a hundred, or nothing is written.
    """
    names = sorted(name for name in recipes.names() if name.startswith("small-"))
    lines, counts = [LINE], {}
    for name in names:
        runs = [trained(name, seed) for seed in SEEDS]
        losses = [round(held_out(*run), 5) for run in runs]
        counts[name] = sum(array.size for array in runs[-1][1].weights.values())
        print(name, counts[name], losses, flush=True)
        lines += ["", f'["{name}"]', f"weights = {counts[name]}", f"losses = {losses}"]
    smallest, largest = min(counts.values()), max(counts.values())
    if largest > smallest * (1 + APART):
        sys.exit(f"from {smallest:,} to {largest:,} weights: give them other d_ff")
    with whole_file(KINDS / "scores.toml") as stream:
        stream.write("\n".join([*lines, ""]).encode())


def kinds() -> None:
    """Train the small models that "What changed since 2017" shows, and put their weights beside their scores.

    A setting of that lesson names its weights, `resources/kinds/NAME.safetensors`: NAME is the recipe that they come
    from, with the seed that it says, and the setting has its switches. They are written in 16 bits, which is half the
    room; the loss of held-out sentences stays the same to three decimals (`tests/lessons/test_changed_since_2017.py`).
    """
    lesson = paths.resources() / "lessons/changed-since-2017.toml"
    for setting in tomllib.loads(lesson.read_text(encoding="utf-8"))["settings"].values():
        if "weights" not in setting:
            continue
        file = (lesson.parent / setting["weights"]).resolve()
        prepared, trainer = trained(file.stem)
        state = prepared.document.with_inputs({name: trainer.weights[name] for name in trainer.moving})
        write_weights(file, {"recipe": file.stem}, weights_of(state, np.float16))
        print(file.stem, flush=True)
        words: dict[str, object] = {"input.words": list(state.model.axes["input.words"])}
        write_tables(lesson, {"model": sizes(state.model), "model.axes": words})


PARTS: dict[str, Callable[..., None]] = {one.__name__: one for one in (text, model, stories, scores, kinds)}

if __name__ == "__main__":
    PARTS[sys.argv[1]](*sys.argv[2:])
