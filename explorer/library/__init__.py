"""A transformer to be opened from Python, as `import explorer` offers it; the command line goes through it, too."""
