"""The tab that trains a model: what it learns from, how, the run itself, and what comes of it."""
