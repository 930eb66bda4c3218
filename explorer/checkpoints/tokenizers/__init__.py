"""Tokenizers of published models: from text to the numbers of pieces and back, step by step as their files say."""
