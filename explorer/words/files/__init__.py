"""Files of word vectors: recognised, read and written."""
