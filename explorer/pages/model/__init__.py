"""The pages about a model as a whole: its next words, its heads, its costs, its card, its switches and changes."""
