"""Files of word vectors: recognising, reading and writing."""
