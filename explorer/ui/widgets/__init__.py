"""What panels and window are made of: matrix view, pictures, formula, the bars round the stage, layouts, icons."""

UNBOUNDED = 16777215
"""Pixels: how wide or high a widget may be that may be as large as it likes (Qt's QWIDGETSIZE_MAX)."""
