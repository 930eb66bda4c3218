"""What the window shows of a sheet, of one that is put together, and of a class: data, without a window."""

import json
from itertools import combinations

import pytest

from explorer.core.numbers import written
from explorer.lessons.answers import TRIES
from explorer.lessons.loader import load
from explorer.lessons.schema import MakeSo
from explorer.pages.controls import Button, Field
from explorer.pages.drawing import Box
from explorer.pages.element import leaves
from explorer.pages.page import Listing, Note
from explorer.teaching.class_page import ORDERS, Asked, Roll, asked_in, beginning, class_on_paper, class_page
from explorer.teaching.gradebook import gradebook
from explorer.teaching.items import ChoiceItem, NumberItem, bare, done_wrong, items
from explorer.teaching.sheet import Sheet, Sitting, Try, read_answers, read_sheet, sheet_of
from explorer.teaching.sheet_page import Draft, Exercise, form_of, making_page, order, questions_of, told
from tests.refusals import refuses
from tests.teaching.test_class import SHEET, right_one, sat


def found(page, kind):
    return [one for part in page for one in leaves(part) if isinstance(one, kind)]


def words(page):
    return " ".join(one.text for one in found(page, Note))


@pytest.fixture
def exercise():
    exercise = Exercise(SHEET, clock=iter(range(1000)).__next__)
    exercise.do("name", "Ada Lovelace")
    exercise.do("begin")
    return exercise


# A sheet that is done


def test_one_begins_with_a_name():
    exercise = Exercise(SHEET)
    (begin,) = found(exercise.page(), Button)
    assert not begin.on
    with refuses("Give the name"):
        exercise.do("begin")
    exercise.do("name", "Ada")
    assert found(exercise.page(), Button)[0].on
    assert [field.value for field in found(exercise.page(), Field)] == ["Ada"]


def test_the_matrices_of_a_question_stand_on_its_page_with_all_their_numbers(exercise):
    exercise.do("go", 1)
    assert isinstance(exercise.item, NumberItem)
    tables = [part for part in exercise.item.parts if not isinstance(part, str)]
    lists = found(exercise.page(), Listing)
    assert [one.labels for one in lists] == [one.matrix.rows for one in tables]
    assert [len(one.lines) for one in lists] == [one.matrix.value.shape[0] for one in tables]
    largest = max(abs(entry.value) for one in lists for line in one.lines for entry in line.entries)
    assert 0 < largest <= 1


def test_a_wrong_number_is_named_and_the_right_one_told_at_the_end(exercise):
    exercise.do("go", 1)
    item = exercise.item
    right = written(item.value, item.digits)
    for left in reversed(range(TRIES)):
        exercise.do("typed", str(item.wrong[left].value))
        exercise.do("answer")
        said = words(exercise.page())
        assert (f"The number is {right}" in said) is (left == 0)
    assert exercise.sitting.over(item)
    assert not exercise.handed_in
    with refuses("number"):
        exercise.do("typed", "inf")
        exercise.do("answer")
    (item,) = sheet_of("T", 1, ["softmax/powers"]).items("Ada")
    assert done_wrong(item, round(item.value, 1)) == "Right to 1 decimal, but 2 are asked for."


def test_a_number_typed_again_is_told_not_to_count_again(exercise):
    exercise.do("go", 1)
    for _ in range(2):
        exercise.do("typed", "1234.5")
        exercise.do("answer")
    said = words(exercise.page())
    assert "You gave this answer before, and it does not count again. No: your number is too large." in said
    assert "2 tries are left." in said


def test_a_question_without_decimals_asks_for_a_whole_number():
    item = next(items(load("emma"), 3, only="emma/first"))
    assert item.digits == 0
    assert "Give a whole number." in item.text
    assert form_of(item) == "a whole number"


def test_the_right_place_is_told_only_once_no_try_is_left():
    exercise = Exercise(sheet_of("T", 1, ["jane/three"]))
    exercise.do("name", "Ada")
    exercise.do("begin")
    for tries in range(1, TRIES + 1):
        exercise.do("answer", tries)
        said = words(exercise.page())
        assert "No. No" not in said
        assert ("the largest number is at job → Jane, 0.95" in said) is (tries == TRIES)


def test_choices_stand_in_an_order_of_their_own_and_mean_the_same(exercise):
    item = exercise.item
    assert isinstance(item, ChoiceItem)
    places = order(item, "Ada Lovelace")
    assert sorted(places) == list(range(len(item.options)))
    assert places == order(item, "ada lovelace")
    shown = [one.id for one in found(exercise.page(), Button)][: len(places)]
    assert [one for one in exercise.wanted if one in shown] == shown, "the focus told the right one"
    letters = [one.text for one in found(exercise.page(), Button)][: len(places)]
    assert letters == [chr(ord("A") + i) for i in range(len(places))]
    why = bare(item.options[right_one(item)].feedback)
    assert why
    assert why not in words(exercise.page())
    exercise.do("answer", right_one(item))
    assert "Right." in words(exercise.page())
    assert why in words(exercise.page()), "why it is right stood only in the program and in quizzes"


def test_all_that_is_handed_in_is_shown_and_nothing_else_is(exercise, tmp_path):
    exercise.do("answer", right_one(exercise.item))
    exercise.do("go", 2)
    exercise.do("review")
    text = next(one.text for one in found(exercise.page(), Note) if one.text.startswith("<pre>"))
    assert json.loads(text.removeprefix("<pre>").removesuffix("</pre>"))["student"] == "Ada Lovelace"
    assert "seconds" not in text
    exercise.do("times", True)
    exercise.answers().save(tmp_path / "a.answers.json")
    read = read_answers(tmp_path / "a.answers.json")
    assert read.judged(SHEET) == read
    assert [one.seconds is not None for one in read.answered] == [True, False, True]
    exercise.do("times", False)  # whoever thinks better of it hands in no times
    assert "seconds" not in exercise.answers().text()


def test_a_question_that_a_file_names_twice_is_asked_once(tmp_path):
    """The review of such a sheet was an error of the program."""
    file = tmp_path / "twice.sheet.toml"
    file.write_text('format = 1\ntitle = "T"\nseed = 1\nquestions = ["emma/rule", "emma/rule"]\n')
    exercise = Exercise(read_sheet(file))
    exercise.do("name", "Ada")
    exercise.do("begin")
    exercise.do("review")
    (listing,) = found(exercise.page(), Listing)
    assert len(listing.lines) == 1


def primary(page):
    return [one.name or one.id for one in found(page, Button) if one.primary]


def test_each_page_has_one_act_that_it_is_there_for(exercise):
    assert primary(Exercise(SHEET).page()) == ["begin"]
    assert primary(exercise.page()) == []  # a choice: which of them is not said
    exercise.do("answer", right_one(exercise.item))
    assert primary(exercise.page()) == ["next"]
    exercise.do("go", 1)
    assert primary(exercise.page()) == ["lock"]
    exercise.do("review")
    assert primary(exercise.page()) == ["save"]
    assert primary(making_page(Draft(), 9)) == ["save sheet"]


# A sheet that is put together


def test_a_sheet_is_put_together(tmp_path):
    draft = Draft()
    assert not [one for one in found(making_page(draft, 9), Button) if one.on]
    with refuses("1 to"):
        draft.sheet()
    draft.do("lesson", "softmax")
    draft.do("all", True)
    draft.do("ask softmax/guess", False)
    draft.do("title", "Week 9")
    draft.do("seed", 5)
    assert all(one.on for one in found(making_page(draft, 9), Button))
    draft.sheet().save(tmp_path / "w.sheet.toml")
    known = [id for id, _ in questions_of("softmax")]
    assert read_sheet(tmp_path / "w.sheet.toml") == Sheet("Week 9", 5, tuple(known[1:]))
    draft.do("all", False)
    assert not draft.questions


def test_what_stands_on_no_sheet_is_said():
    """The list of a lesson's questions was shorter than the lesson's, and nothing said which it lacked."""
    draft = Draft()
    draft.do("lesson", "cat-sat-on-the")
    (note,) = [one for one in found(making_page(draft, 9), Note) if one.id == "left out"]
    lesson = load("cat-sat-on-the")
    made = [step.title for step in lesson.steps if isinstance(step.question, MakeSo)]
    assert made
    assert all(f"“{title}”" in note.text for title in made)
    asked = [step for step in lesson.steps if step.question and getattr(step.question, "fade", 0) <= 0]
    assert len(questions_of(draft.lesson)) + note.text.count("“") == len(asked)


def test_ones_own_lessons_stand_first():
    draft = Draft(own={"/home/mine.lesson.toml": "Mine"})
    assert next(iter(draft.titles.values())) == "Mine"


# A class


@pytest.fixture(scope="module")
def roll(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    for name, wrong in (("Ada", ()), ("Bob", ["emma/all-missing"]), ("Cy", ["emma/all-missing", "two-vectors/scaled"])):
        sat(name, wrong).save(folder / f"{name}.answers.json")
    (folder / "d.answers.json").write_text("nothing", "utf-8")
    book = gradebook([folder, folder / "Ada.answers.json"], SHEET)
    return Roll((folder,), SHEET, book, asked_in(book))


def listing(page, id):
    return next(one for one in found(page, Listing) if one.id == id)


def test_a_class_is_a_table_that_is_sorted(roll):
    page = class_page(roll, 20, ["damaged"])
    table = listing(page, "students")
    assert table.labels == ("Ada", "Bob", "Cy")
    signs = [[entry.text for entry in line.entries] for line in table.lines]
    assert signs == [["3", "✓", "✓", "✓"], ["3", "✓", "✓2", "✓"], ["3", "✓", "✓2", "✓2"]]
    assert "then right" in table.lines[1].entries[2].tip
    assert listing(page, "topics").lines[0].entries[0].text.startswith("2 ")
    assert listing(page, "left out").lines[0].entries[0].text == "d.answers.json"
    assert len([one for one in found(page, Listing) if one.id.startswith("bars ")]) == 3
    for order_ in ORDERS:
        roll.order = order_
        assert sorted(listing(class_page(roll, 20), "students").labels) == ["Ada", "Bob", "Cy"]
    roll.order = ORDERS[0]


def test_questions_with_the_same_title_are_told_apart_by_their_lessons(tmp_path):
    """Both lessons end with "Which rule was that?", which many lessons do."""
    sheet = sheet_of("T", 1, ["softmax/rule", "emma/rule", "emma/guess"])
    Sitting(sheet, "Ada").answers().save(tmp_path / "a.answers.json")
    titles = [one.title for one in asked_in(gradebook([tmp_path], sheet)).values()]
    assert titles == [
        f"Which rule was that? ({load('softmax').title})",
        f"Which rule was that? ({load('emma').title})",
        "Who is the friend?",
    ]


def test_a_topic_on_paper_has_the_number_that_the_question_has_in_the_table(roll):
    """The first topic had a 1, which is the number of another question."""
    (topics, *_) = class_on_paper(roll).split("<table")
    assert "<b>2 " in topics
    assert "<li>" not in topics
    assert "✓3 at the third try" in class_on_paper(roll)


def test_mistakes_stand_in_the_order_in_which_they_were_made(tmp_path):
    """That of a set is another one each time that the program starts."""
    (item,) = sheet_of("T", 1, ["emma/all-missing"]).items("Ada")
    names = list(dict.fromkeys(wrong.name for wrong in item.wrong))
    for order_ in (names[:3], names[2::-1]):
        sitting = Sitting(sheet_of("T", 1, ["emma/all-missing"]), "Ada")
        for name in order_:
            sitting.answer(item, next(wrong.value for wrong in item.wrong if wrong.name == name))
        sitting.answers().save(tmp_path / "a.answers.json")
        assert list(gradebook([tmp_path]).mistakes("emma/all-missing")) == order_


def test_right_is_said_only_of_what_was_answered(tmp_path):
    Sitting(SHEET, "Ada").answers().save(tmp_path / "a.answers.json")
    page = class_page(Roll((tmp_path,), SHEET, book := gradebook([tmp_path], SHEET), asked_in(book)), 20)
    assert "Nobody has answered" in words(page)
    sat("Bob", ()).save(tmp_path / "b.answers.json")
    roll = Roll((tmp_path,), SHEET, book := gradebook([tmp_path], SHEET), asked_in(book))
    assert "Every question that was answered was right at once." in words(class_page(roll, 20))
    assert "To talk about" not in class_on_paper(roll)


def test_a_mistake_has_its_name_and_a_choice_its_words(roll):
    asked = roll.asked["softmax/guess"]
    assert asked.title != "softmax/guess"
    assert asked.mistake("chose B") == f"“{asked.options[1]}”"
    assert asked.mistake("chose Z") == "chose Z"
    assert Asked("", ("“,” → cat",)).mistake("chose A") == "“,” → cat", "which has quotes of its own"
    assert asked.mistake("not scaled") == "not scaled"


def test_on_paper_many_questions_stand_in_several_tables(roll, monkeypatch):
    """Else names were broken letter by letter."""
    students = len(roll.students)
    assert class_on_paper(roll).count("<tr>") == 1 + students
    monkeypatch.setattr("explorer.teaching.class_page.ACROSS", 2)
    paper = class_on_paper(roll)
    assert paper.count("<tr>") == 2 * (1 + students)
    assert [paper.count(f"<th>{i}</th>") for i in (1, 2, 3)] == [1, 1, 1]


def test_the_first_page_has_three_ways_and_a_picture_of_how_a_sheet_goes_whose_boxes_lie_apart():
    _, ways, _, picture = beginning()
    assert len(ways.inside) == 3
    left, right, top, bottom = picture.drawing.window
    boxes = [mark.place for mark in picture.drawing.marks if isinstance(mark, Box)]
    for x, y, wide, high in boxes:
        assert left <= x
        assert x + wide <= right
        assert top <= y
        assert y + high <= bottom
        assert high * picture.height / (bottom - top) <= 50, "two lines, and nothing empty between them"
    for (x, y, wide, high), (other, below, *_) in combinations(boxes, 2):
        assert other >= x + wide or below >= y + high


def test_the_message_is_about_the_product_that_was_left_out():
    """The sentence was that of the last mistake with the same name: about another product, or another cell."""
    item = next(items(load("apple-orange"), only="apple-orange/phone"))
    left = [wrong for wrong in item.wrong if wrong.name == "product left out"]
    assert len({wrong.sentence for wrong in left}) > 1
    for wrong in left:
        assert wrong.sentence in told(item, Try(wrong.value, False, wrong.name), 2)
