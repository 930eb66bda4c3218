"""What a step of a lesson does to a page: it names a part, covers numbers, and is measured."""
