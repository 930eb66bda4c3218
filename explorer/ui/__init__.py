"""The window: everything that draws with PySide6 and pyqtgraph lives below here (``app.py`` wires it together)."""
