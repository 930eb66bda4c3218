import importlib.util
import subprocess
import sys

import pytest

BELOW_THE_WINDOW = [
    package
    for package in ("explorer.core", "explorer.document", "explorer.lessons", "explorer.words")
    if importlib.util.find_spec(package)
]
# Qt belongs to the window alone; the others take long to import.
LATER = {"PySide6", "pyqtgraph", "gensim", "numba", "scipy", "ziamath"}
IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if module.name != "explorer.words.training.loops":  # is numba's, and imported where it is used
        importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("package", BELOW_THE_WINDOW)
def test_what_lies_below_the_window_does_not_import_it(package):
    run = subprocess.run([sys.executable, "-c", IMPORT_ALL, package], capture_output=True, text=True, check=True)
    imported = set(run.stdout.split())
    assert {"explorer", "numpy"} <= imported
    assert not imported & LATER
