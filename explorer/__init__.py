"""Transformer Explorer: every number of a transformer, live and editable."""

__version__ = "0.1.0"
