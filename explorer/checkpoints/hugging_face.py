"""A folder as the Hugging Face hub has them: config.json, and safetensors in one file or in several with an index."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

import numpy as np

from explorer.checkpoints.architectures import FAMILIES
from explorer.checkpoints.checkpoint import Checkpoint, Told, put_together, wrong
from explorer.checkpoints.config import MOST_BYTES, Config
from explorer.checkpoints.safetensors import Tensor, tensors
from explorer.checkpoints.tokenizers.of_folder import with_pieces
from explorer.core.errors import ExplorerError

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


def opened(folder: str | Path, dtype: str = "", told: Told | None = None) -> Checkpoint:
    """The model of a folder.

    Parameters
    ----------
    dtype : str
        As of `explorer.checkpoints.checkpoint.put_together`.
    told : callable, optional
        Hears how much of the numbers is read.

    Raises
    ------
    ExplorerError
        "checkpoint" where it cannot be opened: what is wrong, and with which file.
    """
    folder = Path(folder)
    if not (folder / "config.json").is_file():
        raise wrong(folder, "has no config.json: it is no folder of a model as the Hugging Face hub has them")
    config = Config(folder / "config.json")
    config.known("quantization_config")
    if config.has("quantization_config"):
        raise config.wrong("says that the weights are quantised, in a form that is not read here")
    known = {kind: kind for kind in FAMILIES}
    if config.has("auto_map") and not config.is_one_of("model_type", known):
        raise config.wrong("needs program code of the folder (auto_map), which is never run")
    kind = config.choice("model_type", "", known)
    plan = FAMILIES[kind](config)
    config.check_rest()
    found = dict(_tensors(folder))
    own = {name: name for name in found}  # as the file calls them
    if kind == "gpt2":
        own = {name.removeprefix("transformer."): name for name in found}
    if plan.kind == "encoder":  # as the oldest files of BERT call γ and β
        for old, new in (("gamma", "weight"), ("beta", "bias")):
            own = {name.replace(f"LayerNorm.{old}", f"LayerNorm.{new}"): one for name, one in own.items()}
    if plan.prefix and not any(name.startswith(plan.prefix) for name in own):
        own = {name if name.startswith(plan.head) else plan.prefix + name: one for name, one in own.items()}
    made = put_together(folder, kind, plan, {name: found[one] for name, one in own.items()}, dtype, told)
    # All layers of a file have the same names.
    called = {node: own.get(name.replace("{k}", "0"), name) for node, name in made.model.called.items()}
    called = {node: name if "{k}" not in made.model.called[node] else _layered(name) for node, name in called.items()}
    made = replace(made, model=replace(made.model, called=called))
    notices = ["the folder brings program code of its own, which is never run"] if config.has("auto_map") else []
    model, said = with_pieces(folder, made.model)
    notices += [*made.notices, *([said] if said else [])]
    inputs = dict(made.inputs)
    if "target.tokens" in inputs:
        start = config.whole("decoder_start_token_id", 0, least=0, most=plan.words - 1)
        inputs["target.tokens"] = np.array([start])
    return replace(made, model=model, inputs=inputs, notices=tuple(notices))


def _tensors(folder: Path) -> Iterator[tuple[str, Tensor]]:
    """The tensors of all files of the folder."""
    if (folder / INDEX).is_file():
        names = _indexed(folder)
    elif _is_file(folder / WEIGHTS):
        names = [WEIGHTS]
    elif any(folder.glob("*.bin")) or any(folder.glob("*.pt")):
        remedy = "convert them elsewhere with `model.save_pretrained(FOLDER, safe_serialization=True)`"
        raise wrong(folder, f"has its weights as pickles only, which can run code when they are opened: {remedy}")
    else:
        raise wrong(folder, f"has a config.json, but neither {WEIGHTS} nor {INDEX}")
    seen: set[str] = set()
    for name in names:
        if not _is_file(folder / name):
            raise wrong(folder, f"lacks the file {name}, which its index names")
        for key, tensor in tensors(folder / name).items():
            if key in seen:
                raise wrong(folder, f"has the tensor {key} twice")
            seen.add(key)
            yield key, tensor


def _layered(name: str) -> str:
    """The name of a tensor of the first layer as that of any layer."""
    return (
        name if "{k}" in name else name.replace(".0.", ".{k}.", 1) if ".0." in name else name.replace("0.", "{k}.", 1)
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:  # a link that leads in a circle
        raise ExplorerError("checkpoint", file=str(path), problem="is a link that leads nowhere") from error


def _indexed(folder: Path) -> list[str]:
    """The files that the index names: plain names in the folder."""
    file = folder / INDEX
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ValueError("too large")
        places = json.loads(file.read_bytes())["weight_map"]
        names = sorted(set(places.values()))
        if not all(
            isinstance(name, str) and PurePath(name).name == name and name.endswith(".safetensors") for name in names
        ):
            raise wrong(file, "names files that are not in the folder")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise wrong(file, "is no index of tensors") from None
    return names
