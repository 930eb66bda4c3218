"""The column at the right: the cell pointed at, and how its number comes about."""
