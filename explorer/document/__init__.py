"""The open model, shared by all panels: its state, the commands that change it, and its history."""
