"""The examples, each once: several lessons may lead through one, with its model, its settings and its numbers."""

from explorer.lessons.loader import catalogue

EXAMPLES = tuple(
    {(repr(lesson.model), *lesson.settings): lesson for lesson in catalogue() if not lesson.errata}.values()
)
"""The last lesson on each example, which is that of its own name where there is one."""
SMALL = tuple(lesson for lesson in EXAMPLES if lesson.model.dtype == "float64")
"""Without those of a trained model, which have 130,000 numbers in each setting."""
