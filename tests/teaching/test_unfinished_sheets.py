"""Answers of sheets that somebody is at are there again."""

import os
from dataclasses import replace

import pytest

from explorer.pages.element import leaves
from explorer.pages.page import Button, Check, Field, Note
from explorer.teaching import sheet as module
from explorer.teaching.items import NumberItem
from explorer.teaching.sheet import Begun, read_sheet
from explorer.teaching.sheet_page import Exercise
from tests.teaching.test_class import SHEET, right_one, sat


@pytest.fixture
def begun(tmp_path):
    return Begun(tmp_path)


def found(page, kind):
    return {one.id: one for part in page for one in leaves(part) if isinstance(one, kind)}


def test_who_opens_the_sheet_again_goes_on_where_it_was_left(begun):
    first = Exercise(SHEET, clock=iter(range(0, 1000, 10)).__next__)
    for act, value in (("name", "Ada Lovelace"), ("times", True), ("begin", None)):
        first.do(act, value)
    first.do("answer", right_one(first.item))
    first.do("go", 1)
    assert isinstance(first.item, NumberItem)
    assert first.item.hints
    first.do("hint")
    first.do("typed", str(first.item.wrong[0].value))
    first.do("answer")
    assert begun.keep(SHEET, first.answers())

    again = Exercise(SHEET, begun.of(SHEET))
    assert found(again.page(), Field)["name field"].value == "Ada Lovelace"
    assert "1 of 3 questions are done" in found(again.page(), Note)["handed in"].text
    again.do("name", "  ada LOVELACE")
    assert found(again.page(), Button)["begin"].text == "Go on"
    again.do("begin")
    assert again.answers().answered == first.answers().answered
    assert again.times
    assert again.at == 1
    for note in ("said 1", "hint 1 0"):
        assert found(again.page(), Note)[note].text == found(first.page(), Note)[note].text

    again = Exercise(SHEET, begun.of(SHEET))
    again.do("begin anew")
    assert not any(one.tries for one in again.answers().answered)
    again = Exercise(SHEET, begun.of(SHEET))
    again.do("name", "Bob")
    assert "begin anew" not in found(again.page(), Button)
    again.do("begin")
    assert not any(one.tries for one in again.answers().answered)


def test_what_is_of_another_sheet_or_was_changed_is_not_gone_on_with(begun, tmp_path):
    other = replace(SHEET, seed=8)
    assert begun.keep(SHEET, sat("Ada"))
    assert begun.of(other) == {}
    (file,) = tmp_path.rglob("*.answers.json")
    file.write_text(file.read_text("utf-8").replace('"right": true', '"right": false', 1), "utf-8")
    assert begun.of(SHEET) == {}
    assert begun.latest(4) == []


def test_the_last_ones_are_listed_and_the_oldest_go(begun, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    sheets = [replace(SHEET, seed=seed, title=f"Week {seed}") for seed in range(5)]
    for age, sheet in enumerate(sheets):
        answers = replace(sat("Ada"), sheet=sheet.title, sheet_id=sheet.id)
        assert begun.keep(sheet, answers)
        os.utime(tmp_path / module.FOLDER / sheet.id, (age, age))
    assert [one.sheet for _, one in begun.latest(2)] == ["Week 4", "Week 3"]
    assert read_sheet(begun.latest(1)[0][0]) == sheets[4]
    assert len(begun.latest(9)) == 3


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / module.FOLDER).write_text("in the way", "utf-8")
    for folder in (None, tmp_path):
        assert not Begun(folder).keep(SHEET, sat("Ada"))
        assert Begun(folder).of(SHEET) == {}
        assert Begun(folder).latest(4) == []


def test_the_box_of_times_shows_before_one_goes_on_that_times_would_be_handed_in(begun):
    """It was ticked when one went on, after a page on which it was not."""
    first = Exercise(SHEET)
    for act, value in (("name", "Ada"), ("times", True), ("begin", None), ("go", 1)):
        first.do(act, value)
    assert begun.keep(SHEET, first.answers())
    again = Exercise(SHEET, begun.of(SHEET))
    assert found(again.page(), Check)["times"].value
    again.do("times", False)
    again.do("begin")
    assert not again.times
    assert "seconds" not in again.answers().text()
    other = Exercise(SHEET, begun.of(SHEET))
    other.do("name", "Bob")
    assert not found(other.page(), Check)["times"].value
