"""Words as vectors: GloVe tables read, downloaded, compared, looked at in two dimensions, and trained."""
