"""Words as vectors: GloVe tables are read, downloaded, compared, projected to two dimensions, and trained."""
