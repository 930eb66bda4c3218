"""A short lesson that the tests walk through."""

import tomllib

import pytest

from explorer.lessons.loader import lesson_from
from explorer.lessons.reading import TomlTable

THREE = """
format = 4
id = "three-steps"
title = "Three steps"
paragraph = "Three shares."
example = "softmax"

[[step]]
id = "guess"
title = "Three numbers, three shares"
words = "The logits are {output.logits[x, Category A]} and {output.logits[x, Category B]}."
notes = "Wait."
minutes = 1.5
look.stage = "output"
[step.question]
kind = "predict"
ask = "What is the share of Category A?"
node = "output.probabilities"
cell = ["x", "Category A"]
hints = ["Take $e$ to the power of each.", "Divide by the sum."]

[[step]]
id = "differences"
title = "Only differences count"
words = "A still gets {output.probabilities[x, Category A]:%}, and B {output.probabilities[x, Category B]:2}."
look.stage = "output"
[step.inputs]
"output.logits" = [[7.0, 6.0, 5.2]]
[step.question]
kind = "choose"
ask = "What if all are doubled?"
choices = [
    { text = "They stay.", why = "Multiplying does not cancel." },
    { text = "The largest grows.", right = true },
]
why = "Only differences count."

[[step]]
id = "temperature"
title = "Make it less sure"
words = "The temperature is {output.temperature}."
setting = "printed"
look.stage = "output"
[step.question]
kind = "make"
ask = "Less than half."
goal = "output.probabilities[x, Category A] < 0.5"
allowed = ["output.temperature"]
"""


def three_steps():
    """The lesson."""
    return lesson_from(TomlTable("three-steps.toml", tomllib.loads(THREE)))


@pytest.fixture
def three():
    """The lesson."""
    return three_steps()
