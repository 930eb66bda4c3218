"""The word-similarity tab: what word vectors say of words, each number as arithmetic."""
