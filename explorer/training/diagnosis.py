"""Why a training run makes no progress, as far as its numbers tell, and what would help."""

from collections.abc import Callable

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, TARGET
from explorer.core.model import SWITCHES, SwitchValue
from explorer.core.numbers import alone, formatted
from explorer.core.ops import Array
from explorer.core.training.recipe import BOUNDS, Recipe
from explorer.core.training.records import Records
from explorer.document.document import Document

ENOUGH, LONG = 10, 100
"""The fewest steps after which the loss can be said to rise, and those after which it can be said to hardly fall."""
RISEN, FALLEN = 1.05, 0.99
"""The loss rises if the last losses exceed `RISEN` times the first; it hardly falls if they exceed `FALLEN` times."""
SMALL = 1e-3
"""A gradient shorter than this share of the longest gradient of a block counts as vanished."""
TIMES = 10.0
"""A loss this many times the first one has left its valley; a suggested rate differs by the same factor."""
PLAIN = "SGD", "momentum"
"""The optimisers whose steps are proportional to the gradient; the others normalise their steps."""
USUAL, USUAL_ADAPTIVE = 0.1, 0.01
"""Learning rates that suit most models, for the `PLAIN` optimisers and for the others. A rate far above is lowered to
these at once.
"""
FAR = 0.25
"""A wrong answer is off by more than this share of the range of the targets."""
SAME = 0.05
"""Two cases whose hidden numbers differ by less than this are indistinguishable."""
GONE = 0.02
"""A net has come to rest if its gradient is shorter than this share of the longest of the first gradients."""
FROM_NOTHING = "Learn from nothing"
"""The remedy that opens the lesson's setting that learns from any random start."""
MOST_CASES = 256
"""The most cases of which every pair is compared."""


class Diagnosis(Frozen):
    """A reason why weights do not learn."""

    sentence: str  # the measurement and its meaning
    remedy: str = ""  # what would help, in a few words; "" if nothing simple does
    setting: tuple[str, str | float] | None = None  # (name, value): the recipe's setting that helps
    switch: tuple[str, SwitchValue] | None = None  # (name, value): the switch that helps, in all blocks that have it
    # Whether the weights are now worse than before the run, or useless, so that the run should be taken back.
    starts_over: bool = False
    opens: str = ""  # the lesson's setting that helps


def solved(learns: str = "") -> Diagnosis:
    """The message for weights that have nothing to learn before the first step; `learns` as in `diagnosis`."""
    said = "These weights already solve the task."
    if learns:
        return Diagnosis(f"{said} Here weights are found from a random start:", FROM_NOTHING, opens=learns)
    return Diagnosis(f"{said} To watch weights being found, choose another setting above, or another “Weights start”.")


def diagnosis(
    document: Document,
    records: Records,
    recipe: Recipe,
    learns: str = "",
    title: Callable[[str], str] = str,
    own: Recipe | None = None,
) -> Diagnosis | None:
    """The reason why weights do not learn; None if there is none.

    `learns`: the setting of the document's lesson that learns from any random start; "" if there is none, or if the
    document is already in it.
    `title`: how a block, given by its name, is called.
    `own`: the recipe of the document's example.
    """
    if len(records.losses) and records.losses[-1] == 0:
        return None  # the model has nothing left to learn
    alike = {title(block): units for block, units in twins(document).items()}
    still = [title(block) for block, lengths in records.blocks.items() if len(lengths) and lengths[-1] == 0]
    losses = records.losses
    risen = None if alike else _risen(losses, recipe, own)  # a loss that has exploded may also have a gradient of 0
    if risen or alike or still:
        return risen or _alike(alike, still, recipe, document, learns)
    if len(losses) < LONG:
        return None
    if stuck := _stuck(document, records):
        return _another_start(stuck, recipe, learns)
    if records.at >= recipe.steps and (over := _not_there(document)):
        if learns:
            return Diagnosis(over, FROM_NOTHING, opens=learns)
        return Diagnosis(over, "Go on for as many steps again")
    first, last = _ends(losses)
    if last < FALLEN * first:
        return None
    remedy, setting, switch = _against_vanishing(document)
    # Steps that are normalised are no shorter where the gradient is: another optimiser does not help.
    if (faint := faint_blocks(records)) and (switch or recipe.optimiser in PLAIN):
        said = f"The gradient has all but vanished in {_few([*map(title, faint)])}: next to nothing moves there."
        return Diagnosis(said, remedy, setting, switch)
    higher = recipe.rate * TIMES
    begin, end = alone(first), alone(last)
    went = f"stayed at {end}" if begin == end else f"went from {begin} to {end} only"
    fell = f"In {records.at:,} steps the loss {went}"
    if higher > BOUNDS["rate"][1]:
        return Diagnosis(f"{fell}.")
    return Diagnosis(f"{fell}: the steps may be too small.", f"Rate {alone(higher)}", ("rate", higher))


def _risen(losses: Array, recipe: Recipe, own: Recipe | None) -> Diagnosis | None:
    """The diagnosis of steps that are too long; None if the loss has not risen."""
    first, last = _ends(losses)
    if len(losses) < ENOUGH or last <= RISEN * first:
        return None  # true for NaN, too
    usual = USUAL if recipe.optimiser in PLAIN else USUAL_ADAPTIVE
    if own is not None and own.optimiser == recipe.optimiser and own.rate < recipe.rate:
        usual = own.rate  # of weights whose way down is narrow, far below what suits most models
    lower = max(min(recipe.rate / TIMES, usual), BOUNDS["rate"][0])
    said = f"The loss has risen from {alone(first)} to {alone(last)}: the steps go past the valley."
    return Diagnosis(said, f"Start over, at rate {lower:g}", ("rate", lower), starts_over=True)


def _ends(losses: Array) -> tuple[float, float]:
    """The loss at the beginning and the loss at the end, each a mean of three."""
    first, last = (float(np.mean(part)) for part in (losses[:3], losses[-3:]))
    # If the first steps made the loss explode, its mean over them is no fair start.
    return (float(losses[0]) if losses.max() > TIMES * losses[0] else first), last


def faint_blocks(records: Records) -> list[str]:
    """The blocks whose gradient is tiny compared with the longest gradient of a block."""
    last = {block: float(lengths[-1]) for block, lengths in records.blocks.items() if len(lengths)}
    longest = max((length for length in last.values() if np.isfinite(length)), default=0.0)
    return [block for block, length in last.items() if length < SMALL * longest]


def _wrong(document: Document) -> tuple[int, int, float]:
    """For a net: how many answers are off by more than allowed, how many there are, and what is allowed; else zeros."""
    model, values = document.state.model, document.engine.values
    targets = values.get(TARGET)
    if model.kind != "mlp" or model.layers < 2 or targets is None:
        return 0, 0, 0.0
    answers = values[f"layer.{model.layers}.activation"]
    far = FAR * float(np.ptp(targets))
    if answers.shape != targets.shape or not far:
        return 0, 0, 0.0
    return int((np.abs(answers - targets) > far).any(-1).sum()), len(targets), far


def _not_there(document: Document) -> str:
    """For a net with wrong answers at the end of a run, a sentence that says how many; otherwise ""."""
    wrong, of, far = _wrong(document)
    are = "is" if wrong == 1 else "are"
    return f"The run is over, and {wrong} of {of} answers {are} still off by more than {far:.3g}." if wrong else ""


def _stuck(document: Document, records: Records) -> str:
    """For a net that has come to rest before its answers are right, what was measured; otherwise ""."""
    model, values = document.state.model, document.engine.values
    wrong, of, far = _wrong(document)
    earlier, later = np.split(records.losses[-LONG:], 2)
    norm, at_first = float(records.norms[-1]), float(records.norms[:ENOUGH].max())
    if not wrong or later.mean() < FALLEN * earlier.mean() or not norm < GONE * at_first:
        return ""
    are = "is" if wrong == 1 else "are"
    said = [
        f"The loss stands still at {alone(float(records.losses[-1]))}, though {wrong} of {of} answers {are} "
        f"off by more than {far:.3g}: the gradient is {alone(norm)} long, at first it was {alone(at_first)}."
    ]
    for k in range(1, model.layers):
        units = values[f"layer.{k}.activation"]
        if dead := int((units == 0).all(0).sum()):
            are, them = ("is", "it") if dead == 1 else ("are", "them")
            said.append(
                f"{dead} of {units.shape[1]} units of layer {k} {are} 0 for every case, so nothing moves {them}."
            )
    if pair := _same_cases(values[CASES], values[f"layer.{model.layers - 1}.activation"], values[TARGET], far):
        said.append(f"Behind the hidden units {pair} have as good as the same numbers: one answer has to do for both.")
    return " ".join([*said, "This is a local minimum; with more hidden units there are fewer."])


def _same_cases(cases: Array, hidden: Array, targets: Array, far: float) -> str:
    """Two cases with different targets that the last layer cannot distinguish, by their numbers."""
    if len(cases) > MOST_CASES:
        return ""
    near = (np.abs(hidden[:, None] - hidden) < SAME).all(-1)
    for i, j in np.argwhere(near & (np.abs(targets[:, None] - targets) > far).any(-1)).tolist():
        return " and ".join(f"({', '.join(formatted(x, 'g') for x in cases[case])})" for case in (i, j))
    return ""


def _another_start(said: str, recipe: Recipe, learns: str) -> Diagnosis:
    """The diagnosis with its remedy: the lesson's setting that learns, random weights, or another random start."""
    if learns:
        return Diagnosis(said, FROM_NOTHING, opens=learns)
    if recipe.initialiser in ("", "zeros"):
        return Diagnosis(said, "Draw the weights at random", ("initialiser", "xavier"), starts_over=True)
    seed = recipe.seed + 1 if recipe.seed < BOUNDS["seed"][1] else 0
    return Diagnosis(said, f"Another start: seed {seed}", ("seed", seed), starts_over=True)


def _alike(alike: dict[str, int], still: list[str], recipe: Recipe, document: Document, learns: str) -> Diagnosis:
    """The diagnosis of equal units, or of gradients that are exactly 0; new weights help, or residuals."""
    said = [f"The gradient of {_few(still)} is exactly 0: nothing moves there."] if still else []
    if not alike and ("residual", False) in {(name, value) for _, name, value in _switches(document)}:
        return Diagnosis(" ".join(said), *_against_vanishing(document))
    for block, units in alike.items():
        said.append(
            f"The {units} units of {block} are alike, so they get the same gradient at every step and stay alike: "
            "together they can do no more than one. That is why weights start at random."
        )
    return _another_start(" ".join(said), recipe, learns)


def _against_vanishing(
    document: Document,
) -> tuple[str, tuple[str, str | float] | None, tuple[str, SwitchValue] | None]:
    """What helps against vanishing gradients: the remedy, a setting, a switch."""
    model = document.state.model
    switches = _switches(document)

    def anywhere(name: str, value: SwitchValue) -> bool:
        return any(one == name and now == value for _, one, now in switches)

    if anywhere("residual", False):
        return "Switch all residuals on", None, ("residual", True)
    if anywhere("norm", "none"):
        return "Normalise before each block", None, ("norm", "pre")
    if model.kind == "mlp" and anywhere("activation", "sigmoid"):
        return "ReLU in all layers", None, ("activation", "ReLU")
    return "Optimiser Adam", ("optimiser", "Adam"), None


def _switches(document: Document) -> list[tuple[str, str, SwitchValue]]:
    """The block, name and value of each switch that influences how gradients flow."""
    model, names = document.state.model, ("residual", "norm", "activation")
    blocks = model.blocks().items()
    return [
        (block, name, model.switch(block, name)) for block, kind in blocks for name in names if name in SWITCHES[kind]
    ]


def _few(blocks: list[str]) -> str:
    return f"{', '.join(blocks[:3])}{' and others' * (len(blocks) > 3)}"


def twins(document: Document) -> dict[str, int]:
    """The hidden layers of a net in which all units have equal weights, and the number of those units."""
    state = document.state
    found = {}
    for k in range(1, state.model.layers) if state.model.kind == "mlp" else ():
        block = f"layer.{k}"
        W, b = state.inputs[f"{block}.W"], state.inputs.get(f"{block}.b")
        units = W if state.model.switch(block, "weights") == "W x" else W.T
        out = state.inputs[f"layer.{k + 1}.W"]
        leads = out.T if state.model.switch(f"layer.{k + 1}", "weights") == "W x" else out
        alike = _all_alike(units) and (b is None or bool((b == b[0]).all())) and _all_alike(leads)
        if len(units) > 1 and alike:
            found[block] = len(units)
    return found


def _all_alike(rows: Array) -> bool:
    return bool((rows == rows[0]).all())
