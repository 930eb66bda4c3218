"""The tab "Words" about word vectors: cosines, neighbours, analogies and maps, each number shown as arithmetic."""
