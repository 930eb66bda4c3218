"""Training word vectors: from text to counts, from counts to vectors."""
