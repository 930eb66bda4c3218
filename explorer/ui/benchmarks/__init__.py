"""What is measured in the window: from an edit to its paint, and frames while a model trains."""
