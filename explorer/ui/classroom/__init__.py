"""Exercise sheets and the answers of a class in the window."""
