"""The figures of speed that need no window, each measured by a function of its own."""
