"""Where the files that come with the program are."""

from pathlib import Path


def resources() -> Path:
    """Folder of the lessons, references, models, vectors and icons that come with the program.

    A wheel carries it inside the package. In a checkout and in a PyInstaller bundle (where the
    package lies in ``sys._MEIPASS``) it lies beside the package.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    package = Path(__file__).resolve().parent
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def benchmarks() -> Path:
    """Folder of the benchmarks in a checkout; anywhere else there is no such folder."""
    return Path(__file__).resolve().parent.parent / "tests" / "benchmarks"
