"""The tab that trains a model."""
