"""Gradient descent in its usual forms."""
