"""The main window: its bars, its list of stages, the pages side by side, and the container of its tabs."""
