"""The loop: a batch forward, its gradients back, a step of the optimiser; and judging by what was not learned from.

Which inputs of a model training can move.

Dropout: in each step of training some numbers are left out by chance, so that no unit can rely on another.

Srivastava et al. 2014, in the form that leaves a model in use as it is: in training, what is kept is made larger.
"""

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from math import isfinite, sqrt
from typing import NoReturn
from zlib import crc32

import numpy as np

from explorer.core.backward import planned, walk
from explorer.core.cost import parameters
from explorer.core.engine import Engine, Pin, held_cells, run
from explorer.core.errors import ExplorerError, nearest, written_shape
from explorer.core.gradients import LOSS
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import Array, Input
from explorer.core.switches import SWITCHES
from explorer.core.training.data import TARGET, Examples
from explorer.core.training.optimisers import OPTIMISERS, Optimiser, clipped, length
from explorer.core.training.recipe import Recipe
from explorer.core.training.records import Record


def trainable(graph: Graph, model: Model) -> dict[str, bool]:
    """The inputs that a gradient can move, in reading order, and whether training moves them if nobody says otherwise.

    That is the model's weights; where a lesson has none, such as the logits of one word, all of them.

    `graph`: built of the model.
    """
    above = set(graph.inputs_of(LOSS.node)) if LOSS.node in graph.nodes else set()
    names = [n for n, node in graph.nodes.items() if n in above and not node.op.whole and n != "loss.target"]
    weights = {one.name for block in parameters(graph, model) for one in block.weights}
    # A lesson without weights, such as the logits of one word, moves what it has; a temperature or a scale is a choice.
    none = weights.isdisjoint(names)
    return {name: name in weights or (none and bool(graph.shape(name))) for name in names}


def with_dropout(model: Model, share: float) -> Model:
    """The model with the same share of dropout in each block that has the switch (Vaswani et al. 2017, §5.4).

    That is after the embeddings, and on what each sublayer makes, before it is added to what came in.

    `share`: how much is left out, 0 to 0.9.
    """
    for block, kind in model.blocks().items():
        if "dropout" in SWITCHES[kind]:
            model = model.with_switch(block, "dropout", share)
    return model


def kept_masks(graph: Graph, model: Model, batch: tuple[int, ...], random: np.random.Generator) -> dict[str, Array]:
    """What each dropout of a graph keeps in one step of training, drawn by chance.

    It is 0 as often as the block's share says, otherwise 1 / (1 − share), so that the mean stays what it would be.

    Parameters
    ----------
    graph : Graph
        Built of the model.
    batch : tuple of int
        The leading axes: each sentence draws its own.
    random : numpy.random.Generator
        Drawn from in reading order of the nodes.

    Returns
    -------
    dict of str to numpy.ndarray
        For each `kept` node, (*batch, n, d_model). Without these inputs, where they are 1, a model is as it is in use.
    """
    masks: dict[str, Array] = {}
    for name in kept_nodes(graph):
        share = float(model.switch(name.rpartition(".")[0], "dropout"))
        drawn = random.random((*batch, *graph.shape(name)), dtype=np.float32)
        masks[name] = (drawn >= share) * np.dtype(model.dtype).type(1 / (1 - share))
    return masks


def kept_nodes(graph: Graph) -> Iterator[str]:
    """The inputs that say what a dropout keeps, in reading order."""
    for node in graph.nodes.values():
        if node.op.drawn is not None:
            yield node.parents[node.op.drawn]


_DROPOUT = 3  # beside the uses of a seed in `data`
_LIGHT = ("optimiser", "rate", "schedule", "warm_up", "weight_decay", "clip", "batch", "steps", "validate_every")
"""Settings that only a step reads."""


class Trainer:
    """A model that learns from examples, step by step. Same arguments, same machine: the same bits.

    A step makes new arrays and writes into none, so a copy (`copy.copy`) is the trainer as it is now: it can be kept
    and stepped on later, to the same bits.

    Parameters
    ----------
    model : Model
        Built with the lengths of the examples (`Examples.lengths`).
    inputs : mapping of str to numpy.ndarray
        A value for every input node; the weights start from these. They are never written to.
    recipe : Recipe
        With an `initialiser`, the weights that move are drawn anew, from the recipe's seed.
    pins : mapping of str to Pin, optional
        Held while training, too.

    Raises
    ------
    ExplorerError
        "no-loss-to-lower", "no-dropout", "pinned-cases"; "unknown-node" for a frozen weight that there is not;
        "nothing-moves".
    """

    def __init__(
        self,
        model: Model,
        inputs: Mapping[str, Array],
        data: Examples,
        recipe: Recipe,
        pins: Mapping[str, Pin] | None = None,
    ) -> None:
        # In the model's type, or float32 would meet float64 and become it.
        with np.errstate(over="ignore"):  # beyond what float32 holds: then the loss says so
            arrays = {
                n: a.astype(model.dtype, copy=False) if a.dtype.kind == "f" else a for n, a in data.arrays.items()
            }
        self.model = with_dropout(model, recipe.dropout) if recipe.dropout else model
        self.recipe, self.pins, self.data = recipe, dict(pins or {}), replace(data, arrays=arrays)
        self.graph = graph = build(self.model)
        if LOSS.node not in graph.nodes:
            raise ExplorerError("no-loss-to-lower")
        if recipe.dropout and not any(kept_nodes(graph)):
            raise ExplorerError("no-dropout")
        above = graph.ancestors(LOSS.node)
        self._check_pins(above)
        learned = [n for n, usual in trainable(graph, model).items() if usual or n in recipe.also]
        frozen = _frozen(recipe.frozen, learned)
        self.moving = tuple(name for name in learned if name not in frozen)  # those that are moved
        if not self.moving:
            raise ExplorerError("nothing-moves")
        self._inputs = {name: inputs[name] for name, node in graph.nodes.items() if node.is_input and name in inputs}
        # What dropout keeps, where it was only the recipe that switched it on: everything, while nothing is learned.
        self._inputs |= {name: np.ones((), model.dtype) for name in kept_nodes(graph) if name not in inputs}
        # The weights as they are now, frozen ones too, in reading order. New arrays each step: who holds old ones keeps
        # them as they were.
        self.weights = {name: self._inputs[name] for name in learned}
        if recipe.initialiser:
            self.weights |= {name: self._drawn(name) for name in self.moving}
        self._first = self.weights
        self._blocks: dict[str, list[str]] = {}
        for name in self.moving:
            self._blocks.setdefault(name.rpartition(".")[0], []).append(name)
        needed = [node for node in graph.nodes.values() if node.name in above | {LOSS.node} and not node.is_input]
        # What reads nothing is the same in every step: masks, scales, positions.
        self._constants: dict[str, Array] = {}
        constant = {node.name: node for node in needed if not node.parents}
        run(constant.values(), {}, self._constants, self.pins, constant)
        self._needed = {node.name: node for node in needed if node.parents}
        self._drops = any(kept_nodes(graph)) and not data.as_shown
        self._held = held_cells(graph, self.pins)
        self._way_back = planned(graph, self.moving, self._held, LOSS.node, {LOSS.node}, ())
        self.optimiser: Optimiser = OPTIMISERS[recipe.optimiser](recipe.rate, recipe.weight_decay)
        self.at = 0  # how many steps have been taken

    def _check_pins(self, above: Collection[str]) -> None:
        """A cell that is held for one case of a table has no place in a batch of others."""
        data, size = self.data, self.recipe.batch
        if "input.X" not in data.arrays:
            return
        own = len(data.training) == self.graph.shape("input.X")[0] and not 0 < size < len(data.training)
        for name in () if own else self.pins:
            if name in above and "input" in self.graph.nodes[name].axes:
                raise ExplorerError("pinned-cases", name=name)

    def _drawn(self, name: str) -> Array:
        op = self.graph.nodes[name].op
        assert isinstance(op, Input)
        return op.start(name, self.graph.shape(name), self.model.dtype, self.recipe.seed, self.recipe.initialiser)

    @cached_property
    def fingerprint(self) -> int:
        """Of what the run begins with: model, first weights, examples."""
        model, blocks = self.model, self.model.blocks()
        # In one order, and without switches of blocks that are not there: a file says neither.
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
        """Take one step; judge, where it is time.

        `shown`: an engine that may have the values the step begins with, such as the document's where the run is: what
        it has, and its gradients, which the window asks for as well, are not computed a second time.

        Raises `ExplorerError`: "training-diverged" where the loss, a gradient or a weight would be no finite number,
        and "training-not-finite" where that is so before the first step; "weight-not-finite" where somebody has typed
        such a number. Nothing has happened then: the weights are the last good ones.
        """
        loss, norms, moved, self.optimiser = self._computed_step(shown)
        self.weights = {**self.weights, **moved}
        self.at += 1
        norm = sqrt(sum(one * one for one in norms.values()))
        due = self.at % self.recipe.validate_every == 0 or self.finished
        return Record(self.at, loss, self.optimiser.rate, norm, norms, self.validate() if due else None)

    def ahead(self) -> dict[str, Array]:
        """What the next step would make of the weights that move; it is not taken.

        Raises `ExplorerError`: those of `step`.
        """
        return self._computed_step()[2]

    def _computed_step(
        self, shown: Engine | None = None
    ) -> tuple[float, dict[str, float], dict[str, Array], Optimiser]:
        """The loss, the lengths of the gradient, the moved weights behind the next step, and the optimiser there."""
        batch = self.data.batch(self.at, self.recipe.batch, self.recipe.seed)
        given = batch | self._kept(batch)
        if shown is not None and not given and self._is_shown(shown):
            values, gradients = shown.values, shown.gradients().several(self.moving)
        else:
            values = self._forward(given)
            gradients = self._gradients(values)
        loss = float(values[LOSS.node])
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
            # In one layout: the bits of a product depend on it, and a run gone on with is to give the same.
            moved = {name: np.asarray(array, before[name].dtype, order="C") for name, array in after.items()}
        if not all(np.isfinite(array).all() for array in moved.values()):
            self._diverged()
        return loss, norms, moved, optimiser

    def validate(self) -> float | None:
        """The loss on the validation examples as the weights are now, without dropout; None where there are none."""
        op, total, count = self.graph.nodes[LOSS.node].op, 0.0, 0
        for batch in self.data.judged(self.recipe.batch):
            n = op.count(batch[TARGET])
            total += n * float(self._forward(batch)[LOSS.node])
            count += n
        return total / count if count else None

    def set(self, weights: Mapping[str, Array]) -> None:
        """Go on from other values of some weights, such as one edited in mid-run; the optimiser keeps its memory.

        `weights`: in the node's shape, or, as in a document with a shorter sentence, with fewer positions: the rest
        stays.

        Raises `ExplorerError`: "unknown-node" or "bad-shape".
        """
        for name, array in weights.items():
            if name not in self.weights:
                raise ExplorerError("unknown-node", name=name, near=nearest(name, list(self.weights)))
            self.weights = {**self.weights, name: fitted(self.graph, name, array, self.weights[name])}

    def go_on_from(self, other: "Trainer") -> None:
        """Go on where another trainer has come to: with its steps counted, and its weights where they have this shape.

        An optimiser of the same kind goes on remembering, unless weights have other shapes by now.
        """
        self.at = other.at
        of_other = {n: other.weights[n] for n, a in self.weights.items() if n in other.weights}
        of_other = {n: array for n, array in of_other.items() if array.shape == self.weights[n].shape}
        self.weights = {**self.weights, **of_other}
        shapes, before = ({n: a.shape for n, a in one.weights.items()} for one in (self, other))
        if shapes == before:
            self._remember(other.optimiser)

    def resume(self, optimiser: Optimiser, at: int) -> None:
        """Go on behind so many steps, with what an optimiser of the same kind remembered then of these weights.

        Of a recipe that draws weights anew nothing is gone on with.
        """
        if not self.recipe.initialiser:
            self.at = at
            if optimiser.fits(self.weights):
                self._remember(optimiser)

    def under(self, recipe: Recipe) -> "Trainer | None":
        """The trainer with other settings for its next steps; None where these need a trainer of their own."""
        light = {name: getattr(recipe, name) for name in _LIGHT}
        if replace(self.recipe, **light) != recipe:
            return None
        made = copy(self)
        made.recipe = recipe
        made.optimiser = OPTIMISERS[recipe.optimiser](recipe.rate, recipe.weight_decay)
        made._remember(self.optimiser)
        return made

    def _remember(self, optimiser: Optimiser) -> None:
        """Take over what an optimiser of the same kind remembers."""
        own = self.optimiser
        if type(own) is type(optimiser):
            self.optimiser = optimiser.copy()
            self.optimiser.rate, self.optimiser.decay = own.rate, own.decay

    def _kept(self, batch: Mapping[str, Array]) -> dict[str, Array]:
        """What dropout keeps in the next step; drawn from the seed and the step alone, as the batch is."""
        if not self._drops:
            return {}
        lead = next((array.shape[:1] for array in batch.values()), ())
        random = np.random.default_rng([self.recipe.seed, _DROPOUT, self.at])
        return kept_masks(self.graph, self.model, lead, random)

    def _is_shown(self, engine: Engine) -> bool:
        """Whether an engine has this graph's values as they are now: those of the same arrays."""
        return (
            engine.graph is self.graph
            and engine.pins.keys() == self.pins.keys()
            and all(engine.pins[name] is pin for name, pin in self.pins.items())
            and all(engine.values[name] is array for name, array in {**self._inputs, **self.weights}.items())
        )

    def _forward(self, batch: Mapping[str, Array]) -> dict[str, Array]:
        """The values of all nodes that the loss depends on, for a batch."""
        values = {**self._inputs, **self._constants, **self.weights, **batch}
        run(self._needed.values(), batch, values, self.pins, self._needed)  # what is not finite is seen at the loss
        return values

    def _gradients(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Those of the weights that are moved."""
        found = {LOSS.node: np.ones_like(values[LOSS.node])}
        walk(self.graph, values, self._held, self._way_back, found, {}, keep=self.moving)
        return {name: found[name] for name in self.moving}

    def _diverged(self) -> NoReturn:
        for name, array in self.weights.items():
            if not np.isfinite(array).all():
                raise ExplorerError("weight-not-finite", name=name)
        if self.at == 0:
            raise ExplorerError("training-not-finite")
        raise ExplorerError("training-diverged", step=self.at)


def fitted(graph: Graph, name: str, given: Array, base: Array) -> Array:
    """A node's array with other numbers, laid over the positions that both have where they differ in these.

    `graph`: the one that `base` fits.

    Returns
    -------
    numpy.ndarray
        In the shape and type of `base`.

    Raises
    ------
    ExplorerError
        "bad-shape" where they differ along another axis than that of a sequence.
    """
    axes = graph.nodes[name].axes
    differing = [a for a, n, m in zip(axes, given.shape, base.shape, strict=False) if n != m]
    if given.ndim != base.ndim or not all(axis in graph.sequences for axis in differing):
        shape, was_given = written_shape(base.shape), written_shape(given.shape)
        raise ExplorerError("bad-shape", name=name, shape=shape, given=was_given)
    laid = base.copy()
    common = tuple(slice(min(n, m)) for n, m in zip(given.shape, base.shape, strict=True))
    laid[common] = given[common]
    return laid


def _frozen(names: tuple[str, ...], learned: list[str]) -> set[str]:
    """The weights that a recipe's names mean: nodes, or all below a path."""
    found: set[str] = set()
    for name in names:
        meant = [one for one in learned if one == name or one.startswith(f"{name}.")]
        if not meant:
            raise ExplorerError("unknown-node", name=name, near=nearest(name, learned))
        found.update(meant)
    return found
