"""Which step shows what a section of a reference says: resources/sections.toml."""

import tomllib

import pytest

from explorer import paths
from explorer.lessons.loader import load
from explorer.lessons.references import figures, slips

SECTIONS = tomllib.loads((paths.resources() / "sections.toml").read_text(encoding="utf-8"))["section"]


def test_every_section_names_steps_that_there_are():
    lessons = {step.partition("/")[0] for section in SECTIONS for step in section["steps"]}
    known = {f"{id}/{step.id}" for id in lessons for step in load(id).steps}
    missing = {step for section in SECTIONS for step in section["steps"]} - known
    assert not missing
    for section in SECTIONS:
        assert section["steps"] or section["because"], section["title"]


@pytest.mark.parametrize("printed", [figures(), slips()], ids=["figures", "slips"])
def test_every_section_that_prints_a_figure_or_a_slip_is_in_some_step(printed):
    listed = {(section["reference"], section["title"]) for section in SECTIONS if section["steps"]}
    assert {(one.reference, one.section) for one in printed} <= listed


def test_no_section_stands_twice():
    names = [(section["reference"], section["title"]) for section in SECTIONS]
    assert len(names) == len(set(names))
