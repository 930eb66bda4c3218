"""How a model learns: what it is shown, and how its weights follow."""
