"""The page "Train": the settings of training, and pictures of a run."""
