"""A linear regression that learns beside a net: the same examples, the same steps, and nothing that bends."""

from dataclasses import replace

from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.training.data import TARGET
from explorer.core.training.recipe import Recipe
from explorer.document.commands import SetInputs
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.plan import Material
from explorer.lessons.session import Session

CASES = "input.X"


class Line:
    """A net of one layer without an activation, y = x W + b, trained as the net of a document is.

    Parameters
    ----------
    state : State
        Of the net.
    material : Material
    recipe : Recipe
        Of the net's run.
    before : Line, optional
        One to go on from, with other examples or settings.

    Attributes
    ----------
    document : Document
        Of the line alone: ``layer.1.W``, ``layer.1.b``, the answers ``layer.1.activation`` and ``loss.value``.
    session : Session
    failed : bool
        Whether its steps were too large: it stays where it was then.
    """

    def __init__(self, state: State, material: Material, recipe: Recipe, before: "Line | None" = None) -> None:
        examples = {name: state.inputs[name] for name in (CASES, TARGET)}
        if before is None:
            axes = state.model.axes
            sides = {"layer.0": axes["layer.0"], "layer.1": axes[f"layer.{state.model.layers}"]}
            switches = {"layer.1.activation": "identity", "loss.loss": "mean squared error"}
            model = Model("mlp", axes={"input": axes["input"], **sides}, switches=switches, seed=recipe.seed)
            model = replace(model, dtype=state.model.dtype)
            self.document = Document(State.of(model, examples))
        else:
            self.document = before.document
            self.document.do(SetInputs(examples, "Examples"))
        recipe = replace(recipe, frozen=(), dropout=0.0, initialiser="")
        self.session: Session = Session(self.document, material, recipe, before.session if before else None)
        self.failed = False

    def follow(self, step: int, seconds: float) -> None:
        """Take steps until it has taken as many as the net, or the time is over."""
        left = step - self.session.trainer.at
        try:
            if left > 0 and not self.failed:
                self.session.advance(seconds, left)
        except ExplorerError:
            self.failed = True


def has_line(state: State) -> bool:
    """Whether a linear regression stands beside the document's net."""
    return "regression.output" in state.graph.nodes
