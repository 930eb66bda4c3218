"""Each fact of the references that a number or a picture can show is in a step of a lesson."""

from functools import cache

import pytest

from explorer import paths
from explorer.lessons.loader import load
from explorer.lessons.reading import read

FACTS = read(paths.resources() / "references" / "coverage.toml").tables("fact")
COUNTED = read(paths.resources() / "references" / "printed.toml").tables("section")


@cache
def steps_of(lesson):
    return {step.id for step in load(lesson).steps}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.text('reference')} {fact.text('fact')[:40]}")
def test_a_step_shows_it(fact):
    fact.has_only("reference", "section", "fact", "steps")
    for written in fact.words("steps"):
        lesson, _, step = written.partition("/")
        assert step in steps_of(lesson), f"{written}: there are {sorted(steps_of(lesson))}"


def test_each_section_with_numbers_has_a_fact():
    """The section that lists the sections prints only their numbers."""
    covered = {(fact.text("reference"), fact.text("section")) for fact in FACTS}
    counted = {(one.text("reference"), one.text("section")) for one in COUNTED}
    assert counted - covered == {("004", "The Math Behind GPT Models (Rough Draft)")}


def test_no_fact_is_listed_twice():
    facts = [(fact.text("reference"), fact.text("section"), fact.text("fact")) for fact in FACTS]
    assert len(facts) == len(set(facts)) > 100
