"""Training models: tasks, their examples, the steps of a run and the way back, and what a trained model shows."""
