"""The pages about a model as a whole: its next words, its heads, its costs, its card, its switches and changes."""

import tomllib
from functools import cache

from explorer import paths


@cache
def meanings(of: str) -> dict[str, str]:
    """What these pages say of each name in one of their lists: "scores", "kinds", "types", "weights" or "growth"."""
    return dict(tomllib.loads((paths.resources() / "model.toml").read_text("utf-8"))[of])
