"""Put a trained model into `resources/models`, so that it comes along with the program: its weights and its scores.

    explorer train tiny-gpt --out tiny-gpt.explorer
    python packaging/ship_model.py tiny-gpt tiny-gpt.explorer

A recipe that leaves its text to whoever trains is given it behind these.

The words about a model, its settings and its first sentence are written by hand, in `resources/models/NAME.toml`. What
stands there below the line that this script is named in is written by this script.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from explorer import container, paths
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import trainable
from explorer.document import storage
from explorer.document.commands import SetSwitch
from explorer.document.state import State
from explorer.files import whole_file
from explorer.training import recipes
from explorer.training.preparation import prepare
from scores import scores_of
from text_scores import text_scores

LINE = "# Written by packaging/ship_model.py: do not edit."


def main(name: str, document: str, text: str | None = None) -> None:
    """Write the weights and the generated part of a model's file."""
    state, _ = storage.load(document)
    assert state.records is not None, "the document comes from no training"
    task = recipes.load(name)
    if text is not None:
        task = replace(task, material=replace(task.material, file=Path(text)))
    assert state.records.at == task.recipe.steps, "the training is not finished"
    prepared = prepare(task)
    assert state.model.axes == prepared.document.model.axes, "the document is of another recipe"
    folder = paths.resources() / "models"
    weights = {
        n: np.ascontiguousarray(state.inputs[n]) for n, usual in trainable(state.graph, state.model).items() if usual
    }
    about = {"recipe": name, "steps": str(state.records.at)}
    with whole_file(folder / f"{name}.safetensors") as stream:
        container.write(stream, about, weights)
    scores = text_scores(state, prepared) if text is not None else scores_of(state, task.material)
    counts = {"weights": sum(array.size for array in weights.values()), "steps": state.records.at}
    # Whoever types a sentence sees how well each of its words is foretold.
    shown = SetSwitch("loss", "targets", "next word").apply(state)
    _write(folder / f"{name}.toml", shown, task.recipe, {**counts, **scores})
    for key, value in {**counts, **scores}.items():
        print(f"{key:32} {value:.6g}")


def _write(file: Path, state: State, recipe: Recipe, card: dict[str, float]) -> None:
    model = state.model
    by_hand = file.read_text(encoding="utf-8").partition(LINE)[0].rstrip()
    tables: dict[str, dict[str, object]] = {
        "model": {"kind": model.kind, "d_model": model.d_model, "layers": model.layers, "dtype": model.dtype},
        "model.axes": {axis: list(labels) for axis, labels in model.axes.items() if axis != "output.words"},
        "switches": dict(model.switches),
        "training": {key: value for key, value in recipe.as_dict().items() if value not in (None, "", [], ())},
        "card": {key: float(f"{value:.6g}") for key, value in card.items()},
    }
    lines = [by_hand, "", LINE]
    for table, entries in tables.items():
        lines += ["", f"[{table}]", *(f"{json.dumps(key)} = {_toml(value)}" for key, value in entries.items())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # its texts, numbers, lists, true and false are TOML's, too


if __name__ == "__main__":
    main(*sys.argv[1:])
