"""Training models: what a run is, what it learns from, its steps and the way back, and what it shows."""
