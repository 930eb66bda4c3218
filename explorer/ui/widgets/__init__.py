"""Small parts that panels and window are made of: labels, inputs, names, formulas, layouts, and how to find widgets."""

UNBOUNDED = 16777215
"""Qt's QWIDGETSIZE_MAX: the maximum width or height, in pixels, of a widget without a limit."""
