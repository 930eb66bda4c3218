"""The table of a matrix: cells that are looked at, pointed at and edited as in a spreadsheet."""
