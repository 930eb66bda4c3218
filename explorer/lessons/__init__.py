"""Lessons as data: worked examples in TOML, and the printed figures of the references to check them by."""
