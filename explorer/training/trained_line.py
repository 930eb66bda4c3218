"""A linear regression trained beside a net: the same examples, the same steps, but no activation."""

from dataclasses import replace

from explorer.core.errors import ExplorerError
from explorer.core.graph import CASES, TARGET
from explorer.core.model import Model
from explorer.core.ops import Array
from explorer.document.commands import SetInputs
from explorer.document.document import Document
from explorer.document.state import State
from explorer.training.run import Run
from explorer.training.stretch import Settings


class TrainedLine:
    """A net of one layer without an activation, y = x W + b, trained with the settings of a document's net.

    Parameters
    ----------
    state : State
        The state of the net.
    settings : Settings
        The settings of the net's run.
    """

    def __init__(self, state: State, settings: Settings) -> None:
        axes = state.model.axes
        sides = {"layer.0": axes["layer.0"], "layer.1": axes[f"layer.{state.model.layers}"]}
        switches = {"layer.1.activation": "identity", "loss.loss": "mean squared error"}
        seed, dtype = settings.recipe.seed, state.model.dtype
        model = Model("mlp", axes={"input": axes["input"], **sides}, switches=switches, seed=seed, dtype=dtype)
        # The line's own nodes: ``layer.1.W``, ``layer.1.b``, the answers ``layer.1.activation`` and ``loss.value``.
        self.document = Document(State.of(model, _examples(state)))
        self.run = Run(self.document, _of_line(settings))
        self.failed = False  # whether a step failed because steps were too large; the line then keeps its last weights

    def use(self, state: State, settings: Settings) -> None:
        """Continue with other settings, or examples."""
        self.document.do(SetInputs(_examples(state), "Examples"))
        self.run.use(_of_line(settings))
        self.failed = False

    def follow(self, step: int, seconds: float) -> None:
        """Take steps until the line is at the net's step or the time is up; or go back to the net's step."""
        try:
            if step < self.run.at:
                self.run.travel(step)
            elif step > self.run.at and not self.failed:
                self.run.take(seconds, step - self.run.at)
        except ExplorerError:
            self.failed = True


def line_beside(state: State, settings: Settings, before: TrainedLine | None) -> TrainedLine | None:
    """The linear regression for a net with a node for it, else None: `before` with new settings, or a new one."""
    if "regression.output" not in state.graph.nodes:
        return None
    if before is None:
        return TrainedLine(state, settings)
    before.use(state, settings)
    return before


def _examples(state: State) -> dict[str, Array]:
    return {name: state.inputs[name] for name in (CASES, TARGET)}


def _of_line(settings: Settings) -> Settings:
    return replace(settings, recipe=replace(settings.recipe, frozen=(), also=(), dropout=0.0, initialiser=""))
