"""What a person can type wrongly that no model knows of."""


class UsageError(Exception):
    """A command that cannot be understood; its text names what was wrong and what would be right."""
