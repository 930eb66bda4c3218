"""The pages of the stages of a graph, from the words to the loss."""
