"""Models that others trained: from a folder with config.json and safetensors to one of our models and its inputs."""

from pathlib import Path


def is_checkpoint(path: str | Path) -> bool:
    """Whether this is a folder with a config.json. Asked of all that is opened, so it imports no reader."""
    try:
        return (Path(path) / "config.json").is_file()
    except OSError:
        return False
