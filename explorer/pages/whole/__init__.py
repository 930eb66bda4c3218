"""The pictures of a whole model, of a block, and of the opening."""
