"""The folders of the files that come with the program, and of a person's own files."""

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import Literal


def resources() -> Path:
    """Folder of the lessons, references, models, vectors and icons that come with the program.

    A wheel carries it inside the package. In a checkout and in a PyInstaller bundle (where the
    package lies in ``sys._MEIPASS``) it lies beside the package.
    Returns the folder.
    """
    package = Path(__file__).resolve().parent
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def own(kind: Literal["cache", "config", "data"]) -> Path:
    """A person's own folder, at the system's usual place."""
    import platformdirs

    have_a_home()
    places = {
        "cache": platformdirs.user_cache_path,
        "config": platformdirs.user_config_path,
        "data": platformdirs.user_data_path,
    }
    return places[kind]("transformer-explorer", appauthor=False)


def have_a_home() -> None:
    """Give a user unknown to the system a temporary home folder: libraries need one, too."""
    if os.path.expanduser("~") == "~":
        os.environ["HOME"] = str(passing())


@functools.cache
def passing() -> Path:
    """A temporary folder that is deleted when the program ends."""
    made = Path(tempfile.mkdtemp(prefix="explorer-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def benchmarks() -> Path:
    """Folder of the benchmarks in a checkout; elsewhere it does not exist."""
    return Path(__file__).resolve().parent.parent / "tests" / "benchmarks"
