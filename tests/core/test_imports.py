import subprocess
import sys

IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("core", "document", "lessons", "words", "pages"):
    package = importlib.import_module(f"explorer.{name}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name != "explorer.words.loops":  # is numba's, and imported where it is used
            importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_what_lies_below_the_window_does_not_import_it():
    """Qt belongs to the window alone; the others take long to import."""
    run = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=True)
    imported = set(run.stdout.split())
    assert {"explorer", "numpy"} <= imported
    assert not imported & {"PySide6", "shiboken6", "pyqtgraph", "gensim", "numba", "scipy", "ziamath"}
