"""Paints drawings, which are marks as data, and the pictures of attention, in the look of the program."""
