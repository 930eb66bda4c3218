"""Transformer Explorer: every number of a transformer, live and editable."""

__version__ = "0.1.0"
PROGRAM = "Transformer Explorer"
"""The name that its files bear, too."""
