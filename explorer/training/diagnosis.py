"""Why a run gets nowhere, where that can be read from its numbers, and what would help."""

from dataclasses import dataclass

import numpy as np

from explorer.core.numbers import alone, formatted
from explorer.core.ops import Array
from explorer.core.switches import SWITCHES, SwitchValue
from explorer.core.training.recipe import Recipe
from explorer.core.training.records import Records
from explorer.document.document import Document

ENOUGH, LONG = 10, 100
"""Steps after which one may say that the loss rises, and that it hardly falls."""
RISEN, FALLEN = 1.05, 0.99
"""Of the first losses, what the last ones have at least where it rises, and where it hardly falls."""
SMALL = 1e-3
"""Of the longest gradient of a block, what is next to nothing."""
TIMES = 10.0
"""Of the first loss, what a larger one is thrown out of its valley; and of the rate, what another one is."""
USUAL, USUAL_ADAPTIVE = 0.1, 0.01
"""Rates that most models learn at, by steps along the gradient, and by optimisers that set the length of steps
themselves. From a far higher rate one comes down to these at once.
"""
FAR = 0.25
"""Of the range of the targets, what an answer that is not right is off by at least."""
SAME = 0.05
"""What the numbers of two cases behind the hidden units differ by at most, where they are as good as the same."""
GONE = 0.02
"""Of the longest of the first gradients, what one is at most where a net has come to rest."""
FROM_NOTHING = "Learn from nothing"
"""The remedy that opens the setting of a lesson that learns from whatever random start."""
MOST_CASES = 256
"""Cases up to which each two are compared."""


@dataclass(frozen=True)
class Diagnosis:
    """What keeps weights from learning."""

    sentence: str  # what was measured, and what it means
    remedy: str = ""  # what would help, in a few words; empty where nothing simple does
    setting: tuple[str, str | float] | None = None  # (name, value): the setting of the recipe that helps
    switch: tuple[str, SwitchValue] | None = None  # (name, value): the switch that helps, in all blocks that have it
    # Whether the weights are worse now than they were before the run, or of no use, so that it is better taken back.
    starts_over: bool = False
    opens: str = ""  # the setting of the lesson that helps


def solved(learns: str = "") -> Diagnosis:
    """What is said of weights that have nothing to learn before the first step; `learns` as of `diagnosis`."""
    said = "These weights already solve the task."
    if learns:
        return Diagnosis(f"{said} Here weights are found from a random start:", FROM_NOTHING, opens=learns)
    return Diagnosis(f"{said} To watch weights being found, choose another setting above, or another “Weights start”.")


def diagnosis(document: Document, records: Records, recipe: Recipe, learns: str = "") -> Diagnosis | None:
    """What keeps weights from learning; None where nothing does.

    Parameters
    ----------
    recipe : Recipe
        How it is trained now.
    learns : str
        The setting of the document's lesson that learns from whatever random start; empty where it has none, or where
        the document is in it.
    """
    if len(records.losses) and records.losses[-1] == 0:
        return None  # there is nothing left to learn
    alike = twins(document)
    still = [block for block, lengths in records.blocks.items() if len(lengths) and lengths[-1] == 0]
    losses = records.losses
    risen = None if alike else _risen(losses, recipe)  # what has grown beyond all bounds may have a gradient of 0, too
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
    if faint := faint_blocks(records):
        said = f"The gradient has all but vanished in {_few(faint)}: next to nothing moves there."
        return Diagnosis(said, *_against_vanishing(document))
    higher = recipe.rate * TIMES
    fell = f"the loss went from {_short(first)} to {_short(last)} only"
    said = f"In {records.at:,} steps {fell}: the steps may be too small."
    return Diagnosis(said, f"Rate {higher:g}", ("rate", higher))


def _risen(losses: Array, recipe: Recipe) -> Diagnosis | None:
    """Steps that are too long; None where the loss has not risen."""
    first, last = _ends(losses)
    if len(losses) < ENOUGH or last <= RISEN * first:
        return None  # a loss that is not a number is not so low
    usual = USUAL if recipe.optimiser in ("SGD", "momentum") else USUAL_ADAPTIVE
    lower = min(recipe.rate / TIMES, usual)
    said = f"The loss has risen from {_short(first)} to {_short(last)}: the steps go past the valley."
    return Diagnosis(said, f"Start over, at rate {lower:g}", ("rate", lower), starts_over=True)


def _ends(losses: Array) -> tuple[float, float]:
    """What the loss was at first, and what it is now."""
    first, last = (float(np.mean(part)) for part in (losses[:3], losses[-3:]))
    # What it has been thrown to by the first steps is nothing to begin from.
    return (float(losses[0]) if losses.max() > TIMES * losses[0] else first), last


def faint_blocks(records: Records) -> list[str]:
    """The blocks whose gradient is next to nothing beside that of the block with the longest."""
    last = {block: float(lengths[-1]) for block, lengths in records.blocks.items() if len(lengths)}
    longest = max((length for length in last.values() if np.isfinite(length)), default=0.0)
    return [block for block, length in last.items() if length < SMALL * longest]


def _wrong(document: Document) -> tuple[int, int, float]:
    """How many answers of a net are off by more than they may be, of how many, and what they may be; 0s of others."""
    model, values = document.state.model, document.engine.values
    targets = values.get("loss.target")
    if model.kind != "mlp" or model.layers < 2 or targets is None:
        return 0, 0, 0.0
    answers = values[f"layer.{model.layers}.activation"]
    far = FAR * float(np.ptp(targets))
    if answers.shape != targets.shape or not far:
        return 0, 0, 0.0
    return int((np.abs(answers - targets) > far).any(-1).sum()), len(targets), far


def _not_there(document: Document) -> str:
    """Of a net whose answers are not right at the end of a run, how many; empty where they are."""
    wrong, of, far = _wrong(document)
    return f"The run is over, and {wrong} of {of} answers are still off by more than {far:.3g}." if wrong else ""


def _stuck(document: Document, records: Records) -> str:
    """Of a net that has come to rest before its answers are right, what was measured; empty where it has not."""
    model, values = document.state.model, document.engine.values
    wrong, of, far = _wrong(document)
    earlier, later = np.split(records.losses[-LONG:], 2)
    norm, at_first = float(records.norms[-1]), float(records.norms[:ENOUGH].max())
    if not wrong or later.mean() < FALLEN * earlier.mean() or not norm < GONE * at_first:
        return ""
    said = [
        f"The loss stands still at {_short(float(records.losses[-1]))}, though {wrong} of {of} answers are "
        f"off by more than {far:.3g}: the gradient is {_short(norm)} long, at first it was {_short(at_first)}."
    ]
    for k in range(1, model.layers):
        units = values[f"layer.{k}.activation"]
        if dead := int((units == 0).all(0).sum()):
            are, them = ("is", "it") if dead == 1 else ("are", "them")
            said.append(
                f"{dead} of {units.shape[1]} units of layer.{k} {are} 0 for every case, so nothing moves {them}."
            )
    if pair := _same_cases(
        values["input.X"], values[f"layer.{model.layers - 1}.activation"], values["loss.target"], far
    ):
        said.append(f"Behind the hidden units {pair} have as good as the same numbers: one answer has to do for both.")
    return " ".join([*said, "This is a local minimum; with more hidden units there are fewer."])


def _same_cases(cases: Array, hidden: Array, targets: Array, far: float) -> str:
    """Two cases with other targets that the last layer cannot tell apart, by their numbers."""
    if len(cases) > MOST_CASES:
        return ""
    near = (np.abs(hidden[:, None] - hidden) < SAME).all(-1)
    for i, j in np.argwhere(near & (np.abs(targets[:, None] - targets) > far).any(-1)).tolist():
        return " and ".join(f"({', '.join(formatted(x, 'g') for x in cases[case])})" for case in (i, j))
    return ""


def _another_start(said: str, recipe: Recipe, learns: str) -> Diagnosis:
    """Weights that are drawn at random, or drawn once more; in a net that finds the way, where the lesson has one."""
    if learns:
        return Diagnosis(said, FROM_NOTHING, opens=learns)
    if recipe.initialiser in ("", "zeros"):
        return Diagnosis(said, "Draw the weights at random", ("initialiser", "xavier"), starts_over=True)
    seed = recipe.seed + 1
    return Diagnosis(said, f"Another start: seed {seed}", ("seed", seed), starts_over=True)


def _alike(alike: dict[str, int], still: list[str], recipe: Recipe, document: Document, learns: str) -> Diagnosis:
    """Units that are alike, or gradients that are exactly 0, which new weights end, or a way past the blocks."""
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
    """What gives gradients a way back: the remedy, a setting, a switch."""
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
    """The block, name and value of each switch that has to do with how gradients come through."""
    model, names = document.state.model, ("residual", "norm", "activation")
    blocks = model.blocks().items()
    return [
        (block, name, model.switch(block, name)) for block, kind in blocks for name in names if name in SWITCHES[kind]
    ]


def _few(blocks: list[str]) -> str:
    return f"{', '.join(blocks[:3])}{' and others' * (len(blocks) > 3)}"


def _short(value: float) -> str:
    return alone(value)


def twins(document: Document) -> dict[str, int]:
    """The hidden layers of a net in which all units have the same weights, and how many units those are."""
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
