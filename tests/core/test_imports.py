import importlib.util
import subprocess
import sys

import pytest

IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(" ".join(sorted({"PySide6", "pyqtgraph", "gensim", "ziamath"} & {name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize("package", ["explorer.core", "explorer.document", "explorer.lessons", "explorer.words"])
def test_what_lies_below_the_window_does_not_import_it(package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not written yet")
    run = subprocess.run([sys.executable, "-c", IMPORT_ALL, package], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
