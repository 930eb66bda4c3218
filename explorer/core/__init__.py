"""The mathematics of transformers as a graph of named quantities: numpy and the standard library only."""
