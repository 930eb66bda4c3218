"""The pages about a model as a whole: its next words, its heads, its costs, its card, its switches and changes."""

import tomllib
from functools import cache

from explorer import paths


@cache
def meanings(of: str) -> dict[str, str]:
    """What pages say of the names of a kind: "scores", "kinds", "types", "weights", "growth" or "stages"."""
    return dict(tomllib.loads((paths.resources() / "model.toml").read_text("utf-8"))[of])
