"""Train each small model of `resources/recipes/small-*.toml` with three seeds, and write how well each foretells.

    python packaging/measure_kinds.py            some eight minutes on one core

It writes `resources/kinds/scores.toml`, which the page "Family tree" shows. What is measured is the loss of the words
of held-out sentences, in nats a word, without the balance of experts. Numbers of weights have to agree to one in a
hundred, or nothing is written.
"""

import sys
from dataclasses import replace

from explorer import paths
from explorer.core.training.trainer import Trainer
from explorer.files import whole_file
from explorer.training import recipes
from explorer.training.preparation import Prepared, prepare

SEEDS = (1, 2, 3)
APART = 0.01


def trained(name: str, seed: int) -> tuple[Trainer, float]:
    """A model trained as its recipe says, with another seed, and its loss on held-out sentences."""
    task = recipes.load(name)
    prepared = prepare(replace(task, recipe=replace(task.recipe, seed=seed)))
    trainer = prepared.trainer()
    while not trainer.finished:
        trainer.step()
    return trainer, held_out(prepared, trainer)


def held_out(prepared: Prepared, trainer: Trainer) -> float:
    """The loss of the words of the held-out sentences: without what the balance of experts adds in training."""
    model = trainer.model.with_switch("loss", "balance", 0.0)
    inputs = {**prepared.state.inputs, **trainer.weights}
    loss = Trainer(model, inputs, prepared.examples, prepared.recipe).validate()
    assert loss is not None
    return loss


def main() -> None:
    """Train all of them, and write what came of it."""
    folder = paths.resources() / "kinds"
    names = sorted(name for name in recipes.names() if name.startswith("small-"))
    lines, counts = ["# Written by packaging/measure_kinds.py: do not edit."], {}
    for name in names:
        losses = []
        for seed in SEEDS:
            trainer, loss = trained(name, seed)
            losses.append(round(loss, 5))
        counts[name] = sum(array.size for array in trainer.weights.values())
        print(name, counts[name], losses, flush=True)
        lines += ["", f'["{name}"]', f"weights = {counts[name]}", f"losses = {losses}"]
    smallest, largest = min(counts.values()), max(counts.values())
    if largest > smallest * (1 + APART):
        sys.exit(f"from {smallest:,} to {largest:,} weights: give them other d_ff")
    with whole_file(folder / "scores.toml") as stream:
        stream.write("\n".join([*lines, ""]).encode())


if __name__ == "__main__":
    main()
