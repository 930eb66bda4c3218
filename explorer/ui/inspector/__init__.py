"""The column at the right: the cell pointed at, and how its number is computed."""
