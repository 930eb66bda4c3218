"""Train the small models that a lesson shows, and put their weights beside their scores.

    OPENBLAS_NUM_THREADS=1 python packaging/ship_kinds.py            some five minutes on one core

A setting of `resources/lessons/changed-since-2017.toml` names its weights, `resources/kinds/NAME.safetensors`: NAME is
the recipe that they come from, with the seed that it says, and the setting has its switches. They are written in 16
bits, which is half the room; the loss of held-out sentences stays the same to three decimals
(`tests/lessons/test_changed_since_2017.py`). The sizes and the words are written into the lesson's file, below the line
that this script is named in; what stands above is written by hand.
"""

import json
import tomllib
from pathlib import Path

import numpy as np

from explorer import container, paths
from explorer.core.model import Model
from explorer.core.training.trainer import trainable
from explorer.document.state import State
from explorer.files import whole_file
from explorer.training import recipes
from explorer.training.preparation import prepare

LESSON = "changed-since-2017"
LINE = "# Written by packaging/ship_kinds.py: do not edit."


def main() -> None:
    """Train each, and write its weights, and what all of them have alike."""
    file = paths.resources() / "lessons" / f"{LESSON}.toml"
    by_hand = file.read_text(encoding="utf-8").partition(LINE)[0].rstrip()
    named = [one["weights"] for one in tomllib.loads(by_hand)["settings"].values() if "weights" in one]
    for weights in named:
        path = (file.parent / weights).resolve()
        state = trained(path.stem)
        write(path, path.stem, state)
        print(path.stem, flush=True)
        told = about(state.model)
    file.write_text("\n".join([by_hand, "", LINE, *told, ""]), encoding="utf-8")


def trained(recipe: str) -> State:
    """The document of a recipe with what it has learned."""
    prepared = prepare(recipes.load(recipe))
    trainer = prepared.trainer()
    while not trainer.finished:
        trainer.step()
    return prepared.document.with_inputs({name: trainer.weights[name] for name in trainer.moving})


def write(file: Path, recipe: str, state: State) -> None:
    """Write the weights of a state in 16 bits."""
    names = (name for name, usual in trainable(state.graph, state.model).items() if usual)
    weights = {name: np.ascontiguousarray(state.inputs[name], np.float16) for name in names}
    with whole_file(file) as stream:
        container.write(stream, {"recipe": recipe}, weights)


def about(model: Model) -> list[str]:
    """The lines of a lesson about the sizes and the words of a model."""
    sizes = {"kind": model.kind, "d_model": model.d_model, "layers": model.layers, "dtype": model.dtype}
    words = json.dumps(list(model.axes["input.words"]), ensure_ascii=False)  # JSON's lists of texts are TOML's, too
    lines = [f"{key} = {json.dumps(value)}" for key, value in sizes.items()]
    return ["", "[model]", *lines, "", "[model.axes]", f'"input.words" = {words}']


if __name__ == "__main__":
    main()
