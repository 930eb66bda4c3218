"""Why a run gets nowhere, where that can be read from its numbers: units that are alike, and gradients of 0."""

from explorer.core.training.records import Records
from explorer.document.document import Document


def why_it_stands_still(document: Document, records: Records) -> str:
    """What keeps weights from learning, in a sentence or two; empty where nothing does."""
    said = []
    still = [block for block, lengths in records.blocks.items() if len(lengths) and lengths[-1] == 0]
    if still:
        said.append(f"The gradient of {', '.join(still)} is exactly 0: nothing moves there.")
    for block, units in twins(document).items():
        said.append(
            f"The {units} units of {block} are alike, so they get the same gradient at every step and stay alike: "
            "together they can do no more than one. That is why weights start at random."
        )
    return " ".join(said)


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
        alike = (units == units[0]).all() and (b is None or (b == b[0]).all()) and (leads == leads[0]).all()
        if len(units) > 1 and alike:
            found[block] = len(units)
    return found
