"""The stage panels, one a file: each a picture of a few nodes."""
