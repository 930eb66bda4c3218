"""Training models: tasks, their examples, the steps of a run, going back in it, and what trained heads do."""
