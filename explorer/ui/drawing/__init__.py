"""Drawings, and the pictures of attention: marks as data, painted in the look of the program."""
