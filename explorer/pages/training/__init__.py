"""The page "Train": the settings of training, pictures of a run, and the loss over two weights."""
