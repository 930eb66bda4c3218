"""The one model object that every panel shows: its state, the commands that change it, and its history."""
