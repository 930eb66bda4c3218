"""Each fact of the references that a number or a picture can show is in a step of a lesson."""

from functools import cache

from explorer import paths
from explorer.lessons.loader import load
from explorer.lessons.prose import texts_of
from explorer.lessons.reading import MOST_TEXT, read
from explorer.lessons.references import slips
from tests.samples import each

WHOLE = read(paths.resources() / "references" / "coverage.toml")
FACTS, SAID = WHOLE.tables("fact"), WHOLE.tables("slip")
COUNTED = read(paths.resources() / "references" / "printed.toml").tables("section")


@cache
def steps_of(lesson):
    return {step.id: step for step in load(lesson).steps}


@each("fact", FACTS, ids=lambda fact: f"{fact.text('reference')} {fact.text('fact')[:40]}")
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


def test_a_step_says_where_a_reference_claims_something_wrong():
    said = {(one.text("reference"), one.text("printed", most=MOST_TEXT)): one for one in SAID}
    assert said.keys() == {(slip.reference, slip.printed.strip()) for slip in slips()}
    assert len(said) == len(SAID) > 40
    for one in SAID:
        one.has_only("reference", "printed", "step", "says")
        lesson, _, step = one.text("step").partition("/")
        assert one.text("says") in " ".join(" ".join(texts_of(steps_of(lesson)[step])).split()), one.text("printed")
