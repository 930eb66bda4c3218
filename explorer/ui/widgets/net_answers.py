"""What a net answers: to its own cases, and at any point of the space that its inputs are points of."""

from collections.abc import Sequence

import numpy as np

from explorer.core.engine import Engine
from explorer.core.ops import Array, Identity
from explorer.ui.workbench import Workbench

CASES, TARGET = "input.X", "loss.target"


class NetAnswers:
    """A net with a single output, read from the engine.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    @property
    def _engine(self) -> Engine:
        return self._bench.document.engine

    @property
    def output(self) -> str:
        """The node of the answers."""
        return f"layer.{self._bench.document.state.model.layers}.activation"

    @property
    def hidden(self) -> str | None:
        """The node of the sums of the first hidden units; None for a net of one layer."""
        return "layer.1.hidden" if self._bench.document.state.model.layers > 1 else None

    @property
    def features(self) -> int:
        """How many numbers a case has: 0 where there is no such net."""
        graph = self._engine.graph
        if self._bench.document.state.model.kind != "mlp" or graph.shape(self.output)[-1] != 1:
            return 0
        return graph.shape(CASES)[-1]

    @property
    def regression(self) -> bool:
        """Whether a straight line stands beside the net."""
        return "regression.output" in self._engine.graph.nodes

    def reads(self) -> set[str]:
        """The nodes whose change concerns what a picture of it shows."""
        nodes = self._engine.graph.nodes
        others = {TARGET, "loss.value", "regression.output", "regression.loss"} & nodes.keys()
        return {self.output, *self._engine.graph.ancestors(self.output), *others} if self.features else set()

    def names(self, node: str, axis: int) -> Sequence[str]:
        """The labels along an axis of a node."""
        return self._engine.labels(self._engine.graph.nodes[node].axes[axis])

    # The cases

    def cases(self) -> Array:
        """The cases, (n, n_features)."""
        return self._engine.values[CASES]

    def answers(self) -> Array:
        """What the net answers to each, (n,)."""
        answers: Array = self._engine.values[self.output][:, 0]
        return answers

    def targets(self) -> Array | None:
        """What would be right for each, (n,); None where nobody says."""
        targets = self._engine.values.get(TARGET)
        return targets[:, 0] if targets is not None and targets.ndim == 2 else None

    def levels(self) -> tuple[float, float]:
        """The least and the largest target, which the colours go from and to; 0 and 1 where that is no range."""
        targets = self.targets()
        finite = targets[np.isfinite(targets)] if targets is not None else np.zeros(0)
        if not finite.size or finite.min() == finite.max():
            return 0.0, 1.0
        return float(finite.min()), float(finite.max())

    def threshold(self) -> float:
        """From where on an answer is a yes: the model's threshold, or half-way between the targets."""
        return float(self._bench.document.state.model.switch("decision", "threshold")) or sum(self.levels()) / 2

    def right(self) -> Array:
        """Whether each answer is on its target's side of the threshold, (n,); all where there are no targets."""
        targets, threshold = self.targets(), self.threshold()
        answers = self.answers()
        return (
            np.ones(answers.shape, dtype=bool) if targets is None else (answers >= threshold) == (targets >= threshold)
        )

    def bends(self) -> bool:
        """Whether it is more than one matrix: a hidden layer has an activation other than the identity."""
        nodes, layers = self._engine.graph.nodes, self._bench.document.state.model.layers
        return any(not isinstance(nodes[f"layer.{k}.activation"].op, Identity) for k in range(1, layers))

    # Anywhere

    def over(self, points: Array, node: str) -> Array:
        """What a node would be for other cases, (n_points, n_units), by the graph's own ops.

        A pinned cell belongs to a case, and other cases do not have it.
        """
        asked = np.asarray(points, dtype=self._bench.document.state.model.dtype)
        return Engine(self._engine.graph, self._engine.values).what_if({CASES: asked}, node)
