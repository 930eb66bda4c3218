"""The training loop: a batch forward, its gradients backward, a step of the optimiser; validation; a run as a file.

It also says which inputs of a model training can move.

Dropout: each training step drops some numbers at random, so that no unit can rely on another (Srivastava et al. 2014,
in the form that does not change a model in use: in training, kept numbers are scaled up).

A run can be continued from its file, a `container`, with the same bits as an uninterrupted one. The file holds

=============================  =======================================================================================
``weights/NODE``               the weights, including frozen ones
``memory/FIELD/NODE[/i]``      the optimiser's memory, in its field of that name
``history/…``                  the records so far, one array for each column, named as in `Records.arrays`
the manifest                   the format, the number of steps, the recipe, a fingerprint of model, first weights and
                               examples, and the names of the records' blocks in order
=============================  =======================================================================================
"""

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from math import isfinite, sqrt
from pathlib import Path
from typing import Any, NoReturn
from zlib import crc32

import numpy as np

from explorer import container
from explorer.container import Container, DamagedError, parsed
from explorer.core.cost import parameters
from explorer.core.engine import Engine, Pin, held_cells, run
from explorer.core.errors import ExplorerError, nearest, written_shape
from explorer.core.gradients import planned, walk
from explorer.core.graph import CASES, LOSS, TARGET, Graph
from explorer.core.model import SWITCHES, Model
from explorer.core.models import build
from explorer.core.ops import Array, Input
from explorer.core.training.data import Examples
from explorer.core.training.recipe import OPTIMISERS, Optimiser, Recipe, clipped, length
from explorer.core.training.records import Record, Records
from explorer.files import open_file, whole_file


def trainable(graph: Graph, model: Model) -> dict[str, bool]:
    """The inputs that a gradient can move, in reading order, and whether training moves them by default.

    By default these are the model's weights; in a lesson without weights, such as the logits of one word, all inputs.

    `graph`: built from the model.
    """
    above = set(graph.inputs_of(LOSS)) if LOSS in graph.nodes else set()
    fixed = {TARGET, *kept_nodes(graph)}  # a mask of dropout is drawn, and not learned
    names = [n for n, node in graph.nodes.items() if n in above and not node.op.whole and n not in fixed]
    weights = {one.name for block in parameters(graph, model) for one in block.weights}
    # A lesson without weights, such as the logits of one word, moves its inputs, but no scalar, such as a temperature.
    none = weights.isdisjoint(names)
    return {name: name in weights or (none and bool(graph.shape(name))) for name in names}


def with_dropout(model: Model, share: float) -> Model:
    """The model with the same share of dropout in each block that has the switch (Vaswani et al. 2017, §5.4).

    Dropout then follows the embeddings, and the output of each sublayer before the residual connection.

    `share`: the share of dropped numbers, 0 to 0.9.
    """
    for block, kind in model.blocks().items():
        if "dropout" in SWITCHES[kind]:
            model = model.with_switch(block, "dropout", share)
    return model


def kept_masks(graph: Graph, model: Model, batch: tuple[int, ...], random: "np.random.Generator") -> dict[str, Array]:
    """The random masks of all dropouts of a graph for one step of training.

    An entry is 0 with the probability of the block's share, otherwise 1 / (1 − share), so that the mean stays the same.

    `graph`: built from the model.
    `batch`: the leading axes: each sentence gets a mask of its own.
    `random`: used in reading order of the nodes.
    Returns one for each `kept` node, (*batch, n, d_model). In use, without this dict, these inputs are 1.
    """
    masks: dict[str, Array] = {}
    for name in kept_nodes(graph):
        share = float(model.switch(name.rpartition(".")[0], "dropout"))
        drawn = random.random((*batch, *graph.shape(name)), dtype=np.float32)
        masks[name] = (drawn >= share) * np.dtype(model.dtype).type(1 / (1 - share))
    return masks


def kept_nodes(graph: Graph) -> Iterator[str]:
    """The inputs that hold the masks of dropouts, in reading order."""
    for node in graph.nodes.values():
        if node.op.drawn is not None:
            yield node.parents[node.op.drawn]


_DROPOUT = 3  # differs from the uses of a seed in `data`
_LIGHT = ("optimiser", "rate", "schedule", "warm_up", "weight_decay", "clip", "batch", "steps", "validate_every")
"""Settings that only a step reads."""


class Trainer:
    """A model that learns from examples, step by step. The same arguments on the same machine give the same bits.

    A step makes new arrays and never writes into old ones. So a copy (`copy.copy`) keeps the present state and can be
    continued later, with the same bits.

    `model`: built with the lengths of the examples (`Examples.lengths`).
    `inputs`: a value for every input node; these are the first weights. They are never written to.
    `recipe`: if it has an `initialiser`, the weights that move are drawn again, with the recipe's seed.
    `pins`: they hold during training, too.
    Raises `ExplorerError`: "no-loss-to-lower", "no-dropout", "pinned-cases"; "unknown-node" for an unknown frozen
    weight; "nothing-moves".
    """

    def __init__(
        self,
        model: Model,
        inputs: Mapping[str, Array],
        data: Examples,
        recipe: Recipe,
        pins: Mapping[str, Pin] | None = None,
    ) -> None:
        # Cast to the model's type, because float32 with float64 would give float64.
        with np.errstate(over="ignore"):  # numbers too large for float32: the loss will be infinite
            arrays = {
                n: a.astype(model.dtype, copy=False) if a.dtype.kind == "f" else a for n, a in data.arrays.items()
            }
        self.model = with_dropout(model, recipe.dropout) if recipe.dropout else model
        self.recipe, self.pins, self.data = recipe, dict(pins or {}), replace(data, arrays=arrays)
        self.graph = graph = build(self.model)
        if LOSS not in graph.nodes:
            raise ExplorerError("no-loss-to-lower")
        if recipe.dropout and not any(kept_nodes(graph)):
            raise ExplorerError("no-dropout")
        above = graph.ancestors(LOSS)
        self._check_pins(above)
        learned = [n for n, usual in trainable(graph, model).items() if usual or n in recipe.also]
        frozen = _frozen(recipe.frozen, learned)
        # The weights that move; what the examples give, such as a batch of inputs, does not.
        self.moving = tuple(name for name in learned if name not in frozen and name not in arrays)
        if not self.moving:
            raise ExplorerError("nothing-moves")
        self._inputs = {name: inputs[name] for name, node in graph.nodes.items() if node.is_input and name in inputs}
        # Masks of a dropout that only the recipe switched on: all 1, as long as no step draws them.
        self._inputs |= {name: np.ones((), model.dtype) for name in kept_nodes(graph) if name not in inputs}
        # The present weights, frozen ones too, in reading order. Each step makes new arrays, so whoever keeps the old
        # ones keeps the old numbers.
        self.weights = {name: self._inputs[name] for name in learned}
        if recipe.initialiser:
            self.weights |= {name: self._drawn(name) for name in self.moving}
        self._first = self.weights
        self._blocks: dict[str, list[str]] = {}
        for name in self.moving:
            self._blocks.setdefault(name.rpartition(".")[0], []).append(name)
        needed = [node for node in graph.nodes.values() if node.name in above | {LOSS} and not node.is_input]
        # A node without parents is the same in every step: masks, scales, positions.
        self._constants: dict[str, Array] = {}
        constant = {node.name: node for node in needed if not node.parents}
        run(constant.values(), {}, self._constants, self.pins, constant)
        self._needed = {node.name: node for node in needed if node.parents}
        self._drops = any(kept_nodes(graph)) and not data.as_shown
        self._held = held_cells(graph, self.pins)
        self._way_back = planned(graph, self.moving, self._held, LOSS, {LOSS}, ())
        self.optimiser: Optimiser = OPTIMISERS[recipe.optimiser](recipe.rate, recipe.weight_decay)
        self.at = 0  # how many steps have been taken

    def _check_pins(self, above: Collection[str]) -> None:
        """Refuse pins in rows of the table's cases if the batches hold other cases than the model's own rows."""
        data, size = self.data, self.recipe.batch
        if CASES not in data.arrays:
            return
        own = len(data.training) == self.graph.shape(CASES)[0] and not 0 < size < len(data.training)
        for name in () if own else self.pins:
            if name in above and "input" in self.graph.nodes[name].axes:
                raise ExplorerError("pinned-cases", name=name)

    def _drawn(self, name: str) -> Array:
        op = self.graph.nodes[name].op
        assert isinstance(op, Input)
        return op.start(name, self.graph.shape(name), self.model.dtype, self.recipe.seed, self.recipe.initialiser)

    @cached_property
    def fingerprint(self) -> int:
        """A checksum of the start of the run: model, first weights, examples."""
        model, blocks = self.model, self.model.blocks()
        # Sorted, and without switches of missing blocks, because a file keeps neither.
        switches = {key: value for key, value in model.switches.items() if key.rpartition(".")[0] in blocks}
        parts = (sorted(part.items()) for part in (model.lengths, model.axes, switches))
        plain = replace(model, lengths={}, axes={}, switches={})
        found = crc32(repr((plain, *parts, self.data.fingerprint)).encode())
        for array in (*self._inputs.values(), *self._first.values()):
            found = crc32(np.ascontiguousarray(array).data, found)
        for name, pin in self.pins.items():
            found = crc32(name.encode() + pin.cells.tobytes() + pin.values.tobytes(), found)
        return found

    @property
    def finished(self) -> bool:
        """Whether all steps of the recipe have been taken."""
        return self.at >= self.recipe.steps

    # Learning

    def step(self, shown: Engine | None = None) -> Record:
        """Take one step, with a validation if one is due.

        `shown`: an engine, such as the document's, that may already have the values at the start of the step. Then its
        values and its gradients, which the window needs anyway, are not computed a second time.
        Raises `ExplorerError`: "training-diverged" if the loss, a gradient or a weight would not be finite;
        "training-not-finite" if that happens before the first step; "weight-not-finite" if a person typed such a
        weight. The step is then not taken: the weights stay the last good ones.
        """
        loss, norms, moved, self.optimiser = self._computed_step(shown)
        self.weights = {**self.weights, **moved}
        self.at += 1
        norm = sqrt(sum(one * one for one in norms.values()))
        due = self.at % self.recipe.validate_every == 0 or self.finished
        return Record(self.at, loss, self.optimiser.rate, norm, norms, self.validate() if due else None)

    def ahead(self) -> dict[str, Array]:
        """The moving weights after the next step, which is not taken.

        Raises `ExplorerError`: as `step`.
        """
        return self._computed_step()[2]

    def _computed_step(
        self, shown: Engine | None = None
    ) -> tuple[float, dict[str, float], dict[str, Array], Optimiser]:
        """For the next step: the loss, the gradient's norm by block, the moved weights, and the optimiser after it."""
        batch = self.data.batch(self.at, self.recipe.batch, self.recipe.seed)
        given = batch | self._kept(batch)
        if shown is not None and not given and self._is_shown(shown):
            values, gradients = shown.values, shown.gradients().several(self.moving)
        else:
            values = self._forward(given)
            found = {LOSS: np.ones_like(values[LOSS])}
            walk(self.graph, values, self._held, self._way_back, found, {}, keep=self.moving)
            gradients = {name: found[name] for name in self.moving}
        loss = float(values[LOSS])
        norms = {block: length(gradients[name] for name in names) for block, names in self._blocks.items()}
        if self.recipe.clip:
            gradients, _ = clipped(gradients, self.recipe.clip)
        if not (isfinite(loss) and all(map(isfinite, norms.values()))):
            self._diverged()
        optimiser = self.optimiser.copy()
        optimiser.rate = self.recipe.rate_at(self.at + 1)
        before = {name: self.weights[name] for name in self.moving}
        with np.errstate(all="ignore"):
            after = optimiser.step(before, gradients)
            # In one memory layout: the bits of a product depend on it, and a continued run must give the same bits.
            moved = {name: np.asarray(array, before[name].dtype, order="C") for name, array in after.items()}
        if not all(np.isfinite(array).all() for array in moved.values()):
            self._diverged()
        return loss, norms, moved, optimiser

    def validate(self) -> float | None:
        """The loss on the validation examples with the present weights, without dropout; None without examples."""
        op, total, count = self.graph.nodes[LOSS].op, 0.0, 0
        for batch in self.data.judged(self.recipe.batch):
            n = op.count(batch[TARGET])
            total += n * float(self._forward(batch)[LOSS])
            count += n
        return total / count if count else None

    def set(self, weights: Mapping[str, Array]) -> None:
        """Continue with other values of some weights, such as one edited mid-run; the optimiser keeps its memory.

        `weights`: in the node's shape or, from a document with a shorter sentence, with fewer positions: the other
        positions keep their numbers.
        Raises `ExplorerError`: "unknown-node" or "bad-shape".
        """
        for name, array in weights.items():
            if name not in self.weights:
                raise ExplorerError("unknown-node", name=name, near=nearest(name, list(self.weights)))
            self.weights = {**self.weights, name: fitted(self.graph, name, array, self.weights[name])}

    def go_on_from(self, other: "Trainer") -> None:
        """Continue where another trainer is: take over its count of steps, and moving weights of the same shape.

        Weights that do not move stay as they were given: the other trainer may have drawn them anew.
        An optimiser of the same kind also takes over its memory, if all shapes are the same.
        """
        self.at = other.at
        of_other = {n: other.weights[n] for n in self.moving if n in other.weights}
        of_other = {n: array for n, array in of_other.items() if array.shape == self.weights[n].shape}
        self.weights = {**self.weights, **of_other}
        shapes, before = ({n: a.shape for n, a in one.weights.items()} for one in (self, other))
        if shapes == before:
            self._remember(other.optimiser)

    def resume(self, optimiser: Optimiser, at: int) -> None:
        """Continue after `at` steps, with the memory that an optimiser of the same kind had then of these weights.

        If the recipe draws new weights, nothing is taken over.
        """
        if not self.recipe.initialiser:
            self.at = at
            if optimiser.fits(self.weights):
                self._remember(optimiser)

    def under(self, recipe: Recipe) -> "Trainer | None":
        """The trainer with other settings for its next steps; None if these settings need a new trainer."""
        light = {name: getattr(recipe, name) for name in _LIGHT}
        if replace(self.recipe, **light) != recipe:
            return None
        made = copy(self)
        made.recipe = recipe
        made.optimiser = OPTIMISERS[recipe.optimiser](recipe.rate, recipe.weight_decay)
        made._remember(self.optimiser)
        return made

    def _remember(self, optimiser: Optimiser) -> None:
        """Take over the memory of an optimiser of the same kind."""
        own = self.optimiser
        if type(own) is type(optimiser):
            self.optimiser = optimiser.copy()
            self.optimiser.rate, self.optimiser.decay = own.rate, own.decay

    def _kept(self, batch: Mapping[str, Array]) -> dict[str, Array]:
        """The dropout masks of the next step; like the batch, they depend only on the seed and the step."""
        if not self._drops:
            return {}
        lead = next((array.shape[:1] for array in batch.values()), ())
        random = np.random.default_rng([self.recipe.seed, _DROPOUT, self.at])
        return kept_masks(self.graph, self.model, lead, random)

    def _is_shown(self, engine: Engine) -> bool:
        """Whether an engine has the values of this graph, pins and weights: the very same arrays."""
        return (
            engine.graph is self.graph
            and engine.pins.keys() == self.pins.keys()
            and all(engine.pins[name] is pin for name, pin in self.pins.items())
            and all(engine.values[name] is array for name, array in {**self._inputs, **self.weights}.items())
        )

    def _forward(self, batch: Mapping[str, Array]) -> dict[str, Array]:
        """The values of all nodes that the loss depends on, for a batch."""
        values = {**self._inputs, **self._constants, **self.weights, **batch}
        run(self._needed.values(), batch, values, self.pins, self._needed)  # what is not finite shows in the loss
        return values

    def _diverged(self) -> NoReturn:
        for name, array in self.weights.items():
            if not np.isfinite(array).all():
                raise ExplorerError("weight-not-finite", name=name)
        if self.at == 0:
            raise ExplorerError("training-not-finite")
        raise ExplorerError("training-diverged", step=self.at)


def fitted(graph: Graph, name: str, given: Array, base: Array) -> Array:
    """Another array for a node; if it has another number of positions, only the common positions are replaced.

    `graph`: the graph whose shapes `base` has.
    Returns it in the shape and type of `base`.
    Raises an `ExplorerError`: "bad-shape" if the shapes differ along an axis that is not a sequence.
    """
    axes = graph.nodes[name].axes
    differing = [a for a, n, m in zip(axes, given.shape, base.shape, strict=False) if n != m]
    if given.ndim != base.ndim or not all(map(graph.follows_text, differing)):
        shape, was_given = written_shape(base.shape), written_shape(given.shape)
        raise ExplorerError("bad-shape", name=name, shape=shape, given=was_given)
    laid = base.copy()
    common = tuple(slice(min(n, m)) for n, m in zip(given.shape, base.shape, strict=True))
    laid[common] = given[common]
    return laid


def _frozen(names: tuple[str, ...], learned: list[str]) -> set[str]:
    """The weights that a recipe's names mean: nodes, or all nodes below a path."""
    found: set[str] = set()
    for name in names:
        meant = [one for one in learned if one == name or one.startswith(f"{name}.")]
        if not meant:
            raise ExplorerError("unknown-node", name=name, near=nearest(name, learned))
        found.update(meant)
    return found


# A run as a file

RUN_ENDING = ".training"
RUN_FORMAT = "Transformer Explorer training 1"


def save_run(trainer: Trainer, records: Records, path: Path) -> None:
    """Save the run of a trainer, with the records of its steps.

    Raises `ExplorerError`: "not-written".
    """
    arrays = {f"weights/{name}": array for name, array in trainer.weights.items()}
    arrays |= {f"memory/{name}": array for name, array in trainer.optimiser.arrays().items()}
    arrays |= {f"history/{name}": column for name, column in records.arrays().items()}
    _write_run(path, arrays, {"at": trainer.at, "blocks": records.names, **_about(trainer)})


def load_run(trainer: Trainer, path: Path) -> Records:
    """Continue from a saved run: restore a trainer that was made of the same model, examples and recipe.

    Returns the records of the steps so far.
    Raises an `ExplorerError`: "run-not-read", or "run-differs" for another run. The trainer then stays unchanged.
    """
    arrays, run = _read_run(path)
    about = _about(trainer)
    if {key: run.get(key) for key in about} != about:
        raise ExplorerError("run-differs", file=path)
    try:
        return _restore(trainer, arrays, run)
    except (KeyError, ValueError) as error:
        raise ExplorerError("run-not-read", file=path, reason=f"it does not fit together ({error})") from None


def _about(trainer: Trainer) -> dict[str, Any]:
    """The facts that two runs must share so that one can continue the other."""
    return {"format": RUN_FORMAT, "recipe": trainer.recipe.as_dict(), "fingerprint": trainer.fingerprint}


def _restore(trainer: Trainer, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> Records:
    """Restore the trainer and return the records. Everything is checked before anything is changed."""
    at = run.get("at")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= trainer.recipe.steps:
        raise ValueError("its number of steps")
    found = _below("weights/", arrays)
    for name, was in trainer.weights.items():
        if found[name].shape != was.shape or found[name].dtype != was.dtype:
            raise ValueError(f"weights {name}")
    history, blocks = _below("history/", arrays), run.get("blocks", [])
    if not isinstance(blocks, list):
        raise ValueError("blocks")
    # Arrays of a container are sorted, but a continued run must write its blocks in the order of an uninterrupted one.
    records = Records.of({f"blocks.{name}": history[f"blocks.{name}"] for name in blocks} | history)
    if records.at != at:
        raise ValueError("records")
    optimiser = trainer.optimiser.remembering(_below("memory/", arrays), trainer.weights, at)

    trainer.at, trainer.optimiser = at, optimiser
    trainer.weights = {name: found[name].copy() for name in trainer.weights}
    return records


def _below(way: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(way): array for name, array in arrays.items() if name.startswith(way)}


def _write_run(path: Path, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> None:
    with whole_file(path) as stream:
        container.write(stream, run, {name: np.asarray(array) for name, array in arrays.items()})


def _read_run(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    try:
        with open_file(path) as stream:
            parts = Container(stream)
            run = parts.manifest
            if run is None and isinstance(old := parts.metadata.get("run"), str):
                run = parsed(old.encode("utf-8", "replace"))  # the format up to version 0.1
            if not isinstance(run, dict) or run.get("format") != RUN_FORMAT:
                raise DamagedError(container.FOREIGN)
            return {name: parts.array(name) for name in parts.forms}, run
    except (OSError, DamagedError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise ExplorerError("run-not-read", file=path, reason=reason) from None
