"""Python's own ``import`` again, in place of the one that PySide6 puts there; imported before all that is to be quick.

PySide's reads the source of each module that is imported after it, and keeps its lines, to learn whether the word
"PySide6" stands in it. Only ``from __feature__ import`` needs to know, and nothing here uses that. For our modules and
numpy's this was a tenth of the time until the window is seen.
"""

import builtins

import PySide6.QtCore  # noqa: F401 - which changes `__import__`

builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
